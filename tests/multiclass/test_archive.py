"""The archive against a filter of all pairs, whatever the order and the batches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.multiclass import Archive
from rocch.multiclass import archive as archives
from tests.support.oracles import dominance as slow

if TYPE_CHECKING:
    from rocch.arrays import IntArray

LIMIT = 5


@st.composite
def batches(draw: st.DrawFn) -> list[list[list[int]]]:
    """Draw candidates with many ties, in batches of any size, empty ones too."""
    width = draw(st.integers(1, 6))
    row = st.lists(st.integers(0, LIMIT), min_size=width, max_size=width)
    return draw(st.lists(st.lists(row, max_size=8), min_size=1, max_size=8).filter(any))


def filled(parts: list[list[list[int]]]) -> Archive:
    width = len(next(part for part in parts if part)[0])
    archive = Archive([LIMIT] * width)
    for part in parts:
        archive.insert(part)
    return archive


def cloud(rows: int, objectives: int, largest: int, seed: int = 0) -> IntArray:
    """Return counts around a plane, so that many of them are incomparable."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(objectives), rows) * rng.uniform(1, 1.6, (rows, 1))
    return np.minimum(np.floor(shares * largest), largest).astype(np.int64)


@given(batches())
def test_every_step_equals_the_slow_one(parts: list[list[list[int]]]) -> None:
    width = len(next(part for part in parts if part)[0])
    archive, members, entered = Archive([LIMIT] * width), dict[int, Any](), 0
    for part in parts:
        places = archive.insert(part)
        assert places.tolist() == slow.insert(members, entered, part)
        entered += places.size
        assert archive.ids.tolist() == list(members)
        assert archive.counts.tolist() == list(members.values())
        assert len(archive) == len(members)


@given(batches(), st.randoms(use_true_random=False))
def test_the_set_of_counts_depends_on_no_order_and_no_split(
    parts: list[list[list[int]]], random: Any
) -> None:
    rows = [row for part in parts for row in part]
    shuffled = random.sample(rows, len(rows))
    wanted = sorted(rows[place] for place in slow.front(rows))
    for split in (parts, [rows], [[row] for row in shuffled], [shuffled]):
        assert sorted(filled(split).counts.tolist()) == wanted


@given(batches())
def test_points_are_dominated_if_a_member_is_no_larger(parts: list[list[list[int]]]) -> None:
    *offered, asked = parts if len(parts) > 1 else [*parts, parts[0]]
    width = len(next(part for part in parts if part)[0])
    archive = Archive([LIMIT] * width)
    for part in offered:
        archive.insert(part)
    members = archive.counts.tolist()
    expected = [slow.coverer(point, members) >= 0 for point in asked]
    assert archive.dominated(asked).tolist() == expected


