"""Decisions under belief: against brute force, against samples of the belief, and in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.roc.belief_axis import IndependentPart
from rocch.roc.criteria import least_expected_cost
from rocch.roc.search import allowed_corners
from tests.support.oracles import decisions as oracle
from tests.support.strategies import judged_table

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

B = rocch.Belief
UNITS = ("false_positive", "false_negative", "sum_of_costs")


def normal_hull(seed: int = 7, size: int = 1500) -> rocch.RocHull:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 1 / 6
    gbm, bayes = rng.normal(size=size) + 1.6 * y, 2 * rng.normal(size=size) + 2.8 * y
    noise = rng.normal(size=size) + 0.3 * y
    return rocch.RocHull.from_scores(y, {"gbm": gbm, "bayes": bayes, "noise": noise})


HULL = normal_hull()
EXPERT = B.cost_ratio(1, 50, likely=3)
BELIEFS = {
    "triangle, false alarm fixed": EXPERT.with_unit(false_positive=20).with_prevalence(0.2),
    "even, miss fixed": B.cost_ratio(0.5, 9).with_unit(false_negative=3).with_prevalence(0.1),
    "beta, sum fixed": B.cost_share_beta(2, 2).with_unit(sum_of_costs=2).with_prevalence(0.3),
    "about": B.cost_ratio_about(9, factor=3).with_unit(false_positive=1).with_prevalence(0.2),
    "both": EXPERT.with_unit(false_positive=1).with_prevalence(B.prevalence(0.05, 0.4, likely=0.1)),
    "both, sum fixed": B.cost_ratio(1, 20).with_unit(sum_of_costs=1).with_prevalence((0.05, 0.5)),
    "both, miss fixed": B.cost_ratio(1, 20)
    .with_unit(false_negative=5)
    .with_prevalence((0.05, 0.5)),
    "prevalence": B.prevalence_beta(3, 17).with_costs(false_positive=1, false_negative=9),
}
every_belief = pytest.mark.parametrize("belief", BELIEFS.values(), ids=BELIEFS.keys())


def sampled(belief: rocch.Belief, size: int, seed: int = 3) -> tuple[FloatArray, FloatArray]:
    """Draw weights of FPR and of 1 - TPR, stratified along both doubts."""
    rng = np.random.default_rng(seed)
    ((_, part),) = belief.parts
    assert isinstance(part, IndependentPart)
    assert belief.unit is not None
    share, prevalence = part.shares
    strata = (np.arange(size) + rng.random(size)) / size
    c, p = share.quantile(strata), prevalence.quantile(rng.permutation(strata))
    alarm, miss = (belief.unit.amount * powers.of(c) for powers in belief.unit.powers)
    return (1 - p) * alarm, p * miss


def costs_of(hull: rocch.RocHull, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the cost of every vertex (columns) under each condition (rows)."""
    return a[:, None] * hull.fpr + b[:, None] * (1 - hull.tpr)


