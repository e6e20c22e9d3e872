"""A surface as tables for a terminal, as JSON for programs, and its members as a file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.markup import escape

from rocch.cli.render import console, new_table, print_json, print_written, save_figure
from rocch.cli.render_assign import aligned, confusion_table
from rocch.cli.terminal import echo
from rocch.files import is_standard_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.figure import Figure
    from rich.console import Console

    from rocch.cli.surface_study import Found
    from rocch.multiclass.costs import CostMatrix
    from rocch.multiclass.surface import SurfaceMember, SurfacePoint

MOST_TOLD = 3
"""Weights of a network tell a reader nothing; JSON and the file have them."""
MOST_MEMBERS = 10
"""So many members that are optimal somewhere are printed; JSON has all."""
WHY = {
    "generations": "",
    "stagnation": ", when G had stopped growing",
    "members": ", because there were too many members",
}


def show(found: Found, *, as_json: bool, written: list[Path]) -> None:
    """Print what was found; notes go to standard error."""
    for warning in found.warned:
        echo(f"rocch: scikit-learn warns: {warning}", err=True)
    if as_json:
        print_json(document(found))
        return
    # the file of members may be standard output itself, and then has it for itself
    _print(console(stderr=any(map(is_standard_output, written))), found)
    print_written(*written)


def save_picture(found: Found, path: Path) -> None:
    """Draw the surface to a file: in space up to three classes, else as parallel rates."""

    def draw() -> Figure:
        from rocch.plots import MissFrontDisplay, ParallelRatesDisplay, SurfaceDisplay

        surface, classes = found.surface, len(found.surface.classes)
        if classes > 3:
            chosen = dict(list(found.points.items())[:1] + list(found.points.items())[3:])
            marks = {n: p for n, p in chosen.items() if p.member.place is not None}
            return ParallelRatesDisplay.from_surface(surface, marks=marks).figure_
        if surface.objectives == "misses" or classes == 2 or not surface.errors.all():
            return MissFrontDisplay.from_surface(surface).figure_
        return SurfaceDisplay.from_surface(surface).figure_

    save_figure(path, draw)


def document(found: Found) -> dict[str, Any]:
    """Return what was found for programs."""
    surface, data = found.surface, found.data
    stated = {} if found.question.costs is None else _stated_json(found)
    return {
        "rows": len(data.labels),
        "classes": dict(zip(data.classes, data.totals.tolist(), strict=True)),
        "features": list(data.feature_names),
        "objectives": surface.objectives,
        "generations": found.generations,
        "stopped": found.stopped,
        "members": len(surface),
        "members_by_model": found.by_model,
        "beyond_random": int(surface.beyond_random.sum()),
        "dominated_share": asdict(found.share),
        "chosen": {
            name.replace(" ", "_"): _point_json(point) for name, point in found.points.items()
        },
        **stated,
        "limits": [
            {"limit": _written(what), "rate": rate}
            for what, rate in (found.question.limits or {}).items()
        ],
    }


def _stated_json(found: Found) -> dict[str, Any]:
    costs, priors = found.question.costs, found.question.priors
    shares = priors if isinstance(priors, str) else dict(priors)
    stated: dict[str, Any] = {"costs": costs.rows if costs else None, "priors": shares}
    if found.optimal is not None and found.regret is not None:
        witnesses = found.optimal.witnesses
        stated["optimal_somewhere"] = [
            {
                **_member_json(found.surface.member(place)),
                "witness": {"costs": witness.costs.rows, "priors": witness.priors},
            }
            for place, witness in sorted(witnesses.items())
        ]
        stated["least_regret"] = {
            **_member_json(found.regret.member),
            "regret": found.regret.regret,
        }
    return stated


def _point_json(point: SurfacePoint) -> dict[str, Any]:
    return {
        **_member_json(point.member),
        "expected_cost": point.expected_cost,
        "equally_good": list(point.equals),
        "guaranteed": point.guaranteed,
    }


def _member_json(member: SurfaceMember) -> dict[str, Any]:
    return {
        "member": member.place,
        "model": member.model,
        "parameters": member.parameters,
        "costs": None if member.costs is None else _costs_json(member),
        "errors": member.confusion.errors,
        "miss_rates": member.confusion.miss_rates,
        "confusion": member.confusion.rows,
    }


def _costs_json(member: SurfaceMember) -> list[dict[str, Any]]:
    rows = [] if member.costs is None else member.costs.rows
    return [
        {"truth": row["truth"], "prediction": row["prediction"], "cost": row["low"]}
        for row in rows
        if row["truth"] != row["prediction"]
    ]


def members_table(found: Found) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the header and one row for each member: what it is, does, and answers by."""
    surface = found.surface
    wrong = ~np.eye(len(surface.classes), dtype=bool)
    pairs = [_written(pair) for pair in surface.classes.pairs]
    settings = [surface.parameters_of(place) for place in range(len(surface))]
    names = list(dict.fromkeys(name for parameters in settings for name in parameters))
    header = ["member", "model", "errors", "distance_from_random"]
    header += [f"{kind} {pair}" for kind in ("count", "cost") for pair in pairs]
    header += [f"parameter {name}" for name in names]
    columns = zip(
        surface.models,
        surface.errors.tolist(),
        surface.distances.tolist(),
        surface.counts[:, wrong].tolist(),
        np.asarray(surface.costs)[:, wrong].tolist(),
        settings,
        strict=True,
    )
    rows = (
        [place, *first, *counts, *costs, *(own.get(name, "") for name in names)]
        for place, (*first, counts, costs, own) in enumerate(columns)
    )
    return header, rows


