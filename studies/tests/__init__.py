"""Tests of the studies, and of what they share."""
