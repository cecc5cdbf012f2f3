import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { JsonRpcProvider, Transaction } from "ethers";
import { createPublicClient, createWalletClient, http, parseEther } from "viem";
import { foundry } from "viem/chains";
import { createClient, type HoldfastClient, type Key } from "../../src/client/client.ts";
import { HoldfastSigner } from "../../src/client/ethers.ts";
import { type HoldfastAccount, toHoldfastAccount } from "../../src/client/viem.ts";
import { type Chain, startChain } from "../support/chain.ts";
import { createClient as createBrowser, signUp } from "../support/client.ts";
import { type ServedApp, serveTestApp } from "../support/served-app.ts";

const DEAD = "0x000000000000000000000000000000000000dEaD";
const LIMIT = { timeout: 60_000 };
/** `return 42` as runtime code, and as the init code that deploys it. */
const RETURNS_42 = "0x602a60005260206000f3";
const DEPLOYS = `0x69${RETURNS_42.slice(2)}600052600a6016f3` as const;

/** The part of web3.js that is used. Checking its declarations takes longer than checking all of ours. */
interface Web3 {
  readonly eth: {
    getAccounts(): Promise<string[]>;
    sign(message: string, address: string): Promise<unknown>;
    signTypedData(address: string, data: unknown): Promise<string>;
    signTransaction(transaction: object): Promise<{ readonly raw: string }>;
    readonly personal: { sign(message: string, address: string, passphrase: string): Promise<string> };
    readonly accounts: { recover(message: string, signature: string): string };
  };
}

async function openWeb3(url: string, headers: Record<string, string>): Promise<Web3> {
  const { Web3 } = await import("web3" as string);
  return new Web3(new Web3.providers.HttpProvider(url, { providerOptions: { headers } }));
}

describe("on a chain", () => {
  let served: ServedApp;
  let chain: Chain;
  let token: string;
  let client: HoldfastClient;
  let key: Key;
  let account: HoldfastAccount;

  before(async () => {
    [served, chain] = await Promise.all([serveTestApp(), startChain()]);
    const person = createBrowser(served.baseUrl, (request) => fetch(request));
    await signUp(person, "ada@example.com");
    const wanted = { name: "Bot", keys: "all", actions: ["read", "sign"] };
    token = (await person.post("/api/auth/tokens", wanted)).body.text;
    client = createClient({ baseUrl: served.baseUrl, token });
    [key] = (await client.listKeys()).keys as [Key];
    account = toHoldfastAccount(client, key);
    await chain.call("anvil_setBalance", key.address, `0x${parseEther("10").toString(16)}`);
  }, LIMIT);
  after(async () => {
    await chain?.[Symbol.asyncDispose]();
    await served?.stop();
  });

  const transportOf = () => http(chain.url, { retryCount: 0 });
  const publicClient = () =>
    createPublicClient({ chain: foundry, transport: transportOf(), pollingInterval: 20 });
  const balance = async (address: string): Promise<bigint> =>
    BigInt(await chain.call("eth_getBalance", address, "latest") as string);
  const codeOf = (address: string): Promise<unknown> => chain.call("eth_getCode", address, "latest");

  test(
    "viem's wallet client sends what the service signed, of every type that it prepares",
    LIMIT,
    async () => {
      const wallet = createWalletClient({ account, chain: foundry, transport: transportOf() });
      const before = await balance(DEAD);
      for (const type of ["eip1559", "eip2930", "legacy"] as const) {
        const hash = await wallet.sendTransaction({ to: DEAD, value: 1n, type } as never);
        const receipt = await publicClient().waitForTransactionReceipt({ hash });
        assert.deepEqual([receipt.status, receipt.type], ["success", type]);
        assert.equal(receipt.from.toLowerCase(), key.address.toLowerCase());
      }
      assert.equal(await balance(DEAD), before + 3n);
    },
  );

  test("viem deploys a contract, and delegates the account to it", LIMIT, async () => {
    const wallet = createWalletClient({ account, chain: foundry, transport: transportOf() });
    const deployed = await wallet.deployContract({ abi: [], bytecode: DEPLOYS });
    const { contractAddress } = await publicClient().waitForTransactionReceipt({ hash: deployed });
    assert.equal(await codeOf(contractAddress!), RETURNS_42);
    const authorization = await wallet.signAuthorization({
      contractAddress: contractAddress!,
      executor: "self",
    });
    const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: account.address });
    assert.equal((await publicClient().waitForTransactionReceipt({ hash })).status, "success");
    assert.equal(await codeOf(key.address), `0xef0100${contractAddress!.slice(2).toLowerCase()}`);
  });

  test("ethers' signer sends with a provider", LIMIT, async () => {
    const provider = new JsonRpcProvider(chain.url, chain.chainId, {
      staticNetwork: true,
      pollingInterval: 20,
    });
    const before = await balance(DEAD);
    const sent = await new HoldfastSigner(client, key, provider).sendTransaction({ to: DEAD, value: 2n });
    const receipt = await sent.wait();
    assert.deepEqual([receipt!.status, receipt!.from], [1, key.address]);
    assert.equal(await balance(DEAD), before + 2n);
    provider.destroy();
  });

  test("web3.js signs by JSON-RPC, and the chain takes it", LIMIT, async () => {
    const web3 = await openWeb3(`${served.baseUrl}/api/rpc?chainId=${chain.chainId}`, {
      authorization: `Bearer ${token}`,
    });
    assert.deepEqual(await web3.eth.getAccounts(), [key.address]);
    const signature = await web3.eth.personal.sign("hello", key.address, "");
    assert.equal(web3.eth.accounts.recover("hello", signature), key.address);
    await assert.rejects(web3.eth.sign("0x00", key.address), /eth_sign is refused/);

    const before = await balance(DEAD);
    const nonce = await chain.call("eth_getTransactionCount", key.address, "latest");
    const { raw } = await web3.eth.signTransaction({
      from: key.address,
      to: DEAD,
      value: "0x3",
      gas: "0x5208",
      nonce,
      chainId: `0x${chain.chainId.toString(16)}`,
      maxFeePerGas: "0x77359400",
      maxPriorityFeePerGas: "0x1",
    });
    assert.equal(Transaction.from(raw).from, key.address);
    const hash = await chain.call("eth_sendRawTransaction", raw) as `0x${string}`;
    await publicClient().waitForTransactionReceipt({ hash });
    assert.equal(await balance(DEAD), before + 3n);
  });
});
