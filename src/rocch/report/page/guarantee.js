// The best setting whose limits on both rates hold on new rows, by bounds that Python tabulated.
"use strict";
const RocchGuarantee = (() => {
  const { meaningOf, objectiveOf, allowedSettings, coinlessPath, bestOf } = RocchCompute;

  /** The fewest rows that certify a limit when none of them is an error. */
  const rowsNeeded = (limit, level) => (limit <= 0 ? Infinity : limit >= 1 ? 0
    : Math.ceil(Math.log(level) / Math.log1p(-limit) - 1e-9));

  /** Why nothing is guaranteed: the first limit for which there are too few rows, if any. */
  function unsure({ max_fpr: most = 1, min_tpr: least = 0 }, { level }, data) {
    const needs = [["negatives", most], ["positives", 1 - least]]
      .map(([name, limit]) => [name, rowsNeeded(limit, level)]);
    const [rows, need] = needs.find(([name, number]) => number > data[name]) ?? [];
    const text = { negatives: "need_negatives", positives: "need_positives" }[rows];
    return { problem: "unsure", text: need < Infinity ? text : "", need, there: data[rows] };
  }

  /** The last guaranteed setting of a classifier that is as good on the evaluation rows. */
  function farthest(settings, { mix: [{ from, index }] }, isLeast) {
    const counts = isLeast ? from.fp : from.tp;
    const alike = settings.filter(({ mix: [other] }) => counts[other.index] === counts[index]
      && from.classifier[other.index] === from.classifier[index]);
    return alike.at(isLeast ? 0 : -1);
  }

  /** The best setting whose limits hold on new rows: bounds are compared instead of rates. */
  function find(model, question, prevalence) {
    const meaning = meaningOf(model, question, prevalence);
    if (meaning.problem) return meaning;
    const { guarantee, data } = model;
    const { limits, known } = meaning;
    const bounds = limits.length > 1 ? guarantee.two : guarantee.one;
    const { max_fpr: most = 1, min_tpr: least = 0 } = question;
    const settings = allowedSettings(guarantee.settings, limits).filter(({ mix: [{ index }] }) =>
      bounds.fpr_high[index] <= most && bounds.tpr_low[index] >= least);
    if (!settings.length) return unsure(question, bounds, data);
    const path = coinlessPath(settings);
    const objective = objectiveOf(meaning, path);
    const best = bestOf(settings, objective);
    const value = objective.sign * best.score + 0;
    const found = { ...meaning, path, bounds, ...best, gain: 0, value };
    if (known || question.maximize) return found;
    // limits alone leave room that these rows do not use
    const isLeast = objective.sign < 0;
    const { fpr, tpr, mix: [{ index }] } = farthest(settings, best, isLeast);
    const from = guarantee[isLeast ? "high" : "low"];
    return { ...found, fpr, tpr, mix: [{ probability: 1, from, index }] };
  }

  return { find };
})();
