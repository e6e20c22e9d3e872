"""What cannot be answered is refused: one clear error that names the argument, on every engine."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rocch
from tests.support import scans
from tests.support.engines import ENGINES, EVERY_ENGINE, assert_identical, in_memory, parts, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

KINDS = ("pandas", "Arrow", "Polars, lazy", "DuckDB", "Dask")
"""One engine of each kind; the others differ in where their rows lie, not in what they say."""

SCORES = [0.1, 0.4, 0.35, 0.8, 0.5, 0.2]
LABELS = [0, 0, 1, 1, 1, 0]


def rows(**changes: Any) -> pa.Table:
    """Return a small judged table, with some columns changed, added, or (as None) left out."""
    columns: dict[str, Any] = {"y": LABELS, "s": SCORES, "t": SCORES[::-1], "w": [1, 2, 3, 1, 1, 1]}
    columns |= {"g": ["a", "b", "a", "b", "a", "b"], **changes}
    return table({name: column for name, column in columns.items() if column is not None})


def with_(values: list[Any], position: int, value: Any) -> list[Any]:
    return [*values[:position], value, *values[position + 1 :]]


def refused(ask: Callable[..., Any], frame: Any, **asked: Any) -> rocch.InputError:
    """Return the error, which must be rocch's own, on one line, and end with what to do."""
    with pytest.raises(rocch.InputError) as caught:
        ask(frame, **{"label": "y", "scores": ["s", "t"], **asked})
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return caught.value


NULLS = with_(SCORES, 2, None)
NAN = with_(SCORES, 2, float("nan"))

MISTAKES: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    # columns, arguments, the argument that must be named, what else the message must say
    "no such label": ({}, {"label": "z"}, "label", "'y', 's', 't', 'w', 'g'"),
    "no such score": ({}, {"scores": ["s", "q"]}, "scores", "'q'"),
    "no such mapped score": ({}, {"scores": {"nb": "q"}}, "scores", "'q'"),
    "no such weight": ({}, {"weight": "q"}, "weight", "'q'"),
    "text scores": ({"s": list("abcdef")}, {}, "scores", "'s'"),
    "texts that look like scores": ({"s": list("123456")}, {}, "scores", "'s'"),
    "dates as scores": ({"s": [date(2024, 1, 1)] * 6}, {}, "scores", "'s'"),
    "null scores": ({"s": NULLS}, {}, "scores", "got 1 null"),
    "NaN scores": ({"s": NAN}, {}, "scores", "NaN"),
    "null labels": ({"y": with_(LABELS, 0, None)}, {}, "label", "got 1 null"),
    "NaN labels": ({"y": with_([0.0, 0, 1, 1, 1, 0], 0, float("nan"))}, {}, "label", "missing"),
    "null texts": (
        {"y": ["n", "n", "p", "p", None, "n"]},
        {"pos_label": "p"},
        "label",
        "got 1 null",
    ),
    "only positives": ({"y": [1] * 6}, {}, "label", "class"),
    "only negatives": ({"y": [False] * 6}, {}, "label", "class"),
    "labels without pos_label": ({"y": list("nnpppn")}, {}, "pos_label", "'n', 'p'"),
    "labels 1 and 2": ({"y": [1, 1, 2, 2, 2, 1]}, {}, "label", "pos_label"),
    "labels 0, 1, -1": ({"y": [0, 1, -1, 1, 0, 1]}, {}, "label", "pos_label"),
    "an infinite label": ({"y": [0.0, float("inf"), 1.0, 1.0, 0.0, 0.0]}, {}, "label", "pos_label"),
    "fractional labels": ({"y": [0, 0.5, 1, 1, 0, 0]}, {}, "label", "pos_label"),
    "a pos_label that does not occur": ({}, {"pos_label": 3}, "pos_label", "class"),
    "a pos_label of another type": ({}, {"pos_label": "yes"}, "pos_label", "'yes'"),
    "a list as pos_label": ({}, {"pos_label": [1]}, "pos_label", ""),
    "negative weights": ({"w": [1, 2, -3, 1, 1, 1]}, {"weight": "w"}, "weight", "negative"),
    "null weights": ({"w": with_(SCORES, 3, None)}, {"weight": "w"}, "weight", "'w'"),
    "NaN weights": ({"w": NAN}, {"weight": "w"}, "weight", ""),
    "infinite weights": (
        {"w": with_(SCORES, 3, float("inf"))},
        {"weight": "w"},
        "weight",
        "finite",
    ),
    "no weight at all": ({"w": [0.0] * 6}, {"weight": "w"}, "weight", ""),
    "no weight for one class": ({"w": [0, 0, 1, 1, 1, 0]}, {"weight": "w"}, "weight", "class"),
    "text weights": ({"w": list("abcdef")}, {"weight": "w"}, "weight", "'w'"),
    "integers that doubles cannot tell apart": (
        {"s": [2**60, 2**60 + 1, 3, 4, 5, 6]},
        {},
        "scores",
        "2**53",
    ),
    "no rows": (
        {"y": pa.array([], pa.int64())}
        | dict.fromkeys("stw", pa.array([], pa.float64()))
        | {"g": pa.array([], pa.string())},
        {},
        "frame",
        "row",
    ),
    "the label among the scores": ({}, {"scores": ["s", "y"]}, "scores", "'y'"),
    "the weight among the scores": ({}, {"scores": ["s", "w"], "weight": "w"}, "scores", "'w'"),
    "a score twice": ({}, {"scores": ["s", "s"]}, "scores", "'s'"),
    "no scores": ({}, {"scores": []}, "scores", "at least one"),
    "a name that is reserved": ({}, {"scores": {"never": "s"}}, "name", "never"),
}


