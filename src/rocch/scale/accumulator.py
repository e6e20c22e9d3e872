"""Cells of scores that batches of rows are added to, as in a training loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, UndefinedError, describe_type, format_count, format_list
from rocch.inputs import (
    as_array,
    as_columns,
    as_instance,
    as_name,
    as_numpy,
    as_scores,
    as_whole,
    check_length,
)
from rocch.kernels.cells import Cells, add_scores, count_cells, fit_cells, live, merge_cells
from rocch.kernels.placements import unranked
from rocch.kernels.refine import BUCKETS, MOST_BUCKETS, ScoreSeries
from rocch.labels import check_unambiguous, distinct_labels, find_positive, is_one_label, is_one_of
from rocch.scale.refine import Work
from rocch.scale.summary import SMALL, FrameSummary
from rocch.scale.table import ScoreColumns

Batches = Iterable[tuple[ArrayLike, Columns]]

# Rows and batches that wait at most, because counting many at once is faster.
ROWS, BATCHES = 2**16, 2**10

# What a copy has of its own.
UNSHARED = "_waiting", "_lock"

NO_CELLS = Cells(*np.zeros((2, 0)), *np.zeros((2, 0), dtype=np.int64))


class RocAccumulator:
    """Counts labels in cells of scores, batch by batch, in constant memory.

    A *cell* is an interval of scores. As long as there are no more distinct scores than `cells`,
    each has a cell of its own, and all results are exact. Then neighbors are joined, such that
    cells hold about equal shares of either class. Every row is counted, so the ends of cells stay
    exact points of the curve. Inside a cell, results have proven bounds, for any order and split
    of the rows; see `compute`.

    Threads may share one. Accumulators add up with `+` or `merge`, and can be pickled, for example
    to gather them from several processes. Given all rows again, `refine` makes the hull exact.

    Parameters
    ----------
    cells
        The largest number of cells for each classifier, of 32 bytes each.
    pos_label
        The label of the positive class, if labels are not boolean, 0/1, -1/1, true/false or yes/no.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> def batch():
    ...     y = rng.random(1000) < 0.2
    ...     return y, rng.normal(size=y.size) + y
    >>> batches = [batch() for _ in range(100)]
    >>> accumulator = rocch.scale.RocAccumulator(cells=1000)
    >>> for y, scores in batches:
    ...     accumulator.update(y, scores)
    >>> accumulator
    <RocAccumulator of 100,000 rows: 1 classifier, at most 1,000 cells>
    >>> found = accumulator.compute()
    >>> print(found.auc("classifier"))
    AUC 0.7585 to 0.7599 (proven bracket; 95% interval 0.7548 to 0.7635)
    >>> exact = accumulator.refine(batches)
    >>> print(exact.auc("classifier"))
    AUC 0.7592 (exact; 95% interval 0.7555 to 0.7628)
    >>> y, scores = map(np.concatenate, zip(*batches))
    >>> exact.hull() == rocch.RocHull.from_scores(y, scores)
    True
    """

    def __init__(self, *, cells: int = SMALL, pos_label: Label | None = None) -> None:
        self._most = as_whole(
            cells, "cells", least=2, hint="Fewer save memory, but widen the bounds."
        )
        if pos_label is not None and not is_one_label(pos_label):
            raise InputError("pos_label", "be one label", repr(pos_label))
        self._pos_label = pos_label
        self._labels: list[Any] = []
        self._rows = 0
        self._cells: dict[str, Cells] = {}
        self._waiting = _WaitingRows()
        self._lock = RLock()

    def __repr__(self) -> str:
        parts = format_count(len(self._cells), "classifier")
        rows = format_count(self._rows, "row", ",")
        return f"<RocAccumulator of {rows}: {parts}, at most {self._most:,} cells>"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers, known after the first rows."""
        return tuple(self._cells)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._rows

    def update(self, y_true: ArrayLike, scores: Columns) -> None:
        """Add a batch of rows; a refused batch changes nothing.

        A batch may hold one class only, or no rows at all.

        Parameters
        ----------
        y_true, scores
            As for `RocHull.from_scores`, with the same classifiers in every batch.
        """
        with self._lock:
            batch, labels = self._read(y_true, scores)
            if batch is None:
                return
            self._labels = labels
            self._rows += batch.positive.size
            self._cells = self._cells or dict.fromkeys(batch.scores, NO_CELLS)
            self._waiting.add(batch)
            if self._waiting.are_enough:
                self._count()

    def compute(self) -> FrameSummary:
        """Return what is known of the rows so far.

        The summary states proven bounds:

        - `auc(name)`: the AUC lies from `low` to `high`, and its variance likewise.
        - `outline(name)`: its points are exact; between them the curve lies in the rectangle that
          neighboring points span.
        - `inner_hull()`: the hull of the known points. The true hull contains it, and lies inside
          the hull of these points and the north-west corners of cells with several scores. Both
          differ by at most `gap` in TPR. So the best point of the inner hull costs at most `gap`
          times the prevalence times the cost of a false negative more than the true hull's.

        Without a row of either class, these are undefined, but `totals` are not.
        """
        if not self._rows:
            raise UndefinedError("an accumulator without rows has no results.", hint="Update it.")
        with self._lock:
            self._count()
            rows, cells = self._rows, self._cells
        columns = ScoreColumns("y_true", {name: name for name in cells}, self._pos_label)
        series = tuple(cells.values())
        work = Work(1, rows, sum(each.low.size for each in series))
        return FrameSummary(columns, (None,), work, series, (rows,), (0,), (False,))

    def refine(
        self, batches: Batches | Callable[[], Batches], *, buckets: int | None = None
    ) -> FrameSummary:
        """Return a summary with the exact hull, given all rows again.

        Only the rows in cells that may hide a vertex are kept. One pass is enough unless these
        have more than `buckets` distinct scores. AUCs become exact too if all rows whose ranking
        is unknown are no more than that. Rows with other counts in any cell are refused. Nothing is
        read if the hull and the AUCs are exact already.

        Parameters
        ----------
        batches
            All rows of this accumulator and those merged into it, as pairs of labels and scores in
            any order and split; or a function that returns them, for passes over a generator.
        buckets
            The most scores of a classifier to keep at once, at least twice the number of cells; by
            default 2^22. More cost memory, fewer cost passes.
        """
        known = self.compute()
        least = 2 * self._most
        most = max(MOST_BUCKETS, least)
        if buckets is not None:
            most = as_whole(buckets, "buckets", least=least, hint="Twice the number of cells.")
        series, work = dict(zip(self._cells, known.series, strict=True)), known.work
        while True:
            again = work.passes > 1
            chosen = {n: _find_loose(cells, most, again) for n, cells in series.items()}
            if not any(which.any() for which in chosen.values()):
                return replace(known, series=tuple(series.values()), work=work)
            finer = {n: _FinerCells(series[n], which, most) for n, which in chosen.items()}
            for rows in _gather(self._read_again(batches, again=again)):
                for name, each in finer.items():
                    if not each.add(count_cells(rows.scores[name], rows.positive)):
                        raise self._other_rows()
            if not all(each.is_complete for each in finer.values()):
                raise self._other_rows()
            work += Work(1, 0, sum(each.merge().low.size for each in finer.values()))
            series = {name: each.replace_chosen() for name, each in finer.items()}

    def merge(self, *others: RocAccumulator) -> RocAccumulator:
        """Return an accumulator of all rows, with at most as many cells as this one.

        All must have the same positive class and, except those without rows, the same classifiers.
        Rows in two of them count twice.
        """
        merged = RocAccumulator(cells=self._most, pos_label=self._pos_label)
        parts = [self, *(as_instance(other, RocAccumulator, "others") for other in others)]
        for part in parts:
            _check_same(self._pos_label, part._pos_label, "positive class")
        parts = [copy(part) for part in parts]  # which other threads do not change
        filled = [part for part in parts if part._rows]
        for part in filled:
            _check_same(sorted(filled[0]._cells), sorted(part._cells), "classifiers")
            merged._labels = list(dict.fromkeys([*merged._labels, *part._labels]))
        if self._pos_label is None:
            find_positive(merged._labels, "y_true")
        merged._rows = sum(part._rows for part in filled)
        for name in filled[0]._cells if filled else ():
            cells = merge_cells([part._cells[name] for part in filled])
            merged._cells[name] = _shrink(cells, self._most)
        return merged

    def __add__(self, other: object) -> RocAccumulator:
        return self.merge(other) if isinstance(other, RocAccumulator) else NotImplemented

    def __radd__(self, other: object) -> RocAccumulator:
        return self.merge() if other == 0 else NotImplemented  # for sum()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._count()  # cells are smaller than rows
            return {name: part for name, part in vars(self).items() if name not in UNSHARED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _waiting=_WaitingRows(), _lock=RLock())

    def _count(self) -> None:
        """Count the waiting rows."""
        if self._waiting.size:
            rows = self._waiting.take()
            more = {n: count_cells(each, rows.positive) for n, each in rows.scores.items()}
            self._cells = {
                name: _shrink(add_scores(cells, more[name]), self._most)
                for name, cells in self._cells.items()
            }

    def _read(self, y_true: ArrayLike, scores: Columns) -> tuple[_CheckedRows | None, list[Any]]:
        """Check a batch; return its rows, if it has any, and the labels so far."""
        labels = as_numpy(y_true, "y_true")
        if labels.shape == (0,):
            for column in scores.values() if isinstance(scores, Mapping) else [scores]:
                check_length(as_numpy(column, "scores").size, 0, "scores")
            return None, self._labels
        positive, every = self._find_positive(as_array(labels, "y_true"))
        columns = {
            as_name(name): as_scores(column, positive.size, argument=f"scores[{name!r}]")
            for name, column in as_columns(scores).items()
        }
        if self._cells and columns.keys() != self._cells.keys():
            raise InputError(
                "scores",
                "name the same classifiers in every batch",
                format_list(list(columns)),
                "The classifiers are: {known}.",
                known=format_list(list(self._cells)),
            )
        return _CheckedRows(positive, columns), every

    def _find_positive(self, labels: AnyArray) -> tuple[BoolArray, list[Any]]:
        """Return which labels are positive, and the labels that said so in all batches."""
        if self._pos_label is not None:
            present = distinct_labels(labels, "y_true")
            check_unambiguous([self._pos_label, *present], "y_true")
            return is_one_of(labels, [self._pos_label]), []
        if labels.dtype == bool:
            return labels, self._labels
        every = list(dict.fromkeys([*self._labels, *distinct_labels(labels, "y_true")]))
        return is_one_of(labels, find_positive(every, "y_true")), every

    def _read_again(
        self, batches: Batches | Callable[[], Batches], *, again: bool
    ) -> Iterator[_CheckedRows]:
        """Yield the rows of all batches."""
        if isinstance(batches, Iterator) and again:
            raise InputError(
                "batches",
                "be readable more than once, because many rows may hide a vertex",
                describe_type(batches),
                Hint("Pass a function that returns it, or allow more buckets."),
            )
        source = batches if isinstance(batches, Iterable) or not callable(batches) else batches()
        if not isinstance(source, Iterable):
            raise _not_batches(source)
        for batch in source:
            if not isinstance(batch, tuple | list) or len(batch) != 2:
                raise _not_batches(batch)
            rows, _ = self._read(*batch)
            if rows is not None:
                yield rows

    def _other_rows(self) -> InputError:
        return InputError(
            "batches",
            f"hold the {self._rows:,} rows of the accumulator",
            "other rows, labels or scores",
            "Pass every batch once, also those of merged accumulators.",
        )


