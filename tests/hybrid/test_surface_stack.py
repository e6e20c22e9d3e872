"""The stack of a multi-class hybrid: the default aim, and what it will cost on new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.hybrid.surface_hybrid import CROSS_FITTED
from rocch.multiclass.stack import deal_folds

if TYPE_CHECKING:
    from pathlib import Path

ABC = ["a", "b", "c"]
PAIRS = [(k, j) for k in ABC for j in ABC if k != j]
SHIFTED = {"a": 0.7, "b": 0.1, "c": 0.2}


def noisy(seed: int = 0, rows: int = 240) -> tuple[Any, Any]:
    data = rocch.multiclass.three_class_data(rows, seed=seed)
    return data.X, np.array(ABC)[data.y - 1]


def models() -> list[tuple[str, Any]]:
    return [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]


def hybrid(**settings: Any) -> rocch.RocSurfaceClassifier:
    return rocch.RocSurfaceClassifier(models(), generations=15, draws=10, **settings)


@pytest.fixture(scope="module")
def fitted() -> rocch.RocSurfaceClassifier:
    return hybrid().fit(*noisy())


def some_costs(seed: int) -> rocch.CostMatrix:
    rng = np.random.default_rng(seed)
    drawn = rng.dirichlet(np.full(6, rng.choice([0.3, 1, 5])))
    return rocch.CostMatrix(dict(zip(PAIRS, drawn.tolist(), strict=True)))


def stacked(fitted: rocch.RocSurfaceClassifier, X: Any) -> Any:
    assert fitted.stack_ is not None
    tables = {name: model.predict_proba(X) for name, model in fitted.named_estimators_.items()}
    return fitted.stack_.predict_proba(tables)


@pytest.mark.parametrize("seed", range(5))
def test_by_default_the_stack_predicts_by_the_costs(
    fitted: rocch.RocSurfaceClassifier, seed: int
) -> None:
    X, _ = noisy(1)
    costs = some_costs(seed)
    now = fitted.at(costs)
    assert now.point.member.model == "stack"
    want = rocch.multiclass.assign(stacked(fitted, X), costs, classes=ABC)
    assert now.predict(X).tolist() == want.tolist()
    observed = dict.fromkeys(ABC, 1 / 3)
    moved = rocch.multiclass.assign(
        stacked(fitted, X), costs, classes=ABC, priors=SHIFTED, trained_priors=observed
    )
    assert fitted.at(costs, SHIFTED).predict(X).tolist() == moved.tolist()
    assert now.objective.endswith("what is expected to be best on new rows")


def test_an_exact_choice_is_at_least_as_cheap_on_the_evaluation_rows(
    fitted: rocch.RocSurfaceClassifier,
) -> None:
    gains = []
    for seed in range(20):
        for priors in ("observed", SHIFTED):
            default = fitted.at(some_costs(seed), priors).point
            exact = fitted.at(some_costs(seed), priors, exact=True)
            assert exact.objective.endswith("the cheapest on the evaluation rows")
            assert exact.point.expected_cost is not None
            assert default.expected_cost is not None
            gains.append(default.expected_cost - exact.point.expected_cost)
    assert min(gains) >= 0
    assert max(gains) > 0


def test_the_stack_is_on_the_surface_and_its_weights_can_be_read(
    fitted: rocch.RocSurfaceClassifier,
) -> None:
    assert "stack" in fitted.surface_.models
    assert fitted.stack_ is not None
    assert set(fitted.stack_.weights) == {"nb", "tree"}
    assert list(fitted.stack_.intercepts) == ABC
    assert "stack" not in fitted.named_estimators_


@pytest.mark.parametrize("priors", ["observed", SHIFTED])
def test_the_expected_cost_of_the_stack(fitted: rocch.RocSurfaceClassifier, priors: Any) -> None:
    costs = some_costs(3)
    view = fitted.at(costs, priors)
    found = view.on_new_rows
    assert found is view.on_new_rows
    assert fitted.stack_ is not None
    own = fitted.stack_.predict_proba(fitted.hybrid_.probabilities)
    rule = view.point.member.costs
    assert rule is not None
    predictions = rocch.multiclass.assign(own, rule, classes=ABC)
    truths = np.array(ABC)[fitted.hybrid_.truths]
    apparent = rocch.multiclass.Confusion.from_labels(truths, predictions)
    cross_fitted = view.point.confusion.expected_cost(costs, priors)
    # the confusion matrix and the text tell the same cost on the evaluation rows
    assert found.apparent == view.point.expected_cost == pytest.approx(cross_fitted)
    seen = f"{found.apparent:.3g} on the evaluation rows, by stacks fitted to other rows"
    assert str(found).endswith(seen)
    want = CROSS_FITTED * cross_fitted + (1 - CROSS_FITTED) * apparent.expected_cost(costs, priors)
    assert found.expected == pytest.approx(want)
    assert found.interval is not None
    assert found.interval.low < want < found.interval.high


@pytest.mark.parametrize("seed", range(4))
def test_the_expected_cost_of_an_exact_choice(seed: int) -> None:
    X, y = noisy(seed)
    # few members, so that all of them are considered
    found = hybrid(objectives="misses", random_state=seed).fit(X, y)
    inner = found.hybrid_
    assert len(found.surface_) < 300
    costs, truths = some_costs(seed), inner.truths
    members = list(found.surface_)
    tables = [
        rocch.multiclass.assign(inner.probabilities[m.model], m.costs, classes=ABC)  # type: ignore[arg-type]
        for m in members
    ]
    for own in (costs, rocch.CostMatrix.zero_one(ABC)):
        tables += [
            rocch.multiclass.assign(table, own, classes=ABC)
            for table in inner.probabilities.values()
        ]
    folds = deal_folds(truths, inner.units)
    losses = [costs.values[truths, np.searchsorted(ABC, table)] for table in tables]
    paid = 0.0
    for fold in range(10):
        rest = folds != fold
        # each class counts by its share of all rows, a third
        risks = [sum(one[rest & (truths == k)].mean() for k in range(3)) for one in losses]
        paid += losses[int(np.argmin(np.round(risks, 12)))][~rest].sum()
    view = found.at(costs, exact=True)
    assert view.on_new_rows.apparent == view.point.expected_cost
    # of equally cheap members another one may have been taken
    assert view.on_new_rows.expected == pytest.approx(paid / len(y), rel=0.15)


def test_luck_is_not_expected_to_last() -> None:
    # labels that nothing predicts: the cheapest of many members is lucky
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 2)), rng.permutation(np.repeat(ABC, 50))
    found = rocch.RocSurfaceClassifier(models(), generations=100).fit(X, y)
    exact = found.at(rocch.CostMatrix.zero_one(ABC), exact=True).on_new_rows
    default = found.default_.on_new_rows
    assert exact.apparent is not None
    assert exact.interval is not None
    assert default.interval is not None
    assert exact.apparent < exact.interval.low
    assert exact.interval.low < 2 / 3 < exact.interval.high
    assert default.interval.low < 2 / 3 < default.interval.high


def test_without_a_stack_the_choice_is_exact() -> None:
    plain = hybrid(stack=False).fit(*noisy())
    assert plain.stack_ is None
    assert "stack" not in plain.surface_.models
    view = plain.at(some_costs(0))
    assert view.point == plain.at(some_costs(0), exact=True).point
    assert view.objective == "the cheapest on the evaluation rows"
    assert view.on_new_rows.expected is not None
    near = rocch.RocSurfaceClassifier([("near", rocch.hybrid.KnnFamily())], generations=5)
    assert near.fit(*noisy()).stack_ is None
    found = near.at(some_costs(0)).on_new_rows
    assert found.apparent is not None
    assert found.expected is not None
    assert found.apparent <= found.expected


def test_parsimony_is_expected_to_be_less_lucky() -> None:
    found = hybrid(stack=False).fit(*noisy())
    pairs = [
        (
            found.at(some_costs(seed), exact=True).on_new_rows,
            found.at(some_costs(seed), exact=True, parsimonious=True).on_new_rows,
        )
        for seed in range(10)
    ]
    gaps = np.array([[each.expected - each.apparent for each in pair] for pair in pairs])  # type: ignore[operator]
    assert gaps[:, 1].mean() < gaps[:, 0].mean()


def test_what_has_no_expected_cost_says_why(fitted: rocch.RocSurfaceClassifier) -> None:
    limited = fitted.at(some_costs(0), limits={"a": 0.2})
    assert limited.on_new_rows.expected is None
    assert limited.on_new_rows.apparent == limited.point.expected_cost
    assert "only for choices without limits" in str(limited.on_new_rows)
    assert limited.objective.endswith("the cheapest on the evaluation rows")
    nets = rocch.RocSurfaceClassifier([("net", rocch.hybrid.MlpFamily())], generations=5)
    found = nets.fit(*noisy()).default_
    assert found.on_new_rows.apparent == found.point.expected_cost
    assert "evaluated on the rows that they are fitted to" in str(found.on_new_rows)
    vague = fitted.at_least_regret(rocch.CostMatrix(dict.fromkeys(PAIRS, (1, 4))))
    assert "costs between bounds" in str(vague.on_new_rows)
    assert vague.objective.endswith("the least regret on the evaluation rows")


def test_models_without_weight_are_not_run() -> None:
    calls = []

    class Misleading(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def predict_proba(self, X: Any) -> Any:
            calls.append(len(X))
            powers = 1 / np.maximum(super().predict_proba(X), 1e-3)
            return powers / powers.sum(axis=1, keepdims=True)

    X, y = noisy()
    three = [*models(), ("wrong", Misleading())]
    found = rocch.RocSurfaceClassifier(three, objectives=None).fit(X, y)
    assert found.stack_ is not None
    assert found.stack_.weights["wrong"] == 0
    before = len(calls)
    found.predict(X)
    assert len(calls) == before > 0
    assert len(found.default_.used_models()) == 2


def test_copies_of_rows_and_groups_make_intervals_no_shorter() -> None:
    X, y = noisy()
    costs = some_costs(1)
    once = hybrid(objectives=None).fit(X, y).at(costs).on_new_rows.interval
    repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    again = hybrid(objectives=None, cv=repeated).fit(X, y).at(costs).on_new_rows.interval
    groups = np.arange(len(y)) // 8
    grouped = hybrid(objectives=None).fit(X, y, groups=groups).at(costs).on_new_rows.interval
    assert once is not None
    assert again is not None
    assert grouped is not None
    length = once.high - once.low
    assert again.high - again.low > 0.8 * length  # with four times as many rows
    assert grouped.high - grouped.low > length


@pytest.mark.parametrize("settings", [{}, {"exact": True}, {"parsimonious": True}])
def test_saving_keeps_the_stack_and_the_expected_cost(
    fitted: rocch.RocSurfaceClassifier, tmp_path: Path, settings: dict[str, Any]
) -> None:
    X, _ = noisy(4)
    costs = some_costs(2)
    rocch.save(fitted, tmp_path / "model.rocch")
    again = rocch.load(tmp_path / "model.rocch")
    assert isinstance(again, rocch.RocSurfaceClassifier)
    assert again.stack_ == fitted.stack_
    view = fitted.at(costs, SHIFTED, **settings)
    rocch.save(view, tmp_path / "view.rocch")
    for other in (again.at(costs, SHIFTED, **settings), rocch.load(tmp_path / "view.rocch")):
        assert other.rule == view.rule
        assert other.on_new_rows == view.on_new_rows
        assert other.predict(X).tolist() == view.predict(X).tolist()
    rocch.save(hybrid(stack=False).fit(*noisy()), tmp_path / "plain.rocch")
    assert rocch.load(tmp_path / "plain.rocch").stack_ is None
