"""The bootstrap of curves and hulls: what else the sample might have shown."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError
from rocch.inputs import as_array, as_choice, as_level, as_progress, as_rate, as_whole
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals
from rocch.stats.replicates import Draws, HullRecord, Judgment, Rates, Replicate, known_model
from rocch.stats.sample import Sample, as_case, as_stated

if TYPE_CHECKING:
    from rocch.stats.bands import RocBand, ThresholdBox


# --- Intervals for the area under a curve, from its bootstrap replicates --------------------------
#
# - *logit*: normal on the scale of log(AUC / (1 - AUC)), with the bootstrap's standard error; it
#   stays inside (0, 1) by itself and keeps its coverage best where AUC is high and rows are few.
# - *bca*: percentiles moved for bias and skewness (Efron 1987), from the replicates and the rows'
#   influence, which for AUC are their placement values.
# - *percentile*, *basic*, *normal*: the classics, cut off at 0 and 1.
#
# Where the sample separates the classes perfectly every replicate does, and no replicate says how
# far the truth may be from 1. A bound that needs no bootstrap then takes over; see `perfect`.

METHODS = ("logit", "bca", "percentile", "basic", "normal")
STANDARD = NormalDist()


def auc_interval(drawn: Bootstrap, model: str, *, confidence: float, method: str) -> Interval:
    """Return an interval for the area under a model's curve; see `Bootstrap.auc_interval`."""
    as_choice(method, METHODS, "method")
    level, curve = as_level(confidence), drawn.curve(model)
    if curve.auc in (0, 1):
        return perfect(curve.auc, drawn.independent_pairs, level)
    drawn.check_enough(level)
    moves = influence(curve, drawn.sample) if method == "bca" else None
    return interval(method, curve.auc, drawn.auc(model), level, moves)


def interval(
    method: str,
    estimate: float,
    replicates: FloatArray,
    confidence: float,
    influence: FloatArray | None = None,
) -> Interval:
    """Return an interval for a quantity between 0 and 1 whose estimate is neither."""
    tail = (1 - confidence) / 2
    z = STANDARD.inv_cdf(1 - tail)
    error = float(replicates.std(ddof=1))
    if method == "logit":
        center, half = math.log(estimate / (1 - estimate)), z * error / (estimate * (1 - estimate))
        return Interval(_expit(center - half), _expit(center + half))
    if method == "normal":
        return _cut(estimate - z * error, estimate + z * error)
    shares = [tail, 1 - tail]
    if method == "bca" and influence is not None:
        shares = _moved_shares(estimate, replicates, influence, z)
    low, high = np.quantile(replicates, shares).tolist()
    return _cut(2 * estimate - high, 2 * estimate - low) if method == "basic" else _cut(low, high)


def perfect(auc: float, pairs: int, confidence: float) -> Interval:
    """Return an interval where the sample's AUC is exactly 0 or 1.

    With m pairs of a positive and a negative, no row (or cluster) in two of them, all m are ranked
    rightly with probability AUC ** m, whatever the scores' distribution. A true AUC below
    tail ** (1 / m) would therefore show a perfect sample with a probability below the tail's.
    """
    tail = (1 - confidence) / 2
    bound = tail ** (1 / pairs)
    return Interval(bound, 1.0) if auc == 1 else Interval(0.0, 1 - bound)


def influence(curve: RocCurve, sample: Sample) -> FloatArray:
    """Return how much each row, or each cluster, moves the AUC: centered placement values.

    A positive's placement is the share of negatives that it outranks, a negative's the share of
    positives that outrank it, ties half (DeLong, DeLong and Clarke-Pearson 1988).
    """
    scores = sample.models[curve.name].astype(np.float64)  # an alarm ranks above none
    steps = np.array([1.0, 0.0]) if curve.thresholds is None else curve.thresholds
    place = np.searchsorted(-steps, -scores)
    outranking, outranked = curve.fpr, curve.tpr
    placement = np.where(
        sample.positive,
        1 - (outranking[place] + outranking[place + 1]) / 2,
        (outranked[place] + outranked[place + 1]) / 2,
    )
    totals = np.where(sample.positive, curve.totals.positives, curve.totals.negatives)
    moves: FloatArray = (placement - curve.auc) / totals
    if sample.groups is None:
        return moves
    return np.asarray(np.bincount(sample.groups, weights=moves), dtype=np.float64)


def _moved_shares(
    estimate: float, replicates: FloatArray, influence: FloatArray, z: float
) -> list[float]:
    """Return the percentiles of BCa; ties with the estimate count half for the bias."""
    below = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
    share = below / (2 * replicates.size)
    least = 0.5 / replicates.size  # all replicates on one side: as far as they can tell
    bias = STANDARD.inv_cdf(min(max(share, least), 1 - least))
    spread = float(np.sum(influence**2)) ** 1.5
    skew = float(np.sum(influence**3)) / (6 * spread) if spread else 0.0
    return [STANDARD.cdf(bias + (bias + side) / (1 - skew * (bias + side))) for side in (-z, z)]


