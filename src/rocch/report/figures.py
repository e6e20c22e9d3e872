"""The charts of reports as Plotly figures: plain dictionaries that `page/charts.js` draws.

Colors are the page's own variables, such as "var(--ink)" or "var(--c0) 20%"; the page puts the
values of its theme in their place. Besides `data`, `layout` and `config`, a figure may have

- `name` and `caption`: its option in a list, and the text below it,
- `fit`: names that are shortened to the room there is: ticks of the axis "x" or "y", or titles of
  "panels", which are laid out by the page's width,
- `square`: the greatest width of a square chart,
- `shows`: which traces show members of a surface, and the rates to show of them; without `members`
  a trace shows the recommendation, and moves with it,
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
    from collections.abc import Callable, Iterator, Sequence

    from rocch.report.many_classes.summary import Estimate, ManyClassesSummary
    from rocch.report.summary import Band, Classifier, Points, Summary

Figure: TypeAlias = dict[str, Any]
Rate: TypeAlias = dict[str, Any]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"
DASHES = ("solid", "dash", "dot", "dashdot")
STROKES = ("", "7 2", "2 2", "7 2 2 2")
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star")
# Symbols of the members that suggest themselves, flat and in three dimensions.
SUGGESTED = ("diamond", "square", "triangle-up", "star")
SUGGESTED_3D = ("diamond", "square", "cross", "x")
# A hull with more vertices has no marks, which would hide one another.
MOST_MARKS = 120
MOST_LINES = 250
MOST_PANELS = 12
# With more classes, the numbers of pairs are left to hovering.
MOST_NUMBERS = 8
# Decimals of coordinates: finer than a pixel of any screen, zoomed in a hundred times.
DECIMALS = 6

CHANCE = {
    "x": [0, 1],
    "y": [0, 1],
    "mode": "lines",
    "hoverinfo": "skip",
    "line": {"width": 1.2, "dash": "dot", "color": "var(--quiet)"},
}
HALO = {"width": 1, "color": "var(--surface)"}
ZOOM = {"modeBarButtons": [["toImage", "zoom2d", "pan2d", "resetScale2d"]]}
STILL = {"displayModeBar": False}


# ---- looks and texts


@dataclass(frozen=True, slots=True)
class Look:
    """How a classifier is drawn: the ninth has the first one's color, but another dash."""

    color: str
    dash: str
    stroke: str
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


def suggested_color(place: int) -> str:
    """Return the color of a member that suggests itself: none that looks like the accent."""
    return look(place + 3 if place > 2 else place).color


# ---- frames


def _figure(data: list[Any], layout: Figure, config: Figure | None = None, **more: Any) -> Figure:
    return {"data": data, "layout": layout, "config": config or STILL, **more}


def _layout(x: Figure, y: Figure, **more: Any) -> Figure:
    return {
        "xaxis": x,
        "yaxis": y,
        "showlegend": False,
        "hovermode": "closest",
        "margin": {"l": 52, "r": 12, "t": 10, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": "var(--soft)"},
        "hoverlabel": {
            "bgcolor": "var(--ink)",
            "bordercolor": "var(--ink)",
            "font": {"family": FONT, "size": 12.5, "color": "var(--surface)"},
            "align": "left",
            "namelength": 0,
        },
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": "var(--faint)",
            "activecolor": "var(--action)",
        },
        **more,
    }


def _axis(title: str = "", **more: Any) -> Figure:
    return {
        "title": {"text": title, "standoff": 8},
        "zeroline": False,
        "ticks": "",
        "automargin": True,
        "gridcolor": "var(--grid)",
        "linecolor": "var(--line)",
        **more,
    }


def _roc_axes() -> tuple[Figure, Figure]:
    square = {"range": [-0.012, 1.012], "constrain": "domain"}
    return (
        _axis("False positive rate", **square),
        _axis("True positive rate", scaleanchor="x", **square),
    )


# ---- two classes


