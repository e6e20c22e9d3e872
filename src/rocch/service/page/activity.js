// Two small pictures: decisions of the last hour, and the estimated prevalence.
"use strict";
const RocchActivity = (() => {
  const { drawn, element } = RocchShell;
  const SLOT = 10; // the width of a minute in the drawing

  const bar = (kind, i, height, title) => drawn("rect",
    { class: kind, x: i * SLOT + 1, width: SLOT - 2, y: 100 - height, height },
    drawn("title", {}, title));

  /** Bars of rows per minute, oldest first, with the alarms among them. */
  function minutes(box, given) {
    RocchView.redraw(box, given, () => {
      const { rows, alarms, titles, most, label } = given;
      const width = rows.length * SLOT;
      const svg = drawn("svg",
        { viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none", role: "img", "aria-label": label },
        drawn("line", { class: "grid", x1: 0, x2: width, y1: 50, y2: 50 }),
        ...rows.flatMap((height, i) =>
          [bar("rows", i, height, titles[i]), bar("alarms", i, alarms[i], titles[i])]));
      const scale = element("div", { class: "scale", "aria-hidden": "true" },
        element("span", {}, most), element("span", {}, "0"));
      return [scale, svg];
    });
  }

  function mark({ kind, left, width, title }) {
    const node = element("span", { class: kind, title });
    Object.assign(node.style, { left: `${left}%`, width: `${width}%` });
    return node;
  }

  const lane = ({ name, marks }) => element("div", { class: "lane" },
    element("span", { class: "lane-name" }, name),
    element("div", { class: "track" }, ...marks.map(mark)));

  /** Ranges on one axis: what was assumed, and what the scores of the last rows tell. */
  function prevalence(box, given) {
    box.hidden = !given;
    RocchView.redraw(box, given, () => given ? [...given.lanes.map(lane),
      element("div", { class: "ends track-ends", "aria-hidden": "true" },
        ...given.ticks.map((tick) => element("span", {}, tick)))] : []);
  }

  return { minutes, prevalence };
})();
