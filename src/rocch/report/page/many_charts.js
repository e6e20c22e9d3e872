// The flat charts of a page for many classes: trade-offs, curves by class, areas, pairs.
"use strict";
const RocchManyCharts = (() => {
  const { $, plain, short } = RocchShell;
  const MOST_LINES = 250;
  const MOST_PANELS = 12;
  const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false };
  const SUGGESTED = ["diamond", "square", "triangle-up", "star"];

  function theme() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
      ink: of("ink"), soft: of("soft"), faint: of("faint"), quiet: of("quiet"), line: of("line"), grid: of("grid"),
      accent: of("accent"), surface: of("surface"), action: of("action"),
      color: (place) => of(`c${place % 8}`),
    };
  }

  const frame = (look) => ({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false,
    font: { family: "system-ui, sans-serif", size: 12, color: look.soft },
    margin: { l: 48, r: 12, t: 10, b: 40 }, hovermode: "closest",
    hoverlabel: { bgcolor: look.surface, bordercolor: look.line, font: { color: look.ink } },
  });
  const axis = (look, more) => ({
    gridcolor: look.grid, linecolor: look.line, zeroline: false, fixedrange: true,
    tickfont: { color: look.soft }, ...more,
  });

  /** What can be laid side by side: miss rates, or single errors of one class or of all. */
  function rateChoices(model) {
    const pairs = model.classes.flatMap((truth, k) => model.classes.map((answer, j) => ({ truth, answer, k, j })))
      .filter((pair) => pair.k !== pair.j);
    const cellsOf = (some) => ({
      names: some.map((pair) => `${pair.truth} as ${pair.answer}`),
      values: (place) => some.map((pair) => model.rates[place][pair.k * model.size + pair.j]),
    });
    const choices = [{ label: "missed, of each class", names: model.classes, values: (place) => RocchManyGeometry.missRates(model, place) }];
    if (model.size <= 4 && model.size > 2) choices.push({ label: "every kind of error", ...cellsOf(pairs) });
    if (model.size > 2 && model.size <= MOST_PANELS) {
      model.classes.forEach((name, k) =>
        choices.push({ label: `what ${name} is taken for`, ...cellsOf(pairs.filter((pair) => pair.k === k)) }));
    }
    return choices;
  }

  /** At most so many members of the surface, evenly among them. */
  function some(model, most) {
    const places = model.members.model.map((_, place) => place).filter((place) => model.members.model[place] >= 0);
    places.sort((a, b) => model.errors[a] - model.errors[b]);
    const step = Math.max(1, places.length / most);
    return Array.from({ length: Math.min(most, places.length) }, (_, i) => places[Math.floor(i * step)]);
  }

  /** A name as long as a place of so many pixels has room for. */
  const fitted = (name, pixels) => plain(short(name, Math.max(6, Math.min(22, Math.floor(pixels / 9)))));

  function tradeOffs(model, named, choice, chosen, look) {
    const x = choice.names.map((_, i) => i);
    const room = ($("trade-offs-chart").clientWidth - 72) / x.length; // less the margins below
    const lines = { x: [], y: [] };
    for (const place of some(model, MOST_LINES)) {
      lines.x.push(...x, null);
      lines.y.push(...choice.values(place), null);
    }
    const strong = (place, name, color, symbol, width) => ({
      x, y: choice.values(place), mode: "lines+markers", name: plain(name),
      line: { color: color, width }, marker: { color: color, symbol, size: 8 },
      hovertemplate: `${plain(name)}<br>%{text}: %{y:.1%}<extra></extra>`, text: choice.names.map(plain),
    });
    const traces = [
      { ...lines, mode: "lines", line: { color: look.faint, width: 0.7 }, opacity: 0.35, hoverinfo: "skip" },
      ...named.map(([name, place], i) => strong(place, name, look.color(i + (i > 2 ? 3 : 0)), SUGGESTED[i % 4], 1.6)),
      strong(chosen, "the recommendation", look.accent, "circle", 4),
    ];
    const layout = {
      ...frame(look), margin: { l: 48, r: 24, t: 10, b: 36 },
      xaxis: axis(look, { automargin: true, tickvals: x, ticktext: choice.names.map((name) => fitted(name, room)), range: [-0.5, x.length - 0.5], showgrid: true, gridwidth: 1.5, gridcolor: look.line }),
      yaxis: axis(look, { tickformat: ".0%", rangemode: "tozero", title: { text: "rate" } }),
    };
    return [traces, layout];
  }

  const rates = (points, others, own) => ({
    x: points.false_positives.map((count) => count / others),
    y: points.true_positives.map((count) => count / own),
  });

  function places(number, width) {
    const columns = Math.max(1, Math.min(number, 4, Math.floor(width / 160)));
    return { columns, rows: Math.ceil(number / columns) };
  }

  /** What a member does for one class against all others. */
  function pointOf(model, place, k) {
    const counts = model.members.counts[place];
    const others = model.totals.reduce((sum, each, i) => (i === k ? sum : sum + each), 0);
    let alarms = 0;
    for (let i = 0; i < model.size; i += 1) if (i !== k) alarms += counts[i * model.size + k];
    return { x: [alarms / others], y: [counts[k * (model.size + 1)] / model.totals[k]] };
  }

  /** One small ROC graph for each class of a group. */
  function curves(summary, model, chosen, group, width, look) {
    const shown = model.classes.map((_, k) => k).slice(group * MOST_PANELS, (group + 1) * MOST_PANELS);
    const { columns, rows } = places(shown.length, width);
    const layout = { ...frame(look), height: rows * (Math.min(width, 1100) / columns) + 20, annotations: [], margin: { l: 34, r: 8, t: 26, b: 26 } };
    const traces = [];
    const marks = [];
    shown.forEach((k, i) => {
      const id = i ? String(i + 1) : "";
      const own = { xaxis: `x${id}`, yaxis: `y${id}` };
      const others = summary.rows - model.totals[k];
      const at = (n, all, gap) => [(n + gap) / all, (n + 1 - gap) / all];
      layout[`xaxis${id}`] = axis(look, { domain: at(i % columns, columns, 0.06), range: [-0.02, 1.02], anchor: `y${id}`, tickvals: [0, 0.5, 1], ticktext: ["0", ".5", "1"] });
      layout[`yaxis${id}`] = axis(look, { domain: at(rows - 1 - Math.floor(i / columns), rows, 0.11), range: [-0.02, 1.02], anchor: `x${id}`, tickvals: [0, 0.5, 1], ticktext: ["0", ".5", "1"] });
      layout.annotations.push({ text: fitted(model.classes[k], 0.75 * width / columns), x: 0, y: 1.02, xref: `x${id} domain`, yref: `y${id} domain`, xanchor: "left", yanchor: "bottom", showarrow: false, font: { color: look.ink, size: 13 } });
      traces.push({ x: [0, 1], y: [0, 1], mode: "lines", line: { color: look.quiet, width: 1.2, dash: "dot" }, hoverinfo: "skip", ...own });
      summary.models.forEach((judged, m) => {
        if (!judged.curves.length) return;
        const drawn = RocchLooks.assign([]).at(m);
        traces.push({ ...rates(judged.curves[k], others, model.totals[k]), mode: "lines", name: plain(judged.name), meta: m,
          line: { color: look.color(m), width: 1.6, dash: drawn.dash }, hovertemplate: `${plain(judged.name)}<br>%{y:.1%} caught, %{x:.1%} false<extra></extra>`, ...own });
      });
      traces.push({ ...rates(summary.hulls[k].points, others, model.totals[k]), mode: "lines", line: { color: look.ink, width: 1.8 }, opacity: 0.85, hoverinfo: "skip", ...own });
      marks.push({ k, trace: traces.length });
      traces.push({ ...pointOf(model, chosen, k), mode: "markers", marker: { size: 12, color: look.surface, line: { color: look.accent, width: 3 } }, hovertemplate: "the recommendation<br>%{y:.1%} caught, %{x:.1%} false<extra></extra>", ...own });
    });
    return [traces, layout, marks];
  }

  /** Areas with whiskers: the three means and every class, each model beside the others. */
  function aucs(summary, look) {
    const judged = summary.models.map((model, m) => [model, m]).filter(([model]) => model.aucs);
    const names = ["all pairs (M)", "macro", "total", ...summary.classes.map((each) => each.name)];
    const spread = 0.6 / judged.length;
    const traces = judged.map(([model, m], i) => {
      const { hand_till, macro, total, by_class } = model.aucs;
      const found = [hand_till, macro, total, ...by_class];
      const drawn = RocchLooks.assign([]).at(m);
      return {
        x: found.map((each) => each.value), y: found.map((_, n) => -n - (i - (judged.length - 1) / 2) * spread),
        error_x: { type: "data", symmetric: false, thickness: 1.6, width: 3, color: look.color(m),
          array: found.map((each) => (each.interval ? each.interval[1] - each.value : 0)),
          arrayminus: found.map((each) => (each.interval ? each.value - each.interval[0] : 0)) },
        mode: "markers", marker: { color: look.color(m), symbol: drawn.symbol, size: 9 }, name: plain(model.name),
        text: found.map((each) => (each.interval ? `${each.interval[0].toFixed(3)} to ${each.interval[1].toFixed(3)}` : "no interval")),
        hovertemplate: `${plain(model.name)}<br>%{x:.4f} (%{text})<extra></extra>`,
      };
    });
    const layout = {
      ...frame(look), margin: { l: 108, r: 14, t: 6, b: 34 }, height: 60 + names.length * Math.max(26, 9 + 7 * judged.length),
      xaxis: axis(look, { tickformat: ".2f" }),
      yaxis: axis(look, { automargin: true, tickvals: names.map((_, n) => -n), ticktext: names.map((name) => plain(short(name, 16))), range: [-names.length + 0.4, 0.6] }),
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: -2.5, y1: -2.5, line: { color: look.line, width: 1 }, layer: "below" }],
    };
    return [traces, layout];
  }

  function pairs(summary, judged, width, look) {
    const names = summary.classes.map((each) => each.name);
    const inner = Math.min(width, names.length > 8 ? 640 : 470) - 160;
    const z = judged.aucs.pairs;
    const least = Math.min(0.95, Math.floor(20 * Math.min(...z.flat().filter((value) => value !== null))) / 20);
    const few = names.length <= 8 && inner / names.length > 50; // else the numbers would touch
    const labels = names.map((name) => plain(short(name, 14)));
    const ticks = { tickvals: names.map((_, k) => k), ticktext: labels, showgrid: false, constrain: "domain", automargin: true };
    const trace = {
      type: "heatmap", z, zmin: least, zmax: 1, colorscale: [[0, look.surface], [1, look.color(0)]], xgap: 2, ygap: 2,
      text: z.map((row) => row.map((value) => (value === null ? "" : value.toFixed(3)))), texttemplate: few ? "%{text}" : "",
      customdata: z.map((row, k) => row.map((_, j) => `${labels[k]} and ${labels[j]}`)), textfont: { size: names.length > 8 ? 9 : 11 },
      hovertemplate: "%{customdata}: %{z:.4f}<extra></extra>", hoverongaps: false,
      colorbar: { thickness: 10, outlinewidth: 0, tickfont: { color: look.soft }, tickformat: ".2f", nticks: 5 },
    };
    return [[trace], { ...frame(look), width: inner + 160, height: inner + 50, margin: { l: 84, r: 76, t: 6, b: 44 }, xaxis: axis(look, ticks), yaxis: axis(look, { ...ticks, autorange: "reversed", scaleanchor: "x" }) }];
  }

  return { theme, frame, rateChoices, tradeOffs, curves, pointOf, aucs, pairs, CONFIG, SUGGESTED };
})();
