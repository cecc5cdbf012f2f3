import * as v from "valibot";
import { API_LANGUAGE } from "../lib/language.ts";
import type { Language } from "../lib/language.ts";
import { toIso } from "../lib/time.ts";
import type { ConnectedKeys } from "../oauth/authorize/consent.ts";
import { describePolicy } from "../policy/describe.ts";
import { Policy } from "./policy.ts";
import { KeyId, list, Time } from "./value.ts";
import type { KeyGrantView } from "./view.ts";

export const GrantList = v.strictObject({
  grants: list(v.strictObject({
    clientId: v.string(),
    name: v.string(),
    uri: v.string(),
    scope: v.string(),
    consentedAt: Time,
    keyGrants: list(v.strictObject({
      scope: v.string(),
      keys: list(KeyId),
      policy: v.pipe(v.nullable(Policy), v.description("What it may sign; null for nothing")),
      policyWords: v.pipe(v.nullable(list(v.string())), v.description("The same in sentences, for people")),
      createdAt: Time,
      endsAt: Time,
    })),
  })),
});

/** What an application may do with keys, as answers show it, and pages in their reader's language. */
export function toKeyGrantJson(granted: ConnectedKeys, language: Language = API_LANGUAGE): KeyGrantView {
  const { scope, keys, policy, createdAt, endsAt } = granted;
  return {
    scope,
    keys,
    policy: policy ?? null,
    policyWords: policy === undefined ? null : describePolicy(policy, language),
    createdAt: toIso(createdAt),
    endsAt: toIso(endsAt),
  };
}
