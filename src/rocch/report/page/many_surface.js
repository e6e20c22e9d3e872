// The surface in three dimensions: the miss rates of three classes.
"use strict";
const RocchManySurface = (() => {
  const { plain, short } = RocchShell;
  const SYMBOLS = ["diamond", "square", "cross", "x"]; // those that three dimensions have

  function canDraw() {
    const canvas = document.createElement("canvas");
    return Boolean(canvas.getContext("webgl2") || canvas.getContext("webgl"));
  }

  /** Three classes that differ most among the members: their trade-off shows most. */
  function widest(model) {
    const spans = model.classes.map((_, k) => {
      const rates = model.rates.filter((_r, place) => model.members.place[place] >= 0).map((r) => 1 - r[k * (model.size + 1)]);
      return [rates.reduce((a, b) => Math.max(a, b), 0) - rates.reduce((a, b) => Math.min(a, b), 1), k];
    });
    return spans.sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 3).map(([, k]) => k).sort((a, b) => a - b);
  }

  /** Names as these axes show them: they know no entities, so brackets become quotes. */
  const flat = (text) => short(text, 18).replace(/</g, "‹").replace(/>/g, "›");

  const rate = (model, place, k) => 1 - model.rates[place][k * (model.size + 1)];
  const along = (model, places, axes) =>
    Object.fromEntries(["x", "y", "z"].map((name, i) => [name, places.map((place) => rate(model, place, axes[i]))]));

  function draw(model, named, chosen, axes, narrow, look) {
    const members = model.members.model.map((_, place) => place).filter((place) => model.members.place[place] >= 0);
    const hover = `${axes.map((k, i) => `${plain(short(model.classes[k], 18))} %{${"xyz"[i]}:.1%}`).join(", ")} missed`;
    const rows = model.totals.reduce((a, b) => a + b, 0);
    // few errors stand out: dark on light, light on dark
    const cloud = {
      type: "scatter3d", mode: "markers", ...along(model, members, axes), hovertemplate: `${hover}<extra></extra>`, name: "members",
      marker: { size: members.length > 300 ? 2.3 : 5, opacity: members.length > 300 ? 0.5 : 0.8, color: members.map((place) => model.errors[place] / rows),
        showscale: !narrow, colorscale: "Cividis", reversescale: RocchShell.isDark(), colorbar: { thickness: 10, outlinewidth: 0, len: 0.6, tickformat: ".0%", tickfont: { color: look.soft }, title: { text: "wrong", font: { color: look.soft, size: 12 } } } },
    };
    const marks = named.map(([name, place], i) => ({
      type: "scatter3d", mode: "markers", ...along(model, [place], axes), name: plain(name), hovertemplate: `${plain(name)}<br>${hover}<extra></extra>`,
      marker: { size: 7, symbol: SYMBOLS[i % 4], color: look.color(i + (i > 2 ? 3 : 0)), line: { color: look.surface, width: 1 } },
    }));
    const now = {
      type: "scatter3d", mode: "markers", ...along(model, [chosen], axes), name: "the recommendation", hovertemplate: `the recommendation<br>${hover}<extra></extra>`,
      marker: { size: 9, symbol: "circle", color: look.accent, line: { color: look.surface, width: 2 } },
    };
    const side = (k) => ({
      title: { text: `${flat(model.classes[k])} missed`, font: { color: look.soft } }, tickformat: ".0%", rangemode: "tozero",
      gridcolor: look.line, zerolinecolor: look.line, backgroundcolor: "rgba(0,0,0,0)", color: look.soft, tickfont: { color: look.soft, size: 11 },
    });
    const layout = {
      ...RocchManyCharts.frame(look), margin: { l: 0, r: 0, t: 0, b: 0 }, uirevision: axes.join(),
      scene: { xaxis: side(axes[0]), yaxis: side(axes[1]), zaxis: side(axes[2]), aspectmode: "cube", camera: { eye: narrow ? { x: 1.9, y: 1.9, z: 1 } : { x: 1.45, y: 1.45, z: 0.75 }, center: { x: 0, y: 0, z: -0.14 } } },
    };
    return [[cloud, ...marks, now], layout];
  }

  return { canDraw, widest, draw, along };
})();
