"""The exact share of the region below random allocation, where the work allows it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input
from rocch.kernels.dominance import CappedCorners, TooMuchWork, union_measure
from rocch.multiclass.integer_counts import LARGEST_SUM

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.errors import InputError
    from rocch.multiclass.region import Region

MOST_TERMS = 4 * 10**6
"""So many terms an exact share may take: some seconds, with thousands of members a minute."""

MOST_MEMBERS = 10**4
"""So many members an exact share of more than two objectives may have."""


def exact_share(members: IntArray, limits: IntArray, region: Region) -> Fraction:
    """Return the share that members dominate; with two objectives the work has no limit."""
    most = math.inf if limits.size == 2 else MOST_TERMS
    if limits.size > 2 and len(members) > MOST_MEMBERS:
        raise _too_much(members)
    corners = CappedCorners(limits, region.budget, most)
    try:
        measure = union_measure(members, limits, corners)
    except TooMuchWork:
        raise _too_much(members) from None
    unit = corners.denominator**limits.size * math.factorial(limits.size)
    return Fraction(measure, unit) / region.volume


def exact_difference(
    ours: IntArray, limits: IntArray, theirs: IntArray, rivals: IntArray, region: Region
) -> Fraction:
    """Return the share of both together less that of the other, on common totals."""
    multiples = list(map(math.lcm, limits.tolist(), rivals.tolist()))
    if sum(multiples) > LARGEST_SUM:
        raise bad_input(
            "exact",
            "be False where common multiples of both sets' totals are too large to count in",
            f"up to {max(multiples):,} as one",
            "Leave exact out: Monte Carlo needs no common multiples.",
        )
    common = np.array(multiples, dtype=np.int64)
    other = theirs * (common // rivals)
    both = np.concatenate([ours * (common // limits), other])
    return exact_share(both, common, region) - exact_share(other, common, region)


def _too_much(members: IntArray) -> InputError:
    return bad_input(
        "exact",
        f"be False beyond {MOST_TERMS:,} terms or {MOST_MEMBERS:,} members",
        f"{len(members):,} members in {members.shape[1]} objectives, which take more",
        "Leave exact out: Monte Carlo gives the share with its standard error.",
    )
