"""Results as tables for a terminal and as JSON for programs."""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rocch.cli.output import echo
from rocch.cli.progress import working
from rocch.errors import (
    InputError,
    escape_controls,
    escape_json,
    escape_line,
    format_list,
    missing_extra,
)
from rocch.files import check_place, is_stream, writing
from rocch.numbers import significant
from rocch.roc.operating_point import NEVER, end_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from matplotlib.figure import Figure
    from rich.text import Text

    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint, RocPoint
    from rocch.roc.sensitivity import Sensitivity, Shortfall


def print_json(document: dict[str, Any]) -> None:
    """Print JSON; infinite numbers are written as the text "inf", which JSON itself lacks."""
    text = json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)
    click.echo(escape_json(text))


def hull_json(hull: RocHull) -> dict[str, Any]:
    """Return a hull for programs."""
    return {
        **totals_json(hull),
        "classifiers": [member.name for member in hull.members],
        "auc": auc_of(hull),
        "dominator": hull.dominator(),
        "vertices": [point_json(vertex) for vertex in hull.vertices],
        "slope_ranges": [
            {"classifier": row.classifier, "low": row.low, "high": row.high}
            for row in hull.slope_ranges()
        ],
    }


def best_json(
    hull: RocHull, answer: OperatingPoint, sensitivity: Sensitivity | None
) -> dict[str, Any]:
    """Return an answer for programs."""
    document: dict[str, Any] = {
        **totals_json(hull),
        "objective": answer.objective,
        "value": answer.value,
        "rule": answer.rule(),
        "fpr": answer.fpr,
        "tpr": answer.tpr,
        "expected_cost": answer.expected_cost,
        "predicted_positive_rate": answer.predicted_positive_rate,
        "expected_cases": answer.expected_cases,
        "randomizing_gains": answer.randomizing_gains,
        "mix": [{"probability": share, **point_json(point)} for share, point in answer.mix],
        "also_best": [point_json(point) for point in answer.also_best],
        "note": answer.note,
        **_new_rows_json(answer),
    }
    if sensitivity is not None:
        document["sensitivity"] = {
            "slope_range": list(sensitivity.slope_range),
            "insensitive": sensitivity.insensitive,
            "same_classifier": sensitivity.same_classifier,
            "switches": list(sensitivity.switches),
            "never_range": sensitivity.never_range,
            "always_range": sensitivity.always_range,
            "choices": [
                {
                    "low": choice.low,
                    "high": choice.high,
                    "worst_regret": choice.worst_regret,
                    **point_json(choice.point),
                }
                for choice in sensitivity.choices
            ],
            "shortfalls": [
                {name: getattr(row, name) for name in row.__slots__}
                for row in sensitivity.shortfalls
            ],
        }
    return document


def _new_rows_json(answer: OperatingPoint) -> dict[str, Any]:
    """Return what the choice is expected to cost on new rows, or why that is not known."""
    with working("Estimating the cost on new rows"):
        found = answer.on_new_rows
    if found.expected is None or found.interval is None:
        return {"new_rows": None, "new_rows_note": found.note}
    low, high = found.interval
    return {"new_rows": {"expected": found.expected, "low": low, "high": high}}


def totals_json(hull: RocHull) -> dict[str, float]:
    """Return how many rows of each class there are, or their weight."""
    judged = hull.totals
    counts = {"positives": judged.positives, "negatives": judged.negatives}
    return {name: judged.amount(count) for name, count in counts.items()}


def print_group(by: str, name: str) -> None:
    """Print whose hull follows."""
    console().print(f"\n[bold]{escape(by)}: {escape(name)}[/bold]")


def print_hull(hull: RocHull) -> None:
    """Print a hull as two tables: its vertices, and who wins where."""
    out = console()
    out.print(_headline(hull))
    vertices = new_table(
        "Vertices", "classifier", ">deployed at", ">FPR", ">TPR", ">alarms", ">hits"
    )
    for vertex in hull.vertices:
        vertices.add_row(
            who(vertex),
            threshold_text(vertex),
            f"{vertex.fpr:.4f}",
            f"{vertex.tpr:.4f}",
            _amount(vertex.false_positives + vertex.true_positives),
            _amount(vertex.true_positives),
        )
    out.print(vertices)
    ranges = new_table("Who wins where", ">slope from", ">to", "classifier")
    for row in hull.slope_ranges():
        ranges.add_row(slope_text(row.low), slope_text(row.high), escape(row.classifier))
    out.print(ranges)
    dominator = hull.dominator()
    if dominator is not None:
        out.print(f"{escape(dominator)} dominates: its curve alone is the hull.")
    out.print("Slope = (cost of a false alarm x negatives) / (cost of a miss x positives).")


