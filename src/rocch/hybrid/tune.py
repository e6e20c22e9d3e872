"""A tuner that turns the knob by feedback (Provost and Fawcett, section 3.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import InputError, describe_type
from rocch.hybrid.climb import (
    NOTHING,
    Climb,
    Evidence,
    Reaction,
    Sides,
    State,
    read_record,
    review_weights,
    weigh_complaints,
    weigh_load,
    weigh_outcomes,
    write_record,
)
from rocch.hybrid.coin import key_texts, tosses
from rocch.hybrid.knob import Knob
from rocch.inputs import (
    as_array,
    as_instance,
    as_number,
    as_outcomes,
    as_rate,
    as_scores,
    check_length,
)
from rocch.roc.conditions import Conditions
from rocch.roc.criteria import MinimaxRegret
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint


class TunableModel(Protocol):
    """A fitted hybrid, as far as a tuner needs it."""

    @property
    def hull_(self) -> RocHull:
        """The hull that the knob runs along."""

    def at(self, point: Any, /) -> Any:
        """Return it aimed at an operating point, with `predict` and `decision_probability`."""


@dataclass(frozen=True, slots=True, eq=False)
class Exploration:
    """Which rows to review, and with what probability each was chosen.

    Attributes
    ----------
    review
        Whether to review the row: every alarm, and a random share of the others.
    propensities
        The probability with which each row was to be reviewed.
    """

    review: BoolArray
    propensities: FloatArray

    def __post_init__(self) -> None:
        self.review.flags.writeable = self.propensities.flags.writeable = False

    @property
    def reviewed_propensities(self) -> FloatArray:
        """The propensities of the rows to review, as `KnobTuner.outcomes` takes them."""
        return self.propensities[self.review]


def choose_reviews(
    probability: FloatArray, alarms: Any, *, share: float, row_key: Any, seed: int
) -> Exploration:
    """Choose rows to review: all alarms, and a share of the others by a coin keyed by row.

    Labels of alarms alone do not tell what was missed. With a random share of the other rows they
    do: each reviewed row stands for 1 / propensity rows.
    """
    hint = "Rows that are never reviewed cannot be learned from; 0.02 is already a start."
    share = as_number(share, "share", above=0, most=1, hint=hint)
    texts = key_texts(row_key, probability.size)
    alarmed = _as_alarmed(probability, alarms)
    drawn = tosses([f"explore:{text}" for text in texts], seed) < share
    return Exploration(alarmed | drawn, probability + (1 - probability) * share)


def _as_alarmed(probability: FloatArray, alarms: Any) -> BoolArray:
    """Return which rows alarmed; where a coin decides, only the caller knows."""
    certain = (probability == 0) | (probability == 1)
    if alarms is None:
        if not certain.all():
            raise InputError(
                "alarms",
                "be given where the setting mixes two vertices by a coin",
                "none",
                "Pass which rows alarmed in operation.",
            )
        return np.asarray(probability == 1)
    alarmed = as_array(alarms, "alarms")
    check_length(alarmed.size, probability.size, "alarms")
    if alarmed.dtype != bool:
        got = describe_type(alarmed[0].item())
        raise InputError("alarms", "be true or false for each row", got, "Compare first.")
    wrong = np.flatnonzero((alarmed != (probability == 1)) & certain)
    if wrong.size:
        raise InputError(
            "alarms",
            "be those of the setting in force",
            f"another decision at position {wrong[0]}",
            "Explore with the setting that raised the alarms ({setting}).",
        )
    return alarmed


class KnobTuner:
    """Turns the knob of a hybrid by feedback, and only on evidence.

    Each piece of feedback adds to the evidence for turning left (fewer alarms) or right (more).
    The knob is turned one step when the evidence passes what chance makes. Then the evidence starts
    anew; without a move, a side's does so when it is clearly worse, or after a window. So the
    probability of a move for no reason is at most `alpha` per window, however often one looks.

    Parameters
    ----------
    model
        A fitted hybrid: anything with `hull_` and `at(operating_point)`, whose result has
        `decision_probability(X)`.
    conditions
        Costs, needed for `outcomes`. The prevalence only helps to find the start.
    start
        A `Knob` or a position; by default the best point under the conditions, or the one with
        minimax regret where they are intervals.
    randomize
        Whether to allow settings that mix two vertices by a coin.
    probe
        Whether to run settings left and right of the knob in turn, needed for `observed_cost`.
    alpha
        The highest probability, per window, of a move for no reason.
    window
        How much feedback is weighed together, so that a change after a long calm is found as
        quickly as at first. The unit is one complaint, one period's load, one pair of costs, or ten
        rows on which two settings decide differently.
    step, least_step, most_step
        How far the knob is turned. The step doubles when it is turned the same way again, and
        halves when it is turned back, or when both sides had a window without a move.
    seed
        For the coins of `explore` and of the order in which settings are tried.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> class Hybrid:  # any fitted hybrid will do
    ...     hull_ = hull
    ...     def at(self, point): ...
    >>> tuner = rocch.hybrid.KnobTuner(Hybrid(), start=0.75)
    >>> print(tuner.load(alarms=105, capacity=100))
    stayed at 0.75: evidence 0.536 for left, 0.361 for right, 40 needed
    >>> print(tuner.load(alarms=180, capacity=100))
    turned left by 0.5 to 0.25: evidence 524, 40 needed
    >>> tuner.setting
    Knob(position=0.25)
    """

    def __init__(
        self,
        model: TunableModel,
        conditions: Conditions | None = None,
        *,
        start: Knob | float | None = None,
        randomize: bool = False,
        probe: bool = False,
        alpha: float = 0.05,
        window: int = 50,
        step: float = 0.1,
        least_step: float = 0.02,
        most_step: float = 0.2,
        seed: int = 0,
    ) -> None:
        self._model = _as_model(model)
        self._climb = Climb(
            hull=model.hull_,
            conditions=conditions,
            randomize=randomize,
            probe=probe,
            alpha=alpha,
            window=window,
            step=step,
            least_step=least_step,
            most_step=most_step,
            seed=seed,
        )
        self._state = self._climb.start(_start(self._climb, start))
        self._history: list[Reaction] = []
        self._model.at(self.operating_point)  # refuses a model that cannot be aimed

    def __repr__(self) -> str:
        return (
            f"<KnobTuner at {self._state.position:.4g}, step {self._state.step:.4g}, "
            f"{len(self._history)} piece(s) of feedback>"
        )

    @property
    def knob(self) -> Knob:
        """Where the knob stands."""
        return self._state.knob

    @property
    def setting(self) -> Knob:
        """The setting to run now: the knob's, or with `probe` the neighbor being tried."""
        return self._climb.setting(self._state)

    @property
    def operating_point(self) -> OperatingPoint:
        """The operating point of the setting to run now."""
        return self._climb.operating_point(self.setting)

    @property
    def aimed(self) -> Any:
        """The hybrid, aimed at the setting to run now."""
        return self._model.at(self.operating_point)

    @property
    def history(self) -> list[Reaction]:
        """What was done with each piece of feedback, the oldest first."""
        return list(self._history)

    def too_many_alarms(self, *, times: float = 1, setting: Knob | None = None) -> Reaction:
        """Record the complaint that there are too many alarms.

        Parameters
        ----------
        times
            How many complaints came in.
        setting
            The setting that they are about; by default the one in force. Further right there are
            more alarms, so complaints about a setting further left count for turning left, and
            those about one further right for turning right only.
        """
        sides = weigh_complaints(-1, as_number(times, "times", above=0))
        return self._weigh_alarms("too_many_alarms", sides, setting)

    def queue_not_filled(self, *, times: float = 1, setting: Knob | None = None) -> Reaction:
        """Record the complaint that there are too few alarms; see `too_many_alarms`."""
        sides = weigh_complaints(1, as_number(times, "times", above=0))
        return self._weigh_alarms("queue_not_filled", sides, setting)

    def load(
        self,
        *,
        alarms: float,
        capacity: float,
        tolerance: float = 0.1,
        setting: Knob | None = None,
    ) -> Reaction:
        """Record how many alarms a period had, and how many could be handled.

        Parameters
        ----------
        alarms, capacity
            Counts for the same period.
        tolerance
            By what share of the capacity the expected load may be off without a move.
        setting
            As for `too_many_alarms`.
        """
        sides = weigh_load(
            as_number(alarms, "alarms", least=0),
            as_number(capacity, "capacity", above=0),
            as_rate(tolerance, "tolerance"),
        )
        return self._weigh_alarms("load", sides, setting)

    def outcomes(
        self,
        X: Any,
        y_true: Any,
        *,
        complete: bool = False,
        propensities: Any = None,
        pos_label: Any = None,
    ) -> Reaction:
        """Record the true classes of rows, and compare the neighboring settings on them.

        Only rows on which the settings one step to the left or right decide differently count. The
        rows may come from any time and setting.

        Parameters
        ----------
        X, y_true
            Rows and their true classes.
        complete
            Whether these are *all* rows of a period, whether they alarmed or not.
        propensities
            Or else: the probability with which each of these rows was to be reviewed, from 1e-9
            to 1, for example from `explore`.
        pos_label
            The positive class. A `RocchClassifier` knows its own; for other models it must be
            given unless labels are boolean, 0/1 or -1/1.

        Raises
        ------
        InputError
            If neither is declared (selective labels), or costs are missing or inexact.
        """
        costs = self._climb.error_costs()
        positive = self._as_positive(y_true, pos_label)
        weights = review_weights(complete, propensities, positive.size)
        now = self._alarm_probability(self.knob, X)
        check_length(now.size, positive.size, "X")

        def weigh(way: int) -> Evidence:
            neighbor = self._climb.neighbor(self._state, way)
            if neighbor is None:
                return NOTHING
            other = self._alarm_probability(neighbor, X)
            return weigh_outcomes(now, other, positive, weights, costs)

        return self._weigh("outcomes", None, self._state, Sides(weigh(-1), weigh(1)))

    def observed_cost(
        self, total: float, *, cases: float = 1, setting: Knob | None = None
    ) -> Reaction:
        """Record what a period cost in all, at the setting that was run.

        A single cost does not say where to turn, so the tuner tries the settings left and right of
        the knob in turn: always run `setting`. Costs of other settings are not counted.

        Parameters
        ----------
        total
            The cost of the period.
        cases
            How many cases it had.
        setting
            The setting that was run; by default the one in force.
        """
        if not self._climb.probe:
            raise InputError(
                "probe",
                "be True before costs alone can guide the knob, because a cost says where to turn "
                "only beside that of another setting",
                "False",
                "Use KnobTuner(..., probe=True) and run tuner.setting, or pass outcomes.",
            )
        total = as_number(total, "total", hint="It is the cost of the whole period.")
        cases = as_number(cases, "cases", above=0)
        at, state = self._as_setting(setting), self._state
        tried = self._climb.neighbors(state)
        side = next((way for way, knob in tried.items() if knob == at), None)
        if side is None:
            why = "that setting is not one of the two being tried now"
            return self._react("observed_cost", at, state, state.evidence, why, counted=False)
        trial = state.trial.add(side, total, cases)
        if not trial.is_complete:
            why = "the other side is still to be tried"
            waiting = replace(state, trial=trial)
            return self._react("observed_cost", at, waiting, state.evidence, why)
        following, sides = trial.finish()
        return self._weigh("observed_cost", at, replace(state, trial=following), sides)

    @property
    def weighs_outcomes(self) -> bool:
        """Whether outcomes can be weighed: only where the conditions have exact costs."""
        return self._climb.has_exact_costs

    def leave_aside(self, kind: str, *, why: str) -> Reaction:
        """Record feedback that is not weighed, and why."""
        return self._react(kind, None, self._state, self._state.evidence, why, counted=False)

    def turn(self, by: float, *, why: str = "turned by hand") -> Reaction:
        """Turn the knob by hand; the evidence starts anew."""
        before = self._state
        return self._react("turn", None, self._climb.turn(before, by), before.evidence, why)

    def explore(
        self,
        X: Any,
        *,
        share: float,
        row_key: Any,
        alarms: Any = None,
        setting: Knob | None = None,
    ) -> Exploration:
        """Choose rows to review: all alarms, and a random share of the others.

        Parameters
        ----------
        X
            The rows of a period.
        share
            The share of rows without an alarm to review.
        row_key
            A key for each row, which with the tuner's seed makes its coin.
        alarms
            Which rows alarmed; needed only where the setting mixes two vertices by a coin.
        setting
            The setting that was run; by default the one in force.
        """
        probability = self._alarm_probability(self._as_setting(setting), X)
        seed = self._climb.seed
        return choose_reviews(probability, alarms, share=share, row_key=row_key, seed=seed)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model as plain data for JSON; see `from_dict`."""
        return write_record(self._climb, self._state, self._history)

    @classmethod
    def from_dict(cls, model: TunableModel, state: Any) -> KnobTuner:
        """Go on where `to_dict` left off, with the same model.

        Raises
        ------
        InputError
            If the state belongs to another hull, or is not one that `to_dict` made.
        """
        tuner = cls.__new__(cls)
        tuner._model = _as_model(model)
        tuner._climb, tuner._state, tuner._history = read_record(model.hull_, state)
        return tuner

    def _as_positive(self, y_true: Any, pos_label: Any) -> BoolArray:
        """Return which rows turned out positive, by the model's own labels if it has some."""
        hybrid = getattr(self._model, "hybrid_", None)
        if hybrid is None:
            return as_outcomes(y_true, pos_label)
        if pos_label is not None and pos_label != hybrid.positive:
            hint = f"It detects {hybrid.positive!r}."
            raise InputError("pos_label", "be the model's own", repr(pos_label), hint)
        positive: BoolArray = hybrid.positives(y_true, "y_true")
        return positive

    def _as_setting(self, setting: Knob | None) -> Knob:
        if setting is None:
            return self.setting
        hint = "Keep tuner.setting of the time that the feedback is about."
        return as_instance(setting, Knob, "setting", hint=hint)

    def _alarm_probability(self, knob: Knob, rows: Any) -> FloatArray:
        given = self._model.at(self._climb.operating_point(knob)).decision_probability(rows)
        probability = as_scores(given, np.size(given), argument="decision_probability")
        if probability.min() < 0 or probability.max() > 1:
            got = f"{probability.min():g} to {probability.max():g}"
            raise InputError("decision_probability", "be probabilities from 0 to 1", got)
        return probability

    def _weigh_alarms(self, kind: str, sides: Sides, setting: Knob | None) -> Reaction:
        """Weigh feedback about the number of alarms, as far as it holds at the present setting.

        Alarms at a setting further left are a lower bound on those here, which can speak for
        turning left, but not for turning right.
        """
        at = self._as_setting(setting)
        if at < self.knob:
            sides = sides.without({1})
        elif at > self.knob:
            sides = sides.without({-1})
        return self._weigh(kind, at, self._state, sides)

    def _weigh(self, kind: str, at: Knob | None, state: State, sides: Sides) -> Reaction:
        return self._react(kind, at, *self._climb.weigh(state, sides))

    def _react(
        self,
        kind: str,
        at: Knob | None,
        state: State,
        evidence: Sides,
        why: str,
        *,
        counted: bool = True,
    ) -> Reaction:
        """Take over a state, and note what led to it."""
        reaction = Reaction(
            feedback=kind,
            made_at=None if at is None else at.position,
            counted=counted,
            moved=state.position - self._state.position,
            position=state.position,
            step=state.step,
            for_left=evidence.left.e_value,
            for_right=evidence.right.e_value,
            why=why,
        )
        self._state = state
        self._history.append(reaction)
        return reaction


def _as_model(model: Any) -> TunableModel:
    if not isinstance(getattr(model, "hull_", None), RocHull) or not hasattr(model, "at"):
        requirement = "be a fitted hybrid, with hull_ and at(...)"
        raise InputError("model", requirement, describe_type(model), "Fit it first.")
    fitted: TunableModel = model
    return fitted


def _start(climb: Climb, start: Knob | float | None) -> Knob:
    if start is not None:
        return start if isinstance(start, Knob) else Knob(start)
    conditions = climb.conditions
    if conditions is None:
        raise InputError(
            "start",
            "be given where there are no {conditions}",
            "neither",
            "For example: start=0.3, or conditions=Conditions(...).",
        )
    return Knob.of(climb.hull.best(conditions if conditions.exact else MinimaxRegret(conditions)))
