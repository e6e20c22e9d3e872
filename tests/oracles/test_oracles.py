"""The oracles against small examples worked out by hand."""

from fractions import Fraction
from itertools import product
from math import inf
from typing import TypeAlias

import pytest

from tests.support.oracles.curves import (
    auc,
    equal_error_rate,
    fpr_at_tpr,
    non_dominated,
    partial_auc_fpr,
    partial_auc_tpr,
    points,
    tpr_at_fpr,
    trapezoid_auc,
    weighted_points,
)
from tests.support.oracles.decisions import (
    Box,
    Rates,
    best_on_path,
    best_under_limits,
    capacity_mix,
    cheapest,
    expected_cost,
    neyman_pearson_mix,
    slope_range,
    worst_regret,
)
from tests.support.oracles.hulls import hull, hull_auc, joint_hull, slopes

F: TypeAlias = Fraction
NIL, ONE = F(0), F(1)

# Three positives and three negatives; 0.7 and 0.4 are each shared by one of both classes.
LABELS = [True, False, True, False, True, False]
SCORES = [0.9, 0.7, 0.7, 0.4, 0.4, 0.1]
STAIRS = [(0, 0, None), (0, 1, 0.9), (1, 2, 0.7), (2, 3, 0.4), (3, 3, 0.1)]

# P&F section 3.4: R_a and R_b on 100 balanced cases.
RANKERS = {"a": [(0, 0), (0, 20), (50, 50)], "b": [(0, 0), (30, 50), (50, 50)]}
RANKER_HULL = [(0, 0), (0, 20), (30, 50), (50, 50)]
NEVER, A, B, ALWAYS = (F(0), F(0)), (F(0), F(2, 5)), (F(3, 5), F(1)), (F(1), F(1))
PATH: list[Rates] = [NEVER, A, B, ALWAYS]
NOTHING = (F(0), F(0))


def true_rate(fpr: F, tpr: F) -> F:
    """Value nothing but hits."""
    return tpr + 0 * fpr


def informedness(fpr: F, tpr: F) -> F:
    """Value TPR - FPR, which is constant along the rankers' middle segment."""
    return tpr - fpr


def off_corner(fpr: F, tpr: F) -> F:
    """Value nearness to (0, 1): best inside the rankers' middle segment."""
    return -(fpr**2) - (1 - tpr) ** 2


def test_points_tie() -> None:
    assert points(LABELS, SCORES) == STAIRS


def test_points_negative_zero_and_infinities() -> None:
    found = points([True, False, True, False], [inf, 0.0, -0.0, -inf])
    assert found == [(0, 0, None), (0, 1, inf), (1, 2, 0.0), (2, 2, -inf)]


def test_points_when_everything_is_tied() -> None:
    found = points([True, False, True], [0.5, 0.5, 0.5])
    assert found == [(0, 0, None), (1, 2, 0.5)]
    assert trapezoid_auc(found) == auc([True, False, True], [0.5, 0.5, 0.5]) == F(1, 2)
    assert equal_error_rate(found) == F(1, 2)


def test_weighted_points() -> None:
    weights = [F(1, 2), F(1), F(2), F(0), F(1, 2), F(1, 3)]
    found = weighted_points(LABELS, SCORES, weights)
    assert found == [
        (0, 0, None),
        (0, F(1, 2), 0.9),
        (1, F(5, 2), 0.7),
        (1, 3, 0.4),
        (F(4, 3), 3, 0.1),
    ]
    # In rates: (0, 1/6), (3/4, 5/6), (3/4, 1), (1, 1): 3/4 * 1/2 + 1/4 = 5/8.
    assert trapezoid_auc(found) == F(5, 8)


def test_weights_of_one_count() -> None:
    found = weighted_points(LABELS, SCORES, [ONE] * 6)
    assert found == [(F(fp), F(tp), threshold) for fp, tp, threshold in STAIRS]


