"""Prevalence from unlabeled scores: estimates, intervals and the test."""

from __future__ import annotations

import math
import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.kernels.bounds import likeliest_share
from rocch.stats.prevalence import _alarms, _binned, _p_value
from tests.support.oracles import mixtures
from tests.support.strategies import SCORES, judged_rows

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.stats.prevalence import Method

lib: Any = rocch  # so that mypy lets the tests pass what users should not

COSTS = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=5)
METHODS: list[Method] = ["likelihood", "adjusted_count"]


def rows(
    rng: np.random.Generator, positives: int, negatives: int, apart: float = 1.5
) -> tuple[BoolArray, FloatArray]:
    y = np.arange(positives + negatives) < positives
    return y, rng.normal(size=y.size) + apart * y


def reference(seed: int = 0, positives: int = 300, negatives: int = 700) -> rocch.RocCurve:
    return rocch.RocCurve.from_scores(
        *rows(np.random.default_rng(seed), positives, negatives), name="gbm"
    )


def batch(seed: int = 1, positives: int = 50, negatives: int = 450) -> FloatArray:
    return rows(np.random.default_rng(seed), positives, negatives)[1]


def repeated(
    times: int,
    *,
    sizes: tuple[int, int, int],
    prevalence: float,
    apart: float = 1.5,
    spread: float = 1.0,
) -> list[rocch.stats.PrevalenceEstimate]:
    """Estimate on new reference rows and a new batch, again and again."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(times):
        curve = rocch.RocCurve.from_scores(*rows(rng, *sizes[:2], apart))
        hits = int(rng.binomial(sizes[2], prevalence))
        scores = spread * rows(rng, hits, sizes[2] - hits, apart)[1]
        found.append(rocch.stats.estimate_prevalence(curve, scores))
    return found


def covered(found: list[rocch.stats.PrevalenceEstimate], prevalence: float) -> float:
    return float(np.mean([e.interval.low <= prevalence <= e.interval.high for e in found]))


def within_error(share: float, nominal: float, times: int) -> bool:
    """Say whether a share lies within three standard errors of its nominal value."""
    return abs(share - nominal) <= 3 * math.sqrt(nominal * (1 - nominal) / times)


# numbers


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("positives", [0, 40, 250, 460, 500])
def test_the_estimate_is_near_the_truth(method: Method, positives: int) -> None:
    scores = batch(positives=positives, negatives=500 - positives)
    found = rocch.stats.estimate_prevalence(reference(), scores, method=method)
    assert found.prevalence == pytest.approx(positives / 500, abs=0.09)
    assert found.fits
    assert (found.method, found.classifier, found.rows, found.bins) == (method, "gbm", 500, 10)
    assert (found.confidence, found.significance) == (0.95, 0.05)


@given(judged_rows(), st.lists(SCORES, min_size=1, max_size=20))
def test_the_adjusted_count_is_formans_median_sweep(
    judged: tuple[list[bool], list[float]], scores: list[float]
) -> None:
    curve = rocch.RocCurve.from_scores(*judged)
    if (curve.fpr == curve.tpr).all():
        return
    found = rocch.stats.estimate_prevalence(curve, scores, method="adjusted_count")
    wanted = mixtures.median_sweep(*judged, scores)
    assert found.prevalence == pytest.approx(float(wanted), abs=1e-9)


def test_an_adjusted_count_below_zero_is_clipped() -> None:
    found = rocch.stats.estimate_prevalence(reference(), [-5.0] * 60, method="adjusted_count")
    assert found.prevalence == 0


@given(judged_rows(), st.lists(SCORES, min_size=1, max_size=20), st.sampled_from(METHODS))
@settings(max_examples=60)
def test_whatever_the_scores_the_answer_is_sound(
    judged: tuple[list[bool], list[float]], scores: list[float], method: Method
) -> None:
    curve = rocch.RocCurve.from_scores(*judged)
    if (curve.fpr == curve.tpr).all():
        return
    found = rocch.stats.estimate_prevalence(curve, scores, method=method)
    assert 0 <= found.interval.low <= found.prevalence <= found.interval.high <= 1
    assert found.p_value is None or 0 <= found.p_value <= 1
    assert found.bins >= 2
    assert str(found)


@given(judged_rows(), st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=20))
@settings(max_examples=30)
def test_neither_order_nor_a_monotone_change_of_scores_matters(
    judged: tuple[list[bool], list[float]], scores: list[float]
) -> None:
    labels, reference_scores = judged
    limited = np.clip(reference_scores, -5, 5)
    plain = rocch.RocCurve.from_scores(labels, limited)
    if (plain.fpr == plain.tpr).all():
        return
    grown = rocch.RocCurve.from_scores(labels[::-1], np.exp(limited[::-1]))
    if len(grown) != len(plain):  # neighboring doubles that the change made equal
        return
    first = rocch.stats.estimate_prevalence(plain, scores)
    assert rocch.stats.estimate_prevalence(grown, np.exp(scores[::-1])) == first


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_a_classifier_that_ranks_the_wrong_way_round_works_too() -> None:
    y, scores = rows(np.random.default_rng(0), 300, 700)
    curve = rocch.RocCurve.from_scores(y, -scores)
    for method in METHODS:
        found = rocch.stats.estimate_prevalence(curve, -batch(), method=method)
        assert found.prevalence == pytest.approx(0.1, abs=0.09)


def test_the_batch_is_not_altered_and_may_be_any_column() -> None:
    scores = batch()
    scores.flags.writeable = False
    first = rocch.stats.estimate_prevalence(reference(), scores)
    for same in (scores.tolist(), pd.Series(scores), pl.Series(scores), tuple(scores)):
        assert rocch.stats.estimate_prevalence(reference(), same) == first


def test_scores_beyond_the_reference_count_with_the_outermost() -> None:
    curve = reference()
    assert curve.lowest_scores is not None
    scores = batch()
    highest, lowest = scores.argmax(), scores.argmin()
    first = rocch.stats.estimate_prevalence(curve, scores)
    scores[highest], scores[lowest] = math.inf, -math.inf
    assert rocch.stats.estimate_prevalence(curve, scores) == first


def test_tied_scores_make_fewer_bins() -> None:
    y, scores = rows(np.random.default_rng(0), 300, 700)
    curve = rocch.RocCurve.from_scores(y, np.round(scores / 2))
    found = rocch.stats.estimate_prevalence(curve, np.round(batch() / 2))
    assert found.bins == 3
    assert found.interval.low <= 0.1 <= found.interval.high
    assert found.fits


def test_counts_known_already_are_enough() -> None:
    curve = reference()
    copy = rocch.RocCurve.from_counts(
        curve.false_positives[1:],
        curve.true_positives[1:],
        negatives=700,
        positives=300,
        lowest_scores=curve.lowest_scores,
        name="gbm",
    )
    assert rocch.stats.estimate_prevalence(copy, batch()) == rocch.stats.estimate_prevalence(
        curve, batch()
    )


def test_a_batch_vastly_larger_than_the_reference_keeps_the_references_doubt() -> None:
    curve = rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4])
    scores = np.tile([1.0, 2, 3, 4], 1_100_000)
    found = rocch.stats.estimate_prevalence(curve, scores)
    assert found.interval.high - found.interval.low > 0.5
    assert found.fits


# intervals


def test_fold_models_count_by_the_rows_they_scored() -> None:
    rng = np.random.default_rng(4)
    curve = reference()
    one, two, unused = rng.normal(0.4, 1.2, size=(3, 300))
    pooled = np.concatenate((one, one, two))  # twice as many rows of the first
    for method in METHODS:
        find = partial(rocch.stats.estimate_prevalence, curve, method=method)
        found = find(np.column_stack((one, unused, two)), fold_rows=[200, 0, 100])
        assert found.rows == 300
        alone = find(one)
        assert find(np.column_stack((one, one)), fold_rows=[3, 4]) == alone
        assert find(one[:, np.newaxis], fold_rows=[7]) == alone
        if method == "adjusted_count":  # depends on rates only
            assert found.prevalence == pytest.approx(find(pooled).prevalence, abs=1e-12)


def test_fold_models_without_scores_are_averaged_likewise() -> None:
    columns = np.array([[1, 0], [1, 1], [0, 0], [0, 0]])
    found = rocch.stats.estimate_prevalence(labeled(), columns, fold_rows=[1, 1])
    half_more = np.array([1, 1, 1, 0, 0, 0, 0, 0])  # 3 of 8 instead of 2 and 1 of 4
    expected = rocch.stats.estimate_prevalence(labeled(), half_more)
    assert found.prevalence == pytest.approx(expected.prevalence, abs=1e-6)
    assert found.rows == 4


def test_more_confidence_makes_a_wider_interval() -> None:
    narrow, wide = (
        rocch.stats.estimate_prevalence(reference(), batch(), confidence=c).interval
        for c in (0.8, 0.99)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_fewer_reference_rows_make_a_wider_interval() -> None:
    scores = batch(positives=250, negatives=250)
    wide = rocch.stats.estimate_prevalence(reference(0, 15, 35), scores).interval
    narrow = rocch.stats.estimate_prevalence(reference(), scores).interval
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_a_single_reference_positive_leaves_everything_open() -> None:
    found = rocch.stats.estimate_prevalence(reference(0, 1, 700), batch())
    assert found.interval == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "prevalence"), [((100, 300, 300), 0.2), ((20, 200, 500), 0.5), ((10, 50, 200), 0.3)]
)
def test_intervals_cover_as_often_as_they_say(
    sizes: tuple[int, int, int], prevalence: float
) -> None:
    found = repeated(60, sizes=sizes, prevalence=prevalence)
    assert within_error(covered(found, prevalence), 0.95, 60)
    assert np.mean([e.rejected for e in found]) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.0, 1.0])
def test_at_the_ends_intervals_cover_and_are_narrow(prevalence: float) -> None:
    found = repeated(60, sizes=(100, 100, 300), prevalence=prevalence)
    assert covered(found, prevalence) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 60)
    assert np.mean([e.interval.high - e.interval.low for e in found]) < 0.2


def test_a_classifier_that_knows_nothing_is_never_confident() -> None:
    found = repeated(60, sizes=(100, 100, 500), prevalence=0.3, apart=0.0)
    assert covered(found, 0.3) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 60)
    assert np.mean([e.interval.high - e.interval.low for e in found]) > 0.9


def test_an_adjusted_count_beyond_the_interval_extends_it() -> None:
    scores = np.concatenate((np.full(250, -3.0), np.full(250, 0.8)))  # no mixture of the classes
    plain, adjusted = (
        rocch.stats.estimate_prevalence(reference(), scores, method=method) for method in METHODS
    )
    assert not plain.interval.low <= adjusted.prevalence <= plain.interval.high
    assert adjusted.interval.low <= adjusted.prevalence <= adjusted.interval.high
    assert adjusted.interval.low <= plain.interval.low
    assert adjusted.interval.high >= plain.interval.high


# the test of fit


@pytest.mark.slow
def test_at_an_end_the_test_rejects_hardly_more_than_it_says() -> None:
    """Without positives it rejects 5.7%, as 4800 repetitions with six streams showed.

    The number of repetitions matters: the first hundred of this stream hold 15 rejections.
    Intervals are left out, because they take most of the time.
    """
    rng, rejected = np.random.default_rng(11), 0
    for _ in range(400):
        curve = rocch.RocCurve.from_scores(*rows(rng, 100, 100))
        counts = _binned(curve, _alarms(curve, rows(rng, 0, 300)[1]))
        p_value = _p_value(counts, likeliest_share(counts))
        rejected += p_value is not None and p_value < 0.05
    assert rejected / 400 <= 0.057 + 3 * math.sqrt(0.057 * 0.943 / 400)


def test_the_test_notices_scores_that_spread() -> None:
    found = repeated(30, sizes=(300, 300, 500), prevalence=0.3, spread=1.5)
    assert np.mean([e.rejected for e in found]) > 0.9


def test_the_test_cannot_see_what_looks_like_another_prevalence() -> None:
    """Negatives that turn into twins of positives: one score alone cannot tell."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=500)
    scores[:250] += 1.5  # no positives at all, but half of the negatives score like them
    found = rocch.stats.estimate_prevalence(reference(), scores)
    assert found.fits
    assert found.interval.low > 0.4


