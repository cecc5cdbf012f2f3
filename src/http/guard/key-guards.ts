import { findAccount } from "../../accounts/account.ts";
import { isSessionThere } from "../../accounts/session/session.ts";
import { findApiToken, mayUse, noteTokenUse, toApiToken } from "../../accounts/token/api-token.ts";
import type { TokenAction } from "../../accounts/token/api-token.ts";
import type { Db } from "../../db/schema/schema.ts";
import {
  type AuthorizationCheck,
  holderOf,
  type KeyUse,
  type ProofUse,
  type Requester,
} from "../../keys/requester.ts";
import { commitTokenProof, consumeTokenProof, verifyTokenProof } from "../../oauth/dpop/resource-token.ts";
import type { SentToken } from "../../oauth/dpop/resource-token.ts";
import { proofRowKey } from "../../oauth/dpop/consume-proof.ts";
import { grantedDetail } from "../../oauth/authorization-details.ts";
import { siteOf } from "../../oauth/client/client.ts";
import { findLiveGrant } from "../../oauth/grant.ts";
import { ProtocolError } from "../../lib/error.ts";
import { MCP_PATH, type ResourceUse } from "../../oauth/resource.ts";
import { KEY_SCOPES } from "../../oauth/scope.ts";
import { findAccessToken } from "../../oauth/token/access-token.ts";
import { keyRightsOf } from "../../oauth/token/key-rights.ts";
import { parsePolicy } from "../../policy/canonical.ts";
import type { Policy } from "../../policy/policy.ts";
import { expectRows, findRow } from "../../store/read.ts";
import { setNonceHeader } from "./oauth-guards.ts";
import { withRateLimitHeaders } from "../response/rate-limit.ts";
import { verifyLogReceipts } from "../cookie/log-receipt.ts";
import type { RequestContext } from "../request-context.ts";
import { readSentToken } from "../request/authorization-header.ts";
import type { Services } from "../services.ts";
import { findSignedIn } from "./account-guards.ts";
import { type Guard, hasAuthorizationToken } from "./guard.ts";
import { authenticationRequired, invalidToken, programOf, requireAction, SCOPE_OF } from "./key-requester.ts";
import type { KeyRequester, KeyUser } from "./key-requester.ts";

/**
 * The permission a key route needs. `ask` covers signing requests, and requires the right to sign. `any` is checked
 * later.
 */
type KeyOperation = TokenAction | "ask" | "any";

const OPERATION_SCOPES: Readonly<Record<KeyOperation, string>> = {
  ...SCOPE_OF,
  ask: SCOPE_OF.sign,
  any: KEY_SCOPES.join(" "),
};

/** Returns the use of the keys' routes that an operation is. */
function apiUse({ issuer }: Pick<Services, "issuer">, operation: KeyOperation): ResourceUse {
  return { issuer, path: "/api", scope: OPERATION_SCOPES[operation] };
}

/** The program that a valid token identifies. Its proof is not yet verified. */
interface Program {
  readonly account: KeyUser["account"];
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string | undefined;
  readonly requester: (proofUse: Required<ProofUse>) => KeyRequester;
  readonly noteUse: () => Promise<void>;
}

async function findByToken(
  { text }: SentToken,
  context: RequestContext,
  { db, authority }: Services,
): Promise<Program | undefined> {
  const { clientAddress, now } = context;
  const found = await findApiToken(db, authority, { text, clientAddress, now });
  if (found === undefined) return undefined;
  const { token, account } = found;
  return {
    account,
    jkt: token.jkt,
    requester: (proofUse) => ({ kind: "token", token, ...proofUse }),
    noteUse: () => noteTokenUse(db, authority, found, { clientAddress, now }),
  };
}

async function findByGrant(
  { text, use }: SentToken,
  { now }: RequestContext,
  { db, authority, baseUrl }: Services,
): Promise<Program | undefined> {
  const live = await findAccessToken(db, { authority, issuer: baseUrl }, {
    token: text,
    resource: use.path,
    now,
  });
  if (live === undefined) return undefined;
  const { grant, client, account, jkt } = live;
  const which = { grantId: grant.id, clientId: client.clientId, name: client.name, site: siteOf(client) };
  return {
    account,
    jkt,
    requester: (proofUse) => ({ kind: "application", ...which, ...keyRightsOf(live), jkt, ...proofUse }),
    noteUse: () => Promise.resolve(),
  };
}

async function findProgram(
  context: RequestContext,
  services: Services,
  { operation, use }: { readonly operation: KeyOperation; readonly use: ResourceUse },
): Promise<KeyUser> {
  const { vault } = services;
  const sent = readSentToken(context, use);
  if (sent?.scheme === "DPoP") setNonceHeader(context, vault);
  // API tokens have no dot; JWTs do. Only the latter have an audience, so that `/mcp` takes no others.
  const isJwt = sent?.text.includes(".") === true || use.path !== "/api";
  const found = sent && await (isJwt ? findByGrant : findByToken)(sent, context, services);
  if (sent === undefined || found === undefined) throw invalidToken(sent?.scheme ?? "Bearer", use);
  const { account, jkt, requester, noteUse } = found;
  const { now } = context;
  const proof = verifyTokenProof(services, sent, { jkt, now });
  // Signing uses the proof in its own transaction, which costs less.
  const consumeProof = async (tx: Db): Promise<void> => {
    if (operation === "sign") await consumeTokenProof(tx, proof, { use, now });
  };
  const proofUse = { consumeProof, proofKey: proof && proofRowKey(proof) };
  const user = { account, requester: requester(proofUse), use };
  admitProgram(user, operation);
  // A request with a late body is checked twice. The first check has used the proof.
  if (operation !== "sign" && context.lateBody === undefined) {
    await commitTokenProof(withRateLimitHeaders(context, services), {
      proof,
      use,
      accountId: account.id,
      holder: holderOf(user.requester),
      now,
    });
  }
  await noteUse();
  return user;
}

