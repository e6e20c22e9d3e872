"""Classifiers made of rules, votes, columns of scores, and fold models."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Bunch, Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from rocch.arrays import AnyArray, BoolArray, Features, FloatArray, Label
from rocch.errors import Hint, InputError
from rocch.hybrid._sklearn_compat import _check_sample_weight, _num_samples, _safe_indexing
from rocch.hybrid.training import (
    Cv,
    Data,
    FittedClassifier,
    Models,
    NamedModels,
    accept_what_models_accept,
    as_binary,
    column_of,
    fit_copy,
    make_splits,
    new_features,
    training_features,
)
from rocch.inputs import as_array, as_fraction, as_function, as_number, as_scores, as_weights
from rocch.kernels.counting import integer_weights
from rocch.labels import as_label_array, check_labels
from rocch.roc.curve import whole_weights


class RuleClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that predicts the positive class where a hand-written rule is true.

    Parameters
    ----------
    rule
        Function from features to one True or False per row. To be saved, it must be a named
        function of a module.
    pos_label
        The class to predict where the rule is true. By default the second, or the positive class
        of the `RocchClassifier` around it.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> def tall(X):
    ...     return X[:, 0] > 1.9
    >>> X, y = np.array([[1.7], [2.0], [1.8]]), ["no", "yes", "no"]
    >>> rocch.hybrid.RuleClassifier(tall).fit(X, y).predict(np.array([[1.95], [1.5]])).tolist()
    ['yes', 'no']
    """

    def __init__(
        self, rule: Callable[[Features], ArrayLike], *, pos_label: Label | None = None
    ) -> None:
        self.rule = rule
        self.pos_label = pos_label

    def fit(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Set `classes_`; weights are only checked."""
        as_function(self.rule, "rule", "the features")
        validate_data(self, X, skip_check_array=True)
        if sample_weight is not None:
            _check_sample_weight(sample_weight, X)
        self.classes_ = as_binary(y, X, self.pos_label).classes
        return self

    def predict(self, X: Features) -> AnyArray:
        """Return the predicted labels."""
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        first = self.pos_label is not None and self.classes_[0] == self.pos_label
        predicted, rows = np.asarray(self.rule(X)), _num_samples(X)
        if predicted.dtype != bool or predicted.shape != (rows,):
            raise InputError(
                "rule",
                f"return one True or False for each row, and {rows} in all",
                f"values of type {predicted.dtype} in shape {predicted.shape}",
                Hint("Compare with a threshold, for example X[:, 0] > 3."),
            )
        return np.asarray(self.classes_[(predicted != first).astype(np.intp)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # it does not learn from data
        tags.no_validation = True  # the rule does it
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


# Integers of at most this many bits are exact doubles, so that their quotient is rounded once.
MOST_BITS = 53


class VoteClassifier(NamedModels):
    """Votes of several classifiers as a score (Fawcett, *Creating scoring classifiers*).

    Parameters
    ----------
    estimators
        Pairs (name, classifier).
    weights
        None for equal weights; one exact decimal per classifier; or "learned" for log-likelihood
        ratios (naive Bayes over votes).
    cv
        Folds for learned weights.
    smoothing
        Pseudo-votes added to each count for learned weights.

    Attributes
    ----------
    estimators_, named_estimators_
        The fitted classifiers.
    classes_
        The two classes, the positive one last.
    weights_, offset_, scale_
        Integers: the score is (sum of weights of positive votes + offset) / scale. Rows above 0 are
        predicted positive: more than half of the vote, or learned odds above 1.

    Notes
    -----
    Votes are counted in integers: equal totals have equal scores, and a tie scores exactly 0.
    Learned weights assume independent voters in each class; otherwise scores are too extreme, but
    their order suffers little.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stumps = [
    ...     (f"stump {i}", DecisionTreeClassifier(max_depth=1, max_features=1, random_state=i))
    ...     for i in range(7)
    ... ]
    >>> vote = rocch.hybrid.VoteClassifier(stumps).fit(X, y)
    >>> sorted({round(score + 0.5, 3) for score in vote.decision_function(X).tolist()})
    [0.286, 0.429, 0.571, 0.714, 0.857, 1.0]
    """

    def __init__(
        self,
        estimators: Models,
        *,
        weights: Sequence[float] | str | None = None,
        cv: Cv = 5,
        smoothing: float = 1.0,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.cv = cv
        self.smoothing = smoothing

    def fit(
        self,
        X: Features,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the voters, and learn their weights if they are "learned".

        The folds keep `groups` whole.
        """
        pairs = self.named_models()
        features = training_features(self, X)
        labels, self.classes_, *_ = as_binary(y, features, None)
        if sample_weight is not None:
            mass = _check_sample_weight(sample_weight, features)
            sample_weight = as_weights(mass, mass.size)
        routed = self.routed(pairs, sample_weight, groups, {})
        voters = [(voter, routed[name]["fit"]) for name, voter in pairs]
        if isinstance(self.weights, str) and self.weights == "learned":
            found = self._learn_weights(
                voters, (features, labels), sample_weight, routed.splitter["split"]
            )
        else:
            found = _shares_of_vote(_as_vote_weights(self.weights, len(voters)))
        self.weights_, self.offset_, self.scale_ = found
        self.estimators_ = [fit_copy(voter, features, labels, given) for voter, given in voters]
        self.named_estimators_ = Bunch(
            **{name: fitted for (name, _), fitted in zip(pairs, self.estimators_, strict=True)}
        )
        return self

    def votes(self, X: Features) -> BoolArray:
        """Return the votes for the positive class, a column per classifier."""
        check_is_fitted(self, "estimators_")
        return _votes(self.estimators_, new_features(self, X), self.classes_[1])

    def decision_function(self, X: Features) -> FloatArray:
        """Return the share of the vote above one half, or the learned log odds."""
        votes = self.votes(X).astype(self.weights_.dtype)  # sums of integers are exact
        return np.asarray((votes @ self.weights_ + self.offset_) / self.scale_, dtype=np.float64)

    def predict(self, X: Features) -> AnyArray:
        """Return the predicted labels, negative on a tie."""
        positive = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive.astype(np.intp)])

    def _learn_weights(
        self,
        voters: list[tuple[BaseEstimator, Mapping[str, Any]]],
        data: Data,
        sample_weight: FloatArray | None,
        split_params: Mapping[str, Any],
    ) -> tuple[AnyArray, int, int]:
        """Return weights, offset and scale of the score from out-of-fold votes."""
        features, labels = data
        positive = labels == self.classes_[1]
        mass = np.ones(positive.size) if sample_weight is None else sample_weight
        units, _ = whole_weights(positive, mass)
        splits = make_splits(self.cv, data, split_params=split_params)
        votes = []
        for train, test in splits:
            fitted = [fit_copy(voter, *data, given, train) for voter, given in voters]
            votes.append(_votes(fitted, _safe_indexing(features, test), self.classes_[1]))
        rows = np.concatenate([test for _, test in splits])
        no, yes = log_likelihood_ratios(
            np.concatenate(votes), positive[rows], mass[rows], smoothing=self.smoothing
        )
        prior = _log(Fraction(int(units[positive].sum()), int(units[~positive].sum())))
        return _log_odds(prior, no, yes)


