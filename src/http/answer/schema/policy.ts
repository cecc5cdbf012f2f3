import * as v from "valibot";
import type { ToldDecision } from "../../../keys/enforce.ts";
import type { Policy as PolicyForm } from "../../../policy/policy.ts";
import { Address, type AnswerSchema, Bytes32, Count, Decimal, Hex, list } from "./value.ts";

// A policy as answers show it. Requests may leave out all but `version`, and write some values in other ways: `policy/`
// reads them.

const Outcome = v.picklist(["allow", "ask", "deny"]);
const outcome = v.picklist(["allow", "ask"]);
const Path = v.pipe(v.string(), v.description("A JSON pointer; `*` stands for every item of a list"));
const Addresses = v.union([v.literal("any"), list(Address)]);

/** What every value on a path must be. */
export const PolicyLimit = v.strictObject({
  atMost: v.exactOptional(Decimal),
  oneOf: v.exactOptional(list(v.union([v.string(), v.boolean()]))),
  within: v.exactOptional(v.pipe(Count, v.description("Seconds from now at most"))),
});
const where = v.record(v.string(), PolicyLimit);
const spends = list(v.strictObject({ budget: v.string(), path: Path }));

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

/** What may be signed. */
export const Policy = v.strictObject({
  version: v.literal(1),
  messages: v.strictObject({ signIn: list(SignInRule), text: Outcome, bytes: Outcome }),
  typedData: list(TypedDataRule),
  transactions: list(TransactionRule),
  authorizations: list(v.strictObject({ chainId: Decimal, delegates: Addresses, outcome })),
  raw: Outcome,
  digest: Outcome,
  perMinute: v.exactOptional(Count),
  perDay: v.exactOptional(Count),
  budgets: v.record(v.string(), v.strictObject({ perDay: Decimal })),
}) satisfies AnswerSchema<PolicyForm>;

/** What the policies in force say of a request. */
export const PolicyDecision = v.strictObject({
  policy: v.pipe(
    v.nullable(v.picklist(["key", "token", "application"])),
    v.description("Whose policy decides; null where there is none"),
  ),
  outcome: Outcome,
  rule: v.pipe(v.nullable(v.string()), v.description("A JSON pointer into the policy")),
  value: v.pipe(v.nullable(v.string()), v.description("A JSON pointer to the value that broke the rule")),
  reason: v.pipe(v.string(), v.description("For people")),
}) satisfies AnswerSchema<ToldDecision>;