def _cut(low: float, high: float) -> Interval:
    return Interval(max(low, 0.0), min(high, 1.0))


def _expit(value: float) -> float:
    """Return the logistic function without overflow."""
    if value < 0:
        return math.exp(value) / (1 + math.exp(value))
    return 1 / (1 + math.exp(-value))


# --- What a bootstrap found: every replicate's areas, heights and hulls, and how to ask them ------

T = TypeVar("T")

SAME_COST = 1e-12
"""Costs that agree to 12 digits count as equal, as slopes do."""


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """What curves and hulls do when the rows are drawn again; `rocch.stats.bootstrap` makes it.

    Attributes
    ----------
    sample
        The labeled rows with all models' scores.
    seed
        What the draws follow from, together with each replicate's number.
    fprs
        The FPRs at which curves and hulls are read.
    totals
        Negatives and positives of each replicate; they vary only where clusters are drawn.
    aucs
        The area under each model's curve (columns) in each replicate (rows).
    tprs
        The TPR of each model's curve: models x replicates x FPRs. Where a curve goes straight up
        at an FPR its upper end counts, and points are joined by straight lines, as in
        `RocCurve.tpr_at`.
    hulls
        The vertices of each model's own hull in every replicate.
    joint
        Those of the joint hull.
    holders
        Whether a model holds a vertex of the joint hull other than its two ends.
    """

    sample: Sample
    seed: int
    fprs: FloatArray
    totals: IntArray
    aucs: FloatArray
    tprs: FloatArray
    hulls: Mapping[str, HullRecord]
    joint: HullRecord
    holders: BoolArray
    _judgment: Judgment
    _draws: Draws

    def __post_init__(self) -> None:
        for array in (self.fprs, self.totals, self.aucs, self.tprs, self.holders):
            array.flags.writeable = False

    def __repr__(self) -> str:
        what = "rows" if self.sample.groups is None else "clusters"
        of = f"{len(self)} replicates of {self._draws.units} {what}"
        return f"<Bootstrap: {of}, {', '.join(self.models)}>"

    def __len__(self) -> int:
        return len(self.aucs)

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names, in the order in which they were given."""
        return tuple(self.sample.models)

    @property
    def sample_totals(self) -> ClassTotals:
        """The sample's totals of both classes."""
        return self._judgment.curves[self.models[0]].totals

    @cached_property
    def sample_hull(self) -> RocHull:
        """The joint hull on the sample itself."""
        return self.sample.hull()

    def curve(self, model: str) -> RocCurve:
        """Return a model's curve on the sample itself."""
        return self._judgment.curves[known_model(model, self.models)]

    def auc(self, model: str) -> FloatArray:
        """Return the area under a model's curve in each replicate."""
        return self.aucs[:, self._place(model)]

    def tpr(self, model: str) -> FloatArray:
        """Return the TPR of a model's curve, replicates x FPRs."""
        heights: FloatArray = self.tprs[self._place(model)]
        return heights

    def hull(self, model: str | None = None) -> HullRecord:
        """Return the vertices of a model's own hull in every replicate, or of the joint hull."""
        return self.joint if model is None else self.hulls[known_model(model, self.models)]

    def hull_auc(self, model: str | None = None) -> FloatArray:
        """Return the area under a model's own hull in each replicate, or under the joint hull."""
        return self.hull(model).aucs

    def hull_tpr(self, model: str | None = None) -> FloatArray:
        """Return the TPR of a model's own hull, or of the joint hull, replicates x FPRs."""
        return self.hull(model).tpr_at(self.fprs)

    def least_cost(self, conditions: Conditions | Belief, model: str | None = None) -> FloatArray:
        """Return the least expected cost on a model's own hull in each replicate, or on the joint.

        Conditions must be exact; an "observed" prevalence is the sample's, in every replicate.
        Under a belief (with a unit of cost) it is the cost to be expected of one fixed choice.
        """
        return self.hull(model).least_costs(self.case(conditions))

    def wins(self, conditions: Conditions | Belief) -> dict[str, float]:
        """Return the share of replicates in which each model is the cheapest.

        Each is used at its best point for these exact conditions. Where several are equally cheap
        they share the replicate equally; so all do where never or always alarming is best.
        """
        case = self.case(conditions)
        costs = np.stack([self.hulls[model].least_costs(case) for model in self.models])
        best = costs <= costs.min(axis=0) * (1 + SAME_COST)
        return self._named((best / best.sum(axis=0)).mean(axis=1))

    def on_hull(self) -> dict[str, float]:
        """Return the share of replicates in which each model holds a vertex of the joint hull.

        The two ends, which every model reaches, do not count.
        """
        return self._named(self.holders.mean(axis=0))

    def auc_interval(
        self,
        model: str,
        *,
        confidence: float = 0.95,
        method: Literal["logit", "bca", "percentile", "basic", "normal"] = "logit",
    ) -> Interval:
        """Return an interval for the area under a model's curve, from the replicates."""
        return auc_interval(self, model, confidence=confidence, method=method)

    def band(
        self,
        model: str | None = None,
        *,
        kind: Literal["vertical", "simultaneous"],
        method: Literal["bootstrap", "kolmogorov"] = "bootstrap",
        confidence: float = 0.95,
    ) -> RocBand:
        """Return a band around a model's curve, or around the joint hull; see `RocBand`."""
        from rocch.stats.bands import band_of

        return band_of(self, model, kind=kind, method=method, confidence=confidence)

    def boxes(
        self, model: str, thresholds: Any, *, confidence: float = 0.95
    ) -> tuple[ThresholdBox, ...]:
        """Return a box around each of some fixed thresholds' points; see `ThresholdBox`."""
        from rocch.stats.bands import boxes_of

        return boxes_of(self, model, thresholds, confidence=confidence)

    def rates_at(self, thresholds: Mapping[str, Any]) -> dict[str, Rates]:
        """Return the rates of fixed thresholds in each replicate, on the same draws.

        Parameters
        ----------
        thresholds
            Names of models to a threshold each, or to several. A model that only labels has one
            point and takes None.

        Returns
        -------
        dict
            Names of models to `Rates`, whose arrays have one value for each replicate, or one
            row where several thresholds were given.
        """
        from rocch.stats.replicates import rates_at

        return rates_at(self, thresholds)

    def map(self, statistic: Callable[[Replicate], T]) -> list[T]:
        """Return what any function of a `Replicate` gives on each, on the same draws as all else.

        Examples
        --------
        >>> import rocch
        >>> y, s = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]
        >>> drawn = rocch.stats.bootstrap(y, {"nb": s}, replicates=4)
        >>> drawn.map(lambda replicate: replicate.auc("nb")) == drawn.auc("nb").tolist()
        True
        """
        return [statistic(self.replicate(number)) for number in range(len(self))]

    def replicate(self, number: int) -> Replicate:
        """Return one replicate, drawn again exactly as it was."""
        if as_whole(number, "number", least=0, hint="Replicates count from 0.") >= len(self):
            raise InputError(
                "number", f"be below {len(self)}, the number of replicates", number, "See len(...)."
            )
        return Replicate(number, self._draws.multiplicities(number), self._judgment, self._draws)

    def check_enough(self, level: float) -> None:
        """Refuse an interval from so few replicates that none is expected beyond either end."""
        least = math.ceil(2 / (1 - level) - 1e-9)
        if len(self) < least:
            raise InputError(
                "replicates",
                f"be at least {least} for a confidence of {level:g}",
                len(self),
                "2000 serve intervals and bands well.",
            )

    @property
    def independent(self) -> tuple[int, int]:
        """How many independent things hold a negative, and a positive: rows, or clusters."""
        return self._draws.held

    @property
    def independent_pairs(self) -> int:
        """How many pairs of a positive and a negative have no row, or cluster, in common."""
        pairs = min(self.independent)
        return pairs if self.sample.groups is None else min(pairs, self._draws.units // 2)

    def case(self, conditions: Conditions | Belief) -> Case:
        """Return exact conditions as a case; for a belief, the one that costs what is expected."""
        return as_case(as_stated(conditions, None, "conditions").resolved(self.sample_totals))

    def _place(self, model: str) -> int:
        return self.models.index(known_model(model, self.models))

    def _named(self, shares: FloatArray) -> dict[str, float]:
        return dict(zip(self.models, shares.tolist(), strict=True))


# --- The bootstrap of curves and hulls: what else the sample might have shown ---------------------

EVEN_FPRS = 101
"""So many FPRs from 0 to 1 are read where none are named."""

THREADS_FROM = 30_000
"""With fewer rows threads wait for the interpreter more than they gain."""

CHUNK = 50
"""So many replicates a thread takes at a time."""


def bootstrap(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    seed: int = 0,
    fprs: Any = None,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Bootstrap:
    """Draw the rows again and again, and judge all models on each draw.

    Rows are drawn with replacement within each class, so that class totals stay; with `groups`
    whole clusters are drawn, and totals vary. All models are judged on the same draws (paired).
    Replicate number r depends on the seed and r alone, not on threads or on how many there are.

    Parameters
    ----------
    y_true, pos_label
        Labels, as for `RocCurve.from_scores`.
    scores
        Names of models to their scores on these rows; Boolean alarms for a model that only labels.
    groups
        The cluster (patient, document) that each row belongs to, where rows come in clusters.
        A replicate that lacks a class is drawn again.
    replicates
        How often to draw.
    seed
        A whole number that the draws follow from.
    fprs
        Where to read the curves: rising FPRs from 0 to 1; by default 101 even ones.
    workers
        How many threads to use; by default one for each processor where there are many rows. The
        answer is the same.
    progress
        Is called now and then with how many replicates are done, and how many there will be.

    Returns
    -------
    Bootstrap

    Raises
    ------
    InputError
        If there are fewer than two rows of a class, or fewer than two clusters that hold one.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(400) < 0.3
    >>> drawn = rocch.stats.bootstrap(y, {"a": rng.normal(size=400) + y, "b": rng.normal(size=400)})
    >>> low, high = drawn.auc_interval("a")
    >>> low < drawn.curve("a").auc < high
    True
    >>> equal = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
    >>> drawn.wins(equal)["a"] > 0.99
    True
    """
    sample = Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
    return resampled(
        sample, replicates=replicates, seed=seed, fprs=fprs, workers=workers, progress=progress
    )


def resampled(
    sample: Sample,
    *,
    replicates: int,
    seed: int,
    fprs: Any = None,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Bootstrap:
    """Draw the rows of a sample again and again; see `bootstrap`."""
    many = as_whole(replicates, "replicates", least=2, hint="2000 serve intervals and bands well.")
    stream = as_whole(seed, "seed", least=0, hint="Any whole number will do.")
    grid = as_fprs(fprs)
    threads = (os.cpu_count() or 1) if len(sample) >= THREADS_FROM else 1
    if workers is not None:
        threads = as_whole(workers, "workers", least=1, hint="Leave it out to let rocch choose.")
    walked = len(sample) * len(sample.models) * many
    draws = Draws(sample.positive, sample.groups, stream, walked)
    tell = as_progress(progress)
    return _gather(Judgment.of(sample), draws, many, grid, threads, tell)


class _Row(NamedTuple):
    """What is kept of one replicate."""

    totals: tuple[int, int]
    aucs: list[float]
    tprs: list[FloatArray]
    hulls: list[tuple[IntArray, IntArray]]
    joint: tuple[IntArray, IntArray]
    holders: BoolArray


def _gather(
    judgment: Judgment,
    draws: Draws,
    replicates: int,
    fprs: FloatArray,
    threads: int,
    tell: Callable[[int, int], object],
) -> Bootstrap:
    judge = partial(_judge, judgment, draws, fprs)
    chunks = [range(s, min(s + CHUNK, replicates)) for s in range(0, replicates, CHUNK)]
    rows: list[_Row] = []
    with ThreadPoolExecutor(min(threads, len(chunks))) as pool:
        for part in pool.map(lambda chunk: list(map(judge, chunk)), chunks):
            rows += part
            tell(len(rows), replicates)
    totals, aucs, tprs, hulls, joint, holders = zip(*rows, strict=True)
    sizes = np.array(totals)
    own = zip(judgment.curves, zip(*hulls, strict=True), strict=True)
    return Bootstrap(
        sample=judgment.sample,
        seed=draws.seed,
        fprs=fprs,
        totals=sizes,
        aucs=np.array(aucs),
        tprs=np.stack([np.array(column) for column in zip(*tprs, strict=True)]),
        hulls={model: HullRecord.of(column, sizes) for model, column in own},
        joint=HullRecord.of(joint, sizes),
        holders=np.array(holders),
        _judgment=judgment,
        _draws=draws,
    )


def _judge(judgment: Judgment, draws: Draws, fprs: FloatArray, number: int) -> _Row:
    replicate = Replicate(number, draws.multiplicities(number), judgment, draws)
    models = list(judgment.paths)
    joint, holders = replicate.joint
    return _Row(
        replicate.totals,
        [replicate.auc(model) for model in models],
        [replicate.tpr_at(model, fprs) for model in models],
        [replicate.hull(model) for model in models],
        joint,
        holders,
    )


def as_fprs(fprs: Any) -> FloatArray:
    """Return the FPRs at which to read curves: rising, from 0 to 1."""
    if fprs is None:
        return np.linspace(0, 1, EVEN_FPRS)
    rates = [as_rate(rate, "fprs") for rate in as_array(fprs, "fprs").tolist()]
    grid = np.array(rates)
    if (np.diff(grid) <= 0).any():
        raise InputError("fprs", "rise", "some that do not", "Sort them and name each once.")
    return grid
