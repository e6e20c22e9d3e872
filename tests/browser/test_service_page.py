"""The page of the service, used as a viewer and as an operator would."""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

import pytest

from service_stand_in import (
    CALLER,
    FIRST,
    HOSTILE,
    OPERATOR,
    VIEWER,
    StandIn,
    refusal,
    standing_in,
    troubled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

    Visit: TypeAlias = "Callable[..., Page]"

NO_ANSWER = re.compile(r"Failed to load resource: net::ERR_(EMPTY_RESPONSE|CONNECTION)")
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.fixture
def service() -> Iterator[StandIn]:
    with standing_in(StandIn()) as served:
        yield served


@pytest.fixture(scope="module")
def contexts(browser: Browser) -> Iterator[Callable[[int, int], BrowserContext]]:
    """Return a function that gives the context of a size of screen; each is made once."""
    made: dict[tuple[int, int], BrowserContext] = {}

    def context(width: int, height: int) -> BrowserContext:
        if (width, height) not in made:
            made[width, height] = browser.new_context(viewport={"width": width, "height": height})
            made[width, height].set_default_timeout(10_000)
        return made[width, height]

    yield context
    for each in made.values():
        each.close()


@pytest.fixture
def visit(contexts: Callable[[int, int], BrowserContext]) -> Iterator[Visit]:
    """Return a function that opens the page in a tab; what the console tells fails the test."""
    told: list[str] = []
    expected: list[re.Pattern[str]] = []
    pages: list[Page] = []

    def open_page(
        service: StandIn,
        token: str | None = OPERATOR,
        *,
        may_tell: tuple[re.Pattern[str], ...] = (),
        width: int = 1280,
        height: int = 900,
    ) -> Page:
        expected.extend(may_tell)
        page = contexts(width, height).new_page()
        pages.append(page)
        _listen(page, service.address, told)
        page.goto(service.address + (f"#token={token}" if token else ""))
        if token in service.tokens:
            page.locator("#hull .chosen").wait_for()
        return page

    yield open_page
    for page in pages:
        page.close()
    assert [text for text in told if not any(known.search(text) for known in expected)] == []


def _listen(page: Page, own: str, told: list[str]) -> None:
    page.on("pageerror", lambda error: told.append(f"error {error}"))
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((own, "data:")) else told.append(f"asked {asked.url}")
        ),
    )


def text(page: Page, name: str) -> str:
    return page.locator(f"#{name}").text_content() or ""


def says(page: Page, name: str, words: str) -> None:
    """Wait until an element contains these words."""
    page.locator(f"#{name}", has_text=words).wait_for(state="attached")


def previewed(page: Page) -> None:
    page.locator("#put:enabled").wait_for()


def put(page: Page) -> None:
    previewed(page)
    page.locator("#put").click()
    page.locator("#confirm-yes").click()


# ---- signing in ----------------------------------------------------------------------------------


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
    assert page.url == service.address
    assert page.evaluate("history.length") <= 2
    assert all(VIEWER not in asked for asked in service.asked)


