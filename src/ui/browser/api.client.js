// @ts-check

/**
 * @typedef {{ readonly path?: string, readonly parameter?: string, readonly message: string }} InputFault
 * @typedef {import("../../api/passkey.ts").PasskeyView} Passkey
 * @typedef {AllAcceptedCredentialsOptions & CurrentUserDetailsOptions} PasskeySignal
 */

/** A response that is a problem document (RFC 9457). */
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

/** @param {Response} response @returns {Promise<ApiError>} */
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
 * Calls the service's API. `body` is JSON text, sent unchanged. Throws ApiError for a problem, and the error of `fetch`
 * without a response.
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

/** @param {string} path @param {unknown} [value] @returns {Promise<any>} */
export function post(path, value = {}) {
  return call("POST", path, JSON.stringify(value));
}

/** @typedef {"new" | "present"} Account of a new passkey: `new` at sign-up, `present` for the signed-in user */

/** @param {Account} [account] @returns {Promise<PublicKeyCredentialCreationOptionsJSON>} */
export function getCreationOptions(account) {
  return post("/api/auth/passkey/registration/options", { account });
}

/**
 * @param {unknown} response
 * @param {string} [name] chosen by the service if absent
 * @param {Account} [account] the same as for the options
 * @returns {Promise<{ readonly passkey?: Passkey }>} the passkey, if it is not the account's first
 */
export function registerPasskey(response, name, account) {
  return post("/api/auth/passkey/registration", { response, name, account });
}

/** @returns {Promise<{ readonly passkeys: readonly Passkey[], readonly signal: PasskeySignal }>} */
export function listPasskeys() {
  return call("GET", "/api/auth/passkeys");
}

/** @param {string} action @returns {Promise<PublicKeyCredentialRequestOptionsJSON>} */
export function getStepUpOptions(action) {
  return post("/api/auth/step-up/options", { action });
}

/** @param {string} action @param {unknown} response @returns {Promise<void>} */
export function stepUp(action, response) {
  return post("/api/auth/step-up", { action, response });
}

/**
 * Returns the header that names the account of this page. The service refuses the request if another user signed in
 * meanwhile in another tab.
 * @returns {Record<string, string>}
 */
export function ownHeaders() {
  const account = globalThis.document?.body?.dataset.account;
  return account === undefined ? {} : { "holdfast-account": account };
}
