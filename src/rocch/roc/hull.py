"""The ROC convex hull of many classifiers, each vertex knowing whose it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, explain_call, format_list
from rocch.inputs import as_columns, as_name, as_positive, as_scores, find_duplicates, is_number
from rocch.kernels import passes as bucket_passes
from rocch.kernels.buckets import hull_from_scores
from rocch.kernels.engine import engine_for
from rocch.kernels.hull import distinct_points, twice_area, upper_hull
from rocch.roc import curve as measures
from rocch.roc.conditions import Conditions, as_conditions
from rocch.roc.curve import ClassTotals, RocCurve, align_totals, judged_rows
from rocch.roc.operating_point import (
    ALWAYS,
    NEVER,
    OperatingPoint,
    RocPoint,
    Threshold,
    make_point,
    midpoint,
)
from rocch.rows import ScoredRows

if TYPE_CHECKING:
    from rocch.roc.criteria import Criterion
    from rocch.roc.sensitivity import Sensitivity


# --- A classifier's part in a joint hull: the vertices of its own hull, with their thresholds -----
#
# A vertex of the joint hull is a vertex of the own hull of every classifier that reaches it, so
# nothing else of a curve is needed.


class CurveSource(Protocol):
    """Something that a full curve can be had from, if a limit asks for it."""

    @property
    def totals(self) -> ClassTotals:
        """The rows that it was judged on."""

    @property
    def curve(self) -> RocCurve:
        """The full curve."""


@dataclass(frozen=True, eq=False)
class DeferredCurve:
    """Rows kept by reference, so that the full curve can be built if a limit asks for it."""

    name: str
    positive: BoolArray
    scores: FloatArray
    totals: ClassTotals
    vertices: tuple[IntArray, IntArray]
    """Counts at the vertices that the rows gave when the hull was built."""

    @cached_property
    def curve(self) -> RocCurve:
        """The full curve, built once and kept."""
        return self.counted()

    def counted(self) -> RocCurve:
        """Build the full curve, and check it against the vertices."""
        curve = RocCurve.from_scores(self.positive, self.scores, name=self.name)
        own = Member.from_curve(curve)
        counts = own.false_positives, own.true_positives
        same = all(np.array_equal(a, b) for a, b in zip(counts, self.vertices, strict=True))
        if curve.totals != self.totals or not same:
            raise InputError(
                f"the scores of {self.name!r} (or the labels) were changed after the hull was "
                "built from them. Build the hull again, or pass copies."
            )
        return curve


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One classifier's own hull, without the two trivial ends unless it labels exactly so."""

    name: str
    scoring: bool
    false_positives: IntArray
    true_positives: IntArray
    thresholds: tuple[Threshold, ...] | FloatArray
    next_lower: FloatArray | None
    """For a scoring classifier, the next lower observed score at each vertex."""
    source: RocCurve | CurveSource | None

    @classmethod
    def from_curve(cls, curve: RocCurve) -> Member:
        """Take the vertices of one curve's own hull (Algorithm 3, corrected)."""
        if curve.thresholds is None:
            return cls._labeled(curve)
        fp, tp = curve.false_positives, curve.true_positives
        distinct = distinct_points(fp, tp)
        inner = distinct[upper_hull(fp[distinct], tp[distinct])[1:-1]]
        thresholds, lower = curve.thresholds[inner - 1], curve.thresholds[inner]
        return cls(curve.name, True, fp[inner], tp[inner], thresholds, lower, curve)

    @classmethod
    def from_rows(
        cls,
        name: str,
        column: Any,
        positive: BoolArray,
        class_totals: ClassTotals,
        passes: ModuleType,
    ) -> Member:
        """Take the vertices straight from scores; the last one is an end, which all share."""
        scores = as_scores(column, positive.size, argument=f"scores[{name!r}]")
        thresholds, lower, fp, tp = (c[:-1] for c in hull_from_scores(scores, positive, passes))
        rows = DeferredCurve(name, positive, scores, class_totals, (fp, tp))
        return cls(as_name(name), True, fp, tp, thresholds, lower, rows)

    @classmethod
    def _labeled(cls, curve: RocCurve) -> Member:
        """Keep every labeled point: they are few, and settings may coincide."""
        settings = curve.settings or ()
        fp, tp = curve.false_positives[1:-1], curve.true_positives[1:-1]
        return cls(curve.name, False, fp, tp, settings, None, curve)

    def curve(self) -> RocCurve | None:
        """Return the full curve, if it can still be had."""
        source = self.source
        return source if source is None or isinstance(source, RocCurve) else source.curve

    def passing_curve(self) -> RocCurve | None:
        """Return the full curve, but do not keep it: for one look at each of many large ones."""
        if isinstance(self.source, DeferredCurve) and "curve" not in vars(self.source):
            return self.source.counted()
        return self.curve()

    def scaled(self, by_negatives: int, by_positives: int) -> Member:
        """Return the same points on totals that are so many times larger."""
        if by_negatives == by_positives == 1:
            return self
        return replace(
            self,
            false_positives=self.false_positives.astype(object) * by_negatives,
            true_positives=self.true_positives.astype(object) * by_positives,
        )

    def holder(self, index: int) -> tuple[str, Threshold, Threshold]:
        """Return name, threshold and deployed threshold at one of the vertices."""
        threshold: Any = self.thresholds[index]
        if self.next_lower is None:
            return self.name, threshold, threshold
        deployed = midpoint(float(threshold), float(self.next_lower[index]))
        return self.name, float(threshold), deployed

    def only(self, points: set[tuple[int, int]]) -> Member:
        """Return the member with some of its points alone, and without its rows or curve."""
        pairs = zip(self.false_positives.tolist(), self.true_positives.tolist(), strict=True)
        keep = [i for i, pair in enumerate(pairs) if pair in points]
        thresholds = self.thresholds
        return replace(
            self,
            false_positives=self.false_positives[keep],
            true_positives=self.true_positives[keep],
            thresholds=thresholds[keep]
            if isinstance(thresholds, np.ndarray)
            else tuple(thresholds[i] for i in keep),
            next_lower=None if self.next_lower is None else self.next_lower[keep],
            source=None,
        )


