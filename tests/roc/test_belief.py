"""Beliefs: the papers' numbers, every constructor, and moments against other ways to get them."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import rocch
from rocch.roc import shapes
from rocch.roc.belief_axis import IndependentPart, SampledPart, Unit, matching_share
from rocch.roc.shapes import PiecewiseLinear

if TYPE_CHECKING:
    from rocch.roc.shapes import Shape

B = rocch.Belief
LOWS = st.one_of(st.just(0.0), st.floats(1e-6, 50))
UNITS = ("false_positive", "false_negative", "sum_of_costs")


def share(belief: rocch.Belief) -> Shape:
    ((_, part),) = belief.parts
    assert isinstance(part, IndependentPart)
    return part.cost_share


def triangle(belief: rocch.Belief) -> tuple[float, float, float, float]:
    """Return low end, apex, high end and height."""
    shape = share(belief)
    assert isinstance(shape, PiecewiseLinear)
    left, right = shape.pieces
    assert (left.left, right.right) == (0, 0)
    assert (left.high, left.right) == (right.low, right.left)
    return left.low, left.high, right.high, left.right


class TestAdamsAndHand:
    """Section 3 and 5: triangles on the share of class 1, the class that must not be missed."""

    @given(LOWS, st.floats(0.01, 50), st.floats(0.001, 0.999))
    def test_a_ratio_with_a_mode_is_a_triangle_on_the_share(
        self, a: float, width: float, way: float
    ) -> None:
        b, m = a + width, a + way * width
        low, apex, high, height = triangle(B.inverse_cost_ratio(a, b, likely=m))
        assert (low, apex, high) == pytest.approx((1 / (1 + b), 1 / (1 + m), 1 / (1 + a)))
        assert height == pytest.approx(2 * (1 + a) * (1 + b) / (b - a), rel=1e-9)

    @given(LOWS)
    def test_an_open_end(self, a: float) -> None:
        low, apex, high, height = triangle(B.inverse_cost_ratio(a, math.inf, likely=a + 1))
        assert (low, apex, high) == pytest.approx((0, 1 / (2 + a), 1 / (1 + a)))
        assert height == pytest.approx(2 * (1 + a))

    @pytest.mark.parametrize(
        ("said", "low", "apex", "high"),
        [
            (B.cost_ratio(4, 10, likely=7), 0.80, 0.875, 0.909),  # Pima: a diabetic missed
            (B.cost_ratio(2, 20, likely=16), 0.667, 0.941, 0.952),  # heart; printed 0.937
            (B.inverse_cost_ratio(0.065, 0.15, likely=0.095), 0.870, 0.913, 0.939),  # marketing
            (B.cost_ratio(5, 10, likely=9), 0.833, 0.9, 0.909),  # banking
        ],
        ids=["Pima", "heart", "marketing", "banking"],
    )
    def test_the_experts_of_section_5(
        self, said: rocch.Belief, low: float, apex: float, high: float
    ) -> None:
        assert triangle(said)[:3] == pytest.approx((low, apex, high), abs=6e-4)
        assert said.cost_share == pytest.approx((low, high), abs=6e-4)

    def test_both_ways_to_say_it_are_one_belief(self) -> None:
        misses = B.cost_ratio(5, 10, likely=8)
        alarms = B.inverse_cost_ratio(0.1, 0.2, likely=0.125)
        assert triangle(misses) == pytest.approx(triangle(alarms), rel=1e-13)

    def test_three_scales_are_three_beliefs(self) -> None:
        at = np.linspace(0.67, 0.95, 200)
        on = {
            scale: share(B.cost_ratio(2, 20, likely=16, on=scale)).cumulative(at)[0]
            for scale in ("share", "times", "ratio")
        }
        assert np.max(np.abs(on["share"] - on["times"])) > 0.2
        assert np.max(np.abs(on["ratio"] - on["times"])) > 0.4
        assert np.max(np.abs(on["share"] - on["ratio"])) > 0.1

    def test_the_scale_that_was_asked_for_is_the_triangular_one(self) -> None:
        times = share(B.cost_ratio(2, 20, likely=16, on="times"))
        ratio = share(B.cost_ratio(2, 20, likely=16, on="ratio"))
        at = np.array([0.7, 0.8, 0.9, 0.945])
        wide = stats.triang(14 / 18, 2, 18)
        np.testing.assert_allclose(times.cumulative(at)[0], wide.cdf(at / (1 - at)), rtol=1e-12)
        narrow = stats.triang((1 / 16 - 0.05) / 0.45, 0.05, 0.45)
        np.testing.assert_allclose(ratio.cumulative(at)[0], narrow.sf((1 - at) / at), rtol=1e-10)


SHAPES = {
    "point": share(B.cost_ratio(9)),
    "even": share(B.cost_ratio(5, 10)),
    "triangle": share(B.cost_ratio(5, 10, likely=9)),
    "likely at the low end": share(B.cost_ratio(5, 10, likely=5)),
    "likely at the high end": share(B.cost_ratio(5, 10, likely=10)),
    "from nothing": share(B.cost_ratio(0, 3, likely=1)),
    "open": share(B.cost_ratio(1, math.inf, likely=3)),
    "open and even": share(B.cost_ratio(1, math.inf)),
    "everything": share(B.cost_ratio(0, math.inf, likely=1)),
    "narrow": share(B.cost_ratio(9, 9 + 1e-6, likely=9 + 4e-7)),
    "huge": share(B.cost_ratio(1e5, 1e6, likely=3e5)),
    "tiny": share(B.cost_ratio(1e-8, 1e-6, likely=1e-7)),
    "triangle on times": share(B.cost_ratio(5, 10, likely=9, on="times")),
    "even on times": share(B.cost_ratio(5, 10, on="times")),
    "triangle on the ratio": share(B.cost_ratio(5, 10, likely=9, on="ratio")),
    "beta": share(B.cost_share_beta(2, 2)),
    "lopsided beta": share(B.cost_share_beta(0.7, 9)),
    "about": share(B.cost_ratio_about(9, factor=2)),
    "gamma": share(B.cost_ratio_like(stats.gamma(3, scale=2))),
    "sample": share(B.cost_ratio_like([5, 9, 9, 20], weights=[1, 2, 1, 4])),
    "weights": share(B.cost_ratio_like([1, 7, 100], weights=[0, 1, 3])),
}
every_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
every_smooth_shape = pytest.mark.parametrize(
    "shape",
    [s for s in SHAPES.values() if not isinstance(s, shapes.Atoms)],
    ids=[n for n, s in SHAPES.items() if not isinstance(s, shapes.Atoms)],
)


class TestShapes:
    @every_shape
    def test_all_mass_is_on_the_support(self, shape: Shape) -> None:
        low, high = shape.support
        outside = np.array([low - 1e-3, np.nextafter(low, -1), high, 1.0]).clip(0, 1)
        below, just_below, top, above = shape.cumulative(outside)[0]
        assert (below, just_below) == pytest.approx((0, 0), abs=1e-12)
        assert (top, above) == pytest.approx((1, 1), abs=1e-12)

    @every_smooth_shape
    @settings(max_examples=20)
    @given(mass=st.floats(0.001, 0.999))
    def test_quantiles_invert_the_distribution_function(self, shape: Shape, mass: float) -> None:
        back = shape.cumulative(shape.quantile(np.array([mass])))[0][0]
        width = shape.support.high - shape.support.low
        assert back == pytest.approx(mass, abs=1e-9 + 1e-15 / width)
        turned = shape.cumulative(shape.quantile(np.array([1 - mass]), from_top=True))[0][0]
        assert turned == pytest.approx(mass, abs=1e-9 + 1e-15 / width)

    @every_shape
    @settings(max_examples=15)
    @given(masses=st.lists(st.floats(0, 1), min_size=2, max_size=5).map(sorted))
    def test_quantiles_rise_and_stay_on_the_support(
        self, shape: Shape, masses: list[float]
    ) -> None:
        found = shape.quantile(np.array(masses))
        assert (np.diff(found) >= 0).all()
        assert (found >= shape.support.low - 1e-12).all()
        assert (found <= shape.support.high + 1e-12).all()

    @every_shape
    def test_kinks_run_over_the_support(self, shape: Shape) -> None:
        assert list(shape.kinks) == sorted(shape.kinks)
        assert (shape.kinks[0], shape.kinks[-1]) == pytest.approx(tuple(shape.support))

    @every_smooth_shape
    def test_moments_against_quadrature_over_the_mass(self, shape: Shape) -> None:
        ends = shape.quantile(np.array([0.2, 0.5, 0.97]))
        for powers in (Unit(name, 1.0).powers[i] for name in UNITS for i in (0, 1)):  # type: ignore[arg-type]
            found = shape.cumulative(ends, powers)[0]
            if not np.isfinite(found).all():
                continue
            for end, mass, value in zip(ends, (0.2, 0.5, 0.97), found, strict=True):
                cuts = shape.cumulative(np.array(shape.kinks))[0]
                wanted = integrate.quad(
                    lambda m: float(powers.of(shape.quantile(np.array([m])))[0]),  # noqa: B023
                    0,
                    mass,
                    points=[c for c in cuts if 0 < c < mass] or None,
                    limit=300,
                    epsabs=1e-10,
                )[0]
                assert value == pytest.approx(wanted, rel=2e-7, abs=1e-9), (powers, end)

    def test_samples_add_up(self) -> None:
        shape = SHAPES["sample"]
        at = shape.quantile(np.array([0.2]))
        assert at[0] == pytest.approx(0.9)
        assert shape.cumulative(at)[0][0] == pytest.approx(4 / 8)
        assert shape.cumulative(at, inclusive=False)[0][0] == pytest.approx(1 / 8)
        assert shape.quantile(np.array([0.1, 0.2, 0.5, 0.6])).tolist() == pytest.approx(
            [5 / 6, 0.9, 0.9, 20 / 21]
        )
        assert shape.quantile(np.array([0.4, 0.6]), from_top=True).tolist() == pytest.approx(
            [20 / 21, 0.9]
        )
        assert SHAPES["weights"].support == pytest.approx((7 / 8, 100 / 101))

    def test_what_is_most_likely(self) -> None:
        assert SHAPES["triangle"].likely == pytest.approx(0.9)
        assert SHAPES["triangle on times"].likely == pytest.approx(0.9)
        assert SHAPES["point"].likely == pytest.approx(0.9)
        assert share(B.cost_share_beta(3, 5)).likely == pytest.approx(2 / 6)
        for name in ("even", "sample", "about", "lopsided beta"):
            assert SHAPES[name].likely is None


def expected(belief: rocch.Belief, prevalence: float = 0.5) -> tuple[float, float]:
    """Return the expected costs of a false alarm and of a miss."""
    case = belief.with_prevalence(prevalence).expected_case
    return case.false_positive, case.false_negative


class TestExpectedCosts:
    def test_times_have_the_mean_that_scipy_knows(self) -> None:
        for shape, belief in (
            (stats.lognorm(0.5, scale=9), B.cost_ratio_like(stats.lognorm(0.5, scale=9))),
            (stats.gamma(3, scale=2), B.cost_ratio_like(stats.gamma(3, scale=2))),
            (stats.triang(0.8, 5, 5), B.cost_ratio(5, 10, likely=9, on="times")),
            (stats.uniform(5, 5), B.cost_ratio(5, 10, on="times")),
        ):
            found = expected(belief.with_unit(false_positive=20))
            assert found == pytest.approx((20, 20 * shape.mean()), rel=1e-9)

    def test_an_even_share_has_a_logarithm(self) -> None:
        low, high = 5 / 6, 10 / 11
        times = (math.log(1 - low) - math.log(1 - high)) / (high - low) - 1
        found = expected(B.cost_ratio(5, 10).with_unit(false_positive=3))
        assert found == pytest.approx((3, 3 * times), rel=1e-13)

    @pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-9])
    def test_narrow_beliefs_are_all_but_certain(self, width: float) -> None:
        said = B.cost_ratio(9, 9 + width, likely=9 + width / 2).with_unit(false_positive=1)
        assert expected(said)[1] == pytest.approx(9 + width / 2, rel=width / 3 + 1e-13)

    def test_huge_ratios_keep_most_of_their_digits(self) -> None:
        small, large = 1 / (1 + 1e6), 1 / (1 + 1e5)
        wanted = math.log(large / small) / (large - small) - 1
        found = expected(B.cost_ratio(1e5, 1e6).with_unit(false_positive=1))[1]
        assert found == pytest.approx(wanted, rel=1e-9)

    def test_an_open_end_may_have_a_mean_or_not(self) -> None:
        thinning = B.cost_ratio(1, math.inf, likely=3).with_unit(false_positive=1)
        # 1 - c is a triangle on [0, 1/2] with apex 1/4 and height 4
        wanted = integrate.quad(lambda r: 16 * r * (1 - r) / r, 0, 0.25)[0]
        wanted += integrate.quad(lambda r: 16 * (0.5 - r) * (1 - r) / r, 0.25, 0.5)[0]
        assert expected(thinning)[1] == pytest.approx(wanted, rel=1e-12)
        for unit in ("false_positive", "false_negative"):
            even = B.cost_ratio(0, math.inf).with_unit(**{unit: 1})
            for prevalence in (0.5, (0.1, 0.3)):
                with pytest.raises(rocch.UndefinedError, match=r"infinite.*sum_of_costs=1"):
                    _ = even.with_prevalence(prevalence).expected_case
        whole = B.cost_ratio(0, math.inf).with_unit(sum_of_costs=1)
        assert expected(whole) == pytest.approx((0.5, 0.5))

    @pytest.mark.parametrize("tail", [0.5, 0.99, 1.05])
    def test_tails_too_heavy_to_integrate_are_refused(self, tail: float) -> None:
        heavy = B.cost_ratio_like(stats.pareto(tail)).with_unit(false_positive=1)
        for prevalence in (0.5, (0.1, 0.3)):
            with pytest.raises(rocch.UndefinedError, match="infinite"):
                _ = heavy.with_prevalence(prevalence).expected_case

    def test_a_heavy_tail_with_a_mean_is_fine(self) -> None:
        pareto = stats.pareto(2.5)
        found = expected(B.cost_ratio_like(pareto).with_unit(false_positive=1))[1]
        assert found == pytest.approx(pareto.mean(), rel=1e-8)

    def test_a_sample_that_holds_infinity_has_no_mean(self) -> None:
        said = B.cost_ratio_like([3, math.inf]).with_unit(false_positive=1)
        with pytest.raises(rocch.UndefinedError):
            expected(said)

    @pytest.mark.parametrize("unit", UNITS)
    def test_without_doubt_costs_are_as_stated(self, unit: str) -> None:
        alarm, miss = expected(B.cost_ratio(4).with_unit(**{unit: 10}))
        assert miss / alarm == pytest.approx(4)
        named = {"false_positive": alarm, "false_negative": miss, "sum_of_costs": alarm + miss}
        assert named[unit] == pytest.approx(10)

    def test_free_errors(self) -> None:
        assert expected(B.cost_ratio(0).with_unit(false_positive=2)) == (2, 0)
        with pytest.raises(rocch.UndefinedError):
            expected(B.cost_ratio(0).with_unit(false_negative=2))


class TestWhereItLies:
    def test_slopes(self) -> None:
        said = B.cost_ratio(5, 10, likely=9).with_prevalence((0.1, 0.3))
        assert said.slope_range == pytest.approx((0.1 * 7 / 3, 0.2 * 9))
        low, high = said.axis_range
        assert ((1 - high) / high, (1 - low) / low) == pytest.approx(said.slope_range)

    def test_open_ends(self) -> None:
        assert B.cost_ratio(1, math.inf).with_prevalence(0.5).slope_range == (0, 1)
        assert B.cost_ratio(0, 1).with_prevalence(0.5).slope_range == (1, math.inf)
        everything = B.cost_ratio(0, math.inf).with_prevalence((0, 1))
        assert everything.slope_range == (0, math.inf)

    def test_fixed_prevalence(self) -> None:
        costs = B.cost_ratio(5, 10)
        assert costs.with_prevalence(0.2).fixed_prevalence == 0.2
        assert costs.with_prevalence((0.2, 0.3)).fixed_prevalence is None
        sample = B.sample(prevalence=0.2, false_positive=[1, 2], false_negative=3)
        assert sample.fixed_prevalence == 0.2

    def test_the_mean_does_not_depend_on_the_unit(self) -> None:
        pooled = B.pooled(B.cost_ratio(5, 10, likely=9), B.cost_ratio(1, 2), weights=[3, 1])
        beliefs = [pooled, B.cost_ratio(5, 10, likely=9), B.cost_share_beta(2, 5)]
        for costs in beliefs:
            said = costs.with_prevalence(B.prevalence(0.1, 0.4, likely=0.2))
            slopes = [said.with_unit(**{unit: 7}).mean.slope for unit in UNITS]
            assert slopes == pytest.approx([said.mean.slope] * 3)
            assert said.mean.prevalence == pytest.approx(0.7 / 3)

    def test_the_mean_of_a_sample_is_its_mean_costs(self) -> None:
        sample = B.sample(
            prevalence=[0.1, 0.3], false_positive=[1, 2], false_negative=[4, 8], weights=[1, 3]
        )
        assert sample.mean == pytest.approx((0.25, 1.75, 7, 0, 0))
        assert B.pooled(sample, sample).mean == pytest.approx(sample.mean)

    def test_a_sample_pooled_with_others_has_a_mean_share(self) -> None:
        sample = B.sample(prevalence=0.2, false_positive=[1, 1], false_negative=[3, 9])
        both = B.pooled(sample, B.cost_ratio(1).with_prevalence(0.4))
        assert both.mean.prevalence == pytest.approx(0.3)
        shares = (0.75 + 0.9) / 2, 0.5
        assert both.mean.false_negative == pytest.approx(sum(shares) / 2)

    def test_the_likely_conditions(self) -> None:
        said = B.cost_ratio(5, 10, likely=9).with_unit(false_positive=20)
        both = said.with_prevalence(B.prevalence(0.1, 0.3, likely=0.15))
        assert both.likely == pytest.approx((0.15, 20, 180, 0, 0))
        assert said.with_prevalence((0.1, 0.3)).likely is None
        assert B.cost_ratio(5, 10).with_prevalence(0.2).likely is None
        assert B.pooled(said, said).with_prevalence(0.2).likely is None
        assert B.sample(prevalence=0.2, false_positive=1, false_negative=2).likely is None


class TestSamples:
    @settings(max_examples=40)
    @given(
        st.lists(
            st.tuples(
                st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
                st.fractions(0, 9, max_denominator=8),
                st.fractions(0, 9, max_denominator=8),
                st.integers(0, 4),
            ),
            min_size=1,
            max_size=8,
        )
    )
    def test_a_sample_adds_up_as_fractions_do(
        self, draws: list[tuple[Fraction, Fraction, Fraction, int]]
    ) -> None:
        draws = [(p, fp, fn + (fp == fn == 0), w) for p, fp, fn, w in draws]
        total = sum(w for *_, w in draws)
        assume(total > 0)
        columns = [np.array([float(x) for x in column]) for column in zip(*draws, strict=True)]
        sample = B.sample(
            prevalence=columns[0],
            false_positive=columns[1],
            false_negative=columns[2],
            weights=columns[3],
        )
        edge = Fraction(2, 5)
        axis = [p * fn / (p * fn + (1 - p) * fp) for p, fp, fn, _ in draws]
        assume(all(t in (0, 1) or abs(t - edge) > 1e-9 for t in axis))
        lower = [(p, fp, fn, w) for (p, fp, fn, w), t in zip(draws, axis, strict=True) if t < edge]
        mass = Fraction(sum(w for *_, w in lower), total)
        alarm = sum(((1 - p) * fp * w for p, fp, fn, w in lower), Fraction(0)) / total
        miss = sum((p * fn * w for p, fp, fn, w in lower), Fraction(0)) / total
        found = sample.stretches(np.array([0.0, float(edge), 1.0]), costs=True)
        at_zero = found.at_edges[0]
        assert found.mass[0] + at_zero == pytest.approx(float(mass), abs=1e-14)
        assert found.alarm[0] == pytest.approx(float(alarm), abs=1e-13)
        assert found.miss[0] == pytest.approx(float(miss), abs=1e-13)

    def test_atoms_on_edges_are_counted_there(self) -> None:
        said = B.cost_ratio_like([1, 3], weights=[1, 3]).with_prevalence(0.5)
        found = said.stretches(np.array([0.0, 0.5, 0.75, 1.0]))
        assert found.at_edges.tolist() == [0, 0.25, 0.75, 0]
        assert found.mass.tolist() == [0, 0, 0]
        assert said.cumulative_mass(np.array([0.5, 0.75])).tolist() == [0.25, 1]
        assert said.cumulative_mass(np.array([0.5, 0.75]), inclusive=False).tolist() == [0, 0.25]

    def test_atoms_at_the_ends_of_the_axis(self) -> None:
        said = B.cost_ratio_like([0, math.inf], weights=[1, 3]).with_prevalence(0.5)
        found = said.stretches(np.array([0.0, 0.5, 1.0]))
        assert found.at_edges.tolist() == [0.25, 0, 0.75]
        costs = said.with_unit(sum_of_costs=1).stretches(np.array([0.0, 0.5, 1.0]), costs=True)
        assert costs.alarm.tolist() == [0.125, 0]
        assert costs.miss.tolist() == [0, 0.375]

    def test_one_number_serves_all_draws(self) -> None:
        sample = B.sample(prevalence=0.2, false_positive=[1, 2], false_negative=3)
        assert sample.has_unit
        assert sample.expected_case == pytest.approx((0.2, 1.5, 3, 0, 0))
        assert str(sample) == "a sample of 2 conditions"


class TestPools:
    @settings(max_examples=15)
    @given(st.floats(0.01, 1), st.floats(0.01, 1))
    def test_a_pool_is_the_weighted_sum(self, one: float, other: float) -> None:
        a = B.cost_ratio(5, 10, likely=9).with_prevalence(0.2).with_unit(false_positive=3)
        b = B.cost_ratio(1, 7).with_prevalence((0.1, 0.5)).with_unit(false_positive=3)
        both = B.pooled(a, b, weights=[one, other])
        edges = np.linspace(0, 1, 9)
        parts = [belief.stretches(edges, costs=True) for belief in (a, b)]
        found = both.stretches(edges, costs=True)
        share = one / (one + other)
        for name in ("mass", "at_edges", "alarm", "miss"):
            wanted = share * getattr(parts[0], name) + (1 - share) * getattr(parts[1], name)
            np.testing.assert_allclose(getattr(found, name), wanted, atol=1e-12)

    def test_a_pool_of_pools_keeps_the_weights(self) -> None:
        a, b, c = B.cost_ratio(2), B.cost_ratio(3), B.cost_ratio(4)
        pool = B.pooled(B.pooled(a, b), c, weights=[1, 3])
        assert [weight for weight, _ in pool.parts] == pytest.approx([0.125, 0.125, 0.75])
        assert "0.75: a miss is 4 times" in str(pool)

    def test_no_weight_no_part(self) -> None:
        pool = B.pooled(B.cost_ratio(2), B.cost_ratio(3), weights=[0, 1])
        assert str(pool) == "a miss is 3 times as bad as a false alarm"


class TestWords:
    @pytest.mark.parametrize(
        ("belief", "words"),
        [
            (B.cost_ratio(5), "a miss is 5 times as bad as a false alarm"),
            (
                B.cost_ratio(1, math.inf),
                "a miss is 1 or more times as bad as a false alarm (uniform on the miss's share of "
                "both costs)",
            ),
            (
                B.inverse_cost_ratio(2, 4, likely=3),
                "a false alarm is 2 to 4 times as bad as a miss, most likely 3 (a triangle on the "
                "miss's share of both costs)",
            ),
            (
                B.cost_ratio(2, 4, likely=3, on="times"),
                "a miss is 2 to 4 times as bad as a false alarm, most likely 3 (a triangle on the "
                "cost of a miss in false alarms)",
            ),
            (
                B.cost_ratio_about(9, factor=2),
                "a miss is about 9 times as bad as a false alarm, within a factor of 2",
            ),
            (B.cost_share_beta(2, 3), "the miss's share of the costs is Beta(2, 3)"),
            (
                B.cost_ratio_like(stats.gamma(3)),
                "the cost of a miss in false alarms follows SciPy's gamma",
            ),
            (B.prevalence(0.1, 0.3, likely=0.2), "the prevalence is 0.1 to 0.3, most likely 0.2"),
            (B.prevalence(0.1), "the prevalence is 0.1"),
            (B.prevalence_beta(2, 9), "the prevalence is Beta(2, 9)"),
            (B.prevalence_like([0.1, 0.2]), "the prevalence follows a sample of 2"),
            (
                B.cost_ratio(5).with_prevalence("observed"),
                "a miss is 5 times as bad as a false alarm; the prevalence is the observed one",
            ),
            (
                B.cost_ratio(5).with_prevalence((0.1, 0.2)),
                "a miss is 5 times as bad as a false alarm; the prevalence is 0.1 to 0.2",
            ),
            (
                B.prevalence(0.1).with_costs(false_positive=1, false_negative=9),
                "a false alarm costs 1, a miss 9; the prevalence is 0.1",
            ),
        ],
        ids=str,
    )
    def test_it_says_what_it_is(self, belief: rocch.Belief, words: str) -> None:
        assert str(belief) == words
        assert repr(belief) == f"<Belief: {words}>"


class TestCopies:
    def test_copies_say_the_same(self) -> None:
        for said in (
            B.prevalence(0.05, 0.2, likely=0.1),
            B.cost_ratio_about(9, factor=2).with_prevalence((0.1, 0.2)),
        ):
            for again in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):  # noqa: S301 - just written
                assert str(again) == str(said)
                at = np.linspace(0, 1, 5)
                np.testing.assert_array_equal(again.cumulative_mass(at), said.cumulative_mass(at))
        costs = copy.deepcopy(B.prevalence(0.05, 0.2)).with_costs(
            false_positive=1, false_negative=9
        )
        assert costs.cost_share.low == pytest.approx(0.9)

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            B.cost_ratio(5).unit = Unit("false_positive", 1.0)  # type: ignore[misc]


class TestOtherShapes:
    def test_the_usual_shapes_of_three_numbers(self) -> None:
        said = B.cost_ratio(5, 10, likely=9).with_unit(false_positive=2).with_prevalence(0.1)
        others = said.other_shapes()
        assert set(others) == {
            "even on the share",
            "triangle on the share",
            "all at the likely value",
            "PERT beta on the share",
            "triangle on the times as bad",
            "even on the times as bad",
            "triangle on the ratio",
            "even on the ratio",
        }
        for belief in others.values():
            assert 10 <= belief.expected_case.false_negative <= 20
            assert belief.cost_share.low >= 5 / 6 - 1e-12
            assert belief.cost_share.high <= 10 / 11 + 1e-12

    def test_pert_has_its_mean(self) -> None:
        others = B.cost_ratio(5, 10, likely=9).other_shapes()
        mean = others["PERT beta on the share"].with_prevalence(0.5).mean.false_negative
        assert mean == pytest.approx((5 / 6 + 4 * 0.9 + 10 / 11) / 6)

    def test_open_ends_have_fewer(self) -> None:
        assert set(B.cost_ratio(1, math.inf).other_shapes()) == {
            "even on the share",
            "even on the ratio",
        }
        assert set(B.cost_ratio(0, 1).other_shapes()) == {
            "even on the share",
            "even on the times as bad",
        }

    def test_no_doubt_no_shape(self) -> None:
        (only,) = B.cost_ratio(5).other_shapes().values()
        assert only.cost_share == pytest.approx((5 / 6, 5 / 6))
        assert len(B.cost_ratio(5, 5, likely=5).other_shapes()) == 4


HULL = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
COSTS = B.cost_ratio(5, 10)
SAMPLE = B.sample(prevalence=0.1, false_positive=1, false_negative=2)
REFUSED: dict[str, tuple[Any, str]] = {
    "bare": (
        lambda: B(5, 10),  # type: ignore[arg-type,call-arg]
        r"Belief must be called with the arguments .*; got 2 values .*Belief\.cost_ratio\(5, 10",
    ),
    "empty": (lambda: B(), r"got no parts.*Belief\.cost_ratio\(5, 10"),  # type: ignore[call-arg]
    "low above high": (
        lambda: B.cost_ratio(10, 5),
        "low must not exceed the upper bound; got 10 and 5",
    ),
    "likely below": (lambda: B.cost_ratio(5, 10, likely=4), "likely must be a number from 5 to 10"),
    "likely above": (
        lambda: B.cost_ratio(5, 10, likely=11),
        "likely must be a number from 5 to 10",
    ),
    "likely alone": (lambda: B.cost_ratio(5, likely=5), "high must be given with likely"),
    "negative": (lambda: B.cost_ratio(-1, 5), "low must be a finite number, not negative; got -1"),
    "NaN": (
        lambda: B.cost_ratio(1, math.nan),
        "high must be a finite number, not negative; got nan",
    ),
    "text": (lambda: B.cost_ratio("5"), "low must be a finite number"),  # type: ignore[arg-type]
    "flag": (lambda: B.cost_ratio(True), "low must be a finite number"),
    "infinite low": (lambda: B.cost_ratio(math.inf), "low must be a finite number"),
    "too large": (lambda: B.cost_ratio(1, 1e10), "high must keep a miss within 1e.09 times"),
    "too small": (lambda: B.inverse_cost_ratio(1e-10, 1), "low must keep a miss within 1e.09"),
    "unknown scale": (lambda: B.cost_ratio(5, 10, on="odds"), "on must be one of 'share'"),  # type: ignore[arg-type]
    "open on times": (lambda: B.cost_ratio(1, math.inf, on="times"), "an end is open"),
    "open on the ratio": (lambda: B.cost_ratio(0, 1, on="ratio"), "an end is open"),
    "about 0": (lambda: B.cost_ratio_about(0, factor=2), "times must be a finite number above 0"),
    "never sure": (
        lambda: B.cost_ratio_about(9, factor=2, confidence=0),
        "confidence must be a number between 0 and 1, both excluded; got 0",
    ),
    "always sure": (
        lambda: B.cost_ratio_about(9, factor=2, confidence=1),
        "confidence must be a number between 0 and 1, both excluded; got 1",
    ),
    "factor 1": (lambda: B.cost_ratio_about(9, factor=1), "factor must be a finite number above 1"),
    "sure": (
        lambda: B.cost_ratio_about(9, factor=2, confidence=1),
        "confidence must be a number between",
    ),
    "beta 0": (lambda: B.cost_share_beta(0, 1), "a must be a finite number above 0"),
    "beta NaN": (lambda: B.cost_share_beta(1, math.nan), "b must be a finite number"),
    "endless discrete": (lambda: B.cost_ratio_like(stats.randint(1, 10**9)), "have at most 100000"),
    "not frozen": (lambda: B.cost_ratio_like(stats.lognorm), "a frozen SciPy distribution"),
    "pooled of a list": (lambda: B.pooled([COSTS, COSTS]), "be separate arguments"),  # type: ignore[arg-type]
    "pooled, one with a prevalence": (
        lambda: B.pooled(COSTS, COSTS.with_prevalence(0.1)),
        "all name a prevalence, or none of them",
    ),
    "likely at infinity": (
        lambda: B.cost_ratio(1, math.inf, likely=math.inf),
        "likely must be a number from 1 to inf",
    ),
    "half outside": (lambda: B.cost_ratio_like(stats.norm(3)), "lie between 0 and inf; got a dist"),
    "all outside": (
        lambda: B.cost_ratio_like(stats.uniform(-3, 1)),
        "lie between 0 and inf; got .* from -3 to -2.*Check its loc",
    ),
    "share outside": (lambda: B.prevalence_like(stats.gamma(2)), "lie between 0 and 1"),
    "one number": (lambda: B.cost_ratio_like(5), "given must be an array"),
    "negative draw": (lambda: B.cost_ratio_like([3, -1]), "given must lie between .* -1 at"),
    "NaN draw": (lambda: B.cost_ratio_like([3, math.nan]), "given must have no missing"),
    "no draw": (lambda: B.cost_ratio_like([]), "given must have at least one"),
    "no mass": (lambda: B.cost_ratio_like([1, 2], weights=[0, 0]), "weights must not all be 0"),
    "weights short": (lambda: B.cost_ratio_like([1, 2], weights=[1]), "one value for each"),
    "weights of a discrete distribution": (
        lambda: B.cost_ratio_like(stats.randint(1, 9), weights=[1]),
        "weights must go with a sample",
    ),
    "weights of SciPy": (
        lambda: B.cost_ratio_like(stats.gamma(2), weights=[1]),
        "weights must go with a sample",
    ),
    "prevalence 0": (
        lambda: B.prevalence(0),
        "prevalence must lie between 0 and 1, both excluded; got 0",
    ),
    "prevalence 1": (lambda: B.prevalence(1, 1), "prevalence must lie between 0 and 1, both"),
    "prevalence 5": (lambda: B.prevalence(5), "prevalence must lie between 0 and 1"),
    "prevalence open": (
        lambda: B.prevalence(0.1, math.inf),
        "prevalence must lie between 0 and 1; got 0.1 to inf",
    ),
    "prevalence drawn at 0": (lambda: B.prevalence_like([0, 0.5]), "got values from 0 to 0.5"),
    "no prevalence": (lambda: COSTS.with_prevalence(None), "be a number, an interval, a belief or"),  # type: ignore[arg-type]
    "a word": (lambda: COSTS.with_prevalence("half"), "be a number, an interval, a belief or"),
    "three ends": (lambda: COSTS.with_prevalence((0.1, 0.2, 0.3)), "be a number, an interval"),  # type: ignore[arg-type]
    "ends swapped": (
        lambda: COSTS.with_prevalence((0.3, 0.1)),
        "low must not exceed the upper bound",
    ),
    "costs as prevalence": (lambda: COSTS.with_prevalence(COSTS), "be a belief about prevalence"),
    "sample as prevalence": (
        lambda: COSTS.with_prevalence(SAMPLE),
        "be a belief about prevalence",
    ),
    "costs with prevalence": (
        lambda: COSTS.with_prevalence(B.cost_ratio(5).with_prevalence(0.1)),
        "be a belief about prevalence alone",
    ),
    "pool as prevalence": (
        lambda: COSTS.with_prevalence(B.pooled(B.prevalence(0.1), B.prevalence(0.2))),
        "be a belief about prevalence",
    ),
    "prevalence twice": (
        lambda: COSTS.with_prevalence(0.1).with_prevalence(0.2),
        "prevalence must be named once",
    ),
    "prevalence for a belief about it": (
        lambda: B.prevalence(0.1, 0.2).with_prevalence(0.2),
        "prevalence must be named once",
    ),
    "prevalence for a sample": (
        lambda: SAMPLE.with_prevalence(0.2),
        "prevalence must be named once",
    ),
    "no unit": (lambda: COSTS.with_unit(), "unit must fix one cost; got 0"),
    "two units": (
        lambda: COSTS.with_unit(false_positive=1, sum_of_costs=1),
        "unit must fix one cost; got 2",
    ),
    "unit 0": (
        lambda: COSTS.with_unit(false_positive=0),
        "false_positive must be a finite number above 0",
    ),
    "unit negative": (lambda: COSTS.with_unit(false_positive=-1), "above 0; got -1"),
    "unit infinite": (lambda: COSTS.with_unit(sum_of_costs=math.inf), "be a finite number"),
    "unit twice": (
        lambda: COSTS.with_unit(false_positive=1).with_unit(false_positive=2),
        "has a unit of cost already",
    ),
    "unit for a sample": (lambda: SAMPLE.with_unit(false_positive=1), "be fixed only once"),
    "known costs for costs": (
        lambda: COSTS.with_costs(false_positive=1, false_negative=1),
        "be added to a belief about prevalence alone",
    ),
    "known costs for a sample": (
        lambda: SAMPLE.with_costs(false_positive=1, false_negative=1),
        "be added to a belief about prevalence alone",
    ),
    "free of cost": (
        lambda: B.prevalence(0.1).with_costs(false_positive=0, false_negative=0),
        "not both be 0",
    ),
    "negative cost": (
        lambda: B.prevalence(0.1).with_costs(false_positive=-1, false_negative=0),
        "false_positive must be a finite number, not negative",
    ),
    "sampled prevalence": (
        lambda: B.sample(prevalence=[0.1, 1], false_positive=1, false_negative=1),
        "prevalence must lie between 0 and 1",
    ),
    "sampled without costs": (
        lambda: B.sample(prevalence=0.1, false_positive=[1, 0], false_negative=[1, 0]),
        "not both be 0; got a draw without costs",
    ),
    "sampled NaN": (
        lambda: B.sample(prevalence=0.1, false_positive=[1, math.nan], false_negative=1),
        "false_positive must be finite",
    ),
    "sampled weights": (
        lambda: B.sample(prevalence=0.1, false_positive=1, false_negative=1, weights=[0]),
        "weights must not all be 0",
    ),
    "sampled unevenly": (
        lambda: B.sample(prevalence=[0.1, 0.2], false_positive=[1, 2, 3], false_negative=1),
        "one value for each of the 3",
    ),
    "a pool of none": (lambda: B.pooled(), "beliefs must be at least one"),
    "a pool of numbers": (lambda: B.pooled(COSTS, 3), "got 3, a ratio without a name"),  # type: ignore[arg-type]
    "a pool without mass": (lambda: B.pooled(COSTS, weights=[0]), "weights must not all be 0"),
    "a pool of units": (
        lambda: B.pooled(COSTS, COSTS.with_unit(false_positive=1)),
        "beliefs must have one unit",
    ),
    "not elicited": (lambda: B.cost_share_beta(2, 2).other_shapes(), "elicited as bounds"),
    "prevalence missing": (lambda: COSTS.slope_range, "prevalence must be named with a belief"),
    "prevalence observed": (
        lambda: COSTS.with_prevalence("observed").slope_range,
        "only a hull can resolve",
    ),
    "regret without a unit": (
        lambda: COSTS.with_prevalence(0.1).expected_case,
        r"have a unit of cost.*with_unit\(false_positive=20\)",
    ),
    "worst regret without an end": (
        lambda: list(
            B.cost_ratio(1, math.inf).with_prevalence(0.1).with_unit(false_positive=1).corners()
        ),
        "belief must have finite costs",
    ),
    "a belief as criterion": (
        lambda: HULL.best(COSTS),  # type: ignore[arg-type]
        r"LeastExpectedRegret\(belief\)",
    ),
    "a belief as conditions": (
        lambda: HULL.sensitivity(COSTS),  # type: ignore[arg-type]
        r"conditions must be Conditions; got .* Belief. .* go to rocch.stats.decision_analysis",
    ),
    "conditions as belief": (
        lambda: rocch.LeastExpectedRegret(
            rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))  # type: ignore[arg-type]
        ),
        r"not how likely: hull.sensitivity\(conditions\)",
    ),
    "a tuple as belief": (
        lambda: rocch.LeastExpectedRegret((5, 10)),  # type: ignore[arg-type]
        r"got \(5, 10\), a ratio without a name",
    ),
    "text as belief": (
        lambda: rocch.LeastExpectedRegret("5 to 10"),  # type: ignore[arg-type]
        "an object of type str",
    ),
}


@pytest.mark.parametrize(("ask", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_is_refused(ask: Any, words: str) -> None:
    with pytest.raises(rocch.InputError, match=words):
        ask()


def test_observed_is_resolved_by_the_judged_rows() -> None:
    said = B.pooled(COSTS, B.cost_ratio(2)).with_prevalence("observed").resolved(HULL.totals)
    assert said.fixed_prevalence == 0.5
    assert SAMPLE.resolved(HULL.totals).parts[0][1] is SAMPLE.parts[0][1]
    assert isinstance(SAMPLE.parts[0][1], SampledPart)


def test_a_pool_has_a_unit_only_if_every_expert_has_one() -> None:
    months = rocch.Belief.sample(prevalence=[0.1, 0.2], false_positive=1, false_negative=[5, 9])
    costs = rocch.Belief.cost_ratio(5, 10).with_prevalence(0.2)
    assert months.has_unit
    assert not costs.has_unit
    assert not rocch.Belief.pooled(months, costs).has_unit


def test_confidence_is_what_was_said() -> None:
    said = B.cost_ratio_about(9, factor=2, confidence=0.8)
    at = np.array([4.5, 9, 18])
    masses = share(said).cumulative(at / (1 + at))[0]
    assert masses.tolist() == pytest.approx([0.1, 0.5, 0.9])


@pytest.mark.parametrize("on", ["times", "ratio"])
def test_beliefs_about_false_alarms_lie_on_the_scale_they_name(on: Any) -> None:
    """On "times" the mean number of times is a triangle's; on "ratio" that of its inverse is."""
    belief = B.inverse_cost_ratio(1, 50, likely=2, on=on).with_prevalence(0.3)
    if on == "times":
        case = belief.with_unit(false_negative=1).expected_case
        assert case.false_positive == pytest.approx((1 + 2 + 50) / 3)
    else:
        case = belief.with_unit(false_positive=1).expected_case
        assert case.false_negative == pytest.approx((1 + 1 / 2 + 1 / 50) / 3)
    named = B.inverse_cost_ratio(1, 50, likely=2).other_shapes()
    name = {"times": "triangle on the times as bad", "ratio": "triangle on the ratio"}[on]
    edges = np.linspace(0, 1, 20)
    wanted = belief.stretches(edges).mass
    assert named[name].with_prevalence(0.3).stretches(edges).mass == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("distribution", "scale"),
    [
        (stats.f(10, 20), 1e-9),
        (stats.betaprime(2, 4), 1e-6),
        (stats.rice(1), 1e-9),
        (stats.mielke(3, 4), 1e-6),
        (stats.poisson(3), 1e-9),
        (stats.randint(1, 6), 1e-12),
        (stats.rv_histogram(np.histogram([1, 2, 2, 3], bins=3))(), 1e-9),
    ],
    ids=["f", "betaprime", "rice", "mielke", "poisson", "randint", "histogram"],
)
def test_the_expected_cost_of_a_scipy_distribution_is_its_mean(
    distribution: Any, scale: float
) -> None:
    belief = B.cost_ratio_like(distribution).with_unit(false_positive=1).with_prevalence(0.3)
    assert belief.expected_case.false_negative == pytest.approx(distribution.mean(), rel=scale)


@pytest.mark.parametrize("size", [10, 1000, 100_000])
def test_narrow_betas_are_not_missed(size: int) -> None:
    """With the prevalence all but known, uncertain costs weigh as at that prevalence."""
    costs = B.cost_ratio_about(3, factor=2)
    balance = B.prevalence_beta(0.2 * size, 0.8 * size)
    edges = np.array([0, 0.3, 0.4, 0.5, 1])
    found = costs.with_prevalence(balance).stretches(edges)
    mass = (np.arange(20_000) + 0.5) / 20_000
    shares = stats.beta(0.2 * size, 0.8 * size).ppf(mass)
    cuts = [
        np.mean(share(costs).cumulative(matching_share(np.full(shares.size, e), shares))[0])
        for e in edges
    ]
    assert found.mass == pytest.approx(np.diff(cuts), abs=2e-6)
    assert found.error < 1e-7
