// The page for many classes at work: the question moves, and everything that depends on it.
"use strict";
const RocchManyApp = (() => {
  const { $, element, withPlotly } = RocchShell;
  const summary = RocchShell.summary();
  const model = RocchManyGeometry.prepare(summary);
  const own = { costs: summary.question.costs, shares: summary.question.shares };
  const observed = summary.classes.map((each) => each.share);
  const judged = summary.models.filter((each) => each.aucs);
  const named = summary.recommended.slice(1).map((each) => [each.name, each.member]);
  const choices = RocchManyCharts.rateChoices(model);
  const spatial = summary.surface !== null && model.size >= 3;
  let question = own;
  let answer = summary.answer;
  let costs = [];
  let axes = spatial ? RocchManySurface.widest(model) : [];
  let plotly = null;
  let marks = []; // where the recommendation stands among the traces of the curves
  let turning = 0; // the timer that will move the mark on the surface
  let writing = 0; // the timer that will write the address
  let screenTheme = "";
  const drawn = new Set();

  // ---- what moves ------------------------------------------------------------------------------

  /** The words at once, the rest with the next frame where it is in sight. */
  function update() {
    costs = RocchManyGeometry.expected(model, question);
    answer = RocchManyGeometry.answer(model, question);
    const head = RocchManyWords.use(model, answer.member, question);
    if ($("sentence").textContent !== answer.sentence) {
      $("sentence").replaceChildren(element("strong", {}, head), answer.sentence.slice(head.length));
    }
    $("echo").textContent = answer.sentence;
    RocchManyTables.showFacts(model, answer);
    RocchManyTables.showConfusion(model, answer);
    RocchManyTables.showOwnCosts(model, answer);
    RocchSight.changed();
  }

  const tables = [
    { id: "suggestions", show: () => RocchManyTables.showSuggestions(model, answer, named, question, costs) },
    { id: "deploy", show: () => RocchManyTables.showRule(model, answer) },
    { id: "appendix", show: () => RocchManyTables.showCheapest(model, answer, costs) },
  ];

  // ---- the charts ------------------------------------------------------------------------------

  function react(id, [traces, layout]) {
    const place = $(id);
    place.querySelectorAll(":scope > .waiting, :scope > .sketch").forEach((each) => each.remove());
    if (layout.height) place.style.height = `${layout.height}px`;
    plotly.react(place, traces, layout, RocchManyCharts.CONFIG);
  }

  const tradeOffs = {
    id: "trade-offs-chart",
    draw: (look) => react(tradeOffs.id, RocchManyCharts.tradeOffs(model, named, choices[Number($("rates").value)], answer.member, look)),
    move: () => plotly.restyle(tradeOffs.id, { y: [choices[Number($("rates").value)].values(answer.member)] }, [named.length + 1]),
  };

  const curves = {
    id: "curves-chart",
    draw(look) {
      const group = $("group") ? Number($("group").value) : 0;
      const [traces, layout, found] = RocchManyCharts.curves(summary, model, answer.member, group, $(curves.id).clientWidth, look);
      marks = found;
      react(curves.id, [traces, layout]);
    },
    move() {
      const points = marks.map(({ k }) => RocchManyCharts.pointOf(model, answer.member, k));
      const moved = { x: points.map((point) => point.x), y: points.map((point) => point.y) };
      plotly.restyle(curves.id, moved, marks.map((mark) => mark.trace));
    },
  };

  const aucs = { id: "aucs-chart", draw: (look) => react(aucs.id, RocchManyCharts.aucs(summary, look)), move() {} };

  const pairs = {
    id: "pairs-chart",
    draw: (look) => react(pairs.id, RocchManyCharts.pairs(summary, judged[Number($("judged").value)], $(pairs.id).clientWidth, look)),
    move() {},
  };

  const surface = {
    id: "surface-chart",
    draw(look) {
      if (RocchManySurface.canDraw()) {
        react(surface.id, RocchManySurface.draw(model, named, answer.member, axes, $(surface.id).clientWidth < 600, look));
        return;
      }
      const reason = "This browser cannot draw in three dimensions (WebGL is off); the trade-offs above show the same.";
      $(surface.id).replaceChildren(element("p", { class: "waiting" }, reason));
    },
    move() {
      if (!$(surface.id).data) return;
      clearTimeout(turning); // without a graphics card it is slow
      turning = setTimeout(() => {
        const { x, y, z } = RocchManySurface.along(model, [answer.member], axes);
        plotly.restyle(surface.id, { x: [x], y: [y], z: [z] }, [named.length + 1]);
      }, 150);
    },
  };

  const charts = [tradeOffs, surface, curves, aucs, pairs].filter(({ id }) => $(id));

  /** Draw a chart, or only move the recommendation in it. */
  function show(chart) {
    if (!plotly) return;
    if (drawn.has(chart)) return chart.move();
    drawn.add(chart);
    return chart.draw(RocchManyCharts.theme());
  }

  function redraw(...some) {
    some.forEach((chart) => drawn.delete(chart));
    some.forEach(show);
  }

  /** On paper charts are light, and as wide as the paper. */
  function onPaper(isPaper) {
    if (isPaper) screenTheme = document.documentElement.dataset.theme;
    document.documentElement.classList.toggle("paper", isPaper);
    if (isPaper) document.documentElement.dataset.theme = "light";
    else if (screenTheme) document.documentElement.dataset.theme = screenTheme;
    else delete document.documentElement.dataset.theme;
    redraw(...charts);
  }

  // ---- the address and the buttons -------------------------------------------------------------

  /** Take a question: from the knobs, from the address, or back to the report's own. */
  function take(given) {
    question = given;
    update();
    clearTimeout(writing);
    writing = setTimeout(save, 200);
  }

  const save = () => history.replaceState(null, "", `#${RocchManyState.encode(question)}`);

  /** Take the question from the address, if it has one; otherwise say what is shown instead. */
  function restore(instead) {
    let found = null;
    try {
      found = RocchManyState.decode(location.hash, own);
    } catch {
      RocchShell.toast(`The link makes no sense here; ${instead}.`);
      save();
    }
    if (!found) return false;
    question = found;
    RocchManyKnobs.set(question);
    update();
    return true;
  }

  function fillSelects() {
    $("rates").replaceChildren(...choices.map((choice, i) => element("option", { value: i }, choice.label)));
    $("rates").addEventListener("change", () => redraw(tradeOffs));
    if ($("group")) $("group").addEventListener("change", () => redraw(curves));
    if (judged.length) {
      $("judged").addEventListener("change", () => {
        RocchManyTables.showPlain(model.classes, judged[Number($("judged").value)]);
        redraw(pairs);
      });
    }
    ["x", "y", "z"].forEach((name, i) => {
      const select = $(`axis-${name}`);
      if (!select) return;
      select.value = axes[i];
      select.addEventListener("change", () => {
        axes[i] = Number(select.value);
        redraw(surface);
      });
    });
  }

  function legends() {
    const dot = (sign, place) => {
      const mark = element("span", { class: `dot ${place < 0 ? "chosen-mark" : ""}` }, sign);
      if (place >= 0) mark.style.color = `var(--c${place % 8})`;
      return mark;
    };
    const swatch = (m) => {
      const line = RocchShell.drawn("line", { x1: 0, x2: 26, y1: 5, y2: 5 });
      line.style.stroke = `var(--c${m % 8})`;
      line.style.strokeDasharray = RocchLooks.assign([]).at(m).stroke;
      const picture = RocchShell.drawn("svg", { class: "swatch", "aria-hidden": "true" });
      picture.append(line);
      return picture;
    };
    const signs = ["◆", "■", "▲", "★"];
    const entry = (mark, name) => element("li", {}, element("span", { class: "entry" }, mark, element("span", { class: "name" }, name)));
    $("marks").replaceChildren(entry(dot("●", -1), "the recommendation"),
      ...named.map(([name], i) => entry(dot(signs[i % 4], i + (i > 2 ? 3 : 0)), name)));
    if ($("legend")) $("legend").replaceChildren(...summary.models.map((each, m) => entry(swatch(m), each.name)));
  }

  function words() {
    const members = model.members.place.filter((place) => place >= 0).length;
    const all = summary.surface ? summary.surface.members : 0;
    const kept = members < all ? ` (kept of ${RocchWords.counted(all)})` : "";
    $("trade-offs-caption").textContent = !summary.surface ? "The models' plain rules; no surface was searched." :
      members <= 250 ? `All ${RocchWords.counted(members)} members of the surface.` :
      `250 of ${RocchWords.counted(members)} members of the surface${kept}, evenly from the fewest errors to the most.`;
    $("appendix-words").textContent =
      `${RocchWords.counted(model.members.model.length)} ways to answer are in this file: ${RocchWords.counted(members)} members of the surface${kept}, plain rules, and single answers. The cheapest for what you say on the left:`;
  }

  function buttons() {
    $("reset").addEventListener("click", () => { RocchManyKnobs.set(own); take(own); });
    $("csv").addEventListener("click", () => RocchShell.download("members.csv", "text/csv", RocchManyTables.csv(model)));
    $("json").addEventListener("click", () => RocchShell.download("summary.json", "application/json", $("summary").textContent));
    $("copy-link").hidden = false;
    $("copy-link").addEventListener("click", () =>
      RocchShell.copy(`${location.href.split("#")[0]}#${RocchManyState.encode(question)}`, "Link"));
    document.querySelectorAll("button[data-copy]").forEach((button) => button.addEventListener("click", () =>
      RocchShell.copy($(button.dataset.copy).textContent, button.dataset.what)));
  }

  function refuse(reason) {
    document.querySelectorAll(".chart .waiting").forEach((each) => { each.textContent = reason.message; });
  }

  function start() {
    fillSelects();
    legends();
    words();
    buttons();
    RocchManyTables.showPlain(model.classes, judged[0]);
    RocchSight.watch([...tables, ...charts.map((chart) => ({ id: chart.id, show: () => show(chart) }))]);
    RocchManyKnobs.start(own, observed, take);
    if (!restore("the report's own costs are shown")) update();
    RocchShell.echo($("sentence"));
    addEventListener("hashchange", () => restore("the settings stay as they are"));
    addEventListener("resize", () => redraw(...charts.filter((chart) => drawn.has(chart) && (chart === curves || chart === pairs))));
    withPlotly().then(startCharts, refuse);
  }

  function startCharts(loaded) {
    plotly = loaded;
    RocchShell.onTheme(() => { drawn.clear(); RocchSight.changed(); });
    addEventListener("beforeprint", () => onPaper(true));
    addEventListener("afterprint", () => onPaper(false));
  }

  start();
  return { question: () => question, answer: () => answer };
})();
