"""Exact hulls, areas and counts from data frames of any engine, by few group-by queries."""
