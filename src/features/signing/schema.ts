import * as v from "valibot";
import { KIB } from "../../http/request/body.ts";
import { readInput } from "../../http/request/input.ts";
import { MESSAGE_ENCODINGS, MESSAGE_FORMATS, type SignRequest } from "../../keys/digest.ts";
import { LANGUAGES } from "../../lib/language.ts";
import { asObject } from "../../lib/object.ts";

/** The options for reading a signing body. Typed data can be long, such as a permit over many tokens. */
export const SIGN_BODY = { limit: 1024 * KIB, texts: "signed" } as const;

/** A body that `ethereum/` validates. It is stricter than a schema, and its errors say more. */
export const UncheckedBody = v.unknown();

// The schemas of bodies that `ethereum/` reads are used only for the description. A test compares the two.

const Address = v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{40}$/));
const Bytes = v.pipe(v.string(), v.regex(/^0x(?:[0-9a-fA-F]{2})*$/));
const Bytes32 = v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{64}$/));
export const Integer = v.pipe(
  v.union([
    v.pipe(v.number(), v.integer(), v.minValue(0)),
    v.pipe(v.string(), v.regex(/^(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+)$/)),
  ]),
  v.description("A JSON number up to 2^53 - 1, decimal digits, or `0x` and hex digits"),
);

export const Message = v.strictObject({
  message: v.pipe(v.string(), v.description("A text, or 0x-hex if `format` or `encoding` requires it")),
  format: v.optional(v.picklist(MESSAGE_FORMATS), "personal_sign"),
  encoding: v.exactOptional(
    v.pipe(v.picklist(MESSAGE_ENCODINGS), v.description("For `personal_sign`: text unless it is `hex`")),
  ),
});

/** The body of `sign-typed-data` (EIP-712). */
export const TypedData = v.strictObject({
  domain: v.pipe(
    v.strictObject({
      name: v.exactOptional(v.string()),
      version: v.exactOptional(v.string()),
      chainId: v.exactOptional(Integer),
      verifyingContract: v.exactOptional(Address),
      salt: v.exactOptional(Bytes32),
    }),
    v.description("The members that its type names, at least one"),
  ),
  types: v.pipe(
    v.record(v.string(), v.array(v.strictObject({ name: v.string(), type: v.string() }))),
    v.description("`EIP712Domain` is optional"),
  ),
  primaryType: v.string(),
  message: v.record(v.string(), v.unknown()),
});

export const AccessList = v.array(v.strictObject({ address: Address, storageKeys: v.array(Bytes32) }));
const to = { to: v.pipe(v.nullable(Address), v.description("Null creates a contract")) };
const call = { to: Address };
const common = {
  chainId: Integer,
  nonce: Integer,
  gas: v.exactOptional(v.pipe(Integer, v.description("Required, as `gas` or as `gasLimit`"))),
  gasLimit: v.exactOptional(Integer),
  value: v.exactOptional(Integer),
  data: v.exactOptional(v.pipe(Bytes, v.description("Also accepted as `input`"))),
  input: v.exactOptional(Bytes),
};
const fees = {
  maxFeePerGas: Integer,
  maxPriorityFeePerGas: Integer,
  accessList: v.exactOptional(AccessList),
};

/** An item of `authorizationList`, as returned by `sign-authorization`. */
const SignedAuthorization = v.strictObject({
  chainId: Integer,
  address: Address,
  nonce: Integer,
  yParity: Integer,
  r: Bytes,
  s: Bytes,
});

export const Transaction = v.union([
  v.strictObject({
    unsigned: v.pipe(Bytes, v.description("The canonical unsigned bytes that are hashed, of any type below")),
  }),
  v.strictObject({ type: v.literal("legacy"), ...common, ...to, gasPrice: Integer }),
  v.strictObject({
    type: v.literal("eip2930"),
    ...common,
    ...to,
    gasPrice: Integer,
    accessList: v.exactOptional(AccessList),
  }),
  v.strictObject({ type: v.literal("eip1559"), ...common, ...to, ...fees }),
  v.strictObject({
    type: v.literal("eip4844"),
    ...common,
    ...call,
    ...fees,
    maxFeePerBlobGas: Integer,
    blobVersionedHashes: v.array(Bytes32),
  }),
  v.strictObject({
    type: v.literal("eip7702"),
    ...common,
    ...call,
    ...fees,
    authorizationList: v.array(SignedAuthorization),
  }),
]);

/** The body of `sign-authorization` (EIP-7702). */
export const Authorization = v.strictObject({ chainId: Integer, address: Address, nonce: Integer });

/** A call of JSON-RPC 2.0 with parameters by position. */
export const RpcCall = v.strictObject({
  jsonrpc: v.literal("2.0"),
  id: v.exactOptional(v.nullable(v.union([v.string(), v.number()]))),
  method: v.string(),
  params: v.exactOptional(v.array(v.unknown())),
});

export const RpcQuery = v.strictObject({
  chainId: v.exactOptional(v.pipe(
    v.string(),
    v.regex(/^[1-9][0-9]{0,15}$/, "Expected a chain id in decimal digits"),
    v.description(
      "The chain of `eth_chainId` and `net_version`, 1 by default, and of a transaction without `chainId`",
    ),
  )),
});

/** The body of Web3Signer: the bytes whose keccak-256 is signed. */
export const Web3SignerBody = v.strictObject({ data: v.string() });

/** A policy to explain, and a request to decide on. `policy/` and `ethereum/` validate them. */
export const PolicyToExplain = v.strictObject({
  policy: v.pipe(v.unknown(), v.description("The policy. docs/reference/policies.md describes it")),
  of: v.pipe(
    v.optional(v.picklist(["token", "application", "key"]), "token"),
    v.description("The kind of its owner. Only the policy of a key has `delayHours` and `locked`"),
  ),
  keyId: v.exactOptional(
    v.pipe(v.string(), v.description("The key that would sign. Without it, one with an unknown address")),
  ),
  request: v.exactOptional(v.pipe(v.unknown(), v.description("The body of any signing operation"))),
});

export const ExplainQuery = v.strictObject({
  language: v.pipe(
    v.optional(v.picklist(LANGUAGES)),
    v.description(
      "The language of sentences and reasons. English by default, whatever `Accept-Language` says",
    ),
  ),
});

type Kind = SignRequest["kind"];

/** The members that identify the kind of a body, in this order. A body with none of them is a message. */
const SIGNS: readonly (readonly [kind: Exclude<Kind, "message">, members: readonly string[]])[] = [
  ["typed_data", ["types", "primaryType"]],
  ["transaction", ["unsigned", "type", "to"]],
  ["authorization", ["address"]],
  ["transaction", ["chainId"]],
];

const REQUESTS: Readonly<Record<Kind, (body: unknown) => SignRequest>> = {
  message: (body) => ({ kind: "message", ...readInput(Message, body) }),
  typed_data: (typedData) => ({ kind: "typed_data", typedData }),
  transaction: (transaction) => ({ kind: "transaction", transaction }),
  authorization: (authorization) => ({ kind: "authorization", authorization }),
};

/** Reads the body of any signing endpoint. Validates only a message: `ethereum/` validates the others. */
export function readSignRequest(body: unknown): SignRequest {
  const object = asObject(body) ?? {};
  const sign = SIGNS.find(([, members]) => members.some((name) => Object.hasOwn(object, name)));
  return REQUESTS[sign?.[0] ?? "message"](body);
}
