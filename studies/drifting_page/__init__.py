"""The page about a changing year: its tables and pictures."""
