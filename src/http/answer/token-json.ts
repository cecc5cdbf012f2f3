import type { ApiToken } from "../../accounts/token/api-token.ts";
import { parsePolicy } from "../../policy/canonical.ts";
import { describePolicy } from "../../policy/describe.ts";
import { toIso } from "../../lib/time.ts";
import type { TokenView } from "../../ui/view.ts";

/** An API token as answers and pages show it to its owner; its text is no part of it. */
export function toTokenJson(token: ApiToken): TokenView {
  const policy = token.policy === null ? null : parsePolicy(token.policy);
  return {
    id: token.id,
    name: token.name,
    keys: token.keys,
    actions: token.actions,
    networks: token.networks ?? null,
    policy,
    policyWords: policy === null ? null : describePolicy(policy),
    jkt: token.jkt ?? null,
    createdAt: toIso(token.createdAt),
    expiresAt: toIso(token.expiresAt),
    lastUsedAt: token.lastUsedAt === undefined ? null : toIso(token.lastUsedAt),
    lastUsedNetwork: token.lastUsedNetwork ?? null,
  };
}
