// Two small pictures: decisions of the last hour, and the estimated prevalence.
"use strict";
const RocchActivity = (() => {
  const { drawn, element } = RocchShell;
  const SLOT = 10; // the width of a minute in the drawing

  const bar = (kind, i, height, title) => drawn("rect",
    { class: kind, x: i * SLOT + 1, width: SLOT - 2, y: 100 - height, height },
    drawn("title", {}, title));

  /** Bars of rows per minute, oldest first, with the alarms among them. */
  const minutes = (box, { rows, alarms, titles, most, label }) => RocchView.redraw(
    box, [titles, most], () => [
      element("div", { class: "scale", "aria-hidden": "true" },
        element("span", {}, most), element("span", {}, "0")),
      drawn("svg", { viewBox: `0 0 ${rows.length * SLOT} 100`, preserveAspectRatio: "none",
        role: "img", "aria-label": label },
      ...rows.flatMap((height, i) =>
        [bar("rows", i, height, titles[i]), bar("alarms", i, alarms[i], titles[i])]))]);

  function mark({ kind, left, width, title }) {
    const node = element("span", { class: kind, title });
    Object.assign(node.style, { left: `${left}%`, width: `${width}%` });
    return node;
  }

  /** Ranges on one axis: what was assumed, and what the scores of the last rows tell. */
  function prevalence(box, given) {
    box.hidden = !given;
    const { lanes, ticks } = given || { lanes: [], ticks: [] };
    RocchView.redraw(box, given, () => [
      ...lanes.map(({ name, marks }) => element("div", { class: "lane" },
        element("span", { class: "lane-name" }, name),
        element("div", { class: "track" }, ...marks.map(mark)))),
      element("div", { class: "ends track-ends", "aria-hidden": "true" },
        ...ticks.map((tick) => element("span", {}, tick)))]);
  }

  return { minutes, prevalence };
})();