def test_scores_that_no_mixture_gives_are_rejected() -> None:
    for scores in ([math.inf] * 50, [-math.inf] * 50, [0.75] * 50):
        found = rocch.stats.estimate_prevalence(reference(), scores)
        assert found.rejected
        assert not found.fits


def test_significance_decides() -> None:
    first = rocch.stats.estimate_prevalence(reference(), batch())
    assert first.p_value is not None
    strict = rocch.stats.estimate_prevalence(
        reference(), batch(), significance=min(0.999, first.p_value + 1e-6)
    )
    assert first.fits
    assert not first.rejected
    assert strict.rejected
    assert not strict.fits
    assert strict.p_value == first.p_value


# feeding conditions


def test_an_estimate_that_fits_feeds_conditions() -> None:
    found = rocch.stats.estimate_prevalence(reference(), batch())
    fed = found.feed(COSTS)
    assert fed.prevalence == found.interval
    assert fed.false_negative == COSTS.false_negative
    exact = found.feed(COSTS, exact=True)
    assert exact.exact
    assert exact.prevalence_interval.low == found.prevalence
    hull = rocch.RocHull.of(reference())
    assert hull.best(exact).expected_cost == pytest.approx(
        exact.expected_cost(hull.best(exact).fpr, hull.best(exact).tpr)
    )
    assert hull.best(rocch.MinimaxRegret(fed)).tpr > 0


