"""The hill-climb along the knob: evidence from feedback, and moves."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import Hint, InputError
from rocch.hybrid.coin import tosses
from rocch.inputs import as_flag, as_level, as_number, as_rates, as_whole
from rocch.results import Record
from rocch.roc.conditions import Conditions, as_conditions
from rocch.roc.criteria import MinimaxRegret
from rocch.roc.hull import RocHull
from rocch.roc.knob import Knob, reach
from rocch.roc.operating_point import OperatingPoint

# One sequential test, valid at any time, serves every kind of feedback.
#
# Feedback is a sum of differences S without upward drift unless a move is justified. With a
# suitable V, exp(x S - x^2 V / 2) has expectation at most 1 for every x > 0, at all times. Its mean
# over x with a half-normal weight of variance 1 / PRIOR is Robbins' normal mixture, an "e-value"
# that stays below any level L, for ever, with probability at least 1 - 1/L.
#
# V is a third of the observed sum of squares plus two thirds of the variance expected by chance:
# exp(x - x^2/6) <= 1 + x + x^2/3 makes that valid for differences of any shape (Delyon, Electronic
# Journal of Probability 14, 2009), also for the skewed ones of rare and expensive misses, where a
# normal approximation moves far too easily.
#
# The unit is a standard deviation under chance: about one complaint, one period's load, or ten rows
# on which two settings differ.

# At about eight times this V the test is sharpest: after a few units of feedback.
PRIOR = 1.0
# Rows in one unit.
ROWS_IN_UNIT = 10
# Squares of larger weights could overflow.
LEAST_PROPENSITY = 1e-9
# Larger evidence is not written out.
PLENTY = 1000
WAYS = {-1: "fewest alarms", 1: "most alarms"}

SELECTIVE_LABELS = Hint(
    "Labels that exist only because a row alarmed do not tell what was missed, so neither FPR nor "
    "TPR can be learned from them. Pass complete=True if every row of the period is here, reviewed "
    "whether it alarmed or not; or choose rows with explore(...) and pass their propensities.",
    http="Labels that exist only because a row alarmed do not tell what was missed. Send "
    '"complete": true if every row of the period is here, reviewed whether it alarmed or not; or '
    '"propensities", the probability with which each row was to be reviewed.',
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for turning the knob one way.

    Attributes
    ----------
    total
        By how much that way looks better, in standard deviations.
    variance
        The variance of the total under chance alone.

    Examples
    --------
    >>> from rocch.hybrid.climb import Evidence
    >>> Evidence(10, 10).e_value > 40 > Evidence(9, 9).e_value
    True
    """

    total: float = 0.0
    variance: float = 0.0

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(self.total + other.total, self.variance + other.variance)

    @classmethod
    def from_sums(
        cls, total: float, squares: float, expected_squares: float, scale: float = 1.0
    ) -> Evidence:
        """Return evidence from a sum, and its squares as seen and as expected by chance."""
        if squares == expected_squares == 0:
            return NOTHING
        area = scale * scale
        return cls(total / scale, (squares / area + 2 * (expected_squares / area)) / 3)

    @property
    def log_e(self) -> float:
        """The logarithm of the e-value."""
        spread = self.variance + PRIOR
        return math.log(2) + math.log(PRIOR / spread) / 2 + _log_tilt(self.total / spread**0.5)

    @property
    def e_value(self) -> float:
        """The factor by which a bet on this way would have grown."""
        return math.exp(min(self.log_e, 700.0))

    def is_settled(self, alpha: float, window: float) -> bool:
        """Whether this way is worse, or its window has passed."""
        against = Evidence(-self.total, self.variance)
        return self.variance >= window or against.log_e >= math.log(2 / alpha)


NOTHING = Evidence()


def _log_tilt(z: float) -> float:
    """Return z^2 / 2 + log(Phi(z)), also where Phi underflows."""
    if z < -30:
        return math.log1p(-1 / (z * z)) - math.log(-z * math.sqrt(2 * math.pi))
    return z * z / 2 + math.log(math.erfc(-z / math.sqrt(2)) / 2)


