"""Hulls agree with the brute-force oracle, on either path and at any size of count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import curves, hulls
from rocch.kernels import buckets, compiled, numpy_passes
from rocch.kernels.area import twice_area
from rocch.kernels.counting import distinct_counts
from rocch.kernels.hull import CHAIN_AT_ONCE, above_hull, upper_hull
from strategies import judged_rows

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


def test_thousands_of_tied_curves_have_no_spurious_and_no_missing_vertex() -> None:
    rng = np.random.default_rng(20)
    for _ in range(3000):
        size = int(rng.integers(2, 25))
        labels = rng.random(size) < rng.random()
        labels[:2] = True, False
        scores = rng.integers(0, rng.integers(1, 12), size).astype(float)
        points = [p[:2] for p in curves.points(labels.tolist(), scores.tolist())]
        expected = hulls.hull(points, int((~labels).sum()), int(labels.sum()))
        _, _, fp, tp = buckets.hull_from_scores(scores, labels)
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
    got = buckets.hull_from_scores(scores, positive, passes)
    for column, expected in zip(got, (thresholds, lower, fp, tp), strict=True):
        assert np.array_equal(column, expected[vertex])


@ENGINES
@KINDS
@pytest.mark.parametrize("size", [70_000, 200_000])
def test_the_bucket_path_equals_the_full_curves_hull(passes: Any, kind: str, size: int) -> None:
    rng = np.random.default_rng(size + len(kind))
    scores, positive = random_rows(rng, kind, size)
    scores.flags.writeable = positive.flags.writeable = False
    assert_exact(scores, positive, passes)


@ENGINES
@KINDS
def test_small_buckets_split_again_and_again_stay_exact(
    passes: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Force the deepest machinery onto small inputs: many levels, few buckets, many threads."""
    monkeypatch.setattr(buckets, "SORT_AT_ONCE", 8)
    monkeypatch.setattr(buckets, "SORT_REST", 8)
    monkeypatch.setattr(buckets, "MOST_BUCKETS", 16)
    monkeypatch.setattr(compiled, "ROWS_PER_THREAD", 100)
    rng = np.random.default_rng(len(kind))
    for _ in range(40):
        assert_exact(*random_rows(rng, kind, int(rng.integers(20, 900))), passes)


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
