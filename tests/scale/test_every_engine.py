"""Every engine gives the hull that the rows have in memory, to the last bit of every threshold."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocch
from tests.support.engines import (
    ENGINES,
    EVERY_ENGINE,
    SLOW,
    assert_identical,
    in_memory,
    on_engine,
    parts,
    table,
)
from tests.support.judged_frames import KINDS, LABELS, Case, cases, check, hard_scores, noisy_labels

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

QUICK = [on_engine(name) for name in sorted(set(ENGINES) - SLOW)]
SMALL = (8, 16, 32)
"""Numbers of buckets for each classifier that force many passes over a few dozen rows."""


@pytest.mark.parametrize("engine", QUICK)
@given(case=cases(buckets=(64,)))
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
def test_hulls_are_identical(engine: str, case: Case, folder: Path) -> None:
    check(engine, case, folder)


@pytest.mark.parametrize("engine", [on_engine(name) for name in ("DuckDB", "pandas", "Arrow")])
@given(case=cases(buckets=(8,)))
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
def test_hulls_are_identical_after_many_passes(engine: str, case: Case, folder: Path) -> None:
    check(engine, case, folder)


@pytest.mark.slow
@given(case=cases(largest=24, buckets=(64,)))
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
def test_hulls_are_identical_on_dask(case: Case, folder: Path) -> None:
    check("Dask", case, folder)


@given(case=cases(largest=150, buckets=SMALL))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_few_buckets_cost_passes_but_never_exactness(case: Case, folder: Path) -> None:
    check("Polars", case, folder)


@pytest.mark.parametrize(
    ("engine", "buckets"), [*(on_engine(e, 2**22) for e in ENGINES), ("Polars", 80)]
)
def test_every_kind_of_score_in_one_wide_table(engine: str, buckets: int, folder: Path) -> None:
    generator = np.random.default_rng(4)
    columns = {kind: hard_scores(kind, 120, generator) for kind in KINDS}
    hits = noisy_labels(columns["share"], 5)
    case = Case(
        table({"y": hits, **columns}), tuple(columns), (0, 0, 7, 100, 120), {"buckets": buckets}
    )
    check(engine, case, folder)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("kind", sorted(LABELS))
def test_labels_may_be_written_in_many_ways(engine: str, kind: str, folder: Path) -> None:
    write, pos_label = LABELS[kind]
    scores = np.array([0.3, 0.1, 0.9, 0.5, 0.5, 0.2])
    labels = [write(hit) for hit in (False, False, True, True, False, True)]
    case = Case(table({"y": labels, "s": scores}), ("s",), (3,), {"pos_label": pos_label})
    check(engine, case, folder)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("divisor", [1, 7, 2.0**58])
def test_weights_follow_the_rule_of_arrays(engine: str, divisor: float, folder: Path) -> None:
    """Whole ones count in ones, others in a power of two; the last are rounded beside the 1."""
    generator = np.random.default_rng(11)
    scores = generator.integers(0, 30, 60) / 8
    weights = generator.integers(0, 16, 60) / divisor
    weights[17] = 1
    rows = {"y": noisy_labels(scores, 12), "s": scores, "t": -scores, "w": weights}
    case = Case(table(rows), ("s", "t"), (20, 20), {"weight": "w"})
    check(engine, case, folder)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_float32_decimals_and_integers_become_the_same_doubles(engine: str, folder: Path) -> None:
    units = np.random.default_rng(13).integers(-(10**9), 10**9, 80)
    columns: dict[str, Any] = {
        "single": (units / 1e9).astype(np.float32),
        "byte": (units % 7).astype(np.int8),
        "long": units * 9_007_199,
    }
    for name, scale in (("money", 4), ("fine", 15)):
        decimals = [Decimal(int(unit)).scaleb(-scale) for unit in units]
        columns[name] = pa.array(decimals, pa.decimal128(20, scale))
    rows = table({"y": noisy_labels(units, 14), **columns})
    check(engine, Case(rows, tuple(columns), (40,)), folder)


def grouped() -> pa.Table:
    """Return rows of four countries, one of them with two rows only, in no order."""
    generator = np.random.default_rng(15)
    country = np.array(["de", "fr", "se", "de", "de"])[generator.integers(0, 5, 300)]
    country[[5, 250]] = "li"
    scores = generator.integers(0, 60, 300) / 16 + np.where(country == "fr", 1e6, 0)
    hits = noisy_labels(scores, 16)
    hits[[5, 250]] = True, False
    kind = np.where(generator.random(300) < 0.5, 1, 2)
    return table({"y": hits, "s": scores, "t": generator.normal(size=300), "c": country, "k": kind})


@pytest.mark.parametrize(
    ("engine", "buckets"), [*(on_engine(e, 2**22) for e in ENGINES), ("Polars", 64)]
)
def test_one_hull_for_each_group(engine: str, buckets: int, folder: Path) -> None:
    rows = grouped()
    frame = ENGINES[engine](parts(rows, (10, 10, 290)), folder)
    hulls = rocch.scale.scan(frame, label="y", scores=["s", "t"], buckets=buckets).hull(by="c")
    assert set(hulls) == {"de", "fr", "se", "li"}
    country = np.array(rows["c"].to_pylist())
    for name, hull in hulls.items():
        own = rows.filter(pa.array(country == name))
        assert_identical(hull, in_memory(own, label="y", scores=["s", "t"]))


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_groups_by_several_columns_have_tuples_as_keys(engine: str, folder: Path) -> None:
    rows = grouped().filter(pa.array(np.array(grouped()["c"].to_pylist()) != "li"))
    frame = ENGINES[engine](parts(rows, (150,)), folder)
    hulls = rocch.scale.scan(frame, label="y", scores="s").hull(by=["c", "k"])
    assert set(hulls) == {(c, k) for c in ("de", "fr", "se") for k in (1, 2)}
    keys = list(zip(rows["c"].to_pylist(), rows["k"].to_pylist(), strict=True))
    for key, hull in hulls.items():
        own = rows.filter(pa.array([other == key for other in keys]))
        assert_identical(hull, in_memory(own, label="y", scores=["s"]))
    alone = rocch.scale.scan(frame, label="y", scores="s").hull(by=["c"])
    assert set(alone) == {("de",), ("fr",), ("se",)}


@given(
    case=cases(largest=60, buckets=(48, 64)),
    groups=st.lists(st.integers(0, 2), min_size=60, max_size=60),
)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("engine", ["DuckDB", "Polars"])
def test_groups_are_judged_as_if_they_were_alone(
    engine: str, case: Case, groups: list[int], folder: Path
) -> None:
    """Each group has its own unit of weights, its own extremes, and its own cells."""
    size = case.rows.num_rows
    doubled = pa.concat_tables([case.rows, *[case.rows] * 3])
    keys = np.array([*groups[:size], *np.repeat([0, 1, 2], size)])  # so all have both classes
    rows = doubled.append_column("g", pa.array(keys))
    frame = ENGINES[engine](parts(rows, case.cuts), folder)
    try:
        expected = {key: case.expected(rows.filter(pa.array(keys == key))) for key in range(3)}
    except rocch.InputError:
        with pytest.raises(rocch.InputError, match="weight"):
            rocch.scale.scan(frame, **case.arguments).hull(by="g")
        return
    hulls = rocch.scale.scan(frame, **case.arguments).hull(by="g")
    assert set(hulls) == {0, 1, 2}
    for key, hull in hulls.items():
        assert_identical(hull, expected[key])


@pytest.mark.parametrize("kind", [tuple, list])
def test_frames_of_different_engines_count_as_one_table(kind: type, folder: Path) -> None:
    scores = np.round(np.random.default_rng(17).normal(size=180), 1)
    rows = table({"y": noisy_labels(scores, 18), "s": scores, "t": scores**2})
    pieces = parts(rows, range(20, 180, 20))
    frames = [ENGINES[name]([piece], folder) for name, piece in zip(ENGINES, pieces, strict=True)]
    for buckets in (100, 2**22) if kind is list else (2**22,):
        hull = rocch.scale.scan(kind(frames), label="y", scores=["s", "t"], buckets=buckets).hull()
        assert_identical(hull, in_memory(rows, label="y", scores=["s", "t"]))
    turned = rocch.scale.scan(kind(frames[::-1]), label="y", scores=["s", "t"]).hull()
    assert turned == hull


def test_a_list_may_hold_empty_frames_and_frames_of_one_class() -> None:
    rows = pl.DataFrame({"y": [0, 0, 1, 1], "s": [0.1, 0.4, 0.35, 0.8]})
    frames = [rows[:0], rows[:2], rows[2:], rows[4:]]
    hull = rocch.scale.scan(frames, label="y", scores="s").hull()
    assert_identical(hull, rocch.scale.scan(rows, label="y", scores="s").hull())


def test_scores_may_be_one_name_a_list_a_mapping_or_all_numbers() -> None:
    rows = pl.DataFrame(
        {"y": [0, 0, 1, 1], "a": [1, 3, 2, 4], "b": [0.5, 0.1, 0.7, 0.9], "note": ["", "", "", ""]}
    )
    both = rocch.RocHull.from_scores(rows["y"], {"a": rows["a"], "b": rows["b"]})
    for scores in (["a", "b"], ("b", "a"), {"a": "a", "b": "b"}, None):
        assert_identical(rocch.scale.scan(rows, label="y", scores=scores).hull(), both)
    single = rocch.RocHull.from_scores(rows["y"], {"a": rows["a"]})
    assert_identical(rocch.scale.scan(rows, label="y", scores="a").hull(), single)
    renamed = rocch.RocHull.from_scores(rows["y"], {"old one": rows["a"]})
    got = rocch.scale.scan(rows, label="y", scores={"old one": "a"}).hull()
    assert_identical(got, renamed)


def test_all_numbers_leaves_out_the_weight_and_the_groups() -> None:
    rows = pl.DataFrame(
        {
            "y": [0, 0, 1, 1] * 2,
            "a": [1, 3, 2, 4] * 2,
            "w": [1, 2, 3, 4] * 2,
            "g": [7] * 4 + [8] * 4,
        }
    )
    hull = rocch.scale.scan(rows.drop("g"), label="y", weight="w").hull()
    assert {member.name for member in hull.members} == {"a"}
    hulls = rocch.scale.scan(rows, label="y", weight="w").hull(by="g")
    assert {member.name for hull in hulls.values() for member in hull.members} == {"a"}


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_odd_column_names_are_taken_as_they_are(engine: str, folder: Path) -> None:
    odd = ["score of nb", "a.b", "back`tick", "straße", "SELECT", "it's", "%s", "{x}"]
    if "DuckDB" not in engine or not version("duckdb").startswith("1."):
        odd.append('quo"ted')  # which DuckDB can name since 2.0
    generator = np.random.default_rng(19)
    columns: dict[str, Any] = {name: generator.integers(0, 9, 50) / 4 for name in odd}
    rows = table({"the label": noisy_labels(columns["a.b"], 20), **columns})
    frame = ENGINES[engine](parts(rows, (25,)), folder)
    hull = rocch.scale.scan(frame, label="the label", scores=odd).hull()
    assert_identical(hull, in_memory(rows, label="the label", scores=odd))


@pytest.mark.parametrize(
    "name", ["high", "low", "negatives", "positives", "bucket", "count", "index", "literal", "len"]
)
@pytest.mark.parametrize(
    "engine", [on_engine(name) for name in ("pandas", "DuckDB", "Polars, lazy")]
)
def test_columns_may_have_the_names_that_queries_like_to_use(
    engine: str, name: str, folder: Path
) -> None:
    scores = np.array([0.3, 0.1, 0.9, 0.5, 0.5, 0.2])
    rows = table({"y": [0, 0, 1, 1, 0, 1], name: scores, "s": -scores})
    frame = ENGINES[engine]([rows], folder)
    hull = rocch.scale.scan(frame, label="y", buckets=16).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=[name, "s"]))


def test_narwhals_own_frames_are_frames_too() -> None:
    rows = pl.DataFrame({"y": [0, 0, 1, 1], "s": [0.1, 0.4, 0.35, 0.8]})
    plain = rocch.scale.scan(rows, label="y").hull()
    assert rocch.scale.scan(nw.from_native(rows), label="y").hull() == plain
    assert rocch.scale.scan(nw.from_native(rows.lazy()), label="y").hull() == plain


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_the_frame_is_left_as_it_was(engine: str, folder: Path) -> None:
    rows = table({"y": [0, 1, 0, 1], "s": [-0.0, 0.5, 0.25, 0.0]})
    frame = ENGINES[engine]([rows], folder)
    before = list(frame.columns) if not hasattr(frame, "collect_schema") else None
    for _ in range(2):  # a relation must not be used up either
        hull = rocch.scale.scan(frame, label="y", scores="s").hull()
        assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
    assert before is None or list(frame.columns) == before


def test_the_hull_answers_what_hulls_answer() -> None:
    scores = np.random.default_rng(21).normal(size=500)
    hits = noisy_labels(scores, 22)
    frame = pl.DataFrame({"y": hits, "s": scores})
    hull = rocch.scale.scan(frame, label="y", scores="s").hull()
    expected = rocch.RocHull.from_scores(hits, {"s": scores})
    known = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=7)
    assert hull.best(known) == expected.best(known)
    assert hull.auc == expected.auc
    assert hull.best(rocch.ErrorRate()) == expected.best(rocch.ErrorRate())


@pytest.mark.parametrize("buckets", [40, 64, 256, 2**22])
def test_classifiers_that_share_every_vertex_are_all_named(buckets: int) -> None:
    """Their cells differ, so that one may know a vertex of which another knows a corner only."""
    generator = np.random.default_rng(23)
    scores = np.round(generator.normal(size=400), 3)
    columns = {
        "same": scores,
        "stretched": np.sinh(9 * scores),
        "shifted": scores / 3 + 100,
        "ranked": np.unique(scores, return_inverse=True)[1],
        "nearly": np.where(scores > 1, 1, scores),
    }
    rows = table({"y": noisy_labels(scores, 24), **columns})
    hull = rocch.scale.scan(pl.DataFrame(rows), label="y", buckets=buckets).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=list(columns)))
    assert max(len(vertex.classifiers) for vertex in hull.vertices[1:-1]) == 5


@given(seed=st.integers(0, 2**32), size=st.integers(3, 60), buckets=st.sampled_from([16, 20, 32]))
@settings(max_examples=25)
def test_shared_vertices_of_twins_with_other_cells(seed: int, size: int, buckets: int) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.integers(0, size, size).astype(float)
    twin = np.cumsum(10.0 ** generator.integers(-8, 8, size))[scores.astype(int)]
    hits = generator.random(size) < 0.5
    hits[:2] = True, False
    rows = table({"y": hits, "one": scores, "two": twin})
    hull = rocch.scale.scan(pl.DataFrame(rows), label="y", buckets=buckets).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["one", "two"]))


@given(seed=st.integers(0, 2**32), buckets=st.sampled_from([8, 12, 32]))
@settings(max_examples=40)
def test_rows_that_weigh_nothing_still_hold_thresholds(seed: int, buckets: int) -> None:
    """Their scores are points of the curve; a vertex is reached at the highest of several."""
    generator = np.random.default_rng(seed)
    hits, weights = generator.random(50) < 0.5, generator.integers(0, 2, 50)
    scores = generator.normal(size=50) + hits
    hits[:2] = True, False
    weights[:2] = 1
    rows = table({"y": hits, "s": scores, "w": weights})
    hull = rocch.scale.scan(
        pl.DataFrame(rows), label="y", scores="s", weight="w", buckets=buckets
    ).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"], weight="w"))


GROUPS: dict[str, list[Any]] = {
    "dates": [date(2020, 1, 1), date(2020, 1, 2), date(2021, 1, 1)],
    "times": [datetime(2020, 1, 1, hour) for hour in (1, 2, 3)],
    "texts": ["ä", "b", "c d"],
    "flags": [True, False, True],
    "whole": [1, 2, 2**40],
    "bytes": [1, 2, -3],
}


GROUPED = ("Polars", "Polars, lazy", "Arrow", "pandas", "DuckDB", "Dask")


@pytest.mark.parametrize("engine", [on_engine(name) for name in GROUPED])
@pytest.mark.parametrize("kind", [*GROUPS, "categories", "long texts"])
def test_groups_of_every_kind(kind: str, engine: str, folder: Path) -> None:
    if kind in ("categories", "dates") and engine == "Dask":
        pytest.skip("Dask makes texts of them when it is given them")
    generator = np.random.default_rng(29)
    scores = np.round(generator.normal(size=300), 1)
    names = GROUPS.get(kind, GROUPS["texts"])
    groups = pa.array([names[i] for i in generator.integers(0, 3, 300)])
    if kind == "categories":
        groups = groups.dictionary_encode()
    if kind == "long texts":
        groups = groups.cast(pa.large_string())
    if kind == "bytes":
        groups = groups.cast(pa.int8())
    rows = pa.table({"y": noisy_labels(scores, 30), "s": scores, "g": groups})
    for buckets in (40,) if engine in SLOW else (40, None):
        frame = ENGINES[engine]([rows], folder)
        hulls = rocch.scale.scan(frame, label="y", scores="s", buckets=buckets).hull(by="g")
        assert set(hulls) == set(names)
        for name, hull in hulls.items():
            mine = rows.filter(pa.array([each == name for each in rows["g"].to_pylist()]))
            assert_identical(hull, in_memory(mine, label="y", scores=["s"]))
