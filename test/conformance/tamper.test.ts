import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runModule } from "./module.ts";
import { MODULES } from "./modules.ts";
import { openOp } from "./op.ts";
import type { Tamper } from "./op.ts";

// Adds one fault at a time to the provider's responses. Each module that covers it must fail.

/** Changes a redirect to the client. */
function onRedirect(change: (location: URL) => void): Tamper {
  return (request, response) => {
    const location = response.headers.get("location");
    if (location === null || !location.startsWith("https://rp.example")) return response;
    const url = new URL(location, request.url);
    change(url);
    const headers = new Headers(response.headers);
    headers.set("location", url.href);
    return new Response(null, { status: response.status, headers });
  };
}

/** Changes a JSON response of a path. */
// deno-lint-ignore no-explicit-any -- responses differ in shape
function onJson(path: string, change: (body: any) => void): Tamper {
  return async (request, response) => {
    if (new URL(request.url).pathname !== path) return response;
    const body = await response.json();
    change(body);
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    return new Response(JSON.stringify(body), { status: response.status, headers });
  };
}

/** Changes the status and headers of a response of a path. */
function onHeaders(path: string, change: (headers: Headers) => number | void): Tamper {
  return async (request, response) => {
    if (new URL(request.url).pathname !== path) return response;
    const headers = new Headers(response.headers);
    const status = change(headers) ?? response.status;
    return new Response(status === 303 ? null : await response.text(), { status, headers });
  };
}

const AUTHORIZE = "/api/auth/oauth2/authorize";
const TOKEN = "/api/auth/oauth2/token";
const END_SESSION = "/api/auth/oauth2/end-session";

/** Changes the first character of the signature, because the last one has unused bits. */
function otherSignature(idToken: string): string {
  const at = idToken.lastIndexOf(".") + 1;
  return idToken.slice(0, at) + (idToken[at] === "A" ? "B" : "A") + idToken.slice(at + 1);
}

const FAULTS: readonly (readonly [fault: string, module: string, tamper: Tamper])[] = [
  ["no iss in a response", "oidcc-server", onRedirect((url) => url.searchParams.delete("iss"))],
  ["another state", "oidcc-server", onRedirect((url) => url.searchParams.set("state", "x"))],
  [
    "state where none was sent",
    "fapi2-security-profile-final-ensure-authorization-request-without-state-success",
    onRedirect((url) => url.searchParams.set("state", "x")),
  ],
  [
    "a truncated state",
    "fapi2-security-profile-final-ensure-authorization-request-with-long-state",
    onRedirect((url) => url.searchParams.set("state", "s".repeat(256))),
  ],
  ["an answer in the fragment", "oidcc-server", onRedirect((url) => void (url.hash = url.search))],
  ["a guessable code", "oidcc-server", onRedirect((url) => url.searchParams.set("code", "123456"))],
  [
    "an unregistered error",
    "oidcc-prompt-none-not-logged-in",
    onRedirect((url) => url.searchParams.set("error", "not_today")),
  ],
  [
    "a TAB in a description",
    "oidcc-prompt-none-not-logged-in",
    onRedirect((url) => url.searchParams.set("error_description", "Sign\tin")),
  ],
  [
    "a code beside an error",
    "oidcc-prompt-none-not-logged-in",
    onRedirect((url) => url.searchParams.set("code", "c".repeat(43))),
  ],
  [
    "a redirect to an unregistered address",
    "oidcc-ensure-registered-redirect-uri",
    onHeaders(AUTHORIZE, (headers) => {
      headers.set("location", "https://rp.example/anywhere?error=invalid_request");
      return 303;
    }),
  ],
  [
    "a redirect that repeats the form",
    "oidcc-ensure-post-request-succeeds",
    onHeaders(AUTHORIZE, (headers) => headers.has("location") ? 307 : undefined),
  ],
  [
    "tokens that may be cached",
    "oidcc-server",
    onHeaders(TOKEN, (headers) => headers.delete("cache-control")),
  ],
  [
    "errors as text",
    "oidcc-codereuse",
    onHeaders(TOKEN, (headers) => headers.set("content-type", "text/html")),
  ],
  [
    "another error for a used code",
    "oidcc-codereuse",
    onJson(TOKEN, (body) => void (body.error &&= "invalid_request")),
  ],
  [
    "a forged signature",
    "oidcc-idtoken-signature",
    onJson(TOKEN, (body) => void (body.id_token = otherSignature(body.id_token))),
  ],
  [
    "an access token of another response",
    "oidcc-idtoken-rs256",
    onJson(TOKEN, (body) => void (body.access_token = "x".repeat(43))),
  ],
  ["no scope", "oidcc-server", onJson(TOKEN, (body) => delete body.scope)],
  [
    "userinfo of another account",
    "oidcc-userinfo-get",
    onJson("/api/auth/oauth2/userinfo", (body) => void (body.sub += "x")),
  ],
  [
    "another issuer",
    "oidcc-discovery-endpoint-verification",
    onJson("/.well-known/openid-configuration", (body) => void (body.issuer += "/")),
  ],
  [
    "an endpoint without https",
    "oidcc-discovery-endpoint-verification",
    onJson("/.well-known/openid-configuration", (body) => void (body.extra_endpoint = "http://op.example/")),
  ],
  [
    "a private key in public",
    "oidcc-discovery-endpoint-verification",
    onJson("/api/auth/jwks", (body) => void (body.keys[0].d = "AA")),
  ],
  [
    "one kid for all keys",
    "oidcc-discovery-endpoint-verification",
    onJson("/api/auth/jwks", (body) => body.keys.forEach((key: { kid: string }) => void (key.kid = "1"))),
  ],
  [
    "a logout redirect without a hint",
    "oidcc-rp-initiated-logout-no-id-token-hint",
    onHeaders(END_SESSION, (headers) => {
      headers.set("location", "https://rp.example/logged-out");
      return 303;
    }),
  ],
  [
    "a logout without state",
    "oidcc-rp-initiated-logout",
    onRedirect((url) => url.searchParams.delete("state")),
  ],
];

describe("a module", () => {
  for (const [fault, name, tamper] of FAULTS) {
    test(`${name} fails at ${fault}`, { timeout: 60_000 }, async () => {
      await using op = await openOp(tamper);
      const { verdict, reason } = await runModule(MODULES.find((module) => module.name === name)!, op);
      assert.equal(verdict, "failed");
      assert.notEqual(reason, "");
    });
  }
});
