// The form of the question: what is typed in it, and problems, shown at their fields.
"use strict";
const RocchForm = (() => {
  const { $ } = RocchShell;
  const DIGITS = 4; // of a knob's position
  const inputs = [...document.querySelectorAll("#fields input")];
  const named = [...document.querySelectorAll("#aim [aria-describedby]")];
  const knob = $("aim-knob");

  const isByKnob = () => document.querySelector('[name="mode"][value="knob"]').checked;
  const box = () => $(isByKnob() ? "aim-by-knob" : "aim-words");

  /** Show what belongs to the mode and to the choice of tuning. */
  function follow() {
    $("aim-words").hidden = isByKnob();
    $("aim-by-knob").hidden = !isByKnob();
    $("aim-tuning-hint").textContent = $("aim-tuning").selectedOptions[0].dataset.hint;
  }

  function setMode(value) {
    document.querySelector(`[name="mode"][value="${value}"]`).checked = true;
    follow();
  }

  function clear() {
    for (const field of named) field.removeAttribute("aria-invalid");
    for (const problem of $("aim").querySelectorAll(".problem")) problem.textContent = "";
  }

  /** Show a problem at its field if that is in sight, else below all. */
  function refuse({ argument, message }) {
    clear();
    const parts = (argument || "").split(/[.,\s]+/).map((part) => `aim-${part}`);
    const field = named.find(({ id }) => parts.includes(id));
    const isInSight = field && !field.closest("[hidden]");
    $(isInSight ? `${field.id}-problem` : "aim-problem").textContent = message;
    if (!isInSight) return;
    field.setAttribute("aria-invalid", "true");
    if (field.closest("details")) field.closest("details").open = true;
  }

  /** The text of a field; a knob that was turned has its exact position, because vertices do. */
  const typed = (input) =>
    (input === knob && knob.value === knob.dataset.short ? knob.dataset.exact : input.value).trim();

  /** The fields that are typed, for v1/best; null, with the problem shown, where there are none. */
  function query() {
    const given = inputs.filter((input) => box().contains(input) && typed(input));
    const texts = new URLSearchParams(given.map((input) => [input.name, typed(input)]));
    if ($("randomize").checked) texts.set("randomize", "true");
    const baseline = $("aim-baseline").value.trim();
    if (baseline) texts.set("baseline", baseline);
    if (given.length) return texts.toString();
    refuse({ argument: isByKnob() ? "knob" : "prevalence", message: box().dataset.empty });
    return null;
  }

  /** What is put in force beside the question. */
  const rest = () => ({
    tuning: $("aim-tuning").value, by: $("aim-by").value.trim(), note: $("aim-note").value.trim(),
  });

  function setKnob(position) {
    const short = position === "" ? "" : String(Number(Number(position).toPrecision(DIGITS)));
    knob.value = short;
    Object.assign(knob.dataset, { short, exact: String(position) });
  }

  /** Fill the form with an aim; names and notes belong to who puts it in force, and stay. */
  function fill({ question, tuning }) {
    for (const input of inputs) input.value = [question[input.name] ?? ""].flat().join("..");
    setKnob(question.knob ?? "");
    $("aim-more").open = inputs.some((input) => input.value && input.closest("#aim-more"));
    $("randomize").checked = question.randomize === true;
    $("aim-tuning").value = tuning;
    setMode("knob" in question ? "knob" : "words");
    clear();
  }

  /** Turn the knob to a position, which makes it what is aimed by. */
  function turn(position) {
    setKnob(position);
    setMode("knob");
  }

  /** Where the knob was turned to; null where it was not. */
  function turned() {
    const position = isByKnob() && typed(knob) !== "" ? Number(typed(knob)) : NaN;
    return position >= 0 && position <= 1 ? position : null;
  }

  follow();
  return { clear, fill, follow, query, refuse, rest, turn, turned };
})();