class TestAgainstSamplesOfTheBelief:
    @every_belief
    def test_costs_regrets_and_the_value_of_knowing(self, belief: rocch.Belief) -> None:
        analysis = rocch.stats.decision_analysis(HULL, belief)
        costs = costs_of(HULL, *sampled(belief, 40_000))
        means, least = costs.mean(axis=0), costs.min(axis=1).mean()
        rooms = 5 * costs.std(axis=0) / math.sqrt(len(costs)) + 1e-3 * means.min()
        room = rooms[means.argmin()]
        for choice in analysis.choices:
            place = np.flatnonzero((choice.point.fpr == HULL.fpr) & (choice.point.tpr == HULL.tpr))
            if place.size:
                assert choice.expected_cost == pytest.approx(means[place[0]], abs=rooms[place[0]])
                regret = means[place[0]] - least
                assert choice.expected_regret == pytest.approx(regret, abs=rooms[place[0]])
        assert analysis.value_of_knowing == pytest.approx(means.min() - least, abs=room)
        best = analysis.least_expected_regret
        assert best.expected_cost == pytest.approx(means.min(), abs=room)
        at_mean = analysis.at_mean.expected_cost
        assert best.expected_cost is not None
        assert at_mean is not None
        assert analysis.gain_over_mean == pytest.approx(at_mean - best.expected_cost, abs=1e-12)

    @every_belief
    def test_the_best_fixed_choice_among_all_points_of_all_curves(
        self, belief: rocch.Belief
    ) -> None:
        best = rocch.stats.decision_analysis(HULL, belief).least_expected_regret
        a, b = (column.mean() for column in sampled(belief, 40_000))
        every = [m.curve() for m in HULL.members]
        least = min(float(np.min(a * curve.fpr + b * (1 - curve.tpr))) for curve in every if curve)
        assert a * best.fpr + b * (1 - best.tpr) <= least + 1e-3 * least
        case = belief.expected_case
        exact = min(float(np.min(case.cost(c.fpr, c.tpr))) for c in every if c)
        assert best.expected_cost == pytest.approx(exact, rel=1e-12)

    @every_belief
    def test_chances(self, belief: rocch.Belief) -> None:
        analysis = rocch.stats.decision_analysis(HULL, belief)
        winners = costs_of(HULL, *sampled(belief, 40_000)).argmin(axis=1)
        share = np.bincount(winners, minlength=len(HULL)) / winners.size
        chances = {(c.point.fpr, c.point.tpr): c.probability for c in analysis.choices}
        assert sum(chances.values()) == pytest.approx(1, abs=1e-9)
        for vertex, wanted in zip(HULL.vertices, share, strict=True):
            assert chances.get((vertex.fpr, vertex.tpr), 0.0) == pytest.approx(wanted, abs=0.01)
        for row in analysis.classifiers:
            held = [row.classifier in vertex.classifiers for vertex in HULL.vertices]
            assert row.probability == pytest.approx(share[held].sum(), abs=0.01)

    @every_belief
    def test_classifiers_alone(self, belief: rocch.Belief) -> None:
        a, b = sampled(belief, 40_000)
        joint = costs_of(HULL, a, b).min(axis=1)
        for row in rocch.stats.decision_analysis(HULL, belief).classifiers:
            (member,) = (m for m in HULL.members if m.name == row.classifier)
            own = costs_of(rocch.RocHull(HULL.totals, (member,)), a, b).min(axis=1)
            assert row.expected_cost == pytest.approx(own.mean(), rel=4e-3)
            assert row.expected_regret == pytest.approx((own - joint).mean(), abs=4e-3 * own.mean())
            if row.worst_regret is not None:
                assert (own - joint).max() <= row.worst_regret + 1e-12


class TestWorstRegret:
    """Against a grid over everything that the belief holds possible."""

    def grid(self, belief: rocch.Belief, steps: int) -> tuple[FloatArray, FloatArray]:
        ((_, part),) = belief.parts
        assert isinstance(part, IndependentPart)
        assert belief.unit is not None
        share, prevalence = (np.linspace(*shape.support, steps) for shape in part.shares)
        c, p = (grid.ravel() for grid in np.meshgrid(share, prevalence))
        alarm, miss = (belief.unit.amount * powers.of(c) for powers in belief.unit.powers)
        return (1 - p) * alarm, p * miss

    @every_belief
    def test_of_choices_and_classifiers(self, belief: rocch.Belief) -> None:
        analysis = rocch.stats.decision_analysis(HULL, belief)
        if not belief.bounded:
            assert all(choice.worst_regret is None for choice in analysis.choices)
            assert all(row.worst_regret is None for row in analysis.classifiers)
            with pytest.raises(rocch.InputError, match="finite costs"):
                _ = analysis.minimax_regret
            return
        a, b = self.grid(belief, 201)
        joint = costs_of(HULL, a, b).min(axis=1)
        for choice in analysis.choices:
            regret = (a * choice.point.fpr + b * (1 - choice.point.tpr) - joint).max()
            assert choice.worst_regret == pytest.approx(regret, rel=1e-9)
        for row in analysis.classifiers:
            (member,) = (m for m in HULL.members if m.name == row.classifier)
            own = costs_of(rocch.RocHull(HULL.totals, (member,)), a, b).min(axis=1)
            assert row.worst_regret is not None
            assert (own - joint).max() <= row.worst_regret + 1e-12
            assert (own - joint).max() == pytest.approx(row.worst_regret, rel=0.02, abs=1e-9)

    @pytest.mark.parametrize("unit", UNITS)
    @pytest.mark.parametrize("seed", range(12))
    def test_of_classifiers_under_narrow_and_wide_beliefs(self, seed: int, unit: str) -> None:
        rng = np.random.default_rng(seed)
        y = np.arange(60) < 20
        scores = {name: rng.normal(size=60) + shift * y for name, shift in (("a", 0.6), ("b", 1.0))}
        hull = rocch.RocHull.from_scores(y, scores)
        low, high = sorted(rng.uniform(0.02, 0.9, 2))
        least, most = sorted(10 ** rng.uniform(-1, 1.5, 2))
        belief = B.cost_ratio(least, most).with_prevalence((low, high)).with_unit(**{unit: 2})
        times, p = np.meshgrid(np.geomspace(least, most, 1201), np.linspace(low, high, 301))
        alarm = {
            "false_positive": np.ones_like(times),
            "false_negative": 1 / times,
            "sum_of_costs": 1 / (1 + times),
        }
        a, b = (2 * alarm[unit] * weight for weight in (1 - p, p * times))
        joint = costs_of(hull, a.ravel(), b.ravel()).min(axis=1)
        for row in rocch.stats.decision_analysis(hull, belief).classifiers:
            alone = rocch.RocHull.from_scores(y, {row.classifier: scores[row.classifier]})
            worst = (costs_of(alone, a.ravel(), b.ravel()).min(axis=1) - joint).max()
            assert row.worst_regret == pytest.approx(worst, rel=0.02, abs=1e-9)
            assert row.worst_regret >= worst - 1e-12

    @every_belief
    def test_minimax_is_the_least_of_the_worst(self, belief: rocch.Belief) -> None:
        if not belief.bounded:
            return
        analysis = rocch.stats.decision_analysis(HULL, belief)
        safest = analysis.minimax_regret
        listed = analysis.analyze(safest.point)
        assert listed in analysis.choices
        assert listed.worst_regret == pytest.approx(safest.value)
        for choice in analysis.choices:
            assert choice.worst_regret is not None
            assert choice.worst_regret >= safest.value - 1e-12


