"""The fitted hybrid: a hull with its knob, and the models it needs to decide (Definition 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_list
from rocch.hybrid.coin import content_texts, key_texts, tosses
from rocch.hybrid.rule import Batch, Expression, expression_at
from rocch.hybrid.scores import Component, ScoredBatch, rows_of
from rocch.inputs import as_array, as_number, as_rate, distinct_labels
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.criteria import Capacity, ErrorRate
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint
from rocch.stats.bands import rate_interval

if TYPE_CHECKING:
    from rocch.hybrid.training import OutOfFold


# --- The knob: one setting from 0 to 1 along the hull (Provost and Fawcett, section 3.6) ----------
#
# Turning it to the right raises TPR, turning it to the left lowers FPR. The paper lets FPR itself
# be the setting, which stands still on a vertical segment; (FPR + TPR) / 2 moves strictly on every
# segment, because no segment of the hull is flat in both rates.


@dataclass(frozen=True, slots=True, order=True)
class Knob:
    """A position along a hull: 0 is *never* alarming, 1 is *always* alarming.

    Parameters
    ----------
    position
        (FPR + TPR) / 2 of the point on the hull, from 0 to 1.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> [(rocch.hybrid.Knob.of(vertex).position, vertex.rule()) for vertex in hull]
    [(0.0, 'never alarm'), (0.25, 'alarm when nb >= 0.6'), (0.75, 'alarm when nb >= 0.225'), (1.0, 'always alarm')]
    >>> rocch.hybrid.Knob(0.3).on(hull).rule()
    'alarm when nb >= 0.6'
    >>> rocch.hybrid.Knob(0.35).on(hull, randomize=True).rule()
    'with probability 0.8 alarm when nb >= 0.6, otherwise alarm when nb >= 0.225'
    >>> rocch.hybrid.Knob(0.9).turned(0.3)
    Knob(position=1.0)
    """  # noqa: E501 - the output of an example is one line

    position: float

    def __post_init__(self) -> None:
        hint = "0 is never alarming, 1 is always alarming."
        object.__setattr__(
            self, "position", as_number(self.position, "position", least=0, most=1, hint=hint)
        )

    @classmethod
    def of(cls, point: OperatingPoint | RocPoint) -> Knob:
        """Return the position of a point, which need not lie on the hull."""
        if not isinstance(point, OperatingPoint | RocPoint):
            raise InputError(
                "point",
                "be an operating point or a vertex",
                describe_type(point),
                "For example: Knob.of(hull.best(conditions)).",
            )
        return cls((point.fpr + point.tpr) / 2)

    def turned(self, by: float) -> Knob:
        """Return the knob turned right (by > 0) or left (by < 0), as far as it goes."""
        by = as_number(by, "by", hint="Positive turns right, to more alarms; negative turns left.")
        return Knob(min(max(self.position + by, 0.0), 1.0))

    def on(self, hull: RocHull, *, randomize: bool = False) -> OperatingPoint:
        """Return where this setting operates on a hull.

        With `randomize` it is the exact point, a mix of two vertices (Theorem 7). Without, it is
        the nearest vertex, of two equally near the left one. It is never one of the curves' own
        points between vertices, although these may be nearer: they lie below the hull, so under
        every conditions some vertex is at least as good, and points of different curves need not
        rise in both rates, so that turning right could lower TPR.

        Raises
        ------
        InputError
            If the hull was restricted to bounds on conditions and the setting lies outside.
        """
        places = positions(hull)
        self._check_reach(hull)
        right = min(int(np.searchsorted(places, self.position)), places.size - 1)
        left = max(right - 1, 0)
        nearest = _nearer(places, left, right, self.position)
        off = abs(float(places[nearest]) - self.position)
        if off == 0 or not randomize:
            return _at_vertex(self, hull, nearest, off)
        return _between(self, hull, left, (self.position - places[left]) / np.diff(places)[left])

    def neighbor(self, hull: RocHull, by: float, *, randomize: bool = False) -> Knob | None:
        """Return the setting about so far to the right (by > 0) or to the left; None at the end.

        It always lies truly to that side: without `randomize` it is the vertex nearest to the
        distance asked for, but at least the next one.
        """
        low, high = reach(hull)
        aim = min(max(self.position + by, low), high)
        if randomize:
            return None if aim == self.position else Knob(aim)
        places = positions(hull)
        places = places[(places >= low) & (places <= high)]
        beyond = places[places > self.position] if by > 0 else places[places < self.position]
        if not beyond.size:
            return None
        return Knob(float(beyond[np.argmin(np.abs(beyond - aim))]))

    def _check_reach(self, hull: RocHull) -> None:
        if hull.slope_bounds is None:
            return
        low, high = reach(hull)
        if not low <= self.position <= high:
            raise InputError(
                "position",
                f"lie within {low:.6g} to {high:.6g}, all that this hull knows, because it was "
                "restricted to bounds on conditions",
                f"{self.position:.6g}",
                "Use a setting within, or a hull without bounds.",
            )


def positions(hull: RocHull) -> FloatArray:
    """Return the knob's position at each vertex; they rise strictly."""
    if not isinstance(hull, RocHull):
        raise InputError("hull", "be a RocHull", describe_type(hull), "Build one with RocHull.of.")
    return (hull.fpr + hull.tpr) / 2


