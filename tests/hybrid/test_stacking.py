"""The stack as a member, and the aim for new rows."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import rocch
from rocch.hybrid import Rule, Stack, StackAtLeast, Term
from tests.support.columns import ColumnLabels, ColumnScores
from tests.support.rules import run_python

KNOWN = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=20)


def rows(size: int, seed: int, share: float = 0.3) -> tuple[Any, Any]:
    """Rows whose true log odds are log(share / (1 - share)) + 1.5 (x0 + x1) - 2.25."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < share
    X = rng.normal(size=(size, 3))
    X[:, :2] += 1.5 * y[:, None]
    return X, y


def columns(X: Any, y: Any, *places: int) -> list[tuple[str, Any]]:
    return [(f"x{i}", FrozenEstimator(ColumnScores(i).fit(X, y))) for i in places]


class ProbabilityColumn(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # untyped
    """The calibrated probability that one feature gives, raised to a power."""

    def __init__(self, column: int = 0, power: float = 1.0) -> None:
        self.column, self.power = column, power

    def fit(self, X: Any, y: Any) -> ProbabilityColumn:  # noqa: ARG002 - scikit-learn's signature
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        odds = 1.5 * X[:, self.column] - 1.125 + math.log(3 / 7)
        share = 1 / (1 + np.exp(-self.power * odds))
        return np.column_stack((1 - share, share))


@pytest.fixture(scope="module")
def model() -> rocch.RocchClassifier:
    models = [
        ("lr", LogisticRegression()),
        ("nb", GaussianNB()),
        ("forest", RandomForestClassifier(30, min_samples_leaf=5, random_state=0)),
    ]
    return rocch.RocchClassifier(models).fit(*rows(800, 0))


def test_weights_are_those_of_the_true_log_odds() -> None:
    """Two independent features: the log odds of each, once, and one prior too many."""
    X, y = rows(40_000, 1)
    models = [(f"x{i}", FrozenEstimator(ProbabilityColumn(i).fit(X, y))) for i in (0, 1)]
    stack = rocch.RocchClassifier(models).fit(X, y).stack_
    assert stack is not None
    assert stack.weights == pytest.approx({"x0": 1, "x1": 1}, abs=0.05)
    assert stack.intercept == pytest.approx(-math.log(3 / 7), abs=0.05)


def test_scores_of_any_scale_and_labels_take_part() -> None:
    X, y = rows(20_000, 2)
    X[:, 0] *= 1e6
    labels = ("x2", FrozenEstimator(ColumnLabels(1).fit(X, y)))
    stack = rocch.RocchClassifier([*columns(X, y, 0), labels]).fit(X, y).stack_
    assert stack is not None
    assert stack.weights["x0"] == pytest.approx(1.5e-6, rel=0.05)
    share = [np.mean(X[y == kind, 1] > 0.5) for kind in (False, True)]
    ratio = math.log(share[1] / share[0] * (1 - share[0]) / (1 - share[1]))
    assert stack.weights["x2"] == pytest.approx(ratio, rel=0.1)


def test_noise_and_constants_need_no_model_at_run_time() -> None:
    X, y = rows(3000, 3)
    X = np.column_stack([X, np.full(len(X), 7.0), -X[:, 0]])
    found = rocch.RocchClassifier(columns(X, y, 0, 1, 3, 4)).fit(X, y)
    assert found.stack_ is not None
    assert set(found.stack_.weights) == {"x0", "x1"}
    assert set(found.discarded_) == {"x3", "x4"}


def test_it_is_a_member_of_the_hull_with_scores_for_new_rows(model: Any) -> None:
    judged = model.out_of_fold_
    hull = rocch.RocHull.from_scores(judged.positive, dict(judged.scores))
    assert set(judged.scores) == {"lr", "nb", "forest", "stack"}
    curves: list[Any] = [m.curve() for m in hull.members if m.name in hull.winners]
    assert model.hull_ == rocch.RocHull.of(*curves)
    by_all = model.stack_.log_odds(Columns(judged.scores))
    others = judged.scores["stack"]
    assert not np.array_equal(by_all, others)
    np.testing.assert_allclose(by_all, others, atol=0.5)
    assert log_loss(judged.positive, by_all) < log_loss(judged.positive, others)


class Columns:
    """Columns of scores as rows to decide."""

    def __init__(self, scores: Any) -> None:
        self._scores = scores

    def __len__(self) -> int:
        return len(next(iter(self._scores.values())))

    def scores(self, model: str, rows: Any = None) -> Any:
        column = self._scores[model]
        return column if rows is None else column[rows]

    alarms = scores


def log_loss(truth: Any, log_odds: Any) -> float:
    return float(np.mean(np.logaddexp(0, np.where(truth, -log_odds, log_odds))))


def test_out_of_fold_scores_are_as_good_as_those_of_new_rows() -> None:
    """Frozen models, so that nothing but the stack is fitted; few rows, so that it matters."""
    old, fitted, new = [], [], []
    for seed in range(40):
        X, y = rows(60, 100 + seed)
        found = rocch.RocchClassifier(columns(X, y, 0, 1, 2)).fit(X, y)
        if found.stack_ is None:
            continue
        unseen, truth = rows(4000, 1000 + seed)
        old.append(log_loss(y, found.out_of_fold_.scores["stack"]))
        fitted.append(log_loss(y, found.stack_.log_odds(found.default_.batch(X))))
        new.append(log_loss(truth, found.stack_.log_odds(found.default_.batch(unseen))))
    error = np.std(np.subtract(old, new), ddof=1) / math.sqrt(len(old))
    assert abs(np.mean(old) - np.mean(new)) < 2 * error
    assert np.mean(fitted) < np.mean(new) - 2 * error  # what the test would see without the care


def test_bayes_threshold_at_every_slope() -> None:
    """With the true log odds the aim is where the likelihood ratio is the slope."""
    X, y = rows(50_000, 4)
    found = rocch.RocchClassifier(columns(X, y, 0, 1)).fit(X, y)
    for prevalence, miss in product((0.01, 0.3, 0.8), (0.2, 1, 30)):
        known = rocch.Conditions(prevalence=prevalence, false_positive=1, false_negative=miss)
        wanted = 1.5 * (X[:, 0] + X[:, 1]) - 2.25 >= math.log(known.slope)
        assert np.mean(found.at(known).predict(X) == wanted) > 0.98


@pytest.mark.parametrize("exact", [False, True])
def test_every_text_says_which_aim_is_meant(model: Any, exact: bool) -> None:
    view = model.at(KNOWN, exact=exact)
    assert ("aimed for new rows" in view.point.note) is not exact
    assert view.exact is exact
    hull = model.hull_.best(KNOWN)
    assert (view.point.value == hull.value) is exact
    assert view.point.value >= hull.value


def test_limits_ranges_and_knobs_take_the_hull(model: Any) -> None:
    vague = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 50))
    for aim in (
        rocch.NeymanPearson(0.05),
        rocch.MinimaxRegret(vague),
        rocch.Constrained(KNOWN, rocch.NeymanPearson(0.2)),
    ):
        assert model.at(aim).point == model.at(aim, exact=True).point == model.hull_.best(aim)


