"""How well the LC index is known from the rows at hand.

Adams and Hand (section 6) leave its spread open. There are two doubts about an index: about the
conditions, which the belief weighs, and about the curves, which are estimates. The index answers
the first; here the rows are drawn again to show the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.compare.losses.comparison import compare_losses
from rocch.compare.losses.cost_axis import CostAxis, believed_on
from rocch.compare.resampling.bootstrap import resampled
from rocch.compare.sample import Sample, check_several
from rocch.inputs import as_level
from rocch.kernels.envelopes import Scored, compare_envelopes, compare_implied
from rocch.roc.conditions import Interval
from rocch.roc.curve import Judged

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import FloatArray
    from rocch.compare.losses.readings import Reading
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.kernels.envelopes import Signs
    from rocch.roc.belief import Belief

    SignsOf = Callable[[Bootstrap, tuple[str, str], int, CostAxis], Signs]


@dataclass(frozen=True, slots=True)
class LcInterval:
    """The LC index of a pair, and what it would be on other rows.

    Attributes
    ----------
    first, second
        The two classifiers; 1 means that the first is surely better.
    lc_index
        The index on the rows at hand.
    interval
        Between which values it lies in the middle share of resamples (percentiles). The index is
        bounded and can jump; read it as the spread, not as an exact confidence interval.
    favoured
        The share of resamples in which the index favours the first; half of those at 0 count.
    confidence
        That of the interval.
    """

    first: str
    second: str
    lc_index: float
    interval: Interval
    favoured: float
    confidence: float

    def __str__(self) -> str:
        return (
            f"{self.first} against {self.second}: LC index {self.lc_index:.2f} "
            f"({100 * self.confidence:.0f} % of resamples: {self.interval.low:.2f} to "
            f"{self.interval.high:.2f}); {self.first} is favoured in "
            f"{100 * self.favoured:.0f} % of them."
        )


def lc_intervals(
    y_true: Any,
    scores: Any,
    *,
    belief: Belief,
    prevalence: Any = None,
    reading: Reading = "envelope",
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[LcInterval, ...]:
    """Return the LC index of every pair of classifiers with its spread over resamples.

    Parameters
    ----------
    y_true, scores, pos_label, groups, replicates, seed, progress
        As for `rocch.bootstrap`.
    belief, prevalence, reading
        As for `rocch.compare_losses`.
    confidence
        The share of resamples that the interval holds.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.35
    >>> scores = {"lda": rng.normal(size=300) + 1.2 * y, "qda": rng.normal(size=300) + y}
    >>> expert = rocch.Belief.miss_costs(2, 20, likely=16)
    >>> (found,) = rocch.lc_intervals(y, scores, belief=expert, prevalence=0.35, replicates=200)
    >>> found.interval.low <= found.lc_index <= found.interval.high
    True
    """
    level = as_level(confidence)
    sample = Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
    check_several(sample.models)
    drawn = resampled(sample, replicates=replicates, seed=seed, progress=progress)
    believed = believed_on(drawn.judged, belief, prevalence)
    drawn.check_enough(level)
    pairs = combinations(drawn.models, 2)
    return tuple(_interval(drawn, pair, believed, reading, level) for pair in pairs)


def _interval(
    drawn: Bootstrap, pair: tuple[str, str], belief: Belief, reading: Reading, level: float
) -> LcInterval:
    first, second = pair
    seen = compare_losses(drawn.curve(first), drawn.curve(second), belief=belief, reading=reading)
    indices = _indices(drawn, pair, belief, _implied if reading == "implied" else _envelopes)
    low, high = np.quantile(indices, [(1 - level) / 2, (1 + level) / 2]).tolist()
    favoured = float(np.mean(indices > 0) + np.mean(indices == 0) / 2)
    return LcInterval(first, second, seen.lc_index, Interval(low, high), favoured, level)


def _indices(
    drawn: Bootstrap, pair: tuple[str, str], belief: Belief, signs_of: SignsOf
) -> FloatArray:
    """Return the index in each replicate."""
    axis = CostAxis(belief.fixed_prevalence)
    found = []
    for number in range(len(drawn)):
        signs = signs_of(drawn, pair, number, axis)
        masses = axis.masses(belief, signs.edges)
        found.append(float(masses.between @ signs.better + masses.at @ signs.at))
    return np.array(found)


def _envelopes(drawn: Bootstrap, pair: tuple[str, str], number: int, axis: CostAxis) -> Signs:
    """Compare the hulls of a replicate."""
    negatives, positives = drawn.totals[number].tolist()
    points = ([c.astype(np.int64) for c in drawn.hull(model)[number]] for model in pair)
    first, second = ((x, y) for x, y in points)
    return compare_envelopes(first, second).along(axis.weights(Judged(negatives, positives)))


def _implied(drawn: Bootstrap, pair: tuple[str, str], number: int, axis: CostAxis) -> Signs:
    """Compare losses of a replicate at the sample's own scores, which keep their thresholds."""
    replicate = drawn.replicate(number)
    first, second = (
        Scored(np.asarray(drawn.curve(model).thresholds), *replicate.counts(model))
        for model in pair
    )
    negatives, positives = replicate.totals
    prevalence: Any = axis.prevalence  # one number, or comparing the sample would have refused it
    return compare_implied(
        first, second, negatives=negatives, positives=positives, prevalence=prevalence
    )
