"""Small pictures for notebooks: lines, ranges and intervals as SVG, in the notebook's own color."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

# Readable on white and on black; the first is for what matters most.
COLORS = ("#3d85c6", "#e07b39", "#43a05b", "#a86fc9", "#cf5560", "#8c8f96")
# The drawing of lines: its side, and the room left for numbers at its left and below it.
SIDE, LEFT, TOP, BOTTOM = 220, 42, 10, 34
# Bars and intervals: the width of their axis, the height of one, the room for names.
WIDTH, STEP, LETTER = 260, 20, 7.0
# More lines, bars or intervals are left out.
MOST = 10
# Names are cut to this many letters.
LONGEST = 34
# Points nearer than this to the one before are left out, in pixels.
APART = 0.7


class Line(NamedTuple):
    """A line through points, solid or dashed, and a point to mark in its color."""

    name: str
    x: Iterable[float]
    y: Iterable[float]
    dashed: bool = False
    mark: tuple[float, float] | None = None


class Mark(NamedTuple):
    """A named place on an axis: a value, an interval, or both."""

    name: str
    low: float | None
    high: float | None
    value: float | None = None


class Axis:
    """A linear or logarithmic axis, or one from 0 to infinity; `place` gives shares of it."""

    def __init__(self, values: Iterable[float | None], *, log: bool = False) -> None:
        known = [float(value) for value in values if value is not None and not math.isnan(value)]
        finite = [value for value in known if math.isfinite(value)] or [0.0]
        self.low, self.high = min(finite), max(finite)
        self.is_whole = log and (len(finite) < len(known) or self.low <= 0)
        self.log = log and not self.is_whole and self.high > self.low
        if self.low == self.high and not self.is_whole:
            room = abs(self.low) / 2 or 0.5
            self.low, self.high = self.low - room, self.high + room

    def place(self, value: float) -> float:
        """Return where a value lies, from 0 to 1."""
        if self.is_whole:
            return 1.0 if math.isinf(value) else value / (1 + value)
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """Return a few places with their text."""
        if self.is_whole:
            return [(self.place(v), "∞" if math.isinf(v) else f"{v:g}") for v in WHOLE]
        if self.log and self.high >= 10 * self.low:
            steps = [f * 10.0**p for p in range(-12, 13) for f in (1, 2, 5)]
            inside = [v for v in steps if self.low <= v <= self.high]
            inside = inside[:: -(-len(inside) // 5)] if inside else []
            found = inside if len(inside) > 1 else [self.low, self.high]
        else:
            found = _round_values(self.low, self.high)
        return [(self.place(value), _write(value)) for value in found]


# Ticks of an axis from 0 to infinity.
WHOLE = (0.0, 0.2, 1.0, 5.0, math.inf)


def _write(value: float) -> str:
    """Write the number of a tick; large ones as people write amounts."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}"


def _round_values(low: float, high: float) -> list[float]:
    """Return three to six round numbers within a range."""
    size = 10.0 ** math.floor(math.log10(high - low))
    for step in (size / 5, size / 4, size / 2, size, 2 * size):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first <= 5:
            break
    return [place * step for place in range(first, last + 1)]


def color_of(number: int) -> str:
    """Return the color of a line or a bar, counted from 0."""
    return COLORS[number % len(COLORS)]


def draw_lines(
    lines: Sequence[Line],
    x: str,
    y: str,
    *,
    points: Iterable[tuple[float, float]] = (),
    whole: bool = False,
    diagonal: bool = False,
) -> str:
    """Draw lines with a legend.

    Parameters
    ----------
    x, y
        What the axes show.
    points
        Points to mark.
    whole
        Whether both axes run from 0 to 1.
    diagonal
        Whether to draw the line of chance.
    """
    shown = [line._replace(x=list(line.x), y=list(line.y)) for line in lines[:MOST]]
    marked = [(place, COLORS[0]) for place in points]
    marked += [(line.mark, color_of(n)) for n, line in enumerate(shown) if line.mark is not None]
    unit = (0.0, 1.0) if whole else ()
    across = [*unit, *(value for line in shown for value in line.x), *(p[0] for p, _ in marked)]
    upwards = [*unit, *(value for line in shown for value in line.y), *(p[1] for p, _ in marked)]
    axes = Axis(across), Axis(upwards)
    parts = [_frame(axes, x, y)]
    if diagonal:
        parts.append(_path([(0, 0), (1, 1)], axes, "currentColor", dashed=True, opacity=0.45))
    for number, line in reversed(list(enumerate(shown))):  # what matters most is drawn last
        color = color_of(number)
        parts.append(_path(zip(line.x, line.y, strict=True), axes, color, dashed=line.dashed))
    for place, color in marked:
        cx, cy = _at(place, axes)
        parts.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3.5" fill="{color}"/>')
    height = TOP + SIDE + BOTTOM
    if len(shown) > 1:
        for number, line in enumerate(shown):
            height += 15
            color = color_of(number)
            dash = ' stroke-dasharray="4 2"' if line.dashed else ""
            parts.append(
                f'<path d="M{LEFT} {height - 8}h16" stroke="{color}" stroke-width="2.5"{dash}/>'
            )
            parts.append(_text(LEFT + 20, height - 4, _cut(line.name)))
    if len(lines) > MOST:
        height += 15
        parts.append(_text(LEFT + 20, height - 4, f"and {len(lines) - MOST} more"))
    return _svg(LEFT + SIDE + 14, height + 4, parts, f"{y} by {x}")


