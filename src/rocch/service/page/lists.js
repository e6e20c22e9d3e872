// What happened and what there is: conditions and their history, feedback, the tuner, the library.

import { $, described, element, redraw } from "./dom.js";
import { stated } from "./fields.js";
import { count, number, percent, plural, rates, when } from "./words.js";

const time = (iso, now) => element("time", { datetime: iso, title: iso }, when(iso, now));
const SOURCES = { operator: "an operator", "command line": "the command line of the service", default: "the default; nobody has aimed it", tuner: "the tuner" };

/** The aim in force, word by word. */
export function conditions({ aim, now }) {
  redraw($("conditions"), [aim, when(aim.at, now)], () => described([
    ...(stated(aim).length ? stated(aim) : [["Aim", aim.words]]),
    ["A coin may choose", aim.randomize ? "yes" : "no"],
    ["Tuning by feedback", aim.tuning],
    ["From", SOURCES[aim.source] || aim.source],
    ["By", aim.by || ""],
    ["Since", aim.at ? [time(aim.at, now)] : ""],
    ["Note", aim.note || ""],
  ]));
}

/** The aims before, newest first; `again` fills the form with one of them. */
export function history({ history: aims, total }, now, again) {
  $("history-box").hidden = !aims.length;
  redraw($("history"), [aims, new Date(now).toDateString()], () => aims.map((aim) => {
    const button = element("button", { type: "button" }, "Use again");
    button.addEventListener("click", () => again(aim));
    return element("tr", {}, element("td", { class: "moment" }, aim.at ? time(aim.at, now) : ""),
      element("td", { class: "name" }, aim.words), element("td", {}, aim.by || aim.source),
      element("td", { class: "name" }, aim.note || ""), element("td", {}, aim.tuning), element("td", {}, button));
  }));
  $("history-more").textContent = total > aims.length ? `${count(total - aims.length)} more before these.` : "";
}

const KINDS = { outcomes: "outcomes", load: "load", too_many_alarms: "too many alarms", queue_not_filled: "queue not filled" };

function feedbackWords({ events, observed }, point) {
  if (!events) return "None has come yet.";
  const seen = observed ? ` Observed over ${plural(observed.rows, "row")}: ${rates(observed)}; promised: ${rates(point)}.` : "";
  return `${plural(events, "event")} kept.${seen}`;
}

const event = (at, now, what, why, moved) => element("li", moved ? { class: "moved" } : {},
  time(at, now), element("span", {}, element("strong", {}, what), why ? ` ${why}` : ""));

/** The last feedback, and what it did. */
export function feedback({ feedback: given, in_force: { point }, now }) {
  const words = feedbackWords(given, point);
  redraw($("feedback-words"), words, () => [words]);
  redraw($("feedback"), [given.recent, new Date(now).toDateString()], () => given.recent.map((each) =>
    event(each.at, now, `${KINDS[each.kind] || each.kind}${each.rows ? `, ${plural(each.rows, "row")}` : ""}.`, each.words || "", each.moved)));
}

function tunerWords(tuner) {
  if (!tuner) return "Off: feedback is kept, and moves nothing.";
  const does = { advise: "It advises and moves nothing itself", follow: "It moves the knob", off: "Off" }[tuner.mode] || tuner.mode;
  return `${does}: at ${number(tuner.position)} of the knob, in steps of ${number(tuner.step)}.`;
}

/** Where the tuner stands, and its moves. */
export function tuner({ tuner: given, now }) {
  const words = tunerWords(given);
  redraw($("tuner-words"), words, () => [words]);
  const moves = given ? given.moves : [];
  redraw($("tuner"), [moves, new Date(now).toDateString()], () => moves.map((move) =>
    event(move.at, now, `${number(move.from)} → ${number(move.to)}.`, move.why || "")));
}

/** What decides: the version of the library and its classifiers. */
export function library({ library: given, now, rocch, started_at: started }, look) {
  const { judged, pending } = given;
  const all = judged.negatives + judged.positives;
  redraw($("library"), [given, new Date(now).toDateString()], () => described([
    ["Version", `${given.version}${given.note ? `, ${given.note}` : ""}`],
    ["Exported", given.exported_at ? [time(given.exported_at, now)] : ""],
    ["Loaded", [time(given.loaded_at, now)]],
    ["Waiting", pending ? [element("span", { class: "problem" }, `version ${pending.version}: ${pending.problem || "being loaded"}`)] : ""],
    ["Judged on", `${count(judged.negatives)} negatives and ${count(judged.positives)} positives (${percent(judged.positives / all)})`],
    ["Decides on", given.takes_features ? "features" : "precomputed scores"],
    ["Classifiers", given.classifiers.map((name) =>
      element("span", { class: "chip" }, element("span", { class: `key ${look(name)}`, "aria-hidden": "true" }), name)), true],
    ["SHA-256", [element("code", {}, given.sha256)], true],
  ]));
  const words = `rocch ${rocch}, started ${when(started, now)}. This page asks the service and nobody else.`;
  redraw($("footer"), words, () => [words]);
}