def test_auc_by_hand() -> None:
    # 0.9 beats three; 0.7 ties one and beats two; 0.4 loses, ties, beats: 3 + 2.5 + 1.5 of 9.
    assert auc(LABELS, SCORES) == trapezoid_auc(STAIRS) == F(7, 9)


def test_perfect_and_inverted() -> None:
    labels = [True, True, False]
    perfect, inverted = [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]
    assert auc(labels, perfect) == trapezoid_auc(points(labels, perfect)) == 1
    assert auc(labels, inverted) == trapezoid_auc(points(labels, inverted)) == 0
    assert equal_error_rate(points(labels, perfect)) == 0
    assert equal_error_rate(points(labels, inverted)) == 1
    assert tpr_at_fpr(points(labels, perfect), F(0)) == 1
    assert fpr_at_tpr(points(labels, inverted), F(0)) == 0


def test_both_aucs_agree_on_every_small_data_set() -> None:
    for labels in product([True, False], repeat=4):
        if len(set(labels)) == 2:
            for scores in product([0.0, 1.0, 2.0], repeat=4):
                curve = points(labels, scores)
                whole = trapezoid_auc(curve)
                assert auc(labels, scores) == whole
                assert partial_auc_fpr(curve, F(0), F(1)) == whole
                assert partial_auc_tpr(curve, F(0), F(1)) == whole


def test_reading_the_curve() -> None:
    assert [tpr_at_fpr(STAIRS, F(x, 6)) for x in (0, 1, 2, 4, 5, 6)] == [
        F(1, 3), F(1, 2), F(2, 3), 1, 1, 1
    ]  # fmt: skip
    assert [fpr_at_tpr(STAIRS, F(y, 6)) for y in (0, 1, 2, 3, 6)] == [0, 0, 0, F(1, 6), F(2, 3)]


def test_reading_outside_the_unit_square_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        tpr_at_fpr(STAIRS, F(7, 6))


def test_partial_areas() -> None:
    # From (1/6, 1/2) to (1/2, 5/6) on one line of slope 1: width 1/3, mean height 2/3.
    assert partial_auc_fpr(STAIRS, F(1, 6), F(1, 2)) == F(2, 9)
    # TPR 0 to 1/3 at FPR 0, then 1/3 to 2/3 at a mean FPR of 1/6.
    assert partial_auc_tpr(STAIRS, F(0), F(2, 3)) == F(1, 3) + F(1, 3) * F(5, 6)
    assert partial_auc_fpr(STAIRS, F(1, 2), F(1, 2)) == 0


def test_equal_error_rate_by_hand() -> None:
    # On TPR = FPR + 1/3: FPR = 1 - FPR - 1/3.
    assert equal_error_rate(STAIRS) == F(1, 3)


def test_non_dominated() -> None:
    assert non_dominated([(0, 1), (1, 1), (1, 3), (2, 2), (0, 0), (1, 3)]) == {(0, 1), (1, 3)}


def test_hull_drops_dents_inner_points_and_duplicates() -> None:
    given = [(1, 2), (2, 4), (2, 4), (2, 3), (3, 4), (4, 1)]
    assert hull(given, 4, 5) == [(0, 0), (2, 4), (4, 5)]


def test_hull_of_nothing_a_diagonal_and_worse_than_random() -> None:
    assert hull([], 3, 2) == [(0, 0), (3, 2)]
    assert hull([(2, 2), (1, 1)], 3, 3) == [(0, 0), (3, 3)]
    assert hull([(3, 0), (2, 1), (3, 1)], 3, 2) == [(0, 0), (3, 2)]


def test_hull_keeps_both_ends_of_a_perfect_classifier() -> None:
    vertices = hull([(0, 1), (0, 2), (1, 2)], 3, 2)
    assert vertices == [(0, 0), (0, 2), (3, 2)]
    assert slopes(vertices, 3, 2) == [None, 0]
    assert hull_auc(vertices, 3, 2) == 1


