"""The page's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.drifting.numbers import (
    KNOB,
    KNOWN_BY,
    WORDS,
    Mean,
    beaten,
    between,
    em_error,
    more,
    shares_of_last_month,
    told,
    totals,
    weekly,
)
from studies.drifting.operate import POLICIES
from studies.workbench.page import signed, table

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from studies.drifting.numbers import Found, Year, Years
    from studies.drifting.world import Subgroup

FEW = 10
"""Fewer positives than this in a month are few."""


def data(found: Found, groups: dict[str, Subgroup]) -> str:
    """Say what each data set is, which models the hull kept, and which had the largest AUC."""
    header = [
        "data",
        "training rows (positives):",
        "rows to draw from:",
        "usual prevalence:",
        "largest AUC:",
        "of the model",
        "models on the hull:",
        "subgroup that grows",
    ]
    return table(header, [_data_row(*item, groups[item[0]]) for item in found.items()])


def _data_row(title: str, years: Years, group: Subgroup) -> list[object]:
    training, pool = years[0]["training"], years[0]["pool rows"]
    best, times = np.unique([str(year["best"]) for year in years], return_counts=True)
    often = ", ".join(f"{best[i]} {times[i]}" for i in np.argsort(-times))
    return [
        title,
        f"{training[0]:,} ({training[1]:,})",
        f"{pool[0]:,} ({pool[1]:,})",
        f"{training[1] / training[0]:.3f}",
        f"{np.mean([year['auc'].max() for year in years]):.3f}",
        f"{often} times",
        f"{np.mean([year['kept models'].size for year in years]):.1f} of 5",
        f"{'high' if group.high else 'low'} `{group.feature}`",
    ]


def costs(found: Found, year: str) -> str:
    """Give each policy's cost beside the knob's, which is given as it is."""
    rows = []
    for group, members in KNOWN_BY.items():
        for policy, words in members.items():
            cells = [_cost(years, year, policy) for years in found.values()]
            rows.append([group, words, *cells])
    return table(["told", "policy", *(f"{title}:" for title in found)], rows)


def _cost(years: Years, year: str, policy: str) -> str:
    if policy == "knob":
        return f"**{Mean.of(totals(years, year)[:, KNOB]).written(3)}**"
    return more(years, year, policy).written(1, signed=True) + " %"


PAIRS = (
    ("usual", "last_month"),
    ("tuned", "last_month"),
    ("last_month", "feedback"),
    ("estimated", "safest"),
    ("estimated", "last_month"),
    ("fixed", "single"),
)
"""Policies worth comparing with each other: the second would be the better one."""


def pairs(found: Found) -> str:
    """Compare policies with each other, in percent of the knob's cost."""
    rows = [
        [
            WORDS[policy],
            WORDS[other],
            *(
                between(years, "kept", policy, other).written(1, signed=True) + " %"
                for years in found.values()
            ),
        ]
        for policy, other in PAIRS
    ]
    return table(["costs more", "than", *(f"{title}:" for title in found)], rows)


def wins(found: Found) -> str:
    """Give the share of years in which each policy was cheaper than the knob."""
    rows = [
        [words, *(f"{beaten(years, 'kept', policy):.0f} %" for years in found.values())]
        for policy, words in WORDS.items()
        if policy != "knob"
    ]
    return table(["cheaper than the hybrid with the knob", *(f"{t}:" for t in found)], rows)


def halves(found: Found) -> str:
    """Give what each model costs at its own 0.5, beside the knob."""
    models = [str(name) for name in next(iter(found.values()))[0]["models"]]
    rows = [
        [model, *(_half(years, place) for years in found.values())]
        for place, model in enumerate(models)
    ]
    return table(["at 0.5", *(f"{title}:" for title in found)], rows)


def _half(years: Years, model: int) -> str:
    costs = np.array([year["kept halves"][model] for year in years])
    knob = totals(years, "kept")[:, KNOB]
    return Mean.of(100 * (costs - knob) / knob.mean()).written(0, signed=True) + " %"


def estimates(found: Found, null: dict[str, Year], broken_from: int) -> str:
    """Judge the estimates of the same weeks, with the assumption kept and with it broken."""
    header = [
        "data",
        "year",
        "refused, refitted:",
        "by small pools alone:",
        "refused, hold-out:",
        "mean error, refitted:",
        "hold-out:",
        "EM:",
        "bias, refitted:",
        "covered, refitted:",
        "hold-out:",
    ]
    rows = []
    for title, years in found.items():
        alone = Mean.of(100.0 * null[title]["pool"]).written(0) + " %"
        kept, broken = (_judged(years, y, slice(broken_from, None)) for y in ("kept", "broken"))
        rows.append([title, "as assumed", kept[0], alone, *kept[1:]])
        rows.append([title, "broken", broken[0], "", *broken[1:]])
    return table(header, rows)


def _judged(years: Years, year: str, weeks: slice) -> list[str]:
    refitted, held = (told(years, year, who, weeks) for who in ("refitted", "held"))
    return [
        refitted.refused.written(0) + " %",
        held.refused.written(0) + " %",
        f"{refitted.error:.3f}",
        f"{held.error:.3f}",
        f"{em_error(years, year, weeks):.3f}",
        signed(f"{refitted.bias:+.3f}"),
        f"{refitted.covered:.0f} %",
        f"{held.covered:.0f} %",
    ]


def refused_by_model(by_model: Found, null: dict[str, Year]) -> str:
    """Give the share of weeks refused, by which forest scores them."""
    header = [
        "data",
        "the refitted one:",
        "that of one fold:",
        "those of all folds, in turn:",
        "normal scores, small pools alone:",
    ]
    rows = [
        [
            title,
            *(
                Mean.of(100 * np.array([float(one[who]) for one in years])).written(0) + " %"
                for who in ("refitted", "one fold", "all folds")
            ),
            Mean.of(100.0 * null[title]["pool"]).written(0) + " %",
        ]
        for title, years in by_model.items()
    ]
    return table(header, rows)


def few_positives(found: Found) -> str:
    """Split the monthly tuned threshold's cost by how many positives it was tuned on."""
    header = [
        "data",
        f"months tuned on fewer than {FEW} positives:",
        "then, more than the knob:",
        "other months, more than the knob:",
    ]
    return table(header, [[title, *_few(years)] for title, years in found.items()])


def _few(years: Years) -> list[str]:
    before = np.array([shares_of_last_month(year, "kept") for year in years])
    costs = weekly(years, "kept")
    knob, tuned = (costs[:, POLICIES.index(name)] for name in ("knob", "tuned"))
    few, many = before < FEW, before >= FEW
    extra = [_extra(tuned[part], knob[part]) for part in (few, many)]
    return [f"{_months(years, few)} of {_months(years, few | many)}", *extra]


def _months(years: Years, weeks: BoolArray) -> int:
    """Count the months, over all years, to which some weeks belong."""
    return sum(np.unique(y["month"][some]).size for y, some in zip(years, weeks, strict=True))


def _extra(tuned: FloatArray, knob: FloatArray) -> str:
    if knob.sum() == 0:
        return "none"
    return signed(f"{100 * (tuned.sum() / knob.sum() - 1):+.0f} %")
