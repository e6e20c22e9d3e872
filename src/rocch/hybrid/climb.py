"""The hill-climb along the knob: evidence from feedback, trials, steps, and their record."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import InputError, describe_type
from rocch.hybrid.coin import tosses
from rocch.hybrid.knob import Knob, reach
from rocch.inputs import as_flag, as_number, as_rate, as_scores
from rocch.roc.conditions import Conditions, Interval, as_conditions, as_interval
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint

# --- Evidence: one sequential test for every kind of feedback, valid whenever one looks -----------
#
# Feedback is a sum of differences S that has no upward drift while nothing speaks for a move. With
# a suitable V that grows with it, exp(x S - x^2 V / 2) has expectation at most 1 for every x > 0,
# at all times. Averaging over x with a half-normal weight of variance 1 / PRIOR gives Robbins'
# normal mixture, an "e-value" that stays below any level L, for ever, with probability at least 1 -
# 1/L.
#
# V is a third of the sum of squares seen plus two thirds of the variance that is known to hold
# while nothing speaks for a move: exp(x - x^2/6) <= 1 + x + x^2/3 makes that valid for differences
# of any shape (Delyon, Electronic Journal of Probability 14, 2009), also for the very skew ones
# that rare and expensive misses make, where a plain normal approximation moves far too easily.

PRIOR = 1.0
"""At about eight times this V the test is sharpest: after a handful of units of feedback."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for turning the knob one way.

    Attributes
    ----------
    total
        The sum of differences: how much better that way looked, in units of one standard deviation.
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
    def of(cls, total: float, *, squares: float, expected_squares: float) -> Evidence:
        """Weigh a sum of differences by their squares, those seen and those expected by chance."""
        return cls(total, (squares + 2 * expected_squares) / 3)

    @property
    def log_e(self) -> float:
        """The logarithm of the e-value."""
        spread = self.variance + PRIOR
        return math.log(2) + math.log(PRIOR / spread) / 2 + _log_tilt(self.total / spread**0.5)

    def settled(self, alpha: float, window: float) -> bool:
        """Say whether this way has been looked at enough: it is worse, or a window has passed."""
        against = Evidence(-self.total, self.variance)
        return self.variance >= window or against.log_e >= math.log(2 / alpha)

    @property
    def e_value(self) -> float:
        """By how much a bet on this way would have multiplied its stake."""
        return math.exp(min(self.log_e, 700.0))


NOTHING = Evidence()


@dataclass(frozen=True, slots=True)
class Sides:
    """The evidence for turning left, and that for turning right."""

    left: Evidence = NOTHING
    right: Evidence = NOTHING

    def __add__(self, other: Sides) -> Sides:
        return Sides(self.left + other.left, self.right + other.right)

    def of_way(self, way: int) -> Evidence:
        """Return the evidence for left (-1) or right (1)."""
        return self.left if way < 0 else self.right

    def without(self, ways: Collection[int]) -> Sides:
        """Return the evidence with some sides starting anew."""
        return Sides(NOTHING if -1 in ways else self.left, NOTHING if 1 in ways else self.right)

    def decided(self, alpha: float) -> int:
        """Return -1 for left, 1 for right, 0 while neither is beyond chance.

        Each side gets half of `alpha`, so that both together err with at most that probability.
        """
        way = -1 if self.left.log_e >= self.right.log_e else 1
        return way if self.of_way(way).log_e >= math.log(2 / alpha) else 0


def _log_tilt(z: float) -> float:
    """Return z^2 / 2 + log(Phi(z)), also far to the left, where Phi underflows."""
    if z < -30:
        return math.log1p(-1 / (z * z)) - math.log(-z * math.sqrt(2 * math.pi))
    return z * z / 2 + math.log(math.erfc(-z / math.sqrt(2)) / 2)


# --- What each kind of feedback says for turning left and for turning right -----------------------
#
# Everything is expressed in standard deviations of what chance would do, so that one complaint, one
# period's load and ten rows on which two settings differ are about one unit each.

ROWS_IN_UNIT = 10
"""So many rows make one unit: single rows say less than a period, and come in larger numbers."""

LEAST_PROPENSITY = 1e-9
"""A row that stands for more than a billion others says nothing that could be weighed, and squares
of its weight would soon leave the range of doubles."""

SELECTIVE_LABELS = (
    "Labels that exist only because a row alarmed do not tell what was missed, so neither FPR nor "
    "TPR can be learned from them. Pass complete=True if every row of the period is here, reviewed "
    "whether it alarmed or not; or choose rows with explore(...) and pass their propensities."
)


