import type { ApiToken } from "../../accounts/token/api-token.ts";
import { parsePolicy } from "../../policy/canonical.ts";
import { describePolicy } from "../../policy/describe.ts";
import { API_LANGUAGE } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { toIso } from "../../lib/time.ts";
import type { TokenView } from "../../ui/view.ts";

/** An API token as answers show it to its owner, and pages in the reader's language; its text is no part of it. */
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
