from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import InfeasibleError, InputError
from rocch.multiclass import Classes
from rocch.multiclass.confusion import Objectives, objectives_of
from tests.support.oracles.multiclass import cheapest, nondominated, observed
from tests.support.surfaces import random_surface

ABC = Classes.of(["a", "b", "c"])
NO_CONFUSION: Any = 1


def costs_of(seed: int, whole: bool) -> rocch.CostMatrix:
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 5, 6) if whole else rng.random(6)
    return rocch.CostMatrix(dict(zip(ABC.pairs, costs.tolist(), strict=True)))


@given(st.integers(0, 10_000), st.booleans())
def test_best_is_the_cheapest_member_without_rounding(seed: int, whole: bool) -> None:
    surface = random_surface(seed % 7)
    costs = costs_of(seed, whole)
    point = surface.best(costs)
    members = surface.counts.tolist()
    want = cheapest(members, costs.values.tolist(), observed(members[0]))
    assert list(point.equals) == want
    assert point.member.place in want
    assert surface.errors[point.member.place] == min(surface.errors[want])
    assert point.expected_cost == point.confusion.expected_cost(costs)


def test_ties_that_doubles_would_break_are_ties() -> None:
    # one error of a as b, or one of b as a: equal until the last bit of a cost says otherwise
    counts = np.array([[[8, 1, 1], [0, 10, 0], [0, 0, 10]], [[9, 0, 1], [1, 9, 0], [0, 0, 10]]])
    surface = rocch.multiclass.RocSurface(ABC, counts, ("x", "y"), np.empty((2, 0)), (), None)
    costs = rocch.CostMatrix({("a", "b"): 0.1, ("b", "a"): 0.1}, classes=ABC, default=0.7)
    assert surface.best(costs).equals == (0, 1)
    nudged = rocch.CostMatrix(
        {("a", "b"): 0.1, ("b", "a"): float(np.nextafter(0.1, 1))}, classes=ABC, default=0.7
    )
    assert surface.best(nudged).equals == (0,)


def test_other_priors_choose_other_members() -> None:
    surface = random_surface(3, draws=200)
    costs = rocch.CostMatrix.zero_one(ABC)
    for shares in ({"a": 0.9, "b": 0.05, "c": 0.05}, {"a": 0.05, "b": 0.05, "c": 0.9}):
        point = surface.best(costs, shares)
        fixed = [Fraction(share) for share in shares.values()]
        assert list(point.equals) == cheapest(surface.counts.tolist(), costs.values.tolist(), fixed)
        worst = max(shares, key=shares.__getitem__)
        assert point.confusion.miss_rates[worst] < 0.2


def test_limits_on_single_rates_and_on_misses() -> None:
    surface = random_surface(1, draws=300)
    costs = rocch.CostMatrix.zero_one(ABC)
    point = surface.best(costs, limits={("a", "b"): 0.05, "c": 0.4})
    assert point.confusion["a", "b"] / 20 <= 0.05
    assert point.confusion.miss_rates["c"] <= 0.4
    allowed = (surface.counts[:, 0, 1] <= 1) & (surface.misses[:, 2] <= 8)
    assert point.confusion.errors == surface.errors[allowed].min()
    assert point.confusion.errors >= surface.fewest_errors().confusion.errors


def test_a_limit_equal_to_a_rate_is_kept() -> None:
    counts = np.array([[[71, 29], [0, 100]]])
    surface = rocch.multiclass.RocSurface(
        Classes.of(["a", "b"]), counts, ("x",), np.empty((1, 0)), (), None
    )
    assert surface.fewest_errors(limits={("a", "b"): 0.29}).member.place == 0


def test_limits_that_nobody_keeps() -> None:
    surface = random_surface(1, skill=0.05)
    with pytest.raises(InfeasibleError, match=r"as low as .* for missing a \(limit 0\)"):
        surface.best(rocch.CostMatrix.zero_one(ABC), limits={"a": 0, "b": 0, "c": 0})


def test_the_knee_has_the_least_largest_miss_rate() -> None:
    surface = random_surface(2, draws=300)
    point = surface.knee()
    worst = surface.miss_rates.max(axis=1)
    assert max(point.confusion.miss_rates.values()) == worst.min()
    equal = surface.miss_rates[list(point.equals)]
    assert sum(point.confusion.miss_rates.values()) == pytest.approx(equal.sum(axis=1).min())


def test_distance_from_random_allocation() -> None:
    surface = random_surface(4, draws=300)
    sums = surface.rates.sum(axis=1)
    assert surface.distances == pytest.approx((sums - 2) / 6**0.5)
    assert surface.farthest_from_random().member.place in np.flatnonzero(
        np.isclose(sums, sums.min())
    )


