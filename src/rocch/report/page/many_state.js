// Costs and shares as a fragment of the page's address, and back: #costs=0,1;5,0&shares=0.1,0.9
"use strict";
const RocchManyState = (() => {
  function encode(question) {
    return `costs=${question.costs.map((row) => row.join(",")).join(";")}&shares=${question.shares.join(",")}`;
  }

  function numberOf(text) {
    if (!/^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw new Error(text);
    return Number(text);
  }

  const numbersOf = (text) => text.split(",").map(numberOf);

  /** Read a fragment: null where it says nothing, an error where it makes no sense. */
  function decode(fragment, own) {
    const text = fragment.replace(/^#/, "");
    if (!text.includes("=")) return null;
    const question = { ...own };
    for (const [name, value] of new URLSearchParams(text)) {
      if (name === "costs") question.costs = value.split(";").map(numbersOf);
      else if (name === "shares") question.shares = numbersOf(value);
      else throw new Error(`${name}=${value}`);
    }
    const problem = RocchManyGeometry.problem(question, own.shares.length);
    if (problem) throw new Error(problem);
    return question;
  }

  return { encode, decode };
})();
