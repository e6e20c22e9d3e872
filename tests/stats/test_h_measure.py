"""The H-measure: straight from Hand's definition, and its bounds."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import rocch
from tests.support.strategies import judged_rows

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

B = rocch.Belief


def curve(seed: int, *, lift: float = 1.2, tied: bool = False) -> rocch.RocCurve:
    rng = np.random.default_rng(seed)
    y = rng.random(300) < rng.uniform(0.05, 0.6)
    scores = rng.normal(size=300) + lift * y
    return rocch.RocCurve.from_scores(y, np.round(scores, 1) if tied else scores)


def by_definition(hull: rocch.RocHull, a: float, b: float, pi1: float) -> float:
    """Hand (2009): c is the cost of misclassifying class 0 (a false alarm), Beta(a, b).

    Loss at a threshold: c pi0 (1 - F0) + (1 - c) pi1 F1, where 1 - F0 = FPR and F1 = 1 - TPR; the
    best threshold for each c is looked up among the hull's points.
    """
    pi0 = 1 - pi1
    x: FloatArray = hull.fpr
    y: FloatArray = hull.tpr
    density = stats.beta(a, b).pdf

    def least(c: float) -> float:
        return float(np.min(c * pi0 * x + (1 - c) * pi1 * (1 - y)) * density(c))

    def trivial(c: float) -> float:
        return float(min(c * pi0, (1 - c) * pi1) * density(c))

    # both ends of a segment of slope s cost the same where c pi0 = s (1 - c) pi1
    bends = sorted({pi1 * s / (pi0 + pi1 * s) for s in hull.slopes.tolist() if math.isfinite(s)})
    cuts = [0.0, *(c for c in bends if 0 < c < 1), 1.0]
    loss = sum(
        integrate.quad(least, low, high, epsabs=1e-14, epsrel=1e-12)[0]
        for low, high in pairwise(cuts)
    )
    worst = integrate.quad(trivial, 0, pi1)[0] + integrate.quad(trivial, pi1, 1)[0]
    return float(1 - loss / worst)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_from_the_definition(seed: int, tied: bool) -> None:
    judged = curve(seed, tied=tied)
    hull = rocch.RocHull.of(judged)
    pi1 = hull.totals.prevalence
    # Beta(2, 2) is its own mirror image; elsewhere mind whose share it is
    assert rocch.stats.h_measure(judged) == pytest.approx(by_definition(hull, 2, 2, pi1), abs=1e-9)
    balanced = rocch.stats.h_measure(judged, belief="balanced")
    assert balanced == pytest.approx(by_definition(hull, 1 + pi1, 2 - pi1, pi1), abs=1e-9)
    package = rocch.stats.h_measure(judged, belief="hmeasure")
    wanted = by_definition(hull, 2, 1 + (1 - pi1) / pi1, pi1)
    assert package == pytest.approx(wanted, abs=1e-9)
    assert abs(package - balanced) > 1e-3
    misses = rocch.stats.h_measure(judged, belief=B.cost_share_beta(5, 2))
    assert misses == pytest.approx(by_definition(hull, 2, 5, pi1), abs=1e-9)
    assert abs(misses - by_definition(hull, 5, 2, pi1)) > 1e-3


@pytest.mark.parametrize("prevalence", [0.01, 0.3, 0.9])
def test_at_another_prevalence(prevalence: float) -> None:
    hull = rocch.RocHull.of(curve(1))
    found = rocch.stats.h_measure(hull, prevalence=prevalence)
    assert found == pytest.approx(by_definition(hull, 2, 2, prevalence), abs=1e-9)
    balanced = rocch.stats.h_measure(hull, belief="balanced", prevalence=prevalence)
    wanted = by_definition(hull, 1 + prevalence, 2 - prevalence, prevalence)
    assert balanced == pytest.approx(wanted, abs=1e-9)
    package = rocch.stats.h_measure(hull, belief="hmeasure", prevalence=prevalence)
    wanted = by_definition(hull, 2, 1 + (1 - prevalence) / prevalence, prevalence)
    assert package == pytest.approx(wanted, abs=1e-9)


def test_the_figures_that_the_hmeasure_package_prints() -> None:
    """The description of hmeasure 0.1.6 on PyPI, a translation of the R package.

    A positive severity ratio r means Beta(2, 1 + 1 / r) for the false alarm's share, by default
    with r = positives / negatives; a negative one means the shapes of 2014.
    """
    y = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
    scores = [0.84901876, 0.10282827, 0.43752488, 0.46004468, 0.90878931]
    scores += [0.79177719, 0.5297229, 0.13803906, 0.73166264, 0.22959056]
    printed: list[tuple[Any, float]] = [
        ("hmeasure", 0.18889596344769588),
        ("balanced", 0.18310946512079307),
        (B.cost_share_beta(1 + 1 / 0.7, 2), 0.13502616807120948),
        (B.cost_share_beta(1 + 1 / 0.1, 2), 0.001212529211507385),
    ]
    judged = rocch.RocCurve.from_scores(y, scores)
    for belief, wanted in printed:
        assert rocch.stats.h_measure(judged, belief=belief) == pytest.approx(wanted, abs=1e-12)


def test_only_the_packages_shapes_depend_on_which_class_is_called_positive() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.1
    scores = rng.normal(size=300) + 1.2 * y
    whole = rocch.RocCurve.from_scores(y, scores)
    swapped = rocch.RocCurve.from_scores(~y, -scores)
    for belief in ("symmetric", "balanced"):
        first, second = (rocch.stats.h_measure(c, belief=belief) for c in (whole, swapped))
        assert first == pytest.approx(second, abs=1e-12)
    first, second = (rocch.stats.h_measure(c, belief="hmeasure") for c in (whole, swapped))
    assert abs(first - second) > 1e-2


@settings(max_examples=60)
@given(judged_rows(), st.sampled_from(["symmetric", "balanced", "hmeasure"]))
def test_between_0_and_1_and_blind_to_the_scale_of_scores(
    rows: tuple[list[bool], list[float]], belief: Any
) -> None:
    labels, scores = rows
    ranks = np.unique(scores, return_inverse=True)[1]
    first, second = (
        rocch.stats.h_measure(rocch.RocCurve.from_scores(labels, column), belief=belief)
        for column in (scores, np.exp(ranks / 7))
    )
    assert 0 <= first <= 1
    assert first == second


@pytest.mark.parametrize(
    "belief", ["symmetric", "balanced", "hmeasure", B.cost_ratio(2, 9, likely=3)]
)
def test_the_best_and_the_worst(belief: Any) -> None:
    y = [0, 0, 0, 1, 1]
    perfect = rocch.RocCurve.from_scores(y, [1, 2, 3, 4, 5])
    blind = rocch.RocCurve.from_scores(y, [1, 1, 1, 1, 1])
    inverse = rocch.RocCurve.from_scores(y, [5, 4, 3, 2, 1])
    assert rocch.stats.h_measure(perfect, belief=belief) == 1
    assert rocch.stats.h_measure(blind, belief=belief) == pytest.approx(0, abs=1e-15)
    assert rocch.stats.h_measure(inverse, belief=belief) == pytest.approx(0, abs=1e-15)


def test_more_classifiers_are_never_worse() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.3
    scores = {"a": rng.normal(size=400) + y, "b": 2 * rng.normal(size=400) + 2 * y}
    curves = [rocch.RocCurve.from_scores(y, column, name=name) for name, column in scores.items()]
    alone = [rocch.stats.h_measure(one) for one in curves]
    assert rocch.stats.h_measure(rocch.RocHull.of(*curves)) >= max(alone)


def test_any_belief_serves() -> None:
    judged = curve(2)
    hull = rocch.RocHull.of(judged)
    said = B.cost_ratio(2, 9, likely=3)
    plain = rocch.stats.h_measure(judged, belief=said, prevalence=0.2)
    assert plain == rocch.stats.h_measure(judged, belief=said.with_prevalence(0.2))
    summed = said.with_unit(sum_of_costs=5)  # a factor cancels; another unit is another question
    assert rocch.stats.h_measure(judged, belief=summed, prevalence=0.2) == pytest.approx(plain)
    money = said.with_unit(false_positive=20)
    assert rocch.stats.h_measure(judged, belief=money, prevalence=0.2) != pytest.approx(
        plain, abs=1e-6
    )
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=4)
    sure = rocch.stats.h_measure(judged, belief=B.cost_ratio(4), prevalence=0.2)
    assert sure == pytest.approx(1 - hull.best(known).value / min(0.2 * 4, 0.8))
    vague = rocch.stats.h_measure(judged, prevalence=(0.1, 0.3))
    assert 0 < vague < 1


def test_on_a_hull_restricted_by_conditions() -> None:
    hull = rocch.RocHull.of(curve(2))
    bounds = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(2, 9))
    small = hull.within(bounds)
    said = B.cost_ratio(2, 9, likely=3)
    found, wanted = (rocch.stats.h_measure(h, belief=said, prevalence=0.2) for h in (small, hull))
    assert found == pytest.approx(wanted)
    with pytest.raises(rocch.InputError, match="restricted to slopes"):
        rocch.stats.h_measure(small)


REFUSED: dict[str, tuple[Any, str]] = {
    "scores": (lambda: rocch.stats.h_measure([0.1, 0.2]), "curve must be a RocCurve or a RocHull"),  # type: ignore[arg-type]
    "unknown name": (
        lambda: rocch.stats.h_measure(curve(0), belief="hand"),  # type: ignore[arg-type]
        "'symmetric', 'balanced', 'hmeasure'",
    ),
    "a pair": (lambda: rocch.stats.h_measure(curve(0), belief=(2, 2)), "a ratio without a name"),  # type: ignore[arg-type]
    "prevalence 0": (lambda: rocch.stats.h_measure(curve(0), prevalence=0), "lie between 0 and 1"),
    "prevalence 2": (lambda: rocch.stats.h_measure(curve(0), prevalence=2), "lie between 0 and 1"),
    "balanced on a range": (
        lambda: rocch.stats.h_measure(curve(0), belief="balanced", prevalence=(0.1, 0.2)),
        "prevalence must be a number between 0 and 1",
    ),
    "hmeasure without positives": (
        lambda: rocch.stats.h_measure(curve(0), belief="hmeasure", prevalence=0),
        "prevalence must be a number between 0 and 1",
    ),
    "prevalence twice": (
        lambda: rocch.stats.h_measure(
            curve(0), belief=B.cost_ratio(4).with_prevalence(0.1), prevalence=0.2
        ),
        "prevalence must be named once",
    ),
}


@pytest.mark.parametrize(("ask", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_is_refused(ask: Any, words: str) -> None:
    with pytest.raises(rocch.InputError, match=words):
        ask()


def test_where_one_error_is_free_nothing_can_be_better_than_trivial() -> None:
    with pytest.raises(rocch.UndefinedError, match="makes one kind of error free"):
        rocch.stats.h_measure(curve(0), belief=B.cost_ratio(0))
