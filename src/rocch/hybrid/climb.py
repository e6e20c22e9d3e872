"""The hill-climb along the knob: evidence from feedback, and how it turns the knob."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import InputError, describe_type
from rocch.hybrid.coin import tosses
from rocch.hybrid.knob import Knob, reach
from rocch.inputs import as_flag, as_level, as_number, as_scores, as_whole
from rocch.roc.conditions import Conditions, Interval, as_conditions, as_interval
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint

# One sequential test serves every kind of feedback, and is valid whenever one looks.
#
# Feedback is a sum of differences S without upward drift while nothing speaks for a move. With a
# suitable V, exp(x S - x^2 V / 2) has expectation at most 1 for every x > 0, at all times. Its mean
# over x with a half-normal weight of variance 1 / PRIOR is Robbins' normal mixture, an "e-value"
# that stays below any level L, for ever, with probability at least 1 - 1/L.
#
# V is a third of the sum of squares seen plus two thirds of the variance expected while nothing
# speaks for a move: exp(x - x^2/6) <= 1 + x + x^2/3 makes that valid for differences of any shape
# (Delyon, Electronic Journal of Probability 14, 2009), also for the very skew ones of rare and
# expensive misses, where a normal approximation moves far too easily.
#
# Differences are in standard deviations of what chance would do, so that one complaint, one
# period's load and ten rows on which two settings differ are about one unit each.

# At about eight times this V the test is sharpest: after a handful of units of feedback.
PRIOR = 1.0
# Rows that make one unit.
ROWS_IN_UNIT = 10
# Squares of larger weights would soon leave the range of doubles.
LEAST_PROPENSITY = 1e-9
# Evidence beyond this is not written out.
PLENTY = 1000
WAYS = {-1: "left", 1: "right"}
COSTS = ("false_positive", "true_negative", "false_negative", "true_positive")
FORMAT, VERSION = "rocch.KnobTuner", 1
OPTIONS = ("conditions", "randomize", "probe", "alpha", "window", "seed")

SELECTIVE_LABELS = (
    "Labels that exist only because a row alarmed do not tell what was missed, so neither FPR nor "
    "TPR can be learned from them. Pass complete=True if every row of the period is here, reviewed "
    "whether it alarmed or not; or choose rows with explore(...) and pass their propensities."
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for turning the knob one way.

    Attributes
    ----------
    total
        The sum of differences: how much better that way looked, in standard deviations.
    variance
        How large a total chance alone makes.

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
        """Return what a sum of differences says, by their squares seen and expected by chance."""
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
        """By how much a bet on this way would have multiplied its stake."""
        return math.exp(min(self.log_e, 700.0))

    def is_settled(self, alpha: float, window: float) -> bool:
        """Whether this way was looked at enough: it is worse, or a window has passed."""
        against = Evidence(-self.total, self.variance)
        return self.variance >= window or against.log_e >= math.log(2 / alpha)


NOTHING = Evidence()


def _log_tilt(z: float) -> float:
    """Return z^2 / 2 + log(Phi(z)), also far to the left, where Phi underflows."""
    if z < -30:
        return math.log1p(-1 / (z * z)) - math.log(-z * math.sqrt(2 * math.pi))
    return z * z / 2 + math.log(math.erfc(-z / math.sqrt(2)) / 2)


@dataclass(frozen=True, slots=True)
class Sides:
    """The evidence for turning left, and that for turning right."""

    left: Evidence = NOTHING
    right: Evidence = NOTHING

    def __add__(self, other: Sides) -> Sides:
        return Sides(self.left + other.left, self.right + other.right)

    @classmethod
    def opposite(cls, total: float, variance: float) -> Sides:
        """Return evidence for the right that is as much evidence against the left."""
        return cls(Evidence(-total, variance), Evidence(total, variance)) if variance else cls()

    def toward(self, way: int) -> Evidence:
        """Return the evidence for left (-1) or right (1)."""
        return self.left if way < 0 else self.right

    def without(self, ways: Collection[int]) -> Sides:
        """Return the evidence with some sides starting anew."""
        return Sides(NOTHING if -1 in ways else self.left, NOTHING if 1 in ways else self.right)

    def decide(self, alpha: float) -> int:
        """Return -1 for left, 1 for right, 0 while neither is beyond chance.

        Each side gets half of `alpha`, so that both together err with at most that probability.
        """
        way = -1 if self.left.log_e >= self.right.log_e else 1
        return way if self.toward(way).log_e >= math.log(2 / alpha) else 0


def weigh_complaints(way: int, times: float) -> Sides:
    """Weigh complaints that all point one way; in a good setting either way is as likely."""
    return Sides.opposite(way * times, times)


def weigh_load(alarms: float, capacity: float, tolerance: float) -> Sides:
    """Weigh a count of alarms against a capacity, as a Poisson count.

    Too many means more than (1 + tolerance) x capacity in expectation, too few less than
    (1 - tolerance) x capacity; within, nothing speaks for a move.
    """
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
    """Weigh what another setting would have saved on rows whose true classes are known.

    `now` and `other` are probabilities of an alarm; rows with equal ones drop out. Weights are the
    numbers of rows that each row stands for; only their ratios matter. The costs are those of a
    false positive and of a false negative.
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
        # Classifiers that alarm on different rows: equal costs no longer fix the share of
        # positives among these rows, and so not the variance either; take the larger estimate.
        expected = max(expected, squares)
    one_row = (false_positive * false_negative) ** 0.5 or max(costs)
    return Evidence.from_sums(float(saved.sum()), squares, expected, one_row * ROWS_IN_UNIT**0.5)


