import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { KNOWN_TYPES } from "../../src/clear-signing/match-standard.ts";
import { keccak256 } from "../../src/ethereum/keccak.ts";
import { checkSignRequest } from "../../src/keys/digest.ts";
import type { SignRequest } from "../../src/keys/digest.ts";
import { toHex, utf8 } from "../../src/lib/bytes.ts";
import { NO_COUNTS } from "../../src/policy/counts.ts";
import type { Counts } from "../../src/policy/counts.ts";
import { decide, judge, strictest } from "../../src/policy/decide.ts";
import { describePolicy } from "../../src/policy/describe.ts";
import { readKeyPolicy, readPolicy } from "../../src/policy/read-policy.ts";
import { OWN_LIMITS } from "../../src/policy/safe.ts";
import { isStricterOrEqual } from "../../src/policy/is-stricter-or-equal.ts";
import { runs } from "../support/share.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const AT = { signer: new Uint8Array(20), now: NOW };
const DAY = 24 * 60 * 60_000;
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const SAFE = "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8";

const hello: SignRequest = { kind: "message", format: "personal_sign", message: "hello" };
function transaction(change: object): SignRequest {
  const base = {
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    gas: 1,
    to: USDC,
    value: 0,
    maxFeePerGas: 1,
    maxPriorityFeePerGas: 0,
  };
  return { kind: "transaction", transaction: { ...base, ...change } };
}
const outcomeOf = (policy: object, request: SignRequest): string =>
  decide(readPolicy({ version: 1, ...policy }), checkSignRequest(request), AT).outcome;

describe("without a matching rule a policy denies", () => {
  const sending = { chainId: 1, to: "any", valueAtMost: 100, feeAtMost: 100, selectors: "any" };
  const authorization = {
    chainId: 1,
    address: USDC,
    nonce: 0,
    yParity: 0,
    r: `0x${"11".repeat(32)}`,
    s: `0x${"11".repeat(32)}`,
  };
  const carrying = transaction({ type: "eip7702", authorizationList: [authorization] });

  test("a contract creation", () => {
    const making = transaction({ to: null, data: "0x00" });
    assert.equal(outcomeOf({ transactions: [sending] }, making), "deny");
    assert.equal(outcomeOf({ transactions: [{ ...sending, to: "creation" }] }, making), "allow");
    assert.equal(outcomeOf({ transactions: [{ ...sending, to: "creation" }] }, transaction({})), "deny");
  });

  test("transactions that carry authorizations", () => {
    assert.equal(outcomeOf({ transactions: [sending] }, carrying), "deny");
    assert.equal(outcomeOf({ transactions: [{ ...sending, delegates: [USDC] }] }, carrying), "allow");
    assert.equal(outcomeOf({ transactions: [{ ...sending, delegates: "any" }] }, transaction({})), "allow");
  });

  test("delegate calls of a Safe", () => {
    const members = KNOWN_TYPES.find((text) => text.startsWith("SafeTx("))!;
    assert.equal(toHex(keccak256(utf8(members))), SAFE);
    assert.ok(SAFE in OWN_LIMITS);
    assert.ok(toHex(keccak256(utf8(members.replace("baseGas", "dataGas")))) in OWN_LIMITS);
    const rule = { chainId: 1, verifyingContract: USDC, typeHash: SAFE };
    const named = { ...rule, where: { "/operation": { oneOf: ["0", "1"] } } };
    const [silent, speaking] = [rule, named].map((one) => readPolicy({ version: 1, typedData: [one] }));
    assert.equal(isStricterOrEqual(speaking!, silent!), false);
    assert.equal(isStricterOrEqual(silent!, speaking!), true);
  });

  test("typed data for no contract, which a rule can name by its domain", () => {
    const typedData = {
      types: { A: [{ name: "b", type: "bool" }] },
      primaryType: "A",
      domain: { name: "Exchange" },
      message: { b: true },
    };
    const typeHash = toHex(keccak256(utf8("A(bool b)")));
    const rule = { chainId: null, verifyingContract: null, name: "Exchange", typeHash };
    assert.equal(outcomeOf({ typedData: [rule] }, { kind: "typed_data", typedData }), "allow");
    assert.equal(
      outcomeOf({ typedData: [{ ...rule, name: "Other" }] }, { kind: "typed_data", typedData }),
      "deny",
    );
    const withContract = { ...typedData, domain: { name: "Exchange", verifyingContract: USDC } };
    assert.equal(outcomeOf({ typedData: [rule] }, { kind: "typed_data", typedData: withContract }), "deny");
  });
});

