"""What to expect of a choice on rows that did not make it."""