class TestKnowingPartOfIt:
    @pytest.mark.parametrize("name", ["both", "both, sum fixed", "both, miss fixed"])
    def test_against_choosing_within_a_grid(self, name: str) -> None:
        belief = BELIEFS[name]
        ((_, part),) = belief.parts
        assert isinstance(part, IndependentPart)
        assert belief.unit is not None
        middle = (np.arange(400) + 0.5) / 400
        c, p = (shape.quantile(middle) for shape in part.shares)
        alarm, miss = (belief.unit.amount * powers.of(c) for powers in belief.unit.powers)
        # cost of vertex v at share i and prevalence j
        cost = np.einsum("i,j,v->ijv", alarm, 1 - p, HULL.fpr)
        cost += np.einsum("i,j,v->ijv", miss, p, 1 - HULL.tpr)
        fixed = cost.mean(axis=(0, 1)).min()
        analysis = rocch.stats.decision_analysis(HULL, belief)
        costs_known = cost.mean(axis=1).min(axis=1).mean()
        balance_known = cost.mean(axis=0).min(axis=1).mean()
        room = 5e-3 * fixed
        assert analysis.value_of_knowing_costs == pytest.approx(fixed - costs_known, abs=room)
        assert analysis.value_of_knowing_prevalence == pytest.approx(
            fixed - balance_known, abs=room
        )
        assert analysis.value_of_knowing == pytest.approx(fixed - cost.min(axis=2).mean(), abs=room)
        assert min(analysis.value_of_knowing_costs, analysis.value_of_knowing_prevalence) > 0

    @every_belief
    def test_a_part_is_worth_no_more_than_the_whole(self, belief: rocch.Belief) -> None:
        analysis = rocch.stats.decision_analysis(HULL, belief)
        for part in (analysis.value_of_knowing_costs, analysis.value_of_knowing_prevalence):
            assert 0 <= part <= analysis.value_of_knowing + 1e-12

    def test_what_is_known_already_is_worth_nothing(self) -> None:
        analysis = rocch.stats.decision_analysis(HULL, BELIEFS["triangle, false alarm fixed"])
        assert analysis.value_of_knowing_prevalence == pytest.approx(0, abs=1e-12)
        assert analysis.value_of_knowing_costs == pytest.approx(analysis.value_of_knowing)
        analysis = rocch.stats.decision_analysis(HULL, BELIEFS["prevalence"])
        assert analysis.value_of_knowing_costs == pytest.approx(0, abs=1e-12)
        assert analysis.value_of_knowing_prevalence == pytest.approx(analysis.value_of_knowing)

    def test_experts_who_agree_on_the_prevalence_or_on_the_costs(self) -> None:
        costs = B.pooled(EXPERT, B.cost_ratio(1, 2)).with_unit(false_positive=1)
        for prevalence in ((0.1, 0.3), "observed"):
            analysis = rocch.stats.decision_analysis(HULL, costs, prevalence=prevalence)
            assert 0 < analysis.value_of_knowing_costs <= analysis.value_of_knowing + 1e-12
        balances = [B.prevalence(0.1, 0.2), B.prevalence(0.4, 0.5)]
        pool = B.pooled(*balances).with_costs(false_positive=1, false_negative=5)
        analysis = rocch.stats.decision_analysis(HULL, pool)
        assert analysis.value_of_knowing_prevalence == pytest.approx(analysis.value_of_knowing)
        assert analysis.value_of_knowing_costs == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize(
        "belief",
        [
            B.sample(prevalence=[0.1, 0.3], false_positive=1, false_negative=[2, 9]),
            B.pooled(
                B.cost_ratio(1, 2).with_prevalence(0.1), B.cost_ratio(5, 9).with_prevalence(0.3)
            ).with_unit(false_positive=1),
        ],
        ids=["sample", "pool"],
    )
    def test_where_one_tells_about_the_other_no_part_can_be_priced(
        self, belief: rocch.Belief
    ) -> None:
        analysis = rocch.stats.decision_analysis(HULL, belief)
        assert analysis.value_of_knowing > 0
        for name in ("value_of_knowing_costs", "value_of_knowing_prevalence"):
            with pytest.raises(rocch.UndefinedError, match="independent"):
                getattr(analysis, name)


