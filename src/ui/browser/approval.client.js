// @ts-check
import { call } from "./api.client.js";
import { confirmWithPasskey } from "./passkey.client.js";
import { wordsOf } from "./messages.client.js";

/**
 * @typedef {{ readonly id: string, readonly digest: string, readonly signed?: any }} SigningRequest `signed` is what
 *   signing at once would have been answered with
 */

/**
 * @param {string} requestId
 * @param {"/approval/options" | "/approval" | "/decline"} path
 * @param {unknown} [value]
 */
function post(requestId, path, value = {}) {
  return call("POST", `/api/signing-requests/${requestId}${path}`, JSON.stringify(value));
}

/**
 * Approves an asked signature with a passkey of whoever is signed in. Throws PasskeyError when the person does not
 * confirm; then it waits as before.
 * @param {string} requestId
 * @param {(words: string) => void} say what the browser is about to ask; the empty text when it is over
 * @returns {Promise<SigningRequest>}
 */
export async function approve(requestId, say) {
  const options = await post(requestId, "/approval/options");
  say(wordsOf("approval").confirm);
  try {
    const response = await confirmWithPasskey(options);
    const { request } = await post(requestId, "/approval", { response });
    return request;
  } finally {
    say("");
  }
}

/**
 * Declines an asked signature; the word is for whoever asked.
 * @param {string} requestId
 * @param {string} word may be empty
 * @returns {Promise<void>}
 */
export function decline(requestId, word) {
  return post(requestId, "/decline", word === "" ? {} : { word });
}

/**
 * What came of a signature. Where the key's rules have its owner asked, whoever signs is the owner: the passkey is asked
 * for at once. Who does not confirm leaves nothing behind that waits.
 * @param {any} answer of the endpoint that signs
 * @param {string} digest of what was reviewed
 * @param {(words: string) => void} say
 * @returns {Promise<any>} what signing at once answers; undefined where it is about something else than was reviewed
 */
export async function signedAtLast(answer, digest, say) {
  /** @type {SigningRequest | undefined} */
  const request = answer.request;
  if (request === undefined) return answer;
  if (request.digest !== digest) return undefined;
  try {
    return (await approve(request.id, say)).signed;
  } catch (error) {
    await call("DELETE", `/api/signing-requests/${request.id}`).catch(() => {});
    throw error;
  }
}
