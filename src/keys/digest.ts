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
import { hashTask, parseTask, TypedDataError } from "../ethereum/typed-data/typed-data.ts";
import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import { fromHex, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { JSON_PART, parseJson } from "../lib/json.ts";
import { type CooperativeTask, runSync } from "../lib/cooperative.ts";

export const MESSAGE_FORMATS = ["personal_sign", "raw", "digest"] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

export const MESSAGE_ENCODINGS = ["utf8", "hex"] as const;
export type MessageEncoding = (typeof MESSAGE_ENCODINGS)[number];

export type SignRequest =
  | {
    readonly kind: "message";
    readonly format: MessageFormat;
    readonly message: string;
    /** Defaults to text. Only `personal_sign` has an encoding. */
    readonly encoding?: MessageEncoding | undefined;
  }
  /** Typed data is an object, or its JSON text. */
  | { readonly kind: "typed_data"; readonly typedData: unknown }
  | { readonly kind: "transaction"; readonly transaction: unknown }
  | { readonly kind: "authorization"; readonly authorization: unknown };

/** A validated and hashed sign request. Only its digest is signed. */
export type CheckedSignRequest =
  & { readonly digest: Uint8Array }
  & (
    | {
      readonly kind: "message";
      readonly format: "personal_sign";
      readonly encoding: MessageEncoding;
      /** The message's bytes, or the UTF-8 of its text. */
      readonly payload: Uint8Array;
    }
    | { readonly kind: "message"; readonly format: "raw"; readonly payload: Uint8Array }
    | { readonly kind: "message"; readonly format: "digest" }
    | { readonly kind: "typed_data"; readonly typedData: CheckedTypedData }
    | { readonly kind: "transaction"; readonly transaction: Transaction }
    | { readonly kind: "authorization"; readonly authorization: Authorization }
  );

type Checked<K extends SignRequest["kind"]> = Extract<CheckedSignRequest, { readonly kind: K }>;

function refuseMember(path: string, message: string): ProtocolError {
  return new ProtocolError("invalid_request", message, { errors: [{ path, message }] });
}

/** Decodes a hex message. The error states the requirement `what`. */
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
  throw refuseMember("/encoding", `Messages of the format ${format} are hex: leave out encoding`);
}

/** Converts a parse error of `ethereum/` to a problem with a pointer to the fault. */
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

/** Parses a JSON text at once, after yields for the parts that it takes. Throws `invalid_json`. */
function* parseText(text: string): CooperativeTask<unknown> {
  for (let read = JSON_PART; read < text.length; read += JSON_PART) yield;
  return parseJson(text);
}

function* checkTypedData(given: unknown): CooperativeTask<Checked<"typed_data">> {
  const input = typeof given === "string" ? yield* parseText(given) : given;
  try {
    const typedData = yield* parseTask(input);
    const { digest } = yield* hashTask(typedData);
    return { kind: "typed_data", typedData, digest };
  } catch (error) {
    throw problemOf(error);
  }
}

/** Validates and hashes a transaction, from members or bytes. Throws `invalid_transaction`. */
export function checkTransaction(input: unknown): Checked<"transaction"> {
  const transaction = readWith(readTransaction, input);
  return { kind: "transaction", transaction, digest: transactionDigest(transaction) };
}

/** Validates and hashes an EIP-7702 authorization. Throws `invalid_transaction`. */
export function checkAuthorization(input: unknown): Checked<"authorization"> {
  const authorization = readWith(readAuthorization, input);
  return { kind: "authorization", authorization, digest: authorizationDigest(authorization) };
}

/**
 * Validates a sign request and computes its 32-byte digest: EIP-191 over text or bytes, keccak-256 of raw bytes, a
 * digest itself, EIP-712, or the hash of a transaction or authorization. Throws `invalid_request`,
 * `invalid_typed_data` or `invalid_transaction` with a pointer to the fault. Does not check whether the key may sign
 * it: `sign` does.
 */
export function checkSignRequest(request: SignRequest): CheckedSignRequest {
  return runSync(checkTask(request));
}

/** Like `checkSignRequest`, in steps, because long typed data takes tens of milliseconds. */
export function* checkTask(request: SignRequest): CooperativeTask<CheckedSignRequest> {
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
