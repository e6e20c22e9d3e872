"""Adams and Hand, Comparing classifiers when the misallocation costs are uncertain: its numbers.

Their class 1 is our positive class: c1 is the cost of a miss, c0 that of a false alarm. The data of
sections 5.1 and 5.2 are not part of the project; where the data folder is absent those tests are
skipped.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.stats.cost_axis import CostAxis

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")

SHARE = CostAxis(0.5)


def masses(belief: rocch.Belief, *edges: float) -> list[float]:
    """Return the belief's mass below each share."""
    given = SHARE.masses(belief.with_prevalence(0.5), np.array([0.0, *edges, 1.0]))
    found: list[float] = np.cumsum(given.between)[:-1].tolist()
    return found


RATIOS = [(0.1, 0.25, 0.14), (0.05, 0.5, 1 / 16), (0.065, 0.15, 0.095), (1.0, 3.0, 2.0)]


@pytest.mark.parametrize(("a", "b", "m"), RATIOS)
def test_section_3_the_triangle_lies_on_c1(a: float, b: float, m: float) -> None:
    """Ratio c0/c1 in [a, b], mode m: from 1/(1 + b) to 1/(1 + a), apex 1/(1 + m), height h."""
    belief = rocch.Belief.inverse_cost_ratio(a, b, likely=m)
    low, apex, high = 1 / (1 + b), 1 / (1 + m), 1 / (1 + a)
    assert belief.cost_share == pytest.approx((low, high))
    height = 2 * (1 + a) * (1 + b) / (b - a)
    below, around = masses(belief, apex, apex + (high - apex) / 2)
    assert below == pytest.approx((apex - low) * height / 2)
    assert around - below == pytest.approx((high - apex) / 2 * height * 0.75)
    drawn = SHARE.density(belief.with_prevalence(0.5))
    assert drawn.height.max() == pytest.approx(height, rel=5e-3)


@pytest.mark.parametrize("a", [0.0, 1.0, 4.0])
def test_section_3_an_open_end_has_height_2_times_1_plus_a(a: float) -> None:
    belief = rocch.Belief.inverse_cost_ratio(a, math.inf, likely=a + 1)
    assert belief.cost_share == pytest.approx((0, 1 / (1 + a)))
    apex = 1 / (2 + a)
    assert masses(belief, apex)[0] == pytest.approx(apex * 2 * (1 + a) / 2)


EXAMPLES = {
    "5.1 Pima: 4 to 10 times, likely 7": ((4, 10, 7), (0.80, 0.91, 0.875), 2),
    "5.2 heart: 2 to 20 times, likely 16": ((2, 20, 16), (0.667, 0.952, 0.941), 3),
    "5.4 banking: 5 to 10 times, likely 9": ((5, 10, 9), (0.833, 0.909, 0.9), 3),
}


