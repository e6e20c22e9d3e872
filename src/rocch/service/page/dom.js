// Elements by name, made of texts that stay texts, and redrawn only where something changed.

export const $ = (id) => document.getElementById(id);

/** Marks that turn the direction of what follows are written out: numbers must not be turned. */
const unturned = (text) => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.map((child) => (typeof child === "string" ? unturned(child) : child)));
  return node;
}

/** An element with attributes and children. */
export const element = (tag, attributes = {}, ...children) =>
  dressed(document.createElement(tag), attributes, children);

/** The same for a drawing. */
export const drawn = (tag, attributes = {}, ...children) =>
  dressed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** A name cut in the middle, because the ends tell names apart. */
export function short(text, most = 24) {
  const letters = Array.from(text);
  const half = Math.floor(most / 2);
  return letters.length <= most ? text : `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}

const seen = new WeakMap();

/** Draw into a node, unless it shows just these values: hovers, focus and selections stay then. */
export function redraw(node, values, draw) {
  const key = JSON.stringify(values);
  if (seen.get(node) === key) return false;
  seen.set(node, key);
  node.replaceChildren(...draw().map((child) => (typeof child === "string" ? unturned(child) : child)));
  return true;
}

/** Terms and what they are, as the children of a list; those without a description are left out. */
export const described = (pairs) => pairs
  .filter(([, what]) => what !== null && what !== "")
  .map(([term, what, wide]) => element("div", wide ? { class: "wide" } : {},
    element("dt", {}, term), element("dd", {}, ...(Array.isArray(what) ? what : [what]))));

let fading = 0;

/** Say something for a moment, aloud too where the page is read aloud. */
export function announce(text) {
  $("announce").textContent = text;
  $("toast").textContent = text;
  $("toast").classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => $("toast").classList.remove("shown"), 5000);
}
