"""Every public name stands on exactly one page of the API reference."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.support.public import public_names

API = Path(__file__).parents[2] / "docs" / "api"


def described() -> dict[str, list[str]]:
    return {
        page.name: re.findall(r"^::: (rocch[\w.]+)$", page.read_text(encoding="utf-8"), re.M)
        for page in sorted(API.glob("*.md"))
    }


def test_every_public_name_is_described_once() -> None:
    found = Counter(name for names in described().values() for name in names)
    assert found == Counter(public_names().keys())


def test_the_index_lists_every_name_with_its_page() -> None:
    text = (API / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"\[`(\w+)`\]\(([\w-]+\.md)#(rocch[\w.]+)\)", text)
    assert all(name == anchor.rpartition(".")[2] for name, _, anchor in listed)
    pages = {name: page for page, names in described().items() for name in names}
    assert [(page, name) for _, page, name in listed] == [
        (pages[name], name) for _, _, name in listed
    ]
    assert sorted(name for _, _, name in listed) == sorted(public_names())