@pytest.mark.parametrize("engine", KINDS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str, engine: str, folder: Path) -> None:
    changes, asked, argument, said = MISTAKES[mistake]
    frame = ENGINES[engine](parts(rows(**changes), (2, 2)), folder)
    error = refused(scans.hull, frame, **asked)
    assert error.argument is not None
    assert argument in error.argument
    assert said in str(error)


@pytest.mark.parametrize("mistake", ["null scores", "null labels", "null weights"])
@pytest.mark.parametrize("engine", KINDS)
def test_nulls_are_counted_and_the_way_out_is_named(
    mistake: str, engine: str, folder: Path
) -> None:
    changes, asked, *_ = MISTAKES[mistake]
    frame = ENGINES[engine]([rows(**changes)], folder)
    text = str(refused(scans.hull, frame, **asked))
    (column,) = changes
    assert f"'{column}'" in text
    assert "set drop_nulls" in text


BASIC = [
    "no such label",
    "no such score",
    "no such weight",
    "text scores",
    "null scores",
    "NaN scores",
    "null labels",
    "labels without pos_label",
    "negative weights",
    "no rows",
]


@pytest.mark.parametrize(
    ("mistake", "ask"),
    # a day without rows can be summed up
    [(m, a) for m in BASIC for a in scans.EVERY_QUESTION if (m, a) != ("no rows", "summary")],
)
def test_every_question_refuses_the_same_mistakes(mistake: str, ask: str) -> None:
    changes, asked, argument, said = MISTAKES[mistake]
    for frame in (pl.DataFrame(rows(**changes)).lazy(), rows(**changes).to_pandas()):
        error = refused(scans.EVERY_QUESTION[ask], frame, **asked)
        assert error.argument is not None
        assert argument in error.argument
        assert said in str(error)


@pytest.mark.parametrize(
    ("by", "said"),
    [("q", "'q'"), (["g", "q"], "'q'"), ([], ""), (7, ""), (["g", "g"], "'g'")],
)
def test_wrong_groups_are_refused(by: Any, said: str) -> None:
    frame = pl.DataFrame(rows())
    error = refused(scans.hull, frame, by=by)
    assert error.argument is not None
    assert "by" in error.argument
    assert said in str(error)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_a_group_of_one_class_is_named(engine: str, folder: Path) -> None:
    frame = ENGINES[engine]([rows(g=["a", "a", "a", "a", "a", "lone"])], folder)
    error = refused(scans.hull, frame, by="g")
    assert "'lone'" in str(error)
    assert "class" in str(error)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_null_groups_are_refused_or_dropped(engine: str, folder: Path) -> None:
    data = rows(g=["a", "a", "a", "a", None, None])
    frame = ENGINES[engine]([data], folder)
    error = refused(scans.hull, frame, by="g")
    assert "'g'" in str(error)
    hulls = rocch.scale.scan(frame, label="y", scores=["s"], drop_nulls=True).hull(by="g")
    assert set(hulls) == {"a"}
    assert_identical(hulls["a"], in_memory(data.slice(0, 4), label="y", scores=["s"]))


@pytest.mark.parametrize("buckets", [0, 1, -5, 2.5, "many", True])
def test_buckets_must_be_a_whole_number(buckets: Any) -> None:
    error = refused(scans.hull, pl.DataFrame(rows()), buckets=buckets)
    assert error.argument == "buckets"


