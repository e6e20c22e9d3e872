"""Classifiers made of rules and of classifiers that only label."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted, validate_data

from rocch.arrays import AnyArray, BoolArray, FloatArray
from rocch.errors import InputError, describe_type, format_list
from rocch.hybrid._sklearn_compat import _check_sample_weight, _num_samples, _safe_indexing
from rocch.hybrid.features import new_features, training_features
from rocch.hybrid.training import NamedModels, as_binary, fit_copy, label_column, two_classes
from rocch.inputs import as_fraction, as_number, as_weights
from rocch.kernels.counting import integer_weights

# --- A hand-written rule as a scikit-learn classifier that needs no training ----------------------


class RuleClassifier(ClassifierMixin, BaseEstimator):
    """Predict the positive class where a rule says so.

    Fitting only learns the names of the two classes.

    Parameters
    ----------
    rule
        A function from the features, exactly as they come (a data frame stays one), to one True
        or False per row. Write it as a named function in a module: a lambda, or a function
        defined inside another, cannot be saved.
    pos_label
        The class to answer where the rule says True. By default the second in sorted order, as
        everywhere in scikit-learn; inside a `RocchClassifier` the class that it detects.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> def tall(X):
    ...     return X[:, 0] > 1.9
    >>> X, y = np.array([[1.7], [2.0], [1.8]]), ["no", "yes", "no"]
    >>> rocch.hybrid.RuleClassifier(tall).fit(X, y).predict(np.array([[1.95], [1.5]])).tolist()
    ['yes', 'no']
    """

    def __init__(self, rule: Callable[[Any], Any], *, pos_label: Any = None) -> None:
        self.rule = rule
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the names of the classes; weights are checked and change nothing."""
        if not callable(self.rule):
            raise InputError(
                "rule", "be a function of the features", describe_type(self.rule), "Use def."
            )
        validate_data(self, X, skip_check_array=True)
        if sample_weight is not None:
            _check_sample_weight(sample_weight, X)
        self.classes_ = two_classes(label_column(y))
        known = self.classes_.tolist()
        if self.pos_label is not None and self.pos_label not in known:
            raise InputError(
                "pos_label",
                "be a label of y",
                repr(self.pos_label),
                f"The labels are: {format_list(known)}.",
            )
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        first = self.pos_label is not None and self.classes_[0] == self.pos_label
        return self.classes_[(self._alarms(X) != first).astype(np.intp)]

    def _alarms(self, features: Any) -> BoolArray:
        alarms = np.asarray(self.rule(features))
        rows = _num_samples(features)
        if alarms.dtype != bool or alarms.shape != (rows,):
            raise InputError(
                "rule",
                f"return one True or False for each row, and {rows} in all",
                f"values of type {alarms.dtype} in shape {alarms.shape}",
                "Compare with a threshold, for example X[:, 0] > 3.",
            )
        return alarms

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # it need not fit the data it is checked on
        tags.no_validation = True  # the rule alone decides what it can handle
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


# --- Votes: a scoring classifier out of classifiers and rules that only label ---------------------
#
# Fawcett, *Creating scoring classifiers*: "an aggregation of them may be used to generate a score".
# Votes are counted in whole numbers of a common unit, as curves count sample weights: sums of
# doubles would make two scores of one total, decide draws, and depend on the batch that a row is
# in.

# Whole numbers of so many bits are doubles, so that their quotient is rounded once.
MOST_BITS = 53


