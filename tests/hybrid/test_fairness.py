"""Fair rates by group: against enumeration, an exact linear program, and laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.hybrid import fair_rates, fair_search
from rocch.hybrid.fair_search import SOLVER_TOLERANCE
from rocch.hybrid.fairness import RATES
from rocch.kernels import windows
from tests.support.oracles import fairness as oracle

COSTS = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
KINDS = sorted(RATES)
TOLERANCES = [Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1)]


def simulate(rows: int = 1500, seed: int = 0, names: str = "abc") -> tuple[Any, Any, Any]:
    """Draw labels, scores of two classifiers, and groups of unequal difficulty."""
    rng = np.random.default_rng(seed)
    groups = rng.choice(list(names), rows)
    place = np.array([names.index(name) for name in groups])
    y = rng.random(rows) < 0.5 - 0.12 * place
    scores = {
        "nb": rng.normal(size=rows) + (0.8 + 0.6 * place) * y,
        "gbm": rng.normal(size=rows) + (1.6 - 0.2 * place) * y,
    }
    return y, scores, groups


@st.composite
def small_groups(draw: st.DrawFn) -> list[oracle.GroupRows]:
    groups = []
    classifiers = draw(st.integers(1, 2))
    for _ in range(draw(st.integers(2, 3))):
        size = draw(st.integers(2, 5))
        labels = [True, False, *draw(st.lists(st.booleans(), min_size=size, max_size=size))]
        score = st.lists(st.integers(0, 4), min_size=len(labels), max_size=len(labels))
        groups.append(oracle.GroupRows(labels, [draw(score) for _ in range(classifiers)]))
    return groups


def ask(groups: list[oracle.GroupRows], **options: Any) -> rocch.hybrid.FairRates:
    y = [label for group in groups for label in group.labels]
    names = [place for place, group in enumerate(groups) for _ in group.labels]
    scores = {
        f"m{m}": [float(score) for group in groups for score in group.scores[m]]
        for m in range(len(groups[0].scores))
    }
    return fair_rates(y, scores, names, COSTS, **options)


@settings(max_examples=30)
@given(small_groups(), st.sampled_from(KINDS), st.sampled_from(TOLERANCES))
def test_single_settings_are_the_best_of_all(
    groups: list[oracle.GroupRows], kind: Any, tolerance: Fraction
) -> None:
    best = oracle.least_cost(groups, RATES[kind], tolerance, 1, 2)
    found = ask(groups, rates=kind, tolerance=float(tolerance))
    assert best is not None  # to never alarm is fair
    assert found.deterministic is not None
    assert found.cost == pytest.approx(float(best), abs=1e-12)
    assert found.violation <= tolerance + Fraction(1, 10**12)
    assert found.deterministic.gap == 0


@settings(max_examples=40)
@given(small_groups(), st.sampled_from(KINDS), st.sampled_from(TOLERANCES))
def test_mixes_are_the_best_by_an_exact_program(
    groups: list[oracle.GroupRows], kind: Any, tolerance: Fraction
) -> None:
    found = ask(groups, rates=kind, tolerance=float(tolerance), randomize=True)
    assert found.violation <= float(tolerance) + SOLVER_TOLERANCE
    slack = Fraction(1, 10**7)
    reached = Fraction(found.cost)
    question = groups, RATES[kind], tolerance, 1, 2
    assert oracle.mixing_reaches(*question, reached + slack)
    assert not oracle.mixing_reaches(*question, reached - slack)


@settings(max_examples=30)
@given(small_groups(), st.sampled_from(KINDS), st.sampled_from(TOLERANCES))
def test_floors_hold_or_are_refused(
    groups: list[oracle.GroupRows], kind: Any, tolerance: Fraction
) -> None:
    floor = Fraction(1, 2)
    best = oracle.least_cost(groups, RATES[kind], tolerance, 1, 2, floor)
    limits = rocch.MinimumTpr(0.5)
    assert best is not None  # to always alarm is fair
    found = ask(groups, rates=kind, tolerance=float(tolerance), limits=limits)
    assert found.cost == pytest.approx(float(best), abs=1e-12)
    mixed = ask(groups, rates=kind, tolerance=float(tolerance), limits=limits, randomize=True)
    for choice in (found, mixed):
        assert all(point.tpr >= 0.5 - 1e-9 for point in choice.points.values())
    assert mixed.cost <= found.cost + 1e-9


@settings(max_examples=30)
@given(small_groups(), st.sampled_from(KINDS))
def test_costs_fall_as_the_tolerance_grows(groups: list[oracle.GroupRows], kind: Any) -> None:
    costs = [ask(groups, rates=kind, tolerance=t) for t in (0, 0.05, 0.2, 0.5, 1)]
    for one, other in pairwise(costs):
        assert other.cost <= one.cost + 1e-12
        assert other.randomized.cost <= one.randomized.cost + 1e-9
    assert all(found.randomized.cost <= found.cost + 1e-9 for found in costs)
    best = sum(g.share * g.hull.best(COSTS).value for g in costs[-1].problem.groups)
    assert costs[-1].cost == pytest.approx(best, abs=1e-12)
    assert costs[-1].price == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("randomize", [False, True])
def test_rules_reach_the_rates_that_are_stated(kind: Any, randomize: bool) -> None:
    y, scores, groups = simulate()
    found = fair_rates(y, scores, groups, COSTS, rates=kind, tolerance=0.03, randomize=randomize)
    assert found.violation <= 0.03 + SOLVER_TOLERANCE < found.unconstrained.violation
    assert found.price > 0 <= found.coin_gain
    rule = found.rule(row_key="id")
    keys = np.arange(y.size)
    decisions = rule.decide(scores, groups, row_key=keys)
    for name, point in found.points.items():
        for label, rate in ((False, point.fpr), (True, point.tpr)):
            own = (groups == name) & (y == label)
            # a coin is tossed for each row, so the share is near its expectation
            assert decisions[own].mean() == pytest.approx(rate, abs=0.1 if randomize else 1e-12)
    checked = found.check(y, scores, groups)
    assert checked.cost == pytest.approx(found.cost)
    assert checked.violation == pytest.approx(found.violation)
    same = found.differences()
    assert [d.difference for d in checked.differences] == pytest.approx(
        [d.difference for d in same.differences]
    )
    assert same.chose_rule
    assert "optimistic" in str(same)
    assert checked.chose_rule  # they are the same rows
    half = slice(None, None, 2)
    other = found.check(y[half], {name: s[half] for name, s in scores.items()}, groups[half])
    assert not other.chose_rule
    assert "did not choose" in str(other)


def test_points_inside_the_hull_need_three_settings() -> None:
    y, scores, groups = simulate(seed=3)
    found = fair_rates(y, scores, groups, COSTS, tolerance=0.01, randomize=True)
    assert max(len(point.mix) for point in found.points.values()) == 3
    for point in found.points.values():
        assert sum(share for share, _ in point.mix) == pytest.approx(1, abs=1e-15)
        assert point.rule().count("with probability") == len(point.mix) - 1


def test_a_stated_prevalence_holds_for_all_groups() -> None:
    y, scores, groups = simulate()
    stated = rocch.Conditions(prevalence=0.25, false_positive=1, false_negative=2)
    for randomize in (False, True):
        found = fair_rates(
            y,
            scores,
            groups,
            stated,
            rates="predicted_positive",
            tolerance=0.02,
            randomize=randomize,
        )
        rates = [
            p.performance(prevalence=0.25).predicted_positive_rate for p in found.points.values()
        ]
        assert max(rates) - min(rates) == pytest.approx(found.violation)
        assert found.violation <= 0.02 + SOLVER_TOLERANCE
        shares = [np.mean(groups == name) for name in found.points]
        costs = [p.expected_cost for p in found.points.values()]
        assert np.dot(shares, costs) == pytest.approx(found.cost)  # type: ignore[arg-type]
        assert found.check(y, scores, groups).violation == pytest.approx(found.violation)


def test_whole_weights_count_as_repeated_rows() -> None:
    y, scores, groups = simulate(300)
    weights = np.random.default_rng(1).integers(1, 4, 300)
    repeated = [np.repeat(each, weights) for each in (y, groups)]
    again = {name: np.repeat(column, weights) for name, column in scores.items()}
    for kind in KINDS:
        options: Any = {"rates": kind, "tolerance": 0.05}
        one = fair_rates(y, scores, groups, COSTS, sample_weight=weights, **options)
        other = fair_rates(repeated[0], again, repeated[1], COSTS, **options)
        assert one.cost == pytest.approx(other.cost)
        assert one.randomized.cost == pytest.approx(other.randomized.cost)
    with pytest.raises(rocch.InputError, match="sample_weight must be left out for intervals"):
        one.differences()


def test_costs_along_the_tolerance() -> None:
    y, scores, groups = simulate(600)
    found = fair_rates(y, scores, groups, COSTS, rates="tpr", tolerance=0.05)
    curve = found.cost_curve()
    assert curve.tolerances[0] == 0
    assert curve.deterministic[curve.tolerances == 0.05] == pytest.approx(found.cost)
    assert curve.tolerances[-1] == found.unconstrained.violation
    for costs in (curve.deterministic, curve.randomized):
        assert (np.diff(costs) <= 1e-12).all()
    assert (curve.randomized <= curve.deterministic + 1e-9).all()
    assert curve.deterministic[-1] == pytest.approx(found.unconstrained.cost)
    here = found.cost_curve([0.05, 0.05])
    assert here.deterministic == pytest.approx([found.cost])
    assert here.to_frame("polars").columns == ["tolerance", "deterministic", "randomized"]
    with pytest.raises(rocch.InputError, match="tolerances must be a number from 0 to 1; got 2"):
        found.cost_curve(2)


def test_curves_leave_out_what_cannot_be_met() -> None:
    y, scores, groups = simulate(600)
    limits: Any = {"a": rocch.MinimumTpr(0.9), "b": rocch.roc.LinearLimit(tpr=1, at_most=0.6)}
    found = fair_rates(y, scores, groups, COSTS, rates="tpr", tolerance=0.5, limits=limits)
    curve = found.cost_curve([0.1, 0.35])
    assert np.isnan([curve.deterministic[0], curve.randomized[0]]).all()
    assert np.isfinite([curve.deterministic[1], curve.randomized[1]]).all()


def test_frames_and_texts() -> None:
    y, scores, groups = simulate()
    found = fair_rates(y, scores, groups, COSTS, rates="fpr", tolerance=0.05)
    frame = found.to_frame()
    assert frame["group"].tolist() == ["a", "b", "c"]
    assert frame["rows"].sum() == y.size
    assert frame["rule"][0].startswith("alarm when")
    assert "FPR differs by at most" in str(found)
    assert "a coin would gain" in str(found)
    both = fair_rates(y, scores, groups, COSTS, tolerance=0.05, randomize=True)
    assert "FPR and TPR differ by at most" in str(both)
    assert "a coin gains" in str(both)
    assert both.chosen.randomized
    assert found.differences().to_frame()["rate"].tolist() == ["fpr"] * 3
    assert len(both.differences().differences) == 6


def test_a_gap_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    y, scores, groups = simulate()
    plain = windows.cheapest_box

    def doubtful(*arguments: Any) -> Any:
        best = plain(*arguments)
        return best._replace(bound=best.cost - 0.01)

    monkeypatch.setattr(fair_search, "cheapest_box", doubtful)
    found = fair_rates(y, scores, groups, COSTS, tolerance=0.05)
    assert found.deterministic is not None
    assert found.deterministic.gap == pytest.approx(0.02)  # a miss, the largest cost, is 2
    assert "other settings may cost up to 0.02 less" in str(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", [1e-12, 1e9])
def test_the_unit_of_costs_does_not_matter(kind: Any, factor: float) -> None:
    y, scores, groups = simulate(600)
    other = rocch.Conditions(
        prevalence="observed", false_positive=factor, false_negative=2 * factor
    )
    one = fair_rates(y, scores, groups, COSTS, rates=kind, tolerance=0.03)
    two = fair_rates(y, scores, groups, other, rates=kind, tolerance=0.03)
    assert two.cost / factor == pytest.approx(one.cost, rel=1e-9)
    assert two.randomized.cost / factor == pytest.approx(one.randomized.cost, rel=1e-9)


def test_intervals_cover_differences_on_new_rows() -> None:
    rng = np.random.default_rng(5)
    y, scores, groups = simulate(3000)
    found = fair_rates(y, scores, groups, COSTS, tolerance=0.05)
    many_y, many_scores, many_groups = simulate(200_000, seed=9)
    truth = {
        (d.rate, d.group, d.other): d.difference
        for d in found.check(many_y, many_scores, many_groups).differences
    }
    misses = 0
    for _ in range(60):
        rows = rng.choice(many_y.size, 400, replace=False)
        own = {name: column[rows] for name, column in many_scores.items()}
        check = found.check(many_y[rows], own, many_groups[rows], confidence=0.9)
        inside = [
            d.interval.low <= truth[d.rate, d.group, d.other] <= d.interval.high
            for d in check.differences
        ]
        misses += not all(inside)
        assert check.largest >= check.violation
    assert misses <= 6  # a tenth of 60


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"tolerance": 1.5}, rocch.InputError, "tolerance must be a number from 0 to 1; got 1.5"),
        ({"tolerance": -0.1}, rocch.InputError, "tolerance must be a number from 0 to 1"),
        ({"rates": "ppv"}, rocch.InputError, "rates must be one of 'fpr', 'tpr', 'both'"),
        ({"randomize": "yes"}, rocch.InputError, "randomize must be True or False"),
        ({"groups": ["x"] * 300}, rocch.InputError, "at least two groups; got only 'x'"),
        ({"groups": ["x", "y"]}, rocch.InputError, "one value for each of the 300 rows; got 2"),
        (
            {"limits": {"z": rocch.MinimumTpr(0.5)}},
            rocch.InputError,
            "limits must name one of the groups; got 'z'",
        ),
        ({"limits": COSTS}, rocch.InputError, "limits must be limits on FPR and TPR"),
        (
            {"limits": [rocch.NeymanPearson(0.01), rocch.MinimumTpr(0.99)]},
            rocch.InfeasibleError,
            r"no rule for group 'a' meets its limits \(FPR <= 0.01; TPR >= 0.99\)",
        ),
        (
            {
                "limits": {"a": rocch.NeymanPearson(0.01), "b": rocch.MinimumTpr(0.99)},
                "rates": "tpr",
            },
            rocch.InfeasibleError,
            "limits of the groups contradict the tolerance 0.1: .* differ by at least 0",
        ),
    ],
)
def test_bad_input(change: dict[str, Any], error: Any, message: str) -> None:
    y, scores, groups = simulate(300)
    options: Any = {"groups": groups, "tolerance": 0.1} | change
    with pytest.raises(error, match=message):
        fair_rates(y, scores, options.pop("groups"), COSTS, **options)


def test_groups_need_both_classes_and_no_gaps() -> None:
    y, scores, groups = simulate(300)
    lone = groups.astype(object)
    lone[np.flatnonzero(y)[:2]] = "d"
    with pytest.raises(rocch.InputError, match="got 'd' with 2 rows, all positive"):
        fair_rates(y, scores, lone, COSTS, tolerance=0.1)
    lone[5] = None
    with pytest.raises(rocch.InputError, match="groups must have no missing labels"):
        fair_rates(y, scores, lone, COSTS, tolerance=0.1)


def test_limits_with_a_confidence_are_refused() -> None:
    y, scores, groups = simulate(300)
    sure = rocch.MinimumTpr(0.5, confidence=0.95)
    with pytest.raises(rocch.InputError, match="limits must have no confidence here"):
        fair_rates(y, scores, groups, COSTS, tolerance=0.1, limits=sure)


@pytest.mark.parametrize("randomize", [False, True])
def test_floors_on_precision_hold_at_the_prevalence_of_each_group(randomize: bool) -> None:
    y, scores, groups = simulate()
    options: Any = {"rates": "tpr", "tolerance": 0.1, "randomize": randomize}
    free = fair_rates(y, scores, groups, COSTS, **options)
    found = fair_rates(y, scores, groups, COSTS, **options, limits=[rocch.MinimumPrecision(0.75)])
    least = {}
    for name, result in (("free", free), ("limited", found)):
        least[name] = min(
            result.points[group.name].performance(prevalence=group.case.prevalence).precision
            for group in result.problem.groups
        )
    assert least["free"] < 0.75 <= least["limited"] + 1e-9


@pytest.mark.parametrize(("kind", "least"), [("tpr", 1 / 6), ("both", 1 / 6)])
def test_where_only_a_coin_helps_the_least_violation_is_named(kind: Any, least: float) -> None:
    y = [0, 0, 1, 1] * 2 + [0, 0, 0, 1, 1, 1]
    scores = {"m": [1, 2, 3, 4, 4, 1, 3.5, 2, 1, 2, 5, 3, 4, 6]}
    groups = ["a"] * 8 + ["b"] * 6
    limits = [rocch.roc.LinearLimit(tpr=1, at_most=0.7), rocch.MinimumTpr(0.3)]
    options: Any = {"rates": kind, "tolerance": 0.1, "limits": limits}
    with pytest.raises(rocch.InfeasibleError, match=r"With a coin, .* randomize=True") as error:
        fair_rates(y, scores, groups, COSTS, **options)
    stated = float(str(error.value).split("the least violation is ")[1].split(". ")[0])
    assert stated == pytest.approx(least, abs=2e-4)
    found = fair_rates(y, scores, groups, COSTS, **options, randomize=True)
    assert found.deterministic is None
    assert found.chosen is found.randomized
    assert found.coin_gain == np.inf
    assert "without a coin, no settings meet the tolerance" in str(found)
    assert np.isnan(found.cost_curve([0.1]).deterministic).all()
    narrow: Any = [rocch.roc.LinearLimit(tpr=1, at_most=0.49), rocch.MinimumTpr(0.4)]
    with pytest.raises(rocch.InfeasibleError, match="no single setting of 'a' and 'b' meets the"):
        fair_rates(y, scores, groups, COSTS, rates=kind, tolerance=0.1, limits=narrow)


def test_a_solver_that_misses_the_tolerance_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    y, scores, groups = simulate(300)
    plain = fair_search._solve
    monkeypatch.setattr(fair_search, "_solve", lambda g, r, t: plain(g, r, t + 0.01))
    with pytest.raises(rocch.GuaranteeError, match="solver of linear programs missed the tol"):
        fair_rates(y, scores, groups, COSTS, tolerance=0.01)


def test_new_rows_need_the_same_groups() -> None:
    y, scores, groups = simulate(300)
    found = fair_rates(y, scores, groups, COSTS, tolerance=0.1)
    with pytest.raises(rocch.InputError, match="groups must name one of the groups of the rule"):
        found.check(y, scores, np.where(groups == "c", "z", groups))
    part = groups != "c"
    few = {name: column[part] for name, column in scores.items()}
    with pytest.raises(rocch.InputError, match="groups that occur in these rows; got 'c'"):
        found.check(y[part], few, groups[part])
    with pytest.raises(rocch.InputError, match="confidence must be a number between 0 and 1"):
        found.differences(confidence=1)


def test_a_check_needs_the_scores_of_the_rule() -> None:
    rng = np.random.default_rng(0)
    y, groups = rng.random(400) < 0.4, rng.integers(0, 2, 400)
    scores = {"a": rng.normal(size=400) + 2 * y}
    costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
    fair = fair_rates(y, scores, groups, costs, tolerance=0.2, rates="tpr")
    with pytest.raises(rocch.InputError, match=r"scores.*'a'"):
        fair.check(y, {"b": scores["a"]}, groups)


def test_the_rule_predicts_the_labels_of_the_rows() -> None:
    y, scores, groups = simulate()
    labels = np.where(y, "sick", "well")
    fair = fair_rates(labels, scores, groups, COSTS, tolerance=0.1, pos_label="sick")
    rule = fair.rule(group="sex")
    assert (rule.positive, rule.negative) == ("sick", "well")
    assert set(rule.decide(scores, groups).tolist()) == {"sick", "well"}
    assert fair.rule(positive=1, negative=0).positive == 1
    flags = fair_rates(y, scores, groups, COSTS, tolerance=0.1).rule()
    assert (flags.positive, flags.negative) == (True, False)


def test_rates_have_their_other_names_too() -> None:
    y, scores, groups = simulate()
    plain = fair_rates(y, scores, groups, COSTS, tolerance=0.1, rates="tpr")
    other: Any = "Sensitivity"
    assert fair_rates(y, scores, groups, COSTS, tolerance=0.1, rates=other).cost == plain.cost


def test_the_name_of_a_column_and_a_limit_are_refused_with_where_they_go() -> None:
    y, scores, groups = simulate(200)
    with pytest.raises(rocch.InputError, match=r"groups=X\['sex'\].*group='sex'"):
        fair_rates(y, scores, "sex", COSTS, tolerance=0.1)
    limit: Any = rocch.Capacity(60, positives=49, negatives=751)
    with pytest.raises(rocch.InputError, match=r"got a Capacity\. State costs") as info:
        fair_rates(y, scores, groups, limit, tolerance=0.1)
    assert "elief" not in str(info.value)


def test_missing_groups_are_decided_as_unknown_ones() -> None:
    y, scores, groups = simulate(names="ab")
    fair = fair_rates(y, scores, groups, COSTS, tolerance=0.1)
    gone = groups.astype(object)
    gone[:5], gone[5], gone[6] = None, float("nan"), "new"
    with pytest.raises(rocch.InputError, match=r"whose rule decides them.*unknown='a'"):
        fair.rule().decide(scores, gone)
    rule = fair.rule(unknown="b")
    as_b = groups.copy()
    as_b[:7] = "b"
    assert (rule.decide(scores, gone) == rule.decide(scores, as_b)).all()
    assert str(rule).endswith("for any other or no group: as for 'b'")


def test_groups_with_few_rows_are_named() -> None:
    y, scores, groups = simulate()
    assert "too few" not in str(fair_rates(y, scores, groups, COSTS, tolerance=0.1))
    rare = groups.astype("<U2")
    rare[np.flatnonzero(y)[:6]] = rare[np.flatnonzero(~y)[:50]] = "?"
    found = str(fair_rates(y, scores, rare, COSTS, tolerance=0.1))
    assert found.endswith("to know their rates: '?' has 6 positives (merge groups, or leave out)")


def test_one_difference_is_not_together() -> None:
    y, scores, groups = simulate(names="ab")
    fair = fair_rates(y, scores, groups, COSTS, tolerance=0.1, rates="tpr")
    assert "on new ones (95% confidence). These rows" in str(fair.differences())
