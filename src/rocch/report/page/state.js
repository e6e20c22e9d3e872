// The question as a fragment of the page's address, and back: #prevalence=0.1..0.2&belief=2,5,10
"use strict";
const RocchState = (() => {
  const RANGES = ["prevalence", "false_positive", "false_negative"];
  const NUMBERS = ["max_fpr", "capacity", "population"];

  const written = ([low, high]) => (low === high ? `${low}` : `${low}..${high}`);

  /** Write a question; what is not said is left out. */
  function encode(question) {
    const said = RANGES.map((name) => `${name}=${written(question[name])}`);
    if (question.belief) said.push(`belief=${question.belief.join(",")}`);
    if (question.goal !== "cost") said.push(`goal=${question.goal}`);
    for (const name of NUMBERS) if (question[name] !== null) said.push(`${name}=${question[name]}`);
    if (question.randomize) said.push("randomize=1");
    return said.join("&");
  }

  function numberOf(text) {
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw new Error(text);
    return Number(text);
  }

  function rangeOf(text) {
    const ends = text.split("..").map(numberOf);
    if (ends.length > 2) throw new Error(text);
    return [ends[0], ends[ends.length - 1]];
  }

  function beliefOf(text) {
    const numbers = text.split(",").map(numberOf);
    if (numbers.length !== 3) throw new Error(text);
    return numbers;
  }

  /** Read a fragment: null where it says nothing, an error where it makes no sense. */
  function decode(fragment, own) {
    const text = fragment.replace(/^#/, "");
    if (!text.includes("=")) return null;
    const question = { ...own, belief: null, goal: "cost", randomize: false };
    for (const name of NUMBERS) question[name] = null;
    for (const [name, value] of new URLSearchParams(text)) {
      if (RANGES.includes(name)) question[name] = rangeOf(value);
      else if (NUMBERS.includes(name)) question[name] = numberOf(value);
      else if (name === "belief") question.belief = beliefOf(value);
      else if (name === "goal" && (value === "cost" || value === "hits")) question.goal = value;
      else if (name === "randomize" && value === "1") question.randomize = true;
      else throw new Error(`${name}=${value}`);
    }
    const problem = RocchQuestion.problem(question);
    if (problem) throw new Error(problem);
    return question;
  }

  return { encode, decode };
})();
