"""Tests of curves: at given costs, at a place on them, or anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, describe_type
from rocch.inputs import as_level, as_whole
from rocch.kernels.bounds import range_quantile, range_tail, student_quantile
from rocch.kernels.resampling import (
    coarsen,
    double_ranks,
    reaimed_cost,
    sample_positions,
    tpr_difference,
    tpr_difference_of_samples,
)
from rocch.progress import Verbose, track
from rocch.results import ByName, Records, Table, Tabular, draw
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.criteria import least_expected_cost
from rocch.roc.hull import RocHull
from rocch.roc.limits import NeymanPearson
from rocch.roc.operating_point import ClassTotals
from rocch.roc.partial_auc import PartialAuc
from rocch.rows import ScoredRows
from rocch.stats.arguments import (
    Prevalence,
    Sample,
    as_costs_or_belief,
    as_paired_rows,
    as_unpaired_rows,
    expected_case,
)
from rocch.stats.pair_tests import (
    Adjustment,
    CurveTest,
    adjust_tests,
    as_adjustment,
    find_pair,
    smallest_p_value,
)
from rocch.stats.partial_auc import resample_shares
from rocch.stats.resampling import Bootstrap, Resampler, resample

T = TypeVar("T")

WHOLE: Literal["whole curve"] = "whole curve"
Place: TypeAlias = Conditions | Belief | NeymanPearson | PartialAuc | Literal["whole curve"]
DIFFERENT_ROWS = ClassTotals(1, 1, pooled=True)


@dataclass(frozen=True, slots=True, repr=False)
class CurveTests(Tabular):
    """Tests of all pairs of curves.

    `to_frame` has the tests; `values` is a table of its own.

    Attributes
    ----------
    measured
        What was compared, in words.
    values
        Each classifier's value, by name; empty for whole curves.
    differences
        The tests.
    paired
        Whether all classifiers scored the same rows.
    adjust, confidence, replicates
        As passed; intervals are not adjusted.
    """

    measured: str
    values: ByName[str, float]
    differences: Records[CurveTest]
    paired: bool
    adjust: Adjustment | Literal["range"]
    confidence: float
    replicates: int

    def __iter__(self) -> Iterator[CurveTest]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def difference(self, first: str, second: str) -> CurveTest:
        """Return the test of two classifiers, first less second."""
        return find_pair(self.differences, first, second)

    def __str__(self) -> str:
        values = (f"{name}: {value:.4g}" for name, value in self.values.items())
        return "\n".join((self._title(), *values, *map(str, self.differences)))

    def _title(self) -> str:
        return f"{self.measured[:1].upper()}{self.measured[1:]}:"

    def _columns(self) -> Table:
        return self.differences._columns()

    def _tables(self) -> tuple[Table, ...]:
        return self.values._columns(), self._columns()

    def _picture(self) -> str:
        return draw(self.differences)


def compare_curves(
    y_true: ArrayLike,
    scores: Columns,
    *,
    at: Place,
    prevalence: Prevalence | None = None,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    adjust: Adjustment | None = None,
    random_state: int = 0,
    verbose: Verbose = 0,
) -> CurveTests:
    """Test each pair of curves of classifiers that scored the same rows.

    Parameters
    ----------
    y_true, scores, pos_label, groups, confidence
        As for `compare_aucs`.
    at
        Where to compare: exact `Conditions` (least expected cost), a `Belief` with a unit (expected
        cost when conditions are known before choosing), `NeymanPearson(0.05)` (TPR at that FPR),
        `rocch.roc.PartialAuc(fpr=(0, 0.1))`, or "whole curve" (Venkatraman and Begg's permutation
        test).
    prevalence
        With a belief that has none: a number, an interval, a belief, or "observed".
    replicates
        The number of resamples or permutations; exact conditions need none.
    adjust
        How to adjust p-values for the number of pairs. By default Tukey's "range" test at exact
        conditions, and "holm" elsewhere.
    random_state
        The seed.
    verbose
        1 shows progress; a function is called with the number of resamples done, and of all.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(3)
    >>> y = rng.random(500) < 0.4
    >>> scores = {"a": rng.normal(size=500) + 2 * y, "b": rng.normal(size=500) + 1 * y}
    >>> tests = rocch.stats.compare_curves(y, scores, at=rocch.NeymanPearson(0.1), replicates=500)
    >>> tests.differences[0].p_value < 0.001
    True
    """
    place = _as_place(at, prevalence)
    options = _as_options(confidence, adjust, replicates, place)
    rows = as_paired_rows(
        y_true,
        scores,
        pos_label=pos_label,
        groups=groups,
        unpaired="rocch.stats.compare_curves_unpaired",
    )
    if place == WHOLE:
        ranks = {
            name: coarsen(double_ranks(np.asarray(column, float)))
            for name, column in rows.scores.items()
        }
        exchange = partial(_exchange_scores, rows)
        return _test_whole_curves(
            ranks, exchange, random_state, options, paired=True, verbose=verbose
        )
    if isinstance(place, Conditions):
        case = expected_case(place, ClassTotals(*rows.totals))
        found = LeastCosts.of(rows, case, random_state)
        return _test_least_costs(found, rows.scores, options, paired=True)
    return _test_values([(rows, random_state)], place, options, paired=True, verbose=verbose)


def compare_curves_unpaired(
    samples: Mapping[str, Sample],
    *,
    at: Place,
    prevalence: Prevalence | None = None,
    pos_label: Label | None = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    adjust: Adjustment | None = None,
    random_state: int = 0,
    verbose: Verbose = 0,
) -> CurveTests:
    """Test each pair of curves of classifiers that scored different rows.

    `samples` is as for `compare_aucs_unpaired`, the rest as for `compare_curves`; the prevalence
    cannot be "observed".
    """
    place = _as_place(at, prevalence)
    options = _as_options(confidence, adjust, replicates, place)
    own = as_unpaired_rows(samples, pos_label=pos_label, paired="rocch.stats.compare_curves")
    if place == WHOLE:
        if any(rows.groups is not None for rows in own.values()):
            raise InputError(
                "samples", "have no groups for whole curves", "some", "Compare at conditions."
            )
        return _test_whole_curves(
            own, _exchange_rows, random_state, options, paired=False, verbose=verbose
        )
    if isinstance(place, Conditions | Belief):
        place = place.resolved(DIFFERENT_ROWS)  # refuses an observed prevalence
    streams = (
        int(np.random.SeedSequence((random_state, number)).generate_state(1)[0])
        for number in range(len(own))
    )
    parts = zip(own.values(), streams, strict=True)
    if isinstance(place, Conditions):
        found = LeastCosts.of_samples(parts, expected_case(place, DIFFERENT_ROWS))
        return _test_least_costs(found, own, options, paired=False)
    return _test_values(parts, place, options, paired=False, verbose=verbose)


class _Options(NamedTuple):
    """The last fields of `CurveTests`."""

    adjust: Adjustment | Literal["range"]
    confidence: float
    replicates: int


def _as_options(
    confidence: float, adjust: Adjustment | None, replicates: int, place: Place
) -> _Options:
    count = as_whole(replicates, "replicates", least=20, hint="2000 serve well.")
    usual: Literal["range", "holm"] = "range" if isinstance(place, Conditions) else "holm"
    method = usual if adjust is None else as_adjustment(adjust)
    return _Options(method, as_level(confidence), count)


def _as_place(at: Place, prevalence: Prevalence | None) -> Place:
    if isinstance(at, Conditions | Belief):
        return as_costs_or_belief(at, prevalence, "at")
    if not isinstance(at, NeymanPearson | PartialAuc) and not (isinstance(at, str) and at == WHOLE):
        raise InputError(
            "at",
            f"be exact Conditions, a Belief, NeymanPearson(max_fpr), PartialAuc or '{WHOLE}'",
            repr(at) if isinstance(at, str) else describe_type(at),
            Hint("For the area under the curve use rocch.stats.compare_aucs."),
        )
    if prevalence is not None:
        raise InputError("prevalence", "go with a belief", repr(prevalence), "Leave it out.")
    return at


class _Measurement(NamedTuple):
    """A classifier's value on the sample and on each replicate.

    `units` counts independent units of the rarer class, `most` bounds the difference.
    """

    value: float
    replicates: FloatArray
    least_error: float
    units: int
    most: float


def _measure(drawn: Bootstrap, at: Belief | NeymanPearson) -> tuple[str, dict[str, _Measurement]]:
    """Return what is compared, in words, and each classifier's measurement."""
    negatives, positives = drawn.independent
    units = min(negatives, positives)
    if isinstance(at, NeymanPearson):
        least = 1 / (positives + 2)
        return f"TPR at an FPR of {at.max_fpr:g} (more is better)", {
            model: _Measurement(
                drawn.curve(model).tpr_at(at.max_fpr), drawn.tpr(model)[:, 0], least, units, 1.0
            )
            for model in drawn.models
        }
    costs = at.resolved(drawn.sample_totals)
    alarm, miss = costs.expected_case.weights
    least = math.hypot(alarm / (negatives + 2), miss / (positives + 2))
    found = {}
    for model in drawn.models:
        hull = RocHull.of(drawn.curve(model))
        value = least_expected_cost(hull.fpr, hull.tpr, costs)
        others = drawn.hull(model).least_expected_costs(costs)
        found[model] = _Measurement(value, others, least, units, math.inf)
    return "expected cost over the belief (less is better)", found


