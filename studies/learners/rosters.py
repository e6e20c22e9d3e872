"""Who takes part, and how each judges one fold: scores of rows that it has not seen.

Rosters are Provost and Fawcett's learners, Bradley's six, and those of today.
"""

from __future__ import annotations

import warnings
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

import rocch
from studies.learners.estimators import EntropyCuts, LaplaceTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from rocch.arrays import FloatArray
    from studies.workbench.tables import Source

    Roster = dict[str, Any]
    AnyArray = np.ndarray[Any, Any]

BAGS, TREES = 25, 200


def of_1998(features: pd.DataFrame, seed: int) -> Roster:
    """Return Provost, Fawcett and Kohavi's learners, as near as scikit-learn comes to them."""
    tree, encode = LaplaceTree(random_state=seed), _one_hot(features)
    bagged = BaggingClassifier(tree, BAGS, random_state=seed)
    near = {f"IB{k}": KNeighborsClassifier(k, weights="distance") for k in (1, 3, 5)}
    return {
        "MC4": make_pipeline(encode, tree),
        "Bagged-MC4": make_pipeline(encode, bagged),
        "NB": make_pipeline(_codes(features), CategoricalNB()),
        **{name: make_pipeline(_unit_box(features), model) for name, model in near.items()},
    }


def of_bradley(features: pd.DataFrame, seed: int) -> Roster:
    """Return two networks, two trees and two statistical techniques.

    CART stands in for the multiscale classifier, Bradley's own second tree.
    """
    network = MLPClassifier((5,), alpha=0.01, solver="lbfgs", max_iter=5000, random_state=seed)
    models = {
        "Perceptron": Perceptron(max_iter=1000, tol=None, random_state=seed),
        "MLP": network,
        "C4.5": LaplaceTree(random_state=seed),
        "CART": DecisionTreeClassifier(ccp_alpha=0.005, random_state=seed),
        "k-NN": KNeighborsClassifier(10),
        "QDF": QuadraticDiscriminantAnalysis(reg_param=0.01),
    }
    return {name: make_pipeline(_standard(features), model) for name, model in models.items()}


def of_today(features: pd.DataFrame, seed: int) -> Roster:
    """Return what one would try first now, with scikit-learn's own settings."""
    forest = RandomForestClassifier(TREES, random_state=seed)
    boosting = HistGradientBoostingClassifier(random_state=seed)
    return {
        "Boosting": make_pipeline(_one_hot(features), boosting),
        "Forest": make_pipeline(_one_hot(features), forest),
        "Logistic": make_pipeline(_standard(features), LogisticRegression(max_iter=5000)),
    }


ROSTERS = {"1998": of_1998, "bradley": of_bradley, "today": of_today}


def _apart(features: pd.DataFrame) -> tuple[list[str], list[str]]:
    numbers = list(features.select_dtypes("number").columns)
    return numbers, [column for column in features.columns if column not in numbers]


def _indicators() -> Any:
    """Return one column for each value, a missing one too; a value never seen is in none."""
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def _one_hot(features: pd.DataFrame) -> Any:
    """Return numbers as they are, missing ones too, and nominal features as indicators."""
    numbers, nominal = _apart(features)
    return make_column_transformer(("passthrough", numbers), (_indicators(), nominal))


def _standard(features: pd.DataFrame) -> Any:
    numbers, nominal = _apart(features)
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_column_transformer((scaled, numbers), (_indicators(), nominal))


def _unit_box(features: pd.DataFrame) -> Any:
    """Return features so that a nominal one that differs is as far as a number's whole range."""
    numbers, nominal = _apart(features)
    scaled = make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler())
    halved = make_pipeline(_indicators(), FunctionTransformer(_as_far_as_one))
    return make_column_transformer((scaled, numbers), (halved, nominal))


def _as_far_as_one(indicators: Any) -> Any:
    return indicators * sqrt(0.5)


def _codes(features: pd.DataFrame) -> Any:
    """Return every feature as categories, of which 0 is a missing or an unknown value."""
    numbers, nominal = _apart(features)
    known = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1
    )
    coded = make_pipeline(known, FunctionTransformer(_from_zero))
    return make_column_transformer((EntropyCuts(), numbers), (coded, nominal))


def _from_zero(codes: Any) -> Any:
    return codes + 1


INNER_FOLDS = 5
MANY, HELD_OUT = 20_000, 0.25
"""Where rows are plenty, a quarter of them is held out to build the hull, rather than folds."""


def judge_fold(
    source: Source, domain: str, rosters: Sequence[str], fold: int, folds: int, seed: int
) -> dict[str, AnyArray]:
    """Fit all learners without one fold, and score it.

    Returns
    -------
    dict
        "test" and "building": which rows of the fold, and of those that the hybrid is built on,
        are positive; "test/NB", "building/NB" and so on: scores of these rows. Those of the fold
        come from a learner that was fitted on all other rows, those for building from inner folds
        of the other rows, as a hybrid makes them.
    """
    table = source.load(domain)
    X, y = table.features, table.positive
    outer = StratifiedKFold(folds, shuffle=True, random_state=seed)
    train, test = list(outer.split(X, y))[fold]
    learners: dict[str, Any] = {}
    for roster in rosters:
        learners |= ROSTERS[roster](X, seed)
    with warnings.catch_warnings():
        # networks and discriminants on few rows: their scores are judged as they are
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Variables are collinear")
        warnings.filterwarnings("ignore", "Found unknown categories")
        built = _built_on(learners, X.iloc[train], y[train], seed)
        fitted = {
            name: clone(learner).fit(X.iloc[train], y[train]) for name, learner in learners.items()
        }
        scores = {name: _scores(learner, X.iloc[test]) for name, learner in fitted.items()}
    return {
        "test": y[test],
        "building": built.positive,
        **{f"test/{name}": column for name, column in scores.items()},
        **{f"building/{name}": column for name, column in built.scores.items()},
    }


def _built_on(learners: dict[str, Any], X: Any, y: Any, seed: int) -> Any:
    inner: Any = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    cv = HELD_OUT if len(y) > MANY else inner
    hybrid = rocch.RocchClassifier(
        list(learners.items()), cv=cv, refit=False, pos_label=True, random_state=seed, stack=False
    )
    return hybrid.fit(X, y).out_of_fold_


def _scores(learner: Any, X: Any) -> FloatArray:
    if hasattr(learner, "predict_proba"):
        return np.asarray(learner.predict_proba(X)[:, 1])
    return np.asarray(learner.decision_function(X))
