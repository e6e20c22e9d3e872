// Aiming anew: a question is previewed as it is typed, then confirmed, then put in force.
"use strict";
const RocchAim = (() => {
  const { $ } = RocchShell;
  const { part, redraw, show, table } = RocchView;
  const PAUSE = 250; // milliseconds without a key before the service is asked

  const labelOf = (id) => document.querySelector(`label[for="${id}"]`).textContent;

  /** The form of one page; `host` has redraw(), refresh() and failed(error). */
  class Aiming {
    constructor(host) {
      Object.assign(this, { host, status: null, touched: false, preview: null, asking: 0, timer: 0 });
      $("aim-by").value = RocchClient.name();
      $("aim").addEventListener("input", () => { RocchForm.follow(); this.change(); });
      $("aim").addEventListener("submit", (event) => { event.preventDefault(); this.confirm(); });
      $("start-over").addEventListener("click", () => this.reset());
      $("confirm-no").addEventListener("click", () => $("confirm").close());
      $("confirm-yes").addEventListener("click", () => this.put());
    }

    /** Take the newest status: an untouched form follows the aim in force. */
    follow(status) {
      const before = this.status;
      this.status = status;
      const isNew = !before || JSON.stringify(before.aim) !== JSON.stringify(status.aim);
      if (!this.touched) {
        if (isNew) RocchForm.fill(status.aim);
        return;
      }
      if (before && before.aim.id !== status.aim.id) {
        show("aim-done", ["Meanwhile: ", ...status.page.texts.source, " What you typed is kept."]);
      }
      const moved = before && before.in_force.rule !== status.in_force.rule;
      if (before && (isNew || moved || before.library.version !== status.library.version)) {
        this.lookAgain();
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
      else RocchForm.refuseEmpty();
      $("put").disabled = true; // until the service answered where this would lead
      this.host.redraw();
    }

    async look(query, asked) {
      try {
        const answer = await RocchClient.ask(`v1/best?${query}`);
        if (asked !== this.asking) return;
        this.preview = answer;
        this.showPreview();
        $("put").disabled = false;
      } catch (error) {
        if (asked !== this.asking) return;
        if (error instanceof RocchClient.Refused && error.status !== 401) RocchForm.refuse(error);
        else this.host.failed(error);
      }
      this.host.redraw();
    }

    showPreview() {
      const { sentence, comparison } = this.preview ? this.preview.preview : { sentence: [] };
      redraw($("preview"), [sentence, comparison], () => [
        ...sentence.map(part),
        ...(comparison?.length ? [table(["", "now", "then"], comparison)] : [])]);
    }

    /** Show the change and ask whether it is meant. */
    confirm() {
      if ($("put").disabled || !this.preview) return;
      const { aim } = this.status;
      const { changes, coin } = this.preview.preview;
      const { tuning, note } = RocchForm.rest();
      this.shown = aim.id;
      const rows = [...changes];
      if (tuning !== aim.tuning) rows.push([labelOf("aim-tuning"), aim.tuning, tuning]);
      if (note) rows.push([labelOf("aim-note"), aim.note || "none", note]);
      $("confirm-change").replaceChildren(table(["", "in force now", "from now on"], rows));
      $("confirm-coin").textContent = coin || "";
      $("confirm-problem").textContent = "";
      $("confirm-yes").disabled = false;
      $("confirm").showModal();
      $("confirm-yes").focus();
    }

    async put() {
      $("confirm-yes").disabled = true; // a second click must not send it twice
      const replaces = this.shown === null ? {} : { replaces: this.shown };
      const body = { question: this.preview.question, ...RocchForm.rest(), ...replaces };
      try {
        const { message } = await RocchClient.ask("v1/conditions", { method: "PUT", body });
        $("confirm").close();
        $("aim-note").value = "";
        this.rest();
        show("aim-done", [message]);
        RocchView.announce(message);
      } catch (error) {
        this.refused(error);
      }
      await this.host.refresh();
    }

    refused(error) {
      if (!(error instanceof RocchClient.Refused)) {
        $("confirm-problem").textContent = `${error.message} ${$("confirm").dataset.unanswered}`;
        $("confirm-yes").disabled = false;
        return;
      }
      $("confirm").close();
      if (error.status === 401) this.host.failed(error);
      else if (error.status !== 409) RocchForm.refuse(error);
      else RocchForm.refuse({ message: `${$("confirm").dataset.conflict} ${error.message}` });
    }

    forget() {
      clearTimeout(this.timer);
      this.asking += 1;
      this.preview = null;
      this.showPreview();
    }

    /** Let the form follow the aim in force again. */
    rest() {
      Object.assign(this, { touched: false, status: null });
      $("put").disabled = $("start-over").disabled = true;
      show("aim-done", []);
      this.forget();
    }

    reset() {
      const { status } = this;
      this.rest();
      this.follow(status);
      this.host.redraw();
    }

    /** Leave nothing behind for whoever signs in next. */
    leave() {
      if ($("confirm").open) $("confirm").close();
      this.rest();
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
