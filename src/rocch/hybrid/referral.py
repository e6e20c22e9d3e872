"""A hybrid that refers some rows to a person."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from rocch.arrays import AnyArray, BoolArray, Features
from rocch.errors import Hint, InputError
from rocch.hybrid.aimed import View
from rocch.hybrid.hybrid import FOR_NEW_ROWS, Hybrid
from rocch.hybrid.referral_rule import ReferralRule, check_words, expected_shares
from rocch.inputs import as_flag
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.operating_point import RocPoint
from rocch.roc.question import Question
from rocch.roc.rate_intervals import join_rates
from rocch.roc.referral import Referral, error_costs, read_question, referral_slopes, why_none


class ReferringClassifier(View):
    """A hybrid that decides some rows and refers the others; made by `RocchClassifier.refer`.

    Attributes
    ----------
    referral
        The two thresholds, what they refer and what they cost.
    rule
        The rule in words, JSON, Python and SQL.
    for_new_rows
        Whether it is aimed for new rows; otherwise it is the best on the evaluation rows.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> model = rocch.RocchClassifier([("forest", forest)]).fit(X, y)
    >>> known = rocch.Conditions(prevalence="observed", false_positive=5, false_negative=1)
    >>> view = model.refer(known, cost=0.1)
    >>> sorted({str(decision) for decision in view.predict(X)})
    ['0', '1', 'refer']
    >>> int(view.referred(X).sum()) == view.predict(X).tolist().count("refer")
    True
    """

    conditions: Conditions | Question | Referral
    exact: bool
    referral: Referral
    for_new_rows: bool
    rule: ReferralRule

    def __init__(
        self,
        hybrid: Hybrid,
        conditions: Conditions | Question | Referral,
        *,
        cost: float | None = None,
        max_referred: float | None = None,
        max_wrong: float | None = None,
        confidence: float | None = None,
        exact: bool = False,
    ) -> None:
        hybrid.check_direction()
        check_words(hybrid.positive, hybrid.negative)
        limits = {
            "cost": cost,
            "max_referred": max_referred,
            "max_wrong": max_wrong,
            "confidence": confidence,
        }
        referral, for_new_rows = _choose(hybrid, conditions, limits, exact=as_flag(exact, "exact"))
        upper, lower = (hybrid.expression(point) for point in (referral.upper, referral.lower))
        models = dict.fromkeys((*upper.models, *lower.models))
        rule = ReferralRule(
            upper,
            lower,
            hybrid.positive,
            hybrid.negative,
            expected_shares(referral),
            hybrid.meanings(models),
        )
        self.freeze(
            hybrid=hybrid,
            conditions=conditions,
            **limits,
            exact=exact,
            referral=referral,
            for_new_rows=for_new_rows,
            rule=rule,
        )

    def __repr__(self) -> str:
        return f"<ReferringClassifier: {self.rule}>"

    def __str__(self) -> str:
        cost = self.on_new_rows
        return f"{self.rule}\n{cost}" if cost.expected is not None else str(self.rule)

    def saved_params(self) -> dict[str, Any]:
        """Return plain parameters; what two scorers refer cannot be found again without rows."""
        params = self.get_params()
        if self.rule.has_two_scorers:
            return dict.fromkeys(params) | {"conditions": self.referral, "exact": self.exact}
        if isinstance(self.conditions, Question):
            known, options = read_question(self.conditions)
            params |= {"conditions": known, **asdict(options)}
        return params

    @property
    def rates_are(self) -> str:
        """What the shares of the referral are, as `AimedClassifier.rates_are`."""
        return self.hybrid.describe_rates(
            [self.referral.upper, self.referral.lower],
            for_new_rows=self.for_new_rows,
            guaranteed=self.referral.guarantee is not None,
            exact=self.exact,
        )

    @property
    def on_new_rows(self) -> NewRowsCost:
        """What the rule is expected to cost on new rows, with a 95% interval."""
        return self.referral.on_new_rows

    def used_models(self) -> list[BaseEstimator]:
        """Return the fitted models that the rule needs."""
        return [self.hybrid.components[name].estimator for name in self.rule.models]

    def predict(self, X: Features) -> AnyArray:
        """Return the two labels, or "refer" for rows that a person is to decide.

        The array holds texts if the labels are texts, else objects.
        """
        return self.rule.decide_batch(self.batch(X))

    def score(self, X: Features, y: Any, sample_weight: Any = None) -> float:  # noqa: ARG002
        """Refuse to score: rows that are referred have no prediction."""
        raise InputError(
            "the classifier",
            "predict a label for each row to be scored",
            "one that refers rows to a person",
            Hint("Score the rows with ~view.referred(X)."),
        )

    def referred(self, X: Features) -> BoolArray:
        """Return which rows a person is to decide."""
        mask: BoolArray = self.rule.codes(self.batch(X)) == 1
        return mask


def _choose(
    hybrid: Hybrid,
    given: Conditions | Question | Referral,
    limits: dict[str, float | None],
    *,
    exact: bool,
) -> tuple[Referral, bool]:
    """Return a referral, and whether it is aimed for new rows."""
    if isinstance(given, Referral):
        for point in (given.upper, given.lower):
            hybrid.aim(point, randomize=False, exact=True)  # refuses points of other hulls
        return given, False
    if read_question(given, **limits)[1].confidence is not None:
        return _guarantee(hybrid, given, limits, exact=exact)
    found = None if exact else _aim(hybrid, given, limits)
    return (hybrid.hull.refer(given, **limits), False) if found is None else (found, True)


def _guarantee(
    hybrid: Hybrid,
    given: Conditions | Question,
    limits: dict[str, float | None],
    *,
    exact: bool,
) -> tuple[Referral, bool]:
    """Return a referral whose limit on wrong decisions holds on new rows with its confidence."""
    hull = hybrid.certifying_hull(exact=exact)
    found = hull.refer(given, **limits)
    if found.guarantee is None:
        raise RuntimeError("limits with a confidence come with a guarantee")
    guarantee = hybrid.qualify(found.guarantee, hull)
    by_scorer = hybrid.scorer is not None and not exact
    sure = replace(found, guarantee=guarantee)
    return sure.estimated_by(lambda: found.on_new_rows), by_scorer


def _aim(hybrid: Hybrid, given: Conditions | Question, limits: dict[str, Any]) -> Referral | None:
    """Return the referral for new rows: both thresholds are Bayes' on the calibrated scores.

    None where there are limits, or no calibrated scorer.
    """
    known, options = read_question(given, **limits)
    scorer, r = hybrid.scorer, options.cost
    limited = options.max_referred is not None or options.max_wrong is not None
    if scorer is None or r is None or limited:
        return None
    known = known.resolved(hybrid.hull.totals)
    case = known.case
    plain, _ = hybrid.aim(known, randomize=False, exact=False)
    slopes, note = referral_slopes(case, r), FOR_NEW_ROWS
    if slopes is None:
        upper = lower = plain.point
        note = f"{why_none(case, r)}; {note}"
    else:
        upper, lower = (_point_at(hybrid, scorer.threshold(slope)) for slope in slopes)
    found = Referral(
        upper,
        lower,
        cost=r,
        fpr=upper.fpr,
        fnr=1 - lower.tpr,
        referred_negatives=lower.fpr - upper.fpr,
        referred_positives=lower.tpr - upper.tpr,
        prevalence=case.prevalence,
        expected_cost=float(case.cost(*_as_alarms(case, r, *_rates(upper, lower)))),
        plain=plain,
        note=note,
    )
    return found.estimated_by(partial(_new_rows_cost, hybrid, case, found))


def _point_at(hybrid: Hybrid, threshold: float) -> RocPoint:
    if math.isinf(threshold) or hybrid.scorer is None:
        return hybrid.hull.vertices[0 if threshold > 0 else -1]
    return hybrid.scorer.point(threshold)


def _rates(upper: RocPoint, lower: RocPoint) -> tuple[tuple[float, float], tuple[float, float]]:
    return (upper.fpr, upper.tpr), (lower.fpr, lower.tpr)


def _as_alarms(
    case: Case, r: float, upper: tuple[float, float], lower: tuple[float, float]
) -> tuple[float, float]:
    """Return the FPR and TPR that would cost the same; referred cases count as parts of alarms."""
    alarm, miss = error_costs(case)
    (fpr, tpr), (more_fpr, more_tpr) = upper, lower
    false, missed = (r / alarm if alarm else 0.0), (r / miss if miss else 0.0)
    return fpr + false * (more_fpr - fpr), tpr + (1 - missed) * (more_tpr - tpr)


def _new_rows_cost(hybrid: Hybrid, case: Case, found: Referral) -> NewRowsCost:
    """Return what a referral aimed for new rows is expected to cost there.

    As for other aims, the evaluation rows are like new ones, since none decided a threshold.
    """
    scorer, r = hybrid.scorer, found.cost or 0.0
    thresholds = [point.threshold for point in (found.upper, found.lower)]
    if scorer is None or not any(isinstance(each, float) for each in thresholds):
        cost = found.expected_cost  # all cases are decided alike, or referred
        return NewRowsCost(cost, cost, Interval(cost, cost))
    rates = _as_alarms(case, r, *_rates(found.upper, found.lower))
    trials = zip(rates, scorer.trials, (0.0, 0.0), strict=True)
    expected, interval = join_rates(list(trials), case, 0.95)
    fitted = [
        scorer.fitted_rates(each) if isinstance(each, float) else (point.fpr, point.tpr)
        for each, point in zip(thresholds, (found.upper, found.lower), strict=True)
    ]
    apparent = float(case.cost(*_as_alarms(case, r, *fitted)))
    return NewRowsCost(apparent, expected, interval, resamples=scorer.resamples)
