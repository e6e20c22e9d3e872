"""The bootstrap of curves and hulls."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.device import DeviceRows
from rocch.errors import Hint, InputError, UndefinedError
from rocch.inputs import (
    as_array,
    as_choice,
    as_columns,
    as_level,
    as_rate,
    as_whole,
    check_known,
    is_number,
)
from rocch.kernels import resampling
from rocch.kernels.engine import engine_for
from rocch.kernels.hull import counts_within, highest_tpr_of_counts, interpolate_tpr
from rocch.kernels.resampling import RankedRows, Walk, cumulative, join_hulls, path_of
from rocch.progress import Verbose, track
from rocch.results import Records, Table, Tabular, shorten
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals
from rocch.rows import ScoredRows, as_groups
from rocch.stats.arguments import as_costs_or_belief, expected_case
from rocch.stats.auc import (
    METHODS,
    IntervalMethod,
    auc_influence,
    perfect_auc_interval,
    replicate_interval,
)
from rocch.svg import Mark, draw_intervals

if TYPE_CHECKING:  # which build on this module
    from rocch.stats.bands import BandMethod, Kind, RocBand, ThresholdBox

T = TypeVar("T")


# The default number of FPRs from 0 to 1.
EVEN_FPRS = 101

# With fewer rows threads do not pay.
THREADS_FROM = 30_000

# Replicates that a thread takes at a time.
CHUNK = 50

# Costs that agree to 12 digits count as equal, as slopes do.
SAME_COST = 1e-12

# From this on products of counts are computed with Python's integers.
SAFE_AREA = 2**62

ENOUGH = "2000 serve intervals and bands well."


def check_replicates(count: object, level: float) -> None:
    """Refuse too few replicates for an interval."""
    least = _fewest_replicates(level)
    if as_whole(count, "replicates", least=2, hint=ENOUGH) < least:
        requirement = f"be at least {least} for a confidence of {level:g}"
        raise InputError("replicates", requirement, count, ENOUGH)


def _fewest_replicates(level: float) -> int:
    return math.ceil(2 / (1 - level) - 1e-9)


class Multiplicities(NamedTuple):
    """How often a replicate holds each negative and each positive."""

    negatives: IntArray
    positives: IntArray


@dataclass(frozen=True, eq=False)
class Resampler:
    """The design of a bootstrap: rows drawn within their class, or whole groups.

    A replicate depends on `random_state` and its number alone. `walked`, the number of rows that
    walks pass, decides the engine.
    """

    rows: ScoredRows | DeviceRows
    random_state: int
    walked: int = 0

    def __post_init__(self) -> None:
        grouped = self.rows.groups is not None
        what, argument = ("groups", "groups") if grouped else ("rows", "y_true")
        for count, kind in zip(self.units_by_class, ("negative", "positive"), strict=True):
            if count < 2:  # every draw from one is the same
                requirement = f"hold at least two {what} with a {kind} label"
                raise InputError(argument, requirement, "one", "Evaluate more rows.")

    def draw(self, number: int) -> Multiplicities:
        """Return how often a replicate holds each row."""
        stream = np.random.default_rng(
            np.random.SeedSequence(self.random_state, spawn_key=(number,))
        )
        if self.rows.groups is None:
            return Multiplicities(*(self._tally(stream, size) for size in self.units_by_class))
        while True:
            drawn = self._tally(stream, self.units)
            found = Multiplicities(*(drawn[groups] for groups in self._groups))
            if found.negatives.any() and found.positives.any():
                return found

    @cached_property
    def curves(self) -> Mapping[str, RocCurve]:
        """Each classifier's curve on the sample."""
        return {name: RocCurve.from_rows(self.rows, name) for name in self.rows.scores}

    @cached_property
    def paths(self) -> Mapping[str, RankedRows]:
        """Each classifier's rows, sorted once for all replicates."""
        return {
            name: path_of(self.rows.orders(name), curve.false_positives, curve.true_positives)
            for name, curve in self.curves.items()
        }

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "curves": self.curves, "paths": self.paths}

    @property
    def engine(self) -> ModuleType:
        """The module that tallies and walks; not stored, so that resamplers can be pickled."""
        return engine_for(resampling, self.walked)

    @property
    def units(self) -> int:
        """The number of groups to draw, or of rows."""
        return len(self.rows) if self.rows.groups is None else int(self.rows.groups.max()) + 1

    @cached_property
    def units_by_class(self) -> tuple[int, int]:
        """The numbers of units that hold each class."""
        if self.rows.groups is None:
            return self.rows.totals
        negatives, positives = (np.unique(groups).size for groups in self._groups)
        return negatives, positives

    def _tally(self, stream: np.random.Generator, size: int) -> IntArray:
        counts: IntArray = self.engine.tally(stream.integers(0, size, size), size)
        return counts

    @cached_property
    def _groups(self) -> tuple[IntArray, IntArray]:
        groups, positive = np.asarray(self.rows.groups), self.rows.on_host.positive
        return groups[~positive], groups[positive]


