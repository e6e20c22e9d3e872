// The service: its token, kept for this tab only, and questions to it.
"use strict";
const RocchClient = (() => {
  const TOKEN = "rocch-token";
  const NAME = "rocch-name";
  const PATIENCE = 10000; // milliseconds; a server that is silent for so long is gone

  const keep = (token) => sessionStorage.setItem(TOKEN, token.trim());
  const token = () => sessionStorage.getItem(TOKEN) || "";
  const forget = () => sessionStorage.removeItem(TOKEN);

  /** Take a token from #token=..., if there is one, and remove it from the address. */
  function fromAddress() {
    const found = new URLSearchParams(location.hash.slice(1)).get("token");
    if (!found) return false;
    history.replaceState(null, "", location.pathname + location.search);
    keep(found);
    return true;
  }

  /** The operator's name, so that it is typed once. */
  const keepName = (name) => sessionStorage.setItem(NAME, name);
  const name = () => sessionStorage.getItem(NAME) || "";

  /** An error; those that the service answers have a status, and maybe an argument. */
  const failure = (message, more = {}) => Object.assign(new Error(message), more);

  async function ask(path, { method = "GET", body } = {}) {
    if (/[^ -~]/.test(token())) throw failure("", { status: 401 }); // a header could not hold it
    const headers = { Authorization: `Bearer ${token()}`, "Content-Type": "application/json" };
    const response = await fetch(path, {
      method, headers, body: body && JSON.stringify(body),
      cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE),
    }).catch(({ name: kind }) => {
      const silent = kind === "TimeoutError";
      throw failure(`The service ${silent ? "does not answer" : "cannot be reached"}.`);
    });
    const answer = await response.json().catch(() => {
      throw failure(`The answer (${response.status}) is not the service’s.`);
    });
    if (response.ok) return answer;
    throw failure("", { ...answer.error, status: response.status });
  }

  return { ask, forget, fromAddress, keep, keepName, name, token };
})();