class _CheckedRows(NamedTuple):
    positive: BoolArray
    scores: Mapping[str, FloatArray]


class _WaitingRows:
    """Batches that are counted together."""

    def __init__(self) -> None:
        self.parts: list[_CheckedRows] = []
        self.size = 0

    def add(self, batch: _CheckedRows) -> None:
        """Add a copy of a batch; the caller may reuse the arrays."""
        scores = {name: each.copy() for name, each in batch.scores.items()}
        self.parts.append(_CheckedRows(batch.positive.copy(), scores))
        self.size += batch.positive.size

    @property
    def are_enough(self) -> bool:
        """Whether they should be counted."""
        return len(self.parts) >= BATCHES or self.size >= ROWS

    def take(self) -> _CheckedRows:
        """Return all rows, and leave none."""
        parts, self.parts, self.size = self.parts, [], 0
        scores = {n: np.concatenate([each.scores[n] for each in parts]) for n in parts[0].scores}
        return _CheckedRows(np.concatenate([each.positive for each in parts]), scores)


def _gather(batches: Iterable[_CheckedRows]) -> Iterator[_CheckedRows]:
    """Join batches until they are worth counting."""
    waiting = _WaitingRows()
    for batch in batches:
        waiting.add(batch)
        if waiting.are_enough:
            yield waiting.take()
    if waiting.size:
        yield waiting.take()


