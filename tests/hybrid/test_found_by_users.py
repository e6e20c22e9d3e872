"""What people who tried the hybrid fell into, and must not fall into again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.ensemble import StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rocch
from tests.support.columns import ColumnLabels, ColumnScores, scored_columns

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    X, y = make_classification(400, 6, n_informative=4, flip_y=0.1, weights=[0.7], random_state=3)
    return X, y


@pytest.mark.parametrize(
    "kind",
    [
        pd.Series,
        lambda y: pd.Series(y, dtype=object),
        lambda y: pd.Series(y, dtype="category"),
        lambda y: np.array(y, dtype=object),
        pl.Series,
        list,
    ],
)
def test_string_labels_of_every_kind(data: tuple[Any, Any], kind: Any) -> None:
    X, y = data
    words = np.where(y == 1, "bad", "good")
    model = rocch.RocchClassifier([("nb", GaussianNB())], pos_label="bad", check_size=0.3)
    model.fit(X, kind(words))
    view = model.at(KNOWN)
    assert str(view.rule).startswith("predict bad when nb >= ")
    assert "THEN 'bad'" in view.rule.to_sql()
    assert repr(view).startswith("<AimedClassifier: predict bad")
    assert model.check(X, kind(words))
    assert set(view.predict(X)) == {"bad", "good"}
    assert view.rule.scores == {"nb": "predict_proba, column 0"}


@pytest.mark.parametrize("kind", [bool, int])
def test_flags_and_numbers_that_look_like_objects(data: tuple[Any, Any], kind: Any) -> None:
    X, y = data
    plain = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y.astype(kind))
    masked = np.array(y.astype(kind).tolist(), dtype=object)
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, masked)
    assert model.hull_ == plain.hull_
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_dates_are_no_labels(data: tuple[Any, Any]) -> None:
    days = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")[data[1]]
    with pytest.raises(rocch.InputError, match="y must be numbers, texts or flags"):
        rocch.RocchClassifier([("nb", GaussianNB())]).fit(data[0], days)


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_a_prior_needs_to_know_its_class(data: tuple[Any, Any]) -> None:
    X, y = data
    words = np.where(y == 1, "aha", "no")
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, words)
    model.at(rocch.ErrorRate())
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        model.at(rocch.ErrorRate(0.1))
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        rocch.hybrid.KnobTuner(model, KNOWN)
    aims: list[Any] = [{"criterion": KNOWN}, {"within": KNOWN}]
    for options in aims:  # refused before anything is fitted
        with pytest.raises(rocch.InputError, match="pos_label must be named"):
            rocch.RocchClassifier([("no", _Unfittable())], **options).fit(X, words)


class _Unfittable(GaussianNB):  # type: ignore[misc] # scikit-learn is untyped
    def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002 - scikit-learn's signature
        raise AssertionError("fitted")


def test_outcomes_are_read_by_the_models_own_labels(data: tuple[Any, Any]) -> None:
    X, y = data
    words = np.where(y == 1, "bad", "good")
    models = [("nb", GaussianNB())]
    by_words = rocch.RocchClassifier(models, pos_label="bad").fit(X, words)
    zero = rocch.RocchClassifier(models, pos_label=0).fit(X, 1 - y)
    plain = rocch.RocchClassifier(models).fit(X, y)
    settings = []
    for model, truth in ((by_words, words), (zero, 1 - y), (plain, y), (plain, y == 1)):
        tuner = rocch.hybrid.KnobTuner(model, KNOWN, start=0.9)
        for _ in range(8):
            tuner.outcomes(X, truth, complete=True)
        settings.append(round(tuner.knob.position, 6))
    assert len(set(settings)) == 1
    assert settings[0] < 0.9
    tuner = rocch.hybrid.KnobTuner(by_words, KNOWN)
    with pytest.raises(rocch.InputError, match="pos_label must be the model's own; got 'good'"):
        tuner.outcomes(X, words, complete=True, pos_label="good")
    with pytest.raises(rocch.InputError, match="y_true must hold labels that the hybrid was"):
        tuner.outcomes(X, y, complete=True)
    with pytest.raises(rocch.InputError, match="complete must be True or False; got 'yes'"):
        tuner.outcomes(X, words, complete="yes")  # type: ignore[arg-type]


def test_unknown_labels_are_no_negatives(data: tuple[Any, Any]) -> None:
    X, y = data
    words = np.where(y == 1, "bad", "good")
    model = rocch.RocchClassifier([("nb", GaussianNB())], pos_label="bad").fit(X, words)
    other = np.where(np.arange(400) % 5 == 0, "other", words)
    with pytest.raises(rocch.InputError, match=r"y must hold labels .* got 'other'"):
        model.check(X, other)


def test_views_in_pipelines_and_searches(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    for view in (model.at(KNOWN), model.at(rocch.NeymanPearson(0.1), randomize=True)):
        pipe = make_pipeline(StandardScaler().fit(np.eye(6) * 0), view).fit(X, y)
        assert pipe[-1] is view
        search = GridSearchCV(view, {}, cv=3).fit(X, y)
        np.testing.assert_array_equal(search.predict(X), view.predict(X))
        with config_context(enable_metadata_routing=True):
            view.set_predict_request(row_key=True)
        with pytest.raises(AttributeError, match="cannot be changed"):
            view.hybrid = None
        with pytest.raises(AttributeError, match="cannot be changed"):
            del view.point
    grouped = model.at_each({"a": KNOWN})
    assert make_pipeline(grouped).fit(X, y)[-1] is grouped


def test_fixed_splits_are_about_all_rows(data: tuple[Any, Any]) -> None:
    X, y = data[0][:100], data[1][:100]
    halves = [(np.arange(0, 30), np.arange(30, 60)), (np.arange(30, 60), np.arange(0, 30))]
    folds = np.where(np.arange(100) < 60, np.arange(100) // 30, -1)
    for cv in (halves, PredefinedSplit(folds)):
        model = rocch.RocchClassifier(
            [("nb", GaussianNB())], cv=cv, check_size=0.3, random_state=0
        ).fit(X, y)
        judged: Any = model.out_of_fold_
        assert judged.index.max() < 60
        assert (judged.folds == 1 - judged.index // 30).all() or isinstance(cv, PredefinedSplit)
        assert model.check_[0].negatives + model.check_[0].positives == 30


def test_a_number_of_folds_keeps_groups_together(data: tuple[Any, Any]) -> None:
    X, y = data
    groups = np.arange(400) // 8
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=4).fit(X, y, groups=groups)
    judged: Any = model.out_of_fold_
    for group in range(50):
        assert len(set(judged.folds[groups[judged.index] == group])) == 1


def test_mixed_columns_read_like_columns_of_numbers() -> None:
    from rocch.hybrid.coin import content_texts

    frame = pd.DataFrame({"n": [0.1, 2.0, np.nan], "k": [1, 2, 3], "t": ["x", "y", "z"]})
    expected = content_texts(frame)
    assert content_texts(frame.astype(object)) == expected
    alone = [content_texts(frame.loc[i].to_frame().T)[0] for i in range(3)]
    assert alone == expected


def test_points_of_another_hull_are_refused(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    other = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X[:250], y[:250])
    with pytest.raises(rocch.InputError, match="be an operating point of this hybrid's hull"):
        model.at(other.at(KNOWN).point)
    for point in (model.at(KNOWN).point, model.at(rocch.NeymanPearson(0.034)).point):
        assert model.at(point).point == point
    vertex = model.hull_.vertices[2]
    assert model.at(vertex).point.point == vertex


def test_nothing_can_be_written_to(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    arrays: list[Any] = [
        model.hull_.fpr,
        model.hull_.slopes,
        model.out_of_fold_.index,
        model.out_of_fold_.scores["nb"],
        model.select(X, 5).rows,
        model.select(X, 5).inclusion_probability,
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_rules_follow_the_class_to_detect() -> None:
    rng = np.random.default_rng(0)
    bad = rng.random(600) < 0.3
    X = np.where(bad, rng.random(600) < 0.7, rng.random(600) < 0.2).astype(float).reshape(-1, 1)
    y = np.where(bad, "bad", "good")
    models = [("rule", rocch.hybrid.RuleClassifier(overdrawn))]
    model = rocch.RocchClassifier(models, pos_label="bad", cv=3).fit(X, y)
    assert model.kept_ == ("rule",)
    assert set(model.at(rocch.ErrorRate()).predict(X[X[:, 0] > 0])) == {"bad"}
    turned = [("rule", rocch.hybrid.RuleClassifier(overdrawn, pos_label="good"))]
    model = rocch.RocchClassifier(turned, pos_label="bad", cv=3).fit(X, y)
    assert model.discarded_ == {"rule": "worse than chance: are its scores reversed?"}
    with pytest.raises(rocch.InputError, match="pos_label must name one of the labels; got 'ugly'"):
        rocch.hybrid.RuleClassifier(overdrawn, pos_label="ugly").fit(X, y)


def overdrawn(X: Any) -> Any:
    return X[:, 0] > 0.5


def test_repeats_are_no_further_evidence(data: tuple[Any, Any]) -> None:
    X, y = data
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    models = [("nb", GaussianNB()), ("tree", tree)]
    splitters = [
        RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0),
        ShuffleSplit(8, test_size=0.4, random_state=0),
    ]
    for cv in splitters:
        model: Any = rocch.RocchClassifier(models, cv=cv).fit(X, y)
        rows = np.unique(model.out_of_fold_.index)
        expected = (y[rows] == 0).sum(), (y[rows] == 1).sum()
        assert model.hybrid_.effective_rows == pytest.approx(expected, rel=0.3)
        assert sum(model.hybrid_.effective_rows) <= rows.size + 1e-9
        assert model.estimate_prevalence(X).rows == 400
        combined = rocch.RocchClassifier(models, cv=cv, combine=True).fit(X, y)
        judged: Any = combined.out_of_fold_
        assert judged.is_first.all()
        assert len(judged) < rows.size


def test_rows_that_were_judged_twice_are_no_further_evidence_of_prevalence(
    data: tuple[Any, Any], tmp_path: Any
) -> None:
    X, y = data
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=cv).fit(X, y)
    # the first repetition's folds scored the rows of the curve
    firsts = [GaussianNB().fit(X[train], y[train]) for train, _ in list(cv.split(X, y))[:3]]
    scores = np.column_stack([nb.predict_proba(X)[:, 1] for nb in firsts])
    once = model.out_of_fold_.once()
    curve = rocch.RocCurve.from_rows(once, "nb")
    expected = rocch.stats.estimate_prevalence(
        curve, scores, fold_rows=np.bincount(once.fold_numbers)
    )
    assert model.estimate_prevalence(X) == expected
    rocch.save(model, tmp_path / "m")
    loaded: Any = rocch.load(tmp_path / "m")
    assert loaded.estimate_prevalence(X) == expected


def test_labels_keep_the_width_of_their_integers(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(X, y.astype(np.int8))
    assert model.classes_.dtype == model.predict(X).dtype == np.int8


def test_settings_of_another_hull_are_refused() -> None:
    y = np.arange(40) % 2
    columns = np.column_stack([np.where(np.arange(40) < 30, y, 1 - y)])
    rules = FrozenEstimator(ColumnLabels(0).fit(columns, y))
    model = rocch.RocchClassifier([("rules", rules)]).fit(columns, y)
    other = rocch.RocHull.of(rocch.RocCurve.from_labels(y, y, name="rules"))
    with pytest.raises(rocch.InputError, match="be an operating point of this hybrid's hull"):
        model.at(other.vertices[1])


def test_parsimony_leaves_partners_together() -> None:
    rng = np.random.default_rng(0)
    ill = rng.random(3000) < 0.3
    deceived = rng.integers(0, 4, 3000)
    X = scored_columns(
        0.5 * rng.normal(size=3000) + 2 * (ill | (deceived == 0)),
        0.5 * rng.normal(size=3000) + 2 * (ill | (deceived == 1)),
    )
    models = [(n, FrozenEstimator(ColumnScores(i).fit(X, ill))) for i, n in enumerate("ab")]
    model = rocch.RocchClassifier(models, combine=True, parsimonious=True).fit(X, ill)
    assert model.combinations_ is not None
    assert set(model.kept_) == {"a", "b"}
    plain = rocch.RocchClassifier(models, combine=True).fit(X, ill)
    assert len(model.hull_.members) < len(plain.hull_.members)
    assert (model.predict(X) == ill).mean() > 0.93


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"within": "x"}, "conditions must be Conditions"),
        ({"within": rocch.NeymanPearson(0.1)}, "conditions must be Conditions"),
        ({"row_budget": "x"}, "row_budget must be a finite number, not negative"),
        ({"row_budget": float("nan")}, "row_budget must be a finite number"),
        ({"refit": "no"}, "refit must be True or False; got 'no'"),
        ({"combine": 1}, "combine must be True or False; got 1"),
        ({"parsimonious": None}, "parsimonious must be True or False"),
        ({"randomize": "yes"}, "randomize must be True or False"),
        ({"row_key": 5}, "row_key must be a text that is not empty; got 5"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_settings_of_the_wrong_kind(data: tuple[Any, Any], options: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        rocch.RocchClassifier([("nb", GaussianNB())], **options).fit(*data)


def test_messages_speak_of_what_the_user_passed(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB()), ("lr", LogisticRegression())]).fit(X, y)
    view = model.at(rocch.NeymanPearson(0.034), randomize=True)
    with pytest.raises(rocch.InputError, match="row_key must have one value for each of the 400"):
        view.predict(X, row_key=[1, 2])
    with pytest.raises(rocch.InputError, match="y must have one value for each of the 400 rows"):
        model.check(X, y[:5])
    with pytest.raises(rocch.InputError, match="X must have at least one row"):
        model.select(X[:0], 0)
    with pytest.raises(rocch.InputError, match=r"be fitted classifiers.*or no classifier"):
        rocch.RocchClassifier([("line", LinearRegression())]).fit(X, y)
    with pytest.raises(rocch.InputError, match="one class only, 0"):
        rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, np.zeros(400, dtype=int))
    with pytest.raises(rocch.InputError, match="row_key must be texts, whole numbers"):
        view.predict(X, row_key=[object() for _ in range(400)])
    with pytest.raises(rocch.InputError, match="model must be a kept model that scores"):
        model.estimate_prevalence(X, model="gbm")
    assert model.select(X, 7, prevalence="observed").rows.size == 7  # type: ignore[arg-type]


def test_how_well_the_rates_are_known(data: tuple[Any, Any]) -> None:
    from scipy.stats import binomtest

    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    for aim in (KNOWN, rocch.NeymanPearson(0), rocch.ErrorRate(), rocch.MinimumTpr(1)):
        view = model.at(aim)
        fpr, tpr = view.rate_intervals(confidence=0.9)
        hits = view.point.point
        for interval, count, total in (
            (fpr, hits.false_positives, (y == 0).sum()),
            (tpr, hits.true_positives, (y == 1).sum()),
        ):
            exact = binomtest(int(count), int(total)).proportion_ci(0.9)
            assert interval == pytest.approx(tuple(exact))


def test_groups_do_not_find_what_they_confirm() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(900) < 0.4
    X = scored_columns(rng.normal(size=900) + y, rng.normal(size=900) + y)
    groups = rng.permutation(900) // 6
    frozen = [(n, FrozenEstimator(ColumnScores(i).fit(X, y))) for i, n in enumerate("ab")]
    fresh = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    for models, cv in ((frozen, 5), (fresh, 0.5), (fresh, 4)):
        options: Any = {"cv": cv, "random_state": 0}
        alone: Any = rocch.RocchClassifier(models, **options).fit(X, y, groups=groups)
        model: Any = rocch.RocchClassifier(models, combine=True, **options)
        model.fit(X, y, groups=groups)
        confirm = set(groups[model.out_of_fold_.index])
        find = set(groups[np.setdiff1d(alone.out_of_fold_.index, model.out_of_fold_.index)])
        assert find
        assert not find & confirm


class Shifted(rocch.hybrid.RuleClassifier):
    """A rule of one's own kind."""

    def predict(self, X: Any) -> Any:
        return super().predict(X - 1)


