"""What is wrong with the shape of a body is said at its place."""

import json
from typing import Any

import pytest

from rocch.service.bodies import parsed
from rocch.service.errors import ServiceError
from rocch.service.misfits import cut
from rocch.service.schemas import AimBody, DecideBody, FeedbackBody

LOAD = {"event_id": "a", "kind": "load", "alarms": 3, "capacity": 2}
OUTCOMES = {"event_id": "a", "kind": "outcomes", "scores": {"nb": [1]}, "outcomes": [1]}
QUEUE = {"event_id": "a", "kind": "too_many_alarms"}
KINDS = "outcomes, load, too_many_alarms, queue_not_filled"


def refused(body: Any, model: Any) -> tuple[str | None, str]:
    with pytest.raises(ServiceError) as raised:
        parsed(json.dumps(body).encode(), model)
    assert (raised.value.status, raised.value.code) == (422, "bad_input")
    return raised.value.argument, raised.value.message


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ({**OUTCOMES, "event_id": ""}, "event_id"),
        ({**OUTCOMES, "outcomes": 5}, "outcomes"),
        ({**OUTCOMES, "scores": {"nb": 5}}, "scores.nb"),
        ({**OUTCOMES, "scores": None}, "scores, features"),
        ({**LOAD, "alarms": "3"}, "alarms"),
        ({**LOAD, "capacity": -1}, "capacity"),
        ({**QUEUE, "times": 0}, "times"),
        ({"kind": "load", "alarms": 3, "capacity": 2}, "event_id"),
    ],
)
def test_the_kind_of_feedback_is_no_place(body: Any, argument: str) -> None:
    found, message = refused(body, FeedbackBody)
    assert found == argument
    assert message.startswith(f"{argument} must ")


@pytest.mark.parametrize(
    ("body", "model", "argument", "message"),
    [
        (
            {**LOAD, "color": 1},
            FeedbackBody,
            "color",
            'color must be one of event_id, kind, alarms, capacity; got "color". '
            "Leave it out, or correct its name.",
        ),
        (
            {**QUEUE, "alarms": 1},
            FeedbackBody,
            "alarms",
            'alarms must be one of event_id, kind, times; got "alarms". '
            "Leave it out, or correct its name.",
        ),
        (
            {"condition": {}},
            AimBody,
            "condition",
            "condition must be one of question, tuning, note, by, replaces;"
            ' got "condition". Leave it out, or correct its name.',
        ),
        (
            {"event_id": "a", "kind": "gossip"},
            FeedbackBody,
            "kind",
            f'kind must be one of {KINDS}; got "gossip". Send one of them.',
        ),
        (
            {"event_id": "a", "kind": None},
            FeedbackBody,
            "kind",
            f"kind must be one of {KINDS}; got null. Send one of them.",
        ),
        ({}, FeedbackBody, "kind", f"kind must be one of {KINDS}; got none. Send one of them."),
        (
            {"kind": "load"},
            FeedbackBody,
            "event_id",
            "event_id must be sent; got none. Add it.",
        ),
        (
            {**LOAD, "alarms": None},
            FeedbackBody,
            "alarms",
            "alarms must be a whole number; got null.",
        ),
        (
            {"tuning": "on"},
            AimBody,
            "tuning",
            "tuning must be 'off', 'advise' or 'follow'; got \"on\".",
        ),
        (
            {"question": {"max_fpr": True}},
            AimBody,
            "max_fpr",
            "max_fpr must be a number; got true.",
        ),
        (
            {"note": "x" * 2001},
            AimBody,
            "note",
            f'note must have at most 2000 characters; got "{"x" * 79} ....',
        ),
    ],
)
def test_sentences(body: Any, model: Any, argument: str, message: str) -> None:
    assert refused(body, model) == (argument, message)


@pytest.mark.parametrize("body", [None, [], 5, "text"])
@pytest.mark.parametrize("model", [AimBody, DecideBody, FeedbackBody])
def test_what_is_no_object(body: Any, model: Any) -> None:
    argument, message = refused(body, model)
    assert argument is None
    assert message.startswith("the body must be ")


def test_what_came_is_cut_where_it_is_longer_than_shown() -> None:
    assert cut("a" * 80) == "a" * 80
    assert cut("a" * 81) == "a" * 80 + " ..."
