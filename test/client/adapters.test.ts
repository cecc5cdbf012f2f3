import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  BrowserProvider,
  FetchRequest,
  JsonRpcProvider,
  Transaction,
  verifyMessage,
  verifyTypedData,
} from "ethers";
import {
  createWalletClient,
  custom,
  http,
  keccak256,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  serializeTransaction,
  verifyMessage as verifyViemMessage,
  verifyTypedData as verifyViemTypedData,
} from "viem";
import type { Hex, TransactionSerializable, TransactionSerialized } from "viem";
import { mainnet, optimism } from "viem/chains";
import { recoverAuthorizationAddress } from "viem/utils";
import { createClient, type HoldfastClient, type Key, untilSigned } from "../../src/client/client.ts";
import { toHoldfastProvider } from "../../src/client/eip1193.ts";
import { HoldfastSigner } from "../../src/client/ethers.ts";
import { type HoldfastAccount, toHoldfastAccount } from "../../src/client/viem.ts";
import { createClient as createBrowser, signUp } from "../support/client.ts";
import { type ServedApp, serveTestApp } from "../support/served-app.ts";

const DEAD = "0x000000000000000000000000000000000000dEaD";
const HASH: Hex = `0x01${"00".repeat(31)}`;
const TYPED = {
  domain: { name: "Example", version: "1", chainId: 1, verifyingContract: DEAD },
  types: {
    Order: [{ name: "amount", type: "uint256" }, { name: "note", type: "bytes" }, {
      name: "to",
      type: "address",
    }],
  },
  primaryType: "Order",
  message: { amount: 2n ** 200n, note: "0x00ff", to: DEAD },
} as const;

let served: ServedApp;
let token: string;
let client: HoldfastClient;
let key: Key;
let account: HoldfastAccount;