# --- From the members of a hull to its vertices ---------------------------------------------------


def joint_vertices(
    members: Sequence[Member], class_totals: ClassTotals
) -> tuple[IntArray, IntArray]:
    """Return the counts at the vertices of the members' joint hull."""
    if len(members) == 1 and members[0].scoring:
        x, y = members[0].false_positives, members[0].true_positives
        return (
            np.concatenate(([0], x, [class_totals.negatives])),
            np.concatenate(([0], y, [class_totals.positives])),
        )
    x = np.concatenate([[0], *(m.false_positives for m in members), [class_totals.negatives]])
    y = np.concatenate([[0], *(m.true_positives for m in members), [class_totals.positives]])
    order = np.lexsort((y, x)) if x.dtype != object else np.array(_by_pairs(x, y))
    x, y = x[order], y[order]
    distinct = distinct_points(x, y)
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    return x[vertex], y[vertex]


def _by_pairs(x: IntArray, y: IntArray) -> list[int]:
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    return sorted(range(len(pairs)), key=pairs.__getitem__)


def checked_names(members: Sequence[Member]) -> tuple[Member, ...]:
    """Return the members if their names are distinct and none is a trivial classifier's."""
    names = [member.name for member in members]
    for reserved in (NEVER, ALWAYS):
        if reserved in names:
            raise InputError(
                "name",
                "not be that of a trivial classifier",
                repr(reserved),
                "Rename it; 'never' and 'always' are on every hull.",
            )
    twice = find_duplicates(names)
    if twice:
        raise InputError(
            "names", "be distinct", f"{format_list(twice)} more than once", "Rename one."
        )
    return tuple(members)


