// The answer to a question about many classes: the twin of many_classes/answer.py. No DOM here.
"use strict";
const RocchManyGeometry = (() => {
  const CLOSE = 1e-12; // as in Python: typed numbers are rounded already

  /** Read what answering takes: every member's rates and errors, in flat rows of Q x Q cells. */
  function prepare(summary) {
    const size = summary.classes.length;
    const totals = summary.classes.map((each) => each.rows);
    const { members } = summary;
    const rates = members.counts.map((counts) =>
      Float64Array.from(counts, (count, cell) => count / totals[Math.floor(cell / size)]));
    return {
      size,
      totals,
      members,
      rates,
      classes: summary.classes.map((each) => each.name),
      models: summary.models.map((each) => each.name),
      errors: members.counts.map((counts) => wrongCells(counts, size).reduce((a, b) => a + b, 0)),
      plain: members.costs.map((costs) => isPlain(costs, size)),
    };
  }

  const wrongCells = (cells, size) => cells.filter((_, cell) => cell % (size + 1));

  function isPlain(costs, size) {
    if (costs === null) return false;
    const wrong = wrongCells(costs, size);
    return costs.every((cost, cell) => cell % (size + 1) || cost === 0) && wrong.every((cost) => cost === wrong[0]);
  }

  /** What every member costs per row. */
  function expected(model, question) {
    const weights = question.costs.flatMap((row, k) => row.map((cost) => question.shares[k] * cost));
    return model.rates.map((rates) => {
      let sum = 0;
      for (let cell = 0; cell < weights.length; cell += 1) sum += rates[cell] * weights[cell];
      return sum;
    });
  }

  /** The best of those allowed, and how many others are as cheap. */
  function cheapest(model, costs, allowed) {
    let least = Infinity;
    for (let place = 0; place < costs.length; place += 1) {
      if (allowed(place) && costs[place] < least) least = costs[place];
    }
    let chosen = -1;
    let found = 0;
    for (let place = 0; place < costs.length; place += 1) {
      if (!allowed(place) || costs[place] > least * (1 + CLOSE)) continue;
      found += 1;
      if (chosen < 0 || model.errors[place] < model.errors[chosen]) chosen = place;
    }
    return [chosen, Math.max(found - 1, 0)];
  }

  const missRates = (model, place) =>
    model.classes.map((_, k) => 1 - model.rates[place][k * (model.size + 1)]);

  /** Answers expected among 1,000 rows: truths in rows. */
  function per1000(model, place, shares) {
    return shares.map((share, k) =>
      Array.from(model.rates[place].slice(k * model.size, (k + 1) * model.size), (rate) => 1000 * share * rate));
  }

  /** The answer, with exactly the fields that Python's has. */
  function answer(model, question) {
    const costs = expected(model, question);
    const [chosen, equals] = cheapest(model, costs, () => true);
    return told(model, question, costs, chosen, equals);
  }

  function told(model, question, costs, chosen, equals) {
    const [plain] = cheapest(model, costs, (place) => model.plain[place]);
    const [always] = cheapest(model, costs, (place) => model.members.model[place] < 0);
    const missed = missRates(model, chosen);
    const found = {
      member: chosen,
      equals,
      cost: costs[chosen],
      standard_error: standardError(model, question, chosen),
      error_rate: question.shares.reduce((sum, share, k) => sum + share * missed[k], 0),
      miss_rates: missed,
      per_1000: per1000(model, chosen, question.shares),
      plain: plain < 0 ? null : plain,
      plain_cost: plain < 0 ? null : costs[plain],
      always,
      always_cost: costs[always],
      rule: RocchManyWords.rule(model, chosen),
    };
    return { ...found, sentence: RocchManyWords.sentence(model, found, question) };
  }

  /** How well a cost is known: rows of a class are drawn apart from the others'. */
  function standardError(model, question, place) {
    let variance = 0;
    for (let k = 0; k < model.size; k += 1) {
      let mean = 0;
      let square = 0;
      question.costs[k].forEach((cost, j) => {
        const rate = model.rates[place][k * model.size + j];
        mean += rate * cost;
        square += rate * cost * cost;
      });
      variance += (question.shares[k] ** 2 * (square - mean * mean)) / model.totals[k];
    }
    return Math.sqrt(Math.max(variance, 0));
  }

  /** One class gets a share; the others keep their proportions, and all sum to 1. */
  function rebalance(shares, place, share) {
    const others = shares.reduce((sum, each, k) => (k === place ? sum : sum + each), 0);
    return shares.map((each, k) => {
      if (k === place) return share;
      return others > 0 ? (each / others) * (1 - share) : (1 - share) / (shares.length - 1);
    });
  }

  /** Why a question makes no sense; an empty text where it does. */
  function problem(question, size) {
    const square = question.costs.length === size && question.costs.every((row) => row.length === size);
    if (!square || question.shares.length !== size) return "There must be one row of costs, and one share, for each class.";
    const numbers = [...question.costs.flat(), ...question.shares];
    if (!numbers.every((each) => Number.isFinite(each) && each >= 0)) return "Costs and shares are numbers from 0 on.";
    const sum = question.shares.reduce((a, b) => a + b, 0);
    if (Math.abs(sum - 1) > 1e-9) return "The shares must sum to 100 %.";
    if (question.costs.some((row, k) => row.some((cost) => cost < row[k]))) return "An error cannot cost less than the right answer.";
    if (question.costs.every((row, k) => row.every((cost) => cost <= row[k]))) return "At least one error must cost something.";
    return "";
  }

  return { prepare, answer, told, expected, cheapest, missRates, per1000, rebalance, problem, isPlain };
})();
