import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toRlp } from "viem";
import { explainTransaction } from "../../../src/ethereum/transaction/explain.ts";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import { GOOD, HASH, KEY, type Refusal, refusesTransactions, TO } from "./refusing.ts";

type Hex = `0x${string}`;
type Tree = Hex | readonly Tree[];

const NONE: Hex = "0x";
const ONE: Hex = "0x01";
const ADDRESS = TO.toLowerCase() as Hex;
const SCALAR: Hex = `0x${"11".repeat(32)}`;
const AUTHORIZATION: readonly Tree[] = [ONE, ADDRESS, NONE, NONE, SCALAR, SCALAR];

/** The shortest valid list of each type. */
const LISTS: Readonly<Record<string, readonly Tree[]>> = {
  "0x": [NONE, ONE, "0x5208", ADDRESS, NONE, NONE, ONE, NONE, NONE],
  "0x01": [ONE, NONE, ONE, "0x5208", ADDRESS, NONE, NONE, [[ADDRESS, [KEY as Hex]]]],
  "0x02": [ONE, NONE, ONE, ONE, "0x5208", ADDRESS, NONE, NONE, []],
  "0x03": [ONE, NONE, ONE, ONE, "0x5208", ADDRESS, NONE, NONE, [], ONE, [HASH as Hex]],
  "0x04": [ONE, NONE, ONE, ONE, "0x5208", ADDRESS, NONE, NONE, [], [AUTHORIZATION]],
};

function bytes(lead: string, list: Tree): { unsigned: string } {
  return { unsigned: lead + toRlp(list as never).slice(2) };
}

/** Returns the valid transaction of that lead with the item at an index replaced. */
function replaced(lead: string, index: number, item: Tree): { unsigned: string } {
  return bytes(lead, LISTS[lead]!.with(index, item));
}

/** Returns the valid transaction of that lead with the items from an index on replaced. */
function ending(lead: string, from: number, ...items: readonly Tree[]): { unsigned: string } {
  return bytes(lead, [...LISTS[lead]!.slice(0, from), ...items]);
}

/** Adds the pointer, which always names the only member. */
function refusals(
  rows: readonly (readonly [what: string, input: unknown, message: RegExp])[],
): readonly Refusal[] {
  return rows.map(([what, input, message]) => [what, input, "/unsigned", message]);
}

const SIGNED = /^Already signed: send the transaction without its signature$/;

refusesTransactions(
  "bytes that are in no envelope it knows",
  refusals([
    ["unsigned is null", { unsigned: null }, /^Expected 0x and an even number of hex digits$/],
    ["unsigned is a list", { unsigned: ["0xc0"] }, /^Expected 0x and an even number/],
    ["unsigned has no 0x", { unsigned: "c0" }, /^Expected 0x and an even number/],
    ["unsigned has half a byte", { unsigned: "0xc" }, /^Expected 0x and an even number/],
    ["there are no bytes", { unsigned: "0x" }, /^There are no bytes$/],
    ["the type is 0x00", { unsigned: "0x00c0" }, /^Unknown type of transaction 0x00$/],
    ["the type is 0x06", { unsigned: "0x06c0" }, /^Unknown type of transaction 0x06$/],
    ["the type is Celo's", { unsigned: "0x7bc0" }, /^Unknown type of transaction 0x7b$/],
    ["the type is 0x7f", { unsigned: "0x7fc0" }, /^Unknown type of transaction 0x7f$/],
    ["the first byte is no type", { unsigned: "0x80" }, /^No transaction begins with 0x80$/],
    ["the first byte is no list", { unsigned: "0xbf" }, /^No transaction begins with 0xbf$/],
    [
      "they are an authorization",
      { unsigned: "0x05c0" },
      /^The bytes are an authorization \(EIP-7702\), not a trans/,
    ],
    ["nothing is behind the type", { unsigned: "0x02" }, /^Not canonical RLP: There are no bytes$/],
    ["bytes are behind the type", { unsigned: "0x0280" }, /^Expected a list behind the type, not bytes$/],
  ]),
);

