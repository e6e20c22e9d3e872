"""The archive: the non-dominated ones among all vectors of counts that it was ever offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import UndefinedError, bad_input, kind_of
from rocch.kernels.dominance import engine_for, nondominated, packing
from rocch.multiclass.integer_counts import as_count_rows, as_limits
from rocch.multiclass.partitioned_selection import BINS, PartitionedSelection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import BoolArray, IntArray
    from rocch.kernels.dominance import Words

RECENT = 256
"""So many of the latest coverers are asked first: most candidates fail against a few members."""

STATE = ("limits", "entered", "ids", "counts", "decks", "dealt")


class Archive:
    """An unconstrained non-dominated set of error counts, all of them to be kept small.

    A candidate enters if no member dominates or equals it; members that it dominates leave. So the
    members are at any time the non-dominated ones of all that was offered, in whatever order and in
    whatever batches, except that of equal ones the first is kept. (The condition in lines 9 and 10
    of Everson and Fieldsend's Algorithm 1 is printed the other way round.)

    Members that have left stay in memory for a while and are still asked whether they dominate a
    candidate: whatever they dominate, the one that threw them out dominates too.

    Parameters
    ----------
    limits
        The largest possible count of each objective.

    Raises
    ------
    InputError
        If the limits are not whole numbers from 0 on.

    Examples
    --------
    >>> import numpy as np
    >>> from rocch.multiclass.archive import Archive
    >>> archive = Archive([10, 10])
    >>> archive.insert([[5, 5], [2, 8], [5, 6]])
    array([0, 1])
    >>> archive.insert([[4, 5], [2, 8]])  # throws [5, 5] out; [2, 8] is there already
    array([0])
    >>> archive.ids, archive.counts.tolist()
    (array([1, 2]), [[2, 8], [4, 5]])
    >>> archive.select(np.random.default_rng(0)) in archive.ids
    True
    """

    def __init__(self, limits: Any) -> None:
        self._packing = packing(as_limits(limits, "limits"))
        self._counts = np.empty((0, self.limits.size), dtype=np.int64)
        self._words: Words = np.empty((0, self._packing.guards.size), dtype=np.uint64)
        self._ids = np.empty(0, dtype=np.int64)
        self._kept = np.empty(0, dtype=bool)
        self._recent = self._words
        self._size = self._entered = self._pairs = 0
        self._selection = PartitionedSelection.fresh(self.limits.size)

    @property
    def limits(self) -> IntArray:
        """The largest possible count of each objective."""
        return self._packing.limits

    @property
    def ids(self) -> IntArray:
        """The members' numbers, rising: they count all that ever entered, from 0 on."""
        return self._ids[: self._size][self._present]

    @property
    def counts(self) -> IntArray:
        """The members' counts (m, D), in the order of their numbers."""
        return self._counts[: self._size][self._present]

    def __len__(self) -> int:
        return int(np.count_nonzero(self._present))

    def insert(self, counts: Any) -> IntArray:
        """Offer a batch of candidates; return the places in it of those that entered, rising.

        Each of them gets the next number, in this order.

        Parameters
        ----------
        counts
            The candidates' counts (n, D).

        Raises
        ------
        InputError
            If they are not whole numbers from 0 to the limits, one column for each objective.
        """
        batch = as_count_rows(counts, self.limits, "counts")
        words = self._packing.pack(batch)
        fresh = np.flatnonzero(~self._covered(words))
        sums = batch[fresh].sum(axis=1)
        find = engine_for(self._pairs)
        entrants = fresh[nondominated(words[fresh], sums, self._packing.guards, find)]
        if entrants.size:
            self._throw_out(words[entrants])
            self._append(batch[entrants], words[entrants])
        return entrants

    def dominated(self, points: Any) -> BoolArray:
        """Say which points (n, D) some member dominates or equals."""
        return self._covered(self._packing.pack(as_count_rows(points, self.limits, "points")))

    def select(self, rng: np.random.Generator) -> int:
        """Choose a member by partitioned quasi-random selection; return its number.

        The rule, see `PartitionedSelection`, spreads the choice over the front: a crowded stretch
        is chosen no more often than a sparse one of the same width.

        Raises
        ------
        InputError
            If `rng` is no generator of NumPy.
        UndefinedError
            If the archive is empty.
        """
        if not isinstance(rng, np.random.Generator):
            raise bad_input(
                "rng",
                "be a numpy.random.Generator",
                kind_of(rng),
                "Pass numpy.random.default_rng(seed).",
            )
        present = np.flatnonzero(self._present)
        if not present.size:
            raise UndefinedError("An empty archive has no member to select. Insert some first.")
        objective = self._selection.objective(rng)
        values = self._counts[present, objective]
        return int(self._ids[present[self._selection.choose(objective, values, rng)]])

    def turn(self) -> tuple[IntArray, IntArray]:
        """Return whose turn it is to be selected, for `return_to`."""
        return self._selection.decks.copy(), self._selection.dealt.copy()

    def return_to(self, turn: tuple[IntArray, IntArray]) -> None:
        """Take selections back, as if they had not been made since that turn."""
        self._selection.decks, self._selection.dealt = (part.copy() for part in turn)

    def state(self) -> dict[str, IntArray]:
        """Return all that determines what the archive will do, as integer arrays to be saved."""
        values = (
            self.limits,
            np.array(self._entered),
            self.ids,
            self.counts,
            self._selection.decks,
            self._selection.dealt,
        )
        return {name: np.array(value) for name, value in zip(STATE, values, strict=True)}

    @classmethod
    def from_state(cls, state: Mapping[str, IntArray]) -> Archive:
        """Return an archive that goes on as the one did whose `state` this is.

        Raises
        ------
        InputError
            If the state is incomplete or does not fit together.
        """
        missing = [name for name in STATE if name not in state]
        if missing:
            raise bad_input("state", "be complete", f"none of {missing}", "Save Archive.state().")
        archive = cls(state["limits"])
        archive._restore(*(state[name] for name in STATE[1:]))
        return archive

    @property
    def _present(self) -> BoolArray:
        return self._kept[: self._size]

    def _covered(self, words: Words) -> BoolArray:
        """Say which points are covered, asking the latest coverers first."""
        self._pairs += len(words) * (self._size + len(words))
        find, guards = engine_for(self._pairs), self._packing.guards
        covered = find(words, self._recent, guards) >= 0
        rest = np.flatnonzero(~covered)
        found = find(words[rest], self._words[: self._size], guards)
        hit = found >= 0
        covered[rest[hit]] = True
        coverers = self._words[np.unique(found[hit])]
        self._recent = np.concatenate([coverers, self._recent])[:RECENT]
        return covered

    def _throw_out(self, entrants: Words) -> None:
        find = engine_for(self._pairs)
        beaten = find(self._words[: self._size], entrants, self._packing.guards) >= 0
        self._kept[: self._size][beaten] = False
        if self._size > 2 * len(self):
            self._compact()

    def _compact(self) -> None:
        """Forget those that have left; done when they are as many as the members."""
        present = np.flatnonzero(self._present)
        self._size = present.size
        for column in (self._counts, self._words, self._ids, self._kept):
            column[: self._size] = column[present]

    def _append(self, counts: IntArray, words: Words) -> None:
        start, end = self._size, self._size + len(counts)
        if end > len(self._ids):
            self._grow(2 * end)
        self._counts[start:end] = counts
        self._words[start:end] = words
        self._ids[start:end] = np.arange(self._entered, self._entered + len(counts))
        self._kept[start:end] = True
        self._size = end
        self._entered += len(counts)

    def _grow(self, room: int) -> None:
        """Make room, twice what is needed, so that copying stays a small share of the work."""
        for name in ("_counts", "_words", "_ids", "_kept"):
            old = getattr(self, name)
            new = np.empty((room, *old.shape[1:]), dtype=old.dtype)
            new[: self._size] = old[: self._size]
            setattr(self, name, new)

    def _restore(self, entered: Any, ids: Any, counts: Any, decks: Any, dealt: Any) -> None:
        rows = as_count_rows(counts, self.limits, "state['counts']")
        decks = as_count_rows(decks, np.full(BINS, BINS - 1), "state['decks']")
        dealt = as_count_rows([dealt], np.full(self.limits.size, BINS), "state['dealt']")[0]
        ids = np.array(ids, dtype=np.int64)
        whole = decks.shape == (dealt.size, BINS) and not (np.sort(decks) - np.arange(BINS)).any()
        rising = ids.shape == (len(rows),) and bool((np.diff(ids, append=entered) > 0).all())
        if not (whole and rising and len(self.insert(rows)) == len(rows)):
            raise bad_input(
                "state",
                "hold mutually non-dominated counts, rising ids, and a deck for each objective",
                f"{len(rows)} rows of counts, {ids.size} ids and {len(decks)} decks",
                "Save Archive.state() as it is.",
            )
        self._ids[: self._size] = ids
        self._entered = int(entered)
        self._selection = PartitionedSelection(decks, dealt)
