"""Combining classifiers: rules, chains, votes and settings that extend the hull."""
