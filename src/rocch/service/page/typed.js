// What people type: numbers with exponents and percent signs, ranges as LOW..HIGH, single words.

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const GROUPED = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
const DECIMAL_COMMA = /^[-+]?\d*,\d+$/;
const SPLIT = /\s*(?:\.\.\.?|…)\s*/;
const DASHED = /^([\d.]+\s*%?)\s*(?:-|–|to)\s*([\d.]+\s*%?)$/i;

/** Move the decimal point in the text: dividing by 100 would change the last digits. */
function scaled(text, percent) {
  const [digits, power = "0"] = text.toLowerCase().split("e");
  return Number(`${digits}e${Number(power) - (percent ? 2 : 0)}`);
}

function number(text, percent) {
  const bare = text.replace(/\s*%$/, "");
  const ungrouped = GROUPED.test(bare) ? bare.replace(/,/g, "") : bare;
  return NUMBER.test(ungrouped) ? scaled(ungrouped, percent || bare !== text) : NaN;
}

/** Say what to write instead of a text that is no number. */
function advice(text, ranged) {
  const dashed = DASHED.exec(text);
  if (dashed && ranged) return `Write a range with two points: ${dashed[1]}..${dashed[2]}.`;
  if (DECIMAL_COMMA.test(text)) return `Write ${text.replace(",", ".").replace(/^\./, "0.")}, with a point.`;
  return ranged ? "Write a number or a range, such as 5 or 5..10." : "Write a number, such as 0.05.";
}

function outside(value, { least = 0, most = Infinity, most_words: words }) {
  if (value < least) return least === 0 ? "It cannot be negative." : `At least ${least}.`;
  if (value <= most) return "";
  const meant = value <= 100 ? ` For ${value} %, write ${scaled(String(value), true)} or ${value} %.` : "";
  return words || `At most ${most}.${meant}`;
}

/** The last end of a range that may be open, as in 5..inf. */
const endless = (parts, kind) => kind.open && parts.length === 2 && parts[1].toLowerCase() === "inf";

function readRange(text, kind) {
  const parts = text.split(SPLIT);
  if (parts.length > 2 || (parts.length === 2 && !kind.ranged)) return { problem: advice(text, kind.ranged) };
  if (endless(parts, kind)) return opened(readRange(parts[0], { ...kind, needs_range: false }));
  const percent = /%$/.test(text); // 10..20 % means both ends
  const ends = parts.map((part) => number(part, percent));
  const wrong = ends.findIndex(Number.isNaN);
  if (wrong >= 0) return { problem: advice(parts[wrong], kind.ranged) };
  const problem = ends.map((end) => outside(end, kind)).find(Boolean);
  if (problem) return { problem };
  if (ends.length === 1) return kind.needs_range ? { problem: "Write a range, such as 5..10." } : { value: ends[0] };
  return ends[0] <= ends[1] ? { value: ends } : { problem: "The low end lies above the high end." };
}

const opened = ({ value, problem }) => (problem ? { problem } : { value: [value, "inf"] });

/** Read a field: {} where it is empty, {value} or {problem} elsewhere. */
export function read(text, kind) {
  const given = text.trim();
  if (given === "") return {};
  if (kind.words === "any") return { value: given };
  if (kind.words && kind.words.includes(given.toLowerCase())) return { value: given.toLowerCase() };
  return readRange(given, kind);
}

/** Write a value as it would be typed. */
export const write = (value) =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.join("..") : String(value);