def log_likelihood_ratios(
    votes: BoolArray, positive: BoolArray, weights: FloatArray, *, smoothing: float
) -> tuple[FloatArray, FloatArray]:
    """Return the log-likelihood ratio of each voter's no, and of each voter's yes.

    Shares are estimated as (votes + s) / (rows + 2 s) with smoothing s, in exact fractions.
    """
    extra = as_fraction(as_number(smoothing, "smoothing", least=0))
    units, unit = integer_weights(weights)
    extra /= Fraction(unit)
    yes = []
    for rows in (positive, ~positive):
        agreed, total = units[rows] @ votes[rows], int(units[rows].sum())
        if extra == 0 and (agreed.min() <= 0 or agreed.max() >= total):
            got = "0, and a voter without errors on a class"
            raise InputError("smoothing", "be above 0", got, "Use 1.")
        yes.append([(count + extra) / (total + 2 * extra) for count in agreed.tolist()])
    pairs = list(zip(*yes, strict=True))
    return (
        np.array([_log((1 - hit) / (1 - false)) for hit, false in pairs]),
        np.array([_log(hit / false) for hit, false in pairs]),
    )


def _log(ratio: Fraction) -> float:
    """Return the logarithm, exactly antisymmetric in the ratio's inverse."""
    if ratio < 1:
        return -_log(1 / ratio)
    if ratio < 2**1000:
        return math.log(ratio)
    return math.log(ratio.numerator) - math.log(ratio.denominator)  # too large for a double


def _log_odds(prior: float, no: FloatArray, yes: FloatArray) -> tuple[AnyArray, int, int]:
    """Return learned weights, offset and scale in units of a power of two."""
    evidence = np.concatenate(([prior], no, yes))
    _, exponent = math.frexp(float(np.abs(evidence).max()) * evidence.size)
    bits = min(MOST_BITS - 1 - exponent, 62)  # so that the sum of all is a double
    units = np.rint(np.ldexp(evidence, bits)).astype(np.int64)
    against, in_favor = units[1 : no.size + 1], units[no.size + 1 :]
    return in_favor - against, int(units[0] + against.sum()), 2**bits


