"""Summaries: any split, any order; and what they call exact is exact."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import rocch
from tests.support import scans
from tests.support.engines import (
    ENGINES,
    EVERY_ENGINE,
    assert_identical,
    in_memory,
    parts,
    plain,
    table,
)
from tests.support.judged_frames import (
    DISTRIBUTIONS,
    KINDS,
    Case,
    cases,
    hard_scores,
    laid_out,
    noisy_labels,
)
from tests.support.oracles import counted_cells, curves

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

NAMES = ("s", "t")


def facts(summary: Any) -> dict[str, Any]:
    """Return all that a summary says of its rows, so that two can be compared."""
    return {
        "classifiers": tuple(sorted(summary.classifiers)),
        "groups": set(summary.groups),
        "exact": summary.exact,
        "totals": {g: totals(summary, g) for g in summary.groups},
        "cells": {
            (name, group): [column.tolist() for column in summary.cells(name, group)]
            for name in summary.classifiers
            for group in summary.groups
        },
    }


def totals(summary: Any, group: Any = None) -> tuple[int, int, float]:
    judged = summary.totals(group)
    return judged.negatives, judged.positives, judged.unit


def check_cells(summary: Any, rows: pa.Table, group: Any = None) -> None:
    """Demand that every cell counts exactly the rows between its least and greatest score."""
    hits = plain(rows, "y").tolist()
    for name in summary.classifiers:
        found = summary.cells(name, group)
        counted = zip(*(column.tolist() for column in found), strict=True)
        expected = counted_cells.counted(
            hits, plain(rows, name).tolist(), list(zip(found.high, found.low, strict=True))
        )
        assert list(counted) == expected
        assert all(low > high for low, high in pairwise_edges(found))


def pairwise_edges(found: Any) -> list[tuple[float, float]]:
    return list(zip(found.low[:-1].tolist(), found.high[1:].tolist(), strict=True))


def check_against(summary: Any, rows: pa.Table, names: tuple[str, ...]) -> None:
    """Demand that a summary says nothing that the rows do not bear out."""
    truth = in_memory(rows, label="y", scores=names)
    assert totals(summary) == (
        truth.totals.negatives,
        truth.totals.positives,
        truth.totals.unit,
    )
    check_cells(summary, rows)
    inner = summary.inner_hull()
    never_above(inner, truth)
    if summary.exact:
        assert_identical(summary.hull(), truth)
        assert_identical(inner, truth)
    else:
        with pytest.raises(rocch.RocchError, match="exact"):
            summary.hull()


def never_above(inner: rocch.RocHull, truth: rocch.RocHull) -> None:
    """Demand that each vertex of the inner hull is a point of a curve, on or below the hull."""
    corners = list(zip(truth.false_positives.tolist(), truth.true_positives.tolist(), strict=True))
    for x, y in zip(inner.false_positives.tolist(), inner.true_positives.tolist(), strict=True):
        for (x0, y0), (x1, y1) in pairwise(corners):
            if x0 <= x <= x1:
                assert (y - y0) * (x1 - x0) <= (y1 - y0) * (x - x0) or x0 == x1


@st.composite
def splits(draw: st.DrawFn) -> tuple[pa.Table, list[pa.Table], list[int]]:
    """Draw rows, parts of them that hold both classes each, and a budget for each part."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    kinds = [draw(st.sampled_from(sorted(KINDS))) for _ in NAMES]
    pieces = []
    for _ in range(draw(st.integers(2, 4))):
        size = draw(st.one_of(st.integers(2, 5), st.integers(30, 80)))
        hits = generator.random(size) < 0.5
        hits[:2] = True, False
        columns = {
            name: hard_scores(kind, size, generator)
            for name, kind in zip(NAMES, kinds, strict=True)
        }
        pieces.append(table({"y": hits, **columns}))
    budgets = draw(st.lists(st.sampled_from([16, 32, 2**16]), min_size=4, max_size=4))
    return pa.concat_tables(pieces), pieces, budgets


def summaries(pieces: list[pa.Table], budgets: list[int]) -> list[Any]:
    return [
        rocch.scale.scan(
            pl.DataFrame(piece), label="y", scores=list(NAMES), buckets=budget
        ).summary()
        for piece, budget in zip(pieces, budgets, strict=False)
    ]


