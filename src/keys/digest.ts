import { keccak256 } from "../ethereum/keccak.ts";
import {
  personalBytesDigest,
  personalMessageDigest,
  PersonalMessageError,
} from "../ethereum/personal-message.ts";
import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import { authorizationDigest, readAuthorization } from "../ethereum/transaction/authorization-tuple.ts";
import { TransactionError } from "../ethereum/transaction/transaction-reading.ts";
import { readTransaction } from "../ethereum/transaction/parse.ts";
import { transactionDigest } from "../ethereum/transaction/serialize.ts";
import { hashInParts, parseInParts, TypedDataError } from "../ethereum/typed-data/typed-data.ts";
import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import { fromHex, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { atOnce } from "../lib/cooperative.ts";
import type { Parts } from "../lib/cooperative.ts";

/** How the text of a sign request becomes 32 bytes. */
export const MESSAGE_FORMATS = ["personal_sign", "raw", "digest"] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

/** What a message of `personal_sign` is: text, or the bytes that its hex stands for. */
export const MESSAGE_ENCODINGS = ["utf8", "hex"] as const;
export type MessageEncoding = (typeof MESSAGE_ENCODINGS)[number];

/** What is to be signed: a message in one of its formats, typed data, a transaction or an authorization. */
export type SignRequest =
  | {
    readonly kind: "message";
    readonly format: MessageFormat;
    readonly message: string;
    /** Text where it is left out. The formats other than `personal_sign` have none. */
    readonly encoding?: MessageEncoding | undefined;
  }
  | { readonly kind: "typed_data"; readonly typedData: unknown }
  | { readonly kind: "transaction"; readonly transaction: unknown }
  | { readonly kind: "authorization"; readonly authorization: unknown };

/** A sign request that was checked and hashed. Nothing but its digest is signed. */
export type CheckedSignRequest =
  & { readonly digest: Uint8Array }
  & (
    | {
      readonly kind: "message";
      readonly format: "personal_sign";
      readonly encoding: MessageEncoding;
      /** The message's bytes: those of its UTF-8 where it is text. */
      readonly payload: Uint8Array;
    }
    | { readonly kind: "message"; readonly format: "raw"; readonly payload: Uint8Array }
    | { readonly kind: "message"; readonly format: "digest" }
    | { readonly kind: "typed_data"; readonly typedData: CheckedTypedData }
    | { readonly kind: "transaction"; readonly transaction: Transaction }
    | { readonly kind: "authorization"; readonly authorization: Authorization }
  );

/** A checked request of one kind. */
type Checked<K extends SignRequest["kind"]> = Extract<CheckedSignRequest, { readonly kind: K }>;

function refuseMember(path: string, message: string): ProtocolError {
  return new ProtocolError("invalid_request", message, { errors: [{ path, message }] });
}

/** The bytes of a message in hex; `what` they must be is said where they are none. */
function bytesOf(message: string, what: string): Uint8Array {
  const bytes = fromHex(message);
  if (bytes === undefined) throw refuseMember("/message", `Message must be 0x-prefixed hex ${what}`);
  return bytes;
}

type MessageCheck = (message: string) => CheckedSignRequest;

function checkPersonalText(message: string): CheckedSignRequest {
  try {
    const digest = personalMessageDigest(message);
    return { kind: "message", format: "personal_sign", encoding: "utf8", payload: utf8(message), digest };
  } catch (error) {
    if (!(error instanceof PersonalMessageError)) throw error;
    throw refuseMember("/message", "Message holds a lone surrogate, which has no UTF-8 form");
  }
}

function checkPersonalBytes(message: string): CheckedSignRequest {
  const payload = bytesOf(message, "with an even number of digits");
  const digest = personalBytesDigest(payload);
  return { kind: "message", format: "personal_sign", encoding: "hex", payload, digest };
}

function checkRaw(message: string): CheckedSignRequest {
  const payload = bytesOf(message, "with an even number of digits");
  return { kind: "message", format: "raw", payload, digest: keccak256(payload) };
}

function checkDigest(message: string): CheckedSignRequest {
  const digest = bytesOf(message, "of exactly 32 bytes");
  if (digest.length === 32) return { kind: "message", format: "digest", digest };
  throw refuseMember("/message", "Message must be 0x-prefixed hex of exactly 32 bytes");
}

const PERSONAL_CHECKS: Readonly<Record<MessageEncoding, MessageCheck>> = {
  utf8: checkPersonalText,
  hex: checkPersonalBytes,
};

const BLIND_CHECKS: Readonly<Record<Exclude<MessageFormat, "personal_sign">, MessageCheck>> = {
  raw: checkRaw,
  digest: checkDigest,
};

function checkMessage(
  { format, message, encoding }: Extract<SignRequest, { kind: "message" }>,
): CheckedSignRequest {
  if (format === "personal_sign") return PERSONAL_CHECKS[encoding ?? "utf8"](message);
  if (encoding === undefined) return BLIND_CHECKS[format](message);
  throw refuseMember("/encoding", `Messages of the format ${format} are hex: leave the encoding out`);
}

/** The refusal of a reader of `ethereum/` as the answer's problem, with its pointer. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof TypedDataError || error instanceof TransactionError)) return error;
  return new ProtocolError(error.code, error.message, {
    errors: [{ path: error.path, message: error.message }],
    cause: error,
  });
}

function readWith<T>(read: (input: unknown) => T, input: unknown): T {
  try {
    return read(input);
  } catch (error) {
    throw problemOf(error);
  }
}

/** Checks and hashes typed data; `invalid_typed_data` names the fault. */
function* checkTypedData(input: unknown): Parts<Checked<"typed_data">> {
  try {
    const typedData = yield* parseInParts(input);
    const { digest } = yield* hashInParts(typedData);
    return { kind: "typed_data", typedData, digest };
  } catch (error) {
    throw problemOf(error);
  }
}

/** Checks and hashes a transaction, from its members or its bytes; `invalid_transaction` names the fault. */
export function checkTransaction(input: unknown): Checked<"transaction"> {
  const transaction = readWith(readTransaction, input);
  return { kind: "transaction", transaction, digest: transactionDigest(transaction) };
}

/** Checks and hashes an authorization of EIP-7702; `invalid_transaction` names the fault. */
export function checkAuthorization(input: unknown): Checked<"authorization"> {
  const authorization = readWith(readAuthorization, input);
  return { kind: "authorization", authorization, digest: authorizationDigest(authorization) };
}

/**
 * Checks a sign request and computes the 32 bytes it stands for: EIP-191 over the UTF-8 of the text or over the bytes,
 * keccak-256 of the raw bytes, the digest as it is, EIP-712, a transaction's or an authorization's own hash. Throws
 * `invalid_request`, `invalid_typed_data` or `invalid_transaction` naming the fault. Does not decide whether the key
 * may sign it (`sign` does).
 */
export function checkSignRequest(request: SignRequest): CheckedSignRequest {
  return atOnce(checkInParts(request));
}

/** `checkSignRequest` in parts: long typed data takes tens of milliseconds. */
export function* checkInParts(request: SignRequest): Parts<CheckedSignRequest> {
  switch (request.kind) {
    case "message":
      return checkMessage(request);
    case "typed_data":
      return yield* checkTypedData(request.typedData);
    case "transaction":
      return checkTransaction(request.transaction);
    case "authorization":
      return checkAuthorization(request.authorization);
  }
}
