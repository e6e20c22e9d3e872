"""Draw the true FPR of limits with and without a confidence, over many samples.

Run it from the repository's root: python docs/images/make_limits_picture.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from letters import entitle, say
from matplotlib import pyplot
from saving import save_all
from scipy.stats import norm

import rocch
from rocch.plots.style import CHOSEN, HULL, frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_FPR, CONFIDENCE = 0.05, 0.95
NEGATIVES, POSITIVES, MODELS, SHIFT = 500, 200, 3, 1.5
SAMPLES = 1000
CRITERIA = {
    "counted on the evaluation rows": rocch.NeymanPearson(MAX_FPR),
    "guaranteed on new rows": rocch.NeymanPearson(MAX_FPR, confidence=CONFIDENCE),
}


def true_rates() -> dict[str, list[float]]:
    """Return the true FPR of each criterion's choice in each sample."""
    rng = np.random.default_rng(26)
    y = np.arange(NEGATIVES + POSITIVES) >= NEGATIVES
    found: dict[str, list[float]] = {name: [] for name in CRITERIA}
    for _ in range(SAMPLES):
        values = rng.normal(size=(MODELS, y.size)) + SHIFT * y
        hull = rocch.RocHull.from_scores(y, {f"model {i}": v for i, v in enumerate(values)})
        for name, criterion in CRITERIA.items():
            point = hull.best(criterion).mix[0][1]
            found[name].append(float(norm.sf(float(point.threshold))))
    return found


def draw_limits() -> Figure:
    """Draw two histograms of the true FPR, one below the other."""
    figure, axes = pyplot.subplots(2, 1, figsize=(7, 4.6), sharex=True, layout="constrained")
    bins = np.arange(0.015, 0.0901, 0.0025)
    for ax, (name, rates) in zip(axes, true_rates().items(), strict=True):
        broken = 100 * float(np.mean(np.array(rates) > MAX_FPR))
        print(f"{name}: {broken:.1f}% of samples break the limit")
        _, _, bars = ax.hist(rates, bins=bins, color="#9ab6c9", edgecolor="white", linewidth=0.5)
        for left, bar in zip(bins, bars, strict=False):
            if left > MAX_FPR - 1e-9:
                bar.set_facecolor(CHOSEN)
        ax.axvline(MAX_FPR, color=HULL, linewidth=1.2)
        entitle(ax, f"FPR <= {MAX_FPR}, {name}")
        high = 0.8 * ax.get_ylim()[1]
        say(ax, f"broken in {broken:.1f}% of samples", (MAX_FPR + 0.012, high), CHOSEN)
        ax.set_ylabel("samples")
        frame(ax)
    axes[-1].set_xlabel("true false-positive rate of the chosen rule")
    return figure


PICTURES = {"limits": draw_limits}

if __name__ == "__main__":
    save_all(PICTURES)
