"""The hybrid as a citizen of scikit-learn."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

import rocch
from rocch.errors import SampleWeightWarning

# scikit-learn's checks fit labels such as 1 and 2
pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


def two_models() -> list[tuple[str, Any]]:
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return [("nb", GaussianNB()), ("tree", tree)]


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    X, y = make_classification(400, 6, weights=[0.7], flip_y=0.1, random_state=3)
    return X, y


@pytest.mark.parametrize(
    "models",
    [
        [("lr", LogisticRegression())],
        pytest.param([("lr", LogisticRegression()), ("nb", GaussianNB())], marks=pytest.mark.slow),
    ],
)
def test_check_estimator(models: Any) -> None:
    # predict is aimed while predict_proba is the underlying model's, so 0.5 is not the threshold;
    # scikit-learn exempts its own threshold classifiers from this check for the same reason
    exempt = {"check_classifiers_train": "Threshold at probability 0.5 does not hold"}
    model = rocch.RocchClassifier(models, cv=3)
    results = check_estimator(model, expected_failed_checks=exempt, on_skip=None)
    assert {r["check_name"] for r in results if r["status"] == "xfail"} <= set(exempt)
    assert sum(r["status"] == "passed" for r in results) > 50


@pytest.mark.parametrize("refit", [True, False])
def test_check_estimator_without_exemption_on_a_decision_function(refit: bool) -> None:
    model = rocch.RocchClassifier([("ridge", RidgeClassifier())], cv=3, refit=refit)
    results = check_estimator(model, on_skip=None)
    assert {r["status"] for r in results} <= {"passed", "skipped"}


class FitThenAim(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Fit a hybrid, aim it, and answer by the aimed classifier alone, as its users do."""

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> FitThenAim:
        self.aimed_ = clone(self.model).fit(X, y).at(rocch.ErrorRate())
        self.classes_, self.n_features_in_ = self.aimed_.classes_, self.aimed_.n_features_in_
        if hasattr(self.aimed_, "feature_names_in_"):
            self.feature_names_in_ = self.aimed_.feature_names_in_
        return self

    def predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.aimed_.predict(X)

    @available_if(lambda self: hasattr(self.aimed_, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        return self.aimed_.decision_function(X)

    @available_if(lambda self: hasattr(self.aimed_, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        return self.aimed_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self.model).input_tags
        return tags


def test_check_estimator_of_what_an_aimed_classifier_answers() -> None:
    model = rocch.RocchClassifier([("ridge", RidgeClassifier())], cv=2)
    results = check_estimator(FitThenAim(model), on_skip=None)
    assert {r["status"] for r in results} <= {"passed", "skipped"}
    assert sum(r["status"] == "passed" for r in results) > 50


FITS_NOTHING = "fit does nothing, as a frozen estimator's: neither data nor labels are looked at"
OWN_FEATURES = "it decides rows of the features that its hybrid was fitted on, not of the check's"
AIMED_AT_ONCE = "it is made by aiming a fitted hybrid, which is checked at once and never changes"
EXPECTED_OF_AIMED = {
    "check_no_attributes_set_in_init": AIMED_AT_ONCE,
    "check_do_not_raise_errors_in_init_or_set_params": AIMED_AT_ONCE,
    "check_parameters_default_constructible": AIMED_AT_ONCE,
    "check_set_params": AIMED_AT_ONCE,
    "check_n_features_in": AIMED_AT_ONCE,
    "check_fit_score_takes_y": OWN_FEATURES,
    "check_estimators_dtypes": OWN_FEATURES,
    "check_dtype_object": OWN_FEATURES,
    "check_pipeline_consistency": OWN_FEATURES,
    "check_estimators_pickle": OWN_FEATURES,
    "check_f_contiguous_array_estimator": OWN_FEATURES,
    "check_classifier_data_not_an_array": OWN_FEATURES,
    "check_classifiers_one_label": OWN_FEATURES,
    "check_classifiers_one_label_sample_weights": OWN_FEATURES,
    "check_classifiers_classes": OWN_FEATURES,
    "check_supervised_y_2d": OWN_FEATURES,
    "check_methods_sample_order_invariance": OWN_FEATURES,
    "check_methods_subset_invariance": OWN_FEATURES,
    "check_dict_unchanged": OWN_FEATURES,
    "check_fit_idempotent": OWN_FEATURES,
    "check_n_features_in_after_fitting": FITS_NOTHING,
    "check_complex_data": FITS_NOTHING,
    "check_estimators_empty_data_messages": FITS_NOTHING,
    "check_estimators_nan_inf": FITS_NOTHING,
    "check_estimator_sparse_array": FITS_NOTHING,
    "check_estimator_sparse_matrix": FITS_NOTHING,
    "check_classifiers_train": FITS_NOTHING,
    "check_classifiers_regression_target": FITS_NOTHING,
    "check_supervised_y_no_nan": FITS_NOTHING,
    "check_classifier_not_supporting_multiclass": FITS_NOTHING,
    "check_fit1d": FITS_NOTHING,
}


def test_check_estimator_of_an_aimed_classifier_itself(data: tuple[Any, Any]) -> None:
    """What fails here, `FitThenAim` passes: there the check's own rows are fitted and decided."""
    aimed = rocch.RocchClassifier([("ridge", RidgeClassifier())], cv=3).fit(*data).at(KNOWN)
    results = check_estimator(aimed, expected_failed_checks=EXPECTED_OF_AIMED, on_skip=None)
    passed = {r["check_name"] for r in results if r["status"] == "passed"}
    assert passed >= {"check_estimator_cloneable", "check_get_params_invariance"}
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(EXPECTED_OF_AIMED)


def test_an_aimed_classifier_accepts_what_the_models_it_asks_accept() -> None:
    trees = HistGradientBoostingClassifier(max_iter=5)
    X, y = make_classification(200, 4, random_state=0)
    for models, allowed in (([("trees", trees)], True), ([("nb", GaussianNB())], False)):
        for refit in (True, False):
            model = rocch.RocchClassifier(models, cv=2, refit=refit).fit(X, y)
            for view in (model.at(KNOWN), model.at_each({"DE": KNOWN}, group="country")):
                tags = get_tags(view)
                assert tags.input_tags.allow_nan is allowed
                assert tags.input_tags.sparse is False
                assert tags.requires_fit is False


def test_check_estimator_with_combinations() -> None:
    few = "so few rows that one half of the splits holds less than two rows of a class"
    exempt = {
        "check_fit2d_1feature": few,
        "check_sample_weight_equivalence_on_dense_data": few,
    }
    models = [("nb", GaussianNB()), ("line", LogisticRegression())]
    model = rocch.RocchClassifier(models, cv=2, combine=True)
    results = check_estimator(model, expected_failed_checks=exempt, on_skip=None)
    causes = {r["check_name"]: str(r["exception"]) for r in results if r["status"] == "xfail"}
    assert set(causes) == set(exempt)
    for name in ("check_fit2d_1feature", "check_sample_weight_equivalence_on_dense_data"):
        assert "cv must leave at least 2 rows of each class" in causes[name]
        assert "find must" not in causes[name]


def test_clone_and_parameters(data: tuple[Any, Any]) -> None:
    model = rocch.RocchClassifier(two_models(), cv=3, criterion=KNOWN)
    copy = clone(model)
    assert copy.criterion == KNOWN
    assert copy.get_params()["tree__max_depth"] == 3
    copy.set_params(tree__max_depth=5, nb="drop", cv=4)
    assert model.estimators[1][1].max_depth == 3
    copy.fit(*data)
    assert copy.kept_ == ("tree",)
    assert is_classifier(model)


def test_in_a_pipeline_with_search(data: tuple[Any, Any]) -> None:
    pipe = make_pipeline(StandardScaler(), rocch.RocchClassifier(two_models(), cv=3))
    search = GridSearchCV(pipe, {"rocchclassifier__tree__max_depth": [1, 4]}, cv=3)
    search.fit(*data)
    assert 0.7 < search.best_score_ <= 1
    scores = cross_val_score(pipe, *data, scoring="roc_auc", cv=3)
    assert scores.min() > 0.7


def test_set_output_reaches_the_models(data: tuple[Any, Any]) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef"))
    pipe = make_pipeline(StandardScaler(), rocch.RocchClassifier(two_models(), cv=3))
    pipe.set_output(transform="pandas").fit(frame, y)
    assert list(pipe[-1].feature_names_in_) == list("abcdef")
    assert list(pipe[-1].named_estimators_["nb"].feature_names_in_) == list("abcdef")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_of_mixed_types(frame: Any) -> None:
    if frame is pl.DataFrame and sklearn.__version__ < "1.8":
        pytest.skip("scikit-learn's own ColumnTransformer fails on Polars before 1.8")
    rng = np.random.default_rng(0)
    columns = {"amount": rng.normal(size=200), "place": rng.choice(["x", "y", "z"], 200)}
    y = columns["amount"] + (columns["place"] == "x") + rng.normal(size=200) > 0.5
    encode = ColumnTransformer([("place", OneHotEncoder(), ["place"])], remainder="passthrough")
    model = rocch.RocchClassifier(
        [
            ("lr", make_pipeline(encode, LogisticRegression())),
            (
                "nb",
                make_pipeline(
                    ColumnTransformer([("amount", "passthrough", ["amount"])]), GaussianNB()
                ),
            ),
        ],
        cv=3,
    )
    model.fit(frame(columns), y)
    answers = model.at(KNOWN).predict(frame(columns))
    assert answers.dtype == bool
    assert (answers == y).mean() > 0.6
    assert list(model.feature_names_in_) == ["amount", "place"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame({"amount": columns["amount"], "town": columns["place"]}))


def test_string_labels_need_a_named_positive_class_to_aim(data: tuple[Any, Any]) -> None:
    X, y = data
    words = np.where(y == 1, "fraud", "ok")
    model = rocch.RocchClassifier(two_models(), cv=3)
    with pytest.warns(rocch.PositiveClassWarning, match="'fraud', 'ok'"):
        model.fit(X, words)
    assert set(model.predict(X)) <= {"fraud", "ok"}
    model.at(rocch.ErrorRate())
    for aim in (KNOWN, rocch.NeymanPearson(0.1)):
        with pytest.raises(rocch.InputError, match="pos_label must be named"):
            model.at(aim)
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        model.select(X, 10)
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        rocch.RocchClassifier(two_models(), cv=3, criterion=KNOWN).fit(X, words)
    with pytest.raises(rocch.InputError, match="pos_label must name one of the labels"):
        rocch.RocchClassifier(two_models(), pos_label="fruad").fit(X, words)


def test_the_positive_class_may_come_first(data: tuple[Any, Any]) -> None:
    X, y = data
    words = np.where(y == 1, "fraud", "ok")
    plain = rocch.RocchClassifier(two_models(), cv=3).fit(X, y)
    named = rocch.RocchClassifier(two_models(), cv=3, pos_label="fraud").fit(X, words)
    # for probabilities p and 1 - p rounding may differ, so hulls agree in counts, not thresholds
    np.testing.assert_array_equal(plain.hull_.false_positives, named.hull_.false_positives)
    for aim in (KNOWN, rocch.NeymanPearson(0.05)):
        np.testing.assert_array_equal(
            plain.at(aim).predict(X) == 1, named.at(aim).predict(X) == "fraud"
        )
    np.testing.assert_allclose(
        plain.predict_proba(X), named.predict_proba(X)[:, ::-1], rtol=1e-9, atol=1e-12
    )


def test_labels_minus_one_and_one_and_booleans(data: tuple[Any, Any]) -> None:
    X, y = data
    expected = rocch.RocchClassifier(two_models(), cv=3).fit(X, y).at(KNOWN).predict(X)
    signs = rocch.RocchClassifier(two_models(), cv=3).fit(X, 2 * y - 1).at(KNOWN).predict(X)
    flags = rocch.RocchClassifier(two_models(), cv=3).fit(X, y == 1).at(KNOWN).predict(X)
    np.testing.assert_array_equal(signs, 2 * expected - 1)
    np.testing.assert_array_equal(flags, expected == 1)


def test_three_classes_are_refused(data: tuple[Any, Any]) -> None:
    X, y = data
    with pytest.raises(rocch.InputError, match="Only binary classification is supported"):
        rocch.RocchClassifier(two_models()).fit(X, np.arange(y.size) % 3)
    with pytest.raises(rocch.InputError, match="two classes"):
        rocch.RocchClassifier(two_models()).fit(X, np.zeros(y.size))


def test_groups_stay_together(data: tuple[Any, Any]) -> None:
    X, y = data
    groups = np.arange(y.size) // 8
    model = rocch.RocchClassifier(two_models(), cv=GroupKFold(4)).fit(X, y, groups=groups)
    judged: Any = model.out_of_fold_
    folds = {group: set(judged.folds[groups[judged.index] == group]) for group in set(groups)}
    assert all(len(own) == 1 for own in folds.values())


def test_time_order_judges_the_later_rows_only(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier(two_models(), cv=TimeSeriesSplit(3), check_size=0.25).fit(X, y)
    judged: Any = model.out_of_fold_
    assert judged.index.min() == 300 - 3 * 75
    assert judged.index.max() == 299
    assert model.check_[0].negatives + model.check_[0].positives == 100


def test_repeated_splits_judge_rows_several_times(data: tuple[Any, Any]) -> None:
    X, y = data
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    model = rocch.RocchClassifier(two_models(), cv=cv).fit(X, y)
    np.testing.assert_array_equal(model.out_of_fold_.index, np.repeat(np.arange(y.size), 2))
    assert model.hull_.totals.positives == 2 * y.sum()


def test_any_iterable_of_splits(data: tuple[Any, Any]) -> None:
    X, y = data
    fold = np.arange(y.size) % 3
    by_splitter = rocch.RocchClassifier(two_models(), cv=PredefinedSplit(fold)).fit(X, y)
    splits = [(np.flatnonzero(fold != k), fold == k) for k in range(3)]  # numbers and masks
    by_list = rocch.RocchClassifier(two_models(), cv=splits).fit(X, y)
    assert by_splitter.hull_ == by_list.hull_


def test_hold_out_keeps_the_very_model_that_was_judged(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier(two_models(), cv=0.3, refit=False, random_state=1).fit(X, y)
    judged: Any = model.out_of_fold_
    assert len(judged) == 120
    for name in model.kept_:
        scores = model.named_estimators_[name].predict_proba(X[judged.index])[:, 1]
        np.testing.assert_array_equal(scores, judged.scores[name])


def test_fold_models_answer_together(data: tuple[Any, Any]) -> None:
    X, y = data
    models = [*two_models(), ("svc", LinearSVC()), ("ridge", RidgeClassifier())]
    model = rocch.RocchClassifier(models, cv=3, refit=False).fit(X, y)
    for name in model.kept_:
        ensemble = model.named_estimators_[name]
        method = "predict_proba" if hasattr(ensemble, "predict_proba") else "decision_function"
        own = [getattr(m, method)(X) for m in ensemble.models]
        assert len(own) == 3
        np.testing.assert_allclose(getattr(ensemble, method)(X), np.mean(own, axis=0))
        votes = [m.predict(X) for m in ensemble.models]
        np.testing.assert_array_equal(ensemble.predict(X), np.median(votes, axis=0))
        assert ensemble.fit(X, y) is ensemble


def test_fold_models_score_a_row_the_same_in_every_batch_and_order(data: tuple[Any, Any]) -> None:
    X, y = data
    models = [("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    model = rocch.RocchClassifier(models, cv=9, refit=False).fit(X, y)
    ensemble = model.named_estimators_["tree"]
    together = ensemble.predict_proba(X)
    alone = np.vstack([ensemble.predict_proba(X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_array_equal(alone, together)
    ensemble.models = ensemble.models[::-1]
    np.testing.assert_array_equal(ensemble.predict_proba(X), together)


def test_frozen_models_are_judged_on_all_rows_and_not_refitted(data: tuple[Any, Any]) -> None:
    X, y = data
    fitted = [(name, model.fit(X[:200], y[:200])) for name, model in two_models()]
    frozen = [(name, FrozenEstimator(model)) for name, model in fitted]
    model = rocch.RocchClassifier(frozen, stack=False).fit(X[200:], y[200:])
    assert len(model.out_of_fold_) == 200
    direct = rocch.RocHull.from_scores(
        y[200:], {name: own.predict_proba(X[200:])[:, 1] for name, own in fitted}
    )
    assert model.hull_ == direct
    for name in model.kept_:
        assert model.named_estimators_[name] is dict(frozen)[name]


def test_frozen_beside_fresh_models(data: tuple[Any, Any]) -> None:
    X, y = data
    frozen = FrozenEstimator(GaussianNB().fit(X[:100], y[:100]))
    model = rocch.RocchClassifier([("old", frozen), ("new", LogisticRegression())], cv=3)
    model.fit(X[100:], y[100:])
    expected = frozen.predict_proba(X[100:])[:, 1]
    np.testing.assert_array_equal(model.out_of_fold_.scores["old"], expected)


def test_weights_reach_the_hull_and_the_fits(data: tuple[Any, Any]) -> None:
    X, y = data
    weights = np.random.default_rng(0).integers(1, 5, y.size).astype(float)
    model = rocch.RocchClassifier(two_models(), cv=3).fit(X, y, sample_weight=weights)
    assert model.hull_.totals.weighted
    assert model.hull_.totals.positives * model.hull_.totals.unit == weights[y == 1].sum()
    by_hand = GaussianNB().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.named_estimators_["nb"].theta_, by_hand.theta_)


def test_hull_weights_leave_the_fits_alone(data: tuple[Any, Any]) -> None:
    X, y = data
    amounts = np.exp(np.random.default_rng(0).normal(size=y.size))
    plain = rocch.RocchClassifier(two_models(), cv=3, stack=False).fit(X, y)
    model = rocch.RocchClassifier(two_models(), cv=3, stack=False)
    model.fit(X, y, hull_weight=amounts)
    assert model.hull_.totals.weighted
    for name, scores in plain.out_of_fold_.scores.items():
        np.testing.assert_array_equal(scores, model.out_of_fold_.scores[name])
    expected = rocch.RocHull.from_scores(y, dict(plain.out_of_fold_.scores), sample_weight=amounts)
    assert model.hull_ == expected


def test_models_without_weights_are_named(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier([("knn", KNeighborsClassifier()), *two_models()], cv=3)
    with pytest.warns(SampleWeightWarning, match="'knn' cannot be fitted with sample_weight"):
        model.fit(X, y, sample_weight=np.ones(y.size))


def test_routing_on(data: tuple[Any, Any]) -> None:
    X, y = data
    weights = np.random.default_rng(0).random(y.size) + 0.1
    groups = np.arange(y.size) // 8
    with config_context(enable_metadata_routing=True):
        nb = GaussianNB().set_fit_request(sample_weight=True)
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).set_fit_request(
            sample_weight=False
        )
        model = rocch.RocchClassifier([("nb", nb), ("tree", tree)], cv=GroupKFold(3))
        model.fit(X, y, sample_weight=weights, groups=groups)
        assert model.hull_.totals.weighted
        weighted, plain = GaussianNB().fit(X, y, sample_weight=weights), clone(tree).fit(X, y)
        np.testing.assert_array_equal(model.named_estimators_["nb"].theta_, weighted.theta_)
        np.testing.assert_array_equal(
            model.named_estimators_["tree"].tree_.threshold, plain.tree_.threshold
        )
        unset = rocch.RocchClassifier(two_models())
        with pytest.raises(ValueError, match="sample_weight"):
            unset.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("routing", [False, True])
def test_conditions_at_prediction_time_through_a_pipeline(
    data: tuple[Any, Any], routing: bool
) -> None:
    X, y = data
    with config_context(enable_metadata_routing=routing):
        model = rocch.RocchClassifier(two_models(), cv=3)
        if routing:
            model.set_predict_request(conditions=True)
        pipe = Pipeline([("scale", StandardScaler()), ("hybrid", model)]).fit(X, y)
        dear = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=100)
        answers = pipe.predict(X, conditions=dear)
    scaled = pipe[0].transform(X)
    np.testing.assert_array_equal(answers, pipe[-1].at(dear).predict(scaled))
    assert answers.sum() > pipe.predict(X).sum()


def test_extra_parameters_need_routing(data: tuple[Any, Any]) -> None:
    with pytest.raises(rocch.InputError, match="'verbose' without routing"):
        rocch.RocchClassifier(two_models()).fit(*data, verbose=1)


def test_an_aimed_view_is_a_classifier_too(data: tuple[Any, Any]) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = rocch.RocchClassifier(two_models(), cv=3).fit(frame, y)
    view = model.at(KNOWN)
    assert is_classifier(view)
    assert not get_tags(view).classifier_tags.multi_class
    assert clone(view) is view
    assert view.fit(frame, y) is view
    assert list(view.classes_) == [0, 1]
    assert list(view.feature_names_in_) == list("abcdef")
    assert view.n_features_in_ == 6
    pipe = make_pipeline("passthrough", view)
    np.testing.assert_array_equal(pipe.predict(frame), view.predict(frame))
    assert cross_val_score(view, frame, y, cv=3).mean() == pytest.approx(
        np.mean([view.score(frame.iloc[part], y[part]) for part in _thirds(y)])
    )


def _thirds(y: Any) -> list[Any]:
    from sklearn.model_selection import StratifiedKFold

    return [test for _, test in StratifiedKFold(3).split(y, y)]


def test_a_view_cannot_be_changed(data: tuple[Any, Any]) -> None:
    model = rocch.RocchClassifier(two_models(), cv=3).fit(*data)
    view = model.at(KNOWN)
    before = view.predict(data[0])
    with pytest.raises(AttributeError, match="cannot be changed"):
        view.seed = 3
    with pytest.raises(AttributeError, match="cannot be changed"):
        view.note = "mine"
    with pytest.raises(rocch.InputError, match="Aim anew"):
        view.set_params(seed=3)
    assert view.set_params() is view
    model.set_params(tree__max_depth=1).fit(data[0][:100], data[1][:100])  # a later fit changes
    np.testing.assert_array_equal(view.predict(data[0]), before)  # nothing for earlier views


def test_views_and_models_survive_pickling(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier(two_models(), cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - written one line above
    view = pickle.loads(pickle.dumps(model.at(KNOWN)))  # noqa: S301
    np.testing.assert_array_equal(again.at(KNOWN).predict(X), view.predict(X))
    with pytest.raises(AttributeError, match="cannot be changed"):
        view.point = None


def test_what_a_view_offers_depends_on_its_model(data: tuple[Any, Any]) -> None:
    X, y = data
    model = rocch.RocchClassifier(
        [("svc", LinearSVC()), ("rules", _Rule())], cv=3, criterion=KNOWN, stack=False
    ).fit(X, y)
    view = model.at(rocch.NeymanPearson(0.02))
    assert view.point.classifier == "svc"
    assert not hasattr(view, "predict_proba")
    margin = view.decision_function(X)
    np.testing.assert_array_equal(margin >= 0, view.predict(X) == 1)
    assert not hasattr(model.at(rocch.NeymanPearson(0.0001), randomize=True), "predict_proba")


class _Rule(LinearSVC):  # type: ignore[misc] # scikit-learn is untyped
    """A rule that needs no training and only labels."""

    decision_function = property()

    def fit(self, X: Any, y: Any) -> _Rule:  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return (X[:, 0] > 0).astype(int)


def test_unfitted_use_is_refused_in_scikit_learns_way() -> None:
    from sklearn.exceptions import NotFittedError

    model = rocch.RocchClassifier(two_models())
    for use in (
        lambda: model.predict([[1.0]]),
        lambda: model.at(KNOWN),
        lambda: model.select([[1.0]], 1),
        lambda: model.check([[1.0]], [1]),
        lambda: model.fold_rates_,
        lambda: model.at_each({"a": KNOWN}),
    ):
        with pytest.raises(NotFittedError):
            use()


def test_gradient_boosting_of_other_makers() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    X, y = load_breast_cancer(return_X_y=True)
    models = [
        ("light", lightgbm.LGBMClassifier(n_estimators=15, num_leaves=7, verbose=-1, n_jobs=1)),
        ("forest", RandomForestClassifier(10, random_state=0)),
    ]
    model = rocch.RocchClassifier(models, cv=3).fit(pd.DataFrame(X).add_prefix("f"), y)
    assert set(model.kept_) | set(model.discarded_) == {"light", "forest"}
    assert model.hull_.auc > 0.97


def test_the_failing_model_is_named(data: tuple[Any, Any]) -> None:
    X, y = data
    models = [("nb", GaussianNB()), ("odd", DecisionTreeClassifier(max_depth=-3))]
    with pytest.raises(ValueError, match="max_depth") as caught:
        rocch.RocchClassifier(models).fit(X, y)
    assert any("'odd' on split 0" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_keys_is_no_feature(kind: Any, data: tuple[Any, Any]) -> None:
    X, y = data
    columns = {f"f{i}": X[:, i] for i in range(6)}
    bare, keyed = kind(columns), kind({"id": np.arange(400), **columns})
    limit = rocch.NeymanPearson(0.043)
    model = rocch.RocchClassifier(
        two_models(), cv=3, criterion=limit, randomize=True, row_key="id", seed=5
    ).fit(keyed, y)
    assert list(model.feature_names_in_) == list(columns)
    assert model.default_.point.randomized
    answers = model.predict(keyed)
    np.testing.assert_array_equal(
        answers, model.at(limit, randomize=True, seed=5).predict(bare, row_key=np.arange(400))
    )
    np.testing.assert_array_equal(answers, model.predict(keyed, conditions=limit))
    model.predict(keyed, conditions=KNOWN)
    rows = rocch.roc.RowConditions(
        prevalence=0.3, false_positive=1, false_negative=np.arange(1, 401)
    )
    np.testing.assert_array_equal(
        model.predict(keyed, conditions=rows), model.at_rows(rows).predict(bare)
    )
    for features in (bare, keyed):
        assert len(model.check(features, y)) == len(model.hull_)
        assert model.default_.decision_probability(features).shape == (400,)
        assert model.at(KNOWN, row_key="id").predict_proba(features).shape == (400, 2)
    same = model.select(keyed, 31), model.select(bare, 31, row_key=np.arange(400))
    np.testing.assert_array_equal(same[0].rows, same[1].rows)
    with pytest.raises(rocch.InputError, match="row_key must name a column of the data; got 'id'"):
        model.predict(bare)


def test_groups_in_hold_outs_with_routing(data: tuple[Any, Any]) -> None:
    X, y = data
    groups = np.arange(400) // 10
    for routing in (False, True):
        with config_context(enable_metadata_routing=routing):
            model = rocch.RocchClassifier(
                two_models(), cv=0.3, refit=False, check_size=0.2, random_state=0
            ).fit(X, y, groups=groups)
        judged = set(groups[model.out_of_fold_.index])
        assert len(judged) * 10 == len(model.out_of_fold_)  # whole groups
        checked = model.check_[0].negatives + model.check_[0].positives
        assert checked % 10 == 0


def test_several_processes_give_the_same_hull(data: tuple[Any, Any]) -> None:
    alone = rocch.RocchClassifier(two_models(), cv=3).fit(*data)
    beside = rocch.RocchClassifier(two_models(), cv=3, n_jobs=2).fit(*data)
    assert alone.hull_ == beside.hull_
