"""The archive of non-dominated counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import Hint, InputError, UndefinedError, format_list
from rocch.inputs import as_instance, check_same_names
from rocch.kernels import dominance
from rocch.kernels.dominance import CoverSearch, nondominated, packing
from rocch.kernels.engine import engine_for
from rocch.multiclass.classes import as_integers, check_cells
from rocch.multiclass.confusion import Objectives, limits_of, objectives_of

# The largest sum of all limits: twenty times as much (the bins of the selection) fits into 64 bits.
LARGEST_SUM = 2**58


def as_limits(limits: ArrayLike, argument: str, *, least: int = 0) -> IntArray:
    """Return the largest count of each objective."""
    row = as_integers(limits, argument, (None,), "one whole number for each objective")
    if row.size < 1 or int(row.min()) < least or sum(map(int, row)) > LARGEST_SUM:
        raise InputError(
            argument,
            f"be whole numbers, at least {least}, that sum to at most 2**58",
            row.tolist(),
            "Pass how many rows each objective counts out of.",
        )
    row.setflags(write=False)
    return row


def as_count_rows(counts: ArrayLike, limits: IntArray, argument: str) -> IntArray:
    """Return counts (n, D), each a whole number from 0 to its limit."""
    if isinstance(counts, list | tuple) and not counts:
        return np.empty((0, limits.size), dtype=np.int64)
    shape = (None, limits.size)
    rows = as_integers(counts, argument, shape, f"rows of {limits.size} whole numbers")
    fits = (rows >= 0) & (rows <= limits)
    hint = f"The limits are: {format_list(limits.tolist())}."
    check_cells(rows, fits, argument, "lie between 0 and the objective's limit", hint=hint)
    return rows


class GrowingColumns:
    """Named arrays of equal length that grow together, in amortized constant time."""

    def __init__(self, **empty: AnyArray) -> None:
        self.arrays = empty
        self.size = 0

    def __getitem__(self, name: str) -> AnyArray:
        return self.arrays[name][: self.size]

    def append(self, number: int, **values: ArrayLike) -> None:
        """Add rows; a value may be one for all of them."""
        start, self.size = self.size, self.size + number
        for name, value in values.items():
            array = self.arrays[name]
            if self.size > len(array):
                wider = np.empty((2 * self.size, *array.shape[1:]), dtype=array.dtype)
                wider[:start] = array[:start]
                array = self.arrays[name] = wider
            array[start : self.size] = value

    def keep(self, places: IntArray) -> None:
        """Drop all rows except those at rising places."""
        for array in self.arrays.values():
            array[: len(places)] = array[places]
        self.size = len(places)


# The number of bins of an objective's range. The paper leaves it open, and draws bins at random
# instead of from decks.
BINS = 20


@dataclass(slots=True)
class PartitionedSelection:
    """Selection that visits sparse parts of a front as often as crowded ones.

    A member is drawn from the next filled bin of a random objective.

    References
    ----------
    Fieldsend, Everson and Singh (2003), Using unconstrained elite archives for multi-objective
    optimization, IEEE Transactions on Evolutionary Computation 7(3), 305-323.
    """

    decks: IntArray
    dealt: IntArray

    @classmethod
    def fresh(cls, objectives: int) -> PartitionedSelection:
        """Return used-up decks, which the first turn shuffles."""
        return cls(np.tile(np.arange(BINS), (objectives, 1)), np.full(objectives, BINS))

    def objective(self, rng: np.random.Generator) -> int:
        """Draw an objective."""
        return int(rng.integers(self.dealt.size))

    def choose(self, objective: int, values: IntArray, rng: np.random.Generator) -> int:
        """Draw the place of a member, given the members' counts in the objective."""
        # the range is counted with both ends, so the largest count falls into the last bin
        low = values.min()
        bins = (values - low) * BINS // (values.max() - low + 1)
        filled = np.bincount(bins, minlength=BINS) > 0
        inside = np.flatnonzero(bins == self._next_bin(objective, filled, rng))
        return int(inside[rng.integers(inside.size)])

    def _next_bin(self, objective: int, filled: BoolArray, rng: np.random.Generator) -> int:
        while True:
            if self.dealt[objective] == BINS:
                rng.shuffle(self.decks[objective])
                self.dealt[objective] = 0
            card = int(self.decks[objective, self.dealt[objective]])
            self.dealt[objective] += 1
            if filled[card]:
                return card


# How many of the latest coverers are compared first: most candidates fail against a few members.
RECENT = 256

