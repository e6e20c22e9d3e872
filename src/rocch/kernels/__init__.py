"""Pure functions on arrays, without validation or hidden randomness."""
