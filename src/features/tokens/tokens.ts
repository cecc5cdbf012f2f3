import { listApiTokens, TOKEN_KEY_LIMIT } from "../../accounts/token/api-token.ts";
import { changeApiToken, prepareApiToken, revokeApiToken } from "../../accounts/token/manage-token.ts";
import type { TokenChange } from "../../accounts/token/manage-token.ts";
import { toKeyJson } from "../../api/key.ts";
import { toTokenJson } from "../../api/token.ts";
import type { TokenAnswer, TokenList, TokenMade, TokenView } from "../../api/token.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { htmlPage, json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { listKeys } from "../../keys/key.ts";
import { listUsedLimits } from "../../keys/used-limits.ts";
import { toIso } from "../../lib/time.ts";
import { createIdempotent } from "../../limits/idempotency.ts";
import { canonicalPolicy, parsePolicy } from "../../policy/canonical.ts";
import { readPolicy } from "../../policy/read-policy.ts";
import type { UsedLimit } from "../../policy/usage.ts";
import { developerPage } from "./page.ts";
import { ChangeBody, CreateBody } from "./schema.ts";

/** Returns the canonical text of a policy; null if it is undefined or null. */
function policyText(policy: unknown): string | null {
  return policy === undefined || policy === null ? null : canonicalPolicy(readPolicy(policy, "/policy"));
}

export const createToken = defineEndpoint(
  session,
  { body: CreateBody },
  async (context, signedIn, { body: { networks, expiresAt, policy, jwk: jkt, ...body } }, services) => {
    const { db } = services;
    const { now } = context;
    const settings = { ...body, networks, jkt, expiresAt, policy: policyText(policy) };
    const idempotencyKey = readIdempotencyKey(context);
    // A repeated request gets the token only in the session that created it. Another session has to be fresh itself.
    const once = idempotencyKey === undefined ? undefined : {
      holder: signedIn.session.id,
      accountId: signedIn.account.id,
      idempotencyKey,
      request: JSON.stringify(["tokens", settings]),
      now,
    };
    const { answer, secret } = await createIdempotent(db, services, once, () => {
      const request = { ...operationContextOf(context, services), signedIn, settings };
      const { text, make, made } = prepareApiToken(services, request);
      return { secret: text, make: async (tx) => JSON.stringify(toTokenJson(await make(tx))), made };
    });
    const token = JSON.parse(answer) as TokenView;
    const location = ["location", `/api/auth/tokens/${token.id}`] as const;
    return json<typeof TokenMade>(201, { token, text: secret! }, [location]);
  },
);

export const listTokens = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async (_context, { account }, _input, { db, authority }) => {
    const tokens = await listApiTokens(db, authority, account.id);
    return json<typeof TokenList>(200, { tokens: tokens.map((token) => toTokenJson(token)) });
  },
);

export const changeToken = defineEndpoint(
  session,
  { body: ChangeBody },
  async ({ params, now }, { account }, { body: { policy, ...settings } }, services) => {
    // The schema's optional members are absent or have a value.
    const change = {
      ...settings,
      ...(policy === undefined ? {} : { policy: policyText(policy) }),
    } as TokenChange;
    const value = { accountId: account.id, tokenId: params.tokenId!, change, now };
    const token = await changeApiToken(services.db, services, value);
    return json<typeof TokenAnswer>(200, { token: toTokenJson(token) });
  },
);

export const revokeToken = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, { account }, _input, services) => {
    await revokeApiToken(services.db, services, { accountId: account.id, tokenId: params.tokenId!, now });
    return noContent();
  },
);

export const showTokens = defineEndpoint(pageSession, {}, async (context, { account }, _input, services) => {
  const { db, authority, baseUrl } = services;
  const { keys } = await listKeys(db, authority, {
    accountId: account.id,
    archived: "exclude",
    fromIndex: 0,
    limit: TOKEN_KEY_LIMIT,
  });
  const tokens = await listApiTokens(db, authority, account.id);
  const { language } = account;
  const used = new Map<string, readonly UsedLimit[]>();
  for (const { id: holderId, policy: text } of tokens) {
    const policy = text === null ? undefined : parsePolicy(text);
    used.set(holderId, await listUsedLimits(db, authority, { holderId, policy, now: context.now, language }));
  }
  return htmlPage(
    200,
    developerPage({
      account: toAccountView(account, services, context),
      tokens: tokens.map((token) => toTokenJson(token, language)),
      used,
      keys: keys.map(toKeyJson),
      now: toIso(context.now),
      baseUrl,
      isStopped: context.url.searchParams.has("stopped"),
    }),
  );
});
