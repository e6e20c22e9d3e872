from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from rocch import write_report
from rocch.report.drawings import class_sketch
from rocch.report.many_classes.html import render_many_classes
from tests.support.many_reports import (
    ALL,
    STRANGE_CLASSES,
    fourteen_classes,
    given_counts,
    six_classes,
    strange,
    wine,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocch.report import ManyClassesSummary

PLOTLY = re.compile(r'<script [^>]*id="plotly">[^<]*</script>')


class Elements(HTMLParser):
    """What a browser would see: elements, ids, labels and texts."""

    VOID = frozenset({"meta", "input", "link", "br", "img"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def ids(self) -> list[str]:
        return [known["id"] or "" for _, known in self.tags if "id" in known]


def seen(make: Callable[[], ManyClassesSummary]) -> Elements:
    return Elements(PLOTLY.sub("", render_many_classes(make())))


@pytest.mark.parametrize("make", ALL)
def test_pages_are_well_formed(make: Callable[[], ManyClassesSummary]) -> None:
    page = seen(make)
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    labeled = {known.get("for") for tag, known in page.tags if tag == "label"}
    for tag, known in page.tags:
        if tag in ("input", "select") and known.get("type") != "radio":
            assert known["id"] in labeled


@pytest.mark.parametrize("make", ALL)
def test_nothing_is_loaded_from_a_network(make: Callable[[], ManyClassesSummary]) -> None:
    page = seen(make)
    for _, known in page.tags:
        assert not known.get("src")
        assert (known.get("href") or "#").startswith("#")


def test_sections_are_there_where_there_is_something_to_say() -> None:
    everything = {"trade-offs", "surface", "suggestions", "curves", "aucs", "deploy", "appendix"}
    assert everything <= set(seen(wine).ids)
    assert {"surface", "curves"} & set(seen(given_counts).ids) == {"surface"}
    assert {"surface", "group"} & set(seen(fourteen_classes).ids) == {"group"}
    assert "cost-0-1" in seen(six_classes).ids
    assert "cost-0-1" not in seen(fourteen_classes).ids


def test_the_first_paint_has_the_sentence_the_counts_and_a_drawing() -> None:
    page = render_many_classes(wine())
    text = "".join(Elements(PLOTLY.sub("", page)).texts)
    assert wine().answer.sentence in text
    assert '<polyline class="hull"' in page
    assert "<td>0</td>" in page or '<td class="wrong">0</td>' in page


def test_names_stay_text() -> None:
    page = render_many_classes(strange())
    assert "<script>alert(1)" not in page
    assert "<img" not in PLOTLY.sub("", page).replace("&lt;img", "")
    elements = Elements(PLOTLY.sub("", page))
    text = "".join(elements.texts)
    assert all(name in text for name in STRANGE_CLASSES)
    embedded = re.search(r'id="summary">(.*?)</script>', page, re.S)
    assert embedded is not None
    assert [each["name"] for each in json.loads(embedded[1])["classes"]] == list(STRANGE_CLASSES)


def test_the_same_summary_makes_the_same_bytes() -> None:
    assert render_many_classes(wine()) == render_many_classes(wine())


def test_a_page_is_small() -> None:
    assert len(render_many_classes(wine()).encode()) < 6_000_000


def test_long_names_are_cut_in_drawings_and_no_hull_draws_nothing() -> None:
    assert "…" in class_sketch(strange())
    assert class_sketch(given_counts()) == ""


def test_reports_are_written_in_every_format(tmp_path: Path) -> None:
    for suffix, start in ((".html", "<!DOCTYPE html>"), (".md", "# Wine"), (".json", "{")):
        file = tmp_path / f"report{suffix}"
        write_report(wine(), file)
        assert file.read_text().startswith(start)