@dataclass(frozen=True, eq=False, repr=False)
class Replicate:
    """The rows of one replicate, and all models' results on them."""

    number: int
    _resampler: Resampler
    _walks: dict[str, Walk] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Replicate {self.number} of {', '.join(self._resampler.paths)}>"

    @cached_property
    def drawn(self) -> Multiplicities:
        """How often each negative and each positive was drawn."""
        return self._resampler.draw(self.number)

    @cached_property
    def multiplicities(self) -> IntArray:
        """How often each row of the sample was drawn."""
        positive = self._resampler.rows.on_host.positive
        rows = np.empty(positive.size, dtype=np.int64)
        rows[~positive], rows[positive] = self.drawn
        return rows

    @cached_property
    def totals(self) -> tuple[int, int]:
        """The numbers of negatives and of positives."""
        negatives, positives = (int(part.sum(dtype=np.int64)) for part in self.drawn)
        return negatives, positives

    def counts(self, model: str) -> tuple[IntArray, IntArray]:
        """Return false and true positives at the thresholds of a model's curve."""
        path, curve = self._path(model), self._resampler.curves[model]
        return (
            cumulative(self.drawn.negatives, path.negatives)[curve.false_positives],
            cumulative(self.drawn.positives, path.positives)[curve.true_positives],
        )

    def auc(self, model: str) -> float:
        """Return the area under a model's curve."""
        negatives, positives = self.totals
        return self.walk(model).twice_area / (2 * negatives * positives)

    def tpr_at(self, model: str, fprs: FloatArray) -> FloatArray:
        """Return the highest TPR of a model's curve at each FPR."""
        walk = self.walk(model)
        return highest_tpr_of_counts(walk.false_positives, walk.true_positives, self.totals, fprs)

    def hull(self, model: str | None = None) -> tuple[IntArray, IntArray]:
        """Return false and true positives at the vertices of a model's hull, or of the joint."""
        return self.joint[0] if model is None else self.walk(model).vertices

    @cached_property
    def joint(self) -> tuple[tuple[IntArray, IntArray], BoolArray]:
        """The joint hull's vertices, and which models hold one that is not an end."""
        return join_hulls([self.walk(model).vertices for model in self._resampler.paths])

    def walk(self, model: str) -> Walk:
        """Return a model's path, hull and area."""
        if model not in self._walks:
            self._walks[model] = self._resampler.engine.walk(self._path(model), *self.drawn)
        return self._walks[model]

    def _path(self, model: str) -> RankedRows:
        check_known([model], self._resampler.paths, "model", "models")
        return self._resampler.paths[model]


class Rates(NamedTuple):
    """FPR and TPR: replicates x thresholds, or replicates alone for one threshold."""

    fpr: FloatArray
    tpr: FloatArray


def predicted_positives(rows: ScoredRows, model: str, thresholds: ArrayLike | None) -> BoolArray:
    """Return which rows reach a threshold; for several thresholds, one row each."""
    check_known([model], rows.scores, "model", "models")
    scores = rows.scores[model]
    if scores.dtype == bool:
        if thresholds is not None:
            raise UndefinedError(
                f"{model} outputs labels only, so it has no threshold to move.",
                hint=Hint("Pass None."),
            )
        return scores.astype(bool)
    wanted = np.asarray(thresholds)
    if wanted.ndim > 1 or not all(map(is_number, np.atleast_1d(wanted).tolist())):
        raise InputError("thresholds", "be a number or a list of numbers", repr(thresholds))
    reached: BoolArray = scores >= wanted[..., None]
    return reached


