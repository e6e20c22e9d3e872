"""Sixty settings, typed and turned as a person would; the page must say what Python says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.report import summarize
from rocch.report.answer import answer
from rocch.report.html import render
from rocch.report.question import MissCosts, Question, Range
from tests.support.reports import scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

HULL = rocch.RocHull.from_scores(*scores(("gbm", "bayes", "logit"), rows=600))
KEYS = ("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End")
KNOBS = ("prevalence", "false_positive", "false_negative")


def understood(asked: dict[str, Any]) -> Question:
    """Return the question that the page has asked itself."""
    ranges: dict[str, Any] = {name: Range(*asked[name]) for name in KNOBS}
    belief = None if asked["belief"] is None else MissCosts(*asked["belief"])
    rest = {name: asked[name] for name in asked if name not in (*KNOBS, "belief")}
    return Question(**ranges, belief=belief, **rest)


def tick(page: Page, box: str, on: bool) -> None:
    """Tick a box, or clear it, by the space bar."""
    place = page.locator(f"#{box}")
    if place.is_checked() != on:
        place.press("Space")


def type_number(page: Page, field: str, value: float) -> None:
    place = page.locator(f"#{field}")
    place.fill(f"{value:.4g}")
    place.press("Tab")


def turn(page: Page, rng: np.random.Generator) -> None:
    """Turn a few knobs at random: by typing, by keys, and by mouse."""
    page.locator("#goal-cost").check()
    tick(page, "belief-on", False)
    for name, low, high in zip(KNOBS, (0.1, 0.1, 0.1), (90, 50, 500), strict=True):
        ends = np.sort(np.exp(rng.uniform(np.log(low), np.log(high), 2)))
        ranged = bool(rng.random() < 0.5)
        tick(page, f"{name}-ranged", ranged)
        if ranged:
            type_number(page, f"{name}-high", 99.0 if name == "prevalence" else 1e4)
        type_number(page, f"{name}-low", ends[0])
        if ranged:
            type_number(page, f"{name}-high", ends[1])
    slider = page.locator(f"#{rng.choice(KNOBS)}-low-slider")
    slider.press(str(rng.choice(KEYS[:4])))
    if rng.random() < 0.3:
        box = slider.bounding_box()
        assert box is not None
        x = box["x"] + rng.uniform(0.1, 0.9) * box["width"]
        page.mouse.click(x, box["y"] + box["height"] / 2)


def limit(page: Page, rng: np.random.Generator) -> None:
    """Set a belief, limits, the goal and the coin at random."""
    limited, full = rng.random(2) < 0.4
    tick(page, "max_fpr-on", bool(limited))
    tick(page, "capacity-on", bool(full))
    if limited:
        type_number(page, "max_fpr", float(rng.choice([0.5, 2, 5, 20])))
    if full:
        type_number(page, "population", 10_000)
        type_number(page, "capacity", float(rng.choice([50, 400, 2500])))
    if (limited or full) and rng.random() < 0.3:
        page.locator("#goal-hits").check()
    else:
        page.locator("#goal-cost").check()
        believed = bool(rng.random() < 0.4)
        tick(page, "belief-on", believed)
        if believed:
            least, likely, most = np.sort(np.exp(rng.uniform(np.log(0.2), np.log(80), 3)))
            for end, value in (("most", 1e3), ("least", least), ("likely", likely), ("most", most)):
                type_number(page, f"belief-{end}", value)
    tick(page, "randomize", bool(rng.random() < 0.4))


@pytest.mark.parametrize("seed", range(3))
def test_the_page_says_what_python_says_for_sixty_settings(open_page: Open, seed: int) -> None:
    summary = summarize(HULL, resamples=0)
    assert isinstance(summary, rocch.report.Summary)
    page = open_page(render(summary))
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(20):
        turn(page, rng)
        limit(page, rng)
        assert page.locator(".problem:visible").all_text_contents() == []
        current = page.evaluate("RocchApp.current()")
        expected = answer(HULL, understood(current["question"]))
        assert page.locator("#sentence").text_content() == expected.sentence
        assert current["answer"]["fpr"] == pytest.approx(expected.fpr, rel=1e-9)
        assert current["answer"]["tpr"] == pytest.approx(expected.tpr, rel=1e-9)
        seen.add(expected.sentence)
    assert len(seen) >= 15
