// When to draw: what is in sight with the next frame, the rest when nothing else is to be done.
"use strict";
const RocchSight = (() => {
  const PAUSE = 250; // milliseconds without a change, before what is out of sight follows
  const parts = []; // each with the id of its element, and how it is shown
  const whenIdle = (work) => (window.requestIdleCallback
    ? requestIdleCallback(work, { timeout: 200 }) : setTimeout(work, 1));
  let frame = 0;
  let pause = 0;

  function show(part) {
    if (!part.stale) return;
    part.stale = false;
    part.show();
  }

  /** Everything has changed. */
  function changed() {
    for (const part of parts) part.stale = true;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => parts.filter((part) => part.seen).forEach(show));
    clearTimeout(pause);
    pause = setTimeout(rest, PAUSE);
  }

  /** Show one part that is out of sight, and the next when that is done: input goes first. */
  function rest() {
    const next = parts.find((part) => part.stale);
    if (!next) return;
    whenIdle(() => {
      pause = setTimeout(rest, 0); // even if this one fails
      show(next);
    });
  }

  /** Wait until nothing is left to draw. */
  async function settled() {
    while (parts.some((part) => part.stale)) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  const all = () => parts.forEach(show);

  /** Watch the elements that are there; `show` is called whenever they must be drawn anew. */
  function watch(given) {
    const there = given.filter(({ id }) => document.getElementById(id));
    parts.push(...there.map((part) => ({ ...part, stale: false, seen: false })));
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        for (const part of parts.filter(({ id }) => id === target.id)) {
          part.seen = isIntersecting;
          if (isIntersecting) show(part);
        }
      }
    }, { rootMargin: "100px" });
    for (const { id } of there) observer.observe(document.getElementById(id));
    addEventListener("beforeprint", all);
  }

  return { watch, changed, settled };
})();
