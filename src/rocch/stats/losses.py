"""Who loses less, for how much of what is believed: Adams and Hand's LC index.

The sign of the difference of two losses partitions the cost axis; the belief's mass on the parts
is the answer. Losses under different costs cannot be added up (Adams and Hand, section 2), so the
index weighs signs and never amounts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.compare.losses.cost_axis import CostAxis, believed_on
from rocch.compare.losses.readings import as_sides
from rocch.errors import bad_input
from rocch.roc.belief import as_belief
from rocch.roc.conditions import Case
from rocch.roc.shapes import known_costs

if TYPE_CHECKING:
    from rocch.compare.losses.cost_axis import AxisName, Masses
    from rocch.compare.losses.readings import Reading, Sides
    from rocch.compare.losses.shape_check import ShapeCheck
    from rocch.kernels.envelopes import Signs
    from rocch.roc.belief import Belief
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull


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
        """The partition of the axis, neighbours with the same winner joined."""
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
        >>> comparison = rocch.compare_losses(a, b, belief=belief, prevalence=0.5)
        >>> comparison.losses_at(false_positive=1, false_negative=2)
        {'a': 0.25, 'b': 0.5}
        """
        costs = known_costs(false_positive=false_positive, false_negative=false_negative)
        if self.prevalence is None:
            raise bad_input(
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
        from rocch.compare.losses.shape_check import check_shapes

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
    different_rows: bool = False,
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
    different_rows
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
    >>> comparison = rocch.compare_losses(lda, qda, belief=expert, prevalence=0.5)
    >>> print(comparison)
    lda is better for all that you believe. LC index 1.00.
    >>> for stretch in comparison.stretches:
    ...     print(f"{stretch.low:.3f} to {stretch.high:.3f}: {stretch.better}")
    0.000 to 0.333: qda
    0.333 to 1.000: lda
    """
    sides = as_sides(a, b, reading=reading, names=names, different_rows=different_rows)
    return _compared(sides, belief, prevalence)


def _compared(sides: Sides, belief: Belief, prevalence: Any) -> LossComparison:
    believed = believed_on(sides.judged, belief, prevalence)
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