@dataclass(frozen=True, slots=True)
class Sides:
    """The evidence for turning left and for turning right."""

    left: Evidence = NOTHING
    right: Evidence = NOTHING

    def __add__(self, other: Sides) -> Sides:
        return Sides(self.left + other.left, self.right + other.right)

    @classmethod
    def opposite(cls, total: float, variance: float) -> Sides:
        """Return evidence for the right that counts equally against the left."""
        return cls(Evidence(-total, variance), Evidence(total, variance))

    def toward(self, way: int) -> Evidence:
        """Return the evidence for left (-1) or right (1)."""
        return self.left if way < 0 else self.right

    def without(self, ways: Collection[int]) -> Sides:
        """Return the evidence with some sides reset."""
        return Sides(NOTHING if -1 in ways else self.left, NOTHING if 1 in ways else self.right)

    def decide(self, alpha: float) -> int:
        """Return -1 for left, 1 for right, 0 for neither."""
        way = -1 if self.left.log_e >= self.right.log_e else 1
        # half of alpha for each side
        return way if self.toward(way).log_e >= math.log(2 / alpha) else 0


def weigh_load(alarms: float, capacity: float, tolerance: float) -> Sides:
    """Weigh a count of alarms against a capacity, as a Poisson count."""
    most, fewest = capacity * (1 + tolerance), capacity * (1 - tolerance)
    scale = capacity**0.5
    return Sides(
        Evidence.from_sums(alarms - most, alarms, most, scale),
        Evidence.from_sums(fewest - alarms, alarms, fewest, scale),
    )


def weigh_outcomes(
    now: FloatArray,
    other: FloatArray,
    positive: BoolArray,
    weights: FloatArray,
    costs: tuple[float, float],
) -> Evidence:
    """Weigh what another setting would have saved on labeled rows.

    `now` and `other` are probabilities of an alarm; the costs are those of a false positive and of
    a false negative.
    """
    apart = now != other
    if not apart.any():
        return NOTHING
    false_positive, false_negative = costs
    now, other, positive, weights = (a[apart] for a in (now, other, positive, weights))
    differ = (now - other) * weights / np.sqrt(np.mean(weights**2))
    saved = differ * np.where(positive, -false_negative, false_positive)
    squares = float(saved @ saved)
    expected = false_positive * false_negative * float(differ @ differ)
    if (differ > 0).any() and (differ < 0).any():
        # Classifiers that alarm on different rows: equal costs no longer determine the share of
        # positives among these rows, nor the variance, so take the larger estimate.
        expected = max(expected, squares)
    one_row = (false_positive * false_negative) ** 0.5 or max(costs)
    return Evidence.from_sums(float(saved.sum()), squares, expected, one_row * ROWS_IN_UNIT**0.5)


def review_weights(complete: bool, propensities: ArrayLike | None, rows: int) -> FloatArray:
    """Return how many rows each labeled row stands for."""
    if as_flag(complete, "complete") is (propensities is not None):
        raise InputError(
            "complete, propensities",
            "say how these rows came to be labeled, by one of the two",
            "both" if complete else "neither",
            SELECTIVE_LABELS,
        )
    if propensities is None:
        return np.ones(rows)
    hint = "They are the probabilities that each row is reviewed."
    return 1 / as_rates(propensities, rows, "propensities", least=LEAST_PROPENSITY, hint=hint)


@dataclass(frozen=True, slots=True)
class Trial:
    """Costs of the settings left and right of the knob, which differ more than from the center.

    Attributes
    ----------
    round
        The number of earlier trials.
    left, right
        Total cost and number of cases.
    compared, squares
        The number of earlier differences, and the sum of their squares.
    """

    round: int = 0
    left: tuple[float, float] = (0.0, 0.0)
    right: tuple[float, float] = (0.0, 0.0)
    compared: int = 0
    squares: float = 0.0

    def next_side(self, seed: int) -> int:
        """Return the side to run now, -1 or 1."""
        first = -1 if tosses([f"trial:{self.round}"], seed)[0] < 0.5 else 1
        cases = (self.left if first < 0 else self.right)[1]
        return first if cases == 0 else -first

    def add(self, side: int, total: float, cases: float) -> Trial:
        """Return the trial with one more cost."""
        before = self.left if side < 0 else self.right
        after = (before[0] + total, before[1] + cases)
        return replace(self, left=after) if side < 0 else replace(self, right=after)

    @property
    def is_complete(self) -> bool:
        """Whether both sides have been run."""
        return self.left[1] > 0 and self.right[1] > 0

    @property
    def difference(self) -> float:
        """How much more the left side cost per case."""
        return self.left[0] / self.left[1] - self.right[0] / self.right[1]

    def finish(self) -> tuple[Trial, Sides]:
        """Return the next trial, and the evidence of this one."""
        # While both sides cost the same, the coin makes either sign of the difference equally
        # likely, so the squares are the variance. A typical difference, the unit, has no sign.
        squares, compared = self.squares + self.difference**2, self.compared + 1
        typical = (squares / compared) ** 0.5
        units = self.difference / typical if typical else 0.0
        following = replace(self.restart(), compared=compared, squares=squares)
        return following, Sides.opposite(units, units * units)

    def restart(self) -> Trial:
        """Return a new trial that remembers typical differences."""
        return Trial(self.round + 1, compared=self.compared, squares=self.squares)


