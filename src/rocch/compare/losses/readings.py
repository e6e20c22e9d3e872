"""Two readings of a classifier's loss, and who loses less under each.

Adams and Hand's loss (equation 1) is prevalence x miss rate x cost of a miss + (1 - prevalence) x
false alarm rate x cost of a false alarm. Which threshold makes the two rates? Read as an
*envelope*, the best one for the costs: what the hull does, whatever scale the scores are on. Read
as *implied*, the one that the costs imply if scores are probabilities: alarm when the score is at
least c_fp / (c_fp + c_fn). Both agree where probabilities are well calibrated; badly calibrated
ones lose under the second reading only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.kernels.envelopes import Scored, compare_envelopes, compare_implied
from rocch.roc.curve import RocCurve, common_ground
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.compare.losses.cost_axis import CostAxis
    from rocch.kernels.envelopes import Signs
    from rocch.roc.conditions import Case
    from rocch.roc.curve import Judged

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
    judged: Judged
    factors: list[tuple[int, int]]
    reading: Reading = "envelope"

    def signs(self, axis: CostAxis) -> Signs:
        """Compare the lower envelopes of the cost lines."""
        points = [
            _scaled(hull.false_positives, hull.true_positives, factor)
            for hull, factor in zip((self.first, self.second), self.factors, strict=True)
        ]
        return compare_envelopes(*points).along(axis.weights(self.judged))

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
    judged: Judged
    factors: list[tuple[int, int]]
    reading: Reading = "implied"

    def signs(self, axis: CostAxis) -> Signs:
        """Compare losses that jump at the scores; they lie on costs at one prevalence."""
        if axis.prevalence is None:
            raise bad_input(
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
            negatives=self.judged.negatives,
            positives=self.judged.positives,
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
    a: Any, b: Any, *, reading: Any, names: Any = None, different_rows: bool = False
) -> Sides:
    """Check two classifiers, or sets of them, and how their loss is to be read."""
    if reading not in READINGS:
        raise bad_input(
            "reading", "be 'envelope' or 'implied'", repr(reading), "See compare_losses."
        )
    for argument, given in (("a", a), ("b", b)):
        _check_side(argument, given, reading)
    judged, factors = common_ground([a.judged, b.judged], different_rows=different_rows)
    called = _names(a, b, names)
    if reading == "implied":
        return ImpliedThresholds(a, b, called, judged, factors)
    first, second = (side if isinstance(side, RocHull) else RocHull.of(side) for side in (a, b))
    return Envelopes(first, second, called, judged, factors)


def check_whole(hull: RocHull, argument: str) -> None:
    """Refuse a hull that has forgotten who is best outside some bounds."""
    if hull.slope_bounds is not None:
        raise bad_input(
            argument,
            "be a whole hull",
            "one that `within` restricted to bounds on conditions",
            "Pass the hull it was made of.",
        )


def _check_side(argument: str, given: Any, reading: Reading) -> None:
    if not isinstance(given, RocCurve | RocHull):
        raise bad_input(
            argument,
            "be a RocCurve or a RocHull",
            kind_of(given),
            "For example RocCurve.from_scores(y, scores, name='nb').",
        )
    if isinstance(given, RocHull):
        check_whole(given, argument)
    if reading == "implied":
        _check_probabilities(argument, given)


def _check_probabilities(argument: str, given: RocCurve | RocHull) -> None:
    what, do = "be a RocCurve of probabilities for reading='implied'", "Use reading='envelope'."
    if isinstance(given, RocHull):
        raise bad_input(argument, what, "a hull, which has no probabilities", do)
    if given.thresholds is None:
        raise bad_input(argument, what, f"{given.name!r}, which outputs labels only", do)
    low, high = float(given.thresholds[-1]), float(given.thresholds[0])
    if low < 0 or high > 1:
        raise bad_input(argument, what, f"{given.name!r} with scores from {low:g} to {high:g}", do)


def _names(a: RocCurve | RocHull, b: RocCurve | RocHull, names: Any) -> tuple[str, str]:
    if names is None:
        called = _name(a, "set a"), _name(b, "set b")
    elif isinstance(names, tuple | list) and len(names) == 2 and all(map(_is_name, names)):
        called = names[0], names[1]
    else:
        raise bad_input("names", "be two texts", repr(names), "For example ('old', 'new').")
    if called[0] == called[1]:
        raise bad_input(
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
