"""The answer of least expected cost for each row, from its posteriors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import UndefinedError, bad_input, shown
from rocch.inputs import answer_labels
from rocch.kernels.assignment import expected_costs, least_cost
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.confusion import as_costs
from rocch.multiclass.priors import as_priors
from rocch.multiclass.row_costs import RowCosts

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass.cost_matrix import CostMatrix
    from rocch.multiclass.dirichlet import DirichletBelief

    AnyArray = np.ndarray[Any, Any]
    Costs = CostMatrix | DirichletBelief | RowCosts


def assign(
    y_proba: Any,
    costs: Costs,
    *,
    classes: Any = None,
    priors: Any = None,
    trained_priors: Any = None,
) -> AnyArray:
    """Answer every row with the class of least expected cost (Everson and Fieldsend, equation 3).

    That is best if the posteriors are calibrated: of the rows with posterior 0.3 for a class, 30 %
    belong to it. Forests and naive Bayes often are not; `best_classifier` shows on judged rows
    whether answering by the costs pays, and `RocSurfaceClassifier` mends what it can.

    Parameters
    ----------
    y_proba
        The posteriors: a frame or a mapping with a column for each class, or an array, whose
        columns `classes` must name.
    costs
        A `CostMatrix`, a belief about costs (whose mean decides), or `RowCosts`.
    classes
        The classes in the order of an array's columns: a fitted model's `classes_`.
    priors, trained_priors
        Where the class balance is another than the one the model learnt from: both balances, as
        mappings of every class to its share. The posteriors are then corrected by their ratio,
        which is right if only the balance has changed.

    Returns
    -------
    The labels. Of classes that are equally good, the first in order wins; sums are rounded, so this
    may not hold where posteriors are ratios of which the sums happen to be equal.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> rocch.assign({"ill": [0.04, 0.06], "well": [0.96, 0.94]}, costs).tolist()
    ['well', 'ill']
    """
    named, posteriors, values = _prepared(y_proba, costs, classes, priors, trained_priors)
    return answer_labels(named)[least_cost(posteriors, values)]


def expected_cost_of_answers(
    y_proba: Any,
    costs: Costs,
    *,
    classes: Any = None,
    priors: Any = None,
    trained_priors: Any = None,
) -> dict[Any, FloatArray]:
    """Return for each possible answer what it is expected to cost, row by row.

    The parameters are those of `assign`. Corrected posteriors are scaled to sum to 1.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> answers = rocch.expected_cost_of_answers({"ill": [0.04], "well": [0.96]}, costs)
    >>> {name: column.round(2).tolist() for name, column in answers.items()}
    {'ill': [0.96], 'well': [0.8]}
    """
    named, posteriors, values = _prepared(y_proba, costs, classes, priors, trained_priors)
    risks = expected_costs(posteriors, values) / posteriors.sum(axis=1, keepdims=True)
    return dict(zip(named, risks.T, strict=True))


def _prepared(
    y_proba: Any, costs: Costs, classes: Any, priors: Any, trained_priors: Any
) -> tuple[Classes, FloatArray, FloatArray]:
    named = _classes(y_proba, costs, classes)
    posteriors = as_posteriors(y_proba, named)
    if isinstance(costs, RowCosts):
        values = costs.in_order(named, rows=len(posteriors)).values
    else:
        values = as_costs(costs, named).values
    return named, corrected(posteriors, named, priors, trained_priors), values


def _classes(y_proba: Any, costs: Any, classes: Any) -> Classes:
    if classes is not None:
        return Classes.of(classes)
    if not isinstance(y_proba, Mapping) and not hasattr(y_proba, "columns"):
        raise bad_input(
            "classes",
            "name the columns of an array",
            "none",
            "Pass classes=model.classes_, or a frame whose columns are the classes.",
        )
    return costs.classes if isinstance(costs, RowCosts) else as_costs(costs).classes


def corrected(
    posteriors: FloatArray, classes: Classes, priors: Any, trained_priors: Any
) -> FloatArray:
    """Return posteriors for another class balance than the trained one, up to a row's factor."""
    if (priors is None) != (trained_priors is None):
        raise bad_input(
            "priors, trained_priors",
            "be given both or not at all",
            "one of them",
            "Posteriors are corrected by the ratio of the two.",
        )
    if priors is None:
        return posteriors
    new = as_priors(priors, classes, None).shares
    old = as_priors(trained_priors, classes, None, "trained_priors").shares
    if (old == 0).any():
        absent = [name for name, share in zip(classes, old, strict=True) if share == 0]
        raise bad_input(
            "trained_priors", "be above 0", f"0 for {shown(absent)}", "Leave the class out."
        )
    weighed = posteriors * (new / old)
    impossible = np.flatnonzero(weighed.sum(axis=1) == 0)
    if impossible.size:
        raise UndefinedError(
            f"row {impossible[0]} has no probability but for classes whose prior is 0, and so no "
            "answer. Give these classes a prior, or leave the row out."
        )
    return weighed
