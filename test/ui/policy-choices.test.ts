import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { describeRules } from "../../src/policy/describe-rules.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { POLICY_TEMPLATES } from "../../src/policy/templates.ts";
import { fromUnits, readChoice, toUnits } from "../../src/ui/browser/policy-choices.client.js";
import {
  addRule,
  removeRule,
  replaceRule,
  setOutcome,
  setSignatureLimit,
} from "../../src/ui/browser/policy-edit.client.js";
import { readValues } from "../../src/ui/browser/rule-arguments.client.js";
import { policies } from "../policy/written.ts";
import { runs, runsOf } from "../support/share.ts";

type Json = Record<string, unknown>;

const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const PAYEES = ["0x1111111111111111111111111111111111111111", "0x2222222222222222222222222222222222222222"];

const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const maybe = (arbitrary: fc.Arbitrary<string>) => fc.oneof(fc.constant(""), arbitrary);
const outcome = fc.constantFrom("allow" as const, "ask" as const);
const chainId = fc.constantFrom("1", "8453", "999");
const window = fc.constantFrom("perDay", "rollingHour", "rollingDay", "rollingWeek", "total");

const payment = fc.record({
  kind: fc.constant("payment" as const),
  form: fc.constantFrom("any" as const, "transfer" as const),
  chainId,
  asset: fc.constantFrom("native", TOKEN),
  to: fc.subarray(PAYEES),
  each: maybe(amount),
  most: maybe(amount),
  window,
  fee: amount,
  outcome,
})
  // A transfer of the chain's own currency has a maximum, and without a total there is nothing to count.
  .map((one) =>
    one.form === "transfer" && one.asset === "native" && one.each === "" ? { ...one, each: "5" } : one
  )
  .map((one) => one.most === "" ? { ...one, window: "rollingDay" } : one);

const signIn = fc.record({
  kind: fc.constant("signIn" as const),
  sites: fc.subarray(["app.example.org", "localhost:3000"], { minLength: 1 }),
  chains: fc.subarray(["1", "10"]),
  resources: fc.boolean(),
  outcome,
});

const call = fc.record({
  kind: fc.constant("call" as const),
  chainId,
  contracts: fc.subarray(PAYEES, { minLength: 1 }),
  called: fc.constant("order((address to,uint256[] parts) first,bool sure,string note)"),
  where: fc.record({
    "/first/to": fc.subarray(PAYEES, { minLength: 1 }).map((oneOf) => ({ oneOf })),
    "/first/parts/*": amount.map((atMost) => ({ atMost })),
    "/sure": fc.boolean().map((sure) => ({ oneOf: [sure] })),
    "/note": fc.constant({ oneOf: ["a note, with a comma"] }),
  }, { requiredKeys: [] }).map((where) => ({ ...where })),
  value: amount,
  fee: amount,
  outcome,
});

const listed = fc.oneof(payment, signIn, call);

function plain<T>(value: T): Json {
  return JSON.parse(JSON.stringify(value));
}

function pointersOf(policy: Policy): readonly string[] {
  return describeRules(policy, "en").rules.map(({ pointer }) => pointer);
}

function sentencesOf(policy: Policy): readonly string[] {
  return describeRules(policy, "en").rules.map(({ sentence }) => sentence);
}

