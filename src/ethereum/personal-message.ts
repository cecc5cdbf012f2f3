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
