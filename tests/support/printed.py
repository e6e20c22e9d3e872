"""What documentation says a block prints is what it prints.

A `text` block that directly follows a `python` block, or a `sh` block of a how-to page, shows its
output. Words must be the same; numbers may differ a little, because other releases of scikit-learn
fit other forests.
"""

from __future__ import annotations

import math
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

if TYPE_CHECKING:
    from sybil import Example

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
LAST = "_last_block"
"""Where a page's session keeps the end of the last python block and what it printed."""

run = PythonEvaluator()


def run_and_listen(example: Example) -> None:
    """Run a python block and keep what it printed."""
    said = StringIO()
    with redirect_stdout(said):
        run(example)
    print(said.getvalue(), end="")  # noqa: T201 - pytest shows it where a block fails
    example.namespace[LAST] = (example.region.end, said.getvalue())


def compare(example: Example) -> str | None:
    """Say how a text block differs from what the block just before it printed."""
    end, said = example.namespace.get(LAST, (None, ""))
    if end is None or example.document.text[end : example.region.start].strip():
        return None  # a text of its own
    return difference(str(example.parsed), said)


def difference(shown: str, said: str) -> str | None:
    """Say where two texts differ, if they do."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", said).split():
        return f"the page shows\n{shown}\nbut the block prints\n{said}"
    for one, other in zip(NUMBER.findall(shown), NUMBER.findall(said), strict=True):
        if not math.isclose(float(one), float(other), rel_tol=0.05, abs_tol=0.02):
            return f"the page shows {one}, the block prints {other}"
    return None


def run_commands(example: Example) -> None:
    """Run the commands of a how-to page in order, and keep what they printed.

    Elsewhere commands are listed rather than told as a story; other tests run those one by one.
    """
    if Path(example.path).parent.name != "how-to":
        return
    from tests.support.documented import (  # which load much, for this alone
        run_documented,
        shell_lines,
    )

    said = ""
    for line in shell_lines(f"```sh\n{example.parsed}```\n"):
        said += run_documented(line, Path.cwd())
    example.namespace[LAST] = (example.region.end, said)


PARSERS = [
    CodeBlockParser("python", run_and_listen),
    CodeBlockParser("sh", run_commands),
    CodeBlockParser("text", compare),
]