@dataclass(frozen=True, slots=True)
class State:
    """The state of a climb.

    Attributes
    ----------
    position, step
        The knob's position, and the length of the next move.
    last_way
        The last move: -1 left, 1 right, 0 none yet.
    evidence
        The evidence since the last move or window.
    settled
        The ways settled since the step last changed.
    trial
        The running trial.
    """

    position: float
    step: float
    last_way: int = 0
    evidence: Sides = Sides()
    settled: tuple[int, ...] = ()
    trial: Trial = Trial()

    @property
    def knob(self) -> Knob:
        """The knob, between the compared neighbors."""
        return Knob(self.position)

    def restart(self, position: float, step: float, last_way: int) -> State:
        """Return a state without evidence and with a new trial."""
        return State(position, step, last_way, trial=self.trial.restart())


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """The rules of a climb along one hull, with the options of `KnobTuner`.

    The cost is convex along the hull, so the best of three neighbors is the best, to within a step.
    """

    hull: RocHull
    conditions: Conditions | None = None
    randomize: bool = False
    probe: bool = False
    alpha: float = 0.05
    window: int = 50
    step: float = 0.1
    least_step: float = 0.02
    most_step: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.conditions is not None:
            as_conditions(self.conditions)
        chance = "It is the probability of a move without a reason; 0.05 is usual."
        within = "It lies between {least_step} and {most_step}."
        longest = as_number(self.most_step, "most_step", above=0, most=1)
        shortest = as_number(self.least_step, "least_step", above=0, most=longest)
        options = {
            "randomize": as_flag(self.randomize, "randomize"),
            "probe": as_flag(self.probe, "probe"),
            "alpha": as_level(self.alpha, "alpha", hint=chance),
            "window": as_whole(self.window, "window", least=1),
            "step": as_number(self.step, "step", least=shortest, most=longest, hint=within),
            "least_step": shortest,
            "most_step": longest,
            "seed": as_whole(self.seed, "seed", least=0),
        }
        for name, value in options.items():
            object.__setattr__(self, name, value)

    def start(self, start: Knob | float | None = None) -> State:
        """Return the first state, by default at the best point under the conditions."""
        if start is None:
            if self.conditions is None:
                raise InputError(
                    "start",
                    "be given where there are no {conditions}",
                    "neither",
                    Hint("For example: start=0.3, or conditions=Conditions(...)."),
                )
            exact = self.conditions.exact
            start = Knob.of(
                self.hull.best(self.conditions if exact else MinimaxRegret(self.conditions))
            )
        knob = start if isinstance(start, Knob) else Knob(start)
        return State(self.place(knob).position, self.step)

    def operating_point(self, knob: Knob) -> OperatingPoint:
        """Return the operating point of a setting."""
        return knob.on(self.hull, randomize=self.randomize)

    def place(self, knob: Knob) -> Knob:
        """Return the knob, moved to a vertex unless randomizing."""
        point = self.operating_point(knob)
        return knob if self.randomize else Knob.of(point)

    def neighbor(self, state: State, way: int) -> Knob | None:
        """Return the setting one step to the left (-1) or right (1), if any."""
        return state.knob.neighbor(self.hull, way * state.step, randomize=self.randomize)

    def neighbors(self, state: State) -> dict[int, Knob]:
        """Return the two settings to try; at an end, one is the knob's."""
        return {way: self.neighbor(state, way) or state.knob for way in WAYS}

    def setting(self, state: State) -> Knob:
        """Return the setting to run now."""
        if not self.probe:
            return state.knob
        return self.neighbors(state)[state.trial.next_side(self.seed)]

    @property
    def has_exact_costs(self) -> bool:
        """Whether outcomes can be weighed."""
        return self.conditions is not None and self.conditions.with_prevalence(0.5).exact

    def error_costs(self) -> tuple[float, float]:
        """Return the extra costs of a false positive and a false negative."""
        if self.conditions is None or not self.has_exact_costs:
            raise InputError(
                "conditions",
                "have exact costs before outcomes can be weighed",
                "none" if self.conditions is None else self.conditions,
                Hint(
                    "Name one number for each cost: KnobTuner(model, Conditions("
                    "prevalence='observed', false_positive=1, false_negative=10))."
                ),
            )
        case = self.conditions.with_prevalence(0.5).case
        return case.false_positive - case.true_negative, case.false_negative - case.true_positive

    def turn(self, state: State, by: float) -> State:
        """Turn by hand, within the hull."""
        low, high = reach(self.hull)
        aim = state.knob.turned(by).position
        target = self.place(Knob(min(max(aim, low), high)))
        return state.restart(target.position, state.step, state.last_way)

    def weigh(self, state: State, new: Sides) -> tuple[State, Sides, str]:
        """Add evidence and turn the knob if it suffices; return state, evidence and reason."""
        evidence = state.evidence + new
        state = replace(state, evidence=evidence)
        way = evidence.decide(self.alpha)
        target = self.neighbor(state, way) if way else None
        if target is not None:
            after = state.restart(target.position, self._next_step(state, way), way)
            amount = self._format(evidence.toward(way))
            return after, evidence, f"evidence {amount}, {self._needed} needed"
        return self._settle(state), evidence, self._why_staying(evidence, way, new)

    def _next_step(self, state: State, way: int) -> float:
        """Return the step after a move: longer ahead, shorter after a reversal."""
        if state.last_way == 0:
            return state.step
        return self._scale_step(state, 2.0 if way == state.last_way else 0.5)

    def _scale_step(self, state: State, factor: float) -> float:
        return min(max(state.step * factor, self.least_step), self.most_step)

    def _settle(self, state: State) -> State:
        """Reset a side's evidence after its window; shorten the step after both."""
        enough = {
            way for way in WAYS if state.evidence.toward(way).is_settled(self.alpha, self.window)
        }
        ends = {way for way in WAYS if self.neighbor(state, way) is None}
        settled = enough | ends | set(state.settled)
        if enough and settled == set(WAYS):  # neither neighbor is better; both may be too far
            step = self._scale_step(state, 0.5)
            return state.restart(state.position, step, state.last_way)
        return replace(
            state, evidence=state.evidence.without(enough), settled=tuple(sorted(settled - ends))
        )

    def _why_staying(self, evidence: Sides, way: int, new: Sides) -> str:
        if way:
            return f"the knob is at the end with the {WAYS[way]}"
        if new == Sides():
            return "nothing in it tells the neighboring settings apart"
        return (
            f"evidence {self._format(evidence.left)} for fewer alarms, "
            f"{self._format(evidence.right)} for more alarms, {self._needed} needed"
        )

    @property
    def _needed(self) -> str:
        return f"{2 / self.alpha:.3g}"

    def _format(self, evidence: Evidence) -> str:
        most = max(PLENTY, 2 / self.alpha)
        e_value = evidence.e_value
        return f"{e_value:.3g}" if e_value <= most else f"more than {most:,.0f}"