def test_signing_out_forgets_the_token_and_the_state(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#sign-out").click()
    assert page.locator("#token").is_visible()
    assert not page.locator("#page").is_visible()
    assert page.evaluate("sessionStorage.getItem('rocch-token')") is None
    asked = len(service.asked)
    page.evaluate(LOOK)
    assert len(service.asked) == asked


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


# ---- looking -------------------------------------------------------------------------------------


def test_a_viewer_sees_the_state_and_no_controls(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    point = service.point_of(service.aim)
    rule = point.rule()
    assert text(page, "sentence") == f"{rule[0].upper()}{rule[1:]}."
    assert re.fullmatch(
        r"Put in force by Ada since .*: prevalence 0.1..0.2, .*5..10. “winter”",
        text(page, "source"),
    )
    assert page.locator("#calm").is_visible()
    assert not page.locator("#panel").is_visible()
    assert not page.locator("#history-box").is_visible()
    assert page.locator("#knob-slider").is_disabled()
    page.locator("#hull .vertex").nth(3).click()
    assert not any("conditions" in asked or "best" in asked for asked in service.asked)


def test_the_facts_are_those_of_the_point(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    point = service.point_of(service.aim)
    ends = [1000 * (p * point.tpr + (1 - p) * point.fpr) for p in (0.1, 0.2)]
    facts = text(page, "facts")
    assert f"{ends[0]:.0f} to {ends[1]:.0f}of 1,000" in facts
    assert f"Misses{100 * (1 - point.tpr):.0f} to {200 * (1 - point.tpr):.0f}of" in facts
    assert f"{100 * point.fpr:.0f} %of the negatives" in facts


def test_warnings_come_first(visit: Visit, service: StandIn) -> None:
    troubled(service)
    page = visit(service, VIEWER)
    shown = page.locator("#warnings li").all_text_contents()
    assert len(shown) == 2
    assert shown[0].startswith("Warning: the estimated prevalence, 25.2 to 29.1 %, left your")
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
        "Estimated: 27 % (25.2 to 29.1 %) from the last 5,000 rows, by the scores of gbm. "
        "Assumed: 10 to 20 %. The two do not agree."
    )
    assert "Observed over 3,000 rows: FPR 21 %, TPR 87 %" in text(page, "feedback-words")
    assert page.locator("#feedback .moved").count() == 2
    assert page.locator("#tuner li").first.text_content() == "08:55:000.5 → 0.52. too many misses"
    assert "version 8: its file is damaged" in text(page, "library")
    assert page.locator("#minutes rect").count() == 120


def test_without_decisions_or_an_estimate_there_are_words(visit: Visit, service: StandIn) -> None:
    service.more["decisions"].update(total=0, per_minute=[0] * 60, alarms_per_minute=[0] * 60)
    service.more["prevalence"].update(assumed=None, estimated=None, interval=None, rows=12)
    page = visit(service, VIEWER)
    assert text(page, "minutes-words").startswith("No decisions in the last hour; 0 decisions")
    assert "No estimate yet" in text(page, "prevalence-words")
    assert "(12 so far)" in text(page, "prevalence-words")
    assert "prevalence of the judged rows, 21 %" in text(page, "facts")


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
    assert vertices[9].rule() in text(page, "vertex")
    page.mouse.move(0, 0)
    says(page, "vertex", "nearest to the point in force")
    circles.first.focus()
    page.keyboard.press("ArrowRight")
    assert vertices[1].rule() in text(page, "vertex")
    page.keyboard.press("End")
    assert vertices[-1].rule() in text(page, "vertex")
    assert page.locator("#hull .vertex[tabindex='0']").count() == 1


def test_the_lines_of_equal_cost_touch_the_hull(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    found = page.evaluate(
        """async ([conditions, judged, vertices]) => {
          const { slopes, touched } = await import("/page/geometry.js");
          const range = slopes(conditions, judged);
          return [range, range.map((slope) => touched(vertices, slope))];
        }""",
        [
            FIRST["conditions"],
            {"negatives": 1, "positives": 1},
            [{"fpr": v.fpr, "tpr": v.tpr} for v in service.hull.vertices],
        ],
    )
    (low, high), (right, left) = found
    assert (low, high) == (pytest.approx(0.4), pytest.approx(1.8))
    between = service.hull.best_between(low, high)
    assert (left, right) == (between[0], between[-1])
    assert page.locator("#hull .iso").count() == 2
    assert page.locator("#hull .band").count() == 1


def test_a_change_elsewhere_is_shown_and_announced(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    service._put({"criterion": {"max_fpr": 0.05}, "randomise": False, "tuning": "off", "by": "Bo"})
    page.evaluate(LOOK)
    says(page, "source", "Put in force by Bo")
    assert text(page, "announce").startswith("Now in force: ")
    assert page.locator("#hull .limit").count() == 1
    assert page.locator("#announce").get_attribute("aria-live") == "polite"


def test_the_page_looks_by_itself(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    service.more["library"]["note"] = "a later note"
    says(page, "about", "a later note")


def test_the_hull_is_asked_for_once_per_version(visit: Visit, service: StandIn) -> None:
    page = visit(service, VIEWER)
    service.more["library"]["note"] = "seen again"
    page.evaluate(LOOK)
    says(page, "about", "seen again")
    assert service.asked.count("GET /v1/hull") == 1


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


# ---- re-aiming -----------------------------------------------------------------------------------


def test_an_operator_re_aims_and_the_service_gets_exactly_that(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    assert page.locator("#aim-prevalence").input_value() == "0.1..0.2"
    assert page.locator("#put").is_disabled()
    page.locator("#aim-prevalence").fill("5 .. 10 %")
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
    assert "Note\twinter\tspring" in change
    page.locator("#confirm-yes").click()
    says(page, "aim-done", "In force since")
    assert service.puts == [
        {
            "conditions": {"prevalence": [0.05, 0.1], "false_positive": 1, "false_negative": 25},
            "criterion": {"max_fpr": 0.5},
            "randomise": False,
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
    service.aim["id"] = 0  # what the stand-in counts from
    put(page)
    says(page, "aim-done", "In force since")
    assert "replaces" not in service.puts[0]


def test_going_back_sends_nothing(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#aim-false_negative").fill("25")
    previewed(page)
    page.locator("#aim-false_negative").press("Enter")
    page.locator("#confirm-no").click()
    page.locator("#put").click()
    page.keyboard.press("Escape")
    assert not page.locator("#confirm").is_visible()
    page.locator("#reset").click()
    assert page.locator("#aim-false_negative").input_value() == "5..10"
    assert page.locator("#hull .would").count() == 0
    assert service.puts == []


def test_a_preview_says_where_it_would_move(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    page.locator("#aim-false_negative").fill("40")
    previewed(page)
    wanted = {"prevalence": [0.1, 0.2], "false_positive": 1, "false_negative": 40}
    then = service.best(wanted, randomise=False)
    assert then.rule() in text(page, "preview")
    assert f"{100 * then.tpr:.0f} %" in text(page, "preview")
    assert page.locator("#hull .would").count() == 1
    page.locator("#aim-false_negative").fill("5..10")
    says(page, "preview", "It would stay where it is")


TYPED = [
    ("aim-false_negative", "1,5", "Write 1.5, with a point."),
    ("aim-false_negative", "10..5", "The low end lies above the high end."),
    ("aim-false_negative", "5-10", "Write a range with two points: 5..10."),
    ("aim-false_negative", "dear", "Write a number or a range, such as 5 or 5..10."),
    ("aim-false_negative", "-1", "It cannot be negative."),
    ("aim-prevalence", "15", "At most 1: write 5 % as 0.05 or 5 %."),
    ("aim-prevalence", "1..2..3", "Write a number or a range"),
    ("aim-max_fpr", "0.1..0.2", "Write a number, such as 0.05."),
    ("aim-max_fpr", "5", "At most 1"),
]


def test_mistakes_are_told_at_the_field(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    for field, typed, told in TYPED:
        page.locator(f"#{field}").fill(typed)
        assert told in text(page, f"{field}-problem")
        assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
        assert page.locator("#put").is_disabled()
        page.locator("#reset").click()
        assert text(page, f"{field}-problem") == ""
    page.locator("#aim-prevalence").fill("")
    page.locator("#aim-false_positive").fill("")
    page.locator("#aim-false_negative").fill("")
    assert "Say at least something" in text(page, "aim-prevalence-problem")


READ = [
    ("0.1..0.2", [0.1, 0.2]),
    ("10..20 %", [0.1, 0.2]),
    ("0.3 %", 0.003),
    ("16.7%", 0.167),
    ("1e-3", 0.001),
    ("Observed", "observed"),
    (".5…0.6", [0.5, 0.6]),
    ("0.1 ... 0.2", [0.1, 0.2]),
    ("", None),
]


def test_what_is_typed_is_read_to_the_last_digit(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    read = """async ([text, name]) => {
      const { read } = await import("/page/typed.js");
      const { FIELDS } = await import("/page/fields.js");
      return read(text, FIELDS.find((field) => field.name === name).kind).value ?? null;
    }"""
    for typed, value in READ:
        assert page.evaluate(read, [typed, "prevalence"]) == value
    assert page.evaluate(read, ["1,000..2,000.5", "false_negative"]) == [1000, 2000.5]
    assert page.evaluate(read, ["5..inf", "miss_costs"]) == [5, "inf"]
    assert page.evaluate(read, ["5", "miss_costs"]) is None
    assert page.evaluate(read, ["f1", "maximise"]) == "f1"


def test_what_the_service_refuses_is_told_at_the_field(visit: Visit, service: StandIn) -> None:
    page = visit(service, may_tell=(REFUSED,))
    page.locator("#aim-more summary").click()
    page.locator("#aim-maximise").fill("beauty")
    says(page, "aim-maximise-problem", "give costs or maximise, not both")
    assert page.locator("#put").is_disabled()
    page.locator("#aim-maximise").fill("")
    previewed(page)
    service.refusal = 422, refusal("infeasible", "max_fpr must be met", "criterion.max_fpr")
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
    service._put({"criterion": {"max_fpr": 0.05}, "randomise": False, "tuning": "off", "by": "Bo"})
    service.refusal = 409, refusal("conflict", "aim 12 is not in force any more.", "replaces")
    put(page)
    says(page, "aim-problem", "Someone else was faster. aim 12 is not in force")
    says(page, "aim-done", "Meanwhile Bo put this in force")
    assert page.locator("#aim-false_negative").input_value() == "25"
    says(page, "source", "Put in force by Bo")
    put(page)
    says(page, "aim-done", "In force since")
    assert [sent["replaces"] for sent in service.puts[1:]] == [12, 13]


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
    says(page, "aim-done", "In force since")


def test_a_form_that_nobody_touched_follows_the_aim(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    aim = {"criterion": {"capacity": 100, "population": 1000}, "randomise": True, "tuning": "off"}
    service._put({**aim, "conditions": {"prevalence": 0.1}, "by": ""})
    page.evaluate(LOOK)
    page.locator("#aim-more[open]").wait_for()  # what it names is in sight
    assert page.locator("#aim-capacity").input_value() == "100"
    assert page.locator("#randomise").is_checked()
    assert page.locator("#aim-false_negative").input_value() == ""


def test_an_aim_of_the_history_can_be_used_again(visit: Visit, service: StandIn) -> None:
    service._put({"criterion": {"max_fpr": 0.05}, "randomise": False, "tuning": "off", "by": "Bo"})
    page = visit(service)
    page.locator("#history-box summary").click()
    page.locator("#history button").nth(1).click()
    put(page)
    says(page, "aim-done", "In force since")
    assert service.puts[1]["conditions"] == FIRST["conditions"]
    assert service.puts[1]["replaces"] == 13


# ---- the knob ------------------------------------------------------------------------------------


def test_the_knob_goes_from_vertex_to_vertex_by_key(visit: Visit, service: StandIn) -> None:
    page = visit(service)
    vertices = service.hull.vertices
    knobs = [(v.fpr + v.tpr) / 2 for v in vertices]
    now = service.point_of(service.aim)
    here = knobs.index((now.fpr + now.tpr) / 2)
    slider = page.locator("#knob-slider")
    slider.focus()
    for steps in (1, 2):
        page.keyboard.press("ArrowRight")
        value = slider.get_attribute("aria-valuetext") or ""
        assert vertices[here + steps].classifier in value
        assert float(page.locator("#aim-knob").input_value()) == knobs[here + steps]
    page.keyboard.press("ArrowLeft")
    says(page, "preview", vertices[here + 1].rule())
    put(page)
    says(page, "aim-done", "In force since")
    assert service.puts[0]["criterion"] == {"knob": knobs[here + 1]}
    assert "conditions" not in service.puts[0]
    page.locator("#knob-slider").press("Home")
    assert page.locator("#aim-knob").input_value() == "0"


def test_the_knob_rests_at_vertices_unless_a_coin_may_choose(
    visit: Visit, service: StandIn
) -> None:
    page = visit(service)
    knobs = [(v.fpr + v.tpr) / 2 for v in service.hull.vertices]
    drag = "(s) => { s.value = '0.77'; s.dispatchEvent(new Event('input', { bubbles: true })); }"
    page.locator("#knob-slider").evaluate(drag)
    assert float(page.locator("#aim-knob").input_value()) in knobs
    page.locator("#randomise").check()
    page.locator("#knob-slider").evaluate(drag)
    assert page.locator("#aim-knob").input_value() == "0.77"
    page.locator("#knob-slider").press("ArrowRight")
    assert page.locator("#aim-knob").input_value() == "0.78"
    page.locator("#knob-slider").press("PageUp")
    assert float(page.locator("#aim-knob").input_value()) in knobs
    previewed(page)
    assert "randomise=true" in service.asked[-1]


def test_a_vertex_can_be_picked_on_the_hull(visit: Visit, service: StandIn) -> None:
    page = visit(service)
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
    assert "always alarming" in text(page, "aim-knob-problem")


# ---- safety and looks ----------------------------------------------------------------------------


def test_hostile_names_stay_text(visit: Visit) -> None:
    names = (HOSTILE, "<script>alert(1)</script>", "a\u202eb{{7*7}}")
    with standing_in(StandIn(names)) as service:
        troubled(service)
        service.aim.update(by=HOSTILE, note="<b>bold</b>", words=HOSTILE)
        service.more["warnings"] = [{"code": HOSTILE, "message": HOSTILE}]
        service.more["tuner"]["moves"][0]["why"] = HOSTILE
        service.more["feedback"]["recent"][0].update(words=HOSTILE, kind=HOSTILE)
        service.more["library"]["note"] = HOSTILE
        page = visit(service)
        page.locator("#hull .vertex").nth(2).focus()
        assert HOSTILE in text(page, "source")
        assert HOSTILE in text(page, "library")
        assert "a\\u202eb" in text(page, "library")
        assert (
            page.evaluate("document.querySelectorAll('#page img, #page b b, script').length") == 1
        )


def test_the_page_holds_nothing_inline_and_asks_nobody_else() -> None:
    folder = resources.files("rocch.service") / "page"
    html = (folder / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\s(style|on\w+)=", html)
    assert re.findall(r"<script[^>]*>([^<]*)</script>", html) == [""]
    everything = html + "".join(
        file.read_text(encoding="utf-8") for file in folder.iterdir() if file.is_file()
    )
    allowed = {"http://www.w3.org/2000/svg"}  # a name, not loaded
    assert set(re.findall(r"https?://[^\"'\s)]+", everything)) <= allowed
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(", everything)


def test_the_colours_are_those_of_a_report() -> None:
    own = (resources.files("rocch.service") / "page" / "theme.css").read_text(encoding="utf-8")
    report = (resources.files("rocch.report") / "page" / "page.css").read_text(encoding="utf-8")

    def variables(style: str, start: str) -> dict[str, str]:
        block = style[style.index(start) :]
        return dict(re.findall(r"(--[\w-]+): ([^;]+);", block[: block.index("\n}")]))

    assert variables(own, ":root {") == variables(report, ":root {")
    dark = "@media screen and (prefers-color-scheme: dark)"
    assert variables(own, dark) == variables(report, dark)


@pytest.mark.parametrize("token", [VIEWER, OPERATOR])
def test_a_phone_has_no_sideways_scroll(visit: Visit, service: StandIn, token: str) -> None:
    troubled(service)
    page = visit(service, token, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if token == VIEWER:
        return
    assert not page.locator("#aim-prevalence").is_visible()
    page.locator("#handle").click()
    page.locator("#aim-false_negative").fill("25")
    previewed(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#put").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#confirm-yes").click()
    says(page, "aim-done", "In force since")


def test_light_and_dark_follow_the_system_and_can_be_read(visit: Visit, service: StandIn) -> None:
    """Words and what they stand on differ by 4.5 to 1, as WCAG asks for."""
    troubled(service)
    page = visit(service)
    page.locator("#aim-false_negative").fill("1,5")
    paper = "getComputedStyle(document.body).backgroundColor"
    papers = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        papers.add(page.evaluate(paper))
        assert page.evaluate(CONTRAST) == []
    assert len(papers) == 2


CONTRAST = """() => {
  const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const over = (colours) => {
    paint.clearRect(0, 0, 1, 1);
    for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const grounds = (node) => node
    ? [...grounds(node.parentElement), getComputedStyle(node).backgroundColor] : [];
  const bare = (node) => [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  return [...document.querySelectorAll("#page *")]
    .filter((n) => bare(n) && n.checkVisibility() && !n.closest("svg, :disabled, option, .unseen"))
    .map((n) => {
      const under = grounds(n);
      const [a, b] = [light(over([...under, getComputedStyle(n).color])), light(over(under))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return ratio < 4.5 ? `${n.tagName}.${n.className}#${n.id} ${ratio.toFixed(2)}` : null;
    }).filter(Boolean);
}"""
