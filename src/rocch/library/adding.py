"""Adding classifiers to a library, and pruning."""

from __future__ import annotations

import getpass
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from rocch.arrays import FloatArray, Label
from rocch.database.record import Connection, insert
from rocch.errors import Hint, InputError, describe_type, format_list, is_single_line
from rocch.hybrid.hybrid import cover
from rocch.inputs import as_flag, as_instance, as_name, check_known, check_unique
from rocch.library.contents import (
    KEPT,
    EvaluationRows,
    LibraryEntry,
    LibraryState,
    build_hull,
    curve_bytes,
    digest_parts,
    own_vertex,
    read_entries,
    utc_now,
    vertex_slopes,
    write_event,
    write_points,
)
from rocch.library.store import LibraryStore
from rocch.results import Record, Table, Tabular, collect, field_values
from rocch.roc.conditions import Conditions, Interval, format_ratios
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.operating_point import ALWAYS, NEVER, RocPoint

# The largest whole number that the record holds, and the longest name: PostgreSQL's index takes no
# more than 2,700 bytes.
LARGEST, LONGEST = 2**63 - 1, 500


@dataclass(frozen=True, slots=True, repr=False)
class Saving(Record):
    """A new vertex, and what it saves.

    Attributes
    ----------
    vertex
        The new vertex.
    low, high
        The slopes between which it is best.
    saves
        The largest saving there, as a share of the cost of always erring.
    at
        The slope of the largest saving.
    cost_ratios
        How many times as bad as a false alarm a miss is between these slopes; None if not known.
    """

    vertex: RocPoint
    low: float
    high: float
    saves: float
    at: float
    cost_ratios: Interval | None = None

    def __str__(self) -> str:
        return (
            f"FPR {self.vertex.fpr:.4g}, TPR {self.vertex.tpr:.4g}: best for "
            f"{_describe_slopes(self.low, self.high, self.cost_ratios)}, saves up to "
            f"{100 * self.saves:.3g}% at {self.at:.4g}"
        )

    def _row(self) -> dict[str, Any]:
        return {**self.vertex._row(), **field_values(self)}


def _describe_slopes(low: float, high: float, ratios: Interval | None) -> str:
    bad = "" if ratios is None else f" (a miss is {format_ratios(ratios)} times as bad)"
    return f"slopes {low:.4g} to {high:.4g}{bad}"


# At slope m the cost of a point is (m FPR + 1 - TPR) / (1 + m); always erring costs 1. Between two
# neighboring slopes of either hull both lower envelopes have one vertex each, and the saving is
# monotone. So the largest saving is at one of the slopes.


def savings(before: RocHull, after: RocHull) -> list[Saving]:
    """Return the new vertices of a grown hull, and what each saves."""
    known = set(before.exact_rates)
    ranges = zip(after.exact_rates, vertex_slopes(after), strict=True)
    new = [(i, slopes) for i, (rates, slopes) in enumerate(ranges) if rates not in known]
    return [
        Saving(after.vertices[i], low, high, *_largest_saving(before, after.vertices[i], low, high))
        for i, (low, high) in new
        if low <= high
    ]


def _largest_saving(
    before: RocHull, vertex: RocPoint, low: float, high: float
) -> tuple[float, float]:
    inside = before.slopes[(before.slopes >= low) & (before.slopes <= high)]
    edges = np.array([low, high, *inside])
    slopes = np.unique(edges[np.isfinite(edges)])  # at an infinite slope all are best at FPR 0
    saved = _least_costs(before.fpr, before.tpr, slopes) - _least_costs(
        np.array([vertex.fpr]), np.array([vertex.tpr]), slopes
    )
    best = int(np.argmax(saved))
    return max(float(saved[best]), 0.0), float(slopes[best])


def _least_costs(fpr: FloatArray, tpr: FloatArray, slopes: FloatArray) -> FloatArray:
    costs = (np.outer(slopes, fpr) + (1 - tpr)) / (1 + slopes)[:, None]
    return np.asarray(costs.min(axis=1), dtype=float)


Outcome = Literal["extends", "ties", "discarded", "present"]

OUTCOMES: dict[Outcome, str] = {
    "ties": "ties: it reaches vertices that are there already, and is named there too",
    "discarded": "is nowhere the best on these rows; discarded",
    "present": "is present already; its notes stay as they are",
}


