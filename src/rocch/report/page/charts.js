// Draws the figures of the page with Plotly, and moves what follows the answer: in them, and in
// drawings that Python made. Curves are drawn once; what moves are shapes and marks: that is cheap.
"use strict";
const RocchCharts = (() => {
  const { $, element, drawn, look, short } = RocchShell;
  const { real, separators } = RocchNumbers;
  const UNPACKABLE = "This browser cannot unpack the interactive charts; everything else works.";
  const PAUSE = 150; // milliseconds without a change, before three dimensions follow: they are slow
  const MOST_STRETCHES = 400; // of a strip; with more, those narrower than a pixel are left out
  const CONFIG = { displaylogo: false, displayModeBar: false, scrollZoom: false };
  const done = new Set(); // ids of elements whose figures are drawn
  const hidden = new Set(); // places of classifiers that the legend has switched off
  const picked = {}; // which of its figures an element shows, where it has several
  let figures = {};
  let vertices = null; // rates of the hull's vertices
  let counts = null; // of the members of a surface
  let [answer, limits] = [null, []];
  let [turning, width, isPaper] = [0, innerWidth, false];

  const ids = () => [...new Set(Object.keys(figures).map((key) => key.split(":")[0]))].filter($);
  const figureOf = (id) => figures[id] || figures[`${id}:${picked[id] || 0}`];

  // ---- colors, and room for names --------------------------------------------------------------

  const pen = document.createElement("canvas").getContext("2d");

  /** The theme's value of "var(--ink)" or "var(--c0) 20%", as Plotly reads it. */
  function colorOf(token) {
    const [, name, share] = /^var\(--([\w-]+)\)(?: (\d+)%)?$/.exec(token);
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
    if (!share) return pen.fillStyle;
    return pen.fillStyle + Math.round(2.55 * share).toString(16).padStart(2, "0");
  }

  /** A copy of a part of a figure, in the colors of the theme. */
  function themed(part) {
    if (typeof part === "string") return part.startsWith("var(") ? colorOf(part) : part;
    if (Array.isArray(part)) return typeof part.at(-1) === "number" ? part : part.map(themed);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, themed(value)]));
  }

  /** A name as Plotly shows it letter by letter: neither markup nor a template. */
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
    .replace(/%\{/g, "&#37;{");

  /** Lay small charts out in columns, and return how wide each is. */
  function layPanels(layout, number, room) {
    const columns = Math.max(1, Math.min(number, 4, Math.floor(room / 160)));
    const rows = Math.ceil(number / columns);
    const side = Math.min(room, 1100) / columns;
    layout.grid = { rows, columns, pattern: "independent", xgap: 0.12, ygap: 48 / side };
    layout.height = rows * side + 20;
    return 0.75 * room / columns;
  }

  /** Shorten names to the room that they have: panels' titles, or ticks below or beside. */
  function fitNames({ where, names, most }, layout, room) {
    let each = 9 * most; // pixels, of which a letter takes 9 at most
    if (where === "x") each = (room - 72) / names.length;
    if (where === "panels") each = layPanels(layout, names.length, room);
    const letters = Math.max(6, Math.min(most, Math.floor(each / 9)));
    const texts = names.map((name) => short(name, letters));
    if (where !== "panels") layout[`${where}axis`].ticktext = texts.map(plain);
    else layout.annotations.forEach((title, i) => { title.text = plain(texts[i]); });
    if (where !== "y") return;
    // measured here: where Plotly finds the margin itself, long names make it draw again and again
    pen.font = `${layout.font.size}px ${layout.font.family}`;
    layout.margin.l = 12 + Math.max(0, ...texts.map((text) => pen.measureText(text).width));
  }

  /** Show the rates of three classes along the axes of space. */
  function fitSpace({ shown, names }, data, layout, { clientWidth, clientHeight }) {
    // titles of these axes know no entities, so brackets become quotes
    const flat = (name) => short(name, 18).replace(/</g, "‹").replace(/>/g, "›");
    layout.meta = shown.map((place) => flat(names[place]));
    for (const trace of data) trace.meta = shown.map((place) => plain(short(names[place], 18)));
    data[0].marker.showscale = clientWidth >= 600;
    const { eye } = layout.scene.camera;
    const away = Math.max(1, (1.2 * clientHeight) / clientWidth);
    for (const axis of ["x", "y", "z"]) eye[axis] *= away;
  }

  // ---- what moves ------------------------------------------------------------------------------

  const line = ([x0, y0, x1, y1], more = {}) => ({
    type: "line", x0, y0, x1, y1, layer: "above", ...more,
    line: { width: 1.6, color: "var(--accent)", ...more.line },
  });
  const DASHED = { line: { dash: "6px,4px" } };

  /** The line of equal cost through a point, within the unit square. */
  function isoLine(slope, fpr, tpr) {
    if (slope === Infinity) return [fpr, 0, fpr, 1];
    if (slope === 0) return [0, tpr, 1, tpr];
    const at = (y) => fpr + (y - tpr) / slope;
    const [left, right] = [Math.max(0, at(0)), Math.min(1, at(1))];
    return [left, tpr + slope * (left - fpr), right, tpr + slope * (right - fpr)];
  }

  /** The lines of equal cost: through the vertices where the least and the greatest slope touch. */
  function isoLines() {
    if (!answer.slopes) return [];
    const [low, high] = answer.slopes.map(real);
    if (answer.holds === "exact" || low === high) return [isoLine(low, answer.fpr, answer.tpr)];
    return [[low, answer.choices[0]], [high, answer.choices.at(-1)]].map(([slope, { vertex }]) =>
      isoLine(slope, vertices.fpr[vertex], vertices.tpr[vertex]));
  }

  /** The stretch of the hull that can be best, or the segment that a coin chooses from. */
  function stretchShapes() {
    const isCoin = answer.parts.length > 1;
    const points = isCoin ? answer.parts.map(({ fpr, tpr }) => `${fpr} ${tpr}`)
      : answer.choices.map(({ vertex: i }) => `${vertices.fpr[i]} ${vertices.tpr[i]}`);
    if (points.length < 2) return [];
    return [{ type: "path", path: `M${points.join("L")}`, layer: "above",
      opacity: isCoin ? 1 : 0.75, line: { width: 4, color: "var(--accent)" } }];
  }

  /** Where a limit, fpr * FPR + tpr * TPR = bound, runs through the unit square. */
  function limitLine({ fpr, tpr, bound }) {
    if (tpr === 0) return [bound / fpr, 1, bound / fpr, 0];
    const [left, right] = fpr === 0 ? [0, 1]
      : [Math.max(0, (bound - tpr) / fpr), Math.min(1, bound / fpr)];
    return [left, (bound - fpr * left) / tpr, right, (bound - fpr * right) / tpr];
  }

  const limitShapes = () => limits.map((limit) => line(limitLine(limit), {
    layer: "below", line: { dash: "2px,3px", width: 1.8, color: "var(--soft)" },
    // upright, at the end away from the curves
    label: { text: limit.label, textangle: 0, textposition: "end", xanchor: "left",
      yanchor: "bottom", padding: 3, font: { size: 11, color: "var(--soft)" } },
  }));

  function chosenShapes() {
    const { parts } = answer;
    const marks = parts.map((part) => [part, parts.length > 1 ? 4.5 : 7]);
    if (parts.length > 1) marks.push([answer, 7]);
    return marks.map(([{ fpr, tpr }, size]) => ({
      type: "circle", xsizemode: "pixel", ysizemode: "pixel", xanchor: fpr, yanchor: tpr,
      x0: -size, x1: size, y0: -size, y1: size, layer: "above", fillcolor: "var(--surface)",
      line: { width: 3.2, color: "var(--accent)" },
    }));
  }

  function rangeShapes() {
    if (!answer.slopes) return [];
    const [x1, x0] = answer.slopes.map(real).map((slope) => 1 / (1 + slope));
    const ink = { fillcolor: "var(--accent-wash)", line: { width: 1.5, color: "var(--accent)" } };
    return [{ type: "rect", x0, x1, y0: 0, y1: 1, yref: "paper", layer: "above", ...ink }];
  }

  const shapes = {
    "roc-chart": () => [...limitShapes(), ...stretchShapes(),
      ...isoLines().map((ends) => line(ends, DASHED)), ...chosenShapes()],
    "costs-chart": () => [...rangeShapes(), line([0, answer.fpr, 1, 1 - answer.tpr], DASHED)],
  };

  const rateOf = (member, { cells, of }) =>
    cells.reduce((sum, cell) => sum + counts[member][cell], 0) / of;

  /** The coordinates of a trace that shows members: without any, the recommendation. */
  function ratesOf({ axes }, { members = [answer.member], x, y }) {
    const [a, b, c] = axes ? axes.shown.map((place) => [axes.rates[place]]) : [x, y];
    const along = Object.entries({ x: a, y: b, z: c }).filter(([, rates]) => rates);
    return Object.fromEntries(along.map(([axis, rates]) =>
      [axis, members.flatMap((member) => rates.map((rate) => rateOf(member, rate)))]));
  }

  /** Where a chart of rates ends: above its strong lines, and above the recommendation. */
  const topOf = ({ top }, rates) => Math.max(top, Math.min(1.3 * Math.max(...rates), 1.02));

  function moveMarks(id, figure) {
    const moving = figure.shows.filter(({ members }) => !members);
    const found = moving.map((each) => ratesOf(figure, each));
    const moved = Object.keys(found[0]).map((axis) => [axis, found.map((each) => each[axis])]);
    Plotly.restyle($(id), Object.fromEntries(moved), moving.map(({ trace }) => trace));
    if (figure.top) Plotly.relayout($(id), { "yaxis.range": [0, topOf(figure, found[0].y)] });
  }

  /** Let a chart that is drawn follow the answer. */
  function move(id) {
    const figure = figureOf(id);
    if (shapes[id] && vertices) Plotly.relayout($(id), { shapes: themed(shapes[id]()) });
    if (!figure.shows || !$(id).data) return; // no data where WebGL is missing
    clearTimeout(turning);
    if (figure.axes) turning = setTimeout(() => moveMarks(id, figure), PAUSE);
    else moveMarks(id, figure);
  }

  // ---- drawings that Python made ---------------------------------------------------------------

  /** The sketch of the ROC graph, until Plotly takes over. */
  function moveSketch() {
    if (!$("sketch-answer") || !vertices) return;
    const [x, y] = [(fpr) => 60 + 920 * fpr, (tpr) => 940 - 920 * tpr]; // as in drawings.py
    $("sketch-answer").replaceChildren(
      ...isoLines().map(([x0, y0, x1, y1]) =>
        drawn("line", { class: "iso", x1: x(x0), y1: y(y0), x2: x(x1), y2: y(y1) })),
      ...answer.parts.map(({ fpr, tpr }) =>
        drawn("circle", { class: "chosen", cx: x(fpr), cy: y(tpr), r: 9 })));
  }

  /** Where a slope lies on the way from 0 to infinity. */
  const slopeShare = (slope) => (slope === Infinity ? 1 : slope ** 0.4 / (1 + slope ** 0.4));
  const percentage = (share) => `${(100 * share).toFixed(3)}%`;

  /** Mark the slopes that are possible on the strip of winners. */
  function markWinners() {
    $("winners-strip").querySelector(".span")?.remove();
    if (!answer.slopes) return;
    const [low, high] = answer.slopes.map(real).map(slopeShare);
    const isExact = high - low < 0.004;
    const mark = element("span", { class: isExact ? "span needle" : "span" });
    mark.style.left = percentage(isExact ? (low + high) / 2 : low);
    if (!isExact) mark.style.width = percentage(high - low);
    $("winners-strip").append(mark);
  }

  /** Mark the thresholds of the answer in the histograms. */
  function moveCuts() {
    for (const picture of $("histograms").querySelectorAll(".histogram")) {
      const name = picture.closest("[data-classifier]").dataset.classifier;
      const part = answer.parts.find((each) => each.kind === "scores" && each.classifier === name);
      const [low, high] = [picture.dataset.low, picture.dataset.high].map(Number);
      const share = part ? (Number(part.threshold) - low) / (high - low) : NaN;
      const isSeen = share >= -1e-9 && share <= 1 + 1e-9;
      const cut = picture.querySelector(".cut");
      cut.setAttribute("visibility", isSeen ? "visible" : "hidden");
      if (isSeen) for (const end of ["x1", "x2"]) cut.setAttribute(end, 200 * share);
    }
  }

  function stretch({ left, right, place, label, title }) {
    const node = element("span", { class: `stretch ${look(place)}`, title });
    node.style.left = percentage(left);
    node.style.width = percentage(right - left);
    if (right - left > 0.05) node.append(element("span", {}, short(label, 20)));
    return node;
  }

  function tick({ at, text }) {
    const end = at <= 0 ? "first" : at >= 1 ? "last" : "";
    const node = element("span", { class: `tick ${end}` }, text);
    node.style.left = percentage(at);
    return node;
  }

  /** Draw stretches of classifiers along an axis from 0 to 1; too narrow ones are left out. */
  function strip(id, stretches, ticks) {
    const least = stretches.length > MOST_STRETCHES ? 1 / 2000 : 0;
    const seen = stretches.filter(({ left, right }) => right - left > least);
    const bar = element("div", { class: "bar" }, ...seen.map(stretch));
    $(id).replaceChildren(bar, ...ticks.map(tick));
  }

  // ---- drawing ---------------------------------------------------------------------------------

  let webgl; // whether there is any, once it was tried

  function hasWebgl() {
    const canvas = document.createElement("canvas");
    webgl ??= Boolean(canvas.getContext("webgl2") || canvas.getContext("webgl"));
    return webgl;
  }

  function draw(id) {
    const [node, figure] = [$(id), figureOf(id)];
    done.add(id);
    if (figure.without_webgl && !hasWebgl()) {
      node.replaceChildren(element("p", { class: "waiting" }, figure.without_webgl));
      return;
    }
    for (const each of node.querySelectorAll(":scope > .waiting, :scope > .sketch")) each.remove();
    const { data, layout } = themed({ data: figure.data, layout: figure.layout });
    const room = node.clientWidth;
    if (figure.fit) fitNames(figure.fit, layout, room);
    if (figure.axes) fitSpace(figure.axes, data, layout, node);
    layout.width = Math.min(room, figure.square || room);
    if (figure.square) layout.height = layout.width - 110;
    if (layout.height) node.style.height = `${layout.height}px`;
    else layout.height = node.clientHeight;
    for (const trace of data) trace.visible = !hidden.has(trace.legendgroup);
    for (const each of figure.shows || []) Object.assign(data[each.trace], ratesOf(figure, each));
    if (figure.top) layout.yaxis.range = [0, topOf(figure, data[figure.shows[0].trace].y)];
    if (shapes[id] && vertices) layout.shapes = themed(shapes[id]());
    layout.separators = separators;
    layout.uirevision = `${picked[id]} ${figure.axes?.shown}`; // keeps what was zoomed or turned
    const config = { ...CONFIG, ...figure.config, toImageButtonOptions: { filename: id } };
    Plotly.react(node, data, layout, config);
    if (figure.caption)
      node.closest("figure").querySelector("figcaption").textContent = figure.caption;
  }

  /** Draw a chart, or move what moves in it. */
  function show(id) {
    if (!window.Plotly || !answer) return;
    if (done.has(id)) move(id);
    else draw(id);
  }

  function toggle({ currentTarget: button }) {
    const isShown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isShown));
    const place = button.dataset.toggles;
    if (isShown) hidden.delete(place); else hidden.add(place);
    for (const id of done) draw(id);
  }

  function pick({ currentTarget: select }) {
    const id = select.dataset.chart;
    if (!select.dataset.axis) picked[id] = select.value;
    else figureOf(id).axes.shown[select.dataset.axis] = Number(select.value);
    if (window.Plotly) draw(id);
  }

  /** On paper charts are light, and as wide as the paper; their drawings are scaled to fit. */
  function setPaper(value) {
    isPaper = value;
    document.documentElement.classList.toggle("paper", isPaper);
    if (window.Plotly) for (const id of ids()) draw(id);
    for (const drawing of document.querySelectorAll(".chart .main-svg")) {
      const [x, y] = ["width", "height"].map((side) => drawing.getAttribute(side));
      if (isPaper) drawing.setAttribute("viewBox", `0 0 ${x} ${y}`);
      else drawing.removeAttribute("viewBox");
    }
  }

  function redraw() {
    done.clear();
    RocchShell.changed();
  }

  function resize() {
    if (isPaper || innerWidth === width) return; // a phone's bar changes the height alone
    width = innerWidth;
    redraw();
  }

  // ---- starting --------------------------------------------------------------------------------

  /** Unpack Plotly's text; it waits compressed at the end of the page. */
  async function unpack() {
    if (!("DecompressionStream" in window)) throw new Error(UNPACKABLE);
    const packed = Uint8Array.from(atob($("plotly").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  const afterPaint = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

  async function loadPlotly() {
    if (document.readyState === "loading")
      await new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));
    await afterPaint();
    document.head.append(element("script", {}, await unpack()));
    $("plotly").textContent = "";
  }

  function listen() {
    for (const button of document.querySelectorAll("[data-toggles]"))
      button.addEventListener("click", toggle);
    for (const select of document.querySelectorAll("select[data-chart]")) {
      const { chart, axis } = select.dataset;
      if (axis) select.value = figureOf(chart).axes.shown[axis];
      else picked[chart] = select.value; // which a browser may have kept
      select.addEventListener("input", pick);
    }
    for (const id of ids()) { // the wheel scrolls the page, and zooms no chart
      $(id).addEventListener("wheel", (event) => event.stopPropagation(),
        { capture: true, passive: true });
    }
    addEventListener("resize", resize);
    RocchShell.onTheme(redraw);
    addEventListener("beforeprint", () => setPaper(true));
    addEventListener("afterprint", () => setPaper(false));
  }

  /** Take what answers refer to, and draw once Plotly is there; without it, the rest works. */
  async function start(given) {
    if (given.fpr) vertices = given;
    counts = given.counts;
    figures = RocchShell.data("figures");
    RocchShell.watch([
      { id: "roc-chart", show: moveSketch }, { id: "winners-strip", show: markWinners },
      { id: "histograms", show: moveCuts },
      ...ids().map((id) => ({ id, show: () => show(id) })),
    ]);
    listen();
    try {
      await loadPlotly();
      RocchShell.changed();
    } catch (error) {
      for (const node of document.querySelectorAll(".chart .waiting"))
        node.textContent = error.message;
      if ($("roc-remark")) $("roc-remark").textContent = `${error.message} `;
    }
  }

  return {
    start, strip, slopeShare, isoLine,
    show(given, within = []) { [answer, limits] = [given, within]; },
  };
})();
