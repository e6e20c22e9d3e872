"""What is kept of surfaces: their arrays, and what choices made by drawn costs cost on other rows.

Costs are drawn as the search draws them, evenly over the simplex, and scaled so that an error costs
1 on average. So a mean cost per row reads like an error rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocch.arrays import FloatArray
    from rocch.multiclass.confusion import Objectives

    AnyArray = np.ndarray[Any, Any]


def arrays_of(surface: rocch.multiclass.RocSurface, name: str) -> dict[str, Any]:
    """Return what a surface is made of, under a name."""
    return {
        f"{name} counts": surface.counts.astype(np.int32),
        f"{name} parameters": surface.parameters,
        f"{name} parameter names": np.array(surface.parameter_names, dtype=str),
        f"{name} costs": surface.costs,
        f"{name} classes": np.array(surface.classes.names),
        f"{name} objectives": surface.objectives,
    }


def surface_of(found: Mapping[str, Any], name: str) -> rocch.multiclass.RocSurface:
    """Return a surface that was kept under a name; its members all have that name."""
    counts = found[f"{name} counts"].astype(np.int64)
    objectives: Objectives = str(found[f"{name} objectives"])  # type: ignore[assignment]
    return rocch.multiclass.RocSurface(
        rocch.multiclass.Classes(tuple(found[f"{name} classes"].tolist())),
        counts,
        (name,) * len(counts),
        found[f"{name} parameters"].copy(),
        tuple(found[f"{name} parameter names"].tolist()),
        found[f"{name} costs"].copy(),
        objectives,
    )


def figures_of(surface: rocch.multiclass.RocSurface) -> dict[str, Any]:
    """Return the numbers that the paper gives about a surface, and G."""
    fewest = surface.fewest_errors()
    return {
        "members": len(surface),
        "fewest": fewest.confusion.errors,
        "beyond": int(surface.beyond_random.sum()),
        "G": surface.dominated_share().value,
    }


def drawn_costs(
    classes: rocch.multiclass.Classes, number: int, *, seed: int
) -> list[rocch.CostMatrix]:
    """Draw cost matrices, even over all of them, whose costs are 1 on average."""
    pairs = classes.pairs
    drawn = len(pairs) * rocch.multiclass.DirichletBelief(dict.fromkeys(pairs, 1.0)).sample(
        number, seed=seed
    )
    return [
        rocch.CostMatrix(dict(zip(pairs, row, strict=True)), classes=classes.names)
        for row in drawn.tolist()
    ]


def cost_of(y: AnyArray, answers: AnyArray, costs: rocch.CostMatrix) -> float:
    """Return the cost per row of answers to rows whose class is known."""
    return rocch.multiclass.Confusion.from_labels(y, answers, classes=costs.classes).expected_cost(
        costs
    )


def promised_and_kept(
    points: Sequence[rocch.multiclass.SurfacePoint],
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


def _place(point: rocch.multiclass.SurfacePoint) -> int:
    if point.member.place is None:
        raise ValueError("a rule that the costs imply has no place on a surface")
    return point.member.place


def ruled(
    posteriors: FloatArray, y: AnyArray, matrices: Sequence[rocch.CostMatrix]
) -> dict[str, FloatArray]:
    """Return what posteriors cost: answering by the costs, and with the most likely class."""
    classes = matrices[0].classes
    likely = np.asarray(classes.names)[posteriors.argmax(axis=1)]
    assigned = [rocch.multiclass.assign(posteriors, m, classes=classes.names) for m in matrices]
    return {
        "by costs": np.array(
            [cost_of(y, own, m) for own, m in zip(assigned, matrices, strict=True)]
        ),
        "most likely": np.array([cost_of(y, likely, m) for m in matrices]),
    }
