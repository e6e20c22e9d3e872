"""Tests of curves: at conditions, at a false positive rate, over a belief, and as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, describe_type, format_list
from rocch.inputs import as_level, as_whole
from rocch.kernels import resampling as swapping
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions, Interval
from rocch.roc.criteria import NeymanPearson, least_expected_cost
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals
from rocch.stats.auc_tests import Adjustment, adjusted, as_adjustment, sign_bound
from rocch.stats.resampling import Bootstrap, resampled
from rocch.stats.sample import Sample, as_case, as_stated, check_several, paired_sample

# --- Are two whole curves equal? Permutation tests, for the same rows and for different ones ------

ROUNDING = 1e-12
"""Distances that agree to 12 digits count as equal."""


class Distance(NamedTuple):
    """How far two curves lie apart, and how often chance alone takes them so far."""

    first: str
    second: str
    distance: float
    p_value: float


def exchange_scores(sample: Sample, permutations: int, seed: int) -> list[Distance]:
    """Exchange the ranks of random rows (or whole clusters) between the two classifiers."""
    scores = {model: np.asarray(column, float) for model, column in sample.models.items()}
    ranks = {
        model: swapping.coarsened(swapping.double_ranks(column)) for model, column in scores.items()
    }
    units = len(sample) if sample.groups is None else int(sample.groups.max()) + 1
    tests = []
    for number, (first, second) in enumerate(combinations(ranks, 2)):
        rng = np.random.default_rng((seed, number))
        one, other = ranks[first], ranks[second]
        seen = swapping.hits_between(one, other, sample.positive)
        reached = 0
        for _ in range(permutations):
            heads = rng.random(units) < 0.5
            swapped = heads if sample.groups is None else heads[sample.groups]
            gap = swapping.exchanged(one, other, sample.positive, swapped)
            reached += gap >= seen * (1 - ROUNDING)
        tests.append(_by_permutation(first, second, seen, reached, permutations))
    return tests


def exchange_rows(curves: Mapping[str, Sample], permutations: int, seed: int) -> list[Distance]:
    """Exchange random rows of each class between the two samples."""
    tests = []
    for number, (first, second) in enumerate(combinations(curves, 2)):
        rng = np.random.default_rng((seed, number))
        pair = [curves[first], curves[second]]
        positive = np.concatenate([sample.positive for sample in pair])
        share = float(positive.mean())
        standings = np.concatenate([_standing(sample, share) for sample in pair])
        order = np.argsort(-standings, kind="stable")
        member = (np.arange(positive.size) < len(pair[0]))[order]
        standings, positive = standings[order], positive[order]
        seen = swapping.tpr_between(standings, positive, member, share)
        reached = 0
        for _ in range(permutations):
            mixed = np.empty_like(member)
            for rows in (positive, ~positive):
                mixed[rows] = rng.permutation(member[rows])
            gap = swapping.tpr_between(standings, positive, mixed, share)
            reached += gap >= seen * (1 - ROUNDING)
        tests.append(_by_permutation(first, second, seen, reached, permutations))
    return tests


def _by_permutation(
    first: str, second: str, seen: float, reached: int, permutations: int
) -> Distance:
    p_value = (1 + reached) / (1 + permutations)
    return Distance(first, second, seen, p_value)


def _standing(sample: Sample, share: float) -> FloatArray:
    (scores,) = sample.models.values()
    return swapping.standing(np.asarray(scores, dtype=np.float64), sample.positive, share)


# --- Tests of curves: at conditions, at a false positive rate, over a belief, and as a whole ------

WHOLE: Literal["whole curve"] = "whole curve"

DIFFERENT_ROWS = ClassTotals(1, 1, pooled=True)


@dataclass(frozen=True, slots=True)
class CurveTest:
    """One pair of curves.

    Attributes
    ----------
    first, second
        The two classifiers.
    difference
        First less second, in what was measured; for whole curves the mean distance of their TPRs
        at equal shares of alarms, which has no sign.
    standard_error, interval
        Of the difference; None for whole curves.
    p_value, adjusted_p_value
        By itself, and adjusted for the number of pairs.
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

    def reversed(self) -> CurveTest:
        """Return the same test with the two classifiers changing places."""
        if self.interval is None:
            return replace(self, first=self.second, second=self.first)
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            interval=Interval(-self.interval.high, -self.interval.low),
        )


