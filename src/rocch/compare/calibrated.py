"""The prevalence of a batch from probabilities that are trusted to be calibrated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import UndefinedError, bad_input
from rocch.inputs import as_array, as_scores, is_number

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

HALVINGS = 45
"""Enough to bring [0, 1] down to 13 digits; 12 are returned, so that an end is exactly 0 or 1."""


def em_prevalence(y_probability: Any, *, trained_at: float) -> float:
    """Return the most likely prevalence of an unlabelled batch of calibrated probabilities.

    It is the limit of the EM algorithm of Saerens, Latinne and Decaestecker (2002). With
    probability q of a row, calibrated at prevalence t, the row's likelihood at prevalence p is
    proportional to p q / t + (1 - p) (1 - q) / (1 - t); the logarithm of the product is concave
    in p, so bisecting its derivative finds what EM climbs to, without a rule for stopping early.

    The answer is only as good as the calibration. There is no interval and no test of fit, so use
    `estimate_prevalence`, which needs no calibration, where labelled rows are at hand.

    Parameters
    ----------
    y_probability
        Probabilities of the positive class for the batch's rows, calibrated at `trained_at`.
    trained_at
        The prevalence at which they are calibrated, between 0 and 1 (both excluded).

    Returns
    -------
    float

    Raises
    ------
    InputError
        If a probability is outside [0, 1] or missing, or `trained_at` is not a share.
    UndefinedError
        If every probability equals `trained_at`: then every prevalence is equally likely.

    Examples
    --------
    >>> import rocch
    >>> round(rocch.em_prevalence([0.9, 0.8, 0.7, 0.2], trained_at=0.5), 3)
    0.911
    """
    probability = _as_probabilities(y_probability)
    if not is_number(trained_at) or not 0 < trained_at < 1:
        raise bad_input(
            "trained_at",
            "be a number between 0 and 1, both excluded",
            repr(trained_at),
            "It is the share of positives among the rows that the probabilities were fitted to.",
        )
    if (probability == trained_at).all():
        raise UndefinedError(
            "em_prevalence is undefined: every probability equals trained_at, so the batch says "
            "nothing about its prevalence."
        )
    positive, negative = probability / trained_at, (1 - probability) / (1 - trained_at)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2
        rising = np.sum((positive - negative) / (share * positive + (1 - share) * negative)) > 0
        low, high = (share, high) if rising else (low, share)
    return round((low + high) / 2, 12)


def _as_probabilities(y_probability: Any) -> FloatArray:
    rows = as_array(y_probability, "y_probability").size
    probability = as_scores(y_probability, rows, argument="y_probability")
    outside = np.flatnonzero((probability < 0) | (probability > 1))
    if outside.size:
        raise bad_input(
            "y_probability",
            "lie within [0, 1]",
            f"{probability[outside[0]]:g} at position {outside[0]}",
            "For scores that are no probabilities use estimate_prevalence.",
        )
    return probability