def review_weights(complete: bool, propensities: Any, rows: int) -> FloatArray:
    """Return for how many rows each labeled one stands; how it was chosen must be declared."""
    if as_flag(complete, "complete") == (propensities is not None):
        raise InputError(
            "complete, propensities",
            "say how these rows came to be labeled, by one of the two",
            "both" if complete else "neither",
            SELECTIVE_LABELS,
        )
    if complete:
        return np.ones(rows)
    shares = as_scores(propensities, rows, argument="propensities")
    if not (shares.min() >= LEAST_PROPENSITY and shares.max() <= 1):
        raise InputError(
            "propensities",
            f"be probabilities from {LEAST_PROPENSITY:g} to 1",
            f"{shares.min():g} to {shares.max():g}",
            "They are the probabilities with which each row was to be reviewed; "
            "leave out rows that were hardly ever to be.",
        )
    return 1 / shares


@dataclass(frozen=True, slots=True)
class Trial:
    """What the two settings beside the knob's have cost so far, where only costs are known.

    The center is not run: its two sides differ twice as much, and need two periods, not three.

    Attributes
    ----------
    round
        How many trials came before; with the seed it decides which side is first.
    left, right
        Total cost and number of cases on each side.
    compared, squares
        How many differences there were so far, and the sum of their squares.
    """

    round: int = 0
    left: tuple[float, float] = (0.0, 0.0)
    right: tuple[float, float] = (0.0, 0.0)
    compared: int = 0
    squares: float = 0.0

    def next_side(self, seed: int) -> int:
        """Return which side to run now: -1 or 1, in an order drawn by a coin."""
        first = -1 if tosses([f"trial:{self.round}"], seed)[0] < 0.5 else 1
        cases = (self.left if first < 0 else self.right)[1]
        return first if cases == 0 else -first

    def add(self, side: int, total: float, cases: float) -> Trial:
        """Return the trial with one more cost; late ones of the same side are pooled."""
        before = self.left if side < 0 else self.right
        after = (before[0] + total, before[1] + cases)
        return replace(self, left=after) if side < 0 else replace(self, right=after)

    @property
    def is_complete(self) -> bool:
        """Whether both sides have been run."""
        return self.left[1] > 0 and self.right[1] > 0

    @property
    def difference(self) -> float:
        """By how much the left side cost more per case."""
        return self.left[0] / self.left[1] - self.right[0] / self.right[1]

    def finish(self) -> tuple[Trial, Sides]:
        """Return the next trial, and the evidence of this one.

        While both sides cost the same, the coin makes either sign of the difference as likely,
        whatever the noise; so the squares seen are the variance. They are measured in typical (root
        mean square) differences, which do not depend on the signs either.
        """
        squares, compared = self.squares + self.difference**2, self.compared + 1
        typical = (squares / compared) ** 0.5
        units = self.difference / typical if typical else 0.0
        following = replace(self.restart(), compared=compared, squares=squares)
        return following, Sides.opposite(units, units * units)

    def restart(self) -> Trial:
        """Return a new trial, with what is known of typical differences."""
        return Trial(self.round + 1, compared=self.compared, squares=self.squares)


