// The knob: a slider along the hull that rests at the vertices, and shows where it operates.
"use strict";
const RocchKnob = (() => {
  const { element, look } = RocchShell;
  const FINE = 0.01; // of the way, for keys, where every position is a setting
  const SAME = 1e-9;
  const WAYS = { ArrowRight: 1, ArrowUp: 1, PageUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: -1 };

  /** The vertex nearest to a position; of two, the left one. */
  const nearest = (vertices, position) => vertices.reduce((best, vertex) =>
    (Math.abs(vertex.knob - position) < Math.abs(best.knob - position) ? vertex : best));

  /** Where a key leads to from a position; undefined for other keys. */
  function turned(key, position, vertices, free) {
    const knobs = vertices.map((vertex) => vertex.knob);
    if (key === "Home") return knobs[0];
    if (key === "End") return knobs.at(-1);
    const way = WAYS[key];
    if (!way) return undefined;
    if (free && !key.startsWith("Page")) {
      return Math.min(Math.max(Number((position + way * FINE).toFixed(6)), 0), 1);
    }
    if (way > 0) return knobs.find((knob) => knob > position + SAME) ?? knobs.at(-1);
    return knobs.findLast((knob) => knob < position - SAME) ?? knobs[0];
  }

  function placed(node, position) {
    node.style.left = `${100 * position}%`;
    return node;
  }

  /** The slider and its marks; `onTurn` gets the new position. */
  class Slider {
    constructor(slider, marks, onTurn) {
      Object.assign(this, { slider, marks, given: null });
      slider.addEventListener("input", () => onTurn(this.settled(Number(slider.value))));
      slider.addEventListener("keydown", (event) => {
        const { vertices, free } = this.given;
        const position = turned(event.key, Number(slider.value), vertices, free);
        if (position === undefined || slider.disabled) return;
        event.preventDefault();
        slider.value = String(position);
        onTurn(position);
      });
    }

    /** Where the slider comes to rest: at a vertex, unless a coin may choose between two. */
    settled(position) {
      const { vertices, free } = this.given;
      const rest = free ? Number(position.toFixed(4)) : nearest(vertices, position).knob;
      this.slider.value = String(rest);
      return rest;
    }

    /** Draw what is given: vertices, position, point, free and whether it can be turned. */
    draw(given) {
      const { vertices, position, point, free, picks } = given;
      this.given = given;
      this.slider.disabled = !picks;
      this.slider.value = String(position);
      const near = nearest(vertices, position);
      const between = free && Math.abs(near.knob - position) > SAME;
      const text = between ? `${position.toPrecision(4)}, between two vertices` : near.words;
      this.slider.setAttribute("aria-valuetext", RocchView.visible(text));
      RocchView.redraw(this.marks, [vertices, point.knob], () => [
        ...vertices.map((vertex) => placed(element("i",
          { class: `detent ${look(vertex.place).fill}`, title: vertex.words }), vertex.knob)),
        placed(element("b", { class: "now", title: "in force" }), point.knob)]);
    }
  }

  return { Slider, nearest };
})();
