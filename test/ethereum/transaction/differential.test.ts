import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { TRANSACTION_TYPES } from "../../../src/ethereum/transaction/envelopes.ts";
import { explainTransaction } from "../../../src/ethereum/transaction/explain.ts";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import { serializeSigned, serializeUnsigned } from "../../../src/ethereum/transaction/serialize.ts";
import { toHex } from "../../../src/lib/bytes.ts";
import { LIBRARIES } from "./libraries.ts";
import { type SignatureJson, transactions } from "./transactions.ts";
import { runs } from "../../support/share.ts";

function recoverable({ r, s, yParity }: SignatureJson): { compact: Uint8Array; recovery: number } {
  return { compact: Uint8Array.fromHex(r.slice(2) + s.slice(2)), recovery: yParity };
}

describe("transactions compared with other libraries", () => {
  for (const [index, type] of TRANSACTION_TYPES.entries()) {
    test(`1,000 random transactions of type ${type} have the bytes of viem and ethers`, {
      timeout: 240_000,
    }, () => {
      fc.assert(
        fc.property(transactions(type), ({ transaction, signature }) => {
          const ours = readTransaction(transaction);
          const unsigned = toHex(serializeUnsigned(ours));
          const signed = toHex(serializeSigned(ours, recoverable(signature)));
          for (const [name, library] of Object.entries(LIBRARIES)) {
            assert.deepEqual(library(transaction, signature), { unsigned, signed }, name);
          }
          assert.deepEqual(readTransaction({ unsigned }), ours);
          assert.deepEqual(readTransaction(explainTransaction(ours).transaction), ours);
          assert.throws(() => readTransaction({ unsigned: signed }), {
            path: "/unsigned",
            message: /^Already signed/,
          });
        }),
        runs(1_000, 2718 + index),
      );
    });
  }
});
