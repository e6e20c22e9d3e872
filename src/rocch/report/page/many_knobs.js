// The controls of a page for many classes: the share of each class and the cost of each error.
"use strict";
const RocchManyKnobs = (() => {
  const { $ } = RocchShell;
  const { rebalance, problem } = RocchManyGeometry;
  const LEAST = -2; // costs run from 10^-2 to 10^4 along a slider, and 0 stands at its end
  const DECADES = 6;
  const MOST_COST = 1e100;
  const REACH = Math.log(999); // shares run from 0.1 % to 99.9 %, and 0 and 1 stand at the ends
  let size = 0;
  let question = null;
  let change = null;

  const written = (value) => String(Number(value.toPrecision(4)));
  const places = () => Array.from({ length: size }, (_, k) => k);

  const read = (input, power) => RocchTyped.read(input.value, power);

  const costAt = (t) => (t === 0 ? 0 : Number((10 ** (LEAST + (DECADES * t) / 400)).toPrecision(3)));
  const costPlace = (cost) =>
    cost <= 0 ? 0 : Math.max(1, Math.min(400, Math.round(((Math.log10(cost) - LEAST) / DECADES) * 400)));

  function shareAt(t) {
    if (t <= 0 || t >= 1000) return t <= 0 ? 0 : 1;
    const share = 1 / (1 + Math.exp(-(t / 500 - 1) * REACH));
    return Number(share.toPrecision(3));
  }
  function sharePlace(share) {
    if (share <= 0 || share >= 1) return share <= 0 ? 0 : 1000;
    const t = 500 * (Math.log(share / (1 - share)) / REACH + 1);
    return Math.max(1, Math.min(999, Math.round(t)));
  }

  /** The next cost on a scale of ten steps to each power of ten. */
  function steppedCost(cost, steps) {
    if (cost <= 0) return steps > 0 ? 0.1 : 0;
    const next = 10 ** ((Math.round(10 * Math.log10(cost)) + steps) / 10);
    return next < 0.0099 ? 0 : Number(next.toPrecision(2));
  }
  const steppedShare = (percent, steps) =>
    Math.min(100, Math.max(0, Number((percent + steps * (percent < 5 ? 0.1 : 1)).toPrecision(3))));

  const advice = (input, otherwise) => RocchTyped.advice(input.value) || otherwise;

  function complain(knob, text, input) {
    $(`${knob}-problem`).textContent = text;
    if (input) input.setAttribute("aria-invalid", text ? "true" : "false");
  }

  function clearComplaints() {
    for (const knob of ["shares", "costs"]) complain(knob, "");
    document.querySelectorAll("#controls [aria-invalid=true]").forEach((each) => each.setAttribute("aria-invalid", "false"));
  }

  /** Take a changed question unless it makes no sense; then say so and leave all as it is. */
  function take(changed, knob, input) {
    const wrong = problem(changed, size);
    if (wrong) return complain(knob, wrong, input);
    clearComplaints();
    question = changed;
    show(input);
    change(question);
    return undefined;
  }

  function setShare(k, share, input) {
    if (!(share >= 0 && share <= 1)) return complain("shares", advice(input, "A share is a number from 0 to 100 %."), input);
    return take({ ...question, shares: rebalance(question.shares, k, share) }, "shares", input);
  }

  function setCosts(costOf, input) {
    const costs = question.costs.map((row, k) => row.map((cost, j) => (k === j ? cost : costOf(k, j, cost))));
    const wrong = costs.flat().find((cost) => !(cost >= 0 && cost <= MOST_COST));
    if (wrong > MOST_COST) return complain("costs", "That is too large: take a larger unit.", input);
    if (wrong !== undefined) return complain("costs", advice(input, "A cost is a number from 0 on."), input);
    return take({ ...question, costs }, "costs", input);
  }
  const setMiss = (row, value, input) => setCosts((k, _, cost) => (k === row ? value : cost), input);
  const setCell = (row, column, value, input) =>
    setCosts((k, j, cost) => (k === row && j === column ? value : cost), input);

  function onArrows(input, stepped, set) {
    input.addEventListener("keydown", (event) => {
      const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      const value = read(input);
      if (!direction || Number.isNaN(value)) return;
      event.preventDefault();
      const next = stepped(value, direction * (event.shiftKey ? 10 : 1));
      input.value = written(next);
      set(next);
    });
  }

  function wireShare(k) {
    const text = $(`share-${k}`);
    const slider = $(`share-${k}-slider`);
    text.addEventListener("input", () => setShare(k, read(text, -2), text));
    text.addEventListener("change", () => show());
    slider.addEventListener("input", () => setShare(k, shareAt(Number(slider.value)), slider));
    onArrows(text, steppedShare, (value) => setShare(k, value / 100, text));
  }

  function wireMiss(k) {
    const text = $(`miss-${k}`);
    const slider = $(`miss-${k}-slider`);
    text.addEventListener("input", () => setMiss(k, read(text), text));
    text.addEventListener("change", () => show());
    slider.addEventListener("input", () => setMiss(k, costAt(Number(slider.value)), slider));
    onArrows(text, steppedCost, (value) => setMiss(k, value, text));
  }

  function wireCell(k, j) {
    const text = $(`cost-${k}-${j}`);
    text.addEventListener("input", () => setCell(k, j, read(text), text));
    text.addEventListener("change", () => show());
    onArrows(text, steppedCost, (value) => setCell(k, j, value, text));
  }

  const wrongCosts = (k) => question.costs[k].filter((_, j) => j !== k);
  const hasGrid = () => $("costs-by-error") !== null;

  function showMiss(k, typed) {
    const costs = wrongCosts(k);
    const [low, high] = [Math.min(...costs), Math.max(...costs)];
    const text = $(`miss-${k}`);
    if (typed !== text) {
      text.value = low === high ? written(low) : "";
      text.placeholder = low === high ? "" : `${written(low)} to ${written(high)}`;
    }
    if (typed !== $(`miss-${k}-slider`)) $(`miss-${k}-slider`).value = costPlace(high);
    $(`miss-${k}-slider`).setAttribute("aria-valuetext", low === high ? written(low) : text.placeholder);
  }

  function showShare(k, typed) {
    const share = question.shares[k];
    if (typed !== $(`share-${k}`)) $(`share-${k}`).value = written(100 * share);
    if (typed !== $(`share-${k}-slider`)) $(`share-${k}-slider`).value = sharePlace(share);
    $(`share-${k}-slider`).setAttribute("aria-valuetext", `${written(100 * share)} %`);
  }

  function showCell(k, j, typed) {
    const cell = $(`cost-${k}-${j}`);
    if (k === j) cell.textContent = question.costs[k][k] ? written(question.costs[k][k]) : "·";
    else if (cell !== typed) cell.value = written(question.costs[k][j]);
  }

  /** Show the question in all controls but the one that is being turned. */
  function show(typed) {
    for (const k of places()) {
      showShare(k, typed);
      showMiss(k, typed);
      if (hasGrid()) for (const j of places()) showCell(k, j, typed);
    }
  }

  function showDetail(detail) {
    $("detail-class").checked = detail === "class";
    $("detail-error").checked = detail === "error";
    $("costs-by-class").hidden = detail !== "class";
    if (hasGrid()) $("costs-by-error").hidden = detail !== "error";
  }

  const byClass = () => places().every((k) => new Set(wrongCosts(k)).size === 1);

  /** Show another question, from outside. */
  function set(given) {
    question = given;
    clearComplaints();
    if (hasGrid() && !byClass()) showDetail("error");
    show();
  }

  function start(given, observed, onChange) {
    size = given.shares.length;
    change = onChange;
    places().forEach(wireShare);
    places().forEach(wireMiss);
    if (hasGrid()) for (const k of places()) for (const j of places()) if (k !== j) wireCell(k, j);
    for (const detail of ["class", "error"]) {
      $(`detail-${detail}`).addEventListener("change", () => showDetail(detail));
    }
    $("shares-observed").addEventListener("click", () => take({ ...question, shares: observed }, "shares"));
    $("shares-equal").addEventListener("click", () =>
      take({ ...question, shares: observed.map(() => 1 / size) }, "shares"));
    showDetail(hasGrid() && size <= 5 ? "error" : "class");
    set(given);
  }

  return { start, set, costAt, costPlace, shareAt, sharePlace, steppedCost, steppedShare };
})();
