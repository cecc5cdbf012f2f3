import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { listApiTokens, TOKEN_ACTIONS, TOKEN_KEY_LIMIT } from "../../accounts/token/api-token.ts";
import type { TokenAction } from "../../accounts/token/api-token.ts";
import { changeApiToken, prepareApiToken, revokeApiToken } from "../../accounts/token/manage-token.ts";
import type { TokenChange } from "../../accounts/token/manage-token.ts";
import { Label, toKeyJson } from "../../api/key.ts";
import { toTokenJson } from "../../api/token.ts";
import type { TokenAnswer, TokenList, TokenMade } from "../../api/token.ts";
import type { Of } from "../../api/value.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { placeOf } from "../../http/request/client-info.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { htmlPage, json, noContent } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { listKeys } from "../../keys/key.ts";
import { parseIpNetwork } from "../../lib/ip-address.ts";
import { parseInstant, toIso } from "../../lib/time.ts";
import { makeOnce } from "../../limits/idempotency.ts";
import { readProofJwk, thumbprintOf } from "../../oauth/dpop/proof-key.ts";
import type { ProofJwk } from "../../oauth/dpop/proof-key.ts";
import { canonicalPolicy } from "../../policy/canonical.ts";
import { readPolicy } from "../../policy/read-policy.ts";
import { developerPage } from "./page.ts";

/** The endpoints through which people keep the tokens of their programs. */
export interface TokenEndpoints {
  readonly create: LegacyEndpoint<SignedIn>;
  readonly list: LegacyEndpoint<SignedIn>;
  readonly change: LegacyEndpoint<SignedIn>;
  readonly revoke: LegacyEndpoint<SignedIn>;
}

type TokenServices = Pick<
  Services,
  "db" | "vault" | "authority" | "limits" | "mailer" | "random" | "relyingParty"
>;

/** Refuses a list that has a value twice. */
function distinct<T>(message: string): v.CheckAction<T[], string> {
  return v.check((list: T[]) => new Set(list).size === list.length, message);
}

const instant = v.pipe(
  v.string(),
  v.check((text) => parseInstant(text) !== undefined, "Expected a time in UTC, such as 2027-01-31T00:00:00Z"),
  v.transform((text) => parseInstant(text)!),
);

const keys = v.union([
  v.literal("all"),
  v.pipe(
    v.array(v.string()),
    v.minLength(1),
    v.maxLength(TOKEN_KEY_LIMIT),
    distinct<string>("Expected each key once"),
  ),
], 'Expected "all" or a list of 1 to 100 ids of keys, each once');

const actions = v.pipe(
  v.array(v.picklist(TOKEN_ACTIONS)),
  v.minLength(1),
  distinct<TokenAction>("Expected each action once"),
);

const networks = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.check((text) => parseIpNetwork(text) !== undefined, "Expected a network such as 192.0.2.0/24"),
    ),
  ),
  v.minLength(1),
  v.maxLength(20),
);

/** Read by `policy/`, which says more of a fault than a schema could. */
const SentPolicy = v.pipe(v.unknown(), v.description("What may be signed; see the schema `Policy`"));

/** The thumbprint of the key in a JWK (RFC 7517). */
const jwk = v.pipe(
  v.looseObject({
    kty: v.picklist(["EC", "OKP"]),
    crv: v.picklist(["P-256", "Ed25519"]),
    x: v.string(),
    y: v.exactOptional(v.string()),
  }),
  v.check((value) => readProofJwk(value) !== "private", "Expected the public key alone"),
  v.check((value) => readProofJwk(value) !== "unknown", "Expected a public key on P-256 or Ed25519"),
  v.transform((value) => thumbprintOf(readProofJwk(value) as ProofJwk)),
);

export const CreateBody = v.strictObject({
  name: Label,
  keys,
  actions,
  networks: v.optional(networks),
  jwk: v.optional(jwk),
  expiresAt: v.optional(instant),
  policy: v.optional(SentPolicy),
});

export const ChangeBody = v.partial(
  v.strictObject({ name: Label, keys, actions, networks, expiresAt: instant, policy: SentPolicy }),
);

/** The canonical text of a policy that was sent; null is none. */
function policyText(policy: unknown): string | null {
  return policy === undefined || policy === null ? null : canonicalPolicy(readPolicy(policy, "/policy"));
}

/** Makes the endpoints of API tokens over the given services. */
export function createTokenEndpoints(services: TokenServices): TokenEndpoints {
  const { db, authority, random, relyingParty } = services;

  const create: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { networks, expiresAt, policy, jwk: jkt, ...body } = await readJson(context, CreateBody);
    const { now } = context;
    const terms = { ...body, networks, jkt, expiresAt, policy: policyText(policy) };
    const idempotencyKey = readIdempotencyKey(context);
    // A token is shown again to the session alone that made it: another one has to be fresh itself.
    const once = idempotencyKey === undefined ? undefined : {
      holder: signedIn.session.id,
      accountId: signedIn.account.id,
      idempotencyKey,
      request: JSON.stringify(["tokens", terms]),
      now,
    };
    const { answer, secret } = await makeOnce(db, services, once, () => {
      const request = { ...placeOf(context), signedIn, terms, relyingParty, now, random };
      const { text, make, made } = prepareApiToken(services, request);
      return { secret: text, make: async (tx) => JSON.stringify(toTokenJson(await make(tx))), made };
    });
    const token = JSON.parse(answer) as Of<typeof TokenMade>["token"];
    return json<typeof TokenMade>(201, { token, text: secret! }, [[
      "location",
      `/api/auth/tokens/${token.id}`,
    ]]);
  };

  const list: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    readNoQuery(context);
    const tokens = await listApiTokens(db, authority, account.id);
    return json<typeof TokenList>(200, { tokens: tokens.map((token) => toTokenJson(token)) });
  };

  const change: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    // The schema's optional members are absent or have a value.
    const { policy, ...terms } = await readJson(context, ChangeBody);
    const change = {
      ...terms,
      ...(policy === undefined ? {} : { policy: policyText(policy) }),
    } as TokenChange;
    const value = { accountId: account.id, tokenId: context.params.tokenId!, change, now: context.now };
    return json<typeof TokenAnswer>(200, { token: toTokenJson(await changeApiToken(db, services, value)) });
  };

  const revoke: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    await readNoBody(context);
    const { params, now } = context;
    await revokeApiToken(db, services, { accountId: account.id, tokenId: params.tokenId!, now });
    return noContent();
  };

  return { create, list, change, revoke };
}

/** Makes the page on which people keep the tokens of their programs. */
export function createDeveloperPageEndpoint(
  services: Pick<Services, "db" | "authority" | "baseUrl" | "tee">,
): LegacyEndpoint<SignedIn> {
  const { db, authority, baseUrl } = services;
  return async (context, { account }) => {
    const { now } = context;
    const which = {
      accountId: account.id,
      archived: "exclude",
      fromIndex: 0,
      limit: TOKEN_KEY_LIMIT,
    } as const;
    const { keys } = await listKeys(db, authority, which);
    const tokens = await listApiTokens(db, authority, account.id);
    return htmlPage(
      200,
      developerPage({
        account: toAccountView(account, services, context),
        tokens: tokens.map((token) => toTokenJson(token, account.language)),
        keys: keys.map(toKeyJson),
        now: toIso(now),
        baseUrl,
      }),
    );
  };
}
