"""Long files: one line for each score, turned into a column for each classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.cli.positive_class import positives
from rocch.cli.reading.columns import Coded, NumberRule
from rocch.cli.reading.formats import read_columns
from rocch.cli.reading.wanted import check_distinct, check_lines, need_column
from rocch.errors import InputError, format_list

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.cli.progress import Step
    from rocch.cli.reading.table import Table
    from rocch.cli.scores_source import ScoresSource


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Rows of a file: their names if known, labels, and scores of each classifier."""

    names: tuple[str, ...]
    labels: Coded
    scores: dict[str, FloatArray]


def long_scores(
    table: Table, data: ScoresSource, step: Step
) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Read which rows of a long file are positive, and each classifier's scores."""
    rows = long_rows(table, data, step)
    return positives(rows.labels, data.positive), rows.scores


def long_rows(table: Table, data: ScoresSource, step: Step) -> ScoredRows:
    """Read a long file; every classifier must have scored the same rows, once each."""
    columns = {
        "--classifier": str(data.classifier),
        "--row": str(data.row),
        "--score": str(data.score),
    }
    for option, column in columns.items():
        need_column(table.names, column, option)
    check_distinct("--label, --classifier, --row, --score", [data.label, *columns.values()])
    classifier, row, score = columns.values()
    found = read_columns(
        table,
        numbers={score: NumberRule(decimal_comma=data.table.decimal_comma, hint="Fix the file.")},
        coded={data.label: "--label", classifier: "--classifier", row: "--row"},
        step=step,
    )
    who, rows, labels = (found.coded[name] for name in (classifier, row, data.label))
    scores = found.numbers[score]
    if data.named_scores is not None:
        lines = np.isin(who.codes, _chosen(who, data.named_scores))
        who, rows, labels = (column.only(lines) for column in (who, rows, labels))
        scores = scores[lines]
    check_lines(who.names)
    of_rows = Coded(labels.names, _label_of_rows(who, rows, labels))
    wide = _pivoted(who, rows, scores)
    return ScoredRows(
        rows.names, of_rows, {name: wide[name] for name in data.named_scores or who.names}
    )


def _chosen(who: Coded, wanted: list[str]) -> list[int]:
    check_distinct("--scores", wanted)
    for name in wanted:
        if name not in who.names:
            raise InputError(
                "--scores",
                "name classifiers of the file",
                repr(name),
                "The classifiers are: {known}.",
                known=format_list(who.names),
            )
    return [who.names.index(name) for name in wanted]


def _pivoted(who: Coded, rows: Coded, scores: FloatArray) -> dict[str, FloatArray]:
    """Return each classifier's scores, in the order in which rows came first."""
    wide = {}
    for code, name in enumerate(who.names):
        lines = who.codes == code
        times = np.bincount(rows.codes[lines], minlength=len(rows.names))
        if (times != 1).any():
            row = int(np.argmax(times != 1))
            raise InputError(
                "FILE",
                "have one score of every classifier for every row",
                f"{'several' if times[row] else 'none'} of {name!r} for row {rows.names[row]!r}",
                "Leave such rows out, for every classifier alike.",
            )
        wide[name] = np.empty(len(rows.names))
        wide[name][rows.codes[lines]] = scores[lines]
    return wide


def _label_of_rows(who: Coded, rows: Coded, labels: Coded) -> IntArray:
    """Return the label of each row, which all its lines must agree on."""
    found = np.empty(len(rows.names), dtype=np.int64)
    found[rows.codes] = labels.codes
    other = found[rows.codes] != labels.codes
    if other.any():
        line = int(np.argmax(other))
        row = rows.codes[line]
        raise InputError(
            "--label",
            "be the same wherever a row occurs",
            f"{labels.names[labels.codes[line]]!r} of {who.names[who.codes[line]]!r} and "
            f"{labels.names[found[row]]!r} elsewhere for row {rows.names[row]!r}",
            "Fix the file.",
        )
    return found