STATE = ("limits", "entered", "ids", "counts", "decks", "dealt")


class Archive:
    """A set of non-dominated error counts, all to be minimized.

    A candidate enters if no member dominates or equals it; members that it dominates leave.

    Parameters
    ----------
    limits
        The largest possible count of each objective.

    Examples
    --------
    >>> import numpy as np
    >>> from rocch.multiclass import Archive
    >>> archive = Archive([10, 10])
    >>> archive.insert([[5, 5], [2, 8], [5, 6]])
    array([0, 1])
    >>> archive.insert([[4, 5], [2, 8]])  # removes [5, 5]; [2, 8] is there already
    array([0])
    >>> archive.ids, archive.counts.tolist()
    (array([1, 2]), [[2, 8], [4, 5]])
    >>> archive.select(np.random.default_rng(0)) in archive.ids
    True
    """

    def __init__(self, limits: ArrayLike) -> None:
        self._packing = packing(as_limits(limits, "limits"))
        self._rows = GrowingColumns(
            counts=np.empty((0, self.limits.size), dtype=np.int64),
            words=np.empty((0, self._packing.guards.size), dtype=np.uint64),
            ids=np.empty(0, dtype=np.int64),
            present=np.empty(0, dtype=bool),
        )
        self._recent: AnyArray = self._rows["words"]
        self._entered = self._pairs = 0
        self._selection = PartitionedSelection.fresh(self.limits.size)

    @property
    def limits(self) -> IntArray:
        """The largest possible count of each objective."""
        return self._packing.limits

    @property
    def ids(self) -> IntArray:
        """The members' numbers, rising, in the order of entry."""
        return self._rows["ids"][self._rows["present"]]

    @property
    def counts(self) -> IntArray:
        """The members' counts (m, D), in the order of `ids`."""
        return self._rows["counts"][self._rows["present"]]

    def __len__(self) -> int:
        return int(np.count_nonzero(self._rows["present"]))

    def insert(self, counts: ArrayLike) -> IntArray:
        """Offer counts (n, D); return the places of those that entered, rising."""
        return self._insert(as_count_rows(counts, self.limits, "counts"))

    def _insert(self, batch: IntArray, **others: AnyArray) -> IntArray:
        """Offer counts, and the values of other columns for each."""
        words = self._packing.pack(batch)
        fresh = np.flatnonzero(~self._covered(words))
        sums = batch[fresh].sum(axis=1)
        entrants = fresh[nondominated(words[fresh], sums, self._packing.guards, self._find)]
        if entrants.size:
            self._remove_dominated(words[entrants])
            first, self._entered = self._entered, self._entered + entrants.size
            offered = {"counts": batch, "words": words, **others}
            self._rows.append(
                entrants.size,
                ids=np.arange(first, self._entered),
                present=True,
                **{name: values[entrants] for name, values in offered.items()},
            )
        return entrants

    def dominated(self, points: ArrayLike) -> BoolArray:
        """Return which points (n, D) some member dominates or equals."""
        return self._covered(self._packing.pack(as_count_rows(points, self.limits, "points")))

    def select(self, rng: np.random.Generator) -> int:
        """Return the number of a member chosen by `PartitionedSelection`."""
        as_instance(
            rng,
            np.random.Generator,
            "rng",
            hint=Hint("Pass numpy.random.default_rng(seed)."),
        )
        return int(self._rows["ids"][self._choose(rng)])

    def _choose(self, rng: np.random.Generator) -> int:
        """Return the place of a member's row."""
        present = np.flatnonzero(self._rows["present"])
        if not present.size:
            raise UndefinedError(
                "An empty archive has no member to select.",
                hint="Insert some first.",
            )
        objective = self._selection.objective(rng)
        values = self._rows["counts"][present, objective]
        return int(present[self._selection.choose(objective, values, rng)])

    def turn(self) -> tuple[IntArray, IntArray]:
        """Return the state of the selection, for `return_to`."""
        return self._selection.decks.copy(), self._selection.dealt.copy()

    def return_to(self, turn: tuple[IntArray, IntArray]) -> None:
        """Undo selections made since that turn."""
        self._selection = PartitionedSelection(*turn)

    def state(self) -> dict[str, IntArray]:
        """Return the archive's state as integer arrays."""
        decks, dealt = self.turn()
        return {
            "limits": self.limits.copy(),
            "entered": np.array(self._entered),
            "ids": self.ids,
            "counts": self.counts,
            "decks": decks,
            "dealt": dealt,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, ArrayLike]) -> Archive:
        """Return the archive of a saved `state`."""
        check_same_names(state, STATE, "state", "arrays")
        archive = cls(state["limits"])
        archive._restore(state)
        return archive

    @property
    def _find(self) -> CoverSearch:
        """The search for covering members, compiled once many pairs were compared."""
        find: CoverSearch = engine_for(dominance, self._pairs).find_covering
        return find

    def _covered(self, words: AnyArray) -> BoolArray:
        members = self._rows["words"]
        self._pairs += len(words) * (len(members) + len(words))
        find, guards = self._find, self._packing.guards
        covered: BoolArray = find(words, self._recent, guards) >= 0
        rest = np.flatnonzero(~covered)
        found = find(words[rest], members, guards)
        hit = found >= 0
        covered[rest[hit]] = True
        self._recent = np.concatenate([members[np.unique(found[hit])], self._recent])[:RECENT]
        return covered

    def _remove_dominated(self, entrants: AnyArray) -> None:
        # members that left still serve to reject candidates: what they dominate, the one that
        # removed them dominates too; so they are dropped only once they outnumber the others
        beaten = self._find(self._rows["words"], entrants, self._packing.guards) >= 0
        self._rows["present"][beaten] = False
        if self._rows.size > 2 * len(self):
            self._rows.keep(np.flatnonzero(self._rows["present"]))

    def _restore(self, state: Mapping[str, ArrayLike], **others: AnyArray) -> None:
        rows = as_count_rows(state["counts"], self.limits, "state['counts']")
        decks = as_count_rows(state["decks"], np.full(BINS, BINS - 1), "state['decks']")
        dealt_limits = np.full(self.limits.size, BINS)
        dealt = as_count_rows(np.atleast_2d(state["dealt"]), dealt_limits, "state['dealt']")[0]
        ids, entered = (np.array(state[name], dtype=np.int64) for name in ("ids", "entered"))
        whole = decks.shape == (dealt.size, BINS) and not (np.sort(decks) - np.arange(BINS)).any()
        rising = ids.shape == (len(rows),) and bool((np.diff(ids, append=entered) > 0).all())
        if not (whole and rising and len(self._insert(rows, **others)) == len(rows)):
            raise InputError(
                "state",
                "hold mutually non-dominated counts, rising ids, and a deck for each objective",
                f"{len(rows)} rows of counts, {ids.size} ids and {len(decks)} decks",
                Hint("Save Archive.state() as it is."),
            )
        self._rows["ids"][:] = ids
        self._entered = int(entered)
        self._selection = PartitionedSelection(decks, dealt)


