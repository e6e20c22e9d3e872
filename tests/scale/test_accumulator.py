"""Accumulators: any split, order and merging; bounds hold, and rows read again give the truth."""

from __future__ import annotations

import copy
import math
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.scale.accumulator import BATCHES, ROWS
from tests.support.engines import ENGINES, assert_identical
from tests.support.oracles import counted_cells, curves, hulls
from tests.support.strategies import judged_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

Accumulator: Any = rocch.scale.RocAccumulator
NAME = "classifier"
Batch = tuple[Any, Any]


class Story(NamedTuple):
    """Rows, the batches that they came in, and what accumulated them."""

    labels: list[bool]
    scores: list[float]
    batches: list[Batch]
    found: Any


def cut(rows: list[Batch], places: list[int]) -> list[Batch]:
    """Cut rows into batches, some of them empty."""
    ends = [0, *sorted(place % (len(rows) + 1) for place in places), len(rows)]
    parts = [rows[start:end] for start, end in pairwise(ends)]
    return [([y for y, _ in part], [s for _, s in part]) for part in parts]


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Draw rows, give them to one or several accumulators, and merge these in some order."""
    labels, scores = draw(judged_rows())
    rows = draw(st.permutations(list(zip(labels, scores, strict=True))))
    batches = cut(rows, draw(st.lists(st.integers(0, 40), max_size=6)))
    most = draw(st.integers(2, 12))
    parts = [Accumulator(cells=most) for _ in range(draw(st.integers(1, 4)))]
    for batch in batches:
        part = parts[draw(st.integers(0, len(parts) - 1))]
        part.update(*batch)
        if part.rows and draw(st.booleans()):
            part.compute()  # rows that wait are counted
    while len(parts) > 1:
        one = parts.pop(draw(st.integers(0, len(parts) - 1)))
        parts[0] = parts[0].merge(one) if draw(st.booleans()) else one + parts[0]
    return Story(labels, scores, batches, parts[0])


def roof(vertices: list[tuple[int, int]], x: int) -> Fraction:
    """Return the height of a hull, the highest where it goes straight up."""
    at = [Fraction(y) for left, y in vertices if left == x]
    for (x0, y0), (x1, y1) in pairwise(vertices):
        if x0 < x < x1:
            at.append(y0 + Fraction((y1 - y0) * (x - x0), x1 - x0))
    return max(at)


def counts_of(hull: rocch.RocHull) -> list[tuple[int, int]]:
    return [(int(v.false_positives), int(v.true_positives)) for v in hull.vertices]


@given(stories())
def test_every_row_is_counted_in_the_cell_that_holds_it(story: Story) -> None:
    cells = story.found.compute().cells(NAME)
    edges = list(zip(cells.high, cells.low, strict=True))
    counted = list(zip(*(column.tolist() for column in cells), strict=True))
    assert counted == counted_cells.counted(story.labels, story.scores, edges)
    assert all(low > high for (_, low), (high, _) in pairwise(edges))


@given(stories())
def test_the_auc_lies_within_its_bounds(story: Story) -> None:
    found, truth = story.found.compute().auc(NAME), curves.auc(story.labels, story.scores)
    assert Fraction(found.low) <= truth <= Fraction(found.high)
    if found.exact:
        assert found.value == float(truth) == rocch.auc(story.labels, story.scores)


@given(stories())
def test_the_curve_passes_through_the_outline_and_stays_inside_its_rectangles(story: Story) -> None:
    outline = story.found.compute().outline(NAME, resolution=0)
    known = list(
        zip(outline.false_positives.tolist(), outline.true_positives.tolist(), strict=True)
    )
    curve = [(fp, tp) for fp, tp, _ in curves.points(story.labels, story.scores)]
    assert set(known) <= set(curve)
    for fp, tp in curve:
        assert any(x0 <= fp <= x1 and y0 <= tp <= y1 for (x0, y0), (x1, y1) in pairwise(known)), (
            "outside all rectangles"
        )


@given(stories())
def test_the_hull_lies_between_the_known_points_and_the_corners_of_cells(story: Story) -> None:
    summary = story.found.compute()
    n, m = story.labels.count(False), story.labels.count(True)
    curve = [(fp, tp) for fp, tp, _ in curves.points(story.labels, story.scores)]
    truth, inner = hulls.hull(curve, n, m), counts_of(summary.inner_hull())
    cells = summary.cells(NAME)
    x = [0, *np.cumsum(cells.negatives).tolist()]
    y = [0, *np.cumsum(cells.positives).tolist()]
    corners = [(x[i], y[i + 1]) for i in np.flatnonzero(cells.high > cells.low)]
    outer = hulls.hull([*corners, *zip(x, y, strict=True)], n, m)
    gap = Fraction(summary.gap) * m * (1 + Fraction(1, 2**40))  # the gap is rounded
    for fp in range(n + 1):
        assert roof(inner, fp) <= roof(truth, fp) <= roof(outer, fp) <= roof(inner, fp) + gap
    if summary.exact:
        assert counts_of(summary.hull()) == truth


@given(stories(), st.integers(1, 20))
def test_no_point_costs_less_than_the_gap_allows(story: Story, ratio: int) -> None:
    summary = story.found.compute()
    costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=ratio)
    best = summary.inner_hull().best(costs)
    prevalence = sum(story.labels) / len(story.labels)
    cost = prevalence * ratio * (1 - best.tpr) + (1 - prevalence) * best.fpr
    least = min(
        fp + ratio * (sum(story.labels) - tp)
        for fp, tp, _ in curves.points(story.labels, story.scores)
    ) / len(story.labels)
    assert least <= cost + 1e-12
    assert cost <= least + summary.gap * prevalence * ratio + 1e-12


@given(stories(), st.data())
def test_rows_read_again_give_the_hull_and_the_auc_of_all_rows(story: Story, data: Any) -> None:
    rows = data.draw(st.permutations(list(zip(story.labels, story.scores, strict=True))))
    again = cut(rows, data.draw(st.lists(st.integers(0, 40), max_size=4)))
    exact = story.found.refine(again)
    assert exact.exact
    assert_identical(exact.hull(), rocch.RocHull.from_scores(story.labels, story.scores))
    assert exact.auc(NAME).value == rocch.auc(story.labels, story.scores)
    assert story.found.compute().work.passes == 1  # it has not changed


@given(stories(), st.data())
def test_other_rows_are_refused(story: Story, data: Any) -> None:
    before = story.found.compute()
    rows = list(zip(story.labels, story.scores, strict=True))
    place = data.draw(st.integers(0, len(rows) - 1))
    label, score = rows[place]
    changed = {
        "none": [],
        "one row less": rows[:place] + rows[place + 1 :],
        "a row twice": [*rows, rows[place]],
        "another label": [*rows[:place], (not label, score), *rows[place + 1 :]],
    }[data.draw(st.sampled_from(["none", "one row less", "a row twice", "another label"]))]
    if before.auc(NAME).exact and before.exact:
        assert_identical(story.found.refine(changed).hull(), before.hull())  # nothing is read
    else:
        with pytest.raises(rocch.InputError, match=f"the {len(rows)} rows of the accumulator"):
            story.found.refine(cut(changed, [1]))


@settings(max_examples=30)
@given(judged_rows(), st.integers(1, 10), st.integers(1, 10))
def test_all_is_exact_while_scores_are_fewer_than_cells(
    rows: tuple[list[bool], list[float]], first: int, second: int
) -> None:
    labels, scores = rows
    pairs = list(zip(labels, scores, strict=True))
    one, other = Accumulator(cells=len(set(scores)) + 1), Accumulator(cells=len(set(scores)) + 1)
    for place, batch in enumerate(cut(pairs, [first, first + second])):
        (one if place % 2 else other).update(*batch)
    whole = Accumulator()
    whole.update(labels, scores)
    for found in ((one + other).compute(), (other + one).compute(), whole.compute()):
        assert found.exact
        assert_identical(found.hull(), rocch.RocHull.from_scores(labels, scores))
        assert found.auc(NAME).value == rocch.auc(labels, scores)
        for mine, theirs in zip(found.cells(NAME), whole.compute().cells(NAME), strict=True):
            assert mine.tolist() == theirs.tolist()


def many(rows: int, kind: str, seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.2
    scores = rng.normal(size=rows) + y
    if kind == "heavy tails":
        scores = np.sinh(np.sinh(scores)) * 1e100
    elif kind == "infinities":
        scores[rng.random(rows) < 0.05] = math.inf
        scores[rng.random(rows) < 0.05] = -math.inf
    elif kind == "ties":
        scores = np.round(scores, 1)
    elif kind.startswith("float"):
        scores = scores.astype(kind)
    elif kind == "drifting":
        scores = scores * np.linspace(0.1, 10, rows)
    return y, scores


KINDS = ("normal", "heavy tails", "infinities", "ties", "float16", "float32", "drifting")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [100, 7000])
def test_bounds_of_many_rows_are_true_and_narrow(kind: str, size: int) -> None:
    y, scores = many(40_000, kind)
    parts = [Accumulator(cells=256) for _ in range(3)]
    batches = [(y[i : i + size], scores[i : i + size]) for i in range(0, y.size, size)]
    for place, batch in enumerate(batches):
        part = parts[place % 3]
        part.update(*batch)
        assert part.compute().cells(NAME).low.size <= 256
    merged = sum(parts)
    found = merged.compute()
    assert found.cells(NAME).low.size <= 256
    area, truth = found.auc(NAME), rocch.RocHull.from_scores(y, scores)
    assert area.low <= rocch.auc(y, scores) <= area.high
    assert area.high - area.low < 0.02
    assert found.gap < 0.1
    assert found.inner_hull().auc <= truth.auc <= found.inner_hull().auc + found.gap
    for buckets in (512, None):
        exact = merged.refine(lambda: iter(batches), buckets=buckets)
        assert_identical(exact.hull(), truth)
    assert exact.auc(NAME).value == rocch.auc(y, scores)


def test_cells_of_like_rows_do_not_grow_into_each_other() -> None:
    """Cells of different parts overlap, and a chain of overlaps would be one cell."""
    parts = [Accumulator(cells=512) for _ in range(8)]
    for seed, part in enumerate(parts):
        part.update(*many(20_000, "normal", seed))
    widths = [found.high - found.low for found in (p.compute().auc(NAME) for p in parts)]
    whole = sum(parts).compute()
    area = whole.auc(NAME)
    assert area.high - area.low < 2 * max(widths)
    assert whole.cells(NAME).low.size > 128


def test_memory_does_not_grow_with_rows() -> None:
    accumulator, sizes = Accumulator(cells=100), []
    for seed in range(20):
        accumulator.update(*many(20_000, "normal", seed))
        assert accumulator._waiting.size < ROWS
        copied = pickle.loads(pickle.dumps(accumulator))  # noqa: S301 - our own bytes
        assert copied._waiting.size == 0
        sizes.append(len(pickle.dumps(copied)))
        assert copied.compute().cells(NAME).low.size <= 100
        assert copied.rows == 20_000 * (seed + 1)
    assert max(sizes) < 5000
    for _ in range(3 * BATCHES):
        accumulator.update([0, 1], [0.5, 0.25])
        assert len(accumulator._waiting.parts) < BATCHES


def test_a_missing_class_is_undefined_until_it_comes() -> None:
    accumulator = Accumulator()
    with pytest.raises(rocch.UndefinedError, match="without rows has no results"):
        accumulator.compute()
    accumulator.update([], [])
    with pytest.raises(rocch.UndefinedError, match="without rows"):
        accumulator.refine([])
    accumulator.update([0, 0], [0.1, 0.2])
    found = accumulator.compute()
    assert (found.totals().negatives, found.totals().positives) == (2, 0)
    for ask in (found.hull, found.inner_hull, lambda: found.auc(NAME)):
        with pytest.raises(rocch.UndefinedError, match="without a positive row"):
            ask()
    assert accumulator.refine([]).totals().negatives == 2  # nothing is unknown
    accumulator.update([1], [0.15])
    assert accumulator.compute().auc(NAME).value == 0.5


LABELS: dict[str, tuple[list[Any], list[Any], Any]] = {
    "0/1": ([0, 0], [1, 0], None),
    "-1/1": ([-1, -1], [1, -1], None),
    "flags": ([False, False], [True, False], None),
    "words": (["no", "no"], ["yes", "no"], None),
    "named": (["b", "c"], ["a", "b"], "a"),
    "a class of several": ([2, 3], [7, 2], 7),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_all_kinds_are_read(kind: str) -> None:
    first, second, positive = LABELS[kind]
    accumulator = Accumulator(pos_label=positive)
    accumulator.update(first, [0.2, 0.4])
    accumulator.update(np.array(second), [0.3, 0.1])
    assert accumulator.compute().auc(NAME).value == pytest.approx(2 / 3)


def test_several_classifiers_are_counted_on_the_same_rows() -> None:
    y, scores = many(5000, "normal")
    columns = {"a": scores, "b": np.round(scores * 3) + 0.5 * y}
    batches: list[Batch] = [(y[:2000], {n: c[:2000] for n, c in columns.items()})]
    rest = {n: columns[n][2000:] for n in ("b", "a")}
    batches += [(y[2000:], pd.DataFrame(rest)), (y[:0], pl.DataFrame(rest)[:0])]
    accumulator = Accumulator(cells=64)
    for batch in batches:
        accumulator.update(*batch)
    assert accumulator.classifiers == ("a", "b")
    assert repr(accumulator) == "<RocAccumulator of 5,000 rows: 2 classifiers, at most 64 cells>"
    exact = accumulator.refine(batches)
    assert_identical(exact.hull(), rocch.RocHull.from_scores(y, columns))
    assert {n: exact.auc(n).value for n in columns} == {
        n: rocch.auc(y, column) for n, column in columns.items()
    }


def test_tensors_are_read() -> None:
    torch: Any = pytest.importorskip("torch", reason="needs PyTorch")
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        y, scores = torch.tensor([0, 1, 1, 0]), torch.tensor([0.25, 0.5, 0.125, 0.0], dtype=kind)
        accumulator = Accumulator()
        accumulator.update(y, scores.requires_grad_())
        accumulator.update(torch.tensor([], dtype=torch.int64), torch.tensor([]))
        assert accumulator.compute().auc(NAME).value == 0.75


def test_its_summary_can_be_added_to_one_of_a_table() -> None:
    y, scores = many(3000, "normal")
    accumulator = Accumulator()
    accumulator.update(y[:1000], {"s": scores[:1000]})
    frame = pl.DataFrame({"y_true": y, "s": scores})
    rest = rocch.scale.scan(frame[1000:], label="y_true").summary()
    merged = accumulator.compute() + rest
    truth = rocch.RocHull.from_scores(y, {"s": scores})
    assert_identical(merged.hull(), truth)
    assert_identical(merged.refine(frame).hull(), truth)


@pytest.mark.parametrize("engine", ["Polars", "DuckDB", "pandas", "Arrow", "Dask"])
def test_its_summary_is_refined_by_a_table_with_infinite_scores(engine: str, folder: Path) -> None:
    y, scores = many(6000, "normal")
    scores[::20], scores[1::20], scores[2::50] = np.inf, -np.inf, np.finfo(float).max
    accumulator = Accumulator(cells=10)
    accumulator.update(y, scores)
    rows = ENGINES[engine]([pa.table({"y_true": y, NAME: scores})], folder)
    exact = accumulator.compute().refine(rows, buckets=200)
    assert_identical(exact.hull(), rocch.RocHull.from_scores(y, scores))


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "NaN": ([0, 1], [0.1, math.nan], r"scores\['classifier'\] must have no missing values"),
    "missing label": ([0, None], [0.1, 0.2], "y_true must have no missing labels"),
    "third label": ([0, 2], [0.1, 0.2], "pos_label must be given"),
    "lengths": ([0, 1], [0.1], "one value for each of the 2 rows"),
    "scores without labels": ([], [0.1], "one value for each of the 0 rows"),
    "texts": ([0, 1], ["a", "b"], "scores"),
    "two dimensions": ([[0], [1]], [0.1, 0.2], "be one-dimensional"),
    "other classifiers": ([0, 1], {"b": [0.1, 0.2]}, "name the same classifiers in every batch"),
    "-1 beside 0": ([-1, 1], [0.1, 0.2], "pos_label must be given"),
    "large integers": ([0, 1], [2**53, 2**53 + 1], "which doubles cannot tell apart"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refused_batch_changes_nothing(kind: str) -> None:
    y, scores, words = REFUSED[kind]
    accumulator = Accumulator()
    accumulator.update([0, 1], [0.5, 0.25])
    with pytest.raises(rocch.InputError, match=words):
        accumulator.update(y, scores)
    assert accumulator.rows == 2
    assert accumulator.compute().auc(NAME).value == 0


def test_bad_arguments_are_refused() -> None:
    for cells in (1, 2.5, "many", None):
        with pytest.raises(rocch.InputError, match="cells must be a whole number, at least 2"):
            Accumulator(cells=cells)
    for label in ([1], math.nan):
        with pytest.raises(rocch.InputError, match="pos_label must be one label"):
            Accumulator(pos_label=label)
    with pytest.raises(rocch.InputError, match="equal only as text"):
        Accumulator(pos_label="1").update([0, 1], [0.1, 0.2])
    accumulator = Accumulator(cells=4)
    accumulator.update(*many(100, "normal"))
    with pytest.raises(rocch.InputError, match="buckets must be a whole number, at least 8"):
        accumulator.refine([], buckets=7)
    for batches in (3, [3], [([0, 1],)], lambda: 3):
        with pytest.raises(rocch.InputError, match="batches must be pairs of labels and scores"):
            accumulator.refine(batches)


def test_accumulators_of_other_questions_are_not_merged() -> None:
    one, other, named = Accumulator(), Accumulator(), Accumulator(pos_label=1)
    one.update([0, 1], [0.5, 0.25])
    other.update([0, 1], {"other": [0.5, 0.25]})
    named.update([0, 1], [0.5, 0.25])
    with pytest.raises(rocch.InputError, match="others must have the same classifiers"):
        one.merge(other)
    with pytest.raises(rocch.InputError, match="others must have the same positive class"):
        one.merge(named)
    with pytest.raises(rocch.InputError, match="others must be a RocAccumulator"):
        one.merge(one.compute())
    with pytest.raises(TypeError):
        _ = one + 1
    with pytest.raises(TypeError):
        _ = "x" + one
    signed = Accumulator()
    signed.update([-1, 1], [0.5, 0.25])
    with pytest.raises(rocch.InputError, match="pos_label must be given"):
        one.merge(signed)
    assert (named + named).compute().auc(NAME).value == 0
    with pytest.raises(rocch.InputError, match="others must have the same positive class"):
        one.merge(Accumulator(pos_label=1))  # though it has no rows
    empty = Accumulator()
    assert (empty + empty).rows == 0
    assert (one + empty).compute().totals() == (empty + one).compute().totals()


def test_copies_and_sums_do_not_change_with_the_original() -> None:
    accumulator = Accumulator()
    accumulator.update([0, 1], [0.5, 0.25])
    others = [copy.copy(accumulator), copy.deepcopy(accumulator), sum([accumulator])]
    accumulator.update([0, 1], [0.5, 0.75])
    for other in others:
        other.update([1], [0.9])
        assert other.compute().totals().positives == other.rows - 1 == 2
    assert accumulator.compute().auc(NAME).value == 0.5


def test_threads_may_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    interval = sys.getswitchinterval()
    monkeypatch.setattr("rocch.scale.accumulator.BATCHES", 4)
    y, scores = many(6000, "normal")
    accumulator = Accumulator(cells=50)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for at in range(0, y.size, 4):
                pool.submit(accumulator.update, y[at : at + 4], scores[at : at + 4])
                if at % 40 == 0:
                    pool.submit(copy.copy, accumulator)
    finally:
        sys.setswitchinterval(interval)
    totals = accumulator.compute().totals()
    assert (totals.positives, totals.negatives) == (np.count_nonzero(y), np.count_nonzero(~y))
    assert (accumulator + accumulator).rows == 2 * y.size == 2 * accumulator.rows


@pytest.mark.parametrize("size", [700, 30_000, 200_000])
def test_scores_outside_all_cells_are_other_rows(size: int) -> None:
    y, scores = many(200_000, "normal")
    batches = [(y[i : i + size], scores[i : i + size]) for i in range(0, y.size, size)]
    accumulator = Accumulator(cells=1000)
    for batch in batches:
        accumulator.update(*batch)
    for score in (100.0, -100.0, np.inf, -np.inf):
        changed = np.append(batches[-1][1][:-1], score)
        with pytest.raises(rocch.InputError, match="the 200,000 rows of the accumulator"):
            accumulator.refine([*batches[:-1], (batches[-1][0], changed)])
    exact = accumulator.refine(batches)
    assert_identical(exact.hull(), rocch.RocHull.from_scores(y, scores))


def test_an_array_may_be_reused_for_every_batch() -> None:
    y, scores = many(5000, "normal")
    labels, numbers = np.empty(50, dtype=bool), np.empty(50)

    def batches() -> Iterator[Batch]:
        for start in range(0, y.size, 50):
            labels[:], numbers[:] = y[start : start + 50], scores[start : start + 50]
            yield labels, numbers

    accumulator = Accumulator(cells=100)
    for batch in batches():
        accumulator.update(*batch)
    exact = accumulator.refine(batches)
    assert_identical(exact.hull(), rocch.RocHull.from_scores(y, scores))


def test_a_generator_can_be_read_once() -> None:
    y, scores = many(20_000, "normal")
    accumulator = Accumulator(cells=32)
    accumulator.update(y, scores)
    truth = rocch.RocHull.from_scores(y, scores)
    assert_identical(accumulator.refine(iter([(y, scores)])).hull(), truth)
    with pytest.raises(rocch.InputError, match="batches must be readable more than once"):
        accumulator.refine(iter([(y, scores)]), buckets=64)
    exact = accumulator.refine(lambda: iter([(y, scores)]), buckets=64)
    assert_identical(exact.hull(), truth)
    assert exact.work.passes > 2
