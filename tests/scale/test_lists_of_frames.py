"""Frames of a list count as one table: each is checked by its own types, and all together."""

from __future__ import annotations

from datetime import date, datetime
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rocch
from tests.support.engines import ENGINES, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCORES = [0.1, 0.2, 0.3, 0.4]
QUICK = ["pandas", "Arrow", "Polars", "DuckDB"]


def frames(engine: str, folder: Path, column: str, *lists: Sequence[Any]) -> list[Any]:
    """Return a frame for each list of values of one column."""
    rows = ({"y": [0, 1, 0, 1], "s": SCORES, column: values} for values in lists)
    return [ENGINES[engine]([table(each)], folder) for each in rows]


@pytest.mark.parametrize(
    "labels",
    [
        ([0, 1, 0, 1], [0.5, 7.0, -3.0, 0.0]),
        ([0, 1, 0, 1], [-1.0, 1.0, 1.0, 1.0]),
        ([False, True, False, True], [0.0, 1.0, 2.0, 0.0]),
        ([0.0, 1.0, 0.0, 1.0], [-1, 1, -1, 1]),
        ([-1, 1, -1, 1], [0, 1, 1, 1]),
    ],
)
@pytest.mark.parametrize("engine", QUICK)
def test_labels_of_each_frame_are_checked_by_their_own_type(
    engine: str, labels: Sequence[Any], folder: Path
) -> None:
    for some in (labels, labels[::-1]):
        with pytest.raises(rocch.InputError, match="got other values in 'y'") as caught:
            rocch.scale.scan(frames(engine, folder, "y", *some), label="y", scores="s").hull()
        assert caught.value.argument == "label"


@pytest.mark.parametrize("second", [[-1.0, 1.0, 1.0, 1.0], [False, True, True, True], [1, 1, 1, 1]])
@pytest.mark.parametrize("engine", QUICK)
def test_labels_of_two_types_may_name_the_same_classes(
    engine: str, second: list[Any], folder: Path
) -> None:
    first = [-1, 1, -1, 1]
    hits = [label == 1 for label in first + second]
    expected = rocch.RocHull.from_scores(hits, {"s": SCORES * 2})
    for lists in ((first, second), (second, first)):
        some = frames(engine, folder, "y", *lists)
        assert rocch.scale.scan(some, label="y", scores="s").hull() == expected


GROUPS: dict[str, list[Any]] = {
    "int": [1] * 4,
    "text": ["1"] * 4,
    "bool": [True] * 4,
    "date": [date(2024, 1, 1)] * 4,
    "datetime": [datetime(2024, 1, 1)] * 4,
}


@pytest.mark.parametrize("kinds", list(combinations(GROUPS, 2)))
@pytest.mark.parametrize("engine", QUICK)
def test_groups_of_several_types_are_refused(
    engine: str, kinds: tuple[str, str], folder: Path
) -> None:
    some = frames(engine, folder, "g", *(GROUPS[kind] for kind in kinds))
    asked: dict[str, Any] = {"label": "y", "scores": "s"}
    made = [rocch.scale.scan(frame, **asked).summary(by="g") for frame in some]
    both = [rocch.scale.scan(frame, **asked).summary(by=["g", "y"]) for frame in some]
    for ask in (
        lambda: rocch.scale.scan(some, **asked).hull(by="g"),
        lambda: rocch.scale.scan(some[::-1], **asked).hull(by="g"),
        lambda: made[0] + made[1],
        lambda: both[1] + both[0],
    ):
        with pytest.raises(rocch.InputError, match="of one type; got several in 'g'") as caught:
            ask()
        assert caught.value.argument == "by"


def test_groups_of_one_type_may_have_several_widths() -> None:
    frame = pl.DataFrame({"y": [0, 1, 0, 1], "s": SCORES, "g": [1, 1, 2, 2]})
    some = [frame, frame.with_columns(pl.col("g").cast(pl.Int8))]
    assert list(rocch.scale.scan(some, label="y", scores="s").hull(by="g")) == [1, 2]