class TestInFractions:
    """Small hulls and samples of conditions: everything by definition."""

    @settings(max_examples=40)
    @given(
        judged_table(models=2, largest=14),
        st.lists(
            st.tuples(
                st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
                st.integers(0, 4),
                st.integers(0, 4),
                st.integers(1, 3),
            ).filter(lambda draw: draw[1] + draw[2] > 0),
            min_size=1,
            max_size=5,
        ),
    )
    def test_by_definition(
        self,
        table: tuple[list[bool], dict[str, list[float]]],
        draws: list[tuple[Fraction, int, int, int]],
    ) -> None:
        labels, scores = table
        hull = rocch.RocHull.from_scores(labels, scores)
        points = [
            (
                Fraction(int(x), hull.totals.negatives),
                Fraction(int(y), hull.totals.positives),
            )
            for x, y in zip(hull.false_positives, hull.true_positives, strict=True)
        ]
        total = sum(w for *_, w in draws)
        cases = [
            (p, Fraction(fp), Fraction(fn), Fraction(0), Fraction(0)) for p, fp, fn, _ in draws
        ]
        shares = [Fraction(w, total) for *_, w in draws]
        least = [oracle.cheapest(points, *case) for case in cases]
        belief = B.sample(
            prevalence=[float(p) for p, *_ in draws],
            false_positive=[fp for _, fp, _, _ in draws],
            false_negative=[fn for _, _, fn, _ in draws],
            weights=[w for *_, w in draws],
        )
        analysis = rocch.stats.decision_analysis(hull, belief)
        listed = {(c.point.fpr, c.point.tpr): c for c in analysis.choices}
        spread = []
        for vertex, point in zip(hull.vertices, points, strict=True):
            costs = [oracle.expected_cost(*point, *case) for case in cases]
            mean = sum(s * c for s, c in zip(shares, costs, strict=True))
            spread.append(mean)
            best = [point in winners for _, winners in least]
            alone = [winners == [point] for _, winners in least]
            choice = listed.get((vertex.fpr, vertex.tpr))
            chance = sum(s for s, b in zip(shares, best, strict=True) if b)
            if choice is None:
                assert chance == 0
                continue
            unique = sum(s for s, b in zip(shares, alone, strict=True) if b)
            regrets = [c - low for c, (low, _) in zip(costs, least, strict=True)]
            assert choice.probability == pytest.approx(float(chance), abs=1e-12)
            assert choice.shared == pytest.approx(float(chance - unique), abs=1e-12)
            assert choice.expected_cost == pytest.approx(float(mean), abs=1e-12)
            assert choice.worst_regret == pytest.approx(float(max(regrets)), abs=1e-12)
            regret = sum(s * r for s, r in zip(shares, regrets, strict=True))
            assert choice.expected_regret == pytest.approx(float(regret), abs=1e-12)
        for row, member in zip(analysis.classifiers, hull.members, strict=True):
            own = rocch.RocHull(hull.totals, (member,))
            mine = [
                (
                    Fraction(int(x), hull.totals.negatives),
                    Fraction(int(y), hull.totals.positives),
                )
                for x, y in zip(own.false_positives, own.true_positives, strict=True)
            ]
            regrets = [
                oracle.cheapest(mine, *case)[0] - low
                for case, (low, _) in zip(cases, least, strict=True)
            ]
            mean = sum(s * r for s, r in zip(shares, regrets, strict=True))
            assert row.classifier == member.name
            assert row.expected_regret == pytest.approx(float(mean), abs=1e-12)
            assert row.worst_regret == pytest.approx(float(max(regrets)), abs=1e-12)
        knowing = min(spread) - sum(s * low for s, (low, _) in zip(shares, least, strict=True))
        assert analysis.value_of_knowing == pytest.approx(float(knowing), abs=1e-12)
        assert analysis.least_expected_regret.expected_cost == pytest.approx(
            float(min(spread)), abs=1e-12
        )

    def test_ties_between_classifiers_are_said(self) -> None:
        y = [0, 0, 1, 1]
        scores = {"a": [1, 3, 2, 4], "b": [1, 3, 2, 4], "c": [1, 1, 1, 2]}
        hull = rocch.RocHull.from_scores(y, scores)
        # (0, 1/2) is everybody's; (1/2, 1) is that of a and b; slope 1 between them
        belief = B.cost_ratio_like([0.5, 1, 4]).with_prevalence(0.5)
        rows = {
            row.classifier: row for row in rocch.stats.decision_analysis(hull, belief).classifiers
        }
        assert rows["a"].probability == rows["b"].probability == pytest.approx(1)
        assert rows["a"].shared == pytest.approx(1)
        assert rows["c"].probability == pytest.approx(2 / 3)
        _, left, right, _ = rocch.stats.decision_analysis(hull, belief).choices
        for choice in (left, right):
            assert choice.probability == pytest.approx(2 / 3)
            assert choice.shared == pytest.approx(1 / 3)


