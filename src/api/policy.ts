import * as v from "valibot";
import type { LocalizedDecision } from "../keys/enforce.ts";
import { storedPolicy } from "../keys/key-policy.ts";
import type { EthereumKey } from "../keys/key.ts";
import { policyStateAt } from "../keys/policy-state.ts";
import { toHex } from "../lib/bytes.ts";
import { API_LANGUAGE, type Language } from "../lib/language.ts";
import { type Instant, toIso } from "../lib/time.ts";
import { policyHash } from "../policy/canonical.ts";
import { describePolicy } from "../policy/describe.ts";
import type { Policy as PolicyForm } from "../policy/policy.ts";
import { Address, Bytes32, Count, Decimal, Hex, list, type Of, type ResponseSchema, Time } from "./value.ts";

// A policy in responses. In requests all members but `version` are optional, and some values have other forms:
// `policy/` parses them.

const Outcome = v.picklist(["allow", "ask", "deny"]);

const outcome = v.picklist(["allow", "ask"]);

const Path = v.pipe(v.string(), v.description("A JSON pointer; `*` means every item of a list"));

const Addresses = v.union([v.literal("any"), list(Address)]);

export const PolicyLimit = v.strictObject({
  atMost: v.exactOptional(Decimal),
  oneOf: v.exactOptional(list(v.union([v.string(), v.boolean()]))),
  within: v.exactOptional(v.pipe(Count, v.description("At most this many seconds from now"))),
});

const where = v.record(v.string(), PolicyLimit);

const spends = list(
  v.strictObject({
    budget: v.string(),
    path: v.exactOptional(v.pipe(Path, v.description("The amounts; without it each signature counts 1"))),
    recipient: v.exactOptional(v.pipe(Path, v.description("Each recipient has the whole budget"))),
    channel: v.exactOptional(v.pipe(Path, v.description("The channel of which the amounts are cumulative"))),
  }),
);

const Budget = v.strictObject({
  perDay: v.exactOptional(Decimal),
  rollingHour: v.exactOptional(Decimal),
  rollingDay: v.exactOptional(Decimal),
  rollingWeek: v.exactOptional(Decimal),
  total: v.exactOptional(Decimal),
});

const SignInRule = v.strictObject({
  domains: list(v.string()),
  chainIds: v.exactOptional(list(Decimal)),
  resources: v.exactOptional(v.literal("any")),
  outcome,
});

const TypedDataRule = v.strictObject({
  chainId: v.nullable(Decimal),
  verifyingContract: v.nullable(Address),
  name: v.exactOptional(v.string()),
  domainVersion: v.exactOptional(v.string()),
  typeHash: Bytes32,
  where,
  spends,
  outcome,
});

const TransactionRule = v.strictObject({
  chainId: Decimal,
  to: v.union([v.literal("any"), v.literal("creation"), list(Address)]),
  valueAtMost: Decimal,
  feeAtMost: Decimal,
  selectors: v.exactOptional(v.union([v.literal("any"), list(Hex)])),
  call: v.exactOptional(v.strictObject({ function: v.string(), where })),
  delegates: v.exactOptional(Addresses),
  spends,
  outcome,
});

const EffectRule = v.strictObject({
  chainId: Decimal,
  gives: list(v.strictObject({
    asset: v.pipe(
      v.union([v.literal("native"), Address]),
      v.description("A token, or the chain's own currency"),
    ),
    to: Addresses,
    atMost: v.exactOptional(Decimal),
    budget: v.exactOptional(v.string()),
  })),
  feeAtMost: Decimal,
  outcome,
});

export const Policy = v.strictObject({
  version: v.literal(1),
  messages: v.strictObject({ signIn: list(SignInRule), text: Outcome, bytes: Outcome }),
  typedData: list(TypedDataRule),
  transactions: list(TransactionRule),
  authorizations: list(v.strictObject({ chainId: Decimal, delegates: Addresses, outcome })),
  effects: v.exactOptional(list(EffectRule)),
  raw: Outcome,
  digest: Outcome,
  otherwise: v.exactOptional(
    v.pipe(v.literal("ask"), v.description("Asks the owner about acts that no rule allows; else refused")),
  ),
  perMinute: v.exactOptional(Count),
  perDay: v.exactOptional(Count),
  rollingHour: v.exactOptional(Count),
  rollingDay: v.exactOptional(Count),
  rollingWeek: v.exactOptional(Count),
  total: v.exactOptional(Count),
  budgets: v.record(v.string(), Budget),
  notAfter: v.exactOptional(Time),
}) satisfies ResponseSchema<PolicyForm>;

export const PolicyDecision = v.strictObject({
  policy: v.pipe(
    v.nullable(v.picklist(["key", "token", "application"])),
    v.description("The policy that decides; null if none is active"),
  ),
  outcome: Outcome,
  rule: v.pipe(v.nullable(v.string()), v.description("A JSON pointer into the policy")),
  value: v.pipe(v.nullable(v.string()), v.description("A JSON pointer to the value that broke the rule")),
  reason: v.pipe(v.string(), v.description("For people")),
}) satisfies ResponseSchema<LocalizedDecision>;

function toPolicyView(text: string | null, language: Language): PolicyView {
  const policy = storedPolicy(text);
  if (policy === null) return { policy, hash: null, words: null };
  return { policy, hash: toHex(policyHash(policy)), words: describePolicy(policy, language) };
}

export function toKeyPolicyJson(
  key: EthereumKey,
  now: Instant,
  language: Language = API_LANGUAGE,
): KeyPolicyView {
  const { policy, change } = policyStateAt(key.policyState, now);
  return {
    ...toPolicyView(policy, language),
    change: change === null
      ? null
      : { ...toPolicyView(change.to, language), takesEffectAt: toIso(change.at) },
  };
}

/** A key's policy, which applies to every requester. */
export const KeyPolicy = v.strictObject({
  ...Policy.entries,
  delayHours: v.pipe(Count, v.description("The delay before a looser policy takes effect, 0 to 168 hours")),
  locked: v.pipe(v.boolean(), v.description("True if it can never become looser")),
});

/** A normalised policy; null allows everything. */
const policy = v.nullable(KeyPolicy);

const described = {
  policy,
  hash: v.pipe(v.nullable(Bytes32), v.description("SHA-256 of its canonical JSON (RFC 8785)")),
  words: v.pipe(v.nullable(list(v.string())), v.description("Its rules in sentences")),
};

export const KeyPolicyAnswer = v.strictObject({
  ...described,
  change: v.pipe(
    v.nullable(v.strictObject({ ...described, takesEffectAt: Time })),
    v.description("The pending change and the time it takes effect; null if none is pending"),
  ),
});

export type KeyPolicyView = Of<typeof KeyPolicyAnswer>;

/** A policy, its hash and its rules in sentences; all null without one. */
export type PolicyView = Omit<KeyPolicyView, "change">;

/** A pending change of a policy, listed with a quote. */
export const PolicyChange = v.strictObject({ policy, takesEffectAt: Time });
