// The page: signs in, looks at the service every two seconds while it is in sight, and shows it.
"use strict";
(() => {
  const { $, element } = RocchShell;
  const { announce, clock, events, list, redraw, show, when } = RocchView;
  const { Refused, ask, forget, fromAddress, keep, token } = RocchClient;
  const EVERY = 2000; // milliseconds between two looks
  const REMEMBERED = 20; // aims of the history

  const page = { status: null, hull: null, history: null, vertex: null, asking: 0, timer: 0 };

  // ---- signing in and out ----------------------------------------------------------------------

  function signIn(problem = "") {
    stop();
    forget();
    page.status = page.hull = page.history = null;
    aiming.leave();
    $("page").hidden = true;
    $("sign-in").hidden = false;
    $("sign-in-problem").textContent = problem;
    $("token").value = "";
    $("token").focus();
  }

  /** Tell why the service did not answer as hoped: sign in again, or wait until it is back. */
  function failed(error) {
    const { dataset } = $("sign-in");
    const reason = error instanceof Refused && dataset[`reason${error.status}`];
    if (reason) signIn(page.status ? dataset.ended : reason);
    else if (page.status) gone(error);
    else {
      if ($("page").hidden) $("sign-in").hidden = false;
      $("sign-in-problem").textContent = error.message;
    }
  }

  function gone({ message }) {
    show("gone", ["No answer since ", clock(page.answered), `. ${$("gone").dataset.old} ${message}`]);
    $("gone").hidden = false;
    document.body.classList.add("stale");
    $("pulse").textContent = "";
  }

  function back() {
    page.answered = new Date();
    $("gone").hidden = true;
    document.body.classList.remove("stale");
    $("pulse").textContent = `as of ${clock(page.answered)}`;
  }

  // ---- looking ---------------------------------------------------------------------------------

  function stop() {
    clearTimeout(page.timer);
    page.asking += 1;
  }

  /** Look now, and then again and again. An answer that comes after a newer look is dropped. */
  async function look() {
    stop();
    const asked = page.asking;
    try {
      const status = await ask("v1/status");
      const [hull, history] = [await hullOf(status), await historyOf(status)];
      if (asked !== page.asking) return;
      back();
      update(status, hull, history);
    } catch (error) {
      if (asked !== page.asking) return;
      failed(error);
    }
    if (token() && !document.hidden) page.timer = setTimeout(look, EVERY);
  }

  const hullOf = ({ library: { sha256, version } }) => {
    const known = page.hull?.library;
    return known?.version === version && known.sha256 === sha256 ? page.hull : ask("v1/hull");
  };

  async function historyOf({ role, aim }) {
    if (role !== "operator") return null;
    if (page.history?.of === aim.id) return page.history;
    return { ...(await ask(`v1/conditions?limit=${REMEMBERED}`)), of: aim.id };
  }

  // ---- showing ---------------------------------------------------------------------------------

  function update(status, hull, history) {
    const before = page.status;
    Object.assign(page, { status, hull, history });
    RocchView.setNow(status.now);
    const operates = status.role === "operator";
    $("sign-in").hidden = true;
    $("page").hidden = false;
    $("panel").hidden = !operates;
    $("page").classList.toggle("alone", !operates);
    if (operates) aiming.follow(status);
    showWarnings(status.warnings);
    showFacts(status.page);
    $("sql-box").hidden = !status.in_force.sql;
    show("sql", [status.in_force.sql || ""]);
    showHistory(history);
    draw();
    const { rule } = status.in_force;
    if (before && before.in_force.rule !== rule) announce(`Now in force: ${rule}`);
  }

  function showWarnings(given) {
    $("warnings").hidden = !given.length;
    $("calm").hidden = given.length > 0;
    redraw($("warnings"), given, () => given.map(({ code, message }) => element(
      "li", { "data-code": code }, element("strong", {}, "Warning: "), RocchView.visible(message))));
    document.title = given.length ? `(${given.length}) rocch service` : "rocch service";
  }

  /** Show texts, lists and pictures in the elements that the service names. */
  function showFacts({ texts, lists, events: happened, minutes, prevalence }) {
    for (const [id, text] of Object.entries(texts)) if (id !== "hull-lead") show(id, text);
    for (const [id, pairs] of Object.entries(lists)) list(id, pairs);
    for (const [id, given] of Object.entries(happened)) events(id, given);
    RocchActivity.minutes($("minutes"), minutes);
    RocchActivity.prevalence($("prevalence"), prevalence);
  }

  function showHistory(given) {
    $("history-box").hidden = !given?.history.length;
    if (!given) return;
    redraw($("history"), given.history, () => given.history.map((aim) => {
      const button = element("button", { type: "button" }, "Use again");
      button.addEventListener("click", () => aiming.again(aim));
      const since = element("time", { datetime: aim.at }, aim.at && when(aim.at));
      const cells = [since, aim.words, aim.by || aim.source, aim.note, aim.tuning, button];
      return element("tr", {}, ...cells.map((cell) => element("td", {}, RocchView.part(cell))));
    }));
    const more = given.total - given.history.length;
    $("history-more").textContent = more ? `${more} more before these.` : "";
  }

  /** Where the slider stands: as it was turned, where the preview leads, or where it operates. */
  function position() {
    const { point } = aiming.preview || page.status.in_force;
    const turned = RocchForm.knob();
    const isTurned = aiming.touched && RocchForm.isByKnob() && turned !== "";
    return isTurned && turned >= 0 && turned <= 1 ? Number(turned) : point.knob;
  }

  function draw() {
    const { role, in_force: { point, drawing } } = page.status;
    const { preview } = aiming;
    const picks = role === "operator";
    const given = {
      vertices: page.hull.vertices, drawing: preview ? preview.drawing : drawing, point,
      preview: preview && preview.point, picks, free: picks && $("randomize").checked,
      position: position(),
    };
    show("hull-lead", [given.drawing.words]);
    chart.draw(given);
    RocchHull.legend($("legend"), page.hull.legend);
    slider.draw(given);
    showVertex();
  }

  /** Show a vertex that is looked at, else the one nearest to the knob. */
  function showVertex() {
    if (!page.status) return; // a pointer may leave the hull after signing out
    const at = position();
    const shown = page.vertex || RocchKnob.nearest(page.hull.vertices, at);
    const { inForce, knob } = $("vertex-note").dataset;
    show("vertex-note", [at === page.status.in_force.point.knob ? inForce : knob]);
    $("vertex-note").hidden = page.vertex !== null;
    list("vertex", shown.details);
  }

  // ---- starting --------------------------------------------------------------------------------

  const host = { redraw: () => page.status && draw(), refresh: look, failed };
  const aiming = new RocchAim.Aiming(host);
  const turn = (to) => aiming.turn(to);
  const slider = new RocchKnob.Slider($("knob-slider"), $("knob-marks"), turn);
  const chart = new RocchHull.Chart($("hull"), {
    onShow: (vertex) => { page.vertex = vertex; showVertex(); },
    onPick: (vertex) => turn(vertex.knob),
  });

  function enter() {
    page.status = null;
    $("sign-in-problem").textContent = "";
    look();
  }

  $("sign-in-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!$("token").value.trim()) {
      $("sign-in-problem").textContent = $("sign-in").dataset.empty;
      return;
    }
    keep($("token").value);
    enter();
  });
  $("sign-out").addEventListener("click", () => signIn());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stop();
    else if (token()) look();
  });
  window.addEventListener("hashchange", () => { if (fromAddress()) enter(); });

  fromAddress();
  if (token()) enter();
  else signIn();
})();
