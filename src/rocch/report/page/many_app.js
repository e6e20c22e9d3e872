// The report on several classes: its texts and tables follow the question.
"use strict";
const RocchManyApp = (() => {
  const { $ } = RocchShell;
  const {
    counted, escaped, fill, fixed, local, money, per100, percent, significant,
  } = RocchNumbers;
  const summary = RocchShell.data("summary");
  const data = summary.multiclass;
  const { classes, members, models, recommended, rule, texts } = data;
  const model = RocchManyCompute.prepare(data);
  const own = { costs: data.costs, shares: data.shares };
  const MOST_MISSES = 4; // as in Python
  const MOST_ROWS = 20;
  let [question, corrected, answer, expected] = [null, [], null, []];

  // ---- texts -----------------------------------------------------------------------------------

  const text = (name, values) => fill(texts[name], values);

  /** A member's model, or the one class that it predicts, in words or as code. */
  const namesOf = (place, kind = "words") => ({
    model: rule.models[members.model[place]]?.[kind],
    class: rule.classes[-1 - members.model[place]]?.[kind],
  });

  /** Whether a member predicts by the question's costs, or by these corrected for its shares. */
  const isBy = (place, costs) => {
    const asked = costs.flat();
    return members.costs[place].every((cost, cell) => cost === asked[cell]);
  };

  function kindOf(place) {
    const kind = members.rule[place];
    if (kind !== "least_expected_cost") return kind;
    const isYours = [question.costs, corrected].some((costs) => isBy(place, costs));
    return isYours ? kind : "least_weighted_sum";
  }

  const label = (place) => text(`label_${kindOf(place)}`, namesOf(place));

  function use(place) {
    const names = namesOf(place);
    const settings = escaped(members.settings[place]);
    if (settings) names.model = text("with_settings", { ...names, settings });
    return text(kindOf(place), names);
  }

  function misses(rates) {
    const worst = rates.map((_, k) => k).sort((a, b) => rates[b] - rates[a] || a - b);
    if (!rates[worst[0]]) return text("no_misses");
    const many = rates.length > MOST_MISSES;
    const places = (many ? worst.slice(0, 3) : rates.map((_, k) => k)).filter((k) => rates[k]);
    const join = (i) => (i < places.length - 1 ? "comma" : "and");
    const joined = places.map((k) =>
      text("missed", { missed: per100(rates[k]), class: rule.classes[k].words }))
      .reduce((first, second, i) => text(join(i), { first, second }));
    return text(many ? "worst_misses" : "misses", { misses: joined });
  }

  /** What is expected on new rows, in the words of a template; it is known for the own question. */
  function newRows(name) {
    if (!answer.new_rows) return "";
    const costs = Object.entries(answer.new_rows).map(([key, cost]) => [key, money(1000 * cost)]);
    return text(name, { ...Object.fromEntries(costs), unit: local(texts.per_1000) });
  }

  function sentence() {
    const { low, high } = answer.new_rows || {};
    return text("sentence", {
      use: use(answer.member),
      best: texts[answer.best],
      wrong: text("wrong", { wrong: per100(answer.error_rate) }),
      misses: misses(answer.miss_rates),
      costs: newRows(low === high ? "new_rows_known" : "new_rows")
        || text("costs", { cost: money(1000 * answer.cost), unit: local(texts.per_1000) }),
      saves: saving(),
    });
  }

  /** What is saved against the most likely class, or without one against one class for all. */
  function saving() {
    const isPlain = answer.plain !== null;
    const [place, cost] = isPlain ? [answer.plain, answer.plain_cost]
      : [answer.always, answer.always_cost];
    const saved = cost - (answer.new_rows ? answer.new_rows.expected : answer.cost);
    const amount = money(1000 * Math.abs(saved));
    if (place === answer.member || amount === "0") return "";
    const baseline = text(isPlain ? "plain_baseline" : "label_always", namesOf(place));
    const unit = local(texts.per_1000);
    const bounds = savesBounds(saved > 0);
    return text(saved > 0 ? "saves" : "costs_more", { amount, unit, baseline, bounds });
  }

  /** The bounds of what is saved on new rows, or lost; they are known for the own question. */
  function savesBounds(isSaved) {
    if (!answer.saves_interval) return "";
    const [low, high] = answer.saves_interval;
    const ends = (isSaved ? [low, high] : [-high, -low]).map((end) => money(1000 * end));
    const doubt = low <= 0 && high >= 0 ? text("doubt", {}) : "";
    return text("saves_bounds", { low: ends[0], high: ends[1], doubt });
  }

  /** What is cheapest on the evaluation rows, beside a choice that is not chosen for that. */
  function onRows() {
    if (answer.best === "best") return "";
    const least = answer.cheapest_cost;
    if (answer.cost <= least * (1 + RocchManyCompute.CLOSE)) return texts.on_rows_too;
    return text("on_rows", {
      label: label(answer.cheapest), cost: money(1000 * least), own: money(1000 * answer.cost),
      unit: local(texts.per_1000),
    });
  }

  function remark() {
    const [first, second] = [answer.new_rows_note, onRows()];
    return first && second ? text("remarks", { first, second }) : first || second;
  }

  /** The rule in words, as Python or as SQL. */
  function ruleText(kind) {
    const values = namesOf(answer.member, kind);
    // in SQL with an exponent, so that databases calculate in double precision
    const write = (cost) => kind === "sql" && !String(cost).includes("e") ? `${cost}e0` : `${cost}`;
    members.costs[answer.member]?.forEach((cost, cell) => {
      values[`cost_${Math.floor(cell / model.size)}_${cell % model.size}`] = write(cost);
    });
    return fill(rule.rules[kindOf(answer.member)][kind], values);
  }

  // ---- tables ----------------------------------------------------------------------------------

  /** The numbers beside the sentence and notes on them, by name; as class_facts in Python. */
  function facts() {
    const { equals, plain, new_rows: known } = answer;
    const note = ["cost_note", "cost_note_one_equal", "cost_note_equals"][Math.min(equals, 2)];
    const error = money(1000 * answer.standard_error);
    return {
      cost: [money(1000 * answer.cost), text(note, { error, equals: counted(equals) })],
      wrong: [per100(answer.error_rate), ""],
      always: [money(1000 * answer.always_cost), label(answer.always)],
      plain: plain === null ? ["", ""]
        : [money(1000 * answer.plain_cost), text("best_model", namesOf(plain))],
      "new-rows": [known ? money(1000 * known.expected) : "", newRows("interval")],
    };
  }

  /** Write a square table; tinted are errors, by their share of the class. */
  function showMatrix(id, rows, heats) {
    rows.forEach((row, k) => row.forEach((content, j) => {
      const cell = $(id).rows[k].cells[j + 1];
      cell.textContent = content;
      cell.className = k === j ? "hit" : heats[k][j] > 0 ? "wrong" : "none";
      cell.style.setProperty("--heat", Math.round(6 + 48 * heats[k][j]));
    }));
  }

  function showPredictions() {
    const rates = RocchManyCompute.toRows(model.rates[answer.member], model.size);
    const inRows = (number) => fixed(number, number >= 9.95 || number === 0 ? 0 : 1);
    showMatrix("per-rows", answer.per_1000.map((row) => row.map(inRows)), rates);
    answer.miss_rates.forEach((rate, k) => {
      $("per-rows").rows[k].cells[model.size + 1].textContent = percent(rate);
    });
  }

  /** The costs by which the recommendation predicts, as parts of 100 of the largest. */
  function showOwnCosts() {
    const costs = members.costs[answer.member];
    const kind = kindOf(answer.member);
    $("own-costs").hidden = costs === null;
    $("own-table").hidden = kind === "most_likely_class";
    if (costs === null) return;
    const yours = isBy(answer.member, question.costs) ? "own_costs" : "own_corrected";
    const note = { most_likely_class: "own_equal", least_weighted_sum: "own_weights" }[kind];
    RocchShell.write("own-words", texts[note ?? yours]);
    const parts = costs.map((cost) => cost / (Math.max(...costs) || 1));
    const rows = (write) => RocchManyCompute.toRows(parts.map(write), model.size);
    showMatrix("own-rows", rows((part) => significant(100 * part, 3)), rows((part) => 0.6 * part));
  }

  function showSuggestions() {
    const follow = {
      [texts.suggest_own]: answer.member, [texts.suggest_cheapest]: answer.cheapest,
    };
    const rows = recommended.map(({ name, member: place }) => {
      const member = follow[name] ?? place;
      const rates = RocchManyCompute.missRates(model, member);
      const wrong = percent(RocchManyCompute.errorRate(rates, question.shares));
      return [name, label(member), money(1000 * expected[member]), wrong, ...rates.map(percent)];
    });
    RocchReport.fillTable("suggestions-rows", rows, [rows[0]]);
  }

  function showCheapest() {
    const order = expected.map((_, place) => place).sort((a, b) =>
      expected[a] - expected[b] || model.errors[a] - model.errors[b] || a - b).slice(0, MOST_ROWS);
    const rows = order.map((place, i) => [
      String(i + 1), label(place), money(1000 * expected[place]), counted(model.errors[place]),
      ...RocchManyCompute.missRates(model, place).map(percent),
    ]);
    RocchReport.fillTable("members-rows", rows, [rows[order.indexOf(answer.member)]]);
  }

  /** All members as CSV: counts of all predictions, and the costs that each predicts by. */
  function csv() {
    const names = classes.map((each) => each.name);
    const pairs = names.flatMap((truth) => names.map((predicted) => `${truth}>${predicted}`));
    const head = ["member", "place", "model", "settings", ...pairs];
    head.push(...pairs.map((pair) => `cost ${pair}`));
    return [head, ...members.counts.map((counts, i) => [
      i, members.place[i], models[members.model[i]]?.name ?? label(i), members.settings[i],
      ...counts, ...(members.costs[i] ?? counts.map(() => "")),
    ])];
  }

  // ---- answering -------------------------------------------------------------------------------

  /** Answer a question: in words at once, in tables and charts as they come into sight. */
  function show(asked) {
    question = asked;
    corrected = RocchManyCompute.correctedCosts(model, question);
    const isOwn = JSON.stringify(question) === JSON.stringify(own);
    RocchManyCompute.aimAt(model, question, isOwn);
    expected = RocchManyCompute.expectedCosts(model, question);
    const chosen = isOwn && data.answer.best !== "best" ? data.answer.member : data.aim?.member;
    answer = RocchManyCompute.answer(model, question, expected, chosen ?? null);
    answer.best = isOwn ? data.answer.best : data.aim ? "best_new" : "best";
    answer.saves_interval = isOwn ? data.answer.saves_interval : null;
    answer.new_rows = isOwn ? data.answer.new_rows : null;
    answer.new_rows_note = isOwn ? data.answer.new_rows_note : texts.other_costs;
    RocchReport.say(sentence(), use(answer.member));
    const assumed = isOwn ? summary.assumed : RocchManyForm.describe(question);
    RocchShell.write("assumed", text("assumed", { question: assumed }));
    RocchReport.showFacts(facts(), remark());
    showPredictions();
    showOwnCosts();
    RocchCharts.show(answer);
  }

  /** Show the most likely classes of one model; all are in the page. */
  function showPlain() {
    document.querySelectorAll("[data-judged]").forEach((each) => {
      each.hidden = each.dataset.judged !== $("judged").value;
    });
  }

  RocchShell.watch([ // before the charts, which take longer
    { id: "suggestions", show: showSuggestions },
    { id: "deploy", show: () => RocchReport.showRules(ruleText) },
    { id: "appendix", show: showCheapest },
  ]);
  RocchCharts.start({ counts: members.counts });
  $("judged")?.addEventListener("change", showPlain);
  RocchManyForm.start(data, RocchReport.ask);
  RocchReport.start({ ...RocchManyForm, own, answer: show, csv, csvName: "members.csv" });
  return { current: () => ({ question, answer, sentence: sentence() }) };
})();
