"""The charts of reports as Plotly figures: plain dictionaries that `page/charts.js` draws.

Colors are the page's own variables, such as "var(--ink)" or "var(--c0) 20%"; the page puts the
values of its theme in their place. Besides `data`, `layout` and `config`, a figure may have

- `name` and `caption`: its option in a list, and the text below it,
- `fit`: names that are shortened to the room there is: ticks of the axis "x" or "y", or titles of
  "panels", which are laid out by the page's width,
- `square`: the greatest width of a square chart,
- `shows`: which traces show members of a surface, and the rates to show of them; a trace without
  `members` shows the recommendation, and moves with it,
- `axes`: the rates that the axes of three dimensions can show, and those that they do,
- `without_webgl`: the text where three dimensions cannot be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rocch.numbers import fixed
from rocch.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.report.summary import Band, BinaryData, Classifier, CurvePoints, Points, Settings

    RocPoints: TypeAlias = Points | CurvePoints | Settings

Figure: TypeAlias = dict[str, Any]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"
DASHES = ("solid", "dash", "dot", "dashdot")
STROKES = ("", "7 2", "2 2", "7 2 2 2")
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star")
# A hull with more vertices has no marks, which would hide one another.
MOST_MARKS = 120
# Coordinates are finer than a pixel, also where a chart is zoomed in a hundred times.
DECIMALS = 6

CHANCE: Figure = {"color": "var(--quiet)", "width": 1.2, "dash": "dot"}
NOWHERE = "rgba(0,0,0,0)"
HALO = {"width": 1, "color": "var(--surface)"}
ZOOM = {"modeBarButtons": [["toImage", "zoom2d", "pan2d", "resetScale2d"]]}
STILL = {"displayModeBar": False}


# ---- looks and names


@dataclass(frozen=True, slots=True)
class Look:
    """How a classifier is drawn: the ninth has the first one's color, but another dash."""

    color: str
    dash: str
    stroke: str
    """The dash in SVG."""
    symbol: str
    fill: str
    """The classes of an element that is filled with its color."""


TRIVIAL = Look("var(--trivial)", "solid", "", "circle", "trivial")


def look(place: int) -> Look:
    """Return the look of the classifier at a place; of *never* and *always* at -1."""
    if place < 0:
        return TRIVIAL
    which, turn = place % len(SYMBOLS), place // len(SYMBOLS) % len(DASHES)
    fill = f"k{which} h{turn}" if turn else f"k{which}"
    return Look(f"var(--c{which})", DASHES[turn], STROKES[turn], SYMBOLS[which], fill)


