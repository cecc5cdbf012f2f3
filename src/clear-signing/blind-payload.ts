import { utf8 } from "../lib/bytes.ts";
import type { TextCode } from "./format-message.ts";

type Sign = readonly [reason: TextCode, matches: (payload: Uint8Array) => boolean];

/** Highest first byte that a type of transaction can have (EIP-2718). */
const LAST_TYPE = 0x7f;
const CONFLUX = utf8("cfx");
const COSMOS_JSON = utf8('{"account_number":');

/**
 * What keccak256 of a payload is signed as elsewhere by keys like ours, and how such a payload is known. The first
 * two cover Ethereum and whatever follows its envelope: Celo's, OP's and Arbitrum's own types, node records and
 * discovery packets, Kaia's and Harmony's transactions. EIP-191 covers the messages of all chains that only put their
 * own name into Ethereum's prefix.
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
 * Why keccak256 of the payload may mean something else to somebody, the code of the rest of a sentence about "these
 * bytes"; undefined when nothing speaks against it. It refuses too much rather than too little: a list counts by its outer
 * header alone. Says nothing about schemes that hash otherwise (Bitcoin's, TRON's and VeChain's transactions), and
 * cannot know those without a mark of their own (extrinsics of Substrate chains with Ethereum's addresses), nor what
 * a bare digest stands for.
 */
export function blindPayloadReason(payload: Uint8Array): TextCode | undefined {
  return SIGNS.find(([, matches]) => matches(payload))?.[0];
}

function beginsWith(prefix: ArrayLike<number>): (payload: Uint8Array) => boolean {
  return (payload) =>
    payload.length >= prefix.length && Array.from(prefix).every((byte, index) => payload[index] === byte);
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

function isConflux(payload: Uint8Array): boolean {
  return beginsWith(CONFLUX)(payload) && isRlpList(payload.subarray(CONFLUX.length + 1));
}

/** Whether they are a hash, an address and a small number, 32 bytes each (ERC-4337 before EntryPoint 0.8). */
function isUserOperation(payload: Uint8Array): boolean {
  const isZero = (byte: number): boolean => byte === 0;
  return payload.length === 96 && payload.subarray(32, 44).every(isZero) &&
    payload.subarray(64, 88).every(isZero);
}

/** Whether `body_bytes` and `auth_info_bytes` stand first, which every chain with Ethereum's keys hashes so. */
function isCosmosSignDoc(payload: Uint8Array): boolean {
  const next = skipField(payload, 0, 0x0a);
  return next !== undefined && skipField(payload, next, 0x12) !== undefined;
}

/** Where the protobuf field of bytes with this tag ends; undefined when it does not stand at the offset. */
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