def test_beliefs_and_the_error_rate_are_aimed_for_new_rows(model: Any) -> None:
    belief = rocch.Belief.cost_ratio(5, 40, likely=20).with_unit(false_positive=1)
    aim = rocch.LeastExpectedRegret(belief.with_prevalence(0.1))
    for criterion in (aim, rocch.ErrorRate(), rocch.ErrorRate(0.05)):
        assert model.at(criterion).point.note
    X, _ = rows(500, 5)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] >= 0.5)


def test_infinite_slopes_take_the_ends(model: Any) -> None:
    for miss, share in ((0, 0), (1, 1)):
        known = rocch.Conditions(prevalence=0.2, false_positive=1 - miss, false_negative=miss)
        view = model.at(known)
        assert view.predict(rows(50, 6)[0]).mean() == share
        cost = view.on_new_rows
        assert cost.expected == cost.interval.low == cost.interval.high == 0


def test_one_model_is_calibrated() -> None:
    X, y = rows(20_000, 7)
    frozen = FrozenEstimator(ProbabilityColumn(0, power=3).fit(X, y))  # three times too sure
    found = rocch.RocchClassifier([("x", frozen)]).fit(X, y)
    assert found.stack_ is None
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
    rule = found.at(known).rule
    part: Any = rule.mix[0][1]
    assert part.model == "x"
    odds = math.log(part.threshold / (1 - part.threshold)) / 3
    assert odds == pytest.approx(math.log(known.slope) + math.log(3 / 7), abs=0.05)
    shares = found.predict_proba(X)[:, 1]
    for low, high in ((0.05, 0.15), (0.4, 0.6), (0.85, 0.95)):
        inside = (shares > low) & (shares < high)
        assert y[inside].mean() == pytest.approx(shares[inside].mean(), abs=0.03)


