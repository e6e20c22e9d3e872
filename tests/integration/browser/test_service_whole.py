"""The page on the real service: what both sides say to each other."""

from __future__ import annotations

import json
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import Request, urlopen

import pytest

from tests.support.service_page import LOOK, REFUSED, previewed, put, says, text

pytest.importorskip("fastapi", reason="the service is not installed")

import uvicorn

from rocch import Question
from rocch.service import Settings, create_app
from rocch.service.policy import Service
from rocch.service.run import Server, address_of, bind
from tests.support.serving import TOKENS, judged, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from playwright.sync_api import Page

    Visit = Callable[..., Page]


class Real(NamedTuple):
    """A service that runs, as the page needs to know it."""

    service: Service
    address: str
    tokens: dict[str, str]

    def send(self, path: str, body: Any, *, role: str, method: str = "POST") -> Any:
        """Do as another program would."""
        token = getattr(TOKENS, role)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        asked = Request(  # noqa: S310 - the address is our own
            self.address + path, json.dumps(body).encode(), headers, method=method
        )
        with urlopen(asked) as answer:  # noqa: S310
            return json.load(answer)


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Real]:
    """Run a service on a free port of this machine."""
    service = Service(served(), tmp_path / "service.sqlite", TOKENS, Settings())
    ready, bound = Event(), bind("127.0.0.1", 0)
    config = uvicorn.Config(create_app(service), log_level="critical", ws="none")
    server = Server(config, ready.set)
    thread = Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    assert ready.wait(30)
    roles = {TOKENS.viewer: "viewer", TOKENS.operator: "operator"}
    yield Real(service, address_of(bound) + "/", roles)
    server.should_exit = True
    thread.join()
    bound.close()
    service.close()


def decide(real: Real, seed: int) -> Any:
    """Let the service decide rows as they come."""
    scores, _ = judged(seed)
    columns = {name: scores[name].tolist() for name in scores}
    return real.send("v1/decide", {"scores": columns}, role="caller")


def test_a_viewer_sees_what_it_does(real: Real, visit: Visit) -> None:
    answer = decide(real, 2)
    page = visit(real, TOKENS.viewer)
    assert text(page, "sentence").lower() == f"{answer['rule']['words']}.".lower()
    assert "Nobody has aimed it yet" in text(page, "source")
    assert f"400 decisions, {answer['alarms']} alarms" in text(page, "minutes-words")
    assert page.locator("#hull .vertex").count() == len(real.service.served.hull.vertices)
    assert page.locator("#model .chip").all_text_contents() == ["gbm", "nb", "rules"]
    assert not page.locator("#panel").is_visible()


def test_an_operator_re_aims_and_decisions_follow(real: Real, visit: Visit) -> None:
    page = visit(real, TOKENS.operator, may_tell=(REFUSED,))  # half an aim, on the way
    page.locator("#aim-prevalence").fill("10..20%")
    page.locator("#aim-false_positive").fill("1")
    page.locator("#aim-false_negative").fill("5..10")
    page.locator("#aim-by").fill("Grace")
    put(page)
    says(page, "source", "Put in force by Grace since")
    aim = real.service.store.operator_policy
    assert aim is not None
    assert aim.question == Question(prevalence=(0.1, 0.2), false_positive=1, false_negative=(5, 10))
    rule = decide(real, 2)["rule"]["words"]
    assert text(page, "sentence").lower() == f"{rule}.".lower()
    assert page.locator("#hull .iso").count() == 2
    page.locator("#knob-slider").press("End")
    put(page)
    says(page, "sentence", "Always predict 1")
    assert page.locator("#history tr").count() >= 2


def test_refusals_are_told_at_the_field(real: Real, visit: Visit) -> None:
    page = visit(real, TOKENS.operator, may_tell=(REFUSED,))
    page.locator("#aim-more summary").click()
    page.locator("#aim-likely").fill("7")
    page.locator("#aim-likely-problem:not(:empty)").wait_for()
    assert page.locator("#put").is_disabled()
    page.locator("#aim-likely").fill("")
    page.locator("#aim-maximize").fill("beauty")
    page.locator("#aim-maximize-problem:not(:empty)").wait_for()


def test_the_slower_of_two_operators_is_told(real: Real, visit: Visit) -> None:
    page = visit(real, TOKENS.operator, may_tell=(REFUSED,))
    first = {"question": {"max_fpr": 0.05}, "by": "Ada"}
    real.send("v1/conditions", first, role="operator", method="PUT")
    page.evaluate(LOOK)
    says(page, "source", "Put in force by Ada")
    page.locator("#aim-max_fpr").fill("0.1")
    previewed(page)
    page.locator("#put").click()
    real.send("v1/conditions", {**first, "by": "Bo"}, role="operator", method="PUT")
    page.locator("#confirm-yes").click()
    says(page, "aim-problem", "Someone else was faster")
    says(page, "source", "Put in force by Bo")
    put(page)
    says(page, "aim-done", "Put in force: ")  # not what is there already, of Bo's


def test_feedback_and_the_tuner_are_shown(real: Real, visit: Visit) -> None:
    aim = {
        "question": {"prevalence": 0.3, "false_positive": 1, "false_negative": 2},
        "tuning": "follow",
    }
    real.send("v1/conditions", aim, role="operator", method="PUT")
    page = visit(real, TOKENS.viewer)
    event = {"event_id": "monday", "kind": "too_many_alarms", "times": 3}
    moved = real.send("v1/feedback", event, role="caller")["reaction"]["moved"]
    page.evaluate(LOOK)
    says(page, "feedback", "too many alarms")
    assert page.locator("#feedback .moved").count() == int(moved)
    assert "It moves the knob" in text(page, "tuner-words")


def test_a_callers_token_is_refused(real: Real, visit: Visit) -> None:
    page = visit(real, TOKENS.caller, may_tell=(REFUSED,))
    says(page, "sign-in-problem", "may decide, but not look")
