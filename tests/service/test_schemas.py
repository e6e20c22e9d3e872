"""Bodies of every bad kind: always a 4xx that says what is wrong."""

import json
import threading
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.service.errors import ServiceError, shorten
from rocch.service.schemas import AimBody, DecideBody, FeedbackBody, parse_body
from tests.support.serving import Asking, asking, error_of, parsed, raw_request


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with asking(max_rows=50, max_body=20_000, read_seconds=0.05) as running:
        yield running


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "nothing",
        "{'scores': 1}",
        '{"scores": {"nb": [01]}}',
        "[" * 1500,
        '{"a":' * 1500,
        "9" * 6000,
        b"\xff\xfe\x00",
        '{"scores": {"nb": ["\\ud800"]}}',
    ],
)
def test_what_is_no_json(ask: Asking, body: Any) -> None:
    error = ask.refused("/v1/decide", body, 400)
    assert error["code"] == "bad_input"
    assert error["message"].startswith("the body must be JSON")


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        (None, None),
        ([], None),
        ('"text"', None),
        (5, None),
        ({}, "scores, features"),
        ({"scores": None}, "scores, features"),
        ({"scores": {"nb": [1]}, "features": {"a": [1]}}, "scores, features"),
        ({"scores": []}, "scores"),
        ({"scores": {"nb": 5}}, "scores.nb"),
        ({"scores": {"nb": "0.5"}}, "scores.nb"),
        ({"scores": {"nb": {"0": 1}}}, "scores.nb"),
        ({"scores": {"nb": [1]}, "question": {"randomize": "yes"}}, "randomize"),
        ({"scores": {"nb": [1]}, "question": {"randomize": 1}}, "randomize"),
        ({"scores": {"nb": [1]}, "extra": 1}, "extra"),
        ({"scores": {"nb": [1]}, "question": {"extra": 1}}, "question.extra"),
        ({"scores": {"nb": [1]}, "question": []}, "question"),
        ({"scores": {"nb": [1]}, "row_keys": "abc"}, "row_keys"),
        ({"scores": {"x" * 5000: 5}}, "scores." + 73 * "x" + " ..."),
        ({"scores": {"x" * 5000: [5]}}, "scores." + 80 * "x"),
        ({"scores": {}}, "scores"),
        ({"features": {"0": [1]}}, "features"),
    ],
)
def test_json_of_the_wrong_shape(ask: Asking, body: Any, argument: str | None) -> None:
    error = ask.refused("/v1/decide", body)
    assert (error["code"], error["argument"]) == ("bad_input", argument)
    assert len(error["message"]) <= 1010


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400])
@pytest.mark.parametrize(
    "body",
    [
        '{"scores": {"nb": [0.5, %s]}}',
        '{"scores": {"nb": [0.5]}, "question": {"prevalence": %s}}',
        '{"scores": {"nb": [0.5]}, "question": {"max_fpr": %s}}',
        '{"scores": {"nb": [0.5]}, "row_keys": [%s]}',
    ],
)
def test_numbers_that_are_none_or_too_large(ask: Asking, body: str, number: str) -> None:
    assert ask.refused("/v1/decide", body % number)["code"] == "bad_input"


def test_large_things_are_not_echoed(ask: Asking) -> None:
    secret = "s3cret" * 500
    for body in (
        {"scores": {"nb": [secret]}},
        {"scores": secret},
        {secret: 1, "scores": {"nb": [1]}},
        {"scores": {"nb": [1]}, "question": {"maximize": secret}},
        {"scores": {"nb": [1]}, "question": {secret: 1}},
    ):
        assert len(json.dumps(ask.refused("/v1/decide", body))) < 1300


def test_too_many_bytes(ask: Asking) -> None:
    body = json.dumps({"scores": {"nb": [0.123456789] * 3000}})
    assert ask.refused("/v1/decide", body, 413)["code"] == "too_large"


def test_too_many_bytes_that_were_not_announced(ask: Asking) -> None:
    async def parts() -> Any:
        for _ in range(100):
            yield b"[" * 1000

    answer = ask.send("POST", "/v1/decide", content=parts(), headers=JSON)
    assert error_of(answer, 413)["code"] == "too_large"
    assert answer.headers["connection"] == "close"


MANY = 2500
ZEROS = ", ".join(f'"{i}" : 0' for i in range(MANY))
EMPTY = ",".join(["[]"] * MANY)


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("{...}", ZEROS),
        ("{...}", ",".join(['"same":0'] * MANY)),
        ('{"scores": {...}}', ZEROS.replace("0,", "[],")),
        ('{"scores": {"nb": [1]}, "question": {...}}', ZEROS),
        ('{"scores": {"nb": [1]}, "question": {"max_fpr": {...}}}', ZEROS),
        ('{"scores": {"nb": [...]}}', EMPTY),
        ('{"features": {"nb": [...]}}', EMPTY.replace("[]", "{}")),
        ("...", "[" * MANY),
        ("...", '{"\\\\":' * MANY),
    ],
)
def test_more_names_or_lists_than_any_request_has(body: str, many: str) -> None:
    with asking(max_body=100_000) as ask:
        for path in ("/v1/decide", "/v1/feedback"):
            error = ask.refused(path, body.replace("...", many))
            assert (error["code"], error["argument"]) == ("bad_input", None)
            assert "must have at most 2003 names, and as many lists" in error["message"]


def test_texts_may_look_like_names_and_lists(ask: Asking) -> None:
    keys = ['":[{' * 49 + str(row) for row in range(50)]
    assert ask.decide(scores={"rules": [1] * 50}, row_keys=keys)["rows"] == 50


