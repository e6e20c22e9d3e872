"""Bootstrap replicates: which rows each one holds, and the curves and hulls that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, format_list
from rocch.inputs import is_number
from rocch.kernels import resampling
from rocch.kernels.engine import engine_for
from rocch.kernels.hull import counts_within, highest_tpr_of_counts, interpolate_tpr
from rocch.kernels.resampling import RocPath, Walk, cumulative, join_hulls, path_of
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case
from rocch.roc.curve import RocCurve
from rocch.stats.sample import Sample

if TYPE_CHECKING:
    from rocch.stats.resampling import Bootstrap


# --------------------------------------------------------------------------------------------------
# Which rows a bootstrap replicate holds, and how often: each replicate from a stream of its own.
#
# The stream follows from the seed and the replicate's number alone, so neither threads nor chunks
# nor the number of replicates change what a replicate holds.


class Multiplicities(NamedTuple):
    """How often a replicate holds each negative and each positive, in the order of the rows."""

    negatives: IntArray
    positives: IntArray


@dataclass(frozen=True, eq=False)
class Draws:
    """The design of a bootstrap: rows drawn within their class, or whole clusters.

    Rows are drawn with replacement, as many of each class as there are. Clusters are drawn whole,
    as many as there are, so that class totals vary; a replicate that lacks a class is drawn again.
    """

    positive: BoolArray
    clusters: IntArray | None
    seed: int
    walked: int = 0
    """How many rows all walks together will pass; it decides which engine is worth its start."""

    def __post_init__(self) -> None:
        what, argument = ("rows", "y_true") if self.clusters is None else ("groups", "groups")
        for held, name in zip(self.held, ("negative", "positive"), strict=True):
            if held < 2:  # from one alone every draw is the same
                raise InputError(
                    argument,
                    f"hold at least two {what} with a {name} label",
                    "one",
                    "How far a single one is off cannot be told: judge more rows.",
                )

    def multiplicities(self, number: int) -> Multiplicities:
        """Return how often a replicate holds each row."""
        stream = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        if self.clusters is None:
            sizes = (part.size for part in self._rows)
            return Multiplicities(*(self._draw(stream, size) for size in sizes))
        while True:
            drawn = self._draw(stream, self.units)
            found = Multiplicities(*(drawn[clusters] for clusters in self._clusters))
            if all(part.any() for part in found):
                return found

    def totals(self, drawn: Multiplicities) -> tuple[int, int]:
        """Return the numbers of negatives and positives that a replicate holds."""
        if self.clusters is None:
            return self.held
        negatives, positives = (int(part.sum(dtype=np.int64)) for part in drawn)
        return negatives, positives

    def by_row(self, multiplicities: Multiplicities) -> IntArray:
        """Return the multiplicities of all rows in their order."""
        rows = np.empty(self.positive.size, dtype=np.int64)
        for part, counts in zip(self._rows, multiplicities, strict=True):
            rows[part] = counts
        return rows

    @property
    def engine(self) -> ModuleType:
        """What tallies and walks; looked up each time, so that draws can be pickled."""
        return engine_for(resampling, self.walked)

    @property
    def units(self) -> int:
        """How many things there are to draw: clusters, or rows."""
        return self.positive.size if self.clusters is None else int(self.clusters.max()) + 1

    @cached_property
    def held(self) -> tuple[int, int]:
        """How many of them hold a negative, and how many a positive."""
        if self.clusters is None:
            negatives, positives = self._rows
            return negatives.size, positives.size
        negatives, positives = map(np.unique, self._clusters)
        return negatives.size, positives.size

    def _draw(self, stream: np.random.Generator, size: int) -> IntArray:
        counts: IntArray = self.engine.tally(stream.integers(0, size, size), size)
        return counts

    @cached_property
    def _clusters(self) -> tuple[IntArray, IntArray]:
        """The clusters of the negatives and of the positives."""
        negatives, positives = (np.asarray(self.clusters)[rows] for rows in self._rows)
        return negatives, positives

    @cached_property
    def _rows(self) -> tuple[IntArray, IntArray]:
        return np.flatnonzero(~self.positive), np.flatnonzero(self.positive)


# --- One bootstrap replicate: the sample's models judged on rows that were drawn again ------------


@dataclass(frozen=True, eq=False)
class Judgment:
    """A sample's models, each with its curve and its path, sorted once for all replicates."""

    sample: Sample
    curves: Mapping[str, RocCurve]
    paths: Mapping[str, RocPath]

    @classmethod
    def of(cls, sample: Sample) -> Judgment:
        """Sort every model's rows."""
        curves = {model: sample.curve(model) for model in sample.models}
        paths = {
            model: path_of(
                np.asarray(scores, dtype=np.float64),
                sample.positive,
                curves[model].false_positives,
                curves[model].true_positives,
            )
            for model, scores in sample.models.items()
        }
        return cls(sample, curves, paths)


