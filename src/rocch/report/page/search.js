// Where a hull meets a question: on its path, with a coin, and among the front's points, without.
// The twin of rocch's search. No DOM here; numbers are computed in the order in which Python does.
"use strict";
const RocchSearch = (() => {
  const { excess, limitsOf, caseCost, cornersOf, slopeRange, slopeOf } = RocchQuestion;
  const SAME_SLOPE = 1e-12;
  const NOISE = 1e-14;

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

  const keeps = (limits, fpr, tpr) => !limits.some((limit) => excess(limit, fpr, tpr) > 0);

  // The roof over the single points that keep the limits: what is to be had without a coin.
  function coinlessRoof(front, limits) {
    const highest = new Map(); // of points above one another
    for (let i = 0; i < front.fpr.length; i++) {
      const [fpr, tpr] = [front.fpr[i], front.tpr[i]];
      if (keeps(limits, fpr, tpr) && !(highest.get(fpr) >= tpr)) highest.set(fpr, tpr);
    }
    const roof = [];
    for (const [fpr, tpr] of [...highest].sort(([a], [b]) => a - b)) {
      if (roof.length && tpr <= roof[roof.length - 1].tpr) continue;
      while (roof.length > 1 && !turnsRight(roof[roof.length - 2], roof[roof.length - 1], { fpr, tpr })) {
        roof.pop();
      }
      roof.push({ fpr, tpr });
    }
    return roof;
  }

  const turnsRight = (a, b, c) =>
    (b.tpr - a.tpr) * (c.fpr - a.fpr) > (b.fpr - a.fpr) * (c.tpr - a.tpr);

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
    const upto = RocchBelief.weightsUpto(belief, axis, true);
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
      const belief = RocchBelief.of(question);
      const mean = RocchBelief.expectedCase(question, belief);
      const least = leastExpectedCost(belief, corners);
      return {
        linear: true, belief, mean,
        slope: slopeOf(mean),
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
      if (!keeps(limits, fpr, tpr)) continue;
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
      const score = objective.score(fpr, tpr);
      return { objective, limits, corners, mix, fpr, tpr, gain: 0, score };
    }
    const mixed = bestOnPath(model.hull, objective, corners);
    // who may not toss a coin is compared with single points alone
    const roof = limits.length && !question.randomize ? coinlessRoof(model.front, limits) : corners;
    const single = roof === corners ? objective : objectiveOf(question, roof);
    const plain = bestPoint(model.front, single, limits);
    const gain = Math.max(0, mixed.score - objective.score(plain.fpr, plain.tpr));
    const coin = question.randomize && gain > 0;
    const { fpr, tpr, score } = coin ? mixed : plain;
    const mix = coin ? mixOf(model, mixed) : [{ probability: 1, from: model.front, index: plain.index }];
    return { objective: single, limits, corners: roof, mix, fpr, tpr, gain, score };
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

  return { search, bestBetween, leastCosts, worstRegret };
})();
