"""Tests of rocch, and what they share."""
