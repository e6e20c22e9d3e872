"""Labels and scores from a file: a column for each classifier, or a line for each score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.cli.long_scores import long_scores
from rocch.cli.positive_class import positives
from rocch.cli.progress import working
from rocch.cli.reading.columns import NumberRule
from rocch.cli.reading.formats import open_table, read_columns
from rocch.cli.reading.wanted import check_distinct, need_column
from rocch.errors import bad_input
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.cli.progress import Step
    from rocch.cli.reading.table import Table
    from rocch.cli.scores_asked import ScoresAsked

    LabelledScores = tuple[BoolArray, dict[str, FloatArray]]

LEAVE_OUT = "Mend the file, or leave the column out with --scores."


def hull_from_file(data: ScoresAsked) -> RocHull:
    """Build the hull of the classifiers whose scores are in a file."""
    positive, scores = scores_from_file(data)
    with working("Building the hull"):
        return RocHull.from_scores(positive, scores)


def scores_from_file(data: ScoresAsked) -> LabelledScores:
    """Read which rows are positive, and each classifier's scores; the file is only read."""
    with (
        working(f"Reading {data.table.path.name}") as step,
        open_table(data.table) as table,
    ):
        need_column(table.names, data.label, "--label")
        return long_scores(table, data, step) if data.is_long else _wide(table, data, step)


def _wide(table: Table, data: ScoresAsked, step: Step) -> LabelledScores:
    rule = NumberRule(decimal_comma=data.table.decimal_comma, do=LEAVE_OUT)
    wanted = wanted_columns(table, data)
    found = read_columns(
        table,
        numbers=dict.fromkeys(wanted, rule),
        coded={data.label: "--label"},
        step=step,
    )
    return positives(found.coded[data.label], data.positive), found.numbers


def wanted_columns(table: Table, data: ScoresAsked) -> list[str]:
    """Return the columns with scores: those that were named, or every other numeric one."""
    if data.row is not None:
        need_column(table.names, data.row, "--row")
    names = data.named_scores
    if names is None:
        others = [name for name in table.numeric() if name not in (data.label, data.row)]
        if not others:
            raise bad_input(
                "--scores",
                "name score columns, or leave at least one numeric column besides the label",
                "none",
                f"The columns are: {', '.join(map(repr, table.names))}.",
            )
        return others
    for name in names:
        need_column(table.names, name, "--scores")
    if data.label in names:
        raise bad_input("--scores", "not name the label", repr(data.label), "Leave it out.")
    check_distinct("--scores", names)
    return names
