"""The page's pictures: the hull with the lines of a question, decisions per minute, prevalence.

A picture is a tree of elements, each a list of a tag, attributes and children. The page makes
elements of them as they are; texts stay texts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rocch.errors import format_count
from rocch.numbers import fixed, per_100, significant
from rocch.report.figures import look, shorten
from rocch.roc.criteria import as_criterion
from rocch.roc.knob import Knob
from rocch.roc.operating_point import OperatingPoint, RocPoint
from rocch.roc.question import Question
from rocch.roc.referral import Referral
from rocch.service.errors import plain

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull

Tree: TypeAlias = list[Any]
Plain: TypeAlias = dict[str, Any]
# The two ends of a line within the unit square, as pairs of FPR and TPR.
Ends: TypeAlias = list[list[float]]

# Aims that have neither slopes nor limits.
NO_CRITERIA = (Knob, OperatingPoint, RocPoint, Referral)
# The unit of shares.
PERCENT = "%"
# The unit square in the drawing of the hull; index.html and hull.js have the same numbers.
LEFT, BOTTOM, SIDE = 56, 462, 450
# The width of a letter beside the hull, and the most letters of a name there.
LETTER, LETTERS = 10, 18
# The width of a minute.
SLOT = 10
# Ends of axes, times powers of ten.
ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 20)


def percent(share: float) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> from rocch.service.pictures import percent
    >>> percent(0.9996).replace("\u00a0", " ")
    '99.96%'
    """
    return per_100(share) + PERCENT


def fine_percent(share: float) -> str:
    """Write a share in percent with three digits."""
    return significant(100 * share, 3) + PERCENT


def whole(number: float) -> str:
    """Write a count."""
    return fixed(number, 0)


def span(ends: Sequence[float], write: Callable[[float], str]) -> str:
    """Write an interval: 5 to 10%, or 5% if both ends read alike."""
    low, high = map(write, ends)
    return low if low == high else f"{low.removesuffix(PERCENT)} to {high}"


def draw_question(hull: RocHull, aim: Any) -> dict[str, Any]:
    """Return the lines that show a question or a criterion on the hull.

    The result has the slopes of the lines of equal cost, the lines with their kind and ends, the
    first and the last vertex that lines of equal cost touch, and all that in words.

    Examples
    --------
    >>> import rocch
    >>> from rocch.service.pictures import draw_question
    >>> hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"nb": [0.1, 0.3, 0.4, 0.9]})
    >>> draw_question(hull, rocch.Question(max_fpr=0.2))["lines"]
    [{'kind': 'limit', 'ends': [[0.2, 0.0], [0.2, 1.0]]}]
    """
    criterion = aim
    if isinstance(aim, Question):  # one that refers cases may state no costs
        criterion = aim.conditions if aim.refers else aim.resolve(hull.totals).criterion
    slopes, limits, touched = None, [], None
    if criterion is not None and not isinstance(criterion, NO_CRITERIA):
        given = as_criterion(criterion).resolved(hull.totals)
        slopes = given.objective(hull.totals, hull.reachable).slopes
        limits = [_clip(limit.tpr, limit.fpr, limit.at_most) for limit in given.limits]
    lines = [{"kind": "limit", "ends": ends} for ends in limits if ends]
    words = ["Each mark is a vertex of the hull; the ring is where it operates."]
    if slopes is not None:
        right, left = (int(place) for place in hull.best_each(np.array(slopes)))
        touched = [left, right]
        distinct = {slopes.low: right} if slopes.exact else {slopes.low: right, slopes.high: left}
        isos = [_iso_line(slope, hull, place) for slope, place in distinct.items()]
        lines = [*({"kind": "iso", "ends": ends} for ends in isos), *lines]
        low, high = (significant(end, 4) if np.isfinite(end) else "∞" for end in slopes)
        exact = f"The aim has the slope {low}: the dashed line."
        wide = f"The aim has slopes from {low} to {high}: the dashed lines."
        words.append(exact if slopes.exact else wide)
    if limits:
        one = len(limits) == 1
        words.append("The dotted line is the limit." if one else "The dotted lines are limits.")
    drawing: dict[str, Any] = plain({"slopes": slopes, "lines": lines, "touched": touched})
    return drawing | {"words": " ".join(words)}


def _iso_line(slope: float, hull: RocHull, place: int) -> Ends:
    vertex = hull.vertices[place]
    if np.isinf(slope):
        return _clip(0.0, 1.0, vertex.fpr)
    return _clip(1.0, -slope, vertex.tpr - slope * vertex.fpr)