@dataclass(frozen=True, eq=False)
class HullRecord:
    """One hull's vertices in every replicate, end to end.

    `starts` is where each replicate begins, and the end.
    """

    false_positives: IntArray
    true_positives: IntArray
    starts: IntArray
    totals: IntArray

    def __post_init__(self) -> None:
        for array in (self.false_positives, self.true_positives, self.starts, self.totals):
            array.flags.writeable = False

    @classmethod
    def of(cls, hulls: Sequence[tuple[IntArray, IntArray]], totals: IntArray) -> Self:
        """Lay the vertices of many hulls end to end, in the smallest integers."""
        small = np.int32 if int(totals.max()) < 2**31 else np.int64
        x, y = (np.concatenate(columns).astype(small) for columns in zip(*hulls, strict=True))
        starts = np.cumsum([0, *(fp.size for fp, _ in hulls)])
        return cls(x, y, starts, totals.view())

    def __len__(self) -> int:
        return self.starts.size - 1

    def __getitem__(self, replicate: int) -> tuple[IntArray, IntArray]:
        part = slice(self.starts[replicate], self.starts[replicate + 1])
        return self.false_positives[part], self.true_positives[part]

    @cached_property
    def aucs(self) -> FloatArray:
        """The area under the hull in each replicate."""
        x, y = self.false_positives.astype(np.int64), self.true_positives.astype(np.int64)
        if 2 * int(x.max()) * int(y.max()) >= SAFE_AREA:
            x, y = x.astype(object), y.astype(object)
        strips = np.diff(x) * (y[1:] + y[:-1])
        strips[self.starts[1:-1] - 1] = 0  # from one replicate's end to the next one's start
        areas = np.add.reduceat(strips, self.starts[:-1]).tolist()
        pairs = zip(areas, self.totals.tolist(), strict=True)
        return np.array(
            [area / (2 * negatives * positives) for area, (negatives, positives) in pairs]
        )

    def tpr_at(self, fprs: FloatArray) -> FloatArray:
        """Return the highest TPR of each hull (rows) at each FPR (columns)."""
        negatives = self.totals[:, :1]
        stride = int(negatives.max()) + 1
        offset = np.arange(len(self)) * stride
        keys = self.false_positives + np.repeat(offset, np.diff(self.starts))
        wanted = counts_within(fprs, negatives) + offset[:, None]
        left = np.searchsorted(keys, wanted, side="right") - 1
        right = np.minimum(left + 1, self.starts[1:, None] - 1)
        x, y = self.rates
        return interpolate_tpr((x[left], y[left]), (x[right], y[right]), fprs)

    def least_costs(self, case: Case) -> FloatArray:
        """Return the least expected cost on each hull."""
        costs: FloatArray = np.minimum.reduceat(case.cost(*self.rates), self.starts[:-1])
        return costs

    def least_expected_costs(self, belief: Belief) -> FloatArray:
        """Return the expected cost on each hull if conditions are known before choosing."""
        x, y = self.rates
        runs, rises = np.diff(x), np.diff(y)
        with np.errstate(invalid="ignore"):
            upper = np.append(runs / (runs + rises), 1.0)
        upper[self.starts[1:] - 1] = 1.0
        points, place = np.unique(upper, return_inverse=True)
        alarm, miss = belief.cumulative_weights(points)
        costs = np.zeros(len(self))
        for weights, height in ((alarm, x), (miss, 1 - y)):
            reached = weights[place]
            before = np.append(0.0, reached[:-1])
            before[self.starts[:-1]] = 0.0
            costs += np.add.reduceat((reached - before) * height, self.starts[:-1])
        return costs

    @cached_property
    def rates(self) -> tuple[FloatArray, FloatArray]:
        """FPR and TPR at all vertices."""
        negatives, positives = np.repeat(self.totals, np.diff(self.starts), axis=0).T
        return self.false_positives / negatives, self.true_positives / positives


