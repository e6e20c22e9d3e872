"""What a choice costs on new rows: the choice is repeated without the rows that judge it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.roc.conditions import Case
from rocch.roc.new_rows import HullProcedure, estimate_new_rows_cost, vertex_costs
from rocch.roc.operating_point import end_name
from rocch.roc.rate_intervals import cost_interval
from rocch.rows import ScoredRows

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
CONDITIONS = [
    rocch.Conditions(prevalence=0.4, false_positive=fp, false_negative=fn)
    for fp, fn in ((1, 1), (1, 4), (5, 1), (1, 500), (500, 1), (0, 1), (1, 0), (3, 2))
]


def scored(seed: int, rows: int = 120, **options: Any) -> ScoredRows:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) < 0.4 * rows
    scores = {
        "tied": np.round(rng.normal(size=rows) + y, 0),
        "b": rng.normal(size=rows) + y,
        "says": rng.random(rows) < 0.2 + 0.5 * y,
    }
    return ScoredRows.of(y, scores, **options)


def hull_decides(
    rows: ScoredRows, conditions: rocch.Conditions, train: Any, test: Any
) -> tuple[Any, Any]:
    """Build the hull of the training rows in the ordinary way, and apply its best vertex."""
    point = rocch.RocHull.from_rows(rows.select(train)).best(conditions).point
    if (end := end_name(point.fpr, point.tpr)) is not None:
        return point, np.full(test.size, end == "always")
    column: Any = rows.scores[point.classifier][test]
    return point, column if column.dtype == bool else column >= point.threshold


@pytest.mark.parametrize("conditions", CONDITIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_procedure_is_the_best_vertex_of_the_training_rows_hull(
    conditions: rocch.Conditions, weighted: bool
) -> None:
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 5, 120) / 2 if weighted else None
    rows = scored(2, sample_weight=weights)
    choose = HullProcedure(rows, conditions.case)
    for _ in range(20):
        train = np.flatnonzero(rng.random(120) < 0.7)
        test = np.setdiff1d(np.arange(120), train)
        _, decided = hull_decides(rows, conditions, train, test)
        assert choose(train, test).tolist() == [decided.tolist()]


def test_each_repetition_leaves_every_row_out_once_and_keeps_the_classes() -> None:
    rows, seen = scored(3, rows=117), []

    def decide(train: Any, test: Any) -> Any:
        assert sorted([*train, *test]) == list(range(117))
        seen.append(test)
        return np.zeros(test.size)

    found = estimate_new_rows_cost(rows, KNOWN.case, decide, apparent=0.5, repetitions=4)
    assert found.resamples == len(seen) == 28
    cuts = [seen[i : i + 5] for i in range(0, 20, 5)] + [seen[i : i + 2] for i in range(20, 28, 2)]
    for parts in cuts:
        assert sorted(np.concatenate(parts).tolist()) == list(range(117))
        for kind in (False, True):
            counts = [np.count_nonzero(rows.positive[part] == kind) for part in parts]
            assert max(counts) - min(counts) <= 1
    assert found.expected == pytest.approx(KNOWN.expected_cost(0, 0))


def test_costs_that_fall_with_the_rows_are_extrapolated_to_all_rows() -> None:
    """A procedure whose FPR is a tenth of 1 / (its share of the rows) has one of 0.1 on all."""
    rows = scored(3, rows=100)

    def decide(train: Any, test: Any) -> Any:
        return np.where(rows.positive[test], 1.0, 0.1 * 100 / train.size)

    found = estimate_new_rows_cost(rows, KNOWN.case, decide, apparent=0.0)
    assert found.expected == pytest.approx(KNOWN.expected_cost(0.1, 1))
    careful = estimate_new_rows_cost(rows, KNOWN.case, decide, apparent=0.08)
    assert careful.expected == 0.08  # never below the apparent cost, if fewer rows cost more
    assert careful.interval is not None
    assert careful.interval.low <= 0.08 <= careful.interval.high


@pytest.mark.parametrize("mixed", [False, True])
def test_groups_are_never_split(mixed: bool) -> None:
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 25, 117) if mixed else np.arange(117) // 4
    rows = scored(3, rows=117, groups=groups)

    def decide(train: Any, test: Any) -> Any:
        assert not set(groups[train]) & set(groups[test])
        assert rows.positive[train].any()
        assert not rows.positive[train].all()
        return rows.scores["b"][test] > 0

    estimate_new_rows_cost(rows, KNOWN.case, decide, apparent=0.5)


def test_every_training_part_has_both_classes_however_few_the_groups() -> None:
    y = np.array([1, 0, 1, 1, 0, 0, 0])
    rows = ScoredRows.of(y, {"m": np.arange(7.0)}, groups=np.array([0, 0, 1, 1, 2, 2, 2]))

    def decide(train: Any, test: Any) -> Any:
        assert 0 < np.count_nonzero(rows.positive[train]) < train.size
        return np.zeros(test.size)

    assert estimate_new_rows_cost(rows, KNOWN.case, decide, apparent=0.5).resamples == 10


def test_entries_of_one_row_stay_together_and_count_once() -> None:
    once = scored(5)
    again = once.select(np.repeat(np.arange(120), 3))
    again = ScoredRows(again.positive, again.scores, index=np.repeat(np.arange(120), 3))

    def decide(train: Any, test: Any) -> Any:
        assert not set(again.index[train]) & set(again.index[test])  # type: ignore[index]
        return again.scores["b"][test] > 0.5

    found = estimate_new_rows_cost(again, KNOWN.case, decide, apparent=0.5)
    alarms = (once.scores["b"] > 0.5).astype(float)
    assert (found.expected, found.interval) == cost_interval(once, alarms, KNOWN.case, 0.95)


def test_alarms_are_averaged_over_repetitions() -> None:
    rows, rng = scored(6), np.random.default_rng(0)
    sums = np.zeros((2, len(rows)))  # of choices by halves and by fifths

    def decide(train: Any, test: Any) -> Any:
        chances = rng.random(test.size)
        sums[int(train.size > 70)][test] += chances
        return chances

    found = estimate_new_rows_cost(rows, KNOWN.case, decide, apparent=0.0, repetitions=3)
    kinds = ~rows.positive, rows.positive
    halves, fifths = (
        KNOWN.expected_cost(*(float(total[kind].mean()) / 3 for kind in kinds)) for total in sums
    )
    assert found.expected == pytest.approx(fifths - (halves - fifths) / 3)


def test_choices_that_disagree_about_rows_widen_the_interval() -> None:
    rows = scored(6)
    sure = np.arange(120) % 2 == 0
    cost, narrow = cost_interval(rows, sure.astype(float), KNOWN.case, 0.95)
    same, wide = cost_interval(rows, np.full(120, 0.5), KNOWN.case, 0.95)
    assert same == pytest.approx(cost)
    assert wide.low < narrow.low
    assert narrow.high < wide.high


def test_weighted_rows_count_by_weight() -> None:
    rng = np.random.default_rng(7)
    times = rng.integers(1, 4, 120)
    rows, alarms = scored(8, sample_weight=times.astype(float)), rng.random(120)
    cost, interval = cost_interval(rows, alarms, KNOWN.case, 0.9)
    repeated = scored(8).select(np.repeat(np.arange(120), times))
    whole, narrow = cost_interval(repeated, np.repeat(alarms, times), KNOWN.case, 0.9)
    assert cost == pytest.approx(whole)
    assert interval.high - interval.low > narrow.high - narrow.low


def test_rows_without_weight_neither_choose_nor_judge() -> None:
    rows = scored(8)
    first = np.flatnonzero(rows.positive)[:2]
    weights = np.where(rows.positive, 0.0, 1.0)
    weights[first] = 1.0
    weighted = scored(8, sample_weight=weights)

    def decide(train: Any, test: Any) -> Any:
        assert weights[train][rows.positive[train]].sum() == 1
        return np.isin(test, first)

    found = estimate_new_rows_cost(weighted, KNOWN.case, decide, apparent=0.0)
    assert found.resamples == 10
    assert found.expected == pytest.approx(KNOWN.expected_cost(0, 1))


def test_infinite_scores_are_scores() -> None:
    rng = np.random.default_rng(12)
    y = np.arange(80) < 30
    scores = np.where(rng.random(80) < 0.4, np.inf, rng.normal(size=80) + y)
    scores[rng.random(80) < 0.2] = -np.inf
    rows = ScoredRows.of(y, {"m": scores})
    choose = HullProcedure(rows, KNOWN.case)
    for _ in range(10):
        train = np.flatnonzero(rng.random(80) < 0.7)
        test = np.setdiff1d(np.arange(80), train)
        _, decided = hull_decides(rows, KNOWN, train, test)
        assert choose(train, test).tolist() == [decided.tolist()]


def test_too_few_rows_have_no_expectation() -> None:
    rows = ScoredRows.of([0, 0, 0, 1], {"m": [1.0, 2.0, 3.0, 4.0]})
    found = estimate_new_rows_cost(rows, KNOWN.case, lambda *_: np.ones(1), apparent=0.25)
    assert found.expected is None
    assert found.interval is None
    assert str(found) == (
        "0.25 on the evaluation rows; no expected cost on new rows: it takes at least two rows "
        "with each class to leave one out"
    )


@pytest.fixture(scope="module")
def hull() -> rocch.RocHull:
    return rocch.RocHull.from_rows(scored(9))


def test_the_best_vertex_says_what_it_costs_on_new_rows(hull: rocch.RocHull) -> None:
    found = hull.best(KNOWN)
    told = found.on_new_rows
    assert told is found.on_new_rows  # computed once
    assert told.apparent == found.expected_cost
    assert told.expected is not None
    assert told.interval is not None
    assert told.interval.low < told.expected < told.interval.high
    rows = scored(9)
    assert told == estimate_new_rows_cost(
        rows,
        KNOWN.case,
        lambda train, test: hull_decides(rows, KNOWN, train, test)[1],
        apparent=told.apparent or 0,
        repetitions=20,
    )
    assert str(told).startswith(f"expected to cost {told.expected:.3g} per case on new rows (95%:")


def test_several_conditions_at_once_are_estimated_as_each_alone() -> None:
    scores = np.arange(60.0)
    positive = np.random.default_rng(5).random(60) < scores / 60
    positive[[0, 59]] = True, False  # the trivial classifiers are best somewhere
    rows = ScoredRows.of(positive, {"m": scores})
    hull = rocch.RocHull.from_rows(rows)
    cases = [Case(share, 1, 1) for share in (0.001, 0.1, 0.3, 0.5, 0.9, 0.999)]
    best = [
        hull.best(rocch.Conditions(prevalence=c.prevalence, false_positive=1, false_negative=1))
        for c in cases
    ]
    assert {each.rule() for each in best} >= {"never alarm", "always alarm"}
    found = vertex_costs(rows, cases, best)
    assert found == [each.on_new_rows for each in best]
    assert len({each.expected for each in found}) == len(cases)
    without = vertex_costs(None, cases, best)
    assert [each.expected is None for each in without] == [each.resamples > 0 for each in found]


def test_many_scores_are_cut_fewer_times() -> None:
    y = np.arange(200_000) % 2 == 0
    few, many = (ScoredRows(y, {f"m{i}": y * 1.0 for i in range(n)}) for n in (1, 20))
    assert HullProcedure(few, KNOWN.case).repetitions == 20
    assert HullProcedure(many, KNOWN.case).repetitions == 3


def test_joined_hulls_keep_their_rows(hull: rocch.RocHull) -> None:
    rows = scored(9)
    parts = (rocch.RocHull.from_rows(rows, names) for names in (["b"], ["tied", "says"]))
    joined = rocch.RocHull.of(*parts)
    assert joined.best(KNOWN).on_new_rows == hull.best(KNOWN).on_new_rows


def test_groups_of_the_rows_count() -> None:
    rows = scored(9).select(np.repeat(np.arange(120), 3))
    groups = np.repeat(np.arange(120), 3)
    apart = rocch.RocHull.from_rows(rows).best(KNOWN).on_new_rows
    whole = rocch.RocHull.from_rows(ScoredRows(rows.positive, rows.scores, groups=groups))
    together = whole.best(KNOWN).on_new_rows
    widths = [told.interval.high - told.interval.low for told in (apart, together) if told.interval]
    assert widths[1] > 1.4 * widths[0]


def test_beliefs_and_error_rates_have_an_expected_cost(hull: rocch.RocHull) -> None:
    belief = rocch.Belief.cost_ratio(1, 8, likely=2).with_unit(false_positive=1)
    for criterion in (
        rocch.LeastExpectedRegret(belief.with_prevalence("observed")),
        rocch.ErrorRate(),
    ):
        told = hull.best(criterion).on_new_rows
        assert told.expected is not None
        assert told.apparent == hull.best(criterion).expected_cost


@pytest.mark.parametrize(
    ("criterion", "because"),
    [
        (rocch.NeymanPearson(0.1), "no costs were stated"),
        (rocch.Maximize("f1"), "no costs were stated"),
        (rocch.roc.Knob(0.4), "the knob states no costs"),
    ],
)
def test_other_criteria_say_why_they_have_none(
    hull: rocch.RocHull, criterion: Any, because: str
) -> None:
    told = hull.best(criterion).on_new_rows
    assert told.expected is None
    assert because in told.note
    assert told.apparent is None
    words = "no expected cost on new rows: " if told.rates is None else "on new rows expect a "
    assert str(told).startswith(words)


@pytest.mark.parametrize(("costs", "known"), [((1000, 0.1), 0.03), ((0.1, 1000), 0.07)])
def test_never_and_always_cost_what_they_cost(costs: tuple[float, float], known: float) -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1] * 5, {"m": [2, 1, 3, 3] * 5})
    extreme = rocch.Conditions(prevalence=0.3, false_positive=costs[0], false_negative=costs[1])
    told = hull.best(extreme).on_new_rows
    assert told.expected == pytest.approx(known)
    assert told.interval == (told.expected, told.expected)
    assert str(told) == f"costs {known} per case, on new rows as on the evaluation rows"


def test_a_hull_without_rows_says_so(hull: rocch.RocHull) -> None:
    rows = scored(9)
    curves = rocch.RocHull.of(*(rocch.RocCurve.from_rows(rows, name) for name in rows.scores))
    column = rows.scores["b"] + rows.positive
    better = rocch.RocCurve.from_scores(rows.positive, column, name="new")
    other = rocch.RocHull.from_rows(scored(10, rows=90))
    other = rocch.RocHull.of(
        other, rocch.RocHull.from_scores([0, 1, 0], {"z": [1, 2, 3]}), allow_different_rows=True
    )
    for kept in (
        curves,
        hull.add(better),
        other,
        hull.within(KNOWN),
    ):
        told = kept.best(KNOWN).on_new_rows
        assert told.expected is None
        assert "were not kept, or differ between classifiers" in told.note


def test_it_is_no_part_of_what_is_compared_written_or_pickled(hull: rocch.RocHull) -> None:
    found, again = hull.best(KNOWN), hull.best(KNOWN)
    before = pickle.dumps(found)
    assert found.on_new_rows.expected is not None
    assert pickle.dumps(found) == before
    assert found == again
    assert hash(found) == hash(again)
    assert repr(found) == repr(again)
    for copied in (pickle.loads(before), copy.copy(found)):  # noqa: S301 - our own bytes
        assert copied == found
        assert copied.on_new_rows.note.startswith("only the choice that hull.best(...) returns")


def test_changed_arrays_are_noticed() -> None:
    rows = scored(11)
    hull = rocch.RocHull.from_rows(rows)
    found = hull.best(KNOWN)
    rows.scores["b"][:] = rows.scores["b"][::-1].copy()
    with pytest.raises(rocch.InputError, match="stay as they were"):
        found.on_new_rows  # noqa: B018
