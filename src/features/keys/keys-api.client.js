// @ts-check

import { call, post } from "../../ui/browser/api.client.js";

/** @typedef {import("../../api/key.ts").KeyView} Key */
/** @typedef {"sign" | "sign-typed-data" | "sign-transaction" | "sign-authorization"} SignAction */
/** @typedef {import("./schema.ts").KeyQuoteView} Quote */

/**
 * Creates a key. A repeated `idempotencyKey` creates no other key.
 * @param {string | undefined} label
 * @param {string} idempotencyKey
 * @returns {Promise<{ readonly key: Key }>}
 */
export function generateKey(label, idempotencyKey) {
  const body = JSON.stringify(label === undefined ? {} : { label });
  return call("POST", "/api/keys/generate", body, { "idempotency-key": idempotencyKey });
}

/**
 * @param {string} keyId
 * @param {Readonly<Record<string, FormDataEntryValue>>} change
 * @returns {Promise<{ readonly key: Key }>}
 */
export function changeKey(keyId, change) {
  return call("PATCH", `/api/keys/${keyId}`, JSON.stringify(change));
}

/** @param {string} keyId @param {"archive" | "unarchive"} action @returns {Promise<{ readonly key: Key }>} */
export function archiveKey(keyId, action) {
  return post(`/api/keys/${keyId}/${action}`);
}

/** @param {string} keyId @param {string} policy JSON text, sent unchanged. */
export function setKeyPolicy(keyId, policy) {
  return call("PUT", `/api/keys/${keyId}/policy`, `{"policy":${policy}}`);
}

/** @param {string} keyId */
export function removeKeyPolicy(keyId) {
  return call("DELETE", `/api/keys/${keyId}/policy`);
}

/**
 * Signs. The response depends on the action.
 * @param {string} keyId
 * @param {SignAction} action
 * @param {string} body JSON text, sent unchanged.
 * @returns {Promise<any>}
 */
export function sign(keyId, action, body) {
  return call("POST", `/api/keys/${keyId}/${action}`, body);
}

/**
 * @param {string} keyId
 * @param {string} nonce base64url
 * @returns {Promise<Quote>}
 */
export function fetchQuote(keyId, nonce) {
  return call("GET", `/api/keys/${keyId}/quote?nonce=${nonce}`);
}