describe("judge()", () => {
  const policy = readPolicy({
    version: 1,
    transactions: [
      { chainId: 1, to: "any", valueAtMost: 50, feeAtMost: 1, selectors: ["0x"], outcome: "ask" },
      {
        chainId: 1,
        to: "any",
        valueAtMost: 20,
        feeAtMost: 1,
        selectors: ["0x"],
        spends: [{ budget: "day", path: "/value" }],
      },
    ],
    budgets: { day: { perDay: 30 } },
  });
  const judged = (value: number, counts: Counts, now = NOW) =>
    judge(policy, checkSignRequest(transaction({ value })), { counts, now, signer: new Uint8Array(20) });

  test("requires approval under another rule once the budget of the allowing rule is used up", () => {
    const first = judged(20, NO_COUNTS);
    assert.deepEqual([first.decision.outcome, first.decision.rule], ["allow", "/transactions/1"]);
    const second = judged(20, first.counts);
    assert.deepEqual([second.decision.outcome, second.decision.rule], ["ask", "/transactions/0"]);
    assert.equal(judged(10, first.counts).decision.outcome, "allow");
    assert.equal(judged(20, first.counts, NOW + DAY).decision.outcome, "allow");
    assert.equal(judged(51, first.counts).decision.outcome, "deny");
  });

  test("keeps its counts when the clock is set back, unless it was wrong by days", () => {
    const { counts } = judged(20, NO_COUNTS);
    assert.equal(judged(20, counts, NOW - DAY).decision.outcome, "ask");
    assert.equal(judged(20, counts, NOW - 3 * DAY).decision.outcome, "allow");
  });

  test("never allows more in a day than a budget has, in any order", () => {
    const act = fc.record({ value: fc.integer({ min: 0, max: 25 }), wait: fc.constantFrom(0, 1, DAY / 3) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        let [now, counts] = [NOW, NO_COUNTS];
        const spent = new Map<number, number>();
        for (const { value, wait } of acts) {
          now += wait;
          const day = Math.floor(now / DAY);
          const before = spent.get(day) ?? 0;
          const { decision, counts: after } = judged(value, counts, now);
          const hasRoom = value <= 20 && before + value <= 30;
          assert.equal(decision.outcome, hasRoom ? "allow" : "ask");
          if (decision.outcome !== "allow") continue;
          counts = after;
          spent.set(day, before + value);
        }
      }),
      runs(100, 1),
    );
  });
});

test("strictest() returns the deciding one of several outcomes", () => {
  const [allow, ask, deny] = (["allow", "ask", "deny"] as const).map((outcome) => ({ outcome }));
  assert.equal(strictest(allow!, ask!), ask);
  assert.equal(strictest(deny!, ask!), deny);
  assert.equal(strictest(ask!, allow!, deny!), deny);
});

test("a text that may be a hash is not treated as text", () => {
  const message = (text: string): SignRequest => ({
    kind: "message",
    format: "personal_sign",
    message: text,
  });
  assert.equal(outcomeOf({ messages: { text: "allow" } }, hello), "allow");
  assert.equal(outcomeOf({ messages: { text: "allow" } }, message(`${"a".repeat(31)}~`)), "deny");
  assert.equal(outcomeOf({ messages: { bytes: "allow" } }, message(`${"a".repeat(31)}~`)), "allow");
  assert.equal(outcomeOf({ messages: { bytes: "allow" } }, hello), "deny");
  assert.equal(outcomeOf({ messages: "any" }, hello), "allow");
});