def _measure_parts(
    resampler: Resampler, area: PartialAuc, replicates: int, verbose: Verbose
) -> dict[str, _Measurement]:
    """Return each classifier's area under a part of its curve."""
    shares = resample_shares(resampler, area, replicates, verbose)
    negatives, positives = resampler.units_by_class
    averaged = negatives if area.fpr is None else positives
    least, units = area.scale / (averaged + 2), min(negatives, positives)
    return {
        name: _Measurement(
            area.value(area.share(curve.fpr, curve.tpr)),
            area.scale * shares[name],
            least,
            units,
            area.scale,
        )
        for name, curve in resampler.curves.items()
    }


def _test_values(
    samples: Iterable[tuple[ScoredRows, int]],
    at: Belief | NeymanPearson | PartialAuc,
    options: _Options,
    *,
    paired: bool,
    verbose: Verbose,
) -> CurveTests:
    """Test the differences of values on samples, each with its seed."""
    fprs = [at.max_fpr] if isinstance(at, NeymanPearson) else None
    measured = ""
    values: dict[str, _Measurement] = {}
    for rows, stream in samples:
        if isinstance(at, PartialAuc):
            measured = f"{at} (more is better)"
            values |= _measure_parts(Resampler(rows, stream), at, options.replicates, verbose)
            continue
        drawn = resample(
            rows,
            replicates=options.replicates,
            random_state=stream,
            fprs=fprs,
            verbose=verbose,
        )
        measured, found = _measure(drawn, at)
        values |= found
    tests = [
        _bootstrap_test(pair, values[pair[0]], values[pair[1]], options.confidence, paired=paired)
        for pair in combinations(values, 2)
    ]
    sample = ByName({name: found.value for name, found in values.items()}, "classifier")
    adjusted = adjust_tests(tests, as_adjustment(options.adjust))
    return CurveTests(measured, sample, adjusted, paired, *options)


