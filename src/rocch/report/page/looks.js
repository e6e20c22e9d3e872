// How each classifier is drawn, in every chart of the page: color, dash, hatching.
"use strict";
const RocchLooks = (() => {
  // as in rocch's other pictures; page.css has them too, and lighter ones for the dark theme
  const COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4338CA", "#8C6D31"];
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const STROKES = ["", "7 2", "2 2", "7 2 2 2"];
  const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star"];
  const TRIVIAL = { place: -1, color: "#8d939a", dash: "solid", stroke: "", symbol: "circle", fill: "trivial" };

  function look(place) {
    const round = Math.floor(place / COLORS.length) % DASHES.length;
    const which = place % COLORS.length;
    return {
      place,
      color: COLORS[which],
      dash: DASHES[round],
      stroke: STROKES[round],
      symbol: SYMBOLS[which],
      fill: `k${which}${round ? ` h${round}` : ""}`,
    };
  }

  /** Give each classifier its look, in their order; the trivial ones are gray. */
  function assign(names) {
    const given = new Map(names.map((name, place) => [name, look(place)]));
    return { of: (name) => given.get(name) || TRIVIAL, at: (place) => (place < 0 ? TRIVIAL : look(place)) };
  }

  return { assign, COLORS };
})();