# What distinguishes the archive's own arrays in a saved search.
ARCHIVE = "archive_"


class SearchFront(Archive):
    """An archive of confusion matrices, with their parameters and costs."""

    def __init__(self, objectives: Objectives, totals: IntArray, parameters: int) -> None:
        super().__init__(limits_of(totals, objectives))
        self._objectives = objectives
        square = (0, totals.size, totals.size)
        self._rows.arrays |= {
            "parameters": np.empty((0, parameters)),
            "costs": np.empty(square),
            "confusions": np.empty(square, dtype=np.int64),
        }

    def offer(self, parameters: FloatArray, costs: FloatArray, confusions: IntArray) -> None:
        """Add the non-dominated confusion matrices, all of the same parameters."""
        counts = np.ascontiguousarray(objectives_of(confusions, self._objectives))
        vectors = np.broadcast_to(parameters, (len(counts), parameters.size))
        self._insert(counts, parameters=vectors, costs=costs, confusions=confusions)

    def parent(self, rng: np.random.Generator) -> FloatArray:
        """Return the parameters of a selected member."""
        return np.array(self._rows["parameters"][self._choose(rng)])

    def columns(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the members' parameters, costs and confusion matrices, oldest first."""
        rows, present = self._rows, self._rows["present"]
        return rows["parameters"][present], rows["costs"][present], rows["confusions"][present]

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the front as arrays, for `restore`."""
        parameters, costs, confusions = self.columns()
        archive = {ARCHIVE + name: array for name, array in self.state().items()}
        return {"parameters": parameters, "costs": costs, "counts": confusions, **archive}

    def restore(self, arrays: Mapping[str, AnyArray]) -> None:
        """Restore a saved front into this empty one."""
        self._restore(
            {name: arrays[ARCHIVE + name] for name in STATE},
            parameters=arrays["parameters"],
            costs=arrays["costs"],
            confusions=arrays["counts"],
        )
