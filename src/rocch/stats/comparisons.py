"""Tests whether classifiers differ: in AUC, at a place on their curves, or anywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, islice
from typing import Literal, NamedTuple, Self, TypeAlias, TypeVar, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, describe_type, format_list
from rocch.inputs import as_choice, as_level, as_whole
from rocch.kernels.bounds import normal_quantile, range_quantile, range_tail
from rocch.kernels.resampling import (
    coarsen,
    double_ranks,
    reaimed_cost,
    sample_positions,
    tpr_difference,
    tpr_difference_of_samples,
)
from rocch.progress import Verbose, track
from rocch.results import Record, Table, Tabular, collect, draw
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.criteria import least_expected_cost
from rocch.roc.hull import RocHull
from rocch.roc.limits import NeymanPearson
from rocch.roc.operating_point import ClassTotals
from rocch.rows import ScoredRows
from rocch.stats.arguments import (
    Prevalence,
    Sample,
    as_costs_or_belief,
    as_paired_rows,
    as_unpaired_rows,
    expected_case,
)
from rocch.stats.auc import (
    AucEstimate,
    AucMethod,
    AucMoments,
    as_auc_method,
    auc_moments,
    difference_limits,
    estimate_aucs,
)
from rocch.stats.resampling import Bootstrap, Resampler, resample
from rocch.svg import Mark, draw_intervals

Adjustment = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]


def adjust_p_values(p_values: FloatArray, method: Adjustment) -> FloatArray:
    """Return p-values adjusted for their number.

    Holm (1979) and Bonferroni bound the chance of any false rejection, Benjamini and Hochberg
    (1995) the expected share of false ones, for independent or positively dependent tests.
    """
    count = p_values.size
    if method == "none":
        return p_values.copy()
    if method == "bonferroni":
        return np.minimum(1, count * p_values)
    order = np.argsort(p_values, kind="stable")
    ranked = p_values[order]
    if method == "holm":
        steps = np.maximum.accumulate(ranked * np.arange(count, 0, -1))
    else:
        steps = np.minimum.accumulate((ranked * count / np.arange(1, count + 1))[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(1, steps)
    return result


def as_adjustment(adjust: object) -> Adjustment:
    """Return one of the methods that adjust p-values."""
    return cast(Adjustment, as_choice(adjust, get_args(Adjustment), "adjust"))


def _smallest_p_value(units: tuple[float, float]) -> float:
    """Return the smallest p-value for numbers of units of both classes.

    All units of a class favor one of two equal models with chance 2 / 2^units.
    """
    return float(2.0 ** (1 - min(units)))


@dataclass(frozen=True, slots=True, repr=False)
class CurveTest(Record):
    """The test of one pair of classifiers.

    Attributes
    ----------
    first, second
        The two classifiers.
    difference
        First less second; for whole curves the mean distance of TPRs at equal predicted-positive
        rates.
    standard_error, interval
        None for whole curves.
    p_value, adjusted_p_value
        Adjusted for the number of pairs.
    """

    first: str
    second: str
    difference: float
    standard_error: float | None
    interval: Interval | None
    p_value: float
    adjusted_p_value: float

    def __str__(self) -> str:
        p_values = f"p = {self.p_value:.3g}, adjusted {self.adjusted_p_value:.3g}"
        if self.interval is None:
            return f"{self.first} and {self.second}: {self.difference:.3g} apart, {p_values}"
        low, high = self.interval
        between = f"{self.difference:.3g} ({low:.3g} to {high:.3g})"
        return f"{self.first} against {self.second}: {between}, {p_values}"

    @classmethod
    def _draw(cls, records: Sequence[CurveTest]) -> str:
        marks = []
        for row in records:
            low, high = row.interval or (None, None)
            marks.append(Mark(f"{row.first} - {row.second}", low, high, row.difference))
        return draw_intervals(marks, "difference", reference=0)

    def reversed(self) -> Self:
        """Return the test with the two classifiers exchanged."""
        swapped = replace(self, first=self.second, second=self.first)
        if self.interval is None:
            return swapped
        low, high = self.interval
        return replace(swapped, difference=-self.difference, interval=Interval(-high, -low))


@dataclass(frozen=True, slots=True, repr=False)
class AucDifference(CurveTest):
    """The AUC of `first` minus that of `second`.

    Attributes
    ----------
    difference, standard_error
        The difference and DeLong's standard error.
    interval
        Within [-1, 1], not adjusted. Close to AUC 1 Newcombe's is more careful than the test.
    z, p_value
        DeLong's test; p is at least that of a sign test among the rows of the rarer class (2^-9 for
        10 rows).
    adjusted_p_value
        Adjusted for the number of pairs.
    degrees
        Welch's degrees of freedom where models have their own rows: `z` is compared with Student's
        t distribution, as in pROC. None for the normal distribution.
    """

    standard_error: float
    interval: Interval
    z: float
    degrees: float | None = None

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.first} - {self.second}: {self.difference:+.4f} ({low:+.4f} to {high:+.4f}), "
            f"p = {self.p_value:.3g}, adjusted {self.adjusted_p_value:.3g}"
        )

    def reversed(self) -> Self:
        """Return the test with the two models exchanged."""
        return replace(CurveTest.reversed(self), z=-self.z)


T = TypeVar("T")
Test = TypeVar("Test", bound=CurveTest)


def _find_pair(tests: tuple[Test, ...], first: str, second: str) -> Test:
    for test in tests:
        if (test.first, test.second) == (first, second):
            return test
        if (test.second, test.first) == (first, second):
            return test.reversed()
    known = dict.fromkeys(name for test in tests for name in (test.first, test.second))
    raise InputError(
        "first, second",
        "be two that were compared",
        f"{first!r} and {second!r}",
        "The compared ones are: {known}.",
        known=format_list(known),
    )


def _adjust_tests(tests: list[Test], method: Adjustment) -> tuple[Test, ...]:
    p_values = adjust_p_values(np.array([test.p_value for test in tests]), method).tolist()
    return tuple(replace(t, adjusted_p_value=p) for t, p in zip(tests, p_values, strict=True))


# Directions with less than this share of a contrast's variance do not vary.
SAME = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class EqualityTest(Record):
    """The test that all AUCs are equal; models that rank alike reduce the `degrees`."""

    statistic: float
    degrees: int
    p_value: float

    def __str__(self) -> str:
        return (
            f"all equal: chi-square {self.statistic:.4g} with {self.degrees} d.f., "
            f"p = {self.p_value:.3g}"
        )


def equality_test(moments: AucMoments) -> EqualityTest:
    """Test all differences from the first model (DeLong and others, 1988, section 4)."""
    from scipy.special import chdtrc

    z, correlation, certain = _contrasts(moments)
    variances, directions = np.linalg.eigh(correlation)
    varies = variances > SAME * max(1, len(z))
    along = z @ directions
    degrees = int(varies.sum())
    if certain or (np.abs(along[~varies]) > 1e-6 * (1 + np.abs(z).max(initial=0))).any():
        return EqualityTest(math.inf, degrees, _smallest_p_value(moments.units))
    statistic = float((along[varies] ** 2 / variances[varies]).sum())
    if not statistic:
        return EqualityTest(0.0, degrees, 1.0)
    p_value = max(float(chdtrc(degrees, statistic)), _smallest_p_value(moments.units))
    return EqualityTest(statistic, degrees, p_value)


def _contrasts(moments: AucMoments) -> tuple[FloatArray, FloatArray, bool]:
    """Return varying contrasts, their correlations, and if any is certain."""
    covariance = np.array(moments.covariance, dtype=object)
    contrasts = covariance - covariance[0] - covariance[:, :1] + covariance[0, 0]
    differences = np.array(moments.aucs, dtype=object) - moments.aucs[0]
    varies = contrasts.diagonal() != 0
    errors = np.sqrt(contrasts.diagonal()[varies].astype(np.float64))
    matrix = contrasts[np.ix_(varies, varies)].astype(np.float64) / np.outer(errors, errors)
    return differences[varies].astype(np.float64) / errors, matrix, any(differences[~varies])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AucComparison(Tabular):
    """All models' AUCs, every pair's difference, and the test that all are equal.

    Attributes
    ----------
    models
        Each model's estimate.
    covariance
        The covariance matrix of the AUCs, read-only.
    differences
        Every pair, in the order of names.
    overall
        The chi-square test of equality.
    paired
        Whether all models scored the same rows.
    adjust, confidence
        As passed.
    """

    models: Mapping[str, AucEstimate]
    covariance: FloatArray
    differences: tuple[AucDifference, ...]
    overall: EqualityTest
    paired: bool
    adjust: Adjustment
    confidence: float

    def difference(self, first: str, second: str) -> AucDifference:
        """Return one pair's difference, `first` minus `second`."""
        return _find_pair(self.differences, first, second)

    def __str__(self) -> str:
        return "\n".join([*self._lines, *map(str, self.differences), str(self.overall)])

    @property
    def _lines(self) -> list[str]:
        return [f"{name}: {estimate}" for name, estimate in self.models.items()]

    def _title(self) -> str:
        return "\n".join([*self._lines, str(self.overall)])

    def _columns(self) -> Table:
        return collect(self.differences)

    def _picture(self) -> str:
        return draw(self.differences)


