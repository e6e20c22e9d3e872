"""Joint hulls: identities, laws of invariance, incremental use, restriction."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise, permutations
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.kernels import _numba as compiled
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.kernels.refine import SORT_AT_ONCE
from tests.support.oracles import curves, hulls
from tests.support.strategies import judged_table

Table = tuple[list[bool], dict[str, list[float]]]


def of(labels: list[bool], scores: dict[str, list[float]]) -> rocch.RocHull:
    return rocch.RocHull.of(
        *(rocch.RocCurve.from_scores(labels, column, name=name) for name, column in scores.items())
    )


@given(judged_table())
@settings(max_examples=300)
def test_vertices_and_their_owners_equal_the_oracles(table: Table) -> None:
    labels, scores = table
    points = {name: [p[:2] for p in curves.points(labels, s)] for name, s in scores.items()}
    expected = hulls.joint_hull(points, labels.count(False), labels.count(True))
    hull = rocch.RocHull.from_scores(labels, scores)
    got = [((v.false_positives, v.true_positives), v.classifiers) for v in hull.vertices]
    assert [place for place, _ in got] == [place for place, _ in expected]
    assert got[1:-1] == expected[1:-1]
    assert hull.auc == float(
        hulls.hull_auc([p for p, _ in expected], labels.count(False), labels.count(True))
    )
    slopes = hulls.slopes([p for p, _ in expected], labels.count(False), labels.count(True))
    assert hull.slopes.tolist() == [np.inf if s is None else float(s) for s in slopes]


@given(judged_table())
def test_the_fast_path_equals_the_path_over_curves(table: Table) -> None:
    assert rocch.RocHull.from_scores(*table) == of(*table)


@given(judged_table(), st.randoms(use_true_random=False))
def test_any_order_of_rows_and_classifiers_gives_the_identical_hull(table: Table, random) -> None:  # type: ignore[no-untyped-def]
    labels, scores = table
    hull = rocch.RocHull.from_scores(labels, scores)
    order = list(range(len(labels)))
    random.shuffle(order)
    names = list(scores)
    random.shuffle(names)
    shuffled = rocch.RocHull.from_scores(
        [labels[i] for i in order], {name: [scores[name][i] for i in order] for name in names}
    )
    assert shuffled == hull
    assert hash(shuffled) == hash(hull)
    assert shuffled.slope_ranges() == hull.slope_ranges()


@given(judged_table(models=4))
def test_splitting_into_parts_and_merging_gives_the_identical_hull(table: Table) -> None:
    labels, scores = table
    whole = of(labels, scores)
    parts = [of(labels, {name: column}) for name, column in scores.items()]
    for order in list(permutations(parts))[:4]:
        merged = order[0]
        for part in order[1:]:
            merged = merged.add(part)
        assert merged == whole
        assert rocch.RocHull.of(*order) == whole


@given(judged_table())
def test_a_hull_of_the_hull_is_itself_and_nothing_lies_above(table: Table) -> None:
    labels, scores = table
    hull = of(labels, scores)
    again = rocch.RocHull.of(hull)
    assert again == hull
    for name, column in scores.items():
        curve = rocch.RocCurve.from_scores(labels, column, name=name)
        assert hull.auc >= curve.auc
        for fpr, tpr in zip(curve.fpr, curve.tpr, strict=True):
            assert hull.tpr_at(float(fpr)) >= tpr - 1e-12


@given(judged_table())
def test_monotone_rescaling_moves_thresholds_only(table: Table) -> None:
    labels, scores = table
    ranks = {
        name: np.searchsorted(np.unique(column), column).tolist() for name, column in scores.items()
    }
    one, other = rocch.RocHull.from_scores(labels, scores), rocch.RocHull.from_scores(labels, ranks)
    assert [(v.false_positives, v.true_positives, v.classifiers) for v in one.vertices] == [
        (v.false_positives, v.true_positives, v.classifiers) for v in other.vertices
    ]


@given(judged_table())
def test_slope_ranges_touch_and_name_a_holder_of_every_vertex(table: Table) -> None:
    hull = rocch.RocHull.from_scores(*table)
    rows = hull.slope_ranges()
    assert rows[0].low == 0
    assert rows[-1].high == np.inf
    for row, following in pairwise(rows):
        assert row.high == following.low
        assert row.classifier != following.classifier
    edges = [np.inf, *hull.slopes.tolist(), 0.0]
    for vertex, high, low in list(zip(hull.vertices, edges, edges[1:], strict=False))[1:-1]:
        for row in rows:
            if max(row.low, low) < min(row.high, high):
                assert row.classifier in vertex.classifiers


def test_a_shared_vertex_does_not_break_a_dominators_single_row() -> None:
    """b alone is the hull; a touches it in one vertex and comes first by name."""
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    b = [1, 2, 3, 6, 4, 5, 7, 8]
    a = [5, 5, 5, 5, 5, 5, 7, 8]
    hull = rocch.RocHull.from_scores(y, {"a": a, "b": b})
    assert hull.vertices[1].classifiers == ("a", "b")
    assert hull.vertices[1].classifier == "a"
    assert [str(row) for row in hull.slope_ranges()] == ["[0, inf) b"]
    assert hull.dominator() == "b"


def test_trivial_classifiers_get_only_what_is_theirs_alone() -> None:
    rules = rocch.RocCurve.from_counts([1], [3], negatives=4, positives=4, name="rules")
    hull = rocch.RocHull.of(rules)
    assert [vertex.classifier for vertex in hull.vertices] == ["never", "rules", "always"]
    assert [row.classifier for row in hull.slope_ranges()] == ["always", "rules", "never"]
    assert hull.dominator() is None
    useless = rocch.RocCurve.from_counts([3], [1], negatives=4, positives=4, name="useless")
    nothing = rocch.RocHull.of(useless)
    assert [row.classifier for row in nothing.slope_ranges()] == ["always", "never"]
    assert nothing.winners == frozenset()


def test_never_and_always_belong_to_no_classifier() -> None:
    curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4], name="nb")
    lazy = rocch.RocCurve.from_labels([0, 0, 1, 1], [0, 0, 0, 0], name="lazy")
    hull = rocch.RocHull.of(curve, lazy)
    assert [vertex.classifiers for vertex in hull.vertices] == [
        ("never",),
        ("nb",),
        ("nb",),
        ("always",),
    ]
    assert hull.winners == {"nb"}
    nothing = hull.best(rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=0))
    assert (nothing.classifier, nothing.threshold) == ("never", None)
    assert hull.vertices[0].lowest_score is None
    assert hull.vertices[-1].lowest_score is None
    assert hull.vertices[0].rule() == "never alarm"
    assert hull.vertices[-1].rule() == "always alarm"


def test_vertices_make_a_data_frame() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 1], {"nb": [1, 2, 3]})
    frame = pd.DataFrame(hull.vertices)
    expected = ["classifier", "lowest_score", "false_positives", "true_positives", "fpr", "tpr"]
    assert set(expected) <= set(frame.columns)
    assert len(frame) == len(hull)


def test_consider_says_what_a_newcomer_does() -> None:
    y = [0, 0, 1, 1]
    hull = rocch.RocHull.from_scores(y, {"old": [1, 3, 2, 4]})
    worse = rocch.RocCurve.from_scores(y, [4, 3, 2, 1], name="worse")
    verdict = hull.consider(worse)
    assert (verdict.extends, verdict.ties, verdict.driven_out) == (False, False, ())
    assert verdict.hull is hull
    assert hull.add(worse) is hull
    twin = rocch.RocCurve.from_scores(y, [1, 3, 2, 4], name="twin")
    tied = hull.consider(twin)
    assert (tied.extends, tied.ties) == (False, True)
    assert tied.hull.vertices[1].classifiers == ("old", "twin")
    better = rocch.RocCurve.from_scores(y, [1, 2, 3, 4], name="better")
    won = hull.consider(better)
    assert (won.extends, won.driven_out) == (True, ("old",))
    assert won.hull.winners == {"better"}
    assert list(map(str, (verdict, tied, won))) == [
        "lies below the hull",
        "reaches the hull, but adds nothing",
        "extends the hull; old no longer needed",
    ]


@given(
    st.lists(st.integers(1, 2**57), min_size=2, max_size=6),
    st.lists(st.integers(0, 2), min_size=2, max_size=2),
)
def test_consider_decides_on_counts_however_little_the_hull_grows(
    weights: list[int], grows: list[int]
) -> None:
    """New points differ from the old by a unit or two of up to 2**60, which rates may not show."""
    negatives, positives = sum(weights[:1]) + 4, sum(weights[1:]) + 4
    totals = {"negatives": negatives, "positives": positives}
    old = rocch.RocCurve.from_counts([2], [positives - 2], **totals, name="old")
    new = rocch.RocCurve.from_counts(
        [2 - grows[0]], [positives - 2 + grows[1]], **totals, name="new"
    )
    hull = rocch.RocHull.of(old)
    verdict = hull.consider(new)
    assert verdict.extends == any(grows)
    assert verdict.ties == (not any(grows))
    assert verdict.driven_out == (("old",) if any(grows) else ())
    assert (rocch.RocHull.of(new) == hull) is False
    assert hull.add(new).true_positives[1] == positives - 2 + grows[1]


def test_a_newcomer_from_other_rows_that_adds_nothing_does_not_tie() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 2, 3, 4]})
    poor = rocch.RocCurve.from_scores([0, 0, 0, 1], [4, 3, 2, 1], name="poor")
    verdict = hull.consider(poor, allow_different_rows=True)
    assert (verdict.extends, verdict.ties, verdict.driven_out) == (False, False, ())
    assert verdict.hull is hull


def test_hulls_that_differ_by_less_than_rounding_are_not_equal() -> None:
    y, weights = [0, 1, 1, 0], [0.5, 2.0**57, 0.5, 2.0**57]
    hulls = [
        rocch.RocHull.from_scores(y, {"a": scores}, sample_weight=weights)
        for scores in ([0, 3, 3, 0], [0, 3, 0, 0])
    ]
    assert hulls[0] != hulls[1]


def test_all_settings_of_one_classifier_at_one_vertex_are_named() -> None:
    y = [0, 0, 0, 1, 1, 1]
    strict, again = [0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 1, 1]
    rules = rocch.RocCurve.from_labels(y, {"strict": strict, "again": again}, name="rules")
    other = rocch.RocCurve.from_labels(y, [0, 0, 0, 1, 0, 1], name="other")
    hull = rocch.RocHull.of(rules, other)
    vertex = hull.vertices[1]
    assert vertex.classifiers == ("other", "rules", "rules")
    assert vertex.lowest_scores == (None, "strict", "again")
    assert hull.winners == {"other", "rules"}
    assert [row.classifier for row in hull.slope_ranges()] == ["always", "other"]
    assert rocch.RocHull.of(rules).vertices[1].lowest_scores == ("strict", "again")


def test_all_settings_are_named_also_where_a_limit_is_met_off_the_hull() -> None:
    y = [1] * 10 + [0] * 20
    settings = {
        "one": [1] * 4 + [0] * 6 + [1] * 1 + [0] * 19,
        "two": [0] * 6 + [1] * 4 + [0] * 19 + [1] * 1,
        "better": [1] * 10 + [1] * 2 + [0] * 18,
    }
    hull = rocch.RocHull.of(rocch.RocCurve.from_labels(y, settings, name="rules"))
    assert [vertex.lowest_score for vertex in hull.vertices] == [None, "better", None]
    found = hull.best(rocch.NeymanPearson(max_fpr=0.05))
    assert found.point.lowest_scores == ("one", "two")


def test_curves_on_different_rows_need_an_explicit_word_and_are_then_exact() -> None:
    """On floats 1/3 and 2/6 could differ; as rationals they are one point."""
    small = rocch.RocCurve.from_counts([1], [2], negatives=3, positives=3, name="small")
    large = rocch.RocCurve.from_counts([2], [4], negatives=6, positives=6, name="large")
    with pytest.raises(rocch.InputError, match="allow_different_rows=True"):
        rocch.RocHull.of(small, large)
    hull = rocch.RocHull.of(small, large, allow_different_rows=True)
    assert hull.vertices[1].classifiers == ("large", "small")
    assert (hull.totals.negatives, hull.totals.positives) == (6, 6)
    assert hull.vertices[1].fpr == 1 / 3


def test_hulls_of_different_rows_have_no_observed_prevalence() -> None:
    small = rocch.RocCurve.from_counts([1], [2], negatives=3, positives=3, name="small")
    large = rocch.RocCurve.from_counts([2], [4], negatives=60, positives=6, name="large")
    hull = rocch.RocHull.of(small, large, allow_different_rows=True)
    for criterion in (rocch.ErrorRate(), rocch.Maximize("f1")):
        with pytest.raises(rocch.InputError, match="prevalence must be named"):
            hull.best(criterion)
    assert hull.best(rocch.ErrorRate(prevalence=0.1)).value < 0.1
    again = rocch.RocHull.of(hull)
    assert again.totals.pooled


def test_many_different_totals_go_beyond_int64_and_stay_exact() -> None:
    primes = [10_007, 10_009, 10_037, 10_039, 10_061, 10_067]
    family = [
        rocch.RocCurve.from_counts(
            [i + 1], [p // 2 + 9 * i], negatives=p, positives=p, name=f"c{i}"
        )
        for i, p in enumerate(primes)
    ]
    hull = rocch.RocHull.of(*family, allow_different_rows=True)
    assert hull.totals.negatives == int(np.prod(np.array(primes, dtype=object)))
    rates = sorted({(v.fpr, v.tpr) for v in hull.vertices})
    assert rates == [(v.fpr, v.tpr) for v in hull.vertices]
    assert (np.diff(hull.slopes) < 0).all()


def test_totals_beyond_the_range_of_doubles_are_exact() -> None:
    """The common multiple of 150 such totals has more than 600 digits."""
    totals = [10_007 + 2 * i for i in range(150)]
    family = [
        rocch.RocCurve.from_counts(
            [i + 1], [round(t * (i / 150) ** 0.5)], negatives=t, positives=t, name=f"c{i:03}"
        )
        for i, t in enumerate(totals)
    ]
    hull = rocch.RocHull.of(*family, allow_different_rows=True)
    assert hull.totals.negatives > 10**400
    assert all(a > b for a, b in pairwise(hull.slopes))
    assert 0.9 < hull.auc < 1


def test_same_rows_in_another_order_are_noticed() -> None:
    one = rocch.RocCurve.from_scores([0, 1, 1, 0], [1, 2, 3, 4], name="one")
    other = rocch.RocCurve.from_scores([1, 0, 0, 1], [1, 2, 3, 4], name="other")
    with pytest.raises(rocch.InputError, match="different order"):
        rocch.RocHull.of(one, other)
    assert rocch.RocHull.of(one, other, allow_different_rows=True).totals.rows is None


def test_weighted_hulls() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    w = rng.integers(1, 4, 200)
    scores = {"a": np.round(rng.normal(size=200) + y, 1), "b": np.round(rng.normal(size=200), 1)}
    weighted = rocch.RocHull.from_scores(y, scores, sample_weight=w)
    repeated = rocch.RocHull.from_scores(
        np.repeat(y, w), {name: np.repeat(s, w) for name, s in scores.items()}
    )
    assert weighted == repeated
    with pytest.raises(rocch.InputError, match="same rows"):
        rocch.RocHull.of(weighted, rocch.RocCurve.from_scores(y, scores["a"], name="c"))
    fractional = rocch.RocHull.from_scores(y, scores, sample_weight=w / 3)
    places = [(v.fpr, v.tpr) for v in fractional.vertices]
    assert np.allclose(places, [(v.fpr, v.tpr) for v in weighted.vertices])


def test_rows_of_weight_zero_do_not_matter() -> None:
    y, s = [0, 1, 1, 0, 1], [1.0, 2.0, 3.0, 2.5, 9.0]
    hull = rocch.RocHull.from_scores(y, {"a": s}, sample_weight=[1, 1, 1, 1, 0])
    plain = rocch.RocHull.from_scores(y[:4], {"a": s[:4]})
    assert [(v.fpr, v.tpr) for v in hull.vertices] == [(v.fpr, v.tpr) for v in plain.vertices]


def test_restriction_keeps_what_can_be_best_and_refuses_the_rest() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(2000) < 0.2
    scores = {"a": rng.normal(size=2000) + y, "b": 2 * rng.normal(size=2000) + 2 * y}
    hull = rocch.RocHull.from_scores(y, scores)
    bounds = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(3, 6))
    small = hull.within(bounds)
    assert len(small) < len(hull)
    inside = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=4)
    assert small.best(inside).expected_cost == hull.best(inside).expected_cost
    assert small.slope_ranges()[0].low == bounds.slope_range[0]
    assert small.slope_ranges()[-1].high == bounds.slope_range[1]
    assert small.sensitivity(bounds).choices == hull.sensitivity(bounds).choices
    outside = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=1)
    with pytest.raises(rocch.InputError, match="restricted to slopes"):
        small.best(outside)
    with pytest.raises(rocch.InputError, match="restricted to bounds"):
        small.best(rocch.NeymanPearson(0.1))


def test_a_restricted_hull_stays_restricted_when_it_grows() -> None:
    y = [0, 0, 0, 1, 1, 1]
    hull = rocch.RocHull.from_scores(y, {"a": [1, 3, 5, 2, 4, 6]})
    flat = hull.within(rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(2, 4)))
    other = rocch.RocHull.from_scores(y, {"c": [1, 5, 3, 2, 4, 6]})
    steep = other.within(rocch.Conditions(prevalence=0.5, false_positive=(2, 4), false_negative=1))
    grown = flat.add(rocch.RocCurve.from_scores(y, [1, 2, 3, 4, 5, 6], name="b"))
    assert grown.slope_bounds == (0.25, 0.5)
    with pytest.raises(rocch.InputError, match="restricted to slopes"):
        grown.best(rocch.ErrorRate(0.5))
    with pytest.raises(rocch.InputError, match="overlap"):
        rocch.RocHull.of(flat, steep)
    even = rocch.Conditions(prevalence=0.5, false_positive=2, false_negative=1)
    (row,) = hull.within(even).slope_ranges()
    assert (row.classifier, row.low, row.high) == ("a", 2, 2)


def test_a_restricted_hull_does_not_pretend_to_be_whole() -> None:
    rng = np.random.default_rng(11)
    y = rng.random(800) < 0.3
    scores = {"a": rng.normal(size=800) + y, "b": 2 * rng.normal(size=800) + 2.2 * y}
    whole = rocch.RocHull.from_scores(y, {"a": scores["a"]})
    bounds = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(2, 3))
    small = whole.within(bounds)
    for ask in ("auc", "equal_error_rate"):
        with pytest.raises(rocch.InputError, match=f"{ask} must come from a whole hull"):
            getattr(small, ask)
    with pytest.raises(rocch.InputError, match="tpr_at must come from a whole hull"):
        small.tpr_at(0.1)
    with pytest.raises(rocch.InputError, match="fpr_at must come from a whole hull"):
        small.fpr_at(0.1)
    for name, s in (("b", scores["b"]), ("c", scores["a"] + 0.3 * y), ("d", rng.normal(size=800))):
        curve = rocch.RocCurve.from_scores(y, s, name=name)
        low, high = bounds.slope_range
        better = any(
            max(curve.tpr - m * curve.fpr) > max(whole.tpr - m * whole.fpr) + 1e-12
            for m in np.linspace(low, high, 2001)
        )
        assert small.consider(curve).extends == better


def test_hulls_can_be_walked() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    assert tuple(hull) == hull.vertices


def test_a_hull_tells_what_it_is() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]})
    assert repr(hull) == "<RocHull of 2 classifiers: 3 vertices, won by a>"


def test_changing_the_scores_afterwards_is_noticed_or_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(100) < 0.5
    s = rng.normal(size=100) + y
    asked, not_asked = (rocch.RocHull.from_scores(y, {"a": s}) for _ in range(2))
    before = asked.best(rocch.NeymanPearson(0.1))
    s[:] = s[::-1].copy()
    assert asked.best(rocch.NeymanPearson(0.1)) == before
    with pytest.raises(rocch.InputError, match="stay as they were when the hull was built"):
        not_asked.best(rocch.NeymanPearson(0.1))


def test_large_inputs_use_compiled_passes_with_the_same_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(6)
    y = rng.random(2 * SORT_AT_ONCE + 1) < 0.1
    scores = {"a": rng.normal(size=y.size) + y, "b": np.round(rng.normal(size=y.size) + y, 1)}
    plain = rocch.RocHull.from_scores(y, scores)
    monkeypatch.setitem(SAVES_A_SECOND, "passes", 0)
    count = Mock(wraps=compiled.count_labels)
    monkeypatch.setattr(compiled, "count_labels", count)
    assert rocch.RocHull.from_scores(y, scores) == plain
    assert count.called


def test_hulls_can_be_pickled_and_compared_with_other_things() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 1, 0], {"a": [1, 2, 3, 4]})
    assert pickle.loads(pickle.dumps(hull)) == hull  # noqa: S301 - our own bytes
    assert hull != "a"


def test_lookups_and_equal_error_rate_on_the_hull() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    assert hull.tpr_at(0.25) == 0.75
    assert hull.fpr_at(0.75) == 0.25
    assert hull.equal_error_rate == pytest.approx(1 / 3, abs=0.1)
    assert hull.equal_error_rate == pytest.approx(1 - hull.tpr_at(hull.equal_error_rate))


def test_both_ends_of_a_flat_last_segment_are_best_where_false_alarms_cost_nothing() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1, 1], {"model": [1, 2, 3, 4, 5]})
    assert [(v.false_positives, v.true_positives) for v in hull.vertices][-2:] == [(1, 3), (2, 3)]
    assert hull.best_between(0, 0) == range(2, 4)
    assert hull.best_between(0, math.inf) == range(4)
    assert hull.best_each(np.array([0.0, math.inf])).tolist() == [2, 0]
    free = rocch.Conditions(prevalence=0.5, false_positive=0, false_negative=1)
    best = hull.best(free)
    assert (best.fpr, best.tpr) == (0.5, 1)
    assert [(point.fpr, point.tpr) for point in best.also_best] == [(1, 1)]


@pytest.mark.parametrize(
    ("scores", "name"),
    [
        ([0.1, 0.4, 0.35, 0.8], "classifier"),
        ((1, 4, 3, 8), "classifier"),
        (np.array([0.1, 0.4, 0.35, 0.8], dtype=np.float32), "classifier"),
        (pd.Series([0.1, 0.4, 0.35, 0.8]), "classifier"),
        (pd.Series([0.1, 0.4, 0.35, 0.8], name="gbm"), "gbm"),
        (pd.Series([0.1, 0.4, 0.35, 0.8], name=3), "3"),
        (pl.Series([0.1, 0.4, 0.35, 0.8]), "classifier"),
        (pl.Series("gbm", [0.1, 0.4, 0.35, 0.8]), "gbm"),
        (pa.chunked_array([[0.1, 0.4], [0.35, 0.8]]), "classifier"),
        (pd.DataFrame({"gbm": [0.1, 0.4, 0.35, 0.8]}), "gbm"),
    ],
)
def test_one_classifier_needs_no_mapping(scores: Any, name: str) -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], scores)
    assert [member.name for member in hull.members] == [name]
    assert hull.auc == rocch.RocHull.from_scores([0, 0, 1, 1], {"x": [1, 3, 2, 4]}).auc
    if not isinstance(scores, pd.DataFrame):
        assert rocch.RocCurve.from_scores([0, 0, 1, 1], scores).name == name
    drawn = rocch.stats.bootstrap([0, 0, 1, 1], scores, replicates=20, random_state=0)
    assert list(drawn.models) == [name]


def test_both_columns_of_predict_proba_are_refused_with_the_remedy() -> None:
    both = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    with pytest.raises(rocch.InputError, match=r"one classifier's scores.*predict_proba\(X\)\["):
        rocch.RocHull.from_scores([0, 0, 1, 1], both)