def shorten(text: str, most: int = 24) -> str:
    """Cut a name in the middle, because the ends tell names apart."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def escape(text: str) -> str:
    """Write a name so that Plotly shows it letter by letter: neither markup nor a template."""
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("%{", "&#37;{")):
        text = text.replace(letter, entity)
    return text


# ---- what all charts share


def make_figure(data: list[Any], layout: Figure, config: Figure = STILL, **more: Any) -> Figure:
    """Put a figure together; its traces have no names, which hovering would show beside texts."""
    return {
        "data": [{"name": "", **trace} for trace in data],
        "layout": layout,
        "config": config,
        **more,
    }


def make_layout(x: Figure, y: Figure, margin: str = "52 12 10 44", **more: Any) -> Figure:
    """Return a layout; its margin is left, right, top and bottom in pixels."""
    font = {"family": FONT, "size": 12, "color": "var(--soft)"}
    hover = {"color": "var(--surface)", "size": 12.5}
    return {
        "xaxis": x,
        "yaxis": y,
        "showlegend": False,
        "hovermode": "closest",
        "margin": dict(zip("lrtb", map(int, margin.split()), strict=True)),
        "paper_bgcolor": NOWHERE,
        "plot_bgcolor": NOWHERE,
        "font": font,
        "hoverlabel": {"bgcolor": "var(--ink)", "bordercolor": "var(--ink)", "font": font | hover}
        | {"align": "left", "namelength": 0},
        "modebar": {"bgcolor": NOWHERE, "color": "var(--faint)", "activecolor": "var(--action)"},
        **more,
    }


def make_axis(title: str = "", **more: Any) -> Figure:
    """Return an axis."""
    colors = {"gridcolor": "var(--grid)", "linecolor": "var(--line)"}
    name = {"text": title, "standoff": 8}
    return {"title": name, "zeroline": False, "ticks": "", "automargin": True, **colors, **more}


def make_lines(
    points: Figure, color: str, width: float, dash: str = "solid", **more: Any
) -> Figure:
    """Return a trace of lines; hovering skips it unless it has a text for that."""
    return {
        **points,
        "mode": "lines",
        "line": {"color": color, "width": width, "dash": dash},
        **({} if "hovertemplate" in more else {"hoverinfo": "skip"}),
        **more,
    }


def scale_points(points: RocPoints, negatives: float, positives: float) -> Figure:
    """Return counts as the rates that a trace shows."""
    return {
        "x": _rounded([count / negatives for count in points.false_positives]),
        "y": _rounded([count / positives for count in points.true_positives]),
    }


def make_chance_line() -> Figure:
    """Return the diagonal."""
    return make_lines({"x": [0, 1], "y": [0, 1]}, **CHANCE)


def fit_names(where: str, names: Sequence[str], most: int = 22) -> Figure:
    """Return names that the page shortens to the room there is, at most to this many letters."""
    return {"where": where, "names": list(names), "most": most}


def make_whiskers(estimates: Sequence[tuple[float, Any]], color: str, width: float) -> Figure:
    """Return values with their intervals along the horizontal axis."""
    ends = [(value, *(interval or (value, value))) for value, interval in estimates]
    bars = {
        "array": [high - value for value, _, high in ends],
        "arrayminus": [value - low for value, low, _ in ends],
    }
    look = {"type": "data", "symmetric": False, "thickness": 1.6, "width": width, "color": color}
    return {"x": [value for value, _ in estimates], "mode": "markers", "error_x": look | bars}


# ---- two classes


def binary_figures(data: BinaryData) -> dict[str, Figure]:
    """Return the figures of a report on two classes, by the elements that show them."""
    figures = {"roc-chart": _roc(data), "costs-chart": _cost_curves(data)}
    if any(each.auc_interval is not None for each in data.classifiers):
        figures["aucs-chart"] = _aucs(data.classifiers)
    bands = data.certainty.bands if data.certainty is not None else ()
    return figures | {f"bands-chart:{i}": _band(data, band) for i, band in enumerate(bands)}


def _roc_layout() -> Figure:
    # room for half a mark at the edges
    square = {"range": [-0.025, 1.025], "constrain": "domain"}
    y = make_axis("True positive rate", scaleanchor="x", **square)
    return make_layout(make_axis("False positive rate", **square), y)


def _roc(data: BinaryData) -> Figure:
    curves = [_curve(data, place) for place in range(len(data.classifiers))]
    traces = [make_chance_line(), *curves, _hull(data), *_today(data)]
    return make_figure(traces, _roc_layout(), ZOOM)


def _today(data: BinaryData) -> list[Figure]:
    """Return a mark of today's rule, if it is stated: the first baseline then, with alarms."""
    rules = [each for each in data.baselines[:1] if not each.classifier and each.fpr != each.tpr]
    look = {"symbol": "x", "size": 9, "color": "var(--ink)", "line": HALO}
    return [
        {
            "x": [round(each.fpr, DECIMALS)],
            "y": [round(each.tpr, DECIMALS)],
            "mode": "markers+text",
            "text": ["today"],
            "textposition": "bottom right",
            "textfont": {"size": 12, "color": "var(--ink)"},
            "marker": look,
            "hovertemplate": f"<b>today: {escape(shorten(each.name, 40))}</b>"
            "<br>FPR %{x:.4f}<br>TPR %{y:.4f}",
        }
        for each in rules
    ]


def _roc_trace(
    data: BinaryData, points: RocPoints, texts: list[str], *look: Any, **more: Any
) -> Figure:
    """Return a line whose points show a text, their rates, and the counts behind these."""
    own = data.data
    rates = (
        f"<br>FPR %{{x:.4f}} (%{{customdata[0]:,}} of {counted(own.negatives)})"
        f"<br>TPR %{{y:.4f}} (%{{customdata[1]:,}} of {counted(own.positives)})"
    )
    template = more.pop("title", "") + "%{text}" + rates
    pairs = zip(points.false_positives, points.true_positives, strict=True)
    more["customdata"] = [[_whole(count) for count in pair] for pair in pairs]
    xy = scale_points(points, own.negatives, own.positives)
    return make_lines(xy, *look, text=texts, hovertemplate=template) | more


def _whole(count: float) -> float:
    return int(count) if float(count).is_integer() else count


def _curve(data: BinaryData, place: int) -> Figure:
    each, own = data.classifiers[place], look(place)
    points = each.curve or each.own_hull
    thresholds = each.curve.threshold if each.curve else [""] * len(points.false_positives)
    texts = [f" at {escape(threshold)}" if threshold else "" for threshold in thresholds]
    more: Figure = {"legendgroup": str(place), "title": f"<b>{escape(shorten(each.name, 40))}</b>"}
    if not each.scoring:
        marker = {"symbol": own.symbol, "size": 7, "color": own.color, "line": HALO}
        more |= {"mode": "lines+markers", "marker": marker}
    return _roc_trace(data, points, texts, own.color, 1.5, own.dash, **more)


def _hull(data: BinaryData) -> Figure:
    looks = [look(place) for place in data.hull.classifier]
    marks: Figure = {"size": 6.5, "line": HALO, "color": [each.color for each in looks]}
    marks["symbol"] = [each.symbol for each in looks]
    more = {"mode": "lines+markers", "marker": marks} if len(looks) <= MOST_MARKS else {}
    texts = [_vertex_text(data, i) for i in range(len(looks))]
    return _roc_trace(data, data.hull, texts, "var(--ink)", 2.4, **more)


