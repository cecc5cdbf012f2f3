// @ts-check

import { post } from "../../ui/browser/api.client.js";

/**
 * @param {string} email
 * @returns {Promise<{ readonly expiresIn?: number }>} seconds
 */
export function sendCode(email) {
  return post("/api/auth/email-code", { email });
}

/**
 * @param {string} email
 * @param {string} code
 * @returns {Promise<{ readonly next: "register_passkey" | "sign_in" }>}
 */
export function verifyCode(email, code) {
  return post("/api/auth/email-code/verify", { email, code });
}

/** @returns {Promise<PublicKeyCredentialRequestOptionsJSON>} */
export function getRequestOptions() {
  return post("/api/auth/passkey/authentication/options");
}

/**
 * @param {unknown} response
 * @returns {Promise<void>}
 */
export function authenticate(response) {
  return post("/api/auth/passkey/authentication", { response });
}
