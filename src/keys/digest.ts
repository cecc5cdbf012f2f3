import { keccak256 } from "../ethereum/keccak.ts";
import { personalMessageDigest, PersonalMessageError } from "../ethereum/personal-message.ts";
import { hashTypedData, parseTypedData, TypedDataError } from "../ethereum/typed-data/typed-data.ts";
import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import { fromHex } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";

/** How the text of a sign request becomes 32 bytes. */
export const MESSAGE_FORMATS = ["personal_sign", "raw", "digest"] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

/** What is to be signed: a message in one of its formats, or typed data. */
export type SignRequest =
  | { readonly kind: "message"; readonly format: MessageFormat; readonly message: string }
  | { readonly kind: "typed_data"; readonly typedData: unknown };

/** A sign request that was checked and hashed. Nothing but its digest is signed. */
export type CheckedSignRequest =
  & { readonly digest: Uint8Array }
  & (
    | { readonly kind: "message"; readonly format: "personal_sign" }
    | { readonly kind: "message"; readonly format: "raw"; readonly payload: Uint8Array }
    | { readonly kind: "message"; readonly format: "digest" }
    | { readonly kind: "typed_data"; readonly typedData: CheckedTypedData }
  );

function refuseMessage(message: string): ProtocolError {
  return new ProtocolError("invalid_request", message, { errors: [{ path: "/message", message }] });
}

function checkPersonalSign(message: string): CheckedSignRequest {
  try {
    return { kind: "message", format: "personal_sign", digest: personalMessageDigest(message) };
  } catch (error) {
    if (!(error instanceof PersonalMessageError)) throw error;
    throw refuseMessage("Message holds a lone surrogate, which has no UTF-8 form");
  }
}

function checkRaw(message: string): CheckedSignRequest {
  const payload = fromHex(message);
  if (payload === undefined) {
    throw refuseMessage("Message must be 0x-prefixed hex with an even number of digits");
  }
  return { kind: "message", format: "raw", payload, digest: keccak256(payload) };
}

function checkDigest(message: string): CheckedSignRequest {
  const digest = fromHex(message);
  if (digest?.length !== 32) throw refuseMessage("Message must be 0x-prefixed hex of exactly 32 bytes");
  return { kind: "message", format: "digest", digest };
}

const MESSAGE_CHECKS: Readonly<Record<MessageFormat, (message: string) => CheckedSignRequest>> = {
  personal_sign: checkPersonalSign,
  raw: checkRaw,
  digest: checkDigest,
};

function checkTypedData(input: unknown): CheckedSignRequest {
  try {
    const typedData = parseTypedData(input);
    return { kind: "typed_data", typedData, digest: hashTypedData(typedData).digest };
  } catch (error) {
    if (!(error instanceof TypedDataError)) throw error;
    throw new ProtocolError("invalid_typed_data", error.message, {
      errors: [{ path: error.path, message: error.message }],
      cause: error,
    });
  }
}

/**
 * Checks a sign request and computes the 32 bytes it stands for: EIP-191 over the UTF-8 of the text, keccak-256 of
 * the raw bytes, the digest as it is, or EIP-712. Throws `invalid_request` or `invalid_typed_data` naming the fault.
 * Does not decide whether the key may sign it (`sign` does).
 */
export function checkSignRequest(request: SignRequest): CheckedSignRequest {
  return request.kind === "typed_data"
    ? checkTypedData(request.typedData)
    : MESSAGE_CHECKS[request.format](request.message);
}