def binary_figures(data: Summary) -> dict[str, Figure]:
    """Return the figures of a report on two classes, by the elements that show them."""
    bands = data.certainty.bands if data.certainty is not None else ()
    return {
        "roc-chart": _roc(data),
        "costs-chart": _cost_curves(data),
        "aucs-chart": _aucs(data.classifiers),
        **{f"bands-chart:{i}": _band(data, band) for i, band in enumerate(bands)},
    }


def _rates(points: Points, negatives: float, positives: float) -> Figure:
    return {
        "x": [round(count / negatives, DECIMALS) for count in points.false_positives],
        "y": [round(count / positives, DECIMALS) for count in points.true_positives],
    }


def _roc(data: Summary) -> Figure:
    traces = [_curve(data, place) for place in range(len(data.classifiers))]
    return _figure([CHANCE, *traces, _hull(data)], _layout(*_roc_axes()), ZOOM)


def _rates_hover(data: Summary, points: Points) -> Figure:
    """Return how hovering shows the rates, and the counts behind them."""
    pairs = zip(points.false_positives, points.true_positives, strict=True)
    rates = (
        f"FPR %{{x:.4f}} (%{{customdata[0]:,}} of {counted(data.data.negatives)})<br>"
        f"TPR %{{y:.4f}} (%{{customdata[1]:,}} of {counted(data.data.positives)})"
    )
    return {
        "customdata": [[_whole(fp), _whole(tp)] for fp, tp in pairs],
        "hovertemplate": f"%{{text}}<br>{rates}<extra></extra>",
    }


def _whole(count: float) -> float:
    return int(count) if float(count).is_integer() else count


def _curve(data: Summary, place: int) -> Figure:
    each, drawn = data.classifiers[place], look(place)
    points = each.curve or each.own_hull
    name = f"<b>{escape(shorten(each.name, 40))}</b>"
    hover = _rates_hover(data, points)
    thresholds = each.curve.threshold if each.curve else [""] * len(points.false_positives)
    return {
        **_rates(points, data.data.negatives, data.data.positives),
        **hover,
        "hovertemplate": hover["hovertemplate"].replace("%{text}", f"{name}%{{text}}", 1),
        "text": [f" at {escape(each)}" if each else "" for each in thresholds],
        "mode": "lines" if each.scoring else "lines+markers",
        "line": {"color": drawn.color, "dash": drawn.dash, "width": 1.5},
        "marker": {"symbol": drawn.symbol, "size": 7, "color": drawn.color, "line": HALO},
        "legendgroup": str(place),
    }


def _hull(data: Summary) -> Figure:
    hull = data.hull
    looks = [look(place) for place in hull.classifier]
    few = len(looks) <= MOST_MARKS
    colors, symbols = [each.color for each in looks], [each.symbol for each in looks]
    marks = {"size": 6.5, "color": colors, "symbol": symbols, "line": HALO}
    return {
        **_rates(hull, data.data.negatives, data.data.positives),
        **_rates_hover(data, hull),
        "text": [_vertex(data, i) for i in range(len(looks))],
        "mode": "lines+markers" if few else "lines",
        "line": {"width": 2.4, "color": "var(--ink)"},
        **({"marker": marks} if few else {}),
    }


def _vertex(data: Summary, i: int) -> str:
    hull, place = data.hull, data.hull.classifier[i]
    if place < 0:
        return f"<b>{'always' if i else 'never'}</b>"
    name, threshold = data.classifiers[place].name, hull.threshold[i]
    also = ", ".join(escape(shorten(data.classifiers[k].name)) for k in hull.also[i][:5])
    return (
        f"<b>{escape(shorten(name, 40))}</b>"
        + (f" at {escape(threshold)}" if threshold else "")
        + (f"<br>also {also}" if also else "")
    )


