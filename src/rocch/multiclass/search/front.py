"""The front that a search has found: the archive of counts, and what belongs to its members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.multiclass.archive import Archive
from rocch.multiclass.search.members import Members

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.search.objectives import SearchedObjectives

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
