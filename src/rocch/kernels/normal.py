"""The normal distribution, without loading all of scipy.stats for one number."""

from __future__ import annotations


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors a two-sided normal interval reaches to either side."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))
