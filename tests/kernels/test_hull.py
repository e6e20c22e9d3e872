"""Hulls agree with the brute-force oracle, on either path and at any size of count."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch.kernels import _numba as compiled
from rocch.kernels import passes as numpy_passes
from rocch.kernels import readers, refine
from rocch.kernels.cells import Cells, find_live, known_points, live
from rocch.kernels.counting import distinct_counts
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.kernels.hull import CHAIN_AT_ONCE, above_hull, sorted_hull, twice_area, upper_hull
from tests.support.oracles import curves, hulls
from tests.support.strategies import judged_rows

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

ENGINES = pytest.mark.parametrize("passes", [numpy_passes, compiled], ids=["numpy", "compiled"])


def random_rows(rng: np.random.Generator, kind: str, size: int) -> tuple[FloatArray, BoolArray]:
    """Draw labels and scores of a named distribution."""
    positive = rng.random(size) < rng.choice([0.02, 0.1, 0.5, 0.9])
    positive[:2] = True, False
    normal = rng.normal(size=size) + positive
    scores = {
        "normal": normal,
        "tied": np.round(normal, 1),
        "two values": (normal > 0.5).astype(float),
        "one value": np.zeros(size),
        "cauchy": rng.standard_cauchy(size) + positive,
        "huge range": np.sign(normal) * 10.0 ** (90 * normal.clip(-3, 3)),
        "infinities": np.where(normal > 2, np.inf, np.where(normal < -1, -np.inf, normal)),
        "within an ulp": 1.0 + np.spacing(1.0) * rng.integers(0, 4, size),
        "two clusters": np.where(rng.random(size) < 0.5, 1 - 1e-12 * normal, 1e-12 * normal),
        "probabilities": 1 / (1 + np.exp(-20 * normal)),
        "zeros of both signs": np.where(rng.random(size) < 0.5, 0.0, -0.0),
        "sorted": np.sort(normal),
    }[kind]
    return scores, positive


KINDS = pytest.mark.parametrize(
    "kind",
    [
        "normal",
        "tied",
        "two values",
        "one value",
        "cauchy",
        "huge range",
        "infinities",
        "within an ulp",
        "two clusters",
        "probabilities",
        "zeros of both signs",
        "sorted",
    ],
)


@given(judged_rows())
@settings(max_examples=500)
def test_one_curves_hull_is_the_oracles(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    points = curves.points(labels, scores)
    expected = hulls.hull([p[:2] for p in points], labels.count(False), labels.count(True))
    fp, tp = (np.array([p[i] for p in points]) for i in (0, 1))
    vertex = upper_hull(fp, tp)
    assert list(zip(fp[vertex].tolist(), tp[vertex].tolist(), strict=True)) == expected


@given(judged_rows())
def test_each_vertex_has_its_score_and_the_next_lower_one(
    rows: tuple[list[bool], list[float]],
) -> None:
    labels, scores = rows
    points = curves.points(labels, scores)
    following = [point[2] for point in points[2:]] + [-np.inf]
    expected = {
        (point[:2]): (point[2], lower) for point, lower in zip(points[1:], following, strict=True)
    }
    found = sorted_hull(np.array(scores), np.array(labels))
    assert not np.signbit(found[0][found[0] == 0]).any()
    for threshold, lower, *counts in zip(*(column.tolist() for column in found), strict=True):
        assert expected[tuple(counts)] == (threshold, lower)


def test_thousands_of_tied_curves_have_no_spurious_and_no_missing_vertex() -> None:
    rng = np.random.default_rng(20)
    for _ in range(3000):
        size = int(rng.integers(2, 25))
        labels = rng.random(size) < rng.random()
        labels[:2] = True, False
        scores = rng.integers(0, rng.integers(1, 12), size).astype(float)
        points = [p[:2] for p in curves.points(labels.tolist(), scores.tolist())]
        expected = hulls.hull(points, int((~labels).sum()), int(labels.sum()))
        _, _, fp, tp = refine.hull_from_scores(scores, labels)
        assert [(0, 0), *zip(fp.tolist(), tp.tolist(), strict=True)] == expected


@given(st.integers(1, 10**30), st.integers(1, 10**30), st.data())
def test_counts_of_any_size_are_exact(negatives: int, positives: int, data: st.DataObject) -> None:
    inner = data.draw(
        st.lists(st.tuples(st.integers(0, negatives), st.integers(0, positives)), max_size=8)
    )
    points = sorted({(0, 0), *inner, (negatives, positives)})
    fp, tp = (np.array([p[i] for p in points], dtype=object) for i in (0, 1))
    vertex = upper_hull(fp, tp)
    got = list(zip(fp[vertex].tolist(), tp[vertex].tolist(), strict=True))
    assert got == hulls.hull(points, negatives, positives)


def test_large_counts_are_pruned_without_losing_a_vertex() -> None:
    """Many points whose products leave int64, all within a hair of a straight line."""
    rng = np.random.default_rng(5)
    step = 2**58 // 400
    run = rng.integers(step - 2, step + 3, 400)
    rise = rng.integers(step - 2, step + 3, 400)
    fp, tp = (np.concatenate(([0], np.cumsum(steps))) for steps in (run, rise))
    assert fp.size > CHAIN_AT_ONCE
    vertex = upper_hull(fp, tp)
    exact = upper_hull(fp.astype(object), tp.astype(object))
    chain = _plain_chain(list(zip(fp.tolist(), tp.tolist(), strict=True)))
    assert vertex.tolist() == exact.tolist() == chain


def _plain_chain(points: list[tuple[int, int]]) -> list[int]:
    stack: list[int] = []
    for i, (x, y) in enumerate(points):
        while len(stack) > 1:
            (ax, ay), (bx, by) = points[stack[-2]], points[stack[-1]]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) < 0:
                break
            stack.pop()
        stack.append(i)
    return stack


def assert_exact(scores: FloatArray, positive: BoolArray, passes: Any) -> None:
    """Compare the hull straight from scores with that of the full curve, in every column."""
    thresholds, fp, tp = distinct_counts(scores, positive)
    vertex = upper_hull(*(np.concatenate(([0], c)) for c in (fp, tp)))[1:] - 1
    lower = np.append(thresholds[1:], -np.inf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SAVES_A_SECOND, "passes", 0 if passes is compiled else 10**18)
        got = refine.hull_from_scores(scores, positive)
    for column, expected in zip(got, (thresholds, lower, fp, tp), strict=True):
        assert np.array_equal(column, expected[vertex])


@ENGINES
@KINDS
@pytest.mark.parametrize("size", [140_000, 300_000])
def test_the_refined_hull_equals_the_full_curves_hull(
    passes: Any, kind: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refine, "SORT_AT_ONCE", 2**16)
    rng = np.random.default_rng(size + len(kind))
    scores, positive = random_rows(rng, kind, size)
    scores.flags.writeable = positive.flags.writeable = False
    assert_exact(scores, positive, passes)


@ENGINES
@KINDS
@pytest.mark.parametrize("copy_share", [1, 1e-9], ids=["copied", "ends first"])
def test_few_buckets_cut_again_and_again_stay_exact(
    passes: Any, kind: str, copy_share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Force the deepest machinery onto small inputs: many levels, few buckets, many threads."""
    monkeypatch.setattr(refine, "SORT_AT_ONCE", 8)
    monkeypatch.setattr(refine, "FETCH", 8)
    monkeypatch.setattr(refine, "SORT_SHARE", 1e-9)
    monkeypatch.setattr(refine, "MOST_BUCKETS", 16)
    monkeypatch.setattr(readers, "COPY_SHARE", copy_share)
    monkeypatch.setattr(compiled, "ROWS_PER_THREAD", 100)
    monkeypatch.setattr(compiled, "ROWS_PER_BUCKET", 0)
    monkeypatch.setattr(compiled, "COPY", 50)
    monkeypatch.setattr(numpy_passes, "BATCH", 50)
    rng = np.random.default_rng(len(kind))
    for _ in range(25):
        assert_exact(*random_rows(rng, kind, int(rng.integers(20, 900))), passes)


