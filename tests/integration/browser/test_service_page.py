"""The page of the service, looked at as a viewer would."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.service_page import LOOK, NO_ANSWER, says, text
from tests.support.service_stand_in import VIEWER, scored_hull, troubled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.service_stand_in import StandIn

    Visit = Callable[..., Page]


def test_a_viewer_sees_the_state_and_no_controls(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    point = service.point_of(service.question)
    rule = point.rule()
    assert text(page, "sentence") == f"{rule[0].upper()}{rule[1:]}."
    assert re.fullmatch(
        r"Put in force by Ada since .*: 10 to 20% positive, .* 5 to 10. “winter”",
        text(page, "source"),
    )
    assert page.locator("#calm").is_visible()
    assert not page.locator("#panel").is_visible()
    assert not page.locator("#history-box").is_visible()
    assert page.locator("#knob-slider").is_disabled()
    page.locator("#hull .vertex").nth(3).click()
    assert page.evaluate("RocchForm.turned()") is None  # at once: a question would follow later
    assert not any("conditions" in asked or "best" in asked for asked in service.asked)


def test_the_facts_are_those_of_the_point(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    point = service.point_of(service.question)
    ends = [1000 * (p * point.tpr + (1 - p) * point.fpr) for p in (0.1, 0.2)]
    facts = text(page, "facts")
    assert f"{ends[0]:.0f} to {ends[1]:.0f}of 1,000" in facts
    least, most = (f"{cases * (1 - point.tpr):.2g}" for cases in (100, 200))
    assert f"Misses{least} to {most}of" in facts  # below 10, two digits
    assert f"{100 * point.fpr:.0f}%of the negatives" in facts


def test_warnings_come_first(visit: Visit, service: StandIn) -> None:
    troubled(service)
    page = visit(service, VIEWER)
    shown = page.locator("#warnings li").all_text_contents()
    assert len(shown) == 2
    assert shown[0].startswith("Warning: the estimated prevalence, 25.2 to 29.1%, left your")
    assert not page.locator("#calm").is_visible()
    assert page.title() == "(2) rocch service"
    top = page.locator("#warnings").bounding_box()
    below = page.locator("#sentence").bounding_box()
    assert top is not None
    assert below is not None
    assert top["y"] < below["y"]
    assert page.locator("#warnings").get_attribute("role") == "alert"
    service.more["warnings"] = []
    page.evaluate(LOOK)
    page.locator("#calm").wait_for()
    assert page.title() == "rocch service"


def test_prevalence_feedback_and_moves_are_told(visit: Visit, service: StandIn) -> None:
    troubled(service)
    page = visit(service, VIEWER)
    assert text(page, "prevalence-words") == (
        "Estimated: 27% (25.2 to 29.1%) from the last 5,000 rows, by the scores of gbm. "
        "Assumed: 10 to 20%. The two do not agree."
    )
    assert "Observed over 3,000 rows: FPR 21%, TPR 87%" in text(page, "feedback-words")
    assert page.locator("#feedback .moved").count() == 2
    assert page.locator("#tuner li").first.text_content() == "08:55:000.5 → 0.52. too many misses"
    assert "version 8: its file is damaged" in text(page, "model")
    assert page.locator("#minutes rect").count() == 120


def test_without_decisions_or_an_estimate_there_are_words(visit: Visit, service: StandIn) -> None:
    service.more["decisions"].update(total=0, per_minute=[0] * 60, alarms_per_minute=[0] * 60)
    service.more["prevalence"].update(assumed=None, estimated=None, interval=None, rows=12)
    page = visit(service, VIEWER)
    assert text(page, "minutes-words").startswith("No decisions in the last hour; 0 decisions")
    assert "No estimate yet" in text(page, "prevalence-words")
    assert "(12 so far)" in text(page, "prevalence-words")
    assert "evaluation rows' prevalence, 21%" in text(page, "facts-note")


SOURCES = [
    ("default", "Nobody has aimed it yet; this is the default: "),
    ("command line", "From the command line that started the service"),
    ("tuner", "The tuner moved it here by feedback. It began at the aim put in force by Ada"),
]


def test_where_the_aim_came_from(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    for source, words in SOURCES:
        service.aim["source"] = source
        page.evaluate(LOOK)
        says(page, "source", words)


def test_vertices_tell_what_they_are_by_pointer_and_by_key(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    circles = page.locator("#hull .vertex")
    vertices = service.hull.vertices
    assert circles.count() == len(vertices)
    circles.nth(9).hover(force=True)
    says(page, "vertex", vertices[9].rule())
    page.mouse.move(0, 0)
    says(page, "vertex-note", "nearest to the point in force")
    circles.first.focus()
    page.keyboard.press("ArrowRight")
    assert vertices[1].rule() in text(page, "vertex")
    page.keyboard.press("End")
    assert vertices[-1].rule() in text(page, "vertex")
    assert page.locator("#hull .vertex[tabindex='0']").count() == 1


def test_the_lines_of_the_aim_are_drawn(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    assert page.locator("#hull .iso").count() == 2
    assert page.locator("#hull .band").count() == 1
    assert "slopes from 0.4 to 1.8" in text(page, "hull-lead")
    lines = page.evaluate(
        """() => ['.iso', '.vertex'].map((kind) => [...document.querySelectorAll(`#hull ${kind}`)]
          .map((node) => [...node.attributes].reduce((all, { name, value }) =>
            ({ ...all, [name]: Number(value) }), {})))"""
    )
    for line in lines[0]:  # each touches the hull, and no vertex lies above it
        slope = (line["y2"] - line["y1"]) / (line["x2"] - line["x1"])
        above = [line["y1"] + slope * (v["cx"] - line["x1"]) - v["cy"] for v in lines[1]]
        assert max(above) == pytest.approx(0, abs=0.01)


def test_the_cost_on_new_rows_is_shown_with_its_interval(visit: Visit, service: StandIn) -> None:
    service._put({"question": {"prevalence": 0.2, "false_positive": 1, "false_negative": 5}})
    page = visit(service, VIEWER)
    cost = service.point_of(service.question).on_new_rows
    assert cost.interval is not None
    low, high = cost.interval
    assert f"{cost.expected:.3f}per case, expected (95%: {low:.3f} to {high:.3f})" in text(
        page, "facts"
    )
    assert "Aimed exactly on the evaluation rows." in text(page, "facts-note")


def test_a_change_elsewhere_is_shown_and_announced(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    service._put({"question": {"max_fpr": 0.05}, "by": "Bo"})
    page.evaluate(LOOK)
    says(page, "source", "Put in force by Bo")
    assert text(page, "announce").startswith("Now in force: ")
    assert page.locator("#hull .limit").count() == 1
    assert page.locator("#announce").get_attribute("aria-live") == "polite"


def test_the_page_looks_by_itself(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    service.more["model"]["note"] = "a later note"
    says(page, "about", "a later note")


def test_the_hull_is_asked_for_once_per_version(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    service.more["model"]["note"] = "seen again"
    page.evaluate(LOOK)
    says(page, "about", "seen again")
    assert service.asked.count("GET /v1/hull") == 1
    service.hull = scored_hull(("gbm", "logit"))
    service.more["model"].update(version=8, sha256="cd" * 32)
    says(page, "about", "model version 8")  # it looks by itself: of two looks both would ask
    assert service.asked.count("GET /v1/hull") == 2
    assert page.locator("#hull .vertex").count() == len(service.hull.vertices)


def test_a_service_that_is_gone_and_back(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(NO_ANSWER,))
    before = text(page, "sentence")
    service.gone = True
    page.evaluate(LOOK)
    page.locator("#gone").wait_for()
    assert re.search(r"No answer since \d\d:\d\d:\d\d", text(page, "gone"))
    assert text(page, "sentence") == before
    assert page.evaluate("getComputedStyle(document.getElementById('main')).opacity") == "0.5"
    service.gone = False
    page.evaluate(LOOK)
    page.locator("#gone").wait_for(state="hidden")
    assert page.evaluate("getComputedStyle(document.getElementById('main')).opacity") == "1"


def test_signing_in_while_the_service_is_gone(visit: Visit, service: StandIn) -> None:
    page = visit(service, None, may_tell=(NO_ANSWER,))
    service.gone = True
    page.locator("#token").fill(VIEWER)
    page.locator("#sign-in button").click()
    says(page, "sign-in-problem", "cannot be reached")
    service.gone = False
    page.evaluate(LOOK)
    page.locator("#hull .chosen").wait_for()
