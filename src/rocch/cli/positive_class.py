"""Which rows are positive, from labels as they are written in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import InputError, format_count, format_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray
    from rocch.cli.reading.columns import Coded

TRUE, FALSE = {"true", "t", "yes"}, {"false", "f", "no"}


def positives(labels: Coded, positive: str | None) -> BoolArray:
    """Return which rows are positive; only the labels that occur are looked at, not every row."""
    if positive is None:
        which = understood(labels.names)
    else:
        which = [same_label(name, positive) for name in labels.names]
        if not any(which):
            raise InputError(
                "--positive",
                "be one label that occurs in the column of --label",
                repr(positive),
                "The labels are: {known}.",
                known=format_list(sorted(labels.names)),
            )
    if len(set(which)) < 2:
        kind, rows = "positive" if which[0] else "negative", labels.codes.size
        raise InputError(
            "--label",
            "hold both classes",
            f"{format_count(rows, 'row')}, all {kind}",
            "A ROC curve needs at least one row of each class.",
        )
    return np.array(which)[labels.codes]


def understood(names: Sequence[str]) -> list[bool]:
    """Return which labels are positive where they say so themselves: 0/1, -1/1, true/false."""
    lower = [name.lower() for name in names]
    if set(lower) <= TRUE | FALSE:
        return [name in TRUE for name in lower]
    numbers = {_number(name) for name in names}
    if numbers <= {0, 1} or numbers <= {-1, 1}:
        return [_number(name) == 1 for name in names]
    raise InputError(
        "--positive",
        "be given unless labels are 0/1, -1/1 or true/false",
        f"labels {format_list(sorted(names))}",
        "Name the class whose detection counts as a hit; all others are negative.",
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def same_label(name: str, positive: str) -> bool:
    """Compare as numbers where both are (1 and 1.0), and truth values whatever their case."""
    if name == positive:
        return True
    if {name, positive} <= {"True", "False", "true", "false"}:
        return name.lower() == positive.lower()
    number = _number(name)
    return number is not None and number == _number(positive)
