"""The scores that are added to a library, from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.library.labels import labels_and_positive
from rocch.cli.long_scores import ScoredRows, long_rows
from rocch.cli.progress import working
from rocch.cli.reading.columns import NumberRule
from rocch.cli.reading.formats import open_table, read_columns
from rocch.cli.reading.wanted import need_column
from rocch.cli.scores_file import LEAVE_OUT, wanted_columns
from rocch.errors import InputError, format_list
from rocch.inputs import find_duplicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocch.arrays import AnyArray, FloatArray
    from rocch.cli.progress import Step
    from rocch.cli.reading.table import Table
    from rocch.cli.scores_source import ScoresSource


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows:
    """Labels, the positive one, each classifier's scores, and the ids of the rows if known."""

    labels: AnyArray
    positive: Any
    scores: dict[str, FloatArray]
    row_ids: Sequence[str] | None


def read_score_rows(data: ScoresSource, names: Iterable[str]) -> ScoreRows:
    """Read a file of scores, wide or long, and rename classifiers as told."""
    with working(f"Reading {data.table.path.name}") as step, open_table(data.table) as table:
        need_column(table.names, data.label, "--label")
        rows = long_rows(table, data, step) if data.is_long else _wide(table, data, step)
    labels, positive = labels_and_positive(rows.labels, data.positive)
    ids = None if data.row is None else rows.names
    return ScoreRows(labels, positive, renamed(rows.scores, names), ids)


def _wide(table: Table, data: ScoresSource, step: Step) -> ScoredRows:
    rule = NumberRule(decimal_comma=data.table.decimal_comma, hint=LEAVE_OUT)
    coded = {data.label: "--label"}
    wanted = wanted_columns(table, data)
    if data.row is not None:
        coded[data.row] = "--row"
    found = read_columns(table, numbers=dict.fromkeys(wanted, rule), coded=coded, step=step)
    ids = () if data.row is None else tuple(found.coded[data.row].texts())
    return ScoredRows(ids, found.coded[data.label], found.numbers)


def renamed(scores: dict[str, FloatArray], names: Iterable[str]) -> dict[str, FloatArray]:
    """Return the scores under new names, told as OLD=NEW."""
    new: dict[str, str] = {}
    for pair in names:
        old = _old_name(pair, scores)
        if old in new:
            raise click.UsageError(f"--name renames {old!r} twice. Keep one.")
        new[old] = pair[len(old) + 1 :]
    listed = [new.get(name, name) for name in scores]
    twice = find_duplicates(listed)
    if twice:
        raise InputError("--name", "make distinct names", f"{twice[0]!r} twice", "Choose another.")
    return dict(zip(listed, scores.values(), strict=True))


def _old_name(pair: str, scores: Iterable[str]) -> str:
    """Return which classifier is renamed; a name may have an equals sign in it."""
    known = [name for name in scores if pair.startswith(f"{name}=") and pair != f"{name}="]
    if not known:
        raise InputError(
            "--name",
            "be OLD=NEW, with a classifier of the file",
            repr(pair),
            "The classifiers are: {known}.",
            known=format_list(scores),
        )
    return max(known, key=len)