# --- Who wins where along the slope axis: Table 2 of Provost and Fawcett --------------------------


@dataclass(frozen=True, slots=True)
class SlopeRange:
    """A range of slopes of iso-performance lines, and the classifier that wins there.

    At a slope that two rows share, both are equally good.
    """

    classifier: str
    low: float
    high: float

    def __str__(self) -> str:
        end = "inf)" if math.isinf(self.high) else f"{self.high:.4g}]"
        return f"[{self.low:.4g}, {end} {self.classifier}"


def fewest_ranges(
    edges: Sequence[float],
    names: Sequence[Sequence[str]],
    bounds: tuple[float, float] | None = None,
) -> list[SlopeRange]:
    """Cover the slope axis with as few classifiers' ranges as possible.

    `names[i]` are those who win between `edges[i]` and `edges[i + 1]`. Taking each time the
    classifier that lasts longest gives the fewest rows; ties go to the first by name.
    """
    low, high = bounds or (0.0, math.inf)
    stretches = [
        (max(left, low), min(right, high), set(holders))
        for (left, right), holders in zip(pairwise(edges), names, strict=True)
        if max(left, low) < min(right, high)
    ]
    if not stretches:  # bounds that meet in one slope: whoever holds it
        holders = next(h for e, h in zip(edges[1:], names, strict=True) if e >= low)
        return [SlopeRange(min(holders), low, high)]
    rows: list[SlopeRange] = []
    start = 0
    while start < len(stretches):
        lasting = {name: _run(stretches, start, name) for name in stretches[start][2]}
        winner = min(lasting, key=lambda name: (-lasting[name], name))
        end = start + lasting[winner]
        rows.append(SlopeRange(winner, stretches[start][0], stretches[end - 1][1]))
        start = end
    return rows


def common_bounds(
    given: Sequence[tuple[float, float] | None],
) -> tuple[float, float] | None:
    """Return the bounds within which all of several hulls can answer; None for no bounds."""
    bounds = [pair for pair in given if pair is not None]
    if not bounds:
        return None
    low, high = max(pair[0] for pair in bounds), min(pair[1] for pair in bounds)
    if low > high:
        raise InputError(
            "hulls to be joined must have bounds on conditions that overlap; these were restricted "
            f"to slopes {' and '.join(f'{a:.6g} to {b:.6g}' for a, b in bounds)}. Join the "
            "unrestricted hulls."
        )
    return low, high


def _run(stretches: Sequence[tuple[float, float, set[str]]], start: int, name: str) -> int:
    """Count the stretches from `start` on that a classifier wins without a break."""
    end = start
    while end < len(stretches) and name in stretches[end][2]:
        end += 1
    return end - start


# --- The ROC convex hull of many classifiers, each vertex knowing whose it is ---------------------

FOR_EXAMPLE = "RocHull.from_scores(y_true, {'nb': scores}), or RocHull.of(curve)"

SAME_SLOPE = 1e-12
"""Slopes that agree to this relative difference count as equal."""

SAME_BOUND = 1e-9
"""Bounds on slopes likewise: beliefs hold shares, which know large cost ratios less exactly."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new classifier does to a hull (Provost and Fawcett, sections 2.2.4 and 3.8).

    Attributes
    ----------
    extends
        Whether the hull grows; if not, the classifier can never be better than what was there.
    ties
        Whether it merely reaches points that are vertices already (it is then named there too).
    driven_out
        Names of classifiers that held a vertex before and hold none now.
    hull
        The hull with the new classifier; the old one if it adds nothing.
    """

    extends: bool
    ties: bool
    driven_out: tuple[str, ...]
    hull: RocHull


