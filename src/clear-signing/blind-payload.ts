import { utf8 } from "../lib/bytes.ts";
import type { TextCode } from "./format-message.ts";

type Sign = readonly [reason: TextCode, matches: (payload: Uint8Array) => boolean];

/** The highest first byte of a transaction type (EIP-2718). */
const LAST_TYPE = 0x7f;
const CONFLUX = utf8("cfx");
const COSMOS_JSON = utf8('{"account_number":');

/**
 * Payloads whose keccak256 other systems sign with the same kind of key. The first two cover Ethereum and chains that
 * use its envelope: types of Celo, OP and Arbitrum, node records, discovery packets, Kaia and Harmony. EIP-191 covers
 * the messages of chains that only put their name into Ethereum's prefix.
 */
const SIGNS: readonly Sign[] = [
  ["rlpList", isRlpList],
  [
    "typedEnvelope",
    (payload) => payload.length > 0 && payload[0]! <= LAST_TYPE && isRlpList(payload.subarray(1)),
  ],
  [
    "typedPrefix",
    (payload) => payload.length > 0 && payload[0]! >= 1 && payload[0]! <= 5,
  ],
  ["validatorData", beginsWith([0x19, 0])],
  ["typedDataPrefix", beginsWith([0x19, 1])],
  ["personalMessagePrefix", beginsWith([0x19])],
  ["userOperationHash", isUserOperation],
  ["conflux", isConflux],
  ["cosmosSignDoc", isCosmosSignDoc],
  ["cosmosJson", beginsWith(COSMOS_JSON)],
];

/**
 * Returns the reason why keccak256 of the payload may mean something else, as the rest of a sentence about "these
 * bytes". Returns undefined if there is none. Refuses too much rather than too little: a list counts by its outer
 * header alone. Does not recognise schemes with another hash (transactions of Bitcoin, TRON and VeChain), or without a
 * mark (Substrate extrinsics with Ethereum addresses).
 */
export function blindPayloadReason(payload: Uint8Array): TextCode | undefined {
  return SIGNS.find(([, matches]) => matches(payload))?.[0];
}

function beginsWith(prefix: ArrayLike<number>): (payload: Uint8Array) => boolean {
  return (payload) =>
    payload.length >= prefix.length && Array.from(prefix).every((byte, index) => payload[index] === byte);
}

/** Returns true for the header of an RLP list (Yellow Paper, appendix B) with exactly the length of the rest. */
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

function isConflux(payload: Uint8Array): boolean {
  return beginsWith(CONFLUX)(payload) && isRlpList(payload.subarray(CONFLUX.length + 1));
}

/** Returns true for a hash, an address and a small number, 32 bytes each (ERC-4337 before EntryPoint 0.8). */
function isUserOperation(payload: Uint8Array): boolean {
  const isZero = (byte: number): boolean => byte === 0;
  return payload.length === 96 && payload.subarray(32, 44).every(isZero) &&
    payload.subarray(64, 88).every(isZero);
}

/** Returns true if `body_bytes` and `auth_info_bytes` come first. Every Cosmos chain with Ethereum keys hashes this. */
function isCosmosSignDoc(payload: Uint8Array): boolean {
  const next = skipField(payload, 0, 0x0a);
  return next !== undefined && skipField(payload, next, 0x12) !== undefined;
}

/** Returns the end of the protobuf bytes field with this tag, or undefined if it is not at the offset. */
function skipField(payload: Uint8Array, offset: number, tag: number): number | undefined {
  if (payload[offset] !== tag) return undefined;
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = payload[offset + 1 + index];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte >= 0x80) continue;
    const end = offset + 2 + index + length;
    return end <= payload.length ? end : undefined;
  }
  return undefined;
}