class TestMeanAgainstWholeBelief:
    """Ferri, Hernández-Orallo and Flach (2019): the two can differ, and by how much."""

    def test_where_they_differ(self) -> None:
        analysis = rocch.stats.decision_analysis(HULL, BELIEFS["triangle, false alarm fixed"])
        best, mean = analysis.least_expected_regret, analysis.at_mean
        assert mean.point != best.point
        assert mean.point.tpr < best.tpr  # the long tail of dear misses counts
        assert mean.expected_cost is not None
        assert best.expected_cost is not None
        assert analysis.gain_over_mean == pytest.approx(mean.expected_cost - best.expected_cost)
        assert analysis.gain_over_mean > 0.005 * best.expected_cost

    @pytest.mark.parametrize("prevalence", [0.2, (0.1, 0.4)])
    def test_they_agree_where_the_sum_of_the_costs_is_fixed(self, prevalence: Any) -> None:
        for costs in (EXPERT, B.cost_share_beta(2, 5), B.cost_ratio(1, 20)):
            belief = costs.with_unit(sum_of_costs=1)
            analysis = rocch.stats.decision_analysis(HULL, belief, prevalence=prevalence)
            assert analysis.at_mean.point == analysis.least_expected_regret.point
            assert analysis.gain_over_mean == pytest.approx(0, abs=1e-9)

    def test_costs_that_rise_with_prevalence(self) -> None:
        # months in which positives are many are those in which they are dear
        belief = B.sample(prevalence=[0.02, 0.4], false_positive=1, false_negative=[0.5, 4])
        analysis = rocch.stats.decision_analysis(HULL, belief)
        assert analysis.at_mean.point.tpr < analysis.least_expected_regret.tpr
        assert analysis.gain_over_mean > 0

    def test_the_likely_conditions(self) -> None:
        analysis = rocch.stats.decision_analysis(HULL, BELIEFS["both"])
        likely = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=3)
        assert analysis.at_likely is not None
        assert analysis.at_likely.point == HULL.best(likely).point
        assert rocch.stats.decision_analysis(HULL, BELIEFS["even, miss fixed"]).at_likely is None


class TestWithoutAUnit:
    def test_chances_only(self) -> None:
        analysis = rocch.stats.decision_analysis(HULL, EXPERT, prevalence=0.2)
        money = rocch.stats.decision_analysis(
            HULL, EXPERT.with_unit(false_positive=20), prevalence=0.2
        )
        chances = {c.point: c.probability for c in money.choices}
        for choice in analysis.choices:
            assert choice.probability == chances[choice.point]
            assert (choice.expected_cost, choice.expected_regret, choice.worst_regret) == (
                None,
            ) * 3
        for row, other in zip(analysis.classifiers, money.classifiers, strict=True):
            assert (row.classifier, row.probability) == (other.classifier, other.probability)
            assert row.expected_cost is None
        assert analysis.at_mean.point == money.at_mean.point

    @pytest.mark.parametrize(
        "name",
        [
            "least_expected_regret",
            "minimax_regret",
            "value_of_knowing",
            "value_of_knowing_costs",
            "value_of_knowing_prevalence",
            "gain_over_mean",
        ],
    )
    def test_regret_asks_for_a_unit(self, name: str) -> None:
        analysis = rocch.stats.decision_analysis(HULL, EXPERT, prevalence=0.2)
        with pytest.raises(rocch.InputError, match=r"have a unit of cost.*with_unit"):
            getattr(analysis, name)