def compare_partial_aucs(
    rows: ScoredRows,
    area: PartialAuc,
    *,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
    replicates: int = 2000,
    random_state: int = 0,
    verbose: Verbose = 0,
) -> CurveTests:
    """Compare the areas under parts of the curves of one or more models."""
    options = _Options(adjust, confidence, replicates)
    return _test_values([(rows, random_state)], area, options, paired=True, verbose=verbose)


def _bootstrap_test(
    names: tuple[str, str], one: _Measurement, other: _Measurement, level: float, *, paired: bool
) -> CurveTest:
    """Test a difference by its bootstrap standard error.

    For few rows, the error is at least that of half a row of each class (Agresti and Min).
    """
    from scipy.special import stdtr

    difference = one.value - other.value
    units = min(one.units, other.units)
    most = max(one.most, other.most)
    least = one.least_error if paired else math.hypot(one.least_error, other.least_error)
    error = max(float((one.replicates - other.replicates).std(ddof=1)), least)
    half = student_quantile(level, units - 1) * error
    interval = Interval(max(difference - half, -most), min(difference + half, most))
    p_value = 2 * float(stdtr(units - 1, -abs(difference / error)))
    p_value = max(p_value, smallest_p_value((one.units, other.units)))
    z = difference / error
    return CurveTest(*names, difference, error, interval, z, units - 1, p_value, p_value)