class Stakes(NamedTuple):
    """What a decision changes: for a negative row, and for a positive one."""

    alarm: float
    """What an alarm on a negative row costs more than leaving it alone."""
    miss: float
    """What a miss costs more than a hit."""


def complaints(way: int, times: float) -> Sides:
    """Weigh complaints that all point one way; in a good setting either way is as likely."""
    return _opposite(way * times, times)


def trial(difference: float, typical: float) -> Sides:
    """Weigh by how much the left of two settings cost more, run in an order drawn by a coin.

    While both cost the same, the coin makes either sign as likely, whatever the noise and however
    conditions change meanwhile; so squares seen are all the variance one needs to know. They are
    measured in typical (root mean square) differences, which do not depend on the signs either.
    """
    units = difference / typical if typical else 0.0
    return _opposite(units, units * units)


def load(alarms: float, capacity: float, tolerance: float) -> Sides:
    """Weigh a count of alarms against a capacity, as a Poisson count.

    Too many means more than (1 + tolerance) x capacity in expectation, too few less than
    (1 - tolerance) x capacity; within, nothing speaks for a move.
    """
    most, fewest = capacity * (1 + tolerance), capacity * (1 - tolerance)
    scale = capacity**0.5
    return Sides(
        _scaled(alarms - most, alarms, most, scale),
        _scaled(fewest - alarms, alarms, fewest, scale),
    )


def outcomes(
    now: FloatArray, other: FloatArray, positive: BoolArray, weights: FloatArray, stakes: Stakes
) -> Evidence:
    """Weigh what another setting would have saved on rows whose true classes are known.

    `now` and `other` are the probabilities of an alarm; rows with equal ones drop out. A weight
    says for how many rows this one stands; only how weights differ matters, not their size.
    """
    apart = now != other
    if not apart.any():
        return NOTHING
    now, other, positive, weights = (a[apart] for a in (now, other, positive, weights))
    differ = (now - other) * weights / np.sqrt(np.mean(weights**2))
    saved = differ * np.where(positive, -stakes.miss, stakes.alarm)
    squares = float(saved @ saved)
    expected = stakes.alarm * stakes.miss * float(differ @ differ)
    if (differ > 0).any() and (differ < 0).any():
        # Classifiers that alarm on different rows: equal costs no longer fix the share of
        # positives among these rows, and so not the variance either; take the larger estimate.
        expected = max(expected, squares)
    one_row = (stakes.alarm * stakes.miss) ** 0.5 or max(stakes)
    return _scaled(float(saved.sum()), squares, expected, one_row * ROWS_IN_UNIT**0.5)


def stakes_of(conditions: Conditions | None) -> Stakes:
    """Return what decisions change under exact costs; the prevalence is not used."""
    if conditions is None:
        raise InputError(
            "conditions must be given to the tuner before outcomes can be weighed; got none. "
            "Name the costs, for example KnobTuner(model, Conditions(prevalence='observed', "
            "false_positive=1, false_negative=10)); the outcomes themselves carry the prevalence."
        )
    costs = _costs(conditions)
    if not all(cost.exact for cost in costs):
        raise InputError(
            "conditions",
            "have exact costs before outcomes can be weighed",
            str(conditions),
            "Name one number for each cost; only the prevalence may stay an interval.",
        )
    fp, tn, fn, tp = (cost.low for cost in costs)
    return Stakes(fp - tn, fn - tp)


def costs_are_exact(conditions: Conditions | None) -> bool:
    """Say whether outcomes can be weighed: by `stakes_of`, which needs exact costs."""
    return conditions is not None and all(cost.exact for cost in _costs(conditions))


def _costs(conditions: Conditions) -> list[Interval]:
    names = ("false_positive", "true_negative", "false_negative", "true_positive")
    return [as_interval(getattr(conditions, name), name) for name in names]


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


def checked_count(value: object, argument: str, *, positive: bool = False) -> float:
    """Return a number of alarms, cases or complaints."""
    hint = "It is a count."
    count = as_number(value, argument, least=0, hint=hint)
    if positive and count == 0:
        raise InputError(argument, "be greater than 0", "0", hint)
    return count


def _opposite(total: float, variance: float) -> Sides:
    return Sides(Evidence(-total, variance), Evidence(total, variance)) if variance else Sides()


