// What a page for many classes says: the twin of many_classes/words.py, agreeing to the letter.
"use strict";
const RocchManyWords = (() => {
  const MOST_MISSES = 4;
  const { per100, money, significant } = RocchWords;

  const listed = (parts) =>
    parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;

  /** How much of which class is missed: of each class, or of those missed most. */
  function misses(rates, classes) {
    const worst = rates.map((_, k) => k).sort((a, b) => rates[b] - rates[a] || a - b);
    if (!rates[worst[0]]) return "misses none";
    const many = classes.length > MOST_MISSES;
    const places = (many ? worst.slice(0, 3) : rates.map((_, k) => k)).filter((k) => rates[k]);
    const told = places.map((k) => `${per100(rates[k])} of 100 ${classes[k]}`);
    return `misses ${many ? "at worst " : ""}${listed(told)}`;
  }

  const isAsked = (costs, question) => {
    const flat = question.costs.flat();
    return costs.every((cost, cell) => cost === flat[cell]);
  };

  /** What to use, as an order. */
  function use(model, place, question) {
    const { model: owner, costs, settings } = model.members;
    if (owner[place] < 0) return `Always answer ${model.classes[-1 - owner[place]]}`;
    const name = model.models[owner[place]] + (settings[place] ? ` (${settings[place]})` : "");
    if (costs[place] === null) return `Use ${name}'s own answers`;
    if (model.plain[place]) return `Use ${name}'s most likely class`;
    if (isAsked(costs[place], question)) return `Use ${name}, answering by your costs`;
    return `Use ${name}, answering by the costs of this rule`;
  }

  /** What is used, in few words, for a table. */
  function label(model, place, question) {
    const { model: owner, costs } = model.members;
    if (owner[place] < 0) return `always ${model.classes[-1 - owner[place]]}`;
    const name = model.models[owner[place]];
    if (costs[place] === null) return name;
    if (model.plain[place]) return `${name}, most likely class`;
    return isAsked(costs[place], question) ? `${name}, your costs` : `${name}, own costs`;
  }

  function sentence(model, answer, question) {
    const wrong = `answers ${per100(answer.error_rate)} of 100 rows wrongly`;
    const cost = money(100 * answer.cost);
    const plain = answer.plain_cost === null ? cost : money(100 * answer.plain_cost);
    const compared = plain === cost ? "" : ` (most likely classes alone: ${plain})`;
    const missed = misses(answer.miss_rates, model.classes);
    return `${use(model, answer.member, question)}: ${wrong}, ${missed}; costs ${cost} per 100 rows${compared}.`;
  }

  /** How a member answers a row. */
  function rule(model, place) {
    const { model: owner, costs } = model.members;
    if (owner[place] < 0) return `Answer ${model.classes[-1 - owner[place]]} whatever the row is.`;
    const name = model.models[owner[place]];
    if (costs[place] === null) return `Take ${name}'s answer as it is.`;
    if (model.plain[place]) return `Answer with the class to which ${name} gives the largest probability.`;
    return (
      `Take ${name}'s probabilities of all classes. What an answer is expected to cost ` +
      "is the sum, over all true classes, of the probability times the cost below. Answer with " +
      "the class of the least expected cost."
    );
  }

  /** A cost as code, in as few digits as are the same double. */
  function number(value) {
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
    const small = Math.abs(value) < 1e-4 || Math.abs(value) >= 1e16;
    return small ? value.toExponential().replace("+", "") : String(value);
  }

  /** Costs to be read: as parts of 100 of the largest. */
  function relative(costs) {
    const most = Math.max(...costs) || 1;
    return costs.map((cost) => significant((100 * cost) / most, 3));
  }

  const comment = (name) => name.replace(/[\t\n\v\f\r ]+/g, " ").replace(/^ | $/g, "");

  function python(model, place) {
    const { model: owner, costs } = model.members;
    const quoted = model.classes.map((name) => JSON.stringify(name));
    if (owner[place] < 0) return `answers = [${quoted[-1 - owner[place]]}] * len(X)`;
    const name = comment(model.models[owner[place]]);
    if (costs[place] === null) return `answers = model.predict(X)  # ${name}`;
    const named = `classes = np.array([${quoted.join(", ")}])`;
    const ask = `probabilities = model.predict_proba(X)  # ${name}, in this order`;
    const lines = ["import numpy as np", "", named];
    if (model.plain[place]) return [...lines, ask, "answers = classes[probabilities.argmax(axis=1)]"].join("\n");
    const rows = model.classes.map((_, k) =>
      `    [${costs[place].slice(k * model.size, (k + 1) * model.size).map(number).join(", ")}],`);
    lines.push(`costs = np.array([  # truths in rows, answers in columns\n${rows.join("\n")}\n])`);
    return [...lines, ask, "answers = classes[(probabilities @ costs).argmin(axis=1)]"].join("\n");
  }

  const literal = (text) => `'${text.replace(/'/g, "''")}'`;
  const column = (name) => `"${name.replace(/"/g, '""')}"`;

  function weighed(costs, columns) {
    const terms = columns.map((each, k) => (costs[k] ? `${number(costs[k])} * ${each}` : ""));
    return terms.filter(Boolean).join(" + ") || "0";
  }

  function sql(model, place) {
    const { model: owner, costs } = model.members;
    const { classes, size } = model;
    if (owner[place] < 0) return `SELECT *, ${literal(classes[-1 - owner[place]])} AS answer\nFROM scored`;
    if (costs[place] === null) return `SELECT *, ${column(model.models[owner[place]])} AS answer\nFROM scored`;
    const columns = classes.map(column);
    const risks = model.plain[place]
      ? columns.map((each) => `-${each}`)
      : classes.map((_, j) => weighed(classes.map((__, k) => costs[place][k * size + j]), columns));
    const named = risks.map((risk, j) => `    ${risk} AS cost_${j + 1}`).join(",\n");
    const least = `LEAST(${classes.map((_, j) => `cost_${j + 1}`).join(", ")})`;
    const cases = classes.slice(0, -1).map((name, j) => `    WHEN cost_${j + 1} = ${least} THEN ${literal(name)}`);
    return (
      `SELECT *,\n  CASE\n${cases.join("\n")}\n    ELSE ${literal(classes[size - 1])}\n  END AS answer\n` +
      `FROM (\n  SELECT *,\n${named}\n  FROM scored\n) AS weighed`
    );
  }

  return { sentence, use, label, misses, rule, number, relative, python, sql };
})();