def test_hull_slopes_are_in_rates() -> None:
    # (2/4)/(1/8) = 4 and (2/4)/(7/8) = 4/7.
    assert slopes([(0, 0), (1, 2), (8, 4)], 8, 4) == [4, F(4, 7)]


def test_joint_hull_of_the_rankers() -> None:
    assert joint_hull(RANKERS, 50, 50) == [
        ((0, 0), ()), ((0, 20), ("a",)), ((30, 50), ("b",)), ((50, 50), ())
    ]  # fmt: skip
    assert slopes(RANKER_HULL, 50, 50) == [None, 1, 0]
    # 30 * 35 + 20 * 50 of 2500.
    assert hull_auc(RANKER_HULL, 50, 50) == F(41, 50)


def test_joint_hull_names_all_who_share_a_point() -> None:
    shared = {"z": [(1, 3)], "b": [(1, 3), (2, 3)], "c": [(2, 2)]}
    assert joint_hull(shared, 4, 4) == [((0, 0), ()), ((1, 3), ("b", "z")), ((4, 4), ())]


@pytest.mark.parametrize(
    ("false_positive", "false_negative", "expected"),
    [
        ((F(1), F(1)), (F(1), F(1)), (5, 5)),
        ((F(1), F(1)), (F(25), F(25)), (F(1, 5), F(1, 5))),
        ((F(10), F(20)), (F(200), F(250)), (F(1, 5), F(1, 2))),
    ],
    ids=["P&F 2.2.2 scenario A", "P&F 2.2.2 scenario B", "P&F 2.2.6"],
)
def test_slope_range_of_the_paper(
    false_positive: tuple[F, F], false_negative: tuple[F, F], expected: tuple[F, F]
) -> None:
    sixth = (F(1, 6), F(1, 6))
    assert slope_range(sixth, false_positive, false_negative, NOTHING, NOTHING) == expected


def test_slope_range_with_reviews_and_infinite_ends() -> None:
    one, half = (F(1), F(1)), (F(1, 2), F(1, 2))
    # (3 - 1)/(5 - 1) at even odds.
    assert slope_range(half, (F(3), F(3)), (F(5), F(5)), one, one) == (F(1, 2), F(1, 2))
    assert slope_range((F(0), F(1, 2)), one, one, NOTHING, NOTHING) == (ONE, None)
    assert slope_range((F(0), F(0)), one, one, NOTHING, NOTHING) == (None, None)
    assert slope_range((F(1), F(1)), one, one, NOTHING, NOTHING) == (NIL, NIL)
    assert slope_range(half, (F(0), F(1)), (F(0), F(1)), NOTHING, NOTHING) == (NIL, None)


def test_slope_range_refuses_what_has_no_slope() -> None:
    half, one = (F(1, 2), F(1, 2)), (F(1), F(1))
    with pytest.raises(ValueError, match="no corner"):
        slope_range(half, NOTHING, NOTHING, NOTHING, NOTHING)
    with pytest.raises(ValueError, match="costs less"):
        slope_range(half, NOTHING, one, NOTHING, one)


def test_expected_cost_by_hand() -> None:
    # 1/4 * (1/5 * 40 + 4/5 * 5) + 3/4 * (1/3 * 6 + 2/3 * 3) = 3 + 3.
    costs = (F(6), F(40), F(5), F(3))
    assert expected_cost(F(1, 3), F(4, 5), F(1, 4), *costs) == 6


def test_cheapest_at_a_segments_own_slope_and_beside_it() -> None:
    half, one, nil = F(1, 2), ONE, NIL
    assert cheapest(PATH, half, one, one, nil, nil) == (F(3, 10), [A, B])
    assert cheapest(PATH, half, one, F(3), nil, nil) == (F(3, 10), [B])
    assert cheapest(PATH, half, F(3), one, nil, nil) == (F(3, 10), [A])
    assert cheapest(PATH, one, one, one, nil, nil) == (NIL, [B, ALWAYS])


