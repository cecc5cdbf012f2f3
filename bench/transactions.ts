/**
 * Compares a token transfer (EIP-1559) with viem and ethers, in one run on one thread. First its digest: the service's
 * from the client's JSON, strictly read, theirs from an object with bigints. Then the signed transaction and its hash:
 * the service's with the key derived for it, theirs with an account that has its key ready. Run it with either
 * runtime: `bun bench/transactions.ts`, `deno run -A bench/transactions.ts`.
 */
import { keccak256 as ethersKeccak, Transaction as EthersTransaction, Wallet } from "ethers";
import { type Hex, keccak256 as viemKeccak, parseTransaction, serializeTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { keccak256 } from "../src/ethereum/keccak.ts";
import { readTransaction } from "../src/ethereum/transaction/parse.ts";
import { serializeSigned, transactionDigest } from "../src/ethereum/transaction/serialize.ts";
import { toHex } from "../src/lib/bytes.ts";
import { createTestVault } from "../test/support/vault.ts";
import { compare } from "./contenders.ts";

const DIGESTS_PER_ROUND = 500;
const SIGNATURES_PER_ROUND = 100;
const PRIVATE_KEY: Hex = `0x${"46".repeat(32)}`;

const JSON_FORM = {
  type: "eip1559",
  chainId: 1,
  nonce: 7,
  maxPriorityFeePerGas: "1000000000",
  maxFeePerGas: "30000000000",
  gas: 65_000,
  to: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  value: "0",
  data: `0xa9059cbb${"00".repeat(12)}${"35".repeat(20)}${"00".repeat(28)}0ee6b280`,
} as const;

const OBJECT_FORM = {
  ...JSON_FORM,
  gas: 65_000n,
  value: 0n,
  maxFeePerGas: 30_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
} as const;

const { type: _type, gas: _gas, ...SHARED } = OBJECT_FORM;
const ETHERS_FORM = { ...SHARED, type: 2, gasLimit: OBJECT_FORM.gas };

const vault = createTestVault();
const account = privateKeyToAccount(PRIVATE_KEY);
const wallet = new Wallet(PRIVATE_KEY);

const DIGESTS = {
  holdfast: () => toHex(transactionDigest(readTransaction(JSON_FORM))),
  viem: () => viemKeccak(serializeTransaction(OBJECT_FORM)),
  ethers: () => EthersTransaction.from(ETHERS_FORM).unsignedHash,
};

const SIGNED = {
  holdfast: () => {
    const transaction = readTransaction(JSON_FORM);
    const signature = vault.signDigest("acc_bench", 0, transactionDigest(transaction));
    const serialized = serializeSigned(transaction, signature);
    return [toHex(serialized), toHex(keccak256(serialized))];
  },
  viem: async () => {
    const serialized = await account.signTransaction(OBJECT_FORM);
    return [serialized, viemKeccak(serialized)];
  },
  ethers: async () => {
    const serialized = await wallet.signTransaction(ETHERS_FORM);
    return [serialized, ethersKeccak(serialized)];
  },
};

if (new Set(Object.values(DIGESTS).map((digest) => digest())).size !== 1) {
  throw new Error("Cannot compare: the digests differ");
}
for (const sign of Object.values(SIGNED)) {
  const { chainId, to, data } = parseTransaction((await sign())[0] as Hex);
  const isSame = chainId === JSON_FORM.chainId && data === JSON_FORM.data &&
    to === JSON_FORM.to.toLowerCase();
  if (!isSame) throw new Error("Cannot compare: the transactions differ");
}
await compare("per digest   ", DIGESTS, DIGESTS_PER_ROUND);
await compare("per signature", SIGNED, SIGNATURES_PER_ROUND);
