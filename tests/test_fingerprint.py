"""The comparison of fingerprints finds every change of a result, and nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.support.fingerprint.comparing import differences, leaves
from tests.support.fingerprint.naming import old_name, public
from tests.support.fingerprint.reducing import reduce

BEFORE = {"auc": 0.75, "counts": [1, 2, {"name": "nb"}], "nan": math.nan, "low": -math.inf}


def changed(path: str, value: Any) -> Any:
    """Return a copy with one leaf changed."""
    after = json.loads(json.dumps(BEFORE))
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    at = after
    for step in way:
        at = at[step]
    at[last] = value
    return after


def test_equal_fingerprints_do_not_differ() -> None:
    after = json.loads(json.dumps(dict(reversed(BEFORE.items()))))
    assert list(differences(BEFORE, after)) == []
    assert leaves(BEFORE) == 6


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("counts/0", 2),
        ("counts/0", 1.0),
        ("counts/0", True),
        ("counts/2/name", "lr"),
        ("auc", 0.75 * (1 + 3e-12)),
        ("auc", math.nan),
        ("auc", None),
        ("nan", 0.0),
        ("low", math.inf),
        ("low", -1e308),
    ],
)
def test_a_changed_leaf_is_found(path: str, value: Any) -> None:
    (line,) = differences(BEFORE, changed(path, value))
    assert line.startswith(f"/{path}: ")


def test_floats_may_differ_by_rounding() -> None:
    assert list(differences(BEFORE, changed("auc", 0.75 * (1 + 5e-13)))) == []


def test_missing_and_new_keys_and_items_are_found() -> None:
    less = {name: value for name, value in BEFORE.items() if name != "auc"}
    assert list(differences(BEFORE, less)) == ["/auc: is missing after"]
    assert list(differences(less, BEFORE)) == ["/auc: is new after"]
    assert list(differences([1, 2], [1])) == [": 2 items, after 1"]


def test_results_are_reduced_without_wording_and_private_fields() -> None:
    @dataclass
    class Found:
        value: float
        note: str
        _kept: int = 0

    Found.__module__ = "rocch.anywhere"
    assert reduce(Found(0.5, "so it is")) == {"value": 0.5}
    assert reduce({"share": Fraction(1, 3), (1, "a"): np.int64(2)}) == {
        "share": "1/3",
        "[1, 'a']": 2,
    }
    flags = reduce(np.array([[True], [False]]))
    assert flags == {"bits": "10", "shape": [2, 1]}
    assert reduce(np.array([1.5], dtype=np.float32)) == {"kind": "f", "shape": [1], "values": [1.5]}


def test_names_are_found_wherever_they_are() -> None:
    kind = public("InputError")
    assert issubclass(kind, ValueError)
    assert old_name(type("Inner", (kind,), {})) == "InputError"
