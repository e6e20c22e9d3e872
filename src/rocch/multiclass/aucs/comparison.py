"""Whether models' multi-class AUCs differ on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.inputs import as_level
from rocch.multiclass.aucs.estimate import estimate
from rocch.multiclass.aucs.judged_classes import JudgedClasses
from rocch.multiclass.aucs.moments import PlacementMoments
from rocch.multiclass.aucs.weighting import (
    Measure,
    as_measure,
    as_shares,
    effective_units,
    measure_weights,
)
from rocch.roc.conditions import OBSERVED
from rocch.stats.auc import AucMoments
from rocch.stats.auc_tests import Adjustment, AucComparison, as_adjustment, comparison
from rocch.stats.sample import check_several

if TYPE_CHECKING:
    from rocch.multiclass.aucs.weighting import Weights


def compare_multiclass_aucs(
    y_true: Any,
    y_proba: Any,
    *,
    measure: Measure = "hand_till",
    classes: Any = None,
    priors: Any = OBSERVED,
    groups: Any = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the multi-class AUCs of models that judged the same rows.

    What all models find easy or hard on the same rows cancels, as in DeLong's test of two classes,
    which this is for two classes.

    Parameters
    ----------
    y_true
        The true class of each row.
    y_proba
        Maps names of models to posteriors, each as for `rocch.multiclass_auc`; at least two.
    measure
        Which AUC: "hand_till" (M), "total" (weighted by the classes' shares) or "macro".
    classes, priors, groups
        As for `rocch.multiclass_auc`.
    confidence
        How often each interval holds the truth.
    adjust
        How to adjust the pairs' p-values for their number: "holm", "bonferroni",
        "benjamini-hochberg" or "none".

    Returns
    -------
    AucComparison

    Raises
    ------
    InputError
        If there are fewer than two models, or something that came cannot be used.
    UndefinedError
        If a class has a single row, or lies in a single group.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    >>> P = {m: cross_val_predict(f, X, y, method="predict_proba") for m, f in models.items()}
    >>> print(rocch.compare_multiclass_aucs(y, P).differences[0])
    nb - tree: +0.0985 (+0.0635 to +0.1442), p = 2.43e-07, adjusted 2.43e-07
    """
    level, method = as_level(confidence), as_adjustment(adjust)
    judged = JudgedClasses.of(y_true, classes, groups)
    models = judged.models(y_proba)
    check_several(models, "y_proba", "For one model use multiclass_auc.")
    shares = as_shares(priors, judged.classes, judged.totals)
    weights = measure_weights(as_measure(measure), shares)
    moments = PlacementMoments.of(judged, list(models.values()))
    found = {
        name: estimate(moments, weights, level, model=index) for index, name in enumerate(models)
    }
    joint = _joint(tuple(models), moments, weights)
    return comparison(joint, found, adjust=method, paired=True)


def _joint(names: tuple[str, ...], moments: PlacementMoments, weights: Weights) -> AucMoments:
    """Return the AUCs and covariances of all models as comparisons of two classes take them."""
    models = range(len(names))
    return AucMoments(
        names,
        tuple(wins.mean(weights) for wins in moments.models),
        tuple(tuple(moments.covariance(weights, i, j) for j in models) for i in models),
        effective_units(weights, moments.units, moments.all_units),
    )
