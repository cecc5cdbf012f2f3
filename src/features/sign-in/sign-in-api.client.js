// @ts-check

import { post } from "../../ui/browser/api.client.js";

/**
 * @typedef {import("../../api/value.ts").Of<typeof import("../../api/account.ts").CodeSent>} CodeSent
 * @typedef {import("../../api/value.ts").Of<typeof import("./schema.ts").AddressProven>} AddressProven
 */

/** @param {string} email @returns {Promise<CodeSent>} */
export function sendCode(email) {
  return post("/api/auth/email-code", { email });
}

/** @param {string} email @param {string} code @returns {Promise<AddressProven>} */
export function verifyCode(email, code) {
  return post("/api/auth/email-code/verify", { email, code });
}

/** @returns {Promise<PublicKeyCredentialRequestOptionsJSON>} */
export function getRequestOptions() {
  return post("/api/auth/passkey/authentication/options");
}

/** @param {unknown} response @param {boolean} staySignedIn @returns {Promise<void>} */
export function authenticate(response, staySignedIn) {
  return post("/api/auth/passkey/authentication", { response, staySignedIn });
}