/** Throws `insufficient_scope` if the program lacks the right that an operation needs. */
function admitProgram(user: KeyUser, operation: KeyOperation): KeyUser {
  // `signFor` requires the right to sign, and charges a refusal.
  if (operation !== "any" && operation !== "sign") {
    requireAction(user, operation === "ask" ? "sign" : operation);
  }
  return user;
}

async function findOwner(
  context: RequestContext,
  services: Services,
  operation: KeyOperation,
): Promise<KeyUser> {
  const use = apiUse(services, operation);
  const signedIn = await findSignedIn(context, services);
  if (signedIn === undefined) throw authenticationRequired(use);
  const { account, session } = signedIn;
  const recheck = async (tx: Db): Promise<void> => {
    if (!await isSessionThere(tx, services.authority, session)) {
      throw authenticationRequired(use);
    }
  };
  return { account, requester: { kind: "owner", recheck }, use };
}

/**
 * Creates a guard that admits the owner by session, or a program by token. A request with a token, an API token or an
 * application's access token, is judged by that alone, with the proof of a key-bound one. The session cookie is then
 * ignored. Does not check the key: `keyOf` does.
 */
function sessionOrToken(operation: KeyOperation): Guard<KeyUser> {
  return {
    name: `session or token to ${operation}`,
    unsafe: "cross-site-json-or-token",
    check: async (context, services) => {
      const program = programOf(context);
      if (program !== undefined) return admitProgram(program.user, operation);
      if (!hasAuthorizationToken(context.request)) return await findOwner(context, services, operation);
      await verifyLogReceipts(context, services);
      return await findProgram(context, services, { operation, use: apiUse(services, operation) });
    },
  };
}

export const sessionOrTokenToRead: Guard<KeyUser> = sessionOrToken("read");
export const sessionOrTokenToSign: Guard<KeyUser> = sessionOrToken("sign");
export const sessionOrTokenToCreate: Guard<KeyUser> = sessionOrToken("create");
export const sessionOrTokenToAsk: Guard<KeyUser> = sessionOrToken("ask");

/** Admits every token and ignores cookies. The endpoint checks the token's actions for each call. */
export const token: Guard<KeyUser> = {
  name: "token",
  unsafe: "none",
  check: async (context, services) => {
    if (!hasAuthorizationToken(context.request)) throw authenticationRequired(apiUse(services, "any"));
    await verifyLogReceipts(context, services);
    return await findProgram(context, services, { operation: "any", use: apiUse(services, "any") });
  },
};

/**
 * Admits an application's access token for `/mcp` alone. Ignores cookies, and refuses pages of other origins, as the
 * protocol requires against DNS rebinding. The endpoint checks the token's rights for each call.
 */
export const mcpToken: Guard<KeyUser> = {
  name: "token for /mcp",
  unsafe: "none",
  check: async (context, services) => {
    const { issuer, baseUrl } = services;
    const origin = context.request.headers.get("origin");
    if (origin !== null && origin !== baseUrl) {
      throw new ProtocolError(
        "cross_site_request",
        "Cannot serve request: it was sent by another site's page",
      );
    }
    const use = { issuer, path: MCP_PATH, scope: KEY_SCOPES.join(" ") } as const;
    if (!hasAuthorizationToken(context.request)) throw authenticationRequired(use);
    return await findProgram(context, services, { operation: "any", use });
  },
};

/** Creates the check of a requester's current rights inside the transaction of `sign`. `use` is for its challenges. */
export function createAuthorizationCheck(
  { authority, issuer }: Pick<Services, "authority" | "issuer">,
  use: ResourceUse = apiUse({ issuer }, "sign"),
): AuthorizationCheck {
  async function policyOfToken(
    tx: Db,
    tokenId: string,
    { accountId, keyId, action, now }: KeyUse,
  ): Promise<Policy | null> {
    const row = await findRow(tx, authority, "api_token", "ofAccountById", {
      account_id: accountId,
      id: tokenId,
    });
    const token = row && toApiToken(row);
    const isGood = token !== undefined && token.expiresAt > now && mayUse(token, action, keyId) &&
      await findAccount(tx, authority, accountId) !== undefined;
    if (!isGood) throw invalidToken("Bearer", use);
    return token.policy === null ? null : parsePolicy(token.policy);
  }

  async function policyOfGrant(
    tx: Db,
    { grantId, clientId, policy }: Extract<Requester, { readonly kind: "application" }>,
    { accountId, keyId, now }: KeyUse,
  ): Promise<Policy> {
    await expectRows(tx, authority, () => [["account", { id: accountId }], ["client", { id: clientId }]]);
    const live = await findLiveGrant(tx, authority, { id: grantId, accountId, now });
    const granted = live && grantedDetail(live.grant);
    const isGood = live?.client.clientId === clientId &&
      live.client.keyScopes.includes("keys:sign") && granted?.keys.includes(keyId) === true;
    if (!isGood) throw invalidToken("Bearer", use);
    return policy ?? granted!.policy;
  }

  return {
    async recheckAuthorization(tx, requester, keyUse) {
      if (requester.kind === "owner") {
        await requester.recheck?.(tx);
        return null;
      }
      const policy = requester.kind === "token"
        ? await policyOfToken(tx, requester.token.id, keyUse)
        : await policyOfGrant(tx, requester, keyUse);
      if (keyUse.action === "sign") await requester.consumeProof?.(tx);
      return policy;
    },
  };
}