def reach(hull: RocHull) -> tuple[float, float]:
    """Return the range of the knob on a hull: 0 to 1, or less where it was restricted.

    Between its outermost own vertices a restricted hull is the whole hull, so a position there
    means the same on both. Beyond them it knows nothing.
    """
    places = positions(hull)
    if hull.slope_bounds is None:
        return 0.0, 1.0
    known = hull.best_between(*hull.slope_bounds)
    return float(places[known[0]]), float(places[known[-1]])


def _nearer(places: FloatArray, left: int, right: int, position: float) -> int:
    return left if position - places[left] <= places[right] - position else right


def _at_vertex(knob: Knob, hull: RocHull, index: int, off: float) -> OperatingPoint:
    vertex = hull.vertices[index]
    return _answer(knob, vertex.fpr, vertex.tpr, ((1.0, vertex),), off)


def _between(knob: Knob, hull: RocHull, segment: int, share: float) -> OperatingPoint:
    left, right = hull.vertices[segment], hull.vertices[segment + 1]
    share = float(share)
    fpr = left.fpr + share * (right.fpr - left.fpr)
    tpr = left.tpr + share * (right.tpr - left.tpr)
    return _answer(knob, fpr, tpr, ((1 - share, left), (share, right)), 0.0)


def _answer(
    knob: Knob, fpr: float, tpr: float, mix: tuple[tuple[float, RocPoint], ...], off: float
) -> OperatingPoint:
    return OperatingPoint(
        fpr=fpr,
        tpr=tpr,
        mix=mix,
        objective=f"distance from knob position {knob.position:.6g}",
        value=off,
        expected_cost=None,
        randomizing_gains=off,
    )


