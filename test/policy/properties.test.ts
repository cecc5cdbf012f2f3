import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkSignRequest } from "../../src/keys/digest.ts";
import { canonicalPolicy } from "../../src/policy/canonical.ts";
import { decide } from "../../src/policy/decide.ts";
import { describePolicy } from "../../src/policy/describe.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { isStricterOrEqual } from "../../src/policy/is-stricter-or-equal.ts";
import { readPlainly } from "./naive.ts";
import type { Document } from "./naive.ts";
import { documents, NOW } from "./documents.ts";
import { policies } from "./written.ts";
import { runs, runsOf } from "../support/share.ts";

const AT = { signer: new Uint8Array(20), now: NOW };

function actOf(document: Document): ReturnType<typeof checkSignRequest> {
  if (document.kind !== "message") return checkSignRequest(document);
  const { format, bytes } = document;
  return checkSignRequest({
    kind: "message",
    format,
    message: bytes,
    ...(format === "personal_sign" ? { encoding: "hex" } : {}),
  });
}

const FREEDOM = { deny: 0, ask: 1, allow: 2 } as const;

const LONG = { timeout: 60_000 };

test("a policy decides like the second implementation", LONG, () => {
  const seen: Record<string, number> = {};
  fc.assert(
    fc.property(policies, fc.array(documents, { minLength: 5, maxLength: 20 }), (written, samples) => {
      const policy = readPolicy(written);
      for (const document of samples) {
        const { outcome, rule } = decide(policy, actOf(document), AT);
        const plain = readPlainly(policy, document, NOW);
        assert.equal(outcome, plain, `${rule} of ${canonicalPolicy(policy)}\n${JSON.stringify(document)}`);
        const name = `${document.kind} ${outcome}`;
        seen[name] = (seen[name] ?? 0) + 1;
      }
    }),
    runs(3_000, 17),
  );
  // Each outcome must occur often enough for the comparison to mean something.
  for (const kind of ["message", "typed_data", "transaction", "authorization"]) {
    for (const outcome of ["allow", "ask", "deny"]) {
      assert.ok(seen[`${kind} ${outcome}`]! > runsOf(50), `${kind} ${outcome}`);
    }
  }
});

/** Changes of a policy. Some narrow it, some do not. */
const changes: fc.Arbitrary<(policy: Policy) => unknown> = fc.constantFrom(
  (policy) => policy,
  (policy) => ({ ...policy, typedData: policy.typedData.slice(1) }),
  (policy) => ({ ...policy, transactions: policy.transactions.slice(1) }),
  (policy) => ({ ...policy, typedData: policy.typedData.map((rule) => ({ ...rule, outcome: "ask" })) }),
  (policy) => ({ ...policy, typedData: policy.typedData.map((rule) => ({ ...rule, where: {} })) }),
  (policy) => ({ ...policy, typedData: policy.typedData.map((rule) => ({ ...rule, spends: [] })) }),
  (policy) => ({
    ...policy,
    typedData: policy.typedData.map((rule) => ({
      ...rule,
      where: { ...rule.where, "/amount": { atMost: "5" } },
    })),
  }),
  (policy) => ({
    ...policy,
    typedData: policy.typedData.map((rule) => ({
      ...rule,
      where: { ...rule.where, "/operation": { oneOf: ["0", "1"] } },
    })),
  }),
  (policy) => ({
    ...policy,
    transactions: policy.transactions.map((rule) => ({ ...rule, valueAtMost: "5" })),
  }),
  (policy) => ({ ...policy, transactions: policy.transactions.map((rule) => ({ ...rule, feeAtMost: "3" })) }),
  (policy) => ({
    ...policy,
    transactions: policy.transactions.map((rule) =>
      rule.to === "any" ? { ...rule, to: ["0x000000000022D473030F116dDEE9F6B43aC78BA3"] } : rule
    ),
  }),
  (policy) => ({
    ...policy,
    transactions: policy.transactions.map(({ call, ...rule }) =>
      call === undefined || rule.spends.length > 0
        ? { ...rule, ...(call && { call }) }
        : { ...rule, selectors: ["0xa9059cbb"] }
    ),
  }),
  (policy) => ({ ...policy, messages: { ...policy.messages, text: "ask" } }),
  (policy) => ({ ...policy, messages: { ...policy.messages, signIn: [] } }),
  (policy) => ({ ...policy, budgets: { ...policy.budgets, a: { perDay: "5" } } }),
  (policy) => ({ ...policy, budgets: { ...policy.budgets, c: { rollingHour: "5", total: "5" } } }),
  (policy) => ({ ...policy, perMinute: 1 }),
  (policy) => ({ ...policy, notAfter: "2039-01-01T00:00:00.000Z" }),
  (policy) => ({ ...policy, raw: "deny", digest: "ask" }),
);

test("a policy allows everything that a stricter policy allows", LONG, () => {
  let within = 0;
  let not = 0;
  const others = fc.oneof(
    { weight: 4, arbitrary: fc.array(changes, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: policies },
  );
  fc.assert(
    fc.property(
      policies,
      others,
      fc.array(documents, { minLength: 20, maxLength: 40 }),
      (written, other, samples) => {
        const before = readPolicy(written);
        const after = Array.isArray(other)
          ? other.reduce((policy: Policy, change) => readPolicy(change(policy)), before)
          : readPolicy(other);
        if (!isStricterOrEqual(after, before)) return void not++;
        within++;
        for (const document of samples) {
          const act = actOf(document);
          const [narrow, wide] = [decide(after, act, AT).outcome, decide(before, act, AT).outcome];
          assert.ok(
            FREEDOM[narrow] <= FREEDOM[wide],
            `${canonicalPolicy(after)}\n${canonicalPolicy(before)}`,
          );
        }
      },
    ),
    runs(600, 17),
  );
  assert.ok(within > runsOf(100) && not > runsOf(100), `${within} within, ${not} not`);
});

test(
  "a policy is at least as strict as itself, is parsed from its canonical text, and has a description",
  LONG,
  () => {
    fc.assert(
      fc.property(policies, (written) => {
        const policy = readPolicy(written);
        assert.ok(isStricterOrEqual(policy, policy));
        assert.deepEqual(readPolicy(JSON.parse(canonicalPolicy(policy))), policy);
        assert.ok(describePolicy(policy, "en").every((words) => words.length > 10 && words.endsWith(".")));
      }),
      runs(500, 17),
    );
  },
);
