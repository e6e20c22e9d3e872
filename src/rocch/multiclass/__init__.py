"""More than two classes: cost matrices, AUCs, and the ROC surface."""