# The most and the fewest random halves of the rows that choose thresholds, and the rows times
# halves from which there are fewer than the most.
MOST_HALVES, FEWEST_HALVES, HALVED_ROWS = 30, 10, 2 * 10**6


@dataclass(frozen=True, slots=True, eq=False)
class LeastCosts:
    """Least costs of classifiers, each at its own best threshold, and tests of all differences.

    `costs` and `units`, of the rarer class, are by classifier; `errors` are the standard errors of
    differences, `degrees` the degrees of freedom of their range (as of treatments in blocks, where
    the rows are the same). There a variance is at least half way to the mean of all pairs', because
    few rows show one pair's.
    """

    costs: FloatArray
    errors: FloatArray
    units: IntArray
    degrees: int

    @classmethod
    def of(cls, rows: ScoredRows, case: Case, random_state: int) -> LeastCosts:
        """Compare classifiers that scored the same rows."""
        costs, added, least, units = _reaim(rows, case, random_state)
        products = added @ added.T
        own = np.diagonal(products)
        variances = np.maximum(own[:, None] + own - 2 * products, 0) + least**2
        mean = variances[np.triu_indices(costs.size, 1)].mean()
        errors = np.sqrt(np.maximum(variances, (variances + mean) / 2))
        return cls(costs, errors, np.full(costs.size, units), (costs.size - 1) * (units - 1))

    @classmethod
    def of_samples(cls, samples: Iterable[tuple[ScoredRows, int]], case: Case) -> LeastCosts:
        """Compare classifiers that scored different rows, each with its seed."""
        found = [_reaim(rows, case, stream) for rows, stream in samples]
        own = [float(added[0] @ added[0]) + least**2 for _, added, least, _ in found]
        costs = np.array([costs[0] for costs, *_ in found])
        units = np.array([units for *_, units in found])
        return cls(costs, np.sqrt(np.add.outer(own, own)), units, int(units.min()) - 1)

    def p_value(self, first: int, second: int, *, simultaneous: bool) -> float:
        """Return a pair's p-value: of Student's test, or of Tukey's range test of all pairs.

        It is at least that of a sign test.
        """
        from scipy.special import stdtr

        units = int(min(self.units[first], self.units[second]))
        gap = float(abs(self.costs[first] - self.costs[second]) / self.errors[first, second])
        if simultaneous and self.costs.size > 2:
            found = range_tail(gap * math.sqrt(2), self.costs.size, self.degrees)
        else:
            found = 2 * float(stdtr(units - 1, -gap))
        return max(found, smallest_p_value((units, units)))

    def critical_value(self, level: float) -> float:
        """Return how many standard errors all differences keep within, at this confidence."""
        return range_quantile(level, self.costs.size, self.degrees) / math.sqrt(2)


