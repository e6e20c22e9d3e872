"""A tuner that turns the knob by feedback from operation (Provost and Fawcett, section 3.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import InputError, describe_type
from rocch.hybrid import climb as feedback
from rocch.hybrid import climb as record
from rocch.hybrid.climb import (
    NOTHING,
    Climb,
    Evidence,
    Reaction,
    Sides,
    State,
    Step,
    Stride,
    TunerOptions,
)
from rocch.hybrid.coin import key_texts, tosses
from rocch.hybrid.knob import Knob
from rocch.inputs import as_array, as_number, as_outcomes, as_rate, as_scores, check_length
from rocch.roc.conditions import Conditions
from rocch.roc.criteria import MinimaxRegret
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint

# --- What a tuner needs of a hybrid: a hull, and a way to aim at a point on it --------------------


class Aimed(Protocol):
    """A hybrid aimed at one operating point."""

    def decision_probability(self, rows: Any, /) -> Any:
        """Return the probability of an alarm for each row; 0 or 1 where nothing is mixed."""

    def predict(self, rows: Any, /) -> Any:
        """Return the class of each row."""


class Aimable(Protocol):
    """A fitted hybrid."""

    @property
    def hull_(self) -> RocHull:
        """The hull that the knob runs along."""

    def at(self, point: Any, /) -> Aimed:
        """Return the hybrid aimed at an operating point."""


def checked_model(model: Any) -> Any:
    """Return a fitted hybrid, or refuse what is none."""
    if not isinstance(getattr(model, "hull_", None), RocHull) or not hasattr(model, "at"):
        raise InputError(
            "model",
            "be a fitted hybrid, with hull_ and at(...)",
            describe_type(model),
            "Fit it first.",
        )
    return model


def alarm_probability(model: Aimable, point: OperatingPoint, rows: Any) -> FloatArray:
    """Return the probability of an alarm for each row, at an operating point."""
    given = model.at(point).decision_probability(rows)
    probability = as_scores(given, np.size(given), argument="decision_probability")
    if probability.min() < 0 or probability.max() > 1:
        raise InputError(
            "decision_probability",
            "be probabilities from 0 to 1",
            f"{probability.min():g} to {probability.max():g}",
            "The model's at(...) must return the probability of an alarm.",
        )
    return probability


# --------------------------------------------------------------------------------------------------
# Exploration: which rows to review so that outcomes tell about all rows, not about alarms alone.
#
# Where only alarms are reviewed, nobody learns what was missed: the labels that exist say nothing
# about FPR and TPR elsewhere. Reviewing a random share of the other rows, with that share written
# down, mends this: each reviewed row then stands for 1 / propensity rows.


@dataclass(frozen=True, slots=True, eq=False)
class Exploration:
    """Which rows to review, and with what probability each of them was chosen.

    Attributes
    ----------
    review
        Whether to review the row: every alarm, and a random share of the others.
    propensities
        The probability with which each row was to be reviewed, whether it is or not.
    """

    review: BoolArray
    propensities: FloatArray

    def __post_init__(self) -> None:
        self.review.flags.writeable = self.propensities.flags.writeable = False

    @property
    def reviewed_propensities(self) -> FloatArray:
        """The propensities of the rows to review, as `KnobTuner.outcomes` takes them."""
        return self.propensities[self.review]


def explored(
    probability: FloatArray, alarms: Any, *, share: float, row_key: Any, seed: int
) -> Exploration:
    """Choose rows to review: all alarms, and a share of the others by a coin keyed by row."""
    share = as_rate(share, "share")
    if share == 0:
        raise InputError(
            "share",
            "be greater than 0",
            "0",
            "Rows that are never reviewed cannot be learned from; 0.02 is already a start.",
        )
    texts = key_texts(row_key, probability.size)
    raised = _raised(probability, alarms)
    drawn = tosses([f"explore:{text}" for text in texts], seed) < share
    return Exploration(raised | drawn, probability + (1 - probability) * share)


def _raised(probability: FloatArray, alarms: Any) -> BoolArray:
    """Return which rows alarmed; where a coin decides, only the caller knows."""
    sure = (probability == 0) | (probability == 1)
    if alarms is None:
        if not sure.all():
            raise InputError(
                "alarms",
                "be given where the setting mixes two vertices by a coin",
                "none",
                "Pass which rows alarmed in operation.",
            )
        return np.asarray(probability == 1)
    raised = as_array(alarms, "alarms")
    check_length(raised.size, probability.size, "alarms")
    if raised.dtype != bool:
        raise InputError(
            "alarms",
            "be true or false for each row",
            describe_type(raised[0].item()),
            "Compare first.",
        )
    if (raised != (probability == 1))[sure].any():
        where = np.flatnonzero((raised != (probability == 1)) & sure)[0]
        raise InputError(
            "alarms",
            "be those of the setting in force",
            f"another decision at position {where}",
            "Explore with the setting that raised the alarms (setting=).",
        )
    return raised


# --- A tuner that turns the knob by feedback from operation (Provost and Fawcett, section 3.6) ----
#
# The paper's hill-climbing leaves open what to do about noise: this tuner moves only on evidence.


class KnobTuner:
    """Turns the knob of a hybrid by feedback, and only on evidence.

    Each piece of feedback adds to the evidence for turning left (fewer alarms) or right (more).
    The knob is turned one step when the evidence passes what chance makes, however often one
    looks. Then it starts anew; and without a move each side starts anew when it is clearly worse,
    or after a window. So the probability of a move for no reason is at most `alpha` per window.

    Parameters
    ----------
    model
        A fitted hybrid: anything with `hull_` and `at(operating_point)`, whose result has
        `decision_probability(X)`.
    conditions
        Costs, needed for `outcomes`. The prevalence only helps to find the start.
    start
        A `Knob` or a position; by default the best point under the conditions, or the safest one
        (minimax regret) where they are intervals.
    randomize
        Allow settings between vertices, which mix two vertices by a coin.
    probe
        Allow `setting` to be run left and right of the knob in turn, needed for `observed_cost`.
    alpha
        The highest probability, per window, of a move for no reason.
    window
        After so much feedback without a move a side's evidence starts anew, so that a change after
        a long calm is found as quickly as at first. The unit is one complaint, one period's load,
        one pair of costs, or ten rows on which two settings decide differently.
    step, least_step, most_step
        How far the knob is turned. The step doubles when it is turned the same way again, and
        halves when it is turned back, and when both sides have had a window without a move.
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
        model: Aimable,
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
        options = TunerOptions(
            conditions=conditions,
            randomize=randomize,
            probe=probe,
            alpha=alpha,
            window=window,
            seed=seed,
        )
        stride = Stride(step, least_step, most_step)
        self._model: Aimable = checked_model(model)
        self._climb = Climb(model.hull_, options)
        placed = self._climb.placed(_start(self._climb, start))
        self._state = State(placed.position, stride)
        self._history: list[Reaction] = []
        self._model.at(self.operating_point)  # refuses a model that cannot be aimed

    def __repr__(self) -> str:
        return (
            f"<KnobTuner at {self._state.position:.4g}, step {self._state.stride.step:.4g}, "
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
        return self._climb.point(self.setting)

    @property
    def aimed(self) -> Aimed:
        """The hybrid, aimed at the setting to run now."""
        return self._model.at(self.operating_point)

    @property
    def history(self) -> list[Reaction]:
        """What was done with each piece of feedback, the oldest first."""
        return list(self._history)

    def too_many_alarms(self, *, times: float = 1, setting: Knob | None = None) -> Reaction:
        """Hear the complaint that there are too many alarms.

        Parameters
        ----------
        times
            How many complaints came in.
        setting
            At which setting; by default the one in force. Further right there are more alarms.
            So complaints about a setting further left than the present one speak about turning
            left from here, and those about a setting further right about turning right only.
        """
        times = feedback.checked_count(times, "times", positive=True)
        return self._directed("too_many_alarms", feedback.complaints(-1, times), setting)

    def queue_not_filled(self, *, times: float = 1, setting: Knob | None = None) -> Reaction:
        """Hear the complaint that there are too few alarms; see `too_many_alarms`."""
        times = feedback.checked_count(times, "times", positive=True)
        return self._directed("queue_not_filled", feedback.complaints(1, times), setting)

    def load(
        self,
        *,
        alarms: float,
        capacity: float,
        tolerance: float = 0.1,
        setting: Knob | None = None,
    ) -> Reaction:
        """Hear how many alarms a period had, and how many could be handled.

        Parameters
        ----------
        alarms, capacity
            Counts for the same period.
        tolerance
            Which share of the capacity the expected load may be off without any move.
        setting
            As for `too_many_alarms`.
        """
        alarms = feedback.checked_count(alarms, "alarms")
        capacity = feedback.checked_count(capacity, "capacity", positive=True)
        sides = feedback.load(alarms, capacity, as_rate(tolerance, "tolerance"))
        return self._directed("load", sides, setting)

    def outcomes(
        self,
        X: Any,
        y_true: Any,
        *,
        complete: bool = False,
        propensities: Any = None,
        pos_label: Any = None,
    ) -> Reaction:
        """Hear the true classes of rows, and compare the neighboring settings on them.

        The settings one step to the left and to the right are judged on the same rows, so only
        rows on which they decide differently count. The rows may come from any time and setting:
        the true classes are the rows' own, and decisions are made anew for the present settings.

        Parameters
        ----------
        X, y_true
            Rows and their true classes.
        complete
            Declare that these are *all* rows of a period, whether they alarmed or not.
        propensities
            Or else: the probability with which each of these rows was to be reviewed, for example
            from `explore`; from 1e-9 to 1.
        pos_label
            The positive class. A `RocchClassifier` knows its own; for other models it must be
            given unless labels are boolean, 0/1 or -1/1.

        Raises
        ------
        InputError
            If neither is declared (selective labels), if costs are missing or inexact, or if the
            data cannot be used.
        """
        stakes = feedback.stakes_of(self._climb.options.conditions)
        positive = self._outcomes(y_true, pos_label)
        weights = feedback.review_weights(complete, propensities, positive.size)
        now = self._alarms(self.knob, X)
        check_length(now.size, positive.size, "X")

        def savings(way: int) -> Evidence:
            beside = self._climb.beside(self._state, way)
            if beside is None:
                return NOTHING
            other = self._alarms(beside, X)
            return feedback.outcomes(now, other, positive, weights, stakes)

        return self._weigh("outcomes", None, Sides(savings(-1), savings(1)))

    def observed_cost(
        self, total: float, *, cases: float = 1, setting: Knob | None = None
    ) -> Reaction:
        """Hear what a period cost in all, at the setting that was run.

        A single cost does not say where to turn. The tuner therefore tries the settings left and
        right of the knob in turn: always run `setting`. Costs of other settings are not counted.

        Parameters
        ----------
        total
            The cost of the period.
        cases
            How many cases it had, so that periods of different size can be compared.
        setting
            At which setting; by default the one in force.
        """
        if not self._climb.options.probe:
            raise InputError(
                "probe must be True before costs alone can guide the knob, because a cost says "
                "where to turn only beside that of another setting; got False. Use "
                "KnobTuner(..., probe=True) and run tuner.setting, or pass outcomes."
            )
        total = as_number(total, "total", hint="It is the cost of the whole period.")
        cases = feedback.checked_count(cases, "cases", positive=True)
        at = self._made_at(setting)
        tried = self._climb.pair(self._state)
        side = next((way for way, knob in tried.items() if knob == at), None)
        if side is None:
            why = "that setting is not one of the two being tried now"
            return self._stayed("observed_cost", at, why, counted=False)
        trial = self._state.trial.observed(side, total, cases)
        if not trial.complete:
            self._state = replace(self._state, trial=trial)
            return self._stayed("observed_cost", at, "the other side is still to be tried")
        following, said = trial.finished()
        self._state = replace(self._state, trial=following)
        return self._weigh("observed_cost", at, said)

    @property
    def weighs_outcomes(self) -> bool:
        """Whether outcomes can be weighed: only where the conditions have exact costs."""
        return feedback.costs_are_exact(self._climb.options.conditions)

    def leave_aside(self, kind: str, *, why: str) -> Reaction:
        """Note feedback that is not weighed, and why; the knob and the evidence stay."""
        return self._stayed(kind, None, why, counted=False)

    def turn(self, by: float, *, why: str = "turned by hand") -> Reaction:
        """Turn the knob by hand, without waiting for evidence; it then starts anew."""
        return self._react("turn", None, self._climb.turned(self._state, by, why))

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
            The share of rows without an alarm to review all the same.
        row_key
            A name for each row. The coin is keyed by it and by the tuner's seed, so a row is
            chosen or not whatever other rows come with it.
        alarms
            Which rows alarmed; needed only where the setting mixes two vertices by a coin.
        setting
            At which setting; by default the one in force.
        """
        probability = self._alarms(self._made_at(setting), X)
        seed = self._climb.options.seed
        return explored(probability, alarms, share=share, row_key=row_key, seed=seed)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model as plain data for JSON; see `from_dict`."""
        return record.written(self._climb, self._state, self._history)

    @classmethod
    def from_dict(cls, model: Aimable, state: Any) -> KnobTuner:
        """Go on where `to_dict` left off, with the same model.

        Raises
        ------
        InputError
            If the state belongs to another hull, or is not one that `to_dict` made.
        """
        tuner = cls.__new__(cls)
        tuner._model = checked_model(model)
        tuner._climb, tuner._state, tuner._history = record.read(model.hull_, state)
        return tuner

    def _outcomes(self, y_true: Any, pos_label: Any) -> BoolArray:
        """Return which rows turned out positive, by the model's own labels if it has some."""
        hybrid = getattr(self._model, "hybrid_", None)
        if hybrid is None:
            return as_outcomes(y_true, pos_label)
        if pos_label is not None and pos_label != hybrid.positive:
            raise InputError(
                "pos_label",
                "be the model's own",
                repr(pos_label),
                f"It detects {hybrid.positive!r}.",
            )
        positive: BoolArray = hybrid.positives(y_true, "y_true")
        return positive

    def _made_at(self, setting: Knob | None) -> Knob:
        if setting is not None and not isinstance(setting, Knob):
            raise InputError(
                "setting",
                "be a Knob",
                describe_type(setting),
                "Keep tuner.setting of the time that the feedback is about.",
            )
        return self.setting if setting is None else setting

    def _alarms(self, knob: Knob, rows: Any) -> FloatArray:
        return alarm_probability(self._model, self._climb.point(knob), rows)

    def _directed(self, kind: str, sides: Sides, setting: Knob | None) -> Reaction:
        """Weigh feedback about the number of alarms, as far as it carries to the present.

        Further right there are more alarms. So the alarms at a setting on the left are a lower
        bound on those here, which can speak for turning left, but not for turning right.
        """
        at = self._made_at(setting)
        if at < self.knob:
            sides = replace(sides, right=NOTHING)
        elif at > self.knob:
            sides = replace(sides, left=NOTHING)
        return self._weigh(kind, at, sides)

    def _weigh(self, kind: str, at: Knob | None, sides: Sides) -> Reaction:
        return self._react(kind, at, self._climb.weighed(self._state, sides))

    def _stayed(self, kind: str, at: Knob | None, why: str, *, counted: bool = True) -> Reaction:
        step = Step(self._state, 0.0, self._state.sides, why)
        return self._react(kind, at, step, counted=counted)

    def _react(self, kind: str, at: Knob | None, step: Step, *, counted: bool = True) -> Reaction:
        self._state = step.state
        reaction = Reaction(
            feedback=kind,
            made_at=None if at is None else at.position,
            counted=counted,
            moved=step.moved,
            position=step.state.position,
            step=step.state.stride.step,
            for_left=step.sides.left.e_value,
            for_right=step.sides.right.e_value,
            why=step.why,
        )
        self._history.append(reaction)
        return reaction


def _start(climb: Climb, start: Knob | float | None) -> Knob:
    if start is not None:
        return start if isinstance(start, Knob) else Knob(start)
    conditions = climb.options.conditions
    if conditions is None:
        raise InputError(
            "start",
            "be given where there are no conditions",
            "neither",
            "For example: start=0.3, or conditions=Conditions(...).",
        )
    return Knob.of(climb.hull.best(conditions if conditions.exact else MinimaxRegret(conditions)))
