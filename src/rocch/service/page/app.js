// The page: signs in, looks at the service every two seconds while it is in sight, and shows the answer.

import { Aiming } from "./aim.js";
import { Refused, ask } from "./api.js";
import { knob } from "./form.js";
import * as charts from "./charts.js";
import { $, announce, described, redraw } from "./dom.js";
import { slopes } from "./geometry.js";
import { HullChart, details, legend } from "./hull.js";
import { KnobSlider } from "./knob.js";
import * as lists from "./lists.js";
import { looks } from "./looks.js";
import * as now from "./now.js";
import * as session from "./session.js";
import { clock, minutesWords, perThousand, prevalenceWords, span, when } from "./words.js";

const EVERY = 2000; // milliseconds between two looks
const REMEMBERED = 20; // aims of the history

const page = { status: null, hull: null, history: null, vertex: null, asking: 0, timer: 0, answered: null };

// ---- signing in and out ------------------------------------------------------------------------

function signIn(problem = "") {
  stop();
  session.forget();
  page.status = page.hull = page.history = null;
  aiming.leave();
  $("page").hidden = true;
  $("sign-in").hidden = false;
  $("sign-in-problem").textContent = problem;
  $("token").value = "";
  $("token").focus();
}

const REASONS = {
  401: "The service does not know this token.",
  403: "This token may decide, but not look: sign in as a viewer or an operator.",
};

/** Tell why the service did not answer as hoped: sign in again, or wait until it is back. */
function failed(error) {
  const reason = error instanceof Refused && REASONS[error.status];
  if (reason) signIn(page.status ? "Sign in again: the token is no longer accepted." : reason);
  else gone(error);
}

function gone(error) {
  if (!page.status) {
    if ($("page").hidden) $("sign-in").hidden = false;
    $("sign-in-problem").textContent = error.message;
    return;
  }
  $("gone").hidden = false;
  $("gone").textContent = `No answer since ${when(page.answered, new Date())}. What you see is the state of then. ${error.message}`;
  document.body.classList.add("stale");
  $("pulse").textContent = "";
}

function back() {
  page.answered = new Date();
  $("gone").hidden = true;
  document.body.classList.remove("stale");
  $("pulse").textContent = `as of ${clock(page.answered)}`;
}

// ---- looking -----------------------------------------------------------------------------------

function stop() {
  clearTimeout(page.timer);
  page.asking += 1;
}

/** Look now, and then again and again. An answer that comes after a newer question is dropped. */
async function look() {
  stop();
  const asked = page.asking;
  try {
    const status = await ask("v1/status");
    const hull = await hullOf(status);
    const history = await historyOf(status);
    if (asked !== page.asking) return;
    back();
    show(status, hull, history);
  } catch (error) {
    if (asked !== page.asking) return;
    failed(error);
  }
  if (session.kept() && !document.hidden) page.timer = setTimeout(look, EVERY);
}

async function hullOf({ library: { version, sha256 } }) {
  const known = page.hull && page.hull.library;
  return known && known.version === version && known.sha256 === sha256 ? page.hull : ask("v1/hull");
}

async function historyOf({ role, aim }) {
  if (role !== "operator") return null;
  const known = page.history && page.history.of === aim.id;
  return known ? page.history : { ...(await ask(`v1/conditions?limit=${REMEMBERED}`)), of: aim.id };
}

// ---- showing -----------------------------------------------------------------------------------

function show(status, hull, history) {
  const before = page.status;
  Object.assign(page, { status, hull, history });
  const operates = status.role === "operator";
  $("sign-in").hidden = true;
  $("page").hidden = false;
  $("panel").hidden = !operates;
  $("page").classList.toggle("alone", !operates);
  if (operates) aiming.follow(status);
  now.show(status);
  panels(status);
  if (history) lists.history(history, status.now, (aim) => aiming.again(aim));
  else $("history-box").hidden = true;
  draw();
  if (before && before.in_force.rule !== status.in_force.rule) announce(`Now in force: ${status.in_force.rule}`);
}