@dataclass(frozen=True, slots=True)
class State:
    """Where a climb stands: all that a new piece of feedback changes.

    Attributes
    ----------
    position, step
        Where the knob stands, and how far it would be turned next.
    last_way
        The way of the last move: -1 left, 1 right, 0 none yet.
    evidence
        The evidence since the last move or window.
    settled
        The ways that were looked at enough since the step last changed.
    trial
        The trial that is running.
    """

    position: float
    step: float
    last_way: int = 0
    evidence: Sides = Sides()
    settled: tuple[int, ...] = ()
    trial: Trial = Trial()

    @property
    def knob(self) -> Knob:
        """The setting in the middle, around which neighbors are compared."""
        return Knob(self.position)

    def restart(self, position: float, step: float, last_way: int) -> State:
        """Return the state with no evidence yet and a new trial."""
        return State(position, step, last_way, trial=self.trial.restart())


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """The rules of a climb along one hull, with the options of `KnobTuner`.

    The cost is convex in the knob's position, because along the hull the share of the way that goes
    up falls and the share that goes right rises. So there are no local minima, and a setting that
    is better than both its neighbors is the best, to within a step.
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
        chance = "It is the probability of a move for no reason; 0.05 is usual."
        amount = "It is how much feedback is weighed together."
        checked: dict[str, Any] = {
            "randomize": as_flag(self.randomize, "randomize"),
            "probe": as_flag(self.probe, "probe"),
            "alpha": as_level(self.alpha, "alpha", hint=chance),
            "window": as_whole(self.window, "window", least=1, hint=amount),
            "seed": as_whole(self.seed, "seed", least=0),
        }
        for name in ("step", "least_step", "most_step"):
            hint = "It is a part of the knob's way from 0 to 1."
            checked[name] = as_number(getattr(self, name), name, least=0, most=1, hint=hint)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not 0 < self.least_step <= self.step <= self.most_step:
            raise InputError(
                "step",
                "lie between {least_step}, which is above 0, and {most_step}",
                f"{self.step:g}, {self.least_step:g} and {self.most_step:g}",
                "For example: step=0.1, least_step=0.02, most_step=0.2.",
            )

    def start(self, knob: Knob) -> State:
        """Return the first state, at a knob."""
        return State(self.place(knob).position, self.step)

    def operating_point(self, knob: Knob) -> OperatingPoint:
        """Return where a setting operates."""
        return knob.on(self.hull, randomize=self.randomize)

    def place(self, knob: Knob) -> Knob:
        """Return where a knob stands on the hull: without randomizing, at a vertex."""
        point = self.operating_point(knob)
        return knob if self.randomize else Knob.of(point)

    def neighbor(self, state: State, way: int) -> Knob | None:
        """Return the setting one step to the left (-1) or right (1); None at the end."""
        return state.knob.neighbor(self.hull, way * state.step, randomize=self.randomize)

    def neighbors(self, state: State) -> dict[int, Knob]:
        """Return the two settings to try; at an end of the hull the knob's own is one of them."""
        return {way: self.neighbor(state, way) or state.knob for way in WAYS}

    def setting(self, state: State) -> Knob:
        """Return the setting to run now."""
        if not self.probe:
            return state.knob
        return self.neighbors(state)[state.trial.next_side(self.seed)]

    @property
    def has_exact_costs(self) -> bool:
        """Whether outcomes can be weighed."""
        return self.conditions is not None and all(cost.exact for cost in _costs(self.conditions))

    def error_costs(self) -> tuple[float, float]:
        """Return what a false positive and a false negative cost beyond the right decision."""
        if not self.has_exact_costs or self.conditions is None:
            raise InputError(
                "conditions",
                "have exact costs before outcomes can be weighed",
                "none" if self.conditions is None else self.conditions,
                "Name one number for each cost, for example KnobTuner(model, Conditions("
                "prevalence='observed', false_positive=1, false_negative=10)); the prevalence may "
                "be an interval, because the outcomes carry it.",
            )
        fp, tn, fn, tp = (cost.low for cost in _costs(self.conditions))
        return fp - tn, fn - tp

    def turn(self, state: State, by: float) -> State:
        """Turn by hand, as far as the hull goes."""
        low, high = reach(self.hull)
        aim = state.knob.turned(by).position
        target = self.place(Knob(min(max(aim, low), high)))
        return state.restart(target.position, state.step, state.last_way)

    def weigh(self, state: State, new: Sides) -> tuple[State, Sides, str]:
        """Add to the evidence, and turn the knob if it suffices.

        Returns the state after it, all evidence that was weighed, and the reason.
        """
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
        """Return the step after a move: longer on the way, shorter when turned back."""
        if state.last_way == 0:
            return state.step
        return self._scale_step(state, 2.0 if way == state.last_way else 0.5)

    def _scale_step(self, state: State, factor: float) -> float:
        return min(max(state.step * factor, self.least_step), self.most_step)

    def _settle(self, state: State) -> State:
        """Start a side's evidence anew after its window; shorten the step after both."""
        enough = {
            way for way in WAYS if state.evidence.toward(way).is_settled(self.alpha, self.window)
        }
        ends = {way for way in WAYS if self.neighbor(state, way) is None}
        settled = enough | ends | set(state.settled)
        if enough and settled == set(WAYS):  # neither neighbor is better: both may be too far away
            step = self._scale_step(state, 0.5)
            return state.restart(state.position, step, state.last_way)
        return replace(
            state, evidence=state.evidence.without(enough), settled=tuple(sorted(settled - ends))
        )

    def _why_staying(self, evidence: Sides, way: int, new: Sides) -> str:
        if way:
            return f"the knob is at its {WAYS[way]} end"
        if new == Sides():
            return "nothing in it tells the neighboring settings apart"
        return (
            f"evidence {self._format(evidence.left)} for left, "
            f"{self._format(evidence.right)} for right, {self._needed} needed"
        )

    @property
    def _needed(self) -> str:
        return f"{2 / self.alpha:.3g}"

    def _format(self, evidence: Evidence) -> str:
        """Write evidence, without digits where it is far beyond what is needed."""
        most = max(PLENTY, 2 / self.alpha)
        e_value = evidence.e_value
        return f"{e_value:.3g}" if e_value <= most else f"more than {most:,.0f}"