def draw_ranges(marks: Sequence[Mark], label: str) -> str:
    """Draw ranges as bars on an axis of ratios, one below the other."""
    return _draw_marks(marks, label, Axis(_values(marks), log=True), bars=True)


def draw_bars(marks: Sequence[Mark], label: str) -> str:
    """Draw stretches of an axis from 0 to 1 as bars, one below the other."""
    return _draw_marks(marks, label, Axis([0.0, 1.0]), bars=True)


def draw_amounts(marks: Sequence[Mark], label: str) -> str:
    """Draw amounts as bars from 0, one below the other."""
    return _draw_marks(marks, label, Axis([0.0, *_values(marks)]), bars=True, colored=False)


def draw_intervals(marks: Sequence[Mark], label: str, *, reference: float | None = None) -> str:
    """Draw values with their intervals, one below the other, and a line at a reference."""
    axis = Axis([*_values(marks), reference])
    room = 0.04 * (axis.high - axis.low)
    axis.low, axis.high = axis.low - room, axis.high + room
    return _draw_marks(marks, label, axis, reference=reference)


def _values(marks: Iterable[Mark]) -> list[float | None]:
    return [value for mark in marks for value in mark[1:]]


def _draw_marks(
    marks: Sequence[Mark],
    label: str,
    axis: Axis,
    *,
    bars: bool = False,
    colored: bool = True,
    reference: float | None = None,
) -> str:
    shown = marks[:MOST]
    if not shown:
        return ""
    names = [_cut(mark.name) for mark in shown]
    left = 16 + LETTER * max(map(len, names), default=0)
    bottom = TOP + STEP * len(shown)
    parts = []
    for number, (name, mark) in enumerate(zip(names, shown, strict=True)):
        middle = TOP + STEP * (number + 0.5)
        parts.append(_text(left - 8, middle + 4, name, anchor="end"))
        color = color_of(number if bars and colored else 0)
        parts.extend(_mark(mark, axis, left, middle, color, bars))
    if reference is not None:
        at = left + WIDTH * axis.place(reference)
        parts.append(_line(at, TOP, at, bottom, opacity=0.5, dashed=True))
    parts.append(_line(left, bottom, left + WIDTH, bottom))
    for place, text in axis.ticks():
        at = left + WIDTH * place
        parts.append(_line(at, bottom, at, bottom + 4))
        parts.append(_text(at, bottom + 16, text, anchor="middle"))
    more = f" ({len(marks) - MOST} more rows)" if len(marks) > MOST else ""
    parts.append(_text(left + WIDTH / 2, bottom + 32, label + more, anchor="middle"))
    return _svg(left + WIDTH + 18, bottom + 40, parts, label)


def _mark(
    mark: Mark, axis: Axis, left: float, middle: float, color: str, bars: bool
) -> Iterable[str]:
    if mark.low is not None and mark.high is not None:
        start, end = (left + WIDTH * axis.place(value) for value in (mark.low, mark.high))
        half = 5.0 if bars else 1.0
        width = max(end - start, 2.0)
        yield (
            f'<rect x="{start:.1f}" y="{middle - half:.1f}" width="{width:.1f}" '
            f'height="{2 * half:.1f}" fill="{color}"/>'
        )
    if mark.value is not None and not math.isnan(mark.value):
        at = left + WIDTH * axis.place(mark.value)
        yield f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="3.5" fill="{color}"/>'


def _at(place: Sequence[float], axes: Sequence[Axis]) -> tuple[float, float]:
    across, up = (axis.place(float(value)) for axis, value in zip(axes, place, strict=True))
    return LEFT + SIDE * across, TOP + SIDE * (1 - up)


def _path(
    places: Iterable[Sequence[float]],
    axes: Sequence[Axis],
    color: str,
    *,
    dashed: bool = False,
    opacity: float = 1.0,
) -> str:
    kept: list[tuple[float, float]] = []
    before: tuple[float, float] | None = None
    for place in places:
        if any(math.isnan(value) for value in place):
            continue
        before = _at(place, axes)
        if not kept or math.dist(kept[-1], before) >= APART:
            kept.append(before)
    if before is not None and kept[-1] != before:
        kept.append(before)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in kept)
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.8"'
        f'{dash} opacity="{opacity}" stroke-linejoin="round"/>'
    )


def _frame(axes: Sequence[Axis], x: str, y: str) -> str:
    bottom, middle = TOP + SIDE, TOP + SIDE / 2
    parts = [_line(LEFT, TOP, LEFT, bottom), _line(LEFT, bottom, LEFT + SIDE, bottom)]
    for place, text in axes[0].ticks():
        at = LEFT + SIDE * place
        parts += [_line(at, bottom, at, bottom + 4)]
        parts += [_text(at, bottom + 15, text, anchor="middle")]
    for place, text in axes[1].ticks():
        at = TOP + SIDE * (1 - place)
        parts += [_line(LEFT - 4, at, LEFT, at), _text(LEFT - 7, at + 4, text, anchor="end")]
    parts.append(_text(LEFT + SIDE / 2, bottom + 29, x, anchor="middle"))
    turned = f' transform="rotate(-90 9 {middle:.0f})"'
    parts.append(_text(9, middle, y, anchor="middle", more=turned))
    return "".join(parts)


def _line(
    x1: float, y1: float, x2: float, y2: float, *, opacity: float = 0.8, dashed: bool = False
) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'opacity="{opacity}"{dash}/>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _cut(name: Any) -> str:
    text = str(name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _svg(width: float, height: float, parts: Iterable[str], label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(label)}" '
        f'font-size="11" font-family="sans-serif" fill="currentColor">{"".join(parts)}</svg>'
    )
