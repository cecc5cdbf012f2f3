// @ts-check
import { listPasskeys } from "./api.client.js";

// The WebAuthn Signal API (WebAuthn Level 3 section 5.1.10) keeps password managers in line with the service. Many
// browsers lack it, and errors are ignored: a signal never fails an action.

/** @returns {boolean} */
function hasSignals() {
  return typeof PublicKeyCredential === "function" &&
    typeof PublicKeyCredential.signalAllAcceptedCredentials === "function";
}

/** Signals the account's passkeys and its name to the browser, so that it hides deleted passkeys. Never rejects. */
export async function signalPasskeys() {
  if (!hasSignals()) return;
  try {
    const { signal: { rpId, userId, name, displayName, allAcceptedCredentialIds } } = await listPasskeys();
    await PublicKeyCredential.signalAllAcceptedCredentials({ rpId, userId, allAcceptedCredentialIds });
    await PublicKeyCredential.signalCurrentUserDetails?.({ rpId, userId, name, displayName });
  } catch {
    // The browser ignored the signal.
  }
}

/**
 * Signals to the browser that the service does not know a passkey. Never rejects.
 * @param {string} rpId
 * @param {string} credentialId base64url
 */
export async function signalUnknown(rpId, credentialId) {
  if (typeof PublicKeyCredential !== "function") return;
  try {
    await PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId });
  } catch {
    // The browser ignored the signal.
  }
}
