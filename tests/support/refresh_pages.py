"""Write what the blocks of pages print into the `text` blocks below them.

`python -m tests.support.refresh_pages docs/tutorial.md` changes the page only where its output
differs as `pytest` would notice; read the difference before you commit it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sybil import Sybil

from tests.support.printed import LAST, PARSERS, difference


def refresh(path: Path) -> bool:
    """Run a page's blocks in a folder of their own; return whether the page changed."""
    text, changes = path.read_text(encoding="utf-8"), []
    document = Sybil(parsers=PARSERS).parse(path.resolve())
    home = Path.cwd()
    with TemporaryDirectory(prefix="rocch-docs-") as folder:
        os.chdir(folder)
        try:
            for example in document.examples():
                region = text[example.region.start : example.region.end]
                if not region.startswith("```text"):
                    example.evaluate()
                    continue
                end, printed = example.namespace.get(LAST, (None, ""))
                follows = end is not None and not text[end : example.region.start].strip()
                if follows and difference(str(example.parsed), printed):
                    block = f"```text\n{printed.strip()}\n```"
                    changes.append((example.region.start, region, block))
        finally:
            os.chdir(home)
    for start, region, block in reversed(changes):
        tail = region[len(region.rstrip()) :]
        text = text[:start] + block + tail + text[start + len(region) :]
    if changes:
        path.write_text(text, encoding="utf-8")
    return bool(changes)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    for name in sys.argv[1:]:
        print(name, "changed" if refresh(Path(name)) else "is true")  # noqa: T201 - the command
