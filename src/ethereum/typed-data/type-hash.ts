import { utf8 } from "../../lib/bytes.ts";
import { recall } from "../../lib/memoize.ts";
import { keccak256 } from "../keccak.ts";

/** Characters of the longest text that is kept. */
const LONGEST_KEPT = 2_048;

/** Texts that are kept: applications send the same few types again and again. */
const KEPT = 1_000;

/** The hashes reckoned last. A text has one for ever. */
const hashes = new Map<string, Uint8Array>();

function hashText(text: string): Uint8Array {
  return keccak256(utf8(text));
}

/** keccak256 of a type's text (EIP-712, "Definition of hashStruct"). Not to be changed: others have the same array. */
export function typeHashOf(text: string): Uint8Array {
  return text.length > LONGEST_KEPT ? hashText(text) : recall(hashes, text, KEPT, hashText);
}