def _cost_curves(data: Summary) -> Figure:
    negatives, positives = data.data.negatives, data.data.positives
    traces = []
    for place, each in enumerate(data.classifiers):
        name, drawn = escape(shorten(each.name, 40)), look(place)
        traces.append(
            {
                **cost_curve(each.own_hull, negatives, positives),
                "mode": "lines",
                "line": {"color": drawn.color, "dash": drawn.dash, "width": 1.5},
                "legendgroup": str(place),
                "hovertemplate": f"<b>{name}</b><br>probability-cost %{{x:.3f}}<br>"
                "cost %{y:.4f}<extra></extra>",
            }
        )
    best = {
        **cost_curve(data.hull, negatives, positives),
        "mode": "lines",
        "line": {"width": 2.4, "color": "var(--ink)"},
        "hoverinfo": "skip",
    }
    trivial = {**CHANCE, "x": [0, 0.5, 1], "y": [0, 0.5, 0]}
    highest = max(y for trace in traces for y in trace["y"]) or 0.5
    frame = _layout(
        _axis("Probability-cost of positives", range=[-0.005, 1.005]),
        _axis("Normalized expected cost", range=[0, 1.15 * min(0.5, highest)]),
    )
    return _figure([trivial, *traces, best], frame, ZOOM)


def cost_curve(hull: Points, negatives: float, positives: float) -> Figure:
    """Return the corners of the lower envelope of a hull's cost lines."""
    fp, tp = (np.array(counts) for counts in (hull.false_positives, hull.true_positives))
    run, rise = np.diff(fp) * positives, np.diff(tp) * negatives
    x = run / (run + rise)
    y = x * (1 - tp[:-1] / positives) + (1 - x) * fp[:-1] / negatives
    return {
        "x": [0, *x.round(DECIMALS).tolist(), 1],
        "y": [fp[0] / negatives, *y.round(DECIMALS).tolist(), 1 - tp[-1] / positives],
    }


def _aucs(classifiers: Sequence[Classifier]) -> Figure:
    known = [(each, place) for place, each in enumerate(classifiers) if each.auc is not None]
    known.sort(key=lambda row: row[0].auc or 0)
    looks = [look(place) for _, place in known]
    whiskers = [each.auc_interval or (each.auc, each.auc) for each, _ in known]
    trace = {
        **_whiskers([each.auc or 0 for each, _ in known], whiskers),
        "y": list(range(len(known))),
        "mode": "markers",
        "marker": {
            "size": 9,
            "line": HALO,
            "color": [each.color for each in looks],
            "symbol": [each.symbol for each in looks],
        },
        "text": [_auc_text(each) for each, _ in known],
        "hovertemplate": "%{text}<extra></extra>",
    }
    trace["error_x"] |= {"color": "var(--faint)", "width": 4}
    rows = _axis(
        automargin=False, tickvals=trace["y"], range=[-0.7, len(known) - 0.3], fixedrange=True
    )
    margin = {"r": 14, "t": 6, "b": 40}
    frame = _layout(_axis("AUC", fixedrange=True), rows, margin=margin, height=60 + 25 * len(known))
    return _figure([trace], frame, fit=_fit("y", [each.name for each, _ in known], 18))


def _fit(where: str, names: Sequence[str], most: int = 22) -> Figure:
    return {"where": where, "names": list(names), "most": most}


def _whiskers(values: Sequence[float], intervals: Sequence[Any]) -> Figure:
    pairs = list(zip(values, intervals, strict=True))
    return {
        "x": list(values),
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [interval[1] - value for value, interval in pairs],
            "arrayminus": [value - interval[0] for value, interval in pairs],
            "thickness": 1.6,
        },
    }


def _auc_text(each: Classifier) -> str:
    # a whole name, however long: hovering knows no other way to end a line
    name = "<br>".join(escape(each.name[i : i + 60]) for i in range(0, len(each.name), 60))
    lines = [f"<b>{name}</b>", f"AUC {fixed(each.auc or 0, 4)}"]
    if each.auc_interval is not None:
        lines.append("95 %: " + " to ".join(fixed(end, 4) for end in each.auc_interval))
    return "<br>".join(lines)


