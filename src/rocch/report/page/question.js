// What a question says: the twin of question.py. No DOM here.
"use strict";
const RocchQuestion = (() => {
  const MOST_COST = 1e100;

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

  const slopeOf = ({ p, alarm, miss }) => ratio(alarm, miss) * odds(p);

  function slopeRange(question) {
    const [low, high] = question.prevalence;
    if (question.belief) {
      const ends = [RocchBelief.axisOfShare(RocchBelief.shareOf(question.belief[0]), low),
        RocchBelief.axisOfShare(RocchBelief.shareOf(question.belief[2]), high)];
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

  const isExact = (question) =>
    !question.belief &&
    ![question.prevalence, question.false_positive, question.false_negative].some(isRange);

  return {
    problem, limitsOf, excess, slopeRange, slopeOf, caseCost, cornersOf, isRange, isExact,
  };
})();
