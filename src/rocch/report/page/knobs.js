// The controls: a question shown by sliders and fields, and read back from them.
"use strict";
const RocchKnobs = (() => {
  const { $ } = RocchShell;
  const { round } = RocchScales;
  const STEPS = 400; // of every slider
  const RANGED = ["prevalence", "false_positive", "false_negative"];
  const TIMES = ["least", "likely", "most"].map((end) => `belief-${end}`);
  const USUAL = [1, 3, 10]; // the belief where nothing was said about costs that differ; as in losses.py
  const SPREAD = 3; // costs that were stated exactly are believed to be right within this factor
  const fields = {}; // by id: how a value lies on a slider, and how it is written
  let believedFrom = ""; // the costs that the belief's fields began from

  // ---- costs lie on a slider by their size -----------------------------------------------------

  /** Whole powers of ten around the report's own costs, two more on either side. */
  function costScale(question) {
    const costs = [...question.false_positive, ...question.false_negative].filter((c) => c > 0);
    const power = (cost, way) => 10 ** way(Math.log10(cost));
    return RocchScales.log(power(Math.min(...costs), Math.floor) / 100,
      power(Math.max(...costs), Math.ceil) * 100);
  }

  // ---- fields: a number's text, which remembers the exact value it was written from ------------

  const tidy = (value) => String(round(value, 6));

  function define(id, scale, isPercent) {
    fields[id] = {
      scale,
      unit: isPercent ? " %" : "",
      write: (value) => (isPercent ? tidy(100 * value) : tidy(value)),
      read: (text) => RocchTyped.read(text, isPercent ? -2 : 0),
    };
  }

  function show(id, value, movesSlider = true) {
    const field = fields[id];
    const input = $(id);
    const text = field.write(value);
    input.value = text;
    input.dataset.shown = text;
    input.dataset.exact = String(value);
    if (movesSlider) moveSlider(id, value);
    else $(`${id}-slider`).setAttribute("aria-valuetext", text + field.unit);
  }

  function moveSlider(id, value) {
    const slider = $(`${id}-slider`);
    if (!slider) return;
    slider.value = String(STEPS * fields[id].scale.share(value));
    slider.setAttribute("aria-valuetext", $(id).value + fields[id].unit);
  }

  function read(id) {
    const input = $(id);
    return input.value === input.dataset.shown ? Number(input.dataset.exact) : fields[id].read(input.value);
  }

  const slid = (id) => fields[id].scale.value(Number($(`${id}-slider`).value) / STEPS);

  // ---- a whole question ------------------------------------------------------------------------

  function showRange(name, [low, high]) {
    const ranged = low !== high;
    $(`${name}-ranged`).checked = ranged;
    show(`${name}-low`, low);
    show(`${name}-high`, high);
  }

  function showQuestion(question) {
    for (const name of RANGED) showRange(name, question[name]);
    $("belief-on").checked = question.belief !== null;
    believedFrom = stated(question);
    (question.belief || around(question)).forEach((times, i) => show(TIMES[i], times));
    $("max_fpr-on").checked = question.max_fpr !== null;
    show("max_fpr", question.max_fpr === null ? 0.05 : question.max_fpr);
    $("capacity-on").checked = question.capacity !== null;
    show("capacity", question.capacity === null ? 100 : question.capacity);
    show("population", question.population === null ? 1000 : question.population);
    $(`goal-${question.goal}`).checked = true;
    $("randomize").checked = question.randomize;
    settle();
    hint(question);
  }

  const stated = ({ false_positive: alarm, false_negative: miss }) => [alarm, miss].join();

  /** A belief around the costs of a question; as in losses.py. */
  function around({ false_positive: alarm, false_negative: miss }) {
    let [low, high] = [miss[0] / alarm[1], miss[1] / alarm[0]];
    if (![...alarm, ...miss].every((cost) => cost > 0) || (low === 1 && high === 1)) return USUAL;
    if (low === high) [low, high] = [low / SPREAD, high * SPREAD];
    return high > 1e8 ? USUAL : [low, Math.sqrt(low * high), high].map((times) => round(times));
  }

  /** Whoever turns to a belief begins at the costs stated, or where they left it. */
  function beginBelief() {
    const costs = { false_positive: readRange("false_positive"), false_negative: readRange("false_negative") };
    if (stated(costs) === believedFrom) return;
    believedFrom = stated(costs);
    around(costs).forEach((times, i) => show(TIMES[i], times));
  }

  function readRange(name) {
    const low = read(`${name}-low`);
    return [low, $(`${name}-ranged`).checked ? read(`${name}-high`) : low];
  }

  /** Read the controls: a question, and what is wrong with it by control. */
  function readQuestion() {
    const belief = $("belief-on").checked ? TIMES.map(read) : null;
    const limited = $("capacity-on").checked;
    const alarm = readRange("false_positive");
    const question = {
      prevalence: readRange("prevalence"),
      false_positive: belief ? [alarm[0], alarm[0]] : alarm,
      false_negative: readRange("false_negative"),
      belief,
      goal: $("goal-hits").checked ? "hits" : "cost",
      max_fpr: $("max_fpr-on").checked ? read("max_fpr") : null,
      capacity: limited ? read("capacity") : null,
      population: limited ? read("population") : null,
      randomize: $("randomize").checked,
    };
    return { question, problems: advised(RocchProblems.of(question)) };
  }

  /** Where a text is no number, but one can be guessed, say how to write it. */
  function advised(problems) {
    for (const id of Object.keys(fields)) {
      const knob = $(id).getAttribute("aria-describedby").replace(/-problem$/, "");
      if (problems[knob] && Number.isNaN(read(id)))
        problems[knob] = RocchTyped.advice($(id).value) || problems[knob];
    }
    return problems;
  }

  function tell(problems) {
    for (const [name, text] of Object.entries(problems)) {
      const place = $(`${name}-problem`);
      if (place.textContent !== text) place.textContent = text;
      for (const input of document.querySelectorAll(`[aria-describedby="${name}-problem"]`))
        input.setAttribute("aria-invalid", String(Boolean(text)));
    }
  }

  // ---- what depends on what --------------------------------------------------------------------

  /** Name an end's field and slider: to the eye in short, aloud in full. */
  function nameEnd(name, end, ranged) {
    const unit = name === "prevalence" ? "%" : "";
    const full = $(`${name}-knob`).querySelector("legend").textContent;
    const which = ranged ? `, ${end}` : "";
    $(`${name}-${end}-end`).textContent = `${unit} ${ranged ? end : ""}`.trim();
    $(`${name}-${end}-name`).textContent = `${full}${unit && ` in ${unit}`}${which}`;
    $(`${name}-${end}-slider-name`).textContent = `${full}${which} (slider)`;
  }

  /** Show the controls that apply. */
  function settle() {
    const believed = $("belief-on").checked;
    const hits = $("goal-hits").checked;
    for (const name of RANGED) {
      const ranged = $(`${name}-ranged`).checked && !(believed && name === "false_positive");
      $(`${name}-high-row`).hidden = !ranged;
      nameEnd(name, "low", ranged);
      nameEnd(name, "high", true);
    }
    $("false_positive-ranged").disabled = believed;
    $("false_negative-knob").disabled = believed || hits;
    $("false_positive-knob").disabled = $("belief-knob").disabled = hits;
    $("belief-fields").hidden = !believed;
    $("max_fpr-fields").hidden = !$("max_fpr-on").checked;
    $("capacity-fields").hidden = !$("capacity-on").checked;
    $("goal-hits").disabled = !($("max_fpr-on").checked || $("capacity-on").checked);
  }

  /** Say what follows from a question that makes sense. */
  function hint(question) {
    const [believed, hits] = [question.belief !== null, question.goal === "hits"];
    const negatives = [...question.prevalence].reverse().map((p) => RocchWords.number((1 - p) / p));
    const [few, many] = negatives;
    $("prevalence-hint").textContent =
      `${few === many ? few : `${few} to ${many}`} negatives per positive`;
    $("false_positive-hint").textContent = believed ? "The unit that costs are counted in." : "";
    $("false_negative-hint").textContent = believed ? "Follows from your belief." : "";
    $("goal-hint").textContent = hits ? "Costs are not used."
      : $("goal-hits").disabled ? "The most hits need a limit." : "";
  }

  /** Keep values in order after one was moved by its slider: the others are pushed along. */
  function push(ids, moved) {
    const place = ids.indexOf(moved);
    const value = read(moved);
    ids.forEach((id, i) => {
      const other = read(id);
      if ((i < place && other > value) || (i > place && other < value)) show(id, value);
    });
  }

  const groupOf = (id) =>
    TIMES.includes(id) ? TIMES : [id.replace(/high$/, "low"), id.replace(/low$/, "high")];

  function slide(id) {
    show(id, slid(id), false);
    push(groupOf(id), id);
  }

  /** A range begins as half to twice the number; a number comes back from the middle. */
  function toggleRange(name) {
    const [low, high] = [`${name}-low`, `${name}-high`];
    const { scale } = fields[low];
    if (Number.isNaN(read(low))) return; // it is told at the control
    const factor = (value, times) => (name === "prevalence"
      ? round((value * times) / (1 + value * (times - 1))) : round(value * times));
    if ($(`${name}-ranged`).checked) {
      const value = read(low);
      show(low, factor(value, 0.5));
      show(high, factor(value, 2));
    } else {
      const ends = [read(low), read(high)];
      const middle = scale.value((scale.share(ends[0]) + scale.share(ends[1])) / 2);
      for (const id of [low, high]) show(id, ends[0] < ends[1] ? middle : ends[0]);
    }
  }

  function step(id, way) {
    const slider = $(`${id}-slider`);
    if (!slider || Number.isNaN(read(id))) return false;
    const { scale } = fields[id];
    const share = Math.min(1, Math.max(0, scale.share(read(id)) + (4 * way) / STEPS));
    show(id, scale.value(share));
    push(groupOf(id), id);
    return true;
  }

  // ---- listening -------------------------------------------------------------------------------

  function start(own, changed) {
    define("prevalence-low", RocchScales.logit(1e-4), true);
    define("prevalence-high", RocchScales.logit(1e-4), true);
    const cost = costScale(own);
    for (const name of ["false_positive", "false_negative"])
      for (const end of ["low", "high"]) define(`${name}-${end}`, cost, false);
    for (const id of TIMES) define(id, RocchScales.log(0.01, 10000), false);
    define("max_fpr", RocchScales.square, true);
    define("capacity", null, false);
    define("population", null, false);
    $("controls").addEventListener("input", (event) => react(event.target, changed));
    $("controls").addEventListener("keydown", (event) => {
      const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!way || event.target.type !== "text" || !step(event.target.id, way)) return;
      event.preventDefault();
      react(event.target, changed);
    });
  }

  function react({ id, type }, changed) {
    if (type === "range") slide(id.replace(/-slider$/, ""));
    if (id.endsWith("-ranged")) toggleRange(id.replace(/-ranged$/, ""));
    if (id === "belief-on" && $(id).checked) beginBelief();
    if (!$("max_fpr-on").checked && !$("capacity-on").checked) $("goal-cost").checked = true;
    settle();
    const { question, problems } = readQuestion();
    tell(problems);
    if (Object.values(problems).some(Boolean)) return;
    hint(question);
    if (type === "text") moveSlider(id, read(id)); // and leave the typed text alone
    changed(question);
  }

  return { start, show: (question) => { showQuestion(question); tell(RocchProblems.of(question)); } };
})();
