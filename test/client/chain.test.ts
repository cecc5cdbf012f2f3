import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { JsonRpcProvider, Transaction, verifyMessage } from "ethers";
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

  test("viem signs by JSON-RPC alone, and the chain takes it", LIMIT, async () => {
    const wallet = createWalletClient({
      account: key.address as `0x${string}`,
      transport: http(`${served.baseUrl}/api/rpc?chainId=${chain.chainId}`, {
        retryCount: 0,
        fetchOptions: { headers: { authorization: `Bearer ${token}` } },
      }),
    });
    assert.deepEqual(await wallet.getAddresses(), [key.address]);
    const signature = await wallet.signMessage({ message: "hello" });
    assert.equal(verifyMessage("hello", signature), key.address);

    const before = await balance(DEAD);
    const nonce = Number(await chain.call("eth_getTransactionCount", key.address, "latest"));
    const raw = await wallet.signTransaction({
      chain: foundry,
      to: DEAD,
      value: 3n,
      gas: 21_000n,
      nonce,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      type: "eip1559",
    });
    assert.equal(Transaction.from(raw).from, key.address);
    const hash = await chain.call("eth_sendRawTransaction", raw) as `0x${string}`;
    await publicClient().waitForTransactionReceipt({ hash });
    assert.equal(await balance(DEAD), before + 3n);
  });
});
