"""The hulls of all classes as drawings that are there before any script runs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocch.report.many_classes.summary import ClassHull, ManyClassesSummary

SIDE, GAP, HEAD, COLUMNS, MOST = 220, 26, 26, 4, 12


def sketch(summary: ManyClassesSummary) -> str:
    """Return the joint hull of each class against all others as inline SVG; "" without curves."""
    hulls = summary.hulls[:MOST]
    if not hulls:
        return ""
    columns = min(COLUMNS, len(hulls))
    rows = -(-len(hulls) // columns)
    width, height = columns * (SIDE + GAP), rows * (SIDE + GAP + HEAD)
    panels = "".join(
        _panel(summary, hull, place, place % columns, place // columns)
        for place, hull in enumerate(hulls)
    )
    return (
        f'<svg class="sketch" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Hulls of all classes">{panels}</svg>'
    )


def _panel(summary: ManyClassesSummary, hull: ClassHull, place: int, column: int, row: int) -> str:
    own = summary.classes[place]
    others = summary.rows - own.rows
    left, top = column * (SIDE + GAP) + GAP / 2, row * (SIDE + GAP + HEAD) + HEAD
    points = " ".join(
        f"{left + SIDE * fp / others:.1f},{top + SIDE * (1 - tp / own.rows):.1f}"
        for fp, tp in zip(hull.points.false_positives, hull.points.true_positives, strict=True)
    )
    name = own.name if len(own.name) <= 24 else f"{own.name[:12]}…{own.name[-12:]}"
    return (
        f'<text x="{left}" y="{top - 8}">{escape(name)}</text>'
        f'<rect class="frame" x="{left}" y="{top}" width="{SIDE}" height="{SIDE}"></rect>'
        f'<line class="chance" x1="{left}" y1="{top + SIDE}" x2="{left + SIDE}" y2="{top}"></line>'
        f'<polyline class="hull" points="{points}"></polyline>'
    )