def test_nested_rules_and_rules_of_ones_own_kind() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.4
    X = rng.normal(size=(500, 2)) + 2 * y[:, np.newaxis]
    words = np.where(y, "fraud", "ok")
    rules = [
        ("r", rocch.hybrid.RuleClassifier(overdrawn)),
        ("s", rocch.hybrid.RuleClassifier(second)),
    ]
    for model in (rocch.hybrid.VoteClassifier(rules), make_pipeline(StandardScaler(), rules[0][1])):
        hybrid = rocch.RocchClassifier([("m", model)], pos_label="fraud", cv=3).fit(X, words)
        plain = rocch.RocchClassifier([("m", model)], cv=3).fit(X, y)
        assert hybrid.kept_ == plain.kept_ == ("m",)
        np.testing.assert_array_equal(hybrid.hull_.tpr, plain.hull_.tpr)
    assert rules[0][1].pos_label is None  # the caller's own are left alone
    own = rocch.RocchClassifier([("r", Shifted(overdrawn))], cv=3).fit(X, y)
    assert type(own.named_estimators_["r"]) is Shifted


def second(X: Any) -> Any:
    return X[:, 1] > 0.5


def test_times_are_one_key_in_every_unit() -> None:
    from rocch.hybrid.coin import key_texts

    times = pd.date_range("2000-01-01", periods=5, freq="h")
    expected = key_texts(times.to_pydatetime().tolist(), 5)
    for unit in ("s", "ms", "us", "ns"):
        assert key_texts(times.as_unit(unit), 5) == expected
        if unit != "s":  # which Polars does not have
            assert key_texts(pl.Series(times.as_unit(unit).to_numpy()), 5) == expected
    assert key_texts(["\ud800"], 1)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_the_frame_that_was_fitted_on_can_be_decided(data: tuple[Any, Any], kind: Any) -> None:
    X, y = data
    columns = {f"f{i}": X[:, i] for i in range(6)}
    whole = kind({"id": np.arange(400), **columns, "branch": ["n", "s"] * 200})
    bare, keyed = kind(columns), kind({"id": np.arange(400), **columns})
    model = rocch.RocchClassifier([("nb", GaussianNB())], row_key="id").fit(keyed, y)
    limit = rocch.NeymanPearson(0.034)
    expected = model.at(limit, randomize=True, seed=2).predict(bare, row_key=np.arange(400))
    view = model.at(limit, randomize=True, seed=2)
    np.testing.assert_array_equal(view.predict(keyed), expected)
    np.testing.assert_array_equal(view.predict(keyed, row_key=np.arange(400)), expected)
    np.testing.assert_array_equal(model.at(KNOWN).predict(keyed), model.at(KNOWN).predict(bare))
    rows = rocch.roc.RowConditions(
        prevalence=0.3, false_positive=1, false_negative=np.arange(1, 401)
    )
    model.at_rows(rows).predict(keyed)
    grouped = model.at_each({"n": limit, "s": KNOWN}, group="branch", randomize=True, seed=2)
    answers = grouped.predict(whole)
    again = grouped.predict(keyed, groups=["n", "s"] * 200)
    np.testing.assert_array_equal(answers, again)
    assert grouped.decision_probability(whole).shape == (400,)
    assert model.select(whole, 20, row_key="branch").rows.size == 20
    tuner = rocch.hybrid.KnobTuner(model, KNOWN, randomize=True)
    tuner.outcomes(keyed, y, complete=True)
    chosen = tuner.explore(
        keyed, share=0.5, row_key=np.arange(400), alarms=tuner.aimed.predict(keyed) == 1
    )
    assert chosen.review.size == 400


