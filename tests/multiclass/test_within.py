from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import linprog

import rocch
from tests.support.surfaces import random_surface

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass import RocSurface

ABC = ("a", "b", "c")


def bounded(surface: RocSurface, high: float) -> rocch.CostMatrix:
    return rocch.CostMatrix(dict.fromkeys(surface.classes.pairs, (1.0, high)))


def optimal_by_plain_programs(surface: RocSurface, costs: rocch.CostMatrix) -> set[int]:
    """One linear program over the cost box for each member, against all others at once."""
    shares = surface.totals / surface.totals.sum()
    weighed = surface.counts / surface.totals[:, None] * shares[:, None]
    flat = weighed.reshape(len(surface), -1)
    bounds = list(zip(costs.low.ravel(), costs.high.ravel(), strict=True))
    found = set()
    for place, own in enumerate(flat):
        answer = linprog(
            [*np.zeros(own.size), -1],
            A_ub=np.concatenate([own - flat, np.ones((len(flat), 1))], axis=1),
            b_ub=np.zeros(len(flat)),
            bounds=[*bounds, (None, None)],
        )
        if answer.x[-1] >= -1e-9:
            found.add(place)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("high", [1.0, 1.3, 4.0, 40.0])
def test_the_set_is_that_of_plain_linear_programs(seed: int, high: float) -> None:
    surface = random_surface(seed, draws=40)
    costs = bounded(surface, high)
    found = surface.optimal_within(costs)
    assert set(found.places) == optimal_by_plain_programs(surface, costs)
    assert found.models == ("noisy",)


