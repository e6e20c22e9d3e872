"""Who loses less, for how much of what is believed: Adams and Hand's LC index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type
from rocch.kernels.envelopes import Scored, Signs, compare_envelopes, compare_implied, share_weights
from rocch.roc.belief import Belief, as_belief
from rocch.roc.belief_axis import Part, SampledCases
from rocch.roc.conditions import Case, Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals, align_totals
from rocch.roc.shapes import Atoms, Elicited, Shape, known_costs, sampled, share_of

# --- The axis on which losses are compared, and what a belief weighs along it ---------------------
#
# Who loses less depends on one number, the probability-cost of the positive class. Where the
# prevalence is one number, it goes with the miss's share of both costs, c = c_fn / (c_fp + c_fn):
# Adams and Hand's c1, on which experts' beliefs lie. Comparisons use that axis then.

AxisName = Literal["cost share", "probability-cost"]

CELLS = 400
"""A density is drawn from the masses of so many cells; a sample's on a tenth of them."""

MOST_ATOMS = 24
"""So many single shares are drawn one by one."""

WHOLE = 1e-9
"""A rest of belief that is too little to be drawn."""


class Masses(NamedTuple):
    """The belief on the stretches between edges and at the edges.

    The error is that of the mass below any edge: the quadrature's where costs and prevalence are
    both uncertain, 0 elsewhere, because masses then have closed forms and are only rounded.
    """

    between: FloatArray
    at: FloatArray
    error: float


class Density(NamedTuple):
    """A belief to be drawn: heights along the axis, and single points with their masses."""

    x: FloatArray
    height: FloatArray
    atoms: FloatArray
    masses: FloatArray


