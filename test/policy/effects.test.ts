import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { encodeFunctionData, encodePacked, type Hex, hexToBytes, parseAbi, size } from "viem";
import { checkSignRequest } from "../../src/keys/digest.ts";
import { type Counts, NO_COUNTS } from "../../src/policy/counts.ts";
import { decide, judge } from "../../src/policy/decide.ts";
import { describePolicy } from "../../src/policy/describe.ts";
import { isStricterOrEqual } from "../../src/policy/is-stricter-or-equal.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { runs, runsOf } from "../support/share.ts";

type Request = Parameters<typeof checkSignRequest>[0];

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const SOON = String(NOW / 1000 + 600);
const SIGNER = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const AT = { signer: hexToBytes(SIGNER), now: NOW };
const ADA = "0x1111111111111111111111111111111111111111";
const BOB = "0x2222222222222222222222222222222222222222";
const EVE = "0x3333333333333333333333333333333333333333";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const DAI = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";
const MULTI_SEND_CALL_ONLY = "0x9641d764fc13c8B624c04430C7356C1C7C8102e2";
const ZERO = "0x0000000000000000000000000000000000000000";

const POLICY = readPolicy({
  version: 1,
  effects: [{
    chainId: 1,
    gives: [
      { asset: USDC, to: [ADA, BOB], atMost: 100, budget: "usdc" },
      { asset: "native", to: [ADA], atMost: 5 },
    ],
    feeAtMost: 1_000_000,
  }],
  budgets: { usdc: { perDay: 250 } },
});

/** An amount that a document gives, as its generator knows it. */
interface Given {
  readonly asset: string;
  readonly to: string;
  readonly amount: bigint;
}

/** A document, and all that it gives; undefined if it can do anything. */
interface Vehicle {
  readonly name: string;
  readonly request: Request;
  readonly gives: readonly Given[] | undefined;
}

interface InnerCall {
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Hex;
  readonly gives: readonly Given[] | undefined;
}

const TOKEN = parseAbi([
  "function transfer(address to,uint256 value)",
  "function transferFrom(address from,address to,uint256 value)",
  "function approve(address spender,uint256 value)",
  "function increaseAllowance(address spender,uint256 addedValue)",
  "function burnAll()",
]);

const address = fc.constantFrom<Hex>(ADA, ADA, BOB, BOB, EVE);
const token = fc.constantFrom<Hex>(USDC, USDC, USDC, DAI);
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 60n }), fc.constantFrom(100n, 101n, 2n ** 256n - 1n));

function tokenCall(functionName: "transfer" | "approve" | "increaseAllowance"): fc.Arbitrary<InnerCall> {
  return fc.tuple(token, address, amount).map(([asset, to, amount]) => ({
    to: asset,
    value: 0n,
    data: encodeFunctionData({ abi: TOKEN, functionName, args: [to, amount] }),
    gives: [{ asset, to, amount }],
  }));
}

