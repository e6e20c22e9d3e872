"""What reports are made of: a hull, the rows behind it where they are at hand, and their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, bad_input, kind_of
from rocch.roc.hull import RocHull
from rocch.roc.member import ScoredRows

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A hull with what else is known.

    Attributes
    ----------
    hull
        The classifiers.
    rows
        Whether each row is positive, and each classifier's scores (or alarms); None where they
        are not at hand.
    folds
        The fold of each row, where scores of several folds were pooled.
    label, positive, negative
        The name of the column of labels, and both labels, as texts.
    """

    hull: RocHull
    rows: tuple[Any, Mapping[str, Any]] | None
    folds: Any = None
    label: str = ""
    positive: str = "1"
    negative: str = "0"


def source_of(what: Any, *, folds: Any = None, label: str = "", labels: Any = None) -> Source:
    """Return what a report can be made of: a hull, or a fitted or loaded hybrid for two classes."""
    hull = what
    rows: tuple[Any, Mapping[str, Any]] | None = None
    if hasattr(what, "model") and hasattr(what, "point"):  # an aimed view of a hybrid
        what = what.model
    if hasattr(what, "hybrid_"):
        hull, labels = what.hull_, labels or (what.hybrid_.negative, what.hybrid_.positive)
        judged = getattr(what, "out_of_fold_", None)
        if judged is not None and judged.weights is None and judged.first.all():
            names = [member.name for member in hull.members]
            rows = judged.positive, {name: judged.scores[name] for name in names}
            folds = judged.folds if folds is None else folds
    if not isinstance(hull, RocHull):
        raise bad_input(
            "what",
            "be a RocHull, a fitted hybrid or a RocSurface",
            kind_of(what),
            "Build a hull with RocHull.from_scores(y_true, scores).",
        )
    if hull.slope_bounds is not None:
        raise InputError(
            "a report needs the whole hull; this one was restricted to bounds on conditions. "
            "Use the unrestricted hull (fit without `within`)."
        )
    if rows is None:
        rows = _rows_of(hull)
    negative, positive = ("0", "1") if labels is None else map(str, labels)
    return Source(hull, rows, folds, label, positive, negative)


def _rows_of(hull: RocHull) -> tuple[Any, Mapping[str, Any]] | None:
    """Return labels and scores that a hull was built from, if it was built so."""
    sources = [member.source for member in hull.members]
    rows = [source for source in sources if isinstance(source, ScoredRows)]
    if len(rows) < len(sources) or any(r.positive is not rows[0].positive for r in rows):
        return None
    return rows[0].positive, {source.name: source.scores for source in rows}
