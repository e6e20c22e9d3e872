"""The search for the trade-off front of a model's parameters and of costs."""
