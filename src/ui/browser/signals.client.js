// @ts-check
import { listPasskeys } from "./api.client.js";

// The WebAuthn Signal API (WebAuthn Level 3 section 5.1.10) keeps password managers in line with the service. Many
// browsers have none of it, and what becomes of a signal is nobody's business: none of this ever fails an act.

/** @returns {boolean} */
function hasSignals() {
  return typeof PublicKeyCredential === "function" &&
    typeof PublicKeyCredential.signalAllAcceptedCredentials === "function";
}

/**
 * Tells the browser which passkeys the account has, so that it hides deleted ones, and under which name. Never rejects.
 * @returns {Promise<void>}
 */
export async function signalPasskeys() {
  if (!hasSignals()) return;
  try {
    const { signal: { rpId, userId, name, displayName, allAcceptedCredentialIds } } = await listPasskeys();
    await PublicKeyCredential.signalAllAcceptedCredentials({ rpId, userId, allAcceptedCredentialIds });
    await PublicKeyCredential.signalCurrentUserDetails?.({ rpId, userId, name, displayName });
  } catch {
    // A hint that was not taken.
  }
}

/**
 * Tells the browser that the service does not know a passkey any more. Never rejects.
 * @param {string} rpId
 * @param {string} credentialId base64url
 * @returns {Promise<void>}
 */
export async function signalUnknown(rpId, credentialId) {
  if (typeof PublicKeyCredential !== "function") return;
  try {
    await PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId });
  } catch {
    // A hint that was not taken.
  }
}
