import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { verifyTypedData } from "viem";
import { createClient } from "../../src/client/client.ts";
import { toHoldfastAccount } from "../../src/client/viem.ts";
import { POLICY_TEMPLATES } from "../../src/policy/templates.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import { signUp } from "../support/client.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/how-to/x402.md", import.meta.url)), "utf8");

/** The program of the page, without its imports. */
const PROGRAM = /^```ts\n\/\/ pay\.ts\n(.*?)^```$/ms.exec(PAGE)![1]!.replaceAll(/^import .*\n/gm, "");

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const PAYEE = "0x2222222222222222222222222222222222222222";

const AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

interface Payment {
  readonly payload: {
    readonly signature: `0x${string}`;
    readonly authorization: Readonly<Record<(typeof AUTHORIZATION)[number]["name"], `0x${string}`>>;
  };
}

test("docs/how-to/x402.md: the stock client pays within the policy, and nothing is signed beyond it", async () => {
  await using app = await createTestApp();
  // The stock client takes the time from the machine.
  app.now = Date.now();
  const owner = app.client();
  const { key } = (await signUp(owner, "ada@example.com")).body;
  const { policy } = POLICY_TEMPLATES.find(({ id }) => id === "x402")!;
  const terms = { name: "Payer", keys: [key.id], actions: ["read", "sign"], policy };
  const token = (await owner.post("/api/auth/tokens", terms)).body.text;
  let amount = "50000";
  let payment: Payment | undefined;
  const seller = (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const header = new Request(input, init).headers.get("payment-signature");
    if (header !== null) {
      payment = JSON.parse(atob(header)) as Payment;
      return Promise.resolve(new Response("the report"));
    }
    const accepts = [{
      scheme: "exact",
      network: "eip155:8453",
      asset: USDC,
      amount,
      payTo: PAYEE,
      maxTimeoutSeconds: 60,
      extra: { name: "USD Coin", version: "2" },
    }];
    const asked = { x402Version: 2, resource: { url: "https://api.example.com/report" }, accepts };
    return Promise.resolve(
      new Response("", { status: 402, headers: { "payment-required": btoa(JSON.stringify(asked)) } }),
    );
  };
  const local: typeof fetch = Object.assign(async (input: Request | string | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    request.headers.set("host", new URL(ORIGIN).host);
    return await app.app(request, { clientAddress: "127.0.0.1" });
  }, { preconnect: () => {} });
  const printed: unknown[][] = [];
  const run = new Function(
    "createClient, toHoldfastAccount, ExactEvmScheme, wrapFetchWithPaymentFromConfig, process, fetch, console",
    `return (async () => {\n${PROGRAM}\n})()`,
  ) as (...given: unknown[]) => Promise<void>;
  const pay = (): Promise<void> =>
    run(
      (options: { baseUrl: string; token: string }) => createClient({ ...options, fetch: local }),
      toHoldfastAccount,
      ExactEvmScheme,
      wrapFetchWithPaymentFromConfig,
      { env: { HOLDFAST: ORIGIN, TOKEN: token } },
      seller,
      { log: (...line: unknown[]) => void printed.push(line) },
    );

  await pay();
  assert.deepEqual(printed, [[200, "the report"]]);
  const { signature, authorization } = payment!.payload;
  const { to, value, validAfter, validBefore, from, nonce } = authorization;
  assert.deepEqual([to, value], [PAYEE, amount]);
  assert.ok(
    await verifyTypedData({
      address: key.address,
      domain: { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: USDC },
      types: { TransferWithAuthorization: AUTHORIZATION },
      primaryType: "TransferWithAuthorization",
      message: {
        from,
        to,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
        nonce,
      },
      signature,
    }),
  );
  payment = undefined;
  amount = "100001";
  await assert.rejects(pay(), /not an integer from 0 to 100000/);
  assert.equal(payment, undefined);
});
