"""The persistent collection of classifiers that may still be optimal."""
