// What is wrong with a question, by the control where it can be mended. No DOM here.
"use strict";
const RocchProblems = (() => {
  const MOST_COST = 1e100;
  const MOST_TIMES = 1e9;

  function rangeProblem([low, high], fits, must) {
    if (Number.isNaN(low) || Number.isNaN(high)) return "Write a number, with a decimal point.";
    if (!fits(low) || !fits(high)) return must;
    return low > high ? "The low end lies above the high end." : "";
  }

  function costProblem(range) {
    if (Math.max(...range) > MOST_COST) return "That is too large: take a larger unit.";
    return rangeProblem(range, (cost) => cost >= 0, "A cost cannot be negative.");
  }

  function beliefProblem([least, likely, most]) {
    if ([least, likely, most].some(Number.isNaN)) return "Write three numbers.";
    if (least < 0) return "These numbers cannot be negative.";
    if (Math.max(least, likely, most) > MOST_TIMES) return "That is too large: at most 1,000,000,000 times.";
    return least <= likely && likely <= most ? "" : "They must rise: at least, likely, at most.";
  }

  function costsProblem(question) {
    const [alarm, miss] = [question.false_positive[0], question.false_negative[0]];
    if (question.belief) return alarm > 0 ? "" : "Beside a belief, a false alarm must cost something.";
    return alarm === 0 && miss === 0 ? "One of the two errors must always cost something." : "";
  }

  function capacityProblem({ capacity, population }) {
    if (Number.isNaN(capacity) || Number.isNaN(population)) return "Write two numbers.";
    if (Math.max(capacity, population) > MOST_COST) return "That is too large for a number of rows.";
    return capacity >= 0 && population > 0 ? "" : "These are numbers of rows, the second above 0.";
  }

  /** Say what is wrong with each control; an empty text where nothing is. */
  function of(question) {
    const share = (value) => value > 0 && value < 1;
    const problems = {
      prevalence: rangeProblem(question.prevalence, share, "Between 0 and 100 %, both excluded."),
      false_positive: costProblem(question.false_positive),
      false_negative: question.belief ? "" : costProblem(question.false_negative),
      belief: question.belief ? beliefProblem(question.belief) : "",
      max_fpr: question.max_fpr === null ? "" : rangeProblem(
        [question.max_fpr, question.max_fpr], (x) => x >= 0 && x <= 1, "Between 0 and 100 %."),
      capacity: question.capacity === null ? "" : capacityProblem(question),
      goal: "",
    };
    if (!problems.false_positive && !problems.false_negative) {
      problems[question.belief ? "false_positive" : "false_negative"] = costsProblem(question);
    }
    if (!Object.values(problems).some(Boolean)) problems.goal = RocchQuestion.problem(question);
    return problems;
  }

  return { of };
})();
