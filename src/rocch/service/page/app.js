// The page: signs in, looks at the service every two seconds while it is in sight, and shows it.
"use strict";
(() => {
  const { $, element } = RocchShell;
  const { announce, clock, part, redraw, show } = RocchView;
  const { ask, forget, fromAddress, keep, token } = RocchClient;
  const EVERY = 2000; // milliseconds between two looks
  const REMEMBERED = 20; // aims of the history

  const page = { status: null, hull: null, history: null, vertex: null, asking: 0, timer: 0 };

  // ---- signing in and out ----------------------------------------------------------------------

  function signIn(problem = "") {
    stop();
    forget();
    page.status = page.hull = page.history = null;
    aiming.leave();
    document.body.className = "signed-out";
    $("sign-in-problem").textContent = problem;
    $("token").value = "";
    $("token").focus();
  }

  function enter() {
    page.status = null;
    $("sign-in-problem").textContent = "";
    look();
  }

  /** Tell why the service did not answer as hoped: sign in again, or wait until it is back. */
  function failed({ status, message }) {
    const { dataset } = $("sign-in");
    const reason = dataset[`reason${status}`];
    if (reason) signIn(page.status ? dataset.ended : reason);
    else if (page.status) setGone(`No answer since ${page.answered}. ${message}`);
    else {
      document.body.className = "signed-out";
      $("sign-in-problem").textContent = message;
    }
  }

  /** Show that the service does not answer, or, without a message, that it does. */
  function setGone(message = "") {
    $("gone-message").textContent = message;
    $("pulse").textContent = message ? "" : `as of ${page.answered}`;
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
      const status = await ask("v1/status?page=true");
      if (asked !== page.asking) return; // after signing out nothing else may be asked
      const [hull, history] = await Promise.all([hullOf(status), historyOf(status)]);
      if (asked !== page.asking) return;
      update(status, hull, history);
    } catch (error) {
      if (asked !== page.asking) return;
      failed(error);
    }
    if (token() && !document.hidden) page.timer = setTimeout(look, EVERY);
  }

  function hullOf({ model: { sha256, version } }) {
    const known = page.hull?.model;
    return known?.version === version && known.sha256 === sha256 ? page.hull : ask("v1/hull");
  }

  async function historyOf({ role, aim }) {
    if (role !== "operator") return null;
    if (page.history?.of === aim.id) return page.history;
    return { ...(await ask(`v1/conditions?limit=${REMEMBERED}`)), of: aim.id };
  }

  // ---- showing ---------------------------------------------------------------------------------

  function update(status, hull, history) {
    const before = page.status;
    Object.assign(page, { status, hull, history, answered: clock(new Date()) });
    RocchView.setNow(status.now);
    setGone();
    document.body.className = status.role;
    if (status.role === "operator") aiming.follow(status);
    document.title = status.page.title;
    const parts = { ...status.page.parts, ...hull.pictures }; // by the elements that show them
    for (const id of Object.keys(parts)) show(id, parts[id]);
    showHistory(history || { history: [], total: 0 });
    draw();
    const { rule } = status.in_force;
    if (before && before.in_force.rule !== rule) announce(`Now in force: ${rule}`);
  }

  function showHistory({ history, total }) {
    redraw($("history"), history, () => history.map((aim) => {
      const button = element("button", { type: "button" }, "Use again");
      button.addEventListener("click", () => aiming.again(aim));
      const { at, words, by, source, note, tuning } = aim;
      const cells = [at ? { time: at } : "", words, by || source, note, tuning, button];
      return element("tr", {}, ...cells.map((cell) => element("td", {}, part(cell))));
    }));
    const more = total - history.length;
    $("history-more").textContent = more ? `${more} more before these.` : "";
  }

  /** Where the slider stands: as it was turned, where the preview leads, or where it operates. */
  function position() {
    const { point } = aiming.preview || page.status.in_force;
    return (aiming.touched ? RocchForm.turned() : null) ?? point.knob;
  }

  function draw() {
    const { role, in_force: { point, drawing } } = page.status;
    const picks = role === "operator";
    const shown = aiming.preview || { drawing, point: null };
    const given = {
      ...page.hull, drawing: shown.drawing, point, preview: shown.point, picks,
      free: picks && $("randomize").checked, position: position(),
    };
    show("hull-lead", [shown.drawing.words]);
    chart.draw(given);
    slider.draw(given);
    showVertex();
  }

  /** Show the vertex that is looked at, else the one nearest to the knob. */
  function showVertex(vertex = page.vertex) {
    page.vertex = vertex;
    if (!page.status) return; // a pointer may leave the hull after signing out
    const { inForce, knob } = $("vertex-note").dataset;
    const isInForce = position() === page.status.in_force.point.knob;
    show("vertex-note", vertex ? [] : [isInForce ? inForce : knob]);
    show("vertex", (vertex || RocchKnob.nearest(page.hull.vertices, position())).details);
  }

  // ---- starting --------------------------------------------------------------------------------

  const host = { redraw: () => page.status && draw(), refresh: look, failed };
  const aiming = new RocchAim.Aiming(host);
  const slider = new RocchKnob.Slider((to) => aiming.turn(to));
  const onPick = ({ knob }) => aiming.turn(knob);
  const chart = new RocchHull.Chart({ onShow: showVertex, onPick });

  $("sign-in-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keep($("token").value);
    if (token()) enter();
    else $("sign-in-problem").textContent = $("sign-in").dataset.empty;
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