def _costs(conditions: Conditions) -> list[Interval]:
    return [as_interval(getattr(conditions, name), name) for name in COSTS]


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a tuner did with one piece of feedback.

    Attributes
    ----------
    feedback
        The method that was called.
    made_at
        The setting that the feedback is about; None for every setting.
    counted
        Whether it was weighed; late feedback about a setting long left is not.
    moved
        How far the knob was turned: positive to the right, negative to the left, 0 if it stayed.
    position, step
        Where the knob stands now, and how far it would be turned next.
    for_left, for_right
        The evidence for either turn when this was decided, as e-values; a move needs 2 / alpha.
    why
        The reason, in words.
    """

    feedback: str
    made_at: float | None
    counted: bool
    moved: float
    position: float
    step: float
    for_left: float
    for_right: float
    why: str

    @property
    def direction(self) -> Literal["left", "right", "stayed"]:
        """Which way the knob was turned, if at all."""
        if self.moved == 0:
            return "stayed"
        return "right" if self.moved > 0 else "left"

    def __str__(self) -> str:
        if self.moved == 0:
            return f"stayed at {self.position:.4g}: {self.why}"
        move = f"{self.direction} by {abs(self.moved):.4g} to {self.position:.4g}"
        return f"turned {move}: {self.why}"


def write_record(climb: Climb, state: State, history: list[Reaction]) -> dict[str, Any]:
    """Return a tuner as dictionaries, lists, numbers and texts."""
    options = {name: getattr(climb, name) for name in OPTIONS}
    if climb.conditions is not None:
        options["conditions"] = _to_lists(asdict(climb.conditions))
    stride = {"step": state.step, "least": climb.least_step, "most": climb.most_step}
    return {
        "format": FORMAT,
        "version": VERSION,
        "hull": hull_print(climb.hull),
        "options": options,
        "state": {
            "position": state.position,
            "stride": {**stride, "last": state.last_way},
            "sides": asdict(state.evidence),
            "settled": list(state.settled),
            "trial": _to_lists(asdict(state.trial)),
        },
        "history": [asdict(reaction) for reaction in history],
    }


def read_record(hull: RocHull, record: Any) -> tuple[Climb, State, list[Reaction]]:
    """Return what `write_record` wrote, for the same hull."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        got = describe_type(record) if not isinstance(record, dict) else repr(record.get("format"))
        raise InputError("state", f"be the record of a tuner ({FORMAT})", got, "Use to_dict.")
    if record.get("version") != VERSION:
        hint = "Read it with the release of rocch that wrote it."
        raise InputError("state", f"have version {VERSION}", repr(record.get("version")), hint)
    try:
        recorded = dict(record["hull"])
        options, stride = dict(record["options"]), record["state"]["stride"]
        if options["conditions"] is not None:
            options["conditions"] = Conditions(**options["conditions"])
        steps = {"least_step": stride["least"], "most_step": stride["most"]}
        climb = Climb(hull=hull, step=stride["step"], **steps, **options)
        state = _read_state(record["state"])
        history = [Reaction(**reaction) for reaction in record["history"]]
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        got = f"one that lacks or garbles {error}"
        raise InputError("state", "be one that to_dict made", got, "Save again.") from None
    own = hull_print(hull)
    if recorded != own:
        raise InputError(
            "state",
            "belong to the model's hull",
            f"one of another hull ({recorded.get('vertices')} vertices, print "
            f"{recorded.get('print')}; the model's has {own['vertices']}, {own['print']})",
            "Its positions mean other settings here. Start a new tuner for a new model.",
        )
    return climb, state, history