def _scaled(total: float, squares: float, expected: float, scale: float) -> Evidence:
    if squares == expected == 0:
        return NOTHING
    area = scale * scale
    return Evidence.of(total / scale, squares=squares / area, expected_squares=expected / area)


# --- The stride: how far to turn next -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stride:
    """A step along the knob that grows on the way, and shrinks around the goal.

    It doubles when the knob is turned the same way again, halves when it is turned back, and
    halves when neither neighbor proved better, because then both may be too far away.
    """

    step: float = 0.1
    least: float = 0.02
    most: float = 0.2
    last: int = 0
    """The way of the last move: -1 left, 1 right, 0 none yet."""

    def __post_init__(self) -> None:
        for name in ("step", "least", "most"):
            argument = name if name == "step" else f"{name}_step"
            hint = "It is a part of the knob's way from 0 to 1."
            value = as_number(getattr(self, name), argument, least=0, most=1, hint=hint)
            object.__setattr__(self, name, value)
        if not 0 < self.least <= self.step <= self.most:
            raise InputError(
                "step",
                "lie between least_step, which is above 0, and most_step",
                f"{self.step:g}, {self.least:g} and {self.most:g}",
                "For example: step=0.1, least_step=0.02, most_step=0.2.",
            )

    def moved(self, way: int) -> Stride:
        """Return the stride after a move."""
        if self.last == 0:
            return replace(self, last=way)
        return self._scaled(2.0 if way == self.last else 0.5, way)

    def calmed(self) -> Stride:
        """Return the stride after both neighbors proved no better."""
        return self._scaled(0.5, self.last)

    def _scaled(self, factor: float, last: int) -> Stride:
        return replace(self, step=min(max(self.step * factor, self.least), self.most), last=last)


# --- What a tuner is told once and keeps: costs, patience, and what it is allowed to do -----------


