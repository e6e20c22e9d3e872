"""Put tables, numbers and pictures on the page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.roc_surfaces import pictures, tables
from studies.roc_surfaces.numbers import (
    mean_of,
    percent,
    percent_more,
    share_range,
)
from studies.roc_surfaces.real import MOST_FOR_RATES, MOST_ROWS
from studies.roc_surfaces.synthetic import MODELS, NEW_ROWS
from studies.workbench.page import write_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure

    from studies.workbench.study import Study

    Found = dict[str, dict[str, dict[str, Any]]]


def write(study: Study, plan: Any, found: Found) -> None:
    """Write the page about what was found."""
    draws = list(found["draws"].values())
    cells = tables.cells(found["real"])
    drawn: dict[str, Callable[[], Figure]] = {
        "regions": partial(pictures.regions, plan.draws[0], draws[0]),
        "over_fitting": partial(pictures.over_fitting, draws),
        "promises": partial(pictures.promises, cells),
    }
    given = {
        "published_table": tables.published(draws),
        "promises_table": tables.promises(cells),
    }
    write_page(study, drawn, **given, **_numbers(plan, found, cells))


def _numbers(plan: Any, found: Found, cells: list[tables.Cell]) -> dict[str, Any]:
    draws = list(found["draws"].values())
    return {
        "draws": len(plan.draws),
        "new_rows": f"{NEW_ROWS:,}",
        "most_rows": f"{MOST_ROWS:,}",
        "most_for_rates": MOST_FOR_RATES,
        "generations": f"{plan.schedule[-1]:,}",
        "matrices": plan.matrices,
        "some_members": plan.members,
        "gap": {name: _gap(draws, name) for name in MODELS},
        "kept_cost": {name: f"{_mean_last(draws, f'{name} kept'):.3f}" for name in MODELS},
        "best_cost": f"{draws[0]['truth by costs'].mean():.3f}",
        "new_G": {
            name: share_range(float(draw[f"{name} G of some, new rows"]) for draw in draws)
            for name in MODELS
        },
        "better": _better(cells),
        "order": {what: percent(float(s)) for what, s in found["order"]["order"].items()},
        "cost": _costs(cells),
    }


def _gap(draws: list[dict[str, Any]], name: str) -> str:
    """Return by how many percent more the members cost on new rows than they promised."""
    promised, kept = (_mean_last(draws, f"{name} {what}") for what in ("promised", "kept"))
    return percent_more(kept, promised)


def _mean_last(draws: list[dict[str, Any]], what: str) -> float:
    """Return the mean over draws of something at the end of the search."""
    return float(np.mean([draw[what][-1] for draw in draws]))


def _costs(cells: list[tables.Cell]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the mean costs by data set, model and choice, as text."""
    told: dict[str, dict[str, dict[str, str]]] = {}
    for cell in cells:
        means = {what: f"{mean_of(cell.splits, what):.3f}" for what in tables.PROMISES}
        told.setdefault(cell.name, {})[cell.kind] = means
    return told


def _cheaper(splits: list[Mapping[str, Any]], one: str, other: str) -> bool:
    """Say whether a choice is cheaper by what three digits can show."""
    return round(mean_of(splits, one), 3) < round(mean_of(splits, other), 3)


def _better(cells: list[tables.Cell]) -> dict[str, str]:
    """Return how often what was kept costs less than the rule of the costs, by kind of model."""
    kinds = dict.fromkeys(cell.kind for cell in cells)
    told = {}
    for kind in kinds:
        own = [cell.splits for cell in cells if cell.kind == kind]
        wins = sum(_cheaper(splits, "kept", "by costs") for splits in own)
        told[kind] = f"{wins} of {len(own)}"
    return told
