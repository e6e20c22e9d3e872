"""Exact hulls, areas and outlines from data frames of any engine."""