@dataclass(frozen=True, slots=True, kw_only=True)
class TunerOptions:
    """The options of a `KnobTuner`, checked once; see there."""

    conditions: Conditions | None = None
    randomize: bool = False
    probe: bool = False
    alpha: float = 0.05
    window: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        if self.conditions is not None:
            as_conditions(self.conditions)
        object.__setattr__(self, "alpha", as_rate(self.alpha, "alpha"))
        if not 0 < self.alpha < 1:
            raise InputError(
                "alpha",
                "lie between 0 and 1",
                self.alpha,
                "It is the probability of a move for no reason; 0.05 is usual.",
            )
        for name in ("randomize", "probe"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(name, "be True or False", repr(getattr(self, name)), "Choose one.")
        whole = "It is how much feedback is weighed together."
        object.__setattr__(self, "window", _whole(self.window, "window", least=1, hint=whole))
        seed = _whole(self.seed, "seed", least=0, hint="Any whole number will do.")
        object.__setattr__(self, "seed", seed)


def _whole(value: object, argument: str, *, least: int, hint: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(argument, f"be a whole number, at least {least}", repr(value), hint)
    return int(value)


# --- A trial: two neighboring settings run in turn, when only a period's cost is known -----------

NONE_YET = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """What the two settings beside the knob's have cost so far in this round.

    The center itself is not run: the difference between its two sides is twice as large, and says
    where to turn with two periods instead of three.

    Attributes
    ----------
    round
        How many trials came before; with the seed it decides who is first.
    left, right
        Total cost and number of cases on each side.
    compared, squares
        How many differences there were so far, and the sum of their squares.
    """

    round: int = 0
    left: tuple[float, float] = NONE_YET
    right: tuple[float, float] = NONE_YET
    compared: int = 0
    squares: float = 0.0

    def next_side(self, seed: int) -> int:
        """Return which side to run now: -1 or 1, in an order drawn by a coin."""
        first = -1 if tosses([f"trial:{self.round}"], seed)[0] < 0.5 else 1
        return first if self._cases(first) == 0 else -first

    def observed(self, side: int, total: float, cases: float) -> Trial:
        """Return the trial with one more cost; late ones of the same side are pooled."""
        before = self.left if side < 0 else self.right
        after = (before[0] + total, before[1] + cases)
        return replace(self, left=after) if side < 0 else replace(self, right=after)

    @property
    def complete(self) -> bool:
        """Whether both sides have been run."""
        return self.left[1] > 0 and self.right[1] > 0

    @property
    def difference(self) -> float:
        """By how much the left side cost more per case."""
        return self.left[0] / self.left[1] - self.right[0] / self.right[1]

    def finished(self) -> tuple[Trial, Sides]:
        """Return the next trial, and what this one says."""
        squares, compared = self.squares + self.difference**2, self.compared + 1
        said = trial(self.difference, (squares / compared) ** 0.5)
        return replace(self.again(), compared=compared, squares=squares), said

    def again(self) -> Trial:
        """Return a new trial, with what is known of typical differences."""
        return Trial(self.round + 1, compared=self.compared, squares=self.squares)

    def _cases(self, side: int) -> float:
        return (self.left if side < 0 else self.right)[1]


# --- The hill-climb: how evidence turns the knob, step by step ------------------------------------
#
# The cost along the hull is convex in the knob's position: along the hull the share of the way that
# goes up falls and the share that goes right rises, and each has one price. So there are no local
# minima, and a setting that is better than both its neighbors is the best, to within a step.

WAYS = {-1: "left", 1: "right"}
PLENTY = 1000
"""Evidence beyond this is not written out."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a climb stands: all that a new piece of feedback changes."""

    position: float
    stride: Stride = field(default_factory=Stride)
    sides: Sides = field(default_factory=Sides)
    settled: tuple[int, ...] = ()
    """The ways that were looked at enough since the stride last changed."""
    trial: Trial = field(default_factory=Trial)

    @property
    def knob(self) -> Knob:
        """The setting in the middle, around which neighbors are compared."""
        return Knob(self.position)

    def anew(self, position: float, stride: Stride) -> State:
        """Return the state with no evidence yet and a new trial."""
        return State(position, stride, trial=self.trial.again())


class Step(NamedTuple):
    """What one piece of feedback led to."""

    state: State
    moved: float
    sides: Sides
    """The evidence when it was decided, before it started anew."""
    why: str


@dataclass(frozen=True, slots=True)
class Climb:
    """The rules of a climb along one hull; each method is a function of the state."""

    hull: RocHull
    options: TunerOptions

    def point(self, knob: Knob) -> OperatingPoint:
        """Return where a setting operates."""
        return knob.on(self.hull, randomize=self.options.randomize)

    def placed(self, knob: Knob) -> Knob:
        """Return where a knob stands on the hull: without randomizing, at a vertex."""
        point = self.point(knob)
        return knob if self.options.randomize else Knob.of(point)

    def beside(self, state: State, way: int) -> Knob | None:
        """Return the setting one step to the left (-1) or right (1); None at the end."""
        by = way * state.stride.step
        return state.knob.neighbor(self.hull, by, randomize=self.options.randomize)

    def pair(self, state: State) -> dict[int, Knob]:
        """Return the two settings to try; at an end of the hull the knob's own is one of them."""
        return {way: self.beside(state, way) or state.knob for way in WAYS}

    def setting(self, state: State) -> Knob:
        """Return the setting to run now."""
        if not self.options.probe:
            return state.knob
        return self.pair(state)[state.trial.next_side(self.options.seed)]

    def turned(self, state: State, by: float, why: str) -> Step:
        """Turn by hand, as far as the hull goes."""
        low, high = reach(self.hull)
        aim = state.knob.turned(by).position
        target = self.placed(Knob(min(max(aim, low), high))).position
        after = state.anew(target, state.stride)
        return Step(after, target - state.position, state.sides, why)

    def weighed(self, state: State, new: Sides) -> Step:
        """Add to the evidence, and turn the knob if it suffices."""
        state = replace(state, sides=state.sides + new)
        way = state.sides.decided(self.options.alpha)
        target = self.beside(state, way) if way else None
        if target is None:
            why = self._why_staying(state.sides, way, new)
            return Step(self._settled(state), 0.0, state.sides, why)
        after = state.anew(target.position, state.stride.moved(way))
        moved = target.position - state.position
        return Step(after, moved, state.sides, self._why_moving(state.sides, way))

    def _settled(self, state: State) -> State:
        """Start a side's evidence anew after its window; look closer once both have had theirs."""
        options = self.options
        enough = {
            way for way in WAYS if state.sides.of_way(way).settled(options.alpha, options.window)
        }
        ends = {way for way in WAYS if self.beside(state, way) is None}
        settled = enough | ends | set(state.settled)
        if enough and settled == set(WAYS):
            return state.anew(state.position, state.stride.calmed())
        return replace(
            state, sides=state.sides.without(enough), settled=tuple(sorted(settled - ends))
        )

    def _why_moving(self, sides: Sides, way: int) -> str:
        return f"evidence {self._amount(sides.of_way(way).e_value)}, {self._needed} needed"

    def _why_staying(self, sides: Sides, way: int, new: Sides) -> str:
        if way:
            return f"the knob is at its {WAYS[way]} end"
        if new == Sides():
            return "nothing in it tells the neighboring settings apart"
        return (
            f"evidence {self._amount(sides.left.e_value)} for left, "
            f"{self._amount(sides.right.e_value)} for right, "
            f"{self._needed} needed"
        )

    @property
    def _needed(self) -> str:
        return f"{2 / self.options.alpha:.3g}"

    def _amount(self, e_value: float) -> str:
        """Write evidence; far beyond what is needed more digits say nothing."""
        most = max(PLENTY, 2 / self.options.alpha)
        return f"{e_value:.3g}" if e_value <= most else f"more than {most:,.0f}"


# --- Reactions: what a tuner did with each piece of feedback, and why -----------------------------


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a tuner did with one piece of feedback.

    Attributes
    ----------
    feedback
        The method that was called.
    made_at
        The setting that the feedback is about; None where it speaks about every setting.
    counted
        Whether it was weighed; late feedback about a setting long left is not.
    moved
        How far the knob was turned: positive to the right, negative to the left, 0 if it stayed.
    position, step
        Where the knob stands now, and how far it would be turned next.
    for_left, for_right
        The evidence for either turn when this was decided, as e-values: by how much a bet on it
        would have multiplied its stake. A move needs 2 / alpha.
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
        did = (
            f"stayed at {self.position:.4g}"
            if self.moved == 0
            else f"turned {self.direction} by {abs(self.moved):.4g} to {self.position:.4g}"
        )
        return f"{did}: {self.why}"


# --- A tuner as plain data: versioned, exact, and bound to its hull -------------------------------

FORMAT, VERSION = "rocch.KnobTuner", 1


def written(climb: Climb, state: State, history: list[Reaction]) -> dict[str, Any]:
    """Return a tuner as dictionaries, lists, numbers and texts."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "hull": hull_print(climb.hull),
        "options": _options_written(climb.options),
        "state": _plain(asdict(state)),
        "history": [asdict(reaction) for reaction in history],
    }


def read(hull: RocHull, record: Any) -> tuple[Climb, State, list[Reaction]]:
    """Return what `written` wrote, for the same hull."""
    _check_format(record)
    own = hull_print(hull)
    try:
        other = dict(record["hull"])
        options = _options_read(**record["options"])
        state = _state_read(**record["state"])
        history = [Reaction(**reaction) for reaction in record["history"]]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "state", "be one that to_dict made", f"one that lacks or garbles {error}", "Save again."
        ) from None
    if other != own:
        raise InputError(
            "state",
            "belong to the model's hull",
            f"one of another hull ({other.get('vertices')} vertices, print {other.get('print')}; "
            f"the model's has {own['vertices']}, {own['print']})",
            "Its positions mean other settings here. Start a new tuner for a new model.",
        )
    return Climb(hull, options), state, history


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


def _check_format(record: Any) -> None:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        got = describe_type(record) if not isinstance(record, dict) else repr(record.get("format"))
        raise InputError("state", f"be the record of a tuner ({FORMAT})", got, "Use to_dict.")
    if record.get("version") != VERSION:
        raise InputError(
            "state",
            f"have version {VERSION}",
            repr(record.get("version")),
            "Read it with the release of rocch that wrote it.",
        )


def _options_written(options: TunerOptions) -> dict[str, Any]:
    own = {name: getattr(options, name) for name in TunerOptions.__slots__}
    if options.conditions is not None:
        own["conditions"] = _plain(asdict(options.conditions))
    return own


def _options_read(*, conditions: dict[str, Any] | None, **others: Any) -> TunerOptions:
    known = None if conditions is None else Conditions(**conditions)
    return TunerOptions(conditions=known, **others)


def _state_read(
    *,
    position: float,
    stride: dict[str, Any],
    sides: dict[str, Any],
    settled: list[int],
    trial: dict[str, Any],
) -> State:
    ways = {way: Evidence(**evidence) for way, evidence in sides.items()}
    costs = {side: tuple(trial[side]) for side in ("left", "right")}
    return State(
        Knob(position).position,
        Stride(**stride),
        Sides(**ways),
        tuple(settled),
        Trial(**{**trial, **costs}),
    )


def _plain(data: Any) -> Any:
    """Return tuples as lists, as JSON would, so that what is written equals what is read."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, tuple | list) else data
