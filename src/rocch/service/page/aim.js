// Re-aiming: a draft is previewed as it is typed, then confirmed, then put in force, or refused.

import { Refused, ask } from "./api.js";
import { $, announce, element, redraw } from "./dom.js";
import { changes, query } from "./fields.js";
import * as form from "./form.js";
import { reckoned } from "./now.js";
import * as session from "./session.js";
import { capital, count, percent, perThousand, rates, span, when } from "./words.js";

const COIN = "Decisions will toss a coin: callers must send row_keys, and are refused (422) without.";
const PAUSE = 250; // milliseconds without a key before the service is asked

/** The re-aiming of one page; `host` has redraw(), refresh() and failed(error). */
export class Aiming {
  constructor(host) {
    Object.assign(this, { host, status: null, touched: false, preview: null, asking: 0, timer: 0, shown: null });
    form.start(() => this.change());
    $("aim-by").value = session.name();
    $("aim").addEventListener("submit", (event) => { event.preventDefault(); this.confirm(); });
    $("start-over").addEventListener("click", () => this.reset());
    $("confirm-no").addEventListener("click", () => $("confirm").close());
    $("confirm-yes").addEventListener("click", () => this.put());
  }

  /** Take the newest status: an untouched form follows the aim in force. */
  follow(status) {
    const before = this.status;
    this.status = status;
    this.compared();
    if (this.touched) this.noticed(before);
    else if (!before || JSON.stringify(before.aim) !== JSON.stringify(status.aim)) form.fill(status.aim);
  }

  /** Say that someone else re-aimed while this form was being filled in; another hull leads elsewhere. */
  noticed(before) {
    const { aim, now, library } = this.status;
    if (before && before.library.version !== library.version) this.lookAgain();
    if (!before || before.aim.id === aim.id) return;
    $("aim-done").textContent = `Meanwhile${aim.by ? ` ${aim.by}` : " someone"} put this in force (${when(aim.at, now)}): ${aim.words}. What you typed is kept.`;
    this.lookAgain();
  }

  change() {
    this.touched = true;
    $("start-over").disabled = false;
    const drafted = form.draft();
    form.tellAll(drafted.problems);
    session.keepName(drafted.by);
    this.lookAgain(drafted);
  }

  /** Ask where the draft leads, once nobody types any more. */
  lookAgain(drafted = form.draft()) {
    clearTimeout(this.timer);
    this.asking += 1;
    if (Object.keys(drafted.problems).length) this.previewed(null);
    else this.timer = setTimeout(() => this.look(drafted, this.asking), PAUSE);
    $("put").disabled = true; // until the service said where this would lead
    this.host.redraw();
  }

  async look(drafted, asked) {
    let answer;
    try {
      answer = await ask(`v1/best?${query(drafted.aim, drafted.aim.randomize)}`);
    } catch (error) {
      if (asked === this.asking) this.previewed(null);
      if (asked === this.asking) this.lookedInVain(error);
      return;
    }
    if (asked !== this.asking) return;
    this.previewed({ ...answer, drafted });
    $("put").disabled = false;
  }

  lookedInVain(error) {
    if (error instanceof Refused && error.status !== 401) form.refused(error);
    else this.host.failed(error);
  }

  /** Take where the draft would lead, or null where that is not known. */
  previewed(preview) {
    this.preview = preview;
    this.compared();
    this.host.redraw();
  }

  /** Show where the draft leads beside what is in force. */
  compared() {
    const shown = this.preview && [this.preview.point, this.preview.rule.words, this.status.in_force];
    redraw($("preview"), shown, () => (shown ? this.words() : []));
  }

  /** The prevalence to reckon the draft with: its own, if it names one. */
  bounds() {
    const named = (this.preview.drafted.aim.conditions || {}).prevalence;
    if (Array.isArray(named)) return named;
    return typeof named === "number" ? [named, named] : reckoned(this.status).bounds;
  }

  words() {
    const { point, rule } = this.preview;
    const { point: now, rule: ruleNow } = this.status.in_force;
    const same = now.fpr === point.fpr && now.tpr === point.tpr;
    if (same && rule.words === ruleNow) return [element("p", {}, "It would stay where it is: ", element("strong", {}, rule.words), ".")];
    return [element("p", {}, "Would move to: ", element("strong", {}, rule.words), "."), this.comparison(now, point)];
  }

