// The tables of a page for many classes: answers of 1,000 rows, costs, suggestions, the cheapest.
"use strict";
const RocchManyTables = (() => {
  const { $, element } = RocchShell;
  const { money, per100, fixed, counted, percent } = RocchWords;
  const MOST_ROWS = 20;
  const FEW = 6;

  const rowsOf1000 = (number) => fixed(number, number >= 10 || number === 0 ? 0 : 1);
  const cell = (text, kind) => element("td", kind ? { class: kind } : {}, text);

  function fact(name, value, small) {
    const told = element("dd", {}, value);
    if (small) told.append(element("small", {}, small));
    return element("div", {}, element("dt", {}, name), told);
  }

  function showFacts(model, answer) {
    const rest = `${counted(answer.equals)} other${answer.equals === 1 ? "" : "s"} cost${answer.equals === 1 ? "s" : ""} as little`;
    const always = model.classes[-1 - model.members.model[answer.always]];
    const facts = [
      fact("costs per 100 rows", money(100 * answer.cost), `± ${money(100 * answer.standard_error)}${answer.equals ? `; ${rest}` : ""}`),
      fact("answered wrongly, of 100 rows", per100(answer.error_rate)),
    ];
    if (answer.plain !== null) {
      const name = model.models[model.members.model[answer.plain]];
      facts.push(fact("most likely classes alone cost", money(100 * answer.plain_cost), `best of them: ${name}`));
    }
    facts.push(fact("one answer for all rows costs", money(100 * answer.always_cost), `always ${always}`));
    $("facts").replaceChildren(...facts);
  }

  /** A square table; tinted are errors, by their share of the class. */
  function matrixRows(classes, rows, texts, heats, ends) {
    return rows.map((row, k) => {
      const line = element("tr", {}, element("th", { scope: "row", title: classes[k] }, classes[k]));
      row.forEach((_, j) => {
        const one = cell(texts[k][j], k === j ? "hit" : heats[k][j] > 0 ? "wrong" : "none");
        if (k !== j) one.style.setProperty("--heat", String(Math.round(6 + 54 * heats[k][j])));
        line.append(one);
      });
      if (ends) line.append(cell(ends[k], "missed"));
      return line;
    });
  }

  const square = (flat, size) => Array.from({ length: size }, (_, k) => Array.from(flat.slice(k * size, (k + 1) * size)));

  function showConfusion(model, answer) {
    const rates = square(model.rates[answer.member], model.size);
    const texts = answer.per_1000.map((row) => row.map(rowsOf1000));
    $("per-rows").replaceChildren(
      ...matrixRows(model.classes, answer.per_1000, texts, rates, answer.miss_rates.map(percent)));
  }

  function showOwnCosts(model, answer) {
    const costs = model.members.costs[answer.member];
    $("own-costs").hidden = costs === null;
    if (costs === null) return;
    $("own-table").hidden = model.plain[answer.member];
    const most = Math.max(...costs) || 1;
    const texts = square(RocchManyWords.relative(costs), model.size);
    const heats = square(costs.map((cost) => (0.6 * cost) / most), model.size);
    $("own-rows").replaceChildren(...matrixRows(model.classes, texts, texts, heats));
    $("own-words").textContent = model.plain[answer.member]
      ? "All alike: the most likely class is the answer."
      : "The largest is written 100. They need not be yours: where probabilities are not calibrated, others serve your costs better.";
  }

  function missCells(model, place) {
    if (model.size > FEW) return [];
    return RocchManyGeometry.missRates(model, place).map((rate) => cell(percent(rate), "number"));
  }

  function nameOf(model, place) {
    const owner = model.members.model[place];
    return owner < 0 ? `always ${model.classes[-1 - owner]}` : model.models[owner];
  }

  function showSuggestions(model, answer, named, question, costs) {
    const rows = [["the recommendation", answer.member], ...named].map(([name, place], i) => {
      const told = RocchManyGeometry.told(model, question, costs, place, 0);
      return element("tr", i ? {} : { class: "now" },
        element("th", { scope: "row" }, name), cell(RocchManyWords.label(model, place, question), "wide-name"),
        cell(money(100 * told.cost), "number"), cell(percent(told.error_rate), "number"),
        ...missCells(model, place));
    });
    $("suggestions-rows").replaceChildren(...rows);
  }

  function showCheapest(model, answer, costs) {
    const order = costs.map((_, place) => place).sort((a, b) => costs[a] - costs[b] || model.errors[a] - model.errors[b] || a - b);
    const rows = order.slice(0, MOST_ROWS).map((place, i) => element("tr", place === answer.member ? { class: "now" } : {},
      cell(String(i + 1)), cell(nameOf(model, place), "wide-name"), cell(money(100 * costs[place]), "number"),
      cell(counted(model.errors[place]), "number"), ...missCells(model, place)));
    $("members-rows").replaceChildren(...rows);
  }

  function showRule(model, answer) {
    $("rule-plain").textContent = answer.rule;
    $("rule-python").textContent = RocchManyWords.python(model, answer.member);
    $("rule-sql").textContent = RocchManyWords.sql(model, answer.member);
  }

  /** What does not move with the knobs: the plain answers of one model. */
  function showPlain(classes, judged) {
    if (!judged) return;
    const texts = judged.confusion.map((row) => row.map(counted));
    const heats = judged.confusion.map((row) => row.map((count) => count / row.reduce((a, b) => a + b, 0)));
    $("plain-rows").replaceChildren(...matrixRows(classes, judged.confusion, texts, heats));
    const worst = Math.max(...judged.calibration);
    $("plain-words").textContent =
      `${judged.name}. Its probabilities are off by ${RocchWords.significant(worst, 2)} on average for the worst calibrated class.`;
  }

  /** All members as CSV: counts of every kind of answer, and the costs that each answers by. */
  function csv(model) {
    const pairs = model.classes.flatMap((truth) => model.classes.map((answer) => `${truth}>${answer}`));
    const head = ["member", "place", "model", "settings", ...pairs, ...pairs.map((pair) => `cost ${pair}`)];
    const { place, settings, counts, costs } = model.members;
    const lines = counts.map((row, i) => RocchShell.csvLine([
      i, place[i], nameOf(model, i), settings[i], ...row, ...(costs[i] || row.map(() => ""))]));
    return RocchShell.csvLine(head) + lines.join("");
  }

  return { showFacts, showConfusion, showOwnCosts, showSuggestions, showCheapest, showRule, showPlain, csv, nameOf };
})();
