"""One member of a ROC surface, and what a surface answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocch.multiclass.confusion import Confusion
    from rocch.multiclass.cost_matrix import CostMatrix

MOST_TOLD = 3
"""Weights of a network tell a reader nothing."""


@dataclass(frozen=True, slots=True)
class SurfaceMember:
    """A classifier on the surface: a model, its parameters, and the costs that it answers by.

    Attributes
    ----------
    place
        Its place among the surface's members; None for a rule that is not one of them.
    model
        The model's name.
    parameters
        The model's parameters by name.
    costs
        The costs by which posteriors become answers, or None for a classifier that gives labels.
    confusion
        What it did on the judged rows.
    """

    place: int | None
    model: str
    parameters: dict[str, float]
    costs: CostMatrix | None
    confusion: Confusion

    def __hash__(self) -> int:
        return hash((self.place, self.model, self.confusion))

    def __str__(self) -> str:
        few = self.parameters if len(self.parameters) <= MOST_TOLD else {}
        settings = ", ".join(f"{name} {value:.4g}" for name, value in few.items())
        errors, rows = self.confusion.errors, int(self.confusion.totals.sum())
        return f"{self.model}{f' ({settings})' if settings else ''}: {errors} of {rows} rows wrong"


@dataclass(frozen=True, slots=True)
class SurfacePoint:
    """Where a surface meets what is wanted.

    Attributes
    ----------
    member
        The member chosen.
    expected_cost
        Its expected cost per row, where costs were given.
    equals
        The places of all members that are just as good, the chosen one among them: the first of
        those with the fewest errors.
    guaranteed
        False where members were kept by their miss rates alone but the costs ask which error was
        made: then what was not kept may be better.
    """

    member: SurfaceMember
    expected_cost: float | None
    equals: tuple[int, ...]
    guaranteed: bool = True

    @property
    def confusion(self) -> Confusion:
        """What the chosen member did on the judged rows."""
        return self.member.confusion

    def __str__(self) -> str:
        cost = "" if self.expected_cost is None else f", expected cost {self.expected_cost:.6g}"
        return f"{self.member}{cost}"
