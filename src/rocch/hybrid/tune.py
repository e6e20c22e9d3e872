"""A tuner that turns the knob by feedback (Provost and Fawcett, section 3.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Features, FloatArray, Label
from rocch.errors import Hint, InputError, describe_type
from rocch.hybrid.climb import (
    NOTHING,
    Climb,
    Evidence,
    Reaction,
    Sides,
    State,
    Trial,
    hull_print,
    review_weights,
    weigh_load,
    weigh_outcomes,
)
from rocch.hybrid.coin import key_texts, tosses
from rocch.inputs import as_array, as_instance, as_number, as_rate, as_rates, check_length
from rocch.labels import as_outcomes
from rocch.results import (
    Records,
    Table,
    Tabular,
    collect,
)
from rocch.roc.conditions import Conditions
from rocch.roc.hull import RocHull
from rocch.roc.knob import Knob
from rocch.roc.operating_point import OperatingPoint

if TYPE_CHECKING:
    from rocch.hybrid.aimed import AimedClassifier

FORMAT, VERSION = "rocch.KnobTuner", 1
# The options of a record, beside the steps.
OPTIONS = ("conditions", "randomize", "probe", "alpha", "window", "seed")


class TunableModel(Protocol):
    """A fitted hybrid, as a tuner needs it."""

    @property
    def hull_(self) -> RocHull:
        """The hull that the knob runs along."""

    def at(self, point: OperatingPoint, /) -> Any:
        """Return the model aimed at an operating point."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Exploration(Tabular):
    """Which rows to review, and the probability that each was chosen.

    Attributes
    ----------
    review
        Whether to review the row: every alarm, and a random share of the others.
    propensities
        The probability of a review, for each row.
    """

    review: BoolArray
    propensities: FloatArray

    def __post_init__(self) -> None:
        self.review.flags.writeable = self.propensities.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Exploration: {self.review.sum():,} of {self.review.size:,} rows to review>"

    def _columns(self) -> Table:
        return {"review": self.review, "propensity": self.propensities}

    @property
    def reviewed_propensities(self) -> FloatArray:
        """The propensities of the rows to review, for `KnobTuner.outcomes`."""
        return self.propensities[self.review]


def choose_reviews(
    probability: FloatArray,
    alarms: ArrayLike | None,
    *,
    share: float,
    row_key: ArrayLike,
    seed: int,
) -> Exploration:
    """Choose rows to review: all alarms, and a share of the others by a coin."""
    share = as_number(share, "share", above=0, most=1, hint="For example: 0.02.")
    texts = key_texts(row_key, probability.size)
    alarmed = _as_alarmed(probability, alarms)
    drawn = tosses([f"explore:{text}" for text in texts], seed) < share
    return Exploration(alarmed | drawn, probability + (1 - probability) * share)


def _as_alarmed(probability: FloatArray, alarms: ArrayLike | None) -> BoolArray:
    """Return which rows alarmed."""
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
        got = f"values of type {alarmed.dtype}"
        raise InputError("alarms", "be true or false for each row", got)
    wrong = np.flatnonzero((alarmed != (probability == 1)) & certain)
    if wrong.size:
        raise InputError(
            "alarms",
            "be those of the setting in force",
            f"another decision at position {wrong[0]}",
            "Explore with the setting that raised the alarms ({setting}).",
        )
    return alarmed


