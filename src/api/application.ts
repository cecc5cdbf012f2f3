import * as v from "valibot";
import { API_LANGUAGE, type Language } from "../lib/language.ts";
import { toIso } from "../lib/time.ts";
import type { ConnectedApplication, ConnectedKeys } from "../oauth/authorize/consent.ts";
import { describePolicy } from "../policy/describe.ts";
import { Policy } from "./policy.ts";
import { KeyId, list, type Of, Time } from "./value.ts";

const keyGrant = v.strictObject({
  scope: v.string(),
  keys: list(KeyId),
  policy: v.pipe(v.nullable(Policy), v.description("Its policy; null if it may sign nothing")),
  policyWords: v.pipe(v.nullable(list(v.string())), v.description("The policy in sentences, for people")),
  createdAt: Time,
  endsAt: Time,
});

/** The rights to use keys that one consent granted an application. */
export type KeyGrantView = Of<typeof keyGrant>;

const application = v.strictObject({
  clientId: v.string(),
  name: v.string(),
  uri: v.string(),
  scope: v.string(),
  consentedAt: Time,
  keyGrants: list(keyGrant),
});

export type ApplicationView = Of<typeof application>;

export const GrantList = v.strictObject({ grants: list(application) });

function toKeyGrantJson(granted: ConnectedKeys, language: Language): KeyGrantView {
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

/** Formats an application for its user. The API uses the default language, pages the user's. */
export function toApplicationJson(
  { client: { clientId, name, uri }, scope, consentedAt, keyGrants }: ConnectedApplication,
  language: Language = API_LANGUAGE,
): ApplicationView {
  return {
    clientId,
    name,
    uri,
    scope,
    consentedAt: toIso(consentedAt),
    keyGrants: keyGrants.map((granted) => toKeyGrantJson(granted, language)),
  };
}