for (const [lead, list] of Object.entries(LISTS)) {
  const good = bytes(lead, list).unsigned;
  const last = list.length - 1;
  const scalars = lead === "0x" ? [ONE, SCALAR, SCALAR] : [...list, NONE, SCALAR, SCALAR];
  const signed = lead === "0x" ? [...list.slice(0, 6), ...scalars] : scalars;
  refusesTransactions(
    `a transaction whose bytes begin with ${lead}`,
    refusals([
      ["a byte is left over", { unsigned: good + "00" }, /^Not canonical RLP: Bytes are left over: 1/],
      [
        "another transaction follows",
        { unsigned: good + good.slice(2) },
        /^Not canonical RLP: Bytes are left over/,
      ],
      [
        "the last byte is missing",
        { unsigned: good.slice(0, -2) },
        /^Not canonical RLP: The bytes end before/,
      ],
      ["it is signed", bytes(lead, signed), SIGNED],
      ["it ends early", ending(lead, lead === "0x" ? 6 : last), /^The list ends before /],
      ["an item is too much", bytes(lead, [...list, NONE]), /^Too many items in the list$/],
      [
        "four items are too much",
        bytes(lead, [...list, NONE, NONE, NONE, NONE]),
        /^Too many items in the list$/,
      ],
      ["there is nothing in it", bytes(lead, []), /^The list ends before (chainId|nonce)/],
      [
        "value has a zero byte",
        replaced(lead, valueIndex(lead), "0x00"),
        /^An integer begins with a zero byte, in \/value of the transaction$/,
      ],
      [
        "value has a leading zero byte",
        replaced(lead, valueIndex(lead), "0x0001"),
        /^An integer begins with a zero byte/,
      ],
      [
        "value has 33 bytes",
        replaced(lead, valueIndex(lead), `0x${"11".repeat(33)}`),
        /^An integer has more than 32 bytes, in \/value/,
      ],
      ["value is a list", replaced(lead, valueIndex(lead), []), /^Expected bytes, not a list, in \/value/],
      ["data is a list", replaced(lead, valueIndex(lead) + 1, []), /^Expected bytes, not a list, in \/data/],
      [
        "to has 19 bytes",
        replaced(lead, valueIndex(lead) - 1, `0x${"11".repeat(19)}`),
        /^Expected 20 bytes, not 19, in \/to/,
      ],
      ["to is a list", replaced(lead, valueIndex(lead) - 1, []), /^Expected bytes, not a list, in \/to/],
      [
        "gas has 9 bytes",
        replaced(lead, valueIndex(lead) - 2, `0x${"11".repeat(9)}`),
        /^Too large: .*, in \/gasLimit/,
      ],
      [
        "it is for no chain",
        replaced(lead, lead === "0x" ? 6 : 0, NONE),
        /^Too small: at least 1, in \/chainId/,
      ],
    ]),
  );
}

function valueIndex(lead: string): number {
  return lead === "0x" || lead === "0x01" ? (lead === "0x" ? 4 : 5) : 6;
}

