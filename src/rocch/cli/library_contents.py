"""`rocch library list`, `show` and `log`: what a library holds, and what happened to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from rocch.cli.library import describe_ratios, format_ratio_ranges, format_slopes, open_library
from rocch.cli.options import folder_argument, json_option
from rocch.cli.output import Printed, format_threshold, make_table, show
from rocch.errors import escape_line
from rocch.report.parts import RATIOS, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.arrays import Label
    from rocch.database.places import Place
    from rocch.library import ClassifierLibrary, LibraryClassifier, LogEntry
    from rocch.roc.conditions import Interval

# ---- list and show ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listing:
    """A library and its classifiers.

    Attributes
    ----------
    created_at, bounds, slope_bounds
        When it was made (UTC), its bounds on conditions, and the slopes they allow.
    labels, pos_label
        The two labels, and the positive one; None if only counts are known.
    positives, negatives, fingerprint
        The rows that classifiers are evaluated on; None before the first addition.
    different_rows
        Whether classifiers were evaluated on different rows.
    offered, discarded
        How many classifiers were ever added, and how many of them discarded at once.
    classifiers
        The classifiers, by name.
    """

    created_at: str
    bounds: str | None
    slope_bounds: Interval | None
    labels: tuple[Label, Label] | None
    pos_label: Label | None
    positives: float | None
    negatives: float | None
    fingerprint: str | None
    different_rows: bool
    offered: int
    discarded: int
    classifiers: tuple[LibraryClassifier, ...]

    @classmethod
    def of(cls, found: ClassifierLibrary, tags: Iterable[str], *, everyone: bool) -> Listing:
        """Describe a library and its classifiers, also those that left if everyone is listed."""
        state, rows = found.state, found.state.evaluation_rows
        classifiers = found.all_classifiers() if everyone else found.classifiers
        return cls(
            created_at=state.created_at,
            bounds=None if state.bounds is None else str(state.bounds),
            slope_bounds=state.slopes,
            labels=state.labels,
            pos_label=None if state.labels is None else state.labels[1],
            positives=None if rows is None else rows.totals.amount(rows.totals.positives),
            negatives=None if rows is None else rows.totals.amount(rows.totals.negatives),
            fingerprint=None if rows is None else rows.fingerprint,
            different_rows=_have_different_rows(classifiers),
            offered=state.offered,
            discarded=state.discarded,
            classifiers=tuple(one for one in classifiers if set(tags) <= set(one.tags)),
        )

    def parts(self) -> Iterator[Printed]:
        """Return what the library holds, and where each classifier is best."""
        yield self._headline()
        if not self.classifiers:
            yield "No classifier."
            return
        places = [self._place_cells(one) for one in self.classifiers]
        last = ("state", "left (UTC)") if self._some_left else (">vertices",)
        columns = ("classifier", "best for slopes", RATIOS[1:], *last)
        yield Section("Where each is best", (make_table(*columns, rows=places),))
        if any(ratios for one in self.classifiers for ratios in one.cost_ratios):
            yield describe_ratios(self.bounds is not None)
        rows = (
            (
                one.name,
                _to_minute(one.added_at),
                escape_line(one.added_by),
                escape_line(", ".join(one.tags)),
            )
            for one in self.classifiers
        )
        table = make_table("classifier", "added (UTC)", "by", "tags", rows=rows)
        yield Section("Who added it", (table,))

    @property
    def _some_left(self) -> bool:
        return any(one.left_at is not None for one in self.classifiers)

    def _place_cells(self, one: LibraryClassifier) -> tuple[str, ...]:
        last: tuple[str, ...] = (str(len(one.vertices)),)
        if self._some_left:
            last = one.state, "" if one.left_at is None else escape_line(one.left_at[:10])
        slopes = format_slopes(one.stretches), format_ratio_ranges(one.cost_ratios)
        return one.name, *slopes, *last

    def _headline(self) -> str:
        bounds = "" if self.bounds is None else f" Bounds: {self.bounds}."
        if self.positives is None or self.negatives is None:
            return f"Nothing was added yet.{bounds}"
        rows = f"{self.positives + self.negatives:.9g} rows, {self.positives:.9g} positive"
        if self.labels is not None:
            rows += f" ({self.pos_label!r})"
        others = ", and others on different rows" if self.different_rows else ""
        return (
            f"{self.offered} classifier(s) offered, {self.discarded} discarded at once; evaluated "
            f"on {rows}{others}.{bounds}"
        )


def _have_different_rows(classifiers: Iterable[LibraryClassifier]) -> bool:
    """Return whether the classifiers that are kept were evaluated on different rows."""
    kept = (one for one in classifiers if one.left_at is None)
    return len({one.fingerprint.partition("-")[0] for one in kept}) > 1


def _to_minute(at: str) -> str:
    """Write a moment to the minute, without the marks of the format."""
    return escape_line(at[:16].replace("T", " "))


@click.command("list")
@folder_argument
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be repeated.")
@click.option("--all", "everyone", is_flag=True, help="Those too that left the hull.")
@json_option
def list_classifiers(folder: Place, tags: tuple[str, ...], everyone: bool, as_json: bool) -> None:
    """List the classifiers of the library in DIR, and the slopes where each is best.

    \b
    Example:
      rocch library list churn
      rocch library list churn --tag linear --all --json
    """
    with open_library(folder) as found:
        listing = Listing.of(found, tags, everyone=everyone)
    show(listing, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Details:
    """One classifier of a library, and its positive class."""

    classifier: LibraryClassifier
    pos_label: Label | None

    def parts(self) -> Iterator[Printed]:
        """Return what is known about it, and its vertices."""
        facts = ((name, escape_line(text)) for name, text in self._facts().items() if text)
        yield make_table("", "", rows=facts)
        one = self.classifier
        if not one.vertices:
            return
        rows = (
            (
                format_threshold(vertex),
                f"{vertex.fpr:.4f}",
                f"{vertex.tpr:.4f}",
                ", ".join(name for name in vertex.classifiers if name != one.name),
            )
            for vertex in one.vertices
        )
        table = make_table(">threshold", ">FPR", ">TPR", "shared with", rows=rows)
        yield Section("Vertices", (table,))

    def _facts(self) -> dict[str, str]:
        one = self.classifier
        return {
            "classifier": one.name,
            "state": one.state if one.left_at is None else f"{one.state} at {one.left_at}",
            "best for slopes": format_slopes(one.stretches),
            RATIOS[1:]: format_ratio_ranges(one.cost_ratios),
            "added": f"{one.added_at} by {one.added_by}",
            "tags": ", ".join(one.tags),
            "parameters": ", ".join(f"{name}={value!r}" for name, value in one.parameters.items()),
            "note": one.note,
            "predicts": "scores" if one.scoring else "labels",
            "positive class": "" if self.pos_label is None else repr(self.pos_label),
            "model": "in the library" if one.has_model else "",
            "rows": one.fingerprint,
        }


@click.command("show")
@folder_argument
@click.argument("name")
@json_option
def show_classifier(folder: Place, name: str, as_json: bool) -> None:
    """Show the classifier NAME of the library in DIR, even if it left the hull.

    \b
    Example:
      rocch library show churn lda
    """
    with open_library(folder) as found:
        labels = found.state.labels
        positive = None if labels is None else labels[1]
        details = Details(found[name], positive)
    show(details, as_json=as_json)


# ---- log ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class History:
    """The history of a library, the oldest entry first."""

    log: tuple[LogEntry, ...]

    def parts(self) -> Iterator[Printed]:
        """Return a table with a row for each entry."""
        if not self.log:
            yield "Nothing happened yet."
            return
        columns = ("at (UTC)", "by", "what", ">saves up to", "details")
        yield make_table(*columns, rows=map(_log_cells, self.log))


def _log_cells(entry: LogEntry) -> tuple[str, ...]:
    """Write when, who and what; who joined and left, an export's version, bounds, and a note."""
    detail = entry.detail
    saves = max(detail.get("saves", {}).values(), default=None)
    parts = {"joined": ", ".join(entry.joined), "left": ", ".join(entry.left)}
    if "version" in detail:
        parts["version"] = f"{detail['version']} of {', '.join(detail['classifiers'])}"
    parts |= {name: str(detail.get(name) or "") for name in ("within", "note")}
    return (
        _to_minute(entry.at),
        escape_line(entry.by),
        escape_line(entry.kind),
        "" if saves is None else f"{saves:.3%}",
        escape_line("; ".join(f"{name} {text}" for name, text in parts.items() if text)),
    )


@click.command("log")
@folder_argument
@json_option
def log(folder: Place, as_json: bool) -> None:
    """Show the history of the library in DIR, the oldest first.

    Each addition that grew the hull, when, by whom, what it saves at most, and whom it drove out;
    what was pruned and exported. Classifiers that were discarded at once leave no entry.

    \b
    Example:
      rocch library log churn
    """
    with open_library(folder) as found:
        history = History(tuple(found.log()))
    show(history, as_json=as_json)
