"""Which classifier loses less, for how much of a belief: Adams and Hand's LC index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError
from rocch.inputs import as_choice, as_instance, as_level
from rocch.kernels.envelopes import (
    CurveCounts,
    Points,
    Signs,
    compare_envelopes,
    compare_implied,
)
from rocch.progress import Verbose
from rocch.results import Record, Records, Table, Tabular, collect, draw
from rocch.roc.belief import Belief, as_belief, as_known_costs
from rocch.roc.conditions import Case, Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals, align_totals
from rocch.roc.shapes import share_of
from rocch.rows import ScoredRows
from rocch.stats.arguments import Prevalence, check_several, resolve_belief
from rocch.stats.cost_axis import (
    ROUNDING,
    AxisName,
    CostAxis,
    Masses,
    Stretch,
    join_stretches,
    percent,
)
from rocch.stats.resampling import Bootstrap, resample
from rocch.svg import Mark, draw_intervals

# Adams and Hand's loss (equation 1) is prevalence x miss rate x cost of a miss + (1 - prevalence) x
# false alarm rate x cost of a false alarm. As an *envelope*, it is taken at the best threshold for
# the costs, for scores on any scale. As *implied*, it is taken at the threshold that the costs
# imply for probabilities, c_fp / (c_fp + c_fn). Both agree for well calibrated probabilities.

Reading = Literal["envelope", "implied"]

# The most names of a set that are written out.
MOST_NAMES = 3


@dataclass(frozen=True, slots=True, eq=False)
class _LossPair:
    """Two classifiers, or sets of them: hulls for envelopes, curves for implied thresholds."""

    sides: tuple[RocHull | RocCurve, RocHull | RocCurve]
    names: tuple[str, str]
    totals: ClassTotals
    counts: tuple[Points, Points]  # both of the same totals
    reading: Reading


def _compare_counts(
    counts: tuple[Points, Points],
    thresholds: Sequence[FloatArray | None],
    totals: ClassTotals,
    axis: CostAxis,
) -> Signs:
    """Compare two hulls, or curves with these thresholds."""
    if not thresholds:
        return compare_envelopes(*counts).along(axis.weights(totals))
    if axis.prevalence is None:
        raise InputError(
            "prevalence",
            "be one number for {reading}='implied'",
            "an uncertain one",
            "The implied threshold goes with the costs alone, the loss with both; name one "
            "prevalence, or use {reading}='envelope'.",
        )
    first, second = (
        CurveCounts(np.asarray(scores), *points)
        for scores, points in zip(thresholds, counts, strict=True)
    )
    return compare_implied(
        first,
        second,
        negatives=totals.negatives,
        positives=totals.positives,
        prevalence=axis.prevalence,
    )


def check_unrestricted(given: RocCurve | RocHull, argument: str) -> None:
    """Refuse a hull that is restricted to some conditions."""
    if isinstance(given, RocHull) and given.slope_bounds is not None:
        raise InputError(
            argument,
            "be a whole hull",
            "one that `within` restricted to bounds on conditions",
            "Pass the hull it was made of.",
        )


def _check_probabilities(given: RocCurve | RocHull, argument: str) -> None:
    if isinstance(given, RocHull):
        got = "a hull, which has no probabilities"
    elif given.lowest_scores is None:
        got = f"{given.name!r}, which outputs labels only"
    else:
        low, high = float(given.lowest_scores[-1]), float(given.lowest_scores[0])
        if low >= 0 and high <= 1:
            return
        got = f"{given.name!r} with scores from {low:g} to {high:g}"
    requirement = "be a RocCurve of probabilities for {reading}='implied'"
    raise InputError(argument, requirement, got, "Use {reading}='envelope'.")


def _as_names(names: tuple[str, str]) -> tuple[str, str]:
    pair = isinstance(names, tuple | list) and len(names) == 2
    if not pair or not all(isinstance(name, str) and name.strip() for name in names):
        raise InputError("names", "be two texts", repr(names), Hint("For example ('old', 'new')."))
    return names[0], names[1]


def _name(side: RocCurve | RocHull, otherwise: str) -> str:
    if isinstance(side, RocCurve):
        return side.name
    members = [member.name for member in side.members]
    return " + ".join(members) if len(members) <= MOST_NAMES else otherwise


def _scale(side: RocCurve | RocHull, factor: tuple[int, int]) -> Points:
    x, y = side.false_positives, side.true_positives
    if factor == (1, 1):
        return x, y
    return x.astype(object) * factor[0], y.astype(object) * factor[1]


# The sign of the difference of two losses partitions the cost axis. Losses under different costs
# cannot be added up (Adams and Hand, section 2), so the index averages signs, not amounts.


@dataclass(frozen=True, eq=False, repr=False)
class LossComparison(Tabular):
    """Two classifiers, or sets of them, A and B, compared by their losses under a belief.

    Attributes
    ----------
    names
        Of A and of B.
    belief
        The belief, with its prevalence.
    cost_axis, signs
        The axis and its partition.
    """

    names: tuple[str, str]
    belief: Belief
    _prevalence: Prevalence | None
    _pair: _LossPair
    cost_axis: CostAxis
    signs: Signs
    _masses: Masses

    def __post_init__(self) -> None:
        for array in (*self.signs, self._masses.between, self._masses.at):
            array.flags.writeable = False

    def __str__(self) -> str:
        index = f"LC index {self.lc_index:.2f}."
        masses = zip(self.names, (self.mass_a, self.mass_b), strict=True)
        (leader, most), (other, least) = sorted(masses, key=lambda side: -side[1])
        if most < ROUNDING:
            return f"{leader} and {other} lose the same for all that you believe. {index}"
        if most > 1 - ROUNDING:
            return f"{leader} is better for all that you believe. {index}"
        text = f"{leader} is better for {percent(most)} of what you believe"
        if least > ROUNDING:
            text += f", {other} for {percent(least)}"
        if self.ties > ROUNDING:
            text += f"; no difference for {percent(self.ties)}"
        return f"{text}. {index}"

    def __repr__(self) -> str:
        first, second = self.names
        return f"<LossComparison of {first!r} and {second!r}: LC index {self.lc_index:.4g}>"

    def _columns(self) -> Table:
        return collect(self.stretches)

    def _picture(self) -> str:
        return draw(self.stretches)

    @property
    def lc_index(self) -> float:
        """Belief that A is better minus belief that B is: from -1 to 1."""
        return self.mass_a - self.mass_b

    @property
    def mass_a(self) -> float:
        """Belief that A loses less."""
        return self._mass_where(1)

    @property
    def mass_b(self) -> float:
        """Belief that B loses less."""
        return self._mass_where(-1)

    @property
    def ties(self) -> float:
        """Belief that both lose the same."""
        return self._mass_where(0)

    def _mass_where(self, sign: int) -> float:
        between = self._masses.between[self.signs.better == sign].sum()
        return min(float(between + self._masses.at[self.signs.at == sign].sum()), 1.0)

    @property
    def error(self) -> float:
        """Bound on the error of the index; 0 unless costs and prevalence are both uncertain."""
        return self._masses.error * float(np.abs(np.diff(self.signs.better)).sum())

    @property
    def axis(self) -> AxisName:
        """The name of the axis; "cost share" if the prevalence is one number."""
        return self.cost_axis.name

    @property
    def prevalence(self) -> float | None:
        """The prevalence, if it is one number."""
        return self.cost_axis.prevalence

    @property
    def reading(self) -> Reading:
        """How losses are read: "envelope" or "implied"."""
        return self._pair.reading

    @cached_property
    def stretches(self) -> Records[Stretch]:
        """The partition of the axis from 0 to 1; both names where both lose the same."""
        first, second = self.names
        best = {1: (first,), -1: (second,), 0: tuple(sorted(self.names))}
        return join_stretches([best[sign] for sign in self.signs.better.tolist()], self._masses)

    def losses_at(self, *, false_positive: float, false_negative: float) -> dict[str, float]:
        """Return both losses per case at exact costs."""
        alarm, miss = as_known_costs(false_positive=false_positive, false_negative=false_negative)
        if self.prevalence is None:
            raise InputError(
                "prevalence", "be one number for a loss", "an uncertain one", "Compare at one."
            )
        case, threshold = Case(self.prevalence, alarm, miss, 0.0, 0.0), alarm / (alarm + miss)
        sides = self._pair.sides
        points = [side.at(threshold) if isinstance(side, RocCurve) else side for side in sides]
        losses = [float(case.cost(np.asarray(at.fpr), np.asarray(at.tpr)).min()) for at in points]
        return dict(zip(self.names, losses, strict=True))

    def under(self, belief: Belief) -> LossComparison:
        """Compare the same two under another belief."""
        prevalence = None if as_belief(belief).has_prevalence else self._prevalence
        return _compare(self._pair, belief, prevalence)

    def shapes(self) -> ShapeCheck:
        """Return the index under other beliefs with the same elicited numbers.

        The belief must be elicited as bounds (Adams and Hand, section 5.4).
        """
        others = self.belief.other_shapes()
        by_shape = {name: self.under(other).lc_index for name, other in others.items()}
        low, high = self.cost_axis.support(self.belief)
        any_belief = _range(_signs_inside(self.signs, low, high))
        elicited = self.belief.elicited
        unimodal = None
        if self.prevalence is not None and elicited is not None:
            unimodal = any_belief
            if elicited.likely is not None:
                mode = float(share_of(np.float64(elicited.likely), elicited.scale))
                unimodal = unimodal_range(self.signs, low, min(max(mode, low), high), high)
        return ShapeCheck(self.lc_index, by_shape, unimodal, any_belief)

    @property
    def robust(self) -> bool:
        """Whether the index keeps its sign under other shapes; see `ShapeCheck`."""
        return self.shapes().robust


def compare_losses(
    a: RocCurve | RocHull,
    b: RocCurve | RocHull,
    *,
    belief: Belief,
    prevalence: Prevalence | None = None,
    reading: Reading = "envelope",
    names: tuple[str, str] | None = None,
    allow_different_rows: bool = False,
) -> LossComparison:
    """Compare two classifiers, or sets of them, by their losses under a belief.

    Parameters
    ----------
    a, b
        Curves, or hulls: a hull stands for a set of classifiers at its best.
    belief
        A belief about costs, for example `Belief.cost_ratio(5, 10, likely=9)`.
    prevalence
        Unless the belief has one: a number, an interval, a belief, or "observed".
    reading
        "envelope": the least loss over all thresholds; scores need not be probabilities. "implied":
        the loss at the threshold c_fp / (c_fp + c_fn), which penalizes bad calibration; needs
        two curves of probabilities and a prevalence that is one number.
    names
        By default the classifiers' names.
    allow_different_rows
        Accept classifiers evaluated on different rows.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> lda = rocch.RocCurve.from_scores(y, [1, 2, 3, 7, 4, 5, 6, 8], name="lda")
    >>> qda = rocch.RocCurve.from_scores(y, [1, 4, 5, 6, 2, 3, 7, 8], name="qda")
    >>> expert = rocch.Belief.cost_ratio(1, 4, likely=2)
    >>> comparison = rocch.stats.compare_losses(lda, qda, belief=expert, prevalence=0.5)
    >>> print(comparison)
    lda is better for all that you believe. LC index 1.00.
    >>> for stretch in comparison.stretches:
    ...     print(f"{stretch.low:.3f} to {stretch.high:.3f}: {stretch.classifiers}")
    0.000 to 0.333: ('qda',)
    0.333 to 1.000: ('lda',)
    """
    as_choice(reading, get_args(Reading), "reading")
    for argument, given in (("a", a), ("b", b)):
        hint = Hint("For example RocCurve.from_scores(y, scores, name='nb').")
        as_instance(given, (RocCurve, RocHull), argument, hint=hint)
        check_unrestricted(given, argument)
        if reading == "implied":
            _check_probabilities(given, argument)
    totals, factors = align_totals([a.totals, b.totals], allow_different_rows=allow_different_rows)
    called = (_name(a, "set a"), _name(b, "set b")) if names is None else _as_names(names)
    if called[0] == called[1]:
        hint = Hint("Pass names=('old', 'new'), for example.")
        raise InputError("names", "differ", f"{called[0]!r} twice", hint)
    if reading == "envelope":
        a, b = (side if isinstance(side, RocHull) else RocHull.of(side) for side in (a, b))
    counts = _scale(a, factors[0]), _scale(b, factors[1])
    return _compare(_LossPair((a, b), called, totals, counts, reading), belief, prevalence)


def _compare(pair: _LossPair, belief: Belief, prevalence: Prevalence | None) -> LossComparison:
    believed = resolve_belief(belief, prevalence, pair.totals)
    axis = CostAxis(believed.fixed_prevalence)
    thresholds = [side.lowest_scores for side in pair.sides if isinstance(side, RocCurve)]
    signs = _compare_counts(pair.counts, thresholds, pair.totals, axis)
    masses = axis.masses(believed, signs.edges)
    known = axis.prevalence if prevalence is None else prevalence
    return LossComparison(pair.names, believed, known, pair, axis, signs, masses)


# The index is an average of signs over the belief. Over all beliefs between bounds it can be any
# average of the signs found there. A belief is unimodal with mode m exactly if it mixes m and
# uniform beliefs that have one end at m (Khinchin), so the extremes over all unimodal beliefs are
# among those of the uniform ones from m to some x. While x stays on one stretch the average moves
# towards that stretch's sign, so only the stretches' edges and the bounds need to be tried.


@dataclass(frozen=True, slots=True, repr=False)
class ShapeCheck(Tabular):
    """An LC index under other beliefs with the same elicited numbers.

    Attributes
    ----------
    by_shape
        Under the usual shapes (`Belief.other_shapes`).
    unimodal
        The range over all unimodal beliefs with the same bounds and mode; None where the prevalence
        is uncertain too.
    any_belief
        The range over all beliefs between the same bounds.
    """

    lc_index: float
    by_shape: dict[str, float]
    unimodal: Interval | None
    any_belief: Interval

    @property
    def robust(self) -> bool:
        """Whether the index keeps its sign under the usual shapes and all unimodal beliefs."""
        tried = [*self.by_shape.values(), *(self.unimodal or self.any_belief)]
        return self._survives(tried)

    @property
    def certain(self) -> bool:
        """Whether the index keeps its sign under every belief between the bounds."""
        return self._survives(list(self.any_belief))

    def _survives(self, tried: list[float]) -> bool:
        sign = np.sign(self.lc_index)
        return bool(sign) and all(np.sign(value) == sign for value in tried)

    def _columns(self) -> Table:
        """Return the index as it is, under other shapes, and its ranges over many."""
        rows: list[tuple[Any, ...]] = [("as stated", self.lc_index, None, None)]
        rows += [(shape, index, None, None) for shape, index in self.by_shape.items()]
        if self.unimodal is not None:
            rows.append(("all unimodal", None, *self.unimodal))
        rows.append(("all between the bounds", None, *self.any_belief))
        names = ("shape", "lc_index", "low", "high")
        return dict(zip(names, zip(*rows, strict=True), strict=True))

    def _picture(self) -> str:
        columns = zip(*self._columns().values(), strict=True)
        marks = [Mark(shape, low, high, index) for shape, index, low, high in columns]
        return draw_intervals(marks, "LC index", reference=0)

    def __str__(self) -> str:
        if not any(self.any_belief):
            return "Neither is better, whatever the belief between these bounds."
        if self.certain:
            return "The conclusion holds whatever the belief between these bounds."
        if self.robust:
            return "The conclusion holds for every unimodal belief with these bounds and this peak."
        if self._survives(list(self.by_shape.values())):
            return "The conclusion holds for the usual shapes, but not for every unimodal belief."
        return "The conclusion depends on the shape of the belief."


def unimodal_range(signs: Signs, low: float, mode: float, high: float) -> Interval:
    """Return the range of the index over all unimodal beliefs on [low, high]."""
    upwards = _uniform(signs.edges, signs.better, mode, high)
    downwards = _uniform(-signs.edges[::-1], signs.better[::-1], -mode, -low)
    return _range([*upwards, *downwards, float(_sign_at(signs, mode))])


def _uniform(edges: FloatArray, better: IntArray, start: float, end: float) -> list[float]:
    """Return the index of uniform beliefs from `start` to each edge above it, and to `end`."""
    if start >= end:
        return []
    stops = np.append(edges[(edges > start) & (edges < end)], end)
    lengths = np.diff(np.concatenate(([start], stops)))
    first = int(np.searchsorted(edges, start, side="right")) - 1
    signed = np.cumsum(better[first : first + stops.size] * lengths)
    averages: list[float] = np.clip(signed / np.cumsum(lengths), -1, 1).tolist()
    return averages


def _sign_at(signs: Signs, place: float) -> int:
    edge = int(np.searchsorted(signs.edges, place))
    if signs.edges[edge] == place:
        return int(signs.at[edge])
    return int(signs.better[edge - 1])


def _signs_inside(signs: Signs, low: float, high: float) -> list[int]:
    """Return the signs strictly between two bounds, or where both are."""
    if low == high:
        return [_sign_at(signs, low)]
    edges, better, at = signs
    between = better[(edges[:-1] < high) & (edges[1:] > low)]
    found: list[int] = np.concatenate((between, at[(edges > low) & (edges < high)])).tolist()
    return found


def _range(values: list[float] | list[int]) -> Interval:
    return Interval(float(min(values)), float(max(values)))


# Adams and Hand (section 6) leave the spread of the index open. It comes from the curves, which are
# estimates; resampled rows show it.


@dataclass(frozen=True, slots=True, repr=False)
class LcInterval(Record):
    """The LC index of a pair, and its spread over resamples.

    Attributes
    ----------
    first, second
        The two classifiers; 1 means that the first is surely better.
    interval
        Percentiles of the resamples, not an exact confidence interval.
    favored
        The share of resamples that favor the first; ties count half.
    confidence
        That of the interval.
    """

    first: str
    second: str
    lc_index: float
    interval: Interval
    favored: float
    confidence: float

    def __str__(self) -> str:
        return (
            f"{self.first} against {self.second}: LC index {self.lc_index:.2f} "
            f"({100 * self.confidence:.0f}% of resamples: {self.interval.low:.2f} to "
            f"{self.interval.high:.2f}); {self.first} is favored in "
            f"{100 * self.favored:.0f}% of them."
        )

    @classmethod
    def _draw(cls, records: Sequence[LcInterval]) -> str:
        marks = [Mark(f"{r.first} against {r.second}", *r.interval, r.lc_index) for r in records]
        return draw_intervals(marks, "LC index", reference=0)


def lc_intervals(
    y_true: ArrayLike,
    scores: Columns,
    *,
    belief: Belief,
    prevalence: Prevalence | None = None,
    reading: Reading = "envelope",
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    replicates: int = 1000,
    confidence: float = 0.95,
    random_state: int = 0,
    verbose: Verbose = 0,
) -> Records[LcInterval]:
    """Return the LC index of every pair of classifiers with its spread over resamples.

    Parameters
    ----------
    y_true, scores, pos_label, groups, replicates, random_state, verbose
        As for `rocch.stats.bootstrap`.
    belief, prevalence, reading
        As for `rocch.stats.compare_losses`.
    confidence
        The share of resamples in the interval.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.35
    >>> scores = {"lda": rng.normal(size=300) + 1.2 * y, "qda": rng.normal(size=300) + y}
    >>> expert = rocch.Belief.cost_ratio(2, 20, likely=16).with_prevalence(0.35)
    >>> (found,) = rocch.stats.lc_intervals(y, scores, belief=expert, replicates=200)
    >>> found.interval.low <= found.lc_index <= found.interval.high
    True
    """
    level = as_level(confidence)
    rows = ScoredRows.of(y_true, scores, pos_label=pos_label, groups=groups)
    check_several(rows.scores)
    drawn = resample(rows, replicates=replicates, random_state=random_state, verbose=verbose)
    believed = resolve_belief(belief, prevalence, drawn.sample_totals)
    drawn.check_enough(level)
    axis = CostAxis(believed.fixed_prevalence)
    intervals = []
    for first, second in combinations(drawn.models, 2):
        curves = drawn.curve(first), drawn.curve(second)
        index = compare_losses(*curves, belief=believed, reading=reading).lc_index
        indices = np.empty(len(drawn))
        for number in range(len(drawn)):
            signs = _replicate_signs(drawn, curves, number, reading, axis)
            masses = axis.masses(believed, signs.edges)
            indices[number] = masses.between @ signs.better + masses.at @ signs.at
        low, high = np.quantile(indices, [(1 - level) / 2, (1 + level) / 2]).tolist()
        favored = float(np.mean(indices > 0) + np.mean(indices == 0) / 2)
        intervals.append(LcInterval(first, second, index, Interval(low, high), favored, level))
    return Records(intervals)


def _replicate_signs(
    drawn: Bootstrap, pair: tuple[RocCurve, RocCurve], number: int, reading: Reading, axis: CostAxis
) -> Signs:
    totals = ClassTotals(*drawn.totals[number].tolist())
    if reading == "implied":
        replicate = drawn.replicate(number)
        first, second = (replicate.counts(curve.name) for curve in pair)
        return _compare_counts(
            (first, second), [curve.lowest_scores for curve in pair], totals, axis
        )
    first, second = (drawn.hull(curve.name)[number] for curve in pair)
    return _compare_counts((first, second), [], totals, axis)
