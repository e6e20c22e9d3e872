// Numbers as people type them: with an exponent, a percent sign, commas between thousands.
"use strict";
const RocchTyped = (() => {
  const NUMBER = /^([-+]?(?:\d+\.?\d*|\.\d+))(?:e([-+]?\d+))?$/i;
  const GROUPED = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
  const DECIMAL_COMMA = /^[-+]?\d*,\d+$/;

  const bare = (text) => text.trim().replace(/\s*%$/, "");
  const ungrouped = (text) => (GROUPED.test(text) ? text.replace(/,/g, "") : text);

  /** Read a number, times a power of ten; NaN where there is none. */
  function read(text, power = 0) {
    const found = NUMBER.exec(ungrouped(bare(text)));
    // the decimal point is moved in the text: dividing would change the last digits
    return found ? Number(`${found[1]}e${Number(found[2] || 0) + power}`) : NaN;
  }

  /** What to write instead, where that can be guessed. */
  function advice(text) {
    const given = bare(text);
    const comma = DECIMAL_COMMA.test(given) && !GROUPED.test(given);
    return comma ? `Write ${given.replace(",", ".").replace(/^\./, "0.")}, with a point.` : "";
  }

  return { read, advice };
})();
