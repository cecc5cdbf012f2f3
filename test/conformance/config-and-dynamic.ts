import assert from "node:assert/strict";
import { administer } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";
import { checkErrorPage } from "./checks.ts";
import { checkIdToken, fetchKeys } from "./id-token.ts";
import { PASSED, skipped } from "./module.ts";
import type { Module, Outcome } from "./module.ts";
import { DISCOVERY } from "./op.ts";
import type { Op } from "./op.ts";
import { newPerson } from "./person.ts";
import {
  authorize,
  CALLBACK,
  finish,
  newClient,
  prepare,
  readCallbackCode,
  redeem,
} from "./relying-party.ts";

const WITH_QUERY = `${CALLBACK}?foo=bar`;

/** Checks that an endpoint is an https URL of the issuer (RFC 8414 section 2). Allows http for localhost. */
function checkEndpoint(op: Op, name: string, value: unknown): void {
  assert.equal(typeof value, "string", `${name} must be a string`);
  const url = new URL(value as string);
  assert.ok(url.protocol === "https:" || url.hostname === "localhost", `${name} must be https`);
  assert.equal(url.hash, "", `${name} must have no fragment`);
  assert.equal(url.origin, op.origin, `${name} must be at the issuer`);
}

const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] as const;

const MUST_LIST: Readonly<Record<string, string>> = {
  response_types_supported: "code",
  grant_types_supported: "authorization_code",
  scopes_supported: "openid",
  subject_types_supported: "public",
  id_token_signing_alg_values_supported: "RS256",
  token_endpoint_auth_methods_supported: "client_secret_basic",
  code_challenge_methods_supported: "S256",
  claims_supported: "sub",
};

/** The private members of a JWK (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] as const;

async function checkKeys(op: Op): Promise<readonly string[]> {
  const { keys } = await fetchKeys(op);
  assert.ok(keys.length > 0, "there must be a key");
  for (const key of keys) {
    for (const member of PRIVATE_MEMBERS) assert.equal(member in key, false, `a key must not have ${member}`);
    assert.equal(key.use, "sig");
    await crypto.subtle.importKey("jwk", key as JsonWebKey, IMPORTS[key.alg!]!, true, ["verify"]);
  }
  const ids = keys.map(({ kid }) => kid!);
  assert.equal(ids.includes(undefined!), false, "every key must have a kid");
  assert.equal(new Set(ids).size, ids.length, "kids must be distinct");
  return ids;
}

const IMPORTS: Readonly<Record<string, RsaHashedImportParams | EcKeyImportParams | Algorithm>> = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  EdDSA: { name: "Ed25519" },
};

async function discovery(op: Op): Promise<Outcome> {
  const { status, headers, body } = await op.client().get(DISCOVERY);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^application\/json\b/);
  assert.equal(body.issuer, op.origin, "the issuer must be the URL without the well-known path");
  for (const name of ENDPOINTS) checkEndpoint(op, name, body[name]);
  for (const [name, value] of Object.entries(body)) {
    if (name.endsWith("_endpoint")) checkEndpoint(op, name, value);
    if (!name.endsWith("_supported") || typeof value === "boolean") continue;
    const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
    assert.ok(isList && value.length > 0, `${name} must be a list of strings`);
  }
  for (const [name, value] of Object.entries(MUST_LIST)) {
    assert.ok(body[name].includes(value), `${name} must include ${value}`);
  }
  await checkKeys(op);
  return PASSED;
}

async function rotateKeys(op: Op): Promise<Outcome> {
  const before = await checkKeys(op);
  await op.rotateKeys();
  const after = await checkKeys(op);
  assert.ok(after.some((kid) => !before.includes(kid)), "there must be a new key");
  for (const kid of before) assert.ok(after.includes(kid), "the old keys must still be published");
  return PASSED;
}

async function idTokenRs256(op: Op): Promise<Outcome> {
  const client = await newClient(op, { idTokenSignedResponseAlg: "RS256" });
  const sent = prepare(client);
  const code = readCallbackCode(op, sent, await authorize(op, await newPerson(op), sent));
  const { body } = await redeem(op, sent, code);
  const nonce = sent.parameters.get("nonce")!;
  await checkIdToken(op, body, { audience: client.clientId, nonce, algorithm: "RS256" });
  return PASSED;
}

async function redirectUriQueryOk(op: Op): Promise<Outcome> {
  const sent = prepare(await newClient(op, { redirectUris: [WITH_QUERY] }));
  const ending = await authorize(op, await newPerson(op), sent);
  await finish(op, sent, ending);
  assert.equal(ending.at.searchParams.get("foo"), "bar");
  return PASSED;
}

function redirectUriRefused(registered: readonly string[], sentUri: string | undefined): Module["run"] {
  return async (op) => {
    const client: Registered = await newClient(op, { redirectUris: registered });
    const sent = prepare(client, { redirect_uri: sentUri });
    checkErrorPage(await authorize(op, await newPerson(op), sent));
    return PASSED;
  };
}

async function redirectUriFragment(op: Op): Promise<Outcome> {
  const { status, body } = await administer(op, "POST", "", {
    name: "Fragment",
    uri: "https://rp.example",
    type: "web",
    redirectUris: [`${CALLBACK}#foobar`],
  });
  assert.deepEqual([status, body.code], [400, "invalid_request"]);
  assert.equal(body.client, undefined);
  return PASSED;
}

/** Returns a module that sends an unsupported member of dynamic registration, which the admin API must refuse. */
function notRegistered(member: string, value: unknown, reason: string): Module["run"] {
  return async (op) => {
    assert.equal(op.metadata.registration_endpoint, undefined);
    const { status } = await administer(op, "POST", "", {
      name: "Extra",
      uri: "https://rp.example",
      type: "web",
      redirectUris: [CALLBACK],
      [member]: value,
    });
    assert.equal(status, 400);
    return skipped(reason);
  };
}

