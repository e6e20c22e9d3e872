"""G, delta and the cube's volume: exact against sampled, against oracles and against moocore."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.multiclass import Archive, DominatedShare, cube_volume, dominated_share, exclusive_share
from rocch.multiclass.volumes import DominatedSamples, Region
from tests.support.oracles import dominance as slow

if TYPE_CHECKING:
    from rocch.arrays import IntArray

SHAPES: list[tuple[int, Any]] = [(2, "rates"), (3, "misses"), (6, "rates")]
UNEQUAL = {2: [30, 70], 3: [30, 70, 11], 6: [30, 30, 70, 70, 11, 11]}


def surface(objectives: int, members: int, seed: int) -> IntArray:
    """Return counts well below random allocation."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(objectives), members) * rng.uniform(0.3, 0.9, (members, 1))
    return np.floor(shares * UNEQUAL[objectives]).astype(np.int64)


@pytest.mark.parametrize(("objectives", "kind"), SHAPES)
def test_exact_and_sampled_shares_agree(objectives: int, kind: Any) -> None:
    totals = UNEQUAL[objectives]
    for seed, members in enumerate((1, 4, 25)):
        counts = surface(objectives, members, seed)
        exact = dominated_share(counts, totals, objectives=kind, exact=True)
        drawn = DominatedSamples(totals, objectives=kind)
        assert drawn.add(counts) == drawn.share.value
        assert exact.samples is None
        assert 0.01 < exact.value < 0.99
        assert abs(drawn.share.value - exact.value) < 4 * drawn.share.standard_error


@pytest.mark.parametrize(("objectives", "kind"), SHAPES)
def test_exact_shares_equal_the_slow_ones(objectives: int, kind: Any) -> None:
    totals, region = UNEQUAL[objectives], Region.of(objectives, kind, "totals")
    ours, theirs = surface(objectives, 4, 1), surface(objectives, 3, 2)
    both = np.concatenate([ours, theirs]).tolist()
    volumes = [
        slow.union_volume(rows, totals, region.budget) / region.volume
        for rows in (ours.tolist(), theirs.tolist(), both)
    ]
    share = dominated_share(ours, totals, objectives=kind, exact=True)
    assert (share.value, share.low, share.high) == (float(volumes[0]),) * 3
    more = exclusive_share(ours, totals, theirs, objectives=kind, exact=True)
    assert more.value == float(volumes[2] - volumes[1])


@pytest.mark.parametrize(("objectives", "kind"), SHAPES)
def test_delta_fills_the_other_up_to_both_together(objectives: int, kind: Any) -> None:
    totals, how = UNEQUAL[objectives], {"objectives": kind, "samples": 5000, "seed": 7}
    ours, theirs = surface(objectives, 9, 1), surface(objectives, 9, 2)
    delta = exclusive_share(ours, totals, theirs, **how)
    both = dominated_share(np.concatenate([ours, theirs]), totals, **how)
    alone = dominated_share(theirs, totals, **how)
    assert both.value == pytest.approx(alone.value + delta.value, abs=1e-12)
    assert delta.samples == (None if objectives == 2 else 5000)
    assert exclusive_share(ours, totals, ours, **how).value == 0


def test_delta_between_different_totals() -> None:
    ours, theirs = surface(6, 9, 1), surface(6, 9, 2)
    doubled = [2 * total for total in UNEQUAL[6]]
    same = exclusive_share(ours, UNEQUAL[6], theirs)
    assert exclusive_share(ours, UNEQUAL[6], 2 * theirs, doubled) == same
    exact = exclusive_share(ours, UNEQUAL[6], theirs, exact=True)
    assert exclusive_share(ours, UNEQUAL[6], 2 * theirs, doubled, exact=True) == exact
    assert abs(exact.value - same.value) < 4 * same.standard_error


def test_two_classes_are_exact_even_with_very_many_members() -> None:
    false_positives = np.arange(0, 20_001)
    counts = np.stack([false_positives, 20_000 - false_positives], axis=1)
    share = dominated_share(counts, [40_000, 40_000])
    # a straight staircase from (0, 0.5) to (0.5, 0): a triangle is left, and 20,000 tiny ones
    assert share.samples is None
    left = Fraction(1, 8) + 20_000 * Fraction(1, 40_000) ** 2 / 2
    assert share.value == float(2 * (Fraction(1, 2) - left))


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 6).map(list), min_size=1, max_size=6))
def test_a_larger_surface_never_dominates_less(rows: list[list[int]]) -> None:
    totals = [8] * 6
    shares = [dominated_share(rows[: n + 1], totals, samples=500).value for n in range(len(rows))]
    exact = [dominated_share(rows[: n + 1], totals, exact=True).value for n in range(len(rows))]
    assert shares == sorted(shares)
    assert exact == sorted(exact)


def test_perfect_and_useless_classifiers() -> None:
    totals = [9] * 6
    perfect = dominated_share([[0] * 6], totals)
    assert (perfect.value, perfect.standard_error, perfect.high) == (1, 0, 1)
    assert 0.9999 < perfect.low < 1
    useless = dominated_share([[9, 0, 9, 0, 0, 0]], totals)
    assert (useless.value, useless.low) == (0, 0)
    assert 0 < useless.high < 0.0001
    assert dominated_share([[0] * 6], totals, exact=True).value == 1
    assert dominated_share([[9, 0, 9, 0, 0, 0]], totals, exact=True).value == 0
    assert dominated_share([[0, 0]], [3, 5]).value == 1