class TestFaces:
    def test_words(self) -> None:
        said = str(rocch.stats.decision_analysis(HULL, BELIEFS["triangle, false alarm fixed"]))
        for words in (
            "Belief: a miss is 1 to 50 times as bad as a false alarm, most likely 3",
            "It costs least in expectation to alarm when gbm >= ",
            "Knowing the conditions before choosing is worth at most",
            "For the mean conditions one would alarm when",
            "The safest is to alarm when",
            "Probability of being the best classifier: gbm",
        ):
            assert words in said
        assert "some of it shared" not in said

    def test_words_without_a_unit_or_an_end(self) -> None:
        said = str(rocch.stats.decision_analysis(HULL, EXPERT, prevalence=0.2))
        assert said.startswith("Belief: a miss is 1 to 50 times")
        assert "Probability of being" in said
        assert "per case" not in said
        assert "safest" not in str(rocch.stats.decision_analysis(HULL, BELIEFS["about"]))

    def test_words_where_nobody_is_needed(self) -> None:
        hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"a": [4, 3, 2, 1]})
        said = str(rocch.stats.decision_analysis(hull, B.cost_ratio(2), prevalence=0.5))
        assert "No classifier can be best: never or always alarming always is." in said

    def test_words_where_classifiers_tie(self) -> None:
        hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 3, 2, 4]})
        said = str(rocch.stats.decision_analysis(hull, B.cost_ratio(2), prevalence=0.5))
        assert "a 100.0%, b 100.0%, some of it shared" in said

    def test_rows_are_a_table(self) -> None:
        analysis = rocch.stats.decision_analysis(HULL, BELIEFS["both"])
        frame = pd.DataFrame(analysis.choices)
        assert frame["probability"].sum() == pytest.approx(1)
        assert list(pd.DataFrame(analysis.classifiers)["classifier"]) == ["bayes", "gbm", "noise"]

    def test_choices_run_from_never_to_always(self) -> None:
        choices = rocch.stats.decision_analysis(HULL, BELIEFS["both"]).choices
        rates = [(choice.point.fpr, choice.point.tpr) for choice in choices]
        assert rates == sorted(rates)
        assert (rates[0], rates[-1]) == ((0, 0), (1, 1))

    def test_a_point_inside_the_hull_is_never_best(self) -> None:
        (member,) = (m for m in HULL.members if m.name == "noise")
        curve = member.curve()
        assert curve is not None
        analysis = rocch.stats.decision_analysis(HULL, BELIEFS["both"])
        inside = analysis.analyze(curve.point(len(curve) // 2))
        assert (inside.probability, inside.shared) == (0, 0)
        assert inside.expected_regret is not None
        assert inside.expected_regret > analysis.value_of_knowing

    def test_the_prevalence_may_be_observed(self) -> None:
        analysis = rocch.stats.decision_analysis(HULL, EXPERT, prevalence="observed")
        assert analysis.belief.fixed_prevalence == HULL.totals.prevalence


class TestRestrictedHulls:
    bounds = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(1000, 10_000))
    belief = B.cost_ratio(1000, 10_000, likely=1000).with_unit(false_positive=1)

    def test_within_its_bounds_it_answers_alike(self) -> None:
        small = HULL.within(self.bounds)
        there = rocch.stats.decision_analysis(HULL, self.belief, prevalence=0.2)
        here = rocch.stats.decision_analysis(small, self.belief, prevalence=0.2)
        assert here.least_expected_regret == there.least_expected_regret
        assert here.value_of_knowing == pytest.approx(there.value_of_knowing)
        assert "Probability of being" not in str(here)
        with pytest.raises(rocch.InputError, match="hull must be a whole hull"):
            _ = here.classifiers

    def test_beyond_them_it_refuses(self) -> None:
        small = HULL.within(self.bounds)
        with pytest.raises(rocch.InputError, match="restricted to slopes"):
            rocch.stats.decision_analysis(small, self.belief, prevalence=0.1)


CONDITIONS = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(5, 10))
REFUSED: dict[str, tuple[Any, str]] = {
    "conditions": (
        lambda: rocch.stats.decision_analysis(HULL, CONDITIONS),  # type: ignore[arg-type]
        "not how likely: hull.sensitivity",
    ),
    "an interval": (lambda: rocch.stats.decision_analysis(HULL, (5, 10)), "a ratio without a name"),  # type: ignore[arg-type]
    "a curve": (
        lambda: rocch.stats.decision_analysis(HULL.members[0].curve(), EXPERT),  # type: ignore[arg-type]
        "hull must be a RocHull; got an object of type RocCurve",
    ),
    "no prevalence": (
        lambda: rocch.stats.decision_analysis(HULL, EXPERT),
        "prevalence must be named",
    ),
    "two": (
        lambda: rocch.stats.decision_analysis(HULL, BELIEFS["both"], prevalence=0.2),
        "prevalence must be named once",
    ),
}