def test_buckets_must_be_some_for_each_classifier_and_group() -> None:
    frame = pl.DataFrame(rows())
    for asked, least in (({"buckets": 15}, 16), ({"buckets": 31, "by": "g"}, 32)):
        error = refused(scans.hull, frame, **asked)
        assert error.argument == "buckets"
        assert f"at least {least}" in str(error)


@pytest.mark.parametrize("progress", ["yes", 7])
def test_progress_must_be_callable(progress: Any) -> None:
    error = refused(scans.hull, pl.DataFrame(rows()), progress=progress)
    assert error.argument == "progress"


@pytest.mark.parametrize("drop_nulls", ["yes", 1, None])
def test_drop_nulls_must_be_yes_or_no(drop_nulls: Any) -> None:
    error = refused(scans.hull, pl.DataFrame(rows()), drop_nulls=drop_nulls)
    assert error.argument == "drop_nulls"


@pytest.mark.parametrize("label", [None, 3, ["y"]])
def test_the_label_must_be_a_name(label: Any) -> None:
    error = refused(scans.hull, pl.DataFrame(rows()), label=label)
    assert error.argument == "label"


@pytest.mark.parametrize("scores", [7, [7], {"nb": 7}, {7: "s"}])
def test_scores_must_be_names(scores: Any) -> None:
    error = refused(scans.hull, pl.DataFrame(rows()), scores=scores)
    assert error.argument is not None
    assert "scores" in error.argument or "name" in error.argument


@pytest.mark.parametrize(
    "frame", [7, "scores.parquet", None, {"y": [0, 1], "s": [1, 2]}, np.zeros((3, 2)), [], [3]]
)
def test_what_is_no_frame_is_refused(frame: Any) -> None:
    error = refused(scans.hull, frame)
    assert error.argument is not None
    assert "frame" in error.argument


def test_one_column_is_no_frame() -> None:
    for series in (pl.Series("s", SCORES), pd.Series(SCORES)):
        assert "frame" in str(refused(scans.hull, series).argument)


def test_a_closed_connection_or_a_lost_file_is_no_traceback(folder: Path) -> None:
    lost = pl.scan_parquet(folder / "nowhere.parquet")
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.scan(lost, label="y", scores="s").hull()
    assert "nowhere.parquet" in str(caught.value)


def test_duplicate_columns_are_refused() -> None:
    frame = pd.DataFrame([[0, 1.0, 2.0], [1, 2.0, 3.0]], columns=["y", "s", "s"])
    assert "'s'" in str(refused(scans.hull, frame, scores=["s"]))


def test_columns_of_objects_are_refused() -> None:
    """Each may hold anything; pandas with Arrow's decimals has decimals."""
    frame = pd.DataFrame({"y": LABELS, "s": [Decimal(1), Decimal(2), 3, 4, "5", 6]}, dtype=object)
    assert "'s'" in str(refused(scans.hull, frame.astype({"y": int}), scores=["s"]))


def test_frames_of_a_list_must_have_the_columns_asked_for() -> None:
    whole, other = pl.DataFrame(rows()), pl.DataFrame(rows(t=None))
    text = str(refused(scans.hull, [whole, other]))
    assert "'t'" in text


def test_a_mistake_in_one_frame_of_a_list_is_found() -> None:
    whole, bad = pl.DataFrame(rows()), rows(s=NULLS).to_pandas()
    text = str(refused(scans.hull, [whole, bad]))
    assert "got 1 null" in text
    assert "'s'" in text


def test_labels_of_a_list_are_judged_together() -> None:
    """One frame with labels 0 and 1, one with -1 and 1: together they make no two classes."""
    whole, other = pl.DataFrame(rows()), pl.DataFrame(rows(y=[-1, -1, 1, 1, 1, -1]))
    assert "pos_label" in str(refused(scans.hull, [whole, other]))


