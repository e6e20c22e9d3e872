"""Slow, obvious, exact twins of the library's algorithms, written straight from the papers."""