def print_best(
    hull: RocHull,
    answer: OperatingPoint,
    sensitivity: Sensitivity | None,
    *,
    is_knob: bool = False,
) -> None:
    """Print an answer: the rule, what it achieves, and how far it depends on the unknown."""
    out = console()
    out.print(_headline(hull))
    if sensitivity is not None:
        _print_sensitivity(out, sensitivity)
    rule = answer.rule()
    out.print(f"\n[bold]{escape(rule[0].upper() + rule[1:])}.[/bold]")
    facts = new_table("", "", ">")
    facts.add_row("true positive rate", f"{answer.tpr:.4f}")
    facts.add_row("false positive rate", f"{answer.fpr:.4f}")
    facts.add_row(answer.objective, f"{answer.value:.6g}")
    if answer.expected_cost is not None and answer.expected_cost != answer.value:
        facts.add_row("expected cost per case", f"{answer.expected_cost:.6g}")
    if answer.predicted_positive_rate is not None:
        facts.add_row("alarms, share of all cases", f"{answer.predicted_positive_rate:.4f}")
    if answer.expected_cases is not None:
        facts.add_row("alarms, expected number", f"{answer.expected_cases:.1f}")
    gains = "randomizing gains" if answer.randomized else "randomizing would gain"
    facts.add_row(gains, f"{answer.randomizing_gains:.4g}")
    facts.show_header = False
    out.print(facts)
    for point in answer.also_best:
        out.print(f"Exactly as good: {escape(point.rule())}.")
    if answer.note:
        out.print(escape(answer.note))
    out.print(escape(_new_rows_text(answer, "position" if is_knob else "best choice")))


def _new_rows_text(answer: OperatingPoint, what: str) -> str:
    best = f"This is the {what} on the evaluation rows"
    with working("Estimating the cost on new rows"):
        found = answer.on_new_rows
    if found.expected is None or found.interval is None:
        return f"{best}. Its cost on new rows is not estimated: {found.note}."
    expected, low, high = (significant(100 * cost, 3) for cost in (found.expected, *found.interval))
    if low == high:
        return f"{best}. On new rows it costs the same, {expected} per 100 rows."
    level = f"{100 * found.confidence:.3g} %"
    return f"{best}; on new rows expect {expected} per 100 rows ({level}: {low} to {high})."


def save_plot(hull: RocHull, path: Path, *, title: str = "", **drawn: Any) -> None:
    """Draw the ROC graph to a file."""

    def draw() -> Figure:
        from rocch.plots.binary import RocHullDisplay

        display = RocHullDisplay.from_hull(hull, **drawn)
        display.ax_.set_title(title, loc="left", fontsize=11)
        return display.figure_

    save_figure(path, draw)


def check_picture(path: Path) -> None:
    """Refuse a place where no picture can be written, or a kind of file that is none."""
    if path.is_dir() or not path.suffix:
        raise InputError(
            "--plot", "be a file such as hull.png", repr(str(path)), "Name its kind too."
        )
    check_place(path, "--plot")
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    kinds = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise InputError(
            "--plot",
            "be one of {expected}",
            repr(path.suffix),
            "Use .png, say.",
            expected=format_list(kinds, 30),
        )


def save_figure(path: Path, draw: Callable[[], Figure]) -> None:
    """Draw a figure to a file, whole or not at all."""
    check_picture(path)
    figure = draw()
    with writing(path) as temporary, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(temporary, dpi=150)


def print_written(*paths: Path | None) -> None:
    """Say which files were written."""
    for path in paths:
        if path is not None and not is_stream(path):
            echo(f"Written: {escape_line(str(path))}")


