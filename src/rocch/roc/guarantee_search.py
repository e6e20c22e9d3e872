"""The best setting whose limits hold on new rows with a stated confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError
from rocch.kernels.certify import Counts, rate_high, rate_low
from rocch.roc.criteria import Criterion, common_confidence
from rocch.roc.guarantee import Certifier, Sample
from rocch.roc.limits import LIMITS, Constrained, Limited
from rocch.roc.operating_point import FEW_DIGITS, ClassTotals, OperatingPoint, RocPoint
from rocch.roc.search import PointChoices, best_places, concave_part, is_allowed

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull
    from rocch.roc.member import Member


# Why a choice has more errors on the evaluation rows than another that keeps the limits.
LOWER_THRESHOLD = (
    "A higher threshold finds as many positives of these rows with fewer false alarms. The lower "
    "one keeps the limits as well and finds at least as many on new rows."
)
HIGHER_THRESHOLD = (
    "A lower threshold finds more positives of these rows with as many false alarms. The higher "
    "one keeps the limits as well and has at most as many false alarms on new rows."
)


def find_guaranteed(hull: RocHull, given: Criterion, order: RocHull | None) -> OperatingPoint:
    """Return the best setting among those that keep limits with a confidence.

    With `order`, a hull of other rows, those choose the classifier.
    """
    sample, note = as_sample(hull)
    criterion = given.resolved(hull.totals)
    members = hull.members
    if order is not None:
        members = (_choose_member(hull, given, order),)
    models = count_models(members) if order is not None else count_considered(hull)
    return _find_among(hull, criterion, members, sample, models, note)


def _find_among(
    hull: RocHull,
    criterion: Criterion,
    members: Sequence[Member],
    sample: Sample,
    models: int,
    note: str,
) -> OperatingPoint:
    limits = criterion.limits
    confident = tuple(limit for limit in limits if limit.confidence is not None)
    certifier = Certifier(confident, sample, common_confidence(limits) or 0.0, models)
    choices = [_certified(certifier, member, hull.totals) for member in members]
    if not any(allowed.any() for _, allowed in choices):
        raise certifier.infeasible(map(_useful_counts, (own for own, _ in choices)))
    names = [member.name for member in members]
    if _has_goal(criterion):
        choices.append(hull.ends)
        names.append("")
    kept = [(own, allowed & is_allowed(own.fpr, own.tpr, limits)) for own, allowed in choices]
    rates = [(own.fpr[allowed], own.tpr[allowed]) for own, allowed in kept]
    fpr, tpr = (np.concatenate(column) for column in zip(*rates, strict=True))
    if not fpr.size:
        raise InfeasibleError(
            "no threshold that can be guaranteed also meets the limits without a confidence on the "
            f"evaluation rows ({'; '.join(map(str, limits))}).",
            hint="Relax a limit.",
        )
    objective = criterion.objective(hull.totals, lambda: concave_part(fpr, tpr))
    found = [
        (float(objective.score(own.fpr[place], own.tpr[place])), place, number)
        for number, (own, allowed) in enumerate(kept)
        for place in best_places(own, objective, allowed)[:1]
    ]
    # of equal scores the fewest false alarms, then the first name
    score, place, number = min(
        found,
        key=lambda one: (-one[0], kept[one[2]][0].fpr[one[1]], names[one[2]]),
    )
    own, allowed = kept[number]
    point = own.point(place)
    reason = ""
    if not _has_goal(criterion):
        farthest = _farthest(own, allowed, place, objective.sign)
        point = near_limit(own.point(farthest), members[number], farthest, objective.sign)
        if farthest != place:
            reason = LOWER_THRESHOLD if objective.sign > 0 else HIGHER_THRESHOLD
    mix = ((1.0, point),)
    best = objective.operating_point(point.fpr, point.tpr, mix, score=score, note=reason)
    return replace(best, guarantee=certifier.guarantee(point, note))


def _certified(
    certifier: Certifier, member: Member, totals: ClassTotals
) -> tuple[PointChoices, BoolArray]:
    """Return the settings of a classifier, and which are certified; never and always are not."""
    own = member.candidates(totals)
    fp, tp = own.false_positives, own.true_positives
    alarms = fp + tp
    inner = np.flatnonzero((alarms > 0) & (alarms < totals.negatives + totals.positives))
    # settings without hits are no better than never, and those with all false alarms than always
    useful = (tp > 0) & (fp < totals.negatives)
    allowed = np.zeros(fp.size, dtype=bool)
    if member.scoring:
        known = member.source is not None
        allowed[inner] = certifier.find_nested(fp[inner], tp[inner], known=known)
    elif inner.size:
        allowed[inner] = certifier.find_single(fp[inner], tp[inner])
    return own, allowed & useful


def _useful_counts(own: PointChoices) -> tuple[Counts, Counts]:
    fp, tp = own.false_positives, own.true_positives
    useful = (tp > 0) & (own.fpr < 1)
    return fp[useful], tp[useful]


def count_models(members: Sequence[Member]) -> int:
    """Count classifiers; one that outputs labels only counts for each of its settings."""
    return sum(1 if each.scoring else max(1, each.false_positives.size) for each in members)


def count_considered(hull: RocHull) -> int:
    """Count the classifiers that were compared on the rows of a hull."""
    return max(count_models(hull.members), hull.considered or 0)


def rate_bounds(
    hull: RocHull, counts: tuple[IntArray, IntArray], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return bounds at counts of false alarms and hits: of FPR from above, of TPR from below.

    A setting is certified at the level to keep a limit on a rate where the bound keeps it.
    """
    sample, _ = as_sample(hull)
    fp, tp = (column * sample.share for column in counts)
    return rate_high(fp, sample.negatives, level), rate_low(tp, sample.positives, level)