def _band(data: Summary, band: Band) -> Figure:
    names = [each.name for each in data.classifiers]
    place = names.index(band.model) if band.model in names else -1
    color = look(place).color if place >= 0 else "var(--ink)"
    points = data.hull if place < 0 else data.classifiers[place].curve
    middle = {
        **_rates(
            points or data.classifiers[place].own_hull, data.data.negatives, data.data.positives
        ),
        "mode": "lines",
        "hoverinfo": "skip",
        "line": {"width": 2.2, "color": color},
    }
    side = {
        "x": list(band.fpr),
        "mode": "lines",
        "line": {"width": 0.8, "color": "var(--faint)"},
        "hoverinfo": "skip",
    }
    ends = zip(band.fpr, band.low, band.high, strict=True)
    upper = {
        **side,
        "y": list(band.high),
        "fill": "tonexty",
        "fillcolor": f"{color if place >= 0 else 'var(--c0)'} 20%",
        "text": [
            f"FPR {fixed(x, 3)}<br>TPR {fixed(low, 3)} to {fixed(high, 3)}" for x, low, high in ends
        ],
        "hoverinfo": "text",
    }
    traces = [CHANCE, {**side, "y": list(band.low)}, upper, middle]
    return _figure(traces, _layout(*_roc_axes()), ZOOM, caption=band.promise)


# ---- many classes


def multiclass_figures(data: ManyClassesSummary) -> dict[str, Figure]:
    """Return the figures of a report on many classes, by the elements that show them."""
    figures = {
        f"trade-offs-chart:{i}": _trade_offs(data, *choice)
        for i, choice in enumerate(rate_choices(data))
    }
    if data.surface is not None and len(data.classes) >= 3:
        figures["surface-chart"] = _surface(data)
    if data.hulls:
        starts = range(0, len(data.classes), MOST_PANELS)
        figures |= {
            f"curves-chart:{i}": _class_curves(data, range(start, start + MOST_PANELS))
            for i, start in enumerate(starts)
        }
        judged = [(place, each) for place, each in enumerate(data.models) if each.aucs is not None]
        figures["aucs-chart"] = _class_aucs(data, [place for place, _ in judged])
        figures |= {f"pairs-chart:{i}": _pairs(data, place) for i, (place, _) in enumerate(judged)}
    return figures


def rate_choices(data: ManyClassesSummary) -> list[tuple[str, list[str], list[Rate]]]:
    """Return what can be laid side by side: miss rates, or single errors of a class or of all."""
    names, size = [each.name for each in data.classes], len(data.classes)
    errors = [
        [
            (f"{names[k]} as {names[j]}", {"cells": [k * size + j], "of": data.classes[k].rows})
            for j in range(size)
            if j != k
        ]
        for k in range(size)
    ]
    choices = [("missed, of each class", names, [_miss_rate(data, k) for k in range(size)])]
    if 2 < size <= 4:
        every = [pair for row in errors for pair in row]
        choices.append(("every kind of error", *map(list, zip(*every, strict=True))))
    if 2 < size <= MOST_PANELS:
        choices += [
            (f"what {name} is taken for", *map(list, zip(*row, strict=True)))
            for name, row in zip(names, errors, strict=True)
        ]
    return choices


def _miss_rate(data: ManyClassesSummary, k: int) -> Rate:
    size = len(data.classes)
    return {"cells": [k * size + j for j in range(size) if j != k], "of": data.classes[k].rows}


def _value(data: ManyClassesSummary, member: int, rate: Rate) -> float:
    counts = data.members.counts[member]
    return round(sum(counts[cell] for cell in rate["cells"]) / rate["of"], DECIMALS)


def _named(data: ManyClassesSummary) -> Iterator[tuple[int, int, str]]:
    """Yield the members that suggest themselves: place among them, member, and name."""
    for i, each in enumerate(data.recommended[1:]):
        yield i, each.member, escape(each.name)


