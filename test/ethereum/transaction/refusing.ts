import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readAuthorization } from "../../../src/ethereum/transaction/authorization-tuple.ts";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import { TransactionError } from "../../../src/ethereum/transaction/transaction-reading.ts";

export type Members = Readonly<Record<string, unknown>>;
/** A fault, an input with it, the pointer to it and its message. */
export type Refusal = readonly [what: string, input: unknown, path: string, message: RegExp];

export const TO = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
export const KEY = "0x" + "ab".repeat(32);
export const HASH = "0x01" + "ab".repeat(31);
export const AUTHORIZATION: Members = {
  chainId: 1,
  address: TO,
  nonce: 0,
  yParity: 0,
  r: "0x" + "11".repeat(32),
  s: "0x" + "22".repeat(32),
};

const COMMON: Members = { chainId: 1, nonce: 0, gas: 21_000, to: TO };
const FEES: Members = { maxPriorityFeePerGas: 1, maxFeePerGas: 2 };

/** A valid transaction of each type. */
export const GOOD = {
  legacy: { type: "legacy", ...COMMON, gasPrice: 1 },
  eip2930: { type: "eip2930", ...COMMON, gasPrice: 1, accessList: [{ address: TO, storageKeys: [KEY] }] },
  eip1559: { type: "eip1559", ...COMMON, ...FEES },
  eip4844: { type: "eip4844", ...COMMON, ...FEES, maxFeePerBlobGas: 1, blobVersionedHashes: [HASH] },
  eip7702: { type: "eip7702", ...COMMON, ...FEES, authorizationList: [AUTHORIZATION] },
} as const satisfies Readonly<Record<string, Members>>;

export function without(members: Members, name: string): Members {
  const { [name]: _, ...rest } = members;
  return rest;
}

function refuses(name: string, read: (input: unknown) => unknown, refusals: readonly Refusal[]): void {
  for (const [what, input, path, message] of refusals) {
    test(`${name}() points to ${path || "the root"} when ${what}`, () => {
      assert.throws(() => read(input), (error) => {
        assert.ok(error instanceof TransactionError, String(error));
        assert.equal(error.code, "invalid_transaction");
        assert.equal(error.path, path);
        assert.match(error.message, message);
        return true;
      });
    });
  }
}

export function refusesTransactions(group: string, refusals: readonly Refusal[]): void {
  describe(`readTransaction() refuses ${group}`, () => refuses("readTransaction", readTransaction, refusals));
}

export function refusesAuthorizations(group: string, refusals: readonly Refusal[]): void {
  describe(`readAuthorization() refuses ${group}`, () =>
    refuses("readAuthorization", readAuthorization, refusals));
}
