"""Statistics: intervals, bands, tests, comparisons of losses, decisions under belief, prevalence."""