def missing() -> pa.Table:
    """Return rows with something missing in each column, the unused one included."""
    size = 40
    generator = np.random.default_rng(40)
    columns: dict[str, list[Any]] = {
        "y": (generator.random(size) < 0.5).astype(int).tolist(),
        "s": generator.normal(size=size).tolist(),
        "t": generator.integers(0, 5, size).tolist(),
        "w": generator.integers(1, 4, size).astype(float).tolist(),
        "unused": [None] * size,
    }
    columns["y"][3] = columns["s"][7] = columns["t"][11] = columns["w"][17] = None
    columns["s"][19] = columns["w"][23] = float("nan")
    columns["s"][29] = columns["t"][29] = columns["y"][29] = None
    arrays = {name: pa.array(values) for name, values in columns.items()}
    return pa.table({**arrays, "unused": pa.array([None] * size, pa.float64())})


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_dropped_rows_are_dropped_for_all_classifiers_alike(
    engine: str, weight: str | None, folder: Path
) -> None:
    data = missing()
    gone = {3, 7, 11, 19, 29} | ({17, 23} if weight else set())
    kept = data.take(pa.array([i for i in range(40) if i not in gone]))
    frame = ENGINES[engine](parts(data, (8, 8, 30)), folder)
    for buckets in (16, 2**22):
        hull = rocch.scale.scan(
            frame, label="y", scores=["s", "t"], weight=weight, drop_nulls=True, buckets=buckets
        ).hull()
        expected = in_memory(kept, label="y", scores=["s", "t"], weight=weight)
        assert_identical(hull, expected)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_nulls_in_columns_that_are_not_asked_for_do_not_matter(engine: str, folder: Path) -> None:
    data = rows(t=[None, 1.0, float("nan"), 2.0, 3.0, None])
    hull = rocch.scale.scan(ENGINES[engine]([data], folder), label="y", scores=["s"]).hull()
    assert_identical(hull, in_memory(data, label="y", scores=["s"]))


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_dropping_may_leave_one_class_or_nothing(engine: str, folder: Path) -> None:
    one = ENGINES[engine]([rows(s=[0.1, 0.2, None, None, None, 0.3])], folder)
    error = refused(scans.hull, one, drop_nulls=True)
    assert "class" in str(error)
    nothing = ENGINES[engine]([rows(s=pa.array([None] * 6, pa.float64()))], folder)
    error = refused(scans.hull, nothing, drop_nulls=True)
    assert "row" in str(error)


@pytest.mark.parametrize(
    "thresholds",
    [{}, {"q": [0.5]}, {"s": [float("nan")]}, {"s": ["high"]}, [0.5], 0.5, None],
)
def test_thresholds_must_be_numbers_for_known_classifiers(thresholds: Any) -> None:
    frame = pl.DataFrame(rows())
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.scan(frame, label="y").counts(thresholds)
    assert "thresholds" in str(caught.value.argument)


@pytest.mark.parametrize("width", [-0.1, float("nan"), "narrow", True])
def test_widths_must_be_shares(width: Any) -> None:
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.scan(pl.DataFrame(rows()), label="y", scores="s").auc(width=width)
    assert caught.value.argument == "width"


@pytest.mark.parametrize("resolution", [-0.1, 0, float("nan"), "fine", True])
def test_resolutions_must_be_shares(resolution: Any) -> None:
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.scan(pl.DataFrame(rows()), label="y", scores="s").curve(resolution=resolution)
    assert caught.value.argument == "resolution"


@pytest.mark.parametrize("engine", KINDS)
def test_nulls_and_nan_are_counted_together(engine: str, folder: Path) -> None:
    if engine in ("pandas", "Dask"):
        pytest.skip("NaN is null here")
    scores = pa.array([None, float("nan"), float("nan"), 0.5, 0.6, 0.7])
    frame = ENGINES[engine]([pa.table({"y": LABELS, "s": scores})], folder)
    assert "got 3 null or NaN in 's'" in str(refused(scans.hull, frame, scores="s"))


def test_groups_of_one_class_are_counted() -> None:
    frame = pl.DataFrame(rows()).with_columns(g=pl.Series([1, 1, 2, 2, 3, 3]))
    said = str(refused(scans.hull, frame, by="g"))
    assert "2 rows of group 1, all negative (and 1 more such group)" in said
    assert said.endswith("Leave such groups out.")


@pytest.mark.parametrize("thresholds", [0.5, None, "0.5", [10**5000], [math.nan]])
def test_thresholds_must_be_lists(thresholds: Any) -> None:
    with pytest.raises(rocch.InputError, match="must be a list of numbers"):
        rocch.scale.scan(pl.DataFrame(rows()), label="y", scores=["s"]).counts({"s": thresholds})


def test_a_path_must_exist() -> None:
    with pytest.raises(rocch.InputError, match=r"frame must be an existing file.*scores.parquet"):
        rocch.scale.scan("scores.parquet", label="y").hull()


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Query interrupted"),
        duckdb.InterruptException("INTERRUPT Error: Interrupted!"),
        OSError("INTERRUPT Error: Interrupted!"),
    ],
)
def test_a_query_that_is_interrupted_interrupts(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nw.LazyFrame, "collect", MagicMock(side_effect=error))
    with pytest.raises(KeyboardInterrupt):
        rocch.scale.scan(pl.DataFrame(rows()), label="y", scores="s").hull()


