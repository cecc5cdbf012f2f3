import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { createSiweMessage } from "viem/siwe";
import { encodeFunctionData, parseAbi } from "viem";
import type { Hex } from "viem";
import { checkSignRequest } from "../../src/keys/digest.ts";
import { DAY } from "../../src/lib/time.ts";
import { MOST_SLOTS, NO_COUNTS } from "../../src/policy/counts.ts";
import type { Counts } from "../../src/policy/counts.ts";
import { judge } from "../../src/policy/decide.ts";
import { policyMessagesIn } from "../../src/policy/messages.ts";
import { POLICY_LIMITS } from "../../src/policy/policy.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { SIGNATURE_WINDOW_NAMES } from "../../src/policy/windows.ts";
import { DECISION_STEPS } from "../../src/policy/step-budget.ts";
import { POLICY_TEMPLATES } from "../../src/policy/templates.ts";

const read = (page: string): string =>
  readFileSync(new URL(`../../docs/reference/${page}.md`, import.meta.url), "utf8");
const PAGE = read("policies");
const NOW = Date.UTC(2026, 0, 31, 9, 30);
const SECONDS = NOW / 1000;
const ONE = "0x1111111111111111111111111111111111111111";
const TWO = "0x2222222222222222222222222222222222222222";
const ZERO = "0x0000000000000000000000000000000000000000";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const PROXY = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001";
const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";

type Request = Parameters<typeof checkSignRequest>[0];

function typed(name: string, members: string, domain: object, message: object): Request {
  const fields = members.split(",").map((one) => ({ type: one.split(" ")[0]!, name: one.split(" ")[1]! }));
  return { kind: "typed_data", typedData: { types: { [name]: fields }, primaryType: name, domain, message } };
}

function signIn(change: (text: string) => string = (text) => text): Request {
  const text = createSiweMessage({
    domain: "app.example.org",
    address: ONE,
    uri: "https://app.example.org/login",
    version: "1",
    chainId: 1,
    nonce: "abcdefgh",
    issuedAt: new Date(NOW),
  });
  return { kind: "message", format: "personal_sign", message: change(text) };
}

const ORDER =
  "address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo," +
  "bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance";
function order(change: object = {}): Request {
  const domain = {
    name: "Gnosis Protocol",
    version: "v2",
    chainId: 1,
    verifyingContract: "0x9008D19f58AAbD9eD0D60971565AA8510560ab41",
  };
  return typed("Order", ORDER, domain, {
    sellToken: USDC,
    buyToken: WETH,
    receiver: ZERO,
    sellAmount: "1000000000",
    buyAmount: "1",
    validTo: SECONDS + 1800,
    appData: `0x${"00".repeat(32)}`,
    feeAmount: "0",
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20",
    ...change,
  });
}

const ERC20 = parseAbi([
  "function transfer(address to,uint256 value)",
  "function approve(address to,uint256 value)",
]);
function transfer(
  value: bigint,
  change: object = {},
  to: Hex = TWO,
  functionName: "transfer" | "approve" = "transfer",
): Request {
  const data = encodeFunctionData({ abi: ERC20, functionName, args: [to, value] });
  const fees = { gas: 100_000, maxFeePerGas: "100000000000", maxPriorityFeePerGas: 0 };
  return {
    kind: "transaction",
    transaction: { type: "eip1559", chainId: 1, nonce: 0, to: USDC, value: 0, data, ...fees, ...change },
  };
}

const AUTHORIZATION =
  "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce";
function x402(change: object = {}, domain: object = {}, name = "TransferWithAuthorization"): Request {
  const base = {
    name: "USD Coin",
    version: "2",
    chainId: 8453,
    verifyingContract: USDC_ON_BASE,
  };
  const message = {
    from: ONE,
    to: TWO,
    value: "100000",
    validAfter: 0,
    validBefore: SECONDS + 600,
    nonce: `0x${"01".repeat(32)}`,
  };
  return typed(name, AUTHORIZATION, { ...base, ...domain }, { ...message, ...change });
}

