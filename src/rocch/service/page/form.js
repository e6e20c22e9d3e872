// The form of the question: what is typed in it, and problems, shown at their fields.
"use strict";
const RocchForm = (() => {
  const { $ } = RocchShell;
  const DIGITS = 4; // of a knob's position
  const inputs = [...document.querySelectorAll("#fields input")];
  const others = ["tuning", "by", "note"];

  const mode = () => document.querySelector('input[name="mode"]:checked').value;
  const box = () => $(mode() === "knob" ? "aim-by-knob" : "aim-words");

  /** Show what belongs to the mode and to the choice of tuning. */
  function follow() {
    $("aim-words").hidden = mode() === "knob";
    $("aim-by-knob").hidden = mode() !== "knob";
    $("aim-tuning-hint").textContent = $("aim-tuning").selectedOptions[0].dataset.hint;
  }

  function setMode(value) {
    document.querySelector(`input[name="mode"][value="${value}"]`).checked = true;
    follow();
  }

  function mark(name, problem) {
    const field = $(`aim-${name}`);
    $(`aim-${name}-problem`).textContent = problem;
    if (problem) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (problem && field.closest("details")) field.closest("details").open = true;
  }

  function clear() {
    for (const name of [...inputs.map((input) => input.name), ...others]) mark(name, "");
    $("aim-problem").textContent = "";
  }

  /** Show a problem at its field if that is in sight, else below all. */
  function refuse({ argument, message }) {
    clear();
    const parts = (argument || "").split(/[.,[\]\s]+/);
    const name = parts.find((part) => part && $(`aim-${part}-problem`));
    if (name && !$(`aim-${name}`).closest("[hidden]")) mark(name, message);
    else $("aim-problem").textContent = message;
  }

  /** Say that nothing was typed. */
  const refuseEmpty = () =>
    refuse({ argument: mode() === "knob" ? "knob" : "prevalence", message: box().dataset.empty });

  const typed = (input) => (input.name === "knob" ? knob() : input.value).trim();

  /** The fields that are typed, for v1/best; null where there are none. */
  function query() {
    const given = inputs.filter((input) => box().contains(input) && typed(input));
    const texts = new URLSearchParams(given.map((input) => [input.name, typed(input)]));
    if ($("randomize").checked) texts.set("randomize", "true");
    return given.length ? texts.toString() : null;
  }

  /** What is put in force beside the question. */
  const rest = () => ({
    tuning: $("aim-tuning").value, by: $("aim-by").value.trim(), note: $("aim-note").value.trim(),
  });

  /** Write a value as it would be typed. */
  const written = (value) => [value ?? ""].flat().join("..");

  /** Fill the form with an aim; names and notes belong to who puts it in force, and stay. */
  function fill({ question, tuning }) {
    for (const input of inputs) input.value = written(question[input.name]);
    setKnob(written(question.knob));
    $("aim-more").open = inputs.some((input) => input.value && input.closest("#aim-more"));
    $("randomize").checked = question.randomize === true;
    $("aim-tuning").value = tuning;
    setMode("knob" in question ? "knob" : "words");
    clear();
  }

  /** Write a position shortly; the exact one is kept beside it, because a vertex is exact. */
  function setKnob(position) {
    const short = position === "" ? "" : String(Number(Number(position).toPrecision(DIGITS)));
    $("aim-knob").value = short;
    Object.assign($("aim-knob").dataset, { short, exact: String(position) });
  }

  /** The position in the knob's field: exactly as it was turned, unless another was typed. */
  function knob() {
    const { value, dataset: { short, exact } } = $("aim-knob");
    return value === short ? exact : value;
  }

  /** Turn the knob to a position, which makes it what is aimed by. */
  function turn(position) {
    setKnob(position);
    setMode("knob");
  }

  const isByKnob = () => mode() === "knob";

  follow();
  return { clear, fill, follow, isByKnob, knob, query, refuse, refuseEmpty, rest, turn };
})();