@dataclass(frozen=True, slots=True, repr=False)
class Reaction(Record):
    """The reaction of a tuner to one piece of feedback.

    Attributes
    ----------
    feedback
        The called method.
    made_at
        The setting that the feedback is about; None for every setting.
    counted
        Whether it was weighed.
    moved
        How far the knob moved: positive to more alarms, negative to fewer.
    position, step
        The knob's position, and the length of the next move.
    for_fewer_alarms, for_more_alarms
        The e-values for either turn; a move needs 2 / alpha.
    why
        The reason in words.
    """

    feedback: str
    made_at: float | None
    counted: bool
    moved: float
    position: float
    step: float
    for_fewer_alarms: float
    for_more_alarms: float
    why: str

    @property
    def direction(self) -> Literal["fewer alarms", "more alarms", "stayed"]:
        """The direction of the move, if any."""
        if self.moved == 0:
            return "stayed"
        return "more alarms" if self.moved > 0 else "fewer alarms"

    def __str__(self) -> str:
        if self.moved == 0:
            return f"stayed at {self.position:.4g}: {self.why}"
        move = f"to {self.direction}, by {abs(self.moved):.4g} to {self.position:.4g}"
        return f"turned {move}: {self.why}"


def hull_print(hull: RocHull) -> dict[str, Any]:
    """Return the number of vertices and a digest of the hull."""
    whole = hull.totals
    totals = (whole.negatives, whole.positives, whole.unit, hull.slope_bounds)
    vertices = [(v.false_positives, v.true_positives, v.classifiers, v.thresholds) for v in hull]
    digest = hashlib.blake2b(repr((totals, vertices)).encode(), digest_size=16)
    return {"vertices": len(vertices), "print": digest.hexdigest()}