def _print_sensitivity(out: Console, sensitivity: Sensitivity) -> None:
    low, high = sensitivity.slope_range
    out.print(f"What you know allows slopes from {slope_text(low)} to {slope_text(high)}.")
    table = new_table(
        "What can be best",
        ">slope from",
        ">to",
        "classifier",
        ">deployed at",
        ">FPR",
        ">TPR",
        ">worst regret",
    )
    for choice in sensitivity.choices:
        point = choice.point
        table.add_row(
            slope_text(choice.low),
            slope_text(choice.high),
            who(point),
            threshold_text(point),
            f"{point.fpr:.4f}",
            f"{point.tpr:.4f}",
            f"{choice.worst_regret:.4g}",
        )
    out.print(table)
    out.print(escape(str(sensitivity)))
    for name, span in (("never", sensitivity.never_range), ("always", sensitivity.always_range)):
        if span is not None:
            least, most = map(slope_text, span)
            out.print(f"To {name} alarm is best for slopes from {least} to {most}.")
    for row in sensitivity.shortfalls:
        out.print(escape(_shortfall(row)))


def _shortfall(row: Shortfall) -> str:
    rival = "doing nothing" if row.rival == NEVER else "always alarming"
    ways = []
    if row.tpr_gain is not None:
        ways.append(f"its TPR of {row.tpr:.3f} rises by more than {row.tpr_gain:.3f}")
    if row.fpr_cut is not None:
        ways.append(f"its FPR of {row.fpr:.3f} falls by more than {row.fpr_cut:.3f}")
    how = "if " + " or ".join(ways) if ways else "at no TPR and no FPR alone"
    return f"At slope {slope_text(row.slope)}, {row.classifier} beats {rival} {how}."


class _Console(Console):
    def render_str(self, text: str, **how: Any) -> Text:
        """Turn a text into what is printed; names in it cannot steer the terminal."""
        return super().render_str(escape_controls(text), **how)

    def on_broken_pipe(self) -> None:
        """Let the command decide how to end when nobody reads on; rich would end with status 1."""
        raise


def console(*, stderr: bool = False) -> Console:
    """Return the console that results are printed on."""
    return _Console(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)


def _headline(hull: RocHull) -> str:
    judged = hull.totals
    names = ", ".join(escape(member.name) for member in hull.members)
    rows = (
        "different rows, compared by their rates"
        if judged.pooled
        else f"{_amount(judged.total)} {'units of weight' if judged.weighted else 'rows'}, "
        f"{_amount(judged.amount(judged.positives))} positive ({judged.prevalence:.2%})"
    )
    if hull.slope_bounds is None:
        return f"{rows}; classifiers: {names}; hull AUC {hull.auc:.4f}"
    low, high = map(slope_text, hull.slope_bounds)
    return f"{rows}; classifiers: {names}; known for slopes from {low} to {high} only"


def _amount(amount: float) -> str:
    return f"{amount:.0f}" if amount == int(amount) else f"{amount:.6g}"


def auc_of(hull: RocHull) -> float | None:
    """Return the area; a hull that was restricted to bounds does not know it."""
    return hull.auc if hull.slope_bounds is None else None


def new_table(title: str, *columns: str, whole: Collection[str] = ()) -> Table:
    """Make a table; a column whose name starts with > is set flush right.

    On a narrow terminal texts are folded, not cut; columns that are to stay `whole` are folded
    last.
    """
    table = Table(
        title=title or None, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold"
    )
    for column in columns:
        right = column.startswith(">")
        table.add_column(
            column.lstrip(">"),
            justify="right" if right else "left",
            no_wrap=column.lstrip(">") in whole,
            overflow="ellipsis" if column.lstrip(">") in whole else "fold",
        )
    return table


def who(point: RocPoint) -> str:
    """Name the classifiers; at an end, where no classifier is needed, what is done there."""
    end = end_name(point.fpr, point.tpr)
    return f"({end} alarm)" if end else escape(", ".join(dict.fromkeys(point.classifiers)))


def threshold_text(point: RocPoint) -> str:
    """Write the threshold to deploy, where there is one."""
    if point.threshold is None:
        return "" if end_name(point.fpr, point.tpr) else "labels"
    return escape(point.written_threshold)


def slope_text(slope: float) -> str:
    """Write a slope."""
    return "inf" if math.isinf(slope) else f"{slope:.4g}"


def point_json(point: RocPoint) -> dict[str, Any]:
    """Return a ROC point for programs."""
    return {name: getattr(point, name) for name in point.__slots__}


def plain(value: Any) -> Any:
    """Return a value as JSON knows it; infinite numbers become text."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
