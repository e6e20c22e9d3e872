"""Predictions scored by their cost, and tables of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.hybrid import RuleClassifier

KNOWN = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=10)
STATED = rocch.Conditions(prevalence=0.1, false_positive=2, false_negative=30, true_positive=1)


def total_cost(y: Any, predicted: Any, conditions: rocch.Conditions, weights: Any = None) -> float:
    """Return the mean cost row by row, each class with its share in operation."""
    weights = np.ones(len(y)) if weights is None else weights
    share = conditions.prevalence
    if share == "observed":
        share = np.average(np.asarray(y), weights=weights)
    else:
        share = conditions.case.prevalence
    prices = {
        (True, True): conditions.true_positive,
        (True, False): conditions.false_negative,
        (False, True): conditions.false_positive,
        (False, False): conditions.true_negative,
    }
    found = 0.0
    for truth, part in ((True, share), (False, 1 - share)):
        own = [i for i, label in enumerate(y) if bool(label) == truth]
        paid = sum(weights[i] * prices[truth, bool(predicted[i])][0] for i in own)  # type: ignore[index]
        found += part * paid / sum(weights[i] for i in own)
    return float(found)


@pytest.fixture(scope="module")
def data() -> Any:
    return make_classification(600, 8, n_informative=4, weights=[0.8], flip_y=0.1, random_state=3)


@pytest.fixture(scope="module")
def model(data: Any) -> rocch.RocchClassifier:
    parts = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    return rocch.RocchClassifier(parts, criterion=KNOWN, cv=3).fit(*data)


@pytest.mark.parametrize("conditions", [KNOWN, STATED])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_expected_cost_is_the_mean_cost(conditions: rocch.Conditions, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    y, predicted = rng.integers(0, 2, 50), rng.integers(0, 2, 50)
    weights = rng.random(50) if weighted else None
    found = rocch.expected_cost(y, predicted, conditions, sample_weight=weights)
    assert found == pytest.approx(total_cost(y, predicted, conditions, weights), rel=1e-6)


def test_labels_of_any_kind_have_a_cost() -> None:
    found = rocch.expected_cost(["a", "b", "b"], ["b", "b", "a"], KNOWN, pos_label="a")
    assert found == pytest.approx((10 + 1) / 3)
    assert rocch.expected_cost([0, 0], [0, 1], KNOWN) == 0.5
    assert rocch.expected_cost(["yes", "no"], ["no", "no"], KNOWN) == 5
    assert rocch.expected_cost([0, 1, 1], [True, True, False], KNOWN) == pytest.approx(11 / 3)
    with pytest.raises(rocch.InputError, match="y_true must"):
        rocch.expected_cost([0, 1], ["0", "1"], KNOWN)
    with pytest.raises(rocch.InputError, match="y_pred must"):
        rocch.expected_cost([0, 1], [0], KNOWN)
    with pytest.raises(rocch.InputError, match="pos_label"):
        rocch.expected_cost(["a", "b"], ["a", "a"], KNOWN)
    with pytest.raises(rocch.UndefinedError, match="there are no positives"):
        rocch.expected_cost([0, 0], [0, 1], STATED)


def test_other_ways_to_state_costs() -> None:
    y, predicted = [0, 0, 0, 1], [0, 1, 0, 0]
    question = rocch.Question(false_positive=1, false_negative=10)
    assert rocch.expected_cost(y, predicted, question) == 2.75
    assert rocch.expected_cost(y, predicted, rocch.ExpectedCost(KNOWN)) == 2.75
    assert rocch.expected_cost(y, predicted, rocch.ErrorRate()) == 0.5
    belief = rocch.Belief.cost_ratio(10, 10).with_unit(false_positive=1)
    regret = rocch.LeastExpectedRegret(belief.with_prevalence("observed"))
    assert rocch.expected_cost(y, predicted, regret) == pytest.approx(2.75)
    with pytest.raises(rocch.InputError, match="conditions must state costs exactly"):
        rocch.expected_cost(y, predicted, rocch.NeymanPearson(0.1))
    vague = rocch.Conditions(prevalence=0.5, false_positive=(1, 2), false_negative=3)
    with pytest.raises(rocch.InputError, match="conditions must be exact"):
        rocch.expected_cost(y, predicted, vague)


def test_many_classes_have_a_cost() -> None:
    rng = np.random.default_rng(1)
    names = np.array(["a", "b", "c"])
    y, predicted = names[rng.integers(0, 3, 90)], names[rng.integers(0, 3, 90)]
    costs = rocch.CostMatrix({("a", "b"): 5, ("a", "c"): 2, ("b", "a"): 1, ("b", "c"): 3,
                              ("c", "a"): 4, ("c", "b"): 7})  # fmt: skip
    confusion = rocch.multiclass.Confusion.from_labels(y, predicted)
    shares = {"a": 0.2, "b": 0.7, "c": 0.1}
    assert rocch.expected_cost(y, predicted, costs) == pytest.approx(confusion.expected_cost(costs))
    found = rocch.expected_cost(y, predicted, costs, priors=shares)
    assert found == pytest.approx(confusion.expected_cost(costs, shares))
    twice = rocch.expected_cost(y, predicted, costs, sample_weight=np.where(y == "a", 2, 1))
    again = np.concatenate([np.arange(90), np.flatnonzero(y == "a")])
    assert twice == pytest.approx(rocch.expected_cost(y[again], predicted[again], costs))
    with pytest.raises(rocch.UndefinedError, match="no row is of class 'c'"):
        rocch.expected_cost(["a", "b"], ["a", "b"], costs, priors=shares)
    with pytest.raises(rocch.InputError, match="priors must be given with a CostMatrix"):
        rocch.expected_cost([0, 1], [0, 1], KNOWN, priors={0: 0.5, 1: 0.5})
    rows = rocch.multiclass.RowCosts({("a", "b"): [1, 2], ("b", "a"): [3, 4]})
    assert rocch.expected_cost(["a", "b"], ["b", "a"], rows) == 2.5
    with pytest.raises(rocch.InputError, match="sample_weight must be left out"):
        rocch.expected_cost(["a", "b"], ["b", "a"], rows, sample_weight=[1, 1])


def test_the_scorer_selects_models_by_cost(data: Any) -> None:
    X, y = data
    scorer = rocch.cost_scorer(KNOWN)
    scores = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=3)
    assert (scores < 0).all()
    fitted = GaussianNB().fit(X, y)
    assert scorer(fitted, X, y) == -rocch.expected_cost(y, fitted.predict(X), KNOWN)
    search = GridSearchCV(
        rocch.RocchClassifier([("lr", LogisticRegression())], criterion=KNOWN, cv=3),
        {"lr__C": [1e-4, 1.0]},
        scoring=scorer,
        cv=3,
    ).fit(X, y)
    assert search.best_score_ < 0
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=3).fit(X, y)
    assert tuned.best_threshold_ < 0.5


def test_probabilities_are_scored_at_bayes_threshold(data: Any) -> None:
    X, y = data
    fitted = LogisticRegression().fit(X, y)
    chances = fitted.predict_proba(X)[:, 1]
    for conditions, threshold in (
        (KNOWN, 1 / 11),
        # odds of 0.1 in operation instead of those of the rows
        (STATED, None),
    ):
        if threshold is None:
            odds = STATED.slope * y.mean() / (1 - y.mean())
            threshold = odds / (1 + odds)
        aimed = rocch.cost_scorer(conditions, response="predict_proba")
        wanted = total_cost(y, chances >= threshold, conditions)
        assert aimed(fitted, X, y) == pytest.approx(-wanted)
    weights = np.where(y, 2.0, 1.0)
    aimed = rocch.cost_scorer(KNOWN, response="predict_proba")
    wanted = total_cost(y, chances >= 1 / 11, KNOWN, weights)
    assert aimed(fitted, X, y, sample_weight=weights) == pytest.approx(-wanted)
    labels = np.array(["well", "ill"])[y]
    named = LogisticRegression().fit(X, labels)
    scorer = rocch.cost_scorer(KNOWN, response="predict_proba", pos_label="ill")
    assert scorer(named, X, labels) == pytest.approx(aimed(fitted, X, y), rel=0.05)
    only = rocch.cost_scorer(KNOWN, response="predict_proba")
    assert only(fitted, X[y == 1], y[y == 1]) <= 0
    with pytest.raises(rocch.InputError, match="response must be 'predict' with costs of many"):
        rocch.cost_scorer(rocch.CostMatrix.zero_one(["a", "b", "c"]), response="predict_proba")
    with pytest.raises(rocch.InputError, match="response must be"):
        rocch.cost_scorer(KNOWN, response="decide")  # type: ignore[arg-type]


def test_weights_reach_the_scorer_by_metadata_routing(data: Any) -> None:
    X, y = data
    weights = np.where(np.arange(y.size) % 2, 5.0, 0.1)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = rocch.cost_scorer(KNOWN).set_score_request(sample_weight=True)
        nb = GaussianNB().set_fit_request(sample_weight=False)
        found = cross_val_score(nb, X, y, scoring=scorer, cv=3, params={"sample_weight": weights})
        plain = cross_val_score(nb, X, y, scoring=rocch.cost_scorer(KNOWN), cv=3)
    assert (found != plain).any()


def test_a_model_is_scored_by_its_own_criterion(data: Any, model: rocch.RocchClassifier) -> None:
    X, y = data
    predicted = model.predict(X)
    assert model.score(X, y) == -rocch.expected_cost(y, predicted, KNOWN)
    weights = np.random.default_rng(0).random(y.size)
    weighted = model.score(X, y, sample_weight=weights)
    assert weighted == pytest.approx(-total_cost(y, predicted, KNOWN, weights), rel=1e-6)
    assert cross_val_score(model, X, y, cv=2).max() < 0
    stated = model.at(STATED)
    assert stated.score(X, y) == pytest.approx(-total_cost(y, stated.predict(X), STATED))
    question = rocch.Question(false_positive=1, false_negative=10)
    assert model.at(question).score(X, y) == pytest.approx(model.score(X, y))


def test_other_criteria_score_what_they_maximize(data: Any, model: rocch.RocchClassifier) -> None:
    X, y = data

    def rates(view: Any) -> tuple[float, float]:
        alarms = view.predict(X) == 1
        return float(alarms[y == 0].mean()), float(alarms[y == 1].mean())

    accurate = model.at(rocch.ErrorRate())
    assert accurate.score(X, y) == pytest.approx((accurate.predict(X) == y).mean())
    rare = model.at(rocch.ErrorRate(0.05))
    fpr, tpr = rates(rare)
    assert rare.score(X, y) == pytest.approx(0.05 * tpr + 0.95 * (1 - fpr))
    limited = model.at(rocch.NeymanPearson(0.1))
    assert limited.score(X, y) == rates(limited)[1]
    f1 = model.at(rocch.Maximize("f1"))
    assert f1.score(X, y) == pytest.approx(sklearn.metrics.f1_score(y, f1.predict(X)))
    turned = model.at(rocch.roc.Knob(0.4))
    assert turned.score(X, y) == (turned.predict(X) == y).mean()
    belief = rocch.Belief.cost_ratio(2, 20).with_unit(false_positive=1).with_prevalence(0.2)
    believed = model.at(rocch.LeastExpectedRegret(belief))
    fpr, tpr = rates(believed)
    cost = float(belief.expected_case.cost(fpr, tpr))
    assert cost > 0
    assert believed.score(X, y) == pytest.approx(-cost)
    vague = rocch.Conditions(prevalence=0.2, false_positive=(1, 2), false_negative=10)
    assert model.at(rocch.MinimaxRegret(vague)).score(X, y) <= 0
    with pytest.raises(rocch.UndefinedError, match="there are no positives"):
        limited.score(X[y == 0], y[y == 0])
    unknown = rocch.RocchClassifier([("nb", GaussianNB())], cv=2, criterion=rocch.ErrorRate())
    plain = unknown.fit(X, np.array(["b", "a"])[y])
    assert 0.5 < plain.score(X, np.array(["b", "a"])[y]) < 1  # it knows no direction


def test_scores_come_as_a_frame_of_the_users_library(
    data: Any, model: rocch.RocchClassifier
) -> None:
    X, _ = data
    names = [f"x{i}" for i in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names, index=np.arange(len(X)) + 7)
    found = model.scores(X)
    assert list(found.columns) == list(model.kept_)
    with pytest.warns(UserWarning, match="feature names"):
        same = model.scores(table)
    assert isinstance(same, pd.DataFrame)
    assert same.index.equals(table.index)
    rule = model.at(KNOWN).rule
    mine = model.at(KNOWN).scores(X)
    assert list(mine.columns) == list(rule.models)
    predicted = rule.decide({name: mine[name].to_numpy() for name in mine.columns})
    assert np.array_equal(np.asarray(predicted), model.at(KNOWN).predict(X))


def test_frames_keep_their_library_and_labels_stay_labels(data: Any) -> None:
    X, y = data
    names = [f"x{i}" for i in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(key=np.arange(len(X)))
    labels = np.where(y, "ill", "well")
    model = rocch.RocchClassifier([("nb", GaussianNB())], pos_label="ill", row_key="key", cv=2)
    model.fit(table, labels)
    found = model.scores(table)
    assert list(found.columns) == ["key", "nb"]
    assert found["key"].tolist() == list(range(len(X)))
    other = model.scores(pl.from_pandas(table))
    assert isinstance(other, pl.DataFrame)
    assert other["nb"].to_list() == found["nb"].tolist()

    def is_high(rows: Any) -> Any:
        return rows["x0"] > 0.5

    rule = RuleClassifier(is_high, pos_label="ill")
    table["x0"] = np.where(np.arange(len(X)) % 9, y, 1 - y)
    alone = rocch.RocchClassifier([("rule", rule)], pos_label="ill", cv=2)
    alone.fit(table[names], labels)
    labeled = alone.scores(table[names])["rule"]
    assert labeled.tolist() == np.where(table["x0"] > 0.5, "ill", "well").tolist()
