import * as v from "valibot";
import { readInput } from "../../http/request/input.ts";
import { MESSAGE_ENCODINGS, MESSAGE_FORMATS } from "../../keys/digest.ts";
import type { SignRequest } from "../../keys/digest.ts";
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