@dataclass(frozen=True, slots=True, repr=False)
class AddedClassifier(Record):
    """The outcome for one classifier that was added.

    Attributes
    ----------
    name
        The classifier.
    outcome
        It "extends" the hull, "ties" with existing vertices, is "discarded" because it is
        nowhere the best on these rows, or was "present" already.
    places
        Its new vertices, with its own thresholds, slopes and savings.
    """

    name: str
    outcome: Outcome
    places: tuple[Saving, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the library holds it now."""
        return self.outcome != "discarded"

    def _row(self) -> dict[str, Any]:
        vertices = len(self.places)
        found = {"name": self.name, "outcome": self.outcome, "vertices": vertices}
        return {**found, "saves": self.saves}

    @property
    def saves(self) -> float:
        """Its largest saving, as a share of the cost of always erring."""
        return max((place.saves for place in self.places), default=0.0)

    def __str__(self) -> str:
        if self.outcome != "extends":
            return f"{self.name} {OUTCOMES[self.outcome]}"
        best = max(self.places, key=lambda place: place.saves)
        first, last = self.places[0], self.places[-1]
        ratios = None
        if first.cost_ratios is not None and last.cost_ratios is not None:
            ratios = Interval(first.cost_ratios.low, last.cost_ratios.high)
        slopes = _describe_slopes(last.low, first.high, ratios)
        return (
            f"{self.name} extends the hull at {len(self.places)} place(s), for {slopes}; saves up "
            f"to {100 * best.saves:.3g}% of the cost of always erring, at slope {best.at:.4g}"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AdditionResult(Tabular):
    """The result of an addition.

    Attributes
    ----------
    classifiers
        The outcome for each classifier, in the order of the addition.
    driven_out
        Older classifiers that hold no vertex any more and are gone.
    before, hull
        The hull before and after.
    """

    classifiers: tuple[AddedClassifier, ...]
    driven_out: tuple[str, ...]
    before: RocHull
    hull: RocHull

    @property
    def extends(self) -> bool:
        """Whether the hull grew."""
        return any(one.outcome == "extends" for one in self.classifiers)

    def saving(self, conditions: Conditions) -> float:
        """Return the saving per case under exact conditions, in their unit."""
        old, new = (hull.best(conditions).expected_cost for hull in (self.before, self.hull))
        assert old is not None and new is not None  # noqa: S101, PT018 - conditions give a cost
        return old - new

    def __str__(self) -> str:
        lines = [str(one) for one in self.classifiers]
        if self.driven_out:
            lines.append(f"driven out: {', '.join(self.driven_out)}")
        return "\n".join(lines)

    def _columns(self) -> Table:
        return collect(self.classifiers)


def _compare_hulls(
    names: Iterable[str], present: set[str], before: RocHull, hull: RocHull, state: LibraryState
) -> AdditionResult:
    new = [
        replace(each, cost_ratios=state.cost_ratios((each.low, each.high), hull.totals))
        for each in savings(before, hull)
    ]

    def outcome(name: str) -> AddedClassifier:
        if name in present:
            return AddedClassifier(name, "present")
        if name not in hull.winners:
            return AddedClassifier(name, "discarded")
        places = tuple(
            replace(each, vertex=own_vertex(each.vertex, name))
            for each in new
            if name in each.vertex.classifiers and each.vertex.classifier not in (NEVER, ALWAYS)
        )
        return AddedClassifier(name, "extends" if places else "ties", places)

    left = tuple(sorted(before.winners - hull.winners))
    return AdditionResult(tuple(map(outcome, names)), left, before, hull)


def as_annotations(
    by: str | None, tags: Iterable[str], parameters: Mapping[str, Any] | None, note: str
) -> dict[str, str]:
    """Return what to remember about added classifiers, as columns of the record."""
    annotations = {"added_by": as_author(by), "note": as_plain_text(note, "note")}
    if isinstance(tags, str) or not isinstance(tags, Iterable) or not all(map(_is_text, tags)):
        raise InputError(
            "tags", "be a list of texts", repr(tags), Hint("For example: ['gbm', '2026'].")
        )
    try:
        annotations["parameters"] = json.dumps(dict(parameters or {}), allow_nan=False)
    except (TypeError, ValueError) as error:
        hint = Hint("For example: {'max_depth': 3}.")
        raise InputError(
            "parameters", "be a mapping that JSON can hold", str(error), hint
        ) from None
    return {**annotations, "tags": json.dumps(list(dict.fromkeys(tags)))}


def as_author(by: str | None) -> str:
    """Return an author's name; by default the current user."""
    if not by:
        try:
            by = getpass.getuser()
        except (OSError, KeyError, ImportError):  # the system has none
            by = "unknown"
    return as_plain_text(by, "by")


def as_plain_text(text: str, argument: str) -> str:
    """Return a text that the record can hold; it may be empty."""
    if not _is_text(text):
        raise InputError(
            argument, "be a text that UTF-8 can encode, without null characters", repr(text)
        )
    return str(text)


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    # PostgreSQL holds no null characters
    return not any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in value)


