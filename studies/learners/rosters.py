"""Who takes part: Provost and Fawcett's learners, Bradley's six, and those of today."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Perceptron
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

from learners.entropy_cuts import EntropyCuts
from learners.laplace_tree import LaplaceTree

if TYPE_CHECKING:
    import pandas as pd

    Roster = dict[str, Any]

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