def _trade_offs(data: ManyClassesSummary, name: str, names: list[str], rates: list[Rate]) -> Figure:
    places = list(range(len(names)))
    shown = _some_members(data)

    def values(member: int) -> list[float]:
        return [_value(data, member, rate) for rate in rates]

    def strong(member: int, title: str, color: str, symbol: str, width: float) -> Figure:
        return {
            "x": places,
            "y": values(member),
            "mode": "lines+markers",
            "line": {"color": color, "width": width},
            "marker": {"color": color, "symbol": symbol, "size": 8},
            "text": [escape(each) for each in names],
            "hovertemplate": f"{title}<br>%{{text}}: %{{y:.1%}}<extra></extra>",
        }

    thin = {
        "x": [x for _ in shown for x in [*places, None]],
        "y": [y for member in shown for y in [*values(member), None]],
        "mode": "lines",
        "line": {"color": "var(--faint)", "width": 0.7},
        "opacity": 0.35,
        "hoverinfo": "skip",
    }
    traces = [
        thin,
        *(
            strong(member, title, suggested_color(i), SUGGESTED[i % 4], 1.6)
            for i, member, title in _named(data)
        ),
        strong(data.answer.member, "the recommendation", "var(--accent)", "circle", 4),
    ]
    classes = _axis(
        tickvals=places,
        range=[-0.5, len(places) - 0.5],
        gridwidth=1.5,
        gridcolor="var(--line)",
        fixedrange=True,
    )
    share = _axis("rate", tickformat=".0%", rangemode="tozero", fixedrange=True)
    return _figure(
        traces,
        _layout(classes, share, margin={"l": 48, "r": 24, "t": 10, "b": 36}),
        name=name,
        caption=_members_caption(data),
        fit=_fit("x", names),
        shows=[{"trace": len(traces) - 1, "y": rates}],
    )


def _some_members(data: ManyClassesSummary) -> list[int]:
    """Return at most so many members as lines can be told apart, evenly from the fewest errors."""
    errors = _errors(data)
    places = [i for i, model in enumerate(data.members.model) if model >= 0]
    places.sort(key=lambda i: errors[i])
    step = max(1.0, len(places) / MOST_LINES)
    return [places[int(i * step)] for i in range(min(MOST_LINES, len(places)))]


def _errors(data: ManyClassesSummary) -> list[int]:
    size = len(data.classes)
    counts = np.array(data.members.counts).reshape(-1, size, size)
    errors: list[int] = (counts.sum(axis=(1, 2)) - np.trace(counts, axis1=1, axis2=2)).tolist()
    return errors


def _members_caption(data: ManyClassesSummary) -> str:
    if data.surface is None:
        return "The models' plain rules; no surface was searched."
    members = sum(place >= 0 for place in data.members.place)
    if members <= MOST_LINES:
        return f"All {counted(members)} members of the surface."
    kept = f" (kept of {counted(data.surface.members)})" if members < data.surface.members else ""
    return (
        f"{MOST_LINES} of {counted(members)} members of the surface{kept}, "
        "evenly from the fewest errors to the most."
    )


def _class_curves(data: ManyClassesSummary, group: range) -> Figure:
    """Return a small ROC graph for each class of a group; the page lays them out."""
    frame = _layout({}, {}, annotations=[], margin={"l": 34, "r": 8, "t": 26, "b": 26})
    traces: list[Figure] = []
    shows = []
    shown = [k for k in group if k < len(data.classes)]
    for i, k in enumerate(shown):
        number = str(i + 1) if i else ""
        own = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        for axis, other in (("x", "y"), ("y", "x")):
            frame[f"{axis}axis{number}"] = _axis(
                range=[-0.02, 1.02],
                anchor=f"{other}{number}",
                tickvals=[0, 0.5, 1],
                ticktext=["0", ".5", "1"],
                fixedrange=True,
            )
        frame["annotations"].append(
            {
                "text": "",
                "x": 0,
                "y": 1.02,
                "xref": f"x{number} domain",
                "yref": f"y{number} domain",
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"color": "var(--ink)", "size": 13},
            }
        )
        rates = _class_point(data, k)
        traces += [{**trace, **own} for trace in _class_panel(data, k, rates)]
        shows.append({"trace": len(traces) - 1, "x": [rates[0]], "y": [rates[1]]})
    names = [data.classes[k].name for k in shown]
    return _figure(traces, frame, fit=_fit("panels", names), shows=shows)


def _class_point(data: ManyClassesSummary, k: int) -> tuple[Rate, Rate]:
    """Return the false and the true positive rate of one class against all others."""
    size, rows = len(data.classes), data.classes[k].rows
    alarms = [i * size + k for i in range(size) if i != k]
    return {"cells": alarms, "of": data.rows - rows}, {"cells": [k * (size + 1)], "of": rows}


