"""A saved tuner goes on exactly where it stopped, and only on its own hull."""

from __future__ import annotations

import json
from typing import Any, cast

import numpy as np
import pytest

import rocch
from tests.support.scored import Scored, normal_model, normal_rows

MODEL = normal_model()
COSTS = rocch.Conditions(prevalence=(0.1, 0.3), false_positive=1, false_negative=5)


def busy(tuned: rocch.hybrid.KnobTuner, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(25):
        tuned.outcomes(*normal_rows(rng, 300, 0.5), complete=True)
        tuned.load(alarms=int(rng.integers(80, 140)), capacity=100)
        if tuned.to_dict()["options"]["probe"]:
            tuned.observed_cost(float(rng.normal()), cases=7)


@pytest.mark.parametrize("probe", [False, True])
@pytest.mark.parametrize("randomize", [False, True])
def test_a_tuner_read_back_goes_on_alike(probe: bool, randomize: bool) -> None:
    tuned = rocch.hybrid.KnobTuner(
        MODEL, COSTS, probe=probe, randomize=randomize, seed=4, window=30
    )
    busy(tuned, 1)
    saved = json.loads(json.dumps(tuned.to_dict(), allow_nan=False))
    again = rocch.hybrid.KnobTuner.from_dict(MODEL, saved)
    assert again.to_dict() == tuned.to_dict() == saved
    assert again.history == tuned.history
    assert again.setting == tuned.setting
    busy(tuned, 2)
    busy(again, 2)
    assert again.to_dict() == tuned.to_dict()
    assert any(reaction.moved for reaction in again.history)


def test_numbers_of_numpy_are_saved_as_plain_ones() -> None:
    plain = rocch.hybrid.KnobTuner(MODEL, COSTS, start=0.5, alpha=0.5, window=9, seed=3)
    window, seed = (cast("int", np.int64(value)) for value in (9, 3))
    alpha, start = cast("float", np.float32(0.5)), cast("float", np.float32(0.5))
    same = rocch.hybrid.KnobTuner(MODEL, COSTS, start=start, alpha=alpha, window=window, seed=seed)
    assert json.dumps(same.to_dict()) == json.dumps(plain.to_dict())


@pytest.mark.parametrize("prevalence", [0.2, (0.1, 0.3), "observed"])
def test_conditions_are_read_back(prevalence: Any) -> None:
    costs = rocch.Conditions(
        prevalence=prevalence, false_positive=2, false_negative=5, true_positive=1
    )
    tuned = rocch.hybrid.KnobTuner(MODEL, costs)
    again = rocch.hybrid.KnobTuner.from_dict(MODEL, json.loads(json.dumps(tuned.to_dict())))
    assert again._climb.conditions == costs
    bare = rocch.hybrid.KnobTuner(MODEL, start=0.5)
    assert rocch.hybrid.KnobTuner.from_dict(MODEL, bare.to_dict()).to_dict() == bare.to_dict()


def test_the_record_is_versioned() -> None:
    record = rocch.hybrid.KnobTuner(MODEL, COSTS).to_dict()
    assert record["format"] == "rocch.KnobTuner"
    assert record["version"] == 1
    assert record["hull"]["vertices"] == len(MODEL.hull_)


def test_a_state_of_another_hull_is_refused() -> None:
    record = rocch.hybrid.KnobTuner(MODEL, COSTS).to_dict()
    with pytest.raises(rocch.InputError, match="state must belong to the model's hull"):
        rocch.hybrid.KnobTuner.from_dict(normal_model(seed=1), record)
    y = [0, 0, 1, 1]
    here = Scored.of(y, {"a": [1, 3, 2, 4]})
    rescaled = Scored.of(y, {"a": [10, 30, 20, 40]})
    renamed = Scored.of(y, {"b": [1, 3, 2, 4]})
    own = rocch.hybrid.KnobTuner(here, start=0.5).to_dict()
    for other in (rescaled, renamed):
        with pytest.raises(rocch.InputError, match="of another hull"):
            rocch.hybrid.KnobTuner.from_dict(other, own)
    rocch.hybrid.KnobTuner.from_dict(Scored.of(y, {"a": [1, 3, 2, 4]}), own)


def without(record: dict[str, Any], *path: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(record))
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copy


@pytest.mark.parametrize(
    "path",
    [
        ("hull",),
        ("options",),
        ("options", "conditions"),
        ("state", "position"),
        ("state", "stride"),
        ("state", "trial", "left"),
        ("history",),
    ],
)
def test_a_record_with_gaps_is_refused(path: tuple[str, ...]) -> None:
    record = rocch.hybrid.KnobTuner(MODEL, COSTS).to_dict()
    with pytest.raises(rocch.InputError, match="state must be a result of to_dict"):
        rocch.hybrid.KnobTuner.from_dict(MODEL, without(record, *path))


def test_other_records_are_refused() -> None:
    record = rocch.hybrid.KnobTuner(MODEL, COSTS).to_dict()
    for other, message in (
        ([1], "state must be the record of a tuner .*type list"),
        ({}, "state must be the record of a tuner .*got None"),
        ({**record, "version": 2}, "state must have version 1; got 2"),
        ({**record, "options": {**record["options"], "alpha": 7}}, "alpha must be a number"),
        ({**record, "state": {**record["state"], "position": 7}}, "position must be a number"),
    ):
        with pytest.raises(rocch.InputError, match=message):
            rocch.hybrid.KnobTuner.from_dict(MODEL, cast(Any, other))
