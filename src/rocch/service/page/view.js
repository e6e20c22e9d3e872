// Texts, lists and tables as the service wrote them. Nodes change only where their content does.
"use strict";
const RocchView = (() => {
  const { $, drawn, element, toast } = RocchShell;
  const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const DRAWN = new Set(["circle", "line", "polyline", "rect", "svg", "text", "title"]);
  const shown = new WeakMap();
  let now = new Date(); // by the service's clock

  /** Write out marks that change the direction of a text: numbers must not be turned. */
  const visible = (text) => String(text).replace(
    TURNING, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

  const clock = (at) => at.toTimeString().slice(0, 8);

  /** A moment: the time if it is today's, else the day too. */
  function when(iso) {
    const at = new Date(iso);
    if (Number.isNaN(at.getTime())) return iso;
    if (at.toDateString() === now.toDateString()) return clock(at);
    const year = at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
    const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
    return `${day}, ${clock(at).slice(0, 5)}`;
  }

  const time = (iso) => element("time", { datetime: iso, title: iso }, when(iso));

  /** An element of a picture: its tag, attributes and children. */
  function tree([tag, attributes, ...children]) {
    const make = DRAWN.has(tag) ? drawn : element;
    return make(tag, attributes, ...children.map(part));
  }

  /** A part: a text, a node, an element, or an object whose key says how to show its value. */
  function part(given) {
    if (typeof given === "string") return visible(given);
    if (given instanceof Node) return given;
    if (Array.isArray(given)) return tree(given);
    const [[kind, value]] = Object.entries(given);
    return kind === "time" ? time(value) : element(kind, {}, visible(value));
  }

  /** Fill a node, unless it shows just these values: hovers, focus and selections stay then. */
  function redraw(node, values, parts) {
    const state = JSON.stringify([values, now.toDateString()]);
    if (shown.get(node) === state) return false;
    shown.set(node, state);
    node.replaceChildren(...parts().map(part));
    return true;
  }

  const show = (id, text) => redraw($(id), text, () => text);

  const row = (cells, kind) => element("tr", {}, ...cells.map((cell, i) =>
    element(i ? kind : "th", i ? {} : { scope: "row" }, part(cell))));

  const table = (heads, rows) => element("div", { class: "scroll" },
    element("table", { class: "change" }, element("thead", {}, row(heads, "th")),
      element("tbody", {}, ...rows.map((cells) => row(cells, "td")))));

  /** Show a message for a moment; screen readers read it. */
  function announce(text) {
    $("announce").textContent = visible(text);
    toast(visible(text));
  }

  const setNow = (iso) => { now = new Date(iso); };

  return { announce, clock, part, redraw, setNow, show, table, visible };
})();
