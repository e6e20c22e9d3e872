"""Warnings: each provoked, and each silent where there is nothing to warn of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.report.cautions import cautions
from rocch.report.described import described
from rocch.report.source import source_of

RNG = np.random.default_rng(5)
Y = np.arange(400) % 4 == 0
GOOD = RNG.normal(size=400) + Y
OTHER = RNG.normal(size=400) + 0.5 * Y


def warned(hull: rocch.RocHull, folds: Any = None) -> tuple[str, ...]:
    source = source_of(hull, folds=folds)
    return cautions(hull, described(hull, {}), source.folds, source.rows)


def warned_of(y: Any = Y, folds: Any = None, **scores: Any) -> tuple[str, ...]:
    return warned(rocch.RocHull.from_scores(y, scores), folds)


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    assert warned_of(good=GOOD, other=OTHER) == ()


def test_few_rows_of_a_class() -> None:
    assert warned_of(y=Y[:116], good=GOOD[:116]) == (
        "There are only 29 positives: whatever is said of them is rough.",
    )
    assert warned_of(y=~Y[:116], good=GOOD[:116])[0].startswith("There are only 29 negatives")
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
    assert first.startswith("The classifiers were judged on different rows")
    # 30 of its own 84 rows, not of a common multiple of 84 and 400
    assert any("gives 36 % of the rows (30) the same score" in said for said in rest)


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
    (said,) = warned_of(bad=-GOOD)
    area = rocch.auc(Y, -GOOD)
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
        "tied gives 23 % of the rows (90) the same score; no threshold can part them.",
    )
    assert warned_of(tied=np.where(np.arange(400) < 80, 0.0, GOOD)) == ()


def test_twins() -> None:
    assert warned_of(good=GOOD, twin=GOOD + 0.1 * GOOD**3 / 9) == (
        "good and twin rank the rows alike; one of them is enough.",
    )


def test_equal_areas_make_no_twins() -> None:
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
