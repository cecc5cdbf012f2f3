import type { RecoverableSignature } from "../signature.ts";
import type { Reading } from "./transaction-reading.ts";
import type { RlpInput } from "./rlp.ts";
import type { Table } from "./struct.ts";
import type { Transaction } from "./transaction.ts";

/** One type of transaction: what it is made of and how it is put into bytes. */
export interface Envelope<T extends Transaction> {
  readonly type: T["type"];
  /** What stands before the list (EIP-2718): one byte, or none. */
  readonly lead: Uint8Array;
  /** Its members in the order of the list. */
  readonly table: Table<Omit<T, "type">>;
  /** What stands in the list behind the members when it is hashed to be signed. */
  readonly unsignedTail: readonly Uint8Array[];
  /** The whole list of the signed transaction, from the encoded members. */
  readonly sealed: (members: readonly RlpInput[], transaction: T, signature: SignatureParts) => RlpInput[];
  /** Refuses what no single member shows. */
  readonly check?: (reading: Reading, transaction: Omit<T, "type">) => void;
  /** Why the list cannot begin with a list, where such a form exists. */
  readonly nested?: string;
}

/** A signature as the list has it. */
export interface SignatureParts {
  readonly yParity: 0 | 1;
  /** 32 bytes. */
  readonly r: Uint8Array;
  /** 32 bytes. */
  readonly s: Uint8Array;
}

/** The parts of a signature. A recovery id of 2 or 3 has no parity and throws. */
export function partsOf({ compact, recovery }: RecoverableSignature): SignatureParts {
  if (compact.length !== 64) throw new TypeError("Cannot take signature apart: not 64 bytes");
  if (recovery !== 0 && recovery !== 1) {
    throw new RangeError("Cannot take signature apart: recovery id has no parity");
  }
  return { yParity: recovery, r: compact.subarray(0, 32), s: compact.subarray(32) };
}

/** r or s as RLP has integers: without its leading zero bytes. */
export function scalarItem(scalar: Uint8Array): Uint8Array {
  let start = 0;
  while (scalar[start] === 0) start++;
  return scalar.subarray(start);
}

/** The signed list of every type but legacy: the members, then yParity, r and s (EIP-2930). */
export function sealedWithParity(
  members: readonly RlpInput[],
  _transaction: Transaction,
  { yParity, r, s }: SignatureParts,
): RlpInput[] {
  return [...members, BigInt(yParity), scalarItem(r), scalarItem(s)];
}
