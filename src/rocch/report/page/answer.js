// An answer as Python gives it: the settings that compute.js finds, looked up. No DOM here.
"use strict";
const RocchAnswer = (() => {
  const { caseCost, excess, bestBetween, upto, regretsOver } = RocchCompute;
  const { real, ends } = RocchNumbers;
  const SMALL = 1e-12; // smaller chances and regrets are rounding errors
  const SAME_SHARE = 1e-9;
  const NORMAL_95 = 1.959963984540054;

  const text = (value) => ({ [Infinity]: "inf", [-Infinity]: "-inf" }[value] ?? value);

  // ---- the summary, prepared once --------------------------------------------------------------

  function prepare(binary) {
    const { data } = binary;
    const settings = (columns, { negatives, positives } = data) => {
      const [fp, tp] = [columns.false_positives, columns.true_positives];
      const fpr = Float64Array.from(fp, (count) => count / negatives);
      const tpr = Float64Array.from(tp, (count) => count / positives);
      return { ...columns, fp, tp, fpr, tpr, rows: { negatives, positives } };
    };
    const hull = settings(binary.hull);
    hull.slopes = Float64Array.from({ length: hull.fp.length - 1 }, (_, i) => {
      const [run, rise] = [hull.fp[i + 1] - hull.fp[i], hull.tp[i + 1] - hull.tp[i]];
      return run ? (rise * data.negatives) / (run * data.positives) : Infinity;
    });
    const { guarantee, aim } = binary;
    const sure = guarantee && settings(guarantee.settings, guarantee);
    const near = (end) => ({ ...sure, threshold: sure[end], exact: sure[`${end}_exact`] });
    const known = guarantee
      && { ...guarantee, settings: sure, low: near("low"), high: near("high") };
    const winners = binary.winners.map((row) => ({ ...row, high: real(row.high) }));
    const front = settings(binary.front.points);
    return {
      ...binary, hull, front, winners, guarantee: known, aim: aim && settings(aim, aim),
    };
  }

  /** The prevalence as an interval; null where nothing is known about it. */
  function balance({ prevalence, negatives_per_positive: many }, data) {
    if (many !== undefined) return ends(many).map((each) => 1 / (1 + each)).reverse();
    if (prevalence !== undefined && prevalence !== "observed") return ends(prevalence);
    return data.prevalence === null ? null : ends(data.prevalence);
  }

  // ---- the setting -----------------------------------------------------------------------------

  /** A setting of the hull or the front, looked up. */
  function partOf({ classifiers, aim }, part) {
    if (part.from === aim) return RocchAim.partOf(part);
    const { probability, from, index } = part;
    const [fpr, tpr] = [from.fpr[index], from.tpr[index]];
    const kind = fpr === 0 && tpr === 0 ? "never" : fpr === 1 && tpr === 1 ? "always" : null;
    if (kind) {
      return { probability, kind, classifier: kind, threshold: "", exact: "", also: [], fpr, tpr };
    }
    const { name, scoring } = classifiers[from.classifier[index]];
    return {
      probability, kind: scoring ? "scores" : "labels", classifier: name,
      threshold: from.threshold[index], exact: from.exact[index],
      also: from.also[index].map((place) => classifiers[place].name), fpr, tpr,
    };
  }

  /** Wilson's interval of a rate. */
  function wilson(hits, rows) {
    const square = NORMAL_95 * NORMAL_95;
    const misses = rows - hits;
    const middle = hits + square / 2;
    const reach = Math.sqrt(square * ((hits * misses) / rows + square / 4));
    return [hits ? (middle - reach) / (rows + square) : 0,
      misses ? (middle + reach) / (rows + square) : 1];
  }

  function intervals({ data }, mix) {
    const [{ from, index }] = mix;
    const isCounted = !data.weighted && data.prevalence !== null && mix.length === 1;
    const { negatives, positives } = from.rows;
    return {
      fpr_interval: isCounted ? wilson(from.fp[index], negatives) : null,
      tpr_interval: isCounted ? wilson(from.tp[index], positives) : null,
    };
  }

  /** One-sided bounds of rates that are limited with a confidence. */
  function bounds({ question, sure }) {
    const limited = (name, rate) => (sure && name in question ? sure[rate] : null);
    return { fpr_bound: limited("max_fpr", "fpr"), tpr_bound: limited("min_tpr", "tpr") };
  }

  /** Counts of 1,000 cases, at both ends of the prevalence. */
  function per1000({ fpr, tpr, prevalence, question }) {
    const { positives, negatives } = question;
    const isStated = ["prevalence", "negatives_per_positive"].some((name) => name in question);
    const share = positives / (positives + negatives);
    const ends = positives === undefined || isStated ? prevalence : [share, share];
    const both = (count) => ends.map((p) => 1000 * count(p)).sort((a, b) => a - b);
    return ends && {
      true_positives: both((p) => p * tpr),
      false_positives: both((p) => (1 - p) * fpr),
      false_negatives: both((p) => p * (1 - tpr)),
      true_negatives: both((p) => (1 - p) * (1 - fpr)),
    };
  }

  // ---- how far it depends on what is unknown ---------------------------------------------------

  const points = ({ fpr, tpr }) => Array.from(fpr, (x, i) => ({ fpr: x, tpr: tpr[i] }));

  /** A function that computes no value twice. */
  function remembered(compute) {
    const known = new Map();
    return (x) => known.get(x) ?? known.set(x, compute(x)).get(x);
  }

  /** How likely each vertex is to be best under a belief. */
  function chancesOf(hull, { belief, slopes }, massUpto) {
    const [{ low, high }] = belief.pieces;
    if (low === high && belief.prevalence[0] === belief.prevalence[1]) {
      const best = new Set(bestBetween(hull, ...slopes));
      return (i) => (best.has(i) ? 1 : 0);
    }
    const mass = Array.from(hull.slopes, (slope) => massUpto(1 / (1 + slope)));
    return (i) => Math.min(1, Math.max(0, (mass[i] ?? 1) - (mass[i - 1] ?? 0)));
  }

  const isBounded = (cases) => cases.every((each) => each.every(Number.isFinite));

  /** Every vertex that is best for part of the slopes, from the lowest to the highest. */
  function choicesOf(hull, { cases, slopes: [low, high] }, chance) {
    const edge = (i) => (i === 0 ? Infinity : hull.slopes[i - 1] ?? 0);
    const places = bestBetween(hull, low, high);
    const wide = places.filter((i) => Math.max(low, edge(i + 1)) < Math.min(high, edge(i)));
    const hasRegret = low < high && isBounded(cases);
    const worst = hasRegret && regretsOver(cases, points(hull)).worst;
    return (wide.length ? wide : places).reverse().map((vertex) => ({
      vertex,
      low: Math.max(low, Math.min(edge(vertex + 1), high)),
      high: text(Math.min(high, Math.max(edge(vertex), low))),
      worst_regret: worst ? worst(hull.fpr[vertex], hull.tpr[vertex]) : null,
      chance: chance ? chance(vertex) : null,
    }));
  }

  /** How much of what is believed lies where each classifier wins, the most first. */
  function standingsOf({ winners }, massUpto) {
    const found = new Map();
    let before = 0;
    [...winners].reverse().forEach(({ classifier }, i, rows) => {
      const end = i + 1 < rows.length ? 1 / (1 + rows[i + 1].high) : 1;
      const mass = massUpto(end);
      found.set(classifier, (found.get(classifier) ?? 0) + Math.max(0, mass - before));
      before = mass;
    });
    return [...found].map(([classifier, chance]) => ({ classifier, chance }))
      .filter(({ chance }) => chance > SMALL)
      .sort((a, b) => b.chance - a.chance || (a.classifier < b.classifier ? -1 : 1));
  }

  function holdsOf({ hull, classifiers }, choices, part) {
    if (choices.length === 1) return "throughout";
    const holders = ({ vertex }) => [hull.classifier[vertex], ...hull.also[vertex]]
      .map((place) => classifiers[place]?.name);
    return choices.every((choice) => holders(choice).includes(part.classifier))
      ? "threshold" : "depends";
  }

  /** Add what costs and regrets say. */
  function withCosts(model, found, bare) {
    const { hull } = model;
    const { known, limits, fpr, tpr } = found;
    const massUpto = remembered((x) => upto(known.belief, x, false)[0]);
    const chance = known.belief ? chancesOf(hull, known, massUpto) : null;
    const choices = choicesOf(hull, known, chance);
    const cases = known.belief ? [known.mean] : known.cases;
    const costs = cases.map((each) => caseCost(each, fpr, tpr));
    const cost = [Math.min(...costs), Math.max(...costs)];
    const answer = { ...bare, slopes: known.slopes.map(text), choices, cost };
    if (known.mean && !known.belief) return answer;
    if (known.belief) answer.expected_regret = found.value;
    if (found.sure) { // against what is guaranteed too
      answer.worst_regret = known.belief || found.question.maximize ? null : found.value;
      const isNone = (answer.worst_regret ?? Infinity) <= SMALL * Math.abs(cost[1]);
      return { ...answer, holds: isNone ? "throughout" : "depends" };
    }
    if (isBounded(known.cases)) {
      answer.worst_regret = Math.max(0, regretsOver(known.cases, found.path).worst(fpr, tpr));
    }
    const isBinding = limits.some((limit) => choices.some(({ vertex }) =>
      excess(limit, hull.fpr[vertex], hull.tpr[vertex]) > 0));
    if (isBinding) {
      const isSmall = (answer.worst_regret ?? Infinity) <= SMALL * Math.abs(cost[1]);
      return { ...answer, holds: isSmall ? "throughout" : "depends" };
    }
    if (known.belief) {
      const [part] = bare.parts;
      const vertex = points(hull).findIndex((at) => at.fpr === part.fpr && at.tpr === part.tpr);
      answer.chance = vertex < 0 ? 0 : chance(vertex);
      answer.standings = standingsOf(model, massUpto);
    }
    return { ...answer, holds: holdsOf(model, choices, bare.parts[0]) };
  }

  // ---- what to expect of new rows --------------------------------------------------------------

  function interpolate(x, xs, ys) {
    const i = xs.findIndex((each) => each > x) - 1;
    if (i < -1) return ys.at(-1);
    if (i < 0 || xs[i] === x) return ys[Math.max(i, 0)];
    return ((ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i])) * (x - xs[i]) + ys[i];
  }

  /** How far a node lies from the line between its neighbors. */
  function bend(xs, ys, i) {
    const part = (xs[i] - xs[i - 1]) / (xs[i + 1] - xs[i - 1]);
    return Math.abs(ys[i] - (ys[i - 1] + part * (ys[i + 1] - ys[i - 1])));
  }

  /** How far an interpolated cost may be off: as far as nodes nearby are from a line. */
  function slackAt(x, xs, ys) {
    if (xs.some((each) => Math.abs(each - x) <= SAME_SHARE)) return 0;
    const place = xs.filter((each) => each < x).length;
    const near = xs.map((_, i) => i)
      .slice(Math.max(1, place - 2), Math.min(xs.length - 1, place + 2));
    return Math.max(0, ...near.map((i) => bend(xs, ys, i)));
  }

  /** The expected cost on new rows by the table, or why there is none. */
  function withNewRows(model, { known, limits, mix }, answer) {
    const { new_rows: table, new_rows_note: why, texts } = model;
    const without = (note) => ({ ...answer, new_rows_note: note });
    if (answer.cost === null) return without(texts.no_cost);
    if (limits.length) return without(texts.bound);
    if (!known.mean) return without((!table && why) || texts.vague);
    const [p, alarm, miss, hit, rest] = known.mean;
    const weights = [(1 - p) * (alarm - rest), p * (miss - hit)];
    const own = caseCost(known.mean, answer.fpr, answer.tpr);
    if (mix[0].from === model.aim) {
      const ends = [caseCost(known.mean, 0, 1), caseCost(known.mean, 1, 0)];
      return { ...answer, new_rows: RocchAim.newRows(mix[0], weights, own, ends) };
    }
    if (["never", "always"].includes(answer.parts[0].kind)) {
      const new_rows = { expected: own, low: own, high: own, expected_range: null, slack: 0 };
      return { ...answer, new_rows };
    }
    if (!table) return without(why);
    const [unit, base] = [weights[0] + weights[1], caseCost(known.mean, 0, 1)];
    const share = weights[1] / unit;
    const off = Math.max(table.share[0] - share, share - table.share.at(-1));
    if (off > SAME_SHARE) return without(texts.off_table);
    const cost = (column) => base + unit * interpolate(share, table.share, table[column]);
    const new_rows = {
      expected: cost("expected"), low: cost("low"), high: cost("high"), expected_range: null,
      slack: unit * slackAt(share, table.share, table.expected),
    };
    return { ...answer, new_rows };
  }

  // ---- what it saves ---------------------------------------------------------------------------

  const isTrivial = ({ classifier, fpr, tpr }) => !classifier && fpr === tpr && !(fpr % 1);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const range = (values) => [Math.min(...values), Math.max(...values)];

  /** What a baseline costs and what is saved against it; on new rows where that is known. */
  function compared(answer, cases, baseline) {
    const costs = cases.map((each) => caseCost(each, baseline.fpr, baseline.tpr));
    const [cost, expected] = [range(costs), answer.new_rows];
    if (!expected || cases.length > 1) {
      const saved = costs.map((each, i) => each - caseCost(cases[i], answer.fpr, answer.tpr));
      const middle = sum(saved) / saved.length;
      const saves = range(saved);
      return { baseline: baseline.name, cost, saves, middle, interval: null, alike: 0, slack: 0 };
    }
    const saved = cost[0] - expected.expected;
    const hasBounds = isTrivial(baseline) && expected.low < expected.high;
    const interval = hasBounds ? [cost[0] - expected.high, cost[0] - expected.low] : null;
    const { slack } = expected;
    const saves = [saved, saved];
    return { baseline: baseline.name, cost, saves, middle: saved, interval, alike: 0, slack };
  }

  /** Compare with what may be done today: the rates of that are known. */
  function withSavings({ baselines }, { known }, answer) {
    if (!known) return answer;
    const cases = known.belief ? [known.mean] : known.cases;
    const used = ["", ...answer.parts.map(({ classifier }) => classifier)];
    const mean = ({ fpr, tpr }) =>
      sum(cases.map((each) => caseCost(each, fpr, tpr))) / cases.length;
    const order = (each) => (isTrivial(each) ? mean(each) : -1);
    const savings = baselines.filter(({ classifier }) => used.includes(classifier))
      .sort((a, b) => order(a) - order(b)).map((each) => compared(answer, cases, each))
      .filter(({ saves: [low, high] }) => low !== 0 || high !== 0);
    return { ...answer, savings };
  }

  /** What is best on the evaluation rows, beside an aim for new rows; regrets are of these. */
  function withAim(model, { known, onRows }, answer) {
    if (!onRows) return answer;
    const cost = caseCost(known.mean, onRows.fpr, onRows.tpr);
    return {
      ...answer, on_rows: { part: partOf(model, onRows.mix[0]), cost },
      worst_regret: null, expected_regret: null, chance: null,
      holds: known.belief ? "depends" : "exact",
    };
  }

  /** Answer a question; without an answer, the name of the problem. */
  function answer(model, question) {
    const prevalence = balance(question, model.data);
    const { find } = question.confidence === undefined ? RocchCompute : RocchGuarantee;
    const found = find(model, question, prevalence);
    if (found.problem) return found;
    const others = found.known?.belief ? [] : found.others ?? [];
    const isReached = question.knob !== undefined && question.randomize;
    const bare = {
      parts: found.mix.map((part) => partOf(model, part)), fpr: found.fpr, tpr: found.tpr,
      ...intervals(model, found.mix), ...bounds(found), value: found.value,
      cost: null, worst_regret: null, expected_regret: null, chance: null,
      also_best: others.map((index) =>
        partOf(model, { probability: 1, from: model.hull, index })),
      randomizing_gains: text(isReached ? 0 : found.gain),
      slopes: null, holds: "exact", choices: [], standings: [],
      per_1000: per1000(found), new_rows: null, new_rows_note: "", savings: [], on_rows: null,
    };
    const full = withAim(model, found, found.known ? withCosts(model, found, bare) : bare);
    return withSavings(model, found, withNewRows(model, found, full));
  }

  return { prepare, balance, answer };
})();