@dataclass(frozen=True, slots=True)
class CostAxis:
    """The miss's share of the costs at one prevalence, or else the probability-cost."""

    prevalence: float | None

    @property
    def name(self) -> AxisName:
        """What the axis holds."""
        return "probability-cost" if self.prevalence is None else "cost share"

    def weights(self, class_totals: ClassTotals) -> tuple[int, int]:
        """Return the weights that bring odds of counts onto the axis."""
        if self.prevalence is None:
            return class_totals.positives, class_totals.negatives
        return share_weights(class_totals.negatives, class_totals.positives, self.prevalence)

    def support(self, belief: Belief) -> tuple[float, float]:
        """Return between which points the belief lies."""
        if self.prevalence is None:
            return belief.axis_range
        low, high = belief.cost_share
        return low, high

    def masses(self, belief: Belief, edges: FloatArray) -> Masses:
        """Weigh stretches between edges that rise from 0 to 1, and the edges themselves."""
        if self.prevalence is None:
            found = belief.stretches(edges)
            between, at, error = found.mass, found.at_edges, found.error
        else:
            upto, below = (_mass(belief, edges, inclusive=to) for to in (True, False))
            between, at, error = np.maximum(below[1:] - upto[:-1], 0.0), upto - below, 0.0
        total = between.sum() + at.sum()  # 1, but for rounding, which is shared out
        return Masses(between / total, at / total, error)

    def density(self, belief: Belief) -> Density:
        """Return heights, and single points with their masses, to be drawn."""
        low, high = self.support(belief)
        atoms, masses = self._atoms(belief) if low < high else (np.array([low]), np.ones(1))
        if masses.sum() > 1 - WHOLE:
            return Density(np.empty(0), np.empty(0), atoms, masses)
        lumps = not atoms.size and any(_lumpy(part) for _, part in belief.parts)
        grid = self._grid(belief, CELLS // 10 if lumps else CELLS)
        found = self.masses(belief, np.unique([0.0, *grid, 1.0]))
        first = int(grid[0] > 0)
        mass = found.between[first : first + grid.size - 1]
        if lumps:
            at = found.at[first : first + grid.size]
            mass = mass + at[:-1] + np.append(np.zeros(mass.size - 1), at[-1])
        height = mass / np.diff(grid)
        x = np.concatenate((grid[:1], (grid[1:] + grid[:-1]) / 2, grid[-1:]))
        return Density(x, np.concatenate((height[:1], height, height[-1:])), atoms, masses)

    def _grid(self, belief: Belief, cells: int) -> FloatArray:
        """Return the edges of cells over the belief's support; bounds and apexes are among them."""
        even = np.linspace(*self.support(belief), cells + 1)
        if self.prevalence is None:
            return np.asarray(even)
        shares = [_share(part) for _, part in belief.parts]
        marks = [mark for share in shares for mark in (*share.support, share.likely)]
        return np.unique([*even, *(mark for mark in marks if mark is not None)])

    def _atoms(self, belief: Belief) -> tuple[FloatArray, FloatArray]:
        """Return a belief's single shares, if they are few; many are drawn as a density."""
        shapes = [(w, _share(part)) for w, part in belief.parts if self.prevalence is not None]
        single = [(w, shape) for w, shape in shapes if isinstance(shape, Atoms)]
        shares = np.concatenate([np.empty(0), *(shape.shares for _, shape in single)])
        if shares.size > MOST_ATOMS:
            return np.empty(0), np.empty(0)
        masses = np.concatenate([np.empty(0), *(w * shape.weights for w, shape in single)])
        return shares, masses


def believed_on(class_totals: ClassTotals, belief: Any, prevalence: Any) -> Belief:
    """Return a belief with a prevalence, which must be named once: in the belief or beside it."""
    believed = as_belief(belief)
    if prevalence is not None:
        if believed.has_prevalence:
            raise InputError(
                "prevalence",
                "be left out where the belief has one",
                repr(prevalence),
                f"The belief says: {believed}.",
            )
        believed = believed.with_prevalence(prevalence)
    return believed.resolved(class_totals)


def _mass(belief: Belief, edges: FloatArray, *, inclusive: bool) -> FloatArray:
    """Return the mass of the cost shares up to edges, or only below them."""
    parts = [w * _share(p).cumulative(edges, inclusive=inclusive)[0] for w, p in belief.parts]
    return np.asarray(np.sum(parts, axis=0))


def _share(part: Part) -> Shape:
    """Return what a part of a belief says about the miss's share of the costs."""
    if not isinstance(part, SampledCases):
        return part.shares[0]
    shares = part.false_negative / (part.false_positive + part.false_negative)
    return sampled(shares, "share", weights=part.weights, argument="belief")


def _lumpy(part: Part) -> bool:
    """Say whether a part of a belief is made of single conditions."""
    return isinstance(part, SampledCases) or all(isinstance(shape, Atoms) for shape in part.shares)


# --- Two readings of a classifier's loss, and who loses less under each ---------------------------
#
# Adams and Hand's loss (equation 1) is prevalence x miss rate x cost of a miss + (1 - prevalence) x
# false alarm rate x cost of a false alarm. Which threshold makes the two rates? Read as an
# *envelope*, the best one for the costs: what the hull does, whatever scale the scores are on. Read
# as *implied*, the one that the costs imply if scores are probabilities: alarm when the score is at
# least c_fp / (c_fp + c_fn). Both agree where probabilities are well calibrated; badly calibrated
# ones lose under the second reading only.

Reading = Literal["envelope", "implied"]
READINGS = get_args(Reading)

MOST_NAMES = 3
"""So many names of one set are written out."""


@dataclass(frozen=True, slots=True, eq=False)
class Envelopes:
    """Two hulls, each used at its best threshold for the costs."""

    first: RocHull
    second: RocHull
    names: tuple[str, str]
    totals: ClassTotals
    factors: list[tuple[int, int]]
    reading: Reading = "envelope"

    def signs(self, axis: CostAxis) -> Signs:
        """Compare the lower envelopes of the cost lines."""
        points = [
            _scaled(hull.false_positives, hull.true_positives, factor)
            for hull, factor in zip((self.first, self.second), self.factors, strict=True)
        ]
        return compare_envelopes(*points).along(axis.weights(self.totals))

    def losses(self, case: Case) -> tuple[float, float]:
        """Return the least loss over the vertices."""
        first, second = (
            float(_loss(case, hull.fpr, hull.tpr).min()) for hull in (self.first, self.second)
        )
        return first, second


@dataclass(frozen=True, slots=True, eq=False)
class ImpliedThresholds:
    """Two estimators of probabilities, each used at the threshold that the costs imply."""

    first: RocCurve
    second: RocCurve
    names: tuple[str, str]
    totals: ClassTotals
    factors: list[tuple[int, int]]
    reading: Reading = "implied"

    def signs(self, axis: CostAxis) -> Signs:
        """Compare losses that jump at the scores; they lie on costs at one prevalence."""
        if axis.prevalence is None:
            raise InputError(
                "prevalence",
                "be one number for reading='implied'",
                "an uncertain one",
                "The implied threshold goes with the costs alone, the loss with both; name one "
                "prevalence, or use reading='envelope'.",
            )
        first, second = (
            Scored(
                np.asarray(curve.thresholds),
                *_scaled(curve.false_positives, curve.true_positives, factor),
            )
            for curve, factor in zip((self.first, self.second), self.factors, strict=True)
        )
        return compare_implied(
            first,
            second,
            negatives=self.totals.negatives,
            positives=self.totals.positives,
            prevalence=axis.prevalence,
        )

    def losses(self, case: Case) -> tuple[float, float]:
        """Return the losses at the implied threshold."""
        threshold = case.false_positive / (case.false_positive + case.false_negative)
        points = (curve.at(threshold) for curve in (self.first, self.second))
        first, second = (float(_loss(case, point.fpr, point.tpr)) for point in points)
        return first, second


Sides = Envelopes | ImpliedThresholds
"""Two classifiers, or sets of them, whose losses can be compared."""


def as_sides(
    a: Any, b: Any, *, reading: Any, names: Any = None, allow_different_rows: bool = False
) -> Sides:
    """Check two classifiers, or sets of them, and how their loss is to be read."""
    if reading not in READINGS:
        raise InputError(
            "reading", "be 'envelope' or 'implied'", repr(reading), "See compare_losses."
        )
    for argument, given in (("a", a), ("b", b)):
        _check_side(argument, given, reading)
    class_totals, factors = align_totals(
        [a.totals, b.totals], allow_different_rows=allow_different_rows
    )
    called = _names(a, b, names)
    if reading == "implied":
        return ImpliedThresholds(a, b, called, class_totals, factors)
    first, second = (side if isinstance(side, RocHull) else RocHull.of(side) for side in (a, b))
    return Envelopes(first, second, called, class_totals, factors)


def check_whole(hull: RocHull, argument: str) -> None:
    """Refuse a hull that has forgotten who is best outside some bounds."""
    if hull.slope_bounds is not None:
        raise InputError(
            argument,
            "be a whole hull",
            "one that `within` restricted to bounds on conditions",
            "Pass the hull it was made of.",
        )


def _check_side(argument: str, given: Any, reading: Reading) -> None:
    if not isinstance(given, RocCurve | RocHull):
        raise InputError(
            argument,
            "be a RocCurve or a RocHull",
            describe_type(given),
            "For example RocCurve.from_scores(y, scores, name='nb').",
        )
    if isinstance(given, RocHull):
        check_whole(given, argument)
    if reading == "implied":
        _check_probabilities(argument, given)


def _check_probabilities(argument: str, given: RocCurve | RocHull) -> None:
    what, hint = "be a RocCurve of probabilities for reading='implied'", "Use reading='envelope'."
    if isinstance(given, RocHull):
        raise InputError(argument, what, "a hull, which has no probabilities", hint)
    if given.thresholds is None:
        raise InputError(argument, what, f"{given.name!r}, which outputs labels only", hint)
    low, high = float(given.thresholds[-1]), float(given.thresholds[0])
    if low < 0 or high > 1:
        raise InputError(
            argument, what, f"{given.name!r} with scores from {low:g} to {high:g}", hint
        )


def _names(a: RocCurve | RocHull, b: RocCurve | RocHull, names: Any) -> tuple[str, str]:
    if names is None:
        called = _name(a, "set a"), _name(b, "set b")
    elif isinstance(names, tuple | list) and len(names) == 2 and all(map(_is_name, names)):
        called = names[0], names[1]
    else:
        raise InputError("names", "be two texts", repr(names), "For example ('old', 'new').")
    if called[0] == called[1]:
        raise InputError(
            "names", "differ", f"{called[0]!r} twice", "Pass names=('old', 'new'), for example."
        )
    return called


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip())