refusesTransactions(
  "bytes with what only their type can have wrong",
  refusals([
    [
      "a legacy transaction is for every chain",
      ending("0x", 6),
      /^The list ends before chainId: without it .* \(EIP-155\)$/,
    ],
    ["a legacy transaction has only a chain id", ending("0x", 7), /^Too few items in the list$/],
    ["a legacy transaction lacks a zero", ending("0x", 8), /^Too few items in the list$/],
    ["a legacy transaction has a list for a zero", replaced("0x", 7, []), SIGNED],
    ["a legacy transaction has an r alone", replaced("0x", 7, ONE), SIGNED],
    ["a legacy transaction was signed before EIP-155", ending("0x", 6, "0x1b", SCALAR, SCALAR), SIGNED],
    ["an access list is bytes", replaced("0x01", 7, NONE), /^Expected a list, not bytes, in \/accessList/],
    [
      "an access list's entry is bytes",
      replaced("0x01", 7, [ADDRESS]),
      /^Expected a list, not bytes, in \/accessList\/0 /,
    ],
    [
      "an access list's entry has no keys",
      replaced("0x01", 7, [[ADDRESS]]),
      /^The list ends before storageKeys, in \/accessList\/0 /,
    ],
    [
      "an access list's entry has more",
      replaced("0x01", 7, [[ADDRESS, [], []]]),
      /^Too many items: expected 2, in \/accessList\/0 /,
    ],
    [
      "an access list's address is short",
      replaced("0x01", 7, [[ONE, []]]),
      /^Expected 20 bytes, not 1, in \/accessList\/0\/address /,
    ],
    [
      "an access list's key is short",
      replaced("0x01", 7, [[ADDRESS, [ONE]]]),
      /^Wrong length: expected 32 bytes, not 1, in \/accessList\/0\/storageKeys\/0 /,
    ],
    [
      "the tip is above the fee",
      replaced("0x02", 2, "0x02"),
      /^maxPriorityFeePerGas is larger than maxFeePerGas, in \/maxPriorityFeePerGas /,
    ],
    ["blobs make a contract", replaced("0x03", 5, NONE), /^Expected 20 bytes, not 0, in \/to/],
    [
      "there is no blob",
      replaced("0x03", 10, []),
      /^A blob transaction has at least one blob, in \/blobVersionedHashes /,
    ],
    [
      "a blob's hash has another version",
      replaced("0x03", 10, [SCALAR]),
      /^A versioned hash of a blob begins with 0x01, in \/blobVersionedHashes\/0 /,
    ],
    [
      "blobs come with their sidecar",
      bytes("0x03", [LISTS["0x03"]!, [], [], []]),
      /^The transaction includes its sidecar/,
    ],
    [
      "blobs come with cell proofs (EIP-7594)",
      bytes("0x03", [LISTS["0x03"]!, ONE, [], [], []]),
      /^The transaction includes its sidecar/,
    ],
    [
      "another type comes in a list",
      bytes("0x02", [LISTS["0x02"]!]),
      /^Expected bytes, not a list, in \/chainId/,
    ],
    ["authorizations make a contract", replaced("0x04", 5, NONE), /^Expected 20 bytes, not 0, in \/to/],
    ["there is no authorization", replaced("0x04", 9, []), /^A transaction that sets code has at least one/],
    [
      "an authorization is bytes",
      replaced("0x04", 9, [ONE]),
      /^Expected a list, not bytes, in \/authorizationList\/0 /,
    ],
    [
      "an authorization is unsigned",
      replaced("0x04", 9, [AUTHORIZATION.slice(0, 3)]),
      /^The list ends before yParity, in \/authorizationList\/0 /,
    ],
    [
      "an authorization has more",
      replaced("0x04", 9, [[...AUTHORIZATION, NONE]]),
      /^Too many items: expected 6/,
    ],
    [
      "an authorization's r has a zero byte",
      replaced("0x04", 9, [AUTHORIZATION.with(4, "0x0011")]),
      /^An integer begins with a zero byte, in \/authorizationList\/0\/r /,
    ],
    [
      "an authorization's s is high",
      replaced("0x04", 9, [AUTHORIZATION.with(5, `0x${"88".repeat(32)}`)]),
      /^Too large: .*, in \/authorizationList\/0\/s /,
    ],
    [
      "an authorization's yParity is 2",
      replaced("0x04", 9, [AUTHORIZATION.with(3, "0x02")]),
      /^Too large: at most 1, in \/authorizationList\/0\/yParity /,
    ],
    [
      "an item inside is not canonical",
      { unsigned: "0x02c28101" },
      /^Not canonical RLP: A single byte below 0x80/,
    ],
  ]),
);

refusesTransactions("members beside unsigned", [
  [
    "there is a type",
    { ...bytes("0x02", LISTS["0x02"]!), type: "eip1559" },
    "/type",
    /^Unknown member "type"$/,
  ],
  ["there are all members", { ...GOOD.eip1559, unsigned: "0x" }, "/type", /^Unknown member "type"$/],
]);

describe("readTransaction() accepts bytes", () => {
  for (const [lead, list] of Object.entries(LISTS)) {
    test(`readTransaction() accepts the valid transaction whose bytes begin with ${lead}, in either case`, () => {
      const { unsigned } = bytes(lead, list);
      assert.equal(explainTransaction(readTransaction({ unsigned })).unsigned, unsigned);
      const capitals = "0x" + unsigned.slice(2).toUpperCase();
      assert.equal(explainTransaction(readTransaction({ unsigned: capitals })).unsigned, unsigned);
    });
  }

  test("readTransaction() reads a contract creation if `to` is empty, in the types that allow it", () => {
    for (const [lead, index] of [["0x", 3], ["0x01", 4], ["0x02", 5]] as const) {
      assert.equal(readTransaction(replaced(lead, index, NONE)).to, null);
    }
  });
});
