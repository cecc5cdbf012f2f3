import * as v from "valibot";
import { INTENT_KINDS, WARNING_LEVELS, type WarningCode } from "../clear-signing/intent.ts";
import type { Json } from "../ethereum/transaction/member.ts";
import type { ExplainedValue } from "../ethereum/typed-data/typed-data-explain.ts";
import { PolicyDecision } from "./policy.ts";
import { Code } from "./problem.ts";
import { Address, Bytes32, Decimal, Hex, list, type ResponseSchema } from "./value.ts";

const asset = {
  standard: v.picklist(["native", "erc20", "erc721", "erc1155", "token"]),
  address: v.nullable(Address),
  id: v.pipe(
    v.nullable(Decimal),
    v.description("Null for a whole collection, and for assets without items"),
  ),
};
export const Asset = v.strictObject(asset);
export const AssetAmount = v.strictObject({ ...asset, amount: Decimal });
const until = v.pipe(v.nullable(Decimal), v.description("Seconds since 1970; null if it does not expire"));

/** The effect of a signature, for programs. */
export const Effect = v.variant("effect", [
  v.strictObject({
    effect: v.literal("allowance"),
    owner: v.string(),
    spender: v.string(),
    asset: Asset,
    amount: v.pipe(v.nullable(Decimal), v.description("Null if unlimited")),
    adds: v.pipe(v.boolean(), v.description("True if it adds to the current allowance")),
    until,
  }),
  v.strictObject({
    effect: v.literal("transfer"),
    from: v.string(),
    to: v.string(),
    asset: AssetAmount,
    until,
  }),
  v.strictObject({
    effect: v.literal("exchange"),
    owner: v.string(),
    gives: list(AssetAmount),
    receives: list(AssetAmount),
    until,
  }),
  v.strictObject({
    effect: v.literal("call"),
    caller: v.string(),
    to: v.string(),
    operation: v.picklist(["call", "delegate_call"]),
    value: Decimal,
    selector: v.nullable(Hex),
  }),
  v.strictObject({ effect: v.literal("create"), value: Decimal }),
  v.strictObject({ effect: v.literal("delegation"), delegate: v.string() }),
  v.strictObject({ effect: v.literal("control"), account: v.string() }),
  v.strictObject({ effect: v.literal("sign_in"), domain: v.string(), uri: v.string() }),
]);

/** The meaning of a signature, derived from its bytes alone. */
export const Intent = v.strictObject({
  kind: v.picklist(INTENT_KINDS),
  recognisedBy: v.string(),
  sentence: v.string(),
  chainId: v.nullable(Decimal),
  contract: v.nullable(Address),
  fields: list(v.strictObject({
    label: v.string(),
    format: v.picklist(["address", "amount", "date", "number", "bytes", "text", "chain"]),
    value: v.pipe(v.string(), v.description("For people")),
    raw: v.pipe(v.string(), v.description("The value as it is signed")),
  })),
  effects: list(Effect),
  effectsComplete: v.pipe(
    v.boolean(),
    v.description("True if nothing else moves, is owed or allowed, or changes who controls an account"),
  ),
  gasAtMost: v.exactOptional(v.pipe(Decimal, v.description("The most that gas costs, in wei"))),
  warnings: list(v.strictObject({
    level: v.picklist(["red", "amber"]),
    code: v.picklist(Object.keys(WARNING_LEVELS) as WarningCode[]),
    text: v.string(),
  })),
});

const named = { name: v.string(), type: v.string() };

export const ExplainedTypedValue: ResponseSchema<ExplainedValue> = v.union([
  v.strictObject({ ...named, value: v.nullable(v.union([v.string(), v.boolean()])) }),
  v.strictObject({ ...named, members: list(v.lazy(() => ExplainedTypedValue)) }),
  v.strictObject({ ...named, items: list(v.lazy(() => ExplainedTypedValue)) }),
]);

const Members: ResponseSchema<Readonly<Record<string, Json>>> = v.pipe(
  v.record(v.string(), v.custom<Json>(() => true)),
  v.description("The members, with integers in decimal digits. They are valid in a request"),
);

const common = {
  address: Address,
  digest: Bytes32,
  refusal: v.pipe(
    v.nullable(v.strictObject({ code: Code, detail: v.string() })),
    v.description("Why this key would not sign it now; null if it would"),
  ),
  decision: PolicyDecision,
  intent: Intent,
};
const message = { kind: v.literal("message"), ...common };

export const Explanation = v.union([
  v.strictObject({
    ...message,
    format: v.literal("personal_sign"),
    encoding: v.picklist(["utf8", "hex"]),
  }),
  v.strictObject({ ...message, format: v.picklist(["raw", "digest"]) }),
  v.strictObject({
    kind: v.literal("typed_data"),
    ...common,
    primaryType: v.string(),
    encodeType: v.pipe(v.string(), v.description("The canonical text of the primary type (EIP-712)")),
    domainSeparator: Bytes32,
    structHash: v.nullable(Bytes32),
    domain: ExplainedTypedValue,
    message: v.nullable(ExplainedTypedValue),
  }),
  v.strictObject({
    kind: v.literal("transaction"),
    ...common,
    transaction: Members,
    unsigned: Hex,
    maximumFee: v.pipe(Decimal, v.description("The maximum cost of its gas and blobs, in wei")),
  }),
  v.strictObject({ kind: v.literal("authorization"), ...common, authorization: Members }),
]);