def test_without_a_stack_the_best_calibrated_model_is_aimed() -> None:
    X, y = rows(4000, 8)
    X[:, 1] -= 1.2 * y  # now a poor one
    found = rocch.RocchClassifier(columns(X, y, 0, 1), stack=False).fit(X, y)
    assert found.stack_ is None
    assert "stack" not in found.out_of_fold_.scores
    assert found.at(KNOWN).rule.models == ("x0",)


def test_rows_with_their_own_costs_are_aimed_alike(model: Any) -> None:
    X, _ = rows(200, 9)
    misses = np.exp(np.random.default_rng(0).normal(1, 2, 200))
    given = rocch.roc.RowConditions(prevalence=0.1, false_positive=1, false_negative=misses)
    found = model.at_rows(given).predict(X)
    for place in range(0, 200, 7):
        alone = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=misses[place])
        assert model.at(alone).predict(X[place : place + 1])[0] == found[place]
    exact = model.at_rows(given, exact=True)
    assert exact.log_odds is None
    assert not np.array_equal(exact.predict(X), found)


def all_kinds() -> tuple[Any, rocch.RocchClassifier]:
    """A stack of a probability, a score that runs backwards, and labels."""
    X, y = rows(2000, 10)
    models = [
        ("p", FrozenEstimator(ProbabilityColumn(0).fit(X, y))),
        ("svc", LinearSVC()),
        ("flag", FrozenEstimator(ColumnLabels(1).fit(X, y))),
    ]
    return X, rocch.RocchClassifier(models, cv=3).fit(X, y.astype(int))


def test_rules_decide_alike_in_python_json_and_sql() -> None:
    _, found = all_kinds()
    new, _ = rows(3000, 11)
    view = found.at(KNOWN)
    rule = view.rule
    assert isinstance(rule.mix[0][1], StackAtLeast)
    wanted = view.predict(new)
    assert 0 < wanted.mean() < 1
    scored = pd.DataFrame({name: c.scores(new) for name, c in found.hybrid_.components.items()})
    scored["flag"] = scored["flag"].astype(int)
    scored.loc[:2, "p"] = [0.0, 1.0, 1e-9]
    scored.loc[3:4, "svc"] = [1e9, -1e9]
    wanted = rule.decide(scored)
    np.testing.assert_array_equal(wanted[5:], view.predict(new)[5:])
    again = Rule.from_dict(json.loads(rule.to_json()))
    assert again == rule
    np.testing.assert_array_equal(again.decide(scored), wanted)
    assert run_python(rule.to_python(), scored) == wanted.tolist()
    for dialect in ("standard", "duckdb"):
        sql = rule.to_sql(dialect=dialect)
        relation: Any = duckdb.sql(f"SELECT {sql} AS d FROM scored")  # noqa: S608 - a test's own
        found_there = relation.df()["d"]
        np.testing.assert_array_equal(found_there, wanted)
    with closing(sqlite3.connect(":memory:")) as lite:
        scored.to_sql("t", lite)
        lite.create_function("LN", 1, math.log)
        found_there = pd.read_sql(f"SELECT {rule.to_sql()} AS d FROM t", lite)["d"]  # noqa: S608 - as above
    np.testing.assert_array_equal(found_there, wanted)
    decided = rocch.hybrid.decide_frame(duckdb.from_df(scored), rule).df()["decision"]
    np.testing.assert_array_equal(decided, wanted)


