// What the page says in tables and texts: facts, counts, choices, winners, the rule, all vertices.
"use strict";
const RocchTables = (() => {
  const { $, element, short } = RocchShell;
  const { number, money, per100, percent, counted } = RocchWords;
  const MOST_CHOICES = 12;
  const MOST_WINNERS = 60;
  const MOST_VERTICES = 200;
  let page; // summary, model, looks, and what was last asked and answered

  const start = (given) => { page = given; };
  const real = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
  const slope = (value) => (real(value) === Infinity ? "∞" : number(real(value)));
  const cell = (text, kind) => element("td", kind ? { class: kind } : {}, text);
  const between = (low, high, write) =>
    (write(low) === write(high) ? write(low) : `${write(low)} to ${write(high)}`);

  /** A classifier's name with its color. */
  function named(name) {
    const look = page.looks.of(name);
    const key = element("span", { class: `key ${look.fill}`, "aria-hidden": "true" });
    return element("td", { class: "name" }, key, name);
  }

  function fill(id, rows) {
    $(id).replaceChildren(...rows);
  }

  // ---- the answer ------------------------------------------------------------------------------

  function fact(name, value, more) {
    const small = more ? [element("small", {}, more)] : [];
    return element("div", {}, element("dt", {}, name), element("dd", {}, value, ...small));
  }

  const interval = (ends) => (ends ? `95 %: ${per100(ends[0])} to ${per100(ends[1])}` : "");

  /** The sentence, of which what to use stands out. */
  function sentence(text) {
    const end = text.indexOf(": catches ");
    return [element("strong", {}, text.slice(0, end)), text.slice(end)];
  }

  function facts(answer, question) {
    const list = [
      fact("Catches, of 100 positives", per100(answer.tpr), interval(answer.tpr_interval)),
      fact("False alarms, per 100 negatives", per100(answer.fpr), interval(answer.fpr_interval)),
    ];
    if (answer.cost) {
      const [low, high] = answer.cost.map((cost) => 100 * cost);
      const how = question.belief ? "in expectation" : "";
      list.push(fact("Costs, per 100 rows", between(low, high, money), how));
    }
    if (answer.worst_regret !== null) {
      const best = answer.holds === "throughout" ? "it is the best throughout" : "more than the best";
      list.push(fact("At worst loses, per 100 rows", money(100 * answer.worst_regret), best));
    }
    if (answer.chance !== null) list.push(fact("Best with a chance of", percent(answer.chance)));
    const gain = real(answer.randomizing_gains);
    if (gain > 0 && !question.randomize) list.push(coinFact(gain, question));
    return list;
  }

  function coinFact(gain, question) {
    if (question.goal === "hits") return fact("A coin would catch", `${per100(gain)} more`, "of 100 positives");
    return fact("A coin would save", money(100 * gain), "per 100 rows");
  }

  function confusion(counts) {
    const words = {
      true_positives: "hits", false_negatives: "misses",
      false_positives: "false alarms", true_negatives: "rightly left alone",
    };
    for (const [name, word] of Object.entries(words)) {
      const text = between(...counts[name], rows).replace(" to ", " – ");
      $(`per-${name}`).replaceChildren(text, element("small", {}, word));
    }
  }

  /** A number of rows of 1,000: whole where it is large, with digits where it is small. */
  const rows = (count) => (count >= 100 ? RocchWords.fixed(count, 0) : RocchWords.significant(count, 2));

  function rule(answer) {
    for (const kind of ["plain", "python", "sql"])
      $(`rule-${kind}`).textContent = RocchWords[kind](answer, page.summary.deployment);
  }

  // ---- what can be best ------------------------------------------------------------------------

  function setting(vertex) {
    const { hull, names } = page.model;
    if (hull.classifier[vertex] < 0) return { name: vertex === 0 ? "never" : "always", threshold: "" };
    return { name: names[hull.classifier[vertex]], threshold: hull.threshold[vertex] };
  }

  const NOW = { class: "now", "aria-current": "true" };

  function settingRow({ name, threshold, tpr, fpr, slopes, regret, chance }, now) {
    return element("tr", now ? NOW : {},
      name,
      cell(threshold, "number"),
      cell(per100(tpr), "number"),
      cell(per100(fpr), "number"),
      cell(slopes, "number"),
      cell(regret === null ? "" : money(100 * regret), "number regret"),
      cell(chance === null ? "" : percent(chance), "number chance"));
  }

  function choiceRow({ vertex, low, high, worst_regret: regret, chance }, now) {
    const { hull } = page.model;
    const { name, threshold } = setting(vertex);
    const rates = { tpr: hull.tpr[vertex], fpr: hull.fpr[vertex] };
    return settingRow({ name: named(name), threshold, ...rates, slopes: between(low, high, slope), regret, chance }, now);
  }

  /** The recommendation, where it is none of the choices: they are vertices, and keep no limits. */
  function chosenRow(answer) {
    const [part] = answer.parts;
    const { hull } = page.model;
    const isVertex = hull.fpr.some((fpr, i) => fpr === part.fpr && hull.tpr[i] === part.tpr);
    const name = named(part.classifier);
    name.append(element("small", {}, `the recommendation, ${isVertex ? "within the limits" : "between the vertices"}`));
    // within limits its regret is that against others within them, which the choices' is not
    const regret = isLimited() ? null : answer.worst_regret;
    return settingRow({ name, threshold: part.threshold, tpr: part.tpr, fpr: part.fpr, slopes: "", regret, chance: null }, true);
  }

  const isLimited = () => page.question.max_fpr !== null || page.question.capacity !== null;

  /** The choices to show: all, or the recommended and those that lose least at worst, in their order. */
  function foremost(choices, isNow) {
    if (choices.length <= MOST_CHOICES) return choices;
    const ranked = [...choices].sort((a, b) =>
      isNow(b) - isNow(a) || (b.chance || 0) - (a.chance || 0) || a.worst_regret - b.worst_regret || a.vertex - b.vertex);
    const kept = new Set(ranked.slice(0, MOST_CHOICES));
    return choices.filter((choice) => kept.has(choice));
  }

  function choices(answer) {
    const { hull } = page.model;
    const isNow = ({ vertex }) =>
      answer.parts.some(({ fpr, tpr }) => hull.fpr[vertex] === fpr && hull.tpr[vertex] === tpr);
    const shown = foremost(answer.choices, isNow);
    const rows = shown.map((choice) => choiceRow(choice, isNow(choice)));
    if (shown.length && answer.parts.length === 1 && !shown.some(isNow)) {
      const left = shown.findIndex(({ vertex }) => hull.tpr[vertex] < answer.tpr); // they go leftwards
      rows.splice(left < 0 ? rows.length : left, 0, chosenRow(answer));
    }
    fill("choices-rows", rows);
    $("choices").classList.toggle("no-chance", shown.every((choice) => choice.chance === null));
    $("choices").classList.toggle("no-regret", shown.every((choice) => choice.worst_regret === null));
    const rest = answer.choices.length - shown.length;
    $("choices-more").textContent = rest ? `and ${counted(rest)} more settings between them` : "";
    $("sensitivity-words").textContent = dependence(answer);
  }

  function dependence(answer) {
    if (!answer.slopes) return "The goal is to catch the most within the limits, so costs play no part.";
    const slopes = between(answer.slopes[0], answer.slopes[1], slope);
    const number = answer.choices.length;
    const names = new Set(answer.choices.map(({ vertex }) => setting(vertex).name));
    const many = number === 1 ? "One setting is best throughout"
      : names.size === 1 ? `${number} settings of one classifier can be best`
      : `${number} settings of ${names.size} classifiers can be best`;
    if (answer.holds === "exact")
      return `Everything counts as known, at slope ${slopes}. Turn a number into a range to see how far the choice depends on it.`;
    return `What you know allows slopes from ${slopes}. ${many}${isLimited() ? ", if there were no limits" : ""}.`;
  }

  // ---- who wins where --------------------------------------------------------------------------

  /** At this prevalence, how many false alarms a miss must be as bad as, for a slope. */
  const timesAt = (slopeValue, p) => (1 - p) / p / real(slopeValue);

  function winners(answer, question) {
    const p = (question.prevalence[0] + question.prevalence[1]) / 2;
    const [low, high] = answer.slopes ? answer.slopes.map(real) : [NaN, NaN];
    const all = page.model.winners;
    const here = all.findIndex((row) => row.high >= low);
    const from = Math.max(0, Math.min(here - MOST_WINNERS / 2, all.length - MOST_WINNERS));
    const shown = all.slice(from, from + MOST_WINNERS);
    const times = (value) => (value === Infinity ? "∞" : number(value));
    fill("winners-rows", shown.map((row) => element("tr",
      row.low <= high && row.high >= low ? NOW : {},
      named(row.classifier), cell(slope(row.low), "number"), cell(slope(row.high), "number"),
      cell(between(timesAt(row.high, p), timesAt(row.low, p), times), "number"))));
    $("winners-ratio").textContent = `a miss is as bad as … false alarms, at a prevalence of ${percent(p)}`;
    const rest = all.length - shown.length;
    $("winners-more").textContent = rest ? `and ${counted(rest)} more ranges` : "";
  }

  function standings(answer) {
    $("standings-part").hidden = !answer.standings.length;
    fill("standings-rows", answer.standings.map(({ classifier, chance }) =>
      element("tr", {}, named(classifier), cell(percent(chance), "number"))));
  }

  // ---- all vertices ----------------------------------------------------------------------------

  const rate = (value) => RocchWords.fixed(value, 4);

  function vertices() {
    const { hull } = page.model;
    const size = hull.fp.length;
    fill("vertices-rows", Array.from({ length: Math.min(size, MOST_VERTICES) }, (_, i) => {
      const { name, threshold } = setting(i);
      return element("tr", {}, cell(String(i), "number"), named(name), cell(threshold, "number"),
        cell(counted(hull.fp[i]), "number"), cell(counted(hull.tp[i]), "number"),
        cell(rate(hull.fpr[i]), "number"), cell(rate(hull.tpr[i]), "number"));
    }));
    const some = size > MOST_VERTICES ? `; the first ${MOST_VERTICES} are shown, the downloads have all` : "";
    $("vertices-words").textContent = `The hull has ${counted(size)} vertices${some}.`;
  }

  function csv() {
    const { hull, names } = page.model;
    const head = ["vertex", "classifier", "threshold", "false_positives", "true_positives", "fpr", "tpr", "also"];
    const lines = [RocchShell.csvLine(head)];
    for (let i = 0; i < hull.fp.length; i++) {
      const { name, threshold } = setting(i);
      const also = hull.also[i].map((place) => names[place]).join("; ");
      lines.push(RocchShell.csvLine(
        [i, name, threshold, hull.fp[i], hull.tp[i], hull.fpr[i], hull.tpr[i], also]));
    }
    return lines.join("");
  }

  return { start, sentence, facts, confusion, rule, choices, winners, standings, vertices, csv, setting, short };
})();
