// The report on two classes: texts, tables and strips follow the question.
"use strict";
const RocchApp = (() => {
  const { $, element, key, short, write } = RocchShell;
  const {
    between, counted, ends, escaped, fill, fixed, local, money, per100, percent, real,
    roughThreshold, significant,
  } = RocchNumbers;
  const {
    sentence, use, onRows, expectedEnds, scaleOf, casesOf, amount, describe, rule,
  } = RocchSentences;
  const { limitsOf, isLeastTpr, shareOf } = RocchCompute;
  const summary = RocchShell.data("summary");
  const { binary } = summary;
  const model = RocchAnswer.prepare(binary);
  const { hull, winners, texts, fields } = model;
  const names = binary.classifiers.map((each) => each.name);
  const [MOST_CHOICES, MOST_WINNERS] = [12, 60];
  // fields on referred cases stay as they are: the page has no controls for them
  const REFERRAL = ["refer_cost", "max_referred", "max_wrong"];
  const own = Object.fromEntries(Object.entries(summary.question)
    .filter(([name]) => !REFERRAL.includes(name)));
  const referred = binary.referral?.sentence ?? "";
  let question = own;
  let answer = binary.answer;
  let middle = null; // of the prevalence

  const [negatives, positives] = [texts.negatives, texts.positives].map(escaped);
  const text = (name, values) =>
    fill(texts[name], { negatives, positives, unit: scale().unit, ...values });
  const scale = () => scaleOf(question, texts);
  const amountOf = (cost) => amount(cost, scale());
  const slope = (value) =>
    (real(value) === Infinity ? "∞" : significant(Number(real(value)), 3));
  /** How many times as bad as a false alarm a miss is, at slopes and the prevalence. */
  const times = (slopes) => between([...slopes].reverse(), (value) => {
    const ratio = (1 - middle) / middle / real(value);
    return ratio === Infinity ? "∞" : money(ratio);
  });
  const isLimited = () => limitsOf(question, [middle]).length > 0;

  // ---- the answer ------------------------------------------------------------------------------

  const interval = (ends, write) =>
    (ends ? text("interval", { low: write(ends[0]), high: write(ends[1]) }) : "");

  /** The bound of a rate on new rows, where it is limited with a confidence. */
  const bound = (name, rate) => (rate === null ? "" : text(name,
    { bound: per100(rate), confidence: significant(100 * question.confidence, 6) }));

  /** What choosing at random between two settings would gain. */
  function gainWords() {
    const gain = real(answer.randomizing_gains);
    const isAllowed = question.randomize || question.confidence !== undefined;
    if (!(gain > 0 && gain < Infinity) || isAllowed || question.knob !== undefined) return "";
    if (answer.cost) return text("gains_cost", { gain: amountOf(gain) });
    if (question.maximize) {
      const metric = texts[`metric_${question.maximize}`];
      return text("gains_metric", { metric, gain: significant(gain, 3) });
    }
    const isLeast = isLeastTpr(limitsOf(question, [middle]));
    return text(isLeast ? "gains_alarms" : "gains_hits", { gain: per100(gain) });
  }

  /** The numbers beside the sentence, each with a note. */
  function facts() {
    const { cost, worst_regret: regret, chance, new_rows: expected } = answer;
    const isBest = answer.holds === "throughout";
    const metric = question.maximize;
    const bounds = expected && expected.low < expected.high
      ? interval([expected.low, expected.high], amountOf) : "";
    const perUnit = text(question.cost_ratio === undefined ? "per_unit" : "per_unit_on_average");
    return {
      hits: [per100(answer.tpr), bound("bound_below", answer.tpr_bound)
        || interval(answer.tpr_interval, per100)],
      alarms: [per100(answer.fpr), bound("bound_above", answer.fpr_bound)
        || interval(answer.fpr_interval, per100)],
      // an aim for new rows is expected to cost there what it costs on the evaluation rows
      cost: [cost && !answer.on_rows ? amountOf(cost) : "", perUnit],
      "new-rows": [expected ? about(amountOf(expectedEnds(expected)), expected.slack) : "",
        bounds || text("per_unit")],
      metric: [metric ? significant(answer.value, 3) : "", metric ? texts[`metric_${metric}`] : ""],
      regret: [regret === null ? "" : amountOf(regret),
        texts[isBest ? "best_throughout" : "above_best"]],
      chance: [chance === null ? "" : percent(chance), ""],
    };
  }

  /** An amount, which may be interpolated. */
  const about = (amount, slack) => (slack ? text("about", { amount }) : amount);

  /** A number of cases: whole where it is large, with digits where it is small. */
  const rows = (count) => (count >= 100 ? fixed(count, 0) : significant(count, 2));

  function showCounts() {
    $("per-1000").hidden = !answer.per_1000;
    const cases = question.capacity === undefined ? 1000 : casesOf(question);
    write("confusion-title", text("of_cases", { cases: counted(cases) }));
    for (const [name, counts] of Object.entries(answer.per_1000 ?? {})) {
      write(`per-${name}`, between(counts.map((each) => (cases / 1000) * each), rows, " – "));
    }
  }

  /** What it saves against what may be done today. */
  function showSavings(isOwn) {
    const { savings } = answer;
    $("savings").hidden = !savings.length;
    const { currency, ...bare } = scale();
    const number = (value) => (value ? amount(value, bare) : "");
    write("savings-unit", text(currency ? "in_currency" : "per_unit",
      { currency: currency && escaped(currency) }));
    const saved = ({ saves, middle, slack }) => (Math.abs(middle) < slack ? texts.about_same
      : about(number(saves), slack));
    const rows = savings.map((each) =>
      [each.baseline, number(each.cost), saved(each), number(each.interval)]);
    RocchReport.fillTable("savings-rows", rows);
    $("savings").classList.toggle("no-bounds", savings.every((each) => !each.interval));
    const isAbout = savings.some(({ slack }) => slack);
    const where = texts[!answer.new_rows ? "savings_counted"
      : isAbout ? "savings_about" : "savings_new"];
    const isMoved = !isOwn && answer.new_rows && savings.some((each) => !each.interval);
    const note = isMoved ? ` ${texts.savings_moved}`
      : isOwn && binary.savings_note ? ` ${capital(binary.savings_note)}.` : "";
    write("savings-note", `${where}${note}`);
  }

  const capital = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;

  /** Why there is no answer. */
  function problemText({ problem, text: name, need, there }) {
    const rows = name && { need: counted(need), there: counted(there) };
    return text(problem, { need: rows ? text(name, rows) : "" });
  }

  /** Say what to do; a rule that refers cases is known for the report's own question alone. */
  function showSentence(isOwn) {
    const [whole, head] = [sentence(answer, question, texts), use(answer, texts)];
    const isReferring = isOwn && Boolean(referred);
    for (const part of document.querySelectorAll(".referring")) part.hidden = !isReferring;
    write("plain-sentence", isReferring ? whole : "");
    write("moved", referred && !isReferring ? `${texts.referring_moved}.` : "");
    if (isReferring) RocchReport.say(local(referred), local(referred).split(". ")[0]);
    else RocchReport.say(whole, head);
  }

  /** Answer a question in words; pictures and long tables follow as they come into sight. */
  function show(asked) {
    // Python's own answer where its own question is asked: the same to the last digit of a coin
    const isOwn = RocchForm.encode(asked) === RocchForm.encode(own);
    const found = isOwn ? binary.answer : RocchAnswer.answer(model, asked);
    if (found.problem) {
      const control = found.problem === "unsure" ? "confidence" : "goal";
      RocchForm.tell({ [control]: problemText(found) });
      return;
    }
    [question, answer] = [asked, found];
    const balance = RocchAnswer.balance(question, model.data);
    middle = balance ? (balance[0] + balance[1]) / 2 : 0.5;
    showSentence(isOwn);
    const words = describe(isOwn ? summary.question : question, fields, texts);
    write("assumed", text("assumed", { question: words }));
    RocchReport.showFacts(facts(), answer.new_rows_note || onRows(answer, question, texts));
    showCounts();
    showSavings(isOwn);
    RocchReport.showRules((kind) => rule(kind, answer, binary.rule));
    $("equal-costs").hidden = !answer.slopes;
    const limits = limitsOf(question, balance);
    RocchCharts.show(answer, limits.map((limit, i) =>
      ({ ...limit, label: i ? "" : texts.limit_label })));
  }

  // ---- tables ----------------------------------------------------------------------------------

  /** A classifier's name with its color. */
  const named = (name, ...more) => [key(names.indexOf(name)), name, ...more];

  function setting(vertex) {
    const place = hull.classifier[vertex];
    if (place < 0) return { place, name: vertex === 0 ? "never" : "always", threshold: "" };
    return { place, name: names[place], threshold: hull.threshold[vertex] };
  }

  /** A threshold in few digits; all of them are in its tooltip. */
  const shown = (threshold) =>
    element("span", { title: local(threshold) }, roughThreshold(threshold));

  const settingRow = (name, { threshold, fpr, tpr, slopes, regret, chance }) =>
    [name, shown(threshold), per100(tpr), per100(fpr), slopes,
      regret === null ? "" : amountOf(regret), chance === null ? "" : percent(chance)];

  function choiceRow({ vertex, low, high, worst_regret: regret, chance }) {
    const { name, threshold } = setting(vertex);
    const [fpr, tpr] = [hull.fpr[vertex], hull.tpr[vertex]];
    const slopes = times([low, high]);
    return settingRow(named(name), { threshold, fpr, tpr, slopes, regret, chance });
  }

  /** The recommendation, where it is none of the choices: they are vertices, and keep no limits. */
  function chosenRow() {
    const [part] = answer.parts;
    const isVertex = hull.fpr.some((fpr, i) => fpr === part.fpr && hull.tpr[i] === part.tpr);
    const note = element("small", {}, texts[isVertex ? "within_limits" : "between_vertices"]);
    // within limits its regret is that against others within them, which the choices' is not
    const regret = isLimited() ? null : answer.worst_regret;
    return settingRow(named(part.classifier, note), { ...part, slopes: "", regret, chance: null });
  }

  /** The choices to show: all, or the recommended and those that lose least at worst. */
  function foremost(choices, isNow) {
    const ranked = [...choices].sort((a, b) => isNow(b) - isNow(a) || b.chance - a.chance
      || a.worst_regret - b.worst_regret || a.vertex - b.vertex);
    const kept = new Set(ranked.slice(0, MOST_CHOICES));
    return choices.filter((choice) => kept.has(choice));
  }

  function showChoices() {
    const isNow = ({ vertex }) =>
      answer.parts.some(({ fpr, tpr }) => hull.fpr[vertex] === fpr && hull.tpr[vertex] === tpr);
    const shown = foremost(answer.choices, isNow);
    const table = shown.map(choiceRow);
    const current = table.filter((_, i) => isNow(shown[i]));
    if (shown.length && answer.parts.length === 1 && !current.length) {
      const left = shown.findIndex(({ vertex }) => hull.tpr[vertex] < answer.tpr);
      current.push(chosenRow());
      table.splice(left < 0 ? table.length : left, 0, ...current);
    }
    RocchReport.fillTable("choices-rows", table, current);
    $("choices").classList.toggle("no-chance", shown.every(({ chance }) => chance === null));
    $("choices").classList.toggle("no-regret",
      shown.every(({ worst_regret: regret }) => regret === null));
    const rest = answer.choices.length - shown.length;
    write("choices-more", rest ? text("more_choices", { count: counted(rest) }) : "");
    $("choices").closest(".scroll").hidden = answer.holds === "exact";
    $("sensitivity-words").classList.toggle("on-screen", answer.holds === "exact");
    write("choices-ratio", text("times", { prevalence: percent(middle) }));
    write("sensitivity-words", dependence());
    write("gain-words", gainWords());
    $("gain-how").hidden = !gainWords();
    showChoicesStrip();
  }

  function dependence() {
    if (!answer.slopes) return texts.costs_unused;
    if (answer.holds === "exact") return texts.all_known;
    const count = answer.choices.length;
    const classifiers = new Set(answer.choices.map(({ vertex }) => setting(vertex).name)).size;
    const kind = count === 1 ? "one_setting" : classifiers === 1 ? "own_settings" : "settings";
    const settings = text(kind, { count, classifiers });
    return text("allowed", { settings, limited: isLimited() ? texts.without_limits : "" });
  }

  /** What can be best along the slopes that are possible, enlarged to the whole width. */
  function showChoicesStrip() {
    const range = answer.slopes?.map(real);
    $("choices-strip").hidden = !range || range[0] === range[1] || answer.choices.length < 2;
    if ($("choices-strip").hidden) return;
    const [from, to] = range.map(RocchCharts.slopeShare);
    const at = (value) => (RocchCharts.slopeShare(real(value)) - from) / (to - from);
    const stretches = answer.choices.map(({ vertex, low, high }) => {
      const { place, name, threshold } = setting(vertex);
      const whole = threshold ? text("at", { name, threshold }) : name;
      const slopes = between([low, high], slope);
      const title = text("where_best", { name: whole, times: times([low, high]), slopes });
      const label = threshold ? `${short(name, 12)} ${roughThreshold(threshold)}` : name;
      return { left: at(low), right: at(high), place, title, label };
    });
    RocchCharts.strip("choices-strip", stretches,
      range.map((end, i) => ({ at: i, text: text("tick", { times: times([end, end]) }) })));
  }

  function showWinners() {
    const [low, high] = answer.slopes?.map(real) ?? [NaN, NaN];
    const here = winners.findIndex((row) => row.high >= low);
    const from = Math.max(0, Math.min(here - MOST_WINNERS / 2, winners.length - MOST_WINNERS));
    const shown = winners.slice(from, from + MOST_WINNERS);
    const table = shown.map((row) => [named(row.classifier), times([row.low, row.high])]);
    $("winners-table").hidden = winners.length < 2;
    RocchReport.fillTable("winners-rows", table,
      table.filter((_, i) => shown[i].low <= high && shown[i].high >= low));
    labelWinners();
    write("winners-ratio", text("times", { prevalence: percent(middle) }));
    const rest = winners.length - shown.length;
    write("winners-more", rest ? text("more_winners", { count: counted(rest) }) : "");
  }

  /** Write ratios of costs beside the strip of winners, which Python drew along slopes. */
  function labelWinners() {
    for (const tick of $("winners-strip").querySelectorAll(".tick")) {
      tick.textContent = times([tick.dataset.slope, tick.dataset.slope]);
    }
    for (const stretch of $("winners-strip").querySelectorAll(".stretch")) {
      const { low, high } = stretch.dataset;
      stretch.title = text("where_best", {
        name: stretch.dataset.name, times: times([low, high]), slopes: between([low, high], slope),
      });
    }
  }

  // ---- the belief ------------------------------------------------------------------------------

  /** The density of a belief along the miss's share of both costs, as points of a polygon. */
  function density([low, high], likely) {
    const [from, to] = [shareOf(low), shareOf(high)];
    const points = likely === null ? [[from, 0], [from, 1], [to, 1], [to, 0]]
      : [[from, 0], [shareOf(likely), 1], [to, 0]];
    return points.map(([x, y]) => `${1000 * x},${100 - 94 * y}`).join(" ");
  }

  function showBelief() {
    const isOwn = question.cost_ratio === undefined;
    const own = binary.losses ? [binary.losses.low, binary.losses.high] : null;
    const stated = isOwn ? own : question.cost_ratio;
    const ratio = stated && ends(stated);
    const likely = (isOwn ? binary.losses?.likely : question.likely) ?? null;
    $("believed").hidden = !ratio;
    $("standings-part").hidden = !answer.standings.length;
    RocchReport.fillTable("standings-rows", answer.standings.map(({ classifier, chance }) =>
      [named(classifier), percent(chance)]));
    if (!ratio) return write("losses-words", texts.no_belief);
    const isOpen = ratio[1] === Infinity;
    write("losses-words", text(isOwn ? "own_belief" : "belief", {
      ratio: isOpen ? text("at_least", { low: slope(ratio[0]) }) : between(ratio, slope),
      likely: likely === null ? "" : text("likely", { likely: slope(likely) }),
      prevalence: percent(middle),
    }));
    $("triangle").querySelector("polygon").setAttribute("points", density(ratio, likely));
    const at = (value) => 1 / (1 + (value * middle) / (1 - middle));
    const stretches = [...winners].reverse().map(({ classifier, low, high }) => ({
      left: at(high), right: at(low), place: names.indexOf(classifier), label: classifier,
      title: classifier,
    }));
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: share, text: String(share) }));
    return RocchCharts.strip("believed-strip", stretches, ticks);
  }

  // ---- starting --------------------------------------------------------------------------------

  function csv() {
    const head = ["vertex", "classifier", "threshold", "false_positives", "true_positives", "fpr",
      "tpr", "also"];
    const lines = Array.from(hull.fp, (fp, i) => {
      const { name, threshold } = setting(i);
      const also = hull.also[i].map((place) => names[place]).join("; ");
      return [i, name, threshold, fp, hull.tp[i], hull.fpr[i], hull.tpr[i], also];
    });
    return [head, ...lines];
  }

  RocchForm.start(model, own, RocchReport.ask);
  RocchShell.watch([{ id: "winners", show: showWinners }, { id: "sensitivity", show: showChoices },
    { id: "losses", show: showBelief }]);
  show(own); // also where the address has a question without an answer
  RocchCharts.start({ fpr: hull.fpr, tpr: hull.tpr });
  RocchReport.start({
    own, encode: RocchForm.encode, decode: RocchForm.decode,
    open: RocchForm.show, answer: show, csv, csvName: "hull.csv",
  });

  return { current: () => ({ question, answer }), ask: RocchReport.ask };
})();
