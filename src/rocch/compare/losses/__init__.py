"""Losses compared under a belief: the LC index and who is best where."""
