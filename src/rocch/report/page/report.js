// What both kinds of reports share: the question in the address, the buttons, and the sentence.
"use strict";
const RocchReport = (() => {
  const { $, element } = RocchShell;
  const { fill } = RocchNumbers;
  let page = null;
  let question = null;
  let saving = 0; // the timer that will write the address
  const WRITTEN = "td.number, .about, .ends span, main h3, #recommendation dt";
  const NUMBERS = /\d+(?:[.,]\d+)+/g;

  function save() {
    const fragment = `#${page.encode(question)}`;
    if (location.hash !== fragment) history.replaceState(null, "", fragment);
  }

  /** Answer a question, and write it into the address when nothing follows it. */
  function ask(asked) {
    question = asked;
    $("bad-link").hidden = true;
    page.answer(question);
    RocchShell.changed();
    clearTimeout(saving);
    saving = setTimeout(save, 200);
  }

  /** Ask a question that does not come from the controls, and show it there. */
  function open(asked) {
    page.open(asked);
    ask(asked);
  }

  /** Say beside the recommendation that a link asks for something else, and why. */
  function complain(error, kept) {
    const { own, now } = $("bad-link").dataset;
    // other errors are those of the browser, about a field that no question has
    const why = error.constructor === Error ? error.message.replace(/\.$/, "") : "";
    const shown = kept === "own" ? own : now;
    $("bad-link").textContent = fill($("bad-link").dataset.says, { why: why && `: ${why}`, shown });
    $("bad-link").hidden = false;
  }

  /** Take the question from the address, or else do something; say what is wrong with one. */
  function restore(otherwise, kept) {
    try {
      const found = page.decode(location.hash);
      if (found) open(found);
      else otherwise();
    } catch (error) {
      otherwise();
      complain(error, kept);
    }
  }

  function listen() {
    const summary = () => $("summary").textContent;
    const csv = () => page.csv().map(RocchShell.csvLine).join("");
    const actions = {
      reset: () => open(page.own),
      "copy-link": () => {
        save();
        RocchShell.copy(location.href, $("copy-link").dataset.copied);
      },
      "download-csv": () => RocchShell.download(page.csvName, "text/csv", csv()),
      "download-json": () => RocchShell.download("summary.json", "application/json", summary()),
    };
    for (const [id, act] of Object.entries(actions)) $(id).addEventListener("click", act);
    for (const button of document.querySelectorAll("[data-copies]")) {
      button.addEventListener("click", () =>
        RocchShell.copy($(button.dataset.copies).textContent, button.dataset.copied));
    }
    addEventListener("hashchange", () => restore(save, "now"));
    $("copy-link").hidden = false;
  }

  /** Show the sentence; its head, what to use, stands out. */
  function say(sentence, head) {
    RocchShell.write("echo", sentence);
    if ($("sentence").textContent === sentence) return; // so that it is not read aloud again
    $("sentence").replaceChildren(element("strong", {}, head), sentence.slice(head.length));
  }

  /** Show numbers and notes on them, by name, and a remark; what is empty is hidden. */
  function showFacts(facts, remark) {
    for (const [name, [value, note]] of Object.entries(facts)) {
      $(`fact-${name}`).closest("div").hidden = !value;
      RocchShell.write(`fact-${name}`, value);
      RocchShell.write(`fact-${name}-note`, note);
    }
    RocchShell.write("new-rows-remark", remark && `${remark[0].toUpperCase()}${remark.slice(1)}.`);
  }

  /** Fill a table that has a header, by its columns and their classes; mark the current rows. */
  function fillTable(id, rows, current = []) {
    const heads = [...$(id).previousElementSibling.rows[0].cells];
    const now = { class: "now", "aria-current": "true" };
    $(id).replaceChildren(...rows.map((row) => element("tr", current.includes(row) ? now : {},
      ...heads.map((head, j) => element("td", { class: head.className }, ...[row[j]].flat())))));
  }

  /** Show the rule in words, as Python and as SQL. */
  function showRules(write) {
    for (const kind of ["words", "python", "sql"]) RocchShell.write(`rule-${kind}`, write(kind));
  }

  /**
   * Start a report. `given` has its own question (own), the form's encode, decode and open, a
   * function that answers a question (answer), one that gives rows for a CSV (csv), and csvName.
   */
  function start(given) {
    page = given;
    // what Python wrote has decimal points
    for (const cell of document.querySelectorAll(WRITTEN)) {
      if (!cell.children.length) {
        cell.textContent = cell.textContent.replace(NUMBERS, RocchNumbers.local);
      }
    }
    listen();
    restore(() => open(page.own), "own");
    RocchShell.echo($("sentence"));
  }

  return { start, ask, say, showFacts, fillTable, showRules };
})();
