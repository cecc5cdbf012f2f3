// @ts-check
import { parseJson } from "../../../ui/browser/json-source.client.js";

/** @typedef {import("../../../ui/browser/json-source.client.js").SourceMember} SourceMember */

/** The service's names of the types, by their numbers in EIP-2718. */
const TYPES = ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"];

const FEES = ["maxPriorityFeePerGas", "maxFeePerGas"];

/**
 * The members required for each type beside `chainId`, `nonce`, `gas` and `to`.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const NEEDED = {
  legacy: ["gasPrice"],
  eip2930: ["gasPrice"],
  eip1559: FEES,
  eip4844: [...FEES, "maxFeePerBlobGas", "blobVersionedHashes"],
  eip7702: [...FEES, "authorizationList"],
};

/**
 * Returns the type of a transaction: the `type` member, by name or number, otherwise derived from the members that
 * only one type has.
 * @param {ReadonlyMap<string, string>} members
 * @returns {string} a name of `TYPES`, or the given text if it is unknown
 */
function typeOf(members) {
  const given = parseJson(members.get("type") ?? "null");
  if (given !== null) {
    const number = typeof given === "string" && !/^(?:0x)?[0-9a-f]+$/i.test(given) ? NaN : Number(given);
    return TYPES[number] ?? String(given);
  }
  if (members.has("authorizationList")) return "eip7702";
  if (members.has("blobVersionedHashes")) return "eip4844";
  if (members.has("gasPrice")) return members.has("accessList") ? "eip2930" : "legacy";
  return "eip1559";
}

/** @param {string} type @param {ReadonlyMap<string, string>} members @returns {readonly string[]} */
function missingMembers(type, members) {
  const names = ["chainId", "nonce", "to", ...(NEEDED[type] ?? [])].filter((name) => !members.has(name));
  return members.has("gas") || members.has("gasLimit") ? names : [...names, "gas"];
}

/**
 * Converts an application's transaction to the form the service accepts. Writes the type by name, and leaves out the
 * sender and members that are null. A null `to` creates a contract and stays. Keeps the source text of all other
 * values and adds nothing: nonce, gas and fees are for the user to set. Returns the source unchanged if nothing has to
 * change.
 * @param {string} source
 * @param {readonly SourceMember[]} members
 * @returns {{ readonly text: string, readonly missing: readonly string[] }}
 */
export function readDappTransaction(source, members) {
  const kept = members.filter(({ name, source }) => name === "to" || (name !== "from" && source !== "null"));
  const named = new Map(kept.map(({ name, source }) => [name, source]));
  const type = typeOf(named);
  const missing = missingMembers(type, named);
  if (kept.length === members.length && parseJson(named.get("type") ?? "") === type) {
    return { text: source, missing };
  }
  const rest = kept.filter(({ name }) => name !== "type");
  const lines = [{ name: "type", source: JSON.stringify(type) }, ...rest].map(({ name, source }) =>
    `  ${JSON.stringify(name)}: ${source}`
  );
  return { text: `{\n${lines.join(",\n")}\n}`, missing };
}

/**
 * Returns true if bytes are framed as an unsigned transaction: a known type, and one RLP list to the last byte. Does
 * not check the contents of the list.
 * @param {string} text
 */
export function isUnsignedTransaction(text) {
  if (!/^0x(?:[0-9a-f]{2}){10,}$/i.test(text)) return false;
  /** @param {number} at @param {number} length */
  const read = (at, length) => Number(`0x${text.slice(2 + 2 * at, 2 + 2 * (at + length))}`);
  const lead = read(0, 1);
  if (lead < 0xc0 && (lead === 0 || lead >= TYPES.length)) return false;
  const start = lead < 0xc0 ? 1 : 0;
  const head = read(start, 1);
  if (head < 0xc0) return false;
  const size = Math.max(0, head - 0xf7);
  const length = size === 0 ? head - 0xc0 : read(start + 1, size);
  return start + 1 + size + length === (text.length - 2) / 2;
}