def _has_goal(criterion: Criterion) -> bool:
    """Return whether a criterion states more than limits."""
    goal = criterion.goal if isinstance(criterion, Constrained) else criterion
    return not isinstance(goal, LIMITS)


def _farthest(own: PointChoices, allowed: BoolArray, place: int, sign: float) -> int:
    """Return the last certified setting that is as good on the evaluation rows.

    The limit leaves room that these rows do not use: the highest TPR with more false alarms has
    more hits on new rows, the lowest FPR with fewer hits fewer false alarms. In simulations of an
    FPR of at most 0.1, the first such setting lost a TPR of 0.02 to 0.03 with 30 positives, 0.02
    with 50, 0.004 with 200 and 0.001 with 1000.
    """
    if sign > 0:
        alike = allowed & (own.true_positives == own.true_positives[place])
        return int(np.flatnonzero(alike)[-1])
    alike = allowed & (own.false_positives == own.false_positives[place])
    return int(np.flatnonzero(alike)[0])


def near_limit(point: RocPoint, member: Member, place: int, sign: float) -> RocPoint:
    """Return the point with its threshold near the end of the gap that the limit allows."""
    curve = member.curve()
    high = point.lowest_score
    if not member.scoring or not isinstance(high, float):
        return point
    lower = member.next_lower if curve is None else curve.lowest_scores
    low = float(lower[place]) if lower is not None else high
    threshold = short_number(low, high, near_low=sign > 0)
    if threshold is None:
        return point
    return replace(point, threshold=threshold, thresholds=(threshold,))


def short_number(low: float, high: float, *, near_low: bool) -> float | None:
    """Return the number with the fewest digits in the lowest (or highest) hundredth of a gap.

    None if the gap is not finite, or too small for twelve digits.

    Examples
    --------
    >>> from rocch.roc.guarantee_search import short_number
    >>> short_number(0.5, 0.6321, near_low=True), short_number(0.5, 0.6321, near_low=False)
    (0.501, 0.631)
    """
    gap = high - low
    if not 0 < gap < math.inf:
        return None
    middle = low + gap / 200 if near_low else high - gap / 200
    for digits in range(1, FEW_DIGITS + 1):
        found = float(f"{middle:.{digits}g}")
        if low < found <= high and abs(found - middle) <= gap / 200:
            return found
    return None


def _choose_member(hull: RocHull, given: Criterion, order: RocHull) -> Member:
    """Return the classifier that other rows choose, each of theirs certified by itself."""
    if order.totals.rows == hull.totals.rows and _share_a_member(hull, order):
        raise InputError(
            "order",
            "be a hull of other rows",
            "one of the same rows",
            "An order that comes from the same rows guarantees nothing.",
        )
    criterion = given.resolved(order.totals)
    sample, _ = as_sample(order)
    try:
        best = _find_among(order, criterion, order.members, sample, 1, "")
    except InfeasibleError:  # too few other rows: they choose by the limits on themselves
        plain = tuple(replace(limit, confidence=None) for limit in criterion.limits)
        best = order.best(Limited(criterion, plain))
    by_name = {member.name: member for member in hull.members}
    if best.classifier not in by_name:
        raise InputError(
            "order",
            "choose a classifier of this hull",
            repr(best.classifier),
            "Evaluate the same classifiers on both sets of rows.",
        )
    return by_name[best.classifier]


def _share_a_member(hull: RocHull, other: RocHull) -> bool:
    """Return whether a classifier has the same vertices and thresholds on both hulls."""
    known = {(each.name, tuple(each.pairs), tuple(each.lowest_scores)) for each in hull.members}
    return any(
        (each.name, tuple(each.pairs), tuple(each.lowest_scores)) in known for each in other.members
    )


def as_sample(hull: RocHull) -> tuple[Sample, str]:
    """Return the rows of a hull as a sample, and why a guarantee is not exact."""
    totals = hull.totals
    hull.check_whole("a guarantee")
    for is_so, what in (
        (totals.weighted, "weighted rows"),
        (totals.pooled, "classifiers that were evaluated on different rows"),
    ):
        if is_so:
            raise _no_guarantee(what)
    sample, note = Sample(totals.negatives, totals.positives), ""
    for rows in (member.rows for member in hull.members):
        if rows is None:
            note = note or UNKNOWN_ROWS
            continue
        if rows.groups is not None:
            raise _no_guarantee("rows in groups")
        if rows.folds is not None:
            note = CROSS_VALIDATED
        if not rows.is_first.all():
            share = float(np.mean(rows.is_first))
            sample = Sample(share * totals.negatives, share * totals.positives, share)
            note = HELD_OUT_OFTEN
    return sample, note


def _no_guarantee(what: str) -> InputError:
    return InputError(
        "confidence",
        "be left out unless all rows are independent, and each counts once",
        what,
        "Evaluate all classifiers on the same independent rows, for example one of each group.",
    )


UNKNOWN_ROWS = (
    "It is exact if the rows behind the curves, which were not kept, are independent and fitted no "
    "classifier."
)
CROSS_VALIDATED = (
    "It is approximate: the rows were scored by cross-validation, with classifiers that are not "
    "the ones deployed."
)
HELD_OUT_OFTEN = (
    "It is approximate: rows were held out several times, by classifiers that are not the ones "
    "deployed, and count once."
)
