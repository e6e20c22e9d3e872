"""Who is best where among many, and how well the LC index is known from the rows at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, describe_type
from rocch.inputs import as_level
from rocch.kernels.envelopes import Scored, Signs, compare_envelopes, compare_implied, positions
from rocch.roc.belief import Belief
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ALWAYS, NEVER, ClassTotals
from rocch.stats.losses import (
    ROUNDING,
    AxisName,
    CostAxis,
    Masses,
    Reading,
    believed_on,
    check_whole,
    compare_losses,
    percent,
)
from rocch.stats.resampling import Bootstrap, resampled
from rocch.stats.sample import Sample, check_several

if TYPE_CHECKING:
    SignsOf = Callable[[Bootstrap, tuple[str, str], int, CostAxis], Signs]


# --- Who is best where among many, and for how much of what is believed ---------------------------
#
# The hull of all classifiers says who is best at each point of the cost axis (Provost and Fawcett,
# Table 2, in terms of slopes); a belief weighs the points (Adams and Hand).

MOST = 4
"""So many followers are named in a sentence."""


@dataclass(frozen=True, slots=True)
class BestStretch:
    """A stretch of the cost axis and everyone who is best there.

    Attributes
    ----------
    low, high
        Its ends, on the axis.
    classifiers
        Names of those who lose least, sorted; "never" or "always" where alarming never or always
        loses less than everyone.
    mass
        How much of the belief lies on it.
    """

    low: float
    high: float
    classifiers: tuple[str, ...]
    mass: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How one classifier stands among all.

    Attributes
    ----------
    classifier
        Its name.
    alone, shared
        Belief that it alone is best, and that it is best together with others.
    stretches
        Where it is best, as pairs of ends on the axis.
    """

    classifier: str
    alone: float
    shared: float
    stretches: tuple[tuple[float, float], ...]

    @property
    def mass(self) -> float:
        """Belief that nobody is better."""
        return self.alone + self.shared


