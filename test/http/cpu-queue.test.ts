import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createCpuQueue } from "../../src/http/cpu-queue.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";

describe("createCpuQueue()", () => {
  test("lets one task run at a time, in the order of the calls", async () => {
    const queue = createCpuQueue(Date.now);
    const seen: string[] = [];
    const visit = async (name: string): Promise<void> => {
      const leave = await queue.enter();
      seen.push(`${name} in`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} out`);
      leave();
    };
    await Promise.all(["a", "b", "c"].map(visit));
    assert.deepEqual(seen, ["a in", "a out", "b in", "b out", "c in", "c out"]);
  });

  test("yields to the event loop before the next task", async () => {
    const queue = createCpuQueue(Date.now);
    const leave = await queue.enter();
    let isIn = false;
    const next = queue.enter().then((leave) => {
      isIn = true;
      leave();
    });
    leave();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    assert.equal(isIn, false);
    await next;
  });
});

/** Typed data that takes long to process although its text is short. */
const LONG = {
  types: { Post: [{ name: "letters", type: "string[]" }] },
  primaryType: "Post",
  domain: {},
  message: { letters: new Array(4000).fill("letter") },
};

/** Creates an account that requests `count` signatures of long typed data at once. */
async function floodOf(count: number) {
  const app = await createTestApp();
  const client = app.client();
  const { key } = (await signUp(client, "ada@example.com")).body;
  const sign = () => client.post(`/api/keys/${key.id}/sign-typed-data`, LONG);
  return { app, client, begin: () => Array.from({ length: count }, sign) };
}

describe("long typed data of a short body", () => {
  test("of an account is processed one at a time", { timeout: 60_000 }, async () => {
    const { app, begin } = await floodOf(4);
    let ended = 0;
    const answers = begin().map((answer) => answer.finally(() => void ended++));
    /** The turn of the event loop in which each was answered. */
    const turns: number[] = [];
    for (let turn = 0; ended < 4; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      while (turns.length < ended) turns.push(turn);
    }
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
    const gaps = turns.slice(1).map((turn, index) => turn - turns[index]!);
    assert.ok(gaps.every((gap) => gap >= 10), `answered after turns ${turns}`);
    await app[Symbol.asyncDispose]();
  });

  test("of a JSON-RPC batch is processed in parts", { timeout: 60_000 }, async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { key: { address } } = (await signUp(client, "ada@example.com")).body;
    const body = { name: "Bot", keys: "all", actions: ["sign"] };
    const headers = { authorization: `Bearer ${(await client.post("/api/auth/tokens", body)).body.text}` };
    const turnsFor = async (...documents: readonly object[]): Promise<number> => {
      const calls = documents.map((document, id) => ({
        jsonrpc: "2.0",
        id,
        method: "eth_signTypedData_v4",
        params: [address, document],
      }));
      let isAnswered = false;
      const answer = app.client().post("/api/rpc", calls, { headers }).finally(() => isAnswered = true);
      let turns = 0;
      for (; !isAnswered; turns++) await new Promise((resolve) => setImmediate(resolve));
      for (const { result } of (await answer).body) assert.match(result, /^0x/);
      return turns;
    };
    const short = { ...LONG, message: { letters: new Array(100).fill("letter") } };
    assert.ok(await turnsFor(LONG) >= 10);
    assert.ok(await turnsFor(...Array(50).fill(short)) >= 50);
  });

  test("of one account does not wait for another's", { timeout: 60_000 }, async () => {
    const { app, begin } = await floodOf(8);
    const other = app.client("127.0.0.2");
    const { key } = (await signUp(other, "bob@example.com")).body;
    let ended = 0;
    const answers = begin().map((answer) => answer.finally(() => void ended++));
    assert.equal((await other.post(`/api/keys/${key.id}/sign-typed-data`, LONG)).status, 200);
    assert.ok(ended <= 4, `after ${ended}`);
    await Promise.all(answers);
    await app[Symbol.asyncDispose]();
  });

  test("is not signed for a user who signs out while it waits", { timeout: 60_000 }, async () => {
    const { app, client, begin } = await floodOf(6);
    const answers = begin();
    assert.equal((await answers[0]!).status, 200);
    app.now += 101;
    assert.equal((await client.post("/api/auth/sign-out")).status, 204);
    assert.equal((await answers.at(-1)!).status, 401);
    await Promise.all(answers);
    const rows = await app.db.selectFrom("audit_event").select("event").orderBy("seq").execute();
    const events = rows.map(({ event }) => event);
    assert.deepEqual(events.slice(events.indexOf("signed_out") + 1), []);
    await app[Symbol.asyncDispose]();
  });
});

describe("the service under large requests", () => {
  test("answers a small one between them, and all of them", { timeout: 60_000 }, async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { body } = await signUp(client, "ada@example.com");
    const path = `/api/keys/${body.key.id}`;
    const done: string[] = [];
    const large = async (): Promise<void> => {
      const { status } = await client.post(`${path}/explain`, { message: "a".repeat(200_000) });
      done.push(`large ${status}`);
    };
    const small = async (): Promise<void> => {
      const { status } = await client.post(`${path}/sign`, { message: "hello" });
      done.push(`small ${status}`);
    };
    await Promise.all([large(), large(), large(), small()]);
    assert.equal(done.at(-1), "large 200");
    assert.deepEqual(done.toSorted(), ["large 200", "large 200", "large 200", "small 200"]);
  });

  test("continues after a refused one", { timeout: 60_000 }, async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { body } = await signUp(client, "ada@example.com");
    const path = `/api/keys/${body.key.id}/explain`;
    const refused = client.post(path, { message: "a".repeat(200_000), nonsense: 1 });
    const taken = client.post(path, { message: "a".repeat(200_000) });
    assert.deepEqual([(await refused).status, (await taken).status], [400, 200]);
  });

  test(
    "yields to other requests while it parses and hashes long typed data",
    { timeout: 60_000 },
    async () => {
      await using app = await createTestApp();
      const client = app.client();
      const { body } = await signUp(client, "ada@example.com");
      const types = { Post: [{ name: "letters", type: "bytes[]" }] };
      const turnsOf = async (letters: number): Promise<number> => {
        const message = { letters: Array.from({ length: letters }, () => "0x" + "5e".repeat(300)) };
        const document = { types, primaryType: "Post", domain: {}, message };
        let isAnswered = false;
        const answer = client.post(`/api/keys/${body.key.id}/explain`, document).finally(() => {
          isAnswered = true;
        });
        let turns = 0;
        for (; !isAnswered; turns++) await new Promise((resolve) => setImmediate(resolve));
        assert.equal((await answer).status, 200);
        return turns;
      };
      const short = await turnsOf(1);
      assert.ok(await turnsOf(1500) >= short + 15);
    },
  );
});
