// A belief about costs: the triangle on the miss's share of both, at a prevalence that is known or
// even between bounds. The twin of what rocch.Belief knows of it. No DOM here.
"use strict";
const RocchBelief = (() => {
  const SAME_SLOPE = 1e-12;

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

  return { shareOf, axisOfShare, of: beliefOf, expectedCase, weightsUpto, density };
})();
