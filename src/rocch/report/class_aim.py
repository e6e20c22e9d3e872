"""What a fitted model for many classes predicts at any costs, for pages that turn them.

A model that aims for new rows predicts by the probabilities of its stack and the costs asked for.
So a page that knows the stack's probabilities of the evaluation rows answers every question as the
model does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.hybrid.multiclass_rule import rule_kind
from rocch.kernels.assignment import least_cost
from rocch.multiclass.confusion import count_predictions
from rocch.report.summary import ClassAim, Members, MulticlassData

# The most probabilities in a page. Of more, every class has equally many rows, evenly chosen.
MOST_CELLS = 60_000

# Digits of a probability.
DIGITS = 6


def tabulate_aim(member: int, probabilities: FloatArray, truths: IntArray) -> ClassAim:
    """Return what a page needs to aim a model: the probabilities of rows, or of some of them."""
    size = probabilities.shape[1]
    kept = np.arange(truths.size)
    if probabilities.size > MOST_CELLS:
        most = max(MOST_CELLS // size**2, 1)
        kept = np.concatenate([_some(np.flatnonzero(truths == k), most) for k in range(size)])
    short = [[float(f"{each:.{DIGITS}g}") for each in row] for row in probabilities[kept].tolist()]
    # sorted, so that nothing tells which row of the data each one is
    rows = sorted(zip(truths[kept].tolist(), map(tuple, short), strict=True))
    return ClassAim(member, tuple(truth for truth, _ in rows), tuple(row for _, row in rows))


def _some(places: IntArray, most: int) -> IntArray:
    if places.size <= most:
        return places
    return places[np.linspace(0, places.size - 1, most).round().astype(np.intp)]


def corrected_costs(costs: FloatArray, shares: FloatArray, totals: IntArray) -> FloatArray:
    """Return the costs by which to predict where classes have other shares than in the rows."""
    if (shares == totals / totals.sum()).all():
        return costs
    return np.asarray(costs * (shares * totals.sum() / totals)[:, np.newaxis])


def your_costs(
    costs: FloatArray, shares: FloatArray, totals: IntArray
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the costs of a question, and the same corrected for its shares, row by row."""
    corrected = corrected_costs(costs, shares, totals)
    return tuple(costs.ravel().tolist()), tuple(corrected.ravel().tolist())


def aimed_members(data: MulticlassData, costs: FloatArray, shares: FloatArray) -> Members:
    """Return a summary's members, with its model aimed at other costs and shares, as its page does.

    The counts of some rows of a class stand for all of them.
    """
    if data.aim is None or (costs.tolist(), shares.tolist()) == (
        list(map(list, data.costs)),
        list(data.shares),
    ):
        return data.members
    totals = np.array([each.rows for each in data.classes])
    weights = corrected_costs(costs, shares, totals)
    truths = np.array(data.aim.truths)
    predictions = least_cost(np.array(data.aim.probabilities), weights)
    counts = count_predictions(truths, predictions, totals.size)
    scaled = np.floor(counts * (totals / counts.sum(axis=1))[:, np.newaxis] + 0.5).astype(int)
    np.fill_diagonal(scaled, 0)
    np.fill_diagonal(scaled, totals - scaled.sum(axis=1))
    own, place = tuple(weights.ravel().tolist()), data.aim.member
    columns = data.members
    return replace(
        columns,
        counts=_with(columns.counts, place, tuple(scaled.ravel().tolist())),
        costs=_with(columns.costs, place, own),
        rule=_with(columns.rule, place, rule_kind(own)),
    )


def _with(column: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*column[:place], value, *column[place + 1 :])
