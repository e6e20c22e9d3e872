// The hull: its vertices by classifier, the point in force, and the lines of equal cost of the aim.

import { drawn, element, redraw, short } from "./dom.js";
import { isoLine, nearest, runs, touched } from "./geometry.js";
import { number, percent, plural, rates } from "./words.js";

const MARGIN = { left: 46, right: 14, top: 12, bottom: 42 };
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const REACH = 26; // pixels; a pointer nearer than this to a vertex means it

/** A vertex by its name, threshold and rates. */
export function vertexWords(vertex) {
  const { classifier, deployed_threshold: threshold } = vertex;
  const at = threshold === null || threshold === undefined ? "" : ` at ${number(threshold, 6)}`;
  return `${classifier}${at}: ${rates(vertex)}`;
}

function scale(size) {
  const [across, up] = [size - MARGIN.left - MARGIN.right, size - MARGIN.top - MARGIN.bottom];
  return { x: (fpr) => MARGIN.left + across * fpr, y: (tpr) => size - MARGIN.bottom - up * tpr };
}

const line = (kind, [[x1, y1], [x2, y2]], { x, y }) =>
  drawn("line", { class: kind, x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2) });

function frame(size, to) {
  const { x, y } = to;
  const label = (text, px, py, anchor) => drawn("text", { x: px, y: py, "text-anchor": anchor }, text);
  const grid = TICKS.flatMap((t) => [line("grid", [[t, 0], [t, 1]], to), line("grid", [[0, t], [1, t]], to)]);
  const numbers = TICKS.flatMap((t) => [
    label(String(t), x(t), y(0) + 17, "middle"), label(String(t), x(0) - 7, y(t) + 4, "end")]);
  const middle = (y(0) + y(1)) / 2;
  const up = label("True positive rate", 12, middle, "middle");
  up.setAttribute("transform", `rotate(-90 12 ${middle})`);
  return [...grid, ...numbers, line("chance", [[0, 0], [1, 1]], to),
    label("False positive rate", (x(0) + x(1)) / 2, size - 6, "middle"), up];
}

function path(vertices, { x, y }, kind) {
  const points = vertices.map((v) => `${x(v.fpr).toFixed(1)},${y(v.tpr).toFixed(1)}`);
  return drawn("polyline", { class: kind, points: points.join(" ") });
}

/** Name each stretch of one classifier, unless that would cover another name. */
function names(vertices, look, { x, y }) {
  const placed = [];
  return runs(vertices).flatMap(([first, last]) => {
    const v = vertices[Math.floor((first + last) / 2)];
    const end = first === last && (v.fpr + v.tpr === 0 || v.fpr + v.tpr === 2);
    const [px, py] = [x(v.fpr) + 11, y(v.tpr) + 17];
    const width = 7.2 * Math.min(v.classifier.length, 18);
    const clashes = placed.some(([a, b, w]) => Math.abs(b - py) < 15 && px < a + w && a < px + width);
    if (end || clashes || px + width > x(1) || look(v.classifier) === "trivial") return [];
    placed.push([px, py, width]);
    return [drawn("text", { class: `name ${look(v.classifier)}`, x: px, y: py }, short(v.classifier, 18))];
  });
}

function dots(vertices, look, { x, y }, role) {
  return vertices.map((v, i) => drawn("circle", {
    class: `vertex ${look(v.classifier)}`, cx: x(v.fpr), cy: y(v.tpr), r: vertices.length > 80 ? 3.5 : 5.5,
    role, "aria-label": vertexWords(v), tabindex: i === 0 ? "0" : "-1", "data-place": String(i) }));
}

/** The lines of equal cost that touch the hull, and what lies between them. */
function aimLines({ vertices, slopes, limit }, to) {
  const parts = [];
  if (slopes) {
    const [right, left] = slopes.map((steepness) => touched(vertices, steepness));
    if (left < right) parts.push(path(vertices.slice(left, right + 1), to, "band"));
    const distinct = slopes[0] === slopes[1] ? [[slopes[0], right]] : [[slopes[0], right], [slopes[1], left]];
    parts.push(...distinct.map(([steepness, i]) => line("iso", isoLine(steepness, vertices[i]), to)));
  }
  if (limit !== null) parts.push(line("limit", [[limit, 0], [limit, 1]], to));
  return parts;
}

function mark(point, kind, { x, y }, radius) {
  const label = kind === "chosen" ? "The point in force" : "Where it would move";
  const title = drawn("title", {}, `${label}: ${rates(point)}`);
  return drawn("circle", { class: kind, cx: x(point.fpr), cy: y(point.tpr), r: radius }, title);
}

