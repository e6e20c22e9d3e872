"""Limits with a confidence for fitted hybrids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB

import rocch

SURE = rocch.NeymanPearson(0.05, confidence=0.95)
MODELS = [("linear", LogisticRegression()), ("bayes", GaussianNB())]


@pytest.fixture(scope="module")
def data() -> Any:
    X, y = make_classification(
        1500, n_features=6, n_informative=4, weights=[0.7], flip_y=0.05, random_state=3
    )
    return X[:900], y[:900], X[900:], y[900:]


@pytest.fixture(scope="module")
def checked(data: Any) -> Any:
    X, y, *_ = data
    return rocch.RocchClassifier(MODELS, check_size=0.4, random_state=0).fit(X, y)


def test_rows_held_out_certify_the_deployed_stack(checked: Any) -> None:
    aimed = checked.at(SURE)
    assert aimed.point.classifier == "stack"
    assert aimed.for_new_rows
    guarantee = aimed.point.guarantee
    assert guarantee.is_exact
    assert guarantee.models == 1
    assert guarantee.level == pytest.approx(0.05)
    # the order statistic of the deployed stack on the rows that were held out
    hull = checked.hybrid_.checked
    assert hull.totals.negatives + hull.totals.positives == 360
    assert aimed.point == hull.best(SURE)
    assert aimed.point.fpr < 0.05


def test_predictions_are_those_of_the_certified_threshold(data: Any, checked: Any) -> None:
    *_, X, _ = data
    aimed = checked.at(SURE)
    (part,) = (part for _, part in aimed.point.mix)
    batch = aimed.batch(X)
    expected = checked.stack_.log_odds(batch) >= part.threshold
    np.testing.assert_array_equal(aimed.predict(X), expected.astype(int))
    assert "stack >= " in str(aimed.rule)


def test_without_rows_held_out_it_is_not_exact(data: Any) -> None:
    X, y, *_ = data
    model = rocch.RocchClassifier(MODELS).fit(X, y)
    point: Any = model.at(SURE).point
    assert point.classifier == "stack"
    assert point.guarantee.models == 1
    assert not point.guarantee.is_exact
    assert "check_size" in point.guarantee.note
    # on the hull, all models are considered
    exact: Any = model.at(SURE, exact=True).point
    assert exact.guarantee.models == len(model.hull_.members)
    assert not exact.guarantee.is_exact


def test_frozen_models_are_exact_on_their_evaluation_rows(data: Any) -> None:
    X, y, others, labels = data
    frozen = [(name, FrozenEstimator(model.fit(X, y))) for name, model in MODELS]
    model = rocch.RocchClassifier(frozen, stack=False).fit(others, labels)
    point: Any = model.at(SURE, exact=True).point
    assert point.guarantee.is_exact
    assert not point.guarantee.note
    assert point.mix == model.hull_.best(SURE).mix
    # the one scorer was chosen on the same rows
    chosen: Any = model.at(SURE).point
    assert not chosen.guarantee.is_exact


def test_a_saved_model_keeps_the_rows_that_certify_it(
    checked: Any, data: Any, tmp_path: Path
) -> None:
    *_, X, _ = data
    rocch.save(checked, tmp_path / "model.rocch")
    again: Any = rocch.load(tmp_path / "model.rocch")
    assert again.at(SURE).point == checked.at(SURE).point
    np.testing.assert_array_equal(again.at(SURE).predict(X), checked.at(SURE).predict(X))
    rocch.save(checked.at(SURE), tmp_path / "view.rocch")
    view: Any = rocch.load(tmp_path / "view.rocch")
    assert view.point == checked.at(SURE).point
    assert view.criterion == SURE


def test_a_loaded_hull_does_not_claim_to_be_exact(data: Any, tmp_path: Path) -> None:
    X, y, *_ = data
    model = rocch.RocchClassifier(MODELS).fit(X, y)
    rocch.save(model, tmp_path / "model.rocch")
    again: Any = rocch.load(tmp_path / "model.rocch")
    guarantee = again.hull_.best(SURE).guarantee
    assert not guarantee.is_exact
    assert "not kept" in guarantee.note


def test_a_guarantee_has_no_coin(checked: Any) -> None:
    with pytest.raises(rocch.InputError, match="randomize"):
        checked.at(SURE, randomize=True)


def test_the_default_aim_may_have_a_confidence(data: Any) -> None:
    X, y, *_ = data
    model = rocch.RocchClassifier(MODELS, check_size=0.4, criterion=SURE, random_state=0)
    guarantee = model.fit(X, y).default_.point.guarantee
    assert guarantee is not None
    assert guarantee.is_exact


def test_rows_that_are_not_independent_are_refused(data: Any) -> None:
    X, y, *_ = data
    groups = np.arange(y.size) // 3
    model = rocch.RocchClassifier(MODELS, check_size=0.4, random_state=0)
    model.fit(X, y, groups=groups)
    with pytest.raises(rocch.InputError, match=r"independent.*groups"):
        model.at(SURE)
    splits = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    model = rocch.RocchClassifier(MODELS, cv=splits).fit(X, y)
    with pytest.raises(rocch.InputError, match=r"independent.*several times.*check_size=0\.3"):
        model.at(SURE)
    checked = rocch.RocchClassifier(MODELS, cv=splits, check_size=0.4, random_state=0).fit(X, y)
    with pytest.raises(rocch.InputError, match=r"several times\. Leave exact=True out"):
        checked.at(SURE, exact=True)
    weighted = rocch.RocchClassifier(MODELS).fit(X, y, sample_weight=np.full(y.size, 2.0))
    with pytest.raises(rocch.InputError, match="weight"):
        weighted.at(SURE)


def test_several_limits_and_costs(checked: Any) -> None:
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=2)
    both = rocch.Constrained(known, SURE)
    point = checked.at(both).point
    assert point.guarantee.confidence == 0.95
    assert point.expected_cost is not None
    question = rocch.Question(max_fpr=0.05, confidence=0.95)
    assert checked.at(question).point == checked.at(SURE).point
