"""Where a hybrid decides: tables of other systems."""
