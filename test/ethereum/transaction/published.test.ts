import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sign } from "viem/accounts";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import {
  serializeSigned,
  serializeUnsigned,
  transactionDigest,
} from "../../../src/ethereum/transaction/serialize.ts";
import type { Transaction } from "../../../src/ethereum/transaction/transaction.ts";
import { toHex } from "../../../src/lib/bytes.ts";
import { readVectors } from "./vectors.ts";

type Hex = `0x${string}`;

/** Signs the transaction. Signatures are deterministic, so that vectors can contain whole signed transactions. */
async function signedBy(privateKey: Hex, transaction: Transaction): Promise<string> {
  const { r, s, yParity } = await sign({ hash: toHex(transactionDigest(transaction)) as Hex, privateKey });
  const compact = Uint8Array.fromHex(r.slice(2).padStart(64, "0") + s.slice(2).padStart(64, "0"));
  return toHex(serializeSigned(transaction, { compact, recovery: yParity! }));
}

describe("published transactions", () => {
  test("the example of EIP-155 has its signing data, its hash and its signed bytes", async () => {
    const transaction = readTransaction({
      type: "legacy",
      chainId: 1,
      nonce: 9,
      gasPrice: "20000000000",
      gas: 21_000,
      to: "0x3535353535353535353535353535353535353535",
      value: "1000000000000000000",
    });
    assert.equal(
      toHex(serializeUnsigned(transaction)),
      "0xec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080",
    );
    assert.equal(
      toHex(transactionDigest(transaction)),
      "0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53",
    );
    assert.equal(
      await signedBy(`0x${"46".repeat(32)}`, transaction),
      "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939b" +
        "c2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83",
    );
  });

  test("1,067 legacy transactions: 984 have their bytes, more gas than 64 bits and every chain are refused", async () => {
    interface Vector {
      readonly privateKey: Hex;
      readonly unsignedTransaction: string;
      readonly unsignedTransactionChainId5: string;
      readonly signedTransaction: string;
      readonly signedTransactionChainId5: string;
      readonly to?: string;
      readonly nonce?: string;
      readonly gasPrice?: string;
      readonly gasLimit?: string;
      readonly value?: string;
      readonly data?: string;
    }
    const vectors = readVectors<Vector>("transactions");
    const counts = { same: 0, refused: 0 };
    for (const vector of vectors) {
      const { nonce, gasPrice, gasLimit, value } = vector;
      const [to, data] = [vector.to === "0x" ? null : vector.to ?? null, vector.data ?? "0x"];
      const integers = Object.entries({ nonce, gasPrice, gasLimit, value });
      // The vectors write zero as no bytes.
      const scalars = Object.fromEntries(
        integers.map(([name, hex = "0x"]) => [name, hex === "0x" ? 0 : hex]),
      );
      const members = { type: "legacy", chainId: 5, ...scalars, to, data };
      const unsigned = vector.unsignedTransactionChainId5;
      if (BigInt(scalars.gasLimit!) >= 2n ** 64n) {
        assert.throws(() => readTransaction(members), { path: "/gasLimit" });
        assert.throws(() => readTransaction({ unsigned }), { message: /^Too large: .*, in \/gasLimit/ });
        counts.refused++;
        continue;
      }
      const transaction = readTransaction(members);
      assert.equal(toHex(serializeUnsigned(transaction)), unsigned);
      assert.deepEqual(readTransaction({ unsigned }), transaction);
      assert.equal(await signedBy(vector.privateKey, transaction), vector.signedTransactionChainId5);
      assert.throws(() => readTransaction({ unsigned: vector.unsignedTransaction }), {
        message:
          "The list ends before chainId: without it the signature would be valid on every chain (EIP-155)",
      });
      for (const signed of [vector.signedTransaction, vector.signedTransactionChainId5]) {
        assert.throws(() => readTransaction({ unsigned: signed }), { message: /^Already signed/ });
      }
      counts.same++;
    }
    assert.deepEqual(counts, { same: 984, refused: 83 });
  });

  test("1,792 transactions of EIP-2930 and EIP-1559: 1,408 have their bytes, those for chain 0 are refused", async () => {
    interface Vector {
      readonly key: Hex;
      readonly unsigned: string;
      readonly signed: string;
      readonly tx: Readonly<Record<string, unknown>> & { readonly type: 1 | 2 };
    }
    const counts = { same: 0, refused: 0 };
    for (const { key, unsigned, signed, tx } of readVectors<Vector>("typed-transactions")) {
      const prices = tx.type === 1 ? { type: "eip2930", gasPrice: tx.gasPrice ?? 0 } : {
        type: "eip1559",
        maxFeePerGas: tx.maxFeePerGas ?? 0,
        maxPriorityFeePerGas: tx.maxPriorityFeePerGas ?? 0,
      };
      const { nonce = 0, gasLimit = 0, to = null, chainId = 0, value = 0, data = "0x", accessList = [] } = tx;
      const members = { ...prices, chainId, nonce, gasLimit, to, value, data, accessList };
      if (chainId === 0) {
        assert.throws(() => readTransaction(members), { path: "/chainId" });
        assert.throws(() => readTransaction({ unsigned }), {
          message: /Too small: at least 1, in \/chainId/,
        });
        counts.refused++;
        continue;
      }
      const transaction = readTransaction(members);
      assert.equal(toHex(serializeUnsigned(transaction)), unsigned);
      assert.deepEqual(readTransaction({ unsigned }), transaction);
      assert.equal(await signedBy(key, transaction), signed);
      assert.throws(() => readTransaction({ unsigned: signed }), { message: /^Already signed/ });
      counts.same++;
    }
    assert.deepEqual(counts, { same: 1_408, refused: 384 });
  });
});
