"""The classifier library: a persistent hull that many processes may add to."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rocch.errors import StorageError, bad_input, shown
from rocch.hybrid.model_files import model_bytes
from rocch.hybrid.scores import Component, curve_of
from rocch.inputs import as_array, as_columns, as_name, distinct_labels, repeated
from rocch.library import exporting, schema, upkeep
from rocch.library.added import Added, judged_addition
from rocch.library.candidate import About, Candidate, as_candidates, present_user
from rocch.library.ground import Ground, print_of_ids
from rocch.library.holdings import KEPT, Holding, held, hull_of, offered, store, store_points
from rocch.library.objects import Objects
from rocch.library.record import Record, rows, told
from rocch.library.records import (
    Compacted,
    Export,
    LibraryClassifier,
    LogEntry,
    Verification,
)
from rocch.library.standing import Standing
from rocch.roc.conditions import as_conditions
from rocch.roc.curve import RocCurve

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from rocch.roc.conditions import Conditions
    from rocch.roc.criteria import Criterion
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint

FILE = "library.sqlite"
OBJECTS = "objects"


class ClassifierLibrary:
    """The classifiers that may still be optimal, on disk, with the hull that they make.

    Experiments go on for months; only classifiers on the hull need to be kept (Provost and
    Fawcett, sections 2.2.4 and 3.8). Each addition either extends the hull, and may drive older
    classifiers out, or can never be optimal and is discarded. Many processes may add at once: the
    hull is that of everything that was ever added, in any order.

    Parameters
    ----------
    path
        The folder, which `ClassifierLibrary.create` made. It must be on a local disk.

    Examples
    --------
    >>> import rocch, tempfile
    >>> library = rocch.ClassifierLibrary.create(tempfile.mkdtemp() + "/churn")
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> print(library.add_scores(y, {"nb": [1, 2, 6, 5, 4, 7]}, by="ada"))
    nb extends the hull at 2 place(s), for slopes 0 to inf; saves up to 33.3 % of the cost of always erring, at slope 1
    >>> print(library.add_scores(y, {"coin": [1, 2, 1, 2, 1, 2]}, by="ada"))
    coin cannot ever be optimal; discarded
    >>> print(library.add_scores(y, {"gbm": [1, 2, 3, 4, 5, 6]}, by="ada").driven_out)
    ('nb',)
    >>> library.hull.dominator()
    'gbm'
    >>> [entry.joined for entry in library.log()]
    [('nb',), ('gbm',)]
    """  # noqa: E501 - the output of an example is one line

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not (self.path / FILE).is_file():
            raise bad_input(
                "path",
                "be the folder of a library",
                f"{str(path)!r}, where there is no {FILE}",
                "Make one with ClassifierLibrary.create(path), or rocch library init.",
            )
        self._begin()

    def _begin(self) -> None:
        self._objects = Objects(self.path / OBJECTS)
        self._record = Record(
            self.path / FILE,
            check=schema.check_known,
            migrate=schema.migrate,
            outdated=lambda db: schema.version_of(db) < schema.VERSION,
        )

    @classmethod
    def create(cls, path: str | Path, *, within: Conditions | None = None) -> Self:
        """Make a new library in a folder that is empty or not there yet.

        Parameters
        ----------
        path
            The folder, on a local disk.
        within
            Bounds on conditions: classifiers that are best only outside them are not kept.
        """
        within = None if within is None else as_conditions(within)
        standing = Standing(_now()).bounded(within)
        folder = Path(path)
        with told(folder):
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise bad_input(
                    "path", "be an empty folder, or a new one", repr(str(path)), "Choose another."
                )
            folder.mkdir(parents=True, exist_ok=True)
        library = cls.__new__(cls)
        library.path = folder
        library._begin()
        with library._record.writing() as db:
            standing.write(db)
        return library

    def __repr__(self) -> str:
        return f"<ClassifierLibrary at {str(self.path)!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; they open again when needed."""
        self._record.close()

    # what is there

    @property
    def hull(self) -> RocHull:
        """The joint hull of all classifiers, each vertex knowing whose it is."""
        with self._record.reading() as db:
            return self._hull(db)

    def _hull(self, db: sqlite3.Connection) -> RocHull:
        standing = Standing.read(db)
        return hull_of(standing.base, held(db, self._objects), standing.slopes)

    @property
    def standing(self) -> Standing:
        """The rows that classifiers are judged on, the bounds, and how many were offered."""
        with self._record.reading() as db:
            return Standing.read(db)

    @property
    def classifiers(self) -> list[LibraryClassifier]:
        """The classifiers that are kept, in the order of their names."""
        return [one for one in self.everyone() if one.state == KEPT]

    def everyone(self) -> list[LibraryClassifier]:
        """Return all classifiers that ever joined the hull, those that left it too."""
        with self._record.reading() as db:
            listed = rows(db, "SELECT * FROM classifiers ORDER BY name, id")
            if not listed:
                return []
            hull = self._hull(db)
        return [_described(dict(row), hull) for row in listed]

    def __getitem__(self, name: str) -> LibraryClassifier:
        found = [one for one in self.everyone() if one.name == name]
        if not found:
            raise bad_input(
                "name",
                "be that of a classifier that is, or was, in the library",
                repr(name),
                f"There are: {shown([one.name for one in self.classifiers])}.",
            )
        return next((one for one in found if one.state == KEPT), found[-1])

    def __len__(self) -> int:
        with self._record.reading() as db:
            query = "SELECT count(*) FROM classifiers WHERE state = ?"
            return int(db.execute(query, (KEPT,)).fetchone()[0])

    def best(self, criterion: Conditions | Criterion, *, randomise: bool = False) -> OperatingPoint:
        """Return the best operating point by a criterion; see `RocHull.best`.

        Limits without a coin are met by the best point of any classifier that is kept. One that
        was discarded may have had a better one, off the hull: with a coin nothing is lost.
        """
        return self.hull.best(criterion, randomise=randomise)

    def log(self) -> list[LogEntry]:
        """Return the history: which additions grew the hull, when, and what they drove out."""
        with self._record.reading() as db:
            return [
                LogEntry.from_row(dict(row)) for row in rows(db, "SELECT * FROM events ORDER BY id")
            ]

    # adding

    def add(
        self,
        curves: RocCurve | Iterable[RocCurve],
        *,
        row_ids: Any = None,
        different_rows: bool = False,
        by: str | None = None,
        tags: Iterable[str] = (),
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> Added:
        """Add curves, or points of classifiers that output labels only, all at once.

        Parameters
        ----------
        curves
            One, or several, all judged on the library's rows.
        row_ids
            The ids of the rows, in their order; they become part of the fingerprint by which the
            library knows its rows.
        different_rows
            Accept classifiers judged on other rows than the library's. Their rates are compared
            exactly, but they come from different samples.
        by, tags, parameters, note
            Who adds them, and what to remember about them.

        Returns
        -------
        Added
            What became of each, what it saves and for which slopes, and whom it drove out. When
            it returns, the addition is on the disk.

        Raises
        ------
        InputError
            If a name is taken by another classifier, or the rows are not the library's.
        StorageError
            If the disk refuses; nothing is changed then.
        """
        about = About.of(by, tags, parameters or {}, note)
        candidates = as_candidates(curves)
        size = candidates[0].judged.total
        ids = print_of_ids(row_ids, int(size))
        return self._add(candidates, ids, about, None, different_rows=different_rows)

    def add_scores(
        self,
        y_true: Any,
        scores: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        row_ids: Any = None,
        different_rows: bool = False,
        by: str | None = None,
        tags: Iterable[str] = (),
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> Added:
        """Add scoring classifiers by their scores on validation rows.

        Parameters
        ----------
        y_true
            Labels: boolean, 0/1 or -1/1, or anything else with `pos_label`.
        scores
            A mapping from names to scores, or a data frame with a column for each.
        pos_label, sample_weight
            As for `RocCurve.from_scores`.
        row_ids, different_rows, by, tags, parameters, note
            As for `add`.
        """
        about = About.of(by, tags, parameters or {}, note)
        curves = [
            RocCurve.from_scores(
                y_true, column, pos_label=pos_label, sample_weight=sample_weight, name=name
            )
            for name, column in as_columns(scores).items()
        ]
        ids = print_of_ids(row_ids, as_array(y_true, "y_true").size)
        candidates = as_candidates(curves)
        labels = _two_labels(y_true, pos_label)
        return self._add(candidates, ids, about, labels, different_rows=different_rows)

    def add_model(
        self,
        name: str,
        model: Any,
        X: Any,  # noqa: N803 - features are called X, as everywhere in scikit-learn
        y: Any,
        *,
        pos_label: Any = None,
        row_ids: Any = None,
        different_rows: bool = False,
        by: str | None = None,
        tags: Iterable[str] = (),
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
        trusted: Iterable[str] = (),
    ) -> Added:
        """Add a fitted scikit-learn classifier, judged on validation rows.

        The model is kept with it (by skops, never pickle), as long as it is on the hull.

        Parameters
        ----------
        name
            Its name.
        model
            A fitted classifier for two classes.
        X, y
            Validation rows that it was not fitted on, and their labels.
        pos_label
            The class to detect; by default the second of the model's classes.
        row_ids, different_rows, by, tags, parameters, note
            As for `add`.
        trusted
            Types of your own in the model, as for `rocch.save`.
        """
        about = About.of(by, tags, parameters or {}, note)
        component = Component.of(as_name(name), model, pos_label)
        curve = curve_of(model, X, y, pos_label=pos_label, name=name)
        candidate = Candidate.of(curve)
        ids = print_of_ids(row_ids, int(curve.judged.total))
        classes = as_array(model.classes_, "classes_").tolist()
        labels = (classes[1 - component.column], classes[component.column])
        if not self._may_join(candidate, different_rows=different_rows):
            packed = None  # it will be discarded: packing it would be for nothing
        else:
            packed = model_bytes(name, model, trusted)
        candidate = replace(candidate, model=packed)
        return self._add([candidate], ids, about, labels, different_rows=different_rows)

    def _may_join(self, candidate: Candidate, *, different_rows: bool) -> bool:
        """Say whether a classifier would be on the hull as it is now; hulls only grow."""
        with self._record.reading() as db:
            standing, holdings = Standing.read(db), held(db, self._objects)
        ground = Ground(candidate.judged)
        about = About.of("", (), {}, "")
        standing = standing.judging([ground], different_rows=different_rows)
        others = [holding for holding in holdings if holding.name != candidate.name]
        new = offered(candidate, ground, about, "")
        return candidate.name in hull_of(standing.base, [*others, new], standing.slopes).winners

    def _add(
        self,
        candidates: Sequence[Candidate],
        ids_print: bytes | None,
        about: About,
        labels: tuple[Any, Any] | None,
        *,
        different_rows: bool,
    ) -> Added:
        twice = repeated([candidate.name for candidate in candidates])
        if twice:
            raise bad_input("names", "be distinct", f"{shown(twice)} more than once", "Rename one.")
        at = _now()
        new = [offered(c, Ground(c.judged, ids_print), about, at) for c in candidates]
        with self._record.writing() as db:
            standing = Standing.read(db).labelled(labels)
            standing = standing.judging([n.ground for n in new], different_rows=different_rows)
            holdings = held(db, self._objects)
            present = _present(holdings, new)
            fresh = [one for one in new if one.name not in present]
            before = hull_of(standing.base, holdings, standing.slopes)
            hull = hull_of(standing.base, [*holdings, *fresh], standing.slopes)
            added = judged_addition([c.name for c in candidates], present, before, hull)
            turned_away = sum(not one.kept for one in added.classifiers)
            replace(
                standing,
                offered=standing.offered + len(fresh),
                discarded=standing.discarded + turned_away,
            ).write(db)
            packed = {candidate.name: candidate for candidate in candidates}
            for one in fresh:
                if one.name in hull.winners:
                    self._keep(db, one, packed[one.name], hull)
            loose = self._settle(db, holdings, hull, at)
            _remember(db, added, at, about.by)
        self._forget(loose)
        return added

    def _keep(
        self, db: sqlite3.Connection, new: Holding, candidate: Candidate, hull: RocHull
    ) -> None:
        """Write a new classifier that is on the hull: its files, its row and its points."""
        scoring, model = new.member.scoring, candidate.model
        files = {
            "curve": self._objects.put(candidate.curve_bytes()) if scoring else None,
            "model": None if model is None else self._objects.put(model),
        }
        store_points(db, store(db, new, files), new.member, new.vertices_of(hull))

    def _settle(
        self, db: sqlite3.Connection, holdings: Sequence[Holding], hull: RocHull, at: str
    ) -> list[str]:
        """Drop what is no longer on the hull; return the files that nobody needs then."""
        loose: list[str] = []
        for holding in holdings:
            if holding.name not in hull.winners:
                loose += _leave(db, holding, "driven out", at)
                continue
            places = holding.vertices_of(hull)
            if len(places) < holding.member.false_positives.size:
                store_points(db, holding.row["id"], holding.member, places)
        return loose

    def _forget(self, loose: Iterable[str]) -> None:
        """Remove files, after the record no longer refers to them and unless another does now.

        A process that ends before it gets here leaves a file that `verify` removes.
        """
        digests = sorted(set(loose))
        if not digests:
            return
        with suppress(StorageError), self._record.writing() as db:
            wanted = upkeep.wanted(db)
            for digest in digests:
                if digest not in wanted:
                    self._objects.path(digest).unlink(missing_ok=True)

    # keeping less

    def prune(
        self,
        *names: str,
        within: Conditions | None = None,
        ties: bool = False,
        by: str | None = None,
    ) -> tuple[str, ...]:
        """Keep fewer classifiers; return the names of those that left.

        Parameters
        ----------
        names
            Classifiers to remove, on the hull or not. What they drove out does not come back.
        within
            Bounds on conditions, from now on: classifiers that are best only outside them leave.
        ties
            Keep the fewest classifiers that hold every vertex; others that merely tie leave.
        by
            Who does it.
        """
        within = None if within is None else as_conditions(within)
        who, at = by or present_user(), _now()
        with self._record.writing() as db:
            standing = Standing.read(db).bounded(within)
            holdings = held(db, self._objects)
            unknown = set(names) - {holding.name for holding in holdings}
            if unknown:
                raise bad_input(
                    "names",
                    "be those of classifiers that are kept",
                    shown(sorted(unknown)),
                    f"There are: {shown([holding.name for holding in holdings])}.",
                )
            left, loose = self._pruned(db, standing, holdings, set(names), ties=ties, at=at)
            standing.write(db)
            if left or within is not None:
                detail = {"left": sorted(left), **_bounds_said(within)}
                _enter(db, at, who, "pruned", detail)
        self._forget(loose)
        return tuple(sorted(left))

    def _pruned(
        self,
        db: sqlite3.Connection,
        standing: Standing,
        holdings: list[Holding],
        gone: set[str],
        *,
        ties: bool,
        at: str,
    ) -> tuple[set[str], list[str]]:
        if standing.ground is None:
            return set(), []
        rest = [holding for holding in holdings if holding.name not in gone]
        hull = hull_of(standing.base, rest, standing.slopes)
        needed = exporting.needed(hull) if ties else hull.winners
        loose: list[str] = []
        for holding in holdings:
            if holding.name in gone or holding.name not in needed:
                gone.add(holding.name)
                loose += _leave(db, holding, "pruned", at)
            else:
                store_points(db, holding.row["id"], holding.member, holding.vertices_of(hull))
        return gone, loose

    # deploying

    def export(
        self,
        path: str | Path | None = None,
        *,
        scores: bool = False,
        criterion: Any = None,
        note: str = "",
        by: str | None = None,
        trusted: Iterable[str] = (),
    ) -> Export:
        """Write a deployable hybrid: a fitted `RocchClassifier` of the fewest classifiers needed.

        It becomes the library's current export, which a running service picks up.

        Parameters
        ----------
        path
            Where to write a copy, for `rocch.load`; the library keeps the file in any case.
        scores
            Make a hybrid that decides on precomputed scores, a column for each classifier. It is
            so by default where no classifier came with its model.
        criterion
            What it aims at by default, as for `RocchClassifier`.
        note, by
            What to remember about it.
        trusted
            Types of your own in the models, as for `rocch.save`.
        """
        return exporting.export(
            self._record,
            self._objects,
            path=None if path is None else Path(path),
            scores=scores,
            criterion=criterion,
            note=note,
            by=by or present_user(),
            at=_now(),
            trusted=tuple(trusted),
        )

    def exports(self) -> list[Export]:
        """Return all exports that are kept, the oldest first."""
        with self._record.reading() as db:
            return exporting.listed(db, self._objects)

    @property
    def current_export(self) -> Export | None:
        """The newest export."""
        with self._record.reading() as db:
            return next(iter(exporting.listed(db, self._objects, newest=True)), None)

    # upkeep

    def verify(self) -> Verification:
        """Check everything, and remove what interrupted additions left behind."""
        return upkeep.verify(self._record, self._objects)

    def compact(self) -> Compacted:
        """Give back space: drop all exports but the newest, loose files and free pages."""
        return upkeep.compact(self._record, self._objects)

    def backup(self, target: str | Path) -> Path:
        """Copy the library, safely while others add to it, to a new folder."""
        return upkeep.backup(self._record, self._objects, Path(target))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _two_labels(y_true: Any, pos_label: Any) -> tuple[Any, Any] | None:
    """Return the two labels, the positive one last; None where there are more than two."""
    present = distinct_labels(as_array(y_true, "y_true"), "y_true")
    if len(present) != 2:
        return None
    positive = max(present) if pos_label is None else pos_label
    (negative,) = [label for label in present if label != positive]
    return negative, positive


def _present(holdings: Sequence[Holding], new: Sequence[Holding]) -> set[str]:
    """Return who of the new ones is there already; refuse another one under a name in use."""
    prints = {holding.name: holding.row["print"] for holding in holdings}
    taken = [n.name for n in new if n.name in prints and prints[n.name] != n.row["print"]]
    if taken:
        raise bad_input(
            "names",
            "be new, unless the classifier is the very same",
            shown(taken),
            "Another classifier has that name. Choose another, or prune that one first.",
        )
    return {one.name for one in new if one.name in prints}


def _leave(db: sqlite3.Connection, holding: Holding, state: str, at: str) -> list[str]:
    """Note that a classifier left; return the files that it had."""
    number = holding.row["id"]
    db.execute("DELETE FROM points WHERE classifier = ?", (number,))
    db.execute(
        "UPDATE classifiers SET state = ?, left_at = ?, curve = NULL, model = NULL WHERE id = ?",
        (state, at, number),
    )
    return [file for file in (holding.row["curve"], holding.row["model"]) if file is not None]


def _remember(db: sqlite3.Connection, added: Added, at: str, by: str) -> None:
    """Write an addition to the history, if it changed anything."""
    joined = [one for one in added.classifiers if one.outcome in ("extends", "ties")]
    if not joined:
        return
    detail = {
        "joined": [one.name for one in joined],
        "left": list(added.driven_out),
        "saves": {one.name: one.saves for one in joined},
        "vertices": len(added.hull),
    }
    _enter(db, at, by, "added", detail)


def _enter(db: sqlite3.Connection, at: str, by: str, kind: str, detail: Mapping[str, Any]) -> None:
    db.execute(
        "INSERT INTO events (at, by, kind, detail) VALUES (?, ?, ?, ?)",
        (at, by, kind, json.dumps(detail)),
    )


def _bounds_said(within: Conditions | None) -> dict[str, str]:
    return {} if within is None else {"within": str(within)}


def _described(row: Mapping[str, Any], hull: RocHull) -> LibraryClassifier:
    name, kept = row["name"], row["state"] == KEPT
    places = [i for i, vertex in enumerate(hull.vertices) if kept and name in vertex.classifiers]
    edges = [float("inf"), *hull.slopes.tolist(), 0.0]
    slopes = (edges[places[-1] + 1], edges[places[0]]) if places else None
    return LibraryClassifier(
        name=name,
        state=row["state"],
        added_at=row["added_at"],
        added_by=row["added_by"],
        tags=tuple(json.loads(row["tags"])),
        parameters=json.loads(row["parameters"]),
        note=row["note"],
        scoring=bool(row["scoring"]),
        has_model=row["model"] is not None,
        fingerprint=Ground.from_columns(row).fingerprint,
        vertices=tuple(hull.vertices[i] for i in places),
        slopes=slopes,
        left_at=row["left_at"],
    )
