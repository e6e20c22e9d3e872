"""One model's AUC: value, error and interval, and that the interval holds the truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocch
from tests.support.oracles import auc_variance

lib: Any = rocch
Y = [0, 0, 0, 1, 1, 1]
S = [1, 2, 4, 3, 5, 6]


def test_value_and_error_are_those_of_the_definitions() -> None:
    found = rocch.stats.auc_interval(Y, S)
    labels = [bool(y) for y in Y]
    assert found.value == rocch.auc(Y, S)
    assert found.standard_error == math.sqrt(auc_variance.delong(labels, S, S))
    assert (found.rows, found.positives, found.groups, found.confidence) == (6, 3, None, 0.95)


@pytest.mark.parametrize(
    ("scores", "value"), [([1, 2, 3, 4, 5, 6], 1), ([6, 5, 4, 3, 2, 1], 0), ([7] * 6, 0.5)]
)
def test_without_variance_the_interval_still_has_a_width(scores: list[int], value: float) -> None:
    found = rocch.stats.auc_interval(Y, scores)
    low, high = found.interval
    assert (found.value, found.standard_error) == (value, 0)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 0.3


def test_delongs_interval_is_walds_within_0_and_1() -> None:
    found = rocch.stats.auc_interval(Y, S, method="delong", confidence=0.8)
    reach = 1.2815515655446004 * found.standard_error
    assert found.interval == pytest.approx((found.value - reach, min(found.value + reach, 1)))
    assert found.method == "delong"
    assert "(80% DeLong interval 0.6" in str(found)
    plain = rocch.stats.auc_interval(Y, S, confidence=0.8)
    assert plain.method == "newcombe"
    assert plain.standard_error == found.standard_error
    assert plain.interval != found.interval


def test_delongs_interval_has_no_width_at_1() -> None:
    found = rocch.stats.auc_interval(Y, [1, 2, 3, 4, 5, 6], method="delong")
    assert found.interval == (1, 1)


def test_more_confidence_is_wider() -> None:
    less, more = (rocch.stats.auc_interval(Y, S, confidence=c).interval for c in (0.5, 0.99))
    assert more.low < less.low < less.high < more.high


def test_labels_and_groups_may_be_named() -> None:
    frame = pd.DataFrame({"y": list("nnnppp"), "s": S, "who": list("abcabc")})
    found = rocch.stats.auc_interval(frame["y"], frame["s"], pos_label="p", groups=frame["who"])
    assert found.value == rocch.auc(Y, S)
    assert found.groups == 3


def binormal(rng: np.random.Generator, shift: float, n: int, m: int) -> tuple[Any, Any]:
    y = np.arange(n + m) >= n
    return y, rng.normal(size=n + m) + shift * y


@pytest.mark.parametrize(("auc", "n", "m"), [(0.7, 20, 20), (0.99, 50, 50), (0.9, 100, 20)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(auc: float, n: int, m: int) -> None:
    from scipy.stats import norm

    rng = np.random.default_rng(0)
    shift = math.sqrt(2) * norm.ppf(auc)
    times = 400
    held = 0
    for _ in range(times):
        low, high = rocch.stats.auc_interval(*binormal(rng, shift, n, m)).interval
        held += low <= auc <= high
    assert 0.91 < held / times < 0.99


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # where groups are left out
def test_with_groups_intervals_hold_the_truth_and_without_they_do_not() -> None:
    rng = np.random.default_rng(1)
    held = {True: 0, False: 0}
    times = 250
    for _ in range(times):
        who = np.repeat(np.arange(30), 8)
        y = np.tile([False, True], 120)
        s = rng.normal(size=240) + 0.5 * y + (rng.normal(size=30)[who] * np.where(y, 2, -2))
        true = 0.5 * math.erfc(-0.5 / math.sqrt(2 * (2 + 8)))
        for grouped in held:
            low, high = rocch.stats.auc_interval(y, s, groups=who if grouped else None).interval
            held[grouped] += low <= true <= high
    assert held[True] / times > 0.9
    assert held[False] / times < 0.8


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Y, S[:5]), {}, "y_score must have one value for each of the 6 rows; got 5"),
        ((Y, [*S[:5], math.nan]), {}, r"y_score must have no missing values \(NaN\)"),
        ((Y, [*S[:5], "x"]), {}, "y_score must be numbers; got 'x'"),
        (([1] * 6, S), {}, "y_true must hold both classes"),
        ((list("aabbab"), S), {}, "pos_label must be given"),
        ((Y, S), {"confidence": 95}, "confidence must be a number between 0 and 1"),
        ((Y, S), {"confidence": 1}, "confidence must be a number between 0 and 1"),
        ((Y, S), {"method": "wald"}, "method must be one of 'newcombe', 'delong'; got 'wald'"),
        ((Y, S), {"groups": [1] * 6}, "groups must name at least two groups"),
        ((Y, S), {"groups": [1, 2]}, "groups must have one value for each of the 6 rows"),
        ((Y, S), {"groups": [1, 2, 3, 4, 5, None]}, "groups must have no missing labels"),
    ],
)
def test_bad_input_is_refused(
    arguments: tuple[Any, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.auc_interval(*arguments, **options)


def test_a_single_positive_has_no_variance() -> None:
    with pytest.raises(rocch.UndefinedError, match="a single positive row"):
        rocch.stats.auc_interval([0, 0, 1], [1, 2, 3])
