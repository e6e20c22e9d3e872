"""Write the table of public names, by topic, into the index of the API pages.

`python -m tests.support.api_index` does so after a name was added to a page of `docs/api/`.
"""

from __future__ import annotations

import re
from pathlib import Path

API = Path(__file__).parents[2] / "docs" / "api"
INDEX = API / "index.md"
PAGES = ("binary", "hybrid", "multiclass", "index")
HEAD = "| topic | names |\n|---|---|\n"


def described() -> dict[tuple[str, str], list[str]]:
    """Return the full names that pages describe, by page and section."""
    found: dict[tuple[str, str], list[str]] = {}
    for page in PAGES:
        for section in re.split(r"^## ", (API / f"{page}.md").read_text("utf-8"), flags=re.M)[1:]:
            title = section.partition("\n")[0]
            found[page, title] = re.findall(r"^::: (rocch[\w.]+)$", section, re.M)
    return found


def write_index(text: str) -> str:
    """Return the index with its table written anew."""
    before, after = text.partition(HEAD)[0], text[text.index("\n\n## Errors") :]
    rows = [_row(page, title, names) for (page, title), names in described().items()]
    return before + HEAD + "\n".join(rows) + after


def _row(page: str, title: str, names: list[str]) -> str:
    anchor = re.sub(r"\W+", "-", title.lower())
    links = (f"[`{name.rpartition('.')[2]}`]({page}.md#{name})" for name in names)
    return f"| [{title}]({page}.md#{anchor}) | {', '.join(links)} |"


if __name__ == "__main__":
    INDEX.write_text(write_index(INDEX.read_text(encoding="utf-8")), encoding="utf-8")