def test_reasons_under_parsimony() -> None:
    X, y = make_classification(600, 6, n_informative=4, weights=[0.7], flip_y=0.1, random_state=0)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    models = [("nb", GaussianNB()), ("lr", LogisticRegression()), ("t", tree)]
    within = rocch.Conditions(prevalence=(0.2, 0.4), false_positive=1, false_negative=(1, 3))
    plain = rocch.RocchClassifier(models, within=within).fit(X, y)
    few = rocch.RocchClassifier(models, within=within, parsimonious=True).fit(X, y)
    for name in set(plain.kept_) - set(few.kept_):
        assert few.discarded_[name] == "gains no more than one standard error at any slope"
    turned = FrozenEstimator(ColumnScores(0).fit(X, y))
    columns = scored_columns(np.random.default_rng(0).normal(size=600) - 2 * y)
    other = rocch.RocchClassifier([("turned", turned)], parsimonious=True).fit(columns, y)
    assert "worse than chance" in other.discarded_["turned"]


def test_splits_of_odd_kinds(data: tuple[Any, Any]) -> None:
    X, y = data
    rows = np.arange(400)
    wrong: list[Any] = [
        (rows < 200, np.arange(300) >= 200),
        (np.arange(399) < 200, rows >= 200),
        (rows[:200].astype(float), rows[200:]),
    ]
    for split in wrong:
        with pytest.raises(rocch.InputError, match="cv must give row numbers, or masks of 400"):
            rocch.RocchClassifier([("nb", GaussianNB())], cv=[split]).fit(X, y)


