"""The search for the best operating point, on the hull and among the curves' own points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError, UndefinedError
from rocch.roc.criteria import (
    Constrained,
    LinearLimit,
    MinimaxRegret,
    Objective,
    allowed_shares,
    as_criterion,
    check_guarantee,
)
from rocch.roc.hull import Member, RocHull
from rocch.roc.operating_point import OperatingPoint, RocPoint, make_point

INSIDE = np.linspace(0, 1, 65)
"""Where a segment is looked at first."""

ZOOMS = 8
"""How often the best place is looked at more closely, each time 32 times as closely."""


class _Found(NamedTuple):
    score: float
    fpr: float
    tpr: float
    mix: tuple[tuple[float, RocPoint], ...]
    also: tuple[RocPoint, ...] = ()
    note: str = ""


def find_best(hull: RocHull, criterion: object, *, randomize: bool) -> OperatingPoint:
    """Find where a hull meets a criterion; see `RocHull.best`."""
    given = as_criterion(criterion)
    limits = given.limits
    check_guarantee(limits)
    objective = given.objective(hull)
    if objective.slope is not None and not limits:
        return _answer(_cheapest(hull, objective, objective.slope), objective, 0.0)
    if hull.slope_bounds is not None and not isinstance(given, MinimaxRegret):
        raise InputError(
            "this hull was restricted to bounds on conditions; only conditions within them can "
            "be asked of it. Ask within these bounds, or a hull without them."
        )
    mixed = _best_on_path(hull, objective, limits)
    single = objective
    if isinstance(given, Constrained) and not randomize:
        single = given.coinless_objective(hull)
    plain = _best_point(hull, single, limits)
    if mixed is None or (plain is None and not randomize):
        raise InfeasibleError(_why_infeasible(hull, limits, possible=mixed is not None))
    gain = _gain(mixed, plain, objective)
    chosen = mixed if plain is None or (randomize and gain > 0) else plain
    if chosen is mixed and limits:
        chosen = mixed = mixed._replace(note=_unseen(hull, "leave a coin less to gain"))
    if chosen.score == -np.inf:
        raise UndefinedError(
            f"the {objective.words} is undefined at every point that is allowed. Relax a limit, "
            "or name another prevalence or metric."
        )
    return _answer(chosen, single if chosen is plain else objective, gain)


def _gain(mixed: _Found, plain: _Found | None, objective: Objective) -> float:
    """Return what a coin gains; everything, where nothing can be had (or defined) without one."""
    if plain is None or plain.score == -np.inf:
        return 0.0 if mixed.score == -np.inf else np.inf
    return max(0.0, mixed.score - float(objective.score(np.array(plain.fpr), np.array(plain.tpr))))


def _answer(chosen: _Found, objective: Objective, gain: float) -> OperatingPoint:
    case = objective.case
    return OperatingPoint(
        fpr=chosen.fpr,
        tpr=chosen.tpr,
        mix=chosen.mix,
        objective=objective.words,
        value=objective.sign * chosen.score + 0.0,
        expected_cost=None if case is None else float(case.cost(chosen.fpr, chosen.tpr)),
        randomizing_gains=float(gain),
        also_best=chosen.also,
        prevalence=objective.prevalence,
        population=objective.cases,
        note=chosen.note,
    )


def _cheapest(hull: RocHull, objective: Objective, slope: float) -> _Found:
    """Return the vertex where the hull's slope is that of the conditions (Lemma 3)."""
    first, *others = hull.best_between(slope, slope)
    point = hull.vertices[first]
    score = float(objective.score(point.fpr, point.tpr))
    also = tuple(hull.vertices[i] for i in others)
    return _Found(score, point.fpr, point.tpr, ((1.0, point),), also)


def _best_on_path(
    hull: RocHull, objective: Objective, limits: tuple[LinearLimit, ...]
) -> _Found | None:
    """Return the best point anywhere on the hull, mixing two vertices where it must be."""
    x, y = hull.fpr, hull.tpr
    low, high = allowed_shares(x, y, limits)
    segments = np.flatnonzero(low <= high)
    if not segments.size:
        return None
    shares = np.stack((low[segments], high[segments]), axis=1)
    if not objective.best_at_corners:
        shares = shares[:, :1] + INSIDE * (shares[:, 1:] - shares[:, :1])
    segment, share, score = _top(hull, objective, segments, shares)
    if not objective.best_at_corners:
        # the best may lie just beyond a vertex that is the best of the places looked at so far
        around = [s for s in (segment - 1, segment, segment + 1) if s in segments]
        found = [
            _zoom(
                hull,
                objective,
                s,
                float(np.clip(share + segment - s, low[s], high[s])),
                (low, high),
            )
            for s in around
        ]
        segment, share, score = max(found, key=lambda place: place[2])
    return _mixed(hull, segment, share, score)


def _top(
    hull: RocHull, objective: Objective, segments: IntArray, shares: FloatArray
) -> tuple[int, float, float]:
    """Return segment, share and score of the best of the given places, the leftmost of equals."""
    x, y = hull.fpr, hull.tpr
    left = segments[:, None]
    fpr = x[left] + shares * (x[left + 1] - x[left])
    tpr = y[left] + shares * (y[left + 1] - y[left])
    score = objective.score(fpr, tpr)
    place = int(np.argmax(score))
    row, column = divmod(place, shares.shape[1])
    return int(segments[row]), float(shares[row, column]), float(score[row, column])


