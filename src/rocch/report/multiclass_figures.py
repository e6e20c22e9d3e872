"""The charts of reports on many classes, as figures (see `rocch.report.figures`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rocch.multiclass.classes import Classes
from rocch.numbers import fixed
from rocch.report.figures import (
    DECIMALS,
    NOWHERE,
    escape,
    fit_names,
    look,
    make_axis,
    make_chance_line,
    make_figure,
    make_layout,
    make_lines,
    make_whiskers,
    scale_points,
    shorten,
)
from rocch.report.members import surface_of
from rocch.report.words import CLASS_TEXTS, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocch.multiclass.surface import RocSurface
    from rocch.report.figures import Figure
    from rocch.report.summary import Aucs, Model, MulticlassData, Recommended

# Symbols of the members that suggest themselves, flat and in three dimensions.
SUGGESTED = ("diamond", "square", "triangle-up", "star")
SUGGESTED_3D = ("diamond", "square", "cross", "x")
# Trade-offs have at most this many lines, which can still be told apart.
MOST_LINES = 250
# A chart of rates reaches at least this far.
LEAST_TOP = 0.02
# This many classes have their small charts side by side.
MOST_PANELS = 12
# With more classes, the numbers of pairs are left to hovering.
MOST_NUMBERS = 8


class Rate(NamedTuple):
    """A rate of a member: the sum of these cells of its confusion counts, of this many rows."""

    cells: list[int]
    of: int

    def value(self, counts: Sequence[int]) -> float:
        """Return the rate of the member with these counts."""
        return round(sum(counts[cell] for cell in self.cells) / self.of, DECIMALS)


class RateChoice(NamedTuple):
    """Rates that the trade-offs can lay side by side."""

    label: str
    names: list[str]
    rates: list[Rate]


def multiclass_figures(data: MulticlassData) -> dict[str, Figure]:
    """Return the figures of a report on many classes, by the elements that show them."""
    figures = {
        f"trade-offs-chart:{i}": _trade_offs(data, choice)
        for i, choice in enumerate(rate_choices(data))
    }
    if data.surface is not None and len(data.classes) >= 3:
        figures["surface-chart"] = _surface(data)
    if data.hulls:
        groups = range(0, len(data.classes), MOST_PANELS)
        judged = [(place, each, each.aucs) for place, each in enumerate(data.models) if each.aucs]
        figures |= {f"curves-chart:{i}": _class_curves(data, k) for i, k in enumerate(groups)}
        figures["aucs-chart"] = _class_aucs(data, judged)
        figures |= {f"pairs-chart:{i}": _pairs(data, aucs) for i, (*_, aucs) in enumerate(judged)}
    return figures


def rate_choices(data: MulticlassData) -> list[RateChoice]:
    """Return what can be laid side by side: miss rates, or single errors of a class or of all."""
    names, size = [each.name for each in data.classes], len(data.classes)

    def errors(truths: Sequence[int]) -> tuple[list[str], list[Rate]]:
        pairs = [(k, j) for k in truths for j in range(size) if j != k]
        labels = [f"{names[k]} as {names[j]}" for k, j in pairs]
        return labels, [Rate([k * size + j], data.classes[k].rows) for k, j in pairs]

    choices = [RateChoice("missed, of each class", names, _miss_rates(data))]
    if 2 < size <= 4:
        choices.append(RateChoice("every kind of error", *errors(range(size))))
    if 2 < size <= MOST_PANELS:
        choices += [
            RateChoice(f"what {name} is taken for", *errors([k])) for k, name in enumerate(names)
        ]
    return choices


def suggested_color(place: int) -> str:
    """Return the color of a member that suggests itself: none that looks like the accent."""
    return look(place + 3 if place > 2 else place).color


def _miss_rates(data: MulticlassData) -> list[Rate]:
    size = len(data.classes)
    return [
        Rate([k * size + j for j in range(size) if j != k], each.rows)
        for k, each in enumerate(data.classes)
    ]


def _named(data: MulticlassData) -> Iterator[tuple[int, int, str]]:
    """Yield the members that suggest themselves: place among them, member, and name."""
    for i, each in enumerate(fixed_suggestions(data)):
        yield i, each.member, escape(each.name)


def fixed_suggestions(data: MulticlassData) -> list[Recommended]:
    """Return the members that suggest themselves whatever the costs are."""
    follow = {CLASS_TEXTS["suggest_own"], CLASS_TEXTS["suggest_cheapest"]}
    return [each for each in data.recommended if each.name not in follow]


def _trade_offs(data: MulticlassData, choice: RateChoice) -> Figure:
    x, names = list(range(len(choice.names))), [escape(name) for name in choice.names]

    def points(members: list[int]) -> Figure:
        """Return the lines of members, with a gap after each."""
        counts = [data.members.counts[member] for member in members]
        rates = [[rate.value(each) for rate in choice.rates] for each in counts]
        return {"x": [*x, None] * len(rates), "y": [y for each in rates for y in [*each, None]]}

    def strong(member: int, title: str, color: str, symbol: str, width: float) -> Figure:
        marker = {"color": color, "symbol": symbol, "size": 8}
        hover = f"{title}<br>%{{text}}: %{{y:.1%}}"
        more: Figure = {
            "mode": "lines+markers",
            "marker": marker,
            "text": names,
            "hovertemplate": hover,
        }
        return make_lines(points([member]), color, width, **more)

    thin = make_lines(points(_some_members(data)), "var(--faint)", 0.7, opacity=0.35)
    named = [
        strong(member, title, suggested_color(i), SUGGESTED[i % 4], 1.6)
        for i, member, title in _named(data)
    ]
    now = strong(data.answer.member, "the recommendation", "var(--accent)", "circle", 4)
    classes = make_axis(tickvals=x, range=[-0.5, len(x) - 0.5], fixedrange=True)
    classes |= {"gridwidth": 1.5, "gridcolor": "var(--line)"}
    top = _top(trace["y"] for trace in [*named, now])
    is_cut = any(y is not None and y > top for y in thin["y"])
    percent = ".0%" if top >= 0.1 else ".1%"
    share = make_axis("rate", tickformat=percent, range=[0, top], fixedrange=True)
    return make_figure(
        [thin, *named, now],
        make_layout(classes, share, "48 24 10 36"),
        name=choice.label,
        caption=_members_caption(data) + " Higher rates lie beyond the chart." * is_cut,
        top=top,
        fit=fit_names("x", choice.names),
        shows=[{"trace": len(named) + 1, "y": [rate._asdict() for rate in choice.rates]}],
    )


def _top(lines: Iterable[Sequence[float | None]]) -> float:
    """Return where a chart of rates ends: above the strong lines, which are what is compared."""
    highest = max((y for line in lines for y in line if y is not None), default=0.0)
    return min(max(1.3 * highest, LEAST_TOP), 1.02)


def _some_members(data: MulticlassData) -> list[int]:
    """Return members for the thin lines, evenly from the fewest errors to the most."""
    errors = _surface_of(data).errors
    places = [i for i, model in enumerate(data.members.model) if model >= 0]
    places.sort(key=lambda i: errors[i])
    step = max(1.0, len(places) / MOST_LINES)
    return [places[int(i * step)] for i in range(min(MOST_LINES, len(places)))]


def _surface_of(data: MulticlassData) -> RocSurface:
    return surface_of(data.members, Classes(tuple(each.name for each in data.classes)))


def _members_caption(data: MulticlassData) -> str:
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


def _class_curves(data: MulticlassData, start: int) -> Figure:
    """Return a small ROC graph for each class of a group; the page lays them out."""
    frame = make_layout({}, {}, "34 8 26 26", annotations=[])
    title = {"x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    title |= {"text": "", "font": {"color": "var(--ink)", "size": 13}}
    ticks: Figure = {"tickvals": [0, 0.5, 1], "ticktext": ["0", ".5", "1"], "automargin": False}
    shown = range(start, min(start + MOST_PANELS, len(data.classes)))
    traces: list[Figure] = []
    shows = []
    for i, k in enumerate(shown):
        x, y = (f"{axis}{i + 1 if i else ''}" for axis in "xy")
        for own, other in ((x, y), (y, x)):
            place: Figure = {"anchor": other, "range": [-0.02, 1.02], "fixedrange": True}
            frame[f"{own[0]}axis{own[1:]}"] = make_axis(**place, **ticks)
        frame["annotations"].append({**title, "xref": f"{x} domain", "yref": f"{y} domain"})
        traces += [{**trace, "xaxis": x, "yaxis": y} for trace in _class_panel(data, k)]
        fpr, tpr = ([rate._asdict()] for rate in _class_point(data, k))
        shows.append({"trace": len(traces) - 1, "x": fpr, "y": tpr})
    fit = fit_names("panels", [data.classes[k].name for k in shown])
    return make_figure(traces, frame, fit=fit, shows=shows)


def _class_point(data: MulticlassData, k: int) -> tuple[Rate, Rate]:
    """Return the false and the true positive rate of one class against all others."""
    size, rows = len(data.classes), data.classes[k].rows
    alarms = [i * size + k for i in range(size) if i != k]
    return Rate(alarms, data.rows - rows), Rate([k * (size + 1)], rows)


def _class_panel(data: MulticlassData, k: int) -> Iterator[Figure]:
    """Yield the traces of one class; the last is the recommendation."""
    rows = data.classes[k].rows
    rates = "<br>%{y:.1%} caught, %{x:.1%} false"
    yield make_chance_line()
    for place, model in enumerate(data.models):
        if model.curves:
            xy = scale_points(model.curves[k], data.rows - rows, rows)
            more = {"legendgroup": str(place), "hovertemplate": escape(model.name) + rates}
            yield make_lines(xy, look(place).color, 1.6, look(place).dash, **more)
    hull = scale_points(data.hulls[k].points, data.rows - rows, rows)
    yield make_lines(hull, "var(--ink)", 1.8, opacity=0.85)
    x, y = (rate.value(data.members.counts[data.answer.member]) for rate in _class_point(data, k))
    ring = {"size": 12, "color": "var(--surface)", "line": {"color": "var(--accent)", "width": 3}}
    hover = {"hovertemplate": f"the recommendation{rates}"}
    yield {"x": [x], "y": [y], "mode": "markers", "marker": ring, "cliponaxis": False, **hover}


def _class_aucs(data: MulticlassData, judged: list[tuple[int, Model, Aucs]]) -> Figure:
    """Return areas with whiskers: the three means and every class, the models side by side."""
    names = ["all pairs (M)", "macro", "total", *(each.name for each in data.classes)]
    traces = []
    for i, (place, model, aucs) in enumerate(judged):
        found = [aucs.hand_till, aucs.macro, aucs.total, *aucs.by_class]
        aside = 0.6 * (i - (len(judged) - 1) / 2) / len(judged)
        own = look(place)
        estimates = [(each.value, each.interval) for each in found]
        traces.append(
            {
                **make_whiskers(estimates, own.color, 3),
                "y": [-n - aside for n in range(len(found))],
                "marker": {"color": own.color, "symbol": own.symbol, "size": 9},
                "legendgroup": str(place),
                "text": [_interval_text(interval) for _, interval in estimates],
                "hovertemplate": f"{escape(model.name)}<br>%{{x:.4f}} (%{{text}})",
            }
        )
    rows = make_axis(automargin=False, fixedrange=True, range=[0.4 - len(names), 0.6])
    rows["tickvals"] = [-n for n in range(len(names))]
    below_means = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": -2.5, "y1": -2.5}
    below_means |= {"line": {"color": "var(--line)", "width": 1}, "layer": "below"}
    height = 60 + len(names) * max(26, 9 + 7 * len(judged))
    x = make_axis(tickformat=".2f", fixedrange=True)
    frame = make_layout(x, rows, "0 14 6 34", height=height, shapes=[below_means])
    return make_figure(traces, frame, fit=fit_names("y", names, 16))


def _interval_text(interval: Sequence[float] | None) -> str:
    return " to ".join(fixed(end, 3) for end in interval) if interval else "no interval"


def _pairs(data: MulticlassData, aucs: Aucs) -> Figure:
    names = [escape(shorten(each.name, 14)) for each in data.classes]
    known = [value for row in aucs.pairs for value in row if value is not None]
    few = len(names) <= MOST_NUMBERS
    trace = {
        "type": "heatmap",
        "z": [list(row) for row in aucs.pairs],
        "zmin": min(0.95, int(20 * min(known)) / 20),
        "zmax": 1,
        "colorscale": [[0, "var(--surface)"], [1, "var(--c0)"]],
        "xgap": 2,
        "ygap": 2,
        "texttemplate": "%{z:.3f}" if few else "",
        "customdata": [[f"{one} and {other}" for other in names] for one in names],
        "hovertemplate": "%{customdata}: %{z:.4f}",
        "hoverongaps": False,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickformat": ".2f", "nticks": 5},
    }
    ticks: Figure = {"tickvals": list(range(len(names))), "ticktext": names, "showgrid": False}
    ticks |= {"constrain": "domain", "fixedrange": True}
    rows = make_axis(**ticks, autorange="reversed", scaleanchor="x")
    frame = make_layout(make_axis(**ticks), rows, "84 76 6 44")
    return make_figure([trace], frame, square=470 if few else 640)


def _surface(data: MulticlassData) -> Figure:
    """Return the miss rates of three classes; the page can show others on the axes."""
    rates, errors = _miss_rates(data), _surface_of(data).errors.tolist()
    members = [i for i, place in enumerate(data.members.place) if place >= 0]
    shown = _widest(data, members)
    missed = "%{meta[0]} %{x:.1%}, %{meta[1]} %{y:.1%}, %{meta[2]} %{z:.1%} missed"

    def marks(places: list[int], title: str, edge: float = 0, **marker: Any) -> Figure:
        counts = [data.members.counts[place] for place in places]
        axes = zip("xyz", ([rates[k].value(each) for each in counts] for k in shown), strict=True)
        marker["line"] = {"color": "var(--surface)", "width": edge}
        hover = {"hovertemplate": title + missed}
        return {"type": "scatter3d", "mode": "markers", **dict(axes), "marker": marker, **hover}

    many = len(members) > 300
    # few errors stand out from the ground, in both themes
    scale = [[0, "var(--ink)"], [0.5, "var(--c0)"], [1, "var(--quiet)"]]
    bar = {"thickness": 10, "outlinewidth": 0, "len": 0.6, "tickformat": ".0%"}
    color: Figure = {"color": [round(errors[i] / data.rows, DECIMALS) for i in members]}
    color |= {
        "colorscale": scale,
        "showscale": True,
        "colorbar": bar | {"title": {"text": "wrong"}},
    }
    size, opacity = (2.3, 0.5) if many else (5, 0.8)
    traces = [marks(members, "", size=size, opacity=opacity, **color)]
    shows: list[Figure] = [{"trace": 0, "members": members}]
    for i, member, title in _named(data):
        own = {"symbol": SUGGESTED_3D[i % 4], "color": suggested_color(i)}
        shows.append({"trace": len(traces), "members": [member]})
        traces.append(marks([member], f"{title}<br>", 1, size=7, **own))
    shows.append({"trace": len(traces)})
    now = {"size": 9, "symbol": "circle", "color": "var(--accent)"}
    traces.append(marks([data.answer.member], "the recommendation<br>", 2, **now))
    names = [each.name for each in data.classes]
    return make_figure(
        traces,
        make_layout({}, {}, "0 0 0 0", scene=_scene()),
        shows=shows,
        axes={"shown": shown, "rates": [rate._asdict() for rate in rates], "names": names},
        without_webgl="This browser cannot draw in three dimensions (WebGL is off); "
        "the trade-offs above show the same.",
    )


def _widest(data: MulticlassData, members: list[int]) -> list[int]:
    """Return the three classes that differ most among the members: their trade-off shows most."""
    counts = [data.members.counts[member] for member in members]
    values = [[rate.value(each) for each in counts] for rate in _miss_rates(data)]
    spans = [max(each, default=0) - min(each, default=0) for each in values]
    return sorted(sorted(range(len(spans)), key=lambda k: -spans[k])[:3])


def _scene() -> Figure:
    colors = {"gridcolor": "var(--line)", "zerolinecolor": "var(--line)", "color": "var(--soft)"}
    side = {"tickformat": ".0%", "rangemode": "tozero", "backgroundcolor": NOWHERE, **colors}
    axes = {
        f"{axis}axis": {**side, "title": {"text": f"%{{meta[{i}]}} missed"}}
        for i, axis in enumerate("xyz")
    }
    eye, center = {"x": 1.45, "y": 1.45, "z": 0.75}, {"x": 0, "y": 0, "z": -0.14}
    return {**axes, "aspectmode": "cube", "camera": {"eye": eye, "center": center}}
