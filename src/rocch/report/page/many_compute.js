// The answer to a question about several classes: the cheapest member, or what a fitted model does,
// and what that does. Python computes the same. A question is { costs, shares }, with a row of costs for each true class; the
// members' rates are flat, row by row.
"use strict";
const RocchManyCompute = (() => {
  const CLOSE = 1e-12; // as in Python: typed numbers are rounded already

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

  /** The members' rates and numbers of errors. */
  function prepare({ classes, members, aim = null, stack = null }) {
    const size = classes.length;
    const totals = classes.map((each) => each.rows);
    const model = { size, totals, rates: [], errors: [], members, stack, aim };
    model.kinds = members.rule;
    members.counts.forEach((_, place) => count(model, place));
    if (aim) model.own = columns.map((name) => members[name][aim.member]);
    return model;
  }

  /** Take a member's rates and errors from its counts. */
  function count({ size, totals, rates, errors, members }, place) {
    const counts = members.counts[place];
    rates[place] = counts.map((number, cell) => number / totals[Math.floor(cell / size)]);
    errors[place] = sum(counts.filter((_, cell) => cell % (size + 1)));
  }

  // ---- a fitted model --------------------------------------------------------------------------

  const columns = ["counts", "costs", "rule"]; // of a member, which change with its aim

  /** The costs by which to predict where classes have other shares than in the rows. */
  function correctedCosts({ totals }, { costs, shares }) {
    const total = sum(totals);
    if (shares.every((share, k) => share === totals[k] / total)) return costs;
    return costs.map((row, k) => row.map((cost) => cost * ((shares[k] * total) / totals[k])));
  }

  function areAlike(costs, size) {
    const errors = costs.filter((_, cell) => cell % (size + 1));
    const isFree = costs.every((cost, cell) => cell % (size + 1) || cost === 0);
    return isFree && errors.every((cost) => cost === errors[0]);
  }

  /** The first of the cheapest predictions. */
  function predict(probabilities, weights) {
    let [best, least] = [0, Infinity];
    for (let j = 0; j < weights.length; j += 1) {
      let cost = 0;
      for (let k = 0; k < weights.length; k += 1) cost += probabilities[k] * weights[k][j];
      if (cost < least) [best, least] = [j, cost];
    }
    return best;
  }

  /** Aim the fitted model at a question, or at the report's own; the counts of some rows of a class
   * stand for all of them. */
  function aimAt(model, question, isOwn) {
    const { aim, members, own, size, totals } = model;
    if (!aim) return;
    let values = own;
    if (!isOwn) {
      const weights = correctedCosts(model, question);
      const counts = totals.map(() => totals.map(() => 0));
      aim.probabilities.forEach((row, i) => { counts[aim.truths[i]][predict(row, weights)] += 1; });
      const scaled = counts.map((row, k) => {
        const all = row.map((number) => Math.floor(number * (totals[k] / sum(row)) + 0.5));
        all[k] = totals[k] - sum(all.filter((_, j) => j !== k));
        return all;
      });
      const flat = weights.flat();
      const kind = areAlike(flat, size) ? "most_likely_class" : "least_expected_cost";
      values = [scaled.flat(), flat, kind];
    }
    columns.forEach((name, i) => { members[name][aim.member] = values[i]; });
    count(model, aim.member);
  }

  /** The expected cost of every member per row. */
  function expectedCosts({ rates }, { costs, shares }) {
    const weights = costs.flatMap((row, k) => row.map((cost) => shares[k] * cost));
    return rates.map((own) => {
      let cost = 0;
      for (let cell = 0; cell < weights.length; cell += 1) cost += own[cell] * weights[cell];
      return cost;
    });
  }

  /** The cheapest member of some kind, and how many others are as cheap; -1 without one. */
  function cheapest({ errors, kinds }, expected, kind = null, isAllowed = () => true) {
    const places = kinds.flatMap((each, place) =>
      ((!kind || each === kind) && isAllowed(place) ? [place] : []));
    let least = Infinity;
    for (const place of places) least = Math.min(least, expected[place]);
    const equals = places.filter((place) => expected[place] <= least * (1 + CLOSE));
    const fewest = (best, place) => (errors[place] < errors[best] ? place : best);
    return equals.length ? [equals.reduce(fewest), equals.length - 1] : [-1, 0];
  }

  const missRates = ({ size, totals, rates }, member) =>
    totals.map((_, k) => 1 - rates[member][k * (size + 1)]);

  const errorRate = (missed, shares) => sum(shares.map((share, k) => share * missed[k]));

  /** Rows of flat cells. */
  const toRows = (cells, size) =>
    Array.from({ length: size }, (_, k) => cells.slice(k * size, (k + 1) * size));

  /** The standard error of a member's cost; the rows of each class are a sample of their own. */
  function standardError({ size, totals, rates }, { costs, shares }, member) {
    const own = toRows(rates[member], size);
    const variances = costs.map((row, k) => {
      const mean = sum(row.map((cost, j) => own[k][j] * cost));
      const square = sum(row.map((cost, j) => own[k][j] * cost * cost));
      return (shares[k] ** 2 * (square - mean * mean)) / totals[k];
    });
    return Math.sqrt(Math.max(sum(variances), 0));
  }

  /** The numbers of the answer, under the names that they have in Python. */
  function answer(model, question, expected = expectedCosts(model, question), own = null) {
    const { shares } = question;
    const { members, stack } = model;
    const [least, others] = cheapest(model, expected);
    const [member, equals] = own === null ? [least, others] : [own, 0];
    const isSingle = (place) => stack === null || members.model[place] !== stack;
    const [plain] = cheapest(model, expected, "most_likely_class", isSingle);
    const [always] = cheapest(model, expected, "always");
    const missed = missRates(model, member);
    return {
      member,
      equals,
      cheapest: least,
      cheapest_cost: expected[least],
      cost: expected[member],
      standard_error: standardError(model, question, member),
      error_rate: errorRate(missed, shares),
      miss_rates: missed,
      per_1000: toRows(model.rates[member], model.size).map((row, k) =>
        row.map((rate) => 1000 * shares[k] * rate)),
      plain: plain < 0 ? null : plain,
      plain_cost: plain < 0 ? null : expected[plain],
      always,
      always_cost: expected[always],
    };
  }

  /** One class gets a share; the others keep their proportions, and all sum to 1. */
  function rebalance(shares, place, share) {
    const others = sum(shares.filter((_, k) => k !== place));
    return shares.map((each, k) => {
      if (k === place) return share;
      return others > 0 ? (each / others) * (1 - share) : (1 - share) / (shares.length - 1);
    });
  }

  return {
    CLOSE, prepare, aimAt, correctedCosts, expectedCosts, answer, missRates, errorRate, toRows,
    rebalance,
  };
})();
