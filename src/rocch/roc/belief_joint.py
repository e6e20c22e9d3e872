"""Masses and expected costs where costs and prevalence are both in doubt, independently.

For a known prevalence the integral over the cost share is closed, and vice versa; what is left is
one integral over the other's mass. It bends where the inner share enters or leaves a stretch of
its shape, so it is cut there, for each edge of the cost axis by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.moments import MASS, Powers, Rule, tanh_sinh
from rocch.roc.shapes import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import FloatArray
    from rocch.roc.shapes import Shape

EDGES_AT_ONCE = 256
"""Keeps the arrays small."""


class Weights(NamedTuple):
    """What a false alarm or a miss weighs: a function of the outer share, powers of the inner."""

    outer: Callable[[FloatArray], FloatArray]
    inner: Powers


def integrated(
    shapes: tuple[Shape, Shape],
    weighs: tuple[tuple[Powers, Powers], ...],
    edges: FloatArray,
) -> tuple[FloatArray, float]:
    """Integrate over two independent shares below each edge of the cost axis.

    `weighs` holds, for each quantity wanted, the powers of the first share and of the second that
    it is the product of; the mass is wanted in any case. Returns a row for each, and the error.
    """
    places = (1, 0) if isinstance(shapes[0], Frozen) else (0, 1)  # closed integrals inside
    inner, outer = (shapes[place] for place in places)
    wanted = [
        Weights(powers[places[1]].of, powers[places[0]]) for powers in ((MASS, MASS), *weighs)
    ]
    rule = tanh_sinh()
    parts = [
        _some(inner, outer, wanted, edges[start : start + EDGES_AT_ONCE], rule)
        for start in range(0, edges.size, EDGES_AT_ONCE)
    ]
    rows = np.concatenate([part for part, _ in parts], axis=1)
    return rows, max(error for _, error in parts)


def _some(
    inner: Shape, outer: Shape, wanted: list[Weights], edges: FloatArray, rule: Rule
) -> tuple[FloatArray, float]:
    cuts = _cuts(inner, outer, edges)
    widths = np.diff(cuts, axis=1)[..., None]
    bottom = cuts[:, :-1, None] + widths * rule.nodes
    top = 1 - cuts[:, 1:, None] + widths * rule.from_top
    at = np.where(bottom <= 0.5, outer.quantile(bottom), outer.from_top(top))
    upto = partner(edges[:, None, None], at)
    rows, worst = [], 0.0
    for weights in wanted:
        moment, error = inner.cumulative(upto, weights.inner)
        with np.errstate(invalid="ignore"):  # infinite costs are refused by whoever asked for them
            heights = np.where(widths > 0, weights.outer(at) * moment * widths, 0.0)
            fine, coarse = (heights @ share for share in (rule.weights, rule.coarse))
            worst = max(worst, error, float(np.max(np.abs((fine - coarse).sum(axis=1)))))
        rows.append(fine.sum(axis=1))
    return np.stack(rows), worst


def _cuts(inner: Shape, outer: Shape, edges: FloatArray) -> FloatArray:
    """Return for each edge the outer masses at which the integrand bends, from 0 to 1."""
    bends = [partner(edges, kink) for kink in inner.kinks]
    bends += [np.full(edges.shape, kink) for kink in outer.kinks]
    masses = outer.cumulative(np.stack(bends, axis=1))[0]
    ends = np.zeros((edges.size, 1)), np.ones((edges.size, 1))
    return np.sort(np.concatenate((*ends, masses), axis=1), axis=1)


def partner(edges: FloatArray, known: FloatArray | float, *, inclusive: bool = True) -> FloatArray:
    """Return the share c at which the cost axis reaches the edges for a prevalence, or vice versa.

    t <= edge exactly if c <= this. The formula is the same both ways round.
    """
    rest = edges * (1 - known)
    whole = rest + (1 - edges) * known
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, rest / whole, 1.0 if inclusive else 0.0)
