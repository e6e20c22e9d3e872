"""Answers to the rows of a file, what they are expected to cost, and what they did cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.cli.data import open_table
from rocch.cli.table import check_lines, need_column
from rocch.errors import InputError
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.costs import CostMatrix
from rocch.multiclass.rules import assign, expected_cost_of_predictions
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocch.arrays import FloatArray
    from rocch.cli.data import TableSource

ANSWER, EXPECTED = "answer", "expected_cost"
PROBABILITIES = "Posteriors are probabilities."


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
    kept: dict[str, list[Any]]
    """The columns that are kept beside the answers, as they are in the file."""
    posteriors: dict[str, FloatArray]
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

    def document(self) -> dict[str, Any]:
        """Return all of it for programs."""
        return {
            "classes": list(self.costs.classes),
            "costs": [
                {"truth": row["truth"], "prediction": row["prediction"], "cost": row["low"]}
                for row in self.costs.rows
            ],
            "mean_expected_cost": self.mean_expected,
            "judged": None if self.judged is None else _judged_json(self.judged),
            "rows": self._rows(),
        }

    def _rows(self) -> list[dict[str, Any]]:
        header, rows = self.table()
        numbers = {name: column.tolist() for name, column in self.posteriors.items()}
        return [
            {
                name: numbers[name][place] if name in numbers else _plain(value)
                for name, value in zip(header, row, strict=True)
            }
            for place, row in enumerate(rows)
        ]


def from_file(
    file: TableSource, costs: CostMatrix, *, label: str | None, row: str | None, **balance: Any
) -> Assigned:
    """Answer the rows of a file."""
    posteriors, kept, truths = _read(file, costs, label=label, row=row)
    costs = costs.in_order(Classes.of(list(posteriors)))
    answers = assign(posteriors, costs, **balance).tolist()
    risks = expected_cost_of_predictions(posteriors, costs, **balance)
    expected = [float(risks[answer][place]) for place, answer in enumerate(answers)]
    judged = None
    if truths is not None:
        plain = assign(posteriors, CostMatrix.zero_one(costs.classes)).tolist()
        judged = _judge(truths, answers, plain, costs, balance)
    return Assigned(costs, kept, posteriors, answers, expected, judged)


def _read(
    file: TableSource, costs: CostMatrix, *, label: str | None, row: str | None
) -> tuple[dict[str, FloatArray], dict[str, list[Any]], list[str] | None]:
    """Return the probabilities, the columns that are kept, and the true classes if there are."""
    with open_table(file) as table:
        for name, option in ((label, "--label"), (row, "--row")):
            if name is not None:
                need_column(table.names, name, option)
        kept = list(table.names) if row is None else [row]
        _check_free(kept)
        columns = table.select(
            _posteriors(table.names, costs),
            {} if label is None else {label: "--label"},
            finite=True,
            hint=PROBABILITIES,
        )
        truths = None if label is None else columns.coded(label).texts()
        return columns.numbers(), {name: table.values(name) for name in kept}, truths


def _posteriors(names: Sequence[str], costs: CostMatrix) -> list[str]:
    check_lines(costs.classes.names, "class", "the costs")
    absent = [name for name in costs.classes if name not in names]
    if absent:
        raise InputError(
            "FILE",
            "have a column for each class",
            f"none for {absent[0]!r}",
            "The columns are: {known}.",
            known=", ".join(map(repr, names)),
        )
    return [name for name in names if name in costs.classes.names]


def _check_free(kept: list[str]) -> None:
    for name in (ANSWER, EXPECTED):
        if name in kept:
            raise InputError(
                "FILE",
                f"leave the names {ANSWER} and {EXPECTED} to the answers",
                f"a column {name!r}",
                "Rename it, or keep one column only (--row).",
            )


def _judge(
    truths: list[str], answers: list[str], plain: list[str], costs: CostMatrix, balance: Any
) -> Judged:
    costs.classes.codes(truths, "--label")  # so that errors name the option
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
