"""What a page needs to certify limits on both rates: settings, and bounds of their rates.

The page compares bounds with limits where Python tests counts, which is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rocch.errors import InputError
from rocch.report.aim import Decider
from rocch.report.answer import exact_threshold
from rocch.report.curves import settings
from rocch.report.summary import GuaranteedSettings, GuaranteeTable, RateBounds
from rocch.report.words import TEXTS
from rocch.roc.guarantee_search import as_sample, count_considered, near_limit, rate_bounds
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.operating_point import RocPoint
from rocch.roc.question import Question

# The confidence of the page's switch, unless the report's question has another.
CONFIDENCE = 0.95

# A page knows about this many settings of all classifiers together. Of more, each classifier has
# an equal number, closer at both ends, where limits are: what is certified among them is, and
# little power is lost.
MOST_SETTINGS = 6000


class _Own(NamedTuple):
    """A setting with its own threshold, with one near the lower score and one near the upper."""

    point: RocPoint
    low: RocPoint
    high: RocPoint


def tabulate_guarantees(decider: Decider, question: Question) -> tuple[GuaranteeTable | None, str]:
    """Return settings with bounds of their rates; without them, None and why."""
    confidence = question.confidence or CONFIDENCE
    try:
        hull = decider.certifying_hull
        _, note = as_sample(hull)
    except InputError:
        return None, TEXTS["no_guarantee"]
    most = max(1, MOST_SETTINGS // max(1, len(hull.members)))
    found: list[_Own] = []
    complete = True
    for member in hull.members:
        places, own = _settings(hull, member, most)
        complete &= len(own) == places
        found += own
    # of equal counts the first name last, because a page takes the last of equals
    found.sort(key=lambda own: own.point.classifier, reverse=True)
    found.sort(key=lambda own: (own.point.false_positives, own.point.true_positives))
    points = [own.point for own in found]
    fp = np.array([point.false_positives for point in points])
    tp = np.array([point.true_positives for point in points])
    models = count_considered(hull)
    one, two = (
        RateBounds(level, *(tuple(rates.tolist()) for rates in rate_bounds(hull, (fp, tp), level)))
        for level in ((1 - confidence) / (models * kinds) for kinds in (1, 2))
    )
    totals = hull.totals
    sizes = totals.amount(totals.negatives), totals.amount(totals.positives)
    columns = _columns(decider.names, found)
    return GuaranteeTable(confidence, models, note, *sizes, complete, columns, one, two), ""


def _settings(hull: RocHull, member: Member, most: int) -> tuple[int, list[_Own]]:
    """Return how many settings of a classifier beat never and always, and some of them.

    Its curve is not kept: of many large ones, only one is in memory at a time.
    """
    member = replace(member, source=member.curve(keep=False))
    own = member.candidates(hull.totals)
    useful = np.flatnonzero((own.true_positives > 0) & (own.fpr < 1))
    places = useful
    if useful.size > most:
        shares = np.sin(np.linspace(0, np.pi / 2, most)) ** 2
        places = useful[np.unique((shares * (useful.size - 1)).round().astype(np.intp))]
    found = []
    for place in places.tolist():
        point = own.point(place)
        near = (near_limit(point, member, place, sign) for sign in (1.0, -1.0))
        found.append(_Own(point, *near))
    return useful.size, found


def _columns(names: Sequence[str], found: list[_Own]) -> GuaranteedSettings:
    plain = settings(names, [own.point for own in found])
    sides = []
    for near in ([own.low for own in found], [own.high for own in found]):
        sides += [
            tuple(point.written_threshold for point in near),
            tuple(exact_threshold(point) for point in near),
        ]
    return GuaranteedSettings(
        plain.false_positives,
        plain.true_positives,
        plain.threshold,
        plain.classifier,
        plain.exact,
        plain.also,
        *sides,
    )
