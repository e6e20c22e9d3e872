"""AUCs: DeLong's variances, intervals and tests."""
