"""The knob on the service's page, turned by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.service_page import REFUSED, previewed, put, says, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.service_stand_in import StandIn

    Visit = Callable[..., Page]


def test_the_knob_goes_from_vertex_to_vertex_by_key(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    vertices = service.hull.vertices
    knobs = [(v.fpr + v.tpr) / 2 for v in vertices]
    now = service.point_of(service.question)
    here = knobs.index((now.fpr + now.tpr) / 2)
    slider = page.locator("#knob-slider")
    slider.focus()
    for steps in (1, 2):
        page.keyboard.press("ArrowRight")
        value = slider.get_attribute("aria-valuetext") or ""
        assert vertices[here + steps].classifier in value
        assert page.locator("#aim-knob").input_value() == f"{knobs[here + steps]:.4g}"
    page.keyboard.press("ArrowLeft")
    says(page, "preview", vertices[here + 1].rule())
    put(page)
    says(page, "aim-done", "Put in force: ")
    assert service.puts[0]["question"] == {"knob": knobs[here + 1]}
    page.locator("#knob-slider").press("Home")
    assert page.locator("#aim-knob").input_value() == "0"


def test_the_knob_rests_at_vertices_unless_a_coin_may_choose(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    knobs = [(v.fpr + v.tpr) / 2 for v in service.hull.vertices]
    drag = "(s) => { s.value = '0.77'; s.dispatchEvent(new Event('input', { bubbles: true })); }"
    page.locator("#knob-slider").evaluate(drag)
    assert page.locator("#aim-knob").input_value() in [f"{knob:.4g}" for knob in knobs]
    page.locator("#randomize").check()
    page.locator("#knob-slider").evaluate(drag)
    assert page.locator("#aim-knob").input_value() == "0.77"
    page.locator("#knob-slider").press("ArrowRight")
    assert page.locator("#aim-knob").input_value() == "0.78"
    page.locator("#knob-slider").press("PageUp")
    assert page.locator("#aim-knob").input_value() in [f"{knob:.4g}" for knob in knobs]
    previewed(page)
    last = [asked for asked in service.asked if "/v1/best" in asked][-1]
    assert "randomize=true" in last


def test_a_vertex_can_be_picked_on_the_hull(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(REFUSED,))
    vertex = service.hull.vertices[4]
    page.locator("#hull .vertex").nth(4).focus()
    page.keyboard.press("Enter")
    says(page, "preview", vertex.rule())
    assert page.locator("#hull .would").count() == 1
    page.locator("input[name=mode][value=words]").check(force=True)
    assert page.locator("#aim-prevalence").is_visible()
    page.locator("input[name=mode][value=knob]").check(force=True)
    page.locator("#aim-knob").fill("")
    assert "Turn the knob" in text(page, "aim-knob-problem")
    page.locator("#aim-knob").fill("1.5")
    says(page, "aim-knob-problem", "must be a number from 0 to 1")
