"""Limits on the evaluation rows, beside brute force over all settings, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.errors import InputError
from rocch.roc.limits import Limited


def small(seed: int, rows: int = 30) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    y[:2] = (False, True)
    return y, {name: rng.integers(0, 9, rows) + 3 * y for name in "ab"}


def settings_of(y: Any, scores: Any) -> list[tuple[int, int]]:
    """Return false and true positives of every setting of every classifier, and of never."""
    found = [(0, 0)]
    for column in scores.values():
        for threshold in set(column.tolist()):
            alarms = column >= threshold
            found.append((int((alarms & ~y).sum()), int((alarms & y).sum())))
    return found


@given(st.integers(0, 10**6), st.integers(1, 20))
def test_a_floor_on_precision_is_that_of_brute_force(seed: int, twentieths: int) -> None:
    y, scores = small(seed)
    floor = Fraction(twentieths, 20)
    hull = rocch.RocHull.from_scores(y, scores)
    kept = [(fp, tp) for fp, tp in settings_of(y, scores) if tp >= floor * (fp + tp)]
    most = max(tp for _, tp in kept)
    best = hull.best(rocch.MinimumPrecision(float(floor)))
    assert best.tpr == most / int(y.sum())
    stated = rocch.MinimumPrecision(float(floor), prevalence=hull.totals.prevalence)
    assert hull.best(stated).mix == best.mix
    assert best.prevalence == hull.totals.prevalence


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 6))
def test_a_limit_on_the_cost_is_that_of_brute_force(seed: int, limit: int, miss: int) -> None:
    y, scores = small(seed)
    known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=miss)
    hull = rocch.RocHull.from_scores(y, scores)
    most = Fraction(limit, 20)
    positives = int(y.sum())
    both = [*settings_of(y, scores), (len(y) - positives, positives)]
    kept = [tp for fp, tp in both if fp + miss * (positives - tp) <= most * len(y)]
    criterion = rocch.CostLimit(float(most), known)
    if kept:
        assert hull.best(criterion).tpr == max(kept) / positives
    else:
        with pytest.raises(rocch.InfeasibleError):
            hull.best(criterion)


def test_costs_within_intervals_are_limited_at_every_corner() -> None:
    y, scores = small(1, 400)
    hull = rocch.RocHull.from_scores(y, scores)
    vague = rocch.Conditions(
        prevalence=(0.3, 0.5), false_positive=1, false_negative=(1, 3), true_positive=0.1
    )
    criterion = rocch.CostLimit(0.8, vague)
    assert len(criterion.limits) == 4
    best = hull.best(criterion)
    assert max(case.cost(best.fpr, best.tpr) for case in vague.corners()) <= 0.8 + 1e-12
    assert "under prevalence 0.3, false positive 1, false negative 1" in str(criterion.limits[0])


def test_precision_and_alarms_are_limited_together() -> None:
    y, scores = small(2, 400)
    hull = rocch.RocHull.from_scores(y, scores)
    both = rocch.Constrained(
        rocch.MinimumPrecision(0.7),
        rocch.PredictedPositiveLimit(0.2, prevalence="observed"),
    )
    best = hull.best(both)
    numbers = best.performance(prevalence=hull.totals.prevalence)
    assert numbers.precision >= 0.7
    assert numbers.predicted_positive_rate <= 0.2 + 1e-12


def test_words() -> None:
    assert str(rocch.MinimumPrecision(0.9, prevalence=0.1).limit) == (
        "precision >= 0.9 at prevalence 0.1"
    )
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=4)
    assert list(map(str, rocch.CostLimit(0.5, known).limits)) == ["expected cost <= 0.5"]


def test_an_observed_prevalence_needs_rows() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [1, 3, 2, 4]})
    for criterion in (
        rocch.MinimumPrecision(0.9),
        rocch.PredictedPositiveLimit(0.5, prevalence="observed"),
    ):
        with pytest.raises(InputError, match="'observed', which only a hull can resolve"):
            _ = criterion.limits
        resolved = criterion.resolved(hull.totals)
        assert isinstance(resolved, Limited)
        assert len(resolved.limits) == 1
    stated = rocch.MinimumPrecision(0.9, prevalence=0.2)
    assert stated.resolved(hull.totals) is stated


WRONG: Any = "costs"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rocch.MinimumPrecision(0), "min_precision must be more than 0"),
        (lambda: rocch.MinimumPrecision(0.9, prevalence=1), "prevalence must lie between 0 and 1"),
        (lambda: rocch.MinimumPrecision(90), "min_precision must be a number from 0 to 1"),
        (lambda: rocch.MinimumPrecision(0.9, confidence=0), "both excluded; got 0"),
        (lambda: rocch.CostLimit(0.5, WRONG), "must be Conditions"),
        (lambda: rocch.CostLimit(float("nan"), WRONG), "max_cost must be"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_costs_of_right_decisions_need_a_stated_prevalence_with_a_confidence() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [1, 3, 2, 4]})
    costs = rocch.Conditions(
        prevalence="observed", false_positive=1, false_negative=4, true_positive=0.5
    )
    assert hull.best(rocch.CostLimit(3, costs)).tpr == 1
    with pytest.raises(InputError, match="prevalence must be a number where hits"):
        hull.best(rocch.CostLimit(3, costs, confidence=0.5))
    free = rocch.Conditions(prevalence=0, false_positive=0, false_negative=1)
    with pytest.raises(InputError, match="conditions must have an error that can occur"):
        hull.best(rocch.CostLimit(3, free))
