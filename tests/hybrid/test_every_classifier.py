"""Whatever scikit-learn builds when its own estimators are fitted is saved and loaded as it is."""

from __future__ import annotations

import inspect
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import sklearn.experimental.enable_halving_search_cv
import sklearn.experimental.enable_iterative_imputer  # noqa: F401 - makes it known
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2, mutual_info_classif
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process import kernels as gp
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)
from sklearn.semi_supervised import LabelPropagation
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import rocch

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(2)
Y = np.arange(90) % 2
X = np.abs(RNG.normal(size=(90, 4)) + Y[:, None])
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(
    b=lambda f: f["b"].mask(np.arange(90) % 9 == 0),
    color=np.array(["red", "green", "blue"])[np.arange(90) % 3],
    grade=pd.Categorical(np.array(["low", "high"])[Y ^ (np.arange(90) % 5 == 0)]),
    size=pd.Categorical(np.array(["small", "large"])[(np.arange(90) // 2) % 2]),
    words=np.array(["one two", "two three", "three four five"])[Y + np.arange(90) // 7 % 2],
)
GIVEN = {
    "estimator": LogisticRegression(),
    "estimators": [("lr", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=2))],
    "transformers": [("scaled", StandardScaler(), [0, 1])],
    "transformer_list": [("scaled", StandardScaler())],
    "dictionary": np.eye(4),
}
QUICK = {"HistGradientBoostingClassifier": {"max_iter": 5}}
CLASSIFIERS = dict(all_estimators(type_filter="classifier"))
TRANSFORMERS = dict(all_estimators(type_filter="transformer"))


def made(kind: Any) -> Any:
    """Make an estimator with what it needs and no more."""
    wanted = inspect.signature(kind).parameters
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    needed = [n for n, one in wanted.items() if one.default is one.empty and one.kind in plain]
    if kind.__name__ == "SelfTrainingClassifier":
        needed = ["estimator"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it will be gone
        return kind(**{name: GIVEN[name] for name in needed}, **QUICK.get(kind.__name__, {}))


def fitted(model: Any, features: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about convergence and the like
        try:
            return model.fit(features, Y)
        except Exception as error:
            pytest.skip(f"it cannot be fitted on these rows: {error}".splitlines()[0])


def check_saved(model: Any, features: Any, path: Path) -> None:
    """Save and load a hybrid of a model, or with it in a pocket if it is never optimal."""
    model = fitted(model, features)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = rocch.RocchClassifier([("model", FrozenEstimator(model))]).fit(features, Y)
        if not one.kept_:
            other = GaussianNB().fit(features, Y)
            other.pocket_ = model
            one = rocch.RocchClassifier([("model", FrozenEstimator(other))]).fit(features, Y)
        rocch.save(one, path)
        again: Any = rocch.load(path)
        assert again.hull_ == one.hull_
        np.testing.assert_array_equal(again.predict(features), one.predict(features))
        loaded = dict(again.estimators)["model"].estimator
        loaded = getattr(loaded, "pocket_", loaded)
        np.testing.assert_array_equal(loaded.predict(features), model.predict(features))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name: str, tmp_path: Path) -> None:
    if name in ("ClassifierChain", "MultiOutputClassifier"):
        pytest.skip("it predicts several labels at once")
    check_saved(made(CLASSIFIERS[name]), X, tmp_path / "m")


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(name: str, tmp_path: Path) -> None:
    if name == "Birch":
        pytest.skip("skops does not write it")
    model = make_pipeline(made(TRANSFORMERS[name]), LogisticRegression())
    check_saved(model, X, tmp_path / "m")


NUMERIC, TEXTS = ["a", "b", "c", "d"], ["color", "size"]
IMPUTED = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
PREPARED = {
    "the usual": ColumnTransformer(
        [("numbers", IMPUTED, NUMERIC), ("texts", OneHotEncoder(handle_unknown="ignore"), TEXTS)]
    ),
    "by kind": make_column_transformer(
        (SimpleImputer(), make_column_selector(dtype_include=np.number, dtype_exclude=object)),
        (OneHotEncoder(sparse_output=False), make_column_selector("color|size")),
    ),
    "the rest passes": make_column_transformer(
        (OrdinalEncoder(), TEXTS), ("drop", ["words"]), remainder=SimpleImputer()
    ),
    "as frames": make_column_transformer(
        (OneHotEncoder(sparse_output=False, min_frequency=5), TEXTS), (SimpleImputer(), NUMERIC)
    ).set_output(transform="pandas"),
    "by target": make_column_transformer(
        (TargetEncoder(random_state=0), TEXTS),
        (KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), ["a"]),
        (FunctionTransformer(np.log1p), ["c"]),
        (PolynomialFeatures(), ["a", "d"]),
    ),
    "words": make_column_transformer((TfidfVectorizer(), "words"), (CountVectorizer(), "color")),
    "selected": make_pipeline(
        make_column_transformer((MinMaxScaler(), ["a", "c"]), (OneHotEncoder(), TEXTS)),
        SelectKBest(chi2, k=3),
    ),
    "informative": make_pipeline(
        make_column_transformer((StandardScaler(), ["a", "c", "d"])),
        SelectKBest(partial(mutual_info_classif, random_state=0), k=2),
    ),
}


@pytest.mark.parametrize("classifier", [LogisticRegression(), RandomForestClassifier(5)])
@pytest.mark.parametrize("name", [name for name in PREPARED if name != "informative"])
def test_pipelines_with_columns(name: str, classifier: Any, tmp_path: Path) -> None:
    check_saved(make_pipeline(PREPARED[name], classifier), FRAME, tmp_path / "m")


SEARCHED = {"C": [0.1, 1.0]}
OTHERS = {
    "histograms of a frame": make_pipeline(
        make_column_transformer(("passthrough", [*NUMERIC, "size"])).set_output(transform="pandas"),
        HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype"),
    ),
    "categories of a frame": make_pipeline(
        make_column_transformer(("passthrough", ["grade"])).set_output(transform="pandas"),
        HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype"),
    ),
    "histograms": HistGradientBoostingClassifier(max_iter=3, categorical_features=[3]),
    "exponential": GradientBoostingClassifier(loss="exponential", n_estimators=3),
    "ball tree": KNeighborsClassifier(algorithm="ball_tree", metric="manhattan"),
    "kd tree": KNeighborsClassifier(algorithm="kd_tree", metric="minkowski", p=3),
    "mahalanobis": KNeighborsClassifier(
        algorithm="ball_tree", metric="mahalanobis", metric_params={"V": np.eye(4)}
    ),
    "radius": RadiusNeighborsClassifier(9, algorithm="ball_tree", metric="canberra"),
    "kernels": GaussianProcessClassifier(
        gp.RBF() * gp.ConstantKernel() + gp.WhiteKernel() + gp.Matern() * gp.DotProduct() ** 2,
        optimizer=None,
    ),
    "isotonic": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2),
    "temperature": CalibratedClassifierCV(GaussianNB(), method="temperature", cv=2),
    "precomputed": SVC(kernel="poly", class_weight="balanced"),
    "gradients": SGDClassifier(loss="modified_huber", early_stopping=True, random_state=0),
    "network": MLPClassifier((3,), solver="sgd", early_stopping=True, random_state=0),
    "graph": LabelPropagation(kernel="knn"),
    "grid": GridSearchCV(LogisticRegression(), SEARCHED, scoring="roc_auc", cv=2),
    "several measures": GridSearchCV(
        LogisticRegression(), SEARCHED, scoring=["f1", "neg_log_loss"], refit="f1", cv=2
    ),
    "halving": HalvingGridSearchCV(LogisticRegression(), SEARCHED, cv=2, random_state=0),
    "drawn": RandomizedSearchCV(LogisticRegression(), SEARCHED, n_iter=2, random_state=0),
    "tuned": TunedThresholdClassifierCV(LogisticRegression(), scoring=make_scorer(f1_score), cv=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_other_settings(name: str, tmp_path: Path) -> None:
    check_saved(OTHERS[name], FRAME if "frame" in name else X, tmp_path / "m")


def test_functions_with_arguments_filled_in_are_those_of_scikit_learn(tmp_path: Path) -> None:
    model = make_pipeline(PREPARED["informative"], GaussianNB())
    one = rocch.RocchClassifier([("mine", FrozenEstimator(model.fit(FRAME, Y)))]).fit(FRAME, Y)
    with pytest.raises(rocch.InputError, match=r"'mine' holds types.*\['functools\.partial'\]"):
        rocch.save(one, tmp_path / "m")
    rocch.save(one, tmp_path / "m", trusted=["functools.partial"])
    with pytest.raises(rocch.InputError, match=r"'mine' holds types.*\['functools\.partial'\]"):
        rocch.load(tmp_path / "m")
    again: Any = rocch.load(tmp_path / "m", trusted=["functools.partial"])
    np.testing.assert_array_equal(again.predict(FRAME), one.predict(FRAME))
