"""Fill the page's template."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from studies.drifting import pictures, tables
from studies.drifting.numbers import KNOB, beaten, more, rise, told, totals
from studies.drifting.operate import POLICIES
from studies.drifting.training import Task, rows_of
from studies.drifting.world import (
    DEAREST_MISS,
    JUMP,
    LEAST,
    MOST,
    SWING,
    WALK,
    Plan,
    subgroup,
)
from studies.workbench.page import signed, write_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.drifting.numbers import Found, Year
    from studies.workbench.study import Study


class Refusals(NamedTuple):
    """How often estimates are refused although nothing but the prevalence moved.

    Attributes
    ----------
    null
        On normal scores, by small pools alone.
    by_model
        Of a forest's scores, by which forest scores the weeks, in each repetition.
    """

    null: dict[str, Year]
    by_model: Found


def write(
    study: Study, plan: Plan, tasks: Sequence[Task], found: Found, refusals: Refusals
) -> None:
    """Write the page from the kept results."""
    groups = {}
    for task in tasks:
        rows = rows_of(study.source, task)
        groups[task.title] = subgroup(rows.features, rows.positive)
    first, null = next(iter(found)), refusals.null
    write_page(
        study,
        {
            "weather": partial(pictures.weather, first, found[first][0]),
            "cumulative": partial(pictures.cumulative, found),
            "differences": partial(pictures.differences, found),
            "dots": partial(pictures.dots, found),
        },
        plan=plan,
        times=len(found[first]),
        drift={"swing": SWING, "walk": WALK, "jump": JUMP, "least": LEAST, "most": MOST},
        dearest=f"{DEAREST_MISS:g}",
        data_table=tables.data(found, groups),
        cost_table=tables.costs(found, "kept"),
        broken_table=tables.costs(found, "broken"),
        pair_table=tables.pairs(found),
        win_table=tables.wins(found),
        half_table=tables.halves(found),
        estimate_table=tables.estimates(found, null, plan.broken_from),
        model_table=tables.refused_by_model(refusals.by_model, null),
        by_model=partial(_by_model, refusals.by_model),
        few_table=tables.few_positives(found),
        more=partial(_more, found),
        beaten=lambda title, policy, year="kept": f"{beaten(found[title], year, policy):.0f} %",
        rise=lambda title, policy: signed(
            f"{rise(found[title], policy, plan.broken_from).mean:+.0f} %"
        ),
        best_year=partial(_best_year, found),
        by_chance=lambda title: f"{100 * null[title]['pool'].mean():.0f} %",
        endless=f"{100 * np.mean([one['endless'] for one in null.values()]):.0f} %",
        span=partial(_span, found),
        refused=partial(_refused, found, plan),
        covered=partial(_covered, found),
    )


def _span(found: Found, policy: str, year: str = "kept") -> str:
    """Say between which percentages a policy's extra cost lies over all data sets."""
    extra = [more(years, year, policy).mean for years in found.values()]
    return signed(f"{min(extra):+.0f} to {max(extra):+.0f} %")


def _best_year(found: Found, title: str, policy: str) -> str:
    """Say what a policy cost, beside the knob, in the year in which that was least."""
    costs = totals(found[title], "kept")
    return f"{100 * (costs[:, POLICIES.index(policy)] / costs[:, KNOB]).min():.0f} %"


def _refused(found: Found, plan: Plan, title: str, who: str, year: str = "kept") -> str:
    weeks = slice(plan.broken_from, None)  # in both years, so that they can be compared
    return f"{told(found[title], year, who, weeks).refused.mean:.0f} %"


def _more(found: Found, title: str, policy: str, year: str = "kept") -> str:
    return signed(f"{more(found[title], year, policy).mean:+.0f} %")


def _covered(found: Found, title: str) -> str:
    return f"{told(found[title], 'kept', 'refitted', slice(None)).covered:.0f} %"


def _by_model(found: Found, title: str, who: str) -> str:
    return f"{100 * np.mean([one[who] for one in found[title]]):.0f} %"
