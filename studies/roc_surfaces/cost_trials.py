"""Costs drawn at random, and what choices made by them cost on other rows.

Costs are drawn as the search draws them, evenly over the simplex, and scaled so that an error costs
1 on average. So a mean cost per row reads like an error rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.arrays import FloatArray

    AnyArray = np.ndarray[Any, Any]


def drawn_costs(classes: rocch.Classes, number: int, *, seed: int) -> list[rocch.CostMatrix]:
    """Draw cost matrices, even over all of them, whose costs are 1 on average."""
    pairs = classes.pairs
    drawn = len(pairs) * rocch.DirichletBelief(dict.fromkeys(pairs, 1.0)).sample(number, seed=seed)
    return [
        rocch.CostMatrix(dict(zip(pairs, row, strict=True)), classes=classes.names)
        for row in drawn.tolist()
    ]


def cost_of(y: AnyArray, answers: AnyArray, costs: rocch.CostMatrix) -> float:
    """Return the cost per row of answers to rows whose class is known."""
    return rocch.Confusion.from_labels(y, answers, classes=costs.classes).expected_cost(costs)


def promised_and_kept(
    points: Sequence[rocch.SurfacePoint],
    answer: Callable[[int], AnyArray],
    y: AnyArray,
    matrices: Sequence[rocch.CostMatrix],
) -> dict[str, FloatArray]:
    """Return what chosen members cost on the judged rows, and on others.

    Parameters
    ----------
    points
        The member chosen for each cost matrix.
    answer
        The answers of a member, by its place, on the other rows.
    y
        The classes of the other rows.
    matrices
        The costs.
    """
    places = [_place(point) for point in points]
    answers = {place: answer(place) for place in sorted(set(places))}
    return {
        "promised": np.array([point.expected_cost for point in points]),
        "kept": np.array(
            [cost_of(y, answers[place], m) for place, m in zip(places, matrices, strict=True)]
        ),
    }


def _place(point: rocch.SurfacePoint) -> int:
    if point.member.place is None:
        raise ValueError("a rule that the costs imply has no place on a surface")
    return point.member.place


def ruled(
    posteriors: FloatArray, y: AnyArray, matrices: Sequence[rocch.CostMatrix]
) -> dict[str, FloatArray]:
    """Return what posteriors cost: answering by the costs, and with the most likely class."""
    classes = matrices[0].classes
    likely = np.asarray(classes.names)[posteriors.argmax(axis=1)]
    assigned = [rocch.assign(posteriors, m, classes=classes.names) for m in matrices]
    return {
        "by costs": np.array(
            [cost_of(y, own, m) for own, m in zip(assigned, matrices, strict=True)]
        ),
        "most likely": np.array([cost_of(y, likely, m) for m in matrices]),
    }
