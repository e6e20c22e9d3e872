"""What a report draws without Plotly: it is there before any script runs.

Everything here is markup made of numbers and escaped names; the page's style colors it. What moves
with the answer (the chosen setting, marks and cuts) is moved by `page/charts.js`.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from rocch.numbers import significant
from rocch.report.figures import look, shorten
from rocch.report.multiclass_figures import (
    MOST_PANELS,
    fixed_suggestions,
    rate_choices,
    suggested_color,
)
from rocch.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocch.report.summary import BinaryData, Classifier, Histogram, MulticlassData, Points

Place: TypeAlias = tuple[float, float]
Line: TypeAlias = tuple[Place, Place]

# Where (0, 0) lies in the sketch, and how long an axis is; `page/charts.js` knows it too.
LEFT, BOTTOM, SIZE = 60.0, 940.0, 920.0
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
# Points of a hull nearer than this to the one before look like one.
APART = 1.0
# Panels of the sketch for many classes: their side, the gaps between them, and the title's height.
SIDE, GAP, HEAD, COLUMNS = 220, 26, 26, 4
# Slopes on the strip of winners; the page's style leaves out those for which it has no room.
SLOPES = {"": (0.0, 0.1, 1, 10, math.inf), "coarse": (0.01, 100), "fine": (0.001, 0.3, 3, 1000)}
# With more winners, those narrower than a pixel are left out.
MOST_STRETCHES = 400
SIGNS = "◆■▲★"


def binary_drawings(data: BinaryData) -> dict[str, str]:
    """Return the drawings of a report on two classes: sketch, legend, winners, histograms."""
    names = [each.name for each in data.classifiers]
    return {
        "sketch": sketch(data),
        "legend": legend(names),
        "winners": winners_strip(data),
        "histograms": "".join(
            _histogram(each, place) for place, each in enumerate(data.classifiers)
        ),
    }


def multiclass_drawings(data: MulticlassData) -> dict[str, str]:
    """Return the drawings of a report on many classes: sketch, legends, options of rates."""
    options = enumerate(name for name, *_ in rate_choices(data))
    return {
        "sketch": class_sketch(data),
        "legend": legend([each.name for each in data.models]),
        "marks": _marks([each.name for each in fixed_suggestions(data)]),
        "rates": "".join(f'<option value="{i}">{escape(name)}</option>' for i, name in options),
    }


# ---- the sketch of two classes


def sketch(data: BinaryData) -> str:
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
    >>> from rocch.report.drawings import iso_line
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


def _vertices(data: BinaryData) -> list[Place]:
    counts = zip(data.hull.false_positives, data.hull.true_positives, strict=True)
    return [(fp / data.data.negatives, tp / data.data.positives) for fp, tp in counts]


def _hull(data: BinaryData) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in _apart([*map(_at, _vertices(data))]))
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
    for line in _iso_lines(data):
        yield _line("iso", line)
    for part in data.answer.parts:
        x, y = _at((part.fpr, part.tpr))
        yield f'<circle class="chosen" cx="{x:.1f}" cy="{y:.1f}" r="9"/>'


def _iso_lines(data: BinaryData) -> Iterable[Line]:
    """Return the lines of the least and the greatest slope, each where it touches the hull."""
    answer = data.answer
    if answer.slopes is None:
        return []
    low, high = map(float, answer.slopes)
    if low == high:
        return [iso_line(low, answer.fpr, answer.tpr)]
    vertices = _vertices(data)
    touched = ((low, answer.choices[0].vertex), (high, answer.choices[-1].vertex))
    return [iso_line(slope, *vertices[vertex]) for slope, vertex in touched]


# ---- legends, strips and histograms


def legend(names: Sequence[str]) -> str:
    """Return the buttons that show and hide classifiers, each with its line."""
    return "".join(
        f'<li><button type="button" aria-pressed="true" data-toggles="{place}" '
        f'title="{escape(name)}">{_swatch(place)}<span class="name">{escape(name)}</span>'
        "</button></li>"
        for place, name in enumerate(names)
    )


def _swatch(place: int) -> str:
    style = f"stroke: {look(place).color}; stroke-dasharray: {look(place).stroke or 'none'}"
    line = f'<line x1="0" x2="26" y1="5" y2="5" style="{style}"></line>'
    return f'<svg class="swatch" aria-hidden="true">{line}</svg>'


def _marks(names: Sequence[str]) -> str:
    entries = [("●", "var(--accent)", "the recommendation")]
    entries += [(SIGNS[i % 4], suggested_color(i), name) for i, name in enumerate(names)]
    return "".join(
        f'<li><span class="entry"><span class="dot" style="color: {color}">{sign}</span>'
        f'<span class="name">{escape(name)}</span></span></li>'
        for sign, color, name in entries
    )


def winners_strip(data: BinaryData) -> str:
    """Return which classifier wins along the slopes of the lines of equal cost."""
    places = {each.name: place for place, each in enumerate(data.classifiers)}
    stretches = [
        (slope_share(each.low), slope_share(float(each.high)), each) for each in data.winners
    ]
    if len(stretches) > MOST_STRETCHES:
        stretches = [each for each in stretches if each[1] - each[0] > 1 / 2000]
    bar = ""
    for left, right, each in stretches:
        name, ends = each.classifier, f"{_slope(each.low)} to {_slope(float(each.high))}"
        label = f"<span>{escape(shorten(name, 20))}</span>" if right - left > 0.05 else ""
        bar += (
            f'<span class="stretch {look(places.get(name, -1)).fill}" '
            f'data-name="{escape(name)}" data-low="{each.low!r}" data-high="{float(each.high)!r}" '
            f'title="{escape(f"{name}: slopes {ends}")}" '
            f'style="left: {100 * left:.3f}%; width: {100 * (right - left):.3f}%">{label}</span>'
        )
    ticks = "".join(_tick(slope, kind) for kind, slopes in SLOPES.items() for slope in slopes)
    return f'<div class="bar">{bar}</div>{ticks}'


def slope_share(slope: float) -> float:
    """Return where a slope lies on the way from 0 to infinity: each power of ten has some room."""
    if math.isinf(slope):
        return 1.0
    bent = float(slope**0.4)
    return bent / (1 + bent)


def _slope(slope: float) -> str:
    return "∞" if math.isinf(slope) else significant(slope, 3)


def _tick(slope: float, kind: str) -> str:
    ends = {0.0: "first", math.inf: "last"}
    names = " ".join(["tick", kind, ends.get(slope, "")]).strip()
    place = f"{100 * slope_share(slope):.3f}%"
    kept = f'data-slope="{float(slope)!r}" style="left: {place}"'
    return f'<span class="{names}" {kept}>{_slope(slope)}</span>'


def _histogram(each: Classifier, place: int) -> str:
    key = f'<span class="key {look(place).fill}" aria-hidden="true"></span>'
    head = f'<h3 title="{escape(each.name)}">{key}{escape(each.name)}</h3>'
    picture = ""
    if each.histogram is not None:
        low, high = each.histogram.edges[0], each.histogram.edges[-1]
        picture = (
            f'<svg class="histogram" viewBox="0 0 200 100" preserveAspectRatio="none" '
            f'aria-hidden="true" data-low="{low!r}" data-high="{high!r}">'
            f"{_areas(each.histogram)}"
            '<line class="axis" x1="0" x2="200" y1="50" y2="50"></line>'
            '<line class="cut" x1="0" x2="0" y1="0" y2="100" visibility="hidden"></line></svg>'
            f'<div class="ends"><span>{_read(low)}</span><span>{_read(high)}</span></div>'
        )
    name = escape(each.name)
    return (
        f'<div class="multiple" data-classifier="{name}">{head}{picture}<p>{_shape(each)}</p></div>'
    )


def _areas(histogram: Histogram) -> str:
    """Return the positives upward and the negatives downward, each by the share of its class."""
    sides = [
        [count / (sum(counts) or 1) for count in counts]
        for counts in (histogram.positives, histogram.negatives)
    ]
    most = max(map(max, sides)) or 1
    low, high = histogram.edges[0], histogram.edges[-1]
    xs = [200 * ((edge - low) / (high - low) if high > low else 0.5) for edge in histogram.edges]
    areas = ""
    for kind, way, shares in zip(("positives", "negatives"), (-1, 1), sides, strict=True):
        steps = "".join(
            f"L{left:.2f} {50 + way * 46 * share / most:.2f}"
            f"L{right:.2f} {50 + way * 46 * share / most:.2f}"
            for left, right, share in zip(xs, xs[1:], shares, strict=False)
        )
        areas += f'<path class="{kind}" d="M0 50{steps}L200 50Z"></path>'
    return areas


def _read(value: float) -> str:
    """Write a number to be read, not copied: with a minus sign, which a hyphen is not."""
    return significant(value, 3).replace("-", "\N{MINUS SIGN}")


def _shape(each: Classifier) -> str:
    texts = []
    if not each.scoring:
        texts.append("labels only")
    if each.distinct is not None:
        texts.append(f"{counted(each.distinct)} distinct scores")
    if each.largest_tie is not None and each.largest_tie > 1:
        texts.append(f"up to {counted(each.largest_tie)} rows tied")
    if not each.on_hull:
        texts.append("not on the hull")
    return ", ".join(texts)


# ---- the sketch of many classes


def class_sketch(data: MulticlassData) -> str:
    """Return the joint hull of each class against all others as inline SVG; "" without curves."""
    hulls = data.hulls[:MOST_PANELS]
    if not hulls:
        return ""
    columns = min(COLUMNS, len(hulls))
    rows = -(-len(hulls) // columns)
    width, height = columns * (SIDE + GAP), rows * (SIDE + GAP + HEAD)
    panels = "".join(_panel(data, hull.points, place, columns) for place, hull in enumerate(hulls))
    return (
        f'<svg class="sketch" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Hulls of all classes">{panels}</svg>'
    )


def _panel(data: MulticlassData, hull: Points, place: int, columns: int) -> str:
    own = data.classes[place]
    others = data.rows - own.rows
    row, column = divmod(place, columns)
    left, top = column * (SIDE + GAP) + GAP / 2, row * (SIDE + GAP + HEAD) + HEAD
    places = [
        (left + SIDE * fp / others, top + SIDE * (1 - tp / own.rows))
        for fp, tp in zip(hull.false_positives, hull.true_positives, strict=True)
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in _apart(places))
    return (
        f'<text x="{left}" y="{top - 8}">{escape(shorten(own.name))}</text>'
        f'<rect class="frame" x="{left}" y="{top}" width="{SIDE}" height="{SIDE}"></rect>'
        f'<line class="chance" x1="{left}" y1="{top + SIDE}" x2="{left + SIDE}" y2="{top}"></line>'
        f'<polyline class="hull" points="{points}"></polyline>'
    )