def _read_state(data: dict[str, Any]) -> State:
    trial = data["trial"]
    return State(
        Knob(data["position"]).position,
        data["stride"]["step"],
        data["stride"]["last"],
        Sides(**{side: Evidence(**sums) for side, sums in data["sides"].items()}),
        tuple(data["settled"]),
        Trial(**{**trial, "left": tuple(trial["left"]), "right": tuple(trial["right"])}),
    )


def hull_print(hull: RocHull) -> dict[str, Any]:
    """Return the number of vertices and a print of their counts, classifiers and thresholds."""
    totals = (
        hull.totals.negatives,
        hull.totals.positives,
        hull.totals.unit,
        hull.slope_bounds,
    )
    vertices = [
        (v.false_positives, v.true_positives, v.classifiers, v.deployed_thresholds) for v in hull
    ]
    digest = hashlib.blake2b(repr((totals, vertices)).encode(), digest_size=16)
    return {"vertices": len(vertices), "print": digest.hexdigest()}


def _to_lists(data: Any) -> Any:
    """Return tuples as lists, as JSON would, so that what is written equals what is read."""
    if isinstance(data, dict):
        return {key: _to_lists(value) for key, value in data.items()}
    return [_to_lists(value) for value in data] if isinstance(data, tuple | list) else data
