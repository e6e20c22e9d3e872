"""Answers to the rows of a file, what they are expected to cost, and what they did cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.cli.table_file import names_in, need_column, numbers_in, read_columns
from rocch.errors import bad_input
from rocch.multiclass.assign import assign, expected_cost_of_answers
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.cost_matrix import CostMatrix
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANSWER, EXPECTED = "answer", "expected_cost"


@dataclass(frozen=True, slots=True)
class Judged:
    """What the answers did on rows whose class is known, beside the most likely classes."""

    confusion: Confusion
    cost: float
    most_likely: Confusion
    most_likely_cost: float


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """A file's rows with their answers."""

    costs: CostMatrix
    kept: dict[str, Any]
    """The columns that are kept beside the answers."""
    answers: list[str]
    expected: list[float]
    judged: Judged | None

    def table(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Return the header and the rows of the answers' file."""
        columns = {**self.kept, ANSWER: self.answers, EXPECTED: self.expected}
        return list(columns), zip(*columns.values(), strict=True)

    @property
    def mean_expected(self) -> float:
        """What a row is expected to cost, if the posteriors are right."""
        return sum(self.expected) / len(self.expected)

    def _json(self, column: str, value: Any) -> Any:
        return float(value) if column in self.costs.classes.names else _plain(value)

    def document(self) -> dict[str, Any]:
        """Return all of it for programs."""
        header, rows = self.table()
        return {
            "classes": list(self.costs.classes),
            "costs": [
                {"truth": row["truth"], "prediction": row["prediction"], "cost": row["low"]}
                for row in self.costs.rows
            ],
            "mean_expected_cost": self.mean_expected,
            "judged": None if self.judged is None else _judged_json(self.judged),
            "rows": [dict(zip(header, map(self._json, header, row), strict=True)) for row in rows],
        }


def from_file(
    file: Path, costs: CostMatrix, *, truth: str | None, key: str | None, **balance: Any
) -> Assigned:
    """Answer the rows of a file."""
    columns = read_columns(file, "POSTERIORS")
    for name, option in ((truth, "--truth"), (key, "--id")):
        if name is not None:
            need_column(columns, name, option)
    kept = columns if key is None else {key: columns[key]}
    _check_free(kept)
    posteriors = _posteriors(columns, costs)
    costs = costs.in_order(Classes.of(list(posteriors)))
    answers = assign(posteriors, costs, **balance).tolist()
    risks = expected_cost_of_answers(posteriors, costs, **balance)
    expected = [float(risks[answer][row]) for row, answer in enumerate(answers)]
    judged = None
    if truth is not None:
        plain = assign(posteriors, CostMatrix.zero_one(costs.classes)).tolist()
        judged = _judge(names_in(columns[truth], "--truth"), answers, plain, costs, balance)
    return Assigned(costs, kept, answers, expected, judged)


def _posteriors(columns: dict[str, Any], costs: CostMatrix) -> dict[str, list[float]]:
    absent = [name for name in costs.classes if name not in columns]
    if absent:
        raise bad_input(
            "POSTERIORS",
            "have a column for each class",
            f"none for {absent[0]!r}",
            f"The columns are: {', '.join(map(repr, columns))}.",
        )
    do = "Posteriors are probabilities."
    wanted = [name for name in columns if name in costs.classes.names]
    return {name: numbers_in(columns[name], name, do) for name in wanted}


def _check_free(kept: dict[str, Any]) -> None:
    for name in (ANSWER, EXPECTED):
        if name in kept:
            raise bad_input(
                "POSTERIORS",
                f"leave the names {ANSWER} and {EXPECTED} to the answers",
                f"a column {name!r}",
                "Rename it, or keep one column only (--id).",
            )


def _judge(
    truths: list[str], answers: list[str], plain: list[str], costs: CostMatrix, balance: Any
) -> Judged:
    costs.classes.codes(truths, "--truth")  # so that errors name the option
    priors = balance["priors"] or OBSERVED
    ours, theirs = (
        Confusion.from_labels(truths, given, classes=costs.classes) for given in (answers, plain)
    )
    cost, plain_cost = (each.expected_cost(costs, priors) for each in (ours, theirs))
    return Judged(ours, cost, theirs, plain_cost)


def _judged_json(judged: Judged) -> dict[str, Any]:
    return {
        "cost": judged.cost,
        "errors": judged.confusion.errors,
        "confusion": judged.confusion.rows,
        "most_likely": {
            "cost": judged.most_likely_cost,
            "errors": judged.most_likely.errors,
            "confusion": judged.most_likely.rows,
        },
    }


def _plain(value: Any) -> Any:
    """Return a value of NumPy's as Python's own, and what JSON lacks as text."""
    own = value.item() if hasattr(value, "item") else value
    return own if own is None or isinstance(own, str | int | float) else str(own)