def as_curves(curves: object) -> list[RocCurve]:
    """Return one or several curves as a checked list."""
    several = [curves] if isinstance(curves, RocCurve) else curves
    if not isinstance(several, Iterable):
        hint = Hint("Use add_scores for scores.")
        raise InputError("curves", "be a RocCurve or several", describe_type(curves), hint)
    found = list(several)
    if not found:
        raise InputError("curves", "be at least one", "none")
    for curve in found:
        as_instance(curve, RocCurve, "curve", hint=Hint("Use add_scores for scores and labels."))
        if not is_single_line(as_plain_text(curve.name, "name")):
            # it could forge lines of printed results
            raise InputError("name", "be in one line", repr(curve.name))
        if len(curve.name) > LONGEST:
            what = f"have at most {LONGEST} characters"
            raise InputError("name", what, f"{len(curve.name)}")
        as_name(curve.name)
        for setting in curve.settings or ():
            as_plain_text(setting or "", "settings")
        if max(curve.totals.negatives, curve.totals.positives) > LARGEST:
            raise InputError(
                "curve", f"count at most {LARGEST}", "larger totals", "Use smaller units."
            )
    check_unique((curve.name for curve in found), "curves")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Classifiers to add at once, with their annotations."""

    curves: Sequence[RocCurve]
    id_fingerprint: bytes | None
    annotations: Mapping[str, str]  # columns of the record
    models: Mapping[str, bytes] = field(default_factory=dict)  # files, by name
    labels: tuple[Label, Label] | None = None
    allow_different_rows: bool = False

    def __post_init__(self) -> None:
        as_flag(self.allow_different_rows, "allow_different_rows")

    @property
    def names(self) -> list[str]:
        """The names, in order."""
        return [curve.name for curve in self.curves]

    def entries(self) -> list[LibraryEntry]:
        """Return the entries that they would become, with all of their points."""
        entries = []
        for curve in self.curves:
            rows = EvaluationRows(curve.totals, self.id_fingerprint)
            # recognizes a classifier that is added again
            fingerprint = digest_parts([curve_bytes(curve), repr(curve.settings).encode()])
            columns = {
                "name": curve.name,
                "state": KEPT,
                "scoring": int(curve.scoring),
                **rows.columns,
                "print": fingerprint.hex(),
                **self.annotations,
            }
            entries.append(LibraryEntry(columns, rows, Member.from_curve(curve)))
        return entries


def add(store: LibraryStore, addition: Addition) -> AdditionResult:
    """Add classifiers in one transaction.

    What is not on these rows' joint hull now can never be on it later, since hulls only grow.
    """
    at, new = utc_now(), addition.entries()
    with store.writing() as db:
        objects = store.find_objects(db)
        stored = LibraryState.read(db)
        state = stored.with_labels(addition.labels).with_rows(
            [entry.evaluation_rows for entry in new],
            allow_different_rows=addition.allow_different_rows,
        )
        entries = read_entries(db, objects)
        present = _present(entries, new)
        fresh = {entry.name: entry for entry in new if entry.name not in present}
        hull = build_hull(state, [*entries, *fresh.values()])
        grows = not hull.winners.isdisjoint(fresh)  # if not, nothing else changes
        before = build_hull(state, entries) if grows else hull
        result = _compare_hulls(addition.names, present, before, hull, state)
        if not hull.winners:  # nothing was ever kept: the evaluation rows are still open
            state = stored
        offered = stored.offered + len(fresh)
        discarded = stored.discarded + sum(not one.kept for one in result.classifiers)
        replace(state, offered=offered, discarded=discarded).write(db)
        for curve in addition.curves:
            if curve.name in fresh and curve.name in hull.winners:
                entry, model = fresh[curve.name], addition.models.get(curve.name)
                files = {
                    "curve": objects.put(curve_bytes(curve)) if curve.scoring else None,
                    "model": None if model is None else objects.put(model),
                }
                columns = {**entry.columns, **files, "whole": 1, "added_at": at}
                number = insert(db, "classifiers", columns, number="id")
                write_points(db, number, entry.member, entry.vertices_of(hull))
        for entry in entries:
            if entry.columns["model"] is None and entry.name in addition.models:
                digest, number = objects.put(addition.models[entry.name]), entry.columns["id"]
                db.execute("UPDATE classifiers SET model = ? WHERE id = ?", (digest, number))
        unused = _drop_others(db, entries, hull, hull.winners, "driven out", at) if grows else []
        _log_addition(db, result, at, addition.annotations)
    store.remove_unused(unused)
    return result


def may_join(store: LibraryStore, addition: Addition) -> bool:
    """Return whether any of the classifiers would be on the current hull."""
    with store.reading() as db:
        state, entries = LibraryState.read(db), read_entries(db, store.find_objects(db))
    others = [entry for entry in entries if entry.name not in addition.names]
    hull = build_hull(state, [*others, *addition.entries()])
    return not hull.winners.isdisjoint(addition.names)


def _present(entries: Sequence[LibraryEntry], new: Sequence[LibraryEntry]) -> set[str]:
    """Return which are present already; refuse other classifiers under their names."""
    prints = {entry.name: entry.columns["print"] for entry in entries}
    known = [entry for entry in new if entry.name in prints]
    taken = [entry.name for entry in known if prints[entry.name] != entry.columns["print"]]
    if taken:
        raise InputError(
            "names",
            "be new, unless the classifier is identical",
            format_list(taken),
            "Choose another name, or prune the other classifier first.",
        )
    return {entry.name for entry in known}


def _drop_others(
    db: Connection,
    entries: Sequence[LibraryEntry],
    hull: RocHull,
    needed: Collection[str],
    state: str,
    at: str,
) -> list[str]:
    """Drop all but the needed classifiers, and points off the hull; return unused files."""
    unused: list[str] = []
    drop = "UPDATE classifiers SET state = ?, left_at = ?, curve = NULL, model = NULL WHERE id = ?"
    for entry in entries:
        number = entry.columns["id"]
        if entry.name in needed:
            places = entry.vertices_of(hull)
            if len(places) < entry.member.false_positives.size:
                write_points(db, number, entry.member, places)
            continue
        db.execute("DELETE FROM points WHERE classifier = ?", (number,))
        db.execute(drop, (state, at, number))
        files = entry.columns["curve"], entry.columns["model"]
        unused += [file for file in files if file is not None]
    return unused


def _log_addition(
    db: Connection, result: AdditionResult, at: str, annotations: Mapping[str, str]
) -> None:
    joined = [one for one in result.classifiers if one.outcome in ("extends", "ties")]
    if not joined:
        return
    detail = {
        "joined": [one.name for one in joined],
        "left": list(result.driven_out),
        "saves": {one.name: one.saves for one in joined},
        "vertices": len(result.hull),
        "note": annotations["note"],
    }
    write_event(db, at, annotations["added_by"], "added", detail)


def prune(
    store: LibraryStore, names: set[str], *, within: Conditions | None, ties: bool, by: str
) -> tuple[str, ...]:
    """Remove classifiers by name, by bounds or as ties; return their names."""
    at, leaving, unused = utc_now(), list[str](), list[str]()
    with store.writing() as db:
        state = LibraryState.read(db).narrow(within)
        entries = read_entries(db, store.find_objects(db))
        current = [entry.name for entry in entries]
        check_known(sorted(names), current, "names", "classifiers that are kept")
        if entries:
            hull = build_hull(state, [entry for entry in entries if entry.name not in names])
            needed = cover(hull, {}) if ties else hull.winners
            leaving = sorted(set(current) - needed)
            unused = _drop_others(db, entries, hull, needed, "pruned", at)
        state.write(db)
        if leaving or within is not None:
            bounds = {} if within is None else {"within": str(within)}
            write_event(db, at, by, "pruned", {"left": leaving, **bounds})
    store.remove_unused(unused)
    return tuple(leaving)
