"""The classifier library: a persistent hull that many processes may add to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from rocch.arrays import Columns, Features, Label
from rocch.database.places import Place, is_database_url
from rocch.database.postgres import DatabaseUrl
from rocch.database.record import Connection, fetch, storage_errors
from rocch.errors import Hint, InputError, RocchError, StorageError, UndefinedError
from rocch.hybrid.components import Component, curve_of
from rocch.hybrid.expression import STACK
from rocch.hybrid.model_files import model_bytes
from rocch.hybrid.stacking import stack_scores
from rocch.inputs import as_array, as_columns, as_flag, as_name, check_known
from rocch.labels import as_positive, check_labels, distinct_labels, find_positive
from rocch.library import maintenance
from rocch.library.adding import (
    Addition,
    AdditionResult,
    add,
    as_annotations,
    as_author,
    as_curves,
    as_plain_text,
    may_join,
    prune,
)
from rocch.library.contents import (
    KEPT,
    Export,
    LibraryClassifier,
    LibraryState,
    LogEntry,
    build_hull,
    fingerprint_ids,
    read_entries,
    read_exports,
    utc_now,
)
from rocch.library.maintenance import Beside, CompactionResult, Verification
from rocch.library.store import RECORD, LibraryStore, check_empty
from rocch.results import Records, Table, Tabular, collect
from rocch.roc.conditions import Conditions, as_conditions
from rocch.roc.criteria import Criterion
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals, OperatingPoint
from rocch.roc.question import Question

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class ClassifierLibrary(Tabular):
    """The classifiers that may still be optimal, on disk, with their joint hull.

    An addition either extends the hull, and may drive older classifiers out, or is discarded
    because it is nowhere the best on these rows (Provost and Fawcett, sections 2.2.4 and 3.8). Many
    processes may add at once; the hull does not depend on the order.

    Parameters
    ----------
    path
        A folder made by `ClassifierLibrary.create`, on a local disk; or the URL of a PostgreSQL
        database, where machines share a library.

    Attributes
    ----------
    place
        Where it is; printed without a password.

    Examples
    --------
    >>> import rocch, tempfile
    >>> library = rocch.library.ClassifierLibrary.create(tempfile.mkdtemp() + "/churn")
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> print(library.add_scores(y, {"nb": [1, 2, 6, 5, 4, 7]}, by="ada"))
    nb extends the hull at 2 place(s), for slopes 0 to inf (a miss is 0 to inf times as bad); saves up to 33.3% of the cost of always erring, at slope 1
    >>> print(library.add_scores(y, {"coin": [1, 2, 1, 2, 1, 2]}, by="ada"))
    coin is nowhere the best on these rows; discarded
    >>> print(library.add_scores(y, {"gbm": [1, 2, 3, 4, 5, 6]}, by="ada").driven_out)
    ('nb',)
    >>> library.hull.dominator()
    'gbm'
    >>> [entry.joined for entry in library.log()]
    [('nb',), ('gbm',)]
    """  # noqa: E501 - the output of an example is one line

    def __init__(self, path: str | Path | DatabaseUrl) -> None:
        self.place = as_place(path)
        self._store = LibraryStore(self.place)
        if not self._store.record.exists():
            what = f"no {RECORD}" if isinstance(self.place, Path) else "none"
            raise InputError(
                "path",
                "be the folder of a library, or the URL of one",
                f"{str(self.place)!r}, where there is {what}",
                Hint(
                    "Make one with ClassifierLibrary.create(path).",
                    cli="Make one with rocch library init.",
                ),
            )

    @classmethod
    def create(
        cls,
        path: str | Path | DatabaseUrl,
        *,
        within: Conditions | None = None,
        objects: str | Path | None = None,
    ) -> Self:
        """Make a new library.

        Parameters
        ----------
        path
            A new or empty folder on a local disk; or the URL of a PostgreSQL database, for example
            "postgresql://db.example/risk?schema=churn". The schema, by default "rocch", is made.
        within
            Bounds on conditions: classifiers that are best only outside them are not kept.
        objects
            Where a library on a server keeps curves, models and exports: a folder that all machines
            share under this path, or a URL of fsspec's, for example "s3://bucket/churn".
        """
        within = None if within is None else as_conditions(within)
        state, place = LibraryState(utc_now()).narrow(within), as_place(path)
        if isinstance(place, DatabaseUrl):
            store, files = maintenance.prepare_on_server(place, _as_text(objects))
            try:
                with store.record.writing() as db:  # nobody owns its files yet
                    maintenance.claim(store, db, files, "path")
                    state.write(db)
            finally:
                store.close()
            return cls(place)
        maintenance.check_no_objects(_as_text(objects))
        with storage_errors(place):
            check_empty(place, "path")
            there = place.exists()
            place.mkdir(parents=True, exist_ok=True)
            store = maintenance.make_in_folder(place)
        try:
            with store.record.writing() as db:
                state.write(db)
        except BaseException:  # for example a full disk: leave nothing behind
            store.close()
            for part in place.glob(f"{RECORD}*"):
                part.unlink()
            if not there:
                place.rmdir()
            raise
        store.close()
        return cls(place)

    def __repr__(self) -> str:
        return f"<ClassifierLibrary at {str(self.place)!r}>"

    @property
    def path(self) -> Path:
        """The folder; a library on a server has none."""
        if isinstance(self.place, DatabaseUrl):
            raise UndefinedError(f"{self.place} is on a server and has no folder.")
        return self.place

    def _columns(self) -> Table:
        return collect(self.classifiers)

    def _picture(self) -> str:
        return self.hull._picture() if len(self) else ""

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (getattr(self.place, "text", str(self.place)),)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; they open again when needed."""
        self._store.close()

    @property
    def hull(self) -> RocHull:
        """The joint hull of all classifiers."""
        with self._store.reading() as db:
            return self._hull(db)

    def _hull(self, db: Connection) -> RocHull:
        return build_hull(LibraryState.read(db), read_entries(db, self._store.find_objects(db)))

    @property
    def state(self) -> LibraryState:
        """The evaluation rows, bounds, labels and numbers of additions."""
        with self._store.reading() as db:
            return LibraryState.read(db)

    @property
    def classifiers(self) -> Records[LibraryClassifier]:
        """The classifiers on the hull, sorted by name."""
        return Records(one for one in self.all_classifiers() if one.state == KEPT)

    def all_classifiers(self) -> Records[LibraryClassifier]:
        """Return all classifiers that ever joined the hull."""
        with self._store.reading() as db:
            found = fetch(db, "SELECT * FROM classifiers ORDER BY name, id")
            if not found:
                return Records()
            state, hull = LibraryState.read(db), self._hull(db)
            return Records(LibraryClassifier.from_row(row, state, hull) for row in found)

    def __getitem__(self, name: str) -> LibraryClassifier:
        everything = self.all_classifiers()
        known = dict.fromkeys(one.name for one in everything)
        check_known([name], known, "name", "classifiers of the library")
        found = [one for one in everything if one.name == name]
        return next((one for one in found if one.state == KEPT), found[-1])

    def __iter__(self) -> Iterator[str]:
        return iter([one.name for one in self.classifiers])

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __len__(self) -> int:
        with self._store.reading() as db:
            query = "SELECT count(*) FROM classifiers WHERE state = ?"
            return int(db.execute(query, (KEPT,)).fetchone()[0])

    def best(
        self, criterion: Conditions | Criterion | Question, *, randomize: bool = False
    ) -> OperatingPoint:
        """Return the best operating point by a criterion, as an export would choose it.

        If there is a stack, it decides for new rows, as in `RocchClassifier.at`. Otherwise, and
        where it has no answer (limits, ranges of costs), it is that of `RocHull.best`; without
        randomizing, a limit may have been met better by a point off the hull of a classifier that
        was discarded.
        """
        hull = self.hull
        try:
            if any(member.name == STACK for member in hull.members):
                from rocch.library.export import read_stacked  # loads scikit-learn

                if (stacked := read_stacked(self._store)) is not None:
                    found, by_stack = stacked.aim(criterion, randomize=randomize, exact=False)
                    if by_stack:
                        return found
            return hull.best(criterion, randomize=randomize)
        except StorageError:  # a curve is gone, perhaps because its classifier was driven out
            if self.hull == hull:
                raise
            return self.best(criterion, randomize=randomize)

    def log(self) -> Records[LogEntry]:
        """Return the history of changes to the hull."""
        with self._store.reading() as db:
            return Records(map(LogEntry.from_row, fetch(db, "SELECT * FROM events ORDER BY id")))

    def add(
        self,
        curves: RocCurve | Iterable[RocCurve],
        *,
        row_ids: ArrayLike | None = None,
        allow_different_rows: bool = False,
        by: str | None = None,
        tags: Iterable[str] = (),
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> AdditionResult:
        """Add curves, or points of classifiers that output labels only.

        All of them are on disk when this returns. If it raises, nothing has changed, unless the
        connection to a server broke at the end; the error then says so. What is added again counts
        once.

        Parameters
        ----------
        curves
            One or several, evaluated on the library's rows.
        row_ids
            Ids of the rows, in their order, to recognize the rows by.
        allow_different_rows
            Accept classifiers evaluated on other rows. Their rates are compared exactly, but come
            from different samples.
        by, tags, parameters, note
            Who adds them, and what to remember about them.
        """
        annotations = as_annotations(by, tags, parameters, note)
        several = as_curves(curves)
        addition = Addition(
            curves=several,
            id_fingerprint=fingerprint_ids(row_ids, _count_rows(several[0].totals)),
            annotations=annotations,
            allow_different_rows=allow_different_rows,
        )
        return add(self._store, addition)

    def add_scores(
        self,
        y_true: ArrayLike,
        scores: Columns,
        *,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
        stack: bool = False,
        row_ids: ArrayLike | None = None,
        allow_different_rows: bool = False,
        by: str | None = None,
        tags: Iterable[str] = (),
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> AdditionResult:
        """Add scoring classifiers by their scores on validation rows.

        Parameters
        ----------
        y_true
            Labels: boolean, 0/1, -1/1, true/false or yes/no, or any with `pos_label`.
        scores
            A mapping from names to scores, or a data frame with a column for each.
        pos_label, sample_weight
            As for `RocCurve.from_scores`.
        stack
            Whether to add a stack of these scores, too, under the name "stack", if at least two of
            them have a weight. Exports of the library then aim for new rows.
        row_ids, allow_different_rows, by, tags, parameters, note
            As for `add`.
        """
        annotations = as_annotations(by, tags, parameters, note)
        weighted: Any = {"pos_label": pos_label, "sample_weight": sample_weight}
        columns, models = as_columns(scores), {}
        if as_flag(stack, "stack"):
            if STACK in columns:
                hint = Hint("Rename the column, or leave stack=True out.")
                raise InputError("scores", "have other names than the stack", repr(STACK), hint)
            stacked = stack_scores(y_true, scores, **weighted)
            if len(stacked.weights) > 1:
                columns = {**columns, STACK: stacked.scores}
                more = {"trials": stacked.trials, "resamples": stacked.resamples}
                models = {STACK: json.dumps({**stacked.stack.to_dict(), **more}).encode()}
        curves = [
            RocCurve.from_scores(y_true, column, name=name, **weighted)
            for name, column in columns.items()
        ]
        addition = Addition(
            curves=as_curves(curves),
            id_fingerprint=fingerprint_ids(row_ids, as_array(y_true, "y_true").size),
            annotations=annotations,
            labels=_two_labels(y_true, pos_label),
            allow_different_rows=allow_different_rows,
            models=models,
        )
        return add(self._store, addition)

    def add_model(
        self,
        name: str,
        model: BaseEstimator,
        X: Features,  # noqa: N803 - features are called X, as everywhere in scikit-learn
        y: ArrayLike,
        *,
        pos_label: Label | None = None,
        row_ids: ArrayLike | None = None,
        allow_different_rows: bool = False,
        by: str | None = None,
        tags: Iterable[str] = (),
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
        trusted: Iterable[str] = (),
    ) -> AdditionResult:
        """Add a fitted scikit-learn classifier, evaluated on validation rows.

        The model is stored with it (by skops, never pickle) while it is on the hull.

        Parameters
        ----------
        name
            Its name.
        model
            A fitted classifier for two classes.
        X, y
            Validation rows that it was not fitted on, and their labels.
        pos_label
            The class to detect, unless the model's classes are boolean, 0/1, -1/1 or yes/no.
        row_ids, allow_different_rows, by, tags, parameters, note
            As for `add`.
        trusted
            Types of your own in the model, as for `rocch.save`.
        """
        annotations = as_annotations(by, tags, parameters, note)
        component = Component.of(as_name(name), model, pos_label)
        classes = as_array(model.classes_, "classes_").tolist()
        as_positive(classes, pos_label, argument="classes_")  # refuses an unclear direction
        labels = as_array(y, "y")
        check_labels(labels, classes, "y", "hold labels that the model was fitted on")
        curve = _evaluate(model, X, y, pos_label, name)
        addition = Addition(
            curves=as_curves(curve),
            id_fingerprint=fingerprint_ids(row_ids, _count_rows(curve.totals)),
            annotations=annotations,
            labels=(classes[1 - component.column], classes[component.column]),
            allow_different_rows=allow_different_rows,
        )
        if may_join(self._store, addition):  # otherwise there is nothing to save
            addition = replace(addition, models={name: model_bytes(name, model, trusted)})
        return add(self._store, addition)

    def prune(
        self,
        *names: str,
        within: Conditions | None = None,
        ties: bool = False,
        by: str | None = None,
    ) -> tuple[str, ...]:
        """Remove classifiers; return their names.

        Parameters
        ----------
        names
            Classifiers to remove. Those that they drove out do not come back.
        within
            New bounds on conditions: classifiers that are best only outside them leave.
        ties
            Keep only the fewest classifiers that hold every vertex.
        by
            Who does it.
        """
        bounds = None if within is None else as_conditions(within)
        return prune(self._store, set(names), within=bounds, ties=ties, by=as_author(by))

    def export(
        self,
        path: str | Path | None = None,
        *,
        scores: bool = False,
        criterion: Conditions | Criterion | None = None,
        note: str = "",
        by: str | None = None,
        trusted: Iterable[str] = (),
    ) -> Export:
        """Write a fitted `RocchClassifier` of the fewest classifiers that hold every vertex.

        It becomes the current export, which a running service picks up.

        Parameters
        ----------
        path
            Where to write a copy for `rocch.load`, besides the library's own.
        scores
            Decide on precomputed scores, a column for each classifier. The default where no
            classifier has a model.
        criterion
            The default criterion, as for `RocchClassifier`.
        note, by
            What to remember about it.
        trusted
            Types of your own in the models, as for `rocch.save`.
        """
        from rocch.library import export as exporting  # loads scikit-learn

        return exporting.export(
            self._store,
            path=None if path is None else _as_path(path),
            scores=scores,
            criterion=criterion,
            note=as_plain_text(note, "note"),
            by=as_author(by),
            trusted=tuple(trusted),
        )

    def exports(self) -> Records[Export]:
        """Return all exports, oldest first."""
        with self._store.reading() as db:
            return read_exports(db, self._store.find_objects(db))

    @property
    def current_export(self) -> Export | None:
        """The newest export."""
        with self._store.reading() as db:
            found = read_exports(db, self._store.find_objects(db), newest=True)
            return next(iter(found), None)

    def newest_export_key(self) -> tuple[int, str] | None:
        """Return the number and the file of the newest export, cheaply: nothing is checked.

        The file tells it from one of the same number before a backup was restored.
        """
        with self._store.record.transaction(write=False) as db:
            query = "SELECT version, file FROM exports ORDER BY version DESC LIMIT 1"
            found = db.execute(query).fetchone()
            return None if found is None else (int(found[0]), str(found[1]))

    def read_export(self, export: Export) -> bytes:
        """Return the file of an export after checking its digest."""
        with self._store.record.transaction(write=False) as db:
            objects = self._store.find_objects(db)
        return objects.get("".join(Path(export.path).parts[-2:]))

    def verify(self, *, objects: str | Path | None = None) -> Verification:
        """Check everything, and remove what interrupted additions left behind.

        Parameters
        ----------
        objects
            Where the files are of a library on a server that was restored from a dump. Until they
            are named, nothing is added or removed, because the original may still use them.
        """
        return maintenance.verify(self._store, _as_text(objects))

    def compact(self) -> CompactionResult:
        """Free disk space: drop all exports but the newest, unused files and free pages."""
        return maintenance.compact(self._store)

    def copy(
        self,
        target: str | Path | DatabaseUrl,
        *,
        objects: str | Path | None = None,
        beside: Beside | None = None,
    ) -> ClassifierLibrary:
        """Copy the library to a new place, safely while others add to it; return the copy.

        There is a copy only once this returns; if it failed or was killed, repeat it.

        Parameters
        ----------
        target, objects
            As for `create`.
        beside
            Copies what is beside the library before it: `rocch library copy` copies the record of
            a service. It gets the new place, and the connection that writes the library.
        """
        place = as_place(target, "target")
        maintenance.copy(self._store, place, _as_text(objects), beside)
        return ClassifierLibrary(place)


def as_place(path: object, argument: str = "path") -> Place:
    """Return a folder, or a schema on a server."""
    if isinstance(path, DatabaseUrl):
        return path
    if is_database_url(path):
        return DatabaseUrl.parse(str(path), argument)
    if isinstance(path, str) and "://" in path:
        raise InputError(
            argument, "be a folder, or a URL that begins with postgresql://", "another URL"
        )
    return _as_path(path)


def _as_text(objects: str | Path | None) -> str | None:
    return None if objects is None else str(objects)


def _as_path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise InputError("path", "be the path of a folder", repr(path), "For example: 'churn'.")
    return Path(path).absolute()


def _count_rows(totals: ClassTotals) -> int | None:
    return None if totals.weighted else totals.negatives + totals.positives


def _evaluate(
    model: BaseEstimator, features: Features, y: ArrayLike, pos_label: Label | None, name: str
) -> RocCurve:
    try:
        return curve_of(model, features, y, pos_label=pos_label, name=name)
    except RocchError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            "X",
            "be rows that {expected} can score",
            f"{type(error).__name__}: {reason}".rstrip("."),
            "Pass the features that it was fitted on.",
            expected=repr(name),
        ) from error


def _two_labels(y_true: ArrayLike, pos_label: Label | None) -> tuple[Label, Label] | None:
    """Return the two labels, the positive one last; None if there are more."""
    present = distinct_labels(as_array(y_true, "y_true"), "y_true")
    if len(present) != 2:
        return None
    positive = find_positive(present, "y_true")[0] if pos_label is None else pos_label
    (negative,) = [label for label in present if label != positive]
    return negative, positive
