"""How often an estimate of prevalence is refused although nothing but the prevalence moved."""
