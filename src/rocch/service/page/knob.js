// The knob: a slider along the hull that rests at the vertices, and shows where it operates.
"use strict";
const RocchKnob = (() => {
  const { $ } = RocchShell;
  const FINE = 0.01; // of the way, for keys, where every position is a setting
  const SAME = 1e-9;
  const WAYS = { ArrowRight: 1, ArrowUp: 1, PageUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: -1 };

  /** The vertex nearest to a position; of two, the left one. */
  const nearest = (vertices, position) => vertices.reduce((best, vertex) =>
    (Math.abs(vertex.knob - position) < Math.abs(best.knob - position) ? vertex : best));

  /** Where a key leads to from a position; undefined for other keys. */
  function turned(key, position, vertices, free) {
    const knobs = vertices.map((vertex) => vertex.knob);
    const [way, first, last] = [WAYS[key], knobs[0], knobs.at(-1)];
    if (!way) return { Home: first, End: last }[key];
    const fine = Number((position + way * FINE).toFixed(6));
    if (free && !key.startsWith("Page")) return Math.min(Math.max(fine, 0), 1);
    if (way > 0) return knobs.find((knob) => knob > position + SAME) ?? last;
    return knobs.findLast((knob) => knob < position - SAME) ?? first;
  }

  /** The slider and its marks; `onTurn` gets the new position. */
  class Slider {
    constructor(onTurn) {
      this.slider = $("knob-slider");
      this.slider.addEventListener("input", () => onTurn(this.settled(Number(this.slider.value))));
      this.slider.addEventListener("keydown", (event) => {
        const { vertices, free } = this.given;
        const position = turned(event.key, Number(this.slider.value), vertices, free);
        if (position === undefined || this.slider.disabled) return;
        event.preventDefault();
        onTurn(position);
      });
    }

    /** Where the slider comes to rest: at a vertex, unless a coin may choose between two. */
    settled(position) {
      const { vertices, free } = this.given;
      return free ? Number(position.toFixed(4)) : nearest(vertices, position).knob;
    }

    /** Draw what is given: vertices, position, point, free and whether it can be turned. */
    draw(given) {
      this.given = given;
      const { vertices, position, point, free, picks } = given;
      const near = nearest(vertices, position);
      const isBetween = free && Math.abs(near.knob - position) > SAME;
      this.slider.disabled = !picks;
      this.slider.value = String(position);
      const words = isBetween ? `${position.toPrecision(4)}, between two vertices` : near.words;
      this.slider.setAttribute("aria-valuetext", RocchView.visible(words));
      $("knob-now").setAttribute("x", `${100 * point.knob}%`);
    }
  }

  return { Slider, nearest };
})();