def _class_panel(data: ManyClassesSummary, k: int, rates: tuple[Rate, Rate]) -> Iterator[Figure]:
    rows = data.classes[k].rows
    ends = "%{y:.1%} caught, %{x:.1%} false<extra></extra>"
    yield CHANCE
    for place, model in enumerate(data.models):
        if model.curves:
            drawn = look(place)
            yield {
                **_rates(model.curves[k], data.rows - rows, rows),
                "mode": "lines",
                "line": {"color": drawn.color, "width": 1.6, "dash": drawn.dash},
                "legendgroup": str(place),
                "hovertemplate": f"{escape(model.name)}<br>{ends}",
            }
    yield {
        **_rates(data.hulls[k].points, data.rows - rows, rows),
        "mode": "lines",
        "line": {"color": "var(--ink)", "width": 1.8},
        "opacity": 0.85,
        "hoverinfo": "skip",
    }
    x, y = (_value(data, data.answer.member, rate) for rate in rates)
    yield {
        "x": [x],
        "y": [y],
        "mode": "markers",
        "marker": {
            "size": 12,
            "color": "var(--surface)",
            "line": {"color": "var(--accent)", "width": 3},
        },
        "hovertemplate": f"the recommendation<br>{ends}",
    }


def _class_aucs(data: ManyClassesSummary, judged: list[int]) -> Figure:
    """Return areas with whiskers: the three means and every class, the models side by side."""
    names = ["all pairs (M)", "macro", "total", *(each.name for each in data.classes)]
    traces = []
    for i, place in enumerate(judged):
        model, drawn = data.models[place], look(place)
        aucs = model.aucs
        assert aucs is not None  # noqa: S101 - judged are those that have them
        found = [aucs.hand_till, aucs.macro, aucs.total, *aucs.by_class]
        aside = (i - (len(judged) - 1) / 2) * 0.6 / len(judged)
        whiskers = [each.interval or (each.value, each.value) for each in found]
        trace = {
            **_whiskers([each.value for each in found], whiskers),
            "y": [-n - aside for n in range(len(found))],
            "mode": "markers",
            "marker": {"color": drawn.color, "symbol": drawn.symbol, "size": 9},
            "legendgroup": str(place),
            "text": [_interval_text(each) for each in found],
            "hovertemplate": f"{escape(model.name)}<br>%{{x:.4f}} (%{{text}})<extra></extra>",
        }
        trace["error_x"] |= {"color": drawn.color, "width": 3}
        traces.append(trace)
    rows = _axis(
        automargin=False,
        tickvals=[-n for n in range(len(names))],
        range=[0.4 - len(names), 0.6],
        fixedrange=True,
    )
    below_means = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": -2.5,
        "y1": -2.5,
        "line": {"color": "var(--line)", "width": 1},
        "layer": "below",
    }
    frame = _layout(
        _axis(tickformat=".2f", fixedrange=True),
        rows,
        margin={"r": 14, "t": 6, "b": 34},
        height=60 + len(names) * max(26, 9 + 7 * len(judged)),
        shapes=[below_means],
    )
    return _figure(traces, frame, fit=_fit("y", names, 16))


def _interval_text(each: Estimate) -> str:
    if each.interval is None:
        return "no interval"
    return " to ".join(fixed(end, 3) for end in each.interval)


def _pairs(data: ManyClassesSummary, place: int) -> Figure:
    aucs = data.models[place].aucs
    assert aucs is not None  # noqa: S101 - only of models that have them
    names = [escape(shorten(each.name, 14)) for each in data.classes]
    known = [value for row in aucs.pairs for value in row if value is not None]
    trace = {
        "type": "heatmap",
        "z": [list(row) for row in aucs.pairs],
        "zmin": min(0.95, int(20 * min(known)) / 20),
        "zmax": 1,
        "colorscale": [[0, "var(--surface)"], [1, "var(--c0)"]],
        "xgap": 2,
        "ygap": 2,
        "customdata": [[f"{one} and {other}" for other in names] for one in names],
        "hovertemplate": "%{customdata}: %{z:.4f}<extra></extra>",
        "hoverongaps": False,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickformat": ".2f", "nticks": 5},
    }
    few = len(names) <= MOST_NUMBERS
    if few:
        trace |= {"texttemplate": "%{z:.3f}"}
    ticks = {
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "showgrid": False,
        "constrain": "domain",
        "fixedrange": True,
    }
    frame = _layout(
        _axis(**ticks),
        _axis(**ticks, autorange="reversed", scaleanchor="x"),
        margin={"l": 84, "r": 76, "t": 6, "b": 44},
    )
    return _figure([trace], frame, name=data.models[place].name, square=470 if few else 640)


