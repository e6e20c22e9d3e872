"""The search for the best operating point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import Hint, InfeasibleError, UndefinedError
from rocch.kernels.hull import upper_hull
from rocch.roc.criteria import LinearLimit, Objective, Path
from rocch.roc.operating_point import OperatingPoint, RocPoint, make_point

Limits = tuple[LinearLimit, ...]

# The places on a segment where the search begins.
INSIDE = np.linspace(0, 1, 65)

# How often the search narrows around the best place, each time by a factor of 32.
ZOOMS = 8


class PointChoices(NamedTuple):
    """Points to choose from."""

    false_positives: IntArray
    true_positives: IntArray
    fpr: FloatArray
    tpr: FloatArray
    point: Callable[[int], RocPoint]


class _Found(NamedTuple):
    score: float
    fpr: float
    tpr: float
    mix: tuple[tuple[float, RocPoint], ...]
    note: str = ""


def find_best(
    objective: Objective,
    single: Objective,
    limits: Limits,
    vertices: PointChoices,
    curves: Callable[[], Iterable[PointChoices]],
    incomplete: Sequence[str],
    *,
    randomize: bool,
) -> OperatingPoint:
    """Find the best point of a hull by a criterion; see `RocHull.best`.

    `single` is the objective for single points; the curves of `incomplete` are not available.
    """
    mixed = _best_on_path(vertices, objective, limits)
    plain = _best_point(vertices, curves, incomplete, single, limits)
    if mixed is None or (plain is None and not randomize):
        raise _infeasible(vertices, limits, possible=mixed is not None)
    gain = _gain(mixed, plain, objective)
    chosen = mixed if plain is None or (randomize and gain > 0) else plain
    if chosen is mixed and limits:
        chosen = mixed = mixed._replace(note=_note(incomplete, "reduce what randomizing gains"))
    if chosen.score == -np.inf:
        raise UndefinedError(
            f"the {objective.name} is undefined at every point that is allowed.",
            hint="Relax a limit, or name another prevalence or metric.",
        )
    reached = single if chosen is plain else objective
    return reached.operating_point(*chosen[1:4], score=chosen.score, gain=gain, note=chosen.note)


def reachable_points(
    vertices: PointChoices,
    curves: Callable[[], Iterable[PointChoices]],
    limits: Limits,
    *,
    randomize: bool,
) -> Path:
    """Return the corners of what can be reached within limits.

    They are the ends of the allowed parts of the hull, or, without randomizing, the vertices of the
    hull of allowed single points.
    """
    if not limits:
        return vertices.fpr, vertices.tpr
    if not randomize:
        several = [(vertices.fpr, vertices.tpr), *((own.fpr, own.tpr) for own in curves())]
        hulls = []
        for fpr, tpr in several:
            allowed = is_allowed(fpr, tpr, limits)
            hulls.append(concave_part(fpr[allowed], tpr[allowed]))
        fpr, tpr = (np.concatenate(column) for column in zip(*hulls, strict=True))
        if fpr.size:
            return concave_part(fpr, tpr)
    return allowed_corners(vertices.fpr, vertices.tpr, limits)


def _allowed_shares(x: FloatArray, y: FloatArray, limits: Limits) -> tuple[FloatArray, FloatArray]:
    """Return where on each segment (from 0 to 1) limits hold."""
    low, high = np.zeros(x.size - 1), np.ones(x.size - 1)
    for limit in limits:
        excess = limit.excess(x, y)
        start, step = excess[:-1], np.diff(excess)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = -start / step
        high = np.where(step > 0, np.minimum(high, crossing), high)
        low = np.where(step < 0, np.maximum(low, crossing), low)
        high = np.where((step == 0) & (start > 0), -1.0, high)
    meet_in_one_point = (low > high) & (low < high + 1e-12)  # but for rounding errors
    return np.where(meet_in_one_point, high, low), high


def allowed_corners(x: FloatArray, y: FloatArray, limits: Limits) -> Path:
    """Return the ends of the parts of a path that meet the limits."""
    low, high = _allowed_shares(x, y, limits)
    left = np.flatnonzero(low <= high)
    shares = np.stack((low[left], high[left]))
    return (
        (x[left] + shares * np.diff(x)[left]).ravel(),
        (y[left] + shares * np.diff(y)[left]).ravel(),
    )


def is_allowed(fpr: FloatArray, tpr: FloatArray, limits: Limits) -> BoolArray:
    """Return which points meet all limits."""
    allowed: BoolArray = np.ones(fpr.size, dtype=bool)
    for limit in limits:
        allowed &= limit.excess(fpr, tpr) <= 0
    return allowed


def concave_part(fpr: FloatArray, tpr: FloatArray) -> Path:
    """Return the rising part of the upper hull of points, in O(n log n)."""
    order = np.lexsort((tpr, fpr))
    x, y = fpr[order], tpr[order]
    last = np.append(x[1:] != x[:-1], True)[: x.size]  # the highest of those above one another
    x, y = x[last], y[last]
    highest = np.maximum.accumulate(y)
    risen = np.diff(highest, prepend=-1.0) > 0
    x, y = x[risen], y[risen]
    corners = upper_hull(x, y)
    return x[corners], y[corners]


def _gain(mixed: _Found, plain: _Found | None, objective: Objective) -> float:
    """Return what randomizing gains; infinite if nothing is reached (or defined) without."""
    if plain is None or plain.score == -np.inf:
        return 0.0 if mixed.score == -np.inf else np.inf
    return max(0.0, mixed.score - float(objective.score(np.array(plain.fpr), np.array(plain.tpr))))


def _best_on_path(hull: PointChoices, objective: Objective, limits: Limits) -> _Found | None:
    """Return the best point of the hull, perhaps a mix."""
    low, high = _allowed_shares(hull.fpr, hull.tpr, limits)
    segments = np.flatnonzero(low <= high)
    if not segments.size:
        return None
    shares = np.stack((low[segments], high[segments]), axis=1)
    if not objective.best_at_corners:
        shares = shares[:, :1] + INSIDE * (shares[:, 1:] - shares[:, :1])
    segment, share, score = _top(hull, objective, segments, shares)
    if not objective.best_at_corners:
        # the best may lie just beyond a vertex that is best so far
        around = [s for s in (segment - 1, segment, segment + 1) if s in segments]
        found = [
            _zoom(hull, objective, s, share + segment - s, (float(low[s]), float(high[s])))
            for s in around
        ]
        segment, share, score = max(found, key=lambda place: place[2])
    return _mixed(hull, segment, share, score)


def _top(
    hull: PointChoices, objective: Objective, segments: IntArray, shares: FloatArray
) -> tuple[int, float, float]:
    """Return segment, share and score of the leftmost best place."""
    x, y = hull.fpr, hull.tpr
    left = segments[:, None]
    fpr = x[left] + shares * (x[left + 1] - x[left])
    tpr = y[left] + shares * (y[left + 1] - y[left])
    score = objective.score(fpr, tpr)
    place = int(np.argmax(score))
    row, column = divmod(place, shares.shape[1])
    return int(segments[row]), float(shares[row, column]), float(score[row, column])


def _zoom(
    hull: PointChoices, objective: Objective, segment: int, share: float, ends: tuple[float, float]
) -> tuple[int, float, float]:
    """Narrow the search on a segment."""
    low, high = ends
    share = float(np.clip(share, low, high))
    width = (high - low) / (INSIDE.size - 1)
    score = -np.inf
    for _ in range(ZOOMS):
        around = np.clip(share + width * (2 * INSIDE - 1), low, high)
        around = np.append(share, around)[None, :]
        segment, share, score = _top(hull, objective, np.array([segment]), around)
        width *= 2 / (INSIDE.size - 1)
    return segment, share, score


def _mixed(hull: PointChoices, segment: int, share: float, score: float) -> _Found:
    """Return the point at a share of a segment as a mix of its ends (Theorem 7)."""
    left, right = hull.point(segment), hull.point(segment + 1)
    if share < 1e-12 or share > 1 - 1e-12:
        point = left if share < 0.5 else right
        return _Found(score, point.fpr, point.tpr, ((1.0, point),))
    fpr = left.fpr + share * (right.fpr - left.fpr)
    tpr = left.tpr + share * (right.tpr - left.tpr)
    return _Found(score, fpr, tpr, ((1 - share, left), (share, right)))


def _best_point(
    hull: PointChoices,
    curves: Callable[[], Iterable[PointChoices]],
    incomplete: Sequence[str],
    objective: Objective,
    limits: Limits,
) -> _Found | None:
    """Return the best single point of any curve, vertex or not."""
    found = _best_of(hull, objective, is_allowed(hull.fpr, hull.tpr, limits))
    note = ""
    if limits or not objective.best_at_corners:
        note = _note(incomplete, "do better")
        for own in curves():
            found += _best_of(own, objective, is_allowed(own.fpr, own.tpr, limits))
    if not found:
        return None
    score, fpr, tpr, point = min(found, key=lambda f: (-f[0], f[1], -f[2], f[3].classifier))
    shared = [f[3] for f in found if f[:3] == (score, fpr, tpr)]
    return _Found(score, point.fpr, point.tpr, ((1.0, _joined(shared)),), note)


def _note(incomplete: Sequence[str], may: str) -> str:
    if not incomplete:
        return ""
    return (
        f"Only hulls' vertices could be searched for {', '.join(incomplete)}, whose full curves "
        f"are not available; a point between them may {may}."
    )


def _best_of(
    own: PointChoices, objective: Objective, allowed: BoolArray
) -> list[tuple[float, float, float, RocPoint]]:
    """Return score, FPR, TPR and point of the best, once for each setting."""
    places = best_places(own, objective, allowed)
    return [
        (
            float(objective.score(own.fpr[place], own.tpr[place])),
            float(own.fpr[place]),
            float(own.tpr[place]),
            own.point(place),
        )
        for place in places
    ]


def best_places(own: PointChoices, objective: Objective, allowed: BoolArray) -> list[int]:
    """Return the places of the best allowed point, several if settings coincide."""
    if not allowed.any():
        return []
    score = np.where(allowed, objective.score(own.fpr, own.tpr), -np.inf)
    equal = np.flatnonzero(allowed & (score == np.max(score)))
    best = int(equal[np.lexsort((-own.tpr[equal], own.fpr[equal]))[0]])
    fp, tp = own.false_positives, own.true_positives
    return [int(p) for p in np.flatnonzero((fp == fp[best]) & (tp == tp[best]))]


def _joined(points: list[RocPoint]) -> RocPoint:
    """Merge the holders of one point."""
    first = points[0]
    holders = {
        (name, lowest): (name, lowest, deployed)
        for point in points
        for name, lowest, deployed in zip(
            point.classifiers, point.lowest_scores, point.thresholds, strict=True
        )
    }
    counts = first.false_positives, first.true_positives
    return make_point((first.fpr, first.tpr), counts, list(holders.values()))


def _infeasible(hull: PointChoices, limits: Limits, *, possible: bool) -> InfeasibleError:
    stated = "; ".join(map(str, limits))
    if possible:
        return InfeasibleError(
            f"no single threshold meets the limits ({stated}) on the evaluation rows, but a coin "
            "that chooses between two of them does.",
            hint=Hint(
                "Pass {randomize=}, or relax a limit.",
                cli="Add {randomize=}, or relax a limit.",
                http="Send {randomize=}, or relax a limit.",
            ),
            randomize=True,
        )
    worst = max(
        limits,
        key=lambda limit: min(limit.excess(hull.fpr, hull.tpr)) / (abs(limit.tpr) + abs(limit.fpr)),
    )
    nearest = float(np.min(worst.excess(hull.fpr, hull.tpr)))
    one_alone = ""
    if nearest > 0:  # the sides of a limit on the precision have no unit of their own
        by = "" if worst.prevalence is not None else f", by {nearest:.4g}"
        one_alone = f" Even alone, '{worst}' is missed{by}."
    return InfeasibleError(
        f"no threshold of any classifier meets the limits ({stated}) on the evaluation rows, not "
        f"even with a coin between two of them.{one_alone}",
        hint="Relax a limit, or find a better classifier.",
    )
