// What every page shares: elements, messages, copying, downloads, the theme, looks, and when to
// draw. No page needs all of its elements: what is missing is left out.
"use strict";
const RocchShell = (() => {
  const $ = (id) => document.getElementById(id);

  // ---- elements --------------------------------------------------------------------------------

  /** The data in a script of the page. */
  const data = (id) => JSON.parse($(id).textContent);

  function dress(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  /** An element with attributes and children; texts stay texts. */
  const element = (tag, attributes = {}, ...children) =>
    dress(document.createElement(tag), attributes, children);

  /** The same for a drawing. */
  const drawn = (tag, attributes = {}, ...children) =>
    dress(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  /** Write a text where it has changed, so that screen readers read only changes. */
  function write(id, text) {
    if ($(id).textContent !== text) $(id).textContent = text;
  }

  /** A name cut in the middle, because the ends tell names apart. */
  function short(text, most = 24) {
    const letters = Array.from(text);
    const half = Math.floor(most / 2);
    if (letters.length <= most) return text;
    return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
  }

  // ---- messages, copies, downloads -------------------------------------------------------------

  let fading = 0;

  /** Show a message for a moment; screen readers read it. */
  function toast(text) {
    $("toast").textContent = text;
    $("toast").classList.add("shown");
    clearTimeout(fading);
    fading = setTimeout(() => $("toast").classList.remove("shown"), 2500);
  }

  async function copy(text, message) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelecting(text); // a page from disk may not use the clipboard in every browser
    }
    toast(message);
  }

  function copyBySelecting(text) {
    const area = element("textarea", { class: "unseen", readonly: "" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  function download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  /** One line of CSV; what a spreadsheet would run as a formula is left as text. */
  const csvLine = (cells) => `${cells.map(csvCell).join(",")}\r\n`;

  function csvCell(value) {
    const isFormula = typeof value === "string" && /^[=+\-@\t\r]/.test(value) && isNaN(value);
    const text = isFormula ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  }

  // ---- the theme -------------------------------------------------------------------------------

  const REMEMBERED = "rocch-theme";
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const watchers = [];

  const isDark = () => (root.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

  function showTheme() {
    $("theme").textContent = isDark() ? "Light" : "Dark";
    $("theme").setAttribute("aria-pressed", String(isDark()));
    for (const watcher of watchers) watcher();
  }

  /** Call a function whenever the theme changes. */
  const onTheme = (watcher) => watchers.push(watcher);

  function toggleTheme() {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(REMEMBERED, root.dataset.theme);
    } catch { /* a page from disk may have no storage; the theme then lasts as long as the page */ }
    showTheme();
  }

  function startTheme() {
    try {
      const theme = localStorage.getItem(REMEMBERED);
      if (theme) root.dataset.theme = theme;
    } catch { /* as above */ }
    $("theme").addEventListener("click", toggleTheme);
    systemDark.addEventListener("change", showTheme);
    showTheme();
  }

  // ---- looks: the color and hatching of each classifier ----------------------------------------

  const COLORS = 8;
  const HATCHINGS = 4;

  /** The style's classes for the classifier at a place, or for none of them at -1. */
  function look(place) {
    if (place < 0) return "trivial";
    const turn = Math.floor(place / COLORS) % HATCHINGS;
    return `k${place % COLORS}${turn ? ` h${turn}` : ""}`;
  }

  /** A small box in the color of a class or classifier. */
  const key = (place) => element("span", { class: `key ${look(place)}`, "aria-hidden": "true" });

  // ---- when to draw: what is in sight at once, the rest when nothing else is to be done --------

  const PAUSE = 250; // milliseconds without a change, before what is out of sight follows
  const parts = []; // each with the id of its element, and the function that shows it
  let [frame, pause] = [0, 0];

  function show(part) {
    if (!part.stale) return;
    part.stale = false;
    part.show();
  }

  /** Draw everything anew, as it comes into sight. */
  function changed() {
    for (const part of parts) part.stale = true;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => parts.filter((part) => part.seen).forEach(show));
    clearTimeout(pause);
    pause = setTimeout(showNext, PAUSE);
  }

  /** Show one part that is out of sight, and the next when that is done: input goes first. */
  function showNext() {
    const next = parts.find((part) => part.stale);
    if (!next) return;
    pause = setTimeout(showNext, 20); // even if this one fails
    show(next);
  }

  /** Wait until nothing is left to draw. */
  async function settled() {
    while (parts.some((part) => part.stale)) await new Promise((done) => setTimeout(done, 20));
  }

  /** Watch elements that are there; `show` is called whenever they must be drawn anew. */
  function watch(given) {
    const present = given.filter(({ id }) => $(id));
    parts.push(...present.map((part) => ({ ...part, stale: false, seen: false })));
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        for (const part of parts.filter(({ id }) => id === target.id)) {
          part.seen = isIntersecting;
          if (isIntersecting) show(part);
        }
      }
    }, { rootMargin: "100px" });
    for (const { id } of present) observer.observe($(id));
    addEventListener("beforeprint", () => parts.forEach(show));
  }

  // ---- the frame of a report -------------------------------------------------------------------

  /** Show a short copy of the sentence while it is out of sight. */
  function echo(target) {
    new IntersectionObserver(([entry]) => {
      const gone = !entry.isIntersecting && entry.boundingClientRect.top < 0;
      $("echo").classList.toggle("shown", gone);
      document.body.classList.toggle("echoing", gone);
    }).observe(target);
  }

  function togglePanel() {
    const open = $("panel").classList.toggle("open");
    $("handle").setAttribute("aria-expanded", String(open));
  }

  /** Links within the page scroll, and leave the address alone: it holds the question. */
  function follow(event) {
    event.preventDefault();
    const target = $(event.currentTarget.getAttribute("href").slice(1));
    target.closest("details")?.setAttribute("open", "");
    target.setAttribute("tabindex", "-1");
    target.focus({ preventScroll: true });
    target.scrollIntoView();
  }

  if ($("theme")) startTheme();
  $("handle")?.addEventListener("click", togglePanel);
  $("print")?.addEventListener("click", () => window.print());
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", follow);
  }

  return {
    $, data, element, drawn, write, short, toast, copy, download, csvLine, onTheme, look,
    key, changed, settled, watch, echo,
  };
})();
