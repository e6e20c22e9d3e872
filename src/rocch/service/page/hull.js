// The hull: its vertices by classifier, the point in force, and the lines of the aim.
"use strict";
const RocchHull = (() => {
  const { $, drawn } = RocchShell;
  const { redraw } = RocchView;
  const [LEFT, BOTTOM, SIDE] = [56, 462, 450]; // the unit square, as in Python's frame
  const REACH = 26; // pixels; a pointer nearer than this to a vertex means it

  const x = (fpr) => LEFT + SIDE * fpr;
  const y = (tpr) => BOTTOM - SIDE * tpr;

  function path(vertices, kind) {
    const points = vertices.map((v) => `${x(v.fpr).toFixed(1)},${y(v.tpr).toFixed(1)}`);
    return drawn("polyline", { class: kind, points: points.join(" ") });
  }

  const line = ({ kind, ends: [[x1, y1], [x2, y2]] }) =>
    drawn("line", { class: kind, x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2) });

  const ring = ({ fpr, tpr, words }, kind, r) =>
    drawn("circle", { class: kind, cx: x(fpr), cy: y(tpr), r }, drawn("title", {}, words));

  /** The drawing; `onShow` gets the vertex that is looked at or null, `onPick` the chosen one. */
  class Chart {
    constructor({ onShow, onPick }) {
      Object.assign(this, { onShow, onPick, given: null, current: 0 });
      const on = (event, handle) => $("hull").addEventListener(event, handle);
      on("pointermove", (event) => this.show(this.pointed(event)));
      on("pointerleave", () => this.show(null));
      on("click", (event) => this.pick(this.pointed(event)));
      on("focusin", ({ target }) => this.reached(target));
      on("focusout", () => this.show(null));
      on("keydown", (event) => this.pressed(event));
    }

    get circles() {
      return [...$("hull-points").querySelectorAll(".vertex")];
    }

    /** The vertex that a pointer means, or null. */
    pointed({ clientX, clientY }) {
      const far = this.circles.map((circle) => {
        const { left, top, width, height } = circle.getBoundingClientRect();
        return Math.hypot(left + width / 2 - clientX, top + height / 2 - clientY);
      });
      const best = far.indexOf(Math.min(...far));
      return far[best] <= REACH ? best : null;
    }

    pressed(event) {
      const last = this.circles.length - 1;
      const [next, before] = [Math.min(this.current + 1, last), Math.max(this.current - 1, 0)];
      const steps = { ArrowRight: next, ArrowUp: next, ArrowLeft: before, ArrowDown: before,
        Home: 0, End: last };
      if (event.key === "Enter" || event.key === " ") this.pick(this.current);
      else if (event.key in steps) this.circles[steps[event.key]].focus({ preventScroll: true });
      else return;
      event.preventDefault();
    }

    /** A vertex has the focus: the tab key comes back to it. */
    reached(circle) {
      this.circles[this.current].setAttribute("tabindex", "-1");
      circle.setAttribute("tabindex", "0");
      this.current = this.circles.indexOf(circle);
      this.show(this.current);
    }

    show(place) {
      $("hull").querySelector(".looked-at")?.classList.remove("looked-at");
      if (place !== null) this.circles[place].classList.add("looked-at");
      this.onShow(place === null ? null : this.given.vertices[place]);
    }

    pick(place) {
      if (this.given.picks && place !== null) this.onPick(this.given.vertices[place]);
    }

    /** Draw what is given: vertices, lines, point, preview, and whether vertices can be picked. */
    draw(given) {
      const { vertices, drawing: { lines, touched }, picks, point, preview } = given;
      this.given = given;
      if (!this.circles[0].hasAttribute("role")) this.begin(picks ? "button" : "img");
      const [left, right] = touched || [0, 0];
      redraw($("hull-aim"), [vertices, lines], () =>
        [path(vertices.slice(left, right + 1), "band"), ...lines.map(line)]);
      redraw($("hull-marks"), [point, preview], () =>
        [...(preview ? [ring(preview, "would", 9)] : []), ring(point, "chosen", 8)]);
    }

    begin(role) {
      this.current = 0;
      this.circles.forEach((circle, i) => {
        circle.setAttribute("role", role);
        circle.setAttribute("tabindex", i ? "-1" : "0");
      });
    }
  }

  return { Chart };
})();
