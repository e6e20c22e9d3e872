"""The data of small reports, checks of figures, and pages with nothing but charts."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any

import plotly.graph_objects

from rocch.report.drawings import binary_drawings, multiclass_drawings
from rocch.report.figures import binary_figures
from rocch.report.multiclass_figures import multiclass_figures
from rocch.report.render import embedded_json, packed_plotly, page_file
from tests.support import many_reports, reports
from tests.support.reports import binary, multiclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.report.summary import BinaryData, MulticlassData

FRAME = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Charts</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head>
<body><div class="tools"><button type="button" id="theme">Dark</button></div>
<main>{sections}</main>
<script type="application/json" id="figures">{figures}</script>
{scripts}
<script type="application/octet-stream" id="plotly">{plotly}</script></body></html>
"""


def fraud() -> BinaryData:
    return binary(reports.fraud())


def strange() -> BinaryData:
    return binary(reports.strange())


def counts_only() -> BinaryData:
    return binary(reports.counts_only())


def wine() -> MulticlassData:
    return multiclass(many_reports.wine())


def six_classes() -> MulticlassData:
    return multiclass(many_reports.six_classes())


def fourteen_classes() -> MulticlassData:
    return multiclass(many_reports.fourteen_classes())


def given_counts() -> MulticlassData:
    return multiclass(many_reports.given_counts())


def strange_classes() -> MulticlassData:
    return multiclass(many_reports.strange())


ALL = (wine, six_classes, fourteen_classes, given_counts, strange_classes)


TOKEN = re.compile(r"var\(--([\w-]+)\)( \d+%)?")


def strings(part: Any) -> Iterator[str]:
    """Yield every text of a figure."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in part.values():
            yield from strings(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from strings(value)


def check_figure(figure: dict[str, Any]) -> None:
    """Check that Plotly takes a figure, and that its colors are the page's variables."""
    known = set(re.findall(r"--([\w-]+):", page_file("theme.css")))
    found = {match[1] for text in strings(figure) if (match := TOKEN.fullmatch(text))}
    assert found <= known
    assert not any(re.match(r"#[0-9a-fA-F]{3}|rgb\(", text) for text in strings(figure))
    text = TOKEN.sub("#000000", json.dumps(figure, allow_nan=False))
    drawn = json.loads(text)
    plotly.graph_objects.Figure(drawn["data"], drawn["layout"])  # refuses what it does not know


def binary_page(data: BinaryData) -> str:
    """Return a page with the charts and drawings of a report on two classes."""
    drawings = binary_drawings(data)
    bands = data.certainty.bands if data.certainty is not None else ()
    options = "".join(
        f'<option value="{i}">{escape(f"{band.model}: {band.kind}")}</option>'
        for i, band in enumerate(bands)
    )
    sections = [
        _figure("roc-chart", drawings["sketch"], "chart square")
        + f'<ul class="legend" id="legend">{drawings["legend"]}</ul>',
        f'<div class="strip" id="winners-strip">{drawings["winners"]}</div>',
        _figure("costs-chart"),
        _figure("aucs-chart"),
        f'<div class="multiples" id="histograms">{drawings["histograms"]}</div>',
    ]
    if bands:
        select = f'<select id="band" data-chart="bands-chart">{options}</select>'
        sections.append(select + _figure("bands-chart", kind="chart square"))
    known = {
        "fpr": [count / data.data.negatives for count in data.hull.false_positives],
        "tpr": [count / data.data.positives for count in data.hull.true_positives],
    }
    return _page(sections, binary_figures(data), known, asdict(data.answer))


def multiclass_page(data: MulticlassData) -> str:
    """Return a page with the charts and drawings of a report on many classes."""
    drawings, figures = multiclass_drawings(data), multiclass_figures(data)
    sections = [
        f'<select id="rates" data-chart="trade-offs-chart">{drawings["rates"]}</select>'
        + _figure("trade-offs-chart")
        + f'<ul class="legend" id="marks">{drawings["marks"]}</ul>'
    ]
    if "surface-chart" in figures:
        names = "".join(
            f'<option value="{k}">{escape(each.name)}</option>'
            for k, each in enumerate(data.classes)
        )
        selects = "".join(
            f'<select id="axis-{name}" data-chart="surface-chart" data-axis="{i}">{names}</select>'
            for i, name in enumerate("xyz")
        )
        sections.append(selects + _figure("surface-chart", kind="chart tall"))
    if data.hulls:
        sections += [
            _select("group", "curves-chart", figures)
            + _figure("curves-chart", drawings["sketch"], "chart curves")
            + f'<ul class="legend" id="legend">{drawings["legend"]}</ul>',
            _figure("aucs-chart"),
            _select("judged", "pairs-chart", figures) + _figure("pairs-chart"),
        ]
    return _page(sections, figures, {"counts": data.members.counts}, asdict(data.answer))


def _figure(id_: str, inside: str = "", kind: str = "chart") -> str:
    waiting = inside or '<p class="waiting">The chart follows.</p>'
    return (
        f'<figure><div class="{kind}" id="{id_}">{waiting}</div><figcaption></figcaption></figure>'
    )


def _select(id_: str, chart: str, figures: dict[str, Any]) -> str:
    number = sum(key.startswith(f"{chart}:") for key in figures)
    options = "".join(f'<option value="{i}">{i}</option>' for i in range(number))
    return f'<select id="{id_}" data-chart="{chart}">{options}</select>'


def _page(
    sections: list[str], figures: dict[str, Any], known: dict[str, Any], answer: dict[str, Any]
) -> str:
    start = (
        f"const answer = {embedded_json(answer)};\n"
        f"RocchCharts.start({json.dumps(known)});\n"
        "const ask = (given, limits) => { RocchCharts.show(given, limits); RocchShell.changed(); };"
        "\nask(answer);"
    )
    scripts = [*map(page_file, ("shell.js", "numbers.js", "charts.js")), start]
    return FRAME.format(
        style=page_file("theme.css") + page_file("page.css"),
        sections="".join(f"<section>{section}</section>" for section in sections),
        figures=embedded_json(figures),
        scripts="".join(f"<script>{text}</script>" for text in scripts),
        plotly=packed_plotly(),
    )