def test_a_stack_has_probabilities_whatever_its_models_output() -> None:
    X, found = all_kinds()
    shares = found.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(found.predict(X), shares >= 0.5)
    assert not hasattr(found, "decision_function")


def test_a_missing_score_leaves_the_decision_open() -> None:
    _, found = all_kinds()
    sql = found.at(KNOWN).rule.to_sql(dialect="duckdb")
    relation: Any = duckdb.sql(
        "SELECT * FROM (VALUES (NULL, 0.1, 1), (0.5, NULL, 1), (0.5, 0.1, NULL)) AS t(p, svc, flag)"
    )
    assert relation.project(f"{sql} AS d").fetchall() == [(None,)] * 3


def test_saved_models_aim_and_expect_alike(model: Any, tmp_path: Path) -> None:
    rocch.save(model, tmp_path / "m")
    again = rocch.load(tmp_path / "m")
    assert isinstance(again, rocch.RocchClassifier)
    assert again.stack_ == model.stack_
    new, _ = rows(500, 12)
    for exact in (False, True):
        one, other = (m.at(KNOWN, exact=exact) for m in (model, again))
        np.testing.assert_array_equal(one.predict(new), other.predict(new))
    assert again.at(KNOWN).on_new_rows == model.at(KNOWN).on_new_rows
    view = model.at(KNOWN, exact=True)
    rocch.save(view, tmp_path / "v")
    np.testing.assert_array_equal(rocch.load(tmp_path / "v").predict(new), view.predict(new))


def test_a_point_can_be_aimed_at_again(model: Any) -> None:
    view = model.at(KNOWN)
    again = model.at(view.point)
    assert again.rule == view.rule
    moved = view.point.point
    wrong = type(moved)(**{name: getattr(moved, name) for name in moved.__slots__} | {"fpr": 0.9})
    with pytest.raises(rocch.InputError, match="operating point of this hybrid"):
        model.at(wrong)


def test_a_budget_counts_the_stack_as_all_its_models() -> None:
    X, y = rows(1500, 13)
    models = columns(X, y, 0, 1, 2)
    costs = {"x0": 1.0, "x1": 2.0, "x2": 4.0}
    wide = rocch.RocchClassifier(models, row_costs=costs, row_budget=10).fit(X, y)
    narrow = rocch.RocchClassifier(models, row_costs=costs, row_budget=3).fit(X, y)
    none = rocch.RocchClassifier(models, row_costs=costs, row_budget=2.5).fit(X, y)
    assert wide.stack_ is not None
    assert narrow.stack_ is not None
    assert set(narrow.stack_.weights) == {"x0", "x1"}
    assert none.stack_ is None


def test_within_bounds_the_stack_is_aimed_and_others_are_refused() -> None:
    X, y = rows(1500, 14)
    bounds = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(10, 30))
    found = rocch.RocchClassifier(columns(X, y, 0, 1), within=bounds).fit(X, y)
    assert found.at(KNOWN).point.note
    with pytest.raises(rocch.InputError, match="restricted"):
        found.at(rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=0.1))