def _clip(tpr: float, fpr: float, total: float) -> Ends:
    """Return the ends of the line tpr x TPR + fpr x FPR = total within the unit square."""
    ends = set()
    for end in (0.0, 1.0):
        if tpr:
            ends.add((end, (total - fpr * end) / tpr))
        if fpr:
            ends.add(((total - tpr * end) / fpr, end))
    inside = [
        (min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0))
        for x, y in ends
        if -1e-12 <= x <= 1 + 1e-12 and -1e-12 <= y <= 1 + 1e-12
    ]
    return [list(min(inside)), list(max(inside))] if inside else []


def hull_pictures(vertices: list[Plain], names: list[str]) -> dict[str, list[Tree]]:
    """Return the hull, its vertices, their legend and the knob's marks."""
    places = {name: place for place, name in enumerate(names)}
    looks = [look(places.get(vertex["classifier"], -1)).fill for vertex in vertices]
    points = " ".join(f"{_x(v['fpr']):.1f},{_y(v['tpr']):.1f}" for v in vertices)
    return {
        "hull-ground": [["polyline", {"class": "hull", "points": points}]],
        "hull-points": [*_labels(vertices, places), *map(_dot, vertices, looks)],
        "legend": _legend(vertices, names),
        "knob-marks": [
            ["rect", {"class": f"detent {fill}", "x": f"{100 * vertex['knob']:.3f}%"}]
            for vertex, fill in zip(vertices, looks, strict=True)
        ],
    }


def _x(fpr: float) -> float:
    return LEFT + SIDE * fpr


def _y(tpr: float) -> float:
    return BOTTOM - SIDE * tpr


def _dot(vertex: Plain, fill: str) -> Tree:
    place = {"cx": _x(vertex["fpr"]), "cy": _y(vertex["tpr"])}
    return ["circle", {"class": f"vertex {fill}", **place, "aria-label": vertex["words"]}]


def _labels(vertices: list[Plain], places: dict[str, int]) -> list[Tree]:
    """Name each run of a classifier's vertices, unless that would cover another name."""
    labels: list[Tree] = []
    taken: list[tuple[float, float, float]] = []
    for name, run in groupby(vertices, key=itemgetter("classifier")):
        members = list(run)
        vertex = members[(len(members) - 1) // 2]
        if name not in places or (len(members) == 1 and vertex["knob"] in (0, 1)):
            continue
        text = shorten(name, LETTERS)
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
            color_key(place),
            ["span", {"class": "name"}, shorten(name, 28)],
            f" {format_count(marks[name], 'mark', ',')}",
        ]
        for place, name in enumerate(names)
        if marks[name]
    ]


def color_key(place: int) -> Tree:
    """Return a small box in the color of a classifier."""
    return ["span", {"class": f"key {look(place).fill}", "aria-hidden": "true"}]


def minutes_picture(decisions: Plain) -> list[Tree]:
    """Return bars of rows per minute, the oldest first, with the alarms among them."""
    rows, alarms = decisions["per_minute"], decisions["alarms_per_minute"]
    end = _round_up(max(rows))
    bars: list[Tree] = []
    for place, (n, alarm) in enumerate(zip(rows, alarms, strict=True)):
        ago = len(rows) - 1 - place
        when = f"{format_count(ago, 'minute')} ago" if ago else "this minute"
        counts = f"{format_count(n, 'decision', ',')}, {format_count(alarm, 'alarm', ',')}"
        title = ["title", {}, f"{when}: {counts}"]
        for kind, height in (("rows", 100 * n / end), ("alarms", 100 * alarm / end)):
            box: Plain = {"x": place * SLOT + 1, "width": SLOT - 2}
            box |= {"y": 100 - height, "height": height}
            bars.append(["rect", {"class": kind, **box}, title])
    label = f"Decisions per minute, at most {format_count(max(rows), 'row', ',')} in one"
    frame: Plain = {"viewBox": f"0 0 {len(rows) * SLOT} 100", "preserveAspectRatio": "none"}
    scale = {"class": "scale", "aria-hidden": "true"}
    return [
        ["div", scale, ["span", {}, whole(end)], ["span", {}, "0"]],
        ["svg", {**frame, "role": "img", "aria-label": label}, *bars],
    ]


def prevalence_picture(now: Plain) -> list[Tree]:
    """Return ranges on one axis from 0: the assumed prevalence, and the estimated one."""
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


def _lane(name: str, *marks: Tree) -> Tree:
    label = ["span", {"class": "lane-name"}, name]
    return ["div", {"class": "lane"}, label, ["svg", {"class": "track"}, *marks]]


def _round_up(value: float) -> float:
    """Return a round number at or above a value, for the end of an axis."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in ROUND if m * power >= value * (1 - 1e-12))