@ENGINES
@pytest.mark.parametrize("kind", ["tied", "two values", "one value", "normal"])
def test_equal_scores_are_not_copied(
    passes: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells of one score need no further cut, however many rows they hold."""
    scores, positive = random_rows(np.random.default_rng(3), kind, 300_000)
    copied: list[int] = []
    take = passes.take_rows

    def watched(*arguments: Any) -> Any:
        rows = take(*arguments)
        copied.append(rows.scores.size)
        return rows

    monkeypatch.setattr(passes, "take_rows", watched)
    assert_exact(scores, positive, passes)
    if kind == "normal":
        assert 0 < max(copied) <= positive.size * readers.COPY_SHARE
    else:
        assert not copied


@pytest.mark.parametrize(("power", "buckets"), [(5, 10_772), (6, 50_000), (7, 232_079), (9, 2**22)])
def test_buckets_grow_with_the_rows(power: int, buckets: int) -> None:
    reader = Mock(series_count=1)
    reader.cut_all.return_value = readers.CountedCells(*np.zeros((7, 0), dtype=np.int64))
    refine.CellRefiner(reader, 10**10).begin(10**power)
    ((wanted, most),) = (call.args for call in reader.cut_all.call_args_list)
    assert abs(wanted - buckets) < 3  # two are for infinities
    assert wanted <= most < 2**22


def random_cells(rng: np.random.Generator, size: int) -> Cells:
    """Draw cells of several scores, some with unknown ends."""
    counts = rng.integers(0, 4, (2, size))
    counts[1, counts.sum(axis=0) == 0] = 1
    high = -np.arange(float(size))
    high[rng.random(size) < rng.choice([0, 0.5, 1])] = np.nan
    return Cells(high, high - 0.5, *counts)


def test_live_cells_do_not_depend_on_the_size_of_counts() -> None:
    """Multiplying all counts keeps the geometry, also where products leave int64."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        cells = random_cells(rng, 200)
        larger = cells._replace(
            negatives=cells.negatives * (2**52 + 1), positives=cells.positives * (2**51 + 7)
        )
        assert np.array_equal(live(cells), live(larger))


def test_joining_dead_cells_keeps_the_hull_and_what_is_live() -> None:
    rng = np.random.default_rng(4)
    fewer = 0
    for _ in range(300):
        cells = random_cells(rng, 64)
        alive, vertices = find_live(cells)
        rows = cells.negatives + cells.positives
        series = refine.ScoreSeries(cells, rows, np.arange(64))
        joined, chosen = series.join_dead_cells(alive, vertices)
        again, others = find_live(joined.cells)
        fewer += joined.rows.size < 64
        for x, y in zip(known_points(cells), known_points(joined.cells), strict=True):
            assert np.array_equal(x[vertices], y[others])
        assert np.array_equal(joined.piece[chosen], np.flatnonzero(alive))
        assert again[chosen].all()
        twice, same = joined.join_dead_cells(again, others)
        assert twice.rows.size == joined.rows.size
        assert np.array_equal(same, chosen)  # the dead stay so
        assert joined.rows.sum() == rows.sum()
    assert fewer > 250


@given(judged_rows())
def test_twice_area_is_the_trapezoid_rule(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    points = curves.points(labels, scores)
    fp, tp = (np.array([p[i] for p in points]) for i in (0, 1))
    expected = curves.trapezoid_auc(points) * 2 * labels.count(True) * labels.count(False)
    assert twice_area(fp, tp) == expected
    assert twice_area(fp.astype(object), tp.astype(object)) == expected


def test_area_beyond_int64_is_exact() -> None:
    total = 2**40
    assert twice_area(np.array([0, total]), np.array([0, total])) == total**2


def test_above_hull_is_strict() -> None:
    hull_x, hull_y = np.array([0, 0, 4, 8]), np.array([0, 2, 6, 8])
    x, y = np.array([0, 0, 2, 2, 8, 6]), np.array([2, 3, 4, 5, 8, 7])
    assert above_hull(hull_x, hull_y, x, y).tolist() == [False, True, False, True, False, False]


LARGEST = 2**62
COUNTS = st.one_of(st.integers(1, LARGEST), st.integers(LARGEST - 5, LARGEST), st.integers(1, 9))


@given(COUNTS, COUNTS, st.data())
@settings(max_examples=300)
def test_above_hull_is_exact_for_counts_of_any_size(
    negatives: int, positives: int, data: st.DataObject
) -> None:
    within = st.lists(st.tuples(st.integers(0, negatives), st.integers(0, positives)), max_size=6)
    corners = sorted({(0, 0), *data.draw(within), (negatives, positives)})
    hull = hulls.hull(corners, negatives, positives)
    near = [
        (ax + (bx - ax) * part // 7, min(ay + (by - ay) * part // 7 + more, positives))
        for (ax, ay), (bx, by) in pairwise(hull)
        for part in range(8)
        for more in (0, 1)
    ]
    points = near + data.draw(within)
    expected = [_is_above(hull, point) for point in points]
    for dtype in (np.int64, object):
        x, y, hull_x, hull_y = (
            np.array([p[i] for p in some], dtype=dtype) for some in (points, hull) for i in (0, 1)
        )
        assert above_hull(hull_x, hull_y, x, y).tolist() == expected


def _is_above(hull: list[tuple[int, int]], point: tuple[int, int]) -> bool:
    """Decide in Python integers: above the line of the segment that lies over the point."""
    x, y = point
    (ax, ay), (bx, by) = next(
        segment for segment in reversed(list(pairwise(hull))) if segment[0][0] <= x
    )
    return (bx - ax) * (y - ay) > (by - ay) * (x - ax)
