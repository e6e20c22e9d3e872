// The service: its token, kept for this tab only, and questions to it.
"use strict";
const RocchClient = (() => {
  const TOKEN = "rocch-token";
  const NAME = "rocch-name";
  const PATIENCE = 10000; // milliseconds; a server that is silent for so long is gone

  /** The service answered, with an error of its own. */
  class Refused extends Error {
    constructor(status, { message = "", argument = null } = {}) {
      super(message || `The service answered ${status}.`);
      Object.assign(this, { status, argument });
    }
  }

  const keep = (token) => sessionStorage.setItem(TOKEN, token.trim());
  const token = () => sessionStorage.getItem(TOKEN);
  const forget = () => sessionStorage.removeItem(TOKEN);

  /** Take a token from #token=..., if there is one, and remove it from the address. */
  function fromAddress() {
    const found = /^#token=(.+)$/.exec(location.hash);
    if (!found) return false;
    history.replaceState(null, "", location.pathname + location.search);
    try {
      keep(decodeURIComponent(found[1]));
    } catch {
      keep(found[1]);
    }
    return true;
  }

  /** The operator's name, so that it is typed once. */
  const keepName = (name) => sessionStorage.setItem(NAME, name);
  const name = () => sessionStorage.getItem(NAME) || "";

  function send(path, method, body) {
    const headers = { Authorization: `Bearer ${token() || ""}` };
    if (body) headers["Content-Type"] = "application/json";
    return fetch(path, {
      method, headers, body: body && JSON.stringify(body),
      cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE),
    });
  }

  /** Return what the service answers; raise Refused for an error of its own. */
  async function ask(path, { method = "GET", body } = {}) {
    if (/[^ -~]/.test(token() || "")) throw new Refused(401); // a header could not hold it
    const response = await send(path, method, body).catch((error) => {
      const slow = error.name === "TimeoutError";
      throw new Error(slow ? "The service does not answer." : "The service cannot be reached.");
    });
    const answer = await response.json().catch(() => {
      throw new Error(`The answer (${response.status}) is not the service’s.`);
    });
    if (!response.ok) throw new Refused(response.status, answer.error);
    return answer;
  }

  return { Refused, ask, forget, fromAddress, keep, keepName, name, token };
})();
