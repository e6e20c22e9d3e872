// The answer to a question about several classes: the cheapest member, and what it does. Python
// computes the same. A question is { costs, shares }, with a row of costs for each true class; the
// members' rates are flat, row by row.
"use strict";
const RocchManyCompute = (() => {
  const CLOSE = 1e-12; // as in Python: typed numbers are rounded already

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

  /** The members' rates and numbers of errors. */
  function prepare({ classes, members }) {
    const size = classes.length;
    const totals = classes.map((each) => each.rows);
    const rates = members.counts.map((counts) =>
      counts.map((count, cell) => count / totals[Math.floor(cell / size)]));
    const errors = members.counts.map((counts) =>
      sum(counts.filter((_, cell) => cell % (size + 1))));
    return { size, totals, rates, errors, kinds: members.rule };
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
  function cheapest({ errors, kinds }, expected, kind = null) {
    const places = kinds.flatMap((each, place) => (!kind || each === kind ? [place] : []));
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
  function answer(model, question, expected = expectedCosts(model, question)) {
    const { shares } = question;
    const [member, equals] = cheapest(model, expected);
    const [plain] = cheapest(model, expected, "most_likely_class");
    const [always] = cheapest(model, expected, "always");
    const missed = missRates(model, member);
    return {
      member,
      equals,
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

  return { prepare, expectedCosts, answer, missRates, errorRate, toRows, rebalance };
})();