def sampled_points(
    rng: np.random.Generator, costs: rocch.CostMatrix, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    while True:
        shares = rng.dirichlet(np.ones(low.size))
        if (shares >= low).all() and (shares <= high).all():
            return shares, rng.uniform(costs.low, costs.high)


def test_every_sampled_winner_is_in_the_set_with_bounds_on_priors_too() -> None:
    rng = np.random.default_rng(0)
    surface = random_surface(8, draws=150)
    costs = bounded(surface, 3.0)
    priors = {"a": (0.1, 0.6), "b": (0.2, 0.5), "c": (0.1, 0.7)}
    found = surface.optimal_within(costs, priors)
    low, high = np.array(list(priors.values())).T
    for _ in range(2000):
        shares, values = sampled_points(rng, costs, low, high)
        risks = (surface.counts / surface.totals[:, None] * values * shares[:, None]).sum((1, 2))
        assert int(risks.argmin()) in found or np.sort(risks)[1] - risks.min() < 1e-9
    wider = surface.optimal_within(costs, dict.fromkeys(ABC, (0, 1)))
    assert set(found.places) <= set(wider.places)
    assert set(surface.optimal_within(costs).places) <= set(wider.places)


def test_every_member_of_the_set_comes_with_proof() -> None:
    surface = random_surface(9, draws=150)
    priors = {"a": (0.1, 0.6), "b": (0.2, 0.5), "c": (0.1, 0.7)}
    found = surface.optimal_within(bounded(surface, 5.0), priors)
    assert 1 < len(found) < 150
    for place, witness in found.witnesses.items():
        assert (witness.costs.low >= 1).all(where=~np.eye(3, dtype=bool))
        assert (witness.costs.high <= 5).all()
        for name, (least, most) in priors.items():
            assert least - 1e-9 <= witness.priors[name] <= most + 1e-9
        own = surface.member(place).confusion.expected_cost(witness.costs, witness.priors)
        best = surface.best(witness.costs, witness.priors).expected_cost
        assert best is not None
        assert own <= best + 1e-8


def test_exact_costs_give_what_best_gives() -> None:
    surface = random_surface(10, draws=100)
    costs = rocch.CostMatrix.zero_one(ABC)
    assert surface.optimal_within(costs).places == surface.best(costs).equals
    regret = surface.least_regret(costs)
    assert regret.regret == 0
    assert regret.member.place in surface.best(costs).equals


def test_which_classifier_is_optimal_for_which_costs() -> None:
    # Srinivasan's joint hull: the middle one is not dominated, and yet never optimal
    truth = ["a"] * 10 + ["b"] * 10
    confusions = {
        "cautious": rocch.multiclass.Confusion.from_labels(
            truth, ["a"] * 10 + ["a"] * 4 + ["b"] * 6
        ),
        "middle": rocch.multiclass.Confusion.from_labels(
            truth, ["a"] * 7 + ["b"] * 5 + ["a"] * 2 + ["b"] * 6
        ),
        "bold": rocch.multiclass.Confusion.from_labels(truth, ["a"] * 6 + ["b"] * 14),
    }
    surface = rocch.multiclass.RocSurface.of(confusions)
    costs = rocch.CostMatrix({("a", "b"): (0.1, 10), ("b", "a"): (0.1, 10)})
    assert surface.optimal_within(costs).models == ("bold", "cautious")
    dear = rocch.CostMatrix({("a", "b"): (2, 10), ("b", "a"): 1})
    assert surface.optimal_within(dear).models == ("cautious",)


def test_the_least_regret_is_the_least_worst_loss() -> None:
    rng = np.random.default_rng(2)
    surface = random_surface(11, draws=80)
    costs = bounded(surface, 4.0)
    priors = {"a": (0.2, 0.6), "b": (0.2, 0.5), "c": (0.1, 0.4)}
    answer = surface.least_regret(costs, priors)
    low, high = np.array(list(priors.values())).T
    worst = np.zeros(len(surface))
    for _ in range(4000):
        shares, values = sampled_points(rng, costs, low, high)
        values = np.where(rng.random((3, 3)) < 0.5, costs.low, costs.high)
        risks = (surface.counts / surface.totals[:, None] * values * shares[:, None]).sum((1, 2))
        worst = np.maximum(worst, risks - risks.min())
    assert worst[answer.member.place] <= answer.regret + 1e-12
    assert answer.regret <= 1.35 * worst[answer.member.place]  # samples come close
    assert worst.min() <= answer.regret


def two_class_surface(points: list[tuple[int, int]], rows: int) -> RocSurface:
    classes = rocch.multiclass.Classes.of(["a", "b"])
    return rocch.multiclass.RocSurface.of(
        {
            f"m{place}": rocch.multiclass.Confusion(
                classes, np.array([[rows - p, p], [q, rows - q]])
            )
            for place, (p, q) in enumerate(points)
        }
    )


def optimal_for_some_ratio(surface: RocSurface, low: Fraction, high: Fraction) -> set[int]:
    """Two classes: who is cheapest for some ratio of the two costs between two fractions."""
    points = [(int(c[0, 1]), int(c[1, 0])) for c in surface.counts]
    found = set()
    for place, (p, q) in enumerate(points):
        least, most = low, high
        for r, s in points:  # ratio x p + q <= ratio x r + s
            if p == r and q > s:
                least, most = Fraction(1), Fraction(0)
            elif p < r:
                least = max(least, Fraction(q - s, r - p))
            elif p > r:
                most = min(most, Fraction(s - q, p - r))
        if least <= most:
            found.add(place)
    return found


@pytest.mark.parametrize("unit", [1.0, 2.0**-340, 2.0**330])
@pytest.mark.parametrize("reach", [1.0, 2.0, 100.0, 1e6, 1e9])
@pytest.mark.parametrize("seed", range(3))
def test_two_classes_are_decided_without_rounding(seed: int, reach: float, unit: float) -> None:
    # bounds over many magnitudes, in any unit, and members that tie exactly on a segment
    rng = np.random.default_rng(seed)
    corner = [(0, 500), (1, 499), (500, 1), (250, 250), (10, 300), (300, 10), (499, 0), (155, 155)]
    drawn = [(int(p), int(q)) for p, q in rng.integers(0, 400, (25, 2))]
    surface = two_class_surface([*corner, *drawn, (110, 160), (60, 230)], 1000)
    between = (unit / reach, unit * reach)
    found = surface.optimal_within(rocch.CostMatrix({("a", "b"): between, ("b", "a"): between}))
    low, high = (Fraction(bound) for bound in between)
    assert set(found.places) == optimal_for_some_ratio(surface, low / high, high / low)


def test_the_unit_of_costs_changes_nothing() -> None:
    surface = random_surface(12, classes=4, rows=60, draws=80, skill=0.4)
    priors = dict.fromkeys("abcd", (0.1, 0.8))
    sets = {
        surface.optimal_within(
            rocch.CostMatrix(dict.fromkeys(surface.classes.pairs, (unit, 3 * unit))), priors
        ).places
        for unit in (1.0, 2.0**27, 2.0**-40, 2.0**-300)
    }
    assert len(sets) == 1


def test_observed_priors_stay_observed_in_the_proof() -> None:
    surface = random_surface(13, draws=60)
    found = surface.optimal_within(bounded(surface, 3.0))
    assert {witness.priors for witness in found.witnesses.values()} == {"observed"}
    assert str(found).endswith("can be optimal, of: noisy")
    assert "at worst" in str(surface.least_regret(bounded(surface, 3.0)))


def test_bounds_on_priors_are_exact_too() -> None:
    # the second is optimal only if the priors could sum to a little more than 1
    classes = rocch.multiclass.Classes.of(["A", "B", "C"])
    one = np.array([[9, 1, 0], [0, 10, 0], [0, 0, 10]])
    two = np.array([[10, 0, 0], [1, 9, 0], [1, 0, 9]])
    surface = rocch.multiclass.RocSurface.of(
        {
            "one": rocch.multiclass.Confusion(classes, one),
            "two": rocch.multiclass.Confusion(classes, two),
        }
    )
    priors = {"A": (0, 0.6), "B": (0, 0.6), "C": (0.3, 0.4)}
    for gap, models in ((1e-10, ("one",)), (-1e-10, ("one", "two"))):
        dear = 1.5 * (1 + gap)
        costs = rocch.CostMatrix({("B", "A"): dear, ("C", "A"): dear}, classes=classes, default=1)
        assert surface.optimal_within(costs, priors).models == models
