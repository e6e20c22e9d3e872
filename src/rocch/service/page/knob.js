// The knob: a slider along the hull that rests at the vertices, and shows where the service operates.

import { element, redraw } from "./dom.js";
import { beyond, nearest } from "./geometry.js";
import { vertexWords } from "./hull.js";
import { number } from "./words.js";

const FINE = 0.01; // of the way, for keys, where every position is a setting

const placed = (node, position) => { node.style.left = `${100 * position}%`; return node; };

/** Where a key leads to from a position; null for other keys. */
export function turned(key, position, vertices, free) {
  const way = { ArrowRight: 1, ArrowUp: 1, PageUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: -1 }[key];
  if (key === "Home") return vertices[0].knob;
  if (key === "End") return vertices[vertices.length - 1].knob;
  if (!way) return null;
  const large = key.startsWith("Page");
  if (free && !large) return Math.min(Math.max(Number((position + way * FINE).toFixed(6)), 0), 1);
  return vertices[beyond(vertices, position, way)].knob;
}

/** The slider and its marks; `onTurn` gets the new position. */
export class KnobSlider {
  constructor(slider, marks, onTurn) {
    Object.assign(this, { slider, marks, given: null });
    slider.addEventListener("input", () => onTurn(this.settled(Number(slider.value))));
    slider.addEventListener("keydown", (event) => {
      const { vertices, free } = this.given;
      const position = turned(event.key, Number(slider.value), vertices, free);
      if (position === null || slider.disabled) return;
      event.preventDefault();
      slider.value = String(position);
      onTurn(position);
    });
  }

  /** Where the slider comes to rest: at a vertex, unless a coin may choose between two. */
  settled(position) {
    const { vertices, free } = this.given;
    const rest = free ? Number(position.toFixed(4)) : vertices[nearest(vertices, position)].knob;
    this.slider.value = String(rest);
    return rest;
  }

  /** Draw what is given: vertices, look, names, position, point, free, turns. */
  draw(given) {
    const { vertices, look, names, position, point, free, turns } = given;
    this.given = given;
    this.slider.disabled = !turns;
    this.slider.value = String(position);
    const near = vertices[nearest(vertices, position)];
    const exact = Math.abs(near.knob - position) < 1e-9;
    this.slider.setAttribute("aria-valuetext",
      exact || !free ? `${number(near.knob)}, ${vertexWords(near)}` : `${number(position)}, between two vertices`);
    redraw(this.marks, [vertices, names, point.knob], () => [
      ...vertices.map((v) => placed(element("i", { class: `detent ${look(v.classifier)}`, title: vertexWords(v) }), v.knob)),
      placed(element("b", { class: "now", title: "in force" }), point.knob)]);
  }
}