def test_a_rejected_estimate_refuses_to_feed() -> None:
    found = rocch.stats.estimate_prevalence(reference(), 2 * batch())
    with pytest.raises(rocch.AssumptionError, match=r"for gbm, more than the prevalence .*with_p"):
        found.feed(COSTS)
    with pytest.raises(rocch.AssumptionError):
        found.feed(COSTS, exact=True)
    assert issubclass(rocch.AssumptionError, rocch.RocchError)


def test_only_conditions_are_fed() -> None:
    found = rocch.stats.estimate_prevalence(reference(), batch())
    with pytest.raises(rocch.InputError, match="conditions must be Conditions"):
        found.feed(lib.ErrorRate())


# a classifier that outputs labels only


def labeled(positives: int = 200, negatives: int = 200) -> rocch.RocCurve:
    """Return a rule with TPR 0.8 and FPR 0.1."""
    return rocch.RocCurve.from_counts(
        [negatives // 10], [positives * 8 // 10], negatives=negatives, positives=positives
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "alarms",
    [
        [True] * 31 + [False] * 69,
        [1] * 31 + [0] * 69,
        [1.0] * 31 + [-1.0] * 69,
        pd.Series([True] * 31 + [False] * 69),
        ["yes"] * 31 + ["no"] * 69,
    ],
    ids=["bool", "0/1", "-1/1", "pandas", "yes/no"],
)
def test_labels_give_an_adjusted_count_but_no_test(method: Method, alarms: Any) -> None:
    found = rocch.stats.estimate_prevalence(labeled(), alarms, method=method)
    assert found.prevalence == pytest.approx((0.31 - 0.1) / (0.8 - 0.1), abs=1e-5)
    assert found.interval.low < 0.3 < found.interval.high
    assert found.p_value is None
    assert found.bins == 2
    assert not found.fits
    assert not found.rejected
    with pytest.raises(rocch.AssumptionError, match="two kinds of score cannot tell"):
        found.feed(COSTS)


def test_fewer_alarms_than_even_negatives_give_are_noticed() -> None:
    found = rocch.stats.estimate_prevalence(labeled(), [False] * 200)
    assert found.prevalence == 0
    assert found.rejected
    quiet = rocch.stats.estimate_prevalence(labeled(), [True] * 9 + [False] * 91)
    assert quiet.prevalence == 0
    assert quiet.p_value is not None
    assert not quiet.rejected
    assert not quiet.fits


# words


def test_it_can_be_read() -> None:
    texts = {
        "fits": str(rocch.stats.estimate_prevalence(reference(), batch(), confidence=0.9)),
        "rejected": str(rocch.stats.estimate_prevalence(reference(), 2 * batch())),
        "untested": str(rocch.stats.estimate_prevalence(labeled(), [True, False])),
    }
    assert texts["fits"].startswith("prevalence 0.")
    assert "(90% interval 0.0" in texts["fits"]
    assert "by gbm on a batch of 500; nothing speaks against" in texts["fits"]
    assert "; more than the prevalence has changed (p = " in texts["rejected"]
    assert texts["untested"].endswith("cannot tell whether more than the prevalence has changed")
    assert all("\n" not in text for text in texts.values())


def test_it_is_a_plain_value() -> None:
    found = rocch.stats.estimate_prevalence(reference(), batch())
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own bytes
    assert hash(found) == hash(rocch.stats.estimate_prevalence(reference(), batch()))
    with pytest.raises(AttributeError):
        found.prevalence = 0.5  # type: ignore[misc]


# bad input


def bad(**given: Any) -> Any:
    curve = given.pop("curve", reference())
    return lib.stats.estimate_prevalence(curve, given.pop("y_score", [0.0, 1.0, 2.0]), **given)


def weighted() -> rocch.RocCurve:
    return rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[1, 2, 1, 1])


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no curve": ({"curve": [0, 1]}, r"curve must be a RocCurve; got an object of type list"),
    "a hull": (
        {"curve": rocch.RocHull.of(reference())},
        r"curve must be a RocCurve; got .*RocHull",
    ),
    "a weighted curve": ({"curve": weighted()}, r"curve must be counted from unweighted rows"),
    "several settings": (
        {
            "curve": rocch.RocCurve.from_counts([1, 2], [2, 3], negatives=4, positives=4),
            "y_score": [True],
        },
        r"curve must be a scoring classifier's, or have one labeled setting; got 2 settings",
    ),
    "scores for labels": (
        {"curve": labeled(), "y_score": [0.2, 0.7]},
        r"y_score must be alarms \(boolean, 0/1, -1/1 or yes/no\).*got 0\.2, 0\.7.*== pos_label",
    ),
    "words for labels": ({"curve": labeled(), "y_score": ["a", "b"]}, r"y_score must be alarms"),
    "missing alarms": (
        {"curve": labeled(), "y_score": [1.0, math.nan]},
        r"y_score must have no missing labels",
    ),
    "NaN": ({"y_score": [0.1, math.nan]}, r"y_score must have no missing values.*position 1"),
    "nothing": ({"y_score": []}, r"y_score must have at least one row"),
    "words": ({"y_score": ["a"]}, r"y_score must be numbers"),
    "two columns": ({"y_score": [[0.1, 0.2]]}, r"y_score must be one-dimensional"),
    "too few fold models": (
        {"y_score": [[0.1, 0.2]], "fold_rows": [5]},
        r"fold_rows must have one value for each of the 2 columns of y_score; got 1",
    ),
    "one fold model for two": (
        {"y_score": [0.1, 0.2], "fold_rows": [5, 5]},
        r"fold_rows must have one value for the one columns of y_score; got 2",
    ),
    "a fold of negative size": (
        {"y_score": [[0.1, 0.2]], "fold_rows": [5, -5]},
        r"fold_rows must be finite and not negative",
    ),
    "empty folds": (
        {"y_score": [[0.1, 0.2]], "fold_rows": [0, 0]},
        r"fold_rows must have at least one row",
    ),
    "one number": ({"y_score": 0.5}, r"y_score must be an array"),
    "large integers": ({"y_score": [2**60]}, r"y_score must be integers below 2\*\*53"),
    "a method nobody knows": ({"method": "em"}, r"method must be one of 'likelihood', 'adj.*'em'"),
    "a method that is a list": ({"method": ["em"]}, r"method must be one of"),
    "confidence 0": ({"confidence": 0}, r"confidence must be a number between 0 and 1"),
    "confidence 1": ({"confidence": 1}, r"confidence must be a number between 0 and 1"),
    "confidence 95": ({"confidence": 95}, r"confidence must .*got 95\. Write 95% as 0\.95"),
    "confidence NaN": ({"confidence": math.nan}, r"confidence must be a number between"),
    "confidence True": ({"confidence": True}, r"confidence must be a number between"),
    "significance 2": ({"significance": 2}, r"significance must be a number between 0 and 1"),
    "significance text": ({"significance": "5%"}, r"significance must be a number .*'5%'"),
}


@pytest.mark.parametrize(("given", "words"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(rocch.InputError, match=words):
        bad(**given)


@pytest.mark.parametrize(
    "curve",
    [
        rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 1, 1, 1]),
        rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 1, 2, 2]),
    ],
    ids=["one score", "the diagonal"],
)
def test_classes_that_look_the_same_have_no_answer(curve: rocch.RocCurve) -> None:
    with pytest.raises(rocch.UndefinedError, match="does not tell the reference classes apart"):
        rocch.stats.estimate_prevalence(curve, [1.0, 2.0])
