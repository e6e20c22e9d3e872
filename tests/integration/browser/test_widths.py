"""Wide ranges and long names: nothing runs out of its cell or out of the page, however narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch
from tests.support.many_reports import drawn, named
from tests.support.service_stand_in import StandIn, troubled
from tests.support.standing_in import standing_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    Open = Callable[..., Page]
    Visit = Callable[..., Page]

WIDTHS = (1280, 1024, 768, 390)
LONG = "gradient_boosting_with_calibrated_probabilities_and_monotone_constraints_v17"
SPACED = "a committee of several rather long winded classifiers which vote"
MEASURE = """() => {
  const text = document.createRange();
  const spills = (cell) => {
    const own = cell.getBoundingClientRect();
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.textContent.trim() || node.parentElement.closest(".unseen")) continue;
      text.selectNodeContents(node);
      const held = text.getBoundingClientRect();
      if (held.right > own.right + 1 || held.left < own.left - 1) return true;
    }
    return false;
  };
  // cells that end in an ellipsis cut what is too long
  const open = (cell) => cell.checkVisibility() && getComputedStyle(cell).overflowX === "visible";
  const cells = [...document.querySelectorAll("th, td, dd")].filter(open);
  const root = document.documentElement;
  return {
    cells: cells.length,
    sideways: root.scrollWidth - root.clientWidth,
    spilt: cells.filter(spills).map((cell) => cell.textContent.trim()),
  };
}"""


def check(page: Page, *, least: int) -> None:
    found = page.evaluate(MEASURE)
    assert found.pop("cells") >= least
    assert found == {"sideways": 0, "spilt": []}


def check_report(open_page: Open, file: Path, *, least: int) -> None:
    """Open a report at each width; with charts, which take long, at the least of them."""
    text = file.read_text(encoding="utf-8")
    for width in WIDTHS:
        page = open_page(text, width=width, charts=width == min(WIDTHS))
        page.evaluate("RocchShell.settled()")
        check(page, least=least)


def wide_hull() -> rocch.RocHull:
    """Return classifiers with long names that win one after the other."""
    rng = np.random.default_rng(5)
    y = rng.random(600) < 0.3
    widths = ((LONG, 2.0), (SPACED, 1.0), ("bayes", 0.4))
    return rocch.RocHull.from_scores(
        y, {name: rng.normal(size=600) * np.where(y, width, 1) + 1.5 * y for name, width in widths}
    )


@pytest.mark.parametrize(
    "question",
    [
        rocch.Question(
            prevalence=(0.0001, 0.95),
            false_positive=(0.001, 90_000),
            false_negative=(90_000, 999_999),
        ),
        rocch.Question(prevalence=(0.072, 0.95), cost_ratio=(0.001, 9000), likely=5),
        rocch.Question(max_fpr=0.000_1, randomize=True),
    ],
)
def test_two_classes(open_page: Open, tmp_path: Path, question: rocch.Question) -> None:
    labels = ("a_rather_long_negative_label_without_spaces", "positively positive cases")
    file = tmp_path / "report.html"
    rocch.write_report(wide_hull(), file, question, labels=labels, title=LONG, resamples=40)
    check_report(open_page, file, least=40)


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random probabilities
def test_many_classes(open_page: Open, tmp_path: Path) -> None:
    names = (LONG, SPACED, "c", "d" * 22)
    labels, first = drawn(4)
    _, second = drawn(4, seed=3)
    costs = rocch.CostMatrix({(LONG, "c"): 123456.789}, classes=list(names), default=1)
    found = rocch.report.summarize_probabilities(
        named(labels, names), {LONG: first, SPACED: second}, costs, generations=10
    )
    rocch.write_report(found, tmp_path / "many.html")
    check_report(open_page, tmp_path / "many.html", least=60)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_service(visit: Visit, width: int) -> None:
    with standing_in(StandIn((LONG, SPACED, "nb"))) as service:
        troubled(service)
        service.aim.update(by=LONG, note=SPACED)
        check(visit(service, width=width), least=10)
