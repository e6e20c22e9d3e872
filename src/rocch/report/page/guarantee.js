// The best setting whose limits on both rates hold on new rows, by bounds that Python tabulated.
"use strict";
const RocchGuarantee = (() => {
  const { meaningOf, objectiveOf, allowedSettings, coinlessPath, bestOf } = RocchCompute;

  /** The fewest rows that certify a limit when none of them is an error. */
  const rowsNeeded = (limit, level) => (limit <= 0 ? Infinity : limit >= 1 ? 0
    : Math.ceil(Math.log(level) / Math.log1p(-limit) - 1e-9));

  /** Why nothing is guaranteed: the first limit for which there are too few rows, if any. */
  function unsure({ max_fpr: most = 1, min_tpr: least = 0 }, { level }, there) {
    const needs = [["negatives", most], ["positives", 1 - least]]
      .map(([name, limit]) => [name, rowsNeeded(limit, level)]);
    const [rows, need] = needs.find(([name, number]) => number > there[name]) ?? [];
    const text = { negatives: "need_negatives", positives: "need_positives" }[rows];
    return { problem: "unsure", text: need < Infinity ? text : "", need, there: there[rows] };
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
    const { guarantee } = model;
    const { limits, known } = meaning;
    const bounds = limits.length > 1 ? guarantee.two : guarantee.one;
    const { max_fpr: most = 1, min_tpr: least = 0 } = question;
    const settings = allowedSettings(guarantee.settings, limits).filter(({ mix: [{ index }] }) =>
      bounds.fpr_high[index] <= most && bounds.tpr_low[index] >= least);
    if (!settings.length) return unsure(question, bounds, guarantee);
    const hasGoal = Boolean(known || question.maximize);
    if (hasGoal) { // never and always have rates that are known
      const ends = allowedSettings(model.hull, limits).filter(({ fpr, tpr }) => fpr === tpr);
      settings.unshift(...ends.filter(({ fpr }) => fpr === 0));
      settings.push(...ends.filter(({ fpr }) => fpr === 1));
    }
    const path = coinlessPath(settings);
    const objective = objectiveOf(meaning, path);
    let best = bestOf(settings, objective);
    const value = objective.sign * best.score + 0;
    if (!hasGoal) { // limits alone leave room that these rows do not use
      const isLeast = objective.sign < 0;
      const last = farthest(settings, best, isLeast);
      const from = guarantee[isLeast ? "high" : "low"];
      best = { ...last, mix: [{ ...last.mix[0], from }] };
    }
    const { fpr, tpr, mix: [{ from, index }] } = best;
    const sure = from === model.hull ? { fpr, tpr }
      : { fpr: bounds.fpr_high[index], tpr: bounds.tpr_low[index] };
    return { ...meaning, path, sure, ...best, gain: 0, value };
  }

  return { find };
})();
