import { concat, constantTimeEqual, fromBase64url, toBase64url, utf8 } from "../lib/bytes.ts";
import { asObject } from "../lib/object.ts";
import { sha256 } from "../lib/sha256.ts";
import type { StoredSlot } from "../vault/seal-slot.ts";
import { RecoveryFault } from "./age.ts";

// The files of a recovery: shares, the request of the new trust domain, and the holders' answers. A share names the
// key of its slot. An answer names the request, and is encrypted to the key that the request's quote binds.

const SHARE = "holdfast/recovery-share/v1";
const ANSWER = "holdfast/recovery-answer/v1";
export const REQUEST = "holdfast/recovery-request/v1";

export interface Share {
  /** The id of the recovery slot's key. */
  readonly keyId: string;
  readonly threshold: number;
  readonly shares: number;
  /** From 1. */
  readonly number: number;
  readonly share: Uint8Array;
}

/** Returns the content of a share's file. It is secret. */
export function writeShare({ share, ...facts }: Share): object {
  return { purpose: SHARE, ...facts, share: toBase64url(share) };
}

function readNumber(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > 255) {
    throw new RecoveryFault("a number in it is not from 1 to 255");
  }
  return value;
}

function readShareBytes(value: unknown): Uint8Array {
  const bytes = typeof value === "string" ? fromBase64url(value) : undefined;
  // The key's 32 bytes and the share's point.
  if (bytes?.length !== 33) throw new RecoveryFault("it has no share");
  return bytes;
}

function readText(value: unknown, shape: RegExp, name: string): string {
  if (typeof value !== "string" || !shape.test(value)) throw new RecoveryFault(`it has no valid ${name}`);
  return value;
}

const KEY_ID = /^[0-9a-f]{64}$/;

/** Throws `RecoveryFault` for anything else than a share. */
export function readShare(value: unknown): Share {
  const object = asObject(value);
  if (object?.["purpose"] !== SHARE) throw new RecoveryFault("it is no share of a recovery slot");
  return {
    keyId: readText(object["keyId"], KEY_ID, "keyId"),
    threshold: readNumber(object["threshold"]),
    shares: readNumber(object["shares"]),
    number: readNumber(object["number"]),
    share: readShareBytes(object["share"]),
  };
}

/** A key provider by its name and id, as in the claims of a key's quote. */
interface ProviderClaim {
  readonly name: string;
  readonly id: string;
}

/** The claims of a request, which its quote hashes. */
export interface RequestClaims {
  readonly act: "recover" | "drill";
  /** The age recipient of the answers. Its identity is in the memory of the trust domain alone. */
  readonly recipient: string;
  readonly slot: string;
  readonly keyId: string;
  readonly threshold: number;
  readonly shares: number;
  /** The key that the seed will be sealed under. Its holder can have every key of the service. */
  readonly to: { readonly source: string; readonly keyId: string; readonly keyProvider: ProviderClaim };
  readonly issuedAt: string;
}

/** Returns the exact text of the claims, which the quote's report data hashes. */
export function writeClaims(claims: RequestClaims): string {
  return JSON.stringify({ purpose: REQUEST, ...claims });
}

/** Throws `RecoveryFault` for anything else than the claims of a request. Verifies nothing. */
export function readClaims(text: string): RequestClaims {
  const object = parse(text);
  if (object?.["purpose"] !== REQUEST) throw new RecoveryFault("the claims are not those of a recovery");
  const act = object["act"];
  if (act !== "recover" && act !== "drill") throw new RecoveryFault("the claims name no act");
  const to = asObject(object["to"]);
  const provider = asObject(to?.["keyProvider"]);
  return {
    act,
    recipient: readText(object["recipient"], /^age1[0-9a-z]{10,4000}$/, "recipient"),
    slot: readText(object["slot"], /^slot_[a-z0-9]{1,40}$/, "slot"),
    keyId: readText(object["keyId"], KEY_ID, "keyId"),
    threshold: readNumber(object["threshold"]),
    shares: readNumber(object["shares"]),
    to: {
      source: readText(to?.["source"], /^[a-z]{1,20}$/, "source"),
      keyId: readText(to?.["keyId"], KEY_ID, "keyId of the target"),
      keyProvider: {
        name: readText(provider?.["name"], /^[\x21-\x39\x3b-\x7e]{1,64}$/, "key provider"),
        id: readText(provider?.["id"], /^[\x20-\x7e]{0,4096}$/, "id of the key provider"),
      },
    },
    issuedAt: readText(object["issuedAt"], /^[0-9TZ:.-]{1,40}$/, "issuedAt"),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch (cause) {
    throw new RecoveryFault("it is not JSON", { cause });
  }
}

/** Names a request by its claims. */
export function requestIdOf(claims: string): string {
  return sha256(utf8(claims)).toHex();
}

/** Returns the content of a holder's answer. It is secret: encrypt it to the request's recipient. */
export function writeAnswer({ keyId, number, share }: Share, claims: string): object {
  return { purpose: ANSWER, request: requestIdOf(claims), keyId, number, share: toBase64url(share) };
}

export interface Answer {
  readonly number: number;
  readonly share: Uint8Array;
}

/**
 * Reads a decrypted answer to a request. Throws `RecoveryFault` for an answer to another request, a share of another
 * split, and a share that the slot does not know.
 */
export function readAnswer(value: unknown, claims: string, slot: StoredSlot): Answer {
  const object = asObject(value);
  if (object?.["purpose"] !== ANSWER) throw new RecoveryFault("it is no answer to a recovery request");
  if (object["request"] !== requestIdOf(claims)) throw new RecoveryFault("it answers another request");
  if (object["keyId"] !== slot.seal_key_id) throw new RecoveryFault("its share is of another split");
  const answer = { number: readNumber(object["number"]), share: readShareBytes(object["share"]) };
  const known = (slot.share_hashes ?? new Uint8Array()).subarray(
    32 * (answer.number - 1),
    32 * answer.number,
  );
  if (!constantTimeEqual(known, sha256(answer.share))) throw new RecoveryFault("its share is wrong");
  return answer;
}

/**
 * Returns what a slot stores of its shares: the SHA-256 of each. A share is as random as a key, so they tell nothing.
 */
export function hashShares(shares: readonly Uint8Array[]): Uint8Array {
  return concat(...shares.map((share) => sha256(share)));
}