const innerCall: fc.Arbitrary<InnerCall> = fc.oneof(
  { weight: 4, arbitrary: tokenCall("transfer") },
  { weight: 2, arbitrary: tokenCall("approve") },
  { weight: 1, arbitrary: tokenCall("increaseAllowance") },
  {
    weight: 1,
    arbitrary: fc.tuple(token, address, amount).map(([asset, to, amount]) => ({
      to: asset,
      value: 0n,
      data: encodeFunctionData({ abi: TOKEN, functionName: "transferFrom", args: [SIGNER, to, amount] }),
      gives: [{ asset, to, amount }],
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(address, fc.bigInt({ min: 0n, max: 6n })).map(([to, value]) => (
      { to, value, data: "0x" as Hex, gives: [{ asset: "native", to, amount: value }] }
    )),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<InnerCall>(
      {
        to: USDC,
        value: 0n,
        data: encodeFunctionData({ abi: TOKEN, functionName: "burnAll" }),
        gives: undefined,
      },
      { to: EVE, value: 0n, data: "0x12345678", gives: undefined },
    ),
  },
);

const all = (calls: readonly InnerCall[]): readonly Given[] | undefined =>
  calls.some(({ gives }) => gives === undefined) ? undefined : calls.flatMap(({ gives }) => gives!);

function transaction(to: Hex, value: bigint, data: Hex, gas = 1000): Request {
  return {
    kind: "transaction",
    transaction: {
      type: "eip1559",
      chainId: 1,
      nonce: 0,
      gas,
      maxFeePerGas: "1000",
      maxPriorityFeePerGas: 0,
      to,
      value: String(value),
      data,
    },
  };
}

function typed(primaryType: string, types: object, domain: object, message: object): Request {
  return { kind: "typed_data", typedData: { types, primaryType, domain, message } } as Request;
}

const members = (text: string) =>
  text.split(",").map((one) => ({ type: one.trim().split(" ")[0]!, name: one.trim().split(" ")[1]! }));

const ACCOUNT = parseAbi(["function executeBatch((address to,uint256 value,bytes data)[] calls)"]);
const CALLS = parseAbi([
  "function aggregate3Value((address target,bool allowFailure,uint256 value,bytes callData)[] calls)",
]);
const SEND = parseAbi(["function multiSend(bytes transactions)"]);
const SAFE_TX = members(
  "address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice," +
    "address gasToken,address refundReceiver,uint256 nonce",
);

function safe(to: Hex, data: Hex, operation: number): Request {
  const nothing = { safeTxGas: 0, baseGas: 0, gasPrice: 0, gasToken: ZERO, refundReceiver: ZERO, nonce: 0 };
  const domain = { chainId: 1, verifyingContract: "0x5afe000000000000000000000000000000005afe" };
  return typed("SafeTx", { SafeTx: SAFE_TX }, domain, { to, value: "0", data, operation, ...nothing });
}

function packed(calls: readonly InnerCall[]): Hex {
  const parts = calls.map(({ to, value, data }) =>
    encodePacked(["uint8", "address", "uint256", "uint256", "bytes"], [
      0,
      to,
      value,
      BigInt(size(data)),
      data,
    ]).slice(2)
  );
  return `0x${parts.join("")}`;
}

const calls = fc.array(innerCall, { minLength: 1, maxLength: 4 });

const vehicles: fc.Arbitrary<Vehicle> = fc.oneof(
  innerCall.map(({ to, value, data, gives }) => ({
    name: "call",
    request: transaction(to, value, data),
    gives,
  })),
  calls.map((list) => ({
    name: "own account",
    request: transaction(
      SIGNER,
      0n,
      encodeFunctionData({ abi: ACCOUNT, functionName: "executeBatch", args: [list] }),
    ),
    gives: all(list),
  })),
  calls.map((list) => {
    const args = list.map(({ to, value, data }) => ({
      target: to,
      allowFailure: false,
      value,
      callData: data,
    }));
    const value = list.reduce((sum, one) => sum + one.value, 0n);
    const data = encodeFunctionData({ abi: CALLS, functionName: "aggregate3Value", args: [args] });
    const paid = { asset: "native", to: MULTICALL, amount: value };
    return {
      name: "multicall",
      request: transaction(MULTICALL, value, data),
      gives: all(list)?.concat(paid),
    };
  }),
  calls.map((list) => {
    const data = encodeFunctionData({ abi: SEND, functionName: "multiSend", args: [packed(list)] });
    return { name: "Safe", request: safe(MULTI_SEND_CALL_ONLY, data, 1), gives: all(list) };
  }),
  fc.tuple(address, amount).map(([spender, value]) => ({
    name: "permit",
    request: typed(
      "Permit",
      { Permit: members("address owner,address spender,uint256 value,uint256 nonce,uint256 deadline") },
      { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC },
      { owner: SIGNER, spender, value: String(value), nonce: 0, deadline: SOON },
    ),
    gives: [{ asset: USDC, to: spender, amount: value }],
  })),
  fc.tuple(address, amount).map(([to, value]) => ({
    name: "authorization",
    request: typed(
      "TransferWithAuthorization",
      {
        TransferWithAuthorization: members(
          "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce",
        ),
      },
      { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC },
      {
        from: SIGNER,
        to,
        value: String(value),
        validAfter: 0,
        validBefore: SOON,
        nonce: `0x${"01".repeat(32)}`,
      },
    ),
    gives: [{ asset: USDC, to, amount: value }],
  })),
  fc.tuple(token, address, fc.oneof(amount.map((one) => one % 2n ** 160n), fc.constant(2n ** 160n - 1n))).map(
    (
      [asset, spender, value],
    ) => ({
      name: "Permit2",
      request: typed(
        "PermitSingle",
        {
          PermitSingle: members("PermitDetails details,address spender,uint256 sigDeadline"),
          PermitDetails: members("address token,uint160 amount,uint48 expiration,uint48 nonce"),
        },
        { name: "Permit2", chainId: 1, verifyingContract: PERMIT2 },
        {
          details: { token: asset, amount: String(value), expiration: SOON, nonce: 0 },
          spender,
          sigDeadline: SOON,
        },
      ),
      gives: [{ asset, to: spender, amount: value }],
    }),
  ),
);

/** Returns the sums that `POLICY` limits, or undefined for what it does not allow to give. */
function sumsOf(gives: readonly Given[] | undefined): { usdc: bigint; native: bigint } | undefined {
  if (gives === undefined) return undefined;
  const sums = { usdc: 0n, native: 0n };
  for (const { asset, to, amount } of gives) {
    if (amount === 0n) continue;
    if (asset === USDC && (to === ADA || to === BOB)) sums.usdc += amount;
    else if (asset === "native" && to === ADA) sums.native += amount;
    else return undefined;
  }
  return sums;
}

const outcomeOf = (policy: Policy, request: Request): string =>
  decide(policy, checkSignRequest(request), AT).outcome;

describe("a rule on effects", () => {
  test("never lets a document give more than it says, whatever its form", { timeout: 60_000 }, () => {
    const seen: Record<string, Record<string, number>> = {};
    fc.assert(
      fc.property(vehicles, ({ name, request, gives }) => {
        const outcome = outcomeOf(POLICY, request);
        const sums = sumsOf(gives);
        const mayAllow = sums !== undefined && sums.usdc <= 100n && sums.native <= 5n;
        if (outcome === "allow") assert.ok(mayAllow, `${name}: ${JSON.stringify(request)}`);
        const counts = seen[name] ??= { allow: 0, deny: 0, strict: 0 };
        counts[outcome]!++;
        if (outcome === "deny" && mayAllow) counts["strict"]!++;
      }),
      runs(3_000, 41),
    );
    for (const name of ["call", "own account", "Safe", "permit", "authorization", "Permit2"]) {
      const { allow, deny, strict } = seen[name]!;
      assert.ok(allow! > runsOf(10) && deny! > runsOf(20), `${name}: ${JSON.stringify(seen[name])}`);
      // Nothing that it covers is refused.
      assert.equal(strict, 0, name);
    }
  });

  test("counts every form against one budget", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(vehicles, { minLength: 5, maxLength: 30 }), (documents) => {
        let counts: Counts = NO_COUNTS;
        let given = 0n;
        for (const { request, gives } of documents) {
          const judged = judge(POLICY, checkSignRequest(request), { ...AT, counts });
          counts = judged.counts;
          if (judged.decision.outcome === "allow") given += sumsOf(gives)!.usdc;
        }
        assert.ok(given <= 250n, String(given));
      }),
      runs(200, 43),
    );
  });

  const send = (to: Hex, value: bigint) =>
    transaction(USDC, 0n, encodeFunctionData({ abi: TOKEN, functionName: "transfer", args: [to, value] }));

  test("refuses what it does not know, more than it lists, another chain and dear gas, each with its reason", () => {
    const reasonOf = (request: Request) => {
      const { outcome, rule, reason } = decide(POLICY, checkSignRequest(request), AT);
      assert.equal(outcome, "deny");
      return `${rule} ${reason.code}`;
    };
    assert.equal(outcomeOf(POLICY, send(ADA, 100n)), "allow");
    assert.equal(reasonOf(send(ADA, 101n)), "/effects/0/gives/0/atMost givesMore");
    assert.equal(reasonOf(send(EVE, 1n)), "/effects/0/gives moreEffects");
    assert.equal(reasonOf(transaction(EVE, 0n, "0x12345678")), "/effects/0 effectsUnknown");
    const dear = transaction(ADA, 1n, "0x", 1001);
    assert.equal(reasonOf(dear), "/effects/0/feeAtMost feeTooHigh");
    const elsewhere = transaction(ADA, 1n, "0x") as { transaction: object };
    const onBase = { ...elsewhere, transaction: { ...elsewhere.transaction, chainId: 8453 } } as Request;
    assert.equal(reasonOf(onBase), "/effects noEffects");
  });

  test("is named in a refusal if no rule of another kind is nearer", () => {
    const called = { chainId: 1, to: [ADA], valueAtMost: 0, feeAtMost: 1_000_000, selectors: "any" };
    const policy = readPolicy({ ...POLICY, transactions: [called] });
    const data = encodeFunctionData({ abi: TOKEN, functionName: "transfer", args: [ADA, 101n] });
    const nearest = (request: Request) => decide(policy, checkSignRequest(request), AT).rule;
    assert.equal(nearest(transaction(USDC, 0n, data)), "/effects/0/gives/0/atMost");
    assert.equal(nearest(transaction(EVE, 0n, "0x12345678")), "/transactions/0/to");
  });

  test("refuses a delegation, a creation, and a change of who controls an account", () => {
    const any = readPolicy({
      version: 1,
      effects: [{ chainId: 1, gives: [{ asset: "native", to: "any" }], feeAtMost: "1000000" }],
    });
    assert.equal(outcomeOf(any, transaction(EVE, 5n, "0x")), "allow");
    const creation = transaction(EVE, 0n, "0x00") as { transaction: object };
    const created = { ...creation, transaction: { ...creation.transaction, to: null } } as Request;
    assert.equal(outcomeOf(any, created), "deny");
    const swap = parseAbi(["function addOwnerWithThreshold(address owner,uint256 _threshold)"]);
    const data = encodeFunctionData({ abi: swap, args: [EVE, 1n] });
    assert.equal(outcomeOf(any, transaction("0x5afe000000000000000000000000000000005afe", 0n, data)), "deny");
  });

  test("refuses a Safe that runs a token's code as its own", () => {
    const data = encodeFunctionData({ abi: TOKEN, functionName: "transfer", args: [ADA, 1n] });
    assert.equal(outcomeOf(POLICY, safe(USDC, data, 0)), "allow");
    assert.equal(outcomeOf(POLICY, safe(USDC, data, 1)), "deny");
    assert.equal(outcomeOf(POLICY, safe(ADA, "0x", 1)), "deny");
  });

  test("covers an order, which anyone can fill, only without a list of recipients", () => {
    const order = typed(
      "Order",
      {
        Order: members(
          "address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo," +
            "bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance",
        ),
      },
      {
        name: "Gnosis Protocol",
        version: "v2",
        chainId: 1,
        verifyingContract: "0x9008D19f58AAbD9eD0D60971565AA8510560ab41",
      },
      {
        sellToken: USDC,
        buyToken: DAI,
        receiver: ZERO,
        sellAmount: "50",
        buyAmount: "49",
        validTo: SOON,
        appData: `0x${"00".repeat(32)}`,
        feeAmount: "0",
        kind: "sell",
        partiallyFillable: false,
        sellTokenBalance: "erc20",
        buyTokenBalance: "erc20",
      },
    );
    assert.equal(outcomeOf(POLICY, order), "deny");
  });

  test("is stricter with fewer assets, recipients and amounts, and looser with more", () => {
    const policy = (give: object, feeAtMost = "10") =>
      readPolicy({
        version: 1,
        effects: [{ chainId: 1, gives: [{ asset: USDC, to: [ADA, BOB], atMost: "5", ...give }], feeAtMost }],
        budgets: { b: { perDay: 1 } },
      });
    const before = policy({ budget: "b" });
    for (
      const within of [
        policy({ budget: "b", to: [ADA] }),
        policy({ budget: "b", atMost: "4" }, "9"),
        readPolicy({ version: 1 }),
      ]
    ) {
      assert.ok(isStricterOrEqual(within, before));
    }
    for (
      const beyond of [
        policy({}),
        policy({ budget: "b", to: "any" }),
        policy({ budget: "b", atMost: "6" }),
        policy({ budget: "b" }, "11"),
      ]
    ) assert.ok(!isStricterOrEqual(beyond, before));
  });

  test("has a sentence in both languages", () => {
    const policy = readPolicy({
      version: 1,
      effects: [{
        chainId: 1,
        gives: [
          { asset: USDC, to: [ADA], atMost: "100000000", budget: "usdc" },
          { asset: "native", to: "any" },
        ],
        feeAtMost: "10000000000000000",
      }],
      budgets: { usdc: { rollingDay: "500000000" } },
    });
    assert.deepEqual(describePolicy(policy, "en"), [
      `May give on Ethereum (chain 1), in any form, up to 100 USDC (100000000) (${USDC}) to ${ADA}, counted against the ` +
      "budget “usdc”; any amount of ETH to anyone, also by orders; gas may cost at most 0.01 ETH.",
      "The budget “usdc” is 500 USDC (500000000) in any 24 hours.",
      "Nothing else.",
    ]);
    assert.match(
      describePolicy(policy, "de")[0]!,
      /^Darf auf Ethereum \(Chain 1\) in jeder Form bis zu 100 USDC/,
    );
  });
});
