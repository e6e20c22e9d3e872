"""Scores of predictions in units of cost, for evaluation and model selection."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from rocch.arrays import BoolArray, FloatArray, Label
from rocch.errors import Hint, InputError, UndefinedError, describe_type
from rocch.inputs import as_array, as_choice, as_scores, as_weights, check_length
from rocch.labels import as_outcomes
from rocch.multiclass.classes import Classes
from rocch.multiclass.costs import (
    CostMatrix,
    DirichletBelief,
    RowCosts,
    Shares,
    as_costs,
    as_priors,
)
from rocch.roc.conditions import OBSERVED, Case, Conditions
from rocch.roc.criteria import Criterion, ErrorRate, Path, Reachable, as_criterion
from rocch.roc.operating_point import ClassTotals
from rocch.roc.question import Question
from rocch.rows import ScoredRows

# What has an expected cost: conditions or another criterion with costs, costs of many classes.
Priced: TypeAlias = Conditions | Criterion | Question | CostMatrix | DirichletBelief | RowCosts


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    conditions: Priced,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    priors: Shares = OBSERVED,
) -> float:
    """Return the expected cost per case of predictions.

    Parameters
    ----------
    y_true, y_pred
        True and predicted labels.
    conditions
        Exact `Conditions`, or a criterion or question that states costs; with many classes a
        `CostMatrix`. With an "observed" prevalence, the result is the mean cost of these rows; with
        a stated one, each class counts by its share in operation.
    sample_weight
        The weight of each row.
    pos_label
        The class to detect, unless labels are 0/1, -1/1, boolean or yes/no.
    priors
        The shares of the classes in operation, beside a `CostMatrix`.

    Examples
    --------
    >>> import rocch
    >>> known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=10)
    >>> rocch.expected_cost([0, 0, 0, 1], [0, 1, 0, 0], known)
    2.75
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> rocch.expected_cost(["ill", "well"], ["well", "well"], costs)
    10.0
    """
    if isinstance(conditions, RowCosts):
        if sample_weight is not None:
            raise InputError("sample_weight", "be left out beside costs by row", "both")
        return conditions.mean_cost(y_true, y_pred)
    if isinstance(conditions, CostMatrix | DirichletBelief):
        return _cost_of_classes(y_true, y_pred, as_costs(conditions), sample_weight, priors)
    if priors is not OBSERVED:
        hint = Hint("State it in the conditions: Conditions(prevalence=...).")
        raise InputError("priors", "be given with a CostMatrix", describe_type(conditions), hint)
    scored = ScoredRates.of(y_true, y_pred, sample_weight=sample_weight, pos_label=pos_label)
    return scored.cost(_case_of(conditions, scored.totals))


def cost_scorer(
    conditions: Priced,
    *,
    response: Literal["predict", "predict_proba"] = "predict",
    pos_label: Label | None = None,
) -> Any:
    """Return a scorer for `cross_val_score` and `GridSearchCV`: the negative expected cost.

    Parameters
    ----------
    conditions
        As for `expected_cost`.
    response
        "predict" scores what the classifier predicts: for most of them, at the threshold 0.5.
        "predict_proba" scores what its probabilities predict at the threshold that the conditions
        imply, so that models are compared at their best.
    pos_label
        As for `expected_cost`.

    Notes
    -----
    It takes `sample_weight`, also by metadata routing: `set_score_request(sample_weight=True)`.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=10)
    >>> scores = cross_val_score(GaussianNB(), X, y, scoring=rocch.cost_scorer(known))
    >>> bool((scores < 0).all())
    True
    """
    as_choice(response, ("predict", "predict_proba"), "response")
    # labels of two classes are read by `expected_cost`; scikit-learn wants no pos_label for others
    label = {} if pos_label is None else {"pos_label": pos_label}
    if response == "predict":
        function: Callable[..., float] = expected_cost
    else:
        _check_two_classes(conditions)
        function = aimed_cost
    return make_scorer(
        function,
        greater_is_better=False,
        response_method=response,
        conditions=conditions,
        **label,
    )


def aimed_cost(
    y_true: ArrayLike,
    y_score: ArrayLike,
    conditions: Conditions | Criterion | Question,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> float:
    """Return the expected cost of probabilities at the threshold that the conditions imply.

    Probabilities are taken to be calibrated at the class balance of these rows.
    """
    truths = as_array(y_true, "y_true")
    positive = as_outcomes(truths, pos_label)
    weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
    totals = _totals(positive, weights)
    case = _case_of(conditions, totals)
    odds = case.slope * totals.positives / totals.negatives if totals.negatives else 0.0
    threshold = odds / (1 + odds) if math.isfinite(odds) else math.inf
    predicted = as_scores(y_score, positive.size) >= threshold
    return ScoredRates(positive, predicted, weights).cost(case)


def _check_two_classes(conditions: object) -> None:
    if isinstance(conditions, CostMatrix | DirichletBelief | RowCosts):
        raise InputError(
            "response",
            "be 'predict' with costs of many classes",
            "'predict_proba'",
            Hint("Wrap the model in a RocSurfaceClassifier, which aims at costs."),
        )


class ScoredRates(NamedTuple):
    """Rows of two classes with their predictions."""

    positive: BoolArray
    predicted: BoolArray
    weights: FloatArray | None = None

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> ScoredRates:
        """Read labels; a class may be absent."""
        truths, predictions = as_array(y_true, "y_true"), as_array(y_pred, "y_pred")
        check_length(predictions.size, truths.size, "y_pred")
        weights = None if sample_weight is None else as_weights(sample_weight, truths.size)
        both = np.concatenate([truths, predictions])
        if both.dtype.kind != truths.dtype.kind:  # mixed types would become texts
            both = np.concatenate([truths.astype(object), predictions.astype(object)])
        positive = as_outcomes(both, pos_label)
        return cls(positive[: truths.size], positive[truths.size :], weights)

    @property
    def totals(self) -> ClassTotals:
        """The class totals."""
        return _totals(self.positive, self.weights)

    def rate(self, positive: bool) -> float:
        """Return the share of alarms in a class; NaN where it is absent."""
        members = self.positive == positive
        weights = None if self.weights is None else self.weights[members]
        if not members.any() or (weights is not None and not weights.any()):
            return math.nan
        return float(np.average(self.predicted[members], weights=weights))

    def cost(self, case: Case) -> float:
        """Return the expected cost per case."""
        fpr, tpr = self.rates(case.prevalence)
        return float(case.cost(fpr, tpr))

    def rates(self, prevalence: float) -> tuple[float, float]:
        """Return FPR and TPR; that of a class with no share in operation counts as 0."""
        found = []
        for positive, share in ((False, 1 - prevalence), (True, prevalence)):
            rate = self.rate(positive) if share else 0.0
            if math.isnan(rate):
                which = "positives" if positive else "negatives"
                raise UndefinedError(
                    f"the score is undefined, because there are no {which}.",
                    hint="State the prevalence as 'observed', or score rows of both classes.",
                )
            found.append(rate)
        return found[0], found[1]


def _totals(positive: BoolArray, weights: FloatArray | None) -> ClassTotals:
    return ClassTotals.of(positive, *ScoredRows(positive, {}, weights).units)


def _everywhere() -> Path:
    """Return the path of chance, for regrets that only need one."""
    return np.array([0.0, 1.0]), np.array([0.0, 1.0])


def _case_of(
    given: Conditions | Criterion | Question,
    totals: ClassTotals,
    reachable: Reachable = _everywhere,
) -> Case:
    """Return prevalence and costs, at the class balance of these rows where it is "observed"."""
    if isinstance(given, Question):
        given = as_criterion(given.resolve(totals).criterion)
    criterion = as_criterion(given)
    case = criterion.objective(totals, reachable).case
    if case is None:
        raise InputError(
            "conditions",
            "state costs exactly",
            f"{type(criterion).__name__}",
            Hint("For example: Conditions(prevalence='observed', false_positive=1, ...)."),
        )
    return case


def score_criterion(criterion: Criterion, scored: ScoredRates, reachable: Reachable) -> float:
    """Return the value of a criterion on scored rows, greater where predictions are better.

    It is the negative of a cost (under a belief, the expected one), of the worst regret or of a
    rate that is to be low; of the error rate, the accuracy.
    """
    totals = scored.totals
    objective = criterion.objective(totals, reachable)
    shares = objective.prevalence if objective.case is None else objective.case.prevalence
    fpr, tpr = scored.rates(0.5 if shares is None else shares)
    if objective.case is None:
        return float(objective.score(np.array(fpr), np.array(tpr)))
    value = -float(objective.case.cost(fpr, tpr))
    return 1 + value if isinstance(criterion, ErrorRate) else value


def _cost_of_classes(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    costs: CostMatrix,
    sample_weight: ArrayLike | None,
    priors: Shares,
) -> float:
    classes: Classes = costs.classes
    truths, predictions = classes.codes(y_true, "y_true"), classes.codes(y_pred, "y_pred")
    check_length(predictions.size, truths.size, "y_pred")
    weights = np.ones(truths.size)
    if sample_weight is not None:
        weights = as_weights(sample_weight, truths.size)
    paid = costs.values[truths, predictions]
    if isinstance(priors, str) and priors == OBSERVED:
        return float(np.average(paid, weights=weights))
    totals = np.bincount(truths, weights, minlength=len(classes))
    shares = as_priors(priors, classes, np.bincount(truths, minlength=len(classes))).shares
    absent = [name for name, t, s in zip(classes, totals, shares, strict=True) if s and not t]
    if absent:
        raise UndefinedError(
            f"the expected cost is undefined, because no row is of class {absent[0]!r}.",
            hint="Score rows of all classes, or leave priors out.",
        )
    means = np.bincount(truths, paid * weights, minlength=len(classes))
    return float(sum(s * m / t for s, m, t in zip(shares, means, totals, strict=True) if s))
