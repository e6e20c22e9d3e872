// The page for many classes at work: the question moves, and everything that depends on it.
"use strict";
const RocchManyApp = (() => {
  const { $, element, onTheme, withPlotly } = RocchShell;
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
  let marks = [];
  let turning = 0; // the timer that will move the mark on the surface
  const stale = new Set(); // charts that do not show the answer yet
  const inSight = new Set();
  let drawing = 0;
  let writing = 0;

  /** Everything but the charts, at once. */
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
    RocchManyTables.showSuggestions(model, answer, named, question, costs);
    RocchManyTables.showCheapest(model, answer, costs);
    RocchManyTables.showRule(model, answer);
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(moveMarks);
  }

  /** What moves in each chart is the recommendation; nothing else is drawn again. */
  const movers = {
    "trade-offs-chart": () => {
      const values = choices[Number($("rates").value)].values(answer.member);
      plotly.restyle("trade-offs-chart", { y: [values] }, [named.length + 1]);
    },
    "curves-chart": () => {
      const points = marks.map(({ k }) => RocchManyCharts.pointOf(model, answer.member, k));
      const moved = { x: points.map((point) => point.x), y: points.map((point) => point.y) };
      plotly.restyle("curves-chart", moved, marks.map((mark) => mark.trace));
    },
    "surface-chart": () => {
      const { x, y, z } = RocchManySurface.along(model, [answer.member], axes);
      plotly.restyle("surface-chart", { x: [x], y: [y], z: [z] }, [named.length + 1]);
    },
  };

  /** Move the marks of charts in sight now, of the others when they come into sight. */
  function moveMarks() {
    Object.keys(movers).filter((id) => $(id) && $(id).data).forEach((id) => stale.add(id));
    inSight.forEach(refresh);
  }

  function refresh(id) {
    if (!stale.has(id)) return;
    if (id !== "surface-chart") return void move(id);
    clearTimeout(turning); // without a graphics card it is slow
    turning = setTimeout(() => move(id), 150);
  }

  function move(id) {
    stale.delete(id);
    movers[id]();
  }

  function watchCharts() {
    const watcher = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
      inSight[isIntersecting ? "add" : "delete"](target.id);
      if (isIntersecting) refresh(target.id);
    }));
    Object.keys(movers).filter($).forEach((id) => watcher.observe($(id)));
    addEventListener("beforeprint", () => [...stale].forEach(move));
  }

  function react(id, [traces, layout]) {
    const place = $(id);
    place.querySelectorAll(":scope > .waiting, :scope > .sketch").forEach((each) => each.remove());
    if (layout.height) place.style.height = `${layout.height}px`;
    return plotly.react(place, traces, layout, RocchManyCharts.CONFIG);
  }

  const drawTradeOffs = (look) =>
    react("trade-offs-chart", RocchManyCharts.tradeOffs(model, named, choices[Number($("rates").value)], answer.member, look));

  function drawCurves(look) {
    if (!summary.hulls.length) return;
    const group = $("group") ? Number($("group").value) : 0;
    const [traces, layout, found] = RocchManyCharts.curves(summary, model, answer.member, group, $("curves-chart").clientWidth, look);
    marks = found;
    react("curves-chart", [traces, layout]);
  }

  const drawPairs = (look) =>
    judged.length && react("pairs-chart", RocchManyCharts.pairs(summary, judged[Number($("judged").value)], $("pairs-chart").clientWidth, look));

  function drawSurface(look) {
    if (!spatial) return;
    if (!RocchManySurface.canDraw()) {
      $("surface-chart").replaceChildren(element("p", { class: "waiting" }, "This browser cannot draw in three dimensions (WebGL is off); the trade-offs above show the same."));
      return;
    }
    react("surface-chart", RocchManySurface.draw(model, named, answer.member, axes, $("surface-chart").clientWidth < 600, look));
  }

  function drawAll() {
    if (!plotly) return;
    const look = RocchManyCharts.theme();
    drawTradeOffs(look);
    drawCurves(look);
    if (judged.length) react("aucs-chart", RocchManyCharts.aucs(summary, look));
    drawPairs(look);
    drawSurface(look);
  }

  /** Take a question: from the knobs, from the address, or back to the report's own. */
  function take(given) {
    question = given;
    update();
    clearTimeout(writing);
    writing = setTimeout(() => history.replaceState(null, "", `#${RocchManyState.encode(question)}`), 200);
  }

  function restore() {
    let found = null;
    try {
      found = RocchManyState.decode(location.hash, own);
    } catch {
      RocchShell.toast("The link makes no sense here; the report's own costs are shown.");
    }
    if (!found) return false;
    question = found;
    RocchManyKnobs.set(question);
    update();
    return true;
  }

  function fillSelects() {
    $("rates").replaceChildren(...choices.map((choice, i) => element("option", { value: i }, choice.label)));
    $("rates").addEventListener("change", () => plotly && drawTradeOffs(RocchManyCharts.theme()));
    if ($("group")) $("group").addEventListener("change", () => plotly && drawCurves(RocchManyCharts.theme()));
    if (judged.length) {
      $("judged").addEventListener("change", () => {
        RocchManyTables.showPlain(model.classes, judged[Number($("judged").value)]);
        if (plotly) drawPairs(RocchManyCharts.theme());
      });
    }
    ["x", "y", "z"].forEach((name, i) => {
      const select = $(`axis-${name}`);
      if (!select) return;
      select.value = axes[i];
      select.addEventListener("change", () => {
        axes[i] = Number(select.value);
        if (plotly) drawSurface(RocchManyCharts.theme());
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
      `Up to 250 of ${RocchWords.counted(members)} members of the surface${kept}, evenly from the fewest errors to the most.`;
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
    RocchManyKnobs.start(own, observed, take);
    if (!restore()) update();
    RocchShell.echo($("sentence"));
    addEventListener("hashchange", restore);
    addEventListener("resize", () => plotly && [drawCurves, drawPairs].forEach((draw) => draw(RocchManyCharts.theme())));
    withPlotly().then((loaded) => {
      plotly = loaded;
      onTheme(drawAll); // which also draws now
      watchCharts();
    }, refuse);
  }

  start();
  return { question: () => question, answer: () => answer };
})();
