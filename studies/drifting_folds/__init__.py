"""Whether an estimate of prevalence is refused because one model scores where several did."""