describe("the choices of a policy", () => {
  test("express a rule in full, or not at all", () => {
    let count = 0;
    fc.assert(
      fc.property(policies, (written) => {
        const policy = readPolicy(written);
        for (const pointer of pointersOf(policy)) {
          const choice = readChoice(plain(policy), pointer);
          if (choice === undefined) continue;
          count++;
          assert.deepEqual(readPolicy(replaceRule(plain(policy), pointer, choice)), policy);
          assert.deepEqual(readPolicy(replaceRule(plain(written), pointer, choice)), policy);
        }
      }),
      runs(200, 17),
    );
    assert.ok(count > runsOf(100), String(count));
  });

  test("are read from the rule that they make, and change no other rule", () => {
    fc.assert(
      fc.property(policies, listed, (written, choice) => {
        const before = readPolicy(written);
        const after = readPolicy(addRule(plain(written), choice));
        const added = pointersOf(after).filter((pointer) => !pointersOf(before).includes(pointer));
        assert.equal(added.length, 1);
        assert.deepEqual(readChoice(plain(after), added[0]!), plain(choice));
        const others = sentencesOf(after).filter((_, index) => pointersOf(after)[index] !== added[0]);
        assert.deepEqual(others, sentencesOf(before));
        assert.deepEqual(readPolicy(removeRule(addRule(plain(written), choice), added[0]!)), before);
      }),
      runs(200, 17),
    );
  });

  test("take the place of each other, and leave no budget behind", () => {
    fc.assert(
      fc.property(policies, listed, listed, (written, first, second) => {
        const before = readPolicy(written);
        const one = addRule(plain(written), first);
        const pointer = pointersOf(readPolicy(one)).find((each) => !pointersOf(before).includes(each))!;
        const after = readPolicy(replaceRule(one, pointer, second));
        const added = pointersOf(after).find((each) => !pointersOf(before).includes(each))!;
        assert.deepEqual(readChoice(plain(after), added), plain(second));
        const gone = removeRule(replaceRule(one, pointer, second), added);
        assert.deepEqual(readPolicy(gone), before);
      }),
      runs(200, 17),
    );
  });

  test("give and take an outcome, and leave all else", () => {
    fc.assert(
      fc.property(policies, outcome, (written, wanted) => {
        const policy = readPolicy(written);
        for (const [index, { pointer, outcome }] of describeRules(policy, "en").rules.entries()) {
          const after = readPolicy(setOutcome(plain(written), pointer, wanted));
          assert.equal(describeRules(after, "en").rules[index]?.outcome, wanted);
          assert.deepEqual(readPolicy(setOutcome(plain(after), pointer, outcome)), policy);
        }
      }),
      runs(60, 17),
    );
  });

  test("express the rules of templates that are payments and sign-ins, and keep all others", () => {
    const expressed = POLICY_TEMPLATES.map(({ id, policy }) => {
      const read = readPolicy(policy);
      return [id, pointersOf(read).map((pointer) => readChoice(plain(read), pointer)?.kind ?? "as written")];
    });
    assert.deepEqual(Object.fromEntries(expressed), {
      "sign-in": ["signIn"],
      "trading-bot": ["as written"],
      payroll: ["payment", "payment"],
      x402: ["as written"],
      "x402-permit2": ["as written"],
      "x402-channel": ["as written"],
      allowance: ["as written"],
      effects: ["payment"],
      safe: ["as written", "as written"],
    });
  });

  test("do not express a budget that another rule or window counts against", () => {
    const choice = fc.sample(payment, 1)[0]!;
    const policy = addRule({ version: 1 }, { ...choice, form: "any", most: "5", window: "total" });
    const [name] = Object.keys(policy["budgets"]);
    assert.equal(readChoice(plain(readPolicy(policy)), "/effects/0")?.kind, "payment");
    const twoWindows = { ...policy, budgets: { [name!]: { total: "5", perDay: "1" } } };
    assert.equal(readChoice(plain(readPolicy(twoWindows)), "/effects/0"), undefined);
    const twice = { ...policy, effects: [policy["effects"][0], policy["effects"][0]] };
    assert.equal(readChoice(plain(readPolicy(twice)), "/effects/0"), undefined);
    assert.deepEqual(Object.keys(removeRule(twice, "/effects/0")["budgets"]), [name]);
  });

  test("write text, everything else and a number of signatures, also beside messages in one word", () => {
    const all = { version: 1, messages: "any" };
    assert.deepEqual(removeRule(all, "/messages/bytes"), { version: 1, messages: { text: "allow" } });
    assert.deepEqual(addRule({ version: 1, messages: "none" }, { kind: "text", outcome: "ask" }), {
      version: 1,
      messages: { text: "ask" },
    });
    assert.deepEqual(addRule({ version: 1 }, { kind: "otherwise" }), { version: 1, otherwise: "ask" });
    assert.deepEqual(setSignatureLimit({ version: 1 }, "perDay", 3), { version: 1, perDay: 3 });
    assert.deepEqual(setSignatureLimit({ version: 1, perDay: 3 }, "perDay", undefined), { version: 1 });
  });
});

describe("toUnits() and fromUnits()", () => {
  test("are inverse", () => {
    fc.assert(
      fc.property(amount, fc.nat(30), (units, decimals) => {
        assert.equal(toUnits(fromUnits(units, decimals), decimals), units);
      }),
      runs(200, 17),
    );
  });

  test("read a comma, and refuse what is no amount with so many decimals", () => {
    assert.equal(toUnits("1,5", 6), "1500000");
    assert.equal(toUnits(" 007.10 ", 2), "710");
    for (const text of ["", "1.5.0", "-1", "1e3", "1.", ".5", "0x1", "1 000", "1.1234567"]) {
      assert.equal(toUnits(text, 6), undefined, text);
    }
    assert.equal(toUnits("1.5", 0), undefined);
  });
});

test("readValues() takes true and false for a bool, and no other word for false", () => {
  assert.deepEqual(readValues("bool", "true\n false \n"), [true, false]);
  for (const text of ["True", "yes", "1", "true\nja"]) {
    assert.equal(readValues("bool", text), undefined, text);
  }
  assert.deepEqual(readValues("string", "True\n\n yes"), ["True", "yes"]);
});
