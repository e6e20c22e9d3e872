"""Draw what a referral decides and costs, on the rows of docs/referral.md.

Run it from the repository's root: python docs/images/make_referral_pictures.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from saving import save_all

import rocch

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def referral() -> Figure:
    """Draw the thresholds of one scorer, and the cost by how many cases may be referred."""
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.3
    hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=2000) + 2 * y})
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)
    return rocch.plots.ReferralDisplay.from_hull(hull, conditions=known, cost=0.3).figure_


PICTURES = {"referral": referral}

if __name__ == "__main__":
    save_all(PICTURES)
