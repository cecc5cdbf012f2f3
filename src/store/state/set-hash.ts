import { utf8 } from "../../lib/bytes.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { RawRow } from "../lookups.ts";

/**
 * A set hash: the sum modulo 2^128 of a keyed hash of each row's MAC. It does not depend on the order of the rows, and
 * a change of one row needs no other. The stored sum is masked, so that no two of them tell a row's summand
 * (MSet-Add-Hash: Clarke, Devadas, van Dijk, Gassend, Suh, "Incremental Multiset Hash Functions", 2003).
 */
export interface RowSet {
  /** The version of the owner's state at the last change of the set; 0 before the first. */
  readonly version: number;
  readonly sum: bigint;
}

export const EMPTY_SET: RowSet = { version: 0, sum: 0n };

const BYTES_OF_SUM = 16;
const BYTES_OF_VERSION = 8;
const BYTES_OF_SET = BYTES_OF_VERSION + BYTES_OF_SUM;

/** Sums are read from here: a view of a new array takes longer than the copy. */
const sumBytes = new Uint8Array(BYTES_OF_SUM);
const sumView = new DataView(sumBytes.buffer);

function toSum(bytes: Uint8Array, offset = 0): bigint {
  for (let at = 0; at < BYTES_OF_SUM; at++) sumBytes[at] = bytes[offset + at]!;
  return (sumView.getBigUint64(0) << 64n) | sumView.getBigUint64(8);
}

export function addSums(one: bigint, other: bigint): bigint {
  return BigInt.asUintN(128, one + other);
}

const ROW = utf8("row");
const MASK = utf8("mask");

/** The summands of rows that this process wrote. */
const writtenSummands = new WeakMap<Uint8Array, bigint>();

/**
 * Returns the summand of a row: 128 bits of a keyed hash of its MAC, which covers kind, key and authenticated columns.
 */
export function summandOf(authority: RowAuthority, { mac }: RawRow): bigint {
  return writtenSummands.get(mac as Uint8Array) ?? toSum(authority.setHash(ROW, mac as Uint8Array));
}

/** Like `summandOf`, for a row that was just written, whose next change needs it again. */
export function keepSummandOf(authority: RowAuthority, row: RawRow): bigint {
  const summand = summandOf(authority, row);
  writtenSummands.set(row["mac"] as Uint8Array, summand);
  return summand;
}

export function sumOf(authority: RowAuthority, rows: Iterable<RawRow>): bigint {
  let sum = 0n;
  for (const row of rows) sum = addSums(sum, summandOf(authority, row));
  return sum;
}

function maskOf(authority: RowAuthority, owner: string, kind: AuthorityKind, version: number): bigint {
  return toSum(authority.setHash(MASK, utf8(owner), utf8(kind), utf8(String(version))));
}

/** The owner of sets, and their kinds in order. */
export interface SetsOf {
  readonly owner: string;
  readonly kinds: readonly AuthorityKind[];
}

/** The sums of an owner's sets in encoded bytes that this process has decoded or encoded: each takes a keyed hash. */
interface KnownSums {
  readonly owner: string;
  readonly byKind: Map<AuthorityKind, RowSet>;
}

const knownSums = new WeakMap<Uint8Array, KnownSums>();

function keepSum(encoded: Uint8Array, owner: string, kind: AuthorityKind, set: RowSet): void {
  const known = knownSums.get(encoded);
  if (known?.owner === owner) known.byKind.set(kind, set);
  else knownSums.set(encoded, { owner, byKind: new Map([[kind, set]]) });
}

function knownSum(encoded: Uint8Array, owner: string, kind: AuthorityKind): RowSet | undefined {
  const known = knownSums.get(encoded);
  return known?.owner === owner ? known.byKind.get(kind) : undefined;
}

/** Encodes a set hash: its version (8 bytes, big-endian), then its masked sum (16 bytes). */
export function writeSet(
  authority: RowAuthority,
  { owner, kinds }: SetsOf,
  encoded: Uint8Array,
  index: number,
  set: RowSet,
): void {
  const { version, sum } = set;
  const view = new DataView(encoded.buffer, encoded.byteOffset + index * BYTES_OF_SET, BYTES_OF_SET);
  const masked = addSums(sum, maskOf(authority, owner, kinds[index]!, version));
  view.setBigUint64(0, BigInt(version));
  view.setBigUint64(8, masked >> 64n);
  view.setBigUint64(16, BigInt.asUintN(64, masked));
  keepSum(encoded, owner, kinds[index]!, set);
}

/** Decodes the set hash of one kind. The bytes must be a verified row's; those of an older version may be shorter. */
export function readSet(
  authority: RowAuthority,
  { owner, kinds }: SetsOf,
  encoded: Uint8Array,
  index: number,
): RowSet {
  const version = versionOfSet(encoded, index);
  if (version === 0) return EMPTY_SET;
  const known = knownSum(encoded, owner, kinds[index]!);
  if (known?.version === version) return known;
  const mask = maskOf(authority, owner, kinds[index]!, version);
  const set = { version, sum: addSums(toSum(encoded, index * BYTES_OF_SET + BYTES_OF_VERSION), -mask) };
  keepSum(encoded, owner, kinds[index]!, set);
  return set;
}

/**
 * Returns the version of a set without its sum, which takes a keyed hash. Returns 0 for a negative index: an account id
 * from a request may name an owner that has no rows of the kind.
 */
export function versionOfSet(encoded: Uint8Array, index: number): number {
  const offset = index * BYTES_OF_SET;
  if (index < 0 || encoded.length < offset + BYTES_OF_SET) return 0;
  // Not by a DataView: each request reads a dozen versions.
  let version = 0;
  for (let at = offset; at < offset + BYTES_OF_VERSION; at++) version = version * 256 + encoded[at]!;
  return version;
}

/** Returns a copy with room for every kind. */
export function copySets(encoded: Uint8Array, { kinds }: SetsOf): Uint8Array {
  const copy = new Uint8Array(kinds.length * BYTES_OF_SET);
  copy.set(encoded.subarray(0, copy.length));
  const known = knownSums.get(encoded);
  if (known !== undefined) knownSums.set(copy, { ...known, byKind: new Map(known.byKind) });
  return copy;
}