def test_views_keep_what_they_are_made_of(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    grouped = model.at_each({"a": KNOWN})
    grouped.criteria["a"] = rocch.roc.Knob(1)
    assert grouped.criteria == {"a": KNOWN}
    rows = rocch.roc.RowConditions(prevalence=0.3, false_positive=1, false_negative=[1, 2])
    for array in (model.at(KNOWN).classes_, model.at_rows(rows).vertex):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_a_rule_takes_flags_that_look_like_objects() -> None:
    X, y = np.array([[0.1], [0.9]]), np.array([False, True], dtype=object)
    assert rocch.hybrid.RuleClassifier(overdrawn).fit(X, y).predict(X).tolist() == [False, True]


def test_stacks_hide_what_they_can_do_until_they_are_fitted(data: tuple[Any, Any]) -> None:
    X, y = data
    stack = StackingClassifier(
        [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]
    )
    model = rocch.RocchClassifier([("stacked", stack)], cv=2).fit(X, y)
    assert model.hull_.members[0].scoring


@pytest.mark.parametrize("container", [list, np.array, pd.Series])
@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (np.nan, "missing labels; got 20 of them"),
        (None, "missing labels; got 20 of them"),
        ("1", r"equal only as text; got 1 \(int\) and '1' \(str\)"),
    ],
)
def test_groups_are_checked_before_folds_are_made_of_them(
    data: tuple[Any, Any], odd: Any, message: str, container: Any
) -> None:
    groups: Any = np.array([i % 20 for i in range(400)], dtype=object)
    groups[groups == 7] = odd
    given = container(groups.tolist(), dtype=object) if container is not list else groups.tolist()
    models = [("nb", GaussianNB())]
    for model in (
        rocch.RocchClassifier(models, cv=3),
        rocch.RocchClassifier(models, cv=GroupKFold(3)),
        rocch.RocSurfaceClassifier(models, cv=3, generations=1),
        rocch.hybrid.VoteClassifier(models, weights="learned", cv=GroupKFold(3)),
    ):
        with pytest.raises(rocch.InputError, match=f"groups must have no.*{message}"):
            model.fit(*data, groups=given)


def test_groups_of_criteria_that_are_equal_only_as_text_are_refused(
    data: tuple[Any, Any],
) -> None:
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3).fit(*data)
    with pytest.raises(rocch.InputError, match=r"criteria must .* got 1 \(int\) and '1' \(str\)"):
        model.at_each({1: KNOWN, "1": rocch.ErrorRate()})


def test_the_mean_of_equal_scores_of_folds_is_that_score() -> None:
    from rocch.hybrid.estimators import FoldEnsemble

    rows = np.array([[0.7], [0.1], [np.inf]])
    fold = ColumnScores(0).fit(rows, [0, 1, 1])
    assert FoldEnsemble([fold] * 3).decision_function(rows).tolist() == [0.7, 0.1, np.inf]


def test_three_classes_are_sent_to_the_classifier_for_them() -> None:
    model = rocch.RocchClassifier([("nb", GaussianNB())])
    with pytest.raises(rocch.InputError, match=r"got 3 classes.*rocch\.RocSurfaceClassifier"):
        model.fit(np.arange(30.0).reshape(-1, 1), ["a", "b", "c"] * 10)
