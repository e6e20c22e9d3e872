"""Re-aiming the service on its page, as an operator would."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.service_page import LOOK, NO_ANSWER, REFUSED, previewed, put, says, text
from tests.support.service_stand_in import FIRST, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.service_stand_in import StandIn

    Visit = Callable[..., Page]


def test_an_operator_re_aims_and_the_service_gets_exactly_that(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    assert page.locator("#aim-prevalence").input_value() == "0.1..0.2"
    assert page.locator("#put").is_disabled()
    page.locator("#aim-prevalence").fill("5 .. 10%")
    page.locator("#aim-false_negative").fill("25")
    page.locator("#aim-max_fpr").fill("0.5")
    page.locator("#aim-tuning").select_option("advise")
    page.locator("#aim-by").fill("Grace")
    page.locator("#aim-note").fill("spring")
    previewed(page)
    assert service.puts == []
    page.locator("#put").click()
    change = page.locator("#confirm-change").inner_text()
    for words in ("Share of positives\t0.1..0.2\t0.05..0.1", "Miss costs\t5..10\t25"):
        assert words in change
    assert "False alarms, at most\tnot stated\t0.5" in change
    assert "Tuning by feedback\toff\tadvise" in change
    assert "Why (a note)\twinter\tspring" in change
    page.locator("#confirm-yes").click()
    says(page, "aim-done", "Put in force: ")
    assert service.puts == [
        {
            "question": {
                "prevalence": [0.05, 0.1],
                "false_positive": 1,
                "false_negative": 25,
                "max_fpr": 0.5,
            },
            "tuning": "advise",
            "note": "spring",
            "by": "Grace",
            "replaces": 12,
        }
    ]
    says(page, "source", "Put in force by Grace")
    assert page.locator("#put").is_disabled()
    assert page.locator("#aim-by").input_value() == "Grace"
    assert page.locator("#aim-note").input_value() == ""
    assert page.locator("#history tr").count() == 2


def test_the_first_aim_replaces_none(visit: Visit, service: StandIn) -> None:
    service.aim.update(id=None, source="default", by="", note="")
    page = visit(service)
    page.locator("#aim-false_negative").fill("25")
    put(page)
    says(page, "aim-done", "Put in force: ")
    assert "replaces" not in service.puts[0]


def test_going_back_sends_nothing(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#aim-false_negative").fill("25")
    previewed(page)
    page.locator("#aim-false_negative").press("Enter")
    page.locator("#confirm-no").click()
    page.locator("#put").click()
    page.keyboard.press("Escape")
    page.locator("#confirm").wait_for(state="hidden")
    page.locator("#start-over").click()
    assert page.locator("#aim-false_negative").input_value() == "5..10"
    assert page.locator("#hull .would").count() == 0
    assert service.puts == []


def test_a_preview_says_where_it_would_move(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#aim-false_negative").fill("40")
    previewed(page)
    then = service.point_of(replace(service.question, false_negative=40))
    assert then.rule() in text(page, "preview")
    assert f"{100 * then.tpr:.0f}%" in text(page, "preview")
    assert page.locator("#hull .would").count() == 1
    page.locator("#aim-false_negative").fill("5..10")
    says(page, "preview", "It would stay where it is")


TYPED = [
    ("aim-false_negative", "1,5,", "must be a number or an interval"),
    ("aim-false_negative", "10..5", "must run from low to high"),
    ("aim-false_negative", "many", "must be a number or an interval"),
    ("aim-false_negative", "-1", "not negative"),
    ("aim-prevalence", "15", "It is a share, so 15% is 0.15."),
    ("aim-prevalence", "1..2..3", "must be a number"),
    ("aim-max_fpr", "0.1..0.2", "must be a number"),
    ("aim-max_fpr", "5", "It is a share, so 5% is 0.05."),
]


def test_mistakes_are_told_at_the_field(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(REFUSED,))
    for field, typed, told in TYPED:
        page.locator(f"#{field}").fill(typed)
        says(page, f"{field}-problem", told)
        assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
        assert page.locator("#put").is_disabled()
        page.locator("#start-over").click()
        assert text(page, f"{field}-problem") == ""
    page.locator("#aim-prevalence").fill("")
    page.locator("#aim-false_positive").fill("")
    page.locator("#aim-false_negative").fill("")
    assert "State at least something" in text(page, "aim-prevalence-problem")


READ = {
    "0.1..0.2": [0.1, 0.2],
    "10..20%": [0.1, 0.2],
    "5-20%": [0.05, 0.2],
    "0.3%": 0.003,
    "16.7%": 0.167,
    "1e-3": 0.001,
    "Observed": "observed",
    ".5…0.6": [0.5, 0.6],
    "0.1 ... 0.2": [0.1, 0.2],
}


def test_what_is_typed_is_put_to_the_last_digit(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#aim-false_negative").fill("1,000..2,000.5")
    for typed in READ:
        page.locator("#aim-prevalence").fill(typed)
        put(page)
        page.locator("#put:disabled").wait_for()
        says(page, "aim-done", "Put in force: ")
        page.locator("#history tr").nth(len(service.puts)).wait_for(state="attached")
    put_prevalences = [sent["question"]["prevalence"] for sent in service.puts]
    assert put_prevalences == list(READ.values())
    assert {tuple(sent["question"]["false_negative"]) for sent in service.puts} == {(1000, 2000.5)}


def test_what_the_service_refuses_is_told_at_the_field(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(REFUSED,))
    page.locator("#aim-more summary").click()
    page.locator("#aim-maximize").fill("beauty")
    says(page, "aim-maximize-problem", "must be a measure that can be maximized")
    page.locator("#aim-maximize").fill("F1")
    says(page, "aim-maximize-problem", "must be given without costs")
    assert page.locator("#put").is_disabled()
    page.locator("#aim-maximize").fill("")
    previewed(page)
    service.refusal = 422, refusal("infeasible", "max_fpr must be met", "question.max_fpr")
    put(page)
    says(page, "aim-max_fpr-problem", "max_fpr must be met")
    assert not page.locator("#confirm").is_visible()
    assert len(service.puts) == 1


def test_a_refusal_of_nothing_in_sight_is_told_below(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(REFUSED,))
    page.locator("#aim-false_negative").fill("25")
    service.refusal = 422, refusal("bad_input", "this must not be", None)
    put(page)
    says(page, "aim-problem", "this must not be")


def test_someone_else_was_faster(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(REFUSED,))
    page.locator("#aim-false_negative").fill("25")
    previewed(page)
    service.faster = {"question": {"max_fpr": 0.05}, "by": "Bo"}
    put(page)
    says(page, "aim-problem", "Someone else was faster. aim 12 is not in force")
    says(page, "aim-done", "Meanwhile: Put in force by Bo")
    assert page.locator("#aim-false_negative").input_value() == "25"
    says(page, "source", "Put in force by Bo")
    put(page)
    says(page, "aim-done", "Put in force: ")  # not what is there already, of Bo's
    assert [sent["replaces"] for sent in service.puts[1:]] == [12, 13]


def test_what_was_confirmed_is_sent_though_another_aim_came_meanwhile(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service, may_tell=(REFUSED,))
    page.locator("#aim-false_negative").fill("25")
    previewed(page)
    page.locator("#put").click()
    service._put({"question": {"max_fpr": 0.05}, "by": "Bo"})
    service.refusal = 409, refusal("conflict", "aim 12 is not in force any more.", "replaces")
    page.evaluate(LOOK)
    says(page, "source", "Put in force by Bo")
    page.locator("#confirm-yes").click()
    says(page, "aim-problem", "Someone else was faster. aim 12 is not in force")
    assert service.puts[1]["question"]["false_negative"] == 25
    assert service.puts[1]["replaces"] == 12


def test_a_second_change_need_not_wait_for_the_state_after_the_first(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    page.route("**/v1/status*", lambda _: None)  # no answer
    page.locator("#aim-false_negative").fill("25")
    put(page)
    says(page, "aim-done", "a miss costs 25.")
    page.locator("#aim-false_negative").fill("70")
    page.locator("#start-over").click()
    page.locator("#aim-false_negative").fill("30")
    put(page)
    says(page, "aim-done", "a miss costs 30.")
    assert [sent["replaces"] for sent in service.puts] == [12, 13]


def test_no_answer_to_a_change_is_told_where_it_was_made(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(NO_ANSWER,))
    page.locator("#aim-false_negative").fill("25")
    previewed(page)
    page.locator("#put").click()
    service.gone = True
    page.locator("#confirm-yes").click()
    says(page, "confirm-problem", "Look at what is in force before you try again")
    service.gone = False
    page.locator("#confirm-yes").click()
    says(page, "aim-done", "Put in force: ")


def test_a_form_that_nobody_touched_follows_the_aim(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    question = {"capacity": 100, "population": 1000, "prevalence": 0.1, "randomize": True}
    service._put({"question": question})
    page.evaluate(LOOK)
    page.locator("#aim-more[open]").wait_for()  # what it names is in sight
    assert page.locator("#aim-capacity").input_value() == "100"
    assert page.locator("#randomize").is_checked()
    assert page.locator("#aim-false_negative").input_value() == ""


def test_an_aim_of_the_history_can_be_used_again(visit: Visit, service: StandIn) -> None:
    service._put({"question": {"max_fpr": 0.05}, "by": "Bo"})
    page = visit(service)
    page.locator("#history-box summary").click()
    page.locator("#history button").nth(1).click()
    put(page)
    says(page, "aim-done", "Put in force: ")
    assert service.puts[1]["question"] == FIRST["question"]
    assert service.puts[1]["replaces"] == 13


def test_whoever_puts_a_coin_in_force_is_told_what_callers_must_send(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    page.locator("#aim-max_fpr").fill("0.071")
    previewed(page)
    page.locator("#put").click()
    assert text(page, "confirm-coin") == ""
    page.locator("#confirm-no").click()
    page.locator("#randomize").check()
    page.locator("#put:disabled").wait_for()
    previewed(page)
    page.locator("#put").click()
    assert "callers must send row_keys" in text(page, "confirm-coin")
