// What every page of a report shares: the theme, messages, copying, downloads, loading Plotly.
"use strict";
const RocchShell = (() => {
  const $ = (id) => document.getElementById(id);
  const remembered = "rocch-theme";
  const themeWatchers = [];
  let plotly = null; // the promise of Plotly, once asked for

  /** The summary that the page was made of. */
  const summary = () => JSON.parse($("summary").textContent);

  /** An element with attributes and children; texts stay texts. */
  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  /** The same for a drawing. */
  function drawn(tag, attributes = {}) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag); // a name, not loaded
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  }

  /** A name as Plotly shows it letter by letter: it would read some markup otherwise. */
  const plain = (text) =>
    String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  /** A name cut in the middle, because the ends tell names apart. */
  function short(text, most = 24) {
    const letters = Array.from(text);
    const half = Math.floor(most / 2);
    return letters.length <= most
      ? text
      : letters.slice(0, half).join("") + "…" + letters.slice(-half).join("");
  }

  /** Say something for a moment, aloud too where the page is read aloud. */
  let fading = 0;
  function toast(text) {
    $("toast").textContent = text;
    $("toast").classList.add("shown");
    clearTimeout(fading);
    fading = setTimeout(() => $("toast").classList.remove("shown"), 2500);
  }

  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelecting(text); // a page from disk may not use the clipboard in every browser
    }
    toast(what + " copied");
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
  const csvLine = (cells) => cells.map(csvCell).join(",") + "\r\n";
  function csvCell(value) {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) && isNaN(value)
      ? "'" + value
      : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

  function showTheme() {
    $("theme").textContent = isDark() ? "Light" : "Dark";
    $("theme").setAttribute("aria-pressed", String(isDark()));
    themeWatchers.forEach((watcher) => watcher(isDark()));
  }

  /** Call a function now and whenever the theme changes. */
  function onTheme(watcher) {
    themeWatchers.push(watcher);
    watcher(isDark());
  }

  function toggleTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(remembered, document.documentElement.dataset.theme);
    } catch { /* a page from disk may have no storage; the theme then lasts as long as the page */ }
    showTheme();
  }

  function startTheme() {
    try {
      const theme = localStorage.getItem(remembered);
      if (theme) document.documentElement.dataset.theme = theme;
    } catch { /* as above */ }
    $("theme").addEventListener("click", toggleTheme);
    systemDark.addEventListener("change", showTheme);
    showTheme();
  }

  /** Unpack Plotly's text; it waits compressed at the end of the page. */
  async function unpack() {
    const packed = Uint8Array.from(atob($("plotly").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  // with a time limit: a browser that is never idle never calls back otherwise
  const afterPaint = () => new Promise((resolve) => requestAnimationFrame(() =>
    (window.requestIdleCallback ? requestIdleCallback(resolve, { timeout: 300 }) : setTimeout(resolve))));

  async function load() {
    if (document.readyState === "loading")
      await new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));
    await afterPaint();
    if (!("DecompressionStream" in window))
      throw new Error("This browser cannot unpack the interactive charts; everything else works.");
    const script = document.createElement("script");
    script.textContent = await unpack();
    document.head.append(script);
    $("plotly").textContent = "";
    return window.Plotly;
  }

  /** The promise of Plotly, loaded after the first paint; refused with the reason. */
  const withPlotly = () => (plotly = plotly || load());

  /** Watch whether the sentence is in sight; a short echo of it shows where it is not. */
  function echo(target) {
    new IntersectionObserver(([entry]) => {
      const gone = !entry.isIntersecting && entry.boundingClientRect.top < 0;
      $("echo").classList.toggle("shown", gone);
      document.body.classList.toggle("echoing", gone);
    }).observe(target);
  }

  function startPanel() {
    $("handle").addEventListener("click", () => {
      const open = $("panel").classList.toggle("open");
      $("handle").setAttribute("aria-expanded", String(open));
    });
  }

  /** Links within the page scroll, and leave the address alone: it holds the settings. */
  function startLinks() {
    for (const link of document.querySelectorAll('a[href^="#"]'))
      link.addEventListener("click", (event) => {
        event.preventDefault();
        const target = document.querySelector(link.getAttribute("href"));
        target.setAttribute("tabindex", "-1");
        target.focus({ preventScroll: true });
        target.scrollIntoView();
      });
  }

  function start() {
    startTheme();
    startPanel();
    startLinks();
    $("print").addEventListener("click", () => window.print());
  }

  return {
    $, summary, element, drawn, plain, short, toast, copy, download, csvLine, isDark, onTheme, withPlotly,
    echo, start,
  };
})();
RocchShell.start();
