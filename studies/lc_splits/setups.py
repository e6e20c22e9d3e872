"""What is compared: two classifiers on a data set, under what is believed about the costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch
from lc_splits.classifiers import Classifier, fitted

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.compare.losses.readings import Reading
    from workbench.tables import Source, Table

MEASURED = ("glucose", "blood_pressure", "skin_thickness", "insulin", "bmi")
OPENML = ("plas", "pres", "skin", "insu", "mass")
"""Features of the Pima data in which a zero can only mean: not measured; at OpenML, other names."""


@dataclass(frozen=True)
class Setup:
    """Two classifiers on one data set.

    Attributes
    ----------
    table
        The data set's name.
    test
        How many rows test; the others design.
    a, b
        The two classifiers: an LC index of 1 means A, surely.
    times
        How many times as bad as a false alarm a miss is: at least, at most, most likely.
    features
        Names of the features to use; none means all.
    nominal
        Whether features that are no numbers are used, as indicators.
    scaled
        Whether features are brought to the same spread.
    zeros_missing
        Whether zeros that cannot be measurements are replaced by the design set's median.
    prevalence
        The share of positives; None takes the test set's own.
    """

    table: str
    test: int
    a: Classifier
    b: Classifier
    times: tuple[float, float, float]
    features: tuple[str, ...] = ()
    nominal: bool = True
    scaled: bool = True
    zeros_missing: bool = False
    prevalence: float | None = None

    @property
    def belief(self) -> rocch.Belief:
        """What is believed about the costs: a triangle on the miss's share of both, as theirs."""
        low, high, likely = self.times
        return rocch.Belief.miss_costs(low, high, likely=likely)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A test set, scored by both classifiers.

    Attributes
    ----------
    y
        Which rows are positive.
    scores
        What ranks the rows, by classifier, A's first: log odds where there are any. QDA's
        probabilities of a quarter of the credit card payments are 1 after rounding; its log odds
        still tell them apart.
    probabilities
        Of the positive class.
    """

    y: BoolArray
    scores: dict[str, FloatArray]
    probabilities: dict[str, FloatArray]

    def curves(self, reading: Reading = "envelope") -> tuple[rocch.RocCurve, rocch.RocCurve]:
        """Return the two ROC curves, A's first, of probabilities where thresholds are implied."""
        given = self.probabilities if reading == "implied" else self.scores
        a, b = (rocch.RocCurve.from_scores(self.y, each, name=name) for name, each in given.items())
        return a, b


def as_numbers(table: Table, setup: Setup) -> FloatArray:
    """Return the features as numbers; a missing value is NaN.

    Indicators are made from all rows: which words there are is known before any row is seen.
    """
    features = table.features[list(setup.features)] if setup.features else table.features
    if setup.zeros_missing:
        touched = [name for name in (*MEASURED, *OPENML) if name in features]
        features = features.assign(**{name: features[name].replace(0, np.nan) for name in touched})
    words = table.nominal if not setup.features else []
    if setup.nominal and words:
        features = pd.get_dummies(features, columns=words, drop_first=True)
    return np.asarray(features.drop(columns=words, errors="ignore"), dtype=float)


def held_out(source: Source, setup: Setup, seed: int) -> HeldOut:
    """Split as the paper did, at random and not by class; fit both, and score the test set."""
    (one,) = each_held_out(source, setup, range(seed, seed + 1))
    return one


def each_held_out(source: Source, setup: Setup, seeds: range) -> list[HeldOut]:
    """Return one test set for each seed, reading the data once."""
    table = source.load(setup.table)
    X, y = as_numbers(table, setup), table.positive
    return [_held_out(X, y, setup, seed) for seed in seeds]


def _held_out(X: FloatArray, y: BoolArray, setup: Setup, seed: int) -> HeldOut:
    design, test, y_design, y_test = train_test_split(X, y, test_size=setup.test, random_state=seed)
    models = {
        kind.name: fitted(_prepared(setup, kind), design, y_design) for kind in (setup.a, setup.b)
    }
    probabilities = {name: model.predict_proba(test)[:, 1] for name, model in models.items()}
    log_odds = {
        name: model.decision_function(test)
        for name, model in models.items()
        if hasattr(model, "decision_function")
    }
    in_range = {name: np.clip(given, 0, 1) for name, given in probabilities.items()}
    return HeldOut(y_test, probabilities | log_odds, in_range)


def _prepared(setup: Setup, kind: Classifier) -> Any:
    steps: list[Any] = [SimpleImputer(strategy="median")] if setup.zeros_missing else []
    return make_pipeline(*steps, *([StandardScaler()] if setup.scaled else []), kind.made())