def _name(side: RocCurve | RocHull, otherwise: str) -> str:
    if isinstance(side, RocCurve):
        return side.name
    members = [member.name for member in side.members]
    return " + ".join(members) if len(members) <= MOST_NAMES else otherwise


def _scaled(x: IntArray, y: IntArray, factor: tuple[int, int]) -> tuple[IntArray, IntArray]:
    """Return counts on common totals."""
    return (
        (x, y) if factor == (1, 1) else (x.astype(object) * factor[0], y.astype(object) * factor[1])
    )


def _loss(case: Case, fpr: Any, tpr: Any) -> Any:
    """Return Adams and Hand's equation 1, with class 1 the positive one."""
    p = case.prevalence
    return (1 - p) * fpr * case.false_positive + p * (1 - tpr) * case.false_negative


# --- Who loses less, for how much of what is believed: Adams and Hand's LC index ------------------
#
# The sign of the difference of two losses partitions the cost axis; the belief's mass on the parts
# is the answer. Losses under different costs cannot be added up (Adams and Hand, section 2), so the
# index weighs signs and never amounts.

ROUNDING = 1e-9
"""Belief that is too little to be spoken of."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the cost axis on which one is better, or nobody.

    Attributes
    ----------
    low, high
        Its ends, on the comparison's axis.
    better
        The name of the better one; None where both lose the same.
    mass
        How much of the belief lies on it.
    """

    low: float
    high: float
    better: str | None
    mass: float


