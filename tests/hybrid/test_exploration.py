"""Exploration chooses all alarms and a share of the rest, reproducibly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocch
from rocch.hybrid.coin import tosses
from rocch.hybrid.tune import choose_reviews

NO_ALARMS = np.zeros(2000)


def test_alarms_are_all_reviewed_and_others_by_their_share() -> None:
    probability = np.r_[np.ones(100), NO_ALARMS]
    chosen = choose_reviews(probability, None, share=0.1, row_key=range(2100), seed=3)
    assert chosen.review[:100].all()
    assert chosen.review[100:].mean() == pytest.approx(0.1, abs=0.02)
    assert set(chosen.propensities[:100]) == {1.0}
    assert set(chosen.propensities[100:]) == {0.1}
    assert chosen.reviewed_propensities.size == chosen.review.sum()
    assert not chosen.review.flags.writeable
    assert not chosen.propensities.flags.writeable


def test_a_row_is_chosen_whatever_rows_come_with_it() -> None:
    keys = [f"case-{i}" for i in range(200)]
    whole = choose_reviews(NO_ALARMS[:200], None, share=0.3, row_key=keys, seed=1).review
    single = [
        choose_reviews(NO_ALARMS[:1], None, share=0.3, row_key=[key], seed=1).review[0]
        for key in keys
    ]
    assert whole.tolist() == single
    backwards = choose_reviews(NO_ALARMS[:200], None, share=0.3, row_key=keys[::-1], seed=1).review
    assert backwards.tolist() == single[::-1]
    assert (
        choose_reviews(NO_ALARMS[:200], None, share=0.3, row_key=keys, seed=2).review.tolist()
        != single
    )


def test_a_larger_share_keeps_the_rows_of_a_smaller_one() -> None:
    few, more = (
        choose_reviews(NO_ALARMS, None, share=share, row_key=range(2000), seed=1).review
        for share in (0.1, 0.3)
    )
    assert (more >= few).all()
    assert choose_reviews(NO_ALARMS, None, share=1, row_key=range(2000), seed=1).review.all()


def test_reviews_do_not_follow_the_coins_of_decisions() -> None:
    keys = [str(i) for i in range(5000)]
    review = choose_reviews(np.zeros(5000), None, share=0.5, row_key=keys, seed=0).review
    decided = tosses(keys, 0) < 0.5
    assert abs((review == decided).mean() - 0.5) < 4 * 0.5 / 5000**0.5


def test_keys_of_several_types_stay_what_they_are() -> None:
    alone = [
        choose_reviews(NO_ALARMS[:1], None, share=0.5, row_key=[key], seed=1).review[0]
        for key in (*range(20), *"abcdefgh")
    ]
    mixed = choose_reviews(
        NO_ALARMS[:28], None, share=0.5, row_key=[*range(20), *"abcdefgh"], seed=1
    )
    assert mixed.review.tolist() == alone
    column = pd.Series(range(20))
    assert (
        choose_reviews(NO_ALARMS[:20], None, share=0.5, row_key=column, seed=1).review.tolist()
        == (alone[:20])
    )


def test_mixed_settings_review_alarms_and_say_the_whole_probability() -> None:
    probability = np.array([0.0, 1.0, 0.6, 0.6])
    alarms = np.array([False, True, True, False])
    chosen = choose_reviews(probability, alarms, share=0.5, row_key=list("abcd"), seed=0)
    assert chosen.review[[1, 2]].all()
    np.testing.assert_allclose(chosen.propensities, [0.5, 1, 0.8, 0.8])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 0}, "share must be a number above 0 and at most 1; got 0"),
        ({"share": 1.5}, "share must be a number above 0 and at most 1"),
        ({"row_key": [1]}, "row_key must have one value for each of the 2 rows"),
        ({"row_key": [1, pd.NA]}, "row_key must be there for every row"),
        ({"row_key": [1, None]}, "row_key must be there for every row"),
        ({"row_key": [1.0, float("nan")]}, "row_key must be there for every row"),
        ({"probability": np.array([0.5, 1])}, "alarms must be given where the setting mixes"),
        ({"alarms": [True]}, "alarms must have one value"),
        ({"alarms": [1, 0]}, "alarms must be true or false for each row; got .* type int"),
        (
            {"alarms": ["yes", "no"]},
            "alarms must be true or false for each row; got .* type object",
        ),
        ({"alarms": [True, True]}, "alarms must be those of the setting in force; .* position 1"),
    ],
)
def test_bad_input_is_refused(given: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"share": 0.5, "row_key": [1, 2], "seed": 0}
    probability, alarms = given.pop("probability", np.array([1.0, 0.0])), given.pop("alarms", None)
    with pytest.raises(rocch.InputError, match=message):
        choose_reviews(probability, alarms, **{**usual, **given})
