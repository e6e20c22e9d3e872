"""Put tables, numbers and pictures on the page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.roc_surfaces import pictures, tables
from studies.roc_surfaces.kept import surface_of
from studies.roc_surfaces.numbers import (
    how_many,
    mean_of,
    mixed,
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
    shown, name = draws[0], list(plan.growing)[-1]
    drawn: dict[str, Callable[[], Figure]] = {
        "data": partial(pictures.data_and_luck, plan.draws[0], found["many draws"]["fewest"]),
        "regions": partial(pictures.regions, plan.draws[0], shown),
        "miss_front": partial(pictures.miss_front, found["misses"]["k-nn"]),
        "surface": partial(pictures.whole_surface, shown),
        "distances": partial(pictures.distances, shown),
        "over_fitting": partial(pictures.over_fitting, draws),
        "volumes": partial(pictures.volumes, found["two classes"]["iris"]),
        "promises": partial(pictures.promises, cells),
        "many_classes": partial(
            pictures.many_classes, found["growth"][f"{name} misses"], tables.called(name)
        ),
    }
    values = _numbers(plan, found) | _tables(plan, found) | {"many_named": tables.called(name)}
    write_page(study, drawn, **values)


def _tables(plan: Any, found: Found) -> dict[str, str]:
    draws, cells = list(found["draws"].values()), tables.cells(found["real"])
    return {
        "published_table": tables.published(draws),
        "followed_table": tables.followed(draws),
        "rules_table": tables.rules(draws),
        "new_rows_table": tables.new_rows(draws, plan.draws),
        "steps_table": tables.steps(found["steps"]),
        "data_table": tables.data_sets(cells),
        "surfaces_table": tables.real_surfaces(cells),
        "promises_table": tables.promises(cells),
        "growth_table": tables.growth(found["growth"]),
    }


def _numbers(plan: Any, found: Found) -> dict[str, Any]:
    draws, many = list(found["draws"].values()), found["many draws"]["fewest"]
    fewest = many["fewest"]
    return {
        "draws": len(plan.draws),
        "draw_seeds": ", ".join(map(str, plan.draws)),
        "new_rows": f"{NEW_ROWS:,}",
        "most_rows": f"{MOST_ROWS:,}",
        "most_for_rates": MOST_FOR_RATES,
        "first_draw": plan.draws[0],
        "generations": f"{plan.schedule[-1]:,}",
        "matrices": plan.matrices,
        "some_members": plan.members,
        "many": len(fewest),
        "fewest_low": int(fewest.min()),
        "fewest_high": int(fewest.max()),
        "rule_as_unlucky": int(np.count_nonzero(many["best rule"] >= pictures.PUBLISHED_FEWEST)),
        "as_unlucky": int(np.count_nonzero(fewest >= pictures.PUBLISHED_FEWEST)),
        "best_rule_mean": f"{many['best rule'].mean():.1f}",
        "fewest_mean": f"{fewest.mean():.1f}",
        "gap": {name: _gap(draws, name) for name in MODELS},
        "late_G": {name: _late(draws, name, "G", "{:.3f}") for name in MODELS},
        "late_members": {name: _late(draws, name, "members", "{:,.0f}") for name in MODELS},
        "kept_cost": {name: f"{_mean_last(draws, f'{name} kept'):.3f}" for name in MODELS},
        "mixed": how_many([mixed(surface_of(draw, name)) for draw in draws for name in MODELS]),
        "best_cost": f"{draws[0]['truth by costs'].mean():.3f}",
        "new_G": {
            name: share_range(float(draw[f"{name} G of some, new rows"]) for draw in draws)
            for name in MODELS
        },
        "better": _better(tables.cells(found["real"])),
        "order": {what: percent(float(s)) for what, s in found["order"]["order"].items()},
        "beyond": _beyond(tables.cells(found["real"])),
        "cost": _costs(tables.cells(found["real"])),
    }


def _gap(draws: list[dict[str, Any]], name: str) -> str:
    """Return by how many percent more the members cost on new rows than they promised."""
    promised, kept = (_mean_last(draws, f"{name} {what}") for what in ("promised", "kept"))
    return percent_more(kept, promised)


def _mean_last(draws: list[dict[str, Any]], what: str) -> float:
    """Return the mean over draws of something at the end of the search."""
    return float(np.mean([draw[what][-1] for draw in draws]))


def _late(draws: list[dict[str, Any]], name: str, what: str, form: str) -> str:
    """Write a mean over draws at the last look but one, and at the last."""
    before, after = (np.mean([draw[f"{name} {what}"][i] for draw in draws]) for i in (-2, -1))
    return f"{form.format(before)} to {form.format(after)}"


def _beyond(cells: list[tables.Cell]) -> dict[str, str]:
    """Return the largest share of members beyond random allocation, by data set."""
    told: dict[str, float] = {}
    for cell in cells:
        share = float(np.mean([one["beyond"] / one["members"] for one in cell.splits]))
        told[cell.name] = max(share, told.get(cell.name, 0.0))
    return {name: percent(share) for name, share in told.items()}


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
