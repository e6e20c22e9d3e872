"""Labels and scores from files: a column for each classifier, or a line for each score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rocch.cli.engine import reads_frame
from rocch.cli.long_scores import long_scores
from rocch.cli.positive_class import positives
from rocch.cli.progress import working
from rocch.cli.reading.columns import NumberRule
from rocch.cli.reading.formats import read_columns
from rocch.cli.reading.several import open_tables
from rocch.cli.reading.wanted import check_distinct, check_lines, need_column
from rocch.errors import InputError
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.arrays import BoolArray, FloatArray
    from rocch.cli.progress import Step
    from rocch.cli.reading.columns import Coded
    from rocch.cli.reading.formats import Columns
    from rocch.cli.reading.table import Named, Table
    from rocch.cli.scores_source import ScoresSource

LEAVE_OUT = "Fix the file, or leave the column out with --scores."


@dataclass(frozen=True, slots=True, eq=False)
class WideRows:
    """Rows of a wide file.

    Attributes
    ----------
    labels
        The true classes.
    scores
        Each classifier's scores.
    weights
        The weights of rows, if there are any.
    coded
        Other columns of names.
    """

    labels: Coded
    scores: dict[str, FloatArray]
    weights: FloatArray | None = None
    coded: dict[str, Coded] = field(default_factory=dict)


def hull_from_file(data: ScoresSource) -> RocHull:
    """Build the hull of the classifiers whose scores are in files, or in a table of Spark's."""
    if reads_frame(data):
        from rocch.cli.frame_hull import hull_from_frame

        return hull_from_frame(data)
    positive, scores, weights = scores_from_file(data)
    with working("Building the hull"):
        return RocHull.from_scores(positive, scores, sample_weight=weights)


def hulls_from_file(data: ScoresSource, by: str) -> dict[str, RocHull]:
    """Build a hull for each group of rows, in the order of their names."""
    if reads_frame(data):
        from rocch.cli.frame_hull import hulls_from_frame

        return hulls_from_frame(data, by)
    with (
        working(f"Reading {data.table.called}") as step,
        open_tables(data.table) as table,
    ):
        rows = read_wide(table, data, step, coded={by: "--by"})
    with working("Building the hulls"):
        return _grouped(rows, data, by)


def scores_from_file(
    data: ScoresSource,
) -> tuple[BoolArray, dict[str, FloatArray], FloatArray | None]:
    """Read which rows are positive, each classifier's scores, and weights if there are any."""
    with (
        working(f"Reading {data.table.called}") as step,
        open_tables(data.table) as table,
    ):
        need_column(table.names, data.label, "--label")
        if data.is_long:
            return *long_scores(table, data, step), None
        rows = read_wide(table, data, step)
        return positives(rows.labels, data.positive), rows.scores, rows.weights


def read_wide(
    table: Table, data: ScoresSource, step: Step, *, coded: Mapping[str, str] | None = None
) -> WideRows:
    """Read a wide table; `coded` are further columns of names, with the options that named them."""
    reading = data.reading
    coded = {data.label: "--label", **(coded or {})}
    for name, option in coded.items():
        need_column(table.names, name, option)
    apart = [*coded, *([reading.weight] if reading.weight else [])]
    wanted = wanted_columns(table, data, apart)
    rule = NumberRule(
        decimal_comma=data.table.decimal_comma, hint=LEAVE_OUT, gaps=reading.drop_nulls
    )
    numbers = dict.fromkeys(wanted, rule)
    if reading.weight:
        need_column(table.names, reading.weight, "--weight")
        numbers[reading.weight] = rule
    found = read_columns(table, numbers=numbers, coded=coded, gaps=reading.drop_nulls, step=step)
    if reading.drop_nulls:
        found = _complete(found)
    return WideRows(
        found.coded[data.label],
        {name: found.numbers[name] for name in wanted},
        found.numbers[reading.weight] if reading.weight else None,
        found.coded,
    )


def _complete(found: Columns) -> Columns:
    """Return the rows in which nothing is missing."""
    from rocch.cli.reading.formats import Columns

    whole = [~np.isnan(column) for column in found.numbers.values()]
    whole += [column.codes >= 0 for column in found.coded.values()]
    kept = np.logical_and.reduce(whole)
    if not kept.any():
        raise InputError(
            "FILE", "have a row without missing values", "none", "Leave columns out with --scores."
        )
    return Columns(
        {name: column[kept] for name, column in found.numbers.items()},
        {name: column.only(kept) for name, column in found.coded.items()},
    )


def _grouped(rows: WideRows, data: ScoresSource, by: str) -> dict[str, RocHull]:
    groups = rows.coded[by]
    positive = positives(rows.labels, data.positive)
    hulls = {}
    for name in sorted(groups.names):
        own = groups.codes == groups.names.index(name)
        scores = {classifier: column[own] for classifier, column in rows.scores.items()}
        weights = None if rows.weights is None else rows.weights[own]
        try:
            hulls[name] = RocHull.from_scores(positive[own], scores, sample_weight=weights)
        except InputError as error:
            raise error.inside(f"group {name!r} of --by {by}") from None
    return hulls


def wanted_columns(table: Named, data: ScoresSource, apart: Sequence[str] = ()) -> list[str]:
    """Return the columns with scores: those that were named, or every other numeric one."""
    if data.row is not None:
        need_column(table.names, data.row, "--row")
    names = data.named_scores
    if names is None:
        others = [name for name in table.numeric() if name not in (data.label, data.row, *apart)]
        if not others:
            raise InputError(
                "--scores",
                "name score columns, or leave at least one numeric column besides the label",
                "none",
                "The columns are: {known}.",
                known=", ".join(map(repr, table.names)),
            )
        check_lines(others)
        return others
    check_lines(names)
    for name in names:
        need_column(table.names, name, "--scores")
    if data.label in names:
        raise InputError("--scores", "not name the label", repr(data.label), "Leave it out.")
    check_distinct("--scores", names)
    return names