def _shares_of_vote(weights: list[Fraction]) -> tuple[AnyArray, int, int]:
    """Return weights, offset and scale for shares of the vote."""
    unit = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * unit) for weight in weights]
    common = math.gcd(*whole)
    units = [number // common for number in whole]
    total = sum(units)
    kind = np.int64 if 2 * total <= 2**MOST_BITS else object  # Python's integers
    return np.array([2 * unit for unit in units], dtype=kind), -total, 2 * total


def _as_vote_weights(weights: Sequence[float] | str | None, voters: int) -> list[Fraction]:
    """Return weights as exact decimals."""
    if weights is None:
        return [Fraction(1)] * voters
    usable = not isinstance(weights, str) and np.ndim(weights) == 1 and len(weights) == voters
    if not usable:
        raise InputError(
            "weights",
            f"be None, 'learned', or one weight for each estimator, and {voters} in all",
            repr(weights),
        )
    given = [as_number(weight, "weights", least=0) for weight in weights]
    if not any(as_weights(given, voters, argument="weights", rows="estimators")):
        raise InputError("weights", "not all be 0", repr(weights))
    return [as_fraction(weight) for weight in weights]


def _votes(fitted: list[BaseEstimator], features: Features, positive: Label) -> BoolArray:
    return np.column_stack([np.asarray(voter.predict(features)) == positive for voter in fitted])


class _Column(FittedClassifier):
    """A classifier whose output is a column of the data."""

    reads_column = True

    def __init__(self, column: str, classes: Sequence[Label] = (0, 1)) -> None:
        self.column = column
        self.classes = classes

    @property
    def classes_(self) -> AnyArray:
        """The two labels, the positive one last."""
        return as_label_array(self.classes)

    def _values(self, X: Features) -> AnyArray:
        return as_array(column_of(X, self.column, "X"), self.column)


class ScoreColumn(_Column):
    """A classifier whose scores, higher for the positive class, are a column of the data.

    Parameters
    ----------
    column
        Name of the column.
    classes
        The two labels, the positive one last.

    Examples
    --------
    >>> import pandas as pd
    >>> from rocch.hybrid import ScoreColumn
    >>> rows = pd.DataFrame({"nb": [0.2, 0.9], "gbm": [0.1, 0.7]})
    >>> ScoreColumn("gbm").decision_function(rows)
    array([0.1, 0.7])
    """

    def decision_function(self, X: Features) -> FloatArray:
        """Return the column of scores."""
        values = self._values(X)
        return as_scores(values, values.size, argument=self.column)

    def predict(self, X: Features) -> AnyArray:
        """Refuse: there is no threshold."""
        raise NotImplementedError("A column of scores has no threshold; aim a hybrid.")


class LabelColumn(_Column):
    """A classifier whose predicted labels are a column of the data.

    Parameters are as for `ScoreColumn`.
    """

    def predict(self, X: Features) -> AnyArray:
        """Return the column of labels."""
        labels = self._values(X)
        check_labels(labels, self.classes, self.column, "hold labels of the two classes")
        return labels


def _all_have(method: str) -> Any:
    return available_if(lambda self: all(hasattr(model, method) for model in self.models))


class FoldEnsemble(FittedClassifier):
    """Fitted fold models: scores are averaged, labels are voted on."""

    def __init__(self, models: Sequence[BaseEstimator]) -> None:
        self.models = models

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        accept_what_models_accept(tags, self.models)
        return tags

    @property
    def classes_(self) -> AnyArray:
        """The two labels."""
        classes: AnyArray = self.models[0].classes_
        return classes

    @_all_have("predict_proba")
    def predict_proba(self, X: Features) -> FloatArray:
        """Return the mean of the models' probabilities."""
        return _mean([model.predict_proba(X) for model in self.models])

    @_all_have("decision_function")
    def decision_function(self, X: Features) -> FloatArray:
        """Return the mean of the models' scores."""
        return _mean([model.decision_function(X) for model in self.models])

    def predict(self, X: Features) -> AnyArray:
        """Return the label of most models, the first class on a tie."""
        votes = sum((model.predict(X) == self.classes_[1]).astype(int) for model in self.models)
        return np.asarray(self.classes_[(2 * votes > len(self.models)).astype(int)])


def _mean(scores: list[FloatArray]) -> FloatArray:
    """Return a mean that does not depend on batch or order, and stays in the range."""
    ordered = np.sort(np.asarray(scores, dtype=float), axis=0)
    mean: FloatArray = np.clip(sum(ordered) / len(scores), ordered[0], ordered[-1])
    return mean