class _Best(NamedTuple):
    """Names of the best on each stretch between edges."""

    edges: FloatArray
    names: list[tuple[str, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class Superiority:
    """Who is best where among many, under a belief. Made by `rank_under_belief`.

    Attributes
    ----------
    hull
        The hull of all classifiers.
    belief
        What was believed, with its prevalence.
    axis, prevalence
        As in `LossComparison`.
    standings
        One row for each classifier, the one most believed to be best first; rows for "never" and
        "always" where they alone are best.
    stretches
        The axis from 0 to 1, with everyone who is best on each stretch.
    error
        Bound on the error of each mass, beyond rounding.
    """

    hull: RocHull
    belief: Belief
    cost_axis: CostAxis
    _best: _Best
    _masses: Masses

    def __str__(self) -> str:
        first, *others = [row for row in self.standings if row.mass > ROUNDING]
        said = f"{first.classifier} is best for {percent(first.mass)} of what you believe"
        said += "".join(f", {row.classifier} for {percent(row.mass)}" for row in others[:MOST])
        if len(others) > MOST:
            said += f", {len(others) - MOST} more for the rest"
        shared = any(row.shared > ROUNDING for row in others)
        return said + ("; who shares a win is counted too." if shared else ".")

    def __repr__(self) -> str:
        return f"<Superiority of {len(self.hull.members)} classifier(s): {self}>"

    @property
    def axis(self) -> AxisName:
        """What the axis of the stretches is."""
        return self.cost_axis.name

    @property
    def prevalence(self) -> float | None:
        """The prevalence, if it is one number."""
        return self.cost_axis.prevalence

    @property
    def error(self) -> float:
        """Bound on the error of each mass, beyond rounding."""
        return self._masses.error * 2 * len(self._best.names)

    @cached_property
    def stretches(self) -> tuple[BestStretch, ...]:
        """The axis from 0 to 1, with everyone who is best on each stretch."""
        edges = self._best.edges.tolist()
        parts = zip(edges, edges[1:], self._best.names, self._masses.between.tolist(), strict=False)
        found = []
        for names, run in groupby(parts, key=lambda part: part[2]):
            group = list(run)
            mass = sum(part[3] for part in group)
            found.append(BestStretch(group[0][0], group[-1][1], names, mass))
        return tuple(found)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """How each classifier stands, the one most believed to be best first."""
        names = [member.name for member in self.hull.members]
        trivial = {name for holders in self._best.names for name in holders} & {NEVER, ALWAYS}
        rows = [self._standing(name) for name in (*names, *sorted(trivial, reverse=True))]
        return tuple(sorted(rows, key=lambda row: -row.mass))

    def _standing(self, name: str) -> Standing:
        """Sum up; at an edge, whoever is best on either side is best."""
        best = self._best.names
        at_edges = [
            {*best[max(i - 1, 0)], *best[min(i, len(best) - 1)]} for i in range(len(best) + 1)
        ]
        masses = [*self._masses.between.tolist(), *self._masses.at.tolist()]
        alone = shared = 0.0
        for holders, mass in zip((*best, *at_edges), masses, strict=True):
            if name in holders:
                alone, shared = (
                    (alone + mass, shared) if len(holders) == 1 else (alone, shared + mass)
                )
        return Standing(name, alone, shared, self._where(name))

    def _where(self, name: str) -> tuple[tuple[float, float], ...]:
        """Return the stretches of one classifier, touching ones joined."""
        found: list[tuple[float, float]] = []
        for stretch in self.stretches:
            if name not in stretch.classifiers:
                continue
            if found and found[-1][1] == stretch.low:
                found[-1] = (found[-1][0], stretch.high)
            else:
                found.append((stretch.low, stretch.high))
        return tuple(found)

    def pairwise(self) -> dict[tuple[str, str], float]:
        """Return the LC index of every pair: positive where the first is better.

        Each classifier is used at its own best threshold, and may also never or always alarm.
        """
        alone = {m.name: RocHull(self.hull.totals, (m,)) for m in self.hull.members}
        found = {}
        for (a, first), (b, second) in combinations(alone.items(), 2):
            index = compare_losses(first, second, belief=self.belief, names=(a, b)).lc_index
            found[a, b], found[b, a] = index, 0.0 - index
        return found


def rank_under_belief(
    classifiers: RocHull | RocCurve | Iterable[RocCurve] | Mapping[str, RocCurve],
    *,
    belief: Belief,
    prevalence: Any = None,
    allow_different_rows: bool = False,
) -> Superiority:
    """Say who is best where among many classifiers, and for how much of what is believed.

    Parameters
    ----------
    classifiers
        Their hull, or their curves.
    belief, prevalence
        As for `compare_losses`.
    allow_different_rows
        Accept classifiers judged on different rows.

    Returns
    -------
    Superiority

    Notes
    -----
    As in `RocHull.slope_ranges`, a scoring classifier that holds a vertex of the hull is credited
    with the hull's ends too, because it can never or always alarm; "never" and "always" get only
    what is theirs alone.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> hull = rocch.RocHull.from_scores(
    ...     y, {"nb": [1, 2, 6, 5, 4, 7], "gbm": [3, 4, 5, 2, 6, 7]}
    ... )
    >>> expert = rocch.Belief.miss_costs(0.5, 2)
    >>> best = rocch.stats.rank_under_belief(hull, belief=expert, prevalence=0.5)
    >>> print(best)
    nb is best for 50 % of what you believe, gbm for 50 %.
    """
    hull = _as_hull(classifiers, allow_different_rows)
    believed = believed_on(hull.totals, belief, prevalence)
    axis = CostAxis(believed.fixed_prevalence)
    best = _best(hull, axis)
    return Superiority(hull, believed, axis, best, axis.masses(believed, best.edges))


def _as_hull(given: Any, allow_different_rows: bool) -> RocHull:
    if isinstance(given, RocHull):
        check_whole(given, "classifiers")
        return given
    curves = [given] if isinstance(given, RocCurve) else given
    curves = curves.values() if isinstance(curves, Mapping) else curves
    if isinstance(curves, str | bytes) or not isinstance(curves, Iterable):
        raise InputError(
            "classifiers",
            "be a RocHull or RocCurve objects",
            describe_type(given),
            "Use RocHull.from_scores for scores.",
        )
    hull = RocHull.of(*curves, allow_different_rows=allow_different_rows)
    check_whole(hull, "classifiers")
    return hull


def _best(hull: RocHull, axis: CostAxis) -> _Best:
    """Place the hull's turns on the axis; a vertex is best between its two segments' odds."""
    run, rise = np.diff(hull.false_positives), np.diff(hull.true_positives)
    inner = positions(run, rise, axis.weights(hull.totals))
    edges = np.concatenate(([0.0], inner, [1.0]))
    longer = np.diff(edges) > 0
    names = [tuple(dict.fromkeys(vertex.classifiers)) for vertex in hull.vertices]
    kept = [names[i] for i in np.flatnonzero(longer)]
    return _Best(edges[np.append(longer, True)], kept)


# --- How well the LC index is known from the rows at hand -----------------------------------------
#
# Adams and Hand (section 6) leave its spread open. There are two doubts about an index: about the
# conditions, which the belief weighs, and about the curves, which are estimates. The index answers
# the first; here the rows are drawn again to show the second.


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
    favored
        The share of resamples in which the index favors the first; half of those at 0 count.
    confidence
        That of the interval.
    """

    first: str
    second: str
    lc_index: float
    interval: Interval
    favored: float
    confidence: float

    def __str__(self) -> str:
        return (
            f"{self.first} against {self.second}: LC index {self.lc_index:.2f} "
            f"({100 * self.confidence:.0f} % of resamples: {self.interval.low:.2f} to "
            f"{self.interval.high:.2f}); {self.first} is favored in "
            f"{100 * self.favored:.0f} % of them."
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
        As for `rocch.stats.bootstrap`.
    belief, prevalence, reading
        As for `rocch.stats.compare_losses`.
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
    >>> (found,) = rocch.stats.lc_intervals(
    ...     y, scores, belief=expert, prevalence=0.35, replicates=200
    ... )
    >>> found.interval.low <= found.lc_index <= found.interval.high
    True
    """
    level = as_level(confidence)
    sample = Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
    check_several(sample.models)
    drawn = resampled(sample, replicates=replicates, seed=seed, progress=progress)
    believed = believed_on(drawn.sample_totals, belief, prevalence)
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
    favored = float(np.mean(indices > 0) + np.mean(indices == 0) / 2)
    return LcInterval(first, second, seen.lc_index, Interval(low, high), favored, level)


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
    return compare_envelopes(first, second).along(axis.weights(ClassTotals(negatives, positives)))


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
