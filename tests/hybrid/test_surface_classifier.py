"""The multi-class hybrid: never worse than any member, and a citizen of scikit-learn."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import rocch
from rocch import InfeasibleError, InputError
from rocch.errors import SurfaceWarning
from tests.support.oracles.multiclass import expected_cost, observed

if TYPE_CHECKING:
    from pathlib import Path

ABC = ["a", "b", "c"]


def noisy(seed: int = 0, rows: int = 240) -> tuple[Any, Any]:
    data = rocch.multiclass.three_class_data(rows, seed=seed)
    return data.X, np.array(ABC)[np.unique(data.y, return_inverse=True)[1]]


def two_models() -> list[tuple[str, Any]]:
    return [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]


@pytest.fixture(scope="module")
def fitted() -> rocch.RocSurfaceClassifier:
    return rocch.RocSurfaceClassifier(two_models(), generations=60, draws=40).fit(*noisy())


def random_costs(rng: np.random.Generator) -> rocch.CostMatrix:
    kind = rng.integers(3)
    draws = [
        rng.exponential(size=6),
        rng.integers(0, 3, 6) + 0.0,
        10.0 ** rng.uniform(-3, 3, 6),
    ][kind]
    draws[rng.integers(6)] += 1  # at least one error costs something
    pairs = [(k, j) for k in ABC for j in ABC if k != j]
    return rocch.CostMatrix(dict(zip(pairs, draws.tolist(), strict=True)))


@pytest.mark.parametrize("seed", range(60))
def test_never_worse_than_any_member_for_any_costs(
    fitted: rocch.RocSurfaceClassifier, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    costs = random_costs(rng)
    members = fitted.surface_.counts.tolist()
    shares = rng.dirichlet([1, 1, 1])
    for priors, exact in (
        ("observed", observed(members[0])),
        (dict(zip(ABC, shares.tolist(), strict=True)), [Fraction(s) for s in shares.tolist()]),
    ):
        chosen = fitted.at(costs, priors, exact=True).point
        values = costs.values.tolist()
        own = expected_cost(chosen.confusion.counts.tolist(), values, exact)
        assert all(own <= expected_cost(member, values, exact) for member in members)


def test_frozen_models_answer_as_they_were_judged() -> None:
    X, y = noisy()
    models = [(name, FrozenEstimator(model.fit(X, y))) for name, model in two_models()]
    hybrid = rocch.RocSurfaceClassifier(models, generations=60, draws=40, stack=False).fit(X, y)
    rng = np.random.default_rng(1)
    for _ in range(100):
        costs = random_costs(rng)
        today = hybrid.at(costs)
        reached = today.confusion(X, y)
        assert reached.counts.tolist() == today.point.confusion.counts.tolist()
        plain = [
            rocch.multiclass.Confusion.from_labels(
                y, rocch.multiclass.assign(m.predict_proba(X), costs, classes=ABC)
            )
            for _, m in models
        ]
        own = reached.expected_cost(costs)
        assert all(own <= other.expected_cost(costs) for other in plain)


def test_the_rule_of_the_costs_may_beat_every_member(fitted: rocch.RocSurfaceClassifier) -> None:
    rng = np.random.default_rng(3)
    own = [fitted.at(random_costs(rng), exact=True).point.member.place for _ in range(200)]
    assert None in own
    assert any(place is not None for place in own)


def clearly_leads(saved: Any, truths: Any, shares: Any) -> bool:
    """Say whether savings are more than two standard errors of a stratified mean above 0."""
    mean = variance = 0.0
    for k, share in enumerate(shares):
        own = saved[truths == k]
        mean += share * own.mean()
        if own.size > 1:
            variance += share**2 * own.var(ddof=1) / own.size
    return bool(mean > 2 * variance**0.5)


@pytest.mark.parametrize("sizes", [(80, 80, 80), (2, 3, 40), (1, 30, 2), (2, 2, 2)])
def test_parsimony_keeps_the_rule_unless_a_member_clearly_leads(
    sizes: tuple[int, int, int],
) -> None:
    X, y = noisy()
    models = [(name, FrozenEstimator(model.fit(X, y))) for name, model in two_models()]
    rows = np.concatenate([np.flatnonzero(y == k)[:n] for k, n in zip(ABC, sizes, strict=True)])
    X, y = noisy(seed=5)[0][rows], y[rows]
    truths = np.searchsorted(ABC, y)
    fitted = rocch.RocSurfaceClassifier(models, generations=60, draws=40).fit(X, y)
    rng = np.random.default_rng(3)
    kept = []
    for _ in range(150):
        costs, shares = random_costs(rng), rng.dirichlet([1, 1, 1])
        priors = dict(zip(ABC, shares.tolist(), strict=True))
        free = fitted.at(costs, priors, exact=True).point
        careful = fitted.at(costs, priors, exact=True, parsimonious=True).point
        rule = rocch.multiclass.best_classifier(y, fitted.hybrid_.probabilities, costs, priors)
        if free.member.place is None:
            assert careful.expected_cost == free.expected_cost
            continue
        assert free.member.costs is not None
        assert rule.member.costs is not None
        paid = [
            costs.values[
                truths, np.searchsorted(ABC, rocch.multiclass.assign(table, own, classes=ABC))
            ]
            for table, own in (
                (fitted.hybrid_.probabilities[rule.member.model], rule.member.costs),
                (fitted.hybrid_.probabilities[free.member.model], free.member.costs),
            )
        ]
        clear = clearly_leads(paid[0] - paid[1], truths, shares)
        assert careful.expected_cost == (free if clear else rule).expected_cost
        kept.append(clear)
    assert 0 < sum(kept) < len(kept)


def test_bounds_on_costs_are_aimed_at_too(
    fitted: rocch.RocSurfaceClassifier, tmp_path: Path
) -> None:
    vague = rocch.CostMatrix(dict.fromkeys(fitted.surface_.classes.pairs, (1, 4)))
    safe = fitted.at_least_regret(vague, limits={("a", "b"): 0.2})
    assert safe.regret is not None
    assert safe.regret <= fitted.surface_.least_regret(vague, limits={("a", "b"): 0.2}).regret
    assert safe.point.confusion["a", "b"] <= 0.2 * 80
    X, _ = noisy(3)
    rocch.save(safe, tmp_path / "safe.rocch")
    again = rocch.load(tmp_path / "safe.rocch")
    assert again.regret == safe.regret
    assert (again.predict(X) == safe.predict(X)).all()
    with pytest.raises(InputError, match="at_least_regret"):
        fitted.at(vague)


def test_never_dearer_than_the_plain_answers_of_any_model() -> None:
    # posteriors that are far from calibrated: answering by the costs would be worse
    X, y = noisy()
    forest = FrozenEstimator(RandomForestClassifier(5, random_state=0).fit(X[::2], y[::2]))
    model = rocch.RocSurfaceClassifier([("forest", forest)], objectives="misses", generations=1)
    model.fit(X[1::2], y[1::2])
    rng = np.random.default_rng(0)
    plain = rocch.multiclass.Confusion.from_labels(y[1::2], forest.predict(X[1::2]))
    for _ in range(50):
        costs = random_costs(rng)
        for priors in ("observed", {"a": 0.7, "b": 0.2, "c": 0.1}):
            own = model.at(costs, priors, exact=True).point.expected_cost
            assert own is not None
            assert own <= plain.expected_cost(costs, priors)


def test_at_keeps_the_priors_of_the_constructor() -> None:
    X, y = noisy()
    rare = {"a": 0.9, "b": 0.05, "c": 0.05}
    model = rocch.RocSurfaceClassifier(two_models(), generations=5, draws=10, priors=rare)
    model.fit(X, y)
    costs = rocch.CostMatrix({("b", "a"): 3}, classes=ABC, default=1)
    assert model.at(costs).priors == rare
    assert (model.predict(X, costs=costs) == model.at(costs).predict(X)).all()
    assert model.at(costs, "observed").priors == "observed"


def test_posteriors_are_out_of_fold() -> None:
    X, y = noisy()
    hybrid = rocch.RocSurfaceClassifier(two_models(), generations=2, draws=5).fit(X, y)
    want = cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba")
    assert hybrid.hybrid_.probabilities["nb"] == pytest.approx(want)


def test_limits_and_priors_and_beliefs(fitted: rocch.RocSurfaceClassifier) -> None:
    costs = rocch.CostMatrix.zero_one(ABC)
    limited = fitted.at(costs, limits={("b", "c"): 0.02})
    assert limited.point.confusion["b", "c"] <= 0.02 * 80
    rare = fitted.at(costs, {"a": 0.98, "b": 0.01, "c": 0.01})
    assert rare.point.confusion.miss_rates["a"] <= fitted.default_.point.confusion.miss_rates["a"]
    pairs = {(k, j): 1.0 + 50 * (k == "c") for k in ABC for j in ABC if k != j}
    believed = fitted.at(rocch.multiclass.DirichletBelief(pairs))
    assert believed.point.confusion.miss_rates["c"] <= 0.05
    with pytest.raises(InfeasibleError, match="no member of the surface satisfies all limits"):
        fitted.at(costs, limits={"a": 0, "b": 0, "c": 0})
    with pytest.raises(InputError, match="have exactly the classes"):
        fitted.at(rocch.CostMatrix.zero_one(["a", "b"]))


def test_predict_takes_costs_for_one_call(fitted: rocch.RocSurfaceClassifier) -> None:
    X, y = noisy(5)
    dear = rocch.CostMatrix({("b", "a"): 50, ("b", "c"): 50}, classes=ABC, default=1)
    assert (fitted.predict(X, costs=dear) == fitted.at(dear).predict(X)).all()
    plain = fitted.confusion(X, y)
    careful = rocch.multiclass.Confusion.from_labels(y, fitted.predict(X, costs=dear))
    assert careful.miss_rates["b"] < plain.miss_rates["b"]
    frequent = {"a": 0.01, "b": 0.98, "c": 0.01}
    moved = rocch.multiclass.Confusion.from_labels(y, fitted.predict(X, priors=frequent))
    assert moved.miss_rates["b"] < plain.miss_rates["b"]


def test_the_view_cannot_be_changed(fitted: rocch.RocSurfaceClassifier) -> None:
    today = fitted.at(rocch.CostMatrix.zero_one(ABC))
    assert clone(today) is today
    with pytest.raises(AttributeError, match="cannot be changed"):
        today.costs = None
    assert get_tags(today).classifier_tags.multi_class
    assert today.rule.words == "Predict the class to which stack gives the largest probability."
    assert today.classes_.tolist() == ABC


def test_probabilities_are_the_chosen_models(fitted: rocch.RocSurfaceClassifier) -> None:
    X, _ = noisy(7)
    tables = {name: each.predict_proba(X) for name, each in fitted.named_estimators_.items()}
    assert fitted.stack_ is not None
    tables["stack"] = fitted.stack_.predict_proba(tables)
    assert fitted.predict_proba(X) == pytest.approx(tables["stack"])
    rng = np.random.default_rng(0)
    aims = [fitted.at(random_costs(rng), exact=True) for _ in range(30)]
    assert len({aim.point.member.model for aim in aims}) > 1
    for aim in aims:
        assert aim.predict_proba(X) == pytest.approx(tables[aim.point.member.model])


def test_check_estimator() -> None:
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], cv=2, generations=2, draws=5)
    results = check_estimator(model, on_skip=None)
    assert sum(r["status"] == "passed" for r in results) > 50


def test_frames_keep_their_names() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = rocch.RocSurfaceClassifier(two_models(), generations=5, draws=10).fit(X, y)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert model.predict(X[:5]).tolist() == [0] * 5
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[X.columns[::-1]])
    assert model.predict(pl.DataFrame(X)[:5]).tolist() == [0] * 5


def test_groups_repeats_holdouts_and_parameters() -> None:
    X, y = noisy()
    groups = np.arange(len(y)) // 2
    model = rocch.RocSurfaceClassifier(two_models(), generations=3, draws=10)
    assert model.fit(X, y, groups=groups).surface_.totals.sum() == len(y)
    repeated = clone(model).set_params(cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2))
    assert repeated.fit(X, y).surface_.totals.sum() == 2 * len(y)
    held_out = clone(model).set_params(cv=0.25, tree__max_depth=2, refit=False).fit(X, y)
    assert held_out.surface_.totals.sum() == len(y) / 4
    assert held_out.named_estimators_["tree"].get_depth() == 2
    folds = clone(model).set_params(refit=False).fit(X, y)
    assert len(folds.named_estimators_["nb"].models) == 5
    assert cross_val_score(model, X, y, cv=3).mean() > 0.7
    assert (pickle.loads(pickle.dumps(folds)).predict(X) == folds.predict(X)).all()  # noqa: S301


def test_the_same_seed_gives_the_same_surface() -> None:
    X, y = noisy()
    one, two = (
        rocch.RocSurfaceClassifier(two_models(), generations=10, random_state=4).fit(X, y)
        for _ in range(2)
    )
    assert one.surface_.counts.tolist() == two.surface_.counts.tolist()


def test_families_are_searched_too_beside_classifiers() -> None:
    X, y = noisy()
    model = rocch.RocSurfaceClassifier(
        [
            ("near", rocch.hybrid.KnnFamily()),
            ("net", rocch.hybrid.MlpFamily(hidden=3)),
            ("nb", GaussianNB()),
        ],
        generations=200,
        draws=30,
    ).fit(X, y)
    assert {"near", "net"} <= set(model.surface_.models) <= {"near", "net", "nb", "stack"}
    X_new, y_new = noisy(9, 600)
    assert model.confusion(X_new, y_new).errors < 150
    for member in model.surface_.members[:: max(1, len(model.surface_) // 20)]:
        posteriors = model.hybrid_.member_probabilities(member, X_new)
        assert posteriors.shape == (600, 3)
        assert posteriors.sum(axis=1) == pytest.approx(np.ones(600))


def test_a_family_alone_answers_as_it_was_judged() -> None:
    X, y = noisy()
    model = rocch.RocSurfaceClassifier([("net", rocch.hybrid.MlpFamily())], generations=40).fit(
        X, y
    )
    rng = np.random.default_rng(0)
    for _ in range(10):
        today = model.at(random_costs(rng))
        # networks are judged on their own training rows, so these answers are the judged ones
        assert today.confusion(X, y).counts.tolist() == today.point.confusion.counts.tolist()


def test_one_member_is_not_called_members() -> None:
    X, y = load_iris(return_X_y=True)
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], objectives=None, stack=False)
    model.fit(X, y)
    assert repr(model.surface_) == "<RocSurface of 1 member, 3 classes, rates>"


def test_ten_classes_have_no_surface_but_every_cost_matrix_an_answer() -> None:
    X, y = (part[:900] for part in load_digits(return_X_y=True))
    model = rocch.RocSurfaceClassifier(
        [
            ("lr", make_pipeline(StandardScaler(), LogisticRegression(C=0.1))),
            ("forest", RandomForestClassifier(15, random_state=0)),
        ],
        cv=2,
    )
    says = r"no surface was searched.*\(here 10\).*objectives=None"
    with pytest.warns(SurfaceWarning, match=says):
        model.fit(X, y)
    assert model.surface_.models == ("lr", "forest", "stack")
    asked = clone(model).set_params(objectives=None).fit(X, y)  # without a warning
    assert asked.surface_ == model.surface_
    dear = rocch.CostMatrix({(8, 3): 100, (8, 5): 100}, classes=range(10), default=1)
    careful = model.at(dear).point
    plain = model.default_.point
    wrong = sum(plain.confusion[8, j] for j in (3, 5))
    assert sum(careful.confusion[8, j] for j in (3, 5)) < wrong
    assert careful.expected_cost is not None
    assert careful.expected_cost <= plain.confusion.expected_cost(dear)
    with pytest.raises(InputError, match="nearly everything is non-dominated"):
        clone(model).set_params(objectives="rates").fit(X, y)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"estimators": [("ridge", RidgeClassifier())]}, "have predict_proba"),
        ({"estimators": []}, "at least one"),
        ({"objectives": "all"}, "objectives must be one of 'auto', 'rates', 'misses'"),
        ({"generations": -1}, "generations"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"refit": "yes"}, "refit must be True or False"),
        ({"stack": "yes"}, "stack must be True or False"),
        ({"estimators": [("stack", GaussianNB())]}, "stack"),
        ({"costs": 5}, "be a CostMatrix"),
        (
            {"estimators": [("near", rocch.hybrid.KnnFamily()), ("nb", GaussianNB())], "cv": 0.3},
            "cv must",
        ),
    ],
)
def test_bad_settings(change: dict[str, Any], why: str) -> None:
    model = rocch.RocSurfaceClassifier(two_models(), generations=3, draws=5).set_params(**change)
    with pytest.raises(InputError, match=why):
        model.fit(*noisy())


def test_a_split_that_leaves_a_class_out_names_it() -> None:
    X, y = noisy()
    others = np.flatnonzero(y != "c")
    without = others[10:], np.concatenate([np.flatnonzero(y == "c"), others[:10]])
    model = rocch.RocSurfaceClassifier(two_models(), generations=3, cv=[without])
    with pytest.raises(
        InputError, match=r"know the classes of y, 'a', 'b', 'c'; got 'nb', which knows 'a', 'b'"
    ):
        model.fit(X, y)


def test_wine_with_labels_of_numbers() -> None:
    X, y = load_wine(return_X_y=True)
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], generations=20).fit(X, y)
    costs = rocch.CostMatrix({(0, 1): 5, (1, 0): 5}, classes=[0, 1, 2], default=1)
    frame = pd.DataFrame(model.at(costs).point.confusion.rows)
    assert frame["rows"].sum() == len(y)


def test_parsimony_under_limits_that_only_members_keep() -> None:
    X, y = noisy()
    model = rocch.RocSurfaceClassifier(two_models(), generations=60, draws=40, parsimonious=True)
    model.fit(X, y)
    dear = rocch.CostMatrix({("a", "b"): 50}, classes=ABC, default=1)
    least = min(member.confusion.miss_rates["b"] for member in model.surface_)
    point = model.at(dear, limits={"b": least}).point
    assert point.confusion.miss_rates["b"] <= least


def test_a_family_may_be_called_anything() -> None:
    X, y = noisy()
    model = rocch.RocSurfaceClassifier(
        [("nb", GaussianNB()), ("classifiers", rocch.hybrid.KnnFamily())], generations=20, draws=20
    ).fit(X, y)
    assert "classifiers" in model.surface_.models


def test_families_lead_by_their_own_answers() -> None:
    X, y = noisy()
    model = rocch.RocSurfaceClassifier(
        [("nb", GaussianNB()), ("net", rocch.hybrid.MlpFamily())], generations=40, parsimonious=True
    ).fit(X, y)
    rng = np.random.default_rng(0)
    chosen = {model.at(random_costs(rng), exact=True).point.member.model for _ in range(30)}
    assert "net" in chosen  # a network that was fitted to these rows clearly leads