class KnobTuner(Tabular):
    """Turns the knob of a hybrid by feedback, on evidence only.

    Feedback adds to the evidence for fewer alarms or for more. When it exceeds
    chance, the knob moves one step and the evidence is reset.

    Parameters
    ----------
    model
        A fitted hybrid: anything with `hull_` and `at(operating_point)`, whose result has
        `decision_probability(X)`.
    conditions
        Costs, needed for `outcomes`. The prevalence only affects the start.
    start
        A `Knob` or a position; by default the best point under the conditions, by minimax regret
        where they are intervals.
    randomize
        Whether settings may mix two vertices by a coin.
    probe
        Whether to run settings left and right of the knob in turn, needed for `observed_cost`.
    alpha
        The highest probability, per window, of a move without a reason.
    window
        How much feedback is weighed together, in complaints, periods of load, pairs of costs, or
        tens of rows on which two settings differ.
    step, least_step, most_step
        How far the knob moves. The step doubles in the same direction, and halves after a reversal
        or when both sides had a window without a move.
    seed
        For the coins of `explore` and of the order of trials.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> class Hybrid:  # any fitted hybrid will do
    ...     hull_ = hull
    ...     def at(self, point): ...
    >>> tuner = rocch.hybrid.KnobTuner(Hybrid(), start=0.75)
    >>> print(tuner.load(alarms=105, capacity=100))
    stayed at 0.75: evidence 0.536 for fewer alarms, 0.361 for more alarms, 40 needed
    >>> print(tuner.load(alarms=180, capacity=100))
    turned to fewer alarms, by 0.5 to 0.25: evidence 524, 40 needed
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
        self._state = self._climb.start(start)
        self._history: list[Reaction] = []
        self._model.at(self.operating_point)  # fails now if the model cannot be aimed

    def __repr__(self) -> str:
        return (
            f"<KnobTuner at {self._state.position:.4g}, step {self._state.step:.4g}, "
            f"{len(self._history)} piece(s) of feedback>"
        )

    def _columns(self) -> Table:
        return collect(self._history)

    @property
    def knob(self) -> Knob:
        """The knob's position."""
        return self._state.knob

    @property
    def setting(self) -> Knob:
        """The setting to run now: the knob's, or with `probe` a neighbor."""
        return self._climb.setting(self._state)

    @property
    def operating_point(self) -> OperatingPoint:
        """The operating point of the setting to run now."""
        return self._climb.operating_point(self.setting)

    @property
    def aimed(self) -> AimedClassifier:
        """The hybrid aimed at the setting to run now."""
        aimed: AimedClassifier = self._model.at(self.operating_point)
        return aimed

    @property
    def history(self) -> Records[Reaction]:
        """The reactions, oldest first."""
        return Records(self._history)

    def too_many_alarms(self, *, times: float = 1, setting: Knob | None = None) -> Reaction:
        """Record complaints about too many alarms.

        Parameters
        ----------
        times
            The number of complaints.
        setting
            The setting that they are about, by default the current one. Complaints about one
            further left count only for turning left, and vice versa.
        """
        times = as_number(times, "times", above=0)
        return self._weigh_alarms("too_many_alarms", Sides.opposite(-times, times), setting)

    def queue_not_filled(self, *, times: float = 1, setting: Knob | None = None) -> Reaction:
        """Record complaints about too few alarms; see `too_many_alarms`."""
        times = as_number(times, "times", above=0)
        return self._weigh_alarms("queue_not_filled", Sides.opposite(times, times), setting)

    def load(
        self,
        *,
        alarms: float,
        capacity: float,
        tolerance: float = 0.1,
        setting: Knob | None = None,
    ) -> Reaction:
        """Record a period's alarms and its capacity.

        Parameters
        ----------
        alarms, capacity
            Counts for the same period.
        tolerance
            The share of the capacity by which the expected load may differ without a move.
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
        X: Features,
        y_true: ArrayLike,
        *,
        complete: bool = False,
        propensities: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> Reaction:
        """Record the true classes of rows, and compare the neighboring settings on them.

        Parameters
        ----------
        X, y_true
            Rows of any time and setting, and their true classes.
        complete
            Whether these are *all* rows of a period, with and without an alarm.
        propensities
            Otherwise, the probability of a review for each row, from 1e-9 to 1; see `explore`.
        pos_label
            The positive class, if neither the model nor the labels (0/1, yes/no ...) imply it.
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
        """Record the total cost of a period at the setting that was run.

        The tuner compares the settings left and right of the knob in turn: always run `setting`.

        Parameters
        ----------
        total
            The cost of the period.
        cases
            Its number of cases.
        setting
            The setting that was run, by default the current one; others are not counted.
        """
        if not self._climb.probe:
            raise InputError(
                "probe",
                "be True before costs alone can guide the knob",
                "False",
                Hint("Use KnobTuner(..., probe=True) and run tuner.setting, or pass outcomes."),
            )
        total = as_number(total, "total")
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
        """Whether outcomes can be weighed, which needs exact costs."""
        return self._climb.has_exact_costs

    def leave_aside(self, kind: str, *, why: str) -> Reaction:
        """Record feedback that is not weighed, and why."""
        return self._react(kind, None, self._state, self._state.evidence, why, counted=False)

    def turn(self, by: float, *, why: str = "turned by hand") -> Reaction:
        """Turn the knob by hand and reset the evidence."""
        before = self._state
        return self._react("turn", None, self._climb.turn(before, by), before.evidence, why)

    def explore(
        self,
        X: Features,
        *,
        share: float,
        row_key: ArrayLike,
        alarms: ArrayLike | None = None,
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
            A key for each row, for its coin.
        alarms
            Which rows alarmed; needed where the setting mixes two vertices.
        setting
            The setting that was run, by default the current one.
        """
        probability = self._alarm_probability(self._as_setting(setting), X)
        seed = self._climb.seed
        return choose_reviews(probability, alarms, share=share, row_key=row_key, seed=seed)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model as plain data for JSON."""
        climb, state = self._climb, self._state
        options = {name: getattr(climb, name) for name in OPTIONS}
        if climb.conditions is not None:
            options["conditions"] = asdict(climb.conditions)
        stride = {"step": state.step, "least": climb.least_step, "most": climb.most_step}
        record = {
            "format": FORMAT,
            "version": VERSION,
            "hull": hull_print(climb.hull),
            "options": options,
            "state": {
                "position": state.position,
                "stride": {**stride, "last": state.last_way},
                "sides": asdict(state.evidence),
                "settled": state.settled,
                "trial": asdict(state.trial),
            },
            "history": [asdict(reaction) for reaction in self._history],
        }
        plain: dict[str, Any] = json.loads(json.dumps(record))  # with lists for tuples
        return plain

    @classmethod
    def from_dict(cls, model: TunableModel, state: Mapping[str, Any]) -> KnobTuner:
        """Restore a tuner from `to_dict`, with the same model."""
        tuner = cls.__new__(cls)
        tuner._model = _as_model(model)
        record = _as_record(state)
        try:
            recorded = dict(record["hull"])
            options, stride = dict(record["options"]), record["state"]["stride"]
            if options["conditions"] is not None:
                options["conditions"] = Conditions(**options["conditions"])
            steps = {"least_step": stride["least"], "most_step": stride["most"]}
            tuner._climb = Climb(hull=model.hull_, step=stride["step"], **steps, **options)
            tuner._state = _read_state(record["state"])
            tuner._history = [Reaction(**reaction) for reaction in record["history"]]
        except InputError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("state", "be a result of to_dict", f"no valid {error}") from None
        own = hull_print(model.hull_)
        if recorded != own:
            raise InputError(
                "state",
                "belong to the model's hull",
                f"one of another hull ({recorded.get('vertices')} vertices, print "
                f"{recorded.get('print')}; the model's has {own['vertices']}, {own['print']})",
                "Start a new tuner for a new model.",
            )
        return tuner

    def _as_positive(self, y_true: ArrayLike, pos_label: Label | None) -> BoolArray:
        """Return which rows are positive, by the model's labels if it has some."""
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
        return as_instance(
            setting, Knob, "setting", hint=Hint("Record tuner.setting when you run it.")
        )

    def _alarm_probability(self, knob: Knob, X: Features) -> FloatArray:
        given = self._model.at(self._climb.operating_point(knob)).decision_probability(X)
        return as_rates(given, None, "decision_probability")

    def _weigh_alarms(self, kind: str, sides: Sides, setting: Knob | None) -> Reaction:
        """Weigh feedback about alarms, as far as it holds at the present setting."""
        # alarms at a setting further left are a lower bound on those here, so they can justify
        # turning left, but not right
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
        reaction = Reaction(
            feedback=kind,
            made_at=None if at is None else at.position,
            counted=counted,
            moved=state.position - self._state.position,
            position=state.position,
            step=state.step,
            for_fewer_alarms=evidence.left.e_value,
            for_more_alarms=evidence.right.e_value,
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


def _as_record(state: Any) -> dict[str, Any]:
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        got = repr(state.get("format")) if isinstance(state, dict) else describe_type(state)
        raise InputError("state", f"be the record of a tuner ({FORMAT})", got, Hint("Use to_dict."))
    if state.get("version") != VERSION:
        hint = "Read it with the release of rocch that wrote it."
        raise InputError("state", f"have version {VERSION}", repr(state.get("version")), hint)
    return state


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
