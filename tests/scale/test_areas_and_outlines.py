"""Areas, outlines and counts from frames: exact where they say so, and brackets that hold."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocch
from tests.support.engines import ENGINES, EVERY_ENGINE, in_memory, parts, plain, table
from tests.support.judged_frames import DISTRIBUTIONS, KINDS, hard_scores, laid_out, noisy_labels
from tests.support.oracles import auc_variance, curves
from tests.support.oracles.counted_cells import areas_allowed

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

CLOSE = 1e-12


@st.composite
def judged(draw: st.DrawFn, largest: int = 30) -> pa.Table:
    """Draw rows with two of each class at least, so that DeLong's variance is defined."""
    size = draw(st.one_of(st.integers(4, 7), st.integers(largest // 2, largest)))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    hits = generator.random(size) < 0.5
    hits[:4] = True, False, True, False
    kind = draw(st.sampled_from(sorted(KINDS)))
    return table({"y": hits, "s": hard_scores(kind, size, generator)})


def truth(rows: pa.Table) -> tuple[Fraction, Fraction]:
    """Return AUC and DeLong's variance, pair by pair."""
    hits, scores = plain(rows, "y").tolist(), plain(rows, "s").tolist()
    return curves.auc(hits, scores), auc_variance.delong(hits, scores, scores)


@given(rows=judged(), buckets=st.sampled_from([8, 16, 2**22]))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("engine", ["Polars", "DuckDB"])
def test_exact_areas_are_exact(engine: str, rows: pa.Table, buckets: int, folder: Path) -> None:
    frame = ENGINES[engine]([rows], folder)
    found = rocch.scale.scan(frame, label="y", scores=["s"], buckets=buckets).auc()["s"]
    area, variance = truth(rows)
    assert found.exact
    assert found.value == float(area)
    assert Fraction(found.low) <= area <= Fraction(found.high)
    assert found.value == rocch.auc(plain(rows, "y"), plain(rows, "s"))
    assert found.variance_low is not None
    assert found.variance_high is not None
    assert found.variance_low <= found.variance_high
    assert math.isclose(found.variance_low, variance, rel_tol=CLOSE, abs_tol=1e-18)
    assert math.isclose(found.variance_high, variance, rel_tol=CLOSE, abs_tol=1e-18)
    assert math.isclose(found.standard_error, math.sqrt(variance), rel_tol=CLOSE, abs_tol=1e-9)


@given(rows=judged(), width=st.sampled_from([0.5, 0.1, 0.01]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_brackets_hold_the_truth_and_are_as_narrow_as_asked(rows: pa.Table, width: float) -> None:
    asked: dict[str, Any] = {"label": "y", "scores": ["s"], "buckets": 8}
    found = rocch.scale.scan(pl.DataFrame(rows), **asked).auc(width=width)["s"]
    area, variance = truth(rows)
    assert Fraction(found.low) <= area <= Fraction(found.high)
    # the ends are rounded outward, each by less than an ulp of 1
    assert Fraction(found.high) - Fraction(found.low) <= Fraction(width) + Fraction(1, 2**50)
    assert found.variance_low is not None
    assert found.variance_high is not None
    assert Fraction(found.variance_low) <= variance * (1 + Fraction(CLOSE)) + Fraction(1, 10**18)
    assert Fraction(found.variance_high) >= variance * (1 - Fraction(CLOSE)) - Fraction(1, 10**18)
    if not found.exact:
        with pytest.raises(rocch.RocchError):
            _ = found.value


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
def test_areas_of_hard_distributions(name: str) -> None:
    rows = laid_out(name)
    area = Fraction(*rational(rows))
    for width in (None, 0.05, 0.001):
        found = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s", buckets=512).auc(
            width=width
        )["s"]
        assert Fraction(found.low) <= area <= Fraction(found.high)
        assert found.high - found.low <= (width or 0) + 2**-50
        assert found.exact == (width is None) or width is not None
    assert rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s").auc()["s"].value == float(
        area
    )


def rational(rows: pa.Table) -> tuple[int, int]:
    from rocch.kernels.counting import twice_pairs_won

    hits, scores = plain(rows, "y"), plain(rows, "s").astype(float)
    positives = int(hits.sum())
    return twice_pairs_won(scores, hits), 2 * positives * (hits.size - positives)


def test_brackets_hold_every_area_that_the_cells_allow() -> None:
    """The bracket is not merely around the truth: the counts alone must not say more."""
    generator = np.random.default_rng(70)
    for turn in range(12):
        scores = generator.random(14)
        hits = generator.random(14) < 0.5
        hits[:2] = True, False
        summary = rocch.scale.scan(
            pl.DataFrame({"y": hits, "s": scores}), label="y", scores="s", buckets=8
        ).summary()
        found = summary.auc("s")
        cells = zip(*(column.tolist() for column in summary.cells("s")), strict=True)
        allowed = areas_allowed(list(cells))
        assert Fraction(found.low) <= min(allowed), turn
        assert Fraction(found.high) >= max(allowed), turn
        assert found.exact == (len(allowed) == 1)


def test_weighted_areas_have_no_variance() -> None:
    generator = np.random.default_rng(71)
    scores = generator.integers(0, 20, 200) / 8
    hits, weights = noisy_labels(scores, 72), generator.integers(1, 5, 200)
    frame = pl.DataFrame({"y": hits, "s": scores, "w": weights})
    found = rocch.scale.scan(frame, label="y", scores="s", weight="w").auc()["s"]
    assert found.value == rocch.auc(hits, scores, sample_weight=weights)
    assert found.variance_low is None
    assert found.variance_high is None
    with pytest.raises(rocch.RocchError):
        _ = found.standard_error
    with pytest.raises(rocch.RocchError):
        found.interval(0.95)


def test_intervals_of_brackets_enclose_the_exact_one() -> None:
    rows = laid_out("normal")
    frame = pl.DataFrame(rows)
    exact = rocch.scale.scan(frame, label="y", scores="s").auc()["s"]
    rough = rocch.scale.scan(frame, label="y", scores="s", buckets=256).auc(width=0.02)["s"]
    low, high = exact.interval(0.95)
    assert low < exact.value < high
    wide_low, wide_high = rough.interval(0.95)
    assert wide_low <= low
    assert wide_high >= high
    assert 0 <= wide_low < wide_high <= 1


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_every_engine_gives_the_same_areas(engine: str, folder: Path) -> None:
    generator = np.random.default_rng(73)
    base = generator.normal(size=300)
    columns = {"nb": np.round(base, 1), "gbm": np.exp(200 * base), "int": (base * 3).astype(int)}
    rows = table({"y": noisy_labels(base, 74), **columns})
    frame = ENGINES[engine](parts(rows, (0, 100, 100)), folder)
    found = rocch.scale.scan(frame, label="y", scores=list(columns), buckets=300).auc()
    assert set(found) == set(columns)
    for name, area in found.items():
        assert area.value == rocch.auc(plain(rows, "y"), plain(rows, name))


def check_outline(outline: Any, rows: pa.Table, resolution: float) -> None:
    """Demand points of the full curve, near enough to each other unless ties forbid it."""
    full = rocch.RocCurve.from_scores(plain(rows, "y"), plain(rows, "s"), name="s")
    assert full.lowest_scores is not None
    known = dict(
        zip(
            zip(full.false_positives.tolist(), full.true_positives.tolist(), strict=True),
            range(len(full)),
            strict=True,
        )
    )
    curve = outline.curve
    points = list(zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True))
    assert points[0] == (0, 0)
    assert points[-1] == (full.totals.negatives, full.totals.positives)
    places = [known[point] for point in points]  # each is a point of the full curve
    assert places == sorted(places)
    for place, threshold in zip(places[1:], curve.lowest_scores.tolist(), strict=True):
        assert threshold == full.lowest_scores[place - 1]
    for before, after in pairwise(places):
        near = full.fpr[after] - full.fpr[before] <= resolution * (1 + CLOSE) and full.tpr[
            after
        ] - full.tpr[before] <= resolution * (1 + CLOSE)
        assert near or after == before + 1


def test_the_resolution_is_the_longest_step_in_either_rate() -> None:
    rows = pl.DataFrame({"y": [1, 1, 0, 1, 0, 0, 0, 0], "s": [4, 4, 3, 2, 2, 1, 0, -1]})
    for data, label in ((rows, 1), (rows, 0)):
        outline = rocch.scale.scan(data, label="y", scores="s", pos_label=label).curve()["s"]
        assert outline.resolution == pytest.approx(2 / 3)


@given(rows=judged(60), resolution=st.sampled_from([1.0, 0.25, 0.1, 0.001]))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_outlines_are_made_of_points_of_the_curve(rows: pa.Table, resolution: float) -> None:
    for buckets in (16, 2**22):
        outline = rocch.scale.scan(
            pl.DataFrame(rows), label="y", scores="s", buckets=buckets
        ).curve(resolution=resolution)["s"]
        check_outline(outline, rows, resolution)


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
def test_outlines_of_hard_distributions(name: str) -> None:
    rows = laid_out(name)
    outline = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s").curve(resolution=0.02)[
        "s"
    ]
    check_outline(outline, rows, 0.02)
    assert len(outline.curve) <= 4 / 0.02 + 2


def test_outlines_bracket_the_area() -> None:
    rows = laid_out("log-normal")
    summary = rocch.scale.scan(pl.DataFrame(rows), label="y", scores="s", buckets=256).summary()
    outline = summary.outline("s")
    area = Fraction(*rational(rows))
    assert Fraction(outline.auc.low) <= area <= Fraction(outline.auc.high)


THRESHOLDS = [0.0, -0.0, 0.25, 1.0, 1 + math.ulp(1), -1e300, 1e300, math.inf, -math.inf, 5e-324]


@given(rows=judged(), asked=st.lists(st.sampled_from(THRESHOLDS), min_size=1, max_size=5))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("engine", ["Polars", "DuckDB"])
def test_counts_at_chosen_thresholds_are_exact(
    engine: str, rows: pa.Table, asked: list[float], folder: Path
) -> None:
    frame = ENGINES[engine]([rows], folder)
    points = rocch.scale.scan(frame, label="y", scores=["s"]).counts({"s": asked})["s"]
    assert len(points) == len(asked)
    hits, scores = plain(rows, "y"), plain(rows, "s")
    for threshold, point in zip(asked, points, strict=True):
        alarms = scores >= threshold
        assert point.true_positives == np.count_nonzero(alarms & hits)
        assert point.false_positives == np.count_nonzero(alarms & ~hits)
        assert point.tpr == point.true_positives / np.count_nonzero(hits)
        assert point.fpr == point.false_positives / np.count_nonzero(~hits)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_single_precision_scores_meet_double_thresholds_as_doubles(
    engine: str, folder: Path
) -> None:
    """An engine that rounds the threshold to single precision counts a row too many."""
    tenth = np.float32(0.1)
    rows = table({"y": [1, 0, 1, 0], "s": np.array([tenth, tenth, 0.5, 0], dtype=np.float32)})
    above = math.nextafter(float(tenth), 1)
    frame = ENGINES[engine]([rows], folder)
    points = rocch.scale.scan(frame, label="y", scores=["s"]).counts(
        {"s": [0.1, float(tenth), above]}
    )
    assert [point.true_positives for point in points["s"]] == [2, 2, 1]


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_counts_of_several_weighted_classifiers(engine: str, folder: Path) -> None:
    generator = np.random.default_rng(75)
    scores = generator.normal(size=(2, 200))
    weights = generator.integers(1, 4, 200)
    rows = table({"y": noisy_labels(scores[0], 76), "a": scores[0], "b": scores[1], "w": weights})
    frame = ENGINES[engine](parts(rows, (50, 50)), folder)
    thresholds = {"a": [0.0, 1.0, 0.5], "b": [-1.0]}
    points = rocch.scale.scan(frame, label="y", weight="w").counts(thresholds)
    assert set(points) == {"a", "b"}
    for name, asked in thresholds.items():
        curve = rocch.RocCurve.from_scores(
            plain(rows, "y"), plain(rows, name), sample_weight=weights, name=name
        )
        for threshold, point in zip(asked, points[name], strict=True):
            expected = curve.at(threshold)
            assert point.false_positives == expected.false_positives
            assert point.true_positives == expected.true_positives


def test_areas_agree_with_hulls_of_the_same_frame() -> None:
    rows = laid_out("a few ties")
    hull = in_memory(rows, label="y", scores=["s"])
    assert rocch.scale.scan(pl.DataFrame(rows), label="y").auc()["s"].value <= hull.auc