def test_random_allocation_itself_lies_on_the_simplex_and_not_beyond() -> None:
    # everything answered "a": the rates sum to exactly Q - 1, whatever the class sizes
    totals = np.array([7, 3, 49])
    always = np.zeros((3, 3), dtype=int)
    always[:, 0] = totals
    worse = always.copy()
    worse[0] = [6, 1, 0]
    surface = rocch.multiclass.RocSurface(
        ABC, np.array([always, worse]), ("x", "y"), np.empty((2, 0)), (), None
    )
    assert surface.beyond_random.tolist() == [False, True]
    assert surface.distances[0] == 0


@given(st.integers(0, 10_000), st.sampled_from(["rates", "misses"]))
def test_a_surface_of_given_classifiers_keeps_the_nondominated(
    seed: int, objectives: Objectives
) -> None:
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 4)
    confusions = {
        f"m{i}": rocch.multiclass.Confusion.from_labels(
            truth, np.where(rng.random(12) < 0.6, truth, rng.integers(0, 3, 12)), classes=[0, 1, 2]
        )
        for i in range(12)
    }
    surface = rocch.multiclass.RocSurface.of(confusions, objectives=objectives)
    every = np.stack([confusion.counts for confusion in confusions.values()])
    want = nondominated([tuple(row) for row in objectives_of(every, objectives).tolist()])
    found = objectives_of(surface.counts, objectives).tolist()
    assert {tuple(row) for row in found} == want
    for place, member in enumerate(surface):
        assert member.confusion.counts.tolist() == confusions[member.model].counts.tolist()
        assert member.place == place
        assert member.costs is None


def test_misses_answer_costs_of_misses_with_certainty() -> None:
    surface = rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(["a", "b", "c"], ["a", "b", "a"])},
        objectives="misses",
    )
    by_truth = rocch.CostMatrix({("a", "b"): 2, ("a", "c"): 2}, classes=ABC, default=1)
    assert surface.best(by_truth).guaranteed
    by_answer = rocch.CostMatrix({("a", "b"): 2}, classes=ABC, default=1)
    assert not surface.best(by_answer).guaranteed
    assert "1 of 3 rows wrong" in str(surface.best(by_truth))


def test_chances_under_a_belief_are_those_of_its_draws() -> None:
    surface = random_surface(5, draws=100)
    belief = rocch.multiclass.DirichletBelief(dict.fromkeys(ABC.pairs, 1.0))
    chances = surface.chances(belief, samples=2000, seed=1)
    assert sum(chances.values()) == pytest.approx(1)
    draws = belief.cost_draws(ABC, 2000, seed=1)
    wins = [int((surface.counts * draw / 20 / 3).sum(axis=(1, 2)).argmin()) for draw in draws[:400]]
    for place in set(wins):
        assert chances[place] >= wins.count(place) / 2000
    assert list(chances.values()) == sorted(chances.values(), reverse=True)


def test_chances_follow_the_class_balance() -> None:
    surface = random_surface(5, draws=100)
    belief = rocch.multiclass.DirichletBelief(dict.fromkeys(ABC.pairs, 1.0))
    shares = np.array([0.7, 0.2, 0.1])
    chances = surface.chances(belief, dict(zip("abc", shares.tolist(), strict=True)), samples=300)
    rates = surface.counts / surface.totals[:, None]
    draws = belief.cost_draws(ABC, 300, seed=0)
    wins = [int((rates * draw * shares[:, None]).sum(axis=(1, 2)).argmin()) for draw in draws]
    assert chances == pytest.approx({place: wins.count(place) / 300 for place in set(wins)})


