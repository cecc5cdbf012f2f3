import type { RecoverableSignature } from "../signature.ts";
import type { Reading } from "./transaction-reading.ts";
import type { RlpInput } from "./rlp.ts";
import type { Table } from "./struct.ts";
import type { Transaction } from "./transaction.ts";

export interface Envelope<T extends Transaction> {
  readonly type: T["type"];
  /** The type byte before the list (EIP-2718). Empty for legacy. */
  readonly lead: Uint8Array;
  /** The members in the order of the RLP list. */
  readonly table: Table<Omit<T, "type">>;
  /** The items after the members in the list that is hashed for signing. */
  readonly unsignedTail: readonly Uint8Array[];
  /** Returns the whole list of the signed transaction, from the encoded members. */
  readonly sealed: (members: readonly RlpInput[], transaction: T, signature: SignatureParts) => RlpInput[];
  /** Throws TransactionError for a fault across several members. */
  readonly check?: (reading: Reading, transaction: Omit<T, "type">) => void;
  /** The message if the list begins with a list, for types that have such a network form. */
  readonly nested?: string;
}

export interface SignatureParts {
  readonly yParity: 0 | 1;
  /** 32 bytes. */
  readonly r: Uint8Array;
  /** 32 bytes. */
  readonly s: Uint8Array;
}

/** Splits a signature into its parts. Throws RangeError for a recovery id of 2 or 3, which has no parity. */
export function partsOf({ compact, recovery }: RecoverableSignature): SignatureParts {
  if (compact.length !== 64) throw new TypeError("Cannot take signature apart: not 64 bytes");
  if (recovery !== 0 && recovery !== 1) {
    throw new RangeError("Cannot take signature apart: recovery id has no parity");
  }
  return { yParity: recovery, r: compact.subarray(0, 32), s: compact.subarray(32) };
}

/** Removes the leading zero bytes of r or s, as RLP requires of integers. */
export function scalarItem(scalar: Uint8Array): Uint8Array {
  let start = 0;
  while (scalar[start] === 0) start++;
  return scalar.subarray(start);
}

/** Returns the signed list of every type but legacy: the members, then yParity, r and s (EIP-2930). */
export function sealedWithParity(
  members: readonly RlpInput[],
  _transaction: Transaction,
  { yParity, r, s }: SignatureParts,
): RlpInput[] {
  return [...members, BigInt(yParity), scalarItem(r), scalarItem(s)];
}
