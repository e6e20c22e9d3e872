"""ROC curves, their hull, what you know about costs and class balance, and where the two meet."""
