"""Warnings, certainty and losses, each against the library's own results."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rocch
from rocch import Question, RocHull
from rocch.report import evidence
from rocch.report.binary import Source
from rocch.report.curves import describe_classifiers
from rocch.report.evidence import (
    FEW_CLASSIFIERS,
    USUAL_RATIO,
    assess_certainty,
    compare_by_losses,
    count_resamples,
    estimate_aucs,
    find_warnings,
    ratio_around,
)
from rocch.report.summary import Certainty, Losses
from tests.support.asking import hull_of, rows_of

RNG = np.random.default_rng(5)
Y = np.arange(400) % 4 == 0
GOOD = RNG.normal(size=400) + Y
OTHER = RNG.normal(size=400) + 0.5 * Y


def warned(hull: rocch.RocHull, folds: Any = None) -> tuple[str, ...]:
    source = Source.of(hull, folds=folds)
    classifiers = describe_classifiers(hull, hull.members, {}, None)
    pairs = list(zip(classifiers, hull.members, strict=True))
    return find_warnings(hull, pairs, source.folds, source.rows)


def warned_of(y: Any = Y, folds: Any = None, **scores: Any) -> tuple[str, ...]:
    return warned(rocch.RocHull.from_scores(y, scores), folds)


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    assert warned_of(good=GOOD, other=OTHER) == ()


def test_few_rows_of_a_class() -> None:
    assert warned_of(y=Y[:116], good=GOOD[:116]) == (
        "There are only 29 positives: what is known about them is rough.",
    )
    assert warned_of(y=~Y[:116], good=-GOOD[:116])[0].startswith("There are only 29 negatives")
    assert warned_of(y=Y[:120], good=GOOD[:120]) == ()


def test_weighted_rows() -> None:
    hull = rocch.RocHull.from_scores(Y, {"good": GOOD}, sample_weight=RNG.random(400))
    assert warned(hull) == (
        "Rows are weighted: counts are sums of weights, and intervals are left out.",
    )


def test_different_rows() -> None:
    one = rocch.RocCurve.from_scores(Y, GOOD, name="one")
    tied = np.where(np.arange(84) < 30, 0.0, RNG.normal(size=84))
    other = rocch.RocCurve.from_scores(Y[:84], tied, name="other")
    first, *rest = warned(rocch.RocHull.of(one, other, allow_different_rows=True))
    assert first.startswith("The classifiers were evaluated on different rows")
    # 30 of its own 84 rows, not of a common multiple of 84 and 400
    assert any("gives 36% of the rows (30) the same score" in said for said in rest)


def test_scales_that_cannot_be_compared() -> None:
    (said,) = warned_of(good=GOOD, logit=100 * OTHER)
    assert said.startswith("Thresholds are not comparable between classifiers: good scores from -")
    assert "logit scores from -2" in said
    assert said.endswith("Each threshold belongs to its own classifier.")


def test_probabilities_are_one_scale_however_narrow() -> None:
    narrow, wide = (1 / (1 + np.exp(-scores)) for scores in (GOOD, OTHER))
    assert warned_of(narrow=0.01 * narrow, wide=wide) == ()
    (said,) = warned_of(narrow=0.01 * narrow, wide=1.9 * wide)  # no probabilities any more
    assert "narrow scores from" in said


def test_folds_with_shifted_scales() -> None:
    folds = np.arange(400) % 3
    (said,) = warned_of(folds=folds, good=GOOD + 3 * (folds == 1), other=OTHER)
    assert said.startswith(
        "Thresholds of good are not comparable between its 3 folds: at threshold"
    )
    assert "'fold 1' alarms on" in said
    assert said.endswith("Calibrate each fold's model before pooling.")
    assert warned_of(folds=folds, good=GOOD, other=OTHER) == ()


def test_folds_of_one_class_are_left_out() -> None:
    folds = np.where(Y, "a", "b")
    assert warned_of(folds=folds, good=GOOD) == ()


def test_folds_must_be_those_of_the_rows() -> None:
    with pytest.raises(rocch.InputError, match="folds must have one value for each of the 400"):
        warned_of(folds=[1, 2], good=GOOD)


def test_folds_need_rows() -> None:
    curve = rocch.RocCurve.from_scores(Y, GOOD, name="good")
    assert warned(rocch.RocHull.of(curve), folds=np.arange(400) % 2) == ()


def test_worse_than_chance() -> None:
    with pytest.warns(rocch.PositiveClassWarning):
        (said,) = warned_of(bad=-GOOD)
    area = 1 - rocch.auc(Y, GOOD)
    assert said == (
        f"bad ranks worse than chance (AUC {area:.3f}). Are its scores higher for the positive "
        "class?"
    )


def test_too_good_to_be_true() -> None:
    said = warned_of(leak=GOOD + 100 * Y)
    assert said == ("leak separates the classes perfectly. Has it seen the labels?",)


def test_endless_scores() -> None:
    for end in (math.inf, -math.inf):
        (said,) = warned_of(good=np.where(np.arange(400) == 7, end, GOOD))
        assert said == "good has infinite scores; its histogram counts them in the end bins."


def test_few_distinct_scores() -> None:
    assert warned_of(coarse=np.clip(np.round(GOOD), -1, 2)) == (
        "coarse has only 4 distinct scores, and so as few settings.",
    )
    assert any("has only 10 distinct" in said for said in warned_of(coarse=np.arange(400) % 10))
    assert not any("distinct" in said for said in warned_of(coarse=np.arange(400) % 11))


def test_a_large_tie() -> None:
    tied = np.where(np.arange(400) < 90, 0.0, GOOD)
    assert warned_of(tied=tied) == (
        "tied gives 23% of the rows (90) the same score; no threshold can separate them.",
    )
    assert warned_of(tied=np.where(np.arange(400) < 80, 0.0, GOOD)) == ()


def test_duplicates() -> None:
    assert warned_of(good=GOOD, copy=GOOD + 0.1 * GOOD**3 / 9) == (
        "good and copy rank the rows alike; one of them is enough.",
    )


def test_equal_areas_make_no_duplicates() -> None:
    y = np.arange(400) >= 200
    one = RNG.normal(size=400) * np.where(y, 2, 1) + y
    mirrored = -np.concatenate((one[200:], one[:200]))  # the curve, turned about its diagonal
    assert rocch.auc(y, one) == rocch.auc(y, mirrored)
    assert warned_of(y=y, one=one, mirrored=mirrored) == ()


def test_labels_only_are_not_warned_of() -> None:
    rules = rocch.RocCurve.from_labels(Y, GOOD < 0.5, name="rules")
    assert warned(rocch.RocHull.of(rules)) == ()


def test_the_gravest_come_first() -> None:
    said = warned_of(y=Y[:40], bad=-GOOD[:40], wide=100 * OTHER[:40])
    kinds = [text.split()[0] for text in said]
    assert kinds == ["There", "Thresholds", "bad"]


DRAWS = np.random.default_rng(8)
THIRD = np.arange(90) % 3 == 0
SCORES = {"a": DRAWS.normal(size=90) + THIRD, "b": DRAWS.normal(size=90) + 2 * THIRD}
ROWS: Any = (THIRD, SCORES)


def asked(**given: Any) -> Question:
    costs = {"false_positive": 1, "false_negative": 1}
    if {"cost_ratio", "max_fpr"} & set(given):
        costs = {}
    return Question(**{"prevalence": 0.2, **costs, **given})


def certainty(rows: Any, question: Question, resamples: int, best: str = "a") -> Certainty:
    hull = RocHull.from_scores(*rows)
    found = assess_certainty(rows, hull, question, resamples, (), best)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rows", "models", "said", "drawn"),
    [
        (90, 2, None, 500),
        (90, 2, 0, 0),
        (90, 2, 70, 70),
        (100_000, 1, None, 500),
        (100_000, 2, None, 250),
        (100_000, 5, None, 100),
        (100_001, 5, None, 0),
        (1_000_000, 20, None, 0),
        (1_000_000, 20, 40, 40),
    ],
)
def test_as_many_resamples_as_take_a_few_seconds(
    rows: int, models: int, said: int | None, drawn: int
) -> None:
    sizes: Any = (range(rows), dict.fromkeys(range(models)))
    assert count_resamples(sizes, said) == drawn


def test_without_rows_nothing_is_drawn_and_nothing_known() -> None:
    assert count_resamples(None, 50) == 0
    assert estimate_aucs(None) == ({}, ())
    assert assess_certainty(None, hull_of(0), asked(), 0, (), "a") is None


@pytest.mark.parametrize("said", [1, 39, -1, 1.5, "many", True])
def test_what_is_no_number_of_resamples_is_refused(said: Any) -> None:
    for rows in (ROWS, None):
        with pytest.raises(rocch.InputError, match="resamples must be a whole number, at least 40"):
            count_resamples(rows, said)


def test_aucs_and_their_difference() -> None:
    aucs, (difference,) = estimate_aucs(ROWS)
    for name, estimate in aucs.items():
        assert estimate.interval == pytest.approx(
            rocch.stats.auc_interval(THIRD, SCORES[name]).interval
        )
    own = rocch.stats.compare_aucs(THIRD, SCORES).differences[0]
    assert (difference.first, difference.second) == ("a", "b")
    assert difference.difference == pytest.approx(aucs["a"].value - aucs["b"].value)
    assert tuple(difference.interval) == tuple(own.interval)
    assert (difference.p_value, difference.adjusted_p_value) == (own.p_value, own.adjusted_p_value)


def test_a_single_classifier_has_an_interval_and_no_difference() -> None:
    aucs, differences = estimate_aucs((THIRD, {"a": SCORES["a"]}))
    assert aucs["a"].interval == rocch.stats.auc_interval(THIRD, SCORES["a"]).interval
    assert differences == ()


def test_a_class_of_one_row_has_no_interval() -> None:
    y = np.arange(9) == 4
    scores = {name: DRAWS.normal(size=9) for name in "ab"}
    assert estimate_aucs((y, scores)) == ({}, ())
    assert estimate_aucs((y, {"a": scores["a"]})) == ({}, ())


def test_of_many_classifiers_the_best_is_compared_with_all_others() -> None:
    many = {
        f"m{i}": DRAWS.normal(size=90) + (3 if i == 2 else 0.2) * THIRD
        for i in range(FEW_CLASSIFIERS + 1)
    }
    _, differences = estimate_aucs((THIRD, many))
    assert len(differences) == FEW_CLASSIFIERS
    assert all("m2" in (d.first, d.second) for d in differences)


def test_resamples_make_a_band_and_winners() -> None:
    found = certainty(ROWS, asked(false_negative=3), 100)
    (band,) = found.bands
    own = rocch.stats.bootstrap(THIRD, SCORES, replicates=100).band(None, kind="pointwise")
    assert np.allclose(band.low, own.low, atol=1e-6)
    assert np.allclose(band.high, own.high, atol=1e-6)
    assert (found.resamples, found.remark) == (100, "")
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=3)
    choice = rocch.stats.out_of_sample_choice(THIRD, SCORES, known, replicates=100)
    assert {r.classifier: r.chance for r in found.rivals} == choice.wins
    shares = [rival.chance for rival in found.rivals]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    "given",
    [
        {"max_fpr": 0.1, "false_positive": 1, "false_negative": 1},
        {"max_fpr": 0.1, "prevalence": None},
        {"false_negative": (1, 2)},
        {"prevalence": (0.1, 0.2)},
    ],
)
def test_limits_and_ranges_have_no_winners(given: Any) -> None:
    found = certainty(ROWS, asked(**given), 100)
    assert found.rivals == ()
    assert found.bands


def test_a_belief_has_winners() -> None:
    assert certainty(ROWS, asked(cost_ratio=(1, 3), likely=2), 100).rivals


def test_too_much_work_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "WINNERS_WORK", 90 * 2 * 100 - 1)
    assert certainty(ROWS, asked(), 100).rivals == ()


def test_nor_have_few_resamples() -> None:
    found = certainty(ROWS, asked(), 99)
    assert (found.resamples, found.rivals) == (99, ())
    assert found.bands


def test_without_resamples_there_is_a_band_that_needs_none() -> None:
    found = certainty(ROWS, asked(), 0, "b")
    (band,) = found.bands
    own = rocch.stats.roc_band(
        THIRD, SCORES["b"], kind="simultaneous", method="kolmogorov", name="b"
    )
    assert (band.model, band.kind, band.promise) == ("b", "simultaneous", own.promise)
    assert np.allclose(band.low, own.low, atol=1e-6)
    assert found.resamples == 0
    assert found.remark == (
        "There are 90 rows of 2 classifiers: no resamples were drawn, and the band is one that "
        "needs none."
    )


def test_a_class_of_one_row_cannot_be_resampled() -> None:
    y = np.arange(9) == 4
    found = certainty((y, {"a": DRAWS.normal(size=9)}), asked(), 20)
    assert (found.resamples, found.bands, found.rivals) == (0, (), ())
    assert "at least two rows with a positive label" in found.remark


# ---- losses


def losses(hull: RocHull, question: Question, rows: Any, resamples: int) -> Losses:
    found = compare_by_losses(hull, question, rows, resamples)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("given", "ratio"),
    [
        ({}, USUAL_RATIO),  # nothing is stated about costs
        ({"max_fpr": 0.1, "prevalence": None}, USUAL_RATIO),
        ({"false_negative": 0}, USUAL_RATIO),
        ({"false_positive": 0}, USUAL_RATIO),
        ({"false_negative": 6}, (2, 18)),  # right within a factor of three
        ({"false_positive": 2, "false_negative": 1}, (0.167, 1.5)),
        ({"false_positive": (1, 2), "false_negative": (8, 16)}, (4, 16)),
        ({"false_positive": 3, "true_negative": 1, "false_negative": (5, 9)}, (2.5, 4.5)),
        ({"false_negative": (5, 9), "true_positive": (1, 2)}, (3, 8)),
        ({"false_positive": 1e-9, "false_negative": 10}, USUAL_RATIO),
    ],
)
def test_bounds_around_costs(given: Any, ratio: Any) -> None:
    assert ratio_around(asked(**given)) == pytest.approx(ratio)


def test_without_costs_misses_are_believed_to_be_one_to_ten_times_as_bad() -> None:
    assert tuple(USUAL_RATIO) == (1, 10)


def test_a_belief_of_the_question_is_taken_and_no_likely_value_invented() -> None:
    found = losses(hull_of(0), asked(cost_ratio=(2, 7), likely=3), None, 0)
    assert (found.low, found.likely, found.high) == (2, 3, 7)
    assert found.belief == str(rocch.Belief.cost_ratio(2, 7, likely=3))
    assert (found.prevalence, found.resamples) == (0.2, 0)
    for question in (asked(), asked(cost_ratio=(2, 7)), asked(cost_ratio=(2, math.inf))):
        assert losses(hull_of(0), question, None, 0).likely is None
    assert losses(hull_of(0), asked(cost_ratio=(2, math.inf)), None, 0).high == "inf"
    assert losses(hull_of(0), asked(cost_ratio=4), None, 0).low == 4


def test_a_range_of_prevalence_is_taken_at_its_middle() -> None:
    found = losses(hull_of(0), asked(prevalence=(0.2, 0.4)), None, 0)
    assert found.prevalence == pytest.approx(0.3)


def test_without_a_prevalence_between_0_and_1_there_is_no_comparison() -> None:
    assert compare_by_losses(hull_of(4), Question(max_fpr=0.1), None, 0) is None
    assert compare_by_losses(hull_of(0), asked(prevalence=0), None, 0) is None


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_compared_as_by_themselves(seed: int) -> None:
    y, scores, _ = rows_of(seed, 60)
    hull = rocch.RocHull.from_scores(y, scores)
    found = losses(hull, asked(cost_ratio=(1, 8), likely=2), None, 0)
    expert = rocch.Belief.cost_ratio(1, 8, likely=2)
    assert [(p.first, p.second) for p in found.pairs] == list(combinations(scores, 2))
    for pair in found.pairs:
        alone = [rocch.RocHull.from_scores(y, {n: scores[n]}) for n in (pair.first, pair.second)]
        index = rocch.stats.compare_losses(*alone, prevalence=0.2, belief=expert).lc_index
        assert pair.lc_index == pytest.approx(index)
        assert pair.interval is None
        assert pair.favored is None
    assert sum(row.chance for row in found.standings) == pytest.approx(1)


def test_with_rows_pairs_have_intervals() -> None:
    y, scores, _ = rows_of(3, 80)
    scores = {"a": next(iter(scores.values())), "b": np.random.default_rng(1).normal(size=80)}
    hull = rocch.RocHull.from_scores(y, scores)
    (pair,) = losses(hull, asked(cost_ratio=(1, 8), likely=2), (y, scores), 40).pairs
    (own,) = rocch.stats.lc_intervals(
        y, scores, belief=rocch.Belief.cost_ratio(1, 8, likely=2), prevalence=0.2, replicates=40
    )
    assert pair.interval is not None
    assert (pair.lc_index, pair.favored) == (own.lc_index, own.favored)
    assert tuple(pair.interval) == tuple(own.interval)
    assert pair.interval.low <= pair.lc_index <= pair.interval.high


def test_of_many_classifiers_the_most_believed_is_compared_with_all_others() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(60) < 0.4
    scores = {
        f"m{i}": rng.normal(size=60) + (3 if i == 4 else 0.3) * y
        for i in range(FEW_CLASSIFIERS + 2)
    }
    hull = rocch.RocHull.from_scores(y, scores)
    found = losses(hull, asked(), None, 0)
    assert found.standings[0].classifier == "m4"
    assert [(p.first, p.second) for p in found.pairs] == [
        ("m4", name) for name in scores if name != "m4"
    ]
    assert all(pair.lc_index > 0 for pair in found.pairs)


def test_where_doing_nothing_is_best_the_first_is_compared() -> None:
    scores = {f"m{i}": [7, 7, 7] for i in range(FEW_CLASSIFIERS + 1)}
    found = losses(rocch.RocHull.from_scores([0, 1, 1], scores), asked(prevalence=0.01), None, 0)
    assert found.standings[0].classifier == "never"
    assert {pair.first for pair in found.pairs} == {"m0"}


def test_one_classifier_has_no_pairs() -> None:
    y, scores, _ = rows_of(3, 40)
    only = {"m": next(iter(scores.values()))}
    hull = rocch.RocHull.from_scores(y, only)
    assert losses(hull, asked(), (y, only), 20).pairs == ()


def test_a_class_of_one_row_has_pairs_without_intervals() -> None:
    y = np.array([0, 1, 1, 1]) == 1
    scores = {"a": np.array([1.0, 2, 0, 4]), "b": np.array([2.0, 1, 3, 4])}
    found = losses(rocch.RocHull.from_scores(y, scores), asked(), (y, scores), 100)
    assert [pair.interval for pair in found.pairs] == [None]
    assert found.resamples == 0
