"""The rates of any choice on new rows: the choice is repeated without the rows that show them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, norm

import rocch
from rocch.rows import ScoredRows, cut_repeatedly

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
CAPACITY = rocch.Capacity(60, positives=50, negatives=750)


def draw(seed: int, rows: int = 150, share: float = 0.3) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < share
    return y, {
        "fine": rng.normal(size=rows) + 1.5 * y,
        "tied": np.round(rng.normal(size=rows) + 1.3 * y, 1),
    }


# ---- a slow oracle ------------------------------------------------------------------------------


def settings(y: list[bool], scores: dict[str, list[float]]) -> Any:
    """Yield the counts, name and deployed threshold of every setting, without trivial ones."""
    for name in sorted(scores):
        levels = sorted(set(scores[name]), reverse=True)
        for level, lower in pairwise(levels):
            alarms = [score >= level for score in scores[name]]
            hits = sum(a and p for a, p in zip(alarms, y, strict=True))
            yield sum(alarms) - hits, hits, name, (level + lower) / 2


def choose_slowly(
    y: list[bool], scores: dict[str, list[float]], allows: Callable[[Any, Any], bool], by: str
) -> tuple[Fraction, Fraction, str, float]:
    """Return the setting with the highest TPR (or lowest FPR) of those that a limit allows."""
    positives = sum(y)
    negatives = len(y) - positives
    found = []
    for false, hits, name, threshold in settings(y, scores):
        fpr, tpr = Fraction(false, negatives), Fraction(hits, positives)
        if allows(fpr, tpr):
            order = (-tpr, fpr) if by == "tpr" else (fpr, -tpr)
            found.append((*order, name, threshold))
    first, second, name, threshold = min(found)
    return *((second, -first) if by == "tpr" else (first, -second)), name, threshold


LIMITS: list[tuple[Any, Callable[[Any, Any], bool], str]] = [
    (rocch.NeymanPearson(0.1), lambda fpr, _: fpr <= Fraction(1, 10), "tpr"),
    (rocch.MinimumTpr(0.8), lambda _, tpr: tpr >= Fraction(8, 10), "fpr"),
    (CAPACITY, lambda fpr, tpr: 50 * tpr + 750 * fpr <= 60, "tpr"),
    (
        rocch.PredictedPositiveLimit(0.2, prevalence=0.25),
        lambda fpr, tpr: tpr / 4 + fpr * 3 / 4 <= Fraction(1, 5),
        "tpr",
    ),
    (
        rocch.MinimumPrecision(0.75, prevalence=0.25),
        lambda fpr, tpr: tpr > 0 and tpr >= 9 * fpr,  # p t / (p t + (1 - p) f) >= 3 / 4
        "tpr",
    ),
]


@pytest.mark.parametrize(("criterion", "allows", "by"), LIMITS)
def test_rates_are_off_by_what_choices_promise_too_much(
    criterion: Any, allows: Callable[[Any, Any], bool], by: str
) -> None:
    y, scores = draw(1)
    rows, off, spread = ScoredRows.of(y, scores), {}, 0.0
    generator = np.random.default_rng(0)
    for parts in (5, 2):
        alarms, promised = np.zeros(y.size), []
        for train, test in cut_repeatedly(rows, parts, 5, generator):
            some = {name: column[train].tolist() for name, column in scores.items()}
            fpr, tpr, name, threshold = choose_slowly(y[train].tolist(), some, allows, by)
            alarms[test] += (scores[name][test] >= threshold) / 5
            promised.append((float(fpr), float(tpr)))
        off[parts] = np.mean(promised, axis=0) - [alarms[~y].mean(), alarms[y].mean()]
        spread = spread or (alarms * (1 - alarms))[y].mean()
    best = rocch.RocHull.from_scores(y, scores).best(criterion)
    more, less = off[5] - (off[2] - off[5]) / 3
    wanted = best.fpr - min(more, 0), best.tpr - max(less, 0)
    found = best.on_new_rows
    assert found.rates is not None
    assert (found.rates.fpr, found.rates.tpr) == pytest.approx(wanted)
    assert found.resamples == 35
    assert (found.expected, found.note) == (None, "no costs were stated")
    # Clopper and Pearson, and the variance between choices
    positives, rate = int(y.sum()), wanted[1]
    hits = rate * positives
    wider = norm.isf(0.025) ** 2 * spread / positives
    least, most = (
        beta.ppf(0.025, hits, positives - hits + 1),
        beta.isf(0.025, hits + 1, positives - hits),
    )
    bounds = rate - np.hypot(rate - least, wider**0.5), rate + np.hypot(most - rate, wider**0.5)
    assert tuple(found.rates.tpr_interval) == pytest.approx((max(bounds[0], 0), min(bounds[1], 1)))


# ---- what they say ------------------------------------------------------------------------------


def test_a_capacity_counts_cases_of_its_own_population() -> None:
    best = rocch.RocHull.from_scores(*draw(2, 400)).best(CAPACITY)
    rates = best.on_new_rows.rates
    assert rates is not None
    assert rates.population == 800
    assert rates.found == pytest.approx(50 * rates.tpr)
    assert rates.missed == pytest.approx(50 * (1 - rates.tpr))
    assert rates.false_alarms == pytest.approx(750 * rates.fpr)
    found, false = 50 * rates.tpr, 750 * rates.fpr
    assert rates.precision == pytest.approx(found / (found + false))
    assert str(rates) in str(best)
    assert str(best.on_new_rows) == str(rates)
    assert f"of 800 cases with 50 positives it finds {found:.1f} and misses" in str(rates)


def test_precision_is_that_at_the_stated_or_else_the_observed_prevalence() -> None:
    y, scores = draw(3, 300)
    hull = rocch.RocHull.from_scores(y, scores)
    for criterion, share in (
        (rocch.NeymanPearson(0.1), y.mean()),
        (rocch.PredictedPositiveLimit(0.1, prevalence=0.02), 0.02),
        (rocch.MinimumPrecision(0.5, prevalence=0.1), 0.1),
    ):
        rates = hull.best(criterion).on_new_rows.rates
        assert rates is not None
        assert rates.prevalence == pytest.approx(share)
        hits = share * rates.tpr
        assert rates.precision == pytest.approx(hits / (hits + (1 - share) * rates.fpr))
        assert (rates.population, rates.found, rates.missed) == (None, None, None)


@pytest.mark.parametrize(
    "criterion",
    [
        rocch.NeymanPearson(0.2, confidence=0.9),
        rocch.MinimumTpr(0.5, confidence=0.9),
        rocch.MinimumPrecision(0.4, confidence=0.9),
        rocch.Capacity(30, positives=30, negatives=70, confidence=0.9),
        rocch.Maximize("f1"),
    ],
)
def test_other_choices_have_rates(criterion: Any) -> None:
    best = rocch.RocHull.from_scores(*draw(4, 600)).best(criterion)
    rates = best.on_new_rows.rates
    assert rates is not None
    assert abs(rates.tpr - best.tpr) < 0.1
    assert rates.tpr_interval.low <= rates.tpr <= rates.tpr_interval.high
    assert rates.fpr_interval.low <= rates.fpr <= rates.fpr_interval.high


def test_costs_under_limits_are_estimated_too() -> None:
    hull = rocch.RocHull.from_scores(*draw(5, 600))
    free = hull.best(KNOWN).on_new_rows
    loose = hull.best(rocch.Constrained(KNOWN, rocch.NeymanPearson(0.99)))
    assert loose.on_new_rows.expected == pytest.approx(free.expected, rel=0.05)
    strict = hull.best(rocch.Constrained(KNOWN, rocch.NeymanPearson(0.02)))
    assert strict.on_new_rows.expected is not None
    assert strict.on_new_rows.expected > loose.on_new_rows.expected  # type: ignore[operator]
    assert str(strict.on_new_rows) in str(strict)
    assert str(strict.on_new_rows.rates) in str(strict)
    assert "without limits" in strict.savings().note
    coin = hull.best(rocch.Constrained(KNOWN, rocch.NeymanPearson(0.02)), randomize=True)
    assert coin.randomized
    assert coin.on_new_rows.expected == pytest.approx(strict.on_new_rows.expected, rel=0.1)


def test_a_population_is_known_from_any_of_several_limits() -> None:
    hull = rocch.RocHull.from_scores(*draw(5, 600))
    question = rocch.Question(max_fpr=0.2, capacity=60, population=800)
    best = hull.best(question)
    assert best.population == 800
    assert best.on_new_rows.rates is not None
    assert best.on_new_rows.rates.population == 800
    priced = hull.best(
        rocch.Question(capacity=60, population=800, false_positive=1, false_negative=9)
    )
    assert priced.expected_cases is not None
    assert priced.expected_cases <= 60
    other = hull.best(rocch.Constrained(KNOWN, CAPACITY))  # at another prevalence
    assert other.population is None


def test_never_and_always_have_known_rates() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1] * 5, {"m": [2, 1, 3, 3] * 5})
    rates = hull.best(rocch.NeymanPearson(0)).on_new_rows.rates
    assert rates is not None
    assert (rates.tpr, rates.tpr_interval, rates.fpr) == (0, (0, 0), 0)
    assert rates.precision is None
    assert str(rates) == "on new rows expect a sensitivity (TPR) of 0 and an FPR of 0"


@pytest.mark.parametrize(
    ("hull", "criterion", "note"),
    [
        (rocch.RocHull.of(rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4])), 0.5, "not kept"),
        (rocch.RocHull.from_scores([0, 0, 0, 1], {"m": [1, 3, 2, 4]}), 0.5, "at least two rows"),
    ],
)
def test_without_rows_it_says_why(hull: rocch.RocHull, criterion: float, note: str) -> None:
    found = hull.best(rocch.NeymanPearson(criterion)).on_new_rows
    assert found.rates is None
    assert note in found.note


def test_too_few_rows_for_a_limit_say_so() -> None:
    """With 59 negatives and no error among them, the limit holds; with fewer it cannot."""
    y = np.arange(120) >= 60
    hull = rocch.RocHull.from_scores(y, {"m": np.arange(120.0)})
    best = hull.best(rocch.NeymanPearson(0.05, confidence=0.95))
    assert best.on_new_rows.rates is None
    assert best.on_new_rows.note == "without a fifth of the rows, nothing meets the limits"
    assert "new rows expect" not in str(best)


def test_changed_arrays_are_noticed() -> None:
    y, scores = draw(6)
    best = rocch.RocHull.from_scores(y, scores).best(rocch.NeymanPearson(0.1))
    scores[best.classifier][:] = -scores[best.classifier]
    with pytest.raises(rocch.InputError, match="stay as they were"):
        _ = best.on_new_rows


@pytest.mark.slow
@pytest.mark.parametrize("criterion", [CAPACITY, rocch.NeymanPearson(0.1, confidence=0.9)])
def test_estimates_are_right_on_average_and_intervals_hold(criterion: Any) -> None:
    rng = np.random.default_rng(8)
    off, held = [], []
    for _ in range(100):
        y = rng.random(500) < 0.2
        scores = {f"m{i}": rng.normal(size=500) + 1.5 * y for i in range(3)}
        best = rocch.RocHull.from_scores(y, scores).best(criterion)
        assert isinstance(best.threshold, float)
        truth = norm.sf(best.threshold - 1.5)
        rates = best.on_new_rows.rates
        assert rates is not None
        off.append((rates.tpr - truth, best.tpr - truth))
        held.append(rates.tpr_interval.low <= truth <= rates.tpr_interval.high)
    new, seen = np.transpose(off)
    assert abs(new.mean()) < 3 * new.std() / 10
    assert abs(new.mean()) < seen.mean()  # what the evaluation rows show is too good
    assert np.mean(held) >= 0.9
