// The question of a page: controls shown and read, checked, and written into the address.
"use strict";
const RocchForm = (() => {
  const { $, write } = RocchShell;
  const {
    parseInterval, local, typed, fill, real, ends, between, significant,
  } = RocchNumbers;
  const STEPS = 400; // of every slider
  const MOST = 1e100;
  const MOST_TIMES = 1e9;
  const SPREAD = 3; // a ratio begins within this factor of costs that are stated exactly
  const ERRORS = ["false_positive", "false_negative"];
  const COSTS = [...ERRORS, "true_positive", "true_negative"];
  const { LIMITS } = RocchCompute;
  const UNCERTIFIED = ["capacity", "max_share", "min_precision", "max_cost"]; // by this page
  const AMOUNTS = ["currency", "cases_per_month"]; // how amounts are written
  const BALANCE = ["prevalence", "negatives_per_positive", "randomize"];
  const RANGED = ["prevalence", ...ERRORS, "cost_ratio"];
  let fields; // by name
  let scales; // of the sliders, by name of the field
  let data; // the evaluation rows, for the observed prevalence
  let guarantee; // what is known of new rows; null where nothing is
  let texts;
  let own; // the report's own question
  let begun = ""; // the costs that the ratio began from

  // ---- scales: from a share of the way to a value with few digits, and back --------------------

  const round = (value, digits = 3) => Number(value.toPrecision(digits));
  const clip = (share) => Math.min(1, Math.max(0, share));

  function logarithmic(low, high) {
    const span = Math.log(high / low);
    return {
      value: (share) => round(low * Math.exp(share * span)),
      share: (value) => (value > 0 ? clip(Math.log(value / low) / span) : 0),
    };
  }

  function logistic(least) {
    const end = Math.log((1 - least) / least);
    return {
      value: (share) => {
        const odds = Math.exp((2 * share - 1) * end);
        return odds < 1 ? round(odds / (1 + odds)) : round(1 - round(1 / (1 + odds)), 12);
      },
      share: (value) => clip((Math.log(value / (1 - value)) / end + 1) / 2),
    };
  }

  const power = (exponent) => ({
    value: (share) => round(share ** exponent, 2 + (exponent === 1)),
    share: (value) => clip(value ** (1 / exponent)),
  });

  /** Whole powers of ten around the report's own costs, two more on either side. */
  function costScale(question) {
    const costs = ERRORS.flatMap((name) => question[name] ?? 1).filter((cost) => cost > 0);
    const ten = (cost, way) => 10 ** way(Math.log10(cost));
    return logarithmic(ten(Math.min(1, ...costs), Math.floor) / 100,
      ten(Math.max(1, ...costs), Math.ceil) * 100);
  }

  // ---- texts of values -------------------------------------------------------------------------

  const isShare = ({ kind }) => kind === "share" || kind === "shares";
  const isInterval = ({ kind }) => ["shares", "range", "ratio"].includes(kind);

  /** A value as people read it; texts remember the exact value that they were written from. */
  function shown(field, value) {
    if (field.kind === "text") return value;
    const factor = isShare(field) ? 100 : 1;
    const digits = (end) =>
      (real(end) === Infinity ? "inf" : local(String(round(factor * end, 6))));
    return `${between(ends(value), digits, "..")}${isShare(field) ? "%" : ""}`;
  }

  /** A value to the last digit, as `Question.from_strings` reads it. */
  const exact = (value) =>
    between(ends(value), (end) => (end === Infinity ? "inf" : String(end)), "..");

  function show(name, value, movesThumb = true) {
    const text = value === undefined ? "" : shown(fields[name], value);
    $(name).value = text;
    $(name).dataset.shown = text;
    const isText = typeof value === "string"; // or an observed prevalence
    $(name).dataset.exact = value === undefined ? "" : isText ? value : exact(value);
    if (RANGED.includes(name)) $(`${name}-ranged`).checked = Array.isArray(value);
    moveSliders(name, value, movesThumb);
  }

  function moveSliders(name, value, movesThumb = true) {
    if (!scales[name] || value === undefined) return;
    ["low", "high"].forEach((end, i) => {
      const slider = $(`${name}-${end}-slider`);
      const number = ends(value)[i];
      if (movesThumb && slider) slider.value = String(STEPS * scales[name].share(number));
      slider?.setAttribute("aria-valuetext", shown(fields[name], number));
    });
  }

  // ---- reading ---------------------------------------------------------------------------------

  /** The value of a text: undefined where it is empty, null where it is none. */
  function parse(field, text) {
    if (field.kind === "text") return text.trim() || undefined;
    if (!text.trim() || (field.name === "prevalence" && /^\s*observed\s*$/i.test(text))) {
      return undefined;
    }
    const value = parseInterval(text, isShare(field));
    if (!Array.isArray(value)) return value;
    if (!isInterval(field)) return null;
    if (value[0] === value[1]) return value[0];
    return value[1] === Infinity && value[0] < Infinity ? [value[0], "inf"] : value;
  }

  const read = (name) => {
    const { value, dataset } = $(name);
    return parse(fields[name], value === dataset.shown ? dataset.exact : typed(value));
  };

  const goal = () => document.querySelector('input[name="goal"]:checked').value;
  const isBelieved = () => goal() === "cost" && $("belief-on").checked;
  const isGiven = (name) => $(name).value.trim() !== "";

  /** The fields that the goal uses: no other is part of the question. */
  function usedFields() {
    const kind = goal();
    if (kind === "position") return ["knob"];
    const isCostly = kind === "metric" || (kind === "cost" && !isBelieved());
    const used = LIMITS.filter((name) => isGiven(name) && (isCostly || name !== "max_cost"));
    if (isGiven("capacity")) {
      used.push(...(isGiven("population") ? ["population"] : ["positives", "negatives"]));
    }
    if (isBelieved()) {
      used.push("cost_ratio", "likely", isGiven("false_positive") || !isGiven("false_negative")
        ? "false_positive" : "false_negative");
    } else if (kind === "cost" || used.includes("max_cost")) used.push(...COSTS);
    if (kind === "cost") used.push(...AMOUNTS);
    const balanced = ["max_share", "population", "min_precision"];
    if (kind !== "hits" || balanced.some((name) => used.includes(name))) {
      used.push(isGiven("negatives_per_positive") ? "negatives_per_positive" : "prevalence");
    }
    return used;
  }

  /** Whether the limits must hold on new rows. */
  const isGuaranteed = () => $("confidence").checked
    && usedFields().some((name) => LIMITS.includes(name));

  /** Whether an observed prevalence is shown as a number; with a confidence it stays observed. */
  const isResolved = (question) => usedFields().includes("prevalence")
    && (question.confidence === undefined || question.population !== undefined);

  /** The question that the controls state, and what is wrong with it by control. */
  function readQuestion() {
    const question = {};
    const problems = {};
    for (const name of usedFields()) {
      const value = read(name);
      if (value !== undefined) question[name] = value;
    }
    for (const [name, value] of Object.entries(question)) {
      const problem = valueProblem(fields[name], value);
      if (problem) problems[name] = problem;
    }
    if (goal() === "metric") question.maximize = $("maximize").value;
    if (isGuaranteed()) question.confidence = guarantee.confidence;
    else if ($("randomize").checked) question.randomize = true;
    if (isResolved(question) && question.prevalence === undefined) {
      if (data.prevalence === null) problems.prevalence = texts.balance;
      else question.prevalence = data.prevalence;
    }
    if (!Object.keys(problems).length) Object.assign(problems, questionProblems(question));
    return { question, problems };
  }

  // ---- what is wrong ---------------------------------------------------------------------------

  function valueProblem(field, value) {
    if (field.kind === "text") return "";
    if (value === null) {
      return fill(texts[isInterval(field) ? "not_interval" : "not_number"], field);
    }
    const [low, high] = ends(value);
    if (low < 0 || high < 0) return texts.negative;
    if (isShare(field) && Math.max(low, high) > 1) {
      if (Math.max(low, high) > 100) return texts.share;
      const [percent, share] = [100, 1].map((factor) => exact([low, high]
        .map((end) => round((end * factor) / 100, 12))));
      return fill(texts.percent, { percent, share });
    }
    if (low > high) return texts.descending;
    const isOpen = field.kind === "ratio" && high === Infinity && low < high;
    if (field.kind === "ratio" && !isOpen && high > MOST_TIMES) return texts.too_many_times;
    return high > MOST && !isOpen ? texts.too_large : "";
  }

  /** What is wrong with fields that are right by themselves. */
  function questionProblems(question) {
    const kind = goal();
    if (kind === "position") return question.knob === undefined ? missing("knob") : {};
    if (question.capacity !== undefined) {
      const { population, positives, negatives } = question;
      if (population === undefined && (positives === undefined || negatives === undefined)) {
        return { capacity: texts.no_population };
      }
      if (population === 0) return { population: texts.empty_population };
      if (positives + negatives === 0) return { positives: texts.empty_population };
      const cases = population ?? positives + negatives;
      if (question.capacity > cases * (1 + 1e-9)) return { capacity: texts.no_capacity_limit };
    }
    if (question.confidence !== undefined && UNCERTIFIED.some((name) => name in question)
      && encode(question) !== encode(own)) return { confidence: texts.uncertified };
    if (question.min_precision === 0) return { min_precision: texts.no_precision };
    const isLimited = LIMITS.some((name) => name in question);
    const balance = RocchAnswer.balance(question, data);
    if (question.min_precision && balance.some((end) => end === 0 || end === 1)) {
      return { prevalence: texts.two_classes };
    }
    if (kind === "hits") return isLimited ? {} : { goal: texts.no_limit };
    if (kind === "metric") {
      const name = "prevalence" in question ? "prevalence" : "negatives_per_positive";
      return balance[0] < balance[1] ? { [name]: texts.one_balance } : {};
    }
    return isBelieved() ? beliefProblems(question, balance) : costProblems(question);
  }

  const missing = (name) => ({ [name]: fill(texts.not_number, fields[name]) });

  function beliefProblems(question, [low, high]) {
    if (question.cost_ratio === undefined) return missing("cost_ratio");
    const unit = "false_negative" in question ? "false_negative" : "false_positive";
    if ("currency" in question && !(unit in question)) return { currency: texts.no_money };
    if (Array.isArray(question[unit]) || question[unit] === 0) return { [unit]: texts.one_unit };
    const [least, most] = ends(question.cost_ratio);
    const isOutside = question.likely < least || question.likely > most;
    if (isOutside) return { likely: texts.likely_outside };
    return low === high && (low === 0 || low === 1) ? { prevalence: texts.two_classes } : {};
  }

  function costProblems(question) {
    const empty = ERRORS.find((name) => question[name] === undefined);
    if (empty) return missing(empty);
    const [alarm, miss, hit, rest] = COSTS.map((name) => ends(question[name] ?? 0));
    if (alarm[0] < rest[1]) return { true_negative: texts.right_above_wrong };
    if (miss[0] < hit[1]) return { true_positive: texts.right_above_wrong };
    const isFree = alarm[0] === rest[1] && miss[0] === hit[1];
    return isFree ? { false_negative: texts.free_errors } : {};
  }

  function tell(problems) {
    for (const place of document.querySelectorAll("#controls .problem")) {
      const name = place.id.replace(/-problem$/, "");
      write(place.id, problems[name] ?? "");
      if ($(name)) $(name).setAttribute("aria-invalid", String(name in problems));
    }
  }

  // ---- showing a question ----------------------------------------------------------------------

  /** Show a question; fields that it does not state are empty, but for the costs it began with. */
  function showQuestion(question) {
    const isPosition = question.knob !== undefined;
    const isCost = question.false_positive !== undefined || question.cost_ratio !== undefined;
    const kind = isPosition ? "position" : question.maximize ? "metric" : isCost ? "cost" : "hits";
    $(`goal-${kind}`).checked = true;
    $("belief-on").checked = question.cost_ratio !== undefined;
    $("randomize").checked = Boolean(question.randomize);
    $("confidence").checked = question.confidence !== undefined;
    $("maximize").value = question.maximize ?? "f1";
    const kept = isCost ? question : { false_positive: 1, false_negative: 1, ...own, ...question };
    for (const name of Object.keys(fields)) {
      if ($(name)?.type === "text") show(name, (COSTS.includes(name) ? kept : question)[name]);
    }
    if (!isPosition) show("knob", 0.5);
    const further = [...$("more").querySelectorAll("input")];
    const isStated = ({ id, value }) => value && !AMOUNTS.includes(id);
    if (further.some(isStated)) $("more").open = true;
    settle();
    tell({});
    hint(question);
  }

  /** Enable what the goal uses; the style shows and hides what belongs to it. */
  function settle() {
    const used = usedFields();
    const isRatio = isGiven("negatives_per_positive");
    for (const name of RANGED) $(`${name}-knob`).disabled = !used.includes(name);
    $("prevalence-knob").disabled = goal() === "position" || isRatio;
    if (isBelieved()) {
      $("false_positive-knob").disabled = false;
      $("false_negative-knob").disabled = isGiven("false_positive");
    }
    $("max_fpr-knob").disabled = goal() === "position";
    const isLimited = used.some((name) => LIMITS.includes(name));
    $("confidence").disabled = !guarantee || !isLimited;
    $("randomize").disabled = isGuaranteed();
    for (const name of ["positives", "negatives"]) $(name).disabled = isGiven("population");
    for (const name of ["true_positive", "true_negative"]) $(name).disabled = isBelieved();
  }

  /** How frequent positives are, where the question has a class balance. */
  function hint(question) {
    const isStated = "prevalence" in question || "negatives_per_positive" in question;
    const balance = isStated ? RocchAnswer.balance(question, data) : [0];
    const cases = () => between([...balance].reverse(), (p) => significant(1 / p, 3));
    const isInside = balance.every((p) => p > 0 && p < 1);
    write("prevalence-hint", isInside ? fill(texts.one_in, { cases: cases() }) : "");
  }

  // ---- moving ----------------------------------------------------------------------------------

  /** A slider moves its end; the other end is pushed along. */
  function slide(name, end) {
    const value = scales[name].value(Number($(`${name}-${end}-slider`).value) / STEPS);
    if (!$(`${name}-ranged`)?.checked) return show(name, value, false);
    const [low, high] = ends(read(name) ?? value);
    const pair = end === "low" ? [value, Math.max(value, high)] : [Math.min(low, value), value];
    return show(name, pair);
  }

  /** A range begins as half to twice the number; a number comes back from the middle. */
  function toggleRange(name) {
    const value = read(name) ?? NaN;
    const scale = scales[name];
    const times = (factor) => round(name === "prevalence"
      ? (value * factor) / (1 + value * (factor - 1)) : value * factor);
    if ($(`${name}-ranged`).checked) return value >= 0 && show(name, [times(0.5), times(2)]);
    const [low, high] = ends(value);
    const middle = scale.value((scale.share(low) + scale.share(high)) / 2);
    return show(name, low < high ? middle : low);
  }

  /** Arrow keys step a number, or both ends of a range. */
  function step(name, way) {
    const value = read(name);
    if (!scales[name] || value === undefined || value === null) return false;
    const moved = ends(value).map((end) =>
      scales[name].value(clip(scales[name].share(end) + (4 * way) / STEPS)));
    show(name, Array.isArray(value) ? moved : moved[0]);
    return true;
  }

  /** A ratio begins around the costs stated, unless it was begun from them already. */
  function beginRatio() {
    const costs = ERRORS.map(read);
    if ($("cost_ratio").value && begun === JSON.stringify(costs)) return;
    begun = JSON.stringify(costs);
    const [alarm, miss] = costs.map((cost) => ends(cost ?? 1));
    let [low, high] = [miss[0] / alarm[1], miss[1] / alarm[0]];
    if (!(low > 0 && high < MOST_TIMES / 10) || (low === 1 && high === 1)) [low, high] = [1, 10];
    else if (low === high) [low, high] = [low / SPREAD, high * SPREAD];
    show("cost_ratio", [round(low), round(high)]);
    if (Array.isArray(costs[0])) show("false_positive", 1);
  }

  // ---- the address -----------------------------------------------------------------------------

  /** A question as the fragment of an address, which `Question.from_strings` reads. */
  const encode = (question) => Object.keys(fields).filter((name) => name in question)
    .map((name) => {
      const value = question[name];
      const text = typeof value === "number" || Array.isArray(value) ? exact(value) : value;
      return `${name}=${encodeURIComponent(text)}`;
    }).join("&");

  /** The question of a fragment: null where there is none; an error where it makes no sense. */
  function decode(fragment) {
    if (!fragment.includes("=")) return null;
    const question = {};
    for (const [name, text] of new URLSearchParams(fragment.slice(1))) {
      const { kind } = fields[name];
      const value = kind === "metric" ? text : kind === "flag" ? text === "true"
        : parse(fields[name], text);
      if (value !== undefined && value !== false) question[name] = value;
    }
    const isBalance = Object.keys(question).every((name) => BALANCE.includes(name));
    if (isBalance) Object.assign(question, { false_positive: 1, false_negative: 1 });
    return accept(question);
  }

  /** Show a question; where it makes no sense, the controls stay as they were. */
  function accept(question) {
    const before = readQuestion().question;
    showQuestion(question);
    const { question: understood, problems } = readQuestion();
    const given = isResolved(question)
      ? { prevalence: data.prevalence, ...question } : question;
    if (!Object.keys(problems).length && encode(given) === encode(understood)) return understood;
    showQuestion(before);
    throw new Error(Object.values(problems)[0]);
  }

  // ---- listening -------------------------------------------------------------------------------

  function react({ id, type }, changed) {
    const [name, end] = [id.replace(/-(low|high)-slider$|-ranged$/, ""), /-(low|high)-/.exec(id)];
    if (type === "range") slide(name, end[1]);
    if (id.endsWith("-ranged")) toggleRange(name);
    if (id === "belief-on" && $(id).checked) beginRatio();
    if (type === "text" && RANGED.includes(id)) $(`${id}-ranged`).checked = Array.isArray(read(id));
    settle();
    const { question, problems } = readQuestion();
    tell(problems);
    if (Object.keys(problems).length) return;
    hint(question);
    if (type === "text") moveSliders(id, question[id]); // and leave the typed text alone
    changed(question);
  }

  function start(prepared, question, changed) {
    ({ data, texts, guarantee } = prepared);
    own = question;
    fields = Object.fromEntries(prepared.fields.map((field) => [field.name, field]));
    const cost = costScale(own);
    scales = {
      prevalence: logistic(1e-4), false_positive: cost, false_negative: cost, max_fpr: power(2),
      cost_ratio: logarithmic(0.01, 10000), likely: logarithmic(0.01, 10000), knob: power(1),
    };
    $("controls").addEventListener("input", (event) => react(event.target, changed));
    $("controls").addEventListener("keydown", (event) => {
      const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!way || event.target.type !== "text" || !step(event.target.id, way)) return;
      event.preventDefault();
      react(event.target, changed);
    });
    showQuestion(own);
  }

  return { start, show: showQuestion, tell, encode, decode };
})();
