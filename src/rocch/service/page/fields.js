// The words of an aim: how each is called, typed and sent. No DOM here.

import { read, write } from "./typed.js";

const RANGE = { ranged: true };
const SHARE = { most: 1 };
const COUNT = {};
const RATIO = { ranged: true, needs_range: true, open: true };

/** Every word that an aim may have; those without `more` are always in sight. */
export const FIELDS = [
  { name: "prevalence", group: "conditions", label: "Share of positives", hint: "0.1 or 0.1..0.2, or observed",
    kind: { ranged: true, most: 1, words: ["observed"] } },
  { name: "false_positive", group: "conditions", label: "False alarm costs", hint: "1 or 1..2", kind: RANGE, half: true },
  { name: "false_negative", group: "conditions", label: "Miss costs", hint: "25 or 5..10", kind: RANGE, half: true },
  { name: "max_fpr", group: "criterion", label: "False alarms, at most", hint: "a share of the negatives: 0.05", kind: SHARE },
  { name: "negatives_per_positive", group: "conditions", label: "Negatives per positive", hint: "instead of the share of positives", kind: RANGE, more: true },
  { name: "true_positive", group: "conditions", label: "Hit costs", hint: "a right alarm still costs a review", kind: RANGE, more: true },
  { name: "true_negative", group: "conditions", label: "True negative costs", hint: "usually nothing", kind: RANGE, more: true },
  { name: "cost_ratio", group: "criterion", label: "A miss is so many times as bad", hint: "a belief: 5..10", kind: RATIO, more: true },
  { name: "inverse_cost_ratio", group: "criterion", label: "A false alarm is so many times as bad", hint: "a belief: 5..10", kind: RATIO, more: true },
  { name: "likely", group: "criterion", label: "Most likely so many times", hint: "within the belief: 9", kind: COUNT, more: true },
  { name: "min_tpr", group: "criterion", label: "Positives found, at least", hint: "a share of the positives: 0.9", kind: SHARE, more: true },
  { name: "max_share", group: "criterion", label: "Alarms, at most", hint: "a share of all cases: 0.1", kind: SHARE, more: true },
  { name: "capacity", group: "criterion", label: "Alarms that can be checked", hint: "of the population, or of the two classes, below", kind: COUNT, more: true },
  { name: "population", group: "criterion", label: "Population", hint: "cases that come", kind: COUNT, more: true },
  { name: "positives", group: "criterion", label: "Positives", hint: "among them", half: true, kind: COUNT, more: true },
  { name: "negatives", group: "criterion", label: "Negatives", hint: "among them", half: true, kind: COUNT, more: true },
  { name: "maximize", group: "criterion", label: "Maximize", hint: "f1, for example", kind: { words: "any" }, more: true },
];

/** The knob stands alone: it says where to operate, and not why. */
export const KNOB = {
  name: "knob", group: "criterion", label: "Knob", hint: "from 0, never, to 1, always",
  kind: { most: 1, most_words: "At most 1, which is always alarming." },
};

const EVERY = [...FIELDS, KNOB];
const EMPTY = "Say at least something, such as the share of positives and the two costs.";

/** The value that an aim gives to a word, or null. */
export const given = (aim, { group, name }) => (aim[group] && aim[group][name]) ?? null;

const BALANCE = "Costs need the share of positives beside them, such as 0.1 or 0.05..0.2.";

/** Whether costs are named without the class balance that gives them a meaning. */
function lacksBalance({ conditions = {} }) {
  const named = (...names) => names.some((name) => conditions[name] !== undefined);
  return named("false_positive", "false_negative") && !named("prevalence", "negatives_per_positive");
}

/** The aim that the typed texts mean, and what is wrong with them by field. */
export function understood(texts, mode) {
  const [aim, problems] = [{}, {}];
  for (const field of mode === "knob" ? [KNOB] : FIELDS) {
    const { value, problem } = read(texts[field.name] || "", field.kind);
    if (problem) problems[field.name] = problem;
    if (value !== undefined) aim[field.group] = { ...aim[field.group], [field.name]: value };
  }
  const nothing = !Object.keys(aim).length && !Object.keys(problems).length;
  if (nothing) problems[mode === "knob" ? "knob" : "prevalence"] = mode === "knob" ? "Turn the knob below the hull, or write its setting." : EMPTY;
  if (mode !== "knob" && lacksBalance(aim) && !problems.prevalence) problems.prevalence = BALANCE;
  return { aim, problems };
}

/** The same aim as a question to the service. */
export function query(aim, randomize) {
  const words = EVERY.filter((field) => given(aim, field) !== null)
    .map((field) => [field.name, write(given(aim, field))]);
  if (randomize) words.push(["randomize", "true"]);
  return new URLSearchParams(words).toString();
}

/** A word of an aim for people: a turned knob has more digits than anybody reads. */
function said(aim, field) {
  const value = given(aim, field);
  return field === KNOB && value !== null ? String(Number(Number(value).toPrecision(4))) : write(value);
}

const yes = (value) => (value ? "yes" : "no");

/** What differs between two aims: the name of each word, and how both write it. */
export function changes(from, to) {
  const rows = EVERY.map((field) => [field.label, said(from, field), said(to, field)]);
  rows.push(["A coin may choose", yes(from.randomize), yes(to.randomize)], ["Tuning by feedback", from.tuning, to.tuning]);
  return rows.filter(([, before, after]) => before !== after);
}

/** Every word that an aim has, by its label. */
export const stated = (aim) => EVERY.filter((field) => given(aim, field) !== null)
  .map((field) => [field.label, said(aim, field)]);

/** How criteria call what the form calls otherwise. */
const ALSO = { metric: "maximize", position: "knob" };

/** The field that an error is about: the service may name it with its path, as in conditions.prevalence. */
export function concerned(argument) {
  const parts = String(argument || "").split(/[.,[\]\s]+/).map((part) => ALSO[part] || part);
  const names = [...EVERY.map((field) => field.name), "tuning", "by", "note"];
  return parts.find((part) => names.includes(part)) || null;
}