  comparison(now, then) {
    const [before, after] = [perThousand(now, reckoned(this.status).bounds), perThousand(then, this.bounds())];
    const rows = [
      ["FPR", percent(now.fpr), percent(then.fpr)], ["TPR", percent(now.tpr), percent(then.tpr)],
      ["Alarms of 1,000", span(before.alarms, count), span(after.alarms, count)],
      ["Misses of 1,000", span(before.misses, count), span(after.misses, count)],
    ];
    return table(["", "now", "then"], rows);
  }

  /** Show the change in words and ask whether it is meant. */
  confirm() {
    if ($("put").disabled || !this.preview) return;
    const { aim } = this.status;
    const { drafted, rule, point } = this.preview;
    const { point: now, rule: ruleNow } = this.status.in_force;
    this.shown = aim.id;
    const rows = [["Rule", ruleNow, rule.words], ["Rates", rates(now), rates(point)],
      ...changes(aim, drafted.aim).map(([name, before, after]) => [name, before || "not stated", after || "not stated"])];
    const note = form.draft().note;
    if (note) rows.push(["Note", aim.note || "none", note]);
    const coin = point.mix.length > 1 ? [element("p", { class: "hint" }, COIN)] : [];
    $("confirm-change").replaceChildren(table(["", "in force now", "from now on"], rows), ...coin);
    $("confirm-problem").textContent = "";
    $("confirm-yes").disabled = false;
    $("confirm").showModal();
    $("confirm-yes").focus();
  }

  body() {
    const { by, note } = form.draft();
    const replaces = this.shown === null ? {} : { replaces: this.shown };
    return { ...this.preview.drafted.aim, note, by, ...replaces };
  }

  async put() {
    $("confirm-yes").disabled = true; // a second click must not send it twice
    try {
      const answer = await ask("v1/conditions", { method: "PUT", body: this.body() });
      $("confirm").close();
      this.done(answer);
    } catch (error) {
      this.refused(error);
    }
    await this.host.refresh();
  }

  done({ current, point }) {
    this.touched = false;
    this.status = null; // so that the form follows what is in force from now on
    $("aim-note").value = "";
    $("put").disabled = $("start-over").disabled = true;
    $("aim-done").textContent = `In force since ${when(current.at, current.at)}: ${current.words}. ${capital(rates(point))}.`;
    announce(`Put in force: ${current.words}`);
    this.forget();
  }

  forget() {
    clearTimeout(this.timer);
    this.asking += 1;
    this.preview = null;
    this.compared();
  }

  /** Leave nothing behind for whoever signs in next. */
  leave() {
    if ($("confirm").open) $("confirm").close();
    this.forget();
    Object.assign(this, { touched: false, status: null });
    $("aim").reset();
    $("aim-by").value = session.name();
    $("aim-done").textContent = $("aim-problem").textContent = "";
    $("put").disabled = $("start-over").disabled = true;
  }

  refused(error) {
    if (!(error instanceof Refused)) {
      $("confirm-problem").textContent = `${error.message} Look at what is in force before you try again.`;
      $("confirm-yes").disabled = false;
      return;
    }
    $("confirm").close();
    if (error.status === 401) this.host.failed(error);
    else if (error.status === 409) form.refused({ argument: null, message: `Someone else was faster. ${error.message}` });
    else form.refused(error);
  }

  /** Go back to the aim in force. */
  reset() {
    this.touched = false;
    form.fill(this.status.aim);
    $("put").disabled = $("start-over").disabled = true;
    $("aim-done").textContent = "";
    this.forget();
    this.host.redraw();
  }

  /** Aim at a position of the knob. */
  turn(position) {
    form.turn(position);
    this.change();
  }

  /** Start from an aim of the history. */
  again(aim) {
    form.fill(aim);
    this.change();
    $("panel").classList.add("open");
    $("aim").scrollIntoView({ block: "nearest" });
  }
}

function table(heads, rows) {
  const cells = (kind, texts) => texts.map((text, i) => element(i ? kind : "th", i ? {} : { scope: "row" }, text));
  return element("div", { class: "scroll" }, element("table", { class: "change" },
    element("thead", {}, element("tr", {}, ...cells("th", heads))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row))))));
}
