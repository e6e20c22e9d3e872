// The page: controls ask, the geometry answers, tables, drawings and charts show the answer.
"use strict";
const RocchApp = (() => {
  const { $, element } = RocchShell;
  const summary = RocchShell.summary();
  const model = RocchGeometry.prepare(summary);
  const page = {
    summary, model, looks: RocchLooks.assign(model.names),
    question: summary.question, answer: summary.answer,
  };
  let saving = 0; // the timer that will write the address

  /** Answer a question: in words at once, in tables and pictures as they come into sight. */
  function ask(question) {
    page.question = question;
    // Python's own answer, where its question is asked: the same to the last digit of a coin
    const own = RocchState.encode(question) === RocchState.encode(summary.question);
    page.answer = own ? summary.answer : RocchGeometry.answer(model, question);
    say(page.answer);
    RocchSight.changed();
    clearTimeout(saving);
    saving = setTimeout(save, 200);
  }

  function say(answer) {
    if ($("sentence").textContent !== answer.sentence)
      $("sentence").replaceChildren(...RocchTables.sentence(answer.sentence));
    $("echo").textContent = answer.sentence;
    if (RocchWords.assumed) $("assumed").textContent = RocchWords.assumed(page.question);
    $("facts").replaceChildren(...RocchTables.facts(answer, page.question));
    RocchTables.confusion(answer.per_1000);
    RocchTables.rule(answer);
  }

  const parts = [
    { id: "roc", show: () => RocchDrawings.sketch(RocchCharts.isoLines(page.answer), page.answer) },
    { id: "winners", show: () => {
      RocchTables.winners(page.answer, page.question);
      RocchDrawings.markWinners(page.answer);
    } },
    { id: "sensitivity", show: () => {
      RocchTables.choices(page.answer);
      RocchDrawings.choices(page.answer);
    } },
    { id: "losses", show: () => {
      RocchTables.standings(page.answer);
      RocchDrawings.belief(page.question);
    } },
    { id: "shape", show: () => RocchDrawings.cuts(page.answer) },
  ];

  // ---- the address -----------------------------------------------------------------------------

  const address = () => `#${RocchState.encode(page.question)}`;

  function save() {
    if (location.hash !== address()) history.replaceState(null, "", address());
  }

  /** Take the question from the address, if it has one; otherwise say what is shown instead. */
  function restore(instead) {
    try {
      const question = RocchState.decode(location.hash, summary.question);
      if (!question) return false;
      RocchKnobs.show(question);
      ask(question);
      return true;
    } catch {
      RocchShell.toast(`This link's settings make no sense here; ${instead}`);
      return false;
    }
  }

  /** Follow a link in the open page; one that says nothing of use must not stay in the address. */
  function follow() {
    if (!restore("the settings stay as they are")) save();
  }

  function reset() {
    RocchKnobs.show(summary.question);
    ask(summary.question);
  }

  // ---- the legend and the buttons --------------------------------------------------------------

  function swatch(look) {
    const line = RocchShell.drawn("line", { x1: 0, x2: 26, y1: 5, y2: 5 });
    line.style.stroke = `var(--c${look.place % 8})`;
    line.style.strokeDasharray = look.stroke;
    const picture = RocchShell.drawn("svg", { class: "swatch", "aria-hidden": "true" });
    picture.append(line);
    return picture;
  }

  function legendEntry(each, place) {
    const button = element("button", { type: "button", "aria-pressed": "true", title: each.name },
      swatch(page.looks.at(place)), element("span", { class: "name" }, each.name));
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      RocchCharts.toggle(place, shown);
    });
    return element("li", {}, button);
  }

  function listen() {
    $("reset").addEventListener("click", reset);
    $("copy-link").hidden = false;
    $("copy-link").addEventListener("click", () => { save(); RocchShell.copy(location.href, "Link"); });
    for (const button of document.querySelectorAll("[data-copies]"))
      button.addEventListener("click", () => RocchShell.copy($(button.dataset.copies).textContent, "Rule"));
    $("download-csv").addEventListener("click", () =>
      RocchShell.download("hull.csv", "text/csv", RocchTables.csv()));
    $("download-json").addEventListener("click", () =>
      RocchShell.download("summary.json", "application/json", $("summary").textContent));
    addEventListener("hashchange", follow);
  }

  function start() {
    for (const part of [RocchTables, RocchDrawings]) part.start(page);
    RocchKnobs.start(summary.question, ask);
    $("legend").append(...summary.classifiers.map(legendEntry));
    RocchDrawings.winners();
    RocchDrawings.histograms();
    RocchTables.vertices();
    RocchShell.echo($("sentence"));
    listen();
    RocchSight.watch(parts);
    RocchCharts.start(page);
    if (!restore("the report's own are shown")) reset();
  }

  start();
  return { ask, current: () => ({ question: page.question, answer: page.answer }) };
})();
