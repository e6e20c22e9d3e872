"""AUCs of more than two classes: class-reference curves, the pairs of classes, and their means."""
