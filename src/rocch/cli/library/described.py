"""One classifier of a library, for programs and for tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocch.cli.render import point_json, slope_text

if TYPE_CHECKING:
    from rocch.library.contents import LibraryClassifier
    from rocch.roc.operating_point import RocPoint


def classifier_json(one: LibraryClassifier) -> dict[str, Any]:
    """Return a classifier for programs."""
    listed = {name: getattr(one, name) for name in one.__slots__}
    vertices = [point_json(own(vertex, one.name)) for vertex in one.vertices]
    return {**listed, "parameters": dict(one.parameters), "vertices": vertices}


def own(vertex: RocPoint, name: str) -> RocPoint:
    """Return a vertex that several may share with one classifier's own threshold first."""
    place = vertex.classifiers.index(name)
    return replace(
        vertex,
        classifier=name,
        threshold=vertex.thresholds[place],
        deployed_threshold=vertex.deployed_thresholds[place],
    )


def slopes_of(one: LibraryClassifier) -> str:
    """Write for which slopes it is best; nothing if it is nowhere."""
    return ", ".join(f"{slope_text(low)}..{slope_text(high)}" for low, high in one.stretches)


def when(at: str) -> str:
    """Write a moment to the minute, without the marks of the format."""
    return at[:16].replace("T", " ")
