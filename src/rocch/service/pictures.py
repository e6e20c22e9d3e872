"""The page's pictures as trees of elements: each is a list of a tag, attributes and children.

The page makes elements of them as they are; texts stay texts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from rocch.service.wording import count, fine_percent, percent, span, whole

Tree: TypeAlias = list[Any]
Plain: TypeAlias = dict[str, Any]

LEFT, BOTTOM, SIDE = 56, 462, 450
"""Where the unit square lies in the drawing of the hull; hull.js has the same numbers."""
TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
LETTER, LETTERS = 10, 18
"""The width of a letter beside the hull, and the most letters of a name."""
COLORS, HATCHINGS = 8, 4
SLOT = 10
"""The width of a minute."""
ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 20)


def hull_pictures(vertices: list[Plain], names: list[str]) -> dict[str, list[Tree]]:
    """Return the hull with its frame, its vertices, their legend and the knob's marks."""
    places = {name: place for place, name in enumerate(names)}
    looks = [_look(places.get(vertex["classifier"], -1)) for vertex in vertices]
    points = " ".join(f"{_x(v['fpr']):.1f},{_y(v['tpr']):.1f}" for v in vertices)
    return {
        "hull-ground": [*_frame(), ["polyline", {"class": "hull", "points": points}]],
        "hull-points": [*_labels(vertices, places), *map(_dot, vertices, looks)],
        "legend": _legend(vertices, names),
        "knob-marks": [
            ["rect", {"class": f"detent {look}", "x": f"{100 * vertex['knob']:.3f}%"}]
            for vertex, look in zip(vertices, looks, strict=True)
        ],
    }


def minutes_picture(decisions: Plain) -> list[Tree]:
    """Return bars of rows per minute, the oldest first, with the alarms among them."""
    rows, alarms = decisions["per_minute"], decisions["alarms_per_minute"]
    end = _round_up(max(rows))
    bars: list[Tree] = []
    for place, (n, alarm) in enumerate(zip(rows, alarms, strict=True)):
        ago = len(rows) - 1 - place
        when = f"{count(ago, 'minute')} ago" if ago else "this minute"
        title = ["title", {}, f"{when}: {count(n, 'decision')}, {count(alarm, 'alarm')}"]
        for kind, height in (("rows", 100 * n / end), ("alarms", 100 * alarm / end)):
            box: Plain = {"x": place * SLOT + 1, "width": SLOT - 2}
            box |= {"y": 100 - height, "height": height}
            bars.append(["rect", {"class": kind, **box}, title])
    label = f"Decisions per minute, at most {count(max(rows), 'row')} in one"
    frame: Plain = {"viewBox": f"0 0 {len(rows) * SLOT} 100", "preserveAspectRatio": "none"}
    scale = {"class": "scale", "aria-hidden": "true"}
    return [
        ["div", scale, ["span", {}, whole(end)], ["span", {}, "0"]],
        ["svg", {**frame, "role": "img", "aria-label": label}, *bars],
    ]


def prevalence_picture(now: Plain) -> list[Tree]:
    """Return ranges on one axis from 0: what was assumed, and what the last scores tell."""
    assumed, estimated, interval = now["assumed"], now["estimated"], now["interval"]
    if assumed is None and estimated is None:
        return []
    known = [*(assumed or ()), *(interval or ()), *([] if estimated is None else [estimated])]
    end = min(1.0, _round_up(1.05 * max(known)))

    def mark(kind: str, ends: Sequence[float]) -> Tree:
        left, width = 100 * ends[0] / end, 100 * (ends[1] - ends[0]) / end
        box = {"class": kind, "x": f"{left:.3f}%", "width": f"{width:.3f}%"}
        return ["rect", box, ["title", {}, span(ends, percent)]]

    lanes = []
    if assumed:
        lanes.append(_lane("assumed", mark("assumed-range", assumed)))
    if estimated is not None:
        marks = [mark("interval", interval)] if interval else []
        at = {"class": "estimate", "x": f"{100 * estimated / end:.3f}%"}
        title = ["title", {}, percent(estimated)]
        lanes.append(_lane("estimated", *marks, ["rect", at, title]))
    ticks = [["span", {}, fine_percent(share)] for share in (0, end / 2, end)]
    return [*lanes, ["div", {"class": "ends track-ends", "aria-hidden": "true"}, *ticks]]


