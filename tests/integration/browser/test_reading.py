"""The page for eyes that see little, and for ears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch.report import summarize
from rocch.report.render import to_html
from tests.support.many_reports import wine
from tests.support.pages import reach
from tests.support.real_service import wait_until
from tests.support.reports import fraud, scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

LEAST = 4.5
"""The contrast that WCAG asks of small text."""

CONTRASTS = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parts = (color) => {  // as the browser itself paints it
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((x, i) => a * x + (1 - a) * under[i]);
  const ancestors = (node) => (node ? [...ancestors(node.parentElement), node] : []);
  const bright = (color) => color
    .map((x) => x / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0.05);
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: node, textContent } = texts.currentNode;
    const text = textContent.trim();
    if (!text || node.closest("script, .unseen, .skip, .toast, .echo, option, .dot")) continue;
    if (!node.checkVisibility({ visibilityProperty: true })) continue;
    const line = ancestors(node);
    const ground = line.reduce(
      (under, each) => over(parts(getComputedStyle(each).backgroundColor), under), [255, 255, 255]);
    const style = getComputedStyle(node);
    const ink = parts(node instanceof SVGElement ? style.fill : style.color);
    ink[3] *= line.reduce((all, each) => all * Number(getComputedStyle(each).opacity), 1);
    const [low, high] = [bright(over(ink, ground)), bright(ground)].sort((a, b) => a - b);
    found.push([text.slice(0, 40), high / low]);
  }
  return found;
}"""


def contrasts(page: Page) -> list[tuple[str, float]]:
    """Return every text in sight, with its contrast against what it stands on."""
    found = page.evaluate(CONTRASTS)
    return [(text, ratio) for text, ratio in found]


def names_aloud(page: Page) -> list[str]:
    """Return the names of all controls, as the browser tells them to a screen reader."""
    session = page.context.new_cdp_session(page)
    nodes: list[Any] = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = ("slider", "textbox", "checkbox", "radio", "combobox")
    told = [n for n in nodes if not n["ignored"] and n["role"]["value"] in roles]
    return [node["name"]["value"] for node in told]


def repeated(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read(open_page: Open, dark: bool) -> None:
    names = ("gbm", "bayes", "logit", "svm", "forest", "rules", "knn", "net")
    eight = summarize(rocch.RocHull.from_scores(*scores(names)), resamples=0)
    for text in (to_html(eight), to_html(fraud())):
        page = open_page(text, "#false_positive=1&cost_ratio=2..9&likely=5", dark=dark)
        page.locator("#legend button").first.click()  # struck through
        page.evaluate("RocchShell.settled()")
        found = contrasts(page)
        assert len(found) > 150
        assert "Follows from the ratio." in {text for text, _ in found}
        assert page.locator(".chart .waiting:visible").count()
        assert [each for each in found if each[1] < LEAST] == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_about_many_classes_can_be_read(open_page: Open, dark: bool) -> None:
    page = open_page(to_html(wine()), dark=dark)
    page.evaluate("RocchShell.settled()")
    found = contrasts(page)
    assert len(found) > 150
    assert [each for each in found if each[1] < LEAST] == []


def test_every_control_has_a_name_of_its_own(open_page: Open) -> None:
    link = "#prevalence=0.1..0.2&false_positive=1&cost_ratio=2..9&likely=5&max_fpr=0.1"
    page = open_page(to_html(fraud()), link)
    page.locator("#more summary").click()
    wanted = {
        "Share of fraud cases (slider)",
        "Share of fraud cases, high end (slider)",
        "Share of fraud cases",
        "Cost of a false alarm",
        "Most likely ratio",
        "Limit on the false positive rate",
        "Least true positive rate",
        "Metric",
    }
    # the browser tells what changed a little later
    wait_until(lambda: wanted <= set(names := names_aloud(page)) and not repeated(names))
    reach(page, "#belief-on").uncheck()
    wait_until(lambda: {"Cost of a miss", "Cost of a miss (slider)"} <= set(names_aloud(page)))
    reach(page, "#prevalence-ranged").uncheck()
    one = {"Share of fraud cases", "Share of fraud cases (slider)"}
    high = "Share of fraud cases, high end (slider)"
    wait_until(lambda: one <= (names := set(names_aloud(page))) and high not in names)


def test_sliders_tell_their_values(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    for end, text in (("low", "20%"), ("high", "30%")):
        slider = page.locator(f"#prevalence-{end}-slider")
        assert slider.get_attribute("aria-valuetext") == text
    limit = page.locator("#max_fpr-low-slider")
    for _ in range(3):  # the thumb is not pulled back to where a rounded value lies
        limit.press("ArrowRight")
    assert limit.get_attribute("aria-valuetext") == page.locator("#max_fpr").input_value() == "26%"