@dataclass(frozen=True, eq=False)
class Replicate:
    """The rows of one replicate, and what the models do on them.

    All models are judged on the same draws, so differences between them are paired. Nothing is
    computed before it is asked for, and the walk along a model's path only once.
    """

    number: int
    drawn: Multiplicities
    _judgment: Judgment
    _draws: Draws
    _walks: dict[str, Walk] = field(default_factory=dict)

    @cached_property
    def multiplicities(self) -> IntArray:
        """How often each row was drawn, in the order of the sample; 0 for rows out of the bag."""
        return self._draws.by_row(self.drawn)

    @cached_property
    def totals(self) -> tuple[int, int]:
        """The numbers of negatives and of positives."""
        return self._draws.totals(self.drawn)

    def counts(self, model: str) -> tuple[IntArray, IntArray]:
        """Return false and true positives at the points of the sample's curve of a model.

        They belong to the same thresholds as that curve's, whether the replicate holds rows with
        these scores or not.
        """
        curve = self._judgment.curves[self._known(model)]
        path = self._judgment.paths[model]
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
        """Return false and true positives at the vertices of a model's own hull, or the joint."""
        return self.joint[0] if model is None else self.walk(model).vertices

    @cached_property
    def joint(self) -> tuple[tuple[IntArray, IntArray], BoolArray]:
        """The joint hull's vertices, and which models hold one that is not an end."""
        return join_hulls([self.walk(model).vertices for model in self._judgment.paths])

    def walk(self, model: str) -> Walk:
        """Return counts at the corners of a model's path, its hull and its area."""
        if model not in self._walks:
            path = self._judgment.paths[self._known(model)]
            self._walks[model] = self._draws.engine.walk(path, *self.drawn)
        return self._walks[model]

    def _known(self, model: str) -> str:
        return known_model(model, self._judgment.paths)


def known_model(model: object, models: Iterable[str]) -> str:
    """Return a model's name, or refuse one that nobody has."""
    names = list(models)
    if not isinstance(model, str) or model not in names:
        raise InputError(
            "model", "be the name of a model", repr(model), f"The models are: {format_list(names)}."
        )
    return model


# --- What fixed thresholds do when the rows are drawn again ---------------------------------------


class Rates(NamedTuple):
    """FPR and TPR in each replicate (first axis), for each threshold (the second, if several)."""

    fpr: FloatArray
    tpr: FloatArray


def rates_at(drawn: Bootstrap, thresholds: Mapping[str, Any]) -> dict[str, Rates]:
    """Return the rates of fixed thresholds in each replicate; see `Bootstrap.rates_at`."""
    positive = drawn.sample.positive
    alarms = {model: alarms_at(drawn.sample, model, given) for model, given in thresholds.items()}
    sides = [(rows[..., ~positive], rows[..., positive]) for rows in alarms.values()]

    def rates(replicate: Replicate) -> list[list[FloatArray]]:
        drawn_rows = [counts.astype(np.float64) for counts in replicate.drawn]
        return [
            [side @ rows / rows.sum() for side, rows in zip(pair, drawn_rows, strict=True)]
            for pair in sides
        ]

    columns = zip(*drawn.map(rates), strict=True)
    return {
        model: Rates(*(np.array(rates) for rates in zip(*column, strict=True)))
        for model, column in zip(alarms, columns, strict=True)
    }


def alarms_at(sample: Sample, model: str, thresholds: Any) -> BoolArray:
    """Return which rows alarm at a threshold, or at each of several: a row of alarms for each."""
    scores = sample.models[known_model(model, sample.models)]
    if scores.dtype == bool:
        if thresholds is not None:
            raise UndefinedError(
                f"{model} outputs labels only, so it has no threshold to move. Pass None."
            )
        return scores.astype(bool)
    wanted = np.asarray(thresholds)
    if wanted.ndim > 1 or not all(map(is_number, np.atleast_1d(wanted).tolist())):
        raise InputError(
            "thresholds", "be a number or a list of numbers", repr(thresholds), "Pass scores."
        )
    alarms: BoolArray = scores >= wanted[..., None]
    return alarms


# --- The hulls of all replicates, kept as counts: they answer any slope later ---------------------

SAFE_AREA = 2**62


@dataclass(frozen=True, eq=False)
class HullRecord:
    """One hull's vertices in every replicate, one after the other.

    Attributes
    ----------
    false_positives, true_positives
        Counts at the vertices; those of replicate r lie from `starts[r]` to `starts[r + 1]`.
    starts
        Where each replicate begins, and the end.
    totals
        Negatives and positives of each replicate, one row each.
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
        """Lay the vertices of many hulls end to end, in the smallest integers that hold them."""
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
        """Return the highest TPR of each replicate's hull (rows) at each FPR (columns)."""
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
        """Return the least expected cost that each replicate's hull offers."""
        costs: FloatArray = np.minimum.reduceat(case.cost(*self.rates), self.starts[:-1])
        return costs

    def least_expected_costs(self, belief: Belief) -> FloatArray:
        """Return what each replicate's hull costs under a belief, aimed once conditions are known.

        All vertices of all replicates are weighed at once: each is best between two points of the
        cost axis, and the belief says how much weight lies there.
        """
        x, y = self.rates
        runs, rises = np.diff(x), np.diff(y)
        with np.errstate(invalid="ignore"):
            upper = np.append(runs / (runs + rises), 1.0)
        upper[self.starts[1:] - 1] = 1.0
        points, place = np.unique(upper, return_inverse=True)
        upto = belief.weights_upto(points)
        costs = np.zeros(len(self))
        for weights, height in ((upto.alarm, x), (upto.miss, 1 - y)):
            reached = weights[place]
            before = np.append(0.0, reached[:-1])
            before[self.starts[:-1]] = 0.0
            costs += np.add.reduceat((reached - before) * height, self.starts[:-1])
        return costs

    @cached_property
    def rates(self) -> tuple[FloatArray, FloatArray]:
        """FPR and TPR at all vertices of all replicates."""
        negatives, positives = np.repeat(self.totals, np.diff(self.starts), axis=0).T
        return self.false_positives / negatives, self.true_positives / positives
