"""The report as Markdown: the same summary, for issues, wikis and mail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import escape_controls
from rocch.report.sections import Code, Table, about_data, sections

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.report.sections import Section
    from rocch.report.summary import Summary

MARKUP = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|~&"})


def markdown(summary: Summary) -> str:
    """Return the report on classifiers for two classes as Markdown."""
    return compose(
        summary.title,
        summary.answer.sentence,
        f"{summary.assumed} {about_data(summary)}",
        sections(summary),
        f"*Made with rocch {summary.rocch}.*",
    )


def compose(title: str, sentence: str, about: str, parts: Iterable[Section], foot: str) -> str:
    """Return a report in sections as Markdown."""
    texts = [f"# {plain(title)}", f"**{plain(sentence)}**", plain(about)]
    for section in parts:
        texts.append(f"## {plain(section.title)}")
        texts += [_set(part) for part in section.parts]
    return "\n\n".join([*texts, foot]) + "\n"


def plain(value: str) -> str:
    r"""Return a text in which Markdown and HTML see no markup.

    Examples
    --------
    >>> from rocch.report.markdown import plain
    >>> print(plain("<script> a_b*"))
    \<script\> a\_b\*
    """
    return escape_controls(" ".join(value.split())).translate(MARKUP)


def _set(part: str | Table | Code) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Code):
        return _code(part)
    return f"- {plain(part[2:])}" if part.startswith("- ") else plain(part)


def _table(table: Table) -> str:
    names = [plain(name.removeprefix(">")) for name in table.header]
    rule = ["---:" if name.startswith(">") else "---" for name in table.header]
    rows = [[plain(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, rule, *rows))


def _code(code: Code) -> str:
    """Return a block of code, fenced by more backticks than it holds."""
    fence = "```"
    while fence in code.content:
        fence += "`"
    return f"{fence}{code.language}\n{escape_controls(code.content)}\n{fence}"
