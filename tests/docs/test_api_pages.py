"""Every public name stands on exactly one page of the API reference."""

from __future__ import annotations

from collections import Counter

from tests.support.api_index import INDEX, PAGES, described, write_index
from tests.support.public import public_names


def test_every_public_name_is_described_once() -> None:
    found = Counter(name for names in described().values() for name in names)
    assert found == Counter(public_names().keys())


def test_the_index_lists_every_name_with_its_page() -> None:
    text = INDEX.read_text(encoding="utf-8")
    assert text == write_index(text), "python -m tests.support.api_index writes it anew"
    assert "[`RocHull`](binary.md#rocch.RocHull)" in text


def test_there_are_no_other_pages() -> None:
    assert {file.stem for file in INDEX.parent.glob("*.md")} == set(PAGES)
