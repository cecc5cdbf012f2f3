import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { transaction } from "../../src/db/transaction.ts";
import { typeHashOf } from "../../src/ethereum/typed-data/typed-data.ts";
import { checkSignRequest } from "../../src/keys/digest.ts";
import type { CheckedSignRequest } from "../../src/keys/digest.ts";
import { createKey } from "../../src/keys/key.ts";
import { sign } from "../../src/keys/sign.ts";
import type { SignOutcome } from "../../src/keys/sign.ts";
import { chargeUnlessSigned } from "../../src/keys/work.ts";
import { yieldToEventLoop } from "../../src/lib/cooperative.ts";
import { toHex } from "../../src/lib/bytes.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { createRateLimiter, RATE_LIMITS } from "../../src/limits/rate-limit.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";

const CONTRACT = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const HELLO = checkSignRequest({ kind: "message", format: "personal_sign", message: "hello" });

/** An array of 4,000 values, of which no list has the last. */
const LONG = checkSignRequest({
  kind: "typed_data",
  typedData: {
    domain: { chainId: 1, verifyingContract: CONTRACT },
    primaryType: "List",
    types: { List: [{ name: "items", type: "uint256[]" }] },
    message: { items: [...Array.from({ length: 3999 }, () => "99"), "100"] },
  },
});

function policyOf(rules: number, listed: readonly string[], outcome = "allow"): Policy {
  const rule = {
    chainId: 1,
    verifyingContract: CONTRACT,
    typeHash: toHex(typeHashOf("List(uint256[] items)")),
    where: { "/items/*": { oneOf: listed } },
    outcome,
  };
  return readPolicy({ version: 1, typedData: Array.from({ length: rules }, () => rule) });
}

interface Stage extends AsyncDisposable {
  sign(request: CheckedSignRequest, parts?: number): Promise<SignOutcome>;
  /** Returns the code of the refusal. */
  refusalOf(request: CheckedSignRequest, parts?: number): Promise<string>;
  /** Returns how many of the `sign` limit are left. Takes one. */
  left(): Promise<number>;
  /** The number of jobs that began. */
  readonly jobs: number;
}

/** Creates an account whose token has this policy, with a full `sign` limit. */
async function createStage(policy: Policy): Promise<Stage> {
  const store = await createKeyStore(["acc_a"]);
  const { db, maker, random } = store;
  const value = { accountId: "acc_a", label: undefined, now: NOW, random };
  const key = await transaction(db, (tx) => createKey(tx, maker, value));
  const limits = createRateLimiter(maker.vault);
  const inner = createGroupCommit(db);
  let jobs = 0;
  const groupCommit: typeof inner = {
    run: (job, kept) => {
      jobs++;
      return inner.run(job, kept);
    },
  };
  const services = {
    ...maker,
    db,
    groupCommit,
    limits,
    authorizationCheck: { recheckAuthorization: () => Promise.resolve(policy) },
    metrics: createMetrics(() => 0),
  };
  const requester = { kind: "token", token: { id: "token_a" } } as const;
  const who = { accountId: "acc_a", requester, clock: () => NOW };
  const signNow: Stage["sign"] = (request, parts = 1) =>
    chargeUnlessSigned(services, who, (work) => {
      work.parts += parts - 1;
      return sign(services, { accountId: "acc_a", keyId: key.id, requester, now: NOW, work }, request);
    });
  return {
    sign: signNow,
    refusalOf: async (request, parts) => {
      try {
        return (await signNow(request, parts)).outcome;
      } catch (error) {
        assert.ok(error instanceof ProtocolError, String(error));
        return error.code;
      }
    },
    left: async () => (await limits.take(db, "sign", "acc_a", NOW))!.remaining + 1,
    get jobs(): number {
      return jobs;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const { limit: FULL } = RATE_LIMITS.sign;

describe("what a refused request of a token counts towards the sign limit", () => {
  test("one for a quick refusal", async () => {
    await using stage = await createStage(policyOf(1, ["1"]));
    assert.equal(await stage.refusalOf(HELLO), "policy_denied");
    assert.equal(await stage.left(), FULL - 1);
  });

  test("one for each part of a long decision, and of reading the request", async () => {
    await using stage = await createStage(policyOf(11, ["0", "99"]));
    assert.equal(await stage.refusalOf(LONG, 20), "policy_denied");
    // 12,000 steps to read the values, and 4,000 a rule, in parts of 2,000.
    assert.equal(await stage.left(), FULL - 20 - 28);
  });

  test("the same if the policy requires approval", async () => {
    await using stage = await createStage(policyOf(1, ["99", "100"], "ask"));
    assert.equal(await stage.refusalOf(LONG, 20), "ask");
    assert.equal(await stage.left(), FULL - 20 - 8);
  });

  test("one for each call of a batch; when none is left, no policy is evaluated", async () => {
    await using stage = await createStage(policyOf(11, ["99"]));
    const many = (count: number) =>
      Promise.all(Array.from({ length: count }, () => stage.refusalOf(LONG, 1000)));
    // A token may use half of the limit.
    assert.deepEqual(await many(2), Array(2).fill("policy_denied"));
    assert.deepEqual(await many(1), ["policy_denied"]);
    const before = stage.jobs;
    const quick = Array.from({ length: 3 }, () => stage.refusalOf(LONG));
    assert.deepEqual(await Promise.all(quick), Array(3).fill("rate_limited"));
    // Evaluating the policy would take a second job.
    assert.equal(stage.jobs - before, 3);
  });

  test("one for a signature, however long the decision", async () => {
    await using stage = await createStage(policyOf(11, ["99", "100"]));
    assert.equal(await stage.refusalOf(LONG, 20), "signed");
    assert.equal(await stage.left(), FULL - 1);
  });
});

test("sign() yields to other requests between the parts of a long decision", async () => {
  await using stage = await createStage(policyOf(40, ["99"]));
  let turns = 0;
  let isDone = false;
  const refused = stage.refusalOf(LONG).finally(() => isDone = true);
  while (!isDone) {
    await yieldToEventLoop();
    turns++;
  }
  assert.equal(await refused, "policy_denied");
  assert.ok(turns > 80, String(turns));
});
