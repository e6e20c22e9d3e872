"""Statistics: intervals, bands, tests, losses, decisions under belief, and prevalence."""
