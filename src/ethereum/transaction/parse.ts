import { fromHex } from "../../lib/bytes.ts";
import { didYouMean, isObject, quote } from "../json-reading.ts";
import { envelopeOf, TRANSACTION_TYPES, typeOfLead } from "./envelopes.ts";
import { type Reading, readObject, refuse, TransactionError } from "./transaction-reading.ts";
import { decodeRlp, itemsOf, nextItem, type RlpCursor, RlpError, type RlpItem } from "./rlp.ts";
import { readItems, readMembers } from "./struct.ts";
import type { Transaction, TransactionType } from "./transaction.ts";

const SIGNED = "Already signed: send the transaction without its signature";
const SIDECAR = "Only the blobs' hashes are signed: send the transaction without its sidecar";
/** The items yParity, r and s. */
const SIGNATURE_ITEMS = 3;

const SENDER = "The sender is the key that signs: leave it out";

/** The messages for members that other programs add to transactions and that are refused here. */
const REASONS: Readonly<Record<string, string>> = {
  ...{ r: SIGNED, s: SIGNED, v: SIGNED, yParity: SIGNED, signature: SIGNED, hash: SIGNED },
  ...{ blobs: SIDECAR, sidecar: SIDECAR, sidecars: SIDECAR, commitments: SIDECAR, proofs: SIDECAR },
  ...{ kzg: SIDECAR, blobVersion: SIDECAR, blobWrapperVersion: SIDECAR, wrapperVersion: SIDECAR },
  from: SENDER,
};

/** The messages for first bytes that mark something other than a transaction. */
const OTHER_LEADS: Readonly<Record<number, string>> = {
  5: "The bytes are an authorization (EIP-7702), not a transaction",
};

/**
 * Reads a transaction to sign: its members with `type`, or `unsigned` alone, the 0x-hex of its bytes. Throws only
 * TransactionError, with a pointer to the fault. Accepts no input with more than one reading. Does not verify nonce,
 * gas and fees with a chain.
 */
export function readTransaction(input: unknown): Transaction {
  if (isObject(input) && Object.hasOwn(input, "unsigned")) return readUnsigned(input);
  return readNamedMembers(input);
}

function readNamedMembers(input: unknown): Transaction {
  const reading: Reading = { form: "members", segments: [] };
  if (!isObject(input)) refuse(reading, "Expected an object");
  const { type: given, ...rest } = input;
  const type = readType(reading, given);
  const { table, check } = envelopeOf(type);
  const transaction = readMembers(reading, rest, table, (name) => refusalReason(type, name));
  check?.(reading, transaction);
  return { type, ...transaction } as Transaction;
}

function readType(reading: Reading, given: unknown): TransactionType {
  const known = TRANSACTION_TYPES.join(", ");
  if (given === undefined) refuse(reading, `Missing member "type": one of ${known}`, "type");
  const type = TRANSACTION_TYPES.find((type) => type === given);
  if (type !== undefined) return type;
  const meant = typeof given === "string" ? ` ${quote(given)}${didYouMean(given, TRANSACTION_TYPES)}` : "";
  refuse(reading, `Unknown type${meant}; expected one of ${known}`, "type");
}

function refusalReason(type: TransactionType, name: string): string | undefined {
  if (Object.hasOwn(REASONS, name)) return REASONS[name];
  const isOfOthers = TRANSACTION_TYPES.some((other) => Object.hasOwn(envelopeOf(other).table.members, name));
  return isOfOthers ? `A transaction of type ${type} has no ${quote(name)}` : undefined;
}

function readUnsigned(input: Readonly<Record<string, unknown>>): Transaction {
  const outer: Reading = { form: "members", segments: [] };
  const { unsigned } = readObject(outer, input, ["unsigned"]);
  const bytes = typeof unsigned === "string" ? fromHex(unsigned) : undefined;
  if (bytes === undefined) refuse(outer, "Expected 0x and an even number of hex digits", "unsigned");
  try {
    return decodeUnsigned({ form: "unsigned", segments: [] }, bytes);
  } catch (error) {
    if (!(error instanceof RlpError)) throw error;
    throw new TransactionError("/unsigned", `Not canonical RLP: ${error.message}`);
  }
}

function decodeUnsigned(reading: Reading, bytes: Uint8Array): Transaction {
  const type = readLead(reading, bytes);
  const { lead, table, check, unsignedTail, nested } = envelopeOf(type);
  const list = decodeRlp(bytes.subarray(lead.length));
  if (list.kind !== "list") refuse(reading, "Expected a list behind the type, not bytes");
  const [first] = list.content;
  if (nested !== undefined && first !== undefined && first >= 0xc0) refuse(reading, nested);
  const cursor = itemsOf(list);
  const transaction = readItems(reading, cursor, table);
  readTail(reading, cursor, unsignedTail.length);
  check?.(reading, transaction);
  return { type, ...transaction } as Transaction;
}

/** Reads the empty items after the members, if the type has them. Refuses a signature in their place. */
function readTail(reading: Reading, cursor: RlpCursor, expected: number): void {
  const tail: RlpItem[] = [];
  for (let item = nextItem(cursor); item !== undefined; item = nextItem(cursor)) {
    tail.push(item);
    if (tail.length > SIGNATURE_ITEMS) break;
  }
  if (tail.length === expected && tail.every(isEmpty)) return;
  // A legacy signature replaces chain id and tail. Other signatures follow the members.
  if (tail.length === (expected || SIGNATURE_ITEMS)) refuse(reading, SIGNED);
  refuse(reading, tail.length < expected ? "Too few items in the list" : "Too many items in the list");
}

function isEmpty(item: RlpItem): boolean {
  return item.kind === "bytes" && item.content.length === 0;
}

function readLead(reading: Reading, bytes: Uint8Array): TransactionType {
  const [first] = bytes;
  if (first === undefined) refuse(reading, "There are no bytes");
  if (first >= 0xc0) return "legacy";
  const hex = "0x" + first.toString(16).padStart(2, "0");
  if (first >= 0x80) refuse(reading, `No transaction begins with ${hex}`);
  return typeOfLead(first) ?? refuse(reading, OTHER_LEADS[first] ?? `Unknown type of transaction ${hex}`);
}