def test_worst_regret_by_hand() -> None:
    # Prevalence 1/4 to 3/4, unit costs. A costs prevalence * 3/5, B (1 - prevalence) * 3/5.
    box: Box = ((F(1, 4), F(3, 4)), (F(1), F(1)), (F(1), F(1)), NOTHING, NOTHING)
    for steps in (1, 2, 5):
        assert worst_regret(A, PATH, box, steps) == F(3, 10)
        assert worst_regret(B, PATH, box, steps) == F(3, 10)
        # A fair coin between them costs 3/10 everywhere, the best 3/20 at either corner.
        assert worst_regret((F(3, 10), F(7, 10)), PATH, box, steps) == F(3, 20)


def test_best_under_limits_without_a_coin() -> None:
    curve: list[Rates] = [*PATH, (F(1, 5), F(1, 2))]
    at_most_half: tuple[F, F, F] = (F(0), F(1), F(1, 2))
    assert best_under_limits(curve, true_rate, [at_most_half]) == (F(1, 2), [(F(1, 5), F(1, 2))])
    assert best_under_limits(curve, informedness, []) == (F(2, 5), [A, B])
    assert best_under_limits(curve, true_rate, [(F(1), F(0), F(-1))]) is None


def test_best_on_path() -> None:
    at_most_third: tuple[F, F, F] = (F(0), F(1), F(1, 3))
    assert best_on_path(PATH, true_rate, [at_most_third], 1) == (F(11, 15), (F(1, 3), F(11, 15)))
    assert best_on_path(PATH, informedness, [], 3) == (F(2, 5), A)
    # On TPR = FPR + 2/5 the point nearest to (0, 1) is (3/10, 7/10).
    assert best_on_path(PATH, off_corner, [], 4) == (-F(9, 50), (F(3, 10), F(7, 10)))
    assert best_on_path(PATH, true_rate, [(F(1), F(0), F(-1))], 4) is None


def test_neyman_pearson_mix() -> None:
    assert neyman_pearson_mix(PATH, F(0)) == (F(2, 5), A, A, ONE)
    assert neyman_pearson_mix(PATH, F(1, 5)) == (F(3, 5), A, B, F(1, 3))
    assert neyman_pearson_mix(PATH, F(3, 5)) == (ONE, B, B, ONE)
    assert neyman_pearson_mix(PATH, F(4, 5)) == (ONE, B, ALWAYS, F(1, 2))
    assert neyman_pearson_mix(PATH, F(1)) == (ONE, ALWAYS, ALWAYS, ONE)


def test_neyman_pearson_mix_refuses_what_is_no_rate() -> None:
    with pytest.raises(ValueError, match="does not reach"):
        neyman_pearson_mix(PATH, F(6, 5))


def test_capacity_mix() -> None:
    # On the vertical segment, 10 cases are half of A's 20; B selects 30 + 50 = 80.
    assert capacity_mix(PATH, 10, 50, 50) == (F(1, 5), NEVER, A, F(1, 2))
    assert capacity_mix(PATH, 20, 50, 50) == (F(2, 5), A, A, ONE)
    assert capacity_mix(PATH, 50, 50, 50) == (F(7, 10), A, B, F(1, 2))
    assert capacity_mix(PATH, 90, 50, 50) == (ONE, B, ALWAYS, F(1, 2))
    assert capacity_mix(PATH, 1000, 50, 50) == (ONE, ALWAYS, ALWAYS, ONE)


def test_the_rankers_tie_at_fifty_cases_and_swap_there() -> None:
    # P&F section 3.4: below 50 selected cases R_a is better, above R_b.
    path_a: list[Rates] = [NEVER, A, ALWAYS]
    path_b: list[Rates] = [NEVER, B, ALWAYS]
    found = [
        (capacity_mix(path_a, k, 50, 50)[0], capacity_mix(path_b, k, 50, 50)[0])
        for k in (49, 50, 51)
    ]
    assert found[0][0] > found[0][1]
    assert found[1][0] == found[1][1] == F(5, 8)
    assert found[2][0] < found[2][1]
