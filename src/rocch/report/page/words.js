// The answer in words: the twin of words.py and numbers.py, agreeing to the letter.
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

  // Control characters, and marks that turn the direction of what follows, are written out.
  const CONTROLS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

  function writtenOut(mark) {
    if (mark === "\t") return "\\t";
    if (mark === "\r") return "\\r";
    const digits = mark.charCodeAt(0).toString(16);
    return digits.length > 2 ? `\\u${digits.padStart(4, "0")}` : `\\x${digits.padStart(2, "0")}`;
  }

  const named = (name) => name.replace(CONTROLS, writtenOut);

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
    if (question.randomize) said.push("a coin may choose");
    return `Assumed: ${said.join("; ")}.`;
  }

  // How to deploy: the rule in words, as Python and as SQL, joined from texts that deploy.py wrote.

  const COIN_DIGITS = 13;
  const END = { never: { words: "never", sql: "1 = 0", coin_sql: "1 = 0", python: "np.zeros(len(rows), dtype=bool)" },
    always: { words: "always", sql: "1 = 1", coin_sql: "1 = 1", python: "np.ones(len(rows), dtype=bool)" } };

  /** A probability as Python writes it: the shortest digits that read back as the same double. */
  function exactly(value) {
    const [digits, exponent] = value.toExponential().split("e");
    const power = Number(exponent);
    if (power < -4) return `${digits}e-${String(-power).padStart(2, "0")}`;
    return String(value);
  }

  const endless = (kind, text) => {
    if (!text.includes("inf")) return text;
    if (kind === "words") return text;
    if (kind === "python") return `float('${text}')`;
    return `CAST('${text.replace("inf", "Infinity")}' AS DOUBLE PRECISION)`;
  };

  /** When a part of the answer alarms, in one of the kinds of texts. */
  function condition(kind, part, rule) {
    if (Object.hasOwn(END, part.kind)) return END[part.kind][kind];
    const scored = part.kind === "scores";
    const known = rule.conditions.find((each) =>
      each.classifier === part.classifier && (scored || each.setting === part.threshold));
    if (!scored) return known[kind];
    return known[kind] + endless(kind, kind === "words" ? part.threshold : part.exact);
  }

  function plain(answer, rule) {
    const texts = answer.parts.map((part) => `predict ${rule.positive.words} ${condition("words", part, rule)}`);
    if (texts.length === 1) return texts[0];
    return `with probability ${exactly(answer.parts[0].probability)} ${texts[0]}, otherwise ${texts[1]}`;
  }

  function python(answer, rule) {
    const conditions = answer.parts.map((part) => condition("python", part, rule));
    const chosen = conditions.length === 1
      ? ["import numpy as np", "", "# rows whose score is missing need an answer of their own", `alarm = ${conditions[0]}`]
      : [rule.coin_python, `alarm = np.where(coin < ${exactly(answer.parts[1].probability)}, ${conditions[1]}, ${conditions[0]})`];
    return [...chosen, `answers = np.where(alarm, ${rule.positive.python}, ${rule.negative.python})`].join("\n");
  }

  function sql(answer, rule) {
    const coin = answer.parts.length > 1;
    const cases = answer.parts.map((part) => {
      const when = condition(coin ? "coin_sql" : "sql", part, rule);
      return `CASE WHEN ${when} THEN ${rule.positive.sql} WHEN NOT (${when}) THEN ${rule.negative.sql} END`;
    });
    if (!coin) return cases[0];
    // the product is exact, and so is its ceiling; "g" stands above all digits
    const below = Math.ceil(answer.parts[1].probability * 16 ** COIN_DIGITS);
    const limit = below < 16 ** COIN_DIGITS ? below.toString(16).padStart(COIN_DIGITS, "0") : "g";
    return (
      "-- PostgreSQL; the coin is made of the column of row keys\n" +
      `CASE WHEN ${rule.coin_sql} < '${limit}' THEN ${cases[1]} ` +
      `WHEN ${rule.coin_sql} >= '${limit}' THEN ${cases[0]} END`
    );
  }

  return {
    fixed, significant, per100, money, percent, counted, setting, sentence, assumed, plain, python, sql,
    number: (value) => significant(value, 3),
  };
})();
