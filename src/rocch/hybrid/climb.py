"""What each kind of feedback says for turning left and for turning right.

Everything is expressed in standard deviations of what chance would do, so that one complaint, one
period's load and ten rows on which two settings differ are about one unit each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import InputError, bad_input
from rocch.hybrid.tuning.evidence import NOTHING, Evidence, Sides
from rocch.inputs import as_flag, as_number, as_scores
from rocch.roc.conditions import as_interval

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.roc.conditions import Conditions, Interval


ROWS_IN_UNIT = 10
"""So many rows make one unit: single rows say less than a period, and come in larger numbers."""

LEAST_PROPENSITY = 1e-9
"""A row that stands for more than a billion others says nothing that could be weighed, and squares
of its weight would soon leave the range of doubles."""

SELECTIVE_LABELS = (
    "Labels that exist only because a row alarmed do not tell what was missed, so neither FPR nor "
    "TPR can be learned from them. Pass complete=True if every row of the period is here, reviewed "
    "whether it alarmed or not; or choose rows with explore(...) and pass their propensities."
)


class Stakes(NamedTuple):
    """What a decision changes: for a negative row, and for a positive one."""

    alarm: float
    """What an alarm on a negative row costs more than leaving it alone."""
    miss: float
    """What a miss costs more than a hit."""


def complaints(way: int, times: float) -> Sides:
    """Weigh complaints that all point one way; in a good setting either way is as likely."""
    return _opposite(way * times, times)


def trial(difference: float, typical: float) -> Sides:
    """Weigh by how much the left of two settings cost more, run in an order drawn by a coin.

    While both cost the same, the coin makes either sign as likely, whatever the noise and however
    conditions change meanwhile; so squares seen are all the variance one needs to know. They are
    measured in typical (root mean square) differences, which do not depend on the signs either.
    """
    units = difference / typical if typical else 0.0
    return _opposite(units, units * units)


def load(alarms: float, capacity: float, tolerance: float) -> Sides:
    """Weigh a count of alarms against a capacity, as a Poisson count.

    Too many means more than (1 + tolerance) x capacity in expectation, too few less than
    (1 - tolerance) x capacity; within, nothing speaks for a move.
    """
    most, fewest = capacity * (1 + tolerance), capacity * (1 - tolerance)
    scale = capacity**0.5
    return Sides(
        _scaled(alarms - most, alarms, most, scale),
        _scaled(fewest - alarms, alarms, fewest, scale),
    )


def outcomes(
    now: FloatArray, other: FloatArray, positive: BoolArray, weights: FloatArray, stakes: Stakes
) -> Evidence:
    """Weigh what another setting would have saved on rows whose true classes are known.

    `now` and `other` are the probabilities of an alarm; rows with equal ones drop out. A weight
    says for how many rows this one stands; only how weights differ matters, not their size.
    """
    apart = now != other
    if not apart.any():
        return NOTHING
    now, other, positive, weights = (a[apart] for a in (now, other, positive, weights))
    differ = (now - other) * weights / np.sqrt(np.mean(weights**2))
    saved = differ * np.where(positive, -stakes.miss, stakes.alarm)
    squares = float(saved @ saved)
    expected = stakes.alarm * stakes.miss * float(differ @ differ)
    if (differ > 0).any() and (differ < 0).any():
        # Classifiers that alarm on different rows: equal costs no longer fix the share of
        # positives among these rows, and so not the variance either; take the larger estimate.
        expected = max(expected, squares)
    one_row = (stakes.alarm * stakes.miss) ** 0.5 or max(stakes)
    return _scaled(float(saved.sum()), squares, expected, one_row * ROWS_IN_UNIT**0.5)


def stakes_of(conditions: Conditions | None) -> Stakes:
    """Return what decisions change under exact costs; the prevalence is not used."""
    if conditions is None:
        raise InputError(
            "conditions must be given to the tuner before outcomes can be weighed; got none. "
            "Name the costs, for example KnobTuner(model, Conditions(prevalence='observed', "
            "false_positive=1, false_negative=10)); the outcomes themselves carry the prevalence."
        )
    costs = _costs(conditions)
    if not all(cost.exact for cost in costs):
        raise bad_input(
            "conditions",
            "have exact costs before outcomes can be weighed",
            str(conditions),
            "Name one number for each cost; only the prevalence may stay an interval.",
        )
    fp, tn, fn, tp = (cost.low for cost in costs)
    return Stakes(fp - tn, fn - tp)


def costs_are_exact(conditions: Conditions | None) -> bool:
    """Say whether outcomes can be weighed: by `stakes_of`, which needs exact costs."""
    return conditions is not None and all(cost.exact for cost in _costs(conditions))


def _costs(conditions: Conditions) -> list[Interval]:
    names = ("false_positive", "true_negative", "false_negative", "true_positive")
    return [as_interval(getattr(conditions, name), name) for name in names]


def review_weights(complete: bool, propensities: Any, rows: int) -> FloatArray:
    """Return for how many rows each labelled one stands; how it was chosen must be declared."""
    if as_flag(complete, "complete") == (propensities is not None):
        raise bad_input(
            "complete, propensities",
            "say how these rows came to be labelled, by one of the two",
            "both" if complete else "neither",
            SELECTIVE_LABELS,
        )
    if complete:
        return np.ones(rows)
    shares = as_scores(propensities, rows, argument="propensities")
    if not (shares.min() >= LEAST_PROPENSITY and shares.max() <= 1):
        raise bad_input(
            "propensities",
            f"be probabilities from {LEAST_PROPENSITY:g} to 1",
            f"{shares.min():g} to {shares.max():g}",
            "They are the probabilities with which each row was to be reviewed; "
            "leave out rows that were hardly ever to be.",
        )
    return 1 / shares


def checked_count(value: object, argument: str, *, positive: bool = False) -> float:
    """Return a number of alarms, cases or complaints."""
    do = "It is a count."
    count = as_number(value, argument, least=0, do=do)
    if positive and count == 0:
        raise bad_input(argument, "be greater than 0", "0", do)
    return count


def _opposite(total: float, variance: float) -> Sides:
    return Sides(Evidence(-total, variance), Evidence(total, variance)) if variance else Sides()


def _scaled(total: float, squares: float, expected: float, scale: float) -> Evidence:
    if squares == expected == 0:
        return NOTHING
    area = scale * scale
    return Evidence.of(total / scale, squares=squares / area, expected_squares=expected / area)
