"""The published schema: every summary keeps it, and nothing else does."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import rocch
from rocch import Question
from rocch.report import summarize_probabilities, summary_schema
from rocch.report.render import render
from rocch.report.summary import _schema
from tests.support.asking import hull_of, rows_of

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
VAGUE = rocch.Conditions(prevalence=(0.3, 0.4), false_positive=1, false_negative=(0, 4))
VALIDATOR = Draft202012Validator(summary_schema())


def plain(what: Any, question: Any = None, **options: Any) -> Any:
    return json.loads(render(rocch.report.summarize(what, question, **options), "json"))


def faults(summary: Any) -> list[str]:
    return [fault.message for fault in VALIDATOR.iter_errors(summary)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(summary_schema())


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "question",
    [
        KNOWN,
        VAGUE,
        Question(prevalence=0.3, cost_ratio=(1, 3), likely=2, randomize=True),
        Question(prevalence=0.3, cost_ratio=(1, math.inf), false_negative=5),
        Question(prevalence=0.3, false_positive=1, false_negative=(2, 4), max_fpr=0.1),
        Question(prevalence=(0.1, 0.3), capacity=5, population=20),
        Question(min_tpr=0.3),
        Question(prevalence=0.3, maximize="f1"),
        Question(knob=0.4),
    ],
)
def test_summaries_keep_it(seed: int, question: Any) -> None:
    found = plain(hull_of(seed), question, resamples=0)
    assert faults(found) == []
    Question.from_dict(found["question"])


def test_a_summary_with_everything_keeps_it() -> None:
    y, scores, _ = rows_of(1, 120)
    assert faults(plain(rocch.RocHull.from_scores(y, scores), resamples=100)) == []


def test_a_summary_of_many_classes_keeps_it() -> None:
    rng = np.random.default_rng(3)
    y = [f"class {k}" for k in rng.integers(0, 3, size=45)]
    made = summarize_probabilities(
        y, {"m": rng.dirichlet([1, 1, 1], size=45)}, classes=sorted(set(y))
    )
    assert faults(json.loads(render(made, "json"))) == []


@pytest.fixture
def summary() -> Any:
    return plain(hull_of(1), VAGUE, resamples=0)


# Objects that other classes describe.
OTHERS = ("rule", "texts", "fields")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every object inside a summary."""
    if isinstance(value, dict):
        known = {key: each for key, each in value.items() if key not in OTHERS}
        inner = [p for key, each in known.items() for p in places(each, (*path, key))]
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
        for key in list(inner) if path != ("question",) else []:
            kept = inner.pop(key)
            assert faults(summary), (*path, key)
            inner[key] = kept
    assert faults(summary) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "rocch-summary-1"),
        (("title",), None),
        (("binary", "data", "rows"), "many"),
        (("binary", "answer", "holds"), "perhaps"),
        (("binary", "answer", "slopes"), [1, 2, 3]),
        (("binary", "answer", "slopes", 1), "infinite"),
        (("question", "prevalence"), [0.1]),
        (("question", "randomize"), 1),
        (("binary", "hull", "classifier", 0), 0.5),
        (("warnings",), "none"),
    ],
)
def test_a_field_of_another_kind_breaks_it(summary: Any, path: Any, value: Any) -> None:
    at(summary, path[:-1])[path[-1]] = value
    assert faults(summary)


def test_a_type_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="a summary cannot hold <class 'set'>"):
        _schema(set, {})
