// @ts-check
import { call } from "../../ui/browser/api.client.js";

/**
 * @typedef {import("../../api/value.ts").Of<typeof import("./schema.ts").EvidenceBody>} Evidence
 * @typedef {import("../../api/value.ts").Of<typeof import("./schema.ts").SettingsBody>} Settings
 * @typedef {import("../../api/value.ts").Of<typeof import("../../api/recovery.ts").RecoveryCodesMade>}
 * RecoveryCodesMade
 */

/** @param {string} path @param {unknown} [value] @returns {Promise<any>} */
function post(path, value = {}) {
  return call("POST", `/api/auth/${path}`, JSON.stringify(value));
}

/** @param {string} email @returns {Promise<unknown>} */
export function sendRecoveryCode(email) {
  return post("recovery/email-code", { email });
}

/** @param {Evidence} evidence @returns {Promise<unknown>} */
export function beginRecovery(evidence) {
  return post("recovery", evidence);
}

/** @param {Evidence} evidence @returns {Promise<PublicKeyCredentialCreationOptionsJSON>} */
export function getRecoveryOptions(evidence) {
  return post("recovery/passkey/options", evidence);
}

/** @param {unknown} response @returns {Promise<unknown>} */
export function finishRecovery(response) {
  return post("recovery/passkey", { response });
}

/** @returns {Promise<RecoveryCodesMade>} */
export function makeRecoveryCodes() {
  return post("way-back/codes");
}

/** @param {Settings} settings @returns {Promise<unknown>} */
export function changeRecoverySettings(settings) {
  return call("PATCH", "/api/auth/way-back", JSON.stringify(settings));
}

/** @returns {Promise<void>} */
export function cancelRecovery() {
  return call("DELETE", "/api/auth/way-back/recovery");
}