ALONE = Hint("For one model use rocch.stats.auc_interval.")


def compare_aucs(
    y_true: ArrayLike,
    scores: Columns,
    *,
    method: AucMethod = "newcombe",
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the AUCs of models that scored the same rows (DeLong's test).

    Parameters
    ----------
    y_true, pos_label, sample_weight, groups
        As for `auc_interval`.
    scores
        Maps names to scores, or is a data frame with one column per model.
    method
        How to make intervals, of AUCs and of differences: as for `auc_interval`.
    confidence
        How often each interval covers the truth.
    adjust
        How to adjust p-values for the number of pairs.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> found = rocch.stats.compare_aucs(
    ...     y, {"nb": [1, 5, 3, 7, 2, 4, 6, 8, 3, 9], "gbm": [1, 2, 3, 6, 4, 5, 7, 8, 9, 9]}
    ... )
    >>> print(found.difference("gbm", "nb"))
    gbm - nb: +0.1800 (-0.0954 to +0.5305), p = 0.165, adjusted 0.165
    """
    level, adjustment = as_level(confidence), as_adjustment(adjust)
    kind = as_auc_method(method)
    rows = as_paired_rows(
        y_true,
        scores,
        pos_label=pos_label,
        groups=groups,
        unpaired="rocch.stats.compare_aucs_unpaired",
        sample_weight=sample_weight,
        hint=ALONE,
    )
    moments = auc_moments(rows)
    found = estimate_aucs(moments, rows, level, kind)
    return compare_estimates(moments, found, adjust=adjustment, paired=True)


def compare_aucs_unpaired(
    samples: Mapping[str, Sample],
    *,
    method: AucMethod = "newcombe",
    pos_label: Label | None = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare AUCs from different, independent rows, such as those of two hospitals.

    The test is DeLong's with Welch's degrees of freedom, as in pROC.

    Parameters
    ----------
    samples
        Maps names to (labels, scores) or (labels, scores, groups).
    method, pos_label, confidence, adjust
        As for `compare_aucs`, which detects much smaller differences.

    Examples
    --------
    >>> import rocch
    >>> found = rocch.stats.compare_aucs_unpaired({
    ...     "north": ([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]),
    ...     "south": ([0, 0, 1, 1], [3, 1, 4, 2]),
    ... })
    >>> round(found.differences[0].difference, 4), round(found.differences[0].p_value, 2)
    (0.1389, 0.74)
    """
    level, adjustment = as_level(confidence), as_adjustment(adjust)
    kind = as_auc_method(method)
    own = as_unpaired_rows(
        samples, pos_label=pos_label, paired="rocch.stats.compare_aucs", hint=ALONE
    )
    parts = {name: auc_moments(rows) for name, rows in sorted(own.items())}
    found = {
        name: estimate_aucs(part, own[name], level, kind)[name] for name, part in parts.items()
    }
    # independent samples have no covariance
    covariance = tuple(
        tuple(one.covariance[0][0] if one is other else Fraction(0) for other in parts.values())
        for one in parts.values()
    )
    negatives, positives = zip(*(part.units for part in parts.values()), strict=True)
    aucs = tuple(part.aucs[0] for part in parts.values())
    degrees = tuple((each.groups or each.rows) - 1 for each in found.values())
    units = min(negatives), min(positives)
    moments = AucMoments(tuple(parts), aucs, covariance, units, degrees)
    return compare_estimates(moments, found, adjust=adjustment, paired=False)


def compare_estimates(
    moments: AucMoments, found: dict[str, AucEstimate], *, adjust: Adjustment, paired: bool
) -> AucComparison:
    """Compare AUCs whose moments are known."""
    pairs = [_difference(moments, found, *pair) for pair in combinations(range(len(found)), 2)]
    return AucComparison(
        found,
        moments.matrix,
        _adjust_tests(pairs, adjust),
        equality_test(moments),
        paired,
        adjust,
        next(iter(found.values())).confidence,
    )


def _difference(
    moments: AucMoments, found: dict[str, AucEstimate], first: int, second: int
) -> AucDifference:
    names = moments.models[first], moments.models[second]
    difference, variance = moments.contrast(first, second)
    error = math.sqrt(variance)
    z = float(difference) / error if error else math.copysign(math.inf, difference)
    if not difference:
        z = 0.0
    degrees = _welch_degrees(moments, first, second)
    p = max(_two_sided(z, degrees), _smallest_p_value(moments.units)) if z else 1.0
    one, other = (found[name] for name in names)
    if moments.covariance[first][first] and not difference and not variance:
        limits = Interval(0.0, 0.0)  # they rank alike
    elif one.method == "delong":
        reach = _quantile(one.confidence, degrees) * error
        limits = Interval(max(float(difference) - reach, -1.0), min(float(difference) + reach, 1.0))
    else:
        scale = one.standard_error * other.standard_error
        correlation = float(moments.covariance[first][second]) / scale if scale else 0.0
        intervals = one.interval, other.interval
        limits = difference_limits((one.value, other.value), intervals, correlation)
    return AucDifference(*names, float(difference), error, limits, p, p, z, degrees)


def _welch_degrees(moments: AucMoments, first: int, second: int) -> float | None:
    """Return Welch and Satterthwaite's degrees of freedom, or None where rows are the same."""
    if moments.degrees is None:
        return None
    variances = [float(moments.covariance[place][place]) for place in (first, second)]
    own = [moments.degrees[place] for place in (first, second)]
    if not any(variances):
        return float(sum(own))
    return sum(variances) ** 2 / sum(v * v / d for v, d in zip(variances, own, strict=True))


def _two_sided(z: float, degrees: float | None) -> float:
    """Return the chance of a value as far from 0, normal or by Student's t."""
    from scipy.special import stdtr

    if degrees is None:
        return math.erfc(abs(z) / math.sqrt(2))
    return float(2 * stdtr(degrees, -abs(z)))


def _quantile(confidence: float, degrees: float | None) -> float:
    """Return the half-width of a two-sided interval in standard errors."""
    from scipy.special import stdtrit

    if degrees is None:
        return normal_quantile(confidence)
    return float(stdtrit(degrees, (1 + confidence) / 2))


WHOLE: Literal["whole curve"] = "whole curve"
Place: TypeAlias = Conditions | Belief | NeymanPearson | Literal["whole curve"]
DIFFERENT_ROWS = ClassTotals(1, 1, pooled=True)


@dataclass(frozen=True, slots=True, repr=False)
class CurveTests(Tabular):
    """Tests of all pairs of curves.

    Attributes
    ----------
    measured
        What was compared, in words.
    values
        Each classifier's value; empty for whole curves.
    pairs
        The tests.
    paired
        Whether all classifiers scored the same rows.
    adjust, confidence, replicates
        As passed; intervals are not adjusted.
    """

    measured: str
    values: Mapping[str, float]
    pairs: tuple[CurveTest, ...]
    paired: bool
    adjust: Adjustment | Literal["range"]
    confidence: float
    replicates: int

    def __iter__(self) -> Iterator[CurveTest]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def difference(self, first: str, second: str) -> CurveTest:
        """Return the test of two classifiers, first less second."""
        return _find_pair(self.pairs, first, second)

    def __str__(self) -> str:
        return "\n".join((self._title(), *map(str, self.pairs)))

    def _title(self) -> str:
        return f"{self.measured[:1].upper()}{self.measured[1:]}:"

    def _columns(self) -> Table:
        return collect(self.pairs)

    def _picture(self) -> str:
        return draw(self.pairs)


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
        cost when conditions are known before choosing), `NeymanPearson(0.05)` (TPR at that FPR), or
        "whole curve" (Venkatraman and Begg's permutation test).
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
    >>> tests.pairs[0].p_value < 0.001
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
    if not isinstance(at, NeymanPearson) and not (isinstance(at, str) and at == WHOLE):
        raise InputError(
            "at",
            f"be exact Conditions, a Belief, NeymanPearson(max_fpr) or '{WHOLE}'",
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
        return f"difference in TPR at an FPR of {at.max_fpr:g} (more is better)", {
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
    return "difference in expected cost over the belief (less is better)", found


def _test_values(
    samples: Iterable[tuple[ScoredRows, int]],
    at: Belief | NeymanPearson,
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
    sample = {name: found.value for name, found in values.items()}
    adjusted = _adjust_tests(tests, as_adjustment(options.adjust))
    return CurveTests(measured, sample, adjusted, paired, *options)


def _bootstrap_test(
    names: tuple[str, str], one: _Measurement, other: _Measurement, level: float, *, paired: bool
) -> CurveTest:
    """Test a difference by its bootstrap standard error.

    For few rows, the error is at least that of half a row of each class (Agresti and Min).
    """
    from scipy.special import stdtr, stdtrit

    difference = one.value - other.value
    units = min(one.units, other.units)
    most = max(one.most, other.most)
    least = one.least_error if paired else math.hypot(one.least_error, other.least_error)
    error = max(float((one.replicates - other.replicates).std(ddof=1)), least)
    half = float(stdtrit(units - 1, (1 + level) / 2)) * error
    interval = Interval(max(difference - half, -most), min(difference + half, most))
    p_value = 2 * float(stdtr(units - 1, -abs(difference) / error))
    p_value = max(p_value, _smallest_p_value((one.units, other.units)))
    return CurveTest(*names, difference, error, interval, p_value, p_value)


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
        return max(found, _smallest_p_value((units, units)))

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
    from scipy.special import stdtrit

    models, tests = list(names), []
    for i, j in combinations(range(len(models)), 2):
        difference, error = float(found.costs[i] - found.costs[j]), float(found.errors[i, j])
        degrees = int(min(found.units[i], found.units[j])) - 1
        half = float(stdtrit(degrees, (1 + options.confidence) / 2)) * error
        interval = Interval(difference - half, difference + half)
        single = found.p_value(i, j, simultaneous=False)
        joint = found.p_value(i, j, simultaneous=True) if options.adjust == "range" else single
        tests.append(CurveTest(models[i], models[j], difference, error, interval, single, joint))
    adjusted = tuple(tests) if options.adjust == "range" else _adjust_tests(tests, options.adjust)
    values = dict(zip(models, found.costs.tolist(), strict=True))
    measured = "difference in least expected cost (less is better)"
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
            tests.append(CurveTest(*pair, distance, None, None, p_value, p_value))
    measured = "distance of the whole curves (mean gap of TPRs at equal shares of alarms, no sign)"
    adjusted = _adjust_tests(tests, as_adjustment(options.adjust))
    return CurveTests(measured, {}, adjusted, paired, *options)


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
