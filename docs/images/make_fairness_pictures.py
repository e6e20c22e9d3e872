"""Draw the picture of the page about fair rates by group.

Run it from the repository's root: python docs/images/make_fairness_pictures.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from saving import save_all

import rocch

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def applicants(rows: int, seed: int) -> tuple[Any, Any, Any]:
    """Draw labels, scores and groups, as the page does."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2])
    place = np.searchsorted(["north", "south", "west"], region)
    y = rng.random(rows) < np.array([0.35, 0.2, 0.25])[place]
    scores = {
        "lr": rng.normal(size=rows) + np.array([1.8, 1.0, 1.4])[place] * y,
        "gbm": rng.normal(size=rows) + np.array([1.5, 1.5, 1.2])[place] * y,
    }
    return y, scores, region


def fairness() -> Figure:
    """Draw three groups whose rates differ by at most 0.05."""
    costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=3)
    fair = rocch.hybrid.fair_rates(*applicants(4000, 0), costs, rates="both", tolerance=0.05)
    return rocch.plots.FairnessDisplay.from_rates(fair).figure_


PICTURES = {"fairness": fairness}

if __name__ == "__main__":
    save_all(PICTURES)
