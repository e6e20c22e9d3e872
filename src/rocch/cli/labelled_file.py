"""Reading a file of labelled rows: one column for the class, the others features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.cli.table_file import check_distinct, names_in, need_column, numbers_in, read_columns
from rocch.errors import bad_input
from rocch.multiclass.classes import Classes

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.arrays import FloatArray, IntArray

    AnyArray = np.ndarray[Any, Any]

ENCODE = "Encode texts as numbers first, or name the columns to use with --features."


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Features and the class of each row."""

    features: FloatArray
    feature_names: tuple[str, ...]
    labels: AnyArray
    classes: Classes

    @property
    def totals(self) -> IntArray:
        """How many rows each class has."""
        return np.bincount(self.classes.codes(self.labels, "--target"))


def labelled_rows(file: Path, *, target: str, features: str | None) -> LabelledRows:
    """Read features, which must be numbers, and the classes' names, as they are written."""
    columns = read_columns(file, "DATA")
    need_column(columns, target, "--target")
    names = _features(columns, target, features)
    labels = np.array(names_in(columns[target], "--target"))
    classes = Classes.of_labels(labels, "--target")
    table = np.array([numbers_in(columns[name], name, ENCODE) for name in names]).T
    return LabelledRows(np.ascontiguousarray(table), tuple(names), labels, classes)


def _features(columns: dict[str, Any], target: str, features: str | None) -> list[str]:
    if features is None:
        names = [name for name in columns if name != target]
    else:
        names = [name.strip() for name in features.split(",")]
        for name in names:
            need_column(columns, name, "--features")
        check_distinct("--features", names)
    if target in names or not names:
        came = "none" if not names else f"the target {target!r}"
        raise bad_input("--features", "be columns besides the target", came, "Name some.")
    return names
