"""Two sources of variation kept apart: the rows that judge a model, and those that trained it.

Adams and Hand ("Comparing classifiers when the misallocation costs are uncertain", 1999, section
6): for the classifiers at hand only the test set matters; for a recommendation of the method both
do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any

from rocch.compare.aucs.delong import auc_moments
from rocch.compare.sample import Sample
from rocch.errors import bad_input

if TYPE_CHECKING:
    from rocch.compare.aucs.delong import AucMoments

MEANING = (
    "for the classifiers at hand only the test set matters; for a recommendation of the method "
    "both do"
)


@dataclass(frozen=True, slots=True)
class Variation:
    """How much the AUC of a method varies with the training set, and with the test set.

    The layout is two-way: runs (trainings) by test rows. With A the AUC of one training on one
    test set, Var(A) = Var(true AUC of a trained model) + E(variance of its AUC over test sets).

    Attributes
    ----------
    runs, rows
        How many trainings and test rows there are.
    auc
        The mean AUC over the runs.
    training_deviation
        The standard deviation of the trained models' true AUCs. The runs' AUCs scatter more than
        that, because each finds other test rows hard; DeLong's covariances say by how much, and
        that is subtracted. It is 0 where the runs scatter no more than test rows explain.
    test_deviation
        The standard deviation of one trained model's AUC over test sets of this size.
    total_deviation
        That of the AUC of one training on one test set.
    mean_error
        The standard error of `auc` as an estimate of what the method reaches on average over
        trainings. More runs shrink what differs between runs, more test rows what all have in
        common.
    """

    runs: int
    rows: int
    auc: float
    training_deviation: float
    test_deviation: float
    mean_error: float

    @property
    def total_deviation(self) -> float:
        """The standard deviation of the AUC of one training on one test set."""
        return math.hypot(self.training_deviation, self.test_deviation)

    @property
    def training_share(self) -> float:
        """The share of the total variance that the training set makes; 0 if nothing varies."""
        return self.training_deviation**2 / self.total_deviation**2 if self.total_deviation else 0.0

    @property
    def test_share(self) -> float:
        """The share of the total variance that the test set makes; 0 if nothing varies."""
        return 1 - self.training_share if self.total_deviation else 0.0

    @property
    def meaning(self) -> str:
        """What to use which number for, in one sentence."""
        return MEANING

    def __str__(self) -> str:
        return (
            f"AUC {self.auc:.4f} over {self.runs} trainings on {self.rows} test rows; standard "
            f"deviation {self.test_deviation:.4f} by the test set "
            f"({100 * self.test_share:.0f} %), {self.training_deviation:.4f} by the training set "
            f"({100 * self.training_share:.0f} %), {self.total_deviation:.4f} by both"
        )


def variation(y_true: Any, runs: Any, *, pos_label: Any = None, groups: Any = None) -> Variation:
    """Tell apart how the AUC of one method varies with its training set and with its test set.

    Parameters
    ----------
    y_true
        Labels of the test rows.
    runs
        Maps names of runs to scores of the test rows: one method, trained several times on
        *independent* training sets of the same size. Bootstraps or folds of one set overlap, and
        show less variation than new sets would. Repeats with new seeds only show that of the seed.
    pos_label
        The positive class.
    groups
        A name for each test row's group, where rows of one group resemble each other.

    Returns
    -------
    Variation

    Raises
    ------
    InputError
        If there are fewer than two runs, or their scores are not one per test row.
    UndefinedError
        If a class has a single row, or lies in a single group.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 2
    >>> shared = rng.normal(size=400) + y
    >>> runs = {f"seed {i}": shared + rng.normal(size=400) for i in range(10)}
    >>> print(rocch.variation(y, runs))
    AUC ... over 10 trainings on 400 test rows; standard deviation ...
    """
    sample = Sample.of(y_true, runs, pos_label=pos_label, groups=groups, argument="runs")
    if len(sample.models) < 2:
        raise bad_input(
            "runs",
            "be at least two trainings",
            len(sample.models),
            "For one trained model use auc_interval: only the test set varies.",
        )
    moments = auc_moments(sample)
    diagonal, between = _mean_covariances(moments)
    aucs = [float(auc) for auc in moments.aucs]
    # what scatters between runs on these rows is the training's, and each run's own test error
    training = max(0.0, variance(aucs) - (diagonal - between))
    count = len(aucs)
    mean_variance = (training + diagonal - between) / count + between
    return Variation(
        runs=count,
        rows=len(sample),
        auc=fmean(aucs),
        training_deviation=math.sqrt(training),
        test_deviation=math.sqrt(diagonal),
        mean_error=math.sqrt(max(0.0, mean_variance)),
    )


def _mean_covariances(moments: AucMoments) -> tuple[float, float]:
    """Return the mean variance of a run, and the mean covariance of two, over test sets."""
    matrix = moments.matrix
    count = len(matrix)
    trace = float(matrix.trace())
    return trace / count, (float(matrix.sum()) - trace) / (count * (count - 1))
