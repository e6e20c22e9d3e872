"""One classifier of a library, for programs and for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.cli.render import point_json, slope_text

if TYPE_CHECKING:
    from rocch.library.records import LibraryClassifier


def classifier_json(one: LibraryClassifier) -> dict[str, Any]:
    """Return a classifier for programs."""
    listed = {name: getattr(one, name) for name in one.__slots__}
    vertices = [point_json(vertex) for vertex in one.vertices]
    return {**listed, "parameters": dict(one.parameters), "vertices": vertices}


def slopes_of(one: LibraryClassifier) -> tuple[str, str]:
    """Write between which slopes it is best; nothing if it is nowhere."""
    return (
        ("", "") if one.slopes is None else (slope_text(one.slopes[0]), slope_text(one.slopes[1]))
    )


def when(at: str) -> str:
    """Write a moment to the minute, without the marks of the format."""
    return at[:16].replace("T", " ")
