"""Records in databases."""