tricky = st.text(st.sampled_from('":[]{}\\, \n'), max_size=6)


@given(st.dictionaries(tricky, st.lists(tricky, max_size=4), max_size=6), st.integers(0, 8))
def test_names_and_lists_are_counted_outside_texts(columns: Any, most: int) -> None:
    body = {"features": columns}
    names, lists = 1 + len(columns), 2 + len(columns)
    refused = pytest.raises(ServiceError) if max(names, lists) > most else nullcontext()
    with refused:
        assert parsed(json.dumps(body).encode(), DecideBody, most).features == columns


@pytest.mark.parametrize("most", [1, 2, 5])
def test_as_many_names_as_most_are_not_too_many(most: int) -> None:
    few, many = (
        json.dumps(dict.fromkeys(map(str, range(n)), 0)).encode() for n in (most, most + 1)
    )
    with pytest.raises(ServiceError, match=r"^(?!.*must have at most)"):
        parsed(few, DecideBody, most)
    with pytest.raises(ServiceError, match=f"must have at most {most} names"):
        parsed(many, DecideBody, most)


@pytest.mark.parametrize(("rows", "apart"), [(300, False), (90_000, True)])
def test_large_bodies_are_taken_apart_beside_the_loop(
    rows: int, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    where: list[str] = []

    def noted(*given: Any) -> Any:
        where.append(threading.current_thread().name)
        return parse_body(*given)

    monkeypatch.setattr("rocch.service.app.parse_body", noted)
    with asking() as ask:
        ask.decide(scores={"nb": [0.5] * rows, "gbm": [0.5] * rows, "rules": [1] * rows})
        loop = ask.wait(thread_name())
    assert [name != loop for name in where] == [apart]


async def thread_name() -> str:
    return threading.current_thread().name


def test_too_many_rows(ask: Asking) -> None:
    error = ask.refused("/v1/decide", {"scores": {"nb": [0.5] * 51}}, 413)
    assert (error["code"], error["argument"]) == ("too_many_rows", "scores")
    error = ask.refused("/v1/decide", {"features": {"a": [0.5] * 51}}, 413)
    assert (error["code"], error["argument"]) == ("too_many_rows", "features")


JSON = {"Content-Type": "application/json"}


def test_a_body_that_does_not_arrive(ask: Asking) -> None:
    import asyncio

    async def never(_message: Any = None) -> Any:
        await asyncio.Event().wait()

    sent: list[Any] = []

    async def listen(message: Any) -> None:
        sent.append(message)

    ask.wait(ask.app(raw_request("/v1/decide"), never, listen))
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["error"]["code"] == "timeout"


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "image/png"]
)
def test_other_kinds_of_body(ask: Asking, kind: str) -> None:
    answer = ask.send("POST", "/v1/decide", content=b"{}", headers={"Content-Type": kind})
    assert error_of(answer, 415)["code"] == "unsupported"
    zipped = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    error_of(ask.send("POST", "/v1/decide", content=b"{}", headers=zipped), 415)


def test_a_kind_with_a_charset_is_fine(ask: Asking) -> None:
    body = json.dumps({"scores": {"rules": [1]}, "question": None})
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert ask.send("POST", "/v1/decide", content=body, headers=headers).status_code == 200


def test_feedback_of_each_kind() -> None:
    load = parsed(b'{"event_id": "a", "kind": "load", "alarms": 3, "capacity": 2}', FeedbackBody)
    assert (load.kind, load.alarms) == ("load", 3)
    queue = parsed(b'{"event_id": "a", "kind": "too_many_alarms"}', FeedbackBody)
    assert queue.times == 1
    for wrong in (
        b'{"event_id": "a", "kind": "other"}',
        b'{"event_id": "", "kind": "too_many_alarms"}',
        b'{"event_id": "%s", "kind": "too_many_alarms"}' % (b"x" * 201),
        b'{"kind": "too_many_alarms"}',
        b'{"event_id": "a", "kind": "load", "alarms": -1, "capacity": 2}',
        b'{"event_id": "a", "kind": "load", "alarms": 1.5, "capacity": 2}',
        b'{"event_id": "a", "kind": "too_many_alarms", "times": 0}',
        b'{"event_id": "a", "kind": "outcomes", "outcomes": [1]}',
    ):
        with pytest.raises(ServiceError) as refused:
            parsed(wrong, FeedbackBody)
        assert refused.value.status == 422


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
fields = st.sampled_from(["scores", "features", "row_keys", "question", "event_id", "kind"])


@given(st.dictionaries(fields, json_values), st.sampled_from([DecideBody, AimBody, FeedbackBody]))
def test_anything_is_read_or_refused(body: dict[str, Any], model: Any) -> None:
    text = ""
    with suppress(ServiceError):
        text = str(parsed(json.dumps(body).encode(), model))
    assert "nan" not in text or "nan" in json.dumps(body).lower()


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
            "alarms must be a valid integer; got null.",
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
        *(
            (
                {**body, name: "a\0b"},
                model,
                name,
                f'{name} must be text without NUL characters; got "a\\u0000b". Leave them out.',
            )
            for body, model, name in (
                ({}, AimBody, "note"),
                ({}, AimBody, "by"),
                (LOAD, FeedbackBody, "event_id"),
                (QUEUE, FeedbackBody, "event_id"),
            )
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
    assert shorten("a" * 80) == "a" * 80
    assert shorten("a" * 81) == "a" * 80 + " ..."