def _shrink(cells: Cells, most: int, apart: BoolArray | None = None) -> Cells:
    """Join cells if there are too many; fewer than allowed are left, so that it is done rarely."""
    return cells if cells.low.size <= most else fit_cells(cells, max(1, most * 3 // 4), apart)


def _find_loose(cells: Cells, most: int, again: bool) -> BoolArray:
    """Return the cells to read again: those that may hide a vertex, and others if they fit."""
    rows, found = cells.negatives + cells.positives, live(cells)
    loose = found | unranked(cells)
    if rows[loose].sum() <= most and (found.any() or not again):
        return loose
    if np.count_nonzero(found) > most // 2:  # the fullest first, each can then be cut
        where = np.flatnonzero(found)
        found[where[np.argsort(-rows[where], kind="stable")[most // 2 :]]] = False
    return found


class _FinerCells:
    """Counts of all rows in cells, and finer ones in some of the cells."""

    def __init__(self, cells: Cells, chosen: BoolArray, most: int) -> None:
        self.cells, self.chosen = cells, chosen
        rows = float((cells.negatives + cells.positives)[chosen].sum())
        if rows > most:  # too many to keep; cells enough to leave few of them
            most = min(most, int(max(2 * np.count_nonzero(chosen), BUCKETS * rows ** (2 / 3))))
        self.most = most
        self.counts = np.zeros_like(cells.negatives), np.zeros_like(cells.positives)
        self.parts = [NO_CELLS]

    def add(self, scores: Cells) -> bool:
        """Add counts of scores; return whether all lie inside cells."""
        into = self._places(scores)
        if not (np.append(self.cells.high, np.nan)[into] >= scores.high).all():
            return False
        for counts, more in zip(self.counts, scores[2:], strict=True):
            np.add.at(counts, into, more)
        self.parts.append(scores.take(self.chosen[into]))
        if sum(each.low.size for each in self.parts) >= 2 * self.parts[0].low.size:
            self.merge()
        return True

    def merge(self) -> Cells:
        """Merge the finer cells, and return them."""
        merged = merge_cells(self.parts)
        self.parts = [_shrink(merged, self.most, np.diff(self._places(merged)) > 0)]
        return self.parts[0]

    @property
    def is_complete(self) -> bool:
        """Whether every cell has as many rows as before."""
        return all(map(np.array_equal, self.counts, self.cells[2:]))

    def replace_chosen(self) -> Cells:
        """Return the cells with finer ones in place of the chosen."""
        if not self.chosen.any():
            return self.cells
        old, new = (ScoreSeries.of(each) for each in (self.cells, self.merge()))
        return old.replace_cells(np.flatnonzero(self.chosen), new).cells

    def _places(self, scores: Cells) -> IntArray:
        """Return the cell of each score: the one that ends at or below it."""
        return np.searchsorted(-self.cells.low, -scores.high)


def _check_same(one: object, other: object, what: str) -> None:
    if one != other:
        raise InputError("others", f"have the same {what}", f"{one!r} and {other!r}")


def _not_batches(got: object) -> InputError:
    return InputError(
        "batches", "be pairs of labels and scores", describe_type(got), "As for update."
    )
