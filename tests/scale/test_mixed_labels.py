"""Columns that hold any objects: labels of several types follow the rule of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask
import dask.dataframe as dd
import pandas as pd
import polars as pl
import pytest

import rocch
from tests.support import scans

if TYPE_CHECKING:
    from collections.abc import Callable

SCORES = [3.0, 2.0, 1.0, 0.0]
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "objects": lambda values: pd.Series(values, dtype=object),
    "categories": pd.Categorical,
}


def _as_dask(frame: pd.DataFrame) -> Any:
    """Return a frame of two parts that keeps objects what they are."""
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_pandas(  # type: ignore[no-untyped-call] # Dask is partly untyped
            frame, npartitions=2
        )


FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {"pandas": lambda frame: frame, "Dask": _as_dask}


# a group of one class, or of another type, is a mistake of another kind
ASKS = {name: ask for name, ask in scans.EVERY_QUESTION.items() if name != "hulls"}
ASKED: dict[str, Any] = {"label": "y", "scores": ["s"]}


def judged(labels: Any, **more: Any) -> pd.DataFrame:
    return pd.DataFrame({"y": labels, "s": SCORES, **more})


@pytest.mark.parametrize("pos_label", [1, "1"])
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("column", COLUMNS)
def test_labels_that_are_equal_only_as_text_are_refused_as_in_memory(
    column: str, ask: str, pos_label: Any
) -> None:
    frame = judged(COLUMNS[column]([1, "1", 0, 0]))
    with pytest.raises(rocch.InputError) as in_memory:
        rocch.RocHull.from_scores(frame["y"], {"s": SCORES}, pos_label=pos_label)
    with pytest.raises(rocch.InputError) as caught:
        ASKS[ask](frame, pos_label=pos_label, **ASKED)
    assert "equal only as text; got 1 (int) and '1' (str)" in str(caught.value)
    assert str(caught.value) == str(in_memory.value).replace("y_true", "label")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("labels", [[1, 0, "1", 0], [True, 1, "True", 0]])
def test_dask_refuses_them_too_where_it_keeps_them(labels: list[Any], column: str) -> None:
    frame = _as_dask(judged(COLUMNS[column](labels)))
    with pytest.raises(rocch.InputError, match="equal only as text") as caught:
        rocch.scale.scan(frame, label="y", scores="s", pos_label=labels[2]).hull()
    assert caught.value.argument == "label"


def test_labels_of_several_frames_are_judged_together() -> None:
    frames = [judged(pd.Series(labels, dtype=object)) for labels in ([2, 3, 2, 3], list("1213"))]
    with pytest.raises(rocch.InputError, match="equal only as text"):
        rocch.scale.scan(frames, label="y", scores="s", pos_label="1").hull()


def test_labels_of_rows_that_are_dropped_do_not_matter() -> None:
    frame = judged(pd.Series([1, "1", 0, None], dtype=object)).assign(s=[3.0, None, 1.0, 2.0])
    hull = rocch.scale.scan(frame, label="y", scores="s", pos_label=1, drop_nulls=True).hull()
    assert (hull.totals.negatives, hull.totals.positives) == (1, 1)


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_positive_class_is_taken_in_the_type_that_it_has(column: str, ask: str) -> None:
    frame, plain = judged(COLUMNS[column]([1, 0, 1, 0])), judged([1, 0, 1, 0])
    found, expected = (ASKS[ask](each, pos_label=1, **ASKED) for each in (frame, plain))
    if ask == "summary":
        found, expected = found.hull(), expected.hull()
    assert repr(found) == repr(expected)
    with pytest.raises(rocch.InputError, match=r"got '1' \(str\) and 1 \(int\)") as caught:
        ASKS[ask](frame, pos_label="1", **ASKED)
    assert caught.value.argument == "label, pos_label"


@pytest.mark.parametrize("pos_label", [1, "yes"])
@pytest.mark.parametrize("engine", FRAMES)
def test_labels_of_several_types_that_read_differently_are_taken(
    engine: str, pos_label: Any
) -> None:
    frame = FRAMES[engine](judged(pd.Categorical([1, "yes", "no", 0])))
    hull = rocch.scale.scan(frame, label="y", scores="s", pos_label=pos_label).hull()
    assert (hull.totals.negatives, hull.totals.positives) == (3, 1)


@pytest.mark.parametrize("pos_label", [[1], (1,), float("nan"), b"1"])
def test_a_positive_class_must_be_one_label(pos_label: Any) -> None:
    frame = judged(pd.Series([1, 0, 1, 0], dtype=object))
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.scan(frame, label="y", scores="s", pos_label=pos_label).hull()
    assert caught.value.argument == "pos_label"


@pytest.mark.parametrize("engine", FRAMES)
def test_labels_must_be_plain(engine: str) -> None:
    frame = FRAMES[engine](judged(pd.Series([["1"], ["0"], "1", "0"], dtype=object)))
    with pytest.raises(rocch.InputError, match="label must hold plain labels"):
        rocch.scale.scan(frame, label="y", scores="s", pos_label="1").hull()


def test_objects_of_polars_are_refused_by_name() -> None:
    frame = pl.DataFrame({"y": pl.Series([1, "1", 0, 0], dtype=pl.Object), "s": SCORES})
    with pytest.raises(rocch.InputError, match="got 'y' with Object") as caught:
        rocch.scale.scan(frame, label="y", scores="s", pos_label="1").hull()
    assert caught.value.argument == "label"


def test_groups_without_an_order_are_refused() -> None:
    frame = judged([1, 1, 0, 0], g=pd.Series([1, "a", 1, "a"], dtype=object))
    with pytest.raises(rocch.InputError, match="one type; got several in 'g'") as caught:
        rocch.scale.scan(frame, label="y", scores="s").hull(by="g")
    assert caught.value.argument == "by"


@pytest.mark.parametrize("column", COLUMNS)
def test_groups_that_are_equal_only_as_text_are_refused(column: str) -> None:
    frame = judged([1, 1, 0, 0], g=COLUMNS[column]([1, "1", 1, "1"]))
    with pytest.raises(rocch.InputError, match="equal only as text") as caught:
        rocch.scale.scan(frame, label="y", scores="s").hull(by="g")
    assert caught.value.argument == "by"
