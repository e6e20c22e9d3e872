"""The members of a surface: what each did on the judged rows, and how each answers new ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_count, format_list
from rocch.inputs import as_choice, as_whole, find_duplicates
from rocch.kernels.assignment import least_cost
from rocch.multiclass.archive import Archive
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.confusion import Confusion
from rocch.multiclass.costs import CostMatrix

# --- What a surface trades off: every error rate, or the miss rate of every class -----------------

Objectives: TypeAlias = Literal["rates", "misses"]


def as_objectives(given: Any) -> Objectives:
    """Return one of the two words."""
    kind: Any = as_choice(given, get_args(Objectives), "objectives")
    chosen: Objectives = kind
    return chosen


def objectives_of(counts: IntArray, objectives: Objectives) -> IntArray:
    """Return the counts to be kept low, of confusion matrices (n, Q, Q).

    For "rates" the Q(Q-1) counts off the diagonal, row by row; for "misses" the sum of each row of
    them (Everson and Fieldsend, equation 12; they call it a false positive rate, but it counts
    the rows of a class that are answered otherwise).
    """
    wrong: IntArray = counts[:, ~np.eye(counts.shape[-1], dtype=bool)]
    if objectives == "rates":
        return wrong
    misses: IntArray = wrong.reshape(len(counts), counts.shape[-1], -1).sum(axis=2)
    return misses


def limits_of(totals: IntArray, objectives: Objectives) -> IntArray:
    """Return the largest possible count of each objective."""
    return totals if objectives == "misses" else np.repeat(totals, len(totals) - 1)


# --- One member of a ROC surface, and what a surface answers with ---------------------------------

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


# --- The members of a surface: what each did on the judged rows, and what follows from that -------


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
        hint = f"The surface has {format_count(len(self), 'member')}."
        place = as_whole(place, "place", least=0, hint=hint)
        if place >= len(self):
            raise InputError("place", f"be below {len(self)}", place, "Count members from 0.")
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


# --- Members of several surfaces as those of one --------------------------------------------------


def joined_members(surfaces: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the fields of one surface of several surfaces' members, the dominated left out."""
    named = _checked(surfaces)
    parts = list(named.values())
    first = parts[0]
    archive = Archive(limits_of(first.totals, first.objectives))
    kept = archive.insert(np.concatenate([part.objective_counts for part in parts]))
    models = [
        own if "classifier" in part.parameter_names else name
        for name, part in named.items()
        for own in part.models
    ]
    _check_distinct(models, [len(part) for part in parts])
    costs = None
    if all(part.costs is not None for part in parts):
        costs = np.concatenate([np.asarray(part.costs) for part in parts])[kept]
    return (
        first.classes,
        np.concatenate([part.counts for part in parts])[kept],
        tuple(models[place] for place in kept),
        _joint_parameters(parts)[kept],
        (
            "model",
            *(f"{name}: {own}" for name, part in named.items() for own in part.parameter_names),
        ),
        costs,
        first.objectives,
    )


def _check_distinct(models: list[str], sizes: list[int]) -> None:
    """Refuse that members of different surfaces would have the same name."""
    ends = np.cumsum([0, *sizes])
    groups = [set(models[start:end]) for start, end in pairwise(ends.tolist())]
    twice = find_duplicates(name for group in groups for name in group)
    if twice:
        raise InputError(
            "surfaces", "have distinct models", format_list(twice), "Rename a surface."
        )


def _joint_parameters(parts: list[JudgedMembers]) -> FloatArray:
    """Return vectors as `SeveralModels` has them: the model's place, then all parameters."""
    width = 1 + sum(part.parameters.shape[1] for part in parts)
    rows, start = [], 1
    for place, part in enumerate(parts):
        own = np.zeros((len(part), width))
        end = start + part.parameters.shape[1]
        own[:, 0], own[:, start:end] = place, part.parameters
        rows.append(own)
        start = end
    return np.concatenate(rows)


def _checked(surfaces: Any) -> dict[str, JudgedMembers]:
    valid = isinstance(surfaces, Mapping) and all(
        isinstance(surface, JudgedMembers) for surface in surfaces.values()
    )
    if not valid or not surfaces:
        raise InputError(
            "surfaces",
            "map names to RocSurface objects",
            "none" if isinstance(surfaces, Mapping) and not surfaces else describe_type(surfaces),
            "Name each of them.",
        )
    first = next(iter(surfaces.values()))
    for name, surface in surfaces.items():
        same = surface.classes == first.classes and surface.objectives == first.objectives
        if not same or (surface.totals != first.totals).any():
            raise InputError(
                f"the surface {name!r}",
                "have the classes, objectives and judged rows of the others",
                f"{surface!r} with class totals {surface.totals.tolist()}, beside {first!r} with "
                f"{first.totals.tolist()}",
                "Judge all on the same rows.",
            )
    return {str(name): surface for name, surface in surfaces.items()}


# --- How a member of a surface answers new rows ---------------------------------------------------


def answers_of(surface: JudgedMembers, model: Any, place: int) -> Callable[[Any], IntArray]:
    """Return the function by which a member answers new rows, with the classes' places.

    `model` gives the posteriors of new rows for the member's parameters; the member's costs make
    answers of them (Everson and Fieldsend, equation 3).
    """
    if not callable(getattr(model, "posteriors_of", None)):
        raise InputError(
            "model",
            "give posteriors of new rows by posteriors_of(parameters, X)",
            describe_type(model),
            "Pass the model that the surface was found with.",
        )
    if surface.costs is None:
        raise InputError(
            "surface",
            "know the costs by which its members answer",
            "members that were given by their labels",
            "Show their own predict functions instead (from_classifiers).",
        )
    names = getattr(model, "parameter_names", surface.parameter_names)
    if tuple(names) != surface.parameter_names:
        raise InputError(
            "model",
            f"have the surface's parameters ({format_list(surface.parameter_names)})",
            format_list(names),
            "Pass the model that it was found with; for a joined surface SeveralModels of the "
            "models under the same names, in the same order.",
        )
    parameters, costs = surface.parameters[place], surface.costs[place]

    def answer(X: Any) -> IntArray:
        posteriors = model.posteriors_of(parameters, X)
        return least_cost(
            as_posteriors(posteriors, surface.classes, argument="the model's posteriors"), costs
        )

    return answer