@dataclass(frozen=True, eq=False, repr=False)
class LossComparison:
    """Two classifiers, or sets of them, compared by their losses under a belief.

    Made by `compare_losses`.

    Attributes
    ----------
    names
        Of A and of B.
    reading
        How losses were read: "envelope" or "implied".
    belief
        What was believed, with its prevalence.
    axis
        "cost share": the miss's share of both costs (Adams and Hand's c1), where the prevalence is
        one number; otherwise "probability-cost".
    prevalence
        The prevalence, if it is one number.
    lc_index
        Belief that A is better minus belief that B is: 1 if A surely is, -1 if B surely is.
    mass_a, mass_b, ties
        Belief that A loses less, that B does, and that both lose the same.
    error
        Of the index: the quadrature's, where costs and prevalence are both uncertain; otherwise 0,
        and only the last digits are rounded.
    stretches
        The partition of the axis from 0 to 1. Single points of the belief that lie just where two
        stretches meet are in the masses (with the envelope reading, in `ties`) but in no stretch.
    cost_axis, signs
        The axis, which weighs beliefs, and the partition as arrays.
    """

    names: tuple[str, str]
    belief: Belief
    _prevalence: Any
    _sides: Sides
    cost_axis: CostAxis
    signs: Signs
    _masses: Masses

    def __post_init__(self) -> None:
        for array in (*self.signs, self._masses.between, self._masses.at):
            array.flags.writeable = False

    def __str__(self) -> str:
        return f"{_sentence(self)} LC index {self.lc_index:.2f}."

    def __repr__(self) -> str:
        first, second = self.names
        return f"<LossComparison of {first!r} and {second!r}: LC index {self.lc_index:.4g}>"

    @property
    def lc_index(self) -> float:
        """Belief that A is better minus belief that B is."""
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
        """Bound on the error of the index, beyond rounding."""
        return self._masses.error * float(np.abs(np.diff(self.signs.better)).sum())

    @property
    def axis(self) -> AxisName:
        """What the axis of the stretches is."""
        return self.cost_axis.name

    @property
    def prevalence(self) -> float | None:
        """The prevalence, if it is one number."""
        return self.cost_axis.prevalence

    @property
    def reading(self) -> Reading:
        """How losses were read."""
        return self._sides.reading

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """The partition of the axis, neighbors with the same winner joined."""
        names = {1: self.names[0], -1: self.names[1], 0: None}
        edges = self.signs.edges.tolist()
        parts = zip(
            edges,
            edges[1:],
            self.signs.better.tolist(),
            self._masses.between.tolist(),
            strict=False,
        )
        found = []
        for sign, run in groupby(parts, key=lambda part: part[2]):
            group = list(run)
            mass = sum(part[3] for part in group)
            found.append(Stretch(group[0][0], group[-1][1], names[sign], mass))
        return tuple(found)

    def losses_at(self, *, false_positive: float, false_negative: float) -> dict[str, float]:
        """Return both losses per case at exact costs: Adams and Hand's equation 1.

        Examples
        --------
        >>> import rocch
        >>> a = rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4], name="a")
        >>> b = rocch.RocCurve.from_scores([0, 1, 0, 1], [2, 1, 4, 3], name="b")
        >>> belief = rocch.Belief.miss_costs(1, 4)
        >>> comparison = rocch.stats.compare_losses(a, b, belief=belief, prevalence=0.5)
        >>> comparison.losses_at(false_positive=1, false_negative=2)
        {'a': 0.25, 'b': 0.5}
        """
        costs = known_costs(false_positive=false_positive, false_negative=false_negative)
        if self.prevalence is None:
            raise InputError(
                "prevalence", "be one number for a loss", "an uncertain one", "Compare at one."
            )
        case = Case(self.prevalence, costs[0], costs[1], 0.0, 0.0)
        return dict(zip(self.names, self._sides.losses(case), strict=True))

    def under(self, belief: Belief) -> LossComparison:
        """Compare the same two under another belief, at the same prevalence unless it has one."""
        known = None if as_belief(belief).has_prevalence else self._prevalence
        return _compared(self._sides, belief, known)

    def shapes(self) -> ShapeCheck:
        """Say what becomes of the index under other beliefs with the same elicited numbers.

        The shape of a belief is what nobody can defend (Adams and Hand, section 5.4). Needs a
        belief that was elicited as bounds, such as `Belief.miss_costs(5, 10, likely=9)`.
        """
        return check_shapes(self)

    @property
    def robust(self) -> bool:
        """Whether the index keeps its sign under all usual shapes and all unimodal beliefs."""
        return self.shapes().robust


