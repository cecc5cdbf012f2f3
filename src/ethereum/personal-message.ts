import { concat, utf8 } from "../lib/bytes.ts";
import { keccak256 } from "./keccak.ts";

const PREFIX = utf8("\x19Ethereum Signed Message:\n");

/** Thrown for text that cannot be encoded as UTF-8, for which programs disagree on the bytes. */
export class PersonalMessageError extends Error {
  readonly code = "ill_formed_text";

  constructor() {
    super("Cannot hash message: text has a lone surrogate");
    this.name = "PersonalMessageError";
  }
}

/**
 * Returns the digest that `personal_sign` signs (EIP-191 version 0x45). Always takes text: `0x1234` is six characters.
 * Normalises nothing, accepts the empty text and does not limit the length. Throws PersonalMessageError for a lone
 * surrogate instead of replacing it with U+FFFD.
 */
export function personalMessageDigest(text: string): Uint8Array<ArrayBuffer> {
  if (!text.isWellFormed()) throw new PersonalMessageError();
  return personalBytesDigest(utf8(text));
}

/** Returns the digest of a message of any bytes (EIP-191 version 0x45). Does not limit the length. */
export function personalBytesDigest(message: Uint8Array): Uint8Array<ArrayBuffer> {
  return keccak256(concat(PREFIX, utf8(String(message.length)), message));
}

/** The characters of most messages. Of 32 random bytes, one in 2^58 has only these. */
const PLAIN_BYTES = /^[A-Za-z0-9 \n.,:;!?'/_-]*$/;

/**
 * Returns true if the message could be 32 bytes with another meaning, such as the hash of a user operation. One in 2^27
 * of such hashes is valid UTF-8, and an attacker who makes the operation can try that many.
 */
export function mayBeHash(message: Uint8Array): boolean {
  return message.length === 32 && !PLAIN_BYTES.test(String.fromCharCode(...message));
}
