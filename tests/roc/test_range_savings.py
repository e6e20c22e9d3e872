"""What a choice saves where costs or class balance are ranges: the corners bound it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.numbers import money
from rocch.roc.conditions import Case
from rocch.roc.new_rows import RegretProcedure
from rocch.roc.operating_point import end_name
from rocch.roc.rate_intervals import cost_interval, saving_interval
from rocch.roc.savings import Saving, Savings
from rocch.rows import ScoredRows, cut_repeatedly

VAGUE = rocch.Conditions(prevalence=(0.2, 0.4), false_positive=(1, 2), false_negative=(3, 8))
CORNERS = [Case(*each) for each in product((0.2, 0.4), (1.0, 2.0), (3.0, 8.0))]
RANGES = [
    VAGUE,
    rocch.Conditions(prevalence=0.3, false_positive=(1, 30), false_negative=(1, 5)),
    rocch.Conditions(prevalence=(0.01, 0.9), false_positive=1, false_negative=2),
    rocch.Conditions(
        prevalence=0.3, false_positive=(2, 3), false_negative=(4, 9), true_positive=(0, 1)
    ),
]


def scored(seed: int, rows: int = 150, weights: Any = None) -> ScoredRows:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    scores = {
        "p": 1 / (1 + np.exp(1 - rng.normal(size=rows) - 1.5 * y)),
        "tied": np.round(rng.normal(size=rows) + y, 0),
        "says": rng.random(rows) < 0.2 + 0.5 * y,
    }
    return ScoredRows.of(y, scores, sample_weight=weights)


def repeat(rows: ScoredRows, vague: rocch.Conditions, train: Any, test: Any) -> tuple[Any, Any]:
    """Choose by the hull of the training rows; return its point and the alarms of test rows."""
    point = rocch.RocHull.from_rows(rows.select(train)).best(rocch.MinimaxRegret(vague)).point
    if (end := end_name(point.fpr, point.tpr)) is not None:
        return point, np.full(test.size, end == "always")
    column: Any = rows.scores[point.classifier][test]
    return point, column if column.dtype == bool else column >= point.threshold


@pytest.mark.parametrize("vague", RANGES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_procedure_is_the_choice_of_the_training_rows_hull(
    vague: rocch.Conditions, weighted: bool
) -> None:
    rng = np.random.default_rng(1)
    rows = scored(2, weights=rng.integers(1, 5, 150) / 2 if weighted else None)
    choose = RegretProcedure(rows, *vague.corners())
    for _ in range(20):
        train = np.flatnonzero(rng.random(150) < 0.7)
        test = np.setdiff1d(np.arange(150), train)
        assert choose(train, test).tolist() == [repeat(rows, vague, train, test)[1].tolist()]


def brute_force(rows: ScoredRows, baseline: Any = None) -> list[list[float]]:
    """Return cost, saving and bounds at each corner: each choice is made by a hull."""
    generator = np.random.default_rng(0)
    found, size = [], len(rows)
    for parts in (5, 2):
        own, other, both = np.zeros((3, size))
        for train, test in cut_repeatedly(rows, parts, 20, generator):
            _, alarms = repeat(rows, VAGUE, train, test)
            rival = rows.scores["p"][test] >= 0.5 if baseline is None else baseline[test]
            own[test] += alarms / 20
            other[test] += rival / 20
            both[test] += (alarms & rival) / 20
        found.append((own, other, both))
    (own, other, both), halves = found
    corners = []
    best = rocch.RocHull.from_rows(rows).best(rocch.MinimaxRegret(VAGUE))
    rates = [
        float(np.asarray(rows.scores["p"] >= 0.5)[of].mean())
        for of in (~rows.positive, rows.positive)
    ]
    for case in CORNERS:
        costs = []
        for mine, half, seen in (
            (own, halves[0], case.cost(best.fpr, best.tpr)),
            (other, halves[1], case.cost(rates[0], rates[1])),
        ):
            cost = cost_interval(rows, mine, case, 0.95)[0]
            excess = cost_interval(rows, half, case, 0.95)[0] - cost
            costs.append(max(cost - excess / 3, min(cost, seen)))
        if baseline is not None:
            costs[1] = cost_interval(rows, other, case, 0.95)[0]
        bounds = saving_interval(rows, own, other, case, 0.95, both)
        saves = costs[1] - costs[0]
        corners.append([*costs, saves, min(bounds.low, saves), max(bounds.high, saves)])
    return corners


@pytest.fixture(scope="module")
def rows() -> ScoredRows:
    return scored(7, 300)


@pytest.fixture(scope="module")
def best(rows: ScoredRows) -> rocch.roc.OperatingPoint:
    return rocch.RocHull.from_rows(rows).best(rocch.MinimaxRegret(VAGUE))


def find(found: Savings, baseline: str) -> Saving:
    (row,) = [row for row in found.rows if row.baseline == baseline]
    return row


@pytest.mark.parametrize("today", [False, True])
def test_savings_are_extreme_at_the_corners(
    rows: ScoredRows, best: rocch.roc.OperatingPoint, today: bool
) -> None:
    assert best.classifier == "p"
    baseline = rows.scores["tied"] >= 1 if today else None
    name = "today's rule" if today else "p at threshold 0.5"
    found = best.savings(baseline)
    row = find(found, name)
    own, other, saves, low, high = np.array(brute_force(rows, baseline)).T
    assert found.expected_range == pytest.approx((own.min(), own.max()))
    assert found.expected == pytest.approx(own.mean())
    assert row.cost_range == pytest.approx((other.min(), other.max()))
    assert row.saves_range == pytest.approx((saves.min(), saves.max()))
    assert row.saves_interval == pytest.approx((low.min(), high.max()))
    assert row.saves == pytest.approx(saves.mean())
    new = best.on_new_rows
    assert (new.expected, new.expected_range) == (found.expected, found.expected_range)


def test_inner_conditions_save_no_more_and_no_less(
    rows: ScoredRows, best: rocch.roc.OperatingPoint
) -> None:
    """Trivial rules have known costs: look at a grid of conditions."""
    alarms = best._compare().cost.alarms
    assert alarms is not None
    row = find(best.savings(), "never alarming")
    assert row.saves_range is not None
    fpr, tpr = (float(alarms[of].mean()) for of in (~rows.positive, rows.positive))
    sides = (0.2, 0.4), (1.0, 2.0), (3.0, 8.0)
    grid = product(*(np.linspace(low, high, 4).tolist() for low, high in sides))
    for p, alarm, miss in grid:
        case = Case(p, alarm, miss)
        saves = case.cost(0.0, 0.0) - case.cost(fpr, tpr)
        assert row.saves_interval.low <= saves <= row.saves_interval.high
    middle = Case(0.3, 1.5, 5.5)
    assert row.cost == pytest.approx(middle.cost(0.0, 0.0))


def test_the_sentence_names_what_it_depends_on(rows: ScoredRows) -> None:
    hull = rocch.RocHull.from_rows(rows)
    asked = rocch.Question(
        false_positive=(1, 2),
        false_negative=(30, 80),
        prevalence=0.3,
        currency="EUR",
        cases_per_month=1000,
    )
    best = hull.best(asked)
    rule, cost, saving = str(best).splitlines()
    assert " to " in rule
    assert cost == str(best.on_new_rows)
    row = best.savings().rows[0]
    assert row.saves_range is not None
    words = "saves {} to {} EUR per month against p at threshold 0.5, depending on costs "
    words += "(95%: {} to {})"
    amounts = map(money, (*row.saves_range, *row.saves_interval))
    assert saving == words.format(*amounts)
    for given, words in (
        ({"prevalence": (0.2, 0.4)}, "class balance"),
        ({"prevalence": (0.2, 0.4), "false_positive": (1, 2)}, "costs and class balance"),
    ):
        stated: Any = {"false_positive": 1, "false_negative": 30, **given}
        conditions = rocch.Conditions(**stated)
        found = hull.best(rocch.MinimaxRegret(conditions)).savings()
        assert f", depending on {words} (95%: " in str(found)


@pytest.mark.parametrize(
    ("span", "interval", "words"),
    [
        ((2, 5), (1, 7), "saves 2 to 5 per case against x, depending on costs (95%: 1 to 7)"),
        (
            (-2, 5),
            (-3, 7),
            "saves between -2 (costs more) and 5 per case against x, depending on costs "
            "(95%: -3 to 7, so not certain)",
        ),
        (
            (-5, -2),
            (-7, 1),
            "costs 2 to 5 more per case than x, depending on costs (95%: -1 to 7, so not certain)",
        ),
        ((2, 5), (2, 5), "saves 2 to 5 per case against x, depending on costs"),
        ((3, 3), (2, 5), "saves 3 per case against x (95%: 2 to 5)"),
    ],
)
def test_the_words_of_a_range(span: Any, interval: Any, words: str) -> None:
    between, bounds = rocch.roc.Interval(*span), rocch.roc.Interval(*interval)
    mean = sum(span) / 2
    row = Saving("x", 9, bounds, mean, bounds, between, between)
    found = Savings((row,), depends_on="costs")
    assert str(found) == words
    (many,) = found.per(10).rows
    assert many.saves_range == tuple(10 * end for end in span)
    assert found.to_dict()["baselines"][0]["saves_range"] == list(span)
    frame = found.to_frame()
    assert (frame["saves_least"][0], frame["saves_most"][0]) == span
    assert (frame["cost_least"][0], frame["cost_most"][0]) == span


def test_a_trivial_choice_is_known_and_compared_with_one_default() -> None:
    y = np.arange(60) % 3 == 1  # the highest and the lowest scores are those of negatives
    scores = {"p": np.linspace(0, 1, 60), "q": np.linspace(1, 0.3, 60)}
    costly = rocch.Conditions(prevalence=(0.01, 0.02), false_positive=(50, 90), false_negative=1)
    best = rocch.RocHull.from_scores(y, scores).best(rocch.MinimaxRegret(costly))
    assert best.is_trivial
    found = best.savings()
    assert [row.baseline for row in found.rows] == ["p at threshold 0.5", "always alarming"]
    assert best.on_new_rows.expected_range == (0.01, 0.02)
    assert str(best.on_new_rows) == "expected to cost 0.01 to 0.02 per case on new rows"


def test_exact_conditions_are_no_range(rows: ScoredRows) -> None:
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
    hull = rocch.RocHull.from_rows(rows)
    safe, cheap = hull.best(rocch.MinimaxRegret(known)).savings(), hull.best(known).savings()
    assert safe.expected_range is None
    assert safe.expected == pytest.approx(cheap.expected)
    assert [row.saves for row in safe.rows] == pytest.approx([row.saves for row in cheap.rows])


def test_what_cannot_be_repeated_says_why(rows: ScoredRows) -> None:
    hull, safe = rocch.RocHull.from_rows(rows), rocch.MinimaxRegret(VAGUE)
    coin = hull.best(safe, randomize=True)
    assert coin.randomized
    assert (
        coin.savings().note == "it is estimated only for the least cost, without limits or a coin"
    )
    assert coin.on_new_rows.expected_range is not None
    curve = rocch.RocCurve.from_scores(rows.positive, rows.scores["p"], name="p")
    for lost in (rocch.RocHull.of(curve), hull.within(VAGUE)):
        assert "were not kept" in lost.best(safe).savings().note
        with pytest.raises(rocch.InputError, match="baseline"):
            lost.best(safe).savings(0.5)
    few = rocch.RocHull.from_scores([0, 0, 0, 1], {"p": [0.1, 0.6, 0.4, 0.8]})
    assert "at least two rows with each class" in few.best(safe).savings().note
    limited = hull.best(rocch.Constrained(safe, rocch.NeymanPearson(0.2)))
    assert "without limits" in limited.savings().note


def test_changed_arrays_are_noticed() -> None:
    y = np.arange(40) % 3 == 0
    scores = np.arange(40) % 7 / 7
    best = rocch.RocHull.from_scores(y, {"p": scores}).best(rocch.MinimaxRegret(VAGUE))
    scores[:] = y
    with pytest.raises(rocch.InputError, match="stay as they were"):
        best.savings()


def test_beliefs_save_by_their_expected_costs(rows: ScoredRows) -> None:
    hull = rocch.RocHull.from_rows(rows)
    asked = rocch.Question(cost_ratio=(2, 20), false_positive=1, prevalence=0.3, currency="EUR")
    found = hull.best(asked).savings(0.4)
    assert found.rows[0].baseline == "today's rule, p >= 0.4"
    assert found.expected_range is None
    assert " EUR per case against " in str(found)
