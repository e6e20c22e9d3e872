// Slopes, lines of equal cost, and places along the hull. No DOM here.

const ends = (value) => (Array.isArray(value) ? value : [value, value]);

function prevalenceBounds(conditions, judged) {
  const { prevalence, negatives_per_positive: ratio } = conditions;
  if (ratio !== undefined && ratio !== null) return ends(ratio).map((n) => 1 / (1 + n)).reverse();
  if (prevalence === "observed") {
    const observed = judged.positives / (judged.positives + judged.negatives);
    return [observed, observed];
  }
  return prevalence === undefined || prevalence === null ? null : ends(prevalence);
}

/** The steepness of lines of equal cost: costs beside the odds of a negative. */
function slope(prevalence, alarm, miss) {
  if (miss <= 0) return Infinity;
  return prevalence <= 0 ? Infinity : (alarm / miss) * ((1 - prevalence) / prevalence);
}

/** The lowest and the highest slope that conditions allow; null where they name no costs. */
export function slopes(conditions, judged) {
  if (!conditions) return null;
  const bounds = prevalenceBounds(conditions, judged);
  const { false_positive: alarm = 1, false_negative: miss = 1 } = conditions;
  const { true_positive: hit = 0, true_negative: rest = 0 } = conditions;
  if (!bounds) return null;
  const [fp, fn, tp, tn] = [alarm ?? 1, miss ?? 1, hit ?? 0, rest ?? 0].map(ends);
  const found = [slope(bounds[1], fp[0] - tn[1], fn[1] - tp[0]), slope(bounds[0], fp[1] - tn[0], fn[0] - tp[1])];
  return found.some((each) => Number.isNaN(each) || each < 0) ? null : found;
}

/** The vertex that a line of this slope touches; of two, the left one. */
export function touched(vertices, steepness) {
  if (steepness === Infinity) return vertices.filter((v) => v.fpr === vertices[0].fpr).length - 1;
  const height = ({ fpr, tpr }) => tpr - steepness * fpr;
  return vertices.reduce((best, v, i) => (height(v) > height(vertices[best]) + 1e-12 ? i : best), 0);
}

/** The ends of the line of this slope through a point, within the unit square. */
export function isoLine(steepness, { fpr, tpr }) {
  if (steepness === Infinity) return [[fpr, 0], [fpr, 1]];
  if (steepness === 0) return [[0, tpr], [1, tpr]];
  const reach = [Math.max(0, fpr - tpr / steepness), Math.min(1, fpr + (1 - tpr) / steepness)];
  return reach.map((x) => [x, tpr + steepness * (x - fpr)]);
}

/** The vertex nearest to a position of the knob; of two, the left one. */
export const nearest = (vertices, position) => vertices.reduce((best, v, i) =>
  (Math.abs(v.knob - position) < Math.abs(vertices[best].knob - position) ? i : best), 0);

/** The vertex truly to the right (way 1) or to the left (way -1) of a position, or the last there. */
export function beyond(vertices, position, way) {
  const left = vertices.filter((v) => v.knob < position - 1e-12).length;
  const right = vertices.filter((v) => v.knob <= position + 1e-12).length;
  return way > 0 ? Math.min(right, vertices.length - 1) : Math.max(left - 1, 0);
}

/** Neighboring vertices of one classifier as [first, last]. */
export function runs(vertices) {
  const found = [];
  vertices.forEach((v, i) => {
    const last = found[found.length - 1];
    if (last && vertices[last[0]].classifier === v.classifier) last[1] = i;
    else found.push([i, i]);
  });
  return found;
}

/** A round number at or above the largest value, for the end of an axis. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((m) => m * power).find((end) => end >= value * (1 - 1e-12));
}
