from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import rocch

lib: Any = rocch
X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]])
Y = np.array(["no", "no", "yes", "yes"])


def large(features: Any) -> Any:
    return np.asarray(features)[:, 0] > 2.5


def old(people: Any) -> Any:
    return people["age"] > 60


def sparse_or_not(features: Any) -> Any:
    dense = features.toarray() if issparse(features) else np.asarray(features)
    return dense[:, 0] > 0


def test_a_rule_is_a_classifier() -> None:
    rule = rocch.hybrid.RuleClassifier(large).fit(X, Y)
    assert rule.classes_.tolist() == ["no", "yes"]
    assert rule.predict(X).tolist() == Y.tolist()
    assert rule.score(X, Y) == 1
    assert not hasattr(rule, "predict_proba")


def test_a_rule_sees_data_frames_as_they_are() -> None:
    people = pd.DataFrame({"age": [30, 70], "name": ["a", "b"]})
    rule = rocch.hybrid.RuleClassifier(old).fit(people, [0, 1])
    assert rule.predict(people).tolist() == [0, 1]
    assert rule.feature_names_in_.tolist() == ["age", "name"]


def test_a_rule_can_be_cloned_saved_and_put_into_a_pipeline() -> None:
    rule = clone(rocch.hybrid.RuleClassifier(large))
    assert rule.get_params() == {"rule": large, "pos_label": None}
    pipeline = make_pipeline(StandardScaler(), rocch.hybrid.RuleClassifier(sparse_or_not)).fit(X, Y)
    assert pipeline.predict(X).tolist() == Y.tolist()
    again = pickle.loads(pickle.dumps(rule.fit(X, Y)))  # noqa: S301 - written by this test
    assert again.predict(X).tolist() == Y.tolist()


def test_a_lambda_works_and_cannot_be_saved() -> None:
    rule = rocch.hybrid.RuleClassifier(lambda features: features[:, 0] > 2.5).fit(X, Y)
    assert rule.predict(X).tolist() == Y.tolist()
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(rule)


def test_scikit_learn_accepts_it() -> None:
    check_estimator(rocch.hybrid.RuleClassifier(sparse_or_not), on_skip=None)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (
            lambda features: features[:, 0],
            "rule must return one True or False for each row, and 4 in all",
        ),
        (lambda features: features > 2, "in shape \\(4, 2\\)"),
        (lambda features: features[1:, 0] > 2, "in shape \\(3,\\)"),
        (lambda features: True, "in shape \\(\\)"),  # noqa: ARG005 - it ignores the rows
    ],
)
def test_a_rule_that_does_not_answer_for_each_row_is_refused(rule: Any, says: str) -> None:
    fitted = rocch.hybrid.RuleClassifier(rule).fit(X, Y)
    with pytest.raises(rocch.InputError, match=says):
        fitted.predict(X)


def test_bad_input_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="rule must be a function of the features"):
        lib.hybrid.RuleClassifier("age > 3").fit(X, Y)
    with pytest.raises(rocch.InputError, match="Only binary classification is supported"):
        rocch.hybrid.RuleClassifier(large).fit(X, [1, 2, 3, 4])
    with pytest.raises(rocch.InputError, match="y must hold two classes; got one class only"):
        rocch.hybrid.RuleClassifier(large).fit(X, ["no"] * 4)
    with pytest.raises(NotFittedError):
        rocch.hybrid.RuleClassifier(large).predict(X)
