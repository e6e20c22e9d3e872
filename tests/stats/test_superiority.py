"""Who is best where among many: consistent with the hull, with pairs and with simulation."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

import rocch
from rocch.roc.operating_point import ALWAYS, NEVER
from tests.support.strategies import judged_table

if TYPE_CHECKING:
    from collections.abc import Callable

lib: Any = rocch  # so that mypy lets the tests pass what users should not

EXPERT = rocch.Belief.cost_ratio(0.5, 10, likely=4)
Table = tuple[list[bool], dict[str, list[float]]]


def best(classifiers: Any, belief: rocch.Belief = EXPERT, **given: Any) -> rocch.stats.Superiority:
    return rocch.stats.rank_under_belief(classifiers, belief=belief, **{"prevalence": 0.3, **given})


@given(judged_table())
def test_stretches_are_the_hulls_slope_ranges(table: Table) -> None:
    """Slope = (1 - c) / c x (1 - p) / p; whoever has a slope range is best all along it."""
    hull = rocch.RocHull.from_scores(*table)
    found = best(hull)
    for row in hull.slope_ranges():
        ends = [(0.7 / 0.3) / (slope + 0.7 / 0.3) for slope in (row.high, row.low)]
        middle = sum(ends) / 2
        holders = [s.classifiers for s in found.stretches if s.low - 1e-12 <= middle <= s.high]
        assert any(row.classifier in names for names in holders)
        for low, high in (
            s for r in found.classifiers if r.classifier == row.classifier for s in r.stretches
        ):
            if low <= middle <= high:
                assert low <= ends[0] + 1e-12
                assert ends[1] <= high + 1e-12


@given(judged_table())
def test_stretches_cover_the_axis_and_masses_sum_to_one(table: Table) -> None:
    found = best(rocch.RocHull.from_scores(*table))
    assert (found.stretches[0].low, found.stretches[-1].high) == (0, 1)
    for one, other in pairwise(found.stretches):
        assert one.low < one.high == other.low
        assert one.classifiers != other.classifiers
    for ranked in found.classifiers:
        own = [s for s in found.stretches if ranked.classifier in s.classifiers]
        starts = [s.low for s in own if s.low not in [other.high for other in own]]
        ends = [s.high for s in own if s.high not in [other.low for other in own]]
        assert ranked.stretches == tuple(zip(starts, ends, strict=True))  # touching ones joined
    assert sum(stretch.mass for stretch in found.stretches) == pytest.approx(1)
    assert sum(row.alone for row in found.classifiers) <= 1 + 1e-12
    assert sum(row.mass for row in found.classifiers) >= 1 - 1e-12
    assert found.error == 0


@given(judged_table())
def test_whoever_is_best_beats_everyone_by_pairs(table: Table) -> None:
    """Where nobody is better, no rival is: its lead is at most the rest of the belief."""
    labels, scores = table
    found = best(rocch.RocHull.from_scores(labels, scores))
    index = found.pairwise()
    masses = {row.classifier: row.mass for row in found.classifiers}
    for a in scores:
        for b in scores:
            if a != b:
                assert index[a, b] == -index[b, a]
                assert index[a, b] >= masses[a] - 1 - 1e-9


@given(judged_table())
def test_pairs_are_compared_as_compare_losses_does(table: Table) -> None:
    labels, scores = table
    found = best(rocch.RocHull.from_scores(labels, scores)).pairwise()
    curves = {n: rocch.RocCurve.from_scores(labels, s, name=n) for n, s in scores.items()}
    for (a, b), index in found.items():
        pair = rocch.stats.compare_losses(curves[a], curves[b], belief=EXPERT, prevalence=0.3)
        assert index == pytest.approx(pair.lc_index)
    assert len(found) == len(scores) * (len(scores) - 1)


def crossing() -> rocch.RocHull:
    y = [0, 0, 0, 1, 1, 1]
    return rocch.RocHull.from_scores(
        y, {"nb": [1, 2, 6, 5, 4, 7], "gbm": [3, 4, 5, 2, 6, 7], "coin": [1, 1, 1, 1, 1, 1]}
    )


def test_a_classifier_that_is_nowhere_best_is_listed_with_nothing() -> None:
    found = best(crossing())
    assert [row.classifier for row in found.classifiers][-1] == "coin"
    assert found.classifiers[-1].mass == 0
    assert found.classifiers[-1].stretches == ()


def test_shared_wins_are_told_from_lone_ones() -> None:
    y, s = [0, 0, 1, 1], [1, 3, 2, 4]
    found = best(rocch.RocHull.from_scores(y, {"a": s, "twin": s}))
    assert [(row.alone, row.shared) for row in found.classifiers] == [(0, 1), (0, 1)]
    assert found.stretches == (rocch.stats.Stretch(0.0, 1.0, ("a", "twin"), 1.0),)
    assert str(found).endswith("; shared wins count for all who share them.")
    assert found.pairwise() == {("a", "twin"): 0, ("twin", "a"): 0}
    assert math.copysign(1, found.pairwise()["twin", "a"]) == 1


def test_never_and_always_have_rows_where_they_alone_are_best() -> None:
    y = [0, 0, 0, 1, 1, 1]
    rules = rocch.RocCurve.from_labels(y, [1, 0, 0, 1, 1, 0], name="rules")
    found = best([rules], rocch.Belief.cost_ratio(0.1, 10), prevalence=0.5)
    rows = {row.classifier: row for row in found.classifiers}
    assert set(rows) == {"rules", NEVER, ALWAYS}
    assert rows[NEVER].stretches[0][0] == 0
    assert rows[ALWAYS].stretches[-1][1] == 1
    assert sum(row.alone for row in found.classifiers) == pytest.approx(1)


def test_certain_costs_at_a_switch_belong_to_both_sides() -> None:
    """At the slope of a segment both its ends are best."""
    found = best(crossing(), rocch.Belief.cost_ratio(1), prevalence=0.5)
    rows = {row.classifier: row for row in found.classifiers}
    assert (rows["nb"].shared, rows["gbm"].shared) == (1, 1)
    assert (rows["nb"].alone, rows["gbm"].alone, rows["coin"].mass) == (0, 0, 0)


def test_masses_are_those_of_a_simulation() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.3
    scores = {
        "a": rng.normal(size=400) + 1.5 * y * (rng.random(400) < 0.7),
        "b": rng.normal(size=400) * (1 - 0.6 * y) + 0.9 * y,
        "c": rng.normal(size=400) + y,
    }
    hull = rocch.RocHull.from_scores(y, scores)
    found = best(hull)
    shares = rng.triangular(1 / 3, 0.8, 10 / 11, 5000)
    slopes = (1 - shares) / shares * 0.7 / 0.3
    holders = [hull.vertices[i].classifiers for i in hull.best_each(slopes)]
    for row in found.classifiers:
        drawn = np.mean([row.classifier in names for names in holders])
        assert row.mass == pytest.approx(float(drawn), abs=0.03)


def test_curves_may_come_in_any_container() -> None:
    y = [0, 1, 0, 1]
    curves = [
        rocch.RocCurve.from_scores(y, s, name=n)
        for n, s in {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}.items()
    ]
    wanted = best(rocch.RocHull.of(*curves)).classifiers
    assert best(curves).classifiers == best(tuple(curves)).classifiers == wanted
    assert best(iter(curves)).classifiers == wanted
    assert best(curves[0]).classifiers[0].alone == 1


def test_an_uncertain_prevalence_states_its_error() -> None:
    found = best(crossing(), prevalence=(0.2, 0.6))
    assert (found.axis, found.prevalence) == ("probability-cost", None)
    assert 0 < found.error < 1e-6
    assert sum(row.mass for row in found.classifiers) == pytest.approx(1)


def test_it_is_said_in_words() -> None:
    found = best(crossing(), rocch.Belief.cost_ratio(0.5, 3), prevalence=0.5)
    assert str(found).startswith("nb is best for ")
    assert ", gbm for " in str(found)
    assert "coin" not in str(found)
    assert repr(found) == f"<Superiority of 3 classifiers: {found}>"
    assert found.axis == "cost share"
    assert found.prevalence == 0.5


CURVE = rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4], name="a")
VAGUE = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(1, 2))
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "nothing": (lambda: best([]), "parts must be at least one curve"),
    "scores": (lambda: best([[1, 2], [3, 4]]), "RocCurve"),
    "a number": (lambda: best(5), "classifiers must be a RocHull"),
    "a text": (lambda: best("nb"), "classifiers must be a RocHull"),
    "a restricted hull": (lambda: best(crossing().within(VAGUE)), "whole hull"),
    "a restricted hull in a list": (lambda: best([crossing().within(VAGUE)]), "whole hull"),
    "no prevalence": (lambda: best(CURVE, prevalence=None), "prevalence must be named"),
    "prevalence twice": (lambda: best(CURVE, EXPERT.with_prevalence(0.3)), "named once"),
    "a bare interval": (
        lambda: lib.stats.rank_under_belief(CURVE, belief=(1, 2)),
        "belief must be a Belief",
    ),
    "same names": (lambda: best([CURVE, CURVE]), "distinct"),
}


@pytest.mark.parametrize(("refused", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_refused_clearly(refused: Callable[[], Any], says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        refused()
