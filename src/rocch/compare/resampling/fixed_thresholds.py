"""What fixed thresholds do when the rows are drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.compare.resampling.replicate import known_model
from rocch.errors import UndefinedError, bad_input
from rocch.inputs import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import BoolArray, FloatArray
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.compare.resampling.replicate import Replicate
    from rocch.compare.sample import Sample


class Rates(NamedTuple):
    """FPR and TPR in each replicate (first axis), for each threshold (the second, if several)."""

    fpr: FloatArray
    tpr: FloatArray


def rates_at(drawn: Bootstrap, thresholds: Mapping[str, Any]) -> dict[str, Rates]:
    """Return the rates of fixed thresholds in each replicate; see `Bootstrap.rates_at`."""
    positive = drawn.sample.positive
    alarms = {model: alarms_at(drawn.sample, model, given) for model, given in thresholds.items()}
    sides = [(rows[..., ~positive], rows[..., positive]) for rows in alarms.values()]

    def rates(replicate: Replicate) -> list[list[FloatArray]]:
        drawn_rows = [counts.astype(np.float64) for counts in replicate.drawn]
        return [
            [side @ rows / rows.sum() for side, rows in zip(pair, drawn_rows, strict=True)]
            for pair in sides
        ]

    columns = zip(*drawn.map(rates), strict=True)
    return {
        model: Rates(*(np.array(rates) for rates in zip(*column, strict=True)))
        for model, column in zip(alarms, columns, strict=True)
    }


def alarms_at(sample: Sample, model: str, thresholds: Any) -> BoolArray:
    """Return which rows alarm at a threshold, or at each of several: a row of alarms for each."""
    scores = sample.models[known_model(model, sample.models)]
    if scores.dtype == bool:
        if thresholds is not None:
            raise UndefinedError(
                f"{model} outputs labels only, so it has no threshold to move. Pass None."
            )
        return scores.astype(bool)
    wanted = np.asarray(thresholds)
    if wanted.ndim > 1 or not all(map(is_number, np.atleast_1d(wanted).tolist())):
        raise bad_input(
            "thresholds", "be a number or a list of numbers", repr(thresholds), "Pass scores."
        )
    alarms: BoolArray = scores >= wanted[..., None]
    return alarms
