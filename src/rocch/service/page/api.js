// Questions to the service. An answer with an error becomes a Refused, no answer a Gone.

import { kept } from "./session.js";

const PATIENCE = 10000; // milliseconds; a server that is silent for so long is gone

/** The service answered, with an error of its own. */
export class Refused extends Error {
  constructor(status, { code = "", message = "", argument = null } = {}) {
    super(message || `The service answered ${status}.`);
    Object.assign(this, { status, code, argument });
  }
}

/** Nobody answered, or something that is not the service. */
export class Gone extends Error {}

async function content(response) {
  try {
    return await response.json();
  } catch {
    throw new Gone(`The answer (${response.status}) is not the service’s.`);
  }
}

/** Ask, and return what came as JSON. */
export async function ask(path, { method = "GET", body } = {}) {
  const token = kept() || "";
  if (/[^ -~]/.test(token)) throw new Refused(401); // a header could not hold it
  const headers = { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(PATIENCE),
    });
  } catch (error) {
    throw new Gone(error.name === "TimeoutError" ? "The service does not answer." : "The service cannot be reached.");
  }
  const answer = await content(response);
  if (!response.ok) throw new Refused(response.status, answer.error);
  return answer;
}
