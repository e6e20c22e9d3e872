"""Members of several surfaces as those of one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, shown
from rocch.inputs import repeated
from rocch.multiclass.archive import Archive
from rocch.multiclass.judged_members import JudgedMembers
from rocch.multiclass.objectives import limits_of

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


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
    twice = repeated(name for group in groups for name in group)
    if twice:
        raise bad_input("surfaces", "have distinct models", shown(twice), "Rename a surface.")


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
        raise bad_input(
            "surfaces",
            "map names to RocSurface objects",
            "none" if isinstance(surfaces, Mapping) and not surfaces else kind_of(surfaces),
            "Name each of them.",
        )
    first = next(iter(surfaces.values()))
    for name, surface in surfaces.items():
        same = surface.classes == first.classes and surface.objectives == first.objectives
        if not same or (surface.totals != first.totals).any():
            raise bad_input(
                f"the surface {name!r}",
                "have the classes, objectives and judged rows of the others",
                f"{surface!r} with class totals {surface.totals.tolist()}, beside {first!r} with "
                f"{first.totals.tolist()}",
                "Judge all on the same rows.",
            )
    return {str(name): surface for name, surface in surfaces.items()}