# That of the intervals in a table of areas.
CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(Tabular):
    """Curves and hulls of resampled rows; see `rocch.stats.bootstrap`.

    Attributes
    ----------
    sample
        The labeled rows with all models' scores.
    fprs
        The FPRs at which curves and hulls are read.
    totals
        Negatives and positives of each replicate.
    aucs
        Replicates x models.
    tprs
        Models x replicates x FPRs.
    hulls, joint
        The vertices of each model's hull, and of the joint hull.
    holders
        Whether a model holds a vertex of the joint hull other than its ends.
    """

    sample: ScoredRows
    random_state: int
    fprs: FloatArray
    totals: IntArray
    aucs: FloatArray
    tprs: FloatArray
    hulls: Mapping[str, HullRecord]
    joint: HullRecord
    holders: BoolArray
    _resampler: Resampler

    def __post_init__(self) -> None:
        for array in (self.fprs, self.totals, self.aucs, self.tprs, self.holders):
            array.flags.writeable = False

    def __repr__(self) -> str:
        what = "rows" if self.sample.groups is None else "groups"
        of = f"{len(self)} replicates of {self._resampler.units} {what}"
        return shorten(f"<Bootstrap: {of}, {', '.join(self.models)}>", end=">")

    def _columns(self) -> Table:
        """Return each model's area on the sample and over the replicates."""
        enough = len(self) >= _fewest_replicates(CONFIDENCE)
        ends = [self.auc_interval(m) if enough else (None, None) for m in self.models]
        return {
            "model": self.models,
            "auc": [self.curve(model).auc for model in self.models],
            "mean_auc": self.aucs.mean(axis=0),
            "standard_error": self.aucs.std(axis=0, ddof=1),
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "on_hull_in": self.holders.mean(axis=0),
        }

    def _picture(self) -> str:
        columns = {name: list(values) for name, values in self._columns().items()}
        rows = zip(*(columns[name] for name in ("model", "low", "high", "auc")), strict=True)
        label = f"AUC ({100 * CONFIDENCE:g}% intervals)"
        return draw_intervals([Mark(*row) for row in rows], label)

    def __len__(self) -> int:
        return len(self.aucs)

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names, in the given order."""
        return tuple(self.sample.scores)

    @property
    def sample_totals(self) -> ClassTotals:
        """The sample's class totals."""
        return self._resampler.curves[self.models[0]].totals

    @cached_property
    def sample_hull(self) -> RocHull:
        """The joint hull on the sample."""
        return RocHull.of(*self._resampler.curves.values())

    def curve(self, model: str) -> RocCurve:
        """Return a model's curve on the sample."""
        return self._resampler.curves[self._known(model)]

    def auc(self, model: str) -> FloatArray:
        """Return the area under a model's curve in each replicate."""
        return self.aucs[:, self.models.index(self._known(model))]

    def tpr(self, model: str) -> FloatArray:
        """Return the TPR of a model's curve, replicates x FPRs."""
        tprs: FloatArray = self.tprs[self.models.index(self._known(model))]
        return tprs

    def hull(self, model: str | None = None) -> HullRecord:
        """Return the vertices of a model's hull, or of the joint hull."""
        return self.joint if model is None else self.hulls[self._known(model)]

    def hull_auc(self, model: str | None = None) -> FloatArray:
        """Return the area under a model's hull, or under the joint hull."""
        return self.hull(model).aucs

    def hull_tpr(self, model: str | None = None) -> FloatArray:
        """Return the TPR of a model's hull, or of the joint hull, replicates x FPRs."""
        return self.hull(model).tpr_at(self.fprs)

    def least_cost(self, conditions: Conditions | Belief, model: str | None = None) -> FloatArray:
        """Return the least expected cost on a model's hull, or the joint hull, in each replicate.

        Under a belief it is the expected cost of one fixed choice.
        """
        return self.hull(model).least_costs(self.case(conditions))

    def wins(self, conditions: Conditions | Belief) -> dict[str, float]:
        """Return the share of replicates in which each model is the cheapest; ties share."""
        case = self.case(conditions)
        costs = np.stack([self.hulls[model].least_costs(case) for model in self.models])
        best = costs <= costs.min(axis=0) * (1 + SAME_COST)
        return self._by_model((best / best.sum(axis=0)).mean(axis=1))

    def on_hull(self) -> dict[str, float]:
        """Return the share of replicates in which each model is on the joint hull, ends apart."""
        return self._by_model(self.holders.mean(axis=0))

    def auc_interval(
        self,
        model: str,
        *,
        confidence: float = 0.95,
        method: IntervalMethod = "logit",
    ) -> Interval:
        """Return an interval for the area under a model's curve."""
        as_choice(method, METHODS, "method")
        level, curve = as_level(confidence), self.curve(model)
        if curve.auc in (0, 1):
            return perfect_auc_interval(curve.auc, self.independent_pairs, level)
        self.check_enough(level)
        influence = auc_influence(curve, self.sample) if method == "bca" else None
        return replicate_interval(method, curve.auc, self.auc(model), level, influence)

    def band(
        self,
        model: str | None = None,
        *,
        kind: Kind,
        method: BandMethod = "bootstrap",
        confidence: float = 0.95,
    ) -> RocBand:
        """Return a band around a model's curve, or around the joint hull."""
        from rocch.stats.bands import band_from_bootstrap

        return band_from_bootstrap(self, model, kind=kind, method=method, confidence=confidence)

    def boxes(
        self, model: str, thresholds: ArrayLike | None, *, confidence: float = 0.95
    ) -> Records[ThresholdBox]:
        """Return a box around the point of each fixed threshold."""
        from rocch.stats.bands import boxes_from_bootstrap

        return boxes_from_bootstrap(self, model, thresholds, confidence=confidence)

    def rates_at(self, thresholds: Mapping[str, ArrayLike | None]) -> dict[str, Rates]:
        """Return each model's rates at fixed thresholds in each replicate.

        A model that outputs labels only takes None.
        """
        positive = self.sample.positive
        reached = {m: predicted_positives(self.sample, m, t) for m, t in thresholds.items()}
        sides = [(rows[..., ~positive], rows[..., positive]) for rows in reached.values()]

        def rates(replicate: Replicate) -> list[list[FloatArray]]:
            drawn = [counts.astype(np.float64) for counts in replicate.drawn]
            return [
                [side @ rows / rows.sum() for side, rows in zip(pair, drawn, strict=True)]
                for pair in sides
            ]

        columns = zip(*self.map(rates), strict=True)
        return {
            model: Rates(*(np.array(rates) for rates in zip(*column, strict=True)))
            for model, column in zip(reached, columns, strict=True)
        }

    def map(self, statistic: Callable[[Replicate], T]) -> list[T]:
        """Return the values of a function of a `Replicate`, on the same draws.

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
        """Return one replicate, drawn again as it was."""
        hint = "Replicates count from 0."
        place = as_whole(number, "number", least=0, most=len(self) - 1, hint=hint)
        return Replicate(place, self._resampler)

    def check_enough(self, level: float) -> None:
        """Refuse too few replicates for an interval."""
        check_replicates(len(self), level)

    @property
    def independent(self) -> tuple[int, int]:
        """The numbers of independent rows, or groups, of each class."""
        return self._resampler.units_by_class

    @property
    def independent_pairs(self) -> int:
        """The number of pairs of both classes that share no row, or group."""
        pairs = min(self.independent)
        return pairs if self.sample.groups is None else min(pairs, self._resampler.units // 2)

    def case(self, conditions: Conditions | Belief) -> Case:
        """Return exact conditions as a case; a belief as the case of its expected costs."""
        return expected_case(as_costs_or_belief(conditions, None, "conditions"), self.sample_totals)

    def _known(self, model: str) -> str:
        check_known([model], self.models, "model", "models")
        return model

    def _by_model(self, shares: FloatArray) -> dict[str, float]:
        return dict(zip(self.models, shares.tolist(), strict=True))


def bootstrap(
    y_true: ArrayLike,
    scores: Columns,
    *,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    replicates: int = 2000,
    random_state: int = 0,
    fprs: ArrayLike | None = None,
    workers: int | None = None,
    verbose: Verbose = 0,
) -> Bootstrap:
    """Resample the rows, and evaluate all models on each resample.

    Rows are drawn with replacement within each class; with `groups`, whole groups are drawn, and
    class totals vary. All models see the same draws.

    Parameters
    ----------
    y_true, pos_label
        As for `RocCurve.from_scores`; at least two rows, or groups, of each class.
    scores
        Maps models to scores, or to booleans if they output labels only. Scores on a device are
        sorted there.
    groups
        Each row's group (patient, document), where rows of a group resemble each other.
    replicates
        How often to draw.
    random_state
        The seed.
    fprs
        Where to read the curves: rising FPRs; by default 101 from 0 to 1.
    workers
        The number of threads; by default one per processor where there are many rows.
    verbose
        1 shows progress; a function is called with the number of replicates done, and of all.

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
    rows: ScoredRows | DeviceRows | None
    rows = DeviceRows.of_columns(y_true, as_columns(scores), pos_label)
    if rows is None:
        rows = ScoredRows.of(y_true, scores, pos_label=pos_label, groups=groups)
    elif groups is not None:
        rows = replace(rows, groups=as_groups(groups, len(rows)))
    return resample(
        rows,
        replicates=replicates,
        random_state=random_state,
        fprs=fprs,
        workers=workers,
        verbose=verbose,
    )


