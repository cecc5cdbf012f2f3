// @ts-check

/**
 * @typedef {{ readonly path?: string, readonly parameter?: string, readonly message: string }} InputFault
 * @typedef {import("../../api/passkey.ts").PasskeyView} Passkey
 * @typedef {AllAcceptedCredentialsOptions & CurrentUserDetailsOptions} PasskeySignal
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
export function post(path, value = {}) {
  return call("POST", path, JSON.stringify(value));
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

/** @returns {Promise<{ readonly passkeys: readonly Passkey[], readonly signal: PasskeySignal }>} */
export function listPasskeys() {
  return call("GET", "/api/auth/passkeys");
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
 * Says whose page this is: what it asks for is done for nobody else, who may have signed in in another tab meanwhile.
 * @returns {Record<string, string>}
 */
export function ownHeaders() {
  const account = globalThis.document?.body?.dataset.account;
  return account === undefined ? {} : { "holdfast-account": account };
}
