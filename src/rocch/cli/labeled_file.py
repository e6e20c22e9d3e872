"""Reading a file of labeled rows: one column for the class, the others features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.cli.progress import working
from rocch.cli.reading.columns import NumberRule
from rocch.cli.reading.formats import open_table, read_columns
from rocch.cli.reading.wanted import check_distinct, need_column
from rocch.errors import InputError
from rocch.multiclass.classes import Classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import AnyArray, FloatArray, IntArray
    from rocch.cli.reading.table_file import TableFile


ENCODE = "Encode texts as numbers first, or name the columns to use with --features."


@dataclass(frozen=True, slots=True, eq=False)
class LabeledRows:
    """Features and the class of each row."""

    features: FloatArray
    feature_names: tuple[str, ...]
    labels: AnyArray
    classes: Classes

    @property
    def totals(self) -> IntArray:
        """How many rows each class has."""
        return np.bincount(self.classes.codes(self.labels, "--label"))


def labeled_rows(file: TableFile, *, label: str, features: str | None) -> LabeledRows:
    """Read features, which must be numbers, and the classes' names, as they are written."""
    rule = NumberRule(finite=True, decimal_comma=file.decimal_comma, hint=ENCODE)
    with working(f"Reading {file.path.name}") as step, open_table(file) as table:
        need_column(table.names, label, "--label")
        names = _features(table.names, label, features)
        numbers = dict.fromkeys(names, rule)
        found = read_columns(table, numbers=numbers, coded={label: "--label"}, step=step)
    labels = np.array(found.coded[label].texts())
    classes = Classes.of_labels(labels, "--label")
    return LabeledRows(np.column_stack([*found.numbers.values()]), tuple(names), labels, classes)


def _features(columns: Sequence[str], label: str, features: str | None) -> list[str]:
    if features is None:
        names = [name for name in columns if name != label]
    else:
        names = [name.strip() for name in features.split(",")]
        for name in names:
            need_column(columns, name, "--features")
        check_distinct("--features", names)
    if label in names or not names:
        got = "none" if not names else f"the label {label!r}"
        raise InputError("--features", "be columns besides the label", got, "Name some.")
    return names
