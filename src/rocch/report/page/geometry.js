// The page's geometry: the answer to a question, from the summary alone; the twin of answer.py.
// No DOM here. Rates, costs and comparisons are computed in the order in which Python does.
"use strict";
const RocchGeometry = (() => {
  const SAME_SLOPE = 1e-12;
  const NOISE = 1e-14;
  const SMALLEST_CHANCE = 1e-12;
  const NO_REGRET = 1e-12;
  const MOST_COST = 1e100;
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

  // ---- what a question says -------------------------------------------------------------------

  const isRange = ([low, high]) => low < high;

  function problem(question) {
    const numbers = [question.prevalence, question.false_positive, question.false_negative].flat();
    if (!numbers.every(Number.isFinite)) return "Numbers are missing.";
    const [low, high] = question.prevalence;
    if (!(low > 0 && high < 1)) return "The prevalence must lie between 0 and 1, both excluded.";
    const sides = [question.prevalence, question.false_positive, question.false_negative];
    if (sides.some(([a, b]) => a > b)) return "A range must run from low to high.";
    const [alarm, miss] = [question.false_positive[0], question.false_negative[0]];
    if (alarm < 0 || miss < 0) return "Costs must not be negative.";
    if (Math.max(...numbers) > MOST_COST) return "Costs must be smaller: take a larger unit.";
    if (question.belief) {
      const [least, likely, most] = question.belief;
      if (!question.belief.every(Number.isFinite)) return "The belief needs three numbers.";
      if (!(least >= 0 && least <= likely && likely <= most && most <= 1e9 && most > 0)) {
        return "A belief must run from low over likely to high, none of them negative.";
      }
      if (!(alarm > 0)) return "Beside a belief, a false alarm must cost something.";
    } else if (alarm === 0 && miss === 0) {
      return "At least one error must always cost something.";
    }
    if (question.max_fpr !== null && !(question.max_fpr >= 0 && question.max_fpr <= 1)) {
      return "The limit on the false positive rate must lie between 0 and 1.";
    }
    if ((question.capacity === null) !== (question.population === null)) {
      return "Capacity and population go together.";
    }
    if (question.capacity !== null && !(question.capacity >= 0 && question.population > 0)) {
      return "Capacity and population must be numbers of rows.";
    }
    if (question.goal === "hits" && question.max_fpr === null && question.capacity === null) {
      return "The most hits need a limit: without one, always alarming is best.";
    }
    return "";
  }

  function limitsOf(question) {
    const limits = [];
    if (question.max_fpr !== null) limits.push({ tpr: 0, fpr: 1, atMost: question.max_fpr });
    if (question.capacity !== null) {
      for (const share of new Set(question.prevalence)) {
        const positives = share * question.population;
        const negatives = question.population - positives;
        limits.push({ tpr: positives, fpr: negatives, atMost: question.capacity });
      }
    }
    return limits;
  }

  function excess(limit, fpr, tpr) {
    const value = limit.tpr * tpr + limit.fpr * fpr - limit.atMost;
    const slack = 1e-12 * (Math.abs(limit.tpr) + Math.abs(limit.fpr) + Math.abs(limit.atMost));
    return Math.abs(value) <= slack ? 0 : value;
  }

  const odds = (p) => (p < 0.5 ? 1 / p - 1 : (1 - p) / p);

  const ratio = (alarm, miss) => (miss === 0 ? Infinity : alarm / miss);

  function slopeRange(question) {
    const [low, high] = question.prevalence;
    if (question.belief) {
      const ends = [axisOfShare(shareOf(question.belief[0]), low),
        axisOfShare(shareOf(question.belief[2]), high)];
      return [(1 - ends[1]) / ends[1], ends[0] ? (1 - ends[0]) / ends[0] : Infinity];
    }
    const [alarm, miss] = [question.false_positive, question.false_negative];
    return [ratio(alarm[0], miss[1]) * odds(high), ratio(alarm[1], miss[0]) * odds(low)];
  }

  function caseCost(each, fpr, tpr) {
    const positives = (1 - tpr) * each.miss + tpr * 0;
    const negatives = fpr * each.alarm + (1 - fpr) * 0;
    return each.p * positives + (1 - each.p) * negatives;
  }

  function cornersOf(question) {
    const cases = [];
    const distinct = (pair) => [...new Set(pair)];
    if (question.belief) {
      const unit = question.false_positive[0];
      for (const p of distinct(question.prevalence)) {
        for (const times of distinct([question.belief[0], question.belief[2]])) {
          cases.push({ p, alarm: unit, miss: unit * times });
        }
      }
      return cases;
    }
    for (const p of distinct(question.prevalence)) {
      for (const alarm of distinct(question.false_positive)) {
        for (const miss of distinct(question.false_negative)) cases.push({ p, alarm, miss });
      }
    }
    return cases;
  }

  // ---- a belief: the triangle on the miss's share of both costs -------------------------------

  const shareOf = (times) => times / (1 + times);

  function axisOfShare(share, prevalence) {
    const miss = prevalence * share;
    return miss / (miss + (1 - prevalence) * (1 - share));
  }

  function shareOfAxis(x, prevalence) {
    const miss = x * (1 - prevalence);
    return miss / (miss + (1 - x) * prevalence);
  }

  function gaussLegendre(count) {
    const nodes = [], weights = [];
    for (let i = 0; i < count; i++) {
      let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
      let slope = 1;
      for (let step = 0; step < 50; step++) {
        let [before, now] = [1, x];
        for (let k = 2; k <= count; k++) {
          [before, now] = [now, ((2 * k - 1) * x * now - (k - 1) * before) / k];
        }
        slope = (count * (x * now - before)) / (x * x - 1);
        const move = now / slope;
        x -= move;
        if (Math.abs(move) < 1e-15) break;
      }
      nodes.push(x);
      weights.push(2 / ((1 - x * x) * slope * slope));
    }
    return { nodes, weights };
  }

  const FEW = gaussLegendre(6);
  const MANY = gaussLegendre(16);

  // A triangle as up to two pieces of a line: density = left + (s - low) * rise on [low, high].
  function pieces(belief) {
    const [low, top, high] = belief.map(shareOf);
    const height = 2 / (high - low);
    const found = [];
    if (low < top) found.push({ low, high: top, left: 0, rise: height / (top - low) });
    if (top < high) found.push({ low: top, high, left: height, rise: -height / (high - top) });
    return found;
  }

  // The mass below a share.
  function massUpto(parts, share) {
    let mass = 0;
    for (const piece of parts) {
      const step = Math.min(share, piece.high) - piece.low;
      if (step > 0) mass += step * (piece.left + (piece.rise * step) / 2);
    }
    return Math.min(mass, 1);
  }

  // The integral of s / (1 - s), how many times as bad a miss is, below a share.
  function timesUpto(parts, share) {
    let times = 0;
    for (const piece of parts) {
      if (share >= piece.high) times += piece.times;
      else if (share > piece.low) times += integralOfTimes(piece, share);
    }
    return times;
  }

  function integralOfTimes(piece, end) {
    const near = 1 - end;
    const far = 1 - piece.low;
    if (far <= 1.25 * near) {
      // so short a stretch would cancel in the logarithm below; a few nodes reach the last digit
      const half = (end - piece.low) / 2;
      let sum = 0;
      for (let i = 0; i < FEW.nodes.length; i++) {
        const step = half * (FEW.nodes[i] + 1);
        const s = piece.low + step;
        sum += FEW.weights[i] * (s / (1 - s)) * (piece.left + piece.rise * step);
      }
      return half * sum;
    }
    // with v = 1 - s the density is d - rise v, and s / (1 - s) is 1 / v - 1
    const d = piece.left + piece.rise * (1 - piece.low);
    return (
      d * Math.log(far / near) - (d + piece.rise) * (far - near) +
      (piece.rise * (far - near) * (far + near)) / 2
    );
  }

  function beliefOf(question) {
    const fixed = question.belief[0] === question.belief[2];
    const parts = fixed ? [] : pieces(question.belief);
    for (const piece of parts) piece.times = integralOfTimes(piece, piece.high);
    const times = fixed ? question.belief[0] : timesUpto(parts, 1);
    const shares = question.belief.map(shareOf);
    return {
      fixed, parts, shares, times, prevalence: question.prevalence, unit: question.false_positive[0],
    };
  }

  function expectedCase(question, belief) {
    const [low, high] = question.prevalence;
    return { p: (low + high) / 2, alarm: belief.unit, miss: belief.unit * belief.times };
  }

  // Mass, and expected weights of FPR and of 1 - TPR, up to one point of the cost axis; for the
  // chances alone the mass will do.
  function upto(belief, x, costs) {
    const { prevalence: [low, high], shares } = belief;
    if (x < axisOfShare(shares[0], low) * (1 - SAME_SLOPE)) return [0, 0, 0];
    if (x >= axisOfShare(shares[2], high) * (1 - SAME_SLOPE)) {
      const p = (low + high) / 2;
      return [1, 1 - p, p * belief.times];
    }
    if (low === high) {
      const share = shareOfAxis(x, low);
      const mass = massUpto(belief.parts, share);
      return [mass, (1 - low) * mass, costs ? low * timesUpto(belief.parts, share) : 0];
    }
    return belief.fixed ? uptoFixed(belief, x) : uptoBoth(belief, x, costs);
  }

  // The share of an even prevalence that lies below where a fixed cost ratio meets the point.
  function uptoFixed({ prevalence: [low, high], shares: [share], times }, x) {
    const end = Math.min(high, Math.max(low, shareOfAxis(x, share)));
    const mass = (end - low) / (high - low);
    const positives = (mass * (end + low)) / 2;
    return [mass, mass - positives, positives * times];
  }

  // Integrate over an even prevalence, between the places where the triangle has its corners.
  function uptoBoth({ prevalence: [low, high], shares, parts }, x, costs) {
    const corners = shares.map((share) => shareOfAxis(x, share));
    const inner = corners.filter((p) => p > low && p < high);
    const edges = [low, ...inner.sort((a, b) => a - b), high];
    let [mass, negatives, misses] = [0, 0, 0];
    for (let i = 0; i + 1 < edges.length; i++) {
      const [from, to] = [edges[i], edges[i + 1]];
      const half = (to - from) / 2;
      for (let k = 0; k < MANY.nodes.length; k++) {
        const p = from + half * (MANY.nodes[k] + 1);
        const share = shareOfAxis(x, p);
        const below = massUpto(parts, share);
        const weight = (half * MANY.weights[k]) / (high - low);
        mass += weight * below;
        negatives += weight * (1 - p) * below;
        if (costs) misses += weight * p * timesUpto(parts, share);
      }
    }
    return [mass, negatives, misses];
  }

  // The same up to each of rising points.
  function weightsUpto(belief, axis, costs) {
    const [mass, alarm, miss] = [0, 1, 2].map(() => new Float64Array(axis.length));
    axis.forEach((x, i) => {
      const [below, negatives, misses] = upto(belief, x, costs);
      mass[i] = below;
      alarm[i] = belief.unit * negatives;
      miss[i] = belief.unit * misses;
    });
    return { mass, alarm, miss };
  }

  function density(belief) {
    const [low, top, high] = belief.map(shareOf);
    if (low === high) return { x: [low, low], y: [0, 1] };
    return { x: [low, top, high], y: [0, 2 / (high - low), 0] };
  }

  // ---- the hull's path, and what limits leave of it -------------------------------------------

  function allowedShares(path, limits) {
    const size = path.fpr.length - 1;
    const low = new Float64Array(size);
    const high = new Float64Array(size).fill(1);
    for (const limit of limits) {
      let start = excess(limit, path.fpr[0], path.tpr[0]);
      for (let i = 0; i < size; i++) {
        const next = excess(limit, path.fpr[i + 1], path.tpr[i + 1]);
        const step = next - start;
        if (step > 0) high[i] = Math.min(high[i], -start / step);
        else if (step < 0) low[i] = Math.max(low[i], -start / step);
        else if (start > 0) high[i] = -1;
        start = next;
      }
    }
    for (let i = 0; i < size; i++) {
      if (low[i] > high[i] && low[i] < high[i] + 1e-12) low[i] = high[i];
    }
    return { low, high };
  }

  const along = (values, i, share) => values[i] + share * (values[i + 1] - values[i]);

  // The ends of the parts of the path that keep the limits.
  function allowedCorners(path, shares) {
    const corners = [];
    for (let i = 0; i < shares.low.length; i++) {
      if (!(shares.low[i] <= shares.high[i])) continue;
      for (const share of [shares.low[i], shares.high[i]]) {
        corners.push({
          segment: i, share, fpr: along(path.fpr, i, share), tpr: along(path.tpr, i, share),
        });
      }
    }
    return corners;
  }

  // ---- objectives: a score to be made as large as possible ------------------------------------

  function leastCosts(cases, corners) {
    return cases.map((each) =>
      corners.reduce((least, at) => Math.min(least, caseCost(each, at.fpr, at.tpr)), Infinity));
  }

  function worstRegret(cases, least, fpr, tpr) {
    let worst = -Infinity;
    for (let i = 0; i < cases.length; i++) {
      const over = caseCost(cases[i], fpr, tpr) - least[i];
      worst = Math.max(worst, Math.abs(over) <= NOISE * Math.abs(least[i]) ? 0 : over);
    }
    return worst;
  }

  function leastExpectedCost(belief, corners) {
    const sorted = [...corners].sort((a, b) => a.fpr - b.fpr || a.tpr - b.tpr);
    const apart = sorted.filter((at, i) =>
      i === 0 || at.fpr + at.tpr - (sorted[i - 1].fpr + sorted[i - 1].tpr) > 1e-12);
    const axis = [0];
    for (let i = 1; i < apart.length; i++) {
      const run = apart[i].fpr - apart[i - 1].fpr;
      const rise = apart[i].tpr - apart[i - 1].tpr;
      axis.push(Math.max(axis[axis.length - 1], run / (run + rise)));
    }
    axis.push(1);
    const upto = weightsUpto(belief, axis, true);
    let cost = 0;
    apart.forEach((at, i) => {
      const first = i === 0 ? 0 : 1;
      const alarm = upto.alarm[i + 1] - first * upto.alarm[i];
      const miss = upto.miss[i + 1] - first * upto.miss[i];
      cost += alarm * at.fpr + miss * (1 - at.tpr);
    });
    return cost;
  }

  function objectiveOf(question, corners) {
    if (question.goal === "hits") return { linear: true, score: (fpr, tpr) => tpr };
    if (question.belief) {
      const belief = beliefOf(question);
      const mean = expectedCase(question, belief);
      const least = leastExpectedCost(belief, corners);
      return {
        linear: true, belief, mean,
        slope: ratio(mean.alarm, mean.miss) * odds(mean.p),
        score: (fpr, tpr) => -Math.max(caseCost(mean, fpr, tpr) - least, 0),
      };
    }
    const cases = cornersOf(question);
    if (cases.length === 1) {
      const [only] = cases;
      return {
        linear: true, slope: slopeRange(question)[0],
        score: (fpr, tpr) => -caseCost(only, fpr, tpr),
      };
    }
    const least = leastCosts(cases, corners);
    return { linear: false, cases, least, score: (fpr, tpr) => -worstRegret(cases, least, fpr, tpr) };
  }

  // ---- the search, on the hull's path and among the front's points ----------------------------

  function bestPoint(front, objective, limits) {
    let best = null;
    for (let i = 0; i < front.fpr.length; i++) {
      const [fpr, tpr] = [front.fpr[i], front.tpr[i]];
      if (limits.some((limit) => excess(limit, fpr, tpr) > 0)) continue;
      const score = objective.score(fpr, tpr);
      if (best === null || score > best.score) best = { index: i, score, fpr, tpr };
    }
    return best;
  }

  function bestOnPath(path, objective, corners) {
    let best = null;
    const look = (segment, share) => {
      const [fpr, tpr] = [along(path.fpr, segment, share), along(path.tpr, segment, share)];
      const score = objective.score(fpr, tpr);
      if (best === null || score > best.score) best = { segment, share, score, fpr, tpr };
    };
    for (const at of corners) look(at.segment, at.share);
    if (objective.linear) return best;
    for (let k = 0; k + 1 < corners.length; k += 2) {
      insideShares(path, objective, corners[k], corners[k + 1]).forEach((share) =>
        look(corners[k].segment, share));
    }
    return best;
  }

  // Where, inside a segment, two cases' regrets cross: the worst regret is least there or at an end.
  function insideShares(path, objective, from, to) {
    const { cases, least } = objective;
    const start = cases.map((each, i) => caseCost(each, from.fpr, from.tpr) - least[i]);
    const end = cases.map((each, i) => caseCost(each, to.fpr, to.tpr) - least[i]);
    const shares = [];
    for (let a = 0; a < cases.length; a++) {
      for (let b = a + 1; b < cases.length; b++) {
        const [gap, later] = [start[a] - start[b], end[a] - end[b]];
        if (gap * later < 0) {
          shares.push(from.share + (gap / (gap - later)) * (to.share - from.share));
        }
      }
    }
    return shares;
  }

  function cheapest(model, slope) {
    const [index] = bestBetween(model.hull.slopes, slope, slope);
    return index;
  }

  function bestBetween(slopes, low, high) {
    let first = 0;
    while (first < slopes.length && slopes[first] > high * (1 + SAME_SLOPE)) first += 1;
    let last = first;
    while (last < slopes.length && slopes[last] >= low * (1 - SAME_SLOPE)) last += 1;
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  }

  function search(model, question) {
    const limits = limitsOf(question);
    const shares = allowedShares(model.hull, limits);
    const corners = allowedCorners(model.hull, shares);
    const objective = objectiveOf(question, corners);
    if (objective.slope !== undefined && !limits.length) {
      const index = cheapest(model, objective.slope);
      const [fpr, tpr] = [model.hull.fpr[index], model.hull.tpr[index]];
      const mix = [{ probability: 1, from: model.hull, index }];
      return { objective, limits, corners, mix, fpr, tpr, gain: 0, score: objective.score(fpr, tpr) };
    }
    const mixed = bestOnPath(model.hull, objective, corners);
    const plain = bestPoint(model.front, objective, limits);
    const gain = Math.max(0, mixed.score - plain.score);
    const coin = question.randomise && gain > 0;
    const { fpr, tpr, score } = coin ? mixed : plain;
    const mix = coin ? mixOf(model, mixed) : [{ probability: 1, from: model.front, index: plain.index }];
    return { objective, limits, corners, mix, fpr, tpr, gain, score };
  }

  function mixOf(model, { segment, share }) {
    const from = model.hull;
    if (share < 1e-12) return [{ probability: 1, from, index: segment }];
    if (share > 1 - 1e-12) return [{ probability: 1, from, index: segment + 1 }];
    return [
      { probability: 1 - share, from, index: segment },
      { probability: share, from, index: segment + 1 },
    ];
  }

  // ---- the answer -----------------------------------------------------------------------------

  function partOf(model, { probability, from, index }) {
    const [fpr, tpr] = [from.fpr[index], from.tpr[index]];
    const end = fpr === 0 && tpr === 0 ? "never" : fpr === 1 && tpr === 1 ? "always" : null;
    if (end) return { probability, kind: end, classifier: end, threshold: "", also: [], fpr, tpr };
    const place = from.classifier[index];
    return {
      probability,
      kind: model.scoring[place] ? "scores" : "labels",
      classifier: model.names[place],
      threshold: from.threshold[index],
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
    const belief = beliefOf(question);
    const { slopes } = model.hull;
    if (belief.fixed && !isRange(question.prevalence)) {
      const best = new Set(bestBetween(slopes, ...slopeRange(question)));
      return (i) => (best.has(i) ? 1 : 0);
    }
    const { mass } = weightsUpto(belief, Array.from(slopes, (slope) => 1 / (1 + slope)), false);
    return (i) => {
      const upto = i < mass.length ? mass[i] : 1;
      return Math.max(0, upto - (i ? mass[i - 1] : 0));
    };
  }

  function standingsOf(model, question) {
    const belief = beliefOf(question);
    const rows = [...model.winners].reverse();
    const ends = rows.map((_, i) => (i + 1 < rows.length ? 1 / (1 + rows[i + 1].high) : 1));
    const { mass } = weightsUpto(belief, ends, false);
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

  const isExact = (question) =>
    !question.belief &&
    ![question.prevalence, question.false_positive, question.false_negative].some(isRange);

  function addUncertainty(model, question, found, answer, chance) {
    const cases = cornersOf(question);
    const least = leastCosts(cases, found.corners);
    answer.worst_regret = Math.max(0, worstRegret(cases, least, found.fpr, found.tpr));
    if (question.belief) answer.expected_regret = -found.score + 0;
    if (found.limits.length) {
      const small = NO_REGRET * Math.abs(answer.cost[1]);
      answer.holds = answer.worst_regret <= small ? "throughout" : "depends";
      return;
    }
    if (question.belief) {
      answer.chance = chance(found.mix[0].index);
      answer.standings = standingsOf(model, question);
    }
    answer.holds = holdsOf(model, answer.choices, answer.parts[0]);
  }

  function answer(model, question) {
    const found = search(model, question);
    const full = {
      parts: found.mix.map((part) => partOf(model, part)),
      fpr: found.fpr,
      tpr: found.tpr,
      ...intervals(model, found.mix),
      cost: null, worst_regret: null, expected_regret: null, chance: null,
      randomising_gains: text(found.gain),
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

  return {
    prepare, problem, answer, slopeRange, isoLine, costCurve, density, axisOfShare, shareOf,
    limitsOf,
  };
})();
