// @ts-check

/**
 * @typedef {{ readonly kind: string, readonly message: string, readonly warning?: string | undefined,
 *   readonly hasSessionEnded?: boolean }} Draft what somebody wrote and has not signed; what was said against signing it;
 *   whether the session ended over it
 */

/** @param {string} keyId */
function placeOf(keyId) {
  return `draft:${keyId}`;
}

/**
 * Keeps what is written for a key, or forgets it when that is nothing: in the storage of this tab, which a reload and a
 * sign-in in between leave and signing out clears. More than the browser has room for is not kept, and nothing older in
 * its place.
 * @param {string} keyId
 * @param {Draft} draft
 */
export function keepDraft(keyId, draft) {
  if (draft.message === "") return forgetDraft(keyId);
  try {
    sessionStorage.setItem(placeOf(keyId), JSON.stringify(draft));
  } catch {
    forgetDraft(keyId);
  }
}

/** @param {string} keyId */
export function forgetDraft(keyId) {
  try {
    sessionStorage.removeItem(placeOf(keyId));
  } catch {
    // The browser gives no storage: there is nothing to forget.
  }
}

/**
 * What was kept for a key; undefined where there is nothing, or nothing that can be read.
 * @param {string} keyId
 * @returns {Draft | undefined}
 */
export function findDraft(keyId) {
  try {
    const { kind, message, warning, hasSessionEnded } = JSON.parse(
      sessionStorage.getItem(placeOf(keyId)) ?? "null",
    );
    if (typeof kind !== "string" || typeof message !== "string") return undefined;
    const said = typeof warning === "string" ? warning : undefined;
    return { kind, message, warning: said, hasSessionEnded: hasSessionEnded === true };
  } catch {
    return undefined;
  }
}