def test_the_interval_holds_the_exact_share_about_as_often_as_it_says() -> None:
    counts, totals = surface(6, 5, 3), UNEQUAL[6]
    exact = dominated_share(counts, totals, exact=True).value
    shares = [dominated_share(counts, totals, samples=400, seed=seed) for seed in range(200)]
    held = sum(share.low <= exact <= share.high for share in shares)
    assert 183 <= held <= 200
    spread = np.std([share.value for share in shares])
    assert spread == pytest.approx(np.mean([share.standard_error for share in shares]), rel=0.2)


def test_following_an_archive_comes_to_the_same_as_starting_from_it() -> None:
    rng = np.random.default_rng(1)
    archive = Archive(UNEQUAL[6])
    followed = DominatedSamples(UNEQUAL[6], samples=3000, seed=4)
    shares = []
    for _ in range(8):
        batch = surface(6, 60, int(rng.integers(1000)))
        shares.append(followed.add(batch[archive.insert(batch)]))
    anew = DominatedSamples(UNEQUAL[6], samples=3000, seed=4)
    assert anew.add(archive.counts) == shares[-1]
    assert np.array_equal(anew.dominated, followed.dominated)
    assert anew.share == followed.share
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]
    assert followed.add([]) == shares[-1]


def test_samples_are_judged_by_their_rates() -> None:
    counts, totals = surface(6, 30, 5), np.array(UNEQUAL[6])
    drawn = DominatedSamples(totals, samples=2000, seed=3)
    drawn.add(counts)
    points = np.concatenate(list(Region(3, "rates").draw(2000, 3)))
    expected = [bool(((counts / totals) <= point).all(axis=1).any()) for point in points]
    assert drawn.dominated.tolist() == expected


def test_both_engines_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = surface(6, 300, 6)
    shares = []
    for start in (0, 10**18):
        monkeypatch.setitem(SAVES_A_SECOND, "dominance", start)
        shares.append(dominated_share(counts, UNEQUAL[6], samples=5000))
    assert shares[0] == shares[1]


@pytest.mark.parametrize("objectives", [2, 3, 6])
def test_the_cubes_volume_for_one_member_is_a_product(objectives: int) -> None:
    pytest.importorskip("moocore", reason="the volumes extra is not installed")
    counts, totals = surface(objectives, 1, 0), np.array(UNEQUAL[objectives])
    assert cube_volume(counts, totals) == pytest.approx(np.prod(1 - counts[0] / totals))


def test_the_cube_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moocore", None)
    with pytest.raises(rocch.MissingExtraError, match="volume of the cube needs the 'volumes'"):
        cube_volume([[1, 1]], [2, 2])


def test_too_much_exact_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = surface(6, 20, 1)
    monkeypatch.setattr("rocch.multiclass.volumes.MOST_TERMS", 50)
    with pytest.raises(rocch.InputError, match=r"exact must be False .* Monte Carlo") as caught:
        dominated_share(counts, UNEQUAL[6], exact=True)
    assert "20 members in 6 objectives" in str(caught.value)
    assert dominated_share(counts, UNEQUAL[6]).samples == 100_000
    monkeypatch.setattr("rocch.multiclass.volumes.MOST_MEMBERS", 19)
    with pytest.raises(rocch.InputError, match=r"exact must be False .* 19 members"):
        dominated_share(counts, UNEQUAL[6], exact=True)
    assert dominated_share(surface(2, 20, 1), UNEQUAL[2]).samples is None


def test_common_multiples_that_are_too_large_are_refused() -> None:
    primes = [2**31 - 1] * 6, [2**31 - 19] * 6
    with pytest.raises(rocch.InputError, match="exact must be False where common multiples"):
        exclusive_share([[1] * 6], primes[0], [[1] * 6], primes[1], exact=True)
    assert exclusive_share([[1] * 6], primes[0], [[2] * 6], primes[1], samples=10).value == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": 0}, "samples must be a whole number from 1 to"),
        ({"samples": 1e5}, "samples must be a whole number"),
        ({"seed": -1}, "seed must be a whole number, at least 0"),
        ({"exact": "yes"}, "exact must be True or False"),
        ({"objectives": "errors"}, "objectives must be one of 'rates', 'misses'"),
        ({"counts": []}, "counts must hold at least one member"),
        ({"counts": np.empty((0, 6), dtype=int)}, "counts must hold at least one member"),
        ({"totals": [9] * 5}, r"totals must have 2, 6, 12, ... Q\(Q - 1\) columns"),
        ({"totals": [9] * 12}, "counts must be rows of 12 whole numbers"),
        ({"totals": [0] * 6}, "totals must be whole numbers, at least 1"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"counts": [[1] * 6], "totals": [9] * 6, **change}
    counts, totals = given.pop("counts"), given.pop("totals")
    with pytest.raises(rocch.InputError, match=message):
        dominated_share(counts, totals, **given)
    with pytest.raises(rocch.InputError, match=message):
        exclusive_share(counts, totals, [[1] * len(totals)], **given)


def test_bad_rivals_are_refused() -> None:
    with pytest.raises(
        rocch.InputError, match="other_totals must have one value for each of the 6 objectives"
    ):
        exclusive_share([[1] * 6], [9] * 6, [[1] * 2], [9] * 2)
    with pytest.raises(rocch.InputError, match="other must be rows of"):
        exclusive_share([[1] * 6], [9] * 6, [[1] * 2])
    with pytest.raises(rocch.InputError, match="other must hold at least one member"):
        exclusive_share([[1] * 6], [9] * 6, [])


def test_a_share_says_what_it_is() -> None:
    assert str(DominatedShare(0.16, 0.0, 0.16, 0.16, None)) == "0.1600 (exact)"
    shown = str(DominatedShare(0.5, 0.05, 0.4, 0.6, 100))
    assert shown == "0.5000 +- 0.0500 (95% interval 0.4000 to 0.6000, 100 samples)"