function permit2(
  { amount = "100000", token = USDC_ON_BASE, spender = PROXY, deadline = SECONDS + 600, to = TWO } = {},
): Request {
  return {
    kind: "typed_data",
    typedData: {
      types: {
        PermitWitnessTransferFrom: [
          { name: "permitted", type: "TokenPermissions" },
          { name: "spender", type: "address" },
          { name: "nonce", type: "uint256" },
          { name: "deadline", type: "uint256" },
          { name: "witness", type: "Witness" },
        ],
        TokenPermissions: [{ name: "token", type: "address" }, { name: "amount", type: "uint256" }],
        Witness: [{ name: "to", type: "address" }, { name: "validAfter", type: "uint256" }],
      },
      primaryType: "PermitWitnessTransferFrom",
      domain: {
        name: "Permit2",
        chainId: 8453,
        verifyingContract: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
      },
      message: { permitted: { token, amount }, spender, nonce: 1, deadline, witness: { to, validAfter: 0 } },
    },
  };
}

function voucher(maxClaimableAmount: string, channel = "01"): Request {
  const domain = {
    name: "x402 Batch Settlement",
    version: "1",
    chainId: 8453,
    verifyingContract: "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003",
  };
  const channelId = `0x${channel.repeat(32)}`;
  return typed("Voucher", "bytes32 channelId,uint128 maxClaimableAmount", domain, {
    channelId,
    maxClaimableAmount,
  });
}

const SAFE =
  "address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice," +
  "address gasToken,address refundReceiver,uint256 nonce";
function safe(change: object = {}, verifyingContract = ONE): Request {
  const nothing = { safeTxGas: 0, baseGas: 0, gasPrice: 0, gasToken: ZERO, refundReceiver: ZERO, nonce: 0 };
  const message = { to: TWO, value: "100000000000000000", data: "0x", operation: 0, ...nothing };
  return typed("SafeTx", SAFE, { chainId: 1, verifyingContract }, { ...message, ...change });
}

type Expected = "allow" | "ask" | "deny";

/** Requests for each example of the page, in order. An allowed one is signed and counted. */
const EXAMPLES: Readonly<Record<string, readonly (readonly [expected: Expected, request: Request])[]>> = {
  "Sign-in only": [
    ["allow", signIn()],
    ["deny", signIn((text) => text.replaceAll("app.example.org", "app.example.org.evil.org"))],
    ["deny", signIn((text) => text.replaceAll("app.example.org", "app.example.org:8443"))],
    ["deny", signIn((text) => text.replace("URI: https://app.", "URI: https://evil."))],
    ["deny", signIn((text) => `${text}\nResources:\n- urn:recap:e30`)],
    ["deny", { kind: "message", format: "personal_sign", message: "hello" }],
    ["deny", order()],
  ],
  "Trading bot": [
    ["deny", order({ sellAmount: "1000000001" })],
    ["deny", order({ receiver: TWO })],
    ["deny", order({ buyToken: USDC })],
    ["deny", order({ validTo: SECONDS + 1801 })],
    ["deny", order({ kind: "buy" })],
    ["allow", order()],
    ...Array.from({ length: 8 }, () => ["allow", order()] as const),
    ["allow", order({ sellAmount: "999999999" })],
    ["deny", order({ sellAmount: "2" })],
  ],
  "Payroll": [
    ["allow", transfer(5_000_000_000n)],
    ["ask", transfer(5_001_000_000n)],
    ["ask", transfer(50_000_000_000n)],
    ["deny", transfer(50_001_000_000n)],
    ["deny", transfer(1n, {}, WETH)],
    ["deny", transfer(1n, {}, TWO, "approve")],
    [
      "deny",
      transfer(1n, {
        data: `${encodeFunctionData({ abi: ERC20, functionName: "transfer", args: [TWO, 1n] })}00`,
      }),
    ],
    ["deny", transfer(1n, { gas: 100_001 })],
    ...Array.from({ length: 3 }, () => ["allow", transfer(5_000_000_000n)] as const),
    ["ask", transfer(1n)],
  ],
  "x402 payer": [
    ["allow", x402()],
    ["deny", x402({ value: "100001" })],
    ["deny", x402({ validBefore: SECONDS + 3600 })],
    ["deny", x402({}, { chainId: 1 })],
    ["deny", x402({}, {}, "ReceiveWithAuthorization")],
  ],
  "x402 by Permit2": [
    ["deny", permit2({ amount: "100001" })],
    ["deny", permit2({ spender: TWO })],
    ["deny", permit2({ token: USDC })],
    ["deny", permit2({ deadline: SECONDS + 3600 })],
    ...Array.from({ length: 10 }, () => ["allow", permit2()] as const),
    ["deny", permit2({ amount: "1" })],
    ["allow", permit2({ to: ONE })],
  ],
  "x402 in channels": [
    ["allow", voucher("3000000")],
    ["allow", voucher("5000000")],
    ["allow", voucher("5000000")],
    ["deny", voucher("6000000")],
    ["deny", voucher("1000000", "02")],
  ],
  "Allowance with a cap": [
    ["deny", transfer(100_000_001n, {}, ONE, "approve")],
    ["deny", transfer(100_000_000n, {}, TWO, "approve")],
    ["deny", transfer(100_000_000n, {}, ONE)],
    ...Array.from({ length: 5 }, () => ["allow", transfer(100_000_000n, {}, ONE, "approve")] as const),
    ["deny", transfer(1n, {}, ONE, "approve")],
  ],
  "Payments in any form": [
    ["deny", transfer(50_000_001n)],
    ["deny", transfer(50_000_000n, {}, WETH)],
    ["deny", order()],
    ["allow", transfer(50_000_000n)],
    ["allow", transfer(50_000_000n, {}, ONE, "approve")],
    ["deny", transfer(50_000_000n)],
  ],
  "Signer of a Safe": [
    ["allow", safe()],
    ["ask", safe({ value: "100000000000000001" })],
    ["ask", safe({ to: WETH })],
    ["ask", safe({ data: "0xa9059cbb" })],
    ["deny", safe({ operation: 1 })],
    ["deny", safe({ gasPrice: 1 })],
    ["deny", safe({}, TWO)],
  ],
};

