"""A stand-in for the surface: the fields alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True, eq=False)
class RocSurface:
    """The members of a multi-class trade-off front."""

    classes: Classes
    totals: IntArray
    counts: IntArray
    models: tuple[str, ...]
    parameters: FloatArray
    parameter_names: tuple[str, ...]
    costs: FloatArray | None
    objectives: Literal["rates", "misses"]
