// Small pictures: decisions of the last hour, and the estimated prevalence beside the assumed one.

import { drawn, element, redraw } from "./dom.js";
import { roundUp } from "./geometry.js";
import { count, percent, plural, span } from "./words.js";

const SLOT = 10; // the width of a minute in the drawing

function bar(kind, i, value, most, title) {
  const height = (100 * value) / most;
  const rect = drawn("rect", { class: kind, x: i * SLOT + 1, width: SLOT - 2, y: 100 - height, height });
  rect.append(drawn("title", {}, title));
  return rect;
}

function ago(i, minutes) {
  const back = minutes - 1 - i;
  return back ? `${plural(back, "minute")} ago` : "this minute";
}

/** Bars of rows per minute, oldest first, with the alarms among them. */
export function minutes(box, { per_minute: rows, alarms_per_minute: alarms }) {
  redraw(box, [rows, alarms], () => {
    const most = roundUp(Math.max(...rows));
    const words = (i) => `${ago(i, rows.length)}: ${plural(rows[i], "decision")}, ${plural(alarms[i], "alarm")}`;
    const svg = drawn("svg", {
      viewBox: `0 0 ${rows.length * SLOT} 100`, preserveAspectRatio: "none", role: "img",
      "aria-label": `Decisions per minute, at most ${plural(Math.max(...rows), "row")} in one` },
    drawn("line", { class: "grid", x1: 0, x2: rows.length * SLOT, y1: 50, y2: 50 }),
    ...rows.flatMap((n, i) => [bar("rows", i, n, most, words(i)), bar("alarms", i, alarms[i], most, words(i))]));
    return [
      element("div", { class: "scale", "aria-hidden": "true" }, element("span", {}, count(most)), element("span", {}, "0")),
      svg,
      element("div", { class: "ends", "aria-hidden": "true" }, element("span", {}, `${rows.length} minutes ago`),
        element("span", { class: "keys" }, element("i", { class: "key rows" }), "decisions ", element("i", { class: "key alarms" }), "alarms"),
        element("span", {}, "now"))];
  });
}

const across = (kind, [low, high], end, label) => {
  const node = element("span", { class: kind, title: label });
  node.style.left = `${(100 * low) / end}%`;
  node.style.width = `${(100 * (high - low)) / end}%`;
  return node;
};

function lane(name, ...marks) {
  return element("div", { class: "lane" }, element("span", { class: "lane-name" }, name),
    element("div", { class: "track" }, ...marks));
}

/** Two ranges on one axis from 0: what was assumed, and what the scores of the last rows say. */
export function prevalence(box, { assumed, estimated, interval }) {
  box.hidden = !assumed && estimated === null;
  redraw(box, [assumed, estimated, interval], () => {
    const known = [...(assumed || []), ...(interval || []), estimated || 0];
    const end = Math.min(1, roundUp(1.05 * Math.max(...known)));
    const lanes = [];
    if (assumed) lanes.push(lane("assumed", across("assumed-range", assumed, end, span(assumed, percent))));
    if (estimated !== null) lanes.push(lane("estimated",
      ...(interval ? [across("interval", interval, end, span(interval, percent))] : []),
      across("estimate", [estimated, estimated], end, percent(estimated))));
    const ticks = element("div", { class: "ends track-ends", "aria-hidden": "true" },
      ...[0, end / 2, end].map((share) => element("span", {}, percent(share, 3))));
    return [...lanes, ticks];
  });
}
