// The hull: its vertices by classifier, the point in force, and the lines of the aim.
"use strict";
const RocchHull = (() => {
  const { drawn, element, key, look, short } = RocchShell;
  const { redraw, visible } = RocchView;
  const MARGIN = { left: 46, right: 14, top: 12, bottom: 42 };
  const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const REACH = 26; // pixels; a pointer nearer than this to a vertex means it
  const LETTERS = 18; // of a name on the hull

  function scale(size) {
    const across = size - MARGIN.left - MARGIN.right;
    const up = size - MARGIN.top - MARGIN.bottom;
    return { x: (fpr) => MARGIN.left + across * fpr, y: (tpr) => size - MARGIN.bottom - up * tpr };
  }

  const line = (kind, [[x1, y1], [x2, y2]], { x, y }) =>
    drawn("line", { class: kind, x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2) });

  const label = (text, x, y, anchor, more = {}) =>
    drawn("text", { x, y, "text-anchor": anchor, ...more }, text);

  function frame(size, to) {
    const { x, y } = to;
    const grid = TICKS.flatMap((t) =>
      [line("grid", [[t, 0], [t, 1]], to), line("grid", [[0, t], [1, t]], to)]);
    const numbers = TICKS.flatMap((t) => [
      label(String(t), x(t), y(0) + 17, "middle"), label(String(t), x(0) - 7, y(t) + 4, "end")]);
    const middle = (y(0) + y(1)) / 2;
    const turned = { transform: `rotate(-90 12 ${middle})` };
    return [...grid, ...numbers, line("chance", [[0, 0], [1, 1]], to),
      label("False positive rate", (x(0) + x(1)) / 2, size - 6, "middle"),
      label("True positive rate", 12, middle, "middle", turned)];
  }

  function path(vertices, { x, y }, kind) {
    const points = vertices.map((v) => `${x(v.fpr).toFixed(1)},${y(v.tpr).toFixed(1)}`);
    return drawn("polyline", { class: kind, points: points.join(" ") });
  }

  /** Name classifiers, unless that would cover another name. */
  function names(vertices, { x, y }) {
    const placed = [];
    return vertices.filter((v) => v.label).flatMap(({ fpr, tpr, classifier, place }) => {
      const text = short(visible(classifier), LETTERS);
      const [left, top, width] = [x(fpr) + 11, y(tpr) + 17, 7.2 * text.length];
      const clashes = placed.some(([other, height, wide]) =>
        Math.abs(height - top) < 15 && left < other + wide && other < left + width);
      if (clashes || left + width > x(1)) return [];
      placed.push([left, top, width]);
      return [label(text, left, top, "start", { class: `name ${look(place).fill}` })];
    });
  }

  const dots = (vertices, { x, y }, role) => vertices.map((v, i) => drawn("circle", {
    class: `vertex ${look(v.place).fill}`, cx: x(v.fpr), cy: y(v.tpr),
    r: vertices.length > 80 ? 3.5 : 5.5, role, "aria-label": visible(v.words),
    tabindex: i === 0 ? "0" : "-1", "data-place": String(i) }));

  /** The lines of the aim, and the vertices between those that lines of equal cost touch. */
  function aimLines(vertices, { lines, touched }, to) {
    const [left, right] = touched || [0, 0];
    const band = left < right ? [path(vertices.slice(left, right + 1), to, "band")] : [];
    return [...band, ...lines.map(({ kind, ends }) => line(kind, ends, to))];
  }

  const ring = ({ fpr, tpr, words }, kind, { x, y }, r) =>
    drawn("circle", { class: kind, cx: x(fpr), cy: y(tpr), r }, drawn("title", {}, words));

  /** A drawing that follows the width of its box; `onShow` gets a vertex or null, `onPick` one. */
  class Chart {
    constructor(box, { onShow, onPick }) {
      Object.assign(this, { box, onShow, onPick, given: null, current: 0 });
      this.svg = drawn("svg", { role: "group", "aria-label": "The ROC hull" });
      this.layers = ["ground", "aims", "points", "marks"].map((name) => drawn("g", { class: name }));
      this.svg.append(...this.layers);
      box.append(this.svg);
      const on = (event, handle) => this.svg.addEventListener(event, handle);
      on("pointermove", (event) => this.show(this.pointed(event)));
      on("pointerleave", () => this.show(null));
      on("click", (event) => this.pick(this.pointed(event)));
      on("focusin", ({ target }) => this.reached(target));
      on("focusout", () => this.show(null));
      on("keydown", (event) => this.pressed(event));
      new ResizeObserver(() => this.given && this.draw(this.given)).observe(box);
    }

    get circles() {
      return this.svg.querySelectorAll(".vertex");
    }

    /** The vertex that a pointer means, or null. */
    pointed({ clientX, clientY }) {
      const { left, top } = this.svg.getBoundingClientRect();
      const far = this.given.vertices.map(({ fpr, tpr }) =>
        Math.hypot(this.to.x(fpr) - clientX + left, this.to.y(tpr) - clientY + top));
      const best = far.indexOf(Math.min(...far));
      return far[best] <= REACH ? best : null;
    }

    pressed(event) {
      const last = this.given.vertices.length - 1;
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
      if (circle.dataset.place === undefined) return;
      this.circles[this.current].setAttribute("tabindex", "-1");
      circle.setAttribute("tabindex", "0");
      this.current = Number(circle.dataset.place);
      this.show(this.current);
    }

    show(place) {
      this.svg.querySelector(".looked-at")?.classList.remove("looked-at");
      if (place !== null) this.circles[place].classList.add("looked-at");
      this.onShow(place === null ? null : this.given.vertices[place]);
    }

    pick(place) {
      if (this.given.picks && place !== null) this.onPick(this.given.vertices[place]);
    }

    /** Draw what is given: vertices, drawing, point, preview and whether vertices can be picked. */
    draw(given) {
      const size = Math.max(this.box.clientWidth, 200);
      this.given = given;
      const to = this.to = scale(size);
      this.svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
      const [ground, aims, points, marks] = this.layers;
      const { vertices, drawing, picks, point, preview } = given;
      const still = [vertices, picks, size];
      redraw(ground, still, () => [...frame(size, to), path(vertices, to, "hull")]);
      redraw(aims, [drawing, ...still], () => aimLines(vertices, drawing, to));
      const anew = redraw(points, still, () =>
        [...names(vertices, to), ...dots(vertices, to, picks ? "button" : "img")]);
      if (anew) this.current = 0;
      redraw(marks, [point, preview, ...still], () =>
        [...(preview ? [ring(preview, "would", to, 9)] : []), ring(point, "chosen", to, 8)]);
    }
  }

  /** The classifiers on the hull, with the number of their marks. */
  const legend = (box, entries) => redraw(box, entries, () => entries.map(({ name, place, marks }) =>
    element("li", { title: visible(name) }, key(place),
      element("span", { class: "name" }, short(visible(name), 28)), ` ${marks}`)));

  return { Chart, legend };
})();
