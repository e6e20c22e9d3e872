"""Texts of the page: all are used, and scripts have no sentences of their own."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from rocch.report.render import BINARY_SCRIPTS, page_file
from rocch.report.words import PAGE_TEXTS, TEXTS

SCRIPTS = "\n".join(page_file(name) for name in BINARY_SCRIPTS)


@pytest.mark.parametrize("name", PAGE_TEXTS)
def test_every_text_is_used(name: str) -> None:
    assert name not in TEXTS
    assert re.search(rf"\b{name}\b", SCRIPTS)


@pytest.mark.parametrize("name", PAGE_TEXTS)
def test_every_slot_is_filled(name: str) -> None:
    for _, slot, form, _ in Formatter().parse(PAGE_TEXTS[name]):
        assert not form
        # the example of a field comes with the field itself
        assert slot is None or slot == "example" or re.search(rf"\b{slot}\b", SCRIPTS)


@pytest.mark.parametrize(
    "script",
    ["aim.js", "compute.js", "guarantee.js", "answer.js", "sentences.js", "form.js", "app.js"],
)
def test_scripts_have_no_sentences(script: str) -> None:
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", page_file(script), flags=re.DOTALL)
    texts = re.findall(r'"([^"\n]*)"', code)
    assert len(texts) > 1
    assert [text for text in texts if re.search(r"[A-Za-z]+ [a-z]+ [a-z]+", text)] == []


@pytest.mark.parametrize("script", BINARY_SCRIPTS)
def test_scripts_are_formatted(script: str) -> None:
    lines = page_file(script).splitlines()
    assert max(map(len, lines)) <= 100
    assert script != "compute.js" or len(lines) <= 385