def _vertex_text(data: BinaryData, i: int) -> str:
    hull, place = data.hull, data.hull.classifier[i]
    if place < 0:
        return f"<b>{'always' if i else 'never'}</b>"
    also = ", ".join(escape(shorten(data.classifiers[k].name)) for k in hull.also[i][:5])
    return (
        f"<b>{escape(shorten(data.classifiers[place].name, 40))}</b>"
        + (f" at {escape(hull.threshold[i])}" if hull.threshold[i] else "")
        + (f"<br>also {also}" if also else "")
    )


def _cost_curves(data: BinaryData) -> Figure:
    own = data.data
    rest = "<br>probability-cost %{x:.3f}<br>cost %{y:.4f}"
    traces = [
        make_lines(
            cost_curve(each.own_hull, own.negatives, own.positives),
            look(place).color,
            1.5,
            look(place).dash,
            legendgroup=str(place),
            hovertemplate=f"<b>{escape(shorten(each.name, 40))}</b>{rest}",
        )
        for place, each in enumerate(data.classifiers)
    ]
    trivial = make_lines({"x": [0, 0.5, 1], "y": [0, 0.5, 0]}, **CHANCE)
    best = make_lines(cost_curve(data.hull, own.negatives, own.positives), "var(--ink)", 2.4)
    highest = max(y for trace in traces for y in trace["y"]) or 0.5
    frame = make_layout(
        make_axis("Probability-cost of positives", range=[-0.005, 1.005]),
        make_axis("Normalized expected cost", range=[0, 1.15 * min(0.5, highest)]),
    )
    return make_figure([trivial, *traces, best], frame, ZOOM)


def cost_curve(hull: RocPoints, negatives: float, positives: float) -> Figure:
    """Return the corners of the lower envelope of a hull's cost lines."""
    fpr = np.array(hull.false_positives) / negatives
    tpr = np.array(hull.true_positives) / positives
    run, rise = np.diff(fpr), np.diff(tpr)
    x = np.concatenate([[0.0], run / (run + rise), [1.0]])
    # the corner of two neighbors' lines lies on the line of the first
    first = np.concatenate([[0], np.arange(len(run)), [-1]])
    y = x * (1 - tpr[first]) + (1 - x) * fpr[first]
    return {"x": x.round(DECIMALS).tolist(), "y": y.round(DECIMALS).tolist()}


def _aucs(classifiers: Sequence[Classifier]) -> Figure:
    known = [
        (each.auc, place, each) for place, each in enumerate(classifiers) if each.auc is not None
    ]
    known.sort(key=lambda row: row[0])
    looks = [look(place) for _, place, _ in known]
    marker = {"size": 11, "line": HALO, "color": [each.color for each in looks]}
    trace = {
        **make_whiskers([(auc, each.auc_interval) for auc, _, each in known], "var(--faint)", 4),
        "y": list(range(len(known))),
        "marker": marker | {"symbol": [each.symbol for each in looks]},
        "text": [_auc_text(auc, each) for auc, _, each in known],
        "hovertemplate": "%{text}",
    }
    rows = make_axis(automargin=False, fixedrange=True, tickvals=trace["y"])
    rows["range"] = [-0.7, len(known) - 0.3]
    x = make_axis("AUC", fixedrange=True)
    frame = make_layout(x, rows, "0 14 6 40", height=60 + 25 * len(known))
    return make_figure([trace], frame, fit=fit_names("y", [each.name for *_, each in known], 18))


def _auc_text(auc: float, each: Classifier) -> str:
    # a whole name, however long: hovering knows no other way to end a line
    name = "<br>".join(escape(each.name[i : i + 60]) for i in range(0, len(each.name), 60))
    interval = " to ".join(fixed(end, 4) for end in each.auc_interval or ())
    return f"<b>{name}</b><br>AUC {fixed(auc, 4)}" + (f"<br>95%: {interval}" if interval else "")


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, DECIMALS) for value in values]


def _band(data: BinaryData, band: Band) -> Figure:
    names = [each.name for each in data.classifiers]
    place = names.index(band.model) if band.model in names else -1
    own = data.classifiers[place] if place >= 0 else None
    points = (own.curve or own.own_hull) if own else data.hull
    line, fill = ("var(--ink)", "var(--c0)") if own is None else 2 * (look(place).color,)
    ends = zip(band.fpr, band.low, band.high, strict=True)
    texts = [f"FPR {fixed(x, 3)}<br>TPR {fixed(a, 3)} to {fixed(b, 3)}" for x, a, b in ends]
    sides = [
        make_lines({"x": _rounded(band.fpr), "y": _rounded(side)}, "var(--faint)", 0.8)
        for side in (band.low, band.high)
    ]
    for side, shape in zip(sides, ("hv", "vh"), strict=True):  # steps, as in RocBand.outline
        side["line"]["shape"] = shape
    sides[1] |= {"fill": "tonexty", "fillcolor": f"{fill} 20%", "text": texts, "hoverinfo": "text"}
    middle = make_lines(scale_points(points, data.data.negatives, data.data.positives), line, 2.2)
    traces = [make_chance_line(), *sides, middle]
    return make_figure(traces, _roc_layout(), ZOOM, caption=band.promise)