def _written(what: Any) -> str:
    return what if isinstance(what, str) else ">".join(what)


def _print(out: Console, found: Found) -> None:
    surface, data = found.surface, found.data
    counted = zip(data.classes, data.totals, strict=True)
    classes = ", ".join(f"{escape(name)} ({total})" for name, total in counted)
    out.print(
        f"{_counted(len(data.labels), 'row')}, {_counted(len(data.feature_names), 'feature')}, "
        f"{len(data.classes)} classes: {classes}"
    )
    out.print(
        f"Surface of {_counted(len(surface), 'member')} by {_what(surface.objectives)}, after "
        f"{_counted(found.generations, 'generation')}{WHY[str(found.stopped)]}; "
        f"{int(surface.beyond_random.sum())} of them worse than random allocation."
    )
    out.print(f"Dominated share G of the better-than-random region: {found.share}.")
    if any(model.name == "mlp" for model in found.models):
        out.print("mlp is judged on the rows that it was fitted to, which flatters it.")
    if len(found.by_model) > 1:
        _print_models(out, found)
    _print_points(out, found)
    _print_best(out, found)
    if found.question.costs is not None:
        _print_within(out, found, found.question.costs)
    out.print("All rates are of the rows that also chose the members; on new rows expect worse.")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _what(objectives: str) -> str:
    return "all error rates" if objectives == "rates" else "miss rates"


def _print_models(out: Console, found: Found) -> None:
    table = new_table("Who holds the surface", "model", ">members", ">share")
    for name, number in sorted(found.by_model.items(), key=lambda item: -item[1]):
        table.add_row(escape(name), f"{number:,}", f"{number / len(found.surface):.1%}")
    out.print(table)


def _print_points(out: Console, found: Found) -> None:
    """Print the chosen members, and their miss rates with a line for each class."""
    kept = ""
    if found.question.limits:
        limits = (f"{_written(what)} {rate:g}" for what, rate in found.question.limits.items())
        kept = f" within the limits {', '.join(limits)}"
    columns = _told_of_points(found)
    table = new_table(f"Members to choose{escape(kept)}", *columns)
    table.columns[0].no_wrap = True
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    out.print(table)
    rates = new_table("Their miss rates", "class", *(f">{name}" for name in found.points))
    for name in found.data.classes:
        each = (point.confusion.miss_rates[name] for point in found.points.values())
        rates.add_row(escape(name), *(f"{rate:.4f}" for rate in each))
    out.print(rates)


def _told_of_points(found: Found) -> dict[str, list[str]]:
    """Return the columns that tell of the chosen members; empty ones are left out."""
    points = found.points.values()
    columns = {
        "": list(found.points),
        "model": [escape(point.member.model) for point in points],
        "parameters": [_settings(point.member.parameters) for point in points],
        ">wrong": [str(point.confusion.errors) for point in points],
    }
    if found.question.costs is not None and found.optimal is None:
        known = found.question.costs, found.question.priors
        costs = [point.confusion.expected_cost(*known) for point in points]
        columns[">cost per row"] = aligned(costs)
    return {name: cells for name, cells in columns.items() if any(cells)}


def _settings(parameters: dict[str, float]) -> str:
    if len(parameters) > MOST_TOLD:
        return f"{len(parameters)} weights"
    return ", ".join(f"{name} {value:.4g}" for name, value in parameters.items())


def _print_best(out: Console, found: Found) -> None:
    point = found.points.get("least cost")
    if found.regret is not None:
        out.print(confusion_table("Safest within the intervals", found.regret.member.confusion))
        return
    if point is None:
        name = "fewest errors"
        out.print(confusion_table(name.capitalize(), found.points[name].confusion))
        return
    out.print(confusion_table("Least cost", point.confusion))
    if point.member.place is None:
        out.print("It is the rule that the costs themselves imply, and no member of the surface.")
    if not point.guaranteed:
        out.print(
            "Members were kept by their miss rates alone, but these costs tell errors of a class "
            "apart: --objectives rates may find cheaper ones."
        )


def _print_within(out: Console, found: Found, costs: CostMatrix) -> None:
    optimal, regret = found.optimal, found.regret
    if optimal is None or regret is None:
        return
    members = [found.surface.member(place) for place in optimal.places]
    priced = [
        (each, each.confusion.expected_cost_range(costs, found.question.priors)) for each in members
    ]
    priced.sort(key=lambda pair: pair[1].high)
    table = new_table(
        "Optimal somewhere within the intervals, by their highest cost per row",
        ">member",
        "model and parameters",
        ">wrong",
        ">cost from",
        ">to",
    )
    first = priced[:MOST_MEMBERS]
    written = aligned([end for _, both in first for end in both])
    for (member, _), low, high in zip(first, written[::2], written[1::2], strict=True):
        errors = str(member.confusion.errors)
        table.add_row(str(member.place), _told(member), errors, low, high)
    out.print(table)
    more = len(members) - MOST_MEMBERS
    if more > 0:
        out.print(f"... and {more} more (all with --json).")
    safe = regret.member
    out.print(
        f"[bold]Safest is member {safe.place}, {_told(safe)}[/bold]: at worst it costs "
        f"{regret.regret:.4g} per row more than the best member would."
    )


def _told(member: SurfaceMember) -> str:
    settings = _settings(member.parameters)
    return escape(member.model) + (f" ({settings})" if settings else "")
