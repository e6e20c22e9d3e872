"""Provost and Fawcett, Robust Classification for Imprecise Environments: its numbers, run."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import rocch
from tests.support.oracles import curves

FIVE_TO_ONE = 1 / 6


def test_section_2_1_alarm_when_the_probability_exceeds_the_cost_share() -> None:
    """[1 - p] c(Y, n) < p c(N, p) holds exactly when p > c_fp / (c_fp + c_fn)."""
    conditions = rocch.Conditions(prevalence=0.3, false_positive=3, false_negative=17)
    threshold = conditions.probability_threshold
    assert threshold == 3 / 20
    for p in (threshold - 1e-9, threshold + 1e-9):
        assert ((1 - p) * 3 < p * 17) == (p > threshold)


def test_section_2_2_2_slopes_of_scenarios_a_and_b() -> None:
    """Negatives 5:1. Equal costs give slope 5; misses 25 times as dear give 1/5."""
    a = rocch.Conditions(prevalence=FIVE_TO_ONE, false_positive=1, false_negative=1)
    b = rocch.Conditions(prevalence=FIVE_TO_ONE, false_positive=1, false_negative=25)
    assert a.slope == 5
    assert b.slope == pytest.approx(1 / 5)


def test_section_2_2_4_f_and_g_can_be_discarded_and_e_extends_the_hull() -> None:
    """Figure 6 in numbers of ours: E lies above the hull of A and C, F and G do not."""

    def point(name: str, fp: int, tp: int) -> rocch.RocCurve:
        return rocch.RocCurve.from_counts([fp], [tp], negatives=100, positives=100, name=name)

    hull = rocch.RocHull.of(point("A", 10, 60), point("C", 50, 90))
    assert hull.consider(point("E", 25, 80)).extends
    for name, fp, tp in (("F", 25, 70), ("G", 60, 70)):
        verdict = hull.consider(point(name, fp, tp))
        assert not verdict.extends
        assert verdict.hull is hull


def test_section_2_2_6_slopes_of_the_rough_costs() -> None:
    """Negatives 5:1, false alarm 10 to 20 dollars, miss 200 to 250: 1/5 <= m <= 1/2."""
    rough = rocch.Conditions(
        prevalence=FIVE_TO_ONE, false_positive=(10, 20), false_negative=(200, 250)
    )
    assert rough.slope_range == pytest.approx((1 / 5, 1 / 2))


def test_table_1_waits_for_equal_scores() -> None:
    """One point for a run of equal scores: the segment bisects the best and the worst order."""
    curve = rocch.RocCurve.from_scores([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5])
    assert curve.fpr.tolist() == [0, 1]
    assert curve.auc == 0.5


def test_lemma_1_and_theorem_4_no_known_classifier_is_cheaper() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.3
    scores = {name: rng.normal(size=400) + lift * y for name, lift in (("a", 1), ("b", 0.5))}
    hull = rocch.RocHull.from_scores(y, scores)
    known = [rocch.RocCurve.from_scores(y, s, name=name) for name, s in scores.items()]
    for slope in np.geomspace(1e-3, 1e3, 200):
        conditions = rocch.Conditions(prevalence=0.5, false_positive=float(slope), false_negative=1)
        cheapest = min(conditions.expected_cost(c.fpr, c.tpr).min() for c in known)
        assert hull.best(conditions).expected_cost <= cheapest + 1e-12


def test_theorem_6_is_misprinted_better_means_higher_tp_and_lower_fp() -> None:
    """With the printed signs (f rises with FP, falls with TP) *always* would be the best."""
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 2, 3, 4]})
    assert hull.best(rocch.Maximize(lambda fpr, tpr: tpr - fpr)).tpr == 1
    with pytest.raises(rocch.GuaranteeError, match="rise with TPR and fall with FPR"):
        hull.best(rocch.Maximize(lambda fpr, tpr: fpr - tpr))


def test_theorem_7_the_right_end_is_answered_with_the_share_of_the_way() -> None:
    """Probability (x - FP_l) / (FP_r - FP_l) for the right end; an earlier text swaps the sides."""
    hull = rocch.RocHull.of(
        rocch.RocCurve.from_counts([10], [50], negatives=100, positives=100, name="left"),
        rocch.RocCurve.from_counts([50], [90], negatives=100, positives=100, name="right"),
    )
    answer = hull.best(rocch.NeymanPearson(0.2), randomize=True)
    (p_left, left), (p_right, right) = answer.mix
    assert (left.classifier, right.classifier) == ("left", "right")
    assert p_right == pytest.approx((0.2 - 0.1) / (0.5 - 0.1))
    assert p_left == pytest.approx(1 - p_right)
    assert (answer.fpr, answer.tpr) == pytest.approx((0.2, 0.6))


def test_theorem_7_a_coin_really_gives_those_rates() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(40_000) < 0.4
    s = rng.normal(size=y.size) + y
    hull = rocch.RocHull.of(
        rocch.RocCurve.from_labels(y, s > 1.5, name="strict"),
        rocch.RocCurve.from_labels(y, s > 0.0, name="loose"),
    )
    answer = hull.best(rocch.NeymanPearson(0.2), randomize=True)
    (_, left), (p_right, right) = answer.mix
    alarms = {"strict": s > 1.5, "loose": s > 0.0}
    coin = rng.random(y.size) < p_right
    drawn = np.where(coin, alarms[right.classifier], alarms[left.classifier])
    assert drawn[~y].mean() == pytest.approx(answer.fpr, abs=0.01)
    assert drawn[y].mean() == pytest.approx(answer.tpr, abs=0.01)


def rankers() -> dict[str, rocch.RocHull]:
    """R_a knows 20 positives of 100 cases and ranks them first; R_b knows 20 negatives, last."""
    y = [1] * 50 + [0] * 50
    r_a = [1.0] * 20 + [0.0] * 80
    r_b = [1.0] * 50 + [1.0] * 30 + [0.0] * 20
    return {
        name: rocch.RocHull.from_scores(y, {name: s}) for name, s in (("R_a", r_a), ("R_b", r_b))
    }


@pytest.mark.parametrize("k", [5, 20, 49, 50, 51, 80, 95])
def test_section_3_4_which_ranking_is_better_depends_on_the_cut_off(k: int) -> None:
    """R_a is better below 50 selected cases, R_b above."""
    found = {
        name: hull.best(rocch.Capacity(k, positives=50, negatives=50), randomize=True).tpr
        for name, hull in rankers().items()
    }
    if k < 50:
        assert found["R_a"] > found["R_b"]
    elif k > 50:
        assert found["R_b"] > found["R_a"]
    else:
        assert found["R_a"] == pytest.approx(found["R_b"]) == pytest.approx(31.25 / 50)


def test_theorem_11_filling_the_workforce_is_best_by_precision_recall_and_lift_alike() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(500) < 0.2
    hull = rocch.RocHull.from_scores(y, {"a": np.round(rng.normal(size=500) + y, 1)})
    full = hull.best(rocch.Capacity(100, positives=100, negatives=400), randomize=True)
    assert full.expected_cases == pytest.approx(100)
    mine = full.performance(prevalence=0.2)
    for threshold in hull.members[0].curve().lowest_scores:  # type: ignore[union-attr]
        one = hull.members[0].curve().at(threshold)  # type: ignore[union-attr]
        other = one.performance(prevalence=0.2)
        if other.predicted_positive_rate >= 0.2:  # fills the workforce
            assert mine.precision >= other.precision - 1e-12
            assert mine.lift >= other.lift - 1e-12


def test_table_2_form_of_who_wins_where() -> None:
    """Ranges from 0 to infinity that touch; a dominating classifier has one row [0, inf)."""
    rng = np.random.default_rng(4)
    y = rng.random(600) < 0.4
    noise = rng.normal(size=600)
    hull = rocch.RocHull.from_scores(
        y, {"NB": np.where(noise > 0, noise, 0) + y, "Bagged": np.where(noise < 0, noise, 0) + y}
    )
    rows = hull.slope_ranges()
    assert (rows[0].low, rows[-1].high) == (0, np.inf)
    assert all(a.high == b.low for a, b in pairwise(rows))
    alone = rocch.RocHull.from_scores(y, {"Bagged": y + noise / 4, "NB": noise})
    assert [str(row) for row in alone.slope_ranges()] == ["[0, inf) Bagged"]
    assert alone.dominator() == "Bagged"


def test_section_3_5_the_hulls_auc_is_at_least_that_of_every_member() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        y = rng.random(60) < 0.5
        y[:2] = True, False
        scores = {name: rng.integers(0, 8, 60).astype(float) for name in "abc"}
        hull = rocch.RocHull.from_scores(y, scores)
        best = max(float(curves.auc(y.tolist(), s.tolist())) for s in scores.values())
        assert hull.auc >= best


def test_section_3_7_the_hybrid_beats_its_components_between_vertices() -> None:
    hull = rocch.RocHull.of(
        rocch.RocCurve.from_counts([10], [50], negatives=100, positives=100, name="left"),
        rocch.RocCurve.from_counts([50], [90], negatives=100, positives=100, name="right"),
    )
    alone = hull.best(rocch.NeymanPearson(0.3))
    mixed = hull.best(rocch.NeymanPearson(0.3), randomize=True)
    assert alone.tpr == 0.5
    assert mixed.tpr == pytest.approx(0.7)
    assert alone.randomizing_gains == pytest.approx(0.2)


def test_section_5_errors_that_cost_differently_are_counted_by_weight() -> None:
    """Duplicating rows in proportion to their costs is the same as weighting them."""
    y = [1, 1, 1, 0, 0]
    s = [5.0, 2.0, 3.0, 1.0, 4.0]
    cost = [10, 1, 1, 2, 3]
    weighted = rocch.RocHull.from_scores(y, {"a": s}, sample_weight=cost)
    copies = rocch.RocHull.from_scores(np.repeat(y, cost), {"a": np.repeat(s, cost)})
    assert weighted == copies
    unit = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)
    least = min(
        sum(c for label, score, c in zip(y, s, cost, strict=True) if (score >= t) != bool(label))
        for t in [*s, 9.0]
    )
    assert weighted.best(unit).value * sum(cost) == pytest.approx(least)


def test_figure_8c_when_doing_nothing_is_best() -> None:
    """The iso-performance line of steep conditions touches the hull in the origin."""
    hull = rocch.RocHull.of(
        rocch.RocCurve.from_counts([10], [60], negatives=100, positives=100, name="C")
    )
    steep = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=1)
    report = hull.sensitivity(steep)
    assert report.choices[0].point.classifier == "never"
    (row,) = report.shortfalls
    assert row.tpr_gain == pytest.approx(9 * 0.1 - 0.6)
