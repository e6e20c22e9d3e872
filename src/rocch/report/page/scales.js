// Scales of sliders: from a share of the way to a value with few digits, and back.
"use strict";
const RocchScales = (() => {
  const round = (value, digits = 3) => Number(value.toPrecision(digits));
  const within = (share) => Math.min(1, Math.max(0, share));

  function log(low, high) {
    const span = Math.log(high / low);
    return {
      value: (share) => round(low * Math.exp(share * span)),
      share: (value) => (value > 0 ? within(Math.log(value / low) / span) : 0),
    };
  }

  function logit(least) {
    const end = Math.log((1 - least) / least);
    return {
      value: (share) => {
        const odds = Math.exp((2 * share - 1) * end);
        return odds < 1 ? round(odds / (1 + odds)) : round(1 - round(1 / (1 + odds)), 12);
      },
      share: (value) => within((Math.log(value / (1 - value)) / end + 1) / 2),
    };
  }

  const square = {
    value: (share) => round(share * share, 2),
    share: (value) => within(Math.sqrt(value)),
  };

  return { log, logit, square, round };
})();
