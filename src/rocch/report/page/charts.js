// The charts that Plotly draws. Curves are drawn once; what moves are shapes, which are cheap.
"use strict";
const RocchCharts = (() => {
  const { $, plain, short } = RocchShell;
  const MOST_MARKS = 120; // of a hull; beyond, marks would hide one another
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif";
  const QUIET = { width: 1.2, dash: "dot", color: "#bcc2c8" }; // of no classifier: dotted, and lighter than any
  const HALO = { width: 1, color: "#ffffff" }; // around marks, which the dark theme cannot recolor
  const CONFIG = {
    displaylogo: false, responsive: true, // and no button that could send anything anywhere:
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  };
  const hidden = new Set(); // places of classifiers that the legend has switched off
  let page; // summary, model, looks, and what was last asked and answered

  // ---- common ----------------------------------------------------------------------------------

  function axis(title, more = {}) {
    return {
      title: { text: title, standoff: 8 }, zeroline: false, ticks: "", automargin: true,
      gridcolor: "#e8eaec", linecolor: "#dcdfe2", fixedrange: false, ...more,
    };
  }

  function layout(x, y, more = {}) {
    return {
      xaxis: x, yaxis: y, showlegend: false, hovermode: "closest", dragmode: "zoom",
      margin: { l: 52, r: 12, t: 10, b: 44 },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: FONT, size: 12, color: "#5a636e" },
      hoverlabel: { bgcolor: "#20262d", bordercolor: "#20262d", font: { family: FONT, size: 12.5, color: "#ffffff" }, align: "left", namelength: 0 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: "#8a929c", activecolor: "#0b5cad" },
      ...more,
    };
  }

  const rocAxes = () => [
    axis("False positive rate", { range: [-0.012, 1.012], constrain: "domain" }),
    axis("True positive rate", { range: [-0.012, 1.012], scaleanchor: "x", constrain: "domain" }),
  ];

  const chance = { x: [0, 1], y: [0, 1], mode: "lines", uid: "quiet-chance", hoverinfo: "skip", line: QUIET };

  /** A trace whose color the theme may change: page.css finds it by its uid. */
  function themed(place, name, more) {
    const look = page.looks.at(place);
    return {
      uid: `k${place % 8}-${name}-${place}`,
      line: { color: look.color, dash: look.dash, width: 1.5 },
      ...more,
    };
  }

  const counted = (x, all) => `${RocchWords.counted(x)} of ${RocchWords.counted(all)}`;

  function pointWords(fp, tp) {
    const { N, P } = page.model;
    return `FPR ${RocchWords.fixed(fp / N, 4)} (${counted(fp, N)})<br>TPR ${RocchWords.fixed(tp / P, 4)} (${counted(tp, P)})`;
  }

  // ---- the ROC graph ---------------------------------------------------------------------------

  function rates({ false_positives: fp, true_positives: tp }) {
    const { N, P } = page.model;
    return { x: fp.map((count) => count / N), y: tp.map((count) => count / P) };
  }

  const at = (threshold) => (threshold ? ` at ${plain(threshold)}` : "");

  function curveTraces() {
    return page.summary.classifiers.map((each, place) => {
      const points = each.curve || each.own_hull;
      const name = plain(short(each.name, 40));
      return themed(place, "curve", {
        ...rates(points),
        mode: each.scoring ? "lines" : "lines+markers",
        marker: { symbol: page.looks.at(place).symbol, size: 7, color: page.looks.at(place).color, line: HALO },
        visible: !hidden.has(place),
        text: points.false_positives.map((fp, i) =>
          `<b>${name}</b>${at(points.threshold && points.threshold[i])}<br>${pointWords(fp, points.true_positives[i])}`),
        hovertemplate: "%{text}<extra></extra>",
      });
    });
  }

  function vertexWords(i) {
    const { hull, names } = page.model;
    const { name, threshold } = RocchTables.setting(i);
    const also = hull.classifier[i] < 0 ? [] : hull.also[i].map((place) => plain(short(names[place])));
    return `<b>${plain(short(name, 40))}</b>${at(threshold)}<br>` +
      pointWords(hull.fp[i], hull.tp[i]) + (also.length ? `<br>also ${also.slice(0, 5).join(", ")}` : "");
  }

  function hullTrace() {
    const { hull } = page.model;
    const few = hull.fp.length <= MOST_MARKS;
    const colors = Array.from(hull.classifier, (place) => page.looks.at(place).color);
    return {
      x: Array.from(hull.fpr), y: Array.from(hull.tpr), uid: "ink-hull", mode: few ? "lines+markers" : "lines",
      line: { width: 2.4, color: "#1b2027" },
      marker: few ? { size: 6.5, color: colors, line: HALO, symbol: Array.from(hull.classifier, (p) => page.looks.at(p).symbol) } : {},
      text: Array.from(hull.fp, (_, i) => vertexWords(i)),
      hovertemplate: "%{text}<extra></extra>",
    };
  }

  const roc = {
    id: "roc-chart",
    draw: () => [[chance, ...curveTraces(), hullTrace()], layout(...rocAxes())],
    move: (answer, question) => ({ shapes: [
      ...limitShapes(question), ...stretchShapes(answer), ...isoShapes(answer), ...chosenShapes(answer),
    ] }),
  };

  const line = (x0, y0, x1, y1, more = {}) => ({
    type: "line", x0, y0, x1, y1, layer: "above", ...more, line: { width: 1.6, color: "#b01657", ...more.line },
  });

  /** The lines of equal cost: through the vertices where the least and the greatest slope touch. */
  function isoLines(answer) {
    if (!answer.slopes) return [];
    const [low, high] = answer.slopes.map((slope) => (slope === "inf" ? Infinity : slope));
    if (answer.holds === "exact" || low === high) return [RocchGeometry.isoLine(low, answer.fpr, answer.tpr)];
    const { hull } = page.model;
    const ends = [[low, answer.choices[0].vertex], [high, answer.choices[answer.choices.length - 1].vertex]];
    return ends.map(([slope, i]) => RocchGeometry.isoLine(slope, hull.fpr[i], hull.tpr[i]));
  }

  const isoShapes = (answer) => isoLines(answer).map(({ x, y }) =>
    line(x[0], y[0], x[1], y[1], { line: { dash: "6px,4px" } }));

  /** The stretch of the hull that can be best, or the segment that a coin chooses from. */
  function stretchShapes(answer) {
    const { hull } = page.model;
    const [a, b] = answer.parts;
    if (b) return [line(a.fpr, a.tpr, b.fpr, b.tpr, { line: { width: 4 } })];
    if (answer.choices.length < 2) return [];
    const places = answer.choices.map(({ vertex }) => vertex);
    const path = places.map((i) => `${hull.fpr[i]} ${hull.tpr[i]}`);
    return [{ type: "path", path: `M${path.join("L")}`, layer: "above", line: { width: 4, color: "#b01657" }, opacity: 0.75 }];
  }

  const chosenShapes = (answer) => [...answer.parts, ...(answer.parts.length > 1 ? [answer] : [])].map(({ fpr, tpr }, i) => {
    const size = i === 2 || answer.parts.length === 1 ? 7 : 4.5;
    return {
      type: "circle", xsizemode: "pixel", ysizemode: "pixel", xanchor: fpr, yanchor: tpr,
      x0: -size, x1: size, y0: -size, y1: size, layer: "above", fillcolor: "#ffffff", line: { width: 3.2, color: "#b01657" },
    };
  });

  /** Where a limit t TPR + f FPR = most runs through the unit square. */
  function limitLine({ tpr, fpr, atMost }) {
    const at = (x) => (atMost - fpr * x) / tpr;
    if (tpr === 0) return [atMost, 0, atMost, 1];
    const [x0, x1] = fpr === 0 ? [0, 1]
      : [Math.max(0, (atMost - tpr) / fpr), Math.min(1, atMost / fpr)];
    return [x0, at(x0), x1, at(x1)];
  }

  const limitShapes = (question) => RocchQuestion.limitsOf(question).map((limit, i, all) =>
    line(...limitLine(limit), {
      layer: "below", line: { dash: "2px,3px", width: 1.8, color: "#5a636e" },
      label: { text: limit.tpr ? (i && all[i - 1].tpr ? "" : "capacity") : "limit", textposition: "middle", font: { size: 11, color: "#5a636e" }, padding: 3 },
    }));

  // ---- cost curves -----------------------------------------------------------------------------

  function costTraces() {
    const { N, P, hull } = page.model;
    const traces = page.summary.classifiers.map((each, place) => {
      const curve = RocchGeometry.costCurve(each.own_hull.false_positives, each.own_hull.true_positives, N, P);
      return themed(place, "cost", {
        ...curve, mode: "lines", visible: !hidden.has(place),
        hovertemplate: `<b>${plain(short(each.name, 40))}</b><br>probability-cost %{x:.3f}<br>cost %{y:.4f}<extra></extra>`,
      });
    });
    const best = RocchGeometry.costCurve(hull.fp, hull.tp, N, P);
    return [
      { x: [0, 0.5, 1], y: [0, 0.5, 0], mode: "lines", uid: "quiet-trivial", hoverinfo: "skip", line: QUIET },
      ...traces,
      { ...best, mode: "lines", uid: "ink-best", line: { width: 2.4, color: "#1b2027" }, hoverinfo: "skip" },
    ];
  }

  function costLayout(traces) {
    const highest = traces.slice(1).reduce((top, { y }) => y.reduce((a, b) => Math.max(a, b), top), 0);
    return layout(
      axis("Probability-cost of positives", { range: [-0.005, 1.005] }),
      axis("Normalized expected cost", { range: [0, 1.15 * Math.min(0.5, highest || 0.5)] }));
  }

  const costs = {
    id: "costs-chart",
    draw: () => { const traces = costTraces(); return [traces, costLayout(traces)]; },
    move: (answer) => ({ shapes: [...rangeShapes(answer),
      line(0, answer.fpr, 1, 1 - answer.tpr, { line: { dash: "6px,4px" } })] }),
  };

  function rangeShapes(answer) {
    if (!answer.slopes) return [];
    const [right, left] = answer.slopes.map((slope) => (slope === "inf" ? 0 : 1 / (1 + slope)));
    return [{
      type: "rect", x0: left, x1: right, y0: 0, y1: 1, yref: "paper", layer: "above",
      fillcolor: "rgba(190,50,110,0.10)", line: { width: 1.5, color: "#b01657" },
    }];
  }

  // ---- how sure --------------------------------------------------------------------------------

  const pen = document.createElement("canvas").getContext("2d");

  function widthOf(text) {
    pen.font = `12px ${FONT}`;
    return pen.measureText(text).width;
  }

  /** A whole name, however long: hovers know no other way to end a line. */
  const inLines = (name) => (name.match(/.{1,60}/gsu) || []).map(plain).join("<br>");

  const aucs = {
    id: "aucs-chart",
    draw: () => {
      const rows = page.summary.classifiers.map((each, place) => ({ ...each, place })).filter((each) => each.auc !== null);
      rows.sort((a, b) => a.auc - b.auc);
      $("aucs-chart").style.height = `${60 + 25 * rows.length}px`;
      const side = (end, way) => rows.map((each) => (each.auc_interval ? way * (each.auc_interval[end] - each.auc) : 0));
      const trace = {
        x: rows.map((each) => each.auc), y: rows.map((_, i) => i), mode: "markers", type: "scatter",
        marker: { size: 9, line: HALO, color: rows.map((each) => page.looks.at(each.place).color), symbol: rows.map((each) => page.looks.at(each.place).symbol) },
        error_x: { type: "data", symmetric: false, array: side(1, 1), arrayminus: side(0, -1), thickness: 1.6, width: 4, color: "#8a929c" },
        text: rows.map((each) => `<b>${inLines(each.name)}</b><br>AUC ${RocchWords.fixed(each.auc, 4)}` +
          (each.auc_interval ? `<br>95 %: ${each.auc_interval.map((end) => RocchWords.fixed(end, 4)).join(" to ")}` : "")),
        hovertemplate: "%{text}<extra></extra>",
      };
      const labels = rows.map((each) => short(each.name, 18));
      // measured here: where Plotly finds the margin by itself, long names make it draw again and again
      const names = { tickvals: rows.map((_, i) => i), ticktext: labels.map(plain), automargin: false };
      const left = 12 + Math.max(0, ...labels.map(widthOf));
      return [[trace], layout(axis("AUC"), axis("", { ...names, title: { text: "" }, range: [-0.7, rows.length - 0.3], fixedrange: true }), { margin: { l: left, r: 14, t: 6, b: 40 } })];
    },
  };

  const bands = {
    id: "bands-chart",
    draw: () => {
      const band = page.summary.certainty.bands[Number($("band").value)];
      $("band-promise").textContent = band.promise;
      const place = page.model.names.indexOf(band.model);
      const each = page.summary.classifiers[place];
      const points = each ? rates(each.curve || each.own_hull) : { x: Array.from(page.model.hull.fpr), y: Array.from(page.model.hull.tpr) };
      const side = { mode: "lines", line: { width: 0.8, color: "#8a929c" }, hoverinfo: "skip" };
      const middle = { ...points, mode: "lines", hoverinfo: "skip", line: { width: 2.2, color: "#1b2027" } };
      return [[
        chance,
        { ...side, x: band.fpr, y: band.low },
        { ...side, x: band.fpr, y: band.high, fill: "tonexty", fillcolor: "rgba(60,130,190,0.22)",
          text: band.fpr.map((x, i) => `FPR ${RocchWords.fixed(x, 3)}<br>TPR ${RocchWords.fixed(band.low[i], 3)} to ${RocchWords.fixed(band.high[i], 3)}`),
          hoverinfo: "text" },
        each ? { ...middle, ...themed(place, "band", { line: { width: 2.2, color: page.looks.at(place).color } }) } : { ...middle, uid: "ink-band" },
      ], layout(...rocAxes())];
    },
  };

  // ---- drawing ---------------------------------------------------------------------------------

  const charts = [roc, costs, aucs, bands];
  const drawn = new Set();

  function draw(chart) {
    const [traces, frame] = chart.draw();
    if (chart.move) Object.assign(frame, chart.move(page.answer, page.question));
    if (!drawn.has(chart)) $(chart.id).replaceChildren();
    Plotly[drawn.has(chart) ? "react" : "newPlot"]($(chart.id), traces, frame, CONFIG);
    drawn.add(chart);
  }

  /** Draw a chart, or move what moves in it. */
  function show(chart) {
    if (!window.Plotly) return;
    if (!drawn.has(chart)) draw(chart);
    else if (chart.move) Plotly.relayout($(chart.id), chart.move(page.answer, page.question));
  }

  /** On paper charts are as wide as the paper: their drawings are scaled, not drawn anew. */
  function scaleForPaper() {
    for (const drawing of document.querySelectorAll(".chart .main-svg")) {
      const [width, height] = ["width", "height"].map((side) => drawing.getAttribute(side));
      drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    }
  }

  function scaleForScreen() {
    for (const drawing of document.querySelectorAll(".chart .main-svg")) drawing.removeAttribute("viewBox");
  }

  /** Show or hide a classifier in the charts that have it. */
  function toggle(place, isShown) {
    if (isShown) hidden.delete(place); else hidden.add(place);
    for (const chart of [roc, costs])
      if (drawn.has(chart)) Plotly.restyle($(chart.id), { visible: isShown }, [place + 1]);
  }

  function excuse(reason) {
    for (const node of document.querySelectorAll(".chart .waiting")) node.textContent = reason;
    $("roc-remark").textContent = `${reason} `;
  }

  /** Load Plotly; until then, and without it, the page does what it can. */
  async function start(given) {
    page = given;
    RocchSight.watch(charts.map((chart) => ({ id: chart.id, show: () => show(chart) })));
    addEventListener("beforeprint", scaleForPaper); // after RocchSight has drawn all
    addEventListener("afterprint", scaleForScreen);
    if ($("band")) $("band").addEventListener("input", () => drawn.has(bands) && draw(bands));
    try {
      await RocchShell.withPlotly();
      RocchSight.changed();
    } catch (error) {
      excuse(error.message);
    }
  }

  return { start, toggle, isoLines };
})();
