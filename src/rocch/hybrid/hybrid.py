"""The fitted hybrid: a hull, and the models that it needs to decide (Definition 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rocch.errors import bad_input, shown
from rocch.hybrid.expression import Batch, Expression, expression_at
from rocch.hybrid.knob import Knob
from rocch.inputs import as_array, distinct_labels
from rocch.roc.conditions import OBSERVED
from rocch.roc.criteria import ErrorRate
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint
from rocch.stats.guarantees import rate_interval

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.scores import Component
    from rocch.roc.conditions import Interval
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull

    AnyArray = np.ndarray[Any, Any]

Mix: TypeAlias = tuple[tuple[float, Expression], ...]
"""Pairs of probability and expression: one, or two for a coin to choose between."""

Toss: TypeAlias = Callable[["IntArray"], "FloatArray"]
"""Returns the coins of some rows."""


@dataclass(frozen=True, eq=False)
class Hybrid:
    """Everything that deciding takes; nothing here changes after fitting.

    Attributes
    ----------
    hull
        The joint hull of the kept models.
    components
        The fitted models by name.
    classes
        The two labels in scikit-learn's order; `classes[column]` is the positive one.
    direction_known
        Whether the positive class was named, or is evident (1 of 0/1 or -1/1, True).
    effective_rows
        How many negatives and positives the hull was judged on; for weighted rows, how many equal
        ones would say as much, (sum of weights)^2 / sum of squared weights.
    expressions
        When to alarm, for names on the hull that are combinations of models.
    """

    hull: RocHull
    components: Mapping[str, Component]
    classes: AnyArray
    column: int
    direction_known: bool
    effective_rows: tuple[float, float]
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    key_column: str | None = None
    """The column of row keys that the models never see, if one was named when fitting."""

    def __post_init__(self) -> None:
        self.classes.flags.writeable = False

    @property
    def positive(self) -> Any:
        """The label of the positive class."""
        return plain_label(self.classes[self.column])

    @property
    def negative(self) -> Any:
        """The label of the negative class."""
        return plain_label(self.classes[1 - self.column])

    @cached_property
    def of_columns(self) -> bool:
        """Whether all classifiers live elsewhere, so that rows are their scores, by name."""
        return all(getattr(c.estimator, "reads_column", False) for c in self.components.values())

    @property
    def repeated(self) -> bool:
        """Whether rows were judged several times, which adds no evidence."""
        judged = self.hull.judged
        return not judged.weighted and sum(self.effective_rows) < 0.999 * judged.total

    def rate_intervals(self, point: OperatingPoint, confidence: float) -> tuple[Interval, Interval]:
        """Return exact binomial intervals (Clopper and Pearson) of FPR and TPR at a point."""
        fpr, tpr = (
            rate_interval(min(rate * rows, rows), rows, confidence=confidence)
            for rate, rows in zip((point.fpr, point.tpr), self.effective_rows, strict=True)
        )
        return fpr, tpr

    def aim(self, criterion: Any, *, randomise: bool) -> OperatingPoint:
        """Return where the hull meets a criterion, a knob's setting, or a point named already."""
        self.check_direction(criterion)
        if isinstance(criterion, RocPoint):
            criterion = OperatingPoint.at_point(criterion)
        if isinstance(criterion, OperatingPoint):
            return self._checked(criterion)
        if isinstance(criterion, Knob):
            return criterion.on(self.hull, randomise=randomise)
        return self.hull.best(criterion, randomise=randomise)

    def mix(self, point: OperatingPoint) -> Mix:
        """Return when to alarm at an operating point."""
        return tuple((share, self.expression(place)) for share, place in point.mix)

    def expression(self, point: RocPoint) -> Expression:
        """Return when to alarm at a ROC point."""
        combined = self.expressions.get(point.classifier)
        if combined is not None and not isinstance(point.deployed_threshold, float):
            return combined
        return expression_at(point)

    def alarms(self, batch: Batch, mix: Mix, toss: Toss, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm; coins are tossed only where the two answers differ."""
        answers = [part.alarms(batch, rows) for _, part in mix]
        if len(answers) == 1:
            return answers[0]
        left, right = answers
        differ = np.flatnonzero(left != right)
        alarms = left.copy()
        if differ.size:
            coins = toss(differ if rows is None else rows[differ])
            alarms[differ] = np.where(coins < mix[1][0], right[differ], left[differ])
        return alarms

    def labels(self, alarms: BoolArray) -> AnyArray:
        """Return alarms as labels; flags and 0/1 need no look-up, which takes longer."""
        kind = self.classes.dtype
        negative, positive = self.classes if self.column else self.classes[::-1]
        if kind.kind == "b":
            return np.asarray(alarms == positive)
        if kind.kind == "i":
            labels = alarms.astype(kind)
            return (
                labels if (negative, positive) == (0, 1) else np.where(alarms, positive, negative)
            )
        return np.array([negative, positive], dtype=kind)[alarms.view(np.int8)]

    def reference_curve(self, model: str | None) -> RocCurve:
        """Return a kept scoring model's own curve; by default that with the largest AUC."""
        kept = [m for m in self.hull.members if m.scoring and m.name in self.components]
        curves = {member.name: member.curve() for member in kept}
        known = {name: curve for name, curve in curves.items() if curve is not None}
        if not known or (model is not None and model not in known):
            raise bad_input(
                "model",
                "be a kept model that scores, on a hull that is not restricted",
                "none such" if model is None else repr(model),
                f"There are: {shown(sorted(known))}." if known else "Fit without bounds.",
            )
        return known[model or max(known, key=lambda name: (known[name].auc, name))]

    def positives(self, y: Any, argument: str) -> BoolArray:
        """Return which labels are the positive one; they must be labels that were fitted on."""
        self.check_direction()
        labels = as_array(y, argument)
        present = distinct_labels(labels, argument)
        unknown = [label for label in present if label not in self.classes.tolist()]
        if unknown:
            raise bad_input(
                argument,
                "hold labels that the hybrid was fitted on",
                shown(unknown),
                f"The labels are: {shown(self.classes.tolist())}.",
            )
        return np.array([label == self.positive for label in labels.tolist()], dtype=bool)

    def _checked(self, point: OperatingPoint) -> OperatingPoint:
        strangers = [place for _, place in point.mix if not self._reaches(place)]
        if strangers:
            raise bad_input(
                "criterion",
                "be an operating point of this hybrid's hull",
                f"one of another ({strangers[0].rule()})",
                f"The kept models are: {shown(sorted(self.components))}.",
            )
        return point

    def _reaches(self, place: RocPoint) -> bool:
        """Say whether a point is a vertex of the hull, or a point of a kept model's curve."""
        if place in self.hull.vertices or place.classifier in (NEVER, ALWAYS):
            return True
        curves = [m.curve() for m in self.hull.members if m.name == place.classifier]
        if not curves or curves[0] is None or not isinstance(place.threshold, float):
            return False
        found = curves[0].at(place.threshold)
        own = found.deployed_threshold, found.fpr, found.tpr
        return own == (place.deployed_threshold, place.fpr, place.tpr)

    def check_direction(self, criterion: Any = None) -> None:
        """Refuse what depends on which class is the positive one, while that is a guess."""
        if not self.direction_known:
            check_symmetric(criterion, self.classes)


def check_symmetric(criterion: Any, classes: AnyArray) -> None:
    """Refuse a criterion to which it matters which class is the positive one."""
    if isinstance(criterion, ErrorRate) and criterion.prevalence == OBSERVED:
        return
    raise bad_input(
        "pos_label",
        "be named to aim at anything but the observed error rate",
        f"labels {shown(classes.tolist())} and no pos_label",
        "For example: RocchClassifier(estimators, pos_label=...), the class to detect.",
    )


def plain_label(label: Any) -> Any:
    """Return a label as Python writes it, not as NumPy does."""
    return label.item() if isinstance(label, np.generic) else label
