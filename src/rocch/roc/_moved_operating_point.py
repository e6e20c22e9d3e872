"""Operating points: where a hull meets a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocch.errors import InputError
from rocch.inputs import as_number, as_rate
from rocch.roc.performance import Performance

if TYPE_CHECKING:
    from rocch.roc.point import RocPoint


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The answer to a criterion: one ROC point, or two vertices mixed by a stated probability.

    Attributes
    ----------
    fpr, tpr
        The (expected) rates.
    mix
        Pairs of probability and `RocPoint`: one, or two with probabilities that sum to 1. For each
        row, answer as the point drawn says.
    objective, value
        What was made best, in words, and the value reached.
    expected_cost
        Per case, where exact conditions were given; otherwise None.
    randomising_gains
        By how much the value would be better if mixing were (or is) allowed.
    also_best
        Other points that are exactly as good: where the slope is that of a segment, its other end.
        The one returned is always the leftmost, which has the fewest alarms.
    prevalence, population
        Those of the criterion, where it names them.
    note
        What else one should know, for example that only vertices could be searched.
    """

    fpr: float
    tpr: float
    mix: tuple[tuple[float, RocPoint], ...]
    objective: str
    value: float
    expected_cost: float | None
    randomising_gains: float
    also_best: tuple[RocPoint, ...] = ()
    prevalence: float | None = None
    population: float | None = None
    note: str = ""

    @classmethod
    def at_point(cls, point: RocPoint) -> OperatingPoint:
        """Return a ROC point, for example a vertex, as an operating point of one's own choice."""
        return cls(point.fpr, point.tpr, ((1.0, point),), "chosen point", 0.0, None, 0.0)

    @property
    def randomised(self) -> bool:
        """Whether two points are mixed by a coin."""
        return len(self.mix) > 1

    @property
    def point(self) -> RocPoint:
        """The one point to operate at, where nothing is mixed."""
        if self.randomised:
            raise InputError("this operating point mixes two points. Use mix.")
        return self.mix[0][1]

    @property
    def classifier(self) -> str:
        """The classifier to use, where nothing is mixed."""
        return self.point.classifier

    @property
    def threshold(self) -> float | str | None:
        """The threshold to use on new rows, where nothing is mixed."""
        return self.point.deployed_threshold

    @property
    def alarm_rate(self) -> float | None:
        """The expected share of cases that alarm, where the criterion names a prevalence."""
        if self.prevalence is None:
            return None
        return self.performance(prevalence=self.prevalence).alarm_rate

    @property
    def expected_cases(self) -> float | None:
        """The expected number of alarms, where the criterion names a population."""
        if self.population is None or self.alarm_rate is None:
            return None
        return self.population * self.alarm_rate

    def performance(self, *, prevalence: float) -> Performance:
        """Return every confusion-matrix measure at the given prevalence."""
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def counts(self, *, cases: float, prevalence: float) -> dict[str, float]:
        """Return the expected confusion counts among so many cases."""
        cases = as_number(cases, "cases", least=0, do="It is a number of cases.")
        shares = self.performance(prevalence=as_rate(prevalence, "prevalence"))
        names = ("true_positives", "false_positives", "false_negatives", "true_negatives")
        return {name: cases * getattr(shares, name) for name in names}

    def rule(self) -> str:
        """Say in words when to alarm."""
        if not self.randomised:
            return self.mix[0][1].rule()
        (share, left), (_, right) = self.mix
        return f"with probability {share:.6g} {left.rule()}, otherwise {right.rule()}"

    def __str__(self) -> str:
        cost = "" if self.expected_cost is None else f", expected cost {self.expected_cost:.6g}"
        return f"{self.rule()} (FPR {self.fpr:.4g}, TPR {self.tpr:.4g}{cost})"
