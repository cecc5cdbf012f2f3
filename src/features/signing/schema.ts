import * as v from "valibot";
import { KeyPolicy, PolicyChange } from "../../api/policy.ts";
import { Address } from "../../api/value.ts";
import { readInput } from "../../http/request/input.ts";
import { MESSAGE_ENCODINGS, MESSAGE_FORMATS } from "../../keys/digest.ts";
import type { SignRequest } from "../../keys/digest.ts";
import { fromBase64url } from "../../lib/bytes.ts";
import { asObject } from "../../lib/object.ts";

/** The body of a message that is to be signed. */
export const MessageBody = v.strictObject({
  message: v.string(),
  format: v.optional(v.picklist(MESSAGE_FORMATS), "personal_sign"),
  encoding: v.optional(v.picklist(MESSAGE_ENCODINGS)),
});

type Kind = SignRequest["kind"];

/** How a body is known by members that no kind before it has. What fits none is meant as a message. */
const SIGNS: readonly (readonly [kind: Exclude<Kind, "message">, members: readonly string[]])[] = [
  ["typed_data", ["types", "primaryType"]],
  ["transaction", ["unsigned", "type", "to"]],
  ["authorization", ["address"]],
  ["transaction", ["chainId"]],
];

const REQUESTS: Readonly<Record<Kind, (body: unknown) => SignRequest>> = {
  message: (body) => ({ kind: "message", ...readInput(MessageBody, body) }),
  typed_data: (typedData) => ({ kind: "typed_data", typedData }),
  transaction: (transaction) => ({ kind: "transaction", transaction }),
  authorization: (authorization) => ({ kind: "authorization", authorization }),
};

/** The request that a body of any of the signing endpoints makes. Only a message is read here. */
export function readSignRequest(body: unknown): SignRequest {
  const object = asObject(body) ?? {};
  const sign = SIGNS.find(([, members]) => members.some((name) => Object.hasOwn(object, name)));
  return REQUESTS[sign?.[0] ?? "message"](body);
}

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

export const nonce = v.pipe(
  v.string(),
  v.check((text) => {
    const length = fromBase64url(text)?.length ?? 0;
    return length >= 16 && length <= 64;
  }, "Expected base64url without padding of 16 to 64 bytes"),
);

export const QuoteQuery = v.strictObject({ nonce: v.optional(nonce) });
