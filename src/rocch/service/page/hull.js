// The hull: its vertices by classifier, the point in force, and the lines of the aim.
"use strict";
const RocchHull = (() => {
  const { $, drawn, element, key, look, short } = RocchShell;
  const { redraw, visible } = RocchView;
  const [LEFT, BOTTOM, SIDE] = [56, 462, 450]; // the unit square, as in Python's frame
  const REACH = 26; // pixels; a pointer nearer than this to a vertex means it
  const LETTERS = 18; // of a name on the hull

  const x = (fpr) => LEFT + SIDE * fpr;
  const y = (tpr) => BOTTOM - SIDE * tpr;

  function path(vertices, kind) {
    const points = vertices.map((v) => `${x(v.fpr).toFixed(1)},${y(v.tpr).toFixed(1)}`);
    return drawn("polyline", { class: kind, points: points.join(" ") });
  }

  const line = ({ kind, ends: [[x1, y1], [x2, y2]] }) =>
    drawn("line", { class: kind, x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2) });

  /** Name classifiers, unless that would cover another name. */
  function names(vertices) {
    const placed = [];
    return vertices.filter((v) => v.label).flatMap(({ fpr, tpr, classifier }) => {
      const text = short(visible(classifier), LETTERS);
      const [left, top, width] = [x(fpr) + 11, y(tpr) + 17, 9 * text.length];
      const clashes = placed.some(([other, height, wide]) =>
        Math.abs(height - top) < 18 && left < other + wide && other < left + width);
      if (clashes || left + width > x(1)) return [];
      placed.push([left, top, width]);
      return [drawn("text", { class: "name", x: left, y: top }, text)];
    });
  }

  const dots = (vertices, role) => vertices.map((v, i) => drawn("circle", {
    class: `vertex ${look(v.place).fill}`, cx: x(v.fpr), cy: y(v.tpr),
    r: vertices.length > 80 ? 3.5 : 5.5, role, "aria-label": visible(v.words),
    tabindex: i === 0 ? "0" : "-1", "data-place": String(i) }));

  const ring = ({ fpr, tpr, words }, kind, r) =>
    drawn("circle", { class: kind, cx: x(fpr), cy: y(tpr), r }, drawn("title", {}, words));

  /** The classifiers on the hull, with the number of their marks. */
  const legend = (entries) => entries.map(({ name, place, marks }) =>
    element("li", { title: visible(name) }, key(place),
      element("span", { class: "name" }, short(visible(name), 28)), ` ${marks}`));

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
      this.current = Number(circle.dataset.place);
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

    /** Draw what is given: vertices, their legend, lines, point, preview, and who may pick. */
    draw(given) {
      this.given = given;
      const { vertices, drawing: { lines, touched }, picks, point, preview } = given;
      const [left, right] = touched || [0, 0];
      redraw($("hull-aim"), [vertices, lines], () => [
        path(vertices, "hull"), path(vertices.slice(left, right + 1), "band"), ...lines.map(line)]);
      const anew = redraw($("hull-points"), [vertices, picks], () =>
        [...names(vertices), ...dots(vertices, picks ? "button" : "img")]);
      if (anew) this.current = 0;
      redraw($("hull-marks"), [point, preview], () =>
        [...(preview ? [ring(preview, "would", 9)] : []), ring(point, "chosen", 8)]);
      redraw($("legend"), given.legend, () => legend(given.legend));
    }
  }

  return { Chart };
})();
