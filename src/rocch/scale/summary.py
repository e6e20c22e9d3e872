"""Counts of labels in cells of scores, to save, send and add up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from rocch.arrays import DataFrame, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, UndefinedError, format_count, format_list
from rocch.files import writing
from rocch.inputs import as_instance, check_known
from rocch.kernels.cells import (
    COUNT_BITS,
    Cells,
    height_left,
    hull_of_cells,
    join_cells,
    live,
    merge_cells,
    scale_counts,
    starts_within,
)
from rocch.kernels.refine import ScoreSeries
from rocch.results import Table, Tabular, join_rows
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.operating_point import ClassTotals
from rocch.scale.cells import CurveOutline, FrameAuc
from rocch.scale.files import open_source
from rocch.scale.refine import TableRefiner, Work
from rocch.scale.survey import Survey
from rocch.scale.table import ScoreColumns, ScoreTable, sorted_groups

# The version of saved files.
VERSION = 3
# The default number of buckets.
SMALL = 2**16
# Bits that weights leave free: how often merging can double a summary.
HEADROOM = 12


@dataclass(frozen=True, eq=False, repr=False)
class FrameSummary(Tabular):
    """Counts of labels in cells of scores, for each classifier and group of a table.

    A *cell* is an interval of scores. Its ends are exact points of the ROC curve; inside it the
    curve is only bounded. Summaries add up with `+` or `merge`. Given all rows again, `refine`
    makes the hull exact.

    Attributes
    ----------
    columns
        The columns of labels, scores, weights and groups.
    groups
        The groups, sorted; `(None,)` without groups.
    work
        The passes taken.
    series
        The cells of each classifier, group by group.
    rows
        The rows of each group.
    exponents
        The unit of weights in each group, as an exponent of two.
    rounded
        Whether weights of each group were rounded to units.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> def day(rows):
    ...     y = rng.random(rows) < 0.2
    ...     return pl.DataFrame({"y": y, "gbm": rng.normal(size=rows) + y})
    >>> monday, tuesday = day(100_000), day(100_000)
    >>> known = rocch.scale.scan(monday, label="y", buckets=1000).summary()
    >>> known = known + rocch.scale.scan(tuesday, label="y", buckets=1000).summary()
    >>> known
    <FrameSummary of 200,000 rows: 1 classifier, 560 cells, hull known to 0.007 of TPR>
    >>> print(known.auc("gbm"))
    AUC 0.7581 to 0.7616 (proven bracket; 95% interval 0.7555 to 0.7642)
    >>> exact = known.refine([monday, tuesday])
    >>> exact.exact, exact.hull().auc >= known.inner_hull().auc
    (True, True)
    """

    columns: ScoreColumns
    groups: tuple[Any, ...]
    work: Work
    series: tuple[Cells, ...]
    rows: tuple[int, ...]
    exponents: tuple[int, ...]
    rounded: tuple[bool, ...]

    def __post_init__(self) -> None:
        for cells in self.series:
            for column in cells:
                column.flags.writeable = False

    @classmethod
    def of(cls, refiner: TableRefiner, work: Work | None = None) -> Self:
        """Build a summary from the cells of a refiner."""
        table, found = refiner.reader.table, refiner.reader.survey
        return cls(
            table.columns,
            table.columns.group_names(found.groups),
            work or refiner.work,
            tuple(each.cells for each in refiner.series),
            tuple(found.rows.tolist()),
            found.exponents,
            tuple(found.rounded.tolist()),
        )

    def __repr__(self) -> str:
        parts = [format_count(len(self.classifiers), "classifier")]
        if self.groups != (None,):
            parts.append(format_count(len(self.groups), "group"))
        parts.append(format_count(sum(cells.low.size for cells in self.series), "cell", ","))
        parts.append("hulls exact" if self.exact else f"hull known to {self.gap:.1g} of TPR")
        return f"<FrameSummary of {format_count(sum(self.rows), 'row', ',')}: {', '.join(parts)}>"

    def _columns(self) -> Table:
        """Return each classifier's AUC in each group; None where a class has no rows."""
        found = []
        for group, rows in zip(self.groups, self.rows, strict=True):
            keys = group if isinstance(group, tuple) else (group,)
            own = dict(zip(self.columns.group_columns, keys, strict=False))
            for name in self.classifiers:
                row: dict[str, Any] = {**own, "classifier": name, "rows": rows}
                with suppress(InputError, UndefinedError):
                    row |= self.auc(name, group)._row()
                found.append(row)
        return join_rows(found)

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {group: place for place, group in enumerate(self.groups)}

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return tuple(self.columns.scores)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.columns.weight is not None

    @property
    def exact(self) -> bool:
        """Whether the hulls are exact: no cell can hide a vertex."""
        return not any(live(cells, weighted=self.weighted).any() for cells in self.series)

    @property
    def gap(self) -> float:
        """The most by which TPR can exceed the hull of the known points."""
        heights = [height_left(cells) / max(1, int(cells.positives.sum())) for cells in self.series]
        return max(heights, default=0.0)

    def totals(self, group: Hashable = None) -> ClassTotals:
        """Return the class totals of a group."""
        first = self._of_group(group)[0]
        return ClassTotals(
            int(first.negatives.sum()),
            int(first.positives.sum()),
            math.ldexp(1.0, self.exponents[self._places[group]]),
            self.weighted,
        )

    def cells(self, name: str, group: Hashable = None) -> Cells:
        """Return the cells of a classifier, highest scores first."""
        check_known([name], self.classifiers, "name", "classifiers")
        return self._of_group(group)[self.classifiers.index(name)]

    def hull(self, group: Hashable = None) -> RocHull:
        """Return the hull, if it is exact."""
        if any(live(cells, weighted=self.weighted).any() for cells in self._of_group(group)):
            raise UndefinedError(
                "the hull is not known exactly: its TPR may be higher than known by up to "
                f"{self.gap:.2g}.",
                hint=Hint("Pass the rows to refine(), or use inner_hull()."),
            )
        return self.inner_hull(group)

    def inner_hull(self, group: Hashable = None) -> RocHull:
        """Return the hull of the known points, which the true hull contains."""
        class_totals, members = self._class_totals(group), []
        for name, cells in zip(self.classifiers, self._of_group(group), strict=True):
            lowest, lower, fp, tp = (column[:-1] for column in hull_of_cells(cells))
            members.append(Member(name, True, fp, tp, lowest, lower, None))
        return RocHull(class_totals, tuple(members))

    def auc(self, name: str, group: Hashable = None) -> FrameAuc:
        """Return the AUC of a classifier, exact or between proven bounds."""
        return FrameAuc.of(self.cells(name, group), self._class_totals(group))

    def outline(
        self, name: str, group: Hashable = None, *, resolution: float = 0.001
    ) -> CurveOutline:
        """Return points of a classifier's curve."""
        cells = self.cells(name, group)
        return CurveOutline.of(cells, self._class_totals(group), name=name, resolution=resolution)

    def refine(
        self,
        frame: DataFrame | Sequence[DataFrame] | str | Path,
        *,
        buckets: int | None = None,
        progress: Callable[[Work], object] | None = None,
    ) -> Self:
        """Return a summary with exact hulls, by further passes over all rows.

        AUCs stay brackets, though narrower. If weights were rounded, rows are counted again, and
        weights rounded as before.

        Parameters
        ----------
        frame
            All rows of the summary: a frame, a list of frames, or paths.
        buckets, progress
            As for `scan`.
        """
        with open_source(frame, self.columns.used_columns) as source:
            refiner = TableRefiner.of(
                ScoreTable.of(source, self.columns),
                buckets=buckets,
                progress=progress,
                headroom=HEADROOM if any(self.rounded) else 0,
            )
            self._check_rows(refiner)
            refiner.count_in_ones(~np.array(self.rounded))
            if any(self.rounded):
                refiner.begin_table()  # summaries were rounded to different units
                self._check_cells(refiner)
            else:
                refiner.series = [
                    ScoreSeries.of(
                        cells, self._rows_of(cells, self.rows[i // len(self.classifiers)])
                    )
                    for i, cells in enumerate(self.series)
                ]
            refiner.make_exact()
        return self.of(refiner, self.work + replace(refiner.work, rows=0))

    def _check_rows(self, refiner: TableRefiner) -> None:
        """Refuse other groups, numbers of rows or weights."""
        table, found = refiner.reader.table, refiner.reader.survey
        same = (
            table.columns.group_names(found.groups) == self.groups
            and tuple(found.rows.tolist()) == self.rows
        )
        if same and self.weighted:
            for place, group in enumerate(self.groups):
                totals = self.totals(group)
                weights = np.array([totals.negatives, totals.positives]) * totals.unit
                slack = self._slack(found, place, found.rows[place])
                same &= np.allclose(weights, found.weights[place], atol=float(slack))
        if not same:
            raise self._other_rows(found)

    def _check_cells(self, refiner: TableRefiner) -> None:
        """Refuse rows that lie in other cells or have other weights."""
        found = refiner.reader.survey
        for number, (old, new) in enumerate(zip(self.series, refiner.series, strict=True)):
            place = number // len(self.classifiers)
            both = merge_cells([old, new.cells])
            before, after = starts_within(old, both), starts_within(new.cells, both)
            if not before.size == after.size == both.low.size:
                raise self._other_rows(found)
            slack = self._slack(found, place, np.add.reduceat(new.rows, after))
            one, other = join_cells(old, before), join_cells(new.cells, after)
            same = np.array_equal(one.high, other.high) and np.array_equal(one.low, other.low)
            for mine, theirs in zip(one[2:], other[2:], strict=True):
                was = np.ldexp(mine, self.exponents[place])
                same &= bool((abs(np.ldexp(theirs, found.exponents[place]) - was) <= slack).all())
            if not same:
                raise self._other_rows(found)

    def _slack(self, found: Survey, place: int, rows: IntArray) -> FloatArray:
        """Return by how much the weight of unchanged rows may differ.

        Each row was rounded once per summary, in units no larger than now, and its cell at merges.
        """
        return np.ldexp(8.0 * rows, found.exponents[place]) * self.rounded[place]

    def _other_rows(self, found: Survey) -> InputError:
        return InputError(
            "frame",
            f"hold the {sum(self.rows):,} rows behind the summary",
            f"{int(found.rows.sum()):,} rows, or other groups, labels, scores or weights",
            "Pass all frames of the summary as a list.",
        )

    def _rows_of(self, cells: Cells, rows: int) -> IntArray:
        """Return the rows in each cell, estimated if they have weights."""
        units = cells.negatives + cells.positives
        if not self.weighted:
            return units
        return np.ceil(units * (rows / max(1, int(units.sum())))).astype(np.int64) + 1

    def merge(self, *others: FrameSummary) -> FrameSummary:
        """Return the summary of all rows of these summaries.

        They must have the same classifiers and columns of groups. Rows in two of them count twice.
        """
        for other in others:
            self._check_same(other)
        parts = [self, *others]
        groups = self._groups_of(parts)
        series, exponents, rounded, rows = [], [], [], []
        for group in groups:
            having = [(part, part._places[group]) for part in parts if group in part._places]
            units = [part.exponents[place] for part, place in having]
            roundings = [part.rounded[place] for part, place in having]
            class_totals = [part.totals(group) for part, _ in having]
            totals = [each.negatives + each.positives for each in class_totals]
            unit = _common_unit(totals, units, roundings)
            for name in self.classifiers:
                cells = [part.cells(name, group) for part, _ in having]
                shifts = [own - unit for own in units]
                series.append(merge_cells(list(map(scale_counts, cells, shifts))))
            exponents.append(unit)
            rounded.append(any(roundings))
            rows.append(sum(part.rows[place] for part, place in having))
        work = sum((part.work for part in parts[1:]), parts[0].work)
        return FrameSummary(
            self.columns,
            groups,
            work,
            tuple(series),
            tuple(rows),
            tuple(exponents),
            tuple(rounded),
        )

    def _groups_of(self, parts: Sequence[FrameSummary]) -> tuple[Any, ...]:
        by = self.columns.by
        if by is None:
            return (None,)
        every = [group for part in parts for group in part.groups]
        keys = [(group,) for group in every] if isinstance(by, str) else every
        return self.columns.group_names(sorted_groups(keys, self.columns.group_columns))

    def __radd__(self, other: object) -> FrameSummary:
        return self if other == 0 else NotImplemented  # for sum()

    def __add__(self, other: object) -> FrameSummary:
        if not isinstance(other, FrameSummary):
            return NotImplemented
        return self.merge(other)

    def save(self, path: str | Path) -> None:
        """Write the summary to a file, atomically and without pickle."""
        header = {
            "rocch_summary": VERSION,
            "question": {
                **asdict(self.columns),
                "pos_label": _tag(self.columns.pos_label),
                "by": _tag(self.columns.by),
            },
            "groups": [_tag(group) for group in self.groups],
            "work": asdict(self.work),
            "rows": self.rows,
            "exponents": self.exponents,
            "rounded": self.rounded,
            "sizes": [cells.low.size for cells in self.series],
        }
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(cells, name) for cells in self.series])
            for name in Cells._fields
        }
        with writing(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **columns)

    @classmethod
    def load(cls, path: str | Path) -> FrameSummary:
        """Read a summary that `save` wrote."""
        header, series = _read_summary(path)
        columns = ScoreColumns(**header.pop("question"))
        work = Work(**header.pop("work"))
        return cls(columns=columns, work=work, series=series, **header)

    def _of_group(self, group: Hashable) -> tuple[Cells, ...]:
        if group not in self._places:
            names = [each for each in self.groups if each is not None]
            hint = f"The groups are: {format_list(names)}." if names else "It has none."
            raise InputError("group", "be one of the summary's", repr(group), hint)
        first = self._places[group] * len(self.classifiers)
        return self.series[first : first + len(self.classifiers)]

    def _class_totals(self, group: Hashable) -> ClassTotals:
        class_totals = self.totals(group)
        if not (class_totals.negatives and class_totals.positives):
            which = "positive" if class_totals.negatives else "negative"
            row = "row with weight" if self.weighted else "row"
            raise UndefinedError(
                f"a ROC curve is undefined without a {which} {row}.",
                hint="Add rows of both classes.",
            )
        return class_totals

    def _check_same(self, other: FrameSummary) -> None:
        as_instance(other, FrameSummary, "others", hint=Hint("See Scan.summary."))
        for what, mine, theirs in (
            ("classifiers", sorted(self.classifiers), sorted(other.classifiers)),
            ("weights", self.weighted, other.weighted),
            ("groups", self.columns.by, other.columns.by),
            ("positive class", self._pos_label, other._pos_label),
        ):
            if mine != theirs:
                got = f"{mine!r} and {theirs!r}"
                raise InputError("summaries", f"have the same {what}", got)

    @property
    def _pos_label(self) -> Label:
        return 1 if self.columns.pos_label is None else self.columns.pos_label


