import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LABEL_LIMIT } from "../../../src/keys/explain.ts";
import { createTestApp } from "../../support/app.ts";
import { ask, newOwner, newProgram } from "../../support/asking.ts";
import type { Owner } from "../../support/asking.ts";
import { openTestDatabase } from "../../support/database.ts";
import { watchedRows } from "../../support/engine.ts";

const CONTRACT = "0x00000000000000000000000000000000000000aa";
const DEAD = "0x000000000000000000000000000000000000dEaD";

async function open() {
  let statements = 0;
  let rows = 0;
  const db = await openTestDatabase((engine) =>
    watchedRows(engine, (count) => {
      statements++;
      rows += count;
    })
  );
  const app = await createTestApp({ db });
  const owner = await newOwner(app);
  return {
    app,
    owner,
    addKeys: async (count: number) => {
      for (let index = 0; index < count; index++) await owner.person.post("/api/keys/generate", {});
    },
    /** Returns the numbers of statements and of rows that `work` reads. */
    costOf: async (work: () => Promise<unknown>) => {
      [statements, rows] = [0, 0];
      await work();
      return { statements, rows };
    },
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await db.destroy();
    },
  };
}

function explainOf({ person, keyId }: Owner, body: unknown): () => Promise<unknown> {
  return async () => {
    const { status, body: { intent } } = await person.post(`/api/keys/${keyId}/explain`, body);
    assert.equal(status, 200);
    return intent;
  };
}

const HELLO = { message: "hello" };
const TRANSFER = { type: "legacy", chainId: 1, nonce: 0, gas: 21_000, gasPrice: 1, to: DEAD, value: 1 };

/** An EIP-7702 transaction whose authorizations name many contracts. */
function delegations(count: number): unknown {
  const signature = { nonce: 0, yParity: 0, r: "0x01", s: "0x01" };
  return {
    type: "eip7702",
    chainId: 1,
    nonce: 0,
    gas: 21_000,
    maxFeePerGas: 1,
    maxPriorityFeePerGas: 1,
    to: CONTRACT,
    authorizationList: Array.from({ length: count }, (_, index) => ({
      ...signature,
      chainId: 1,
      address: "0x" + (index + 1).toString(16).padStart(40, "0"),
    })),
  };
}

describe("the labels of an explanation", () => {
  test("are read for the addresses that it names, however many keys the account has", async () => {
    await using stage = await open();
    const { owner, addKeys, costOf } = stage;
    const explains = [HELLO, TRANSFER].map((body) => explainOf(owner, body));
    const costs = async () => {
      const all = [];
      for (const explain of explains) all.push(await costOf(explain));
      return all;
    };
    await costs();
    const withOne = await costs();
    await addKeys(30);
    assert.deepEqual(await costs(), withOne);
  });

  test("are read for the same number on the pages of what waits for approval", async () => {
    await using stage = await open();
    const { app, owner, addKeys, costOf } = stage;
    const id = await ask(await newProgram(app, owner), owner.keyId);
    const costs = async () => {
      const all = [];
      for (const path of ["/requests", `/requests/${id}`]) {
        all.push(await costOf(async () => assert.equal((await owner.person.get(path)).status, 200)));
      }
      return all;
    };
    await costs();
    const withOne = await costs();
    await addKeys(30);
    assert.deepEqual(await costs(), withOne);
  });

  test("are looked up for a bounded number of addresses", async () => {
    await using stage = await open();
    const { owner, costOf } = stage;
    const statementsFor = async (count: number): Promise<number> =>
      (await costOf(explainOf(owner, delegations(count)))).statements;
    await statementsFor(1);
    // The keys are in memory: looking one up by its address takes no statement.
    assert.equal(await statementsFor(20), await statementsFor(10));
    assert.equal(await statementsFor(4 * LABEL_LIMIT), await statementsFor(2 * LABEL_LIMIT));
  });
});
