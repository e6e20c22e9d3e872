"""Choices evaluated on rows that did not make them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rocch

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)


def drawn_scores(
    rng: np.random.Generator, rows: int, models: int, shift: float = 1.3
) -> tuple[Any, dict[str, Any]]:
    y = np.arange(rows) < 0.3 * rows
    shared = rng.normal(size=rows)
    return y, {
        f"m{number}": 0.6 * shared + 0.8 * rng.normal(size=rows) + shift * y
        for number in range(models)
    }


def true_cost(point: rocch.roc.OperatingPoint, shift: float = 1.3) -> float:
    """The expected cost on all rows there could be: scores are normal, shifted for positives."""
    if point.fpr == point.tpr:
        return float(KNOWN.expected_cost(point.fpr, point.tpr))
    threshold: Any = point.threshold
    return float(KNOWN.expected_cost(norm.sf(threshold), norm.sf(threshold - shift)))


def test_the_hull_is_optimistic_and_the_out_of_sample_cost_is_not() -> None:
    rng = np.random.default_rng(1)
    seen = []
    for _ in range(12):
        expected = rocch.stats.out_of_sample_choice(
            *drawn_scores(rng, 200, 6), KNOWN, replicates=100
        )
        truth = true_cost(expected.choice)
        seen.append((expected.apparent_cost - truth, expected.out_of_sample_cost - truth))
        assert expected.optimism == expected.out_of_sample_cost - expected.apparent_cost
        assert expected.hull_optimism > 0
    apparent, careful = np.mean(seen, axis=0)
    assert apparent < -0.07
    assert abs(careful) < 0.03


@pytest.mark.slow
def test_intervals_hold_the_true_cost_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(20):
        expected = rocch.stats.out_of_sample_choice(
            *drawn_scores(rng, 150, 3), KNOWN, replicates=100
        )
        held += expected.interval.low <= true_cost(expected.choice) <= expected.interval.high
    assert held >= 17  # of 20 at 95%: fewer has a chance of 1 in 60


def test_sentences() -> None:
    y, scores = drawn_scores(np.random.default_rng(15), 400, 2)
    expected = rocch.stats.out_of_sample_choice(y, scores, KNOWN, replicates=200)
    lines = str(expected).splitlines()
    assert lines[0] == f"Recommended: {expected.choice.rule()}."
    assert lines[1].startswith("It seems to cost 0.3")
    assert "on rows that did not choose it, 0.3" in lines[1]
    rival = expected.rivals[0]
    assert rival.favorite == expected.choice.classifier
    assert lines[2] == str(rival)
    assert not rival.differs
    assert lines[2] == (
        f"No difference between {rival.favorite} and {rival.rival} is certain at these conditions "
        f"(p = {rival.p_value:.2g}); {rival.rival} is the cheapest in "
        f"{100 * rival.cheapest_in:.0f}% of resamples."
    )


@pytest.mark.parametrize(
    ("difference", "interval", "claim"),
    [
        (0.255, (0.1, 0.41), "a costs 0.255 less per case than b"),
        (-0.255, (-0.41, -0.1), "b costs 0.255 less per case than a"),
    ],
)
def test_a_certain_difference_is_claimed_with_its_size(
    difference: float, interval: tuple[float, float], claim: str
) -> None:
    rival = rocch.stats.Rival(
        "a", "b", difference, rocch.roc.Interval(*interval), 0.004, 0.01, 0.95, "under this belief"
    )
    assert rival.differs
    assert str(rival) == (
        f"{claim} under this belief (95%: 0.1 to 0.41; p = 0.004); b is the cheapest in 1% of "
        "resamples."
    )


def test_claims_need_the_stated_confidence() -> None:
    y, scores = drawn_scores(np.random.default_rng(4), 80, 1)
    scores["coin"] = np.random.default_rng(5).normal(size=80)
    usual, strict = (
        rocch.stats.out_of_sample_choice(y, scores, KNOWN, replicates=100, confidence=level)
        for level in (0.95, 0.9999)
    )
    assert usual.rivals[0].differs
    assert usual.rivals[0].interval.low > 0
    assert not strict.rivals[0].differs
    assert strict.rivals[0].p_value == usual.rivals[0].p_value


def test_rivals_are_tested_as_pairs_of_curves_are() -> None:
    y, scores = drawn_scores(np.random.default_rng(12), 150, 3)
    scores = {"worse": scores["m0"] - 0.8 * y, **scores}
    expected = rocch.stats.out_of_sample_choice(y, scores, KNOWN, replicates=100, random_state=3)
    tests = rocch.stats.compare_curves(y, scores, at=KNOWN, replicates=1999, random_state=3)
    assert [rival.difference for rival in expected.rivals] == sorted(
        rival.difference for rival in expected.rivals
    )
    for rival in expected.rivals:
        test = tests.difference(rival.rival, rival.favorite)
        assert (rival.difference, rival.p_value) == (test.difference, test.adjusted_p_value)
        assert rival.cheapest_in == expected.wins[rival.rival]
        low, high = rival.interval
        assert rival.differs == (not low <= 0 <= high)
        assert test.interval is not None
        assert low <= test.interval.low  # which is for one pair alone
        assert high >= test.interval.high


def test_one_classifier_has_no_rivals() -> None:
    y, scores = drawn_scores(np.random.default_rng(3), 100, 1)
    expected = rocch.stats.out_of_sample_choice(y, scores, KNOWN, replicates=100)
    assert expected.rivals == ()


def test_six_identical_models_are_not_said_to_differ() -> None:
    """Of 12 samples at 5%, more than three with a claim have a chance of 1 in 500."""
    rng = np.random.default_rng(11)
    claims = 0
    for _ in range(12):
        expected = rocch.stats.out_of_sample_choice(
            *drawn_scores(rng, 120, 6), KNOWN, replicates=100
        )
        claims += any(rival.differs for rival in expected.rivals)
    assert claims <= 3


def test_prevalence_may_stand_beside_a_belief() -> None:
    y, scores = drawn_scores(np.random.default_rng(6), 200, 2)
    belief = rocch.Belief.cost_ratio(1, 8, likely=2).with_unit(false_positive=1)
    one = rocch.stats.out_of_sample_choice(y, scores, belief, prevalence=0.3, replicates=100)
    other = rocch.stats.out_of_sample_choice(y, scores, belief.with_prevalence(0.3), replicates=100)
    assert one.out_of_sample_cost == other.out_of_sample_cost
    assert "under this belief" in str(one)
    with pytest.raises(rocch.InputError, match="prevalence must go with a belief"):
        rocch.stats.out_of_sample_choice(y, scores, KNOWN, prevalence=0.3)


def test_shares_of_resamples() -> None:
    y, scores = drawn_scores(np.random.default_rng(4), 300, 3)
    expected = rocch.stats.out_of_sample_choice(y, scores, KNOWN, replicates=150)
    assert sum(expected.wins.values()) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in expected.on_hull.values())
    drawn = rocch.stats.bootstrap(y, scores, replicates=150)
    assert expected.wins == drawn.wins(KNOWN)


def test_classifiers_that_are_the_same_share_everything() -> None:
    y, scores = drawn_scores(np.random.default_rng(5), 200, 1)
    expected = rocch.stats.out_of_sample_choice(
        y, {"a": scores["m0"], "b": 2 * scores["m0"]}, KNOWN, replicates=100
    )
    (rival,) = expected.rivals
    assert (rival.favorite, rival.rival, rival.difference, rival.p_value) == ("a", "b", 0, 1)
    assert rival.cheapest_in == 0.5
    assert rival.interval.low < 0 < rival.interval.high
    assert expected.wins == {"a": 0.5, "b": 0.5}


def test_under_a_belief_the_choice_is_that_of_least_expected_regret() -> None:
    y, scores = drawn_scores(np.random.default_rng(6), 300, 2)
    belief = rocch.Belief.cost_ratio(1, 8, likely=2).with_unit(false_positive=1)
    expected = rocch.stats.out_of_sample_choice(
        y, scores, belief.with_prevalence(0.3), replicates=100
    )
    hull = rocch.RocHull.from_scores(y, scores)
    best = hull.best(rocch.LeastExpectedRegret(belief.with_prevalence(0.3)))
    assert expected.choice == best
    assert expected.apparent_cost == pytest.approx(best.expected_cost)


def test_where_nothing_beats_never_alarming_the_most_frequent_winner_is_compared() -> None:
    y, scores = drawn_scores(np.random.default_rng(7), 200, 2)
    dear = rocch.Conditions(prevalence=0.3, false_positive=1000, false_negative=0.01)
    expected = rocch.stats.out_of_sample_choice(
        y, {**scores, "m0": -scores["m0"]}, dear, replicates=100
    )
    assert expected.choice.tpr < 0.5
    assert expected.rivals[0].favorite in ("m0", "m1")


def test_clusters_are_left_out_whole_and_widen_the_interval() -> None:
    y, scores = drawn_scores(np.random.default_rng(8), 100, 2)
    twice = np.repeat(y, 3), {name: np.repeat(column, 3) for name, column in scores.items()}
    with_groups = rocch.stats.out_of_sample_choice(
        *twice, KNOWN, groups=np.repeat(np.arange(100), 3), replicates=200
    )
    without_groups = rocch.stats.out_of_sample_choice(*twice, KNOWN, replicates=200)
    width = with_groups.interval.high - with_groups.interval.low
    assert width > 1.4 * (without_groups.interval.high - without_groups.interval.low)
    assert with_groups.optimism > without_groups.optimism


def test_the_answer_follows_from_the_seed() -> None:
    y, scores = drawn_scores(np.random.default_rng(9), 150, 2)
    one, same, other = (
        rocch.stats.out_of_sample_choice(y, scores, KNOWN, replicates=100, random_state=seed)
        for seed in (1, 1, 2)
    )
    assert (one.out_of_sample_cost, one.wins) == (same.out_of_sample_cost, same.wins)
    assert one.out_of_sample_cost != other.out_of_sample_cost


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 50}, "replicates must be a whole number, at least 100"),
        ({"confidence": 1}, "confidence must be a number between 0 and 1"),
        ({"conditions": (1, 3)}, "conditions must be exact Conditions or a Belief"),
        (
            {
                "conditions": rocch.Conditions(
                    prevalence=0.3, false_positive=1, false_negative=(2, 3)
                )
            },
            "exact",
        ),
        ({"conditions": rocch.Belief.cost_ratio(1, 3).with_prevalence(0.3)}, "have a unit of cost"),
        ({"conditions": rocch.Belief.cost_ratio(3).with_unit(false_positive=1)}, "prevalence must"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    y, scores = drawn_scores(np.random.default_rng(0), 60, 2)
    arguments = {"conditions": KNOWN, "replicates": 100, **options}
    with pytest.raises(rocch.InputError, match=message):
        rocch.stats.out_of_sample_choice(y, scores, arguments.pop("conditions"), **arguments)
