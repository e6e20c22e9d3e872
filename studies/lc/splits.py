"""Adams and Hand's comparisons over random splits: classifiers, setups, and what is kept of each.

Two classifiers are compared on a data set, under what is believed about the costs. The choices that
the paper leaves open are fields. Classifiers and setups say all that they are as text, because
results are kept under that text.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.stats.losses import Reading
    from studies.workbench.tables import Source, Table

MOST_STEPS = 1000
"""Of a network's fit: one that has not settled by then is used as it is."""

ALMOST_NONE = 1e-12
"""Least spread of a direction within a class. Genuine payments of the credit card data have one of
five thousandths, which scikit-learn's own bound refuses; it is small, but it is no rounding."""


@dataclass(frozen=True)
class Network:
    """One hidden layer with weight decay.

    Attributes
    ----------
    hidden, decay
        The size of the hidden layer, and the factor of the squared weights in scikit-learn's loss
        (it divides them by the number of rows).
    """

    hidden: int = 4
    decay: float = 1.0
    name: ClassVar[str] = "network"

    def made(self) -> Any:
        """Return it unfitted."""
        return MLPClassifier(
            (self.hidden,),
            alpha=self.decay,
            solver="lbfgs",
            max_iter=MOST_STEPS,
            random_state=0,
        )


@dataclass(frozen=True)
class Quadratic:
    """Quadratic discriminant analysis; each class's covariance is drawn towards a ball."""

    regularized: float = 0.0
    name: ClassVar[str] = "QDA"

    def made(self) -> Any:
        """Return it unfitted."""
        return QuadraticDiscriminantAnalysis(reg_param=self.regularized, tol=ALMOST_NONE)


@dataclass(frozen=True)
class Linear:
    """Linear discriminant analysis."""

    name: ClassVar[str] = "LDA"

    def made(self) -> Any:
        """Return it unfitted."""
        return LinearDiscriminantAnalysis()


@dataclass(frozen=True)
class Nearest:
    """The share of positives among the nearest rows."""

    neighbors: int = 9
    name: ClassVar[str] = "nearest neighbors"

    def made(self) -> Any:
        """Return it unfitted."""
        return KNeighborsClassifier(self.neighbors)


Classifier = Network | Quadratic | Linear | Nearest


def fitted(model: Any, X: Any, y: Any) -> Any:
    """Fit a model; a network that ran out of steps is still the network that we compare."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


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
    zeros_missing: bool = False
    prevalence: float | None = None

    @property
    def belief(self) -> rocch.Belief:
        """What is believed about the costs: a triangle on the miss's share of both, as theirs."""
        low, high, likely = self.times
        return rocch.Belief.cost_ratio(low, high, likely=likely)


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
    if words:
        features = pd.get_dummies(features, columns=words, drop_first=True)
    return np.asarray(features, dtype=float)


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
    return make_pipeline(*steps, StandardScaler(), kind.made())


READINGS: tuple[Reading, ...] = ("envelope", "implied")


def compare_splits(source: Source, setup: Setup, seeds: range, replicates: int) -> dict[str, Any]:
    """Return AUCs and LC indices of each split; with replicates, also how well one split knows.

    The arrays have one entry for each seed. An index is robust if it keeps its sign under every
    belief with one peak that has the same bounds and the same most likely value.
    """
    found = [_one(split, setup, replicates) for split in each_held_out(source, setup, seeds)]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def _one(split: HeldOut, setup: Setup, replicates: int) -> dict[str, float]:
    a, b = split.curves()
    found = {"auc_a": a.auc, "auc_b": b.auc}
    for reading in READINGS:
        compared = comparison(split, setup, reading)
        found |= {
            f"lc_{reading}": compared.lc_index,
            f"robust_{reading}": compared.robust,
        }
    return found | (_interval(split, setup, replicates) if replicates else {})


def comparison(split: HeldOut, setup: Setup, reading: Reading) -> rocch.stats.LossComparison:
    """Compare the two in one reading of the loss."""
    return rocch.stats.compare_losses(
        *split.curves(reading), belief=setup.belief, prevalence=_prevalence(setup), reading=reading
    )


def _prevalence(setup: Setup) -> Any:
    return "observed" if setup.prevalence is None else setup.prevalence


def _interval(split: HeldOut, setup: Setup, replicates: int) -> dict[str, float]:
    """Draw the test rows again: what another test set would say of the same two classifiers."""
    (found,) = rocch.stats.lc_intervals(
        split.y,
        split.scores,
        belief=setup.belief,
        prevalence=_prevalence(setup),
        replicates=replicates,
    )
    low, high = found.interval
    return {"low": low, "high": high, "favored": found.favored}
