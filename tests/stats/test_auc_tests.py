"""Paired comparisons of AUCs: DeLong's test, and what happens where nothing varies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from scipy.stats import norm

import rocch
from rocch.roc import Interval
from tests.support.oracles import auc_variance, curves
from tests.support.strategies import judged_table

lib: Any = rocch
Y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
NB = [1, 5, 3, 7, 2, 4, 6, 8, 3, 9]
GBM = [1, 2, 3, 6, 4, 5, 7, 8, 9, 9]


@given(judged_table())
def test_every_pair_is_delongs_test(table: tuple[list[bool], dict[str, list[float]]]) -> None:
    labels, scores = table
    assume(min(labels.count(True), labels.count(False)) > 1 and len(scores) > 1)
    found = rocch.stats.compare_aucs(labels, scores)
    assert len(found.differences) == len(scores) * (len(scores) - 1) / 2
    floor = 2.0 ** (1 - min(labels.count(True), labels.count(False)))
    for pair in found.differences:
        a, b = scores[pair.first], scores[pair.second]
        difference = curves.auc(labels, a) - curves.auc(labels, b)
        variance = (
            auc_variance.delong(labels, a, a)
            + auc_variance.delong(labels, b, b)
            - 2 * auc_variance.delong(labels, a, b)
        )
        assert pair.difference == float(difference)
        assert pair.standard_error == math.sqrt(variance)
        assert pair.interval.low <= pair.difference <= pair.interval.high
        if not difference:
            assert (pair.z, pair.p_value) == (0, 1)
        elif not variance:
            assert (abs(pair.z), pair.p_value) == (math.inf, floor)
        else:
            assert pair.z == pytest.approx(float(difference) / math.sqrt(variance))
            assert pair.p_value == pytest.approx(max(2 * norm.sf(abs(pair.z)), floor))
        assert pair.p_value <= pair.adjusted_p_value <= 1
    assert 0 <= found.overall.p_value <= 1


def test_delongs_interval_of_a_difference_is_walds() -> None:
    found = rocch.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM}, method="delong")
    (pair,) = found.differences
    reach = norm.ppf(0.975) * pair.standard_error
    assert pair.interval == pytest.approx((pair.difference - reach, pair.difference + reach))
    for name, scores in (("nb", NB), ("gbm", GBM)):
        assert found.aucs[name] == rocch.stats.auc_interval(Y, scores, method="delong")
    with pytest.raises(rocch.InputError, match="method must be one of 'newcombe', 'delong'"):
        lib.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM}, method="wald")


def test_two_models_have_one_test() -> None:
    found = rocch.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM})
    (pair,) = found.differences
    assert (found.paired, found.adjust, found.confidence) == (True, "holm", 0.95)
    assert pair.adjusted_p_value == pair.p_value
    assert found.overall.statistic == pytest.approx(pair.z**2)
    assert found.overall.p_value == pytest.approx(pair.p_value)
    assert found.aucs["nb"] == rocch.stats.auc_interval(Y, NB)


def test_models_keep_their_order_in_the_covariance() -> None:
    found = rocch.stats.compare_aucs(Y, pd.DataFrame({"nb": NB, "gbm": GBM}))
    assert list(found.aucs) == ["nb", "gbm"]
    errors = [estimate.standard_error for estimate in found.aucs.values()]
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(errors)
    with pytest.raises(ValueError, match="read-only"):
        found.covariance[0, 0] = 1


def test_a_pair_can_be_asked_for_in_either_order() -> None:
    found = rocch.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM})
    one, other = found.difference("gbm", "nb"), found.difference("nb", "gbm")
    assert one.difference == -other.difference > 0
    assert one.z == -other.z
    assert one.interval == (-other.interval.high, -other.interval.low)
    assert one.p_value == other.p_value
    for names in (("nb", "nb"), ("nb", "svm")):
        with pytest.raises(rocch.InputError, match="be two that were compared"):
            found.difference(*names)


def test_models_that_rank_alike_do_not_differ() -> None:
    found = rocch.stats.compare_aucs(Y, {"a": NB, "b": np.exp(NB)})
    (pair,) = found.differences
    assert (pair.difference, pair.standard_error, pair.z, pair.p_value) == (0, 0, 0, 1)
    assert pair.interval == Interval(0, 0)
    assert (found.overall.statistic, found.overall.degrees, found.overall.p_value) == (0, 0, 1)


def test_two_perfect_models_may_still_differ_on_other_rows() -> None:
    perfect = {"a": Y, "b": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
    (pair,) = rocch.stats.compare_aucs(Y, perfect).differences
    assert (pair.difference, pair.z, pair.p_value) == (0, 0, 1)
    assert pair.interval.low < -0.2 < 0.2 < pair.interval.high


def test_few_rows_without_variance_are_no_proof() -> None:
    """Five rows of each class can at best show what five tosses of a coin can: 2 / 32."""
    found = rocch.stats.compare_aucs(Y, {"perfect": Y, "guess": [0] * 10})
    (pair,) = found.differences
    assert (pair.difference, pair.standard_error, pair.z) == (0.5, 0, math.inf)
    assert pair.p_value == found.overall.p_value == 1 / 16
    assert found.overall.statistic == math.inf


def test_adjustment_is_as_asked_for() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    scores = {f"m{i}": rng.normal(size=200) + i * y / 3 for i in range(4)}
    plain = rocch.stats.compare_aucs(y, scores, adjust="none").differences
    strict = rocch.stats.compare_aucs(y, scores, adjust="bonferroni").differences
    for one, other in zip(plain, strict, strict=True):
        assert one.adjusted_p_value == one.p_value == other.p_value
        assert other.adjusted_p_value == min(1, 6 * one.p_value)


def test_groups_change_errors_and_not_aucs() -> None:
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(40), 5)
    y = np.arange(200) % 2
    shared = rng.normal(size=40)[who]
    scores = {"a": rng.normal(size=200) + y + shared * (2 * y - 1), "b": rng.normal(size=200) + y}
    plain = rocch.stats.compare_aucs(y, scores)
    grouped = rocch.stats.compare_aucs(y, scores, groups=who)
    assert grouped.aucs["a"].value == plain.aucs["a"].value
    assert grouped.aucs["a"].standard_error > plain.aucs["a"].standard_error
    assert grouped.aucs["a"].groups == 40


def test_the_test_rejects_equal_models_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(100) % 2
    times = 500
    rejected = 0
    for _ in range(times):
        shared = rng.normal(size=100) + 1.5 * y
        scores = {"a": shared + rng.normal(size=100), "b": shared + rng.normal(size=100)}
        rejected += rocch.stats.compare_aucs(y, scores).differences[0].p_value <= 0.05
    assert 0.02 < rejected / times < 0.08  # 0.05, three standard errors either way


def test_pairing_sees_what_independent_rows_cannot() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(300) % 2
    hard = rng.normal(size=300) + y
    scores = {"a": hard + 0.3 * rng.normal(size=300), "b": hard + 0.8 * rng.normal(size=300)}
    paired = rocch.stats.compare_aucs(y, scores).differences[0]
    apart = rocch.stats.compare_aucs_unpaired({m: (y, s) for m, s in scores.items()}).differences[0]
    assert paired.difference == apart.difference
    assert paired.standard_error < 0.7 * apart.standard_error
    assert paired.p_value < apart.p_value


def test_it_can_be_read() -> None:
    text = str(rocch.stats.compare_aucs(Y, {"gbm": GBM, "nb": NB}))
    assert text.splitlines() == [
        "gbm: AUC 0.9600 (95% interval 0.6130 to 0.9968)",
        "nb: AUC 0.7800 (95% interval 0.4076 to 0.9432)",
        "gbm - nb: +0.1800 (-0.0954 to +0.5305), z = 1.39, p = 0.165",
    ]
    third = rocch.stats.compare_aucs(Y, {"gbm": GBM, "nb": NB, "sum": np.add(GBM, NB)})
    assert str(third).splitlines()[-1] == str(third.overall)
    assert ", adjusted " in str(third)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"a": NB}, {}, "scores must name at least two classifiers; got 'a'"),
        (
            {"a": NB, "b": GBM[:9]},
            {},
            r"scores\['b'\] must have one .* use rocch\.stats\.compare_aucs_unpaired",
        ),
        (
            {"a": NB, "b": [*GBM[:9], math.nan]},
            {},
            r"scores\['b'\] must have no missing values .* for every classifier alike\.$",
        ),
        ({"a": NB, "b": GBM}, {"adjust": "tukey"}, "adjust must be one of 'holm', "),
        ({"a": NB, "b": GBM}, {"adjust": None}, "adjust must be one of 'holm', "),
        ({"a": NB, "b": GBM}, {"confidence": 0}, "confidence must be a number between 0 and 1"),
        ({"a": NB, "b": GBM}, {"groups": [1]}, "groups must have one value for each of the 10"),
        ([NB, GBM], {}, "scores must be one classifier's scores, map names"),
    ],
)
def test_bad_input_is_refused(scores: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.compare_aucs(Y, scores, **options)


def test_aucs_and_differences_are_tables_and_notebooks_show_both() -> None:
    found = rocch.stats.compare_aucs(Y, {"gbm": GBM, "nb": NB})
    aucs = found.aucs.to_frame("pandas")
    assert list(aucs["model"]) == ["gbm", "nb"]
    assert list(aucs["low"]) == [estimate.interval.low for estimate in found.aucs.values()]
    differences = found.differences.to_frame("pandas")
    assert differences.equals(found.to_frame("pandas"))
    assert differences["z"][0] == found.difference("gbm", "nb").z
    html = found._repr_html_()
    assert html.count("<table>") == 2
    assert all(f">{name}<" in html for name in ("model", "z"))


def test_tests_of_different_rows_name_students_t() -> None:
    found = rocch.stats.compare_aucs_unpaired({"gbm": (Y, GBM), "nb": (Y, NB)})
    pair = found.difference("nb", "gbm")
    assert pair.z < 0
    assert f"t = {pair.z:.2f} with {pair.degrees:.4g} d.f., p = " in str(pair)
