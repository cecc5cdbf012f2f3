import * as v from "valibot";
import type { SigningRequest as StoredSigningRequest } from "../keys/signing-requests/signing-request.ts";
import { toHex } from "../lib/bytes.ts";
import { toIso } from "../lib/time.ts";
import { Code } from "./problem.ts";
import { Signed } from "./signature.ts";
import { Bytes32, KeyId, list, type Of, Time } from "./value.ts";

const common = {
  id: v.pipe(v.string(), v.regex(/^signing_[0-9a-v]{26}$/)),
  status: v.picklist(["pending", "signed", "declined", "refused", "withdrawn", "expired"]),
  keyId: KeyId,
  kind: v.picklist(["personal_sign", "raw", "digest", "typed_data", "transaction", "authorization"]),
  digest: Bytes32,
  reason: v.pipe(v.string(), v.description("Why the signature needs the owner's approval")),
  purpose: v.pipe(
    v.nullable(v.string()),
    v.description("The program's own claim why it asks; null without one"),
  ),
  asker: v.strictObject({
    kind: v.picklist(["owner", "token", "application"]),
    name: v.pipe(v.nullable(v.string()), v.description("Null for the owner")),
  }),
  network: v.pipe(v.string(), v.description("The network from which the request came")),
  createdAt: Time,
  expiresAt: v.pipe(Time, v.description("The time until which it can be approved")),
  endedAt: v.nullable(Time),
  refusal: v.pipe(
    v.nullable(v.strictObject({ code: Code, detail: v.string() })),
    v.description("Why it was not signed although the owner approved it"),
  ),
  word: v.pipe(v.nullable(v.string()), v.description("The owner's message when declining it")),
};

export const SigningRequest = v.strictObject(common);

export type SigningRequestView = Of<typeof SigningRequest>;

export const SigningRequestAnswer = v.strictObject({ request: SigningRequest });

export const SigningRequestList = v.strictObject({ requests: list(SigningRequest) });

/** A signing request with its signature, in the form of an immediate one, once it is approved. */
export const GivenSigningRequest = v.strictObject({
  request: v.strictObject({
    ...common,
    signed: v.exactOptional(
      v.pipe(Signed, v.description("The signature, in the form of a signing operation's response")),
    ),
  }),
});

/** Formats a signing request for responses and pages, without its signature. */
export function toSigningRequestJson(request: StoredSigningRequest): SigningRequestView {
  const { requester, requesterName = null, endedAt, refusal, word } = request;
  return {
    id: request.id,
    status: request.state,
    keyId: request.keyId,
    kind: request.kind,
    digest: toHex(request.digest),
    reason: request.reason,
    purpose: request.purpose ?? null,
    asker: { kind: requester.kind, name: requesterName },
    network: request.network,
    createdAt: toIso(request.createdAt),
    expiresAt: toIso(request.expiresAt),
    endedAt: endedAt === undefined ? null : toIso(endedAt),
    refusal: refusal ?? null,
    word: word ?? null,
  };
}
