"""What the page shows where: marks, ticks, tables, hovers, and what was assumed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.numbers import money, rough_threshold
from rocch.report import summarize
from rocch.report.render import to_html
from tests.support.reports import binary, fraud, scores, strange

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from rocch.report import Summary

    Open = Callable[..., Page]

BOX = """(node) => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return { left, right, top, bottom };
}"""


def settled(page: Page) -> None:
    page.evaluate("RocchShell.settled()")


def boxes(page: Page, what: str) -> list[dict[str, float]]:
    """Return where things in sight are."""
    return [place.evaluate(BOX) for place in page.locator(f"{what}:visible").all()]


def vague(prevalence: Any, miss: Any, rows: int = 900) -> Summary:
    """Return a summary of three classifiers that win one after the other."""
    rng = np.random.default_rng(5)
    y = rng.random(rows) < 0.3
    given = {  # of positives that score more widely the best are found, of narrower ones the last
        name: rng.normal(size=rows) * np.where(y, width, 1) + 1.5 * y
        for name, width in (("svm", 2.0), ("gbm", 1.0), ("bayes", 0.4))
    }
    known = rocch.Conditions(prevalence=prevalence, false_positive=1, false_negative=miss)
    return summarize(rocch.RocHull.from_scores(y, given), known, resamples=0)


@pytest.mark.parametrize("miss", [4, (2, 20)])
def test_the_mark_hides_neither_names_nor_ticks(open_page: Open, miss: Any) -> None:
    page = open_page(to_html(vague(0.2, miss)))
    settled(page)
    (mark,) = boxes(page, "#winners-strip .span")
    (bar,) = boxes(page, "#winners-strip .bar")
    assert mark["bottom"] <= bar["top"]
    assert bar["left"] - 8 <= mark["left"] < mark["right"] <= bar["right"] + 8


def test_ticks_have_room_also_where_the_window_is_narrowed(open_page: Open) -> None:
    page = open_page(to_html(vague(0.2, (2, 20))))
    for width, number in ((1280, 11), (700, 11), (360, 7), (280, 5)):
        page.set_viewport_size({"width": width, "height": 800})
        ticks = sorted(boxes(page, "#winners-strip .tick"), key=lambda box: box["left"])
        assert len(ticks) == number
        assert all(a["right"] + 2 < b["left"] for a, b in pairwise(ticks))


def test_the_choices_fit_under_a_belief(open_page: Open) -> None:
    page = open_page(
        to_html(vague((0.1, 0.2), (2, 20))), "#prevalence=0.1..0.2&cost_ratio=2..20&likely=5"
    )
    settled(page)
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter((n) => n.scrollWidth > n.clientWidth)"
        ".map((n) => n.getAttribute('aria-label'))"
    )
    assert wide == []
    assert "%" in (page.locator("#choices-rows .chance").first.text_content() or "")


def test_a_setting_between_the_vertices_has_a_row(open_page: Open) -> None:
    page = open_page(to_html(vague((0.05, 0.5), (1, 8), rows=400)))
    settled(page)
    answer = page.evaluate("RocchApp.current().answer")
    assert page.locator("#choices-rows tr").count() == len(answer["choices"]) + 1
    row = page.locator("#choices-rows tr.now")
    assert row.count() == 1
    assert row.get_attribute("aria-current") == "true"
    texts = row.locator("td").all_text_contents()
    assert texts[0] == f"{answer['parts'][0]['classifier']}the recommendation"
    threshold = answer["parts"][0]["threshold"]
    assert texts[1] == rough_threshold(threshold)
    assert row.locator("td:nth-child(2) span").get_attribute("title") == threshold
    assert texts[5] == money(1000 * answer["worst_regret"])
    caught = page.locator("#choices-rows tr td:nth-child(3)").all_text_contents()
    assert [float(text) for text in caught] == sorted(map(float, caught), reverse=True)
    page.locator("#max_fpr").fill("0")
    settled(page)
    limited = row.locator("td").all_text_contents()
    assert limited[0].endswith("the recommendation, within the limits")
    assert limited[5] == ""  # a regret among what keeps the limits, which the others' are not
    page.locator("#goal-hits").check()
    settled(page)
    assert page.locator("#choices-rows tr").count() == 0


def test_both_vertices_of_a_coin_are_marked(open_page: Open) -> None:
    page = open_page(to_html(vague((0.05, 0.5), (1, 8), rows=400)))
    page.locator("#randomize").check()
    settled(page)
    assert len(page.evaluate("RocchApp.current().answer.parts")) == 2
    assert page.locator("#choices-rows tr.now").count() == 2
    assert page.locator("#choices-rows small").count() == 0


def test_one_middle_of_the_prevalence(open_page: Open) -> None:
    page = open_page(to_html(vague((0.1, 0.2), (2, 20))))
    settled(page)
    for place in ("winners-ratio", "losses-words"):
        assert "at 15% positives" in (page.locator(f"#{place}").text_content() or "")
    times = page.locator("#winners-rows tr:first-child td:nth-child(2)").text_content() or ""
    first = page.locator("#winners-strip .stretch").first
    slope = float(first.get_attribute("data-high") or "")
    assert float(times.split(" to ")[0]) * slope == pytest.approx(0.85 / 0.15, rel=0.02)
    words = first.get_attribute("title") or ""
    assert f"where a miss is {times} times as bad as a false alarm (slopes 0 to " in words


def test_minus_signs_are_minus_signs_except_in_thresholds(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    ends = page.locator(".multiple .ends").all_text_contents()
    assert all(text.startswith("\N{MINUS SIGN}") for text in ends)
    assert not any("-" in text for text in ends)


def test_a_hover_tells_the_threshold(open_page: Open) -> None:
    page = open_page(to_html(fraud()), charts=True)
    settled(page)
    own = binary(fraud()).classifiers[0].curve
    assert own is not None
    trace = page.evaluate(
        "(() => { const { text, hovertemplate } = document.getElementById('roc-chart').data[1];"
        " return { text, hovertemplate }; })()"
    )
    shown = [f"{trace['hovertemplate']}{text}" for text in trace["text"]]
    assert all("gbm" in text for text in shown)
    for text, threshold in zip(shown, own.threshold, strict=True):
        assert threshold in text
    assert "FPR" in shown[1]


def test_a_very_long_name_leaves_room_for_the_areas(open_page: Open) -> None:
    long = "a <very> long name " * 16
    hull = rocch.RocHull.from_scores(*scores(("gbm", long)))
    page = open_page(to_html(summarize(hull, resamples=40)), charts=True, width=360)
    settled(page)  # a warning on the console fails the test
    chart = page.evaluate(
        "(() => { const { data, layout } = document.getElementById('aucs-chart');"
        " return { text: data[0].text, ticks: layout.yaxis.ticktext }; })()"
    )
    assert max(len(tick.replace("&lt;", "<").replace("&gt;", ">")) for tick in chart["ticks"]) == 19
    (hover,) = [text for text in chart["text"] if "very" in text]
    name = hover.split("</b>")[0].removeprefix("<b>").replace("<br>", "")
    assert name == long.replace("<", "&lt;").replace(">", "&gt;")
    assert page.evaluate("document.getElementById('aucs-chart')._fullLayout._size.w") > 60


def test_what_was_assumed_is_said_on_screen_and_on_paper(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    line = page.locator("#assumed")
    assert line.text_content() == f"Assumed: {strange().assumed}."
    page.locator("#prevalence").fill("50%")
    told = "Assumed: 50% positive, a false alarm costs 1, a miss costs 1."
    assert line.text_content() == told
    assert line.is_visible()
    page.emulate_media(media="print")
    assert line.is_visible()