# --- The fitted hybrid: a hull, and the models that it needs to decide (Definition 2) -------------

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
        judged = self.hull.totals
        return not judged.weighted and sum(self.effective_rows) < 0.999 * judged.total

    def rate_intervals(self, point: OperatingPoint, confidence: float) -> tuple[Interval, Interval]:
        """Return exact binomial intervals (Clopper and Pearson) of FPR and TPR at a point."""
        fpr, tpr = (
            rate_interval(min(rate * rows, rows), rows, confidence=confidence)
            for rate, rows in zip((point.fpr, point.tpr), self.effective_rows, strict=True)
        )
        return fpr, tpr

    def aim(self, criterion: Any, *, randomize: bool) -> OperatingPoint:
        """Return where the hull meets a criterion, a knob's setting, or a point named already."""
        self.check_direction(criterion)
        if isinstance(criterion, RocPoint):
            criterion = OperatingPoint.at_point(criterion)
        if isinstance(criterion, OperatingPoint):
            return self._checked(criterion)
        if isinstance(criterion, Knob):
            return criterion.on(self.hull, randomize=randomize)
        return self.hull.best(criterion, randomize=randomize)

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
            raise InputError(
                "model",
                "be a kept model that scores, on a hull that is not restricted",
                "none such" if model is None else repr(model),
                f"There are: {format_list(sorted(known))}." if known else "Fit without bounds.",
            )
        return known[model or max(known, key=lambda name: (known[name].auc, name))]

    def positives(self, y: Any, argument: str) -> BoolArray:
        """Return which labels are the positive one; they must be labels that were fitted on."""
        self.check_direction()
        labels = as_array(y, argument)
        present = distinct_labels(labels, argument)
        unknown = [label for label in present if label not in self.classes.tolist()]
        if unknown:
            raise InputError(
                argument,
                "hold labels that the hybrid was fitted on",
                format_list(unknown),
                f"The labels are: {format_list(self.classes.tolist())}.",
            )
        return np.array([label == self.positive for label in labels.tolist()], dtype=bool)

    def _checked(self, point: OperatingPoint) -> OperatingPoint:
        strangers = [place for _, place in point.mix if not self._reaches(place)]
        if strangers:
            raise InputError(
                "criterion",
                "be an operating point of this hybrid's hull",
                f"one of another ({strangers[0].rule()})",
                f"The kept models are: {format_list(sorted(self.components))}.",
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
    raise InputError(
        "pos_label",
        "be named to aim at anything but the observed error rate",
        f"labels {format_list(classes.tolist())} and no pos_label",
        "For example: RocchClassifier(estimators, pos_label=...), the class to detect.",
    )


def plain_label(label: Any) -> Any:
    """Return a label as Python writes it, not as NumPy does."""
    return label.item() if isinstance(label, np.generic) else label


# --- The rates behind every vertex: fold by fold, and on rows that nobody has seen ----------------


@dataclass(frozen=True, slots=True)
class FoldRate:
    """What one vertex of the hull does on one fold.

    Score scales differ between folds; where these rates scatter more than their counts explain,
    thresholds from pooled folds deserve less trust. A rate is None where the fold has no row of
    that class.
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    fold: int
    negatives: float
    positives: float
    false_positives: float
    true_positives: float

    @property
    def fpr(self) -> float | None:
        """The false positive rate on this fold."""
        return self.false_positives / self.negatives if self.negatives else None

    @property
    def tpr(self) -> float | None:
        """The true positive rate on this fold."""
        return self.true_positives / self.positives if self.positives else None


@dataclass(frozen=True, slots=True)
class VertexCheck:
    """What one vertex promises, and what its model does on rows held out from everything.

    Attributes
    ----------
    promised_fpr, promised_tpr
        The hull's, from the rows that it was judged on.
    fpr, tpr
        Those of the model that is deployed, on the held-out rows.
    fpr_p_value, tpr_p_value
        The chance of a difference at least as large if the rates were equal (two proportions,
        normal approximation with pooled variance). Small values say that the promise does not
        carry over.
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    promised_fpr: float
    promised_tpr: float
    fpr: float
    tpr: float
    negatives: int
    positives: int
    fpr_p_value: float
    tpr_p_value: float


def fold_rates(hybrid: Hybrid, judged: OutOfFold) -> list[FoldRate]:
    """Count false and true positives (weights, for weighted rows) of every vertex on every fold."""
    everyone = np.ones(judged.rows.size, dtype=bool)
    totals = _by_fold(judged, everyone)
    batch = judged.sample
    rates = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        alarms = _by_fold(judged, hybrid.expression(vertex).alarms(batch))
        rates += [
            FoldRate(index, vertex.classifier, vertex.deployed_threshold, fold, *total, *counts)
            for fold, (total, counts) in enumerate(zip(totals, alarms, strict=True))
            if any(total)  # a fold may have been used up by finding combinations
        ]
    return rates


def _by_fold(judged: OutOfFold, chosen: BoolArray) -> list[tuple[float, float]]:
    """Count the chosen negatives and positives in each fold."""
    folds = int(judged.folds.max()) + 1
    columns = []
    for rows in (chosen & ~judged.positive, chosen & judged.positive):
        weights = None if judged.weights is None else judged.weights[rows]
        columns.append(np.bincount(judged.folds[rows], weights, minlength=folds).tolist())
    return list(zip(*columns, strict=True))


def check_vertices(hybrid: Hybrid, batch: Batch, positive: BoolArray) -> list[VertexCheck]:
    """Compare what every vertex promises with what the deployed models do on other rows."""
    negatives, positives = int(np.count_nonzero(~positive)), int(np.count_nonzero(positive))
    before = hybrid.effective_rows
    checks = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        alarms = hybrid.expression(vertex).alarms(batch)
        fpr, tpr = (float(alarms[positive == kind].mean()) for kind in (False, True))
        checks.append(
            VertexCheck(
                index,
                vertex.classifier,
                vertex.deployed_threshold,
                vertex.fpr,
                vertex.tpr,
                fpr,
                tpr,
                negatives,
                positives,
                same_rate((vertex.fpr, before[0]), (fpr, negatives)),
                same_rate((vertex.tpr, before[1]), (tpr, positives)),
            )
        )
    return checks


def same_rate(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the p-value of the hypothesis that two shares (rate, rows) are equal."""
    (p, n), (q, m) = one, other
    pooled = (p * n + q * m) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    if variance <= 0:
        return 1.0
    return math.erfc(abs(p - q) / math.sqrt(2 * variance))


# --- The best K rows of a batch (Provost and Fawcett, Theorem 11 and section 3.4) -----------------


@dataclass(frozen=True, eq=False, slots=True)
class Selection:
    """Exactly K rows of a batch, chosen along the hull.

    Attributes
    ----------
    rows
        The numbers of the chosen rows, rising.
    inclusion_probability
        For every row of the batch, the chance that it is chosen: 1 where both neighboring
        vertices alarm, 0 where neither does, and a stated share where they differ. The sum is K.
    point
        The hull's operating point for K alarms at the stated prevalence.
    expected_true_positives
        How many positives the hull promises among the chosen rows, at the stated prevalence.
    """

    rows: IntArray
    inclusion_probability: FloatArray
    point: OperatingPoint
    expected_true_positives: float

    def __post_init__(self) -> None:
        self.rows.flags.writeable = self.inclusion_probability.flags.writeable = False

    @property
    def expected_precision(self) -> float | None:
        """The share of positives promised among the chosen rows; None where none are chosen."""
        return self.expected_true_positives / self.rows.size if self.rows.size else None


def select(
    hybrid: Hybrid, batch: ScoredBatch, k: int, *, prevalence: Any, row_key: Any, seed: int
) -> Selection:
    """Choose exactly K rows between two neighboring vertices of the hull.

    The vertices are those whose alarms on this batch are at most and at least K; one looks first
    where the hull expects them. Where their answers differ, a fixed number of rows is drawn by
    systematic sampling in the order of the rows' coins, with the shares that make the expected
    number of alarms K. The order of rows in the batch plays no part.
    """
    rows = len(batch)
    if not rows:
        raise InputError("X", "have at least one row", "none", "There is nothing to choose from.")
    observed = prevalence is None or (isinstance(prevalence, str) and prevalence == OBSERVED)
    share = hybrid.hull.totals.prevalence if observed else prevalence
    positives = as_rate(share, "prevalence") * rows
    size = _as_count(k, rows)
    point = hybrid.hull.best(
        Capacity(size, positives=positives, negatives=rows - positives), randomize=True
    )
    left, right = _neighbors(hybrid, batch, size, positives)
    weights, whole = _shares(left, right, size)
    chosen = weights == whole
    mixed = np.flatnonzero((weights > 0) & ~chosen)
    if mixed.size:
        order = mixed[_by_coin(batch, mixed, row_key, seed)]
        start = int(tosses([f"first of {size}"], seed)[0] * whole)
        chosen[order] = _systematic(weights[order], whole, start)
    return Selection(np.flatnonzero(chosen), weights / whole, point, positives * point.tpr)


def _as_count(k: Any, rows: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k <= rows:
        raise InputError(
            "k",
            f"be a whole number from 0 to {rows}, the rows of the batch",
            repr(k),
            "It is how many rows to choose.",
        )
    return int(k)


def _neighbors(
    hybrid: Hybrid, batch: ScoredBatch, size: int, positives: float
) -> tuple[BoolArray, BoolArray]:
    """Return the alarms of two neighboring vertices with at most and at least `size` of them."""
    hull = hybrid.hull
    expected = positives * hull.tpr + (len(batch) - positives) * hull.fpr
    first = int(np.searchsorted(expected, size, side="right")) - 1
    first = min(max(first, 0), len(hull) - 2)

    def alarms(vertex: int) -> BoolArray:
        return hybrid.expression(hull.vertices[vertex]).alarms(batch)

    left, right = alarms(first), alarms(first + 1)
    while left.sum() > size:  # ends at *never*
        first -= 1
        left, right = alarms(first), left
    while right.sum() < size:  # ends at *always*
        first += 1
        left, right = right, alarms(first + 1)
    return left, right


def _shares(left: BoolArray, right: BoolArray, size: int) -> tuple[IntArray, int]:
    """Return each row's chance to be chosen, in whole numbers, and what stands for certainty."""
    fewer, more = int(left.sum()), int(right.sum())
    if fewer == more:
        return left.astype(np.int64), 1
    return left * (more - size) + right * (size - fewer), more - fewer


def _by_coin(batch: ScoredBatch, rows: IntArray, row_key: Any, seed: int) -> IntArray:
    if row_key is None:
        keys = content_texts(rows_of(batch.features, rows))
    else:
        texts = key_texts(row_key, len(batch))
        keys = [texts[row] for row in rows]
    return np.lexsort((np.array(keys), tosses(keys, seed)))


def _systematic(weights: IntArray, whole: int, start: int) -> BoolArray:
    """Draw a fixed number of rows, each with the chance weight / whole (Madow 1949).

    The weights, laid end to end, are met by a ruler with one mark per `whole`, moved by `start`.
    Their sum is a multiple of `whole`, so the number of marks does not depend on the start.
    """
    ends = np.cumsum(weights) + start
    return np.asarray(ends // whole > (ends - weights) // whole)
