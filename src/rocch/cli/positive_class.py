"""Which rows are positive, from labels as they are written in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import InputError, format_count, format_list
from rocch.inputs import find_positive, is_same_label

if TYPE_CHECKING:
    from rocch.arrays import BoolArray
    from rocch.cli.reading.columns import Coded


def positives(labels: Coded, positive: str | None) -> BoolArray:
    """Return which rows are positive; only the labels that occur are looked at, not every row."""
    if positive is None:
        own = find_positive(sorted(labels.names), "label")
        which = [name in own for name in labels.names]
    else:
        which = [is_same_label(name, positive) for name in labels.names]
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