@dataclass(frozen=True, slots=True)
class CurveTests:
    """All pairs of curves, tested alike.

    Attributes
    ----------
    measured
        What was compared, in words.
    values
        Each classifier's value of it; empty for whole curves.
    pairs
        The tests, pair by pair.
    paired
        Whether all were judged on the same rows.
    adjust, confidence, replicates
        As asked for; the intervals are not adjusted.
    """

    measured: str
    values: Mapping[str, float]
    pairs: tuple[CurveTest, ...]
    paired: bool
    adjust: Adjustment
    confidence: float
    replicates: int

    def __iter__(self) -> Iterator[CurveTest]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def difference(self, first: str, second: str) -> CurveTest:
        """Return the test of two classifiers, first less second."""
        for test in self.pairs:
            if (test.first, test.second) == (first, second):
                return test
            if (test.second, test.first) == (first, second):
                return test.reversed()
        known = dict.fromkeys(name for test in self.pairs for name in (test.first, test.second))
        got = f"{first!r} and {second!r}"
        raise InputError(
            "first, second", "be two that were compared", got, f"Of: {format_list(known)}."
        )

    def __str__(self) -> str:
        title = self.measured[:1].upper() + self.measured[1:]
        return "\n".join((f"{title}:", *map(str, self.pairs)))


class _Drawn(NamedTuple):
    """A measure on the sample, and on each replicate; how sure it can be at best."""

    value: float
    replicates: FloatArray
    least_error: float
    """The standard error if one row of each class decided otherwise now and then."""
    units: int
    """Independent rows, or clusters, of the rarer class."""
    most: float = math.inf
    """The largest difference that there can be."""


def compare_curves(
    y_true: Any,
    scores: Any,
    *,
    at: Conditions | Belief | NeymanPearson | Literal["whole curve"],
    prevalence: Any = None,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
    seed: int = 0,
) -> CurveTests:
    """Test curves of classifiers that judged the same rows, each pair of them.

    Parameters
    ----------
    y_true, pos_label
        Labels, as for `RocCurve.from_scores`.
    scores
        Names of classifiers to their scores on these rows.
    at
        Where to compare: exact `Conditions` (the least expected cost of each), a `Belief` with a
        unit of cost (the expected cost when each is aimed anew once the conditions are known),
        `NeymanPearson(0.05)` (the TPR at that FPR), or "whole curve" (Venkatraman and Begg's
        permutation test: are the curves equal everywhere?). For the AUC use `compare_aucs`.
    prevalence
        With a belief that has none: a number, an interval, a belief about it, or "observed".
    groups
        The cluster each row belongs to, where rows come in clusters.
    replicates
        How many resamples (for the whole curve: permutations).
    confidence
        Of the intervals.
    adjust
        How p-values of many pairs are adjusted: "holm", "bonferroni", "benjamini-hochberg",
        "none".
    seed
        What the draws follow from.

    Returns
    -------
    CurveTests

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
    level, what = as_level(confidence), _checked_at(at, prevalence)
    as_adjustment(adjust)
    many = as_whole(replicates, "replicates", least=20, hint="2000 serve well.")
    sample = paired_sample(
        y_true, scores, pos_label=pos_label, groups=groups, unpaired="compare_curves_unpaired"
    )
    check_several(sample.models)
    if what == WHOLE:
        return _whole(exchange_scores(sample, many, seed), level, adjust, many, paired=True)
    drawn = resampled(sample, replicates=many, seed=seed, fprs=_fprs(what))
    measured, values = _measure(drawn, what)
    return _tests(measured, values, level, adjust, paired=True)


def compare_curves_unpaired(
    samples: Mapping[str, tuple[Any, ...]],
    *,
    at: Conditions | Belief | NeymanPearson | Literal["whole curve"],
    prevalence: Any = None,
    pos_label: Any = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
    seed: int = 0,
) -> CurveTests:
    """Test curves of classifiers that judged different rows, each pair of them.

    `samples` maps each classifier's name to its own pair (labels, scores), or to a triple with the
    groups of its rows; the rest is as for `compare_curves`. An "observed" prevalence has no meaning
    here.
    """
    level, what = as_level(confidence), _checked_at(at, prevalence)
    as_adjustment(adjust)
    many = as_whole(replicates, "replicates", least=20, hint="2000 serve well.")
    own = _as_samples(samples, pos_label)
    if what == WHOLE:
        if any(sample.groups is not None for sample in own.values()):
            raise InputError(
                "samples", "have no groups for whole curves", "some", "Compare at conditions."
            )
        return _whole(exchange_rows(own, many, seed), level, adjust, many, paired=False)
    if isinstance(what, Conditions | Belief):
        what = what.resolved(DIFFERENT_ROWS)  # refuses an observed prevalence
    values: dict[str, _Drawn] = {}
    measured = ""
    for number, sample in enumerate(own.values()):
        stream = int(np.random.SeedSequence((seed, number)).generate_state(1)[0])
        drawn = resampled(sample, replicates=many, seed=stream, fprs=_fprs(what))
        measured, found = _measure(drawn, what)
        values |= found
    return _tests(measured, values, level, adjust, paired=False)


def _measure(drawn: Bootstrap, at: Any) -> tuple[str, dict[str, _Drawn]]:
    """Return what is compared, in words, and each model's value on the sample and replicates."""
    negatives, positives = drawn.independent
    rarer = min(negatives, positives)
    if isinstance(at, NeymanPearson):
        return f"difference in TPR at an FPR of {at.max_fpr:g} (more is better)", {
            model: _Drawn(
                drawn.curve(model).tpr_at(at.max_fpr),
                drawn.tpr(model)[:, 0],
                1 / (positives + 2),
                rarer,
                most=1.0,
            )
            for model in drawn.models
        }
    stated = at.resolved(drawn.sample_totals)
    case = as_case(stated)
    alarm, miss = case.weights
    least = math.hypot(alarm / (negatives + 2), miss / (positives + 2))
    own = {model: RocHull.of(drawn.curve(model)) for model in drawn.models}
    if isinstance(stated, Belief):
        return "difference in expected cost over the belief (less is better)", {
            model: _Drawn(
                least_expected_cost(hull.fpr, hull.tpr, stated),
                drawn.hull(model).least_expected_costs(stated),
                least,
                rarer,
            )
            for model, hull in own.items()
        }
    return "difference in least expected cost (less is better)", {
        model: _Drawn(
            float(case.cost(hull.fpr, hull.tpr).min()),
            drawn.least_cost(stated, model),
            least,
            rarer,
        )
        for model, hull in own.items()
    }