def test_groups_and_repeats_are_not_divided() -> None:
    """Scores that tell the group's label: a stack that saw the group would trust them."""
    rng = np.random.default_rng(15)
    groups = np.repeat(np.arange(60), 10)
    y = (rng.random(60) < 0.5)[groups]
    X = rng.normal(size=(600, 2)) + 0.8 * y[:, None]
    found = rocch.RocchClassifier(columns(X, y, 0, 1), cv=GroupKFold(4))
    found.fit(X, y, groups=groups)
    assert found.stack_ is not None
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    models = [("lr", LogisticRegression()), ("nb", GaussianNB())]
    again = rocch.RocchClassifier(models, cv=repeated).fit(*rows(200, 16))
    assert again.stack_ is not None


def test_the_expected_cost_is_that_of_rows_which_fitted_nothing(model: Any) -> None:
    cost = model.at(KNOWN).on_new_rows
    judged, threshold = model.out_of_fold_, model.at(KNOWN).point.threshold
    alarms = judged.scores["stack"] >= threshold
    rates = [alarms[judged.positive == kind].mean() for kind in (False, True)]
    case = KNOWN.case
    assert cost.expected == pytest.approx(case.cost(*rates))
    assert cost.interval.low < cost.expected < cost.interval.high
    fitted = model.stack_.log_odds(Columns(judged.scores)) >= threshold
    rates = [fitted[judged.positive == kind].mean() for kind in (False, True)]
    assert cost.apparent == pytest.approx(case.cost(*rates))


def test_groups_that_decide_alike_widen_the_interval() -> None:
    X, y = rows(200, 22)
    fivefold, groups = np.repeat(X, 5, axis=0), np.repeat(np.arange(200), 5)
    models = columns(X, y, 0, 1)
    alone = rocch.RocchClassifier(models).fit(X, y).at(KNOWN).on_new_rows.interval
    copies = rocch.RocchClassifier(models).fit(fivefold, np.repeat(y, 5), groups=groups)
    plain = rocch.RocchClassifier(models).fit(fivefold, np.repeat(y, 5))
    widths = [
        interval.high - interval.low
        for interval in (
            plain.at(KNOWN).on_new_rows.interval,
            copies.at(KNOWN).on_new_rows.interval,
            alone,
        )
        if interval is not None
    ]
    assert widths[0] < 0.7 * widths[1]
    assert widths[1] == pytest.approx(widths[2], rel=0.15)


def test_resamples_are_the_stacks_that_were_fitted(model: Any) -> None:
    assert model.at(KNOWN).on_new_rows.resamples == 30
    X, y = rows(40, 23, share=0.15)
    few = rocch.RocchClassifier(columns(X, y, 0, 1)).fit(X, y)
    assert few.at(KNOWN).on_new_rows.resamples == 3 * min(10, int(y.sum()))


