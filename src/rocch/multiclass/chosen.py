"""Members of a surface that a user has chosen and named, for showing them apart from the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_whole
from rocch.multiclass.judged_members import JudgedMembers
from rocch.multiclass.surface_member import SurfaceMember, SurfacePoint

if TYPE_CHECKING:
    from rocch.multiclass.surface import RocSurface

DO = "For example: {'fewest errors': surface.fewest_errors(), 'the first': 0}."


def as_surface(given: Any, argument: str = "surface") -> RocSurface:
    """Return a surface that has members, or refuse what is none."""
    if not isinstance(given, JudgedMembers):
        raise bad_input(
            argument, "be a RocSurface", kind_of(given), "Make one with RocSurface.of(...)."
        )
    if not len(given):
        raise bad_input(argument, "have members", "none", "Search longer, or loosen its limits.")
    return cast("RocSurface", given)


def as_places(surface: JudgedMembers, chosen: Any, argument: str) -> dict[str, int]:
    """Return where each chosen member stands; each is a point, a member, or a place already."""
    if not isinstance(chosen, Mapping):
        raise bad_input(argument, "map names to members", kind_of(chosen), DO)
    return {str(name): _place(surface, one, argument) for name, one in chosen.items()}


def _place(surface: JudgedMembers, one: Any, argument: str) -> int:
    member = one.member if isinstance(one, SurfacePoint) else one
    if isinstance(member, SurfaceMember):
        place = member.place
        if place is None or not _holds(surface, place, member):
            raise bad_input(
                argument, "be members of this surface", f"another's: {member}", "Choose again."
            )
        return place
    place = as_whole(member, argument, least=0, do=DO)
    if place >= len(surface):
        raise bad_input(argument, f"be places below {len(surface)}, one for each member", place, DO)
    return place


def _holds(surface: JudgedMembers, place: int, member: SurfaceMember) -> bool:
    """Say whether a member stands at a place of this surface."""
    there = place < len(surface)
    return there and np.array_equal(surface.counts[place], member.confusion.counts)