def compare_losses(
    a: RocCurve | RocHull,
    b: RocCurve | RocHull,
    *,
    belief: Belief,
    prevalence: Any = None,
    reading: Reading = "envelope",
    names: tuple[str, str] | None = None,
    allow_different_rows: bool = False,
) -> LossComparison:
    """Compare two classifiers, or sets of them, by their losses under a belief about conditions.

    Parameters
    ----------
    a, b
        Curves, or hulls: a hull stands for a set of classifiers used at its best.
    belief
        What is believed about costs, for example `Belief.miss_costs(5, 10, likely=9)`.
    prevalence
        The share of positives: a number, an interval, a belief about it, or "observed". Must be
        left out where the belief has one.
    reading
        How a loss is read. "envelope": at each cost the least loss over all thresholds; scores
        need not be probabilities. "implied": the loss of the threshold that the costs imply on
        estimated probabilities, c_fp / (c_fp + c_fn); it punishes bad calibration, and needs two
        scoring curves with scores in [0, 1] and a prevalence that is one number.
    names
        What to call the two; by default the classifiers' names.
    allow_different_rows
        Accept classifiers judged on different rows.

    Returns
    -------
    LossComparison

    Raises
    ------
    InputError
        If the belief is not a `Belief`, if the prevalence is missing or named twice, if a hull was
        restricted, or if the implied reading is asked of what has no probabilities.

    Notes
    -----
    The partition of the cost axis is exact: signs are decided on integer counts, and its edges are
    correctly rounded. Belief on stretches where both lose the same is in `ties` and adds nothing
    to the index; Adams and Hand are silent about them, and they do occur: where both do best by
    never alarming, for example.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> lda = rocch.RocCurve.from_scores(y, [1, 2, 3, 7, 4, 5, 6, 8], name="lda")
    >>> qda = rocch.RocCurve.from_scores(y, [1, 4, 5, 6, 2, 3, 7, 8], name="qda")
    >>> expert = rocch.Belief.miss_costs(1, 4, likely=2)
    >>> comparison = rocch.stats.compare_losses(lda, qda, belief=expert, prevalence=0.5)
    >>> print(comparison)
    lda is better for all that you believe. LC index 1.00.
    >>> for stretch in comparison.stretches:
    ...     print(f"{stretch.low:.3f} to {stretch.high:.3f}: {stretch.better}")
    0.000 to 0.333: qda
    0.333 to 1.000: lda
    """
    sides = as_sides(a, b, reading=reading, names=names, allow_different_rows=allow_different_rows)
    return _compared(sides, belief, prevalence)


