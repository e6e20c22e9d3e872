"""Comparing what was judged with what is met now."""