def _common_unit(totals: Sequence[int], exponents: Sequence[int], rounded: Sequence[bool]) -> int:
    """Return the unit of a sum, as an exponent of two: the finest unit that has room.

    If weights are rounded already, it may be as large as in a summary of all rows.
    """
    nonzero = [part for part in zip(totals, exponents, rounded, strict=True) if part[0]]
    if not nonzero:
        return min(exponents)
    finest = min(exponent for _, exponent, _ in nonzero)
    total = sum(units << (exponent - finest) for units, exponent, _ in nonzero)
    if total < 1 << COUNT_BITS:
        return finest
    coarsest = [exponent for _, exponent, is_rounded in nonzero if is_rounded]
    if not coarsest:
        raise InputError(
            "weight",
            "be whole numbers whose sum stays below 2**62 units",
            f"a sum of {total:.3g}",
            "Divide all weights by the same number.",
        )
    return max(finest + total.bit_length() - (COUNT_BITS - HEADROOM), *coarsest)


def _read_summary(path: str | Path) -> tuple[dict[str, Any], tuple[Cells, ...]]:
    """Return the header and the cells of a saved summary."""
    try:
        with Path(path).open("rb") as content, np.load(content, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            version = int(header.pop("rocch_summary"))
            if version != VERSION:
                raise _not_a_summary(f"{str(path)!r} of version {version}")
            columns = [file[name] for name in Cells._fields]
        ends = np.cumsum(header.pop("sizes"))[:-1]
        series = tuple(
            Cells(*cells) for cells in zip(*(np.split(c, ends) for c in columns), strict=True)
        )
        for name in ("pos_label", "by"):
            header["question"][name] = _untag(header["question"][name])
        header["groups"] = tuple(_untag(group) for group in header["groups"])
        header["rows"], header["exponents"] = tuple(header["rows"]), tuple(header["exponents"])
        header["rounded"] = tuple(map(bool, header["rounded"]))
    except OSError as error:
        got = f"{str(path)!r}: {error.strerror or error}"
        raise InputError("path", "be a file that can be read", got) from None
    except InputError:
        raise
    except Exception:  # NumPy, zipfile and json raise many kinds over damaged files
        raise _not_a_summary(f"the file {str(path)!r}") from None
    return header, series


def _not_a_summary(got: str) -> InputError:
    hint = Hint("Summarize its rows again, and write it with FrameSummary.save.")
    return InputError("path", f"be a summary of version {VERSION}", got, hint)


def _tag(value: Any) -> Any:
    """Return a value such that JSON keeps its type."""
    if isinstance(value, tuple):
        return {"tuple": [_tag(each) for each in value]}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return value.item() if isinstance(value, np.generic) else value


def _untag(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(_untag(each) for each in content)
    return (datetime if kind == "datetime" else date).fromisoformat(content)
