"""Hulls of tables that an engine reads, DuckDB or Spark: the rows stay where they are."""

from __future__ import annotations

from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import rocch
from rocch.cli.progress import passing
from rocch.cli.reading.columns import text_of
from rocch.cli.reading.wanted import check_lines, need_column
from rocch.cli.scores_file import wanted_columns
from rocch.errors import InputError, format_list
from rocch.inputs import find_positive, is_same_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocch.cli.progress import Passes
    from rocch.cli.scores_source import ScoresSource
    from rocch.roc.hull import RocHull

MOST_LABELS = 1_000
"""A column with more different values holds no classes."""
HEAD = 100_000
"""So many rows are looked at before the labels of all are gathered."""
CELLS = 2**20
"""Into so many cells the scores of a report's classifiers are cut; of one, they leave its AUC
uncertain by some millionths."""


class FrameColumns:
    """The columns of a frame, as those of a file are asked for."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self.names: list[str] = list(schema.names())

    def numeric(self) -> list[str]:
        """Return the columns of numbers; truth values are none."""
        return [name for name, kind in self._schema.items() if kind.is_numeric()]


class Read(NamedTuple):
    """A table that an engine reads, and what to ask `rocch.scale` of it."""

    frame: Any
    words: dict[str, Any]
    labels: tuple[str, str]
    """The negative and the positive label, as they are written."""
    passes: Passes


def hull_from_frame(data: ScoresSource) -> RocHull:
    """Build the hull of a table's classifiers."""
    with reading(data) as read:
        return rocch.scale.scan(read.frame, **read.words, progress=read.passes.finished).hull()


def hulls_from_frame(data: ScoresSource, by: str) -> dict[str, RocHull]:
    """Build a hull for each group of rows, in the order of their names."""
    with reading(data, by=by) as read:
        step = read.passes.finished
        hulls = rocch.scale.scan(read.frame, **read.words, progress=step).hull(by=by)
    named = {text_of(group): hull for group, hull in hulls.items()}
    check_lines(named, "group", "--by")
    return dict(sorted(named.items()))


class JudgedFrame(NamedTuple):
    """What a report can be made of where the rows stay where they are."""

    hull: RocHull
    aucs: dict[str, Any]
    labels: tuple[str, str]


def judged_frame(data: ScoresSource) -> JudgedFrame:
    """Build the hull of a table's classifiers, and bracket their AUCs."""
    with reading(data) as read:
        step = read.passes.finished
        # the cells that the hull is found in bracket the AUCs as well
        rough = rocch.scale.scan(read.frame, **read.words, buckets=CELLS, progress=step).summary()
        found = rough.refine(read.frame, progress=step)
        aucs = {name: found.auc(name) for name in found.classifiers}
        return JudgedFrame(found.hull(), aucs, read.labels)


@contextmanager
def reading(data: ScoresSource, *, by: str | None = None) -> Iterator[Read]:
    """Open the table, and find out which columns and labels are meant."""
    what = "Reading with Spark" if data.reading.spark else f"Reading {data.table.called}"
    with passing(what) as passes, _opened(data, by, passes) as frame:
        columns = columns_of(frame)
        words = _words(columns, data, by)
        positive, labels = _positive_label(labels_of(frame, data.label), data.positive)
        yield Read(frame, {**words, "pos_label": positive}, labels, passes)


@contextmanager
def _opened(data: ScoresSource, by: str | None, passes: Passes) -> Iterator[Any]:
    if data.reading.spark:
        from rocch.cli.spark_table import spark_table

        with spark_table(data.reading.named) as frame:
            yield frame
        return
    from rocch.cli.quiet_end import end_quietly, ended_in_order
    from rocch.scale.files import MEMORY_LIMIT, open_files

    end_quietly()
    needed = None
    if data.named_scores is not None:
        others = (data.label, data.row, data.reading.weight, by)
        needed = [*(name for name in others if name), *data.named_scores]
    limit = data.reading.memory_limit or MEMORY_LIMIT
    with (
        ended_in_order(),
        open_files(
            *data.table.files, columns=needed, memory_limit=limit, progress=passes.within
        ) as frame,
    ):
        yield frame


def columns_of(frame: Any) -> FrameColumns:
    """Return the columns of a frame of any engine, or of the first of several."""
    import narwhals as nw

    first = frame[0] if isinstance(frame, list) else frame
    return FrameColumns(nw.from_native(first).collect_schema())


def _words(columns: FrameColumns, data: ScoresSource, by: str | None) -> dict[str, Any]:
    weight = data.reading.weight
    named = {"--label": data.label, "--weight": weight, "--by": by}
    for option, name in named.items():
        if name is not None:
            need_column(columns.names, name, option)
    apart = [name for name in (weight, by) if name is not None]
    return {
        "label": data.label,
        "scores": wanted_columns(columns, data, apart),
        "weight": weight,
        "drop_nulls": data.reading.drop_nulls,
    }


def labels_of(frame: Any, label: str) -> list[Any]:
    """Return the different labels that occur; one scan of their column alone."""
    import narwhals as nw

    found: dict[Any, None] = {}
    for part in frame if isinstance(frame, list) else [frame]:
        column: Any = nw.from_native(part).lazy().select(label)
        for rows in (column.head(HEAD), column):  # a column of numbers is seen at its beginning
            distinct = rows.unique().head(MOST_LABELS + 1).collect()
            found |= dict.fromkeys(distinct[label].to_list())
            if len(found) > MOST_LABELS:
                raise InputError(
                    "--label",
                    "name a column of classes",
                    f"{label!r} with more than {MOST_LABELS:,} different values",
                    "Is it the right column?",
                )
    return [value for value in found if text_of(value) not in ("", "nan")]


def _positive_label(values: Sequence[Any], positive: str | None) -> tuple[Any, tuple[str, str]]:
    """Return the label that is positive, and the negative and the positive one as written."""
    names = [text_of(value) for value in values]
    check_lines(names, "class", "--label")
    if positive is None:
        hits = find_positive(sorted(names), "label")
        which = [name in hits for name in names]
    else:
        which = [is_same_label(name, positive) for name in names]
    own = [value for value, hit in zip(values, which, strict=True) if hit]
    others = [name for name, hit in zip(names, which, strict=True) if not hit]
    if not own and positive is not None:
        raise InputError(
            "--positive",
            "be one label that occurs in the column of --label",
            repr(positive),
            "The labels are: {known}.",
            known=format_list(sorted(names)),
        )
    if not own or not others:
        raise InputError(
            "--label",
            "hold both classes",
            f"rows that are all {'positive' if own else 'negative'}",
            "A ROC curve needs at least one row of each class.",
        )
    if len(own) > 1 and positive is not None:
        raise InputError(
            "--label",
            "write the positive class in one way",
            format_list(own),
            "Make them one label.",
        )
    name = text_of(own[0])
    value = float(own[0]) if isinstance(own[0], Decimal) else own[0]
    return value if len(own) == 1 else None, (
        others[0] if len(others) == 1 else f"not {name}",
        name,
    )
