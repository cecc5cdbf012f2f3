import { utf8 } from "../lib/bytes.ts";

type Sign = readonly [reason: string, matches: (payload: Uint8Array) => boolean];

const PERSONAL_MESSAGE = utf8("\x19Ethereum Signed Message:\n");

/** What keccak256 of a payload could be signed as elsewhere, and how such a payload is known. */
const SIGNS: readonly Sign[] = [
  ["they are an RLP list, as a legacy transaction is", isRlpList],
  [
    "they begin with 0x01 to 0x05, as a typed transaction or an authorization does (EIP-2718, EIP-7702)",
    isEnvelope,
  ],
  [
    "they begin with 0x1900, as data for a validator does (EIP-191)",
    (payload) => beginsWith(payload, [0x19, 0]),
  ],
  ["they begin with 0x1901, as typed data does (EIP-712)", (payload) => beginsWith(payload, [0x19, 1])],
  ["they begin as a personal message does (EIP-191)", (payload) => beginsWith(payload, PERSONAL_MESSAGE)],
];

/**
 * Why keccak256 of the payload may mean something else to somebody, as the rest of a sentence about "these bytes";
 * undefined when nothing speaks against it. It refuses too much rather than too little: a list counts by its outer
 * header alone and an envelope by its first byte. Says nothing about schemes that hash otherwise, and cannot see what
 * a bare digest stands for.
 */
export function blindPayloadReason(payload: Uint8Array): string | undefined {
  return SIGNS.find(([, matches]) => matches(payload))?.[0];
}

function beginsWith(payload: Uint8Array, prefix: ArrayLike<number>): boolean {
  return payload.length >= prefix.length &&
    Array.from(prefix).every((byte, index) => payload[index] === byte);
}

function isEnvelope(payload: Uint8Array): boolean {
  const type = payload[0];
  return type !== undefined && type >= 1 && type <= 5;
}

/** Whether the header of an RLP list (Yellow Paper, appendix B) stands first and counts exactly the rest. */
function isRlpList(payload: Uint8Array): boolean {
  const header = payload[0];
  if (header === undefined || header < 0xc0) return false;
  if (header <= 0xf7) return payload.length === 1 + header - 0xc0;
  const lengthBytes = header - 0xf7;
  if (payload.length < 1 + lengthBytes) return false;
  let length = 0;
  for (const byte of payload.subarray(1, 1 + lengthBytes)) length = length * 256 + byte;
  return payload.length === 1 + lengthBytes + length;
}
