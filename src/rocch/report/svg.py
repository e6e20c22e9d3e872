"""Hulls as drawings that are there before any script runs; the page's style colors them."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.report.summary import Answer, BinaryData, ClassHull, MulticlassData, Number

LEFT, BOTTOM, SIZE = 60.0, 940.0, 920.0
"""Where (0, 0) lies in the drawing, and how long an axis is; `page/drawings.js` knows it too."""

APART = 1.0
"""Points of the hull nearer than this to the one before look like one."""

# Panels of classes: their side, the room around and above each, their columns and the most of them.
SIDE, GAP, HEAD, COLUMNS, MOST_PANELS = 220, 26, 26, 4, 12

TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

Place = tuple[float, float]
Line = tuple[Place, Place]


def draw_hull(data: BinaryData) -> str:
    """Return the hull, the chosen setting and its lines of equal cost as inline SVG."""
    parts = [*_frame(), _hull(data), '<g id="sketch-answer">', *_answer(data), "</g>"]
    return (
        '<svg class="sketch" id="sketch" viewBox="0 0 1000 1000" role="img" '
        f'aria-label="The ROC hull and the chosen setting">{"".join(parts)}</svg>'
    )


def iso_line(slope: float, fpr: float, tpr: float) -> Line:
    """Return the ends of the line of equal cost through a point, within the unit square.

    Examples
    --------
    >>> from rocch.report.svg import iso_line
    >>> iso_line(2.0, 0.25, 0.75)
    ((0.0, 0.25), (0.375, 1.0))
    """
    if math.isinf(slope):
        return (fpr, 0.0), (fpr, 1.0)
    if slope == 0:
        return (0.0, tpr), (1.0, tpr)
    ends = (max(0.0, fpr - tpr / slope), min(1.0, fpr + (1 - tpr) / slope))
    left, right = ((x, tpr + slope * (x - fpr)) for x in ends)
    return left, right


def _at(place: Place) -> Place:
    fpr, tpr = place
    return LEFT + SIZE * fpr, BOTTOM - SIZE * tpr


def _line(kind: str, line: Line) -> str:
    (x1, y1), (x2, y2) = map(_at, line)
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(text: str, x: float, y: float, more: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle"{more}>{text}</text>'


def _frame() -> Iterator[str]:
    for tick in TICKS:
        yield _line("grid", ((tick, 0), (tick, 1))) + _line("grid", ((0, tick), (1, tick)))
        x, y = _at((tick, tick))
        yield _text(f"{tick:g}", x, BOTTOM + 22) + _text(f"{tick:g}", LEFT - 22, y + 5)
    yield _line("chance", ((0, 0), (1, 1)))
    middle = LEFT + SIZE / 2
    yield _text("False positive rate", middle, BOTTOM + 50)
    turned = f' transform="rotate(-90 14 {BOTTOM - SIZE / 2:.0f})"'
    yield _text("True positive rate", 14, BOTTOM - SIZE / 2, turned)


def _hull(data: BinaryData) -> str:
    hull, totals = data.hull, data.data
    counts = zip(hull.false_positives, hull.true_positives, strict=True)
    places = [_at((fp / totals.negatives, tp / totals.positives)) for fp, tp in counts]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in _apart(places))
    return f'<polyline class="hull" points="{points}"/>'


def _apart(places: list[Place]) -> Iterator[Place]:
    """Leave out points that the eye cannot tell from the one before; both ends stay."""
    last = (-math.inf, -math.inf)
    for place in places[:-1]:
        if math.dist(place, last) >= APART:
            yield place
            last = place
    yield places[-1]


def _answer(data: BinaryData) -> Iterator[str]:
    answer = data.answer
    for line in _iso_lines(data):
        yield _line("iso", line)
    for part in answer.parts:
        x, y = _at((part.fpr, part.tpr))
        yield f'<circle class="chosen" cx="{x:.1f}" cy="{y:.1f}" r="9"/>'


def _iso_lines(data: BinaryData) -> Iterable[Line]:
    """Return the lines of the least and the greatest slope, each where it touches the hull."""
    answer: Answer = data.answer
    if answer.slopes is None:
        return []
    low, high = map(_real, answer.slopes)
    if low == high:
        return [iso_line(low, answer.fpr, answer.tpr)]
    hull, totals = data.hull, data.data
    touched = ((low, answer.choices[0].vertex), (high, answer.choices[-1].vertex))
    return [
        iso_line(
            slope,
            hull.false_positives[vertex] / totals.negatives,
            hull.true_positives[vertex] / totals.positives,
        )
        for slope, vertex in touched
    ]


def _real(number: Number) -> float:
    return float(number)


def draw_class_hulls(data: MulticlassData) -> str:
    """Return the joint hull of each class against all others as inline SVG; "" without curves."""
    hulls = data.hulls[:MOST_PANELS]
    if not hulls:
        return ""
    columns = min(COLUMNS, len(hulls))
    rows = -(-len(hulls) // columns)
    width, height = columns * (SIDE + GAP), rows * (SIDE + GAP + HEAD)
    panels = "".join(
        _panel(data, hull, place, place % columns, place // columns)
        for place, hull in enumerate(hulls)
    )
    return (
        f'<svg class="sketch" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Hulls of all classes">{panels}</svg>'
    )


def _panel(data: MulticlassData, hull: ClassHull, place: int, column: int, row: int) -> str:
    own = data.classes[place]
    others = data.rows - own.rows
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