@given(split=splits())
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_any_split_in_any_order_says_the_truth(
    split: tuple[pa.Table, list[pa.Table], list[int]],
) -> None:
    rows, pieces, budgets = split
    made = summaries(pieces, budgets)
    for summary, piece in zip(made, pieces, strict=True):
        check_against(summary, piece, NAMES)
    merged = made[0].merge(*made[1:])
    event(f"exact: {merged.exact}")
    check_against(merged, rows, NAMES)
    for order in list(permutations(made))[:6]:
        assert facts(order[0].merge(*order[1:])) == facts(merged)
    assert merged.work.rows == rows.num_rows


@given(split=splits())
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_merging_is_associative_and_plus_is_merge(
    split: tuple[pa.Table, list[pa.Table], list[int]],
) -> None:
    _, pieces, budgets = split
    made = summaries(pieces, budgets)
    assume(len(made) >= 3)
    a, b, c = made[:3]
    assert facts((a + b) + c) == facts(a + (b + c)) == facts(a.merge(b, c))
    assert facts(a + b) == facts(b + a)
    assert facts(a.merge()) == facts(a)


@given(split=splits())
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
def test_refining_makes_a_merged_summary_exact(
    split: tuple[pa.Table, list[pa.Table], list[int]],
) -> None:
    rows, pieces, budgets = split
    made = summaries(pieces, budgets)
    merged = made[0].merge(*made[1:])
    for frame in (pl.DataFrame(rows), [pl.DataFrame(piece).lazy() for piece in pieces]):
        for buckets in (16, 2**22):
            refined = merged.refine(frame, buckets=buckets)
            assert refined.exact
            check_against(refined, rows, NAMES)


def test_few_distinct_scores_stay_exact_through_any_merging() -> None:
    """Where every cell is one score nothing is lost: grades, ratings, rules."""
    generator = np.random.default_rng(50)
    pieces = []
    for _ in range(5):
        scores = generator.integers(0, 12, 200) / 4
        pieces.append(table({"y": noisy_labels(scores, 51), "s": scores, "t": -scores}))
    made = summaries(pieces, [2**16] * 5)
    merged = made[0].merge(*made[1:])
    assert merged.exact
    rows = pa.concat_tables(pieces)
    check_against(merged, rows, NAMES)
    whole = rocch.scale.scan(pl.DataFrame(rows), label="y", scores=list(NAMES)).summary()
    assert facts(merged) == facts(whole)


def test_two_exact_hulls_need_not_merge_into_an_exact_one() -> None:
    """A score inside each part's hull can be a vertex of all rows; nobody may forget that."""
    generator = np.random.default_rng(52)
    pieces = []
    for turn in (-1, 1):  # one part is ranked rightly, the other wrongly
        scores = generator.random(4000)
        hits = noisy_labels(turn * scores, 53)
        pieces.append(table({"y": hits, "s": scores, "t": scores}))
    made = [
        rocch.scale.scan(pl.DataFrame(p), label="y", scores=["s"], buckets=128)
        .summary()
        .refine(pl.DataFrame(p), buckets=128)
        for p in pieces
    ]
    assert all(summary.exact for summary in made)
    merged = made[0] + made[1]
    rows = pa.concat_tables(pieces)
    check_against(merged, rows, ("s",))
    assert not merged.exact
    refined = merged.refine([pl.DataFrame(piece) for piece in pieces])
    assert_identical(refined.hull(), in_memory(rows, label="y", scores=["s"]))


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
def test_summaries_of_hard_distributions(name: str) -> None:
    rows = laid_out(name)
    summary = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s", buckets=256).summary()
    assert summary.work.moved <= 256 * summary.work.passes
    check_against(summary, rows, ("s",))
    refined = summary.refine(pl.DataFrame(rows), buckets=512)
    assert refined.exact
    check_against(refined, rows, ("s",))
    assert refined.refine(pl.DataFrame(rows)).exact


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_summaries_of_every_engine_merge_with_each_other(engine: str, folder: Path) -> None:
    scores = np.random.default_rng(54).normal(size=400)
    rows = table({"y": noisy_labels(scores, 55), "s": scores})
    first, second = parts(rows, (150,))
    frames = ENGINES[engine]([first], folder), pl.DataFrame(second)
    made = [rocch.scale.scan(f, label="y", scores="s", buckets=64).summary() for f in frames]
    check_against(made[0] + made[1], rows, ("s",))
    refined = (made[0] + made[1]).refine(list(frames))
    assert_identical(refined.hull(), in_memory(rows, label="y", scores=["s"]))


