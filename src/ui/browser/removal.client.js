// @ts-check
import { ApiError, call } from "./api.client.js";

/**
 * Deletes a resource. Succeeds if it is already deleted, by another tab or by a request whose response was lost.
 * @param {string} path
 */
async function remove(path) {
  try {
    await call("DELETE", path);
  } catch (error) {
    if (!(error instanceof ApiError && error.problem.code === "not_found")) throw error;
  }
}

/** @param {string} passkeyId @returns {Promise<void>} */
export function deletePasskey(passkeyId) {
  return remove(`/api/auth/passkeys/${passkeyId}`);
}

/** @param {string} sessionId @returns {Promise<void>} */
export function endSession(sessionId) {
  return remove(`/api/auth/sessions/${sessionId}`);
}

/** @param {string} tokenId @returns {Promise<void>} */
export function revokeToken(tokenId) {
  return remove(`/api/auth/tokens/${tokenId}`);
}

/** @param {string} subscriptionId @returns {Promise<void>} */
export function stopNotifying(subscriptionId) {
  return remove(`/api/auth/push-subscriptions/${subscriptionId}`);
}

/** @param {string} identityId @returns {Promise<void>} */
export function unlinkIdentity(identityId) {
  return remove(`/api/auth/account/identities/${identityId}`);
}
