// @ts-check

/**
 * @typedef {{ readonly kind: string, readonly message: string, readonly warning?: string | undefined,
 * readonly hasSessionEnded?: boolean }} Draft an unsigned text, the warning against signing it, and whether
 * the session
 * ended while signing it
 */

/** @param {string} keyId */
function storageKeyOf(keyId) {
  return `draft:${keyId}`;
}

/**
 * Stores the draft for a key, or deletes it if the message is empty. The session storage of the tab survives a reload
 * and a sign-in; signing out clears it. If the draft exceeds the browser's quota, deletes the older one too.
 * @param {string} keyId
 * @param {Draft} draft
 */
export function keepDraft(keyId, draft) {
  if (draft.message === "") return forgetDraft(keyId);
  try {
    sessionStorage.setItem(storageKeyOf(keyId), JSON.stringify(draft));
  } catch {
    forgetDraft(keyId);
  }
}

/** @param {string} keyId */
export function forgetDraft(keyId) {
  try {
    sessionStorage.removeItem(storageKeyOf(keyId));
  } catch {
    // Without storage there is nothing to delete.
  }
}

/** @param {string} keyId @returns {Draft | undefined} undefined also if it cannot be read */
export function findDraft(keyId) {
  try {
    const { kind, message, warning, hasSessionEnded } = JSON.parse(
      sessionStorage.getItem(storageKeyOf(keyId)) ?? "null",
    );
    if (typeof kind !== "string" || typeof message !== "string") return undefined;
    const text = typeof warning === "string" ? warning : undefined;
    return { kind, message, warning: text, hasSessionEnded: hasSessionEnded === true };
  } catch {
    return undefined;
  }
}
