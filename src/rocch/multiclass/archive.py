"""The archive: the non-dominated ones among all vectors of counts that it was ever offered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, describe_type
from rocch.kernels import dominance
from rocch.kernels.dominance import nondominated, packing
from rocch.kernels.engine import engine_for

if TYPE_CHECKING:
    from rocch.kernels.dominance import Words
    from rocch.multiclass.search import SearchedObjectives


# --- Counts of errors and their totals as integer arrays, or a clear refusal ----------------------

LARGEST_SUM = 2**58
"""What all limits together may reach, so that no sum of counts, nor twenty times one (the bins of
the archive's selection), leaves 64 bits."""


def as_limits(limits: Any, argument: str, *, least: int = 0) -> IntArray:
    """Return the largest count of each objective, whole numbers in one row."""
    row = _integers(limits, argument, 1, "one whole number for each objective")
    if row.size < 1 or int(row.min()) < least or sum(map(int, row)) > LARGEST_SUM:
        raise InputError(
            argument,
            f"be whole numbers, at least {least}, that sum to at most 2**58",
            row.tolist(),
            "Pass how many rows each objective counts out of.",
        )
    row.setflags(write=False)
    return row


def as_count_rows(counts: Any, limits: IntArray, argument: str) -> IntArray:
    """Return counts (n, D), each a whole number from 0 to its objective's limit."""
    if isinstance(counts, list | tuple) and not counts:
        return np.empty((0, limits.size), dtype=np.int64)
    rows = _integers(counts, argument, 2, f"rows of {limits.size} whole numbers")
    if rows.shape[1] != limits.size:
        raise InputError(
            argument,
            f"have one column for each of the {limits.size} objectives",
            f"an array of shape {rows.shape}",
            "Pass the counts off the diagonal row by row, or the misses of each class.",
        )
    wrong = (rows < 0) | (rows > limits)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InputError(
            argument,
            "lie between 0 and the objective's limit",
            f"{rows[row, column]} in row {row} of objective {column}, whose limit is "
            f"{limits[column]}",
            "Count errors out of the same rows that the limits come from.",
        )
    return rows


def _integers(values: Any, argument: str, dimensions: int, what: str) -> IntArray:
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "iu" or array.ndim != dimensions:
        got = f"an array of shape {array.shape} and type {array.dtype}"
        plain = isinstance(values, np.ndarray | list | tuple)
        raise InputError(
            argument,
            f"be {what}",
            got if plain else describe_type(values),
            "Pass integer counts, not rates.",
        )
    return array.astype(np.int64)


# --- Partitioned quasi-random selection: members of sparse parts of a front are chosen as often ---

BINS = 20
"""Into so many bins the range of an objective is parted; the rule's authors leave it open."""


@dataclass(slots=True)
class PartitionedSelection:
    """What the rule remembers: for each objective a shuffled deck of bins, and how far it is dealt.

    An objective is chosen at random, all with the same chance. Its present range, from the least
    to the largest count of a member, is parted into bins of equal width. The next bin of the
    objective's deck that holds a member is taken; a deck that is used up is shuffled again, so
    within one deal every bin has its turn. A member of that bin is chosen at random. So a crowded
    stretch of the front is chosen no more often than a sparse one.

    Two choices are ours: the number of bins, and the decks (the rule asks for a bin at random).
    A bin that is empty at its turn loses it until the next deal.

    References
    ----------
    Fieldsend, Everson and Singh (2003), Using unconstrained elite archives for multi-objective
    optimization, IEEE Transactions on Evolutionary Computation 7(3), 305-323.
    """

    decks: IntArray
    """The bins in the order in which they are dealt, one row for each objective (D, BINS)."""
    dealt: IntArray
    """How many of each deck are dealt (D,); one that is dealt out is shuffled at its next turn."""

    @classmethod
    def fresh(cls, objectives: int) -> PartitionedSelection:
        """Begin with decks that are all dealt out, so that the first turn shuffles them."""
        return cls(np.tile(np.arange(BINS), (objectives, 1)), np.full(objectives, BINS))

    def objective(self, rng: np.random.Generator) -> int:
        """Choose an objective, all with the same chance."""
        return int(rng.integers(self.dealt.size))

    def choose(self, objective: int, values: IntArray, rng: np.random.Generator) -> int:
        """Choose one of the members, given by their counts in the objective, as its place."""
        bins = _bins(values)
        filled = np.bincount(bins, minlength=BINS) > 0
        inside = np.flatnonzero(bins == self._next_bin(objective, filled, rng))
        return int(inside[rng.integers(inside.size)])

    def _next_bin(self, objective: int, filled: BoolArray, rng: np.random.Generator) -> int:
        """Deal until a bin comes that is filled; in a whole deck there is always one."""
        while True:
            if self.dealt[objective] == BINS:
                rng.shuffle(self.decks[objective])
                self.dealt[objective] = 0
            dealt = int(self.decks[objective, self.dealt[objective]])
            self.dealt[objective] += 1
            if filled[dealt]:
                return dealt


def _bins(values: IntArray) -> IntArray:
    """Return the bin of each count: bins share the range from the least to the largest evenly.

    In integers: the range is counted with both ends, so the largest count falls into the last bin.
    """
    low = values.min()
    bins: IntArray = (values - low) * BINS // (values.max() - low + 1)
    return bins


# --- The archive: the non-dominated ones among all vectors of counts that it was ever offered -----

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
    >>> from rocch.multiclass import Archive
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
        find = engine_for(dominance, self._pairs).find_covering
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
            raise InputError(
                "rng",
                "be a numpy.random.Generator",
                describe_type(rng),
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
            raise InputError("state", "be complete", f"none of {missing}", "Save Archive.state().")
        archive = cls(state["limits"])
        archive._restore(*(state[name] for name in STATE[1:]))
        return archive

    @property
    def _present(self) -> BoolArray:
        return self._kept[: self._size]

    def _covered(self, words: Words) -> BoolArray:
        """Say which points are covered, asking the latest coverers first."""
        self._pairs += len(words) * (self._size + len(words))
        find = engine_for(dominance, self._pairs).find_covering
        guards = self._packing.guards
        covered: BoolArray = find(words, self._recent, guards) >= 0
        rest = np.flatnonzero(~covered)
        found = find(words[rest], self._words[: self._size], guards)
        hit = found >= 0
        covered[rest[hit]] = True
        coverers = self._words[np.unique(found[hit])]
        self._recent = np.concatenate([coverers, self._recent])[:RECENT]
        return covered

    def _throw_out(self, entrants: Words) -> None:
        find = engine_for(dominance, self._pairs).find_covering
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
            raise InputError(
                "state",
                "hold mutually non-dominated counts, rising ids, and a deck for each objective",
                f"{len(rows)} rows of counts, {ids.size} ids and {len(decks)} decks",
                "Save Archive.state() as it is.",
            )
        self._ids[: self._size] = ids
        self._entered = int(entered)
        self._selection = PartitionedSelection(decks, dealt)


# --------------------------------------------------------------------------------------------------
# What belongs to the archive's members: their parameters, costs and whole confusion matrices.
#
# The archive knows objectives and running ids only. Entrants are appended here under their ids;
# those that left are forgotten when they have become as many as those that stayed.

ROOM = 1024


class Members:
    """Growing columns, sorted by id because ids only ever rise."""

    def __init__(self, classes: int, parameters: int) -> None:
        self._size = 0
        self._ids: IntArray = np.zeros(ROOM, dtype=np.int64)
        self._parameters: FloatArray = np.zeros((ROOM, parameters))
        self._costs: FloatArray = np.zeros((ROOM, classes, classes))
        self._counts: IntArray = np.zeros((ROOM, classes, classes), dtype=np.int64)

    def add(
        self, ids: IntArray, parameters: FloatArray, costs: FloatArray, counts: IntArray
    ) -> None:
        """Note entrants; the parameters may be one vector for all of them."""
        end = self._size + len(ids)
        if end > len(self._ids):
            self._grow(max(end, 2 * len(self._ids)))
        new = slice(self._size, end)
        self._ids[new], self._parameters[new] = ids, parameters
        self._costs[new], self._counts[new] = costs, counts
        self._size = end

    def keep(self, ids: IntArray) -> None:
        """Forget those that left, once they are as many as those with the given ids."""
        if self._size <= max(2 * len(ids), ROOM):
            return
        self._take(self.places(ids))

    def places(self, ids: IntArray) -> IntArray:
        """Return where ids that are present stand."""
        return np.searchsorted(self._ids[: self._size], ids)

    def parameters_of(self, identity: int) -> FloatArray:
        """Return one member's parameters."""
        return np.array(self._parameters[self.places(np.array([identity]))[0]])

    def columns(self, ids: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the parameters, costs and counts of members in the order of their ids."""
        at = self.places(ids)
        return self._parameters[at], self._costs[at], self._counts[at]

    def _take(self, places: IntArray) -> None:
        for name in ("_ids", "_parameters", "_costs", "_counts"):
            column = getattr(self, name)
            column[: len(places)] = column[places]
        self._size = len(places)

    def _grow(self, room: int) -> None:
        for name in ("_ids", "_parameters", "_costs", "_counts"):
            column = getattr(self, name)
            wider = np.zeros((room, *column.shape[1:]), dtype=column.dtype)
            wider[: self._size] = column[: self._size]
            setattr(self, name, wider)


# --- The front that a search has found: the archive of counts, and what belongs to its members ----

ARCHIVE = "archive_"


class Front:
    """Mutually non-dominated confusion matrices, with the parameters and costs that gave them."""

    def __init__(self, objectives: SearchedObjectives, parameters: int) -> None:
        self._objectives = objectives
        self.archive = Archive(objectives.limits)
        self._members = Members(len(objectives.totals), parameters)
        self._entered = 0

    def __len__(self) -> int:
        return len(self.archive)

    def offer(self, parameters: FloatArray, costs: FloatArray, counts: IntArray) -> None:
        """Let in those confusion matrices that nothing dominates; all have the same parameters."""
        new = self.archive.insert(self._objectives.of_counts(counts))
        if not new.size:
            return
        ids = np.arange(self._entered, self._entered + new.size)
        self._entered += new.size
        self._members.add(ids, parameters, costs[new], counts[new])
        self._members.keep(self.archive.ids)

    def parent(self, rng: np.random.Generator) -> FloatArray:
        """Return the parameters of a member, selected so that the whole front gets its turn."""
        return self._members.parameters_of(self.archive.select(rng))

    def columns(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the members' parameters, costs and confusion matrices, oldest first."""
        return self._members.columns(self.archive.ids)

    def state(self) -> dict[str, Any]:
        """Return all of it as arrays to be saved."""
        names = ("parameters", "costs", "counts")
        members = dict(zip(names, self.columns(), strict=True))
        archive = {ARCHIVE + name: value for name, value in self.archive.state().items()}
        return {**members, "entered": np.array(self._entered), **archive}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the front whose state this is; nothing may have entered before."""
        parts = {n.removeprefix(ARCHIVE): state[n] for n in state if n.startswith(ARCHIVE)}
        self.archive = Archive.from_state(parts)
        columns = (state[name] for name in ("parameters", "costs", "counts"))
        self._members.add(self.archive.ids, *columns)
        self._entered = int(state["entered"])