/** The policies of the page of examples, by their headings. */
const POLICIES: ReadonlyMap<string, unknown> = new Map(
  [...read("policy-examples").matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?```json\n([\s\S]*?)```/gm)].map((
    [, name, json],
  ) => [name!, JSON.parse(json!)]),
);

describe("docs/reference/policies.md", () => {
  test("has an equal example for each template of the developer page", () => {
    assert.deepEqual([...POLICIES.keys()], Object.keys(EXAMPLES));
    assert.deepEqual([...POLICIES.values()], POLICY_TEMPLATES.map(({ policy }) => policy));
  });

  for (const [name, documents] of Object.entries(EXAMPLES)) {
    test(`${name}: allows, requires approval for and refuses what the page says`, () => {
      const policy = readPolicy(POLICIES.get(name));
      let counts: Counts = NO_COUNTS;
      for (const [index, [expected, request]] of documents.entries()) {
        // Advances by minutes, but not to another day.
        const now = NOW + index;
        const judged = judge(policy, checkSignRequest(request), { counts, now, signer: new Uint8Array(20) });
        assert.equal(
          judged.decision.outcome,
          expected,
          `${index}: ${judged.decision.rule} ${judged.decision.reason}`,
        );
        if (expected === "allow") counts = judged.counts;
      }
      const [first] = documents.filter(([expected]) => expected === "allow");
      // A rolling week, and the slot in which it began.
      const later = judge(policy, checkSignRequest(first![1]), {
        counts,
        now: NOW + 7.5 * DAY,
        signer: new Uint8Array(20),
      });
      assert.equal(later.decision.outcome, "allow");
    });
  }

  test("states the limits", () => {
    const { rules, list, budgets, text, canonical, paths } = POLICY_LIMITS;
    const words = PAGE.replaceAll(/\s+/g, " ");
    assert.ok(
      words.includes(
        `At most ${rules} rules of a kind, ${list} values in a list, ${budgets} budgets, ${text} characters in a text, ${
          canonical.toLocaleString("en")
        } characters`,
      ),
    );
    assert.ok(words.includes(`limits by path into the message, at most ${paths}`));
    assert.ok(words.includes(`A decision takes at most ${DECISION_STEPS.toLocaleString("en")} steps.`));
    const forty = PAGE.match(/Forty rules[^.]*check ([\d,]+) values/)![1]!.replace(",", "");
    assert.ok(Number(forty) * (40 + 3) < DECISION_STEPS);
    assert.ok(words.includes(`the reason "${policyMessagesIn("en").reasons.tooManySteps}"`));
  });

  test("has a row for each member of the vocabulary", () => {
    const policy = readPolicy({ version: 1, perDay: 1, perMinute: 1, notAfter: "2030-01-01T00:00:00Z" });
    const members = [
      ...Object.keys(policy),
      "effects",
      "gives",
      "asset",
      "budget",
      ...SIGNATURE_WINDOW_NAMES,
      "path",
      "recipient",
      "channel",
    ];
    for (const member of members) {
      assert.ok(new RegExp(`^\\|[^|]*\`${member}\``, "m").test(PAGE), member);
    }
    assert.ok(PAGE.includes(`at most ${MOST_SLOTS.toLocaleString("en")}\nplaces`));
  });
});
