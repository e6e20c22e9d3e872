"""Markdown: names stay text, tables stay tables, code stays code."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.report.markdown import compose, markdown, plain
from rocch.report.sections import Code, Section, Table
from tests.support.asking import hull_of

STRANGE = (
    "<script>alert(1)</script>",
    "a|b",
    "`code` ```fence```",
    "two\nlines\r\n# heading",
    "*bold* _thin_ ~~gone~~",
    "[link](https://example.org)",
    "![image](x.png)",
    "&lt;b&gt; &copy;",
    "back\\slash\\",
    "\N{FOX FACE} fox",
)
PUNCTUATION = re.compile(r"\\([!-/:-@\[-`{-~])")
MARKS = re.compile(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>#|~&]")


def strange(**said: Any) -> str:
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.4
    scores = {name: rng.normal(size=200) + (1 + i % 3) * y for i, name in enumerate(STRANGE)}
    hull = rocch.RocHull.from_scores(y, scores)
    made: Any = rocch.report.summarize(hull, **{"resamples": 0, "title": STRANGE[0], **said})
    return markdown(made)


def outside_code(text: str) -> list[str]:
    """Return the lines that Markdown reads as text, without fenced code."""
    lines, fence = [], ""
    for line in text.split("\n"):
        opened = re.match(r"`{3,}", line)
        if fence:
            fence = "" if line == fence else fence
        elif opened:
            fence = opened[0]
        else:
            lines.append(line)
    assert fence == ""
    return lines


@pytest.mark.parametrize("name", STRANGE)
def test_no_mark_is_left_and_nothing_is_lost(name: str) -> None:
    safe = plain(name)
    assert not MARKS.search(safe)
    assert "\n" not in safe
    assert PUNCTUATION.sub(r"\1", safe) == " ".join(name.split())


def test_strange_names_make_no_markup() -> None:
    vague = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(1, 9))
    for text in (strange(), strange(conditions=vague, randomize=True), strange(belief=(1, 2, 9))):
        for line in outside_code(text):
            bare = line.strip("*") if line.startswith("*") else line.lstrip("#")
            bare = re.sub(r"(?<!\\)((?:\\\\)*) \| |^\| | \|$", r"\1 ", bare)  # a table's own lines
            bare = re.sub(r"(?<!\\)((?:\\\\)*) \| ", r"\1 ", bare)
            assert not MARKS.search(bare), line


def cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) - 1


@pytest.mark.parametrize("said", [{}, {"belief": (1, 2, 9)}, {"max_fpr": 0.1}, {"resamples": 100}])
def test_tables_have_as_many_cells_in_every_row(said: Any) -> None:
    lines, tables = outside_code(strange(**said)), 0
    for i, line in enumerate(lines):
        if set(line) <= set("|-: ") and line.startswith("|"):
            tables += 1
            assert lines[i - 2] == ""
            columns = cells(lines[i - 1])
            assert columns == cells(line) > 1
            below = lines[i + 1 :]
            rows = below[: below.index("")]
            assert rows
            assert {cells(row) for row in rows} == {columns}
    assert tables >= 3


def test_the_parts_come_in_order() -> None:
    text = strange()
    heads = [line for line in outside_code(text) if line.startswith("#")]
    assert heads[0] == r"# \<script\>alert(1)\</script\>"
    assert heads[1:] == [
        "## Who wins where",
        "## Classifiers",
        "## Who loses less",
        "## How sure we are",
        "## How to deploy",
        "## All vertices of the hull",
    ]
    assert text.endswith("*\n")
    assert "\n\n\n" not in text


def test_columns_of_numbers_are_flush_right() -> None:
    table = Table((">much", "what"), (("1", "a|b"), ("22", "c")))
    made = compose("T", "S.", "A.", (Section("X", (table, "- a *thing*")),), "end")
    assert made == (
        "# T\n\n**S.**\n\nA.\n\n## X\n\n| much | what |\n| ---: | --- |\n| 1 | a\\|b |\n"
        "| 22 | c |\n\n- a \\*thing\\*\n\nend\n"
    )


def test_code_is_fenced_by_more_backticks_than_it_holds() -> None:
    made = compose("T", "S", "A", (Section("X", (Code("sql", "a ```` b"),)),), "end")
    assert "\n`````sql\na ```` b\n`````\n" in made


@pytest.mark.parametrize("seed", range(5))
def test_hulls_of_every_kind_can_be_written(seed: int) -> None:
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(2, 4))
    made: Any = rocch.report.summarize(hull_of(seed), conditions=known, resamples=0)
    assert plain(made.answer.sentence) in markdown(made)