def _reaim(
    rows: ScoredRows, case: Case, random_state: int
) -> tuple[FloatArray, FloatArray, float, int]:
    """Return costs, what units add to them (models x units), the least error, the rarer units.

    The least standard error is that of half a row of each class (Agresti and Min).
    """
    stream = as_whole(random_state, "random_state", least=0, hint="For example: 0.")
    negatives, positives = Resampler(rows, stream).units_by_class
    count = min(MOST_HALVES, max(FEWEST_HALVES, HALVED_ROWS // len(rows)))
    halves = _draw_halves(rows, count, np.random.default_rng(stream))
    found = [
        reaimed_cost(np.asarray(scores, dtype=np.float64), rows.positive, halves, case.weights)
        for scores in rows.scores.values()
    ]
    added = np.stack([each.added for each in found])
    if rows.groups is not None:
        added = np.stack([np.bincount(rows.groups, values) for values in added])
    alarm, miss = case.weights
    least = math.hypot(alarm / (negatives + 2), miss / (positives + 2))
    costs = np.array([each.cost for each in found]) + case.cost(0.0, 0.0)
    return costs, added, least, min(negatives, positives)


def _draw_halves(rows: ScoredRows, count: int, rng: np.random.Generator) -> BoolArray:
    """Draw splits x rows: random halves of each class, or of all groups."""
    if rows.groups is not None:
        return _halves(int(rows.groups.max()) + 1, count, rng)[:, rows.groups]
    halves = np.empty((count, len(rows)), dtype=bool)
    for members in (rows.positive, ~rows.positive):
        halves[:, members] = _halves(int(np.count_nonzero(members)), count, rng)
    return halves


def _halves(size: int, count: int, rng: np.random.Generator) -> BoolArray:
    half: BoolArray = rng.permuted(np.tile(np.arange(size) < size // 2, (count, 1)), axis=1)
    return half


def _test_least_costs(
    found: LeastCosts, names: Iterable[str], options: _Options, *, paired: bool
) -> CurveTests:
    """Test pairs' least costs."""
    models, tests = list(names), []
    for i, j in combinations(range(len(models)), 2):
        difference, error = float(found.costs[i] - found.costs[j]), float(found.errors[i, j])
        degrees = int(min(found.units[i], found.units[j])) - 1
        half = student_quantile(options.confidence, degrees) * error
        interval = Interval(difference - half, difference + half)
        single = found.p_value(i, j, simultaneous=False)
        joint = found.p_value(i, j, simultaneous=True) if options.adjust == "range" else single
        pair, z = (models[i], models[j]), difference / error
        tests.append(CurveTest(*pair, difference, error, interval, z, degrees, single, joint))
    adjusted = Records(tests) if options.adjust == "range" else adjust_tests(tests, options.adjust)
    values = ByName(zip(models, found.costs.tolist(), strict=True), "classifier")
    measured = "least expected cost (less is better)"
    return CurveTests(measured, values, adjusted, paired, *options)


# Distances that agree to 12 digits count as equal.
ROUNDING = 1e-12


def _test_whole_curves(
    columns: Mapping[str, T],
    exchange: Callable[[T, T, np.random.Generator], Iterator[float]],
    random_state: int,
    options: _Options,
    *,
    paired: bool,
    verbose: Verbose,
) -> CurveTests:
    """Test each pair's distance by those of permutations."""
    tests = []
    pairs = list(combinations(columns, 2))
    with track("Permuting", verbose, len(pairs) * options.replicates) as step:
        for number, pair in enumerate(pairs):
            rng = np.random.default_rng((random_state, number))
            distances = exchange(columns[pair[0]], columns[pair[1]], rng)
            distance = next(distances)
            reached = 0
            for other in islice(distances, options.replicates):
                reached += other >= distance * (1 - ROUNDING)
                step.advance()
            p_value = (1 + reached) / (1 + options.replicates)
            tests.append(CurveTest(*pair, distance, None, None, None, None, p_value, p_value))
    measured = "distance of the whole curves (mean gap of TPRs at equal shares of alarms, no sign)"
    adjusted = adjust_tests(tests, as_adjustment(options.adjust))
    return CurveTests(measured, ByName({}, "classifier"), adjusted, paired, *options)


def _exchange_scores(
    rows: ScoredRows, one: IntArray, other: IntArray, rng: np.random.Generator
) -> Iterator[float]:
    """Yield the distance, then distances with ranks of random rows (or groups) exchanged."""
    units = len(rows) if rows.groups is None else int(rows.groups.max()) + 1
    yield tpr_difference(one, other, rows.positive)
    while True:
        heads: BoolArray = rng.random(units) < 0.5
        swapped = heads if rows.groups is None else heads[rows.groups]
        yield tpr_difference(one, other, rows.positive, swapped)


def _exchange_rows(
    first: ScoredRows, second: ScoredRows, rng: np.random.Generator
) -> Iterator[float]:
    """Yield the distance, then distances with random rows of each class exchanged."""
    positive = np.concatenate([first.positive, second.positive])
    share = float(positive.mean())
    places = []
    for rows in (first, second):
        (scores,) = rows.scores.values()
        places.append(sample_positions(np.asarray(scores, dtype=np.float64), rows.positive, share))
    place = np.concatenate(places)
    order = np.argsort(-place, kind="stable")
    member = (np.arange(positive.size) < len(first))[order]
    place, positive = place[order], positive[order]
    yield tpr_difference_of_samples(place, positive, member, share)
    while True:
        mixed = np.empty_like(member)
        for rows_of_class in (positive, ~positive):
            mixed[rows_of_class] = rng.permutation(member[rows_of_class])
        yield tpr_difference_of_samples(place, positive, mixed, share)