def test_a_day_of_one_class_is_no_mistake_in_a_summary() -> None:
    """Fraud is rare: yesterday may have had none. Only the hull needs both classes."""
    rows = laid_out("normal")
    hits = plain(rows, "y")
    quiet, other = rows.filter(pa.array(~hits)), rows.filter(pa.array(hits))
    made = [
        rocch.scale.scan(pl.DataFrame(part), label="y", scores="s").summary()
        for part in (quiet, other)
    ]
    with pytest.raises(rocch.RocchError, match="positive row"):
        made[0].hull()
    merged = made[0] + made[1]
    refined = merged.refine(pl.DataFrame(rows))
    assert_identical(refined.hull(), in_memory(rows, label="y", scores=["s"]))


def test_yesterdays_summary_and_todays_rows() -> None:
    generator = np.random.default_rng(56)
    days = []
    for _ in range(6):
        scores = np.round(generator.normal(size=500), 2)
        days.append(table({"y": noisy_labels(scores, 57), "s": scores}))
    known = rocch.scale.scan(pl.DataFrame(days[0]), label="y", scores="s").summary()
    for i, day in enumerate(days[1:], 2):
        known += rocch.scale.scan(pl.DataFrame(day), label="y", scores="s").summary()
        check_against(known, pa.concat_tables(days[:i]), ("s",))
    assert known.work.rows == 3000


def grouped_rows(groups: list[str], seed: int) -> pa.Table:
    generator = np.random.default_rng(seed)
    names = np.repeat(groups, 80)
    scores = np.round(generator.normal(size=names.size), 1)
    return table({"y": noisy_labels(scores, seed), "s": scores, "g": names})


def test_groups_merge_each_on_its_own() -> None:
    one, other = grouped_rows(["a", "b"], 58), grouped_rows(["c", "b"], 59)
    made = [
        rocch.scale.scan(pl.DataFrame(r), label="y", scores="s").summary(by="g")
        for r in (one, other)
    ]
    merged = made[0] + made[1]
    assert set(merged.groups) == {"a", "b", "c"}
    rows = pa.concat_tables([one, other])
    keys = np.array(rows["g"].to_pylist())
    for group in merged.groups:
        own = rows.filter(pa.array(keys == group))
        check_cells(merged, own, group)
        assert merged.exact
        assert_identical(merged.hull(group), in_memory(own, label="y", scores=["s"]))
    with pytest.raises(rocch.InputError, match="'d'"):
        merged.hull("d")
    with pytest.raises(rocch.InputError):
        merged.hull()


def test_without_groups_there_is_one_called_none() -> None:
    summary = rocch.scale.scan(
        pl.DataFrame(laid_out("a few ties")), label="y", scores="s"
    ).summary()
    assert summary.groups == (None,)
    assert summary.classifiers == ("s",)
    assert summary.hull() == summary.hull(None)


def test_whole_weights_merge_exactly_and_others_nearly() -> None:
    generator = np.random.default_rng(60)
    for divisor in (1, 10):
        scores = np.round(generator.normal(size=300), 1)
        weights = generator.integers(1, 9, 300) / divisor
        rows = table({"y": noisy_labels(scores, 61), "s": scores, "w": weights})
        made = [
            rocch.scale.scan(pl.DataFrame(r), label="y", scores="s", weight="w").summary()
            for r in parts(rows, (40, 200))
        ]
        merged = made[0].merge(*made[1:])
        truth = in_memory(rows, label="y", scores=["s"], weight="w")
        assert merged.exact
        if divisor == 1:
            assert_identical(merged.hull(), truth)
        assert [v.lowest_scores for v in merged.hull()] == [v.lowest_scores for v in truth]
        assert np.allclose(merged.hull().tpr, truth.tpr, rtol=1e-12)
        assert np.allclose(merged.hull().fpr, truth.fpr, rtol=1e-12)