function panels(status) {
  const names = status.library.classifiers;
  const { alarms } = perThousand(status.in_force.point, now.reckoned(status).bounds);
  const words = [minutesWords(status.decisions, alarms.map((n) => n / 1000)), prevalenceWords(status.prevalence)];
  redraw($("minutes-words"), words[0], () => [words[0]]);
  redraw($("prevalence-words"), words[1], () => [words[1]]);
  charts.minutes($("minutes"), status.decisions);
  charts.prevalence($("prevalence"), status.prevalence);
  lists.conditions(status);
  lists.feedback(status);
  lists.tuner(status);
  lists.library(status, looks(names));
}

/** What the hull and the knob are drawn of. */
function scene() {
  const { status, hull } = page;
  const { point } = status.in_force;
  const preview = aiming.preview;
  const aim = preview ? preview.drafted.aim : status.aim;
  const operates = status.role === "operator";
  const limit = aim.criterion && typeof aim.criterion.max_fpr === "number" ? aim.criterion.max_fpr : null;
  return {
    vertices: hull.vertices, names: status.library.classifiers, look: looks(status.library.classifiers),
    slopes: slopes(aim.conditions, hull.judged), limit, point, preview: preview && preview.point,
    picks: operates, turns: operates, free: $("randomize").checked && operates, aim,
    position: position(point, preview),
  };
}

/** Where the slider stands: where it was turned to, where the draft leads, or where it operates. */
function position(point, preview) {
  const typed = Number(knob());
  if (aiming.touched && !$("aim-by-knob").hidden && $("aim-knob").value !== "" && typed >= 0 && typed <= 1) return typed;
  return preview ? preview.point.knob : point.knob;
}

const HINTS = {
  operator: "Turning it starts a new aim; nothing moves before you put it in force. Arrow keys go from vertex to vertex.",
  viewer: "Only an operator can turn it.",
};

function lead({ slopes: steep, limit, preview }) {
  const whose = preview ? "The aim in the form" : "The aim";
  const parts = ["Each mark is a vertex of the hull; the ring is where it operates."];
  if (steep) parts.push(`${whose} asks for slope${steep[0] === steep[1] ? "" : "s"} ${span(steep)}: the dashed line${steep[0] === steep[1] ? "" : "s"}.`);
  if (limit !== null) parts.push("The dotted line is the limit on false alarms.");
  return parts.join(" ");
}

function draw() {
  const given = scene();
  const words = lead(given);
  redraw($("hull-lead"), words, () => [words]);
  chart.draw(given);
  legend($("legend"), given);
  slider.draw(given);
  $("knob-hint").textContent = HINTS[page.status.role] || HINTS.viewer;
  showVertex();
}

function showVertex() {
  if (!page.status) return; // a pointer may leave the hull after signing out
  const { point } = page.status.in_force;
  const rows = details(page.vertex, page.hull.vertices, point, position(point, aiming.preview));
  redraw($("vertex"), rows, () => described(rows));
}

// ---- starting ----------------------------------------------------------------------------------

const host = { redraw: () => page.status && draw(), refresh: look, failed };
const aiming = new Aiming(host);
const slider = new KnobSlider($("knob-slider"), $("knob-marks"), (to) => aiming.turn(to));
const chart = new HullChart($("hull"), {
  onShow: (vertex) => { page.vertex = vertex; showVertex(); },
  onPick: (vertex) => aiming.turn(vertex.knob),
});

$("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!$("token").value.trim()) {
    $("sign-in-problem").textContent = "Write the token of a viewer or of an operator first.";
    return;
  }
  session.keep($("token").value);
  enter();
});
$("sign-out").addEventListener("click", () => signIn());
$("handle").addEventListener("click", () => {
  $("handle").setAttribute("aria-expanded", String($("panel").classList.toggle("open")));
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stop();
  else if (session.kept()) look();
});
window.addEventListener("hashchange", () => { if (session.fromAddress()) enter(); });

function enter() {
  page.status = null;
  $("sign-in-problem").textContent = "";
  look();
}

session.fromAddress();
if (session.kept()) enter();
else signIn();
