"""A service that decides: the hybrid that a library exports, behind HTTP."""
