"""Turning the knob by feedback from operation."""
