// @ts-check
import { messagesOf } from "./messages.client.js";

/** A failed ceremony. The message is a sentence for the user. */
export class PasskeyError extends Error {
  /** @param {string} message @param {unknown} [cause] */
  constructor(message, cause) {
    super(message, { cause });
    this.name = "PasskeyError";
  }
}

/** @typedef {"create" | "get" | "confirm"} Ceremony `confirm`: the signed-in user confirms one action */

/** @returns {string} the message for a browser without passkeys */
export function noSupport() {
  return messagesOf("passkey").noSupport;
}

/**
 * Returns the sentence for a browser's refusal (WebAuthn Level 3 sections 5.1.3.1 and 5.1.4.2).
 * @param {unknown} error
 * @param {Ceremony} ceremony
 * @returns {string}
 */
export function refusalSentence(error, ceremony) {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  const { refusals, unknown } = messagesOf("passkey");
  return Object.hasOwn(refusals, name) ? /** @type {any} */ (refusals)[name][ceremony] : unknown;
}

/** @returns {boolean} true if the browser has the required parts of WebAuthn Level 3 */
export function isSupported() {
  return typeof PublicKeyCredential === "function" &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function" &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";
}

/**
 * Returns true if the browser can suggest passkeys in a field. Some browsers have only the older of the two methods,
 * some both.
 * @returns {Promise<boolean>}
 */
export async function canSuggest() {
  if (!isSupported()) return false;
  try {
    const isAvailable = await PublicKeyCredential.isConditionalMediationAvailable?.();
    return isAvailable ?? (await PublicKeyCredential.getClientCapabilities?.())?.["conditionalGet"] === true;
  } catch {
    return false;
  }
}

/**
 * Returns true if a ceremony failed because the device already has a passkey of the account (`excludeCredentials`).
 * @param {unknown} error
 * @returns {boolean}
 */
export function isAlreadyHere(error) {
  return error instanceof PasskeyError && error.cause instanceof DOMException &&
    error.cause.name === "InvalidStateError";
}

/** @param {Ceremony} ceremony @param {() => Promise<Credential | null>} ask @returns {Promise<unknown>} */
async function perform(ceremony, ask) {
  if (!isSupported()) throw new PasskeyError(noSupport());
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (error) {
    // The caller that aborts handles it.
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new PasskeyError(refusalSentence(error, ceremony), error);
  }
  throw new PasskeyError(messagesOf("passkey").unknown);
}

/**
 * Creates a passkey. Resolves to the response as JSON; throws PasskeyError.
 * @param {PublicKeyCredentialCreationOptionsJSON} options
 * @returns {Promise<unknown>}
 */
export function createPasskey(options) {
  return perform(
    "create",
    () =>
      navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  );
}

/**
 * Uses a passkey: in a dialog, or `conditional`, suggested in a field until the signal aborts. Resolves to the response
 * as JSON; throws PasskeyError, or AbortError after the signal.
 * @param {PublicKeyCredentialRequestOptionsJSON} options
 * @param {AbortSignal} signal
 * @param {"optional" | "conditional"} mediation
 * @returns {Promise<unknown>}
 */
export function usePasskey(options, signal, mediation) {
  return perform("get", () =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
      signal,
      mediation,
    }));
}

/**
 * Uses a passkey of the signed-in user to confirm one action. Resolves to the response as JSON; throws PasskeyError, or
 * AbortError after the signal.
 * @param {PublicKeyCredentialRequestOptionsJSON} options
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export function confirmWithPasskey(options, signal = new AbortController().signal) {
  return perform("confirm", () =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
      signal,
    }));
}
