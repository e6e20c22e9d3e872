"""A hand-written rule as a scikit-learn classifier that needs no training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from rocch.errors import bad_input, kind_of, shown
from rocch.hybrid.training import label_column, two_classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray


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
    >>> rocch.RuleClassifier(tall).fit(X, y).predict(np.array([[1.95], [1.5]])).tolist()
    ['yes', 'no']
    """

    def __init__(self, rule: Callable[[Any], Any], *, pos_label: Any = None) -> None:
        self.rule = rule
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the names of the classes; weights are checked and change nothing."""
        if not callable(self.rule):
            raise bad_input("rule", "be a function of the features", kind_of(self.rule), "Use def.")
        validate_data(self, X, skip_check_array=True)
        if sample_weight is not None:
            _check_sample_weight(sample_weight, X)
        self.classes_ = two_classes(label_column(y))
        known = self.classes_.tolist()
        if self.pos_label is not None and self.pos_label not in known:
            raise bad_input(
                "pos_label",
                "be a label of y",
                repr(self.pos_label),
                f"The labels are: {shown(known)}.",
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
            raise bad_input(
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