@pytest.mark.parametrize(("said", "shares", "digits"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_section_5_intervals_on_c1(
    said: tuple[float, float, float], shares: tuple[float, float, float], digits: int
) -> None:
    """16 times as serious is 0.941; the paper prints 0.937."""
    low, high, likely = said
    belief = rocch.Belief.cost_ratio(low, high, likely=likely)
    assert tuple(round(share, digits) for share in belief.cost_share) == shares[:2]
    apex = rocch.Belief.cost_ratio(likely).cost_share.low
    assert round(apex, 3) == shares[2]


def test_section_5_3_marketing_is_said_as_a_ratio() -> None:
    """Ratio c0/c1 in [0.065, 0.15], most probable 0.095: a miss is 6.7 to 15.4 times as bad."""
    ratio = rocch.Belief.inverse_cost_ratio(0.065, 0.15, likely=0.095)
    times = rocch.Belief.cost_ratio(1 / 0.15, 1 / 0.065, likely=1 / 0.095)
    assert ratio.cost_share == pytest.approx(times.cost_share)
    assert masses(ratio, 0.9, 0.92) == pytest.approx(masses(times, 0.9, 0.92))


def test_section_2_converse_statements_are_symmetric_on_c1() -> None:
    assert tuple(rocch.Belief.inverse_cost_ratio(0, 1).cost_share) == (0.5, 1)
    assert tuple(rocch.Belief.inverse_cost_ratio(1, math.inf).cost_share) == (0, 0.5)
    assert tuple(rocch.Belief.cost_ratio(1, math.inf).cost_share) == (0.5, 1)


def test_section_2_two_to_ten_times_is_a_ratio_of_a_tenth_to_a_half() -> None:
    times, ratio = rocch.Belief.cost_ratio(2, 10), rocch.Belief.inverse_cost_ratio(0.1, 0.5)
    assert times.cost_share == pytest.approx(ratio.cost_share)


def test_section_3_triangles_on_other_axes_are_other_beliefs() -> None:
    """On the heart example their distribution functions differ by up to one half."""
    grid = np.linspace(0, 1, 4001)[1:-1]
    share, times, ratio = (
        np.array(masses(rocch.Belief.cost_ratio(2, 20, likely=16, on=scale), *grid))
        for scale in ("share", "times", "ratio")
    )
    assert np.abs(share - times).max() == pytest.approx(0.50, abs=0.01)
    assert np.abs(ratio - times).max() == pytest.approx(0.575, abs=0.01)
    assert np.abs(share - ratio).max() == pytest.approx(0.10, abs=0.01)


def two(*points: tuple[int, int]) -> list[rocch.RocCurve]:
    """Place two classifiers that label, on 100 negatives and 100 positives."""
    return [
        rocch.RocCurve.from_counts([fp], [tp], negatives=100, positives=100, name=name)
        for name, (fp, tp) in zip("ab", points, strict=True)
    ]


def test_section_1_loss_is_equation_1() -> None:
    """L = pi0 f0 c0 + pi1 f1 c1."""
    a, b = two((20, 70), (0, 50))
    found = rocch.stats.compare_losses(a, b, belief=rocch.Belief.cost_ratio(1, 4), prevalence=0.25)
    loss = found.losses_at(false_positive=2, false_negative=5)
    assert loss["a"] == pytest.approx(0.75 * 0.2 * 2 + 0.25 * 0.3 * 5)
    assert loss["b"] == pytest.approx(0.25 * 0.5 * 5)


def test_section_1_the_projection_line_has_slope_minus_pi0_c0_over_pi1_c1() -> None:
    """The paper prints the inverse.

    In its graph x is the share of class 1 taken for class 0 (misses), y that of class 0 put right.
    Projections onto a line tell losses apart only if equal losses lie across it, at a right angle.
    """
    pi1, c0, c1 = 0.25, 2.0, 4.0
    pi0 = 1 - pi1
    a, b = two((30, 80), (20, 65))
    found = rocch.stats.compare_losses(
        a, b, belief=rocch.Belief.cost_ratio(c1 / c0), prevalence=pi1
    )
    loss = found.losses_at(false_positive=c0, false_negative=c1)
    assert loss["a"] == pytest.approx(loss["b"])
    (x0, y0), (x1, y1) = ((1 - curve.tpr[1], 1 - curve.fpr[1]) for curve in (a, b))
    across = (y1 - y0) / (x1 - x0)
    assert across * (-pi0 * c0 / (pi1 * c1)) == pytest.approx(-1)
    assert across * (-pi1 * c1 / (pi0 * c0)) != pytest.approx(-1)


def test_section_1_the_threshold_on_class_1_is_c0_over_both() -> None:
    """c1/(c0 + c1) is a threshold on p(class 0); on a score for class 1 it is c0/(c0 + c1)."""
    y = [1, 0]
    eager = rocch.RocCurve.from_scores(y, [0.15, 0.05], name="eager")
    slow = rocch.RocCurve.from_scores(y, [0.08, 0.05], name="slow")
    nine = rocch.Belief.cost_ratio(9)
    found = rocch.stats.compare_losses(eager, slow, belief=nine, prevalence=0.5, reading="implied")
    loss = found.losses_at(false_positive=1, false_negative=9)
    assert loss == {"eager": 0, "slow": 0.5 * 9}
    assert found.lc_index == 1


def test_section_6_dominance_within_the_feasible_interval_is_enough() -> None:
    """One classifier dominates there though not everywhere: the index is +1 or -1."""
    a, b = two((30, 95), (2, 60))
    costly = rocch.stats.compare_losses(a, b, belief=rocch.Belief.cost_ratio(4, 10), prevalence=0.3)
    cheap = costly.under(rocch.Belief.cost_ratio(0.5, 1))
    assert (costly.lc_index, cheap.lc_index) == (1, -1)
    assert {stretch.classifiers for stretch in costly.stretches} >= {("a",), ("b",)}
    wide = costly.under(rocch.Belief.cost_ratio(0.5, 10))
    assert -1 < wide.lc_index < 1


def test_section_4_the_index_is_the_integral_of_signs_times_belief() -> None:
    """A crossing at one known share c*: LC = 1 - 2 D(c*)."""
    a, b = two((40, 90), (10, 60))
    belief = rocch.Belief.cost_ratio(0.5, 10, likely=2)
    found = rocch.stats.compare_losses(a, b, belief=belief, prevalence=0.5)
    crossing = next(s.low for s in found.stretches if s.classifiers == ("a",))
    assert crossing == pytest.approx(0.5)
    assert found.mass_b == pytest.approx(masses(belief, 0.5)[0], abs=1e-12)


def rows(name: str) -> tuple[Any, Any]:
    table = np.genfromtxt(DATA / name, delimiter=",", skip_header=1)
    return table[:, :-1], table[:, -1]


def splits(
    name: str, test: int, belief: rocch.Belief, **models: Callable[[], Any]
) -> list[tuple[float, rocch.stats.LossComparison]]:
    """Fit two models on twenty splits of the paper's size; return lead in AUC, and comparison."""
    from sklearn.model_selection import train_test_split

    X, y = rows(name)
    found = []
    for seed in range(20):
        train, held, y_train, y_held = train_test_split(X, y, test_size=test, random_state=seed)
        a, b = (
            rocch.RocCurve.from_scores(
                y_held, make().fit(train, y_train).predict_proba(held)[:, 1], name=called
            )
            for called, make in models.items()
        )
        comparison = rocch.stats.compare_losses(a, b, belief=belief, prevalence="observed")
        found.append((a.auc - b.auc, comparison))
    return found


def contradictions(found: list[tuple[float, rocch.stats.LossComparison]]) -> int:
    return sum(lead * comparison.lc_index < 0 for lead, comparison in found)


def check_laws(found: list[tuple[float, rocch.stats.LossComparison]]) -> None:
    for _, comparison in found:
        assert -1 <= comparison.lc_index <= 1
        total = comparison.mass_a + comparison.mass_b + comparison.ties
        assert total == pytest.approx(1, abs=1e-12)
        shapes = comparison.shapes()
        assert shapes.unimodal is not None
        assert shapes.unimodal.low - 1e-12 <= comparison.lc_index <= shapes.unimodal.high + 1e-12


@pytest.mark.slow
@needs_data
def test_section_5_1_on_pima_auc_and_index_contradict_each_other_on_some_splits() -> None:
    """538 rows to design, 230 to test, as in the paper; its split and network are not known."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def network() -> Any:
        net = MLPClassifier((4,), alpha=1.0, solver="lbfgs", max_iter=2000, random_state=0)
        return make_pipeline(StandardScaler(), net)

    X, y = rows("pima.csv")
    assert (len(X), int(y.sum()), X.shape[1]) == (768, 268, 8)
    expert = rocch.Belief.cost_ratio(4, 10, likely=7)
    found = splits("pima.csv", 230, expert, net=network, qda=QuadraticDiscriminantAnalysis)
    check_laws(found)
    assert contradictions(found) >= 3
    assert any(lead > 0 and c.lc_index == -1 for lead, c in found)  # the paper's own case


@needs_data
def test_section_5_2_on_hearts_auc_and_index_contradict_each_other_on_some_splits() -> None:
    """183 rows to design, 78 to test. So few rows make ties: both lose the same on stretches."""
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )

    def qda() -> Any:
        return QuadraticDiscriminantAnalysis(reg_param=0.01)

    X, y = rows("heart_hungarian_261.csv")
    assert (len(X), int(y.sum())) == (261, 98)
    expert = rocch.Belief.cost_ratio(2, 20, likely=16)
    found = splits("heart_hungarian_261.csv", 78, expert, qda=qda, lda=LinearDiscriminantAnalysis)
    check_laws(found)
    assert contradictions(found) >= 1
    assert any(comparison.ties > 0.01 for _, comparison in found)
