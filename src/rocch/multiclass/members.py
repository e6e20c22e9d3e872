"""The members of a surface: what each did on the judged rows, and what follows from that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input, quantity
from rocch.inputs import as_whole
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.cost_matrix import CostMatrix
from rocch.multiclass.objectives import Objectives, objectives_of
from rocch.multiclass.surface_member import SurfaceMember

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True, eq=False)
class JudgedMembers:
    """Members judged on the same rows; the attributes are explained at `RocSurface`."""

    classes: Classes
    counts: IntArray
    models: tuple[str, ...]
    parameters: FloatArray
    parameter_names: tuple[str, ...]
    costs: FloatArray | None
    objectives: Objectives = "rates"

    def __post_init__(self) -> None:
        for array in (self.counts, self.parameters, self.costs):
            if array is not None:
                array.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JudgedMembers):
            return NotImplemented
        told = ("classes", "models", "parameter_names", "objectives")
        arrays = ("counts", "parameters", "costs")
        return all(getattr(self, name) == getattr(other, name) for name in told) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays
        )

    def __hash__(self) -> int:
        return hash((self.classes, self.models, self.counts.tobytes()))

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[SurfaceMember]:
        return (self.member(place) for place in range(len(self)))

    @property
    def members(self) -> list[SurfaceMember]:
        """All members, each with its model, parameters, costs and confusion matrix."""
        return list(self)

    def member(self, place: int) -> SurfaceMember:
        """Return the member at a place, counted from 0."""
        do = f"The surface has {quantity(len(self), 'member')}."
        place = as_whole(place, "place", least=0, do=do)
        if place >= len(self):
            raise bad_input("place", f"be below {len(self)}", place, "Count members from 0.")
        costs = None
        if self.costs is not None:
            costs = CostMatrix.of_bounds(self.classes, self.costs[place], self.costs[place])
        return SurfaceMember(
            place,
            self.models[place],
            self.parameters_of(place),
            costs,
            Confusion(self.classes, self.counts[place]),
        )

    def parameters_of(self, place: int) -> dict[str, float]:
        """Return a member's parameters by name; of several models' only its own."""
        told = dict(zip(self.parameter_names, self.parameters[place].tolist(), strict=True))
        told.pop("classifier", None)  # its place says no more than its name
        if "model" not in told:
            return told
        own = f"{self.models[place]}: "
        return {n.removeprefix(own): value for n, value in told.items() if n.startswith(own)}

    @property
    def totals(self) -> IntArray:
        """How many judged rows each class has."""
        totals: IntArray = self.counts[0].sum(axis=1)
        return totals

    @property
    def rates(self) -> FloatArray:
        """The off-diagonal rates (members, Q(Q-1)), in the order of `classes.pairs`."""
        return self.all_rates[:, ~np.eye(len(self.classes), dtype=bool)]

    @property
    def misses(self) -> IntArray:
        """How many rows of each class each member misses (members, Q)."""
        return objectives_of(self.counts, "misses")

    @property
    def miss_rates(self) -> FloatArray:
        """The miss rates (members, Q)."""
        shares: FloatArray = self.misses / self.totals
        return shares

    @property
    def errors(self) -> IntArray:
        """How many rows each member answers wrongly."""
        wrong: IntArray = self.misses.sum(axis=1)
        return wrong

    @property
    def distances(self) -> FloatArray:
        """The signed distance of each member from random allocation; negative is better.

        Random allocation lies where all rates sum to Q - 1 (Everson and Fieldsend, section 5).
        """
        excess = self.miss_rates.sum(axis=1) - (len(self.classes) - 1)
        distances: FloatArray = excess / math.sqrt(self.objective_counts.shape[1])
        return distances

    @property
    def miss_sums(self) -> IntArray:
        """The sums of the miss rates without rounding, in units of 1 / `miss_unit`."""
        steps = np.array([self.miss_unit // int(total) for total in self.totals], dtype=object)
        sums: IntArray = (self.misses.astype(object) * steps).sum(axis=1)
        return sums

    @property
    def miss_unit(self) -> int:
        """The least common multiple of the classes' totals."""
        return math.lcm(*map(int, self.totals))

    @property
    def beyond_random(self) -> BoolArray:
        """Which members lie beyond random allocation, decided without rounding."""
        beyond: BoolArray = self.miss_sums > self.miss_unit * (len(self.classes) - 1)
        return beyond

    @property
    def all_rates(self) -> FloatArray:
        """The confusion matrices divided by their rows' totals (members, Q, Q)."""
        shares: FloatArray = self.counts / self.totals[:, None]
        return shares

    @property
    def objective_counts(self) -> IntArray:
        """The counts that the members trade off (members, D)."""
        return objectives_of(self.counts, self.objectives)
