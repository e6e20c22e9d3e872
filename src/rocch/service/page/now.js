// What the service is doing now: warnings first, then the rule, its source and what to expect of it.

import { $, described, element, redraw } from "./dom.js";
import { capital, count, number, percent, perThousand, sourceWords, span } from "./words.js";

function warnings(given) {
  $("warnings").hidden = !given.length;
  $("calm").hidden = Boolean(given.length);
  redraw($("warnings"), given, () => given.map(({ code, message }) =>
    element("li", { "data-code": code }, element("strong", {}, "Warning: "), message)));
  document.title = given.length ? `(${given.length}) rocch service` : "rocch service";
}

/** The prevalence to reckon with, and how it is called. */
export function reckoned({ prevalence: { assumed }, library: { judged } }) {
  if (assumed) return { bounds: assumed, called: `at the assumed prevalence, ${span(assumed, percent)}` };
  const observed = judged.positives / (judged.positives + judged.negatives);
  return { bounds: [observed, observed], called: `at the prevalence of the judged rows, ${percent(observed)}` };
}

const rate = (value, whose) => [percent(value), element("small", {}, whose)];

function facts(status) {
  const { point } = status.in_force;
  const { bounds, called } = reckoned(status);
  const { alarms, hits, misses } = perThousand(point, bounds);
  const of = element("small", {}, "of 1,000 cases");
  const cost = point.expected_cost;
  return described([
    ["False alarms (FPR)", rate(point.fpr, "of the negatives")],
    ["Hits (TPR)", rate(point.tpr, "of the positives")],
    ["Alarms to expect", [span(alarms, count), of]],
    ["Hits among them", [span(hits, count), of.cloneNode(true)]],
    ["Misses", [span(misses, count), of.cloneNode(true)]],
    ["Expected cost", cost === null || cost === undefined ? null : [number(cost), element("small", {}, "per case")]],
  ]).concat(element("p", { class: "hint whole" }, `Cases reckoned ${called}; rates as judged on the library’s rows.`));
}

function sql(text) {
  $("sql-box").hidden = !text;
  redraw($("sql"), text, () => [text || ""]);
}

function about({ role, library: { version, note }, rocch }) {
  const parts = [`library version ${version}${note ? ` (${note})` : ""}`, `rocch ${rocch}`, `signed in as ${role}`];
  redraw($("about"), parts, () => [parts.join(" · ")]);
}

/** Show the state; `now` is the service's clock. */
export function show(status) {
  about(status);
  warnings(status.warnings);
  redraw($("sentence"), status.in_force.rule, () => [`${capital(status.in_force.rule)}.`]);
  const source = sourceWords(status, status.now);
  redraw($("source"), source, () => [source]);
  redraw($("facts"), [status.in_force.point, reckoned(status)], () => facts(status));
  sql(status.in_force.sql);
}
