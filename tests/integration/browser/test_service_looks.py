"""The service's page is safe, and can be read by everybody."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rocch.service.app import page_files
from tests.support.service_page import REFUSED, previewed, says, text
from tests.support.service_stand_in import HOSTILE, OPERATOR, VIEWER, StandIn, troubled
from tests.support.standing_in import standing_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Visit = Callable[..., Page]


def test_hostile_names_stay_text(visit: Visit) -> None:
    names = (HOSTILE, "<script>alert(1)</script>", "a\u202eb{{7*7}}")
    with standing_in(StandIn(names)) as service:
        troubled(service)
        service.aim.update(by=HOSTILE, note="<b>bold</b>", words=HOSTILE)
        service.more["warnings"] = [{"code": HOSTILE, "message": HOSTILE}]
        service.more["tuner"]["moves"][0]["why"] = HOSTILE
        service.more["feedback"]["recent"][0].update(words=HOSTILE, kind=HOSTILE)
        service.more["model"]["note"] = HOSTILE
        page = visit(service)
        page.locator("#hull .vertex").nth(2).focus()
        assert HOSTILE in text(page, "source")
        assert HOSTILE in text(page, "model")
        assert "a\\u202eb" in text(page, "model")
        inserted = "document.querySelectorAll('#page img, #page b b, script:not([src])').length"
        assert page.evaluate(inserted) == 0


def test_the_page_holds_nothing_inline_and_asks_nobody_else() -> None:
    files = {name: file.content.decode() for name, file in page_files().items()}
    html = files["index.html"]
    assert not re.search(r"\s(style|on\w+)=", html)
    assert set(re.findall(r"<script[^>]*>([^<]*)</script>", html)) == {""}
    everything = "".join(files.values())
    allowed = {"http://www.w3.org/2000/svg"}  # a name, not loaded
    assert set(re.findall(r"https?://[^\"'\s)]+", everything)) <= allowed
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(", everything)


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
    says(page, "aim-done", "Put in force: ")


def test_light_and_dark_follow_the_system_and_can_be_read(visit: Visit, service: StandIn) -> None:
    """Words and what they stand on differ by 4.5 to 1, as WCAG asks for."""
    troubled(service)
    page = visit(service, may_tell=(REFUSED,))
    page.locator("#aim-false_negative").fill("many")
    says(page, "aim-false_negative-problem", "must be a number")
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
  const over = (colors) => {
    paint.clearRect(0, 0, 1, 1);
    for (const color of colors) { paint.fillStyle = color; paint.fillRect(0, 0, 1, 1); }
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