def test_scores_alone_can_be_stacked() -> None:
    X, y = rows(3000, 17)
    scores = {"a": X[:, 0], "b": 1 / (1 + np.exp(-X[:, 1])), "c": X[:, 0] > 1}
    stacked = rocch.hybrid.stack_scores(y, scores, groups=np.arange(3000) // 2)
    kinds = {term.model: term.kind for term in stacked.stack.terms}
    assert kinds["a"] == "score"
    assert kinds["b"] == "probability"
    hull = rocch.RocHull.from_scores(y, {**scores, "stack": stacked.scores})
    assert rocch.auc(y, stacked.scores) > max(
        rocch.auc(y, np.asarray(s, float)) for s in scores.values()
    )
    assert hull.best(KNOWN).classifier == "stack"
    again = rocch.hybrid.stack_scores(y, scores, groups=np.arange(3000) // 2, random_state=0)
    np.testing.assert_array_equal(stacked.scores, again.scores)


def test_two_rows_of_a_class_are_enough() -> None:
    y = np.array([0, 0, 0, 1])
    stacked = rocch.hybrid.stack_scores(y, {"a": [0.1, 0.3, 0.2, 0.9], "b": [0.2, 0.1, 0.5, 0.6]})
    np.testing.assert_allclose(stacked.scores, stacked.fitted_scores, atol=1e-4)  # none left out


def test_infinite_scores_count_as_the_largest_finite_ones() -> None:
    X, y = rows(400, 18)
    score = X[:, 0].copy()
    score[:3] = [np.inf, -np.inf, np.inf]
    stacked = rocch.hybrid.stack_scores(y, {"a": score, "b": X[:, 1]})
    assert np.isfinite(stacked.scores).all()
    assert np.isfinite(stacked.fitted_scores).all()


TERM = {"model": "a", "kind": "probability", "weight": 1.0, "low": 0.1, "high": 0.9}


@pytest.mark.parametrize(
    "stack",
    [
        {"intercept": 0.0, "terms": [TERM | {"kind": "odd"}]},
        {"intercept": 0.0, "terms": [TERM | {"low": 0.0, "high": 1.0}]},
        {"intercept": 0.0, "terms": [TERM | {"weight": "1"}]},
        {"intercept": "0", "terms": []},
        {"intercept": math.nan, "terms": []},
        {"terms": []},
    ],
)
def test_rules_of_other_stacks_are_refused(stack: Any) -> None:
    part = {"stack": stack, "at_least": 0.5, "written": ""}
    whole = Rule(((1.0, StackAtLeast(Stack(0.0, ()), 0.5)),), 1, 0, 0.1, 0.9).to_dict()
    whole["mix"][0]["alarm_when"] = part
    with pytest.raises(rocch.InputError, match="must be a rule of version"):
        Rule.from_dict(whole)


def test_words_of_a_stack() -> None:
    terms = (Term("nb", "probability", 0.5, 0.0001, 0.9999), Term("svc", "score", 2.0, -3.0, 3.0))
    part = StackAtLeast(Stack(-0.25, terms), 1.5)
    assert part.words() == "stack >= 1.5, where stack = -0.25 + 0.5 logit(nb) + 2.0 svc"
    assert part.models == ("nb", "svc")


def test_what_forgetting_a_model_costs() -> None:
    """The better of two features costs much, noise costs nothing, and few rows cannot tell."""
    X, y = rows(4000, 19)
    X[:, 1] -= 1.0 * y
    found = rocch.RocchClassifier(columns(X, y, 0, 1, 2)).fit(X, y)
    costs = found.forgetting_costs()
    assert costs["x0"].expected > costs["x1"].expected > costs["x2"].expected
    new, truth = rows(100_000, 20)
    new[:, 1] -= 1.0 * truth
    without = rocch.RocchClassifier(columns(X, y, 1, 2)).fit(X, y)
    extra = []
    for slope in (1 / 20, 1 / 5, 1, 5, 20):
        known = rocch.Conditions(prevalence=0.5, false_positive=slope, false_negative=1)
        paid = []
        for each in (without, found):
            alarms = each.at(known).predict(new)
            paid.append(slope * alarms[~truth].mean() + 1 - alarms[truth].mean())
        extra.append((paid[0] - paid[1]) / (1 + slope))
    assert costs["x0"].expected == pytest.approx(max(extra), abs=0.03)
    assert costs["x0"].upper > max(extra)
    with pytest.raises(rocch.InputError, match="must have a stack"):
        rocch.RocchClassifier(columns(X, y, 0)).fit(X, y).forgetting_costs()


@pytest.mark.parametrize(("size", "kept"), [(300, True), (6000, False)])
def test_models_are_dropped_only_if_new_rows_cannot_cost_much_more(size: int, kept: bool) -> None:
    X, y = rows(size, 2)
    X[:, 2] = X[:, 0] + 3 * np.random.default_rng(2).normal(size=size)  # useless beside x0
    found = rocch.RocchClassifier(columns(X, y, 0, 1, 2)).fit(X, y)
    assert found.stack_ is not None
    assert "x2" not in found.stack_.weights
    assert "x2" not in found.hull_.winners
    assert ("x2" in found.kept_) is kept
    cost = found.forgetting_costs()["x2"]
    assert (cost.upper > 0.02) is kept
    if not kept:
        assert "on the evaluation rows" in found.discarded_["x2"]
        assert str(cost) in found.discarded_["x2"]
