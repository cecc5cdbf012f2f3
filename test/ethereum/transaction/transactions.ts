import fc from "fast-check";
import { toChecksumAddress } from "../../../src/ethereum/address.ts";
import type { TransactionType } from "../../../src/ethereum/transaction/transaction.ts";

/** A transaction as a client sends it. */
export type TransactionJson = { readonly type: TransactionType } & Readonly<Record<string, unknown>>;

/** A signature that a chain accepts: 32 bytes each in 0x-hex, s low. */
export interface SignatureJson {
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
  readonly yParity: 0 | 1;
}

/** A source of integers below a bound. They decide what a transaction contains. */
type Draw = (bound: number) => number;

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** The bits of nonces and chain ids, because other libraries store them in a double. */
const SAFE = 53;
const LENGTHS = [0, 1, 2, 3, 4, 5, 20, 31, 32, 36, 54, 55, 56, 57, 68, 100, 254, 255, 256, 257, 300] as const;

/**
 * Returns transactions of a type with a signature each. A tape of numbers decides each one, which bounds its size and
 * lets fast-check shrink a failing one.
 */
export function transactions(
  type: TransactionType,
): fc.Arbitrary<{ readonly transaction: TransactionJson; readonly signature: SignatureJson }> {
  return fc.uint32Array({ minLength: 80, maxLength: 80 }).map((tape) => {
    let position = 0;
    const draw: Draw = (bound) => (tape[position++ % tape.length]! + position) % bound;
    return { transaction: { type, ...MAKERS[type](draw) }, signature: signature(draw) };
  });
}

type Make = (draw: Draw) => Readonly<Record<string, unknown>>;

const MAKERS: Readonly<Record<TransactionType, Make>> = {
  legacy: (draw) => ({ ...base(draw, "may-create"), gasPrice: integer(draw, 256) }),
  eip2930: (draw) => ({
    ...base(draw, "may-create"),
    gasPrice: integer(draw, 256),
    accessList: accessList(draw),
  }),
  eip1559: (draw) => ({ ...base(draw, "may-create"), ...fees(draw), accessList: accessList(draw) }),
  eip4844: (draw) => ({
    ...base(draw, "must-call"),
    ...fees(draw),
    accessList: accessList(draw),
    maxFeePerBlobGas: integer(draw, 256),
    blobVersionedHashes: times(draw(4) + 1, () => "0x01" + hex(draw, 31).slice(2)),
  }),
  eip7702: (draw) => ({
    ...base(draw, "must-call"),
    ...fees(draw),
    accessList: accessList(draw),
    authorizationList: times(draw(3) + 1, () => authorization(draw)),
  }),
};

function base(draw: Draw, creation: "may-create" | "must-call"): Readonly<Record<string, unknown>> {
  const data = hex(draw, LENGTHS[draw(LENGTHS.length)]!);
  return {
    chainId: spelled(draw, magnitude(draw, SAFE) || 1n),
    nonce: integer(draw, SAFE),
    [draw(2) === 0 ? "gas" : "gasLimit"]: integer(draw, 64),
    to: creation === "may-create" && draw(5) === 0 ? null : address(draw),
    ...(draw(4) === 0 ? {} : { value: integer(draw, 256) }),
    ...(data === "0x" ? {} : { [draw(2) === 0 ? "data" : "input"]: data }),
  };
}

function fees(draw: Draw): Readonly<Record<string, unknown>> {
  // viem accepts no fee above 2^256 - 1, and no library accepts a tip above the fee.
  const [tip, fee] = [magnitude(draw, 256), magnitude(draw, 256)].sort((a, b) => a < b ? -1 : 1);
  return { maxPriorityFeePerGas: spelled(draw, tip!), maxFeePerGas: spelled(draw, fee!) };
}

function accessList(draw: Draw): readonly unknown[] {
  return times(draw(4), () => ({
    address: address(draw),
    storageKeys: times(draw(4), () => hex(draw, 32)),
  }));
}

function authorization(draw: Draw): Readonly<Record<string, unknown>> {
  return {
    chainId: integer(draw, SAFE),
    address: address(draw),
    nonce: integer(draw, SAFE),
    ...signature(draw),
  };
}

function signature(draw: Draw): SignatureJson {
  return { r: scalar(draw, ORDER - 1n), s: scalar(draw, ORDER / 2n), yParity: draw(2) as 0 | 1 };
}

/** Draws a scalar from 1 to the bound, one in four with leading zero bytes. */
function scalar(draw: Draw, most: bigint): `0x${string}` {
  const value = magnitude(draw, draw(4) === 0 ? 240 : 256) % most + 1n;
  return `0x${value.toString(16).padStart(64, "0")}`;
}

function integer(draw: Draw, bits: number): string | number {
  return spelled(draw, magnitude(draw, bits));
}

/** Draws an integer of at most `bits` bits: small, large, or at the edge of a byte. */
function magnitude(draw: Draw, bits: number): bigint {
  const length = draw(bits + 1);
  const edge = 1n << BigInt(length);
  const random = BigInt(hex(draw, 32)) % edge;
  return [0n, random, random, random, edge - 1n, edge >> 1n][draw(6)]!;
}

/** Spells an integer in one of its JSON forms. */
function spelled(draw: Draw, value: bigint): string | number {
  const number = value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
  return [number, value.toString(), "0x" + value.toString(16)][draw(3)]!;
}

function address(draw: Draw): string {
  const lower = hex(draw, 20);
  const spellings = [lower, toChecksumAddress(Uint8Array.fromHex(lower.slice(2)))];
  return spellings[draw(spellings.length)]!;
}

function hex(draw: Draw, length: number): `0x${string}` {
  let state = draw(2 ** 32);
  const bytes = times(length, () => {
    // Any cheap sequence works, as long as the bytes differ.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 24).toString(16).padStart(2, "0");
  });
  return `0x${bytes.join("")}`;
}

function times<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}
