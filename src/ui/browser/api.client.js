// @ts-check
import { ownHeaders } from "./own-page.client.js";

/**
 * @typedef {{ readonly path?: string, readonly parameter?: string, readonly message: string }} InputFault
 * @typedef {{ readonly id: string, readonly label: string, readonly blindSigning: string }} Key
 * @typedef {{ readonly id: string, readonly name: string }} Passkey
 * @typedef {AllAcceptedCredentialsOptions & CurrentUserDetailsOptions} PasskeySignal
 * @typedef {{ readonly digest: string, readonly signature: string, readonly address: string }} SignedMessage
 * @typedef {{ readonly r: string, readonly s: string, readonly yParity: 0 | 1 }} SignatureParts
 * @typedef {SignatureParts & { readonly serializedTransaction: string, readonly hash: string,
 *   readonly from: string }} SignedTransaction
 * @typedef {SignatureParts & { readonly chainId: number | string, readonly address: string,
 *   readonly nonce: number | string }} SignedAuthorization
 * @typedef {"sign" | "sign-typed-data" | "sign-transaction" | "sign-authorization"} SignAction
 * @typedef {{ readonly quote: string, readonly address: string, readonly inTee: boolean,
 *   readonly provider: string, readonly claims: string }} Quote
 */

/** An answer that is a problem (RFC 9457). */
export class ApiError extends Error {
  /**
   * @param {{ status: number, code: string, detail: string, requestId: string | undefined,
   *   errors: readonly InputFault[], retryAfter: number | undefined }} problem
   */
  constructor(problem) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
  }
}

/** Milliseconds. */
export const TIME_OUT = 30_000;

/**
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export async function readProblem(response) {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  const body = isProblem ? await response.json() : {};
  const retryAfter = Number(response.headers.get("retry-after") ?? NaN);
  return new ApiError({
    status: response.status,
    code: String(body.code ?? "unknown"),
    detail: String(body.detail ?? ""),
    requestId: body.requestId ?? response.headers.get("x-request-id") ?? undefined,
    errors: Array.isArray(body.errors) ? body.errors : [],
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/**
 * Calls our own API. `body` is JSON text, sent as it is. Throws ApiError for a problem, whatever fetch throws when
 * there was no answer.
 * @param {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {string} [body]
 * @param {Readonly<Record<string, string>>} [headers]
 * @returns {Promise<any>}
 */
export async function call(method, path, body, headers = {}) {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(path, {
    method,
    headers: { ...type, ...ownHeaders(), ...headers },
    ...(body === undefined ? {} : { body }),
    cache: "no-store",
    redirect: "error",
    signal: AbortSignal.timeout(TIME_OUT),
  });
  if (!response.ok) throw await readProblem(response);
  return response.status === 204 ? undefined : await response.json();
}

/**
 * @param {string} path
 * @param {unknown} [value]
 * @returns {Promise<any>}
 */
function post(path, value = {}) {
  return call("POST", path, JSON.stringify(value));
}

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

/** @typedef {"new" | "present"} Account whose passkey: one that a sign-up makes, or that of whoever is signed in */

/**
 * @param {Account} [account]
 * @returns {Promise<PublicKeyCredentialCreationOptionsJSON>}
 */
export function getCreationOptions(account) {
  return post("/api/auth/passkey/registration/options", { account });
}

/**
 * @param {unknown} response
 * @param {string} [name] the service finds one where there is none
 * @param {Account} [account] as the options were asked for
 * @returns {Promise<{ readonly passkey?: Passkey }>} the passkey if it is a further one
 */
export function registerPasskey(response, name, account) {
  return post("/api/auth/passkey/registration", { response, name, account });
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

/** @returns {Promise<{ readonly passkeys: readonly Passkey[], readonly signal: PasskeySignal }>} */
export function listPasskeys() {
  return call("GET", "/api/auth/passkeys");
}

/**
 * @param {string} passkeyId
 * @param {string} name
 * @returns {Promise<{ readonly passkey: Passkey }>}
 */
export function renamePasskey(passkeyId, name) {
  return call("PATCH", `/api/auth/passkeys/${passkeyId}`, JSON.stringify({ name }));
}

/**
 * @param {string} action
 * @returns {Promise<PublicKeyCredentialRequestOptionsJSON>}
 */
export function getStepUpOptions(action) {
  return post("/api/auth/step-up/options", { action });
}

/**
 * @param {string} action
 * @param {unknown} response
 * @returns {Promise<void>}
 */
export function stepUp(action, response) {
  return post("/api/auth/step-up", { action, response });
}

/**
 * @param {"others" | "all"} which
 * @returns {Promise<{ readonly ended: number }>}
 */
export function endSessions(which) {
  return post(`/api/auth/sessions/revoke-${which}`);
}

/**
 * Makes a token. The same `idempotencyKey` again makes nothing new.
 * @param {Readonly<Record<string, unknown>>} terms
 * @param {string} policy JSON text, sent as it is; empty for none.
 * @param {string} idempotencyKey
 * @returns {Promise<{ readonly text: string }>}
 */
export function createToken(terms, policy, idempotencyKey) {
  const text = JSON.stringify(terms);
  const member = policy.trim() === "" ? "" : `,"policy":${policy}`;
  const body = `${text.slice(0, -1)}${member}}`;
  return call("POST", "/api/auth/tokens", body, { "idempotency-key": idempotencyKey });
}

/**
 * Makes a key. The same `idempotencyKey` again makes nothing new.
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
 * @param {{ readonly label?: string, readonly blindSigning?: string }} change
 * @returns {Promise<{ readonly key: Key }>}
 */
export function changeKey(keyId, change) {
  return call("PATCH", `/api/keys/${keyId}`, JSON.stringify(change));
}

/**
 * @param {string} keyId
 * @param {"archive" | "unarchive"} action
 * @returns {Promise<{ readonly key: Key }>}
 */
export function archiveKey(keyId, action) {
  return post(`/api/keys/${keyId}/${action}`);
}

/**
 * @param {string} keyId
 * @param {string} policy JSON text, sent as it is.
 */
export function setKeyPolicy(keyId, policy) {
  return call("PUT", `/api/keys/${keyId}/policy`, `{"policy":${policy}}`);
}

/** @param {string} keyId */
export function removeKeyPolicy(keyId) {
  return call("DELETE", `/api/keys/${keyId}/policy`);
}

/**
 * Signs. What is answered depends on the action: a message or typed data, a transaction, an authorization.
 * @param {string} keyId
 * @param {SignAction} action
 * @param {string} body JSON text, sent as it is.
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
