// The page's geometry: the answer to a question, from the summary alone; the twin of answer.py.
// No DOM here. Rates, costs and comparisons are computed in the order in which Python does.
"use strict";
const RocchGeometry = (() => {
  const { caseCost, cornersOf, excess, slopeRange, isRange, isExact } = RocchQuestion;
  const { bestBetween, leastCosts, worstRegret } = RocchSearch;
  const SMALLEST_CHANCE = 1e-12;
  const NO_REGRET = 1e-12;
  const NORMAL_95 = 1.959963984540054;

  // ---- the summary, prepared once -------------------------------------------------------------

  function settings(columns, N, P) {
    const fpr = Float64Array.from(columns.false_positives, (count) => count / N);
    const tpr = Float64Array.from(columns.true_positives, (count) => count / P);
    return { ...columns, fp: columns.false_positives, tp: columns.true_positives, fpr, tpr };
  }

  function segmentSlopes(fp, tp, N, P) {
    const slopes = new Float64Array(Math.max(fp.length - 1, 0));
    for (let i = 0; i < slopes.length; i++) {
      const run = fp[i + 1] - fp[i];
      slopes[i] = run ? ((tp[i + 1] - tp[i]) * N) / (run * P) : Infinity;
    }
    return slopes;
  }

  function prepare(summary) {
    const { negatives: N, positives: P, weighted, prevalence } = summary.data;
    const hull = settings(summary.hull, N, P);
    hull.slopes = segmentSlopes(hull.fp, hull.tp, N, P);
    return {
      N, P, hull,
      counted: !weighted && prevalence !== null,
      names: summary.classifiers.map((each) => each.name),
      scoring: summary.classifiers.map((each) => each.scoring),
      front: settings(summary.front.points, N, P),
      winners: summary.winners.map((row) => ({ ...row, high: real(row.high) })),
    };
  }

  const real = (value) =>
    value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;

  const text = (value) =>
    value === Infinity ? "inf" : value === -Infinity ? "-inf" : value;

  // ---- the answer -----------------------------------------------------------------------------

  function partOf(model, { probability, from, index }) {
    const [fpr, tpr] = [from.fpr[index], from.tpr[index]];
    const end = fpr === 0 && tpr === 0 ? "never" : fpr === 1 && tpr === 1 ? "always" : null;
    if (end) return { probability, kind: end, classifier: end, threshold: "", exact: "", also: [], fpr, tpr };
    const place = from.classifier[index];
    return {
      probability,
      kind: model.scoring[place] ? "scores" : "labels",
      classifier: model.names[place],
      threshold: from.threshold[index],
      exact: from.exact[index],
      also: from.also[index].map((other) => model.names[other]),
      fpr, tpr,
    };
  }

  function wilson(hits, rows) {
    const square = NORMAL_95 * NORMAL_95;
    const misses = rows - hits;
    const middle = hits + square / 2;
    const reach = Math.sqrt(square * ((hits * misses) / rows + square / 4));
    return [hits ? (middle - reach) / (rows + square) : 0, misses ? (middle + reach) / (rows + square) : 1];
  }

  function intervals(model, mix) {
    if (!model.counted || mix.length > 1) return { fpr_interval: null, tpr_interval: null };
    const [{ from, index }] = mix;
    return {
      fpr_interval: wilson(from.fp[index], model.N),
      tpr_interval: wilson(from.tp[index], model.P),
    };
  }

  function per1000({ fpr, tpr }, question) {
    const ends = question.prevalence.map((p) => [
      1000 * (p * tpr), 1000 * ((1 - p) * fpr), 1000 * (p * (1 - tpr)), 1000 * ((1 - p) * (1 - fpr)),
    ]);
    const names = ["true_positives", "false_positives", "false_negatives", "true_negatives"];
    const counts = {};
    names.forEach((name, i) => {
      counts[name] = [Math.min(ends[0][i], ends[1][i]), Math.max(ends[0][i], ends[1][i])];
    });
    return counts;
  }

  function costOf(question, found) {
    if (question.belief) {
      const cost = caseCost(found.objective.mean, found.fpr, found.tpr);
      return [cost, cost];
    }
    const costs = cornersOf(question).map((each) => caseCost(each, found.fpr, found.tpr));
    return [Math.min(...costs), Math.max(...costs)];
  }

  function choicesOf(model, question, slopes, chance) {
    const [low, high] = slopes;
    const { hull } = model;
    const edge = (i) => (i === 0 ? Infinity : i > hull.slopes.length ? 0 : hull.slopes[i - 1]);
    const indices = bestBetween(hull.slopes, low, high);
    const wide = indices.filter((i) => Math.max(low, edge(i + 1)) < Math.min(high, edge(i)));
    const places = wide.length ? wide : indices;
    const regret = low < high ? vertexRegret(model, question) : () => null;
    return places.reverse().map((vertex) => ({
      vertex,
      low: Math.max(low, Math.min(edge(vertex + 1), high)),
      high: text(Math.min(high, Math.max(edge(vertex), low))),
      worst_regret: regret(vertex),
      chance: chance(vertex),
    }));
  }

  function wholePath({ hull }) {
    return Array.from(hull.fpr, (fpr, i) => ({ fpr, tpr: hull.tpr[i] }));
  }

  function vertexRegret(model, question) {
    const cases = cornersOf(question);
    const least = leastCosts(cases, wholePath(model));
    return (i) => worstRegret(cases, least, model.hull.fpr[i], model.hull.tpr[i]);
  }

  function vertexChance(model, question) {
    const belief = RocchBelief.of(question);
    const { slopes } = model.hull;
    if (belief.fixed && !isRange(question.prevalence)) {
      const best = new Set(bestBetween(slopes, ...slopeRange(question)));
      return (i) => (best.has(i) ? 1 : 0);
    }
    const { mass } = RocchBelief.weightsUpto(belief, Array.from(slopes, (slope) => 1 / (1 + slope)), false);
    return (i) => {
      if (i < 0) return 0;
      const upto = i < mass.length ? mass[i] : 1;
      return Math.max(0, upto - (i ? mass[i - 1] : 0));
    };
  }

  function standingsOf(model, question) {
    const belief = RocchBelief.of(question);
    const rows = [...model.winners].reverse();
    const ends = rows.map((_, i) => (i + 1 < rows.length ? 1 / (1 + rows[i + 1].high) : 1));
    const { mass } = RocchBelief.weightsUpto(belief, ends, false);
    const found = new Map();
    rows.forEach((row, i) => {
      const share = Math.max(0, mass[i] - (i ? mass[i - 1] : 0));
      found.set(row.classifier, (found.get(row.classifier) || 0) + share);
    });
    return [...found]
      .map(([classifier, chance]) => ({ classifier, chance }))
      .filter(({ chance }) => chance > SMALLEST_CHANCE)
      .sort((a, b) => b.chance - a.chance || (a.classifier < b.classifier ? -1 : 1));
  }

  function holdersOf(model, vertex) {
    const first = model.hull.classifier[vertex];
    const places = [...(first < 0 ? [] : [first]), ...model.hull.also[vertex]];
    return places.map((place) => model.names[place]);
  }

  function holdsOf(model, choices, part) {
    if (choices.length === 1) return "throughout";
    const all = choices.every(({ vertex }) => holdersOf(model, vertex).includes(part.classifier));
    return all ? "threshold" : "depends";
  }

  function addUncertainty(model, question, found, answer, chance) {
    const cases = cornersOf(question);
    const least = leastCosts(cases, found.corners);
    answer.worst_regret = Math.max(0, worstRegret(cases, least, found.fpr, found.tpr));
    if (question.belief) answer.expected_regret = -found.score + 0;
    if (binding(model, answer.choices, found.limits)) {
      const small = NO_REGRET * Math.abs(answer.cost[1]);
      answer.holds = answer.worst_regret <= small ? "throughout" : "depends";
      return;
    }
    if (question.belief) {
      answer.chance = chance(vertexOf(model, found.mix[0]));
      answer.standings = standingsOf(model, question);
    }
    answer.holds = holdsOf(model, answer.choices, answer.parts[0]);
  }

  // Settings that are exactly as good, where nothing is unknown.
  function alsoBest(model, question, found) {
    if (found.limits.length || !isExact(question) || question.goal === "hits") return [];
    const [slope] = slopeRange(question);
    return bestBetween(model.hull.slopes, slope, slope).slice(1).map((index) =>
      partOf(model, { probability: 1, from: model.hull, index }));
  }

  // Whether limits forbid anything that could be best.
  function binding({ hull }, choices, limits) {
    return limits.some((limit) =>
      choices.some(({ vertex }) => excess(limit, hull.fpr[vertex], hull.tpr[vertex]) > 0));
  }

  // The place among the vertices of a setting; -1 where it is none.
  function vertexOf({ hull }, { from, index }) {
    if (from === hull) return index;
    return hull.fp.findIndex((fp, i) => fp === from.fp[index] && hull.tp[i] === from.tp[index]);
  }

  function answer(model, question) {
    const found = RocchSearch.search(model, question);
    const full = {
      parts: found.mix.map((part) => partOf(model, part)),
      fpr: found.fpr,
      tpr: found.tpr,
      ...intervals(model, found.mix),
      cost: null, worst_regret: null, expected_regret: null, chance: null,
      also_best: alsoBest(model, question, found),
      randomizing_gains: text(found.gain),
      slopes: null, holds: "exact", choices: [], standings: [],
      per_1000: per1000(found, question),
      sentence: "",
    };
    if (question.goal !== "hits") {
      const slopes = slopeRange(question);
      full.slopes = slopes.map(text);
      const chance = question.belief ? vertexChance(model, question) : () => null;
      full.choices = choicesOf(model, question, slopes, chance);
      full.cost = costOf(question, found);
      if (!isExact(question)) addUncertainty(model, question, found, full, chance);
    }
    full.sentence = RocchWords.sentence(full, question);
    return full;
  }

  // ---- what the pictures need -----------------------------------------------------------------

  // The line of all points as good as this one, within the unit square.
  function isoLine(slope, fpr, tpr) {
    if (!Number.isFinite(slope)) return { x: [fpr, fpr], y: [0, 1] };
    if (slope === 0) return { x: [0, 1], y: [tpr, tpr] };
    const at = (y) => fpr + (y - tpr) / slope;
    const [left, right] = [Math.max(0, at(0)), Math.min(1, at(1))];
    return { x: [left, right], y: [tpr + slope * (left - fpr), tpr + slope * (right - fpr)] };
  }

  // The corners of the lower envelope of cost lines, over the probability-cost axis.
  function costCurve(fp, tp, N, P) {
    const x = [0], y = [fp[0] / N];
    for (let i = 0; i + 1 < fp.length; i++) {
      const run = fp[i + 1] - fp[i];
      const rise = tp[i + 1] - tp[i];
      const whole = run * P + rise * N;
      x.push((run * P) / whole);
      y.push((rise * fp[i] + run * (P - tp[i])) / whole);
    }
    x.push(1);
    y.push(1 - tp[tp.length - 1] / P);
    return { x, y };
  }

  return { prepare, answer, isoLine, costCurve };
})();
