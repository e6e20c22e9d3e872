// Numbers, times and states as people say them. No DOM here.

const MOST_DECIMALS = 12;

const grouped = (text) => {
  const [whole, rest] = text.split(".");
  const parted = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return rest === undefined ? parted : `${parted}.${rest}`;
};

const bare = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

function decimalsFor(value, digits) {
  let [size, decimals] = [Math.abs(value), 0];
  while (size && size < 10 ** (digits - 1) && decimals < MOST_DECIMALS) { size *= 10; decimals += 1; }
  return decimals;
}

/** The numbers of JSON, where infinities are texts. */
export const real = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);

/** A number to so many digits, with commas between thousands. */
export function number(value, digits = 4) {
  const given = real(value);
  if (!Number.isFinite(given)) return given > 0 ? "∞" : "−∞";
  if (Math.abs(given) >= 1e15 || (given && Math.abs(given) < 1e-9)) return given.toPrecision(digits);
  return bare(grouped(given.toFixed(decimalsFor(given, digits)))).replace(/^-/, "−");
}

export const count = (value) => number(Math.round(value), 1);

const PERCENT = "\u00a0%"; // which does not break apart from its number
const APART = 2; // decimals that may be added to keep a share apart from 100 %

/** A share in percent, with so many digits, kept apart from 100 % as far as anybody wants to know. */
export function percent(share, digits = 2) {
  let decimals = decimalsFor(100 * share, digits);
  const most = Math.max(decimals, APART);
  const whole = () => share < 1 && Number((100 * share).toFixed(decimals)) >= 100;
  while (whole() && decimals < most) decimals += 1;
  if (whole()) return `over ${(100 - 10 ** -most).toFixed(most)}${PERCENT}`;
  return `${bare(grouped((100 * share).toFixed(decimals)))}${PERCENT}`;
}

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** "a", or "a to b" where the two are told apart. */
export function span([low, high], write = number) {
  const [from, to] = [write(low), write(high)];
  if (from === to) return from;
  return from.endsWith(PERCENT) ? `${from.slice(0, -PERCENT.length)} to ${to}` : `${from} to ${to}`;
}

const two = (n) => String(n).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The time of day. */
export const clock = (at) => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;

/** A moment as an operator says it: the time if it is today's, else the day too. */
export function when(iso, now) {
  const [at, today] = [new Date(iso), new Date(now)];
  if (Number.isNaN(at.getTime())) return String(iso);
  if (at.toDateString() === today.toDateString()) return clock(at);
  const year = at.getFullYear() === today.getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${MONTHS[at.getMonth()]}${year}, ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** What happens to 1,000 cases at a prevalence that lies within bounds; all are linear in it. */
export function perThousand({ fpr, tpr }, bounds) {
  const over = (share) => bounds.map((p) => 1000 * share(p)).sort((a, b) => a - b);
  return {
    alarms: over((p) => p * tpr + (1 - p) * fpr),
    hits: over((p) => p * tpr),
    misses: over((p) => p * (1 - tpr)),
    false_alarms: over((p) => (1 - p) * fpr),
  };
}

const by = (aim) => (aim.by ? ` by ${aim.by}` : "");

/** Where the point in force comes from, since when, by whom. */
export function sourceWords({ aim, in_force: { source } }, now) {
  const note = aim.note ? ` “${aim.note}”` : "";
  const since = aim.at ? ` since ${when(aim.at, now)}` : "";
  if (source === "tuner") return `The tuner moved it here by feedback. It began at the aim put in force${by(aim)}${since}: ${aim.words}.${note}`;
  if (source === "operator") return `Put in force${by(aim)}${since}: ${aim.words}.${note}`;
  if (source === "command line") return `From the command line that started the service${since}: ${aim.words}.${note}`;
  return `Nobody has aimed it yet; this is the default: ${aim.words}.`;
}

const fine = (share) => percent(share, 3);

/** How the estimate of prevalence compares with what was assumed. */
export function prevalenceWords({ assumed, estimated, interval, rows, model, problem }) {
  const held = assumed ? `Assumed: ${span(assumed, fine)}.` : "The aim assumes no prevalence.";
  if (estimated === null) return `${held} ${problem || `No estimate yet: it takes more decided rows (${count(rows)} so far).`}`;
  const near = interval ? ` (${span(interval, fine)})` : "";
  const from = ` from the last ${plural(rows, "row")}${model ? `, by the scores of ${model}` : ""}`;
  const verdict = assumed && interval ? ` ${meets(assumed, interval) ? "The two agree." : "The two do not agree."}` : "";
  return `Estimated: ${fine(estimated)}${near}${from}. ${held}${verdict}${problem ? ` ${problem}` : ""}`;
}

export const meets = ([a, b], [c, d]) => a <= d && c <= b;

/** The sum of the last hour, and the share of alarms beside the expected one. */
export function minutesWords({ total, per_minute: rows, alarms_per_minute: alarms }, expected) {
  const sum = (counts) => counts.reduce((all, each) => all + each, 0);
  const [hour, rung] = [sum(rows), sum(alarms)];
  if (!hour) return `No decisions in the last hour; ${plural(total, "decision")} since the start.`;
  return `The last hour: ${plural(hour, "decision")}, ${plural(rung, "alarm")} (${percent(rung / hour)}; expected ${span(expected, percent)}). ` +
    `${count(total)} since the start.`;
}

/** One ROC point in a few words. */
export const rates = ({ fpr, tpr }) => `FPR ${percent(fpr)}, TPR ${percent(tpr)}`;