def resample(
    rows: ScoredRows | DeviceRows,
    *,
    replicates: int,
    random_state: int,
    fprs: ArrayLike | None = None,
    workers: int | None = None,
    verbose: Verbose = 0,
) -> Bootstrap:
    """Resample rows; see `bootstrap`."""
    count = as_whole(replicates, "replicates", least=2, hint=ENOUGH)
    stream = as_whole(random_state, "random_state", least=0, hint="For example: 0.")
    grid = as_fprs(fprs)
    threads = (os.cpu_count() or 1) if len(rows) >= THREADS_FROM else 1
    if workers is not None:
        threads = as_whole(workers, "workers", least=1, hint="Leave it out for the default.")
    resampler = Resampler(rows, stream, len(rows) * len(rows.scores) * count)
    models = list(resampler.paths)  # sorted before threads start

    def evaluate(number: int) -> tuple[Any, ...]:
        replicate = Replicate(number, resampler)
        return (
            replicate.totals,
            [replicate.auc(model) for model in models],
            [replicate.tpr_at(model, grid) for model in models],
            [replicate.hull(model) for model in models],
            *replicate.joint,
        )

    chunks = [range(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
    found: list[tuple[Any, ...]] = []
    with (
        track("Drawing resamples", verbose, count) as step,
        ThreadPoolExecutor(min(threads, len(chunks))) as pool,
    ):
        for part in pool.map(lambda chunk: list(map(evaluate, chunk)), chunks):
            found += part
            step(len(found), count)
    totals, aucs, tprs, hulls, joint, holders = zip(*found, strict=True)
    sizes = np.array(totals)
    by_model = zip(models, zip(*hulls, strict=True), strict=True)
    return Bootstrap(
        sample=rows.on_host,
        random_state=stream,
        fprs=grid,
        totals=sizes,
        aucs=np.array(aucs),
        tprs=np.stack([np.array(column) for column in zip(*tprs, strict=True)]),
        hulls={model: HullRecord.of(column, sizes) for model, column in by_model},
        joint=HullRecord.of(joint, sizes),
        holders=np.array(holders),
        _resampler=resampler,
    )


def as_fprs(fprs: ArrayLike | None) -> FloatArray:
    """Return rising FPRs from 0 to 1."""
    if fprs is None:
        return np.linspace(0, 1, EVEN_FPRS)
    grid = np.array([as_rate(rate, "fprs") for rate in as_array(fprs, "fprs").tolist()])
    if (np.diff(grid) <= 0).any():
        raise InputError("fprs", "rise", "some that do not", "Sort them and drop repeated ones.")
    return grid
