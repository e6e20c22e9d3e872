"""Comparisons of losses as tables for a terminal, as JSON for programs, and as a picture."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from rocch.cli.render import (
    _headline,
    console,
    new_table,
    print_json,
    print_written,
    save_figure,
    totals_json,
)
from rocch.cli.resamples import has_rows, print_spreads, spreads_json
from rocch.stats.cost_axis import ROUNDING
from rocch.stats.losses import LossComparison

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure
    from rich.console import Console

    from rocch.roc.hull import RocHull
    from rocch.stats.cost_axis import Stretch
    from rocch.stats.decisions import Superiority
    from rocch.stats.losses import LcInterval

MOST_STRETCHES = 20
"""So many rows of stretches are printed; JSON has all."""


def show(
    hull: RocHull,
    answer: LossComparison | Superiority,
    spread: list[LcInterval],
    *,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Print an answer and how sure it is, and draw it if asked."""
    if plot:
        save_figure(plot, lambda: _draw(answer))
    if as_json:
        print_json({**_json(hull, answer), **spreads_json(spread)})
        return
    out = console()
    out.print(_headline(hull))
    out.print(f"Belief: {escape(str(answer.belief))}.")
    if isinstance(answer, LossComparison):
        _print_comparison(out, hull, answer)
    else:
        _print_superiority(out, answer)
    print_spreads(spread, hull.totals.positives + hull.totals.negatives)
    if not has_rows(hull):
        out.print("The rows were not kept, or have weights: no resamples say how sure this is.")
    print_written(plot)


def _json(hull: RocHull, answer: LossComparison | Superiority) -> dict[str, Any]:
    if isinstance(answer, LossComparison):
        return comparison_json(hull, answer)
    return superiority_json(hull, answer)


def comparison_json(hull: RocHull, found: LossComparison) -> dict[str, Any]:
    """Return the comparison of two for programs."""
    shapes = found.shapes()
    return {
        **_common_json(hull, found),
        "names": list(found.names),
        "reading": found.reading,
        "lc_index": found.lc_index,
        "mass_a": found.mass_a,
        "mass_b": found.mass_b,
        "ties": found.ties,
        "stretches": [asdict(stretch) for stretch in found.stretches],
        "shapes": shapes.by_shape,
        "unimodal": None if shapes.unimodal is None else list(shapes.unimodal),
        "any_belief": list(shapes.any_belief),
        "robust": shapes.robust,
        "certain": shapes.certain,
        "auc": _aucs(hull),
    }


def superiority_json(hull: RocHull, found: Superiority) -> dict[str, Any]:
    """Return the standings of many for programs."""
    return {
        **_common_json(hull, found),
        "standings": [{**asdict(row), "mass": row.mass} for row in found.classifiers],
        "stretches": [asdict(stretch) for stretch in found.stretches],
        "pairwise": [
            {"a": a, "b": b, "lc_index": index} for (a, b), index in found.pairwise().items()
        ],
        "auc": _aucs(hull),
    }


def _common_json(hull: RocHull, found: LossComparison | Superiority) -> dict[str, Any]:
    return {
        **totals_json(hull),
        "belief": str(found.belief),
        "axis": found.axis,
        "prevalence": found.prevalence,
        "error": found.error,
    }


def _aucs(hull: RocHull) -> dict[str, float]:
    curves = [member.curve() for member in hull.members]
    return {curve.name: curve.auc for curve in curves if curve is not None}


def _draw(answer: LossComparison | Superiority) -> Figure:
    from rocch.plots.costs import SuperiorityDisplay

    if isinstance(answer, LossComparison):
        return SuperiorityDisplay.from_comparison(answer).figure_
    return SuperiorityDisplay.from_superiority(answer).figure_


def _print_comparison(out: Console, hull: RocHull, found: LossComparison) -> None:
    out.print(f"\n[bold]{escape(str(found))}[/bold]")
    if aucs := _aucs(hull):  # a hull of a large table has no curves
        out.print(escape(_by_auc(aucs)))
    _print_stretches(out, found, found.stretches)
    shapes = found.shapes()
    table = new_table("If the belief had another shape", "shape", ">LC index")
    for name, index in shapes.by_shape.items():
        table.add_row(name, f"{index:.3f}")
    for name, span in (("any unimodal belief", shapes.unimodal), ("any belief", shapes.any_belief)):
        if span is not None:
            table.add_row(name, f"{span.low:.3f} to {span.high:.3f}")
    out.print(table)
    out.print(escape(str(shapes)))


def _print_superiority(out: Console, found: Superiority) -> None:
    out.print(f"\n[bold]{escape(str(found))}[/bold]")
    table = new_table("Who is best, for how much of the belief", "classifier", ">alone", ">shared")
    for row in found.classifiers:
        table.add_row(escape(row.classifier), f"{row.alone:.1%}", f"{row.shared:.1%}")
    out.print(table)
    _print_stretches(out, found, found.stretches)
    index = found.pairwise()
    names = [row.classifier for row in found.classifiers if any(row.classifier in p for p in index)]
    pairs = new_table(
        "LC index: positive where the row's classifier is better",
        "",
        *(f">{escape(name)}" for name in names),
    )
    for name in names:
        cells = (f"{index[name, other]:.3f}" if name != other else "" for other in names)
        pairs.add_row(escape(name), *cells)
    out.print(pairs)


def _print_stretches(
    out: Console,
    found: LossComparison | Superiority,
    stretches: Sequence[Stretch],
) -> None:
    """Print the stretches that are believed in."""
    shown = [stretch for stretch in stretches if stretch.mass > ROUNDING]
    ends = ("times as bad from", "to") if found.prevalence is not None else ()
    table = new_table(
        f"Where, on the {_axis_words(found)}",
        ">from",
        ">to",
        *(f">{end}" for end in ends),
        "best",
        ">belief",
    )
    for stretch in shown[:MOST_STRETCHES]:
        bounds = [f"{stretch.low:.4f}", f"{stretch.high:.4f}"]
        if found.prevalence is not None:
            bounds += [_times(stretch.low), _times(stretch.high)]
        table.add_row(*bounds, escape(_best_names(stretch, found)), f"{stretch.mass:.1%}")
    out.print(table)
    if len(shown) > MOST_STRETCHES:
        out.print(f"... and {len(shown) - MOST_STRETCHES} more stretches; --json has all.")


def _best_names(stretch: Stretch, found: LossComparison | Superiority) -> str:
    if isinstance(found, LossComparison) and len(stretch.classifiers) == 2:
        return "no difference"
    return ", ".join(stretch.classifiers)


def _axis_words(found: LossComparison | Superiority) -> str:
    return "probability-cost" if found.prevalence is None else "miss's share of both costs"


def _times(share: float) -> str:
    return "inf" if share == 1 else f"{share / (1 - share):.3g}"


def _by_auc(aucs: dict[str, float]) -> str:
    return "AUC, which does not know your costs: " + ", ".join(
        f"{name} {value:.4f}" for name, value in aucs.items()
    )
