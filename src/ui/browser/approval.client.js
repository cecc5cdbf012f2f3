// @ts-check
import { call } from "./api.client.js";
import { confirmWithPasskey } from "./passkey.client.js";
import { messagesOf } from "./messages.client.js";

/**
 * @typedef {{ readonly id: string, readonly digest: string, readonly signed?: any }} SigningRequest `signed` has the
 *   form of an immediate signature
 */

/** @param {string} requestId @param {"/approval/options" | "/approval" | "/decline"} path @param {unknown} [value] */
function post(requestId, path, value = {}) {
  return call("POST", `/api/signing-requests/${requestId}${path}`, JSON.stringify(value));
}

/**
 * Approves a signing request with a passkey of the signed-in user. Throws PasskeyError if the user does not confirm;
 * the request then remains pending.
 * @param {string} requestId
 * @param {(message: string) => void} show shows what the browser is about to ask; an empty text clears it
 * @returns {Promise<SigningRequest>}
 */
export async function approve(requestId, show) {
  const options = await post(requestId, "/approval/options");
  show(messagesOf("approval").confirm);
  try {
    const response = await confirmWithPasskey(options);
    const { request } = await post(requestId, "/approval", { response });
    return request;
  } finally {
    show("");
  }
}

/**
 * Declines a signing request, with a message for the requester.
 * @param {string} requestId
 * @param {string} word may be empty
 * @returns {Promise<void>}
 */
export function decline(requestId, word) {
  return post(requestId, "/decline", word === "" ? {} : { word });
}

/**
 * Returns the result of a signing operation. If the key's policy requires the owner's approval, requests the passkey at
 * once, because the user is the owner. Withdraws the request if the user does not confirm.
 * @param {any} answer the response of the signing endpoint
 * @param {string} digest of the reviewed content
 * @param {(message: string) => void} show
 * @returns {Promise<any>} the signature; undefined if it covers other content than was reviewed
 */
export async function awaitSignature(answer, digest, show) {
  /** @type {SigningRequest | undefined} */
  const request = answer.request;
  if (request === undefined) return answer;
  if (request.digest !== digest) return undefined;
  try {
    return (await approve(request.id, show)).signed;
  } catch (error) {
    await call("DELETE", `/api/signing-requests/${request.id}`).catch(() => {});
    throw error;
  }
}
