"""Decisions under a belief: chances, regret, what knowing is worth."""