test("describePolicy() has a sentence for each rule and limit", () => {
  const words = describePolicy(
    readKeyPolicy({
      version: 1,
      messages: { signIn: [{ domains: ["app.example.org"] }], text: "ask" },
      typedData: [{
        chainId: 1,
        verifyingContract: USDC,
        typeHash: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
        where: { "/value": { atMost: "1000000" }, "/deadline": { within: 60 } },
        spends: [{ budget: "usdc", path: "/value" }],
      }],
      transactions: [{
        chainId: 1,
        to: [USDC],
        valueAtMost: "1000000000000000",
        feeAtMost: "1",
        selectors: ["0x", "0xa9059cbb"],
      }],
      authorizations: [{ chainId: 99, delegates: "any", outcome: "ask" }],
      perDay: 5,
      budgets: { usdc: { perDay: "5000000" } },
      locked: true,
    }),
    "en",
  );
  assert.deepEqual(words, [
    "May sign in to app.example.org.",
    "May, if the owner approves each time, sign any text, including sign-ins to any site.",
    `May sign a Permit for USDC (${USDC}) on Ethereum (chain 1), if /value is at most 1 USDC (1000000); /deadline is a time at most ` +
    "60 seconds ahead; /value counts against the budget “usdc”.",
    `May send transactions on Ethereum (chain 1) to USDC (${USDC}) that have no data or call transfer(address,uint256) (0xa9059cbb), with at most 0.001 ETH ` +
    "and fees of at most 0.000000000000000001 ETH.",
    "May, if the owner approves each time, have the account run any code on chain 99 (EIP-7702).",
    "At most 5 signatures in a day (UTC).",
    "The budget “usdc” is 5 USDC (5000000) in a day (UTC).",
    "This can never be loosened.",
    "Nothing else.",
  ]);
  assert.deepEqual(describePolicy(readPolicy({ version: 1 }), "en"), ["May sign nothing."]);
});

test("describePolicy() has the same content in German: the same paths, amounts, addresses and chains", () => {
  const policy = readKeyPolicy({
    version: 1,
    messages: {
      signIn: [{ domains: ["app.example.org"], chainIds: [1], resources: "any" }],
      text: "ask",
      bytes: "allow",
    },
    typedData: [
      {
        chainId: 1,
        verifyingContract: USDC,
        name: "USD Coin",
        domainVersion: "2",
        typeHash: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
        where: {
          "/value": { atMost: "1000000" },
          "/deadline": { within: 60 },
          "/spender": { oneOf: [USDC] },
        },
        spends: [{ budget: "usdc", path: "/value" }],
      },
      {
        chainId: null,
        verifyingContract: null,
        name: "Vote",
        typeHash: "0x" + "12".repeat(32),
        outcome: "ask",
      },
    ],
    transactions: [
      {
        chainId: 1,
        to: [USDC],
        valueAtMost: "1000000000000000",
        feeAtMost: "1",
        selectors: ["0x", "0xa9059cbb"],
      },
      { chainId: 99, to: "any", valueAtMost: "5", feeAtMost: "1", selectors: "any" },
      { chainId: 1, to: "creation", valueAtMost: "0", feeAtMost: "1", selectors: "any" },
    ],
    authorizations: [{ chainId: 99, delegates: "any", outcome: "ask" }, { chainId: 1, delegates: [USDC] }],
    raw: "ask",
    digest: "ask",
    perMinute: 2,
    perDay: 5,
    budgets: { usdc: { perDay: "5000000" } },
    delayHours: 24,
  });
  const [english, german] = [describePolicy(policy, "en"), describePolicy(policy, "de")];
  const values = (words: string): readonly string[] =>
    (words.match(/0x[0-9a-fA-F]+|\/\w+|\d+(?:\.\d+)*|Ethereum|ETH|USDC|app\.example\.org/g) ?? []).toSorted();
  assert.equal(german.length, english.length);
  for (const [index, words] of german.entries()) {
    assert.deepEqual(values(words), values(english[index]!), words);
    assert.notEqual(words, english[index]);
    assert.doesNotMatch(words, /\b(?:the|of|to|and|from|with|is|are|any|may|each)\b/i);
  }
  assert.equal(
    german[3],
    `Darf typisierte Daten der Art Permit für USDC (${USDC}) mit dem Namen „USD Coin“ in Version „2“ auf Ethereum (Chain 1) ` +
      `signieren, wenn gilt: /value ist höchstens 1 USDC (1000000); /deadline ist eine Zeit, die höchstens 60 Sekunden voraus liegt; ` +
      `/spender ist „${USDC}“; /value zählt gegen das Budget „usdc“.`,
  );
});