def _compared(sides: Sides, belief: Belief, prevalence: Any) -> LossComparison:
    believed = believed_on(sides.totals, belief, prevalence)
    axis = CostAxis(believed.fixed_prevalence)
    signs = sides.signs(axis)
    masses = axis.masses(believed, signs.edges)
    known = axis.prevalence if prevalence is None else prevalence
    return LossComparison(sides.names, believed, known, sides, axis, signs, masses)


def _sentence(comparison: LossComparison) -> str:
    """Say who is better for how much of the belief, the better one first."""
    sides = sorted(
        zip(comparison.names, (comparison.mass_a, comparison.mass_b), strict=True),
        key=lambda side: -side[1],
    )
    (leader, most), (other, least) = sides
    if most < ROUNDING:
        return f"{leader} and {other} lose the same for all that you believe."
    if most > 1 - ROUNDING:
        return f"{leader} is better for all that you believe."
    said = f"{leader} is better for {percent(most)} of what you believe"
    if least > ROUNDING:
        said += f", {other} for {percent(least)}"
    if comparison.ties > ROUNDING:
        said += f"; no difference for {percent(comparison.ties)}"
    return said + "."


def percent(mass: float) -> str:
    """Write a mass as a whole percentage; never as all or nothing when it is neither."""
    if mass > 0.995 and mass < 1 - ROUNDING:
        return "over 99 %"
    if mass < 0.005 and mass > ROUNDING:
        return "under 1 %"
    return f"{100 * mass:.0f} %"


# --- Whether a conclusion survives other beliefs with the same bounds and most likely value -------
#
# Besides the usual shapes there are exact ranges. The index is an average of signs over the belief.
# Over all beliefs between the bounds it can be any average of the signs found there. A belief is
# unimodal with mode m exactly if it mixes m itself and uniform beliefs that have one end at m
# (Khinchin); the index of a mixture is the mixture of the indices, so its extremes over all
# unimodal beliefs are among those of the uniform ones from m to some x. While x stays on one
# stretch the average moves towards that stretch's sign, so only the stretches' edges and the bounds
# need to be tried.


