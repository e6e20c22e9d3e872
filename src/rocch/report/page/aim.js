// A fitted model's aim for new rows: Bayes' threshold on the scores that Python tabulated.
"use strict";
const RocchAim = (() => {
  const { pythonic } = RocchNumbers;
  const DECIMALS = 1e12; // log odds are rounded, so that those of even odds are 0
  const DIGITS = 6; // of a threshold

  /** The log odds from which on an alarm is cheaper than none. */
  const logOddsAt = ({ offset }, slope) =>
    Math.round((Math.log(slope) + offset) * DECIMALS) / DECIMALS;

  /** The threshold on the scores; infinite where all rows, or none, are to alarm. */
  function thresholdAt(aim, slope) {
    const { kind, intercept, weight, low, high } = aim;
    let wanted = logOddsAt(aim, slope);
    if (!Number.isFinite(wanted)) return wanted;
    if (kind !== "log_odds") {
      wanted = (wanted - intercept) / weight;
      if (!(wanted > low && wanted <= high)) return wanted > high ? Infinity : -Infinity;
      if (kind === "probability") wanted = 1 / (1 + Math.exp(-wanted));
    }
    return Number(wanted.toPrecision(DIGITS));
  }

  /** A threshold on the scores as log odds. */
  function asLogOdds({ kind, intercept, weight }, threshold) {
    if (kind === "log_odds") return threshold;
    const value = kind === "probability" ? Math.log(threshold / (1 - threshold)) : threshold;
    return intercept + weight * value;
  }

  /** What the model does at a slope: a setting of its scorer, or never or always. */
  function settingAt(aim, hull, slope) {
    const threshold = thresholdAt(aim, slope);
    if (!Number.isFinite(threshold)) {
      const index = threshold > 0 ? 0 : hull.fpr.length - 1;
      const [fpr, tpr] = [hull.fpr[index], hull.tpr[index]];
      return { fpr, tpr, mix: [{ probability: 1, from: hull, index }] };
    }
    const from = asLogOdds(aim, threshold);
    const beyond = aim.log_odds.findIndex((each) => each < from);
    const index = beyond < 0 ? aim.log_odds.length : beyond;
    const [fpr, tpr] = [aim.fpr[index], aim.tpr[index]];
    return { fpr, tpr, mix: [{ probability: 1, from: aim, index, threshold }] };
  }

  /** The setting in words; no other classifier is credited with it. */
  const partOf = ({ from, index, threshold, probability }) => ({
    probability, kind: "scores", classifier: from.classifier,
    threshold: pythonic(threshold, true), exact: pythonic(threshold), also: [],
    fpr: from.fpr[index], tpr: from.tpr[index],
  });

  /** The expected cost on new rows: bounds of both rates are joined, as Python joins them. */
  function newRows({ from, index }, [alarm, miss], cost, [least, most]) {
    const [fpr, tpr] = [from.fpr[index], from.tpr[index]];
    const fprs = [fpr - from.fpr_low[index], from.fpr_high[index] - fpr];
    const tprs = [tpr - from.tpr_low[index], from.tpr_high[index] - tpr];
    const joined = (a, b) => Math.sqrt((alarm * a) ** 2 + (miss * b) ** 2);
    return {
      expected: cost, expected_range: null, slack: 0,
      low: Math.max(cost - joined(fprs[0], tprs[1]), least),
      high: Math.min(cost + joined(fprs[1], tprs[0]), most),
    };
  }

  return { settingAt, partOf, newRows };
})();