def _tests(
    measured: str, values: dict[str, _Drawn], level: float, adjust: Adjustment, *, paired: bool
) -> CurveTests:
    pairs = [
        _test((first, second), values[first], values[second], level, paired=paired)
        for first, second in combinations(values, 2)
    ]
    replicates = next(iter(values.values())).replicates.size
    return CurveTests(
        measured,
        {name: drawn.value for name, drawn in values.items()},
        _adjusted(pairs, adjust),
        paired,
        adjust,
        level,
        replicates,
    )


def _test(
    names: tuple[str, str], one: _Drawn, other: _Drawn, level: float, *, paired: bool
) -> CurveTest:
    """Test a difference by its bootstrap standard error.

    Few rows know little of their own spread: the error is at least that of half a row of each
    class going either way (Agresti and Min), Student's law has as many degrees of freedom as there
    are rows of the rarer class, less one, and p is never smaller than a sign test could make it.
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
    p_value = max(p_value, sign_bound((one.units, other.units)))
    return CurveTest(*names, difference, error, interval, p_value, p_value)


def _adjusted(pairs: list[CurveTest], adjust: Adjustment) -> tuple[CurveTest, ...]:
    p_values = adjusted(np.array([pair.p_value for pair in pairs]), adjust)
    return tuple(
        replace(pair, adjusted_p_value=float(p)) for pair, p in zip(pairs, p_values, strict=True)
    )


def _whole(
    found: list[Distance], level: float, adjust: Adjustment, permutations: int, *, paired: bool
) -> CurveTests:
    tests = [
        CurveTest(d.first, d.second, d.distance, None, None, d.p_value, d.p_value) for d in found
    ]
    words = "distance of the whole curves (mean gap of TPRs at equal shares of alarms, no sign)"
    return CurveTests(words, {}, _adjusted(tests, adjust), paired, adjust, level, permutations)


def _checked_at(at: Any, prevalence: Any) -> Any:
    if isinstance(at, Conditions | Belief):
        return as_stated(at, prevalence, "at")
    known = isinstance(at, NeymanPearson) or (isinstance(at, str) and at == WHOLE)
    if not known:
        raise InputError(
            "at",
            f"be exact Conditions, a Belief, NeymanPearson(max_fpr) or '{WHOLE}'",
            repr(at) if isinstance(at, str) else describe_type(at),
            "For the area under the curve use compare_aucs.",
        )
    if prevalence is not None:
        raise InputError("prevalence", "go with a belief", repr(prevalence), "Leave it out.")
    return at


def _as_samples(samples: Any, pos_label: Any) -> dict[str, Sample]:
    if not isinstance(samples, Mapping):
        raise InputError(
            "samples",
            "map each classifier's name to its own (labels, scores)",
            describe_type(samples),
            "For classifiers that judged the same rows use compare_curves.",
        )
    check_several(samples, "samples")
    return {name: _own_rows(name, given, pos_label) for name, given in samples.items()}


def _own_rows(name: Any, given: Any, pos_label: Any) -> Sample:
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise InputError(
            f"samples[{name!r}]",
            "be a pair (labels, scores), or with groups a triple",
            describe_type(given),
            "For classifiers that judged the same rows use compare_curves.",
        )
    y_true, scores, *groups = given
    return Sample.of(
        y_true,
        {name: scores},
        pos_label=pos_label,
        groups=groups[0] if groups else None,
        argument="samples",
    )


def _fprs(at: Any) -> list[float] | None:
    return [at.max_fpr] if isinstance(at, NeymanPearson) else None
