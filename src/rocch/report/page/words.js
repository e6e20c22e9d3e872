// The answer in words: the twin of words.py, numbers.py and deploy.py, agreeing to the letter.
"use strict";
const RocchWords = (() => {
  const MOST_DECIMALS = 12;

  function grouped(text) {
    const [whole, rest] = text.split(".");
    const parted = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    return rest === undefined ? parted : `${parted}.${rest}`;
  }

  const HUGE = 1e21; // from here on toFixed would write an exponent

  function written(value, decimals) {
    if (Math.abs(value) < HUGE) return value.toFixed(decimals);
    return BigInt(value) + (decimals ? `.${"0".repeat(decimals)}` : "");
  }

  const fixed = (value, decimals) => grouped(written(value, decimals));

  const bare = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

  function decimalsFor(value, digits) {
    let size = Math.abs(value);
    let decimals = 0;
    while (size && size < 10 ** (digits - 1) && decimals < MOST_DECIMALS) {
      size *= 10;
      decimals += 1;
    }
    return decimals;
  }

  const significant = (value, digits) => bare(fixed(value, decimalsFor(value, digits)));

  function per100(rate) {
    const value = 100 * rate;
    let decimals = decimalsFor(value, 2);
    while (rate < 1 && Number(value.toFixed(decimals)) >= 100 && decimals < MOST_DECIMALS) {
      decimals += 1;
    }
    return bare(fixed(value, decimals));
  }

  function money(value) {
    if (Math.abs(value) < 0.5 / 10 ** MOST_DECIMALS) return "0";
    if (Math.abs(value) >= 1000) return fixed(value, 0);
    return Math.abs(value) >= 1 ? fixed(value, 2) : fixed(value, decimalsFor(value, 3));
  }

  const percent = (share) => `${per100(share)} %`;

  const counted = (value) =>
    Number.isInteger(value) ? fixed(value, 0) : significant(value, 6);

  const capital = (text) => text[0].toUpperCase() + text.slice(1);

  // Marks that turn the direction of what follows are written out: numbers must not be turned.
  const named = (name) =>
    name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (mark) =>
      `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

  function setting(part) {
    if (part.kind === "never" || part.kind === "always") return `${part.kind} alarm`;
    if (part.kind === "scores") return `use ${named(part.classifier)} at ${part.threshold}`;
    const where = part.threshold ? ` at setting ${named(part.threshold)}` : "";
    return `use ${named(part.classifier)}${where}`;
  }

  function use(answer) {
    const settings = answer.parts.map(setting);
    if (settings.length === 1) return capital(settings[0]);
    const share = significant(answer.parts[0].probability, 3);
    return `Toss a coin, and with probability ${share} ${settings[0]}, otherwise ${settings[1]}`;
  }

  function costs(cost, believed) {
    const [low, high] = cost.map((side) => money(100 * side));
    if (believed) return `costs ${low} per 100 rows in expectation`;
    return `costs ${low === high ? low : `${low} to ${high}`} per 100 rows`;
  }

  function alarms(answer, question) {
    const rows = question.population;
    const counts = question.prevalence.map((p) => rows * (p * answer.tpr + (1 - p) * answer.fpr));
    const [low, high] = counts.sort((a, b) => a - b).map((count) => significant(count, 3));
    const some = low === high ? low : `${low} to ${high}`;
    return `alarms on ${some} of ${significant(rows, 3)} rows`;
  }

  function unknown(question) {
    const vague = ([low, high]) => low !== high;
    const names = [];
    if (question.belief || vague(question.false_positive) || vague(question.false_negative)) {
      names.push("cost");
    }
    if (vague(question.prevalence)) names.push("prevalence");
    const where = question.belief ? "you hold possible" : "in your range";
    return `every ${names.join(" and ")} ${where}`;
  }

  function believed(answer, atMost) {
    const parts = [];
    if (answer.chance !== null) parts.push(`best with a chance of ${per100(answer.chance)} in 100`);
    parts.push(`costs ${atMost} per 100 rows than the best`);
    if (answer.expected_regret !== null) {
      parts.push(
        `knowing the conditions would save ${money(100 * answer.expected_regret)} on average`,
      );
    }
    return parts.join(", ");
  }

  function holds(answer, question) {
    if (answer.also_best.length) {
      return `exactly as good: ${answer.also_best.map(setting).join(" or ")}`;
    }
    if (answer.holds === "exact") return "";
    if (answer.holds === "throughout") return `the choice holds for ${unknown(question)}`;
    const worst = answer.worst_regret;
    const atMost = worst === null ? "more" : `at most ${money(100 * worst)} more`;
    if (question.belief) return believed(answer, atMost);
    if (answer.holds === "threshold") {
      return (
        `${named(answer.parts[0].classifier)} is best for ${unknown(question)}, at thresholds that ` +
        `move; this one costs ${atMost} per 100 rows than the best`
      );
    }
    return (
      `which is best depends on what is unknown; this one costs ${atMost} per 100 rows than ` +
      "the best"
    );
  }

  function sentence(answer, question) {
    const facts = [
      `catches ${per100(answer.tpr)} of 100 cases`,
      `${per100(answer.fpr)} false alarms per 100 others`,
    ];
    if (answer.cost !== null) facts.push(costs(answer.cost, question.belief !== null));
    if (question.population !== null) facts.push(alarms(answer, question));
    const tail = holds(answer, question);
    return `${use(answer)}: ${facts.join(", ")}${tail ? `; ${tail}` : ""}.`;
  }

  function between(low, high) {
    const [first, last] = [low, high].map((value) => significant(value, 6));
    return first === last ? first : `${first} to ${last}`;
  }

  function missCosts(question) {
    if (!question.belief) return `a miss ${between(...question.false_negative)}`;
    const [low, likely, high] = question.belief;
    const most = low === high ? "" : `, most likely ${significant(likely, 6)}`;
    return `a miss is ${between(low, high)} times as bad${most}`;
  }

  function assumed(question) {
    const said = [`${between(...question.prevalence.map((share) => 100 * share))} % positive`];
    if (question.goal === "hits") {
      said.push("the most hits within the limits");
    } else {
      const [low, high] = question.false_positive;
      said.push(`a false alarm costs ${between(low, question.belief ? low : high)}`);
      said.push(missCosts(question));
    }
    if (question.max_fpr !== null) {
      said.push(`false alarms on at most ${significant(100 * question.max_fpr, 6)} % of the others`);
    }
    if (question.capacity !== null) {
      const [some, rows] = [question.capacity, question.population].map((n) => significant(n, 9));
      said.push(`at most ${some} alarms of ${rows} rows`);
    }
    if (question.randomise) said.push("a coin may choose");
    return `Assumed: ${said.join("; ")}.`;
  }

  // How to deploy: the decision rule in plain words, as Python and as SQL.

  const COIN_DIGITS = 6;

  const isNumber = (text) => /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text);
  const truth = { true: "TRUE", false: "FALSE" };

  // Answers must be of one kind.
  function labelKind(data) {
    const labels = [data.positive, data.negative];
    if (labels.every((label) => Object.hasOwn(truth, label.toLowerCase()))) return "truth";
    return labels.every(isNumber) ? "number" : "text";
  }

  function sqlLabel(label, data) {
    const kind = labelKind(data);
    if (kind === "truth") return truth[label.toLowerCase()];
    return kind === "number" ? label : `'${label.replace(/'/g, "''")}'`;
  }

  function pythonLabel(label, data) {
    const kind = labelKind(data);
    if (kind === "truth") return capital(label.toLowerCase());
    return kind === "number" ? label : JSON.stringify(label);
  }

  function plain(answer, data) {
    const texts = answer.parts.map((part) => `answer ${data.positive} ${when(part)}`);
    if (texts.length === 1) return `${capital(texts[0])}, otherwise ${data.negative}.`;
    const share = significant(answer.parts[0].probability, COIN_DIGITS);
    return `With probability ${share} ${texts[0]}, otherwise ${texts[1]}; else ${data.negative}.`;
  }

  function when(part) {
    if (part.kind === "never") return "for no row";
    if (part.kind === "always") return "for every row";
    if (part.kind === "scores") {
      return `when the score of ${named(part.classifier)} is at least ${part.threshold}`;
    }
    return `when ${setting(part).replace(/^use /, "")} does`;
  }

  function pythonCondition(part, data) {
    if (part.kind === "never") return "np.zeros(len(rows), dtype=bool)";
    if (part.kind === "always") return "np.ones(len(rows), dtype=bool)";
    const column = `rows[${JSON.stringify(part.classifier)}]`;
    if (part.kind === "scores") return `${column} >= ${pythonNumber(part.threshold)}`;
    return `${column} == ${pythonLabel(data.positive, data)}`;
  }

  const pythonNumber = (text) => (text.includes("inf") ? `float("${text}")` : text);

  function python(answer, data) {
    const lines = ["import numpy as np", "", "# rows whose score is missing need an answer of their own"];
    const conditions = answer.parts.map((part) => pythonCondition(part, data));
    if (conditions.length === 1) {
      lines.push(`alarm = ${conditions[0]}`);
    } else {
      const share = fixed(answer.parts[1].probability, COIN_DIGITS);
      lines.push(
        "# a coin for each row; rocch.Rule makes one of the row's key, which stays the same",
        "coin = np.random.default_rng(0).random(len(rows))",
      );
      lines.push(`alarm = np.where(coin < ${share}, ${conditions[1]}, ${conditions[0]})`);
    }
    const labels = [data.positive, data.negative].map((label) => pythonLabel(label, data));
    lines.push(`answers = np.where(alarm, ${labels[0]}, ${labels[1]})`);
    return lines.join("\n");
  }

  const sqlColumn = (name) => `"${name.replace(/"/g, '""')}"`;

  function sqlCondition(part, positive, coin) {
    if (part.kind === "never") return "1 = 0";
    if (part.kind === "always") return "1 = 1";
    let column = sqlColumn(part.classifier);
    if (part.kind === "labels") return `${column} = ${positive}`;
    // to PostgreSQL a NaN is greater than all numbers
    if (coin) column = `NULLIF(${column}, CAST('NaN' AS DOUBLE PRECISION))`;
    const endless = { inf: "Infinity", "-inf": "-Infinity" };
    const limit = Object.hasOwn(endless, part.threshold)
      ? `CAST('${endless[part.threshold]}' AS DOUBLE PRECISION)`
      : part.threshold;
    return `${column} >= ${limit}`;
  }

  function sqlCase(part, data, coin) {
    const [yes, no] = [data.positive, data.negative].map((label) => sqlLabel(label, data));
    const condition = sqlCondition(part, yes, coin);
    return `CASE WHEN ${condition} THEN ${yes} WHEN NOT (${condition}) THEN ${no} END`;
  }

  const COIN =
    "substr(encode(sha256(convert_to('0:' || CAST(\"row_id\" AS VARCHAR), 'UTF8')), 'hex'), 1, 13)";

  function sql(answer, data) {
    const coin = answer.parts.length > 1;
    const cases = answer.parts.map((part) => sqlCase(part, data, coin));
    if (!coin) return cases[0];
    const share = Number(fixed(answer.parts[1].probability, COIN_DIGITS));
    const limit = Math.ceil(share * 16 ** 13).toString(16).padStart(13, "0");
    return (
      "-- PostgreSQL; the coin is made of the column row_id\n" +
      `CASE WHEN ${COIN} < '${limit}' THEN ${cases[1]} ` +
      `WHEN ${COIN} >= '${limit}' THEN ${cases[0]} END`
    );
  }

  return {
    fixed, significant, per100, money, percent, counted, setting, sentence, assumed, plain, python, sql,
    number: (value) => significant(value, 3),
  };
})();
