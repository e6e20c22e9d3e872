"""Rows drawn again: replicates, intervals, bands and boxes."""
