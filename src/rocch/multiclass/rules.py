"""Predictions of least expected cost, and the classifier that is cheapest with them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, UndefinedError, format_list
from rocch.inputs import as_mapping, check_length
from rocch.kernels.assignment import expected_costs, least_cost
from rocch.labels import as_label_array
from rocch.multiclass.classes import Classes, ClassNames, ProbabilityRows, as_probabilities
from rocch.multiclass.confusion import count_predictions
from rocch.multiclass.costs import Costs, RowCosts, Shares, as_costs, as_priors
from rocch.multiclass.surface import RateLimits, RocSurface, SurfacePoint
from rocch.roc.conditions import OBSERVED


def assign(
    y_proba: Columns,
    costs: Costs | RowCosts,
    *,
    classes: ClassNames | None = None,
    priors: Shares | None = None,
    trained_priors: Shares | None = None,
) -> AnyArray:
    """Predict the class of least expected cost for every row (Everson and Fieldsend, equation 3).

    This is optimal for calibrated probabilities. Of equals the first class wins.

    Parameters
    ----------
    y_proba
        A frame or a mapping with a column for each class, or an array with `classes`.
    costs
        A `CostMatrix`, a belief about costs (whose mean decides), or `RowCosts`.
    classes
        The classes in the order of an array's columns: a model's `classes_`.
    priors, trained_priors
        The classes' shares now and in training, by whose ratio probabilities are corrected.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> rocch.multiclass.assign({"ill": [0.04, 0.06], "well": [0.96, 0.94]}, costs).tolist()
    ['well', 'ill']
    """
    named, table, values = _align(y_proba, costs, classes, priors, trained_priors)
    return as_label_array(named)[least_cost(table, values)]


def prediction_risks(
    y_proba: Columns,
    costs: Costs | RowCosts,
    *,
    classes: ClassNames | None = None,
    priors: Shares | None = None,
    trained_priors: Shares | None = None,
) -> dict[Label, FloatArray]:
    """Return the expected cost of each possible prediction, row by row.

    Parameters are those of `assign`.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> y_proba = {"ill": [0.04], "well": [0.96]}
    >>> expected = rocch.multiclass.prediction_risks(y_proba, costs)
    >>> {name: column.round(2).tolist() for name, column in expected.items()}
    {'ill': [0.96], 'well': [0.8]}
    """
    named, table, values = _align(y_proba, costs, classes, priors, trained_priors)
    risks = expected_costs(table, values) / table.sum(axis=1, keepdims=True)
    return dict(zip(named, risks.T, strict=True))


def _align(
    y_proba: Columns,
    costs: Costs | RowCosts,
    classes: ClassNames | None,
    priors: Shares | None,
    trained_priors: Shares | None,
) -> tuple[Classes, FloatArray, FloatArray]:
    matrix = costs if isinstance(costs, RowCosts) else as_costs(costs)
    if classes is not None:
        named = Classes.of(classes)
    elif isinstance(y_proba, Mapping) or hasattr(y_proba, "columns"):
        named = matrix.classes
    else:
        raise InputError(
            "classes",
            "name the columns of an array",
            "none",
            Hint("Pass classes=model.classes_, or a frame whose columns are the classes."),
        )
    table = as_probabilities(y_proba, named)
    if isinstance(matrix, RowCosts):
        check_length(len(matrix), len(table), "costs")
    values = matrix.in_order(named).values
    if priors is None and trained_priors is None:
        return named, table, values
    if priors is None or trained_priors is None:
        raise InputError(
            "priors",
            "be given together with {trained_priors}",
            "one of them",
            "Probabilities are corrected by the ratio of the two.",
        )
    new = as_priors(priors, named, None).shares
    old = as_priors(trained_priors, named, None, "trained_priors").shares
    if (old == 0).any():
        absent = [name for name, share in zip(named, old, strict=True) if share == 0]
        raise InputError(
            "trained_priors", "be above 0", f"0 for {format_list(absent)}", "Leave the class out."
        )
    corrected = table * (new / old)
    impossible = np.flatnonzero(corrected.sum(axis=1) == 0)
    if impossible.size:
        raise UndefinedError(
            f"row {impossible[0]} has no probability except for classes whose prior is 0, and "
            "so no prediction.",
            hint="Give these classes a prior, or leave the row out.",
        )
    return named, corrected, values


def best_classifier(
    y_true: ArrayLike,
    y_proba: Columns,
    costs: Costs,
    priors: Shares = OBSERVED,
    *,
    classes: ClassNames | None = None,
    limits: RateLimits = None,
) -> SurfacePoint:
    """Return the classifier that is cheapest on evaluation rows, and the costs it predicts by.

    Each predicts by least expected cost, or its most likely class. If the latter wins, calibrate it
    (scikit-learn's `CalibratedClassifierCV`).

    Parameters
    ----------
    y_true
        The labels of the evaluation rows.
    y_proba
        The probabilities by classifier.
    costs
        Exact costs, or a belief, whose mean decides.
    priors
        The classes' shares in use.
    classes
        The classes in the order of arrays' columns; by default the labels, sorted.
    limits
        The largest rates allowed, as for `RocSurface.best`.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> models = {"nb": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    >>> P = {m: cross_val_predict(f, X, y, method="predict_proba") for m, f in models.items()}
    >>> costs = rocch.CostMatrix({(0, 2): 10}, classes=[0, 1, 2], default=1)
    >>> rocch.multiclass.best_classifier(y, P, costs).member.model
    'nb'
    """
    as_mapping(y_proba, "y_proba", "classifiers' names to probabilities")
    rows = ProbabilityRows.of(y_true, y_proba, classes=classes)
    rules = implied_rules(rows.probabilities, rows.truths, rows.classes, costs, priors)
    return rules.best(costs, priors, limits=limits)


def implied_rules(
    probabilities: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    costs: Costs,
    priors: Shares,
) -> RocSurface:
    """Return the classifiers with costs corrected for the priors, the costs, and equal costs."""
    # with many classes a surface cannot be searched, but known costs imply a rule per classifier
    totals = np.bincount(truths, minlength=len(classes))
    exact = as_costs(costs, classes).values
    shares = as_priors(priors, classes, totals).shares
    # errors of classes that become more frequent become more expensive by as much
    ways = [exact * (shares * totals.sum() / totals)[:, None], exact, 1.0 - np.eye(len(classes))]
    if isinstance(priors, str):  # observed, so that nothing is to be corrected
        ways = ways[1:]
    return _rules(probabilities, truths, classes, ways)


def plain_predictions(
    probabilities: Mapping[str, FloatArray], truths: IntArray, classes: Classes
) -> RocSurface:
    """Return each classifier's most likely class on evaluation rows."""
    return _rules(probabilities, truths, classes, [1.0 - np.eye(len(classes))])


def _rules(
    probabilities: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    ways: list[FloatArray],
) -> RocSurface:
    counts = [
        count_predictions(truths, least_cost(table, way), len(classes))
        for way in ways
        for table in probabilities.values()
    ]
    return RocSurface(
        classes,
        np.array(counts),
        tuple(probabilities) * len(ways),
        np.empty((len(counts), 0)),
        (),
        np.repeat(np.array(ways), len(probabilities), axis=0),
    )
