"""The published schema: every summary keeps it, and nothing else does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import rocch
from rocch.report import summarize_probabilities, summary_schema
from rocch.report.schema import _schema
from rocch.report.write import rendered
from tests.support.asking import hull_of, rows_of

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
VAGUE = rocch.Conditions(prevalence=(0.3, 0.4), false_positive=1, false_negative=(0, 4))
VALIDATOR = Draft202012Validator(summary_schema())


def plain(what: Any, **said: Any) -> Any:
    return json.loads(rendered(rocch.report.summarize(what, **said), "json"))


def faults(summary: Any) -> list[str]:
    return [fault.message for fault in VALIDATOR.iter_errors(summary)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(summary_schema())


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "said",
    [
        {"conditions": KNOWN},
        {"conditions": VAGUE, "randomize": True},
        {"conditions": KNOWN, "belief": (1, 2, 3)},
        {"conditions": VAGUE, "max_fpr": 0.1, "capacity": 5, "population": 20},
    ],
)
def test_summaries_keep_it(seed: int, said: Any) -> None:
    assert faults(plain(hull_of(seed), resamples=0, **said)) == []


def test_a_summary_with_everything_keeps_it() -> None:
    y, scores, _ = rows_of(1, 120)
    assert faults(plain(rocch.RocHull.from_scores(y, scores), resamples=100)) == []


def test_a_summary_of_many_classes_keeps_it() -> None:
    rng = np.random.default_rng(3)
    y = [f"class {k}" for k in rng.integers(0, 3, size=45)]
    made = summarize_probabilities(
        y, {"m": rng.dirichlet([1, 1, 1], size=45)}, classes=sorted(set(y))
    )
    assert faults(json.loads(rendered(made, "json"))) == []


@pytest.fixture
def summary() -> Any:
    return plain(hull_of(1), conditions=VAGUE, resamples=0)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every object inside a summary."""
    if isinstance(value, dict):
        inner = [p for key, each in value.items() for p in places(each, (*path, key))]
        return [path, *inner]
    if isinstance(value, list):
        return [p for i, each in enumerate(value[:2]) for p in places(each, (*path, i))]
    return []


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def test_a_field_too_many_breaks_it_anywhere(summary: Any) -> None:
    ways = places(summary)
    assert len(ways) > 10
    for path in ways:
        at(summary, path)["surplus"] = 1
        assert faults(summary), path
        del at(summary, path)["surplus"]
    assert faults(summary) == []


def test_a_field_too_few_breaks_it_anywhere(summary: Any) -> None:
    for path in places(summary):
        inner = at(summary, path)
        for key in list(inner):
            kept = inner.pop(key)
            assert faults(summary), (*path, key)
            inner[key] = kept
    assert faults(summary) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "rocch-summary-2"),
        (("title",), None),
        (("data", "rows"), "many"),
        (("answer", "holds"), "perhaps"),
        (("answer", "slopes"), [1, 2, 3]),
        (("answer", "slopes", 1), "infinite"),
        (("question", "prevalence"), [0.1]),
        (("question", "randomize"), 1),
        (("hull", "classifier", 0), 0.5),
        (("warnings",), "none"),
    ],
)
def test_a_field_of_another_kind_breaks_it(summary: Any, path: Any, value: Any) -> None:
    at(summary, path[:-1])[path[-1]] = value
    assert faults(summary)


def test_a_type_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="a summary cannot hold <class 'set'>"):
        _schema(set, {})
