"""Ways to decide through a year, each with no more knowledge than it would have at the time."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

import rocch
from rocch.hybrid import ScoreColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, IntArray
    from studies.drifting.training import House
    from studies.drifting.world import Week

    Weeks = Sequence[Week]
    Answers = list[BoolArray]


class Estimates(NamedTuple):
    """What the unlabeled rows of each week say about its prevalence."""

    each: list[rocch.stats.PrevalenceEstimate]

    def until(self, week: int) -> Estimates:
        """Return those of the weeks before."""
        return Estimates(self.each[:week])

    def numbers(self) -> dict[str, Any]:
        """Return them as arrays by name."""
        return {
            "estimate": [estimate.prevalence for estimate in self.each],
            "low": [estimate.interval.low for estimate in self.each],
            "high": [estimate.interval.high for estimate in self.each],
            "fits": [estimate.fits for estimate in self.each],
        }

    def accepted(self, before: float) -> list[rocch.roc.Interval]:
        """Return for each week the estimate as one number, or the last one that was accepted."""
        return self._fed(before, exact=True)

    def intervals(self, before: float) -> list[rocch.roc.Interval]:
        """Return for each week the whole interval, or the last one that was accepted."""
        return self._fed(before, exact=False)

    def _fed(self, before: float, *, exact: bool) -> list[rocch.roc.Interval]:
        costs = rocch.Conditions(prevalence=before, false_positive=1, false_negative=1)
        fed = []
        for one in self.each:
            with suppress(rocch.AssumptionError):  # refused: what was accepted last stands
                costs = one.feed(costs, exact=exact)
            fed.append(costs.prevalence_interval)
        return fed


def estimate(
    model: rocch.RocchClassifier, batches: Sequence[pd.DataFrame], known: Estimates | None = None
) -> Estimates:
    """Estimate each week's prevalence from its rows before they are decided.

    Weeks that were estimated already, at the year's start, are passed in `known`.
    """
    done = [] if known is None else known.each
    more = [model.estimate_prevalence(batch) for batch in batches[len(done) :]]
    return Estimates([*done, *more])


def re_aimed(model: rocch.RocchClassifier, weeks: Weeks, prevalences: Sequence[Any]) -> Answers:
    """Aim a hybrid each week, at the week's costs and a prevalence."""
    return [
        _decide(model, week.conditions(p), week) for week, p in zip(weeks, prevalences, strict=True)
    ]


def safest(model: rocch.RocchClassifier, weeks: Weeks, intervals: Sequence[Any]) -> Answers:
    """Aim each week at the least worst regret over an interval of prevalences."""
    return [
        _decide(model, rocch.MinimaxRegret(week.conditions(p)), week)
        for week, p in zip(weeks, intervals, strict=True)
    ]


def _decide(model: rocch.RocchClassifier, aim: Any, week: Week) -> BoolArray:
    alarms: BoolArray = model.at(aim, exact=True).predict(week.scores)
    return alarms


def last_months_shares(house: House, weeks: Weeks) -> list[float]:
    """Return the share of positives among the last month's labeled rows; at first, training's.

    Half a positive and half a negative are added: no positives among a thousand rows is not never.
    """
    shares = {0: house.prevalence}
    for month in range(1, weeks[-1].month + 1):
        _, labels = last_month(house, weeks, month)
        shares[month] = (np.count_nonzero(labels) + 0.5) / (labels.size + 1)
    return [shares[week.month] for week in weeks]


def last_month(house: House, weeks: Weeks, month: int) -> tuple[pd.DataFrame, IntArray]:
    """Return the labeled rows known when a month begins: the month before, or training rows."""
    if month == 0:
        return house.judged, house.positive.astype(int)
    before = [week for week in weeks if week.month == month - 1]
    labels = np.concatenate([week.positive for week in before]).astype(int)
    return pd.concat([week.scores for week in before], ignore_index=True), labels


def turned_by_feedback(house: House, weeks: Weeks) -> Answers:
    """Start each month where last month's labels say, then turn the knob by each week's outcomes.

    A new month has new costs, so the evidence starts anew with it.
    """
    shares = last_months_shares(house, weeks)
    answers, month = [], -1
    for week, share in zip(weeks, shares, strict=True):
        if week.month != month:
            month = week.month
            tuner = rocch.hybrid.KnobTuner(house.hybrid, week.conditions(share))
        answers.append(tuner.aimed.predict(week.scores))
        tuner.outcomes(week.scores, week.positive, complete=True)
    return answers


def minus_cost(y_true: IntArray, y_pred: IntArray, miss_cost: float) -> float:
    """Return what decisions gain, for scikit-learn's scorers: minus their cost."""
    false_alarms = np.count_nonzero((y_pred == 1) & (y_true == 0))
    misses = np.count_nonzero((y_pred == 0) & (y_true == 1))
    return -(false_alarms + miss_cost * misses)


def tuned_monthly(house: House, weeks: Weeks) -> Answers:
    """Let scikit-learn tune the best model's threshold each month on the month before.

    It is told the new month's costs. A month without both classes tunes nothing; the threshold
    stays as it was.
    """
    answers, month = [], -1
    tuned: Any = None
    for week in weeks:
        if week.month != month:
            month = week.month
            scores, labels = last_month(house, weeks, month)
            if tuned is None or 0 < labels.sum() < labels.size:
                tuned = _tuned(house.best, week.miss_cost, scores, labels)
        answers.append(tuned.predict(week.scores) == 1)
    return answers


def _tuned(best: str, miss_cost: float, scores: pd.DataFrame, labels: IntArray) -> Any:
    return TunedThresholdClassifierCV(
        ScoreColumn(best),
        scoring=make_scorer(minus_cost, miss_cost=miss_cost),
        cv="prefit",
        refit=False,
    ).fit(scores, labels)


def by_probability(house: House, weeks: Weeks) -> Answers:
    """Trust the best calibrated model: alarm when that is the cheaper answer by its probability.

    The probability holds at the training prevalence t and is moved to the week's p by Bayes' rule:
    its odds are multiplied by p / (1 - p) over t / (1 - t).
    """
    answers = []
    for week in weeks:
        q = week.scores[house.calibrated].to_numpy()
        to_positive = q * week.prevalence / house.prevalence
        to_negative = (1 - q) * (1 - week.prevalence) / (1 - house.prevalence)
        answers.append(np.asarray(week.miss_cost * to_positive > to_negative))
    return answers


def at_one_half(model: str, weeks: Weeks) -> Answers:
    """Alarm when a model's probability is at least one half, as its `predict` does."""
    return [np.asarray(week.scores[model].to_numpy() >= 0.5) for week in weeks]


def kept_as_begun(house: House, weeks: Weeks) -> Answers:
    """Aim the hybrid at the first week's conditions, and leave it there."""
    first = house.hybrid.at(weeks[0].conditions(weeks[0].prevalence))
    return [first.predict(week.scores) for week in weeks]
