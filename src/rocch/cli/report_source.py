"""What a report is made of, from a file: labels, scores or posteriors, folds; or a saved model."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.cli.long_scores import long_scores
from rocch.cli.positive_class import positives
from rocch.cli.progress import working
from rocch.cli.reading.several import open_tables
from rocch.cli.reading.wanted import need_column
from rocch.cli.scores_file import read_wide
from rocch.errors import InputError, format_list

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.arrays import BoolArray, FloatArray
    from rocch.cli.progress import Step
    from rocch.cli.reading.columns import Coded
    from rocch.cli.reading.table import Table
    from rocch.cli.scores_source import ScoresSource


@dataclass(frozen=True, slots=True, eq=False)
class ReportRows:
    """Rows of a file: for two classes `positive`, for many `truths`."""

    scores: dict[str, FloatArray]
    positive: BoolArray | None
    truths: Any = None
    labels: tuple[str, str] | None = None
    """The negative and the positive label."""
    folds: Any = None
    weights: Any = None

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return self.positive is None


def is_saved(path: Path) -> bool:
    """Say whether a file is a model that `rocch.save` wrote, or is named as one."""
    if path.suffix.lower() == ".rocch":
        return True
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as container:
        return "manifest.json" in container.namelist()


def read_rows(data: ScoresSource, fold: str | None, *, posteriors: bool) -> ReportRows:
    """Read the rows of a file; the file is only read.

    Its columns are taken for posteriors if asked for, and where there are more than two classes of
    which none was named as the positive one.
    """
    with working(f"Reading {data.table.called}") as step, open_tables(data.table) as table:
        need_column(table.names, data.label, "--label")
        if data.is_long:
            positive, scores = long_scores(table, data, step)
            return ReportRows(scores, positive, labels=_named(data.positive))
        return _wide(table, data, fold, step, posteriors=posteriors)


def _wide(
    table: Table, data: ScoresSource, fold: str | None, step: Step, *, posteriors: bool
) -> ReportRows:
    found = read_wide(table, data, step, coded={} if fold is None else {fold: "--fold"})
    labels = found.labels
    folds = None if fold is None else found.coded[fold].codes
    if posteriors or (data.positive is None and len(labels.names) > 2):
        if found.weights is not None:
            raise InputError("--weight", "go with two classes", "more", "Leave it out.")
        truths = np.array(labels.names)[labels.codes]
        return ReportRows(found.scores, None, truths, folds=folds)
    positive = positives(labels, data.positive)
    both = _both(labels, positive)
    return ReportRows(found.scores, positive, labels=both, folds=folds, weights=found.weights)


def _both(labels: Coded, positive: BoolArray) -> tuple[str, str]:
    """Return the negative and the positive label as they are written."""
    own = [name for code, name in enumerate(labels.names) if positive[labels.codes == code].any()]
    others = [name for name in labels.names if name not in own]
    return others[0] if len(others) == 1 else f"not {own[0]}", own[0]


def _named(positive: str | None) -> tuple[str, str] | None:
    return None if positive is None else (f"not {positive}", positive)


def posteriors_of(rows: ReportRows) -> tuple[FloatArray, list[str]]:
    """Return the columns of posteriors, one for each class that occurs."""
    classes = sorted(set(rows.truths.tolist()))
    missing = [name for name in classes if name not in rows.scores]
    if missing:
        raise InputError(
            "--label",
            "hold two classes (or --positive name one), or each class have a column of "
            "probabilities, which costs by class need",
            f"no numeric column named {format_list(missing)}",
            "The numeric columns are: {known}.",
            known=format_list(rows.scores),
        )
    return np.column_stack([rows.scores[name] for name in classes]), classes
