// What the page draws without Plotly: strips of who wins, the belief, histograms, the sketch.
"use strict";
const RocchDrawings = (() => {
  const { $, element, drawn, short } = RocchShell;
  const MOST_STRETCHES = 400;
  // ticks of the strip of winners; page.css leaves out those for which it has no room
  const SLOPES = { always: [0, 0.1, 1, 10, Infinity], coarse: [0.01, 100], fine: [0.001, 0.3, 3, 1000] };
  let page; // summary, model, looks, and what was last asked and answered

  const start = (given) => { page = given; };
  const real = (value) => (value === "inf" ? Infinity : value);

  // ---- strips ----------------------------------------------------------------------------------

  /** Slopes from 0 to infinity on the way from 0 to 1, so that each power of ten has some room. */
  function place(slope) {
    if (slope === Infinity) return 1;
    const bent = slope ** 0.4;
    return bent / (1 + bent);
  }

  const percentage = (share) => `${(100 * share).toFixed(3)}%`;

  function stretch({ left, right, name, title, label = name }) {
    const node = element("span", { class: `stretch ${page.looks.of(name).fill}`, title });
    node.style.left = percentage(left);
    node.style.width = percentage(right - left);
    if (right - left > 0.05) node.append(element("span", {}, short(label, 20)));
    return node;
  }

  function tick({ at, text, kind = "" }) {
    const node = element("span", { class: `tick ${kind} ${at <= 0 ? "first" : at >= 1 ? "last" : ""}` }, text);
    node.style.left = percentage(at);
    return node;
  }

  /** Draw stretches of classifiers along an axis with ticks. */
  function strip(id, stretches, ticks) {
    const bar = element("div", { class: "bar" });
    bar.append(...merged(stretches).map(stretch));
    $(id).replaceChildren(bar, ...ticks.map(tick));
  }

  /** Join neighbors of one name, and leave out what is narrower than the eye can see. */
  function merged(stretches) {
    const joined = [];
    for (const each of stretches) {
      const last = joined[joined.length - 1];
      if (last && last.name === each.name && last.title === each.title) last.right = each.right;
      else joined.push({ ...each });
    }
    if (joined.length <= MOST_STRETCHES) return joined;
    return joined.filter(({ left, right }) => right - left > 1 / 2000);
  }

  function mark(id, low, high) {
    const strip = $(id);
    const old = strip.querySelector(".span");
    if (old) old.remove();
    if (!(low <= high)) return;
    const exact = high - low < 0.004;
    const node = element("span", { class: exact ? "span needle" : "span" });
    node.style.left = percentage(exact ? (low + high) / 2 : low);
    if (!exact) node.style.width = percentage(high - low);
    strip.append(node);
  }

  const written = (slope) => (slope === Infinity ? "∞" : RocchWords.number(slope));

  function winners() {
    const stretches = page.model.winners.map(({ classifier, low, high }) => ({
      left: place(low), right: place(high), name: classifier,
      title: `${classifier}: slopes ${written(low)} to ${written(high)}`,
    }));
    strip("winners-strip", stretches, Object.entries(SLOPES).flatMap(([kind, slopes]) =>
      slopes.map((slope) => ({ at: place(slope), text: written(slope), kind }))));
  }

  function markWinners(answer) {
    const [low, high] = answer.slopes ? answer.slopes.map(real) : [NaN, NaN];
    mark("winners-strip", place(low), place(high));
  }

  /** What can be best along the slopes that are possible, enlarged to the whole width. */
  function choices(answer) {
    const range = answer.slopes && answer.slopes.map(real);
    $("choices-strip").hidden = !range || range[0] === range[1] || answer.choices.length < 2;
    if ($("choices-strip").hidden) return;
    const [from, to] = range.map(place);
    const at = (slope) => (place(real(slope)) - from) / (to - from);
    const stretches = answer.choices.map(({ vertex, low, high }) => {
      const { name, threshold } = RocchTables.setting(vertex);
      const title = `${name}${threshold && ` at ${threshold}`}: slopes ${written(low)} to ${written(real(high))}`;
      const label = threshold ? `${short(name, 12)} ${threshold}` : name;
      return { left: at(low), right: at(high), name, title, label };
    });
    const ends = [{ at: 0, text: written(range[0]) }, { at: 1, text: written(range[1]) }];
    strip("choices-strip", stretches, ends);
  }

  // ---- the belief ------------------------------------------------------------------------------

  function belief(question) {
    const own = page.summary.losses;
    const held = question.belief || (own && [own.low, own.likely, own.high]);
    $("believed").hidden = !held;
    $("losses-words").textContent = held ? beliefWords(held, question)
      : "Turn on a belief about misses to see how likely each classifier is to be the best.";
    if (!held) return;
    const { x, y } = RocchBelief.density(held);
    const top = Math.max(...y);
    const points = x.map((share, i) => `${1000 * share},${100 - 94 * (y[i] / top)}`);
    $("triangle").querySelector("polygon").setAttribute("points", points.join(" "));
    shares(question);
  }

  function beliefWords([low, likely, high], question) {
    const write = RocchWords.number;
    const whose = question.belief ? "You hold" : "The report was made for the belief";
    return `${whose} that a miss is ${write(low)} to ${write(high)} times as bad as a false alarm, ` +
      `most likely ${write(likely)} times. Below, who is best for each share, at a prevalence of ${RocchWords.percent(middle(question))}.`;
  }

  const middle = ({ prevalence: [low, high] }) => (low + high) / 2;

  /** Who wins along the miss's share of both costs, at the middle of the prevalence. */
  function shares(question) {
    const p = middle(question);
    const at = (slope) => (slope === Infinity ? 0 : 1 / (1 + (slope * p) / (1 - p)));
    const stretches = page.model.winners.map(({ classifier, low, high }) => ({
      left: at(high), right: at(low), name: classifier, title: classifier,
    })).reverse();
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: share, text: String(share) }));
    strip("believed-strip", stretches, ticks);
  }

  // ---- histograms ------------------------------------------------------------------------------

  const area = (side, edges, counts, most) => {
    const [low, high] = [edges[0], edges[edges.length - 1]];
    const x = (edge) => 200 * (high > low ? (edge - low) / (high - low) : 0.5);
    const way = side === "positives" ? -1 : 1;
    const steps = counts.map((count, i) => {
      const y = 50 + way * 46 * (most ? count / most : 0);
      return `L${x(edges[i]).toFixed(2)} ${y.toFixed(2)}L${x(edges[i + 1]).toFixed(2)} ${y.toFixed(2)}`;
    });
    return drawn("path", { class: side, d: `M0 50${steps.join("")}L200 50Z` });
  };

  function histogram({ edges, positives, negatives }) {
    const picture = drawn("svg", { class: "histogram", viewBox: "0 0 200 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    const share = (counts) => {
      const all = counts.reduce((sum, count) => sum + count, 0) || 1;
      return counts.map((count) => count / all);
    };
    const [up, down] = [share(positives), share(negatives)];
    const most = Math.max(...up, ...down);
    picture.append(area("positives", edges, up, most), area("negatives", edges, down, most),
      drawn("line", { class: "axis", x1: 0, x2: 200, y1: 50, y2: 50 }),
      drawn("line", { class: "cut", x1: 0, x2: 0, y1: 0, y2: 100, visibility: "hidden" }));
    return picture;
  }

  function shapeWords(each) {
    const words = [];
    if (!each.scoring) words.push("labels only");
    if (each.distinct !== null) words.push(`${RocchWords.counted(each.distinct)} distinct scores`);
    if (each.largest_tie !== null && each.largest_tie > 1)
      words.push(`up to ${RocchWords.counted(each.largest_tie)} rows tied`);
    if (!each.on_hull) words.push("not on the hull");
    return words.join(", ");
  }

  /** A number to be read, not copied: with a minus sign, which a hyphen is not. */
  const signed = (value) => RocchWords.number(value).replace(/^-/, "−");

  function histograms() {
    $("histograms").replaceChildren(...page.summary.classifiers.map((each, i) => {
      const key = element("span", { class: `key ${page.looks.at(i).fill}`, "aria-hidden": "true" });
      const box = element("div", { class: "multiple", "data-place": String(i) },
        element("h3", { title: each.name }, key, each.name));
      if (each.histogram) {
        const { edges } = each.histogram;
        box.append(histogram(each.histogram), element("div", { class: "ends" },
          element("span", {}, signed(edges[0])), element("span", {}, signed(edges[edges.length - 1]))));
      }
      box.append(element("p", {}, shapeWords(each)));
      return box;
    }));
  }

  /** Mark the thresholds of the answer in the histograms. */
  function cuts(answer) {
    page.summary.classifiers.forEach((each, i) => {
      const line = $("histograms").querySelector(`[data-place="${i}"] .cut`);
      if (!line) return;
      const part = answer.parts.find((p) => p.kind === "scores" && p.classifier === each.name);
      const { edges } = each.histogram;
      const share = part ? (Number(part.threshold) - edges[0]) / (edges[edges.length - 1] - edges[0]) : NaN;
      const seen = share >= -1e-9 && share <= 1 + 1e-9;
      line.setAttribute("visibility", seen ? "visible" : "hidden");
      if (seen) { line.setAttribute("x1", 200 * share); line.setAttribute("x2", 200 * share); }
    });
  }

  // ---- the sketch, until Plotly takes over -----------------------------------------------------

  function sketch(lines, answer) {
    const group = $("sketch-answer");
    if (!group) return;
    const [x, y] = [(fpr) => 60 + 920 * fpr, (tpr) => 940 - 920 * tpr]; // as in svg.py
    group.replaceChildren(
      ...lines.map((line) => drawn("line", {
        class: "iso", x1: x(line.x[0]), y1: y(line.y[0]), x2: x(line.x[1]), y2: y(line.y[1]) })),
      ...answer.parts.map((part) => drawn("circle", { class: "chosen", cx: x(part.fpr), cy: y(part.tpr), r: 9 })));
  }

  return { start, winners, markWinners, choices, belief, histograms, cuts, sketch };
})();
