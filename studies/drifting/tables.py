"""The page's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.drifting.numbers import KNOB, WORDS, Mean, covered, more, refused, totals
from studies.workbench.page import table

if TYPE_CHECKING:
    from studies.drifting.numbers import Found, Years


def data(found: Found) -> str:
    """Return each data set's rows, its prevalence and the largest AUC."""
    header = ["data", "training rows (positives):", "rows to draw from:", "prevalence:"]
    rows = [_data_row(title, years) for title, years in found.items()]
    return table([*header, "largest AUC:"], rows)


def _data_row(title: str, years: Years) -> list[object]:
    training, pool = years[0]["training"], years[0]["pool rows"]
    return [
        title,
        f"{training[0]:,} ({training[1]:,})",
        f"{pool[0]:,} ({pool[1]:,})",
        f"{training[1] / training[0]:.3f}",
        f"{np.mean([year['auc'].max() for year in years]):.3f}",
    ]


def costs(found: Found) -> str:
    """Return each policy's cost beside the knob's, which is given as it is."""
    rows = [
        [words, *(_cost(years, policy) for years in found.values())]
        for policy, words in WORDS.items()
    ]
    return table(["policy", *(f"{title}:" for title in found)], rows)


def _cost(years: Years, policy: str) -> str:
    if policy == "knob":
        return f"**{Mean.of(totals(years, 'kept')[:, KNOB]).written(3)}**"
    return more(years, "kept", policy).written(1, signed=True)


def estimates(found: Found, broken_from: int) -> str:
    """Return how good estimates of prevalence are in the same weeks of both years."""
    header = ["data", "refused:", "covered:", "classes change: refused:", "covered:"]
    weeks = slice(broken_from, None)
    rows = [
        [
            title,
            *(
                cell
                for year in ("kept", "broken")
                for cell in (
                    refused(years, year, weeks).written(0),
                    f"{covered(years, year, weeks):.0f}",
                )
            ),
        ]
        for title, years in found.items()
    ]
    return table(header, rows)
