// The controls of a report on several classes, and their question as a fragment of the address:
// #costs=ill>well=20&default_cost=1&priors=ill=0.1,well=0.9 (ClassQuestion.from_strings reads it).
// Here a question is { costs, shares }, with a row of costs for each true class.
"use strict";
const RocchManyForm = (() => {
  const { $ } = RocchShell;
  const { between, escaped, fill, local, parseInterval, percentage, typed } = RocchNumbers;
  const CONTROL = /^(share|miss|cost)-(\d+)(?:-(\d+))?(-slider)?$/;
  const MOST_COST = 1e100;
  let names = [];
  let observed = [];
  let texts = {};
  let question = null;
  let onChange = null;

  const errorsOf = (row, k) => row.filter((_, j) => j !== k);
  /** Truth>prediction of every cell. */
  const pairs = () => names.flatMap((truth) => names.map((predicted) => `${truth}>${predicted}`));

  // ---- the question as data and as a text ------------------------------------------------------

  /** Make a question of costs by pair, the cost of other errors, and shares. */
  function compose(stated, others, shares) {
    const costOf = new Map(stated);
    const cells = pairs().map((pair, cell) =>
      costOf.get(pair) ?? (cell % (names.length + 1) ? others : 0));
    return { costs: RocchManyCompute.toRows(cells, names.length), shares };
  }

  /** Costs that differ from the median by the place of their cell, and that median. */
  function partCosts(costs) {
    const errors = costs.flatMap(errorsOf).sort((a, b) => a - b);
    const others = errors[Math.floor(errors.length / 2)];
    const [cells, usual] = [costs, compose([], others).costs].map((rows) => rows.flat());
    return [cells.flatMap((value, i) => (value === usual[i] ? [] : [[i, value]])), others];
  }

  /** A question in words. */
  function describe({ costs, shares }) {
    const [stated, others] = partCosts(costs);
    const classes = names.map(escaped);
    const words = stated.map(([cell, value]) => fill(texts.cost_of, {
      truth: classes[Math.floor(cell / names.length)], prediction: classes[cell % names.length],
      cost: cost.write(value),
    }));
    words.push(fill(texts[stated.length ? "other_errors" : "all_errors"],
      { cost: cost.write(others) }));
    words.push(...shares.map((value, k) => `${share.write(value)} ${classes[k]}`));
    return words.join(", ");
  }

  /** Write a question as a fragment. */
  function encode({ costs, shares }) {
    const list = (keys, values) => keys.map((key, i) => `${key}=${values[i]}`);
    const [parts, others] = partCosts(costs);
    const stated = parts.map(([cell, value]) => `${pairs()[cell]}=${value}`);
    const isObserved = shares.every((share, k) => share === observed[k]);
    const fields = new URLSearchParams(stated.length ? { costs: stated } : {});
    fields.set("default_cost", others);
    fields.set("priors", isObserved ? "observed" : list(names, shares));
    return String(fields).replace(/%2C/g, ",").replace(/%3D/g, "=");
  }

  function number(text, isShare = false) {
    const value = parseInterval(text, isShare);
    return typeof value === "number" ? value : NaN;
  }

  /** Read a list such as ill=0.1,well=0.9; names are known, so they may hold any sign. */
  function entries(text, known, isShare) {
    const found = [];
    for (let rest = text; rest;) {
      const key = known.filter((each) => rest.startsWith(`${each}=`))
        .reduce((a, b) => (b.length > a.length ? b : a));
      const [whole, value] = /^=([^=,;]+)(?:[,;]\s*|$)/.exec(rest.slice(key.length));
      found.push([key, number(value, isShare)]);
      rest = rest.slice(key.length + whole.length);
    }
    return found;
  }

  /** Read a fragment: null where it has no fields, an error where it makes no sense. */
  function decode(fragment) {
    if (!fragment.includes("=")) return null;
    const { costs = "", default_cost: others = "1", priors = "observed", ...unknown } =
      Object.fromEntries(new URLSearchParams(fragment.replace("#", "")));
    const isObserved = priors === "observed";
    const given = new Map(isObserved ? [] : entries(priors, names, true));
    const found = compose(entries(costs, pairs()), number(others),
      isObserved ? observed : names.map((name) => given.get(name)));
    const problem = Object.keys(unknown)[0] ?? problemOf(found);
    if (problem) throw new Error(problem);
    return found;
  }

  /** The name of the text about what is wrong with a question; "" where nothing is. */
  function problemOf({ costs, shares }) {
    const total = shares.reduce((a, b) => a + b, 0);
    if (total === Infinity) return "percent";
    if (!shares.every((share) => share >= 0) || !(Math.abs(total - 1) < 1e-9)) return "bad_share";
    if (!costs.flat().every((cost) => cost >= 0)) return "bad_cost";
    if (!costs.flat().every((cost) => cost <= MOST_COST)) return "too_large";
    if (costs.some((row, k) => row.some((cost) => cost < row[k]))) return "error_too_cheap";
    return costs.some((row, k) => row.some((cost) => cost > row[k])) ? "" : "no_error_costs";
  }

  // ---- scales of the sliders, and steps of the arrow keys --------------------------------------

  const round = (value, digits) => Number(value.toPrecision(digits));
  const within = (value, low, high) => Math.min(high, Math.max(low, value));
  const REACH = Math.log(999);

  const cost = {
    // from 0.01 to 10,000 along 400 steps; 0 is the slider's end
    at: (t) => (t ? round(10 ** ((6 * t) / 400 - 2), 3) : 0),
    place: (value) => (value ? within(((Math.log10(value) + 2) / 6) * 400, 1, 400) : 0),
    write: (value) => local(String(round(value, 6))),
    read: (text) => number(typed(text)),
    step(value, steps) {
      if (value <= 0) return steps > 0 ? 0.1 : 0;
      const next = 10 ** ((Math.round(10 * Math.log10(value)) + steps) / 10);
      return next < 0.0099 ? 0 : round(next, 2);
    },
  };

  const share = {
    // from 0.1 to 99.9% along 1,000 steps; 0 and 1 are the slider's ends
    at: (t) => (t % 1000 ? round(1 / (1 + Math.exp((1 - t / 500) * REACH)), 3) : t / 1000),
    place: (value) => (value % 1
      ? within(500 * (Math.log(value / (1 - value)) / REACH + 1), 1, 999) : 1000 * value),
    write: (value) => `${percentage(value)}%`,
    read: (text) => number(typed(text), true),
    step: (value, steps) =>
      within(round(100 * value + steps * (value < 0.05 ? 0.1 : 1), 3), 0, 100) / 100,
  };

  // ---- taking what is typed or turned ----------------------------------------------------------

  /** Take a question unless it makes no sense; then say so and leave all as it is. */
  function take(changed, input = null) {
    const problem = problemOf(changed);
    if (!problem) {
      set(changed, input);
      onChange(question);
      return;
    }
    $(input.getAttribute("aria-describedby")).textContent = fill(texts[problem], input.dataset);
    input.setAttribute("aria-invalid", "true");
  }

  function react(input, steps = 0) {
    const [, kind, k, j, isSlider] = CONTROL.exec(input.id) || [];
    if (!kind) return;
    const scale = kind === "share" ? share : cost;
    let value = isSlider ? scale.at(Number(input.value)) : scale.read(input.value);
    if (steps) {
      if (Number.isNaN(value)) return; // nothing to step from
      value = scale.step(value, steps);
      input.value = scale.write(value);
    }
    if (kind === "share") {
      const shares = RocchManyCompute.rebalance(question.shares, Number(k), value);
      const isPercent = value > 1 && value <= 100; // 12 may be 12% or no share at all
      const both = { percent: value, share: round(value / 100, 12) };
      if (isPercent) Object.assign(input.dataset, both);
      take({ ...question, shares: value <= 1 ? shares : [isPercent ? Infinity : NaN] }, input);
      return;
    }
    const costs = question.costs.map((row) => [...row]);
    if (j) costs[k][j] = value;
    else costs[k] = costs[k].map((own, column) => (column === Number(k) ? own : value));
    take({ ...question, costs }, input);
  }

  function onArrow(event) {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!direction || event.target.type !== "text") return;
    event.preventDefault();
    react(event.target, direction * (event.shiftKey ? 10 : 1));
  }

  // ---- showing ---------------------------------------------------------------------------------

  /** Show a value, or a range of values, in a field and its slider. */
  function showValue(id, scale, low, high, turned) {
    const [field, slider] = [$(id), $(`${id}-slider`)];
    if (!field) return; // many classes have no grid of costs
    const text = between([low, high], scale.write);
    if (field !== turned) field.value = low === high ? text : "";
    field.placeholder = low === high ? "" : text;
    slider?.setAttribute("aria-valuetext", text);
    if (slider && slider !== turned) slider.value = scale.place(high);
  }

  /** Show a question in all controls but the one that is being turned. */
  function set(given, turned = null) {
    question = given;
    for (const id of ["shares-problem", "costs-problem"]) $(id).textContent = "";
    for (const input of document.querySelectorAll("#controls [aria-invalid=true]")) {
      input.setAttribute("aria-invalid", "false");
    }
    question.costs.forEach((row, k) => {
      const errors = errorsOf(row, k);
      showValue(`share-${k}`, share, question.shares[k], question.shares[k], turned);
      showValue(`miss-${k}`, cost, Math.min(...errors), Math.max(...errors), turned);
      row.forEach((own, j) => showValue(`cost-${k}-${j}`, cost, own, own, turned));
    });
  }

  /** Show a question from elsewhere, with all its costs in sight. */
  function open(given) {
    const isByClass = given.costs.every((row, k) => new Set(errorsOf(row, k)).size === 1);
    if ($("costs-by-error") && !isByClass) $("detail-error").checked = true;
    set(given);
  }

  /** Wire the controls; `changed` gets every new question. */
  function start(data, changed) {
    names = data.classes.map((each) => each.name);
    observed = data.classes.map((each) => each.share);
    [texts, onChange] = [data.texts, changed];
    $("controls").addEventListener("input", ({ target }) => react(target));
    $("controls").addEventListener("change", ({ target }) => {
      if (target.getAttribute("aria-invalid") !== "true") set(question); // as it was understood
    });
    $("controls").addEventListener("keydown", onArrow);
    const equal = names.map(() => 1 / names.length);
    $("shares-observed").addEventListener("click", () => take({ ...question, shares: observed }));
    $("shares-equal").addEventListener("click", () => take({ ...question, shares: equal }));
    $($("costs-by-error") && names.length <= 5 ? "detail-error" : "detail-class").checked = true;
  }

  return { start, open, encode, decode, describe };
})();
