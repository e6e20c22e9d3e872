// Aiming anew: a question is previewed as it is typed, then confirmed, then put in force.
"use strict";
const RocchAim = (() => {
  const { $ } = RocchShell;
  const { redraw, show, table } = RocchView;
  const PAUSE = 250; // milliseconds without a key before the service is asked
  const NOTHING = { sentence: [], comparison: [] };

  const labelOf = (id) => document.querySelector(`label[for="${id}"]`).textContent;
  const aboutOf = ({ aim, model, in_force: { rule } }) =>
    JSON.stringify([aim, model.version, rule]);

  /** The form of one page; `host` has redraw(), refresh() and failed(error). */
  class Aiming {
    constructor(host) {
      Object.assign(this, { host, status: null, followed: "", touched: false, preview: null,
        asking: 0 });
      $("aim-by").value = RocchClient.name();
      $("aim").addEventListener("input", () => { RocchForm.follow(); this.change(); });
      $("aim").addEventListener("submit", (event) => { event.preventDefault(); this.confirm(); });
      $("start-over").addEventListener("click", () => this.startOver());
      $("confirm-no").addEventListener("click", () => $("confirm").close());
      $("confirm-yes").addEventListener("click", () => this.put());
    }

    /** Take the newest status: an untouched form follows the aim in force. */
    follow(status) {
      const [before, about] = [this.status, aboutOf(status)];
      this.status = status;
      if (about === this.followed) return;
      this.followed = about;
      if (!this.touched) RocchForm.fill(status.aim);
      else if (before) this.lookAgain();
      if (this.touched && before && before.aim.id !== status.aim.id) {
        show("aim-done", ["Meanwhile: ", ...status.page.parts.source, " What you typed is kept."]);
      }
    }

    change() {
      this.touched = true;
      $("start-over").disabled = false;
      RocchClient.keepName(RocchForm.rest().by);
      RocchForm.clear();
      this.lookAgain();
    }

    /** Ask where the question leads, once nobody types any more. */
    lookAgain() {
      this.forget();
      const query = RocchForm.query();
      if (query) this.timer = setTimeout(() => this.look(query, this.asking), PAUSE);
      this.host.redraw();
    }

    async look(query, asked) {
      const answer = await RocchClient.ask(`v1/best?${query}`).catch((error) => ({ error }));
      if (asked !== this.asking) return;
      const { error } = answer;
      if (!error) this.setPreview(answer);
      else if (error.status && error.status !== 401) RocchForm.refuse(error);
      else this.host.failed(error);
      this.host.redraw();
    }

    /** Show where the question leads; null where that is not known. */
    setPreview(answer) {
      this.preview = answer;
      $("put").disabled = !answer;
      const { sentence, comparison } = answer ? answer.preview : NOTHING;
      redraw($("preview"), [sentence, comparison], () =>
        (comparison.length ? [...sentence, table(["", "now", "then"], comparison)] : sentence));
    }

    forget() {
      clearTimeout(this.timer);
      this.asking += 1;
      this.setPreview(null);
    }

    /** Show the change and ask whether it is meant. */
    confirm() {
      if (!this.preview) return;
      const { aim } = this.status;
      const { question, preview: { changes, coin } } = this.preview;
      const rest = RocchForm.rest();
      const { tuning, note } = rest;
      const rows = [...changes];
      if (tuning !== aim.tuning) rows.push([labelOf("aim-tuning"), aim.tuning, tuning]);
      if (note) rows.push([labelOf("aim-note"), aim.note || "none", note]);
      this.body = { question, ...rest }; // just this, though what is in force may change meanwhile
      if (aim.id !== null) this.body.replaces = aim.id;
      $("confirm-change").replaceChildren(table(["", "in force now", "from now on"], rows));
      $("confirm-coin").textContent = coin || "";
      $("confirm-problem").textContent = "";
      $("confirm-yes").disabled = false;
      $("confirm").showModal();
      $("confirm-yes").focus();
    }

    async put() {
      $("confirm-yes").disabled = true; // a second click must not send it twice
      try {
        const asked = { method: "PUT", body: this.body };
        const { current, message } = await RocchClient.ask("v1/conditions", asked);
        $("aim-note").value = "";
        this.reset();
        this.status = { ...this.status, aim: current }; // which the next change replaces
        show("aim-done", [message]);
        RocchView.announce(message);
      } catch (error) {
        this.refused(error);
      }
      await this.host.refresh();
    }

    refused(error) {
      const { conflict, unanswered } = $("confirm").dataset;
      $("confirm-problem").textContent = `${error.message} ${unanswered}`;
      $("confirm-yes").disabled = false;
      if (!error.status) return;
      $("confirm").close();
      if (error.status === 401) this.host.failed(error);
      else if (error.status !== 409) RocchForm.refuse(error);
      else RocchForm.refuse({ message: `${conflict} ${error.message}` });
    }

    /** Let the form follow the aim in force again. */
    reset() {
      $("confirm").close();
      Object.assign(this, { touched: false, followed: "" });
      $("start-over").disabled = true;
      show("aim-done", []);
      this.forget();
    }

    startOver() {
      this.reset();
      this.follow(this.status);
      this.host.redraw();
    }

    /** Leave nothing behind for whoever signs in next. */
    leave() {
      this.reset();
      $("aim").reset();
      $("aim-by").value = RocchClient.name();
      RocchForm.clear();
    }

    /** Aim at a position of the knob. */
    turn(position) {
      RocchForm.turn(position);
      this.change();
    }

    /** Start from an aim of the history. */
    again(aim) {
      RocchForm.fill(aim);
      this.change();
      $("panel").classList.add("open");
      $("aim").scrollIntoView({ block: "nearest" });
    }
  }

  return { Aiming };
})();
