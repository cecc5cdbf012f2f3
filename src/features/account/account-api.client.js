// @ts-check
import { call, post } from "../../ui/browser/api.client.js";

/** @typedef {import("../../ui/browser/api.client.js").Passkey} Passkey */

/** @param {string} passkeyId @param {string} name @returns {Promise<{ readonly passkey: Passkey }>} */
export function renamePasskey(passkeyId, name) {
  return call("PATCH", `/api/auth/passkeys/${passkeyId}`, JSON.stringify({ name }));
}

/** @param {"others" | "all"} which @returns {Promise<{ readonly ended: number }>} */
export function endSessions(which) {
  return post(`/api/auth/sessions/revoke-${which}`);
}