@pytest.mark.parametrize(
    ("objectives", "largest"), [(2, 300), (3, 100), (6, 100), (6, 2**31), (12, 60), (90, 2**31)]
)
@pytest.mark.parametrize("compiled", [False, True])
def test_many_batches_agree_with_moocore(
    objectives: int, largest: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    moocore = pytest.importorskip("moocore", reason="the volumes extra is not installed")
    monkeypatch.setitem(SAVES_A_SECOND, "dominance", 0 if compiled else 10**18)
    counts = cloud(4000, objectives, largest)
    archive = Archive([largest] * objectives)
    for start in range(0, 4000, 100):
        archive.insert(counts[start : start + 100])
    kept = moocore.is_nondominated(counts.astype(float))
    assert np.array_equal(np.unique(archive.counts, axis=0), np.unique(counts[kept], axis=0))
    assert np.array_equal(np.sort(archive.ids), archive.ids)


def test_those_that_left_are_forgotten_in_time() -> None:
    archive = Archive([1000, 1000])
    for step in range(300):
        archive.insert([[500 - step, 600 - step]])
    assert len(archive) == 1
    assert archive.ids.tolist() == [299]
    assert archive._rows.size <= 3


def test_what_it_returns_is_the_callers_own() -> None:
    archive = Archive([9, 9])
    archive.insert([[3, 4], [4, 3]])
    archive.counts[:] = 0
    archive.ids[:] = 7
    assert archive.counts.tolist() == [[3, 4], [4, 3]]
    assert archive.ids.tolist() == [0, 1]
    assert not archive.limits.flags.writeable


def test_inputs_are_left_alone() -> None:
    counts, limits = np.array([[3, 4], [4, 3]]), np.array([9, 9])
    for array in (counts, limits):
        array.setflags(write=False)
    archive = Archive(limits)
    archive.insert(counts)
    archive.dominated(counts)
    assert counts.tolist() == [[3, 4], [4, 3]]


def test_it_goes_on_from_a_saved_state() -> None:
    counts = cloud(1500, 6, 50)
    archive, rng = Archive([50] * 6), np.random.default_rng(5)
    for start in range(0, 700, 50):
        archive.insert(counts[start : start + 50])
        archive.select(rng)
    saved = json.dumps({name: value.tolist() for name, value in archive.state().items()})
    restored, again = Archive.from_state(json.loads(saved)), np.random.default_rng()
    again.bit_generator.state = rng.bit_generator.state
    for start in range(700, 1500, 50):
        batch = counts[start : start + 50]
        assert np.array_equal(archive.insert(batch), restored.insert(batch))
        assert [archive.select(rng) for _ in range(9)] == [restored.select(again) for _ in range(9)]
    assert np.array_equal(archive.ids, restored.ids)
    assert np.array_equal(archive.counts, restored.counts)


def test_a_state_is_no_view() -> None:
    archive = Archive([9, 9])
    archive.insert([[3, 4]])
    state = archive.state()
    archive.select(np.random.default_rng(0))
    restored = Archive.from_state(state)
    restored.select(np.random.default_rng(0))
    assert state["dealt"].tolist() == [20, 20]


def test_a_state_survives_json_even_when_empty() -> None:
    archive = Archive([1])
    for state in (archive.state(), {n: value.tolist() for n, value in archive.state().items()}):
        restored = Archive.from_state(state)
        assert restored.counts.shape == (0, 1)
        assert restored.insert([[1]]).tolist() == [0]
        assert restored.ids.tolist() == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [[3, 4], [3, 5]]}, "state must hold mutually non-dominated"),
        ({"counts": [[3, 4]]}, "state must hold mutually non-dominated"),
        ({"ids": [1, 0]}, "rising ids"),
        ({"entered": 1}, "rising ids"),
        ({"decks": [list(range(20))]}, "a deck for each objective"),
        ({"decks": [[0] * 20] * 2}, "a deck for each objective"),
        ({"decks": [[20] * 20] * 2}, r"state\['decks'\] must lie between 0 and"),
        ({"dealt": [0, 21]}, r"state\['dealt'\] must lie between 0 and"),
        ({"counts": [[3, 10], [4, 3]]}, r"state\['counts'\] must lie between 0 and"),
    ],
)
def test_a_spoilt_state_is_refused(change: dict[str, Any], message: str) -> None:
    archive = Archive([9, 9])
    archive.insert([[3, 4], [4, 3]])
    with pytest.raises(rocch.InputError, match=message):
        Archive.from_state({**archive.state(), **change})


def test_an_incomplete_state_is_refused() -> None:
    state = Archive([9, 9]).state()
    del state["decks"]
    with pytest.raises(rocch.InputError, match="state must have exactly the arrays"):
        Archive.from_state(state)


def test_an_empty_archive_has_nothing_to_select() -> None:
    with pytest.raises(rocch.UndefinedError, match="empty archive has no member"):
        Archive([9, 9]).select(np.random.default_rng(0))
    assert Archive([9, 9]).insert([]).tolist() == []
    assert Archive([9, 9]).dominated([[1, 1]]).tolist() == [False]


@pytest.mark.parametrize("rng", [0, None, np.random.RandomState(0)])
def test_a_seed_is_no_generator(rng: Any) -> None:
    archive = Archive([9, 9])
    archive.insert([[1, 1]])
    with pytest.raises(rocch.InputError, match=r"rng must be a Generator"):
        archive.select(rng)


def test_selection_follows_from_the_generator() -> None:
    counts = cloud(500, 6, 50)
    picks = []
    for seed in (3, 3, 4):
        archive, rng = Archive([50] * 6), np.random.default_rng(seed)
        archive.insert(counts)
        picks.append([archive.select(rng) for _ in range(50)])
        assert set(picks[-1]) <= set(archive.ids.tolist())
    assert picks[0] == picks[1] != picks[2]


def test_few_recent_coverers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = cloud(2000, 6, 50)
    found = []
    for recent in (0, 1, 256):
        monkeypatch.setattr(archives, "RECENT", recent)
        archive = Archive([50] * 6)
        places = [archive.insert(counts[s : s + 100]).tolist() for s in range(0, 2000, 100)]
        found.append((places, archive.counts.tolist()))
    assert found[0] == found[1] == found[2]
