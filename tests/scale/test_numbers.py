"""Which weights and scores a frame may hold: the same rule for every engine and every question."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.inputs import LARGEST_WEIGHT, SMALLEST_WEIGHT
from tests.support import scans
from tests.support.engines import (
    ENGINES,
    EVERY_ENGINE,
    SLOW,
    assert_identical,
    in_memory,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

LABELS = [0, 0, 1, 1, 1, 0]
SCORES = [0.1, 0.4, 0.35, 0.8, 0.5, 0.2]
ONES = [1.0] * 6
ASKED: dict[str, Any] = {"label": "y", "scores": ["s"], "weight": "w"}


def rows(**changes: Any) -> pa.Table:
    return table({"y": LABELS, "s": SCORES, "w": ONES, "g": ["a"] * 6, **changes})


def weights(*first: float) -> list[float]:
    return [*first, *ONES[len(first) :]]


def refusal(ask: Callable[..., Any], frame: Any, **asked: Any) -> rocch.InputError:
    with pytest.raises(rocch.InputError) as caught:
        ask(frame, **asked)
    assert "\n" not in str(caught.value)
    return caught.value


BEYOND = [
    5e-324,
    np.nextafter(SMALLEST_WEIGHT, 0),
    np.nextafter(LARGEST_WEIGHT, np.inf),
    1.7e308,
]


@pytest.mark.parametrize("weight", BEYOND)
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_weights_too_small_or_too_large_to_be_added_up_are_counted_and_refused(
    engine: str, weight: float, folder: Path
) -> None:
    frame = ENGINES[engine]([rows(w=weights(weight, 1.0, weight))], folder)
    error = refusal(scans.hull, frame, **ASKED)
    assert error.argument == "weight"
    assert "must be 0, or from 3.1e-151 to 3.3e+150; got 2 other weights in 'w'" in str(error)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_weights_whose_sum_is_no_number_are_refused_without_a_warning(
    engine: str, folder: Path
) -> None:
    error = refusal(scans.hull, ENGINES[engine]([rows(w=[1e308] * 6)], folder), **ASKED)
    assert "got 6 other weights in 'w'" in str(error)


@pytest.mark.parametrize("weight", [5e-324, 1.7e308, -1.0, float("inf")])
def test_a_single_weight_that_is_refused_is_called_one(weight: float) -> None:
    error = refusal(scans.hull, pl.DataFrame(rows(w=weights(weight))), **ASKED)
    assert "got 1 other weight in 'w'." in str(error)


@pytest.mark.parametrize("weight", [5e-324, 1.7e308])
@pytest.mark.parametrize("question", scans.EVERY_QUESTION)
def test_every_question_refuses_such_weights(question: str, weight: float) -> None:
    ask = scans.EVERY_QUESTION[question]
    for some in (weights(weight), [weight] * 6):
        error = refusal(ask, pl.DataFrame(rows(w=some)), **ASKED)
        assert error.argument == "weight"


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("weight", [SMALLEST_WEIGHT, LARGEST_WEIGHT])
def test_the_least_and_the_greatest_weight_can_be_used(
    engine: str, weight: float, folder: Path
) -> None:
    data = rows(w=[weight, weight * 0.75 if weight > 1 else weight * 1.5, 0.0, *[weight] * 3])
    frame = ENGINES[engine]([data], folder)
    assert_identical(rocch.scale.scan(frame, **ASKED).hull(), in_memory(data, **ASKED))


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize(
    ("largest", "unit", "total"),
    [(2.0**60 - 2**10, 1, 2 * (2**60 - 2**10) + 10), (2.0**60, 4, (2**61 + 8) // 4)],
)
def test_whole_weights_are_rounded_from_where_rows_times_the_largest_reach_2_to_the_62(
    engine: str, largest: float, unit: float, total: int, folder: Path
) -> None:
    """Their sum, about half of that, would fit in either case."""
    data = table({"y": [1, 0, 1, 0], "s": [0.4, 0.3, 0.2, 0.1], "w": [largest, largest, 5.0, 5.0]})
    hull = rocch.scale.scan(ENGINES[engine]([data], folder), **ASKED).hull()
    assert_identical(hull, in_memory(data, **ASKED))
    assert hull.totals.unit == unit
    assert hull.totals.negatives + hull.totals.positives == total


NOTHING = {
    "all negatives weigh 0": [0.0, 0.0, 1.0, 2.0, 1.0, 0.0],
    "all positives weigh 0": [1.0, 2.0, 0.0, 0.0, 0.0, 1.0],
    "all rows weigh 0": [0.0] * 6,
    "all negatives are rounded to 0": [1e-30, 1e-30, 1.0, 1.0, 1.0, 1e-40],
    "all positives are rounded to 0": [1.0, 1.0, 2.0**-100, 1e-90, 0.0, 1.0],
}


@pytest.mark.parametrize("case", NOTHING)
@pytest.mark.parametrize("question", scans.QUESTIONS)
def test_a_class_without_weight_is_refused_by_every_question(question: str, case: str) -> None:
    data = rows(w=NOTHING[case])
    for frame in (pl.DataFrame(data), duckdb.from_arrow(data)):
        error = refusal(scans.QUESTIONS[question], frame, **ASKED)
        assert error.argument == "weight"
        assert "must leave both classes some weight" in str(error)


def test_a_group_with_a_class_without_weight_is_named() -> None:
    data = rows(w=[0.0, 1.0, 1.0, 1.0, 1.0, 1.0], g=["a", "b", "b", "a", "b", "b"])
    error = refusal(scans.hull, pl.DataFrame(data), by="g", **ASKED)
    assert "of group 'a'" in str(error)


def test_a_class_without_weight_can_be_summed_up() -> None:
    """Its summary can be added to others; only the hull needs weight of both classes."""
    known = [
        rocch.scale.scan(pl.DataFrame(rows(w=some)), **ASKED).summary()
        for some in (NOTHING["all negatives weigh 0"], ONES)
    ]
    with pytest.raises(rocch.UndefinedError, match="negative row with weight"):
        known[0].hull()
    assert (known[0] + known[1]).hull().totals.negatives == 3


@pytest.mark.parametrize("ask", [scans.summary, scans.hull])
def test_small_weights_that_are_rounded_beside_a_large_one_are_no_changed_rows(
    ask: Callable[..., Any],
) -> None:
    """Each is rounded by half as much as it weighs, in a summary; together that is visible."""
    some = np.full(100_000, 0.01)
    some[7] = 1e8
    labels = np.arange(some.size) % 3 == 0
    frame = pl.DataFrame({"y": labels, "s": np.sin(np.arange(some.size)), "w": some})
    found = ask(frame, **ASKED)
    judged = found.totals() if isinstance(found, rocch.scale.FrameSummary) else found.totals
    assert judged.total == pytest.approx(some.sum(), rel=1e-4)


@given(
    st.lists(
        st.sampled_from([0.0, SMALLEST_WEIGHT, 1e-40, 2.0**-62, 2.0**-61, 0.3, 1.0, 3.0, 1e40]),
        min_size=6,
        max_size=6,
    )
)
def test_frames_refuse_a_class_without_weight_just_where_arrays_do(some: list[float]) -> None:
    data = rows(w=some)
    try:
        expected = in_memory(data, **ASKED)
    except rocch.InputError:
        for ask in scans.QUESTIONS.values():
            assert refusal(ask, pl.DataFrame(data), **ASKED).argument == "weight"
        return
    assert_identical(rocch.scale.scan(pl.DataFrame(data), **ASKED).hull(), expected)
    (point,) = scans.QUESTIONS["counts"](pl.DataFrame(data), **ASKED)["s"]
    assert 0 <= point.fpr <= 1


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_truth_values_are_scores_and_weights(engine: str, folder: Path) -> None:
    flags = [False, True, False, True, True, True]
    frame = ENGINES[engine]([rows(s=flags, w=[True, False, True, True, True, True])], folder)
    as_numbers = rows(s=[float(flag) for flag in flags], w=[1, 0, 1, 1, 1, 1])
    assert_identical(rocch.scale.scan(frame, **ASKED).hull(), in_memory(as_numbers, **ASKED))
    (point,) = scans.QUESTIONS["counts"](frame, **ASKED)["s"]
    assert (point.false_positives, point.true_positives) == (1, 2)
    area = rocch.scale.scan(frame, **ASKED).auc()["s"]
    assert area.value == rocch.auc(LABELS, flags, sample_weight=[1, 0, 1, 1, 1, 1])


@pytest.mark.parametrize("size", [2**53, -(2**53)])
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_integers_from_two_to_the_53_on_are_refused(engine: str, size: int, folder: Path) -> None:
    frame = ENGINES[engine]([rows(s=[size, 1, 2, 3, 4, 5])], folder)
    assert "integers below 2**53" in str(refusal(scans.hull, frame, **ASKED))
    below = size + (1 if size < 0 else -1)
    data = rows(s=[below, below - np.sign(below), 2, 3, 4, 5])
    hull = rocch.scale.scan(ENGINES[engine]([data], folder), **ASKED).hull()
    assert_identical(hull, in_memory(data, **ASKED))


def decimals(*values: str) -> pa.Array:
    return pa.array(list(map(Decimal, values)), pa.decimal128(38, 20))


MERGING = "0.12345678901234567890", "0.12345678901234567891"


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_decimals_that_would_become_ties_are_refused(engine: str, folder: Path) -> None:
    data = rows(s=decimals(*MERGING, "0.5", "0.25", "0.75", "-0.1"))
    error = refusal(scans.hull, ENGINES[engine]([data], folder), **ASKED)
    assert error.argument == "scores['s']"
    assert "numbers that stay distinct as doubles" in str(error)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_decimals_of_many_digits_that_stay_distinct_are_fine(engine: str, folder: Path) -> None:
    texts = [MERGING[0], MERGING[0], "0.52345678901234567890", "-12345678901234.5", "0.75", "3"]
    frame = ENGINES[engine]([rows(s=decimals(*texts))], folder)
    as_doubles = rows(s=[float(text) for text in texts])
    assert_identical(rocch.scale.scan(frame, **ASKED).hull(), in_memory(as_doubles, **ASKED))


REST = "0.5", "0.25", "0.75", "-0.1", "0.2"
LONG = "0.12345678901234567890"
BESIDE: dict[str, tuple[Any, bool]] = {
    "the same": (decimals(LONG, *REST), True),
    "the same of other digits": (pa.array([Decimal(LONG)] * 6, pa.decimal128(30, 25)), True),
    "another of the same double": (decimals(MERGING[1], *REST), False),
    "a shorter one of the same double": (decimals("0.123456789012345678", *REST), False),
    "another double": (decimals("0.52345678901234567890", *REST), True),
    "the double": ([float(LONG), 0.5, 0.25, 0.75, -0.1, 0.2], False),
    "other doubles": ([0.1, 0.5, 0.25, 0.75, -0.1, 0.2], True),
    "whole numbers": ([0, 1, 2, 3, 4, 5], True),
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_decimals_of_many_digits_are_compared_with_those_of_other_frames(
    engine: str, beside: str, folder: Path
) -> None:
    scores, distinct = BESIDE[beside]
    tables = [rows(s=decimals(LONG, *REST)), rows(s=scores)]
    frames = [ENGINES[engine]([each], folder) for each in tables]
    lists = [[frames[0], pl.DataFrame(tables[1])], frames[::-1]]
    if engine not in SLOW:
        lists.append(frames)
    for some in lists:
        if distinct:
            doubles = [float(value) for each in tables for value in each["s"].to_pylist()]
            expected = rocch.RocHull.from_scores(LABELS * 2, {"s": doubles}, sample_weight=ONES * 2)
            assert_identical(rocch.scale.scan(some, **ASKED).hull(), expected)
        else:
            assert "all rows together" in str(refusal(scans.hull, some, **ASKED))


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_decimals_of_few_digits_are_taken_from_several_frames(engine: str, folder: Path) -> None:
    """However many digits their type has."""
    tables = [rows(s=decimals(*map(str, some))) for some in ([-1, 20, 3, 4, 5, 6], SCORES)]
    frames = [ENGINES[engine]([each], folder) for each in (*tables, rows())]
    expected = rocch.RocHull.from_scores(
        LABELS * 3, {"s": [-1, 20, 3, 4, 5, 6, *SCORES, *SCORES]}, sample_weight=ONES * 3
    )
    assert_identical(rocch.scale.scan(frames, **ASKED).hull(), expected)


def test_too_many_decimals_to_be_compared_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [
        pl.DataFrame(rows(s=decimals(*(f"{n}.12345678901234567890" for n in some))))
        for some in (range(6), range(6, 12))
    ]
    rocch.scale.scan(frames, **ASKED).hull()
    monkeypatch.setattr("rocch.scale.survey.MOST_COMPARED", 11)
    assert "all rows together" in str(refusal(scans.hull, frames, **ASKED))
    rocch.scale.scan(pl.concat(frames), **ASKED).hull()  # an engine compares those of one


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_scores_in_rows_that_are_dropped_may_be_of_any_size(engine: str, folder: Path) -> None:
    labels = [None, *LABELS[1:]]
    kept = rows().slice(1)
    for scores in ([2**53, *range(1, 6)], decimals(MERGING[0], MERGING[1], *REST[:4])):
        data = rows(y=labels, s=scores)
        found = rocch.scale.scan(ENGINES[engine]([data], folder), **ASKED, drop_nulls=True).hull()
        assert found.totals.total == kept.num_rows


@pytest.mark.parametrize("scale", [0, 18, 20, 37])
@pytest.mark.parametrize("pos_label", [None, 1])
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_labels_are_decimals_of_any_digits(
    engine: str, pos_label: int | None, scale: int, folder: Path
) -> None:
    kind = pa.decimal128(38, scale)
    frame = ENGINES[engine]([rows(y=pa.array(list(map(Decimal, LABELS)), kind))], folder)
    hull = rocch.scale.scan(frame, **ASKED, pos_label=pos_label).hull()
    assert_identical(hull, in_memory(rows(), **ASKED))
    others = [Decimal(2), *map(Decimal, LABELS[1:])]
    frame = ENGINES[engine]([rows(y=pa.array(others, kind))], folder)
    assert refusal(scans.hull, frame, **ASKED).argument == "label"