def _zoom(
    hull: RocHull,
    objective: Objective,
    segment: int,
    share: float,
    allowed: tuple[FloatArray, FloatArray],
) -> tuple[int, float, float]:
    """Look closer and closer around the best place inside a segment."""
    low, high = allowed[0][segment], allowed[1][segment]
    width = (high - low) / (INSIDE.size - 1)
    score = -np.inf
    for _ in range(ZOOMS):
        around = np.clip(share + width * (2 * INSIDE - 1), low, high)
        around = np.append(share, around)[None, :]
        segment, share, score = _top(hull, objective, np.array([segment]), around)
        width *= 2 / (INSIDE.size - 1)
    return segment, share, score


def _mixed(hull: RocHull, segment: int, share: float, score: float) -> _Found:
    """Return the point on a segment as a mix of its ends (Theorem 7).

    The right end is answered with the share of the way from the left end, which on a segment that
    is not vertical is (x - FP_l) / (FP_r - FP_l), and is defined on a vertical one too.
    """
    left, right = hull.vertices[segment], hull.vertices[segment + 1]
    if share < 1e-12 or share > 1 - 1e-12:
        point = left if share < 0.5 else right
        return _Found(score, point.fpr, point.tpr, ((1.0, point),))
    fpr = left.fpr + share * (right.fpr - left.fpr)
    tpr = left.tpr + share * (right.tpr - left.tpr)
    return _Found(score, fpr, tpr, ((1 - share, left), (share, right)))


def _best_point(
    hull: RocHull, objective: Objective, limits: tuple[LinearLimit, ...]
) -> _Found | None:
    """Return the best single point of any curve: no coin, so it need not be a vertex."""
    found: list[tuple[float, float, float, RocPoint]] = []
    note = ""
    vertex = _best_index(hull.fpr, hull.tpr, objective, limits)
    if vertex is not None:
        found.append((*vertex[1:], hull.vertices[vertex[0]]))
    if limits or not objective.best_at_corners:
        note = _unseen(hull, "do better")
        for member in hull.members:
            found += _best_of(member, hull, objective, limits)
    if not found:
        return None
    score, fpr, tpr, point = min(found, key=lambda f: (-f[0], f[1], -f[2], f[3].classifier))
    shared = [f[3] for f in found if f[:3] == (score, fpr, tpr)]
    return _Found(score, point.fpr, point.tpr, ((1.0, _together(shared)),), note=note)


def _unseen(hull: RocHull, may: str) -> str:
    """Say what points that are no vertices may do, where curves are not at hand."""
    names = [member.name for member in hull.members if member.source is None]
    if not names:
        return ""
    return (
        f"Only hulls' vertices could be searched for {', '.join(names)}, whose full curves are not "
        f"at hand; a point between them may {may}."
    )


def _best_of(
    member: Member, hull: RocHull, objective: Objective, limits: tuple[LinearLimit, ...]
) -> list[tuple[float, float, float, RocPoint]]:
    """Return the best point of one curve, or of its own hull where no more is left of it.

    Where several settings reach it, it is returned once for each.
    """
    curve = member.curve()
    source = member if curve is None else curve
    counts = source.false_positives, source.true_positives
    fpr, tpr = hull.totals.rates(*counts) if curve is None else (curve.fpr, curve.tpr)
    best = _best_index(fpr, tpr, objective, limits)
    if best is None:
        return []
    fp, tp = (int(column[best[0]]) for column in counts)
    alike = np.flatnonzero((counts[0] == fp) & (counts[1] == tp)).tolist()
    if curve is not None:
        return [(*best[1:], curve.point(place)) for place in alike]
    amounts = hull.totals.amount(fp), hull.totals.amount(tp)
    return [(*best[1:], make_point(best[2:], amounts, [member.holder(place)])) for place in alike]


def _best_index(
    fpr: FloatArray, tpr: FloatArray, objective: Objective, limits: tuple[LinearLimit, ...]
) -> tuple[int, float, float, float] | None:
    """Return index, score, FPR and TPR of the best allowed point, the leftmost of equals."""
    allowed: BoolArray = np.ones(fpr.size, dtype=bool)
    for limit in limits:
        allowed &= limit.excess(fpr, tpr) <= 0
    if not allowed.any():
        return None
    score = np.where(allowed, objective.score(fpr, tpr), -np.inf)
    place = int(np.argmax(score))
    return place, float(score[place]), float(fpr[place]), float(tpr[place])


def _together(points: list[RocPoint]) -> RocPoint:
    """Return one point that names everyone who reaches it, at every setting."""
    first = points[0]
    holders = {
        (name, threshold): (name, threshold, deployed)
        for point in points
        for name, threshold, deployed in zip(
            point.classifiers, point.thresholds, point.deployed_thresholds, strict=True
        )
    }
    counts = first.false_positives, first.true_positives
    return make_point((first.fpr, first.tpr), counts, list(holders.values()))


def _why_infeasible(hull: RocHull, limits: tuple[LinearLimit, ...], *, possible: bool) -> str:
    asked = "; ".join(map(str, limits))
    if possible:
        return (
            f"no single point meets the limits ({asked}), but mixing two vertices does. "
            "Pass randomize=True, or relax a limit."
        )
    worst = max(
        limits,
        key=lambda limit: min(limit.excess(hull.fpr, hull.tpr)) / (abs(limit.tpr) + abs(limit.fpr)),
    )
    nearest = float(np.min(worst.excess(hull.fpr, hull.tpr)))
    one_alone = f" Limit '{worst}' alone is missed by {nearest:.4g}." if nearest > 0 else ""
    return (
        f"nothing on the hull meets the limits ({asked}), not even with randomizing.{one_alone} "
        "Relax a limit, or find a better classifier."
    )