const NO_LOGOS =
  "no registration endpoint; the consent page shows name, home page and host, and loads nothing";
const NO_KEYS = "no registration endpoint; clients have no keys";
const NO_SECTORS = "subject_types_supported has no pairwise";

export const CONFIG_AND_DYNAMIC: readonly Module[] = [
  { name: "oidcc-discovery-endpoint-verification", plan: "Config", run: discovery },
  { name: "oidcc-server-rotate-keys", plan: "Dynamic", run: rotateKeys },
  { name: "oidcc-idtoken-rs256", plan: "Dynamic", run: idTokenRs256 },
  { name: "oidcc-redirect-uri-query-OK", plan: "Dynamic", run: redirectUriQueryOk },
  {
    name: "oidcc-redirect-uri-query-added",
    plan: "Dynamic",
    run: redirectUriRefused([CALLBACK], WITH_QUERY),
  },
  {
    name: "oidcc-redirect-uri-query-mismatch",
    plan: "Dynamic",
    run: redirectUriRefused([WITH_QUERY], `${CALLBACK}?bar=foo`),
  },
  { name: "oidcc-redirect-uri-regfrag", plan: "Dynamic", run: redirectUriFragment },
  {
    name: "oidcc-ensure-redirect-uri-in-authorization-request",
    plan: "Dynamic",
    run: redirectUriRefused([CALLBACK, "https://rp.example/second"], undefined),
  },
  ...["logo", "policy", "tos"].map((what): Module => ({
    name: `oidcc-registration-${what}-uri`,
    plan: "Dynamic",
    run: notRegistered(`${what}_uri`, "https://rp.example/page", NO_LOGOS),
  })),
  {
    name: "oidcc-registration-jwks-uri",
    plan: "Dynamic",
    run: notRegistered("jwks_uri", "https://rp.example/jwks", NO_KEYS),
  },
  ...["uri", "bad"].map((what): Module => ({
    name: `oidcc-registration-sector-${what}`,
    plan: "Dynamic",
    run: notRegistered("sector_identifier_uri", "https://rp.example/sector", NO_SECTORS),
  })),
];
