import { newBrowserSecret, readBrowserHash } from "../../accounts/session/browser-secret.ts";
import { together } from "../../db/transaction.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type { Visitor } from "../../oauth/authorize/authorization-step.ts";
import type { ClientCredentials } from "../../oauth/client/client-authentication.ts";
import { presentNonce } from "../../oauth/dpop/nonce.ts";
import { challengesOf, type SentToken } from "../../oauth/dpop/resource-token.ts";
import { OAuthError } from "../../oauth/error.ts";
import { findParameter } from "../../oauth/parameters.ts";
import { type ExpectedRows, expectRows } from "../../store/read.ts";
import type { Vault } from "../../vault/vault.ts";
import { readServiceCookie, setServiceCookie } from "../cookie/cookies.ts";
import type { RequestContext } from "../request-context.ts";
import { readAuthorization, readSentProof } from "../request/authorization-header.ts";
import { BODY_LIMIT, KIB } from "../request/body.ts";
import { readOAuthQuery, readUniqueOAuthForm } from "../request/oauth-parameters.ts";
import type { ExtraHeaders } from "../response/respond.ts";
import type { Services } from "../services.ts";
import { pageVisitor } from "./account-guards.ts";
import type { Guard } from "./guard.ts";

export interface AuthorizationVisitor extends Visitor {
  /** Renews the cookie for the lifetime of a pending request. */
  readonly cookies: ExtraHeaders;
}

async function checkAuthorizationVisitor(
  context: RequestContext,
  services: Services,
): Promise<AuthorizationVisitor | Response> {
  const { random, baseUrl, db, authority } = services;
  const client = (): readonly ExpectedRows[] => {
    const id = context.url.searchParams.get("client_id");
    return id === null ? [] : [["client", { id }]];
  };
  const [signedIn] = await together(
    pageVisitor.check(context, services),
    // The request reads the client next: it is read together with the session.
    expectRows(db, authority, client),
  );
  if (signedIn instanceof Response) return signedIn;
  const brought = readServiceCookie(context, "authorization", baseUrl);
  const known = brought !== undefined && readBrowserHash(brought) !== undefined ? brought : undefined;
  const secret = known ?? newBrowserSecret(random);
  const cookies = setServiceCookie("authorization", secret, baseUrl);
  return { browserHash: readBrowserHash(secret)!, signedIn, cookies };
}

/** Admits every browser like `pageVisitor`, and identifies it by a cookie. */
export const authorizationVisitor: Guard<AuthorizationVisitor> = {
  name: "authorization visitor",
  unsafe: pageVisitor.unsafe,
  check: checkAuthorizationVisitor,
};

/** Maximum bytes of the form of a pushed request: 40 KiB of parameters, percent-encoded. */
const PUSHED_LIMIT = 128 * KIB;

const NO_NAMES: ReadonlySet<string> = new Set();

async function readClientCredentials(
  context: RequestContext,
  limit = BODY_LIMIT,
): Promise<ClientCredentials> {
  const { request: { headers }, url, clientAddress, now, traceparent } = context;
  return {
    form: await readUniqueOAuthForm(context, { limit }),
    authorization: headers.get("authorization") ?? undefined,
    queryNames: url.search === "" ? NO_NAMES : new Set(url.searchParams.keys()),
    network: networkOf(clientAddress),
    now,
    traceparent,
  };
}

/**
 * Reads a client's form and credentials. Does not verify them: the endpoint's domain function does so first, because
 * the standards give other faults precedence. Ignores cookies and the query's values.
 */
export const clientCredentials: Guard<ClientCredentials> = {
  name: "client credentials",
  unsafe: "none",
  check: (context) => readClientCredentials(context),
};

/** Like `clientCredentials`, for a pushed request, whose form may be longer. */
export const pushingClient: Guard<ClientCredentials> = {
  ...clientCredentials,
  check: (context) => readClientCredentials(context, PUSHED_LIMIT),
};

async function readAccessToken(
  context: RequestContext,
  { issuer }: Services,
): Promise<SentToken | Response> {
  const use = { issuer, path: "/api/auth/oauth2/userinfo", scope: "openid" } as const;
  const { request } = context;
  const authorization = request.headers.get("authorization");
  const hasForm = request.method === "POST" && request.headers.has("content-type");
  const inForm = hasForm ? findParameter(await readUniqueOAuthForm(context), "access_token") : undefined;
  if (readOAuthQuery(context).parameters.has("access_token")) {
    throw new OAuthError(
      "invalid_request",
      "Send the access token in the Authorization header, not in the query",
    );
  }
  if (authorization !== null && inForm !== undefined) {
    throw new OAuthError(
      "invalid_request",
      "Send the access token once: in the Authorization header or the form",
    );
  }
  if (authorization?.includes(",") === true) {
    throw new OAuthError("invalid_request", "Send one Authorization header");
  }
  const proof = readSentProof(context);
  const inHeader = readAuthorization(authorization);
  if (inHeader !== undefined) return { ...inHeader, proof, use };
  if (inForm !== undefined) return { scheme: "Bearer", text: inForm, proof, use };
  // RFC 6750 section 3.1: a response to a request without a token names the schemes only.
  return new Response(null, { status: 401, headers: { "www-authenticate": challengesOf(use) } });
}

/** Reads the access token (RFC 6750 section 2, RFC 9449 section 7.1). Does not verify it: the domain function does. */
export const accessToken: Guard<SentToken> = { name: "access token", unsafe: "none", check: readAccessToken };

/** Adds the nonce for the client's next proof to any response (RFC 9449 section 8.2). */
export function setNonceHeader({ responseHeaders, now }: RequestContext, vault: Vault): void {
  responseHeaders.set("dpop-nonce", [["dpop-nonce", presentNonce(vault, now)]]);
}