def summary_of(**asked: Any) -> Any:
    frame = pl.DataFrame(
        {"y": [0, 0, 1, 1] * 2, "s": [1.0, 3, 2, 4] * 2, "t": [1.0, 2, 3, 4] * 2}
    ).with_columns(w=pl.lit(2.0), g=pl.lit("a"))
    return scans.summary(frame, **{"label": "y", "scores": ["s"], **asked})


@pytest.mark.parametrize(
    "other", [{"scores": ["t"]}, {"scores": ["s", "t"]}, {"weight": "w"}, {"by": "g"}]
)
def test_summaries_of_different_things_do_not_merge(other: dict[str, Any]) -> None:
    with pytest.raises(rocch.InputError) as caught:
        summary_of() + summary_of(**other)
    assert str(caught.value).endswith(".")
    for nonsense in (7, None, "summary"):
        with pytest.raises((rocch.InputError, TypeError)):
            summary_of().merge(nonsense)


def test_questions_to_the_unknown_are_refused() -> None:
    summary = summary_of()
    for ask in (summary.cells, summary.auc, summary.outline):
        with pytest.raises(rocch.InputError, match="'q'"):
            ask("q")
        with pytest.raises(rocch.InputError):
            ask("s", "no such group")


@pytest.mark.parametrize("by", [None, "g"])
@pytest.mark.parametrize("buckets", [32, 2**16])
def test_summaries_survive_pickling_and_saving(
    by: str | None, buckets: int, tmp_path: Path
) -> None:
    rows = grouped_rows(["a", "b"], 62)
    summary = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s", buckets=buckets).summary(
        by=by
    )
    file = tmp_path / "yesterday.summary"
    summary.save(file)
    for again in (pickle.loads(pickle.dumps(summary)), rocch.scale.FrameSummary.load(file)):  # noqa: S301 - our own
        assert facts(again) == facts(summary)
        assert again.work == summary.work
        assert facts(again + summary) == facts(summary + summary)
        for group in summary.groups:
            assert_identical(again.inner_hull(group), summary.inner_hull(group))
        assert again.refine(pl.DataFrame(rows)).exact
    before = file.read_bytes()
    rocch.scale.FrameSummary.load(str(file)).save(str(file))
    assert file.read_bytes() == before


@pytest.mark.parametrize("special", [[np.inf, -np.inf, 0.0, 5e-324], [-0.0, 0.0, 1e308, -1e308]])
def test_saving_keeps_every_bit_of_a_score(special: list[float], tmp_path: Path) -> None:
    rows = table({"y": [0, 1] * 4, "s": special * 2})
    summary = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s").summary()
    summary.save(tmp_path / "s")
    again = rocch.scale.FrameSummary.load(tmp_path / "s")
    assert_identical(again.hull(), in_memory(rows, label="y", scores=["s"]))


@pytest.mark.parametrize("version", [2, 4])
def test_a_file_of_another_version_is_refused_by_its_version(tmp_path: Path, version: int) -> None:
    file = tmp_path / "old.summary"
    header = np.array(json.dumps({"rocch_summary": version}))
    with file.open("wb") as content:
        np.savez_compressed(content, header=header)
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.FrameSummary.load(file)
    said = str(caught.value)
    assert f"must be a summary of version 3; got {str(file)!r} of version {version}" in said
    assert "Summarize its rows again" in said


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    summary_of().save(file)
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"not a summary", whole[:-1]):
        file.write_bytes(damaged)
        with pytest.raises(rocch.RocchError):
            rocch.scale.FrameSummary.load(file)
    with pytest.raises((rocch.RocchError, FileNotFoundError), match="nowhere"):
        rocch.scale.FrameSummary.load(tmp_path / "nowhere")


