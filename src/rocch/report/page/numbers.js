// Numbers as people read and type them, by the rules of rocch.numbers, and templates to fill.
"use strict";
const RocchNumbers = (() => {
  const MOST_DECIMALS = 12;
  const HUGE = 1e21; // from here on toFixed would write an exponent

  // ---- writing ---------------------------------------------------------------------------------

  function decimalText(value, decimals) {
    if (Math.abs(value) < HUGE) return value.toFixed(decimals);
    return BigInt(value) + (decimals ? `.${"0".repeat(decimals)}` : "");
  }

  function fixed(value, decimals) {
    const [whole, rest] = decimalText(value, decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    return rest === undefined ? grouped : `${grouped}.${rest}`;
  }

  const withoutZeros = (text) =>
    (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

  function decimalsFor(value, digits) {
    let size = Math.abs(value);
    let decimals = 0;
    while (size && size < 10 ** (digits - 1) && decimals < MOST_DECIMALS) {
      size *= 10;
      decimals += 1;
    }
    return decimals;
  }

  const significant = (value, digits) => withoutZeros(fixed(value, decimalsFor(value, digits)));

  function perHundred(rate, digits) {
    const value = 100 * rate;
    let decimals = decimalsFor(value, digits);
    while (rate < 1 && Number(value.toFixed(decimals)) >= 100 && decimals < MOST_DECIMALS) {
      decimals += 1;
    }
    return withoutZeros(fixed(value, decimals));
  }

  const per100 = (rate) => perHundred(rate, 2);

  /** A share in percent, in three digits. */
  const percentage = (share) => perHundred(share, 3);

  /** A number of four or more whole digits, rounded to three. */
  function threeDigits(value) {
    const step = 10 ** (decimalText(Math.abs(value), 0).length - 3);
    return step <= 1 ? value : Math.floor(value / step + 0.5) * step;
  }

  /** A cost to be read: in three significant digits. */
  const money = (value) => significant(threeDigits(value), 3);

  /** A threshold to be read: in three digits, and close to 1 as far as it differs from 1. */
  function roughThreshold(text) {
    const value = Number(text);
    if (!text.trim() || !Number.isFinite(value)) return text;
    const rest = 1 - value;
    const decimals = Math.max(decimalsFor(value, 3),
      rest > 0 && rest < 0.1 ? decimalsFor(rest, 2) : 0);
    const rough = withoutZeros(fixed(threeDigits(value), decimals));
    return rough.length < text.length ? rough : text;
  }

  /** A number as Python's repr writes it; one of six digits also as its format "g" does. */
  function pythonic(value, isShort = false) {
    const [digits, exponent] = value.toExponential().split("e");
    const size = Number(exponent);
    if (value && (size < -4 || size >= (isShort ? 6 : 16))) {
      return `${digits}e${size < 0 ? "-" : "+"}${String(Math.abs(size)).padStart(2, "0")}`;
    }
    const text = String(value);
    return isShort || text.includes(".") ? text : `${text}.0`;
  }

  const counted = (value) => (Number.isInteger(value) ? fixed(value, 0) : significant(value, 6));

  // ---- the browser's own decimal comma ---------------------------------------------------------

  const marks = Object.fromEntries(new Intl.NumberFormat(navigator.language)
    .formatToParts(-1234567.8).map(({ type, value }) => [type, value]));
  const isComma = marks.decimal === ",";
  const separators = isComma ? `,${marks.group ?? "."}` : ".,";
  const GROUPED_BY_POINTS = /^[1-9]\d{0,2}(?:[.\s]\d{3})+(?:,\d*)?$/;

  /** A number in the browser's own marks, if its language has decimal commas. */
  const local = (text) => (isComma
    ? text.replace(/[.,]/g, (mark) => separators[mark === "." ? 0 : 1]) : text);

  /** What was typed with the browser's own marks, with a decimal point. */
  const typed = (text) => (isComma
    ? text.replace(/\d+(?:[.,\s]\d+)*/g, (number) => (GROUPED_BY_POINTS.test(number)
      ? number.replace(/[.\s]/g, "") : number).replace(",", ".")) : text);

  const inMarks = (write) => (...given) => local(write(...given));

  /** One text for a number, or both ends of an interval. */
  function between([low, high], write, to = " to ") {
    const [first, last] = [write(low), write(high)];
    return first === last ? first : `${first}${to}${last}`;
  }

  /** A number from JSON, which cannot write infinite ones. */
  const real = (value) => ({ inf: Infinity, "-inf": -Infinity }[value] ?? value);

  /** Both ends of a number or an interval; 0 where there is none. */
  const ends = (value) => (Array.isArray(value) ? value.map(real) : [value ?? 0, value ?? 0]);

  // ---- reading ---------------------------------------------------------------------------------

  const DASHED = /^([\d.,/]+\s*%?)\s*[-\u2013]\s*([\d.,/]+\s*%?)$/;
  const NUMBER = /^([-+]?(?:\d+\.?\d*|\.\d+))(?:e([-+]?\d+))?$/i;
  const GROUPED = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
  const DECIMAL_COMMA = /^[-+]?\d*,\d+$/;
  const LONGEST = 100;

  function parseNumber(text, isShare) {
    if (/^inf(inity)?$/i.test(text)) return Infinity;
    const isPercent = isShare && text.endsWith("%");
    let digits = isPercent ? text.slice(0, -1).trimEnd() : text;
    if (GROUPED.test(digits)) digits = digits.replace(/,/g, "");
    else if (DECIMAL_COMMA.test(digits)) digits = digits.replace(",", ".");
    const slash = digits.indexOf("/");
    if (slash >= 0) {
      const [top, bottom] = [digits.slice(0, slash), digits.slice(slash + 1)]
        .map((part) => parseNumber(part.trim(), false));
      return top === null || !bottom ? null : top / bottom / (isPercent ? 100 : 1);
    }
    const found = NUMBER.exec(digits);
    if (!found || digits.length > LONGEST) return null;
    // the decimal point is moved, because dividing by 100 would change the last digits
    return Number(`${found[1]}e${Number(found[2] || 0) - (isPercent ? 2 : 0)}`);
  }

  /** Read a number, or an interval as a pair; null where it is neither. */
  function parseInterval(text, isShare = false) {
    const dashed = DASHED.exec(text.trim());
    const parts = dashed ? [dashed[1], dashed[2]] : text.trim().split(/\.{2,3}|…/);
    if (parts.length > 2) return null;
    if (isShare && parts.length === 2 && parts[1].trimEnd().endsWith("%")) {
      parts[0] = `${parts[0].trimEnd().replace(/%$/, "")}%`;
    }
    const numbers = parts.map((part) => parseNumber(part.trim(), isShare));
    if (numbers.includes(null)) return null;
    return numbers.length === 1 ? numbers[0] : numbers;
  }

  // ---- templates -------------------------------------------------------------------------------

  /** Fill a list of texts and names of slots by turns, or a text with slots in braces. */
  function fill(template, values) {
    const pieces = typeof template === "string" ? template.split(/[{}]/) : template;
    return pieces.map((piece, i) => (i % 2 ? values[piece] : piece)).join("");
  }

  const CONTROLS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

  /** Write out control characters, and marks that turn the direction of what follows. */
  const escaped = (name) => name.replace(CONTROLS, (mark) => {
    const digits = mark.charCodeAt(0).toString(16);
    const isWide = digits.length > 2;
    const code = `\\${isWide ? "u" : "x"}${digits.padStart(isWide ? 4 : 2, "0")}`;
    return { "\t": "\\t", "\r": "\\r" }[mark] ?? code;
  });

  const writers = {
    fixed, significant, per100, percentage, money, roughThreshold, counted,
    percent: (share) => `${per100(share)}%`,
  };

  return {
    ...Object.fromEntries(Object.entries(writers).map(([name, write]) => [name, inMarks(write)])),
    pythonic, local, typed, separators, between, real, ends, parseInterval, fill, escaped,
  };
})();