def _surface(data: ManyClassesSummary) -> Figure:
    """Return the miss rates of three classes; the page can show others on the axes."""
    rates = [_miss_rate(data, k) for k in range(len(data.classes))]
    members = [i for i, place in enumerate(data.members.place) if place >= 0]
    shown = _widest(data, members, rates)
    errors = _errors(data)
    missed = "%{meta[0]} %{x:.1%}, %{meta[1]} %{y:.1%}, %{meta[2]} %{z:.1%} missed<extra></extra>"

    def marks(places: list[int], title: str, **marker: Any) -> Figure:
        return {
            "type": "scatter3d",
            "mode": "markers",
            **{
                axis: [_value(data, place, rates[k]) for place in places]
                for axis, k in zip("xyz", shown, strict=True)
            },
            "marker": marker,
            "hovertemplate": f"{title}<br>{missed}" if title else missed,
        }

    many = len(members) > 300
    cloud = marks(
        members,
        "",
        size=2.3 if many else 5,
        opacity=0.5 if many else 0.8,
        color=[round(errors[i] / data.rows, DECIMALS) for i in members],
        # few errors stand out from the ground, in both themes
        colorscale=[[0, "var(--ink)"], [0.5, "var(--c0)"], [1, "var(--quiet)"]],
        colorbar={
            "thickness": 10,
            "outlinewidth": 0,
            "len": 0.6,
            "tickformat": ".0%",
            "title": {"text": "wrong"},
        },
    )
    edge: Callable[[float], Figure] = lambda width: {"color": "var(--surface)", "width": width}  # noqa: E731
    named = [
        marks(
            [member],
            title,
            size=7,
            symbol=SUGGESTED_3D[i % 4],
            color=suggested_color(i),
            line=edge(1),
        )
        for i, member, title in _named(data)
    ]
    now = marks(
        [data.answer.member], "the recommendation", size=9, color="var(--accent)", line=edge(2)
    )
    shows = [
        {"trace": 0, "members": members},
        *({"trace": i + 1, "members": [member]} for i, member, _ in _named(data)),
        {"trace": len(named) + 1},
    ]
    frame = _layout({}, {}, margin={"l": 0, "r": 0, "t": 0, "b": 0}, scene=_scene())
    return _figure(
        [cloud, *named, now],
        frame,
        shows=shows,
        axes={"shown": shown, "rates": rates, "names": [each.name for each in data.classes]},
        without_webgl="This browser cannot draw in three dimensions (WebGL is off); "
        "the trade-offs above show the same.",
    )


def _widest(data: ManyClassesSummary, members: list[int], rates: list[Rate]) -> list[int]:
    """Return the three classes that differ most among the members: their trade-off shows most."""
    values = [[_value(data, member, rate) for member in members] for rate in rates]
    spans = [max(each, default=0) - min(each, default=0) for each in values]
    return sorted(sorted(range(len(spans)), key=lambda k: -spans[k])[:3])


def _scene() -> Figure:
    side = {
        "tickformat": ".0%",
        "rangemode": "tozero",
        "gridcolor": "var(--line)",
        "zerolinecolor": "var(--line)",
        "backgroundcolor": "rgba(0,0,0,0)",
        "color": "var(--soft)",
    }
    return {
        **{
            f"{axis}axis": {**side, "title": {"text": f"%{{meta[{i}]}} missed"}}
            for i, axis in enumerate("xyz")
        },
        "aspectmode": "cube",
        "camera": {
            "eye": {"x": 1.45, "y": 1.45, "z": 0.75},
            "center": {"x": 0, "y": 0, "z": -0.14},
        },
    }
