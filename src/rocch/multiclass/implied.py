"""The rules that costs themselves imply: each classifier answering by least expected cost.

A surface has as many objectives as there are ways to err, so with many classes there is no sense in
searching one. But costs that are known name a rule for each classifier, and judged rows say which
of these is the cheapest. That needs no surface, and works for any number of classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_name
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.confusion import as_costs
from rocch.multiclass.priors import as_priors
from rocch.multiclass.surface import RocSurface
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.cost_matrix import CostMatrix
    from rocch.multiclass.dirichlet import DirichletBelief
    from rocch.multiclass.surface_member import SurfacePoint


def best_classifier(
    y_true: Any,
    y_proba: Any,
    costs: CostMatrix | DirichletBelief,
    priors: Any = OBSERVED,
    *,
    classes: Any = None,
    limits: Any = None,
) -> SurfacePoint:
    """Say which classifier is cheapest on judged rows, and by which costs it should answer.

    Each may answer by least expected cost, which is best if its posteriors are calibrated, or with
    its most likely class, which is compared because they may not be: look at `member.costs` of the
    answer, and if they are equal ones although your costs are not, calibrate the classifier
    (scikit-learn's `CalibratedClassifierCV`).

    Parameters
    ----------
    y_true
        The true labels of the judged rows.
    y_proba
        Maps each classifier's name to its posteriors of these rows.
    costs
        Exact costs, or a belief about them, whose mean decides.
    priors
        The shares of the classes where the classifier will work. Posteriors are taken to be made
        for the observed shares and corrected to these.
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
    >>> posteriors = {
    ...     "nb": cross_val_predict(GaussianNB(), X, y, method="predict_proba"),
    ...     "stump": cross_val_predict(
    ...         DecisionTreeClassifier(max_depth=1), X, y, method="predict_proba"
    ...     ),
    ... }
    >>> costs = rocch.CostMatrix({(0, 2): 10}, classes=[0, 1, 2], default=1)
    >>> rocch.best_classifier(y, posteriors, costs).member.model
    'nb'
    """
    named = Classes.of_labels(y_true) if classes is None else Classes.of(classes)
    truths = named.truths(y_true)
    if not isinstance(y_proba, Mapping) or not y_proba:
        raise bad_input(
            "y_proba",
            "map classifiers' names to posteriors",
            "none" if isinstance(y_proba, Mapping) else kind_of(y_proba),
            "For example: {'lr': model.predict_proba(X)}.",
        )
    tables = {
        as_name(name): as_posteriors(given, named, rows=truths.size, argument=f"y_proba[{name!r}]")
        for name, given in y_proba.items()
    }
    return implied_rules(tables, truths, named, costs, priors).best(costs, priors, limits=limits)


def implied_rules(
    posteriors: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    costs: CostMatrix | DirichletBelief,
    priors: Any,
) -> RocSurface:
    """Return what each classifier does on judged rows by costs that suggest themselves.

    These are the costs corrected for the priors; the costs as they are; and equal ones, which give
    its plain answers. If posteriors are calibrated the first are best; if not, nothing is sure.

    Another class balance than the observed one makes errors of the classes that become more
    frequent dearer by as much; so it becomes part of the costs that a rule answers by.
    """
    totals = np.bincount(truths, minlength=len(classes))
    exact = as_costs(costs, classes).values
    shares = as_priors(priors, classes, totals).shares
    ways = [exact * (shares * totals.sum() / totals)[:, None], exact, _equal(classes)]
    if isinstance(priors, str):  # observed, so that nothing is to be corrected
        ways = ways[1:]
    return _rules(posteriors, truths, classes, ways)


def plain_answers(
    posteriors: Mapping[str, FloatArray], truths: IntArray, classes: Classes
) -> RocSurface:
    """Return what each classifier does on judged rows with its most likely class."""
    return _rules(posteriors, truths, classes, [_equal(classes)])


def _equal(classes: Classes) -> FloatArray:
    return 1.0 - np.eye(len(classes))


def _rules(
    posteriors: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    ways: list[FloatArray],
) -> RocSurface:
    """Return every classifier answering by each of some costs."""
    cells = [
        np.bincount(truths * len(classes) + least_cost(table, way), minlength=len(classes) ** 2)
        for way in ways
        for table in posteriors.values()
    ]
    return RocSurface(
        classes,
        np.array(cells).reshape(len(cells), len(classes), len(classes)),
        tuple(posteriors) * len(ways),
        np.empty((len(cells), 0)),
        (),
        np.repeat(np.array(ways), len(posteriors), axis=0),
    )