class VoteClassifier(NamedModels):
    """Score rows by the votes of several classifiers, plain, weighted, or with learned weights.

    Parameters
    ----------
    estimators
        Pairs (name, classifier). They need only `predict`; each is cloned and fitted.
    weights
        None: every vote counts the same. A sequence: one weight, not negative, per classifier. A
        weight is the number that it is written as: three votes of 0.1 draw with one of 0.3.
        "learned": every vote counts by its log-likelihood ratio, which is naive Bayes over votes.
    cv
        For learned weights only: folds, as scikit-learn takes them. The weights come from votes on
        rows that the voter was not fitted on.
    smoothing
        For learned weights only: so many imagined votes for each answer in each class, so that a
        voter who never erred is not trusted without end.

    Attributes
    ----------
    estimators_, named_estimators_
        The fitted classifiers.
    classes_
        The two classes; the second is the positive one.
    weights_, offset_, scale_
        Whole numbers. The score is (the sum of the weights of those who vote for the positive class
        + offset) / scale. Rows that score above 0 are predicted positive: by plain or given weights
        those with more than half of the vote, by learned ones those whose odds, at the prevalence
        seen in training, are above even.

    Notes
    -----
    Votes are counted in whole numbers of a common unit, and the score is rounded once: equal totals
    have equal scores, a draw scores exactly 0, and a row has the same score in every batch. Given
    weights are the decimals (or fractions) that they are written as, so the unit of 0.1 and 0.25 is
    0.05. Learned log-likelihood ratios are rounded to a power of two, far below their own digits.

    Learned weights treat the voters as independent in each class. Voters who err together are
    counted as if each were new evidence: scores are then too extreme, while their order, which is
    all that a ROC curve uses, usually suffers little.

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
        estimators: Sequence[tuple[str, Any]],
        *,
        weights: Sequence[float] | str | None = None,
        cv: Any = 5,
        smoothing: float = 1.0,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.cv = cv
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the voters, and learn their weights if asked to.

        `sample_weight` goes to every voter and into the learned weights; `groups` to the folds.
        """
        pairs = self.named_models()
        features = training_features(self, X)
        labels, self.classes_, *_ = as_binary(y, features, None)
        if sample_weight is not None:
            mass = _check_sample_weight(sample_weight, features)
            sample_weight = as_weights(mass, mass.size)
        routed = self.routed(pairs, sample_weight, groups, {})
        voters = [(voter, routed[name]["fit"]) for name, voter in pairs]
        self.weights_, self.offset_, self.scale_ = self._weigh(
            voters, (features, labels), sample_weight, routed.splitter["split"]
        )
        self.estimators_ = [fit_copy(voter, features, labels, given) for voter, given in voters]
        self.named_estimators_ = Bunch(
            **{name: fitted for (name, _), fitted in zip(pairs, self.estimators_, strict=True)}
        )
        return self

    def votes(self, X: Any) -> BoolArray:
        """Return who votes for the positive class: one row per row, one column per classifier."""
        check_is_fitted(self, "estimators_")
        return _votes(self.estimators_, new_features(self, X), self.classes_[1])

    def decision_function(self, X: Any) -> FloatArray:
        """Score rows: the share of the vote above one half, or the learned log odds."""
        votes = self.votes(X).astype(self.weights_.dtype)  # no BLAS sums in whole numbers
        return np.asarray((votes @ self.weights_ + self.offset_) / self.scale_, dtype=np.float64)

    def predict(self, X: Any) -> Any:
        """Return the class of each row; a drawn vote goes to the negative class."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]

    def _weigh(
        self,
        voters: list[tuple[Any, Any]],
        data: tuple[Any, Any],
        sample_weight: Any,
        split_params: Any,
    ) -> tuple[AnyArray, int, int]:
        """Return weights, offset and scale of the score, in whole numbers."""
        if not (isinstance(self.weights, str) and self.weights == "learned"):
            return _shares_of_vote(_given_weights(self.weights, len(voters)))
        hits = data[1] == self.classes_[1]
        mass = np.ones(hits.size) if sample_weight is None else sample_weight
        units, _ = integer_weights(mass)
        if not (units[hits].any() and units[~hits].any()):
            raise InputError(
                "sample_weight",
                "leave both classes some weight",
                "zero for one class, or so little beside the largest that it is rounded to zero",
                "Votes cannot be weighed without rows of each class.",
            )
        voted, votes = self._votes_out_of_fold(voters, data, split_params)
        no, yes = log_likelihood_ratios(votes, hits[voted], mass[voted], smoothing=self.smoothing)
        prior = _log(Fraction(int(units[hits].sum()), int(units[~hits].sum())))
        return _log_odds(prior, no, yes)

    def _votes_out_of_fold(
        self, voters: list[tuple[Any, Any]], data: tuple[Any, Any], split_params: Any
    ) -> tuple[Any, BoolArray]:
        """Return row numbers and the votes on them of voters who were fitted on other rows."""
        features, labels = data
        voted, votes = [], []
        splitter = check_cv(self.cv, labels, classifier=True)
        for train, test in splitter.split(features, labels, **split_params):
            if np.unique(labels[train]).size < 2:
                raise InputError(
                    "cv", "leave both classes in every training part", "one class", "Stratify."
                )
            fitted = [fit_copy(voter, features, labels, given, train) for voter, given in voters]
            votes.append(_votes(fitted, _safe_indexing(features, test), self.classes_[1]))
            voted.append(test)
        return np.concatenate(voted), np.concatenate(votes)


def log_likelihood_ratios(
    votes: BoolArray, positive: BoolArray, weights: FloatArray, *, smoothing: float
) -> tuple[FloatArray, FloatArray]:
    """Return what each voter's no, and each one's yes, says for the positive class.

    A share is estimated as (votes + s) / (rows + 2 s) with s imagined votes for each answer. Shares
    are exact fractions, so that voters who err alike weigh alike, and opposite evidence cancels.
    """
    extra = as_fraction(as_number(smoothing, "smoothing", least=0))
    units, unit = integer_weights(weights)
    extra /= Fraction(unit)
    yes = []
    for rows in (positive, ~positive):
        agreed, total = units[rows] @ votes[rows], int(units[rows].sum())
        if extra == 0 and (agreed.min() <= 0 or agreed.max() >= total):
            raise InputError(
                "smoothing",
                "be above 0",
                "0, and a voter who never errs on a class",
                "Use 1.",
            )
        yes.append([(count + extra) / (total + 2 * extra) for count in agreed.tolist()])
    pairs = list(zip(*yes, strict=True))
    return (
        np.array([_log((1 - hit) / (1 - false)) for hit, false in pairs]),
        np.array([_log(hit / false) for hit, false in pairs]),
    )


def _log(ratio: Fraction) -> float:
    """Return the logarithm of a ratio; that of its inverse is the same with the other sign."""
    if ratio < 1:
        return -_log(1 / ratio)
    if ratio < 2**1000:
        return math.log(ratio)
    return math.log(ratio.numerator) - math.log(ratio.denominator)  # no double is so large


def _log_odds(prior: float, no: FloatArray, yes: FloatArray) -> tuple[AnyArray, int, int]:
    """Return the score by learned evidence, in units of a power of two."""
    evidence = np.concatenate(([prior], no, yes))
    _, exponent = math.frexp(float(np.abs(evidence).max()) * evidence.size)
    bits = min(MOST_BITS - 1 - exponent, 62)  # so that the sum of all is a double
    units = np.rint(np.ldexp(evidence, bits)).astype(np.int64)
    against, in_favor = units[1 : no.size + 1], units[no.size + 1 :]
    return in_favor - against, int(units[0] + against.sum()), 2**bits


def _shares_of_vote(weights: list[Fraction]) -> tuple[AnyArray, int, int]:
    """Return the score as the share of the vote above one half."""
    unit = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * unit) for weight in weights]
    common = math.gcd(*whole)
    units = [number // common for number in whole]
    total = sum(units)
    kind: Any = np.int64 if 2 * total <= 2**MOST_BITS else object  # Python's own have no limit
    return np.array([2 * unit for unit in units], dtype=kind), -total, 2 * total


def _given_weights(weights: Any, voters: int) -> list[Fraction]:
    """Return weights as the numbers that they are written as."""
    if weights is None:
        return [Fraction(1)] * voters
    usable = not isinstance(weights, str) and np.ndim(weights) == 1 and len(weights) == voters
    if not usable:
        raise InputError(
            "weights",
            f"be None, 'learned', or one weight for each estimator, and {voters} in all",
            repr(weights),
            "Leave it out to count every vote the same.",
        )
    given = [as_number(weight, "weights", least=0) for weight in weights]
    if not any(as_weights(given, voters, argument="weights", rows="estimators")):
        raise InputError("weights", "not all be 0", repr(weights), "Someone must have a vote.")
    return [as_fraction(weight) for weight in weights]


def _votes(fitted: list[Any], features: Any, positive: Any) -> BoolArray:
    return np.column_stack([np.asarray(voter.predict(features)) == positive for voter in fitted])
