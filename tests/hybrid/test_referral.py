"""A hybrid that refers rows to a person: aimed for new rows, exact, saved, and refused."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.hybrid import ReferralRule, ReferringClassifier

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)
X, Y = make_classification(
    1500, n_features=8, n_informative=5, weights=[0.7], flip_y=0.1, class_sep=0.7, random_state=0
)
X_NEW, Y_NEW = X[750:], Y[750:]
MODELS = [
    ("nb", GaussianNB()),
    ("lr", LogisticRegression()),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
]


def fitted(models: Any = MODELS, labels: Any = Y, **options: Any) -> rocch.RocchClassifier:
    return rocch.RocchClassifier(models, cv=3, **options).fit(X[:750], labels[:750])


@pytest.fixture(scope="module")
def model() -> rocch.RocchClassifier:
    return fitted()


def cost_of(decisions: Any, truth: Any, r: float, prevalence: float = 0.3) -> float:
    """Return the cost per case at a prevalence, decision by decision."""
    total = 0.0
    for label, share in ((0, 1 - prevalence), (1, prevalence)):
        own = decisions[truth == label].tolist()
        wrong = sum(d not in ("refer", label) for d in own)
        error = 5 if label else 1
        total += share * (r * own.count("refer") + error * wrong) / len(own)
    return total


def test_new_rows_are_decided_at_bayes_two_thresholds(model: rocch.RocchClassifier) -> None:
    r = 0.2
    view = model.refer(KNOWN, cost=r)
    assert view.for_new_rows
    assert view.rule.models == ("nb", "lr", "tree")
    assert "aimed for new rows" in view.referral.note
    odds = math.log(model.hull_.totals.positives / model.hull_.totals.negatives)
    slopes = rocch.roc.referral_slopes(KNOWN.case, r)
    assert slopes is not None
    for part, slope in zip((view.rule.upper, view.rule.lower), slopes, strict=True):
        assert isinstance(part, rocch.hybrid.StackAtLeast)
        assert part.threshold == pytest.approx(math.log(slope) + odds, abs=1e-4)


def test_referring_saves_on_new_rows(model: rocch.RocchClassifier) -> None:
    view = model.refer(KNOWN, cost=0.2)
    decisions = view.predict(X_NEW)
    found = cost_of(decisions, Y_NEW, 0.2)
    assert found < cost_of(model.at(KNOWN).predict(X_NEW), Y_NEW, 0.2)
    estimate = view.on_new_rows
    assert estimate.interval is not None
    assert estimate.interval.low < found < estimate.interval.high
    assert view.referral.saves > 0
    assert estimate.expected == pytest.approx(view.referral.expected_cost)


def test_predictions_are_labels_or_refer(model: rocch.RocchClassifier) -> None:
    view = model.refer(KNOWN, cost=0.2)
    decisions = view.predict(X_NEW)
    assert decisions.dtype == object
    assert set(decisions.tolist()) == {0, 1, "refer"}
    assert (view.referred(X_NEW) == (decisions == "refer")).all()
    assert view.referred(X_NEW).mean() == pytest.approx(view.referral.referred, abs=0.1)
    named = fitted(labels=np.where(Y == 1, "bad", "good"), pos_label="bad")
    texts = named.refer(KNOWN, cost=0.2).predict(X_NEW)
    assert texts.dtype.kind == "U"
    assert set(texts.tolist()) == {"bad", "good", "refer"}


@pytest.mark.parametrize(
    "options",
    [{"cost": 0.2, "exact": True}, {"max_referred": 0.1}, {"max_wrong": 0.05}],
)
def test_exact_and_limited_choices_are_those_of_the_hull(
    model: rocch.RocchClassifier, options: dict[str, Any]
) -> None:
    view = model.refer(KNOWN, **options)
    limits = {name: value for name, value in options.items() if name != "exact"}
    assert not view.for_new_rows
    assert view.referral == model.hull_.refer(KNOWN, **limits)
    assert view.on_new_rows.expected is not None


def test_a_question_is_taken_as_well(model: rocch.RocchClassifier) -> None:
    question = rocch.Question(prevalence=0.3, false_positive=1, false_negative=5, refer_cost=0.2)
    assert model.refer(question).referral == model.refer(KNOWN, cost=0.2).referral


@pytest.mark.parametrize("cost", [0.9, 5])
def test_an_expensive_referral_is_the_plain_aim(model: rocch.RocchClassifier, cost: float) -> None:
    view = model.refer(KNOWN, cost=cost)
    assert view.predict(X_NEW).tolist() == model.at(KNOWN).predict(X_NEW).tolist()
    assert not view.referred(X_NEW).any()
    assert "so none is referred" in view.referral.note


def test_free_referral_decides_nothing(model: rocch.RocchClassifier) -> None:
    view = model.refer(KNOWN, cost=0)
    assert view.referred(X_NEW).all()
    assert view.on_new_rows.interval == (0, 0)


def columns_model() -> tuple[rocch.RocchClassifier, pd.DataFrame, Any]:
    """Return a model of two columns of scores, its rows and their labels."""
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.3
    features = np.column_stack([rng.normal(size=600) + 2 * y for _ in range(2)])
    columns = {f"c{i}": rocch.hybrid.ScoreColumn(f"c{i}") for i in range(2)}
    frame = pd.DataFrame(features, columns=list(columns))
    model = rocch.RocchClassifier(list(columns.items()), stack=False, cv=3).fit(frame, y)
    return model, frame, y


def test_two_models_decide_together() -> None:
    model, frame, y = columns_model()
    view = model.refer(KNOWN, cost=0.2, exact=True)
    assert view.rule.has_two_scorers
    assert (view.rule.decide(frame) == view.predict(frame)).all()
    assert np.mean(view.referred(frame)[y]) == pytest.approx(view.referral.referred_positives)


def test_models_without_probabilities_are_calibrated() -> None:
    model = fitted([("svm", LinearSVC())])
    view = model.refer(KNOWN, cost=0.2)
    assert view.for_new_rows
    assert isinstance(view.rule.upper, rocch.hybrid.AtLeast)
    assert isinstance(view.rule.lower, rocch.hybrid.AtLeast)
    assert view.rule.upper.threshold > view.rule.lower.threshold
    assert view.rule.scores == {"svm": "decision_function"}
    margins = model.named_estimators_["svm"].decision_function(X_NEW)
    assert (view.rule.decide({"svm": margins}) == view.predict(X_NEW)).all()


def test_saved_models_refer_as_before(model: rocch.RocchClassifier, tmp_path: Path) -> None:
    path = tmp_path / "model.rocch"
    rocch.save(model, path)
    loaded = rocch.load(path)
    before, after = (each.refer(KNOWN, cost=0.2) for each in (model, loaded))
    assert after.rule == before.rule
    assert after.predict(X_NEW).tolist() == before.predict(X_NEW).tolist()
    limited = loaded.refer(KNOWN, max_referred=0.1)
    assert limited.referral.referred <= 0.1
    assert limited.predict(X_NEW).tolist().count("refer") > 0
    assert limited.referral.note


@pytest.mark.parametrize(
    "options",
    [{"cost": 0.2}, {"cost": 0.2, "exact": True}, {"max_referred": 0.1}, {"max_wrong": 0.1}],
)
def test_saved_views_decide_as_before(options: dict[str, Any], tmp_path: Path) -> None:
    model, frame, _ = columns_model()
    view = model.refer(KNOWN, **options)
    rocch.save(view, tmp_path / "view.rocch")
    loaded: Any = rocch.load(tmp_path / "view.rocch")
    assert isinstance(loaded, ReferringClassifier)
    assert loaded.rule == view.rule
    assert loaded.predict(frame).tolist() == view.predict(frame).tolist()


def test_saved_views_of_questions(model: rocch.RocchClassifier, tmp_path: Path) -> None:
    question = rocch.Question(max_wrong=0.2, confidence=0.8)
    view = model.refer(question)
    assert view.referral.guarantee is not None
    rocch.save(view, tmp_path / "view.rocch")
    loaded: Any = rocch.load(tmp_path / "view.rocch")
    assert loaded.rule == view.rule


def test_guarantees_are_certified_on_rows_of_their_own(model: rocch.RocchClassifier) -> None:
    checked = fitted(check_size=0.4, random_state=0)
    observed = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=5)
    options: Any = {"max_wrong": 0.3, "confidence": 0.9}
    view = checked.refer(observed, **options)
    assert view.for_new_rows
    assert view.referral.guarantee is not None
    assert "crosses the limit once" in view.referral.guarantee.note
    assert "refitted" not in view.referral.guarantee.note
    assert view.referral.guarantee.models == 1
    assert checked.stack_ is not None
    assert view.rule.models == checked.stack_.models
    refitted = model.refer(observed, **options).referral.guarantee
    assert refitted is not None
    assert not refitted.is_exact
    assert "refitted" in refitted.note
    exact = model.refer(observed, **options, exact=True)
    assert not exact.for_new_rows
    assert exact.referral.guarantee is not None
    assert exact.referral.guarantee.models > 1
    decisions = view.predict(X_NEW)
    decided = decisions != "refer"
    assert np.mean(decisions[decided] != Y_NEW[decided]) < 0.3


def test_a_known_referral_is_taken_from_the_own_hull_only(model: rocch.RocchClassifier) -> None:
    found = model.hull_.refer(KNOWN, cost=0.2)
    view = model.refer(found)
    assert view.referral == found
    assert not view.for_new_rows
    other, *_ = columns_model()
    with pytest.raises(rocch.InputError, match="a point of another hull"):
        other.refer(found)


def test_the_view_is_an_immutable_classifier(model: rocch.RocchClassifier) -> None:
    view = model.refer(KNOWN, cost=0.2)
    assert clone(view) is view
    assert str(view) == f"{view.rule}\n{view.on_new_rows}"
    assert view.get_params() == {
        "confidence": None,
        "conditions": KNOWN,
        "cost": 0.2,
        "exact": False,
        "max_referred": None,
        "max_wrong": None,
    }
    with pytest.raises(AttributeError, match="cannot be changed"):
        view.cost = 1
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own
    assert isinstance(again, ReferringClassifier)
    assert again.predict(X_NEW).tolist() == view.predict(X_NEW).tolist()
    assert repr(view).startswith("<ReferringClassifier: predict 1 when stack >= ")
    assert ReferralRule.from_dict(view.rule.to_dict()) == view.rule
    assert len(view.used_models()) == 3


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_bad_input(model: rocch.RocchClassifier) -> None:
    with pytest.raises(rocch.InputError, match="cost must be given"):
        model.refer(KNOWN)
    with pytest.raises(rocch.InputError, match="exact must be"):
        model.refer(KNOWN, cost=0.2, exact="yes")  # type: ignore[arg-type]
    named = fitted(labels=np.where(Y == 1, "refer", "good"), pos_label="refer")
    with pytest.raises(rocch.InputError, match="not be 'refer'"):
        named.refer(KNOWN, cost=0.2)
    unknown = fitted(labels=np.where(Y == 1, "bad", "good"))
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        unknown.refer(KNOWN, cost=0.2)


def test_a_classifier_that_refers_cannot_be_scored(model: rocch.RocchClassifier) -> None:
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)
    with pytest.raises(rocch.InputError, match="refers rows to a person"):
        model.refer(known, cost=0.3).score([[0.0]], [1])
