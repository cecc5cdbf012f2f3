import * as v from "valibot";
import { KeyPolicy, PolicyChange } from "./key-policy.ts";
import { Address, Bytes32, Count, Hex, KeyId, list, NextCursor, Signature, Time } from "./value.ts";

/** A key as its owner, and whoever may use it, gets it. */
export const Key = v.strictObject({
  id: KeyId,
  address: Address,
  publicKey: v.pipe(v.string(), v.regex(/^0x04[0-9a-f]{128}$/), v.description("Uncompressed, 65 bytes")),
  keyIndex: v.pipe(v.number(), v.integer(), v.minValue(0), v.description("Never given twice in an account")),
  label: v.string(),
  createdAt: Time,
  archived: v.boolean(),
  archivedAt: v.nullable(Time),
  blindSigning: v.picklist(["allow", "guard", "deny"]),
});
export const KeyAnswer = v.strictObject({ key: Key });
export const KeyList = v.strictObject({ keys: list(Key), nextCursor: NextCursor });

const signed = { signature: Signature, address: Address, digest: Bytes32 };

/** What `sign` answers. */
export const SignedMessage = v.strictObject({
  ...signed,
  format: v.picklist(["personal_sign", "raw", "digest"]),
});
/** What `sign-typed-data` answers. */
export const SignedTypedData = v.strictObject(signed);

const parts = { r: Bytes32, s: Bytes32, yParity: v.picklist([0, 1]) };

/** What `sign-transaction` answers. */
export const SignedTransaction = v.strictObject({
  serializedTransaction: v.pipe(Hex, v.description("What a node takes")),
  hash: v.pipe(Bytes32, v.description("The transaction's hash")),
  ...parts,
  from: Address,
});

/** A JSON number, or decimal digits past 2^53 - 1. */
const ExactInteger = v.union([Count, v.pipe(v.string(), v.regex(/^[0-9]+$/))]);

/** What `sign-authorization` answers, and `authorizationList` takes. */
export const SignedAuthorization = v.strictObject({
  chainId: ExactInteger,
  address: Address,
  nonce: ExactInteger,
  ...parts,
});

/** What `quote` answers. */
export const KeyQuote = v.strictObject({
  quote: v.pipe(v.string(), v.description("The TEE's raw quote in base64")),
  address: Address,
  inTee: v.pipe(v.boolean(), v.description("True only for real hardware")),
  provider: v.string(),
  claims: v.pipe(
    v.string(),
    v.description("The exact text that was hashed into the quote: hash it as it came, then parse it"),
  ),
  policy: v.pipe(v.nullable(KeyPolicy), v.description("The policy that the claims have the hash of")),
  policyChange: v.pipe(v.nullable(PolicyChange), v.description("What takes its place, and when")),
  eventLog: v.exactOptional(v.pipe(v.string(), v.description("dstack's, as text"))),
});