describe("adapters", () => {
  before(async () => {
    served = await serveTestApp();
    const person = createBrowser(served.baseUrl, (request) => fetch(request));
    await signUp(person, "ada@example.com");
    const made = await person.post("/api/auth/tokens", {
      name: "Bot",
      keys: "all",
      actions: ["read", "sign"],
    });
    token = made.body.text;
    client = createClient({ baseUrl: served.baseUrl, token });
    [key] = (await client.listKeys()).keys as [Key];
    account = toHoldfastAccount(client, key);
  });
  after(() => served.stop());

  describe("holdfast/viem", () => {
    test("signs messages, bytes and digests", async () => {
      const { address } = account;
      const text = await account.signMessage({ message: "0xhello ☂" });
      assert.ok(await verifyViemMessage({ address, message: "0xhello ☂", signature: text }));
      for (const raw of ["0x00ff", Uint8Array.of(0, 255)] as const) {
        const signature = await account.signMessage({ message: { raw } });
        assert.ok(await verifyViemMessage({ address, message: { raw: "0x00ff" }, signature }));
      }
      const answer = await client.signMessage({ keyId: key.id, body: { message: HASH, format: "digest" } });
      const { signature } = await untilSigned(client, answer);
      assert.equal(await account.sign({ hash: HASH }), signature);
      assert.deepEqual([account.type, account.source, account.publicKey], [
        "local",
        "holdfast",
        key.publicKey,
      ]);
    });

    test("signs typed data, with bigints in it", async () => {
      const signature = await account.signTypedData(TYPED);
      assert.ok(await verifyViemTypedData({ ...TYPED, address: account.address, signature }));
    });

    const common = { chainId: 1, nonce: 0, gas: 21_000n, to: DEAD, value: 1n } as const;
    const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const;
    const transactions: readonly TransactionSerializable[] = [
      { type: "legacy", ...common, gasPrice: 1n },
      { type: "eip2930", ...common, gasPrice: 1n, accessList: [{ address: DEAD, storageKeys: [HASH] }] },
      { type: "eip1559", ...common, ...fees, data: "0xabcdef" },
      {
        type: "eip4844",
        ...common,
        ...fees,
        maxFeePerBlobGas: 1n,
        blobVersionedHashes: [HASH],
        sidecars: false,
      },
    ];
    for (const transaction of transactions) {
      test(`signs transactions as viem writes them: ${transaction.type}`, async () => {
        const signed = await account.signTransaction(transaction);
        const { r, s, yParity } = parseTransaction(signed) as { r: Hex; s: Hex; yParity: number };
        const hash = keccak256(await serializeTransaction(transaction));
        assert.equal(await recoverAddress({ hash, signature: { r, s, yParity } }), account.address);
        const serializedTransaction = signed as TransactionSerialized;
        assert.equal(await recoverTransactionAddress({ serializedTransaction }), account.address);
      });
    }

    test("signs an authorization, and the transaction that takes it", async () => {
      const authorization = await account.signAuthorization({ chainId: 1, nonce: 0, contractAddress: DEAD });
      assert.equal(await recoverAuthorizationAddress({ authorization }), account.address);
      const transaction = {
        type: "eip7702",
        ...common,
        ...fees,
        authorizationList: [authorization],
      } as const;
      const serializedTransaction = await account.signTransaction(transaction) as TransactionSerialized;
      assert.equal(await recoverTransactionAddress({ serializedTransaction }), account.address);
    });

    test("works in viem's own wallet client, on a chain with a serializer of its own too", async () => {
      for (const chain of [mainnet, optimism]) {
        const transport = custom({ request: () => Promise.reject(new Error("no chain is asked")) });
        const wallet = createWalletClient({ account, chain, transport });
        const message = `to ${chain.name}`;
        assert.ok(
          await verifyViemMessage({
            address: account.address,
            message,
            signature: await wallet.signMessage({ message }),
          }),
        );
        const request = { ...common, chainId: chain.id, type: "eip1559", ...fees } as const;
        // The request contains the chain's id, so that no chain is called.
        const serializedTransaction = await account.signTransaction(request as never, {
          serializer: chain.serializers?.transaction as never,
        });
        assert.equal(
          await recoverTransactionAddress({
            serializedTransaction: serializedTransaction as TransactionSerialized,
          }),
          account.address,
        );
      }
    });
  });

  describe("holdfast/ethers", () => {
    test("signs messages, typed data and transactions of every type, and an authorization", async () => {
      const signer = new HoldfastSigner(client, key);
      assert.equal(verifyMessage("hello", await signer.signMessage("hello")), key.address);
      const bytes = Uint8Array.of(0, 255);
      assert.equal(verifyMessage(bytes, await signer.signMessage(bytes)), key.address);
      const { Order } = TYPED.types;
      const signature = await signer.signTypedData(TYPED.domain, { Order: [...Order] }, TYPED.message);
      assert.equal(
        verifyTypedData(TYPED.domain, { Order: [...Order] }, TYPED.message, signature),
        key.address,
      );
      const authorization = await signer.authorize({ address: DEAD, chainId: 1, nonce: 0 });
      const common = { chainId: 1, nonce: 0, gasLimit: 21_000, to: DEAD, value: 1 };
      const fees = { maxFeePerGas: 2, maxPriorityFeePerGas: 1 };
      for (
        const members of [
          { type: 0, gasPrice: 1 },
          { type: 1, gasPrice: 1, accessList: [] },
          { type: 2, ...fees },
          { type: 3, ...fees, maxFeePerBlobGas: 1, blobVersionedHashes: [HASH] },
          { type: 4, ...fees, authorizationList: [authorization] },
        ]
      ) {
        const signed = Transaction.from(
          await signer.signTransaction({ ...common, ...members, from: key.address }),
        );
        assert.deepEqual([signed.type, signed.from], [members.type, key.address]);
      }
    });

    test("signs nothing that is from another account", async () => {
      const signer = new HoldfastSigner(client, key);
      await assert.rejects(signer.signTransaction({ from: DEAD, chainId: 1 }), TypeError);
    });
  });

  describe("holdfast/eip1193", () => {
    test("is a wallet to viem and to ethers", async () => {
      const provider = toHoldfastProvider(client);
      const wallet = createWalletClient({ transport: custom(provider) });
      const [address] = await wallet.getAddresses();
      const signature = await wallet.signMessage({ account: address!, message: "hello" });
      assert.ok(await verifyViemMessage({ address: address!, message: "hello", signature }));
      const signer = await new BrowserProvider(provider).getSigner();
      assert.equal(verifyMessage("hello", await signer.signMessage("hello")), key.address);
    });

    test("throws JSON-RPC's numbers, with the problem's code", async () => {
      const provider = toHoldfastProvider(client);
      await assert.rejects(provider.request({ method: "eth_sign", params: [] }), { code: -32004 });
      const refused = await provider.request({ method: "personal_sign", params: ["0x00", DEAD] })
        .catch((error: unknown) => error) as {
          readonly code: number;
          readonly data: { readonly code: string };
        };
      assert.deepEqual([refused.code, refused.data.code], [4100, "not_found"]);
    });
  });

  describe("POST /api/rpc", () => {
    const url = (): string => `${served.baseUrl}/api/rpc?chainId=1`;

    test("is a wallet to viem's http transport, batched as well", async () => {
      const fetchOptions = { headers: { authorization: `Bearer ${token}` } };
      const transport = http(url(), { batch: true, fetchOptions, retryCount: 0 });
      const wallet = createWalletClient({ chain: mainnet, transport });
      const [address] = await wallet.getAddresses();
      const [message, typed, chain] = await Promise.all([
        wallet.signMessage({ account: address!, message: "hello" }),
        wallet.signTypedData({ account: address!, ...TYPED }),
        wallet.getChainId(),
      ]);
      assert.ok(await verifyViemMessage({ address: address!, message: "hello", signature: message }));
      assert.ok(await verifyViemTypedData({ ...TYPED, address: address!, signature: typed }));
      assert.equal(chain, 1);
      const signed = await wallet.signTransaction({
        account: address!,
        to: DEAD,
        nonce: 0,
        gas: 21_000n,
        maxFeePerGas: 2n,
        maxPriorityFeePerGas: 1n,
      });
      const serializedTransaction = signed as TransactionSerialized;
      assert.equal(await recoverTransactionAddress({ serializedTransaction }), address);
    });

    test("is a wallet to ethers' JsonRpcSigner", async () => {
      const request = new FetchRequest(url());
      request.setHeader("authorization", `Bearer ${token}`);
      const provider = new JsonRpcProvider(request, 1, { staticNetwork: true });
      const signer = await provider.getSigner(key.address);
      assert.equal(verifyMessage("hello", await signer.signMessage("hello")), key.address);
      const { Order } = TYPED.types;
      const typed = await signer.signTypedData(TYPED.domain, { Order: [...Order] }, TYPED.message);
      assert.equal(verifyTypedData(TYPED.domain, { Order: [...Order] }, TYPED.message, typed), key.address);
      const signed = await signer.signTransaction({
        chainId: 1,
        nonce: 0,
        gasLimit: 21_000,
        to: DEAD,
        maxFeePerGas: 2,
        maxPriorityFeePerGas: 1,
      });
      assert.equal(Transaction.from(signed).from, key.address);
      provider.destroy();
    });
  });
});
