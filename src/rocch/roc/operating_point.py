"""What a point in ROC space means at a given prevalence: the confusion matrix and its measures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rocch.errors import UndefinedError, explain_call
from rocch.inputs import as_number, as_rate


@explain_call("Performance(fpr=0.1, tpr=0.8, prevalence=0.5)")
@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """The confusion matrix, as shares of all cases, at one ROC point and one prevalence.

    Rates of one column (TPR, FPR and their complements) do not depend on prevalence; all others
    do, which is why it must be named. A measure that is undefined (precision without a single
    alarm, say) raises `UndefinedError`.

    Examples
    --------
    >>> from rocch import Performance
    >>> half = Performance(fpr=0.1, tpr=0.8, prevalence=0.5)
    >>> round(half.precision, 3), round(half.f_score(), 3), round(half.cohen_kappa, 3)
    (0.889, 0.842, 0.7)
    >>> round(Performance(fpr=0.1, tpr=0.8, prevalence=0.01).precision, 3)
    0.075
    """

    fpr: float
    tpr: float
    prevalence: float

    def __post_init__(self) -> None:
        for name in ("fpr", "tpr", "prevalence"):
            object.__setattr__(self, name, as_rate(getattr(self, name), name))

    @property
    def true_positives(self) -> float:
        """Hits, as a share of all cases."""
        return self.prevalence * self.tpr

    @property
    def false_positives(self) -> float:
        """False alarms, as a share of all cases."""
        return (1 - self.prevalence) * self.fpr

    @property
    def false_negatives(self) -> float:
        """Misses, as a share of all cases."""
        return self.prevalence * (1 - self.tpr)

    @property
    def true_negatives(self) -> float:
        """Negatives left alone, as a share of all cases."""
        return (1 - self.prevalence) * (1 - self.fpr)

    @property
    def alarm_rate(self) -> float:
        """All alarms, as a share of all cases."""
        return self.true_positives + self.false_positives

    @property
    def recall(self) -> float:
        """The TPR under its other name (also: sensitivity, hit rate)."""
        return self.tpr

    @property
    def specificity(self) -> float:
        """1 - FPR, the true negative rate."""
        return 1 - self.fpr

    @property
    def fnr(self) -> float:
        """1 - TPR, the miss rate."""
        return 1 - self.tpr

    @property
    def accuracy(self) -> float:
        """The share of cases decided rightly."""
        return self.true_positives + self.true_negatives

    @property
    def error_rate(self) -> float:
        """The share of cases decided wrongly."""
        return self.false_positives + self.false_negatives

    @property
    def balanced_accuracy(self) -> float:
        """The mean of TPR and specificity."""
        return (self.tpr + self.specificity) / 2

    @property
    def informedness(self) -> float:
        """Youden's J: TPR - FPR, the height above the diagonal of chance."""
        return self.tpr - self.fpr

    @property
    def precision(self) -> float:
        """The share of alarms that are hits (positive predictive value)."""
        return _ratio(self.true_positives, self.alarm_rate, "precision", "there is no alarm")

    @property
    def negative_predictive_value(self) -> float:
        """The share of cases without alarm that are negative."""
        return _ratio(
            self.true_negatives, 1 - self.alarm_rate, "negative_predictive_value", "all alarm"
        )

    @property
    def lift(self) -> float:
        """How many times more frequent positives are among the alarms than among all cases."""
        return _ratio(self.precision, self.prevalence, "lift", "the prevalence is 0")

    @property
    def positive_likelihood_ratio(self) -> float:
        """TPR / FPR."""
        return _ratio(self.tpr, self.fpr, "positive_likelihood_ratio", "the FPR is 0")

    @property
    def negative_likelihood_ratio(self) -> float:
        """(1 - TPR) / (1 - FPR)."""
        return _ratio(self.fnr, self.specificity, "negative_likelihood_ratio", "the FPR is 1")

    @property
    def matthews_correlation(self) -> float:
        """The correlation of alarm and class."""
        spread = self.alarm_rate * (1 - self.alarm_rate) * self.prevalence * (1 - self.prevalence)
        gain = self.true_positives - self.alarm_rate * self.prevalence
        return _ratio(gain, math.sqrt(spread), "matthews_correlation", "one margin is empty")

    @property
    def cohen_kappa(self) -> float:
        """Cohen's kappa: how far alarms and classes agree beyond chance, of how far they could."""
        gain = self.true_positives - self.alarm_rate * self.prevalence
        apart = self.alarm_rate * (1 - self.prevalence) + self.prevalence * (1 - self.alarm_rate)
        return _ratio(2 * gain, apart, "cohen_kappa", "chance alone agrees on every case")

    def f_score(self, beta: float = 1.0) -> float:
        """Return F-beta, the weighted harmonic mean of precision and recall.

        (Fawcett's slide prints the product of the two; users mean the harmonic mean.)
        """
        beta = as_number(beta, "beta", least=0, do="Use 1 to weigh both alike.")
        square = beta * beta
        weighted = (1 + square) * self.true_positives
        whole = weighted + square * self.false_negatives + self.false_positives
        return _ratio(weighted, whole, "f_score", "there is neither a positive nor an alarm")


def _ratio(part: float, whole: float, name: str, because: str) -> float:
    if whole <= 0:
        raise UndefinedError(
            f"{name} is undefined here, because {because}. Ask for another measure, or at another "
            "point or prevalence."
        )
    return part / whole