def key_of(place: int) -> Tree:
    """Return a small box in the color of a classifier."""
    return ["span", {"class": f"key {_look(place)}", "aria-hidden": "true"}]


def _x(fpr: float) -> float:
    return LEFT + SIDE * fpr


def _y(tpr: float) -> float:
    return BOTTOM - SIDE * tpr


def _frame() -> list[Tree]:
    """Return the grid with its numbers and names."""
    middle = _y(0.5)
    parts = [_line("chance", (0, 0), (1, 1))]
    for tick in TICKS:
        parts += [
            _line("grid", (tick, 0), (tick, 1)),
            _line("grid", (0, tick), (1, tick)),
            ["text", {"class": "below", "x": _x(tick), "y": BOTTOM + 21}, f"{tick:g}"],
            ["text", {"class": "beside", "x": LEFT - 7, "y": _y(tick) + 4}, f"{tick:g}"],
        ]
    turned = {"class": "below", "x": 14, "y": middle, "transform": f"rotate(-90 14 {middle:g})"}
    return [
        *parts,
        ["text", {"class": "below", "x": _x(0.5), "y": 510}, "False positive rate"],
        ["text", turned, "True positive rate"],
    ]


def _line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> Tree:
    ends = {"x1": _x(start[0]), "y1": _y(start[1]), "x2": _x(end[0]), "y2": _y(end[1])}
    return ["line", {"class": kind, **ends}]


def _dot(vertex: Plain, look: str) -> Tree:
    place = {"cx": _x(vertex["fpr"]), "cy": _y(vertex["tpr"])}
    return ["circle", {"class": f"vertex {look}", **place, "aria-label": vertex["words"]}]


def _labels(vertices: list[Plain], places: dict[str, int]) -> list[Tree]:
    """Name each run of a classifier's vertices, unless that would cover another name."""
    labels: list[Tree] = []
    taken: list[tuple[float, float, float]] = []
    for name, run in groupby(vertices, key=itemgetter("classifier")):
        members = list(run)
        vertex = members[(len(members) - 1) // 2]
        if name not in places or (len(members) == 1 and vertex["knob"] in (0, 1)):
            continue
        text = _short(name, LETTERS)
        left, top = _x(vertex["fpr"]) + 11, _y(vertex["tpr"]) + 17
        right = left + LETTER * len(text)
        clashes = any(abs(y - top) < 18 and left < end and x < right for x, y, end in taken)
        if clashes or right > _x(1):
            continue
        taken.append((left, top, right))
        labels.append(["text", {"class": "name", "x": left, "y": top}, text])
    return labels


def _legend(vertices: list[Plain], names: list[str]) -> list[Tree]:
    """Return the classifiers on the hull, with the number of their marks."""
    marks = Counter(vertex["classifier"] for vertex in vertices)
    return [
        [
            "li",
            {"title": name},
            key_of(place),
            ["span", {"class": "name"}, _short(name, 28)],
            f" {count(marks[name], 'mark')}",
        ]
        for place, name in enumerate(names)
        if marks[name]
    ]


def _short(name: str, most: int) -> str:
    """Cut a name in the middle, because the ends tell names apart."""
    half = most // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


def _look(place: int) -> str:
    """Return the CSS classes of a classifier's color and hatching, as in shell.js."""
    if place < 0:
        return "trivial"
    hatching = place // COLORS % HATCHINGS
    return f"k{place % COLORS}" + (f" h{hatching}" if hatching else "")


def _lane(name: str, *marks: Tree) -> Tree:
    label = ["span", {"class": "lane-name"}, name]
    return ["div", {"class": "lane"}, label, ["svg", {"class": "track"}, *marks]]


def _round_up(value: float) -> float:
    """Return a round number at or above a value, for the end of an axis."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in ROUND if m * power >= value * (1 - 1e-12))
