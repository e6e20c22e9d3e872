"""The LC index over many random splits, as Adams and Hand computed it on one, and its page."""