/** A drawing in a box that follows its width; `onShow` gets the vertex looked at, `onPick` the chosen one. */
export class HullChart {
  constructor(box, { onShow, onPick }) {
    Object.assign(this, { box, onShow, onPick, given: null, current: 0 });
    this.svg = drawn("svg", { role: "group", "aria-label": "The ROC hull" });
    this.layers = ["ground", "aims", "points", "marks"].map((name) => drawn("g", { class: name }));
    this.svg.append(...this.layers);
    box.append(this.svg);
    this.listen();
    new ResizeObserver(() => this.given && this.draw(this.given)).observe(box);
  }

  listen() {
    this.svg.addEventListener("pointermove", (event) => this.pointed(event, (i) => this.show(i)));
    this.svg.addEventListener("pointerleave", () => this.show(null));
    this.svg.addEventListener("click", (event) => this.pointed(event, (i) => i !== null && this.pick(i)));
    this.svg.addEventListener("focusin", (event) => this.reached(event.target));
    this.svg.addEventListener("focusout", () => this.show(null));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Find the vertex that a pointer means. */
  pointed(event, tell) {
    if (!this.given) return;
    const { left, top } = this.svg.getBoundingClientRect();
    const { x, y } = this.to;
    const far = this.given.vertices.map((v) => Math.hypot(x(v.fpr) - event.clientX + left, y(v.tpr) - event.clientY + top));
    const best = far.indexOf(Math.min(...far));
    tell(far[best] <= REACH ? best : null);
  }

  pressed(event) {
    const { vertices } = this.given;
    const steps = { ArrowRight: this.current + 1, ArrowUp: this.current + 1, ArrowLeft: this.current - 1, ArrowDown: this.current - 1, Home: 0, End: vertices.length - 1 };
    if (event.key === "Enter" || event.key === " ") this.pick(this.current);
    else if (event.key in steps) this.focus(Math.min(Math.max(steps[event.key], 0), vertices.length - 1));
    else return;
    event.preventDefault();
  }

  focus(place) {
    this.svg.querySelectorAll(".vertex")[place].focus({ preventScroll: true });
  }

  /** A vertex has the focus: the tab key comes back to it. */
  reached(circle) {
    if (circle.dataset.place === undefined) return;
    this.svg.querySelectorAll(".vertex")[this.current].setAttribute("tabindex", "-1");
    circle.setAttribute("tabindex", "0");
    this.current = Number(circle.dataset.place);
    this.show(this.current);
  }

  show(place) {
    const old = this.svg.querySelector(".looked-at");
    if (old) old.classList.remove("looked-at");
    if (place !== null) this.svg.querySelectorAll(".vertex")[place].classList.add("looked-at");
    this.onShow(place === null ? null : this.given.vertices[place]);
  }

  pick(place) {
    if (this.given.picks) this.onPick(this.given.vertices[place]);
  }

  /** Draw what is given: vertices, look, names, picks, slopes, limit, point, preview. */
  draw(given) {
    const size = Math.max(this.box.clientWidth, 200);
    this.given = given;
    this.to = scale(size);
    this.svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
    const [ground, aims, points, marks] = this.layers;
    const { vertices, look, names: order, picks, point, preview, slopes, limit } = given;
    const still = [vertices, order, picks, size];
    redraw(ground, still, () => [...frame(size, this.to), path(vertices, this.to, "hull")]);
    redraw(aims, [slopes && slopes.map(String), limit, ...still], () => aimLines(given, this.to));
    const anew = redraw(points, still, () => [...names(vertices, look, this.to), ...dots(vertices, look, this.to, picks ? "button" : "img")]);
    if (anew) this.current = 0;
    redraw(marks, [point, preview, ...still], () => [
      ...(preview ? [mark(preview, "would", this.to, 9)] : []), mark(point, "chosen", this.to, 8)]);
  }
}

/** The classifiers on the hull, with the vertices that each holds. */
export function legend(list, { vertices, look, names: order }) {
  redraw(list, [vertices, order], () => order.flatMap((name) => {
    const held = vertices.filter((v) => v.classifier === name).length; // as many as have its color
    if (!held) return [];
    const key = element("span", { class: `key ${look(name)}`, "aria-hidden": "true" });
    return [element("li", { title: name }, key, element("span", { class: "name" }, short(name, 28)), ` ${plural(held, "mark")}`)];
  }));
}

/** A vertex's details, or those of the vertex nearest to where the knob stands. */
export function details(vertex, vertices, point, position = point.knob) {
  const shown = vertex || vertices[nearest(vertices, position)];
  const threshold = shown.deployed_threshold;
  return [
    ["", vertex ? "" : `nearest to the ${position === point.knob ? "point in force" : "knob"}`],
    ["Rule", shown.rule],
    ["Classifier", shown.classifiers.join(", ")],
    ["Threshold", threshold === null || threshold === undefined ? "" : number(threshold, 6)],
    ["False alarms", `${number(shown.false_positives, 1)} judged, FPR ${percent(shown.fpr)}`],
    ["Hits", `${number(shown.true_positives, 1)} judged, TPR ${percent(shown.tpr)}`],
    ["Knob", number(shown.knob)],
  ];
}
