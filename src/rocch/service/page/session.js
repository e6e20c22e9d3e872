// The token: kept for this tab only, taken from the address at most once.

const KEPT = "rocch-token";
const NAME = "rocch-name";

/** Take a token from #token=..., if there is one, and take it out of the address and its history. */
export function fromAddress() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try { keep(decodeURIComponent(found[1])); } catch { keep(found[1]); }
  return true;
}

export const keep = (token) => sessionStorage.setItem(KEPT, token.trim());
export const kept = () => sessionStorage.getItem(KEPT);
export const forget = () => sessionStorage.removeItem(KEPT);

/** The operator's name, so that it is typed once. */
export const keepName = (name) => sessionStorage.setItem(NAME, name);
export const name = () => sessionStorage.getItem(NAME) || "";