@dataclass(frozen=True, slots=True)
class ShapeCheck:
    """What an LC index becomes under other beliefs with the same elicited numbers.

    Attributes
    ----------
    lc_index
        Under the belief itself.
    by_shape
        Under the usual shapes, by their names (`Belief.other_shapes`).
    unimodal
        The range over all unimodal beliefs with the same bounds and the same most likely value on
        the miss's share of the costs. Without a most likely value any mode will do. None where
        the prevalence is uncertain too.
    any_belief
        The range over all beliefs between the same bounds.
    """

    lc_index: float
    by_shape: dict[str, float]
    unimodal: Interval | None
    any_belief: Interval

    @property
    def robust(self) -> bool:
        """Whether the index keeps its sign under all usual shapes and all unimodal beliefs."""
        tried = [*self.by_shape.values(), *(self.unimodal or self.any_belief)]
        return self._survives(tried)

    @property
    def certain(self) -> bool:
        """Whether the index keeps its sign under every belief between the bounds."""
        return self._survives(list(self.any_belief))

    def _survives(self, tried: list[float]) -> bool:
        sign = np.sign(self.lc_index)
        return bool(sign) and all(np.sign(value) == sign for value in tried)

    def __str__(self) -> str:
        if not any(self.any_belief):
            return "Neither is better, whatever the belief between these bounds."
        if self.certain:
            return "The conclusion holds whatever the belief between these bounds."
        if self.robust:
            return "The conclusion holds for every unimodal belief with these bounds and this peak."
        values = [self.lc_index, *self.by_shape.values()]
        if self._survives(values):
            return "The conclusion holds for the usual shapes, but not for every unimodal belief."
        return "The conclusion depends on the shape of the belief."


def check_shapes(comparison: LossComparison) -> ShapeCheck:
    """Try the usual shapes, and find the exact ranges."""
    others = comparison.belief.other_shapes()
    by_shape = {name: comparison.under(other).lc_index for name, other in others.items()}
    signs = comparison.signs
    low, high = comparison.cost_axis.support(comparison.belief)
    any_belief = _range(_signs_inside(signs, low, high))
    said = comparison.belief.elicited
    unimodal = None
    if comparison.prevalence is not None and said is not None:
        unimodal = _unimodal(signs, low, high, said) if said.likely is not None else any_belief
    return ShapeCheck(comparison.lc_index, by_shape, unimodal, any_belief)


def unimodal_range(signs: Signs, low: float, mode: float, high: float) -> Interval:
    """Return the range of the index over all unimodal beliefs on [low, high] with this mode."""
    upwards = _uniform(signs.edges, signs.better, mode, high)
    downwards = _uniform(-signs.edges[::-1], signs.better[::-1], -mode, -low)
    return _range([*upwards, *downwards, float(_sign_at(signs, mode))])


def _unimodal(signs: Signs, low: float, high: float, said: Elicited) -> Interval:
    mode = float(share_of(np.float64(said.likely), said.scale))
    return unimodal_range(signs, low, min(max(mode, low), high), high)


def _uniform(edges: FloatArray, better: IntArray, start: float, end: float) -> list[float]:
    """Return the index of the uniform beliefs from `start` to each edge, and to `end`, above it."""
    if start >= end:
        return []
    stops = np.append(edges[(edges > start) & (edges < end)], end)
    lengths = np.diff(np.concatenate(([start], stops)))
    first = int(np.searchsorted(edges, start, side="right")) - 1
    signed = np.cumsum(better[first : first + stops.size] * lengths)
    averages: list[float] = np.clip(signed / np.cumsum(lengths), -1, 1).tolist()
    return averages


def _sign_at(signs: Signs, place: float) -> int:
    """Return the sign at one point of the axis."""
    edge = int(np.searchsorted(signs.edges, place))
    if signs.edges[edge] == place:
        return int(signs.at[edge])
    return int(signs.better[edge - 1])


def _signs_inside(signs: Signs, low: float, high: float) -> list[int]:
    """Return the signs strictly between two bounds, or at the one point that both are.

    Nobody believes in a bound itself; at the ends of the axis, where one error costs nothing,
    nobody loses anything.
    """
    if low == high:
        return [_sign_at(signs, low)]
    edges, better, at = signs
    between = better[(edges[:-1] < high) & (edges[1:] > low)]
    found: list[int] = np.concatenate((between, at[(edges > low) & (edges < high)])).tolist()
    return found


def _range(values: list[float] | list[int]) -> Interval:
    return Interval(float(min(values)), float(max(values)))