@explain_call(FOR_EXAMPLE)
@dataclass(frozen=True, eq=False, repr=False)
class RocHull:
    """The upper-left convex hull of classifiers in ROC space, with everyone's name kept.

    Build it with `RocHull.of` from curves, points and other hulls, or with `RocHull.from_scores`
    straight from scores, which is much faster. It always runs from *never* to *always* alarming.
    Membership is decided on integer counts; points inside a segment are not vertices.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> hull = rocch.RocHull.from_scores(
    ...     y, {"nb": [1, 2, 6, 5, 4, 7], "gbm": [3, 4, 5, 2, 6, 7]}
    ... )
    >>> [(v.classifiers, round(v.fpr, 3), round(v.tpr, 3)) for v in hull.vertices]
    [(('gbm', 'nb'), 0.0, 0.0), (('gbm',), 0.0, 0.667), (('nb',), 0.333, 1.0), (('gbm', 'nb'), 1.0, 1.0)]
    >>> for row in hull.slope_ranges():
    ...     print(row)
    [0, 1] nb
    [1, inf) gbm
    """  # noqa: E501 - the output of an example is one line

    totals: ClassTotals
    members: tuple[Member, ...]
    slope_bounds: tuple[float, float] | None = None
    _shape: tuple[IntArray, IntArray] = field(init=False)

    def __post_init__(self) -> None:
        class_totals: object = self.totals
        if not isinstance(class_totals, ClassTotals):
            got = f"{describe_type(class_totals)} and {describe_type(self.members)}"
            raise InputError(
                "RocHull", "be made by from_scores or of", got, f"For example: {FOR_EXAMPLE}."
            )
        x, y = joint_vertices(self.members, self.totals)
        x.flags.writeable = y.flags.writeable = False
        object.__setattr__(self, "_shape", (x, y))

    @classmethod
    def of(cls, *parts: RocCurve | RocHull, allow_different_rows: bool = False) -> RocHull:
        """Build the joint hull of curves, labeled points and other hulls.

        Parameters
        ----------
        parts
            Curves and hulls, all judged on the same rows, with distinct names.
        allow_different_rows
            Accept parts judged on different rows. Their rates are then compared exactly, but they
            come from different samples; counts are scaled to common multiples of the totals, and
            there is no observed prevalence.
        """
        if not parts:
            raise InputError("parts", "be at least one curve", "none", "Pass RocCurve objects.")
        for part in parts:
            if not isinstance(part, RocCurve | RocHull):
                raise InputError(
                    "parts",
                    "be RocCurve or RocHull objects",
                    describe_type(part),
                    "Use RocHull.from_scores for scores.",
                )
        class_totals, factors = align_totals(
            [part.totals for part in parts], allow_different_rows=allow_different_rows
        )
        members = [
            member.scaled(*factor)
            for part, factor in zip(parts, factors, strict=True)
            for member in (
                part.members if isinstance(part, RocHull) else (Member.from_curve(part),)
            )
        ]
        bounds = common_bounds([p.slope_bounds for p in parts if isinstance(p, RocHull)])
        joint = cls(class_totals, checked_names(members))
        return joint if bounds is None else joint.restricted(*bounds)

    @classmethod
    def from_rows(cls, rows: ScoredRows, names: Iterable[str] | None = None) -> RocHull:
        """Build the joint hull of some rows' classifiers, of all unless they are named."""
        chosen = list(rows.scores if names is None else names)
        scoring = {name: rows.scores[name] for name in chosen if rows.scores[name].dtype != bool}
        parts = [RocCurve.from_rows(rows, name) for name in chosen if name not in scoring]
        if not scoring:
            return cls.of(*parts)
        hull = cls.from_scores(rows.positive, scoring, sample_weight=rows.weights)
        return cls.of(*parts, hull) if parts else hull

    @classmethod
    def from_scores(
        cls, y_true: Any, scores: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> RocHull:
        """Build the joint hull straight from scores; no full curve is built.

        Parameters
        ----------
        y_true
            Labels: boolean, 0/1 or -1/1, or anything else with `pos_label`.
        scores
            A mapping from classifier names to scores, or a data frame with a column for each.
        pos_label, sample_weight
            As for `RocCurve.from_scores`.

        Notes
        -----
        The arrays are kept by reference, because a limit without randomizing needs the curves'
        own points later. Changing them in place is noticed and refused then.
        """
        columns = as_columns(scores)
        positive = as_positive(y_true, pos_label)
        if sample_weight is not None:
            return cls.of(
                *(
                    RocCurve.from_scores(positive, column, sample_weight=sample_weight, name=name)
                    for name, column in columns.items()
                )
            )
        class_totals = judged_rows(positive)
        passes = engine_for(bucket_passes, positive.size * len(columns))
        members = [
            Member.from_rows(name, column, positive, class_totals, passes)
            for name, column in columns.items()
        ]
        return cls(class_totals, checked_names(members))

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(row.classifier for row in self.slope_ranges()))
        return (
            f"<RocHull of {len(self.members)} classifier(s): {len(self)} vertices, won by {names}>"
        )

    def __len__(self) -> int:
        return self.false_positives.size

    def __iter__(self) -> Iterator[RocPoint]:
        return iter(self.vertices)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RocHull):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        """What makes two hulls equal: totals and vertices, not the rows' order or the losers."""
        totals = self.totals.negatives, self.totals.positives, self.totals.unit
        return *totals, *(tuple(counts.tolist()) for counts in self._shape), self.vertices

    @property
    def false_positives(self) -> IntArray:
        """False positives at the vertices, in `judged.unit`."""
        return self._shape[0]

    @property
    def true_positives(self) -> IntArray:
        """True positives at the vertices, in `judged.unit`."""
        return self._shape[1]

    @property
    def fpr(self) -> FloatArray:
        """False positive rates at the vertices."""
        return self._rates[0]

    @property
    def tpr(self) -> FloatArray:
        """True positive rates at the vertices."""
        return self._rates[1]

    @cached_property
    def _rates(self) -> tuple[FloatArray, ...]:
        rates = self.totals.rates(*self._shape)
        for rate in rates:
            rate.flags.writeable = False
        return rates

    @cached_property
    def exact_rates(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """FPR and TPR at the vertices as fractions; two that differ may round to one double."""
        totals = self.totals.negatives, self.totals.positives
        fpr, tpr = (
            [Fraction(count, total) for count in counts.tolist()]
            for counts, total in zip(self._shape, totals, strict=True)
        )
        return tuple(zip(fpr, tpr, strict=True))

    @cached_property
    def slopes(self) -> FloatArray:
        """Slopes of the segments from left to right; they fall, the first may be infinite."""
        slopes = self.totals.slopes(*self._shape)
        slopes.flags.writeable = False
        return slopes

    @cached_property
    def vertices(self) -> tuple[RocPoint, ...]:
        """The vertices from *never* to *always*, with classifiers and thresholds."""
        amount = self.totals.amount
        columns = zip(*(c.tolist() for c in (*self._rates, *self._shape)), strict=True)
        return tuple(
            make_point((fpr, tpr), (amount(fp), amount(tp)), holders)
            for (fpr, tpr, fp, tp), holders in zip(columns, self._holders, strict=True)
        )

    @cached_property
    def _holders(self) -> list[list[tuple[str, Threshold, Threshold]]]:
        """Name, threshold and deployed threshold of everyone at each vertex.

        Scoring classifiers that hold an inner vertex also reach both ends, and are credited there;
        an end that nobody on the hull reaches belongs to the trivial classifier alone.
        """
        place = {
            point: i for i, point in enumerate(zip(*(c.tolist() for c in self._shape), strict=True))
        }
        holders: list[list[tuple[str, Threshold, Threshold]]] = [[] for _ in place]
        last = len(holders) - 1
        for member in self.members:
            points = zip(
                member.false_positives.tolist(), member.true_positives.tolist(), strict=True
            )
            held = [(i, place[point]) for i, point in enumerate(points) if point in place]
            for index, vertex in held:
                holders[vertex].append(member.holder(index))
            if member.scoring and held:
                holders[0].append((member.name, None, None))
                holders[last].append((member.name, None, None))
        for end, name in ((0, NEVER), (last, ALWAYS)):
            holders[end] = holders[end] or [(name, None, None)]
        return holders

    @cached_property
    def auc(self) -> float:
        """The area under the hull; at least that of every member."""
        self._check_whole("auc")
        return twice_area(*self._shape) / (2 * self.totals.positives * self.totals.negatives)

    @property
    def equal_error_rate(self) -> float:
        """The rate at which FPR = 1 - TPR on the hull."""
        self._check_whole("equal_error_rate")
        return measures.equal_error_rate(self.fpr, self.tpr)

    def tpr_at(self, fpr: float) -> float:
        """Return the highest TPR of the hull at this FPR."""
        self._check_whole("tpr_at")
        return measures.tpr_at(self.fpr, self.tpr, fpr)

    def fpr_at(self, tpr: float) -> float:
        """Return the lowest FPR of the hull at this TPR."""
        self._check_whole("fpr_at")
        return measures.fpr_at(self.fpr, self.tpr, tpr)

    def slope_ranges(self) -> list[SlopeRange]:
        """Say who wins where: touching ranges of slopes, each with its classifier (Table 2).

        Rows run from slope 0 to infinity. Where several classifiers share vertices, the rows are
        as few as possible, and among those the first by name; so a classifier whose curve alone
        is the hull has the single row [0, infinity).
        """
        edges = [0.0, *self.slopes[::-1].tolist(), math.inf]
        names = [[name for name, *_ in holders] for holders in reversed(self._holders)]
        return fewest_ranges(edges, names, self.slope_bounds)

    def dominator(self) -> str | None:
        """Return the classifier whose curve alone is the hull, if there is one."""
        rows = self.slope_ranges()
        trivial = rows[0].classifier in (NEVER, ALWAYS)
        return rows[0].classifier if len(rows) == 1 and not trivial else None

    def consider(self, part: RocCurve | RocHull, *, allow_different_rows: bool = False) -> Verdict:
        """Say what a new classifier does to this hull.

        Examples
        --------
        >>> import rocch
        >>> y = [0, 0, 1, 1]
        >>> hull = rocch.RocHull.from_scores(y, {"old": [1, 3, 2, 4]})
        >>> better = rocch.RocCurve.from_scores(y, [1, 2, 3, 4], name="new")
        >>> verdict = hull.consider(better)
        >>> verdict.extends, verdict.driven_out
        (True, ('old',))
        """
        joint = RocHull.of(self, part, allow_different_rows=allow_different_rows)
        if joint.exact_rates == self.exact_rates:
            ties = joint._holders != self._holders
            return Verdict(False, ties, (), joint if ties else self)
        before, now = self.winners, joint.winners
        gone = tuple(sorted(before - now))
        return Verdict(True, False, gone, joint)

    def add(self, part: RocCurve | RocHull, *, allow_different_rows: bool = False) -> RocHull:
        """Return the hull with a new classifier; the same hull if it adds nothing."""
        return self.consider(part, allow_different_rows=allow_different_rows).hull

    @cached_property
    def winners(self) -> frozenset[str]:
        """Names of the classifiers that hold a vertex."""
        return frozenset(name for holders in self._holders for name, *_ in holders) - {
            NEVER,
            ALWAYS,
        }

    def within(self, conditions: Conditions) -> RocHull:
        """Return the hull restricted to bounds on conditions: fewer classifiers to store.

        Keeps the vertices that can be best somewhere within the bounds (Provost and Fawcett,
        section 3.8). The restricted hull answers only questions about conditions within them.
        """
        return self.restricted(*as_conditions(conditions).resolved(self.totals).slope_range)

    def restricted(self, low: float, high: float) -> RocHull:
        """Return the hull restricted to bounds on slopes; see `within`."""
        best = self.best_between(low, high)
        names = {name for i in best for name, *_ in self._holders[i]}
        points = {(self.false_positives[i], self.true_positives[i]) for i in best}
        members = tuple(member.only(points) for member in self.members if member.name in names)
        return RocHull(self.totals, members, slope_bounds=(low, high))

    def best_between(self, low: float, high: float) -> range:
        """Return the indices of the vertices that are best at some slope from low to high.

        At a slope equal to a segment's, both its ends are best. Slopes come from conditions as
        floats, so they count as equal when they agree to 12 digits.
        """
        if not (is_number(low) and is_number(high) and low <= high):
            raise InputError("low, high", "be two slopes, low first", f"{low!r}, {high!r}", "Swap?")
        self._check_bounds(low, high)
        falling = -self.slopes
        first = int(np.searchsorted(falling, -high * (1 + SAME_SLOPE), side="left"))
        last = int(np.searchsorted(falling, -low * (1 - SAME_SLOPE), side="right"))
        return range(first, last + 1)

    def best_each(self, slopes: FloatArray) -> IntArray:
        """Return for each of many slopes the index of the best vertex, the left one of equals."""
        slopes = _as_slopes(slopes)
        if slopes.size:
            self._check_bounds(float(slopes.min()), float(slopes.max()))
        return np.searchsorted(-self.slopes, -slopes * (1 + SAME_SLOPE), side="left")

    def best(self, criterion: Conditions | Criterion, *, randomize: bool = False) -> OperatingPoint:
        """Return the operating point that is best by a criterion.

        Parameters
        ----------
        criterion
            Exact `Conditions` (least expected cost), or any criterion: `ErrorRate`,
            `NeymanPearson`, `MinimumTpr`, `Capacity`, `Constrained`, `MinimaxRegret`.
        randomize
            Allow the answer to mix two vertices by a coin, which reaches any point on the hull
            (Theorem 7). Without it, limits are met by the best point of any curve. Either way the
            answer says what randomizing would gain.

        Raises
        ------
        InputError
            If the conditions are intervals: there is no single best point then.
        InfeasibleError
            If nothing meets the limits.
        GuaranteeError
            If the limits are such that the hull no longer guarantees the best answer.
        """
        from rocch.roc.search import find_best

        return find_best(self, criterion, randomize=randomize)

    def sensitivity(self, conditions: Conditions) -> Sensitivity:
        """Say which choices can be best under vague conditions, and what a wrong one costs."""
        from rocch.roc.sensitivity import analyze

        return analyze(self, conditions)

    def _check_whole(self, what: str) -> None:
        if self.slope_bounds is not None:
            raise InputError(
                f"{what} is not known to this hull, which was restricted to bounds on conditions. "
                "Ask a hull without bounds."
            )

    def _check_bounds(self, low: float, high: float) -> None:
        if self.slope_bounds is None:
            return
        least, most = self.slope_bounds
        if low < least * (1 - SAME_BOUND) or high > most * (1 + SAME_BOUND):
            raise InputError(
                f"this hull was restricted to slopes {least:.6g} to {most:.6g}; the question needs "
                f"{low:.6g} to {high:.6g}. Ask within these bounds, or a hull without them."
            )


def _as_slopes(slopes: Any) -> FloatArray:
    """Return slopes as an array of one dimension, or refuse what is none."""
    try:
        array = np.asarray(slopes, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim != 1 or np.isnan(array).any() or (array < 0).any():
        raise InputError(
            "slopes",
            "be a sequence of numbers that are not negative",
            describe_type(slopes) if array.ndim != 1 else "others",
            "For conditions use hull.best(conditions); RowConditions have slopes(hull.totals).",
        )
    return array
