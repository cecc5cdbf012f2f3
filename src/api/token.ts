import * as v from "valibot";
import { type ApiToken, TOKEN_ACTIONS } from "../accounts/token/api-token.ts";
import { API_LANGUAGE, type Language } from "../lib/language.ts";
import { toIso } from "../lib/time.ts";
import { parsePolicy } from "../policy/canonical.ts";
import { describePolicy } from "../policy/describe.ts";
import { Policy } from "./policy.ts";
import { Count, KeyId, list, type Of, Time } from "./value.ts";

export const Token = v.strictObject({
  id: v.string(),
  name: v.string(),
  keys: v.union([v.literal("all"), list(KeyId)]),
  actions: list(v.picklist(TOKEN_ACTIONS)),
  networks: v.pipe(v.nullable(list(v.string())), v.description("CIDR notation; null for any network")),
  policy: v.pipe(v.nullable(Policy), v.description("Its policy; null if it may sign anything")),
  policyWords: v.pipe(v.nullable(list(v.string())), v.description("The policy in sentences, for people")),
  jkt: v.pipe(
    v.nullable(v.string()),
    v.description(
      "The thumbprint of the key that each request must prove (RFC 9449); null for a bearer token",
    ),
  ),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: v.nullable(Time),
  lastUsedNetwork: v.nullable(v.string()),
});

export type TokenView = Of<typeof Token>;

/** Formats an API token for its owner, in the language of the page. Excludes the token's text. */
export function toTokenJson(token: ApiToken, language: Language = API_LANGUAGE): TokenView {
  const policy = token.policy === null ? null : parsePolicy(token.policy);
  return {
    id: token.id,
    name: token.name,
    keys: token.keys,
    actions: token.actions,
    networks: token.networks ?? null,
    policy,
    policyWords: policy === null ? null : describePolicy(policy, language),
    jkt: token.jkt ?? null,
    createdAt: toIso(token.createdAt),
    expiresAt: toIso(token.expiresAt),
    lastUsedAt: token.lastUsedAt === undefined ? null : toIso(token.lastUsedAt),
    lastUsedNetwork: token.lastUsedNetwork ?? null,
  };
}

export const TokenAnswer = v.strictObject({ token: Token });

export const TokenMade = v.strictObject({
  token: Token,
  text: v.pipe(v.string(), v.description("The token, shown only in this response")),
});

export const SigningStopped = v.strictObject({
  tokens: v.pipe(Count, v.description("The revoked tokens")),
  grants: v.pipe(Count, v.description("The ended grants of applications")),
  requests: v.pipe(Count, v.description("The withdrawn signing requests")),
});

export const TokenList = v.strictObject({ tokens: list(Token) });
