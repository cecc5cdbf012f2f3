import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { runModule } from "./module.ts";
import type { Result } from "./module.ts";
import { MODULES } from "./modules.ts";
import { openOp } from "./op.ts";
import type { Op, Tamper, TamperRequest } from "./op.ts";

// Providers that omit a check or ignore a parameter. Each module that covers it must fail.

const LIMIT = { timeout: 60_000 };
const AUTHORIZE = "/api/auth/oauth2/authorize";
const TOKEN = "/api/auth/oauth2/token";
const USER_INFO = "/api/auth/oauth2/userinfo";
const END_SESSION = "/api/auth/oauth2/end-session";

async function run(name: string, op: Op): Promise<Result> {
  return await runModule(MODULES.find((module) => module.name === name)!, op);
}

async function assertFails(name: string, op: Op): Promise<void> {
  const { verdict, reason } = await run(name, op);
  assert.equal(verdict, "failed");
  assert.notEqual(reason, "");
}

/** Verifies that each of these modules fails at a provider with a fault. */
function allFail(
  fault: string,
  names: readonly string[],
  tamper: Tamper,
  tamperRequest?: TamperRequest,
): void {
  describe(`a module fails if ${fault}:`, () => {
    let op: Op;
    before(async () => void (op = await openOp(tamper, tamperRequest)));
    after(async () => await op[Symbol.asyncDispose]());
    for (const name of names) test(name, LIMIT, () => assertFails(name, op));
  });
}

/** Answers every token request with tokens: the last issued ones, or invented ones, instead of an error. */
function tokensForAll(): Tamper {
  let last: object = {
    access_token: "x".repeat(43),
    token_type: "Bearer",
    expires_in: 3600,
    scope: "openid",
  };
  return async (request, response) => {
    if (new URL(request.url).pathname !== TOKEN) return response;
    if (response.status === 200) last = await response.clone().json();
    return response.status === 200
      ? response
      : Response.json(last, { headers: { "cache-control": "no-store" } });
  };
}

const FAPI = "fapi2-security-profile-final";

allFail("the token endpoint never refuses", [
  "oidcc-codereuse",
  "oidcc-codereuse-30seconds",
  "oidcc-refresh-token",
  "oidcc-server-client-secret-post",
  `${FAPI}-ensure-pkce-code-verifier-required`,
  `${FAPI}-incorrect-pkce-code-verifier-rejected`,
  `${FAPI}-ensure-token-endpoint-fails-with-expired-auth-code`,
  `${FAPI}-attempt-reuse-authorization-code-after-one-second`,
  `${FAPI}-ensure-authorization-code-is-bound-to-client`,
  `${FAPI}-ensure-client-id-in-token-endpoint`,
  `${FAPI}-refresh-token`,
], tokensForAll());

/** Redirects back with a code instead of an error. */
const codesForAll: Tamper = (request, response) => {
  const sent = new URL(request.url);
  const uri = sent.searchParams.get("redirect_uri") ?? "https://rp.example/callback";
  const isError = sent.pathname === AUTHORIZE && response.status >= 400;
  const location = response.headers.get("location") ?? (isError ? uri : null);
  const target = location === null ? undefined : new URL(location, sent);
  if (target?.hostname !== "rp.example" || !(isError || target.searchParams.has("error"))) return response;
  for (const name of ["error", "error_description"]) target.searchParams.delete(name);
  target.searchParams.set("code", "c".repeat(43));
  return new Response(null, { status: 303, headers: { location: target.href } });
};

allFail("the authorization endpoint never refuses", [
  "oidcc-response-type-missing",
  "oidcc-ensure-registered-redirect-uri",
  "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
  "oidcc-ensure-request-object-with-redirect-uri",
  "oidcc-prompt-none-not-logged-in",
  "oidcc-redirect-uri-query-added",
  "oidcc-redirect-uri-query-mismatch",
  "oidcc-ensure-redirect-uri-in-authorization-request",
  `${FAPI}-par-ensure-pkce-required`,
  `${FAPI}-par-plain-pkce-rejected`,
  `${FAPI}-ensure-registered-redirect-uri`,
  `${FAPI}-ensure-redirect-uri-in-authorization-request`,
  `${FAPI}-ensure-response-type-token-fails`,
  `${FAPI}-ensure-response-type-code-idtoken-fails`,
  `${FAPI}-user-rejects-authentication`,
], codesForAll);

/** Removes a parameter of the authorization request. */
function ignores(parameter: string): TamperRequest {
  return (request) => {
    const url = new URL(request.url);
    if (url.pathname !== AUTHORIZE || request.method !== "GET") return request;
    url.searchParams.delete(parameter);
    return new Request(url, request);
  };
}

describe("a module fails if a parameter is ignored:", () => {
  for (
    const [name, parameter] of [
      ["oidcc-server", "nonce"],
      ["oidcc-server", "state"],
      ["oidcc-prompt-login", "prompt"],
      ["oidcc-max-age-1", "max_age"],
      [`${FAPI}-ensure-authorization-request-with-long-nonce`, "nonce"],
      ["oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", "request"],
      ["oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", "request_uri"],
    ] as const
  ) {
    test(`${name}, ${parameter}`, LIMIT, async () => {
      await using op = await openOp(undefined, ignores(parameter));
      await assertFails(name, op);
    });
  }
});

/** Does not sign the user out. */
const staysSignedIn: TamperRequest = (request) => {
  const url = new URL(request.url);
  return url.pathname === END_SESSION ? new Request(new URL("/nowhere", url), request) : request;
};

/** Redirects to the requested URI with the state, without a check. */
const alwaysRedirects: Tamper = (request, response) => {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== END_SESSION) return response;
  const uri = searchParams.get("post_logout_redirect_uri");
  const location = new URL(uri ?? "/signed-out", request.url);
  if (uri !== null && searchParams.has("state")) {
    location.searchParams.set("state", searchParams.get("state")!);
  }
  return new Response(null, { status: 303, headers: { location: location.href } });
};

const LOGOUT = "oidcc-rp-initiated-logout";
const LOGOUTS = [
  LOGOUT,
  ...["no-state", "no-params", "no-post-logout-redirect-uri", "only-state"].map((what) =>
    `${LOGOUT}-${what}`
  ),
];
allFail("a logout ends no session", LOGOUTS, alwaysRedirects, staysSignedIn);

test(
  "oidcc-codereuse-30seconds warns if the access token of the first use still works",
  LIMIT,
  async () => {
    const works: Tamper = (request, response) =>
      new URL(request.url).pathname === USER_INFO && response.status === 401
        ? Response.json({ sub: "account_1" })
        : response;
    await using op = await openOp(works);
    assert.equal((await run("oidcc-codereuse-30seconds", op)).verdict, "warning");
  },
);

test("oidcc-server-rotate-keys fails if no new key is published", LIMIT, async () => {
  let first: string | undefined;
  const stale: Tamper = async (request, response) => {
    if (new URL(request.url).pathname !== "/api/auth/jwks") return response;
    first ??= await response.clone().text();
    return new Response(first, { headers: { "content-type": "application/json" } });
  };
  await using op = await openOp(stale);
  await assertFails("oidcc-server-rotate-keys", op);
});
