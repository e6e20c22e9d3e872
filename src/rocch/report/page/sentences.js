// Sentences and rules from the summary's templates, by the steps of rocch.report.words.
"use strict";
const RocchSentences = (() => {
  const {
    between, counted, ends, escaped, fill, local, money, per100, percentage, roughThreshold,
    significant,
  } = RocchNumbers;
  const { LIMITS } = RocchCompute;
  const COSTS = ["false_positive", "false_negative", "true_positive", "true_negative"];
  const BALANCE = ["prevalence", "negatives_per_positive"];

  /** How amounts are written: per month if its cases are known, else per 1,000 cases. */
  const scaleOf = ({ currency = "", cases_per_month: cases }, texts) => (cases === undefined
    ? { cases: 1000, unit: local(texts.per_1000), currency }
    : { cases, unit: texts.per_month, currency });

  /** An amount per case, or its least and greatest value, in the unit of money. */
  function amount(value, { cases, currency }) {
    const text = between(ends(value), (end) => money(cases * end));
    return currency ? `${text} ${escaped(currency)}` : text;
  }

  // ---- the sentence ----------------------------------------------------------------------------

  function setting(part, texts) {
    const kind = part.kind === "labels" && part.threshold ? "setting" : part.kind;
    const threshold = escaped(roughThreshold(part.threshold));
    return fill(texts[kind], { classifier: escaped(part.classifier), threshold });
  }

  function use({ parts }, texts) {
    const [first, second] = parts.map((part) => setting(part, texts));
    const probability = significant(parts[0].probability, 3);
    const whole = second ? fill(texts.coin, { probability, first, second }) : first;
    return whole[0].toUpperCase() + whole.slice(1);
  }

  function facts(answer, question, texts) {
    const [negatives, positives] = [texts.negatives, texts.positives].map(escaped);
    const found = [fill(texts.hits, { hits: per100(answer.tpr), positives }),
      fill(texts.false_alarms, { alarms: per100(answer.fpr), negatives })];
    if (answer.cost && !answer.new_rows) {
      const kind = question.cost_ratio === undefined ? "cost" : "expected_cost";
      const scale = scaleOf(question, texts);
      found.push(fill(texts[kind], { cost: amount(answer.cost, scale), unit: scale.unit }));
    }
    if (question.maximize) {
      const metric = texts[`metric_${question.maximize}`];
      found.push(fill(texts.metric, { metric, value: significant(answer.value, 3) }));
    }
    const cases = casesOf(question);
    if (cases && answer.per_1000) {
      const { true_positives: hits, false_positives: alarms } = answer.per_1000;
      const ends = [hits[0] + alarms[1], hits[1] + alarms[0]].sort((a, b) => a - b);
      const some = between(ends, (end) => significant((cases / 1000) * end, 3));
      found.push(fill(texts.alarms, { alarms: some, rows: significant(cases, 3) }));
    }
    return found;
  }

  /** The number of cases of which alarms are counted, if there is a limit on these. */
  function casesOf({ capacity, max_share: share, population, positives, negatives }) {
    if (capacity === undefined) return share === undefined ? null : 100;
    return population || positives + negatives;
  }

  const join = (parts, template) =>
    parts.reduce((first, second) => fill(template, { first, second }));

  /** What is not known exactly: costs, the class balance, or both. */
  function unknownGroups(question) {
    const isVague = (names) => names.some((name) => Array.isArray(question[name]));
    const hasCosts = isVague(COSTS) || question.cost_ratio !== undefined;
    return [...(hasCosts ? ["costs"] : []), ...(isVague(BALANCE) ? ["prevalence"] : [])];
  }

  /** The first saving, and that against a rule that is cheaper, which is never left out. */
  function foremost([first, ...others]) {
    const cheaper = others.filter(({ middle, slack }) => middle < -slack)
      .sort((a, b) => a.middle - b.middle);
    return [first, cheaper[0]].filter(Boolean);
  }

  /** What is saved against a baseline, as Python's `Savings` says it. */
  function saving({ baseline, saves, middle, interval, slack, alike }, question, texts) {
    const rows = counted(alike ?? 0);
    if (alike) return fill(texts.decides_alike, { baseline: escaped(baseline), rows });
    const scale = scaleOf(question, texts);
    if (Math.abs(middle) < slack) return fill(texts.costs_alike, { baseline: escaped(baseline) });
    const sign = saves[1] < 0 ? -1 : 1;
    const sorted = (pair) => pair.map((end) => sign * end).sort((a, b) => a - b);
    const [low, high] = interval ? sorted(interval).map((end) => money(scale.cases * end)) : [];
    const doubt = interval && interval[0] <= 0 && interval[1] >= 0 ? texts.doubt : "";
    const groups = unknownGroups(question).map((name) => texts[`unknown_${name}`]);
    const saved = saves[0] < 0 && sign > 0 ? fill(texts.saves_or_costs,
      { low: money(scale.cases * saves[0]), high: amount(saves[1], scale) })
      : amount(sorted(saves), scale);
    return fill(texts[sign > 0 ? "saves" : "costs_more"], {
      amount: slack ? fill(texts.about, { amount: saved }) : saved,
      unit: scale.unit, baseline: escaped(baseline),
      depending: saves[0] < saves[1]
        ? fill(texts.depending, { unknown: join(groups, texts.and) }) : "",
      bounds: interval ? fill(texts.saves_bounds, { low, high, doubt }) : "",
    });
  }

  /** The least and the greatest expected cost on new rows. */
  const expectedEnds = ({ expected, expected_range: range }) => range ?? [expected, expected];

  function newRows(found, scale, texts) {
    if (!found) return "";
    const interval = [found.low, found.high];
    const [low, high] = interval.map((end) => money(scale.cases * end));
    const known = expectedEnds(found);
    const isKnown = known.every((end, i) => end === interval[i]);
    return fill(texts[isKnown ? "new_rows_known" : "new_rows"],
      { expected: amount(known, scale), low, high, unit: scale.unit });
  }

  /** What is best on the evaluation rows, beside a choice that is aimed for new rows. */
  function onRows(answer, question, texts) {
    if (!answer.on_rows) return "";
    const { part, cost } = answer.on_rows;
    if (part.fpr === answer.fpr && part.tpr === answer.tpr) return texts.on_rows_too;
    const scale = scaleOf(question, texts);
    return fill(texts.on_rows, {
      setting: setting(part, texts), cost: amount(cost, scale), unit: scale.unit,
      own: amount(answer.cost, scale),
    });
  }

  function unknown(question, texts) {
    const names = unknownGroups(question).map((name) => texts[name]);
    const where = texts[question.cost_ratio === undefined ? "in_range" : "possible"];
    return fill(texts.every, { names: join(names, texts.and), where });
  }

  function believed(answer, regret, scale, texts) {
    const { unit } = scale;
    const found = [];
    if (answer.chance !== null) found.push(fill(texts.chance, { chance: per100(answer.chance) }));
    if (answer.worst_regret !== null) found.push(fill(texts.believed, { regret, unit }));
    if (answer.expected_regret !== null) {
      const saved = amount(answer.expected_regret, scale);
      found.push(fill(texts.knowing, { saved, unit }));
    }
    return found;
  }

  /** Facts in a row: commas between them, and before the last "and". */
  const list = (facts, texts) =>
    join([join(facts.slice(0, -1), texts.fact), facts.at(-1)], texts.and);

  /** How far the choice depends on what is unknown. */
  function holds(answer, question, scale, texts) {
    if (answer.also_best.length) {
      const settings = join(answer.also_best.map((part) => setting(part, texts)), texts.or);
      return [fill(texts.as_good, { settings })];
    }
    if (answer.holds === "exact" || answer.on_rows) return [];
    if (answer.holds === "throughout") {
      return [fill(texts.throughout, { unknown: unknown(question, texts) })];
    }
    const worst = answer.worst_regret;
    const regret = worst === null ? texts.any_regret
      : fill(texts.regret, { regret: amount(worst, scale) });
    if (question.cost_ratio !== undefined) return believed(answer, regret, scale, texts);
    const classifier = escaped(answer.parts[0].classifier);
    return [fill(texts[answer.holds],
      { classifier, unknown: unknown(question, texts), regret, unit: scale.unit })];
  }

  /** In which sense it is the best, and which rows its limits are about. */
  function best({ knob, confidence, ...question }, texts) {
    const percent = (share) => significant(100 * share, 6);
    if (knob !== undefined) return fill(texts.nearest, { position: percent(knob) });
    if (confidence !== undefined) {
      return fill(texts.best_sure, { confidence: percent(confidence) });
    }
    return texts[LIMITS.some((name) => name in question) ? "best_within" : "best"];
  }

  /** What to use, and in a sentence what it does and how far that holds. */
  function sentence(answer, question, texts) {
    const scale = scaleOf(question, texts);
    const remarks = [
      newRows(answer.new_rows, scale, texts),
      ...foremost(answer.savings).map((each) => saving(each, question, texts)),
      ...holds(answer, question, scale, texts),
    ].filter(Boolean).map((remark) => fill(texts.remark, { remark }));
    return fill(texts.sentence, {
      use: use(answer, texts),
      best: answer.on_rows ? texts.best_new : best(question, texts),
      facts: list(facts(answer, question, texts), texts),
      remarks: remarks.join(""),
    });
  }

  // ---- the question ----------------------------------------------------------------------------

  function describeField({ kind, phrase }, value, texts) {
    if (kind === "flag") return phrase;
    if (kind === "text") return phrase.replace("{}", () => value);
    if (kind === "metric") return phrase.replace("{}", texts[`metric_${value}`]);
    const isShare = kind === "share" || kind === "shares";
    const write = (end) => (isShare ? percentage(end) : significant(end, 6));
    const [low, high] = ends(value);
    const isOpen = high === Infinity;
    return phrase.replace("{}", isOpen ? fill(texts.at_least, { low: write(low) })
      : between([low, high], write));
  }

  /** The question in words; limits without a confidence are counted on the evaluation rows. */
  function describe(question, fields, texts) {
    const given = fields.filter(({ name }) => name in question);
    const words = given.map((field) => describeField(field, question[field.name], texts));
    const last = given.map(({ group }) => group).lastIndexOf("limits");
    if (last >= 0 && question.confidence === undefined) words.splice(last + 1, 0, texts.counted);
    return words.join(", ");
  }

  // ---- the rule, in words, Python or SQL -------------------------------------------------------

  function condition(kind, part, isCoin, templates) {
    const isScored = part.kind === "scores";
    const own = templates[part.kind] ?? templates.conditions.find((each) =>
      each.classifier === part.classifier && (isScored || each.setting === part.threshold));
    const threshold = kind === "words" ? part.threshold : part.exact;
    const slots = { threshold: templates[kind].infinite[threshold] ?? threshold };
    return fill(own[isCoin && kind === "sql" ? "coin_sql" : kind], slots);
  }

  /** The rule of an answer, filled into Python's own templates. */
  function rule(kind, { parts }, templates) {
    const whole = templates[kind];
    const [first, second] = parts.map((part) =>
      condition(kind, part, parts.length > 1, templates));
    if (!second) return fill(whole.single, { condition: first });
    const { digits, above_all: aboveAll } = templates.limit;
    const below = Math.ceil(parts[1].probability * 16 ** digits); // exact in doubles
    const limit = below < 16 ** digits ? below.toString(16).padStart(digits, "0") : aboveAll;
    const [first_probability, second_probability] = parts.map((part) => String(part.probability));
    return fill(whole.coin, { first, second, first_probability, second_probability, limit });
  }

  return { sentence, use, onRows, expectedEnds, scaleOf, casesOf, amount, describe, rule };
})();
