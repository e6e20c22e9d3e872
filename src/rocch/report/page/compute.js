// The answer to a question about two classes, from the summary's settings alone. No DOM, no words.
// Numbers are computed in the order in which Python computes them, so that texts agree.
"use strict";
const RocchCompute = (() => {
  const { ends } = RocchNumbers;
  const SMALL = 1e-12; // differences of slopes and shares that mean nothing
  const LIMITS = ["max_fpr", "capacity", "max_share", "min_precision", "max_cost", "min_tpr"];
  // ---- what a question means -------------------------------------------------------------------
  const distinct = (pair) => [...new Set(pair)];

  /** What a point costs; by place, because taking cases apart by name would be slow. */
  function caseCost(each, fpr, tpr) {
    const positives = (1 - tpr) * each[2] + tpr * each[3];
    const negatives = fpr * each[1] + (1 - fpr) * each[4];
    return each[0] * positives + (1 - each[0]) * negatives;
  }

  const odds = (p) => (p === 0 ? Infinity : p < 0.5 ? 1 / p - 1 : (1 - p) / p);
  const ratio = (alarm, miss) => (miss === 0 ? Infinity : alarm / miss);
  const slopeOf = ([p, alarm, miss, hit, rest]) => ratio(alarm - rest, miss - hit) * odds(p);

  /** Costs: the corners of what is possible, its slopes, and the conditions if they are exact. */
  function statedCosts(question, prevalence) {
    const names = ["false_positive", "false_negative", "true_positive", "true_negative"];
    const sides = [prevalence, ...names.map((name) => ends(question[name]))];
    const cases = sides.reduce((found, side) =>
      found.flatMap((each) => distinct(side).map((end) => [...each, end])), [[]]);
    const [[low, high], alarm, miss, hit, rest] = sides;
    const slopes = [slopeOf([high, alarm[0], miss[1], hit[0], rest[1]]),
      slopeOf([low, alarm[1], miss[0], hit[1], rest[0]])];
    return { cases, slopes, mean: cases.length === 1 ? cases[0] : null };
  }

  /** A belief about the miss's share of both costs, even or a triangle; one cost is the unit. */
  function statedBelief(question, prevalence, nodes) {
    const [low, high] = ends(question.cost_ratio).map(shareOf);
    const byMiss = question.false_negative !== undefined;
    const unit = question[byMiss ? "false_negative" : "false_positive"] ?? 1;
    const span = [axisOf(low, prevalence[0]), axisOf(high, prevalence[1])];
    const pieces = piecesOf(low, high, question.likely, byMiss);
    const belief = { pieces, span, byMiss, unit, prevalence, nodes };
    const cases = distinct(prevalence).flatMap((p) => distinct([low, high]).map((share) => {
      const other = unit * poleValue(share, byMiss);
      return byMiss ? [p, other, unit, 0, 0] : [p, unit, other, 0, 0];
    }));
    const [, alarm, miss] = upto(belief, 1);
    const p = (prevalence[0] + prevalence[1]) / 2;
    const slopes = [...span].reverse().map((t) => (t ? (1 - t) / t : Infinity));
    return { belief, cases, slopes, mean: [p, alarm / (1 - p), miss / p, 0, 0] };
  }

  /** The limits tpr * TPR + fpr * FPR <= bound, at either end of the prevalence. */
  function limitsOf(question, prevalence) {
    const { positives, negatives, population, min_precision: least, max_cost: most } = question;
    const shares = distinct(prevalence ?? []);
    const cases = population === undefined ? [[positives, negatives]]
      : shares.map((p) => [p * population, population - p * population]);
    const costs = most === undefined ? [] : statedCosts(question, prevalence).cases;
    return [
      [0, 1, question.max_fpr],
      ...cases.map((each) => [...each, question.capacity]),
      ...shares.map((p) => [p, 1 - p, question.max_share]),
      ...shares.map((p) => [-p * (1 - least), (1 - p) * least, least && 0]),
      ...costs.map((each) => costLimit(each, most)),
      [-1, 0, -question.min_tpr],
    ].map(([tpr, fpr, bound]) => ({ tpr, fpr, bound })).filter(({ bound }) => isFinite(bound));
  }

  /** Whether limits alone mean the fewest false alarms: the first is a least TPR. */
  const isLeastTpr = ([{ tpr, fpr }]) => tpr < 0 && fpr === 0;

  function costLimit(each, most) {
    const [p, alarm, miss, hit, rest] = each;
    const missed = p * (miss - hit);
    return [-missed, (1 - p) * (alarm - rest), most - caseCost(each, 0, 1) - missed];
  }

  // ---- beliefs ---------------------------------------------------------------------------------
  const shareOf = (times) => (times === Infinity ? 1 : times / (1 + times));

  /** The place on the cost axis of a share of costs and a prevalence. */
  function axisOf(share, prevalence) {
    const [miss, alarm] = [share * prevalence, (1 - share) * (1 - prevalence)];
    return miss + alarm ? miss / (miss + alarm) : prevalence;
  }

  /** The share up to which the cost axis is at most x, given the prevalence; or the reverse. */
  function matching(x, known) {
    const rest = x * (1 - known);
    const whole = rest + (1 - x) * known;
    return whole > 0 ? rest / whole : 1;
  }

  /** The other cost in units of the fixed one: its pole is at 0 if misses are the unit, else 1. */
  const poleValue = (share, byMiss) =>
    (byMiss ? (1 / share) * (1 - share) : share * (1 / (1 - share)));

  /** Linear pieces of a density, with their mass and the integral of the other cost. */
  function piecesOf(low, high, likely, byMiss) {
    if (low === high) return [{ low, high, mass: 1, other: poleValue(low, byMiss) }];
    const height = (likely === undefined ? 1 : 2) / (high - low);
    const top = likely === undefined ? high : shareOf(likely);
    const left = likely === undefined ? height : 0;
    return [{ low, high: top, left, right: height }, { low: top, high, left: height, right: 0 }]
      .filter((piece) => piece.low < piece.high).map((piece) => {
        piece.rise = (piece.right - piece.left) / (piece.high - piece.low);
        const [mass, other] = [massOf(piece, piece.high), otherOf(piece, piece.high, byMiss)];
        return { ...piece, mass, other };
      });
  }

  const massOf = ({ low, left, rise }, end) => (end - low) * (left + (rise * (end - low)) / 2);

  /** The integral of 1 / v - 1 up to an end, where v is the distance from the pole. */
  function otherOf({ low, left, right, rise }, end, byMiss) {
    const step = end - low;
    const near = byMiss ? low : 1 - end;
    const middle = near + step / 2;
    const height = left + (rise * step) / 2;
    const slant = byMiss ? rise : -rise;
    const atPole = byMiss ? left : right;
    if (near === 0) return atPole ? Infinity : slant * step * (1 - middle);
    const bend = atanhTail(step / (2 * middle));
    return step * ((height * (1 - middle + bend)) / middle - slant * bend);
  }

  /** atanh(z) / z - 1, also where it is small. */
  function atanhTail(z) {
    if (z > 0.2) return Math.log((1 + z) / (1 - z)) / (2 * z) - 1;
    let sum = 0;
    for (let k = 3, power = z * z; k < 27; k += 2, power *= z * z) sum += power / k;
    return sum;
  }

  /** Mass, and expected weights of FPR and of 1 - TPR, up to a place on the cost axis. */
  function upto(belief, x, hasCosts = true) {
    const { pieces, span, byMiss, unit, prevalence: [low, high], nodes } = belief;
    if (x < span[0] * (1 - SMALL)) return [0, 0, 0];
    const isAll = x >= span[1] * (1 - SMALL);
    const sums = [0, 0, 0];
    const add = (p, weight) => {
      const share = isAll ? 1 : matching(x, p);
      let [mass, other] = [0, 0];
      for (const piece of pieces) {
        const isWhole = share >= piece.high;
        if (!isWhole && share <= piece.low) break;
        mass += isWhole ? piece.mass : massOf(piece, share);
        if (hasCosts) other += isWhole ? piece.other : otherOf(piece, share, byMiss);
      }
      sums[0] += weight * mass;
      sums[1] += weight * (1 - p) * (byMiss ? other : mass);
      sums[2] += weight * p * (byMiss ? mass : other);
    };
    const kinks = [pieces[0].low, ...pieces.map((piece) => piece.high)]
      .map((share) => matching(x, share)).filter((p) => !isAll && p > low && p < high);
    [...kinks.sort((a, b) => a - b), high].reduce((from, to) => {
      const [middle, part] = [(from + to) / 2, low === high ? 1 : (to - from) / (high - low)];
      const share = matching(x, middle);
      if (low === high || isAll || share >= pieces.at(-1).high) add(middle, part); // it is a line
      else if (share > pieces[0].low) {
        nodes.x.forEach((node, k) => add(from + (to - from) * node, nodes.weight[k] * part));
      }
      return to;
    }, low);
    return [sums[0], unit * sums[1], unit * sums[2]];
  }

  /** What choosing on a concave path costs in expectation, once the conditions are known. */
  function leastExpectedCost(belief, path) {
    const apart = path.filter((at, i) =>
      i === 0 || at.fpr + at.tpr - (path[i - 1].fpr + path[i - 1].tpr) > SMALL);
    let [cost, edge, before] = [0, 0, [0, 0, 0]];
    apart.forEach((at, i) => {
      const next = apart[i + 1];
      const run = next && next.fpr - at.fpr;
      edge = next ? Math.max(edge, run / (run + (next.tpr - at.tpr))) : 1;
      const now = upto(belief, edge);
      cost += (now[1] - before[1]) * at.fpr + (now[2] - before[2]) * (1 - at.tpr);
      before = now;
    });
    return cost;
  }

  // ---- objectives ------------------------------------------------------------------------------
  const divide = (part, whole) => (whole > 0 ? part / whole : -Infinity);
  const METRICS = {
    tpr: (x, y) => y,
    recall: (x, y) => y,
    precision: (x, y, p) => divide(p * y, p * y + (1 - p) * x),
    lift: (x, y, p) => divide(METRICS.precision(x, y, p), p),
    f1: (x, y, p) => divide(2 * p * y, p + (p * y + (1 - p) * x)),
    accuracy: (x, y, p) => p * y + (1 - p) * (1 - x),
    informedness: (x, y) => y - x,
    geometric_mean: (x, y) => Math.sqrt(y * (1 - x)),
    matthews_correlation: (x, y, p) => {
      const spread = Math.sqrt((p * y + (1 - p) * x) * (1 - (p * y + (1 - p) * x)));
      return spread > 0 ? ((y - x) * Math.sqrt(p * (1 - p))) / spread : 0;
    },
  };
  const meanPeak = (a, b) => [((b.tpr - a.tpr) * (1 - a.fpr) - (b.fpr - a.fpr) * a.tpr)
    / (2 * (b.fpr - a.fpr) * (b.tpr - a.tpr))];

  /** The regrets of a point in all cases, and the worst, against the best of a path. */
  function regretsOver(cases, path) {
    const least = cases.map((each) =>
      path.reduce((low, { fpr, tpr }) => Math.min(low, caseCost(each, fpr, tpr)), Infinity));
    const all = ({ fpr, tpr }) => cases.map((each, i) => {
      const over = caseCost(each, fpr, tpr) - least[i];
      return Math.abs(over) <= 1e-14 * Math.abs(least[i]) ? 0 : over;
    });
    return { all, worst: (fpr, tpr) => Math.max(...all({ fpr, tpr })) };
  }

  /** Where lines from some values to others meet: the greatest is least there or at an end. */
  const crossings = (start, stop) => start.flatMap((a, i) => start.slice(i + 1).map((b, k) => {
    const [gap, later] = [a - b, stop[i] - stop[i + 1 + k]];
    return gap * later < 0 ? gap / (gap - later) : NaN;
  }));

  /** A score to maximize; `peaks` gives the shares of a segment where it may be greatest. */
  function objectiveOf({ question, prevalence, limits, known }, path) {
    const isCost = known && !question.maximize; // costs beside a metric serve a limit alone
    if (isCost && known.mean) {
      const least = known.belief ? leastExpectedCost(known.belief, path) : 0;
      return { sign: -1, score: (x, y) => -Math.max(caseCost(known.mean, x, y) - least, 0) };
    }
    if (isCost) {
      const { all, worst } = regretsOver(known.cases, path);
      const peaks = (a, b) => crossings(all(a), all(b));
      return { sign: -1, score: (x, y) => -worst(x, y), peaks };
    }
    if (question.knob !== undefined) {
      const off = (x, y) => (x + y) / 2 - question.knob;
      const peaks = (a, b) => [off(a.fpr, a.tpr) / (off(a.fpr, a.tpr) - off(b.fpr, b.tpr))];
      return { sign: -1, score: (x, y) => -Math.abs(off(x, y)), peaks, isOnVertices: true };
    }
    if (!question.maximize && isLeastTpr(limits)) return { sign: -1, score: (x) => -x };
    const metric = METRICS[question.maximize ?? "tpr"];
    const peaks = question.maximize === "geometric_mean" ? meanPeak : undefined;
    return { sign: 1, score: (x, y) => metric(x, y, prevalence?.[0]), peaks };
  }

  // ---- the search ------------------------------------------------------------------------------
  function excess({ tpr, fpr, bound }, x, y) {
    const value = tpr * y + fpr * x - bound;
    const slack = SMALL * (Math.abs(tpr) + Math.abs(fpr) + Math.abs(bound));
    return Math.abs(value) <= slack ? 0 : value;
  }

  function place({ fpr, tpr }, segment, share) {
    const along = (rates) => rates[segment] + share * (rates[segment + 1] - rates[segment]);
    return { segment, share, fpr: along(fpr), tpr: along(tpr) };
  }

  /** The ends of the parts of the hull's segments that keep the limits, in pairs. */
  function allowedCorners(hull, limits) {
    const over = (i) => limits.map((limit) => excess(limit, hull.fpr[i], hull.tpr[i]));
    const corners = [];
    for (let i = 0, before = over(0); i + 1 < hull.fpr.length; i++) {
      let [low, high] = [0, 1];
      const after = over(i + 1);
      after.forEach((next, k) => {
        const step = next - before[k];
        if (step > 0) high = Math.min(high, -before[k] / step);
        else if (step < 0) low = Math.max(low, -before[k] / step);
        else if (before[k] > 0) high = -1;
      });
      if (low > high && low < high + SMALL) low = high;
      if (low <= high) corners.push(place(hull, i, low), place(hull, i, high));
      before = after;
    }
    return corners;
  }

  const settingAt = (from, index) =>
    ({ fpr: from.fpr[index], tpr: from.tpr[index], mix: [{ probability: 1, from, index }] });
  const allowedSettings = (from, limits) => Array.from(from.fpr, (_, i) => settingAt(from, i))
    .filter(({ fpr, tpr }) => limits.every((limit) => excess(limit, fpr, tpr) <= 0));

  /** The concave path over single settings. */
  function coinlessPath(settings) {
    const path = [];
    const isBelow = (a, b, c) =>
      (b.tpr - a.tpr) * (c.fpr - a.fpr) <= (b.fpr - a.fpr) * (c.tpr - a.tpr);
    for (const at of settings) {
      if (at.tpr <= path.at(-1)?.tpr) continue;
      if (at.fpr === path.at(-1)?.fpr) path.pop();
      while (path.length > 1 && isBelow(path.at(-2), path.at(-1), at)) path.pop();
      path.push(at);
    }
    return path;
  }

  /** The best of places; of equals that with the least FPR, then with the highest TPR. */
  function bestOf(places, { score, isOnVertices }, best = null) {
    return places.reduce((found, at) => {
      const reached = score(at.fpr, at.tpr);
      const isAbove = !isOnVertices && reached === found?.score && at.fpr === found.fpr;
      return !found || reached > found.score || isAbove ? { ...at, score: reached } : found;
    }, best);
  }

  /** The best place of the path; scores rise up to it and fall after it. */
  function bestOnPath(hull, objective, corners) {
    const best = bestOf(corners, objective);
    if (!best || !objective.peaks) return best;
    const around = corners.filter(({ segment }) => Math.abs(segment - best.segment) <= 1);
    const inside = around.flatMap((from, k) => {
      const to = around[k + 1];
      const parts = k % 2 ? [] : objective.peaks(from, to).filter((part) => part > 0 && part < 1);
      return parts.map((part) =>
        place(hull, from.segment, from.share + part * (to.share - from.share)));
    });
    return bestOf(inside, objective, best);
  }

  /** A place on the path as a setting: one vertex, or two that a coin chooses from. */
  function mixed(hull, { segment, share, fpr, tpr, score }) {
    const vertex = settingAt(hull, segment + Math.round(share));
    if (share < SMALL || share > 1 - SMALL) return { ...vertex, score };
    const mix = [1 - share, share].map((probability, k) =>
      ({ probability, from: hull, index: segment + k }));
    return { fpr, tpr, mix, score };
  }

  /** The vertices that are best at some slope from low to high. */
  function bestBetween({ slopes }, low, high) {
    const first = slopes.findIndex((each) => each <= high * (1 + SMALL));
    const found = [first < 0 ? slopes.length : first];
    while (slopes[found.at(-1)] >= low * (1 - SMALL)) found.push(found.at(-1) + 1);
    return found;
  }

  /** What a question states, or the name of the problem that makes no sense of it. */
  function meaningOf({ nodes }, question, prevalence) {
    const limits = limitsOf(question, prevalence);
    const known = question.cost_ratio !== undefined ? statedBelief(question, prevalence, nodes)
      : question.false_positive === undefined ? null : statedCosts(question, prevalence);
    if (known?.slopes.some(Number.isNaN)) return { problem: "no_slope" };
    if (known?.mean?.includes(Infinity)) return { problem: "infinite" };
    const needsPositives = ["precision", "lift", "f1"].includes(question.maximize);
    if (needsPositives && prevalence[0] === 0) return { problem: "undefined" };
    return { question, prevalence, known, limits };
  }

  /** The best operating point, or the name of the problem that there is none. */
  function find(model, question, prevalence) {
    const meaning = meaningOf(model, question, prevalence);
    if (meaning.problem) return meaning;
    const { hull, front } = model;
    const { limits, known } = meaning;
    const corners = allowedCorners(hull, limits);
    const objective = objectiveOf(meaning, corners);
    if (known?.mean && !limits.length) {
      const slope = slopeOf(known.mean);
      const [index, ...others] = bestBetween(hull, slope, slope);
      const [onRows, { aim }] = [settingAt(hull, index), model];
      const chosen = bestOf([aim ? RocchAim.settingAt(aim, hull, slope) : onRows], objective);
      const more = { gain: 0, value: -chosen.score + 0, ...(aim ? { onRows } : { others }) };
      return { ...meaning, path: corners, ...chosen, ...more };
    }
    const onPath = bestOnPath(hull, objective, corners);
    if (!onPath) return { problem: "infeasible" };
    const isWide = limits.length || (objective.peaks && !objective.isOnVertices);
    const settings = allowedSettings(isWide ? front : hull, limits);
    if (!settings.length && !question.randomize) return { problem: "needs_coin" };
    const path = limits.length && !question.randomize ? coinlessPath(settings) : corners;
    const single = path === corners ? objective : objectiveOf(meaning, path);
    const plain = bestOf(settings, single);
    const gain = plain?.score > -Infinity
      ? Math.max(0, onPath.score - objective.score(plain.fpr, plain.tpr))
      : onPath.score > -Infinity ? Infinity : 0;
    const chosen = !plain || (question.randomize && gain > 0) ? mixed(hull, onPath) : plain;
    if (chosen.score === -Infinity) return { problem: "undefined" };
    return { ...meaning, path, ...chosen, gain, value: single.sign * chosen.score + 0 };
  }

  return {
    LIMITS, find, meaningOf, limitsOf, isLeastTpr, objectiveOf, allowedSettings, coinlessPath,
    bestOf, caseCost, shareOf, excess, bestBetween, upto, regretsOver,
  };
})();
