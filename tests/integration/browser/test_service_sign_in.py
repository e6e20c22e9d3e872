"""Signing in to the service's page, and out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.pages import wait_until
from tests.support.service_page import LOOK, REFUSED, says
from tests.support.service_stand_in import CALLER, OPERATOR, VIEWER

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route

    from tests.support.service_stand_in import StandIn

    Visit = Callable[..., Page]


COUNT = """() => {
  const [ask, read] = [fetch, Response.prototype.json];
  Object.assign(window, { questions: 0, answers: 0 });
  window.fetch = (...given) => { window.questions += 1; return ask(...given); };
  Response.prototype.json = async function () {
    const answer = await read.call(this);
    window.answers += 1;
    return answer;
  };
}"""
"""Counts what the page asks and reads from now on; what it asked before may arrive later."""


def test_a_token_is_asked_for_and_kept_for_the_tab_only(visit: Visit, service: StandIn) -> None:
    page = visit(service, None)
    assert not page.locator("#page").is_visible()
    page.locator("#token").fill(VIEWER)
    page.keyboard.press("Enter")
    page.locator("#hull .chosen").wait_for()
    assert page.evaluate("Object.keys(sessionStorage).includes('rocch-token')")
    assert page.evaluate("localStorage.length") == 0
    assert page.evaluate("document.cookie") == ""
    assert VIEWER not in page.content()
    page.reload()
    page.locator("#hull .chosen").wait_for()


def test_a_token_in_the_address_is_removed_from_it_at_once(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    assert page.evaluate("location.href") == service.address
    assert page.evaluate("history.length") <= 2
    assert all(VIEWER not in asked for asked in service.asked)


def test_signing_out_forgets_the_token_and_the_state(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#aim-false_negative").fill("77")
    page.locator("#aim-note").fill("mine")
    page.locator("#sign-out").click()
    assert page.locator("#token").is_visible()
    assert not page.locator("#page").is_visible()
    assert page.evaluate("sessionStorage.getItem('rocch-token')") is None
    page.evaluate(COUNT)
    page.evaluate(LOOK)
    assert page.evaluate("questions") == 0
    page.locator("#token").fill(OPERATOR)
    page.keyboard.press("Enter")
    page.locator("#hull .chosen").wait_for()
    assert page.evaluate("questions") > 0
    assert page.locator("#aim-false_negative").input_value() == "5..10"
    assert page.locator("#aim-note").input_value() == ""


def test_an_answer_after_signing_out_leads_to_no_other_question(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    held: list[Route] = []
    page.route("**/v1/status*", lambda route: held.append(route))
    with page.expect_request("**/v1/status*"):
        page.evaluate(LOOK)
    page.locator("#sign-out").click()
    page.evaluate(COUNT)
    for route in held:
        route.continue_()
    wait_until(page, "answers > 0")
    assert page.evaluate("questions") == 0


def test_a_wrong_token_is_told(visit: Visit, service: StandIn) -> None:
    page = visit(service, None, may_tell=(REFUSED,))
    for token, told in (
        ("no-such-token-at-all", "does not know this token"),
        (CALLER, "may decide, but not look"),
        ("pässword", "does not know this token"),
    ):
        page.locator("#token").fill(token)
        page.locator("#sign-in button").click()
        says(page, "sign-in-problem", told)
        assert page.evaluate("sessionStorage.getItem('rocch-token')") is None


def test_a_token_that_is_no_longer_good_shows_the_sign_in_again(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service, may_tell=(REFUSED,))
    service.tokens.clear()
    page.evaluate(LOOK)
    says(page, "sign-in-problem", "no longer accepted")
    assert not page.locator("#page").is_visible()


def test_an_empty_token_is_answered_in_the_pages_own_words(visit: Visit, service: StandIn) -> None:
    page = visit(service, None)
    page.locator("#sign-in-form button").click()
    says(page, "sign-in-problem", "Write the token of a viewer or of an operator first.")
