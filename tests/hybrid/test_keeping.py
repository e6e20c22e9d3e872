"""Which models are kept, why others are forgotten, and what the kept ones promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.hybrid.vertex_checks import same_rate
from tests.support.columns import ColumnLabels, ColumnScores, scored_columns
from tests.support.hybrids import hull_hybrid


def hybrid_of(y: Any, options: Any = None, **columns: Any) -> rocch.RocchClassifier:
    X = scored_columns(*columns.values())
    models = []
    for i, name in enumerate(columns):
        kind = ColumnLabels if name.startswith("says") else ColumnScores
        models.append((name, FrozenEstimator(kind(i).fit(X, y))))
    return hull_hybrid(models, **(options or {})).fit(X, y)


Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
TOP = [0, 0, 0, 0, 0, 0, 9, 9]  # sure of two positives
BOTTOM = [-9, -9, 0, 0, 0, 0, 0, 0]  # sure of two negatives
POOR = [1, 0, 1, 0, 1, 0, 1, 0]


def test_models_without_a_vertex_are_forgotten() -> None:
    model = hybrid_of(Y, top=TOP, bottom=BOTTOM, poor=POOR)
    assert model.kept_ == ("top", "bottom")
    assert set(model.named_estimators_) == {"top", "bottom"}
    assert len(model.estimators_) == 2
    assert model.discarded_ == {
        "poor": "holds no vertex of the hull: on the evaluation rows never the best at any slope"
    }
    assert [m.name for m in model.hull_.members] == ["top", "bottom"]
    assert set(model.out_of_fold_.scores) == {"top", "bottom", "poor"}


def test_of_twins_one_is_enough() -> None:
    model = hybrid_of(Y, twin=TOP, top=TOP, bottom=BOTTOM)
    assert model.kept_ == ("top", "bottom")
    assert model.discarded_ == {"twin": "every vertex it holds is also held by top"}
    cheaper = {"row_costs": {"twin": 1, "top": 2, "bottom": 1}}
    assert hybrid_of(Y, cheaper, twin=TOP, top=TOP, bottom=BOTTOM).kept_ == ("twin", "bottom")


def test_bounds_on_conditions_keep_fewer() -> None:
    few = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(0.1, 0.2))
    model = hybrid_of(Y, {"within": few}, top=TOP, bottom=BOTTOM)
    assert model.kept_ == ("top",)
    assert model.discarded_ == {"bottom": "holds a vertex only for conditions outside the bounds"}
    inside = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=0.15)
    assert model.at(inside).rule.models == ("top",)
    outside = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=15)
    with pytest.raises(rocch.InputError, match="restricted to slopes"):
        model.at(outside)
    assert model.default_.criterion == rocch.MinimaxRegret(few)


def test_a_budget_per_row() -> None:
    costs = {"top": 5.0, "bottom": 1.0, "poor": 0.5}
    options = {"row_budget": 2.0, "row_costs": costs}
    model = hybrid_of(Y, options, top=TOP, bottom=BOTTOM, poor=POOR)
    assert model.kept_ == ("bottom",)
    assert model.discarded_["top"] == "costs 5 per row, above 2"
    with pytest.raises(rocch.InfeasibleError, match="the cheapest, 'poor', costs"):
        hybrid_of(Y, {**options, "row_budget": 0.1}, top=TOP, bottom=BOTTOM, poor=POOR)
    measured = hybrid_of(Y, {"row_budget": 1e6}, top=TOP, bottom=BOTTOM)
    assert measured.kept_ == ("top", "bottom")
    assert all(0 < s < 1e6 for s in measured.seconds_per_row_.values())


class Unfittable(GaussianNB):  # type: ignore[misc] # scikit-learn is untyped
    """A model that takes for ever to fit, as far as tests go."""

    def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002 - scikit-learn's signature
        raise AssertionError("fitted")


def test_what_cannot_be_kept_is_not_even_fitted() -> None:
    X, y = make_classification(60, 4, random_state=0)
    models = [("nb", GaussianNB()), ("slow", Unfittable())]
    costs = {"nb": 1, "slow": 100}
    model = rocch.RocchClassifier(models, row_costs=costs, row_budget=10, cv=2).fit(X, y)
    assert model.kept_ == ("nb",)
    assert model.discarded_ == {"slow": "costs 100 per row, above 10"}
    with pytest.raises(AssertionError, match="fitted"):
        rocch.RocchClassifier(models, row_costs=costs, cv=2).fit(X, y)


@pytest.mark.parametrize("costs", [{"top": 1}, {"top": 1, "bottom": -1}, 5, {"a": 1, "b": 2}])
def test_bad_costs(costs: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"row_costs.* must"):
        hybrid_of(Y, {"row_costs": costs}, top=TOP, bottom=BOTTOM)


def test_when_nobody_knows_better() -> None:
    X = np.zeros((40, 2))
    y = np.arange(40) % 4 == 0
    model = rocch.RocchClassifier([("dull", DummyClassifier())], cv=2).fit(X, y)
    assert model.kept_ == ()
    assert not model.predict(X).any()
    dear = rocch.Conditions(prevalence=0.25, false_positive=1, false_negative=9)
    assert model.at(dear).predict(X).all()
    np.testing.assert_allclose(model.predict_proba(X), np.tile([0.75, 0.25], (40, 1)))


def test_labels_alone_can_hold_a_vertex() -> None:
    model = hybrid_of(Y, says=[0, 0, 0, 1, 0, 1, 1, 1], poor=POOR)
    assert model.kept_ == ("says",)
    view = model.at(rocch.ErrorRate())
    assert str(view.rule) == "predict 1 when says alarms"
    assert not hasattr(view, "predict_proba")


def test_rates_of_every_vertex_on_every_fold() -> None:
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    model = rocch.RocchClassifier(
        [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))], cv=3
    ).fit(X, y)
    rates = model.fold_rates_
    assert len(rates) == 3 * len(model.hull_)
    judged: Any = model.out_of_fold_
    for rate in rates:
        rows = judged.folds == rate.fold
        vertex = model.hull_.vertices[rate.vertex]
        if vertex.lowest_score is None:
            alarms = np.full(rows.sum(), vertex.fpr == 1)
        else:
            alarms = judged.scores[rate.classifier][rows] >= vertex.lowest_score
        truth = judged.positive[rows]
        assert rate.false_positives == (alarms & ~truth).sum()
        assert rate.true_positives == (alarms & truth).sum()
        assert rate.fpr == rate.false_positives / rate.negatives
    table = pd.DataFrame(rates).groupby("vertex").sum(numeric_only=True)
    np.testing.assert_array_equal(table["false_positives"], model.hull_.false_positives)
    np.testing.assert_array_equal(table["true_positives"], model.hull_.true_positives)


def test_fold_rates_where_a_fold_lacks_a_class() -> None:
    X, y = make_classification(60, 4, random_state=0)
    order = np.argsort(y, kind="stable")
    folds = [(np.arange(60)[20:], np.arange(20)), (np.arange(40), np.arange(40, 60))]
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=folds).fit(X[order], y[order])
    first = [rate for rate in model.fold_rates_ if rate.fold == 0]
    assert all(rate.tpr is None and rate.fpr is not None for rate in first)


def test_weighted_fold_rates_add_up_to_the_hull() -> None:
    X, y = make_classification(200, 5, flip_y=0.2, random_state=0)
    weights = np.random.default_rng(0).integers(1, 9, 200) / 4
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(X, y, hull_weight=weights)
    table = pd.DataFrame(model.fold_rates_).groupby("vertex").sum(numeric_only=True)
    expected = [vertex.true_positives for vertex in model.hull_.vertices]
    np.testing.assert_allclose(table["true_positives"], expected)


def test_the_check_of_deployed_models() -> None:
    X, y = make_classification(1500, 6, flip_y=0.2, random_state=1)
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3, check_size=0.4, random_state=0)
    model.fit(X, y)
    checks = model.check_
    assert len(checks) == len(model.hull_)
    assert checks[0].negatives + checks[0].positives == 600
    assert len(model.out_of_fold_) == 900
    for check, vertex in zip(checks, model.hull_.vertices, strict=True):
        assert (check.promised_fpr, check.promised_tpr) == (vertex.fpr, vertex.tpr)
    # nothing has moved, so nearly all promises hold
    assert np.mean([c.fpr_p_value > 0.01 and c.tpr_p_value > 0.01 for c in checks]) > 0.9
    held_out = np.setdiff1d(np.arange(1500), np.asarray(model.out_of_fold_.index))
    again = model.check(X[held_out], y[held_out])
    assert again == checks
    # rows from elsewhere break them, and the check says so
    broken = model.check(X[held_out] + 1.5, y[held_out])
    assert min(min(c.fpr_p_value, c.tpr_p_value) for c in broken) < 1e-6


def test_rates_checked_by_hand() -> None:
    model = hybrid_of(Y, top=TOP, bottom=BOTTOM)
    X = scored_columns([9, 9, 0, 0, 9, 9, 9, 0], [0, 0, -9, 0, 0, 0, 0, -9])
    checks = model.check(X, Y)
    inner = {c.classifier: c for c in checks if c.threshold is not None}
    assert (inner["top"].fpr, inner["top"].tpr) == (0.5, 0.75)
    assert (inner["bottom"].fpr, inner["bottom"].tpr) == (0.75, 0.75)


def test_each_class_is_checked_by_its_own_rows() -> None:
    X, y = make_classification(900, 6, weights=[0.85], flip_y=0.1, random_state=1)
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3, check_size=0.4, random_state=0)
    model.fit(X, y)
    negatives, positives = model.hybrid_.effective_rows
    assert negatives > 3 * positives
    for check in model.check_:
        promised, seen = (check.promised_fpr, negatives), (check.fpr, check.negatives)
        assert check.fpr_p_value == same_rate(promised, seen)
        promised, seen = (check.promised_tpr, positives), (check.tpr, check.positives)
        assert check.tpr_p_value == same_rate(promised, seen)


def test_bad_checks() -> None:
    model = hybrid_of(Y, top=TOP, bottom=BOTTOM)
    X = scored_columns(TOP, BOTTOM)
    with pytest.raises(rocch.InputError, match="y must have one value for each of the 8 rows"):
        model.check(X, Y[:5])
    with pytest.raises(rocch.InputError, match="y must hold both classes"):
        model.check(X, np.ones(8))
    for share in (0, 1, 1.5, "half"):
        with pytest.raises(rocch.InputError, match="check_size must be a number between 0 and 1"):
            hybrid_of(Y, {"check_size": share}, top=TOP)


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ([], "estimators must be at least one"),
        ([GaussianNB()], "estimators must be .name, classifier. pairs"),
        ([("nb", GaussianNB)], "estimators must be classifiers with fit and predict; got 'nb'"),
        ([("nb", 3)], "estimators must be classifiers"),
        (
            [("nb", GaussianNB()), ("nb", GaussianNB())],
            "estimators must have distinct names; got 'nb'",
        ),
        ([("cv", GaussianNB())], "other than those of parameters; got 'cv'"),
        ([("splitter", GaussianNB())], "other than those of parameters; got 'splitter'"),
        ([("a__b", GaussianNB())], "names without '__'"),
        ([("never", GaussianNB())], "not be 'never' or 'always'"),
        ([("nb", "drop")], "estimators must be at least one"),
    ],
)
def test_bad_estimators(estimators: Any, message: str) -> None:
    X, y = make_classification(60, 4, random_state=0)
    with pytest.raises(ValueError, match=message):
        rocch.RocchClassifier(estimators, cv=2).fit(X, y)


def test_bad_splits() -> None:
    X, y = make_classification(60, 4, random_state=0)
    ones, zeros = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    mixed = np.concatenate([ones, zeros[5:]])
    with pytest.raises(
        rocch.InputError, match="cv must leave rows of at least two classes to fit on in split 0"
    ):
        rocch.RocchClassifier([("nb", GaussianNB())], cv=[(ones, zeros)]).fit(X, y)
    with pytest.raises(
        rocch.InputError, match="cv must leave rows of at least two classes to evaluate on"
    ):
        rocch.RocchClassifier([("nb", GaussianNB())], cv=[(mixed, zeros[:5])]).fit(X, y)
    with pytest.raises(rocch.InputError, match="cv must hold out rows that are not fitted on"):
        rocch.RocchClassifier([("nb", GaussianNB())], cv=[(np.arange(60), ones)]).fit(X, y)
    with pytest.raises(rocch.InputError, match="cv must split the 60 rows; got row 60"):
        rocch.RocchClassifier([("nb", GaussianNB())], cv=[(np.arange(50), [55, 60])]).fit(X, y)
    with pytest.raises(rocch.InputError, match="cv must hold out some rows"):
        rocch.RocchClassifier([("nb", GaussianNB())], cv=[]).fit(X, y)
    with pytest.raises(rocch.InputError, match="cv must be a number between 0 and 1"):
        rocch.RocchClassifier([("nb", GaussianNB())], cv=1.5).fit(X, y)


def test_bad_aims() -> None:
    model = hybrid_of(Y, top=TOP, bottom=BOTTOM)
    X = scored_columns(TOP, BOTTOM)
    number: Any = 0.3
    other = rocch.RocHull.from_scores(Y, {"stranger": TOP}).best(rocch.ErrorRate())
    with pytest.raises(rocch.InputError, match="an operating point of this hybrid's hull"):
        model.at(other)
    with pytest.raises(
        rocch.InputError, match="criterion must be Conditions, a Question or a criterion"
    ):
        model.at(number)
    with pytest.raises(rocch.InputError, match="must be exact to give one expected cost"):
        model.at(rocch.Conditions(prevalence=(0.1, 0.2), false_positive=1, false_negative=1))
    impossible = rocch.Constrained(
        rocch.ErrorRate(), rocch.NeymanPearson(0.0), rocch.MinimumTpr(0.9)
    )
    with pytest.raises(
        rocch.InfeasibleError, match="no threshold of any classifier meets the limits"
    ):
        model.at(impossible)
    with pytest.raises(ValueError, match="X has 3 features"):
        model.at(rocch.ErrorRate()).predict(np.ones((2, 3)))
    with pytest.raises(rocch.InputError, match="Reshape your data"):
        model.predict(X[0])


@pytest.fixture(scope="module")
def symptoms() -> tuple[Any, Any]:
    """Return rows with two symptoms that only the ill have together, and noise."""
    rng = np.random.default_rng(0)
    ill = rng.random(3000) < 0.3
    deceived = rng.integers(0, 4, 3000)
    fever = 0.5 * rng.normal(size=3000) + 2 * (ill | (deceived == 0))
    cough = 0.5 * rng.normal(size=3000) + 2 * (ill | (deceived == 1))
    return scored_columns(fever, cough, rng.normal(size=3000)), ill


def frozen(X: Any, y: Any, *names: str) -> list[tuple[str, Any]]:
    return [(n, FrozenEstimator(ColumnScores(i).fit(X, y))) for i, n in enumerate(names)]


def test_combinations_join_the_hull_if_other_rows_confirm_them(symptoms: tuple[Any, Any]) -> None:
    X, y = symptoms
    models = frozen(X[:2000], y[:2000], "fever", "cough", "noise")
    model = hull_hybrid(models, combine=True).fit(X[:2000], y[:2000])
    plain = hull_hybrid(models).fit(X[:2000], y[:2000])
    assert model.combinations_ is not None
    assert model.combinations_.confirmed
    assert len(model.out_of_fold_) == 1000  # the rest was used up by finding
    assert model.hull_.totals.positives + model.hull_.totals.negatives == 1000
    assert set(model.kept_) == {"fever", "cough"}
    view = model.at(rocch.ErrorRate())
    assert set(view.rule.models) == {"fever", "cough"}
    assert not hasattr(view, "predict_proba")
    new, truth = X[2000:], y[2000:]
    errors = [(m.predict(new) != truth).mean() for m in (model, plain)]
    assert errors[0] < 0.7 * errors[1]
    # the rule decides alike without the package's models
    scores = {"fever": new[:, 0], "cough": new[:, 1]}
    np.testing.assert_array_equal(view.rule.decide(scores), view.predict(new))


def test_only_open_rows_reach_the_second_model(symptoms: tuple[Any, Any]) -> None:
    X, y = symptoms
    model = hull_hybrid(frozen(X, y, "fever", "cough"), combine=True).fit(X, y)
    view = model.at(rocch.ErrorRate())
    asked = {n: c.estimator.asked_ for n, c in model.hybrid_.components.items()}
    view.predict(X[:1000])
    later = {n: c.estimator.asked_ - asked[n] for n, c in model.hybrid_.components.items()}
    first, *others = view.rule.models
    assert later[first] == 1000
    assert all(0 < later[other] < 1000 for other in others)


def test_a_budget_with_chains(symptoms: tuple[Any, Any]) -> None:
    X, y = symptoms
    options: Any = {"row_costs": {"fever": 1, "cough": 10}, "row_budget": 7, "combine": True}
    model = hull_hybrid(frozen(X, y, "fever", "cough"), **options).fit(X, y)
    assert set(model.kept_) == {"fever", "cough"}  # the dear one runs in chains only
    assert "cough" not in {m.name for m in model.hull_.members}
    assert model.combinations_ is not None
    assert all(c.running_cost <= 7 for c in model.combinations_.confirmed)
    options["row_budget"] = 1.5
    model = hull_hybrid(frozen(X, y, "fever", "cough"), **options).fit(X, y)
    assert model.kept_ == ("fever",)
    assert "no chain within it was confirmed" in model.discarded_["cough"]


def test_whole_folds_find_and_the_later_ones_confirm() -> None:
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = rocch.RocchClassifier([("nb", GaussianNB()), ("tree", tree)], cv=5, combine=True)
    model.fit(X, y)
    assert set(model.out_of_fold_.fold_numbers) == {2, 3, 4}
    assert {rate.fold for rate in model.fold_rates_ if rate.negatives} == {2, 3, 4}
    assert len(model.fold_rates_) == 3 * len(model.hull_)


def test_parsimony_drops_what_luck_has_put_on_the_hull() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.5
    truth = rng.normal(size=800) + 2 * y
    names = [f"m{i}" for i in range(8)]
    X = scored_columns(*(truth + 0.7 * rng.normal(size=800) for _ in names))
    full = hull_hybrid(frozen(X, y, *names)).fit(X, y)
    few = hull_hybrid(frozen(X, y, *names), parsimonious=True).fit(X, y)
    assert len(few.kept_) < len(full.kept_)
    assert set(few.kept_) <= set(names)
    reasons = set(few.discarded_.values())
    assert "gains no more than one standard error at any slope" in reasons
    assert few.hull_.auc <= full.hull_.auc


def test_prevalence_of_an_unlabeled_batch() -> None:
    rng = np.random.default_rng(0)

    def rows(size: int, share: float) -> tuple[Any, Any]:
        y = rng.random(size) < share
        return rng.normal(1.5 * y[:, np.newaxis], 1, (size, 2)), y

    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(*rows(2000, 0.4))
    X, _ = rows(2000, 0.1)
    estimate = model.estimate_prevalence(X)
    assert estimate.fits
    assert estimate.interval.low < 0.1 < estimate.interval.high
    costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=3)
    aimed = model.at(estimate.feed(costs, exact=True))
    assert aimed.point.fpr < model.at(costs).point.fpr
    drifted = model.estimate_prevalence(3 * X)
    with pytest.raises(rocch.AssumptionError):
        drifted.feed(costs)
    with pytest.raises(rocch.InputError, match="model must be a kept model that scores"):
        model.estimate_prevalence(X, model="tree")


def test_folds_that_make_half_of_the_rows_all_find_combinations(symptoms: tuple[Any, Any]) -> None:
    X, y = symptoms
    models = [("fever", ColumnScores(0)), ("cough", ColumnScores(1))]
    model = rocch.RocchClassifier(models, combine=True, cv=4).fit(X[:2000], y[:2000])
    assert len(model.out_of_fold_) == 1000