def test_an_error_that_is_not_about_reading_stays_the_engines_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = RuntimeError("out of luck")
    monkeypatch.setattr(nw.LazyFrame, "collect", MagicMock(side_effect=error))
    with pytest.raises(RuntimeError, match="out of luck"):
        rocch.scale.scan(pl.DataFrame(rows()), label="y", scores="s").hull()


@pytest.mark.parametrize("engine", KINDS)
@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([False, True] * 3, "x"),
        ([False, True] * 3, "false"),
        ([False, True] * 3, 1),
        (["0", "1"] * 3, True),
        (["0", "1"] * 3, b"1"),
        ([0, 1] * 3, "1"),
        ([0, 1] * 3, [1]),
        ([0, 1] * 3, True),
    ],
)
def test_a_positive_class_of_another_kind_is_refused(
    engine: str, labels: list[Any], positive: Any, folder: Path
) -> None:
    frame = ENGINES[engine]([pa.table({"y": labels, "s": SCORES})], folder)
    error = refused(scans.hull, frame, scores="s", pos_label=positive)
    assert error.argument == "pos_label"


@pytest.mark.parametrize("kind", [pa.decimal128(5, 2), pa.time64("us"), pa.binary()])
def test_groups_must_be_of_a_kind_that_can_be_written(kind: pa.DataType) -> None:
    frame = rows().append_column("h", pa.nulls(6, kind))
    assert "texts, whole numbers, booleans or dates" in str(refused(scans.hull, frame, by="h"))


def test_labels_of_a_later_frame_are_looked_at_too() -> None:
    frames = [table({"y": [0, 1, high], "s": [1.0, 2.0, 3.0]}) for high in (1, 2)]
    for order in (frames, frames[::-1]):
        with pytest.raises(rocch.InputError, match="label must hold booleans, 0 and 1"):
            rocch.scale.scan(order, label="y", scores="s").hull()


@pytest.mark.parametrize("pos_label", [1, 2])
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_whole_labels_other_than_0_and_1(engine: str, pos_label: int, folder: Path) -> None:
    generator = np.random.default_rng(3)
    labels = generator.integers(1, 3, 400)
    rows = table({"y": labels, "s": generator.normal(size=400) + labels})
    frame = ENGINES[engine]([rows], folder)
    hull = rocch.scale.scan(frame, label="y", scores="s", pos_label=pos_label, buckets=16).hull()
    assert hull == in_memory(rows, label="y", scores=["s"], pos_label=pos_label)


def test_numbers_that_cannot_be_read_are_not_left_out_unseen() -> None:
    wide = pd.DataFrame(rows().select(["y", "s"]).to_pandas()).assign(t=np.longdouble(1))
    tables = {"float": wide} if np.dtype(np.longdouble).itemsize > 8 else {}
    makers = ("decimal32", "decimal64", "decimal256")  # the first two since Arrow 18
    for kind in [getattr(pa, name)(9, 1) for name in makers if hasattr(pa, name)]:
        table = rows().select(["y", "s"]).append_column("t", pa.array([Decimal(1)] * 6, kind))
        tables |= {str(kind): table, f"{kind}[": table.to_pandas(types_mapper=pd.ArrowDtype)}
    for kind, frame in tables.items():
        error = refused(scans.hull, frame, scores=None)
        assert error.argument == "scores"
        assert f"'t' with {kind}" in str(error)
        assert list(rocch.scale.scan(frame, label="y", scores="s").auc()) == ["s"]
        assert "'t' with Unknown" in str(refused(scans.hull, frame, scores="t"))


@pytest.mark.parametrize("mapper", [None, pd.ArrowDtype])
def test_decimals_below_0_digits_are_refused(mapper: Any) -> None:
    frame = rows(s=pa.array([Decimal(100)] * 6, pa.decimal128(5, -2)))
    frame = frame.to_pandas(types_mapper=mapper) if mapper else frame
    error = refused(scans.hull, frame, scores="s")
    assert error.argument == "frame"
    assert "found -2" in str(error)


@pytest.mark.parametrize("engine", KINDS)
def test_a_column_called_like_all_columns_is_refused(engine: str, folder: Path) -> None:
    frame = ENGINES[engine]([table({"y": LABELS, "*": SCORES})], folder)
    for scores in (None, "*", {"s": "*"}):
        error = refused(scans.hull, frame, scores=scores)
        assert error.argument == "scores"
        assert "must name one column; got '*'" in str(error)
