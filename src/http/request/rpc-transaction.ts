import { asObject } from "../../lib/object.ts";

/** The types of transactions by the byte that wallets write them with. */
const TYPES: Readonly<Record<string, string>> = {
  "0x0": "legacy",
  "0x1": "eip2930",
  "0x2": "eip1559",
  "0x3": "eip4844",
  "0x4": "eip7702",
};

/** Members that only one type, or a later one, has: a transaction without `type` is known by them, as nodes know it. */
const KNOWN_BY: readonly (readonly [member: string, type: string])[] = [
  ["authorizationList", "eip7702"],
  ["blobVersionedHashes", "eip4844"],
  ["maxFeePerGas", "eip1559"],
  ["maxPriorityFeePerGas", "eip1559"],
  ["accessList", "eip2930"],
];

function typeOf(members: Readonly<Record<string, unknown>>): unknown {
  const { type } = members;
  if (typeof type === "string") return TYPES[type.replace(/^0x0+(?=.)/, "0x")] ?? type;
  if (type !== undefined) return type;
  const found = KNOWN_BY.find(([member]) => members[member] !== undefined && members[member] !== null);
  return found?.[1] ?? "legacy";
}

/**
 * A transaction as `eth_signTransaction` has it (execution-apis, GenericTransaction), as the API has it, and from whom it
 * is. What has no value is left out; a missing `to` makes a contract. It is read after this, by `checkTransaction`.
 */
export function fromRpcTransaction(
  value: unknown,
): { readonly from: unknown; readonly transaction: Readonly<Record<string, unknown>> } {
  const { from, ...given } = asObject(value) ?? {};
  const members = Object.fromEntries(
    Object.entries(given).filter(([, member]) => member !== null && member !== undefined),
  );
  // What wallets leave in a legacy transaction says nothing.
  if (typeOf(members) === "legacy") delete members["accessList"];
  return { from, transaction: { to: null, ...members, type: typeOf(members) } };
}