def test_a_flipped_bit_is_noticed_or_harmless(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    summary = summary_of()
    summary.save(file)
    whole = file.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            again = rocch.scale.FrameSummary.load(file)
        except rocch.RocchError:
            continue
        assert facts(again) == facts(summary)


def test_refining_with_other_rows_is_refused() -> None:
    rows = laid_out("normal")
    summary = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s", buckets=64).summary()
    assert not summary.exact
    fewer, other = rows.slice(1), laid_out("normal", seed=99)
    for wrong in (fewer, other, pa.concat_tables([rows, fewer])):
        with pytest.raises(rocch.InputError):
            summary.refine(pl.DataFrame(wrong))


def test_refining_needs_the_same_columns() -> None:
    rows = laid_out("normal")
    summary = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s", buckets=64).summary()
    with pytest.raises(rocch.InputError, match="'s'"):
        summary.refine(pl.DataFrame(rows.rename_columns(["y", "x"])))


def test_a_summary_is_frozen_and_its_arrays_are_read_only() -> None:
    summary = summary_of()
    with pytest.raises(AttributeError):
        summary.work = None
    for column in summary.cells("s"):
        assert not column.flags.writeable


def pairs_won(rows: pa.Table, name: str) -> Fraction:
    return curves.auc(plain(rows, "y").tolist(), plain(rows, name).tolist())


@given(case=cases(largest=30, buckets=(8, 2**16)))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_areas_of_summaries_hold_the_truth(case: Case) -> None:
    assume("weight" not in case.asked and "pos_label" not in case.asked)
    summary = rocch.scale.scan(pl.DataFrame(case.rows), **case.arguments).summary()
    hits = [label == 1 for label in plain(case.rows, "y")]
    for name in case.scores:
        truth = curves.auc(hits, [float(score) for score in plain(case.rows, name)])
        found = summary.auc(name)
        assert Fraction(found.low) <= truth <= Fraction(found.high)
        if found.exact:
            assert found.value == float(truth)


def in_cents(rows: int, seed: int) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    hits = generator.random(rows) < 0.3
    weights = np.round(generator.lognormal(3, 1, rows), 2)
    return pl.DataFrame({"y": hits, "s": generator.normal(size=rows) + hits, "w": weights})


@pytest.mark.parametrize("sizes", [(400, 300), (1000, 10), (70, 70, 900)])
def test_weights_in_parts_can_be_refined_whatever_units_the_parts_had(
    sizes: tuple[int, ...],
) -> None:
    days = [in_cents(size, seed) for seed, size in enumerate(sizes)]
    asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": "w"}
    merged = sum(rocch.scale.scan(day, **asked, buckets=64).summary() for day in days)
    assert isinstance(merged, rocch.scale.FrameSummary)
    found = merged.refine(days)
    assert found.exact
    expected = rocch.scale.scan(days, **asked).hull()
    assert [v.lowest_score for v in found.hull().vertices] == [
        v.lowest_score for v in expected.vertices
    ]
    one, other = (
        np.array([(v.fpr, v.tpr) for v in hull.vertices]) for hull in (found.hull(), expected)
    )
    np.testing.assert_allclose(one, other, rtol=1e-9)
    with pytest.raises(rocch.InputError, match="rows behind the summary"):
        merged.refine(days[:1])


WHOLE = np.array([3, 7, 20, 41])
WEIGHTS: dict[str, Any] = {
    "whole": WHOLE,
    "whole, of which only one day's fit": WHOLE * 10**15,
    "whole, of which even one day's might not fit": np.array([1, 2, 3, 10**4]) * 10**13,
    "parts of a unit that happens to be 1": WHOLE * 2 * 10**11 + 0.5,
    "parts": WHOLE / 10,
    "large parts": WHOLE * 2.0**200 / 10,
}


def weighed(kind: str, seed: int, rows: int = 100) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    hits = generator.random(rows) < 0.4
    weights = generator.choice(WEIGHTS[kind][:3], rows)
    weights[0] = WEIGHTS[kind][3]
    scores = generator.normal(size=rows) + hits
    return pl.DataFrame({"y": hits, "s": scores, "w": weights.astype(float)})


PAIRS = [*((kind, kind) for kind in WEIGHTS), *pairwise(list(WEIGHTS)[:4])]


@pytest.mark.parametrize("kinds", PAIRS)
def test_unchanged_rows_are_never_called_changed_whatever_they_weigh(
    kinds: tuple[str, str], tmp_path: Path
) -> None:
    """Each day may have a unit of its own, and all days together yet another one."""
    days = [weighed(kind, seed) for seed, kind in enumerate(kinds)]
    asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": "w"}
    merged = sum(rocch.scale.scan(day, **asked, buckets=16).summary() for day in days)
    assert isinstance(merged, rocch.scale.FrameSummary)
    assert not merged.exact
    merged.save(tmp_path / "merged")
    expected = rocch.scale.scan(days, **asked).hull()
    for known in (merged, rocch.scale.FrameSummary.load(tmp_path / "merged")):
        found = known.refine(days).hull()
        assert [v.lowest_score for v in found.vertices] == [
            v.lowest_score for v in expected.vertices
        ]
        np.testing.assert_allclose(found.tpr, expected.tpr, rtol=1e-7)


@pytest.mark.parametrize("factor", [2.0, 1e100])
def test_other_weights_are_other_rows(factor: float) -> None:
    day = weighed("whole", 3)
    known = rocch.scale.scan(day, label="y", scores="s", weight="w", buckets=16).summary()
    with pytest.raises(rocch.InputError, match="rows behind the summary"):
        known.refine(day.with_columns(w=pl.col("w") * factor))


CHANGES: dict[str, Any] = {
    "labels": {"y": ~pl.col("y")},
    "one label": {"y": pl.col("y") ^ (pl.int_range(pl.len()) == 5)},
    "order of scores": {"s": pl.col("s").reverse()},
    "scores": {"s": pl.col("s") + 1e-9},
    "twice the weights": {"w": pl.col("w") * 2},
    "order of weights": {"w": pl.col("w").reverse()},
}


@pytest.mark.parametrize("buckets", [16, 2**16])
@pytest.mark.parametrize("change", CHANGES)
def test_changed_rows_are_noticed_where_weights_are_rounded(change: str, buckets: int) -> None:
    days = [in_cents(300, seed) for seed in (0, 1)]
    asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": "w", "buckets": buckets}
    known = sum(rocch.scale.scan(day, **asked).summary() for day in days)
    assert isinstance(known, rocch.scale.FrameSummary)
    with pytest.raises(rocch.InputError, match="the 600 rows behind the summary"):
        known.refine([days[0], days[1].with_columns(**CHANGES[change])])
    assert known.refine(pl.concat(days).sample(fraction=1, shuffle=True, seed=2)).exact


def test_a_group_of_whole_weights_is_counted_in_ones_however_often_it_is_refined(
    tmp_path: Path,
) -> None:
    """Whatever other groups weigh, and though all days' weights might not fit."""
    kinds = {"a": "whole, of which only one day's fit", "b": "parts", "c": "whole"}
    days = [
        pl.concat([weighed(kind, seed).with_columns(g=pl.lit(g)) for g, kind in kinds.items()])
        for seed in (0, 1)
    ]
    for some in (days, [day.filter(g="a") for day in days]):
        asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": "w", "buckets": 96}
        known = sum(rocch.scale.scan(day, **asked).summary(by="g") for day in some)
        assert isinstance(known, rocch.scale.FrameSummary)
        for _ in range(2):
            before, known = known, known.refine(some)
            assert known.exact
            assert known.rounded == before.rounded
            assert known.totals("a") == before.totals("a")
            known.save(tmp_path / "known")
            known = rocch.scale.FrameSummary.load(tmp_path / "known")
        assert known.totals("a").unit == 1


UNLIKE: dict[str, list[tuple[int, float, int]]] = {
    "parts of a small and of a large number": [(1000, 4, 1), (1000, 5e4, 1)],
    "whole numbers and small parts": [(20_000, 10, 0), (1000, 0.01, 1)],
    "nothing and large parts": [(0, 1, 1), (100, 2.0**300, 1)],
    "three sizes": [(100, 1e-100, 1), (100, 1e100, 1), (100, 1, 0)],
}


@pytest.mark.parametrize("kind", UNLIKE)
def test_summaries_of_unlike_weights_add_up_in_any_order(kind: str) -> None:
    days = []
    for rows, most, digits in UNLIKE[kind]:
        generator = np.random.default_rng(rows)
        hits = generator.random(rows) < 0.3
        weights = generator.random(rows) * most
        columns = {"s": generator.normal(size=rows) + hits, "t": generator.random(rows)}
        weights = weights if digits else np.ceil(weights)
        days.append(pl.DataFrame({"y": hits, "w": weights, **columns}))
    asked: dict[str, Any] = {"label": "y", "scores": ["s", "t"], "weight": "w"}
    made = [rocch.scale.scan(day, **asked).summary() for day in days]
    truth = rocch.scale.scan(days, **asked).hull()
    hulls = []
    for order in permutations(made):
        known = sum(order)
        assert isinstance(known, rocch.scale.FrameSummary)
        assert {(c.negatives.sum(), c.positives.sum()) for c in known.series} == {
            (known.totals().negatives, known.totals().positives)
        }
        assert known.auc("s").low <= truth.auc
        assert known.inner_hull().auc == pytest.approx(truth.auc, rel=1e-6)
        hulls.append(known.refine(days).hull())
        assert hulls[-1].auc == pytest.approx(truth.auc, rel=1e-9)
    assert all(hull == hulls[0] for hull in hulls)


def test_whole_weights_are_counted_in_ones_as_long_as_their_sum_fits() -> None:
    days = [weighed("whole, of which only one day's fit", seed) for seed in (0, 1)]
    asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": "w"}
    merged = sum(rocch.scale.scan(day, **asked, buckets=16).summary() for day in days)
    assert isinstance(merged, rocch.scale.FrameSummary)
    hull = merged.refine(days).hull()
    rows = pl.concat(days)
    assert hull.totals.unit == 1
    assert rocch.scale.scan(days, **asked).hull().totals.unit > 1  # all days' weights might not fit
    assert hull.totals.positives == sum(map(int, rows.filter("y")["w"]))
    assert hull.totals.negatives == sum(map(int, rows.filter(~pl.col("y"))["w"]))


@pytest.mark.parametrize("missing", [0, 2**8])
def test_sums_of_weights_stay_below_two_to_the_62(missing: int) -> None:
    """From there on, counts could not be doubled in 64 bits."""
    labels, scores = [0, 1], [0.1, 0.9]
    days = [
        pl.DataFrame({"y": labels, "s": scores, "w": [2.0**60, 2.0**60 - less]})
        for less in (0, missing)
    ]
    parts = [rocch.scale.scan(day, label="y", scores="s", weight="w").summary() for day in days]
    if not missing:
        with pytest.raises(rocch.InputError, match=r"below 2\*\*62 units"):
            parts[0].merge(parts[1])
        return
    judged = parts[0].merge(parts[1]).totals()
    assert judged.negatives + judged.positives == 2**62 - missing


def test_summaries_of_opposite_classes_are_not_merged() -> None:
    frame = pl.DataFrame({"y": ["a", "b", "a", "b"], "s": [0.1, 0.2, 0.3, 0.4]})
    one, other = (
        rocch.scale.scan(frame, label="y", scores="s", pos_label=positive).summary()
        for positive in ("a", "b")
    )
    with pytest.raises(rocch.InputError, match="the same positive class"):
        one.merge(other)
    assert (one + one).rows == (8,)
    with pytest.raises(TypeError):
        _ = "x" + one


def test_the_class_that_is_positive_by_itself_is_1() -> None:
    plain, named, opposite = (summary_of(pos_label=label) for label in (None, 1, 0))
    assert (plain + named).totals() == (named + plain).totals() == (plain + plain).totals()
    for one, other in ((plain, opposite), (opposite, plain)):
        with pytest.raises(rocch.InputError, match="the same positive class"):
            one.merge(other)


@pytest.mark.parametrize("engine", ["Polars", "DuckDB", "pandas", "Arrow", "Dask"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_day_without_rows_adds_nothing(engine: str, weight: str | None, folder: Path) -> None:
    day = in_cents(200, 5)
    nothing = ENGINES[engine]([day.clear().to_arrow()], folder)
    asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": weight}
    empty, known = (rocch.scale.scan(frame, **asked).summary() for frame in (nothing, day))
    assert empty.rows == (0,)
    assert (empty + empty).rows == (0,)
    for merged in (empty + known, known + empty):
        assert merged.inner_hull() == known.inner_hull()
    with pytest.raises(rocch.UndefinedError):
        empty.hull()
    groups = rocch.scale.scan(nothing, **asked).summary(by="y")
    assert groups.groups == ()
    assert groups.gap == 0
    assert str(groups).startswith("<FrameSummary of 0 rows: 1 classifier, 0 groups")