def test_members_tell_what_they_are() -> None:
    surface = random_surface(6, draws=5)
    member = surface.members[2]
    assert member.parameters == {"dial": 0.0}
    assert member.costs is not None
    assert member.costs.values.tolist() == surface.costs[2].tolist()  # type: ignore[index]
    assert str(member).startswith("noisy (dial 0): ")
    assert repr(surface) == "<RocSurface of 5 members, 3 classes, rates>"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda s: s.best(rocch.CostMatrix.zero_one(["a", "b"])), "have exactly the classes"),
        (lambda s: s.best("costs"), "be a CostMatrix"),
        (
            lambda s: s.best(rocch.CostMatrix({("a", "b"): (1, 2)}, classes=ABC, default=1)),
            "optimal_within",
        ),
        (
            lambda s: s.best(
                rocch.CostMatrix.zero_one(ABC), {"a": (0.2, 0.4), "b": 0.3, "c": (0.2, 0.6)}
            ),
            "priors must be exact here",
        ),
        (lambda s: s.knee(limits=[0.1]), "limits must be a Mapping"),
        (lambda s: s.knee(limits={"z": 0.1}), "limits must name one of the classes; got 'z'"),
        (lambda s: s.knee(limits={("a", "a"): 0.1}), "limits must be about errors"),
        (lambda s: s.knee(limits={"a": 5}), "the limit on missing a must be a number from 0 to 1"),
        (lambda _: rocch.multiclass.RocSurface.of({}), "map classifier names"),
        (lambda _: rocch.multiclass.RocSurface.of({"x": NO_CONFUSION}), "be a Confusion"),
        (
            lambda _: rocch.multiclass.RocSurface.of(
                {
                    "x": rocch.multiclass.Confusion.from_labels(["a", "b"], ["a", "b"]),
                    "y": rocch.multiclass.Confusion.from_labels(["a", "b", "b"], ["a", "b", "b"]),
                }
            ),
            "count the same rows",
        ),
    ],
)
def test_bad_input(call: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        call(random_surface(0, draws=5))


def test_twenty_six_classes_and_a_few_classifiers() -> None:
    rng = np.random.default_rng(0)
    names = [chr(ord("A") + i) for i in range(26)]
    truth = rng.choice(names, 2000)
    named = {
        f"m{i}": rocch.multiclass.Confusion.from_labels(
            truth, np.where(rng.random(2000) < 0.7 + 0.02 * i, truth, rng.choice(names, 2000))
        )
        for i in range(4)
    }
    surface = rocch.multiclass.RocSurface.of(named)
    costs = rocch.CostMatrix({("Q", "O"): 30}, classes=names, default=1)
    best = min(named, key=lambda name: named[name].expected_cost(costs))
    assert surface.best(costs).member.model == best


def test_the_share_that_a_surface_dominates_and_another_does_not() -> None:
    strong, weak = random_surface(1, skill=0.6), random_surface(1, skill=0.2)
    g = {name: s.dominated_share(samples=20_000) for name, s in (("s", strong), ("w", weak))}
    assert g["s"].value > g["w"].value > 0
    over, under = (
        strong.exclusive_share(weak, samples=20_000),
        weak.exclusive_share(strong, samples=20_000),
    )
    # both look at the same samples, so that the shares fit together exactly
    assert over.value - under.value == pytest.approx(g["s"].value - g["w"].value)
    with pytest.raises(InputError, match="other must be a RocSurface"):
        strong.exclusive_share("weak")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="have the classes"):
        strong.exclusive_share(random_surface(1, classes=4))


def test_g_of_one_binary_point() -> None:
    counts = np.array([[[60, 40], [20, 80]]])
    surface = rocch.multiclass.RocSurface(
        Classes.of([1, 0]), counts, ("x",), np.empty((1, 0)), (), None
    )
    assert surface.dominated_share().value == 0.16  # facts of 004's G on finitely many points
    pytest.importorskip("moocore", reason="exact cube volumes need the volumes extra")
    assert surface.cube_volume() == pytest.approx(0.48)


def test_surfaces_compare_by_value_and_members_by_place() -> None:
    one, two = random_surface(1, draws=9), random_surface(1, draws=9)
    assert one == two
    assert hash(one) == hash(two)
    assert one != random_surface(2, draws=9)
    assert one != "surface"
    assert len({one.member(3), two.member(3), one.knee(), two.knee()}) == 2
    for place, why in (
        (9, "place must be a whole number from 0 to 8"),
        (-1, "from 0 to 8"),
        ("a", "whole number"),
    ):
        with pytest.raises(InputError, match=why):
            one.member(place)  # type: ignore[arg-type]


def test_the_knees_equals_are_just_as_good() -> None:
    surface = random_surface(2, draws=300)
    point = surface.knee()
    rates = surface.miss_rates[list(point.equals)]
    assert np.ptp(rates.max(axis=1)) == 0
    assert np.ptp(rates.sum(axis=1)) == pytest.approx(0)


def test_of_equal_knees_the_one_with_fewer_errors_is_chosen() -> None:
    few = rocch.multiclass.Confusion(ABC, np.array([[90, 10, 0], [2, 8, 0], [0, 0, 10]]))
    many = rocch.multiclass.Confusion(ABC, np.array([[80, 20, 0], [1, 9, 0], [0, 0, 10]]))
    for parts in ({"many": many, "few": few}, {"few": few, "many": many}):
        point = rocch.multiclass.RocSurface.of(parts).knee()
        assert point.member.model == "few"
        assert len(point.equals) == 2


def test_limits_on_single_errors_end_the_guarantee_of_misses() -> None:
    b_kept = rocch.multiclass.Confusion(ABC, np.array([[8, 0, 2], [0, 10, 0], [0, 0, 10]]))
    a_kept = rocch.multiclass.Confusion(ABC, np.array([[9, 1, 0], [0, 10, 0], [0, 0, 10]]))
    other = rocch.multiclass.Confusion(ABC, np.array([[10, 0, 0], [3, 7, 0], [0, 0, 10]]))
    surface = rocch.multiclass.RocSurface.of(
        {"A": a_kept, "B": b_kept, "D": other}, objectives="misses"
    )
    limits = {("a", "b"): 0}
    assert not surface.best(rocch.CostMatrix.zero_one(ABC), limits=limits).guaranteed
    assert not surface.knee(limits=limits).guaranteed
    assert surface.best(rocch.CostMatrix.zero_one(ABC), limits={"a": 0.2}).guaranteed


def test_chances_need_a_belief() -> None:
    with pytest.raises(InputError, match="belief must be a DirichletBelief"):
        random_surface(1).chances(rocch.CostMatrix.zero_one(ABC))  # type: ignore[arg-type]
