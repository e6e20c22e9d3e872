"""One summary, rendered as HTML, Markdown or JSON.

HTML is one file: no network, no server, opens from disk. Everything that comes from the user's data
is text: the templates escape it, the embedded JSON has no character that HTML could take for
markup, and the scripts write with `textContent` only. Plotly's JavaScript comes out of the
installed wheel; it is packed at the end of the body, where it does not delay the first paint, and
unpacked by the browser. The page's policy names the scripts by their hashes: whatever else got into
the page would not run.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from rocch.errors import escape_controls, escape_json, missing_extra
from rocch.numbers import chance, fixed
from rocch.report.drawings import binary_drawings, multiclass_drawings
from rocch.report.figures import binary_figures, look
from rocch.report.multiclass_figures import multiclass_figures
from rocch.report.multiclass_view import multiclass_view
from rocch.report.parts import Code, Part, Table
from rocch.report.sections import (
    AUC_METHODS,
    REFERRAL_NOTE,
    referred_cells,
    referred_names,
    signed,
    vertex,
)
from rocch.report.summary import BinaryData, Referred, Summary
from rocch.report.words import amounts_of, counted, percent, use
from rocch.roc.criteria import METRICS
from rocch.roc.question import Question
from rocch.roc.question_table import metric_text
from rocch.roc.savings import Amounts

if TYPE_CHECKING:
    from jinja2 import Environment

Format = Literal["html", "md", "json"]

# The scripts that answer a question without a page, and all scripts of each page in their order.
ANSWERING = ("numbers.js", "aim.js", "compute.js", "guarantee.js", "answer.js", "sentences.js")
BINARY_SCRIPTS = ("shell.js", *ANSWERING, "charts.js", "report.js", "form.js", "app.js")
MULTICLASS_SCRIPTS = (
    "shell.js",
    "numbers.js",
    "charts.js",
    "report.js",
    "many_compute.js",
    "many_form.js",
    "many_app.js",
)
STYLES = ("theme.css", "page.css")

# A page lists this many vertices of a hull; its downloads have all.
MOST_VERTICES = 200

MARKUP = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|~&"})
HTML_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def render(summary: Summary, kind: Format) -> str:
    """Return a summary as a text in one of the formats.

    Raises
    ------
    MissingExtraError
        For HTML without plotly and jinja2.
    """
    text = {"html": to_html, "md": to_markdown, "json": to_json}[kind](summary)
    return text.encode("utf-8", "replace").decode()  # a lone surrogate has no UTF-8


def to_json(summary: Summary) -> str:
    """Return a summary as JSON after `summary_schema`."""
    text = json.dumps(asdict(summary), ensure_ascii=False, allow_nan=False, indent=1)
    return escape_json(text) + "\n"


# ---- Markdown -----------------------------------------------------------------------------------


def to_markdown(summary: Summary) -> str:
    """Return a summary as Markdown, for issues, wikis and mail."""
    texts = [f"# {plain(summary.title)}", f"**{plain(summary.sentence)}**"]
    texts.append(plain(f"Assumed: {summary.assumed}. {summary.about}"))
    for section in summary.sections:
        texts += [f"## {plain(section.title)}", *map(_part, section.parts)]
    return "\n\n".join([*texts, f"*Made with rocch {summary.rocch}.*"]) + "\n"


def plain(value: str) -> str:
    r"""Return a text in which Markdown and HTML see no markup.

    Examples
    --------
    >>> from rocch.report.render import plain
    >>> print(plain("<script> a_b*"))
    \<script\> a\_b\*
    """
    return escape_controls(" ".join(value.split())).translate(MARKUP)


def _part(part: Part) -> str:
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


# ---- HTML ---------------------------------------------------------------------------------------


def to_html(summary: Summary) -> str:
    """Return a summary as a page.

    The template's `summary` has the fields of the summary and of its data.
    """
    environment = _environment()
    data: Any = summary.multiclass or summary.binary  # one of the two is there
    view: dict[str, Any]
    scripts: tuple[str, ...]
    if summary.multiclass is not None:
        name, scripts, view = "many_classes", MULTICLASS_SCRIPTS, {"view": multiclass_view(data)}
        drawings, figures = multiclass_drawings(data), multiclass_figures(data)
    else:
        name, scripts, view = "two_classes", BINARY_SCRIPTS, _binary_view(summary, data)
        drawings, figures = binary_drawings(data), binary_figures(data)
    texts = [page_file(script) for script in scripts]
    fields = asdict(summary)
    return environment.get_template(f"{name}.html.j2").render(
        {
            **view,
            **{name: _safe(drawing) for name, drawing in drawings.items()},
            "figures": _safe(embedded_json(figures)),
            "summary": {**fields, **(fields["binary"] or fields["multiclass"])},
            "json": _safe(embedded_json(fields)),
            "style": _safe("\n".join(page_file(name) for name in STYLES)),
            "scripts": [_safe(text) for text in texts],
            "hashes": _safe(" ".join([*map(_hash, texts), _plotly_hash()])),
            "plotly": packed_plotly(),
        }
    )


def _binary_view(summary: Summary, data: BinaryData) -> dict[str, Any]:
    head, size = use(data.answer), len(data.hull.classifier)
    scale = amounts_of(Question.from_dict(summary.question))
    found = data.referral
    is_stated = found is not None and bool(found.sentence)
    if is_stated:
        head = summary.sentence.split(". ")[0]
    return {
        "auc_intervals": any(each.auc_interval is not None for each in data.classifiers),
        # what to use, which stands out, and what that does
        "headline": (head, summary.sentence.removeprefix(head)),
        "metrics": {name: metric_text(name) for name in METRICS},
        "referral_note": REFERRAL_NOTE,
        "auc_methods": AUC_METHODS,
        "referred_names": [name.removeprefix(">") for name in referred_names(scale)],
        "referred": []
        if found is None or is_stated
        else [referred_cells(row, scale) for row in found.rows],
        "referring": _referring(found.rows[0], scale) if found is not None and is_stated else [],
        "size": size,
        "vertices": [_vertex(data, place) for place in range(min(size, MOST_VERTICES))],
    }


def _referring(found: Referred, scale: Amounts) -> list[tuple[str, str, str]]:
    """Return the numbers of a referral, each with a title and a note."""
    _, referred, wrong, cost, saves = referred_cells(found, scale)
    counted_on = "on the evaluation rows"
    return [
        ("Referred, of 100 cases", referred, counted_on),
        ("Wrong, of 100 decided", wrong or "0", counted_on),
        ("Cost", cost, f"per {scale.unit}"),
        ("Saves", saves, f"per {scale.unit}, against deciding every case"),
    ]


def _vertex(data: BinaryData, place: int) -> dict[str, Any]:
    """Return a vertex of the hull as texts."""
    hull = data.hull
    name, threshold, *rates = vertex(data, place)
    counts = [counted(column[place]) for column in (hull.false_positives, hull.true_positives)]
    shown = {"name": name, "threshold": threshold, "numbers": counts + rates}
    return {"look": look(hull.classifier[place]).fill, **shown}


def _safe(text: str) -> Any:
    """Mark what has no text of users, or none that is markup, as safe."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - see above


def embedded_json(data: Mapping[str, Any]) -> str:
    r"""Write data as JSON in which HTML sees no markup.

    Examples
    --------
    >>> from rocch.report.render import embedded_json
    >>> print(embedded_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(HTML_MARKUP)


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
        "signed": lambda value: signed(value).replace("-", "\N{MINUS SIGN}"),
    }
    return environment
