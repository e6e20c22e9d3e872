"""The service's page as it is read: digits, marks, the vertex beside the knob, what covers what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.service_page import previewed, put, says, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.service_stand_in import StandIn

    Visit = Callable[..., Page]


ARRIVE = "(it) => Promise.all(it.getAnimations().map((each) => each.finished)).then(() => null)"
"""Waits until an element has come to where it moves."""


def test_a_turned_knob_is_short_to_read_and_exact_to_send(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#knob-slider").press("ArrowRight")
    previewed(page)
    shown = page.locator("#aim-knob").input_value()
    assert len(shown) <= len("0.1234")
    page.locator("#put").click()
    assert f"Knob\tnot stated\t{shown}" in page.locator("#confirm-change").inner_text()
    page.locator("#confirm-yes").click()
    says(page, "aim-done", "Put in force: ")
    knobs = [(v.fpr + v.tpr) / 2 for v in service.hull.vertices]
    assert service.puts[0]["question"]["knob"] in knobs


def test_the_vertex_follows_the_knob(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    assert "nearest to the point in force" in text(page, "vertex-note")
    page.locator("#knob-slider").press("End")
    assert "nearest to the knob" in text(page, "vertex-note")
    assert "always alarm" in text(page, "vertex")


def test_the_legend_counts_the_marks_that_are_drawn(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    drawn = page.locator("#hull .vertex:not(.trivial)").count()
    counted = page.locator("#legend li").all_inner_texts()
    assert all(line.endswith((" marks", " mark")) for line in counted)
    assert sum(int(line.split()[-2]) for line in counted) == drawn


def test_costs_without_a_balance_take_that_of_the_evaluation_rows(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    page.locator("#aim-prevalence").fill("")
    put(page)
    says(page, "aim-done", "Put in force: ")
    assert service.puts[0]["question"] == {"false_positive": 1, "false_negative": [5, 10]}


def test_the_buttons_cover_no_field_that_has_the_focus(visit: Visit, service: StandIn) -> None:
    page = visit(service, width=1280, height=900)
    page.locator("#aim-more summary").click()
    fields = page.locator("#aim input[type=text]:visible, #aim select:visible").all()
    assert len(fields) > 10
    for name in fields:
        name.focus()
        field, bar = name.bounding_box(), page.locator("#aim .actions").bounding_box()
        assert field is not None
        assert bar is not None
        assert field["y"] + field["height"] <= bar["y"] or field["y"] >= bar["y"] + bar["height"]


def test_on_a_phone_the_toast_is_not_upon_the_form(visit: Visit, service: StandIn) -> None:
    page = visit(service, width=390, height=844)
    page.locator("#handle").click()
    page.evaluate("RocchView.announce('Put in force')")
    page.locator("#toast").evaluate(ARRIVE)
    toast, form = page.locator("#toast").bounding_box(), page.locator("#panel").bounding_box()
    assert toast is not None
    assert form is not None
    assert toast["y"] + toast["height"] < form["y"]