@pytest.mark.parametrize(("ask", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_is_refused(ask: Any, words: str) -> None:
    with pytest.raises(rocch.InputError, match=words):
        ask()


def test_an_infinite_expected_cost_is_refused() -> None:
    endless = B.cost_ratio(1, math.inf).with_unit(false_positive=1)
    analysis = rocch.stats.decision_analysis(HULL, endless, prevalence=0.2)
    with pytest.raises(rocch.UndefinedError, match="infinite"):
        _ = analysis.value_of_knowing
    with pytest.raises(rocch.UndefinedError, match="infinite"):
        _ = analysis.choices


def single_points(limit: Any) -> tuple[Any, Any]:
    """Return all points of all curves that keep a limit."""
    curves = [member.curve() for member in HULL.members]
    x, y = (
        np.concatenate([getattr(curve, rate) for curve in curves if curve is not None])
        for rate in ("fpr", "tpr")
    )
    kept = limit.excess(x, y) <= 0
    return x[kept], y[kept]


class TestCriteria:
    @every_belief
    def test_the_best_vertex_is_that_at_the_expected_slope(self, belief: rocch.Belief) -> None:
        found = HULL.best(rocch.LeastExpectedRegret(belief))
        case = belief.expected_case
        costs = case.cost(HULL.fpr, HULL.tpr)
        assert (found.fpr, found.tpr) == (HULL.fpr[costs.argmin()], HULL.tpr[costs.argmin()])
        assert found.expected_cost == pytest.approx(costs.min())
        assert found.prevalence == pytest.approx(belief.mean.prevalence)
        assert HULL.best(rocch.LeastExpectedRegret(belief), randomize=True) == found

    def test_a_point_twice_but_for_rounding_does_not_hide_others(self) -> None:
        belief = B.cost_ratio(0.1, 20, likely=2).with_prevalence(0.3).with_unit(false_positive=1)
        once = np.array([[0, 0.2, 0.5, 1], [0, 0.6, 0.9, 1]])
        wanted = least_expected_cost(once[0], once[1], belief)
        beside = np.nextafter([0.2, 0.5], 1), np.array([0.6, 0.9])
        twice = np.concatenate((once, beside), axis=1)
        found = least_expected_cost(twice[0], twice[1], belief)
        assert found == pytest.approx(wanted, rel=1e-12)

    @pytest.mark.parametrize("seed", range(0, 100, 5))
    def test_the_corners_that_limits_allow_are_such_points(self, seed: int) -> None:
        hull = normal_hull(seed, 300)
        belief = B.cost_ratio(0.1, 20, likely=2).with_prevalence(0.3).with_unit(false_positive=1)
        edges = np.concatenate(([0.0], 1 / (1 + hull.slopes), [1.0]))
        weights = belief.stretches(edges, costs=True)
        wanted = weights.alarm @ hull.fpr + weights.miss @ (1 - hull.tpr)
        for x, y in ((hull.fpr, hull.tpr), allowed_corners(hull.fpr, hull.tpr, ())):
            assert least_expected_cost(x, y, belief) == pytest.approx(wanted, abs=1e-12)

    @pytest.mark.parametrize("limit", [rocch.NeymanPearson(0.07), rocch.MinimumTpr(0.93)])
    @every_belief
    def test_under_a_limit_regret_is_against_what_it_allows(
        self, belief: rocch.Belief, limit: Any
    ) -> None:
        criterion = rocch.Constrained(rocch.LeastExpectedRegret(belief), limit)
        mixed = HULL.best(criterion, randomize=True)
        plain = HULL.best(criterion)
        x, y = allowed_corners(HULL.fpr, HULL.tpr, criterion.limits)
        case = belief.expected_case
        fixed = float(case.cost(x, y).min())
        a, b = sampled(belief, 20_000)
        knowing = (a[:, None] * x + b[:, None] * (1 - y)).min(axis=1).mean()
        room = 5e-3 * fixed
        assert mixed.value == pytest.approx(fixed - knowing, abs=room)
        assert mixed.expected_cost == pytest.approx(fixed)
        assert limit.limit.excess(plain.fpr, plain.tpr) <= 0
        # without a coin, against the single points that keep the limit
        x, y = single_points(limit.limit)
        fixed = float(case.cost(x, y).min())
        knowing = (a[:, None] * x + b[:, None] * (1 - y)).min(axis=1).mean()
        assert plain.expected_cost == pytest.approx(fixed)
        assert plain.value == pytest.approx(fixed - knowing, abs=5e-3 * fixed)
        assert plain.expected_cost is not None
        assert mixed.expected_cost is not None
        gain = plain.expected_cost - mixed.expected_cost
        assert plain.randomizing_gains == pytest.approx(gain, abs=1e-12)

    @every_belief
    def test_minimax_under_a_limit(self, belief: rocch.Belief) -> None:
        if not belief.bounded:
            return
        criterion = rocch.Constrained(rocch.MinimaxRegret(belief), rocch.NeymanPearson(0.3))
        mixed, plain = HULL.best(criterion, randomize=True), HULL.best(criterion)
        assert plain.fpr <= 0.3
        x, y = single_points(criterion.limits[0])
        regrets = [case.cost(x, y) - case.cost(x, y).min() for case in belief.corners()]
        assert plain.value == pytest.approx(np.max(regrets, axis=0).min(), abs=1e-12)
        whole = allowed_corners(HULL.fpr, HULL.tpr, criterion.limits)
        at = plain.fpr, plain.tpr
        lost = max(case.cost(*at) - case.cost(*whole).min() for case in belief.corners())
        assert plain.randomizing_gains == pytest.approx(lost - mixed.value, abs=1e-9)

    def test_minimax_over_an_interval_is_that_of_conditions(self) -> None:
        belief = (
            B.cost_ratio(5, 10, likely=6).with_unit(false_positive=2).with_prevalence((0.1, 0.3))
        )
        box = rocch.Conditions(prevalence=(0.1, 0.3), false_positive=2, false_negative=(10, 20))
        found, wanted = (HULL.best(rocch.MinimaxRegret(known)) for known in (belief, box))
        assert found.point == wanted.point
        assert found.value == pytest.approx(wanted.value)

    def test_minimax_over_a_large_sample(self) -> None:
        rng = np.random.default_rng(1)
        sample = B.sample(
            prevalence=rng.uniform(0.1, 0.3, 1000),
            false_positive=1,
            false_negative=rng.uniform(1, 20, 1000),
        )
        analysis = rocch.stats.decision_analysis(HULL, sample)
        safest = analysis.minimax_regret
        assert safest.value == pytest.approx(
            min(c.worst_regret for c in analysis.choices if c.worst_regret is not None)
        )

    def test_on_a_restricted_hull(self) -> None:
        box = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(2, 20))
        small = HULL.within(box)
        inside = B.cost_ratio(3, 15, likely=5).with_unit(false_positive=1).with_prevalence(0.2)
        for criterion in (rocch.LeastExpectedRegret(inside), rocch.MinimaxRegret(inside)):
            assert small.best(criterion).value == pytest.approx(HULL.best(criterion).value)
        outside = B.cost_ratio(3, 25).with_unit(false_positive=1).with_prevalence(0.2)
        for criterion in (rocch.LeastExpectedRegret(outside), rocch.MinimaxRegret(outside)):
            with pytest.raises(rocch.InputError, match="restricted to slopes"):
                small.best(criterion)
        with pytest.raises(rocch.InputError, match="restricted to bounds"):
            small.best(
                rocch.Constrained(rocch.LeastExpectedRegret(inside), rocch.NeymanPearson(0.1))
            )


def test_units_only_rescale_a_known_ratio() -> None:
    for unit, amount in product(UNITS, (1, 7)):
        belief = B.cost_ratio(4).with_unit(**{unit: amount}).with_prevalence(0.3)
        analysis = rocch.stats.decision_analysis(HULL, belief)
        known = HULL.best(rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4))
        assert analysis.least_expected_regret.point == known.point
        assert analysis.value_of_knowing == pytest.approx(0, abs=1e-12)
