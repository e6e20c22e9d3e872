"""What the order of rows does to folds: kept apart, so that it is computed anew on its own."""
