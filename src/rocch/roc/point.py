"""ROC points: false and true positives, the rates they make, and who reaches them how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocch.roc.performance import Performance

if TYPE_CHECKING:
    from collections.abc import Sequence

NEVER = "never"
ALWAYS = "always"

Threshold = float | str | None
"""A score, the name of a setting (of a classifier that outputs labels only), or none."""


@dataclass(frozen=True, slots=True)
class RocPoint:
    """One point in ROC space with the classifiers and thresholds that reach it.

    Where several classifiers share the point all are kept, sorted by name; the first also stands
    under `classifier`. A classifier that outputs labels only may reach it at several settings, and
    is then named once for each. The trivial ends, *never* and *always* alarming, have no threshold.

    Attributes
    ----------
    classifier, threshold, deployed_threshold
        The first of `classifiers`, `thresholds` and `deployed_thresholds`.
    false_positives, true_positives
        Counts (weights, for weighted data) of the rows that the point was judged on.
    fpr, tpr
        The rates.
    classifiers
        Names of all classifiers that reach the point.
    thresholds
        For each, the lowest observed score that alarms: the rows counted are those at or above. For
        a classifier that outputs labels only, the name of its setting, if it has several.
    deployed_thresholds
        For each, the threshold to use on new rows: halfway to the next lower observed score, so
        that a last-digit difference in a score does not flip a decision that the counts rely on.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> hull.vertices[1].classifier, hull.vertices[1].threshold, hull.vertices[1].tpr
    ('nb', 0.8, 0.5)
    >>> hull.vertices[1].deployed_threshold
    0.6000000000000001
    """

    classifier: str
    threshold: Threshold
    deployed_threshold: Threshold
    false_positives: float
    true_positives: float
    fpr: float
    tpr: float
    classifiers: tuple[str, ...]
    thresholds: tuple[Threshold, ...]
    deployed_thresholds: tuple[Threshold, ...]

    @property
    def better_than_chance(self) -> bool:
        """Whether the point lies above the diagonal of random guessing."""
        return self.tpr > self.fpr

    @property
    def leaning(self) -> Literal["conservative", "neutral", "liberal"]:
        """Whether it alarms only on strong evidence (conservative) or already on weak (liberal).

        Conservative points have TPR + FPR < 1: few false alarms, and few hits. Liberal ones have
        TPR + FPR > 1.
        """
        total = self.tpr + self.fpr
        return "conservative" if total < 1 else "liberal" if total > 1 else "neutral"

    def performance(self, *, prevalence: float) -> Performance:
        """Return every confusion-matrix measure at the given prevalence."""
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def rule(self) -> str:
        """Say in words when to alarm at this point."""
        if self.threshold is None:
            return {NEVER: "never alarm", ALWAYS: "always alarm"}.get(
                end_name(self.fpr, self.tpr) or "", f"alarm when {self.classifier} does"
            )
        if isinstance(self.threshold, str):
            return f"alarm when {self.classifier} at setting {self.threshold} does"
        return f"alarm when {self.classifier} >= {self.written_threshold}"

    @property
    def written_threshold(self) -> str:
        """The deployed threshold with as few digits as decide alike on the observed scores."""
        if not isinstance(self.threshold, float) or not isinstance(self.deployed_threshold, float):
            return "" if self.threshold is None else str(self.threshold)
        room = (self.threshold - self.deployed_threshold) / 2
        for digits in range(6, 17):
            text = f"{self.deployed_threshold:.{digits}g}"
            if abs(float(text) - self.deployed_threshold) <= room:
                return text
        return repr(self.deployed_threshold)


def end_name(fpr: float, tpr: float) -> str | None:
    """Return the name of the trivial classifier at this point, if it is one of the ends."""
    if fpr == tpr == 0:
        return NEVER
    return ALWAYS if fpr == tpr == 1 else None


def midpoint(threshold: float, next_lower: float) -> float:
    """Return the deployed threshold between an observed score and the next lower one.

    It always lies above the lower score, so that on the observed scores it decides alike; between
    neighbouring doubles and beside infinities it is the observed score itself.
    """
    middle = threshold / 2 + next_lower / 2
    return middle if next_lower < middle <= threshold else threshold


def make_point(
    rates: tuple[float, float],
    counts: tuple[float, float],
    holders: Sequence[tuple[str, Threshold, Threshold]],
) -> RocPoint:
    """Build a point from its holders (name, threshold, deployed threshold), sorted by name."""
    names, thresholds, deployed = zip(*sorted(holders, key=lambda holder: holder[0]), strict=True)
    return RocPoint(
        names[0], thresholds[0], deployed[0], *counts, *rates, names, thresholds, deployed
    )
