"""Pure functions on arrays: no classes of the domain, no validation, no hidden randomness."""
