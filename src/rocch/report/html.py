"""The report as one HTML file: no network, no server, opens from disk.

Everything that comes from the user's data is text: the templates escape it, the embedded JSON has
no character that HTML could take for markup, and the scripts write with `textContent` only.
Plotly's JavaScript comes out of the installed wheel; it is packed at the end of the body, where it
does not delay the first paint, and unpacked by the browser. The page's policy names the scripts by
their hashes: whatever else got into the page would not run.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rocch.errors import missing_extra
from rocch.numbers import chance, fixed
from rocch.report.svg import sketch
from rocch.report.words import counted, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment

    from rocch.report.summary import Summary

GEOMETRY = ("belief.js", "question.js", "search.js", "geometry.js", "words.js")
"""What answers a question, without a page."""

SCRIPTS = (
    *GEOMETRY,
    "state.js",
    "sight.js",
    "looks.js",
    "scales.js",
    "typed.js",
    "problems.js",
    "knobs.js",
    "tables.js",
    "drawings.js",
    "charts.js",
    "app.js",
)
"""What the page for two classes runs, in this order, after the shell that all pages share."""

# What every report runs first.
SHARED = ("shell.js", "numbers.js", "charts.js", "report.js")

FACTS = ": catches "
"""Where a sentence comes to what the setting does."""

_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def render(summary: Summary) -> str:
    """Return the report on classifiers for two classes as an HTML page.

    Raises
    ------
    MissingExtraError
        Without plotly and jinja2.
    """
    known = any(each.auc_interval is not None for each in summary.classifiers)
    return fill(
        "two_classes.html.j2",
        asdict(summary),
        SCRIPTS,
        drawings={"sketch": sketch(summary)},
        auc_intervals=known,
        headline=_headline(summary.answer.sentence),
    )


def _headline(sentence: str) -> tuple[str, str]:
    """Part a sentence into what to use, which stands out, and what that does."""
    head, facts, rest = sentence.partition(FACTS)
    return head, facts + rest


def fill(
    template: str,
    summary: Mapping[str, Any],
    scripts: tuple[str, ...],
    *,
    drawings: Mapping[str, str] | None = None,
    figures: Mapping[str, Any] | None = None,
    **more: object,
) -> str:
    """Fill a page's template with a summary, its scripts, drawings (safe markup), and more."""
    environment = _environment()
    from markupsafe import Markup as Safe

    texts = [page_file(name) for name in (*SHARED, *scripts)]
    context: dict[str, object] = {
        **more,
        "summary": summary,
        "json": Safe(as_json(summary)),  # noqa: S704 - nothing in it can be markup
        "figures": Safe(as_json(figures or {})),  # noqa: S704 - likewise
        "style": Safe(page_file("theme.css") + page_file("page.css")),  # noqa: S704 - our own
        "scripts": [Safe(text) for text in texts],  # noqa: S704 - our own files
        "hashes": Safe(" ".join([*map(_hash, texts), _plotly_hash()])),  # noqa: S704 - no markup
        "plotly": packed_plotly(),
    }
    for name, drawing in (drawings or {}).items():
        context[name] = Safe(drawing)  # noqa: S704 - made of numbers
    page = environment.get_template(template).render(context)
    return page.encode("utf-8", "replace").decode()  # a lone surrogate has no UTF-8


def as_json(summary: Mapping[str, Any]) -> str:
    r"""Write a summary as JSON in which HTML sees no markup.

    Examples
    --------
    >>> from rocch.report.html import as_json
    >>> print(as_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(summary, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def page_file(name: str) -> str:
    """Return the text of a file of the page."""
    return (files("rocch.report") / "page" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return what a page's policy calls a script by, so that no other runs."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode('ascii')}'"


@cache
def packed_plotly() -> str:
    """Return Plotly's JavaScript, compressed, in base64; always the same bytes."""
    return b64encode(gzip.compress(_plotly().encode(), 9, mtime=0)).decode("ascii")


@cache
def _plotly_hash() -> str:
    return _hash(_plotly())


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise missing_extra("report", "Writing a report") from None
    text: str = get_plotlyjs()
    return text


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise missing_extra("report", "Writing a report") from None
    environment = Environment(
        loader=PackageLoader("rocch.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "area": lambda area: fixed(area, 4),
        "chance": chance,
        "counted": counted,
        "percent": percent,
        "signed": signed,
    }
    return environment


def signed(value: float) -> str:
    """Write a difference with its sign.

    Examples
    --------
    >>> from rocch.report.html import signed
    >>> signed(0.25)
    '+0.250'
    """
    return ("\N{MINUS SIGN}" if value < 0 else "+") + fixed(abs(value), 3)
