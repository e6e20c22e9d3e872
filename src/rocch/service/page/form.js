// The form of an aim: its fields, what was typed, and what is wrong with it, told at the field.

import { $, element } from "./dom.js";
import { FIELDS, KNOB, concerned, given, understood } from "./fields.js";
import { write } from "./typed.js";

const TUNING = {
  off: "Feedback is kept, and moves nothing.",
  advise: "Feedback is weighed; a better setting becomes a warning here.",
  follow: "Feedback moves the knob by itself, starting from this aim.",
};

function row({ name, label, hint, half }) {
  const id = `aim-${name}`;
  return element("div", { class: half ? "field half" : "field" },
    element("label", { for: id }, label),
    element("input", { type: "text", id, autocomplete: "off", spellcheck: "false", maxlength: "60", "aria-describedby": `${id}-hint ${id}-problem` }),
    element("p", { class: "hint", id: `${id}-hint` }, hint),
    element("p", { class: "problem", id: `${id}-problem`, "aria-live": "polite" }));
}

function build() {
  const more = element("details", { id: "aim-more" }, element("summary", {}, "More costs and limits"),
    element("div", { class: "grid" }, ...FIELDS.filter((field) => field.more).map(row)));
  $("fields").append(
    element("div", { id: "aim-words", class: "grid" }, ...FIELDS.filter((field) => !field.more).map(row), more),
    element("div", { id: "aim-by-knob" }, row(KNOB)));
}

const every = () => [...FIELDS, KNOB];
const mode = () => document.querySelector('input[name="mode"]:checked').value;

function setMode(value) {
  document.querySelector(`input[name="mode"][value="${value}"]`).checked = true;
  follow();
}

/** Show what belongs to the mode and to the choice of tuning. */
function follow() {
  $("aim-words").hidden = mode() === "knob";
  $("aim-by-knob").hidden = mode() !== "knob";
  $("aim-tuning-hint").textContent = TUNING[$("aim-tuning").value];
}

function tell(name, problem) {
  const field = $(`aim-${name}`);
  $(`aim-${name}-problem`).textContent = problem;
  if (problem) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
  if (problem && field.closest("details")) field.closest("details").open = true;
}

function clear() {
  [...every().map((field) => field.name), "tuning", "by", "note"].forEach((name) => tell(name, ""));
  $("aim-problem").textContent = "";
}

/** Tell each problem at its field. */
export function tellAll(problems) {
  clear();
  Object.entries(problems).forEach(([name, problem]) => tell(name, problem));
}

/** Tell what the service refused: at the field that it names, if that is in sight, else below all. */
export function refused({ argument, message }) {
  clear();
  const name = concerned(argument);
  const field = name && $(`aim-${name}`);
  if (field && !field.closest("[hidden]")) tell(name, message);
  else $("aim-problem").textContent = message;
}

/** The aim as typed: with what would be sent, and problems by field. */
export function draft() {
  const texts = Object.fromEntries(every().map(({ name }) => [name, $(`aim-${name}`).value]));
  texts[KNOB.name] = String(knob());
  const { aim, problems } = understood(texts, mode());
  Object.assign(aim, { randomize: $("randomize").checked, tuning: $("aim-tuning").value });
  return { aim, problems, mode: mode(), by: $("aim-by").value.trim(), note: $("aim-note").value.trim() };
}

/** Fill the form with an aim; names and notes belong to who puts it in force, and stay. */
export function fill(aim) {
  every().forEach((field) => { $(`aim-${field.name}`).value = write(given(aim, field)); });
  show(write(given(aim, KNOB)));
  $("aim-more").open = FIELDS.some((field) => field.more && given(aim, field) !== null);
  $("randomize").checked = aim.randomize;
  $("aim-tuning").value = aim.tuning;
  setMode(given(aim, KNOB) === null ? "words" : "knob");
  clear();
}

const DIGITS = 4;

/** Write a position shortly; what was meant is kept beside it, because a vertex is an exact place. */
function show(position) {
  $("aim-knob").value = position === "" ? "" : String(Number(Number(position).toPrecision(DIGITS)));
  $("aim-knob").dataset.meant = JSON.stringify([$("aim-knob").value, String(position)]);
}

/** The position in the knob's field: exactly as it was turned, unless another was typed. */
export function knob() {
  const [shown, meant] = JSON.parse($("aim-knob").dataset.meant || "[null, null]");
  return $("aim-knob").value === shown ? meant : $("aim-knob").value;
}

/** Turn the knob to a position, which makes it what is aimed by. */
export function turn(position) {
  show(position);
  setMode("knob");
}

/** Build the form; `onChange` is called whenever something was typed or chosen. */
export function start(onChange) {
  build();
  follow();
  $("aim").addEventListener("input", () => { follow(); onChange(); });
}
