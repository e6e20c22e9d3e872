"""Fill the page's template."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from studies.drifting import pictures, tables
from studies.drifting.numbers import KNOB, more, refused, rise, totals
from studies.drifting.operate import POLICIES
from studies.drifting.world import (
    DEAREST_MISS,
    JUMP,
    LEAST,
    MOST,
    SWING,
    WALK,
)
from studies.workbench.page import signed, write_page

if TYPE_CHECKING:
    from studies.drifting.numbers import Found
    from studies.drifting.world import Plan
    from studies.workbench.study import Study


def write(study: Study, plan: Plan, found: Found) -> None:
    """Write the page from the kept results."""
    first = next(iter(found))
    write_page(
        study,
        {
            "weather": partial(pictures.weather, first, found[first][0]),
            "cumulative": partial(pictures.cumulative, found),
        },
        plan=plan,
        times=len(found[first]),
        drift={"swing": SWING, "walk": WALK, "jump": JUMP, "least": LEAST, "most": MOST},
        dearest=f"{DEAREST_MISS:g}",
        data_table=tables.data(found),
        cost_table=tables.costs(found),
        estimate_table=tables.estimates(found, plan.broken_from),
        more=partial(_more, found),
        rise_span=lambda policy: _ends(
            [rise(years, policy, plan.broken_from).mean for years in found.values()]
        ),
        best_year=partial(_best_year, found),
        span=lambda policy: _ends([more(years, "kept", policy).mean for years in found.values()]),
        refused=partial(_refused, found, plan),
    )


def _ends(percents: list[float]) -> str:
    """Say between which percentages something lies over all data sets."""
    return signed(f"{min(percents):+.0f} to {max(percents):+.0f}%")


def _best_year(found: Found, title: str, policy: str) -> str:
    """Say what a policy cost, beside the knob, in the year in which that was least."""
    costs = totals(found[title], "kept")
    return f"{100 * (costs[:, POLICIES.index(policy)] / costs[:, KNOB]).min():.0f}%"


def _refused(found: Found, plan: Plan, title: str, year: str) -> str:
    return f"{refused(found[title], year, slice(plan.broken_from, None)).mean:.0f}%"


def _more(found: Found, title: str, policy: str) -> str:
    return signed(f"{more(found[title], 'kept', policy).mean:+.0f}%")
