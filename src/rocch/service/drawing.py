"""What an aim looks like on the hull: lines of equal cost, limits, and the vertices between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rocch.numbers import significant
from rocch.roc.criteria import as_criterion
from rocch.roc.knob import Knob
from rocch.roc.operating_point import OperatingPoint
from rocch.roc.question import Question
from rocch.service.answers import plain

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull

Ends: TypeAlias = list[list[float]]
"""The two ends of a line within the unit square, as pairs of FPR and TPR."""


def draw_aim(hull: RocHull, aim: Any) -> dict[str, Any]:
    """Return the lines that show an aim: a question or a criterion.

    The result has the slopes of the lines of equal cost, the lines with their kind and ends, the
    first and the last vertex that such lines touch, and the lines in words.

    Examples
    --------
    >>> import rocch
    >>> from rocch.service.drawing import draw_aim
    >>> hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"nb": [0.1, 0.3, 0.4, 0.9]})
    >>> draw_aim(hull, rocch.Question(max_fpr=0.2))["lines"]
    [{'kind': 'limit', 'ends': [[0.2, 0.0], [0.2, 1.0]]}]
    """
    criterion = aim.resolve(hull.totals).criterion if isinstance(aim, Question) else aim
    slopes, limits = None, []
    if not isinstance(criterion, Knob | OperatingPoint):
        given = as_criterion(criterion)
        slopes = given.objective(hull.totals, hull.reachable).slopes
        limits = [_clip(limit.tpr, limit.fpr, limit.at_most) for limit in given.limits]
    lines = [{"kind": "limit", "ends": ends} for ends in limits if ends]
    touched = None
    if slopes is not None:
        right, left = (int(place) for place in hull.best_each(np.array(slopes)))
        touched = [left, right]
        distinct = {slopes.low: right} if slopes.exact else {slopes.low: right, slopes.high: left}
        isos = [_iso(slope, hull, place) for slope, place in distinct.items()]
        lines = [*({"kind": "iso", "ends": ends} for ends in isos), *lines]
    found: dict[str, Any] = plain(
        {
            "slopes": None if slopes is None else list(slopes),
            "lines": lines,
            "touched": touched,
            "words": _words(slopes, len(limits)),
        }
    )
    return found


def _iso(slope: float, hull: RocHull, place: int) -> Ends:
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


def _words(slopes: Any, limits: int) -> str:
    words = ["Each mark is a vertex of the hull; the ring is where it operates."]
    if slopes is not None:
        ends = [significant(end, 4) if np.isfinite(end) else "∞" for end in slopes]
        if slopes.exact:
            words.append(f"The aim has the slope {ends[0]}: the dashed line.")
        else:
            words.append(f"The aim has slopes from {ends[0]} to {ends[1]}: the dashed lines.")
    if limits:
        words.append(
            "The dotted line is the limit." if limits == 1 else "The dotted lines are limits."
        )
    return " ".join(words)
