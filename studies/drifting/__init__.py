"""A year of operation under drifting prevalence and changing costs, on real data, and its page."""
