import { concat, utf8 } from "../lib/bytes.ts";
import { keccak256 } from "./keccak.ts";

const PREFIX = utf8("\x19Ethereum Signed Message:\n");

/** The text cannot be written as UTF-8, so no two programs would agree on its bytes. */
export class PersonalMessageError extends Error {
  readonly code = "ill_formed_text";

  constructor() {
    super("Cannot hash message: text has a lone surrogate");
    this.name = "PersonalMessageError";
  }
}

/**
 * The digest that `personal_sign` signs (EIP-191 version 0x45): over the UTF-8 bytes of the text, with their count
 * in decimal. Always text: `0x1234` is six characters, and nothing is normalised. The empty text is legal. A lone
 * surrogate throws PersonalMessageError instead of becoming U+FFFD. Does not limit the length.
 */
export function personalMessageDigest(text: string): Uint8Array<ArrayBuffer> {
  if (!text.isWellFormed()) throw new PersonalMessageError();
  return personalBytesDigest(utf8(text));
}

/** The digest of a message that is bytes, which need not be text (EIP-191 version 0x45). Does not limit the length. */
export function personalBytesDigest(message: Uint8Array): Uint8Array<ArrayBuffer> {
  return keccak256(concat(PREFIX, utf8(String(message.length)), message));
}

/** What people write most: of 32 random bytes, one in 2^58 has nothing else. */
const PLAIN_BYTES = /^[A-Za-z0-9 \n.,:;!?'/_-]*$/;

/**
 * Whether a message may have been made to be 32 bytes that mean something else, such as the hash of a user operation: one
 * in 2^27 of those is UTF-8, and whoever makes the operation can try that many. Text of plain letters, digits and
 * punctuation is none.
 */
export function mayBeHash(message: Uint8Array): boolean {
  return message.length === 32 && !PLAIN_BYTES.test(String.fromCharCode(...message));
}
