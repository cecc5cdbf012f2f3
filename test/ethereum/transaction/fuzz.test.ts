import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TRANSACTION_TYPES } from "../../../src/ethereum/transaction/envelopes.ts";
import { explainTransaction } from "../../../src/ethereum/transaction/explain.ts";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import { TransactionError } from "../../../src/ethereum/transaction/transaction-reading.ts";
import type { Transaction } from "../../../src/ethereum/transaction/transaction.ts";
import { mutate } from "../mutate.ts";
import { LIBRARIES } from "./libraries.ts";
import { type TransactionJson, transactions } from "./transactions.ts";
import { runs, runsOf } from "../../support/share.ts";

/** Returns the transaction, or undefined if it is refused. Rethrows any other error. */
function readOrRefuse(input: unknown): Transaction | undefined {
  try {
    return readTransaction(input);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    assert.ok(error.message.length < 300, error.message);
    assert.match(error.path, /^(?:\/[^/]{0,80})*$/);
    return undefined;
  }
}

/** Returns true if a library that stores chain ids and nonces in doubles can represent the transaction. */
function fitsDoubles(transaction: Transaction): boolean {
  const authorizations = transaction.type === "eip7702" ? transaction.authorizationList : [];
  return [transaction, ...authorizations].flatMap(({ chainId, nonce }) => [chainId, nonce])
    .every((integer) => integer <= BigInt(Number.MAX_SAFE_INTEGER));
}

const ANY_TYPE = fc.oneof(...TRANSACTION_TYPES.map(transactions));

/** Returns lists of one list each, the innermost empty. */
function nestedLists(depth: number): Uint8Array {
  const headers: number[][] = [];
  for (let level = 0, length = 0; level < depth; level++) {
    const header = length > 255
      ? [0xf9, length >> 8, length & 0xff]
      : length > 55
      ? [0xf8, length]
      : [0xc0 + length];
    headers.unshift(header);
    length += header.length;
  }
  return Uint8Array.from(headers.flat());
}

describe("readTransaction() under mutation", () => {
  test("readTransaction() agrees with ethers or throws a TransactionError when 20,000 objects are mutated", {
    timeout: 240_000,
  }, () => {
    const outcomes = { refused: 0, accepted: 0, compared: 0 };
    const tapes = fc.uint32Array({ minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(ANY_TYPE, tapes, ({ transaction, signature }, tape) => {
        let position = 0;
        const draw = (bound: number): number => tape[position++ % tape.length]! % bound;
        for (let count = 0; count < 5; count++) {
          const mutant = mutate(transaction, draw);
          const ours = readOrRefuse(mutant);
          outcomes[ours === undefined ? "refused" : "accepted"]++;
          if (ours === undefined) continue;
          const { unsigned, transaction: shown } = explainTransaction(ours);
          assert.deepEqual(readTransaction(shown), ours);
          assert.deepEqual(readTransaction({ unsigned }), ours);
          if (!fitsDoubles(ours)) continue;
          assert.equal(LIBRARIES.ethers(mutant as TransactionJson, signature).unsigned, unsigned);
          outcomes.compared++;
        }
      }),
      runs(4_000, 5),
    );
    // Both counts must be high: a test whose mutants are all refused or all accepted proves little.
    assert.ok(
      outcomes.refused > runsOf(5_000) && outcomes.compared > runsOf(2_000),
      JSON.stringify(outcomes),
    );
  });

  test("readTransaction() accepts only the canonical bytes of a transaction when 20,000 are mutated", {
    timeout: 240_000,
  }, () => {
    const outcomes = { refused: 0, accepted: 0 };
    const changes = fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(ANY_TYPE, fc.array(changes, { minLength: 5, maxLength: 5 }), ({ transaction }, mutants) => {
        const good = explainTransaction(readTransaction(transaction)).unsigned;
        for (const mutant of mutants) {
          const bytes = Uint8Array.fromHex(good.slice(2));
          for (const [place, byte] of mutant) bytes[place % Math.min(bytes.length, 80)] = byte;
          const unsigned = "0x" + bytes.toHex();
          const ours = readOrRefuse({ unsigned });
          outcomes[ours === undefined ? "refused" : "accepted"]++;
          if (ours !== undefined) assert.equal(explainTransaction(ours).unsigned, unsigned);
        }
      }),
      runs(4_000, 6),
    );
    assert.ok(
      outcomes.refused > runsOf(2_000) && outcomes.accepted > runsOf(2_000),
      JSON.stringify(outcomes),
    );
  });

  test("readTransaction() throws a TransactionError when the input is any JSON value or any bytes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.uint8Array({ maxLength: 60 }), (value, bytes) => {
        readOrRefuse(value);
        for (const type of TRANSACTION_TYPES) assert.equal(readOrRefuse({ type, chainId: value }), undefined);
        assert.equal(readOrRefuse({ unsigned: "0x" + bytes.toHex() }), undefined);
        assert.equal(readOrRefuse({ unsigned: value }), undefined);
      }),
      runs(2_000, 7),
    );
  });

  test("readTransaction() throws a TransactionError when lists are nested deeper than any stack", () => {
    for (const depth of [1, 10, 5_000]) {
      assert.equal(readOrRefuse({ unsigned: "0x02" + nestedLists(depth).toHex() }), undefined, String(depth));
    }
    const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000));
    assert.equal(readOrRefuse({ type: "eip2930", accessList: deep }), undefined);
  });
});
