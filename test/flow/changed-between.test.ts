import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Job, Scope } from "../../src/db/engine.ts";
import { createTestApp } from "../support/app.ts";
import { signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { openTestDatabase } from "../support/database.ts";
import { openLyingDatabase } from "../support/lying-database.ts";

interface Case {
  readonly read: (client: Client, keyId: string) => Promise<Answer>;
  /** Changes what `read` returns, for the first or second time, and writes an entry into the log. */
  readonly change: (client: Client, keyId: string, time: 1 | 2) => Promise<Answer>;
  readonly shown: (answer: Answer) => unknown;
  readonly expected: unknown;
}

/** The reads that take two queries: a row, and the newest log entry about it. */
const CASES: Readonly<Record<string, Case>> = {
  "a key": {
    read: (client, keyId) => client.get(`/api/keys/${keyId}/policy`),
    change: (client, keyId, time) =>
      client.request("PUT", `/api/keys/${keyId}/policy`, {
        body: { policy: { version: 1, messages: { text: "allow" }, perDay: 10 / time, delayHours: 24 } },
      }),
    shown: ({ body }) => body.policy.perDay,
    expected: 5,
  },
  "the recovery settings": {
    read: (client) => client.get("/api/auth/way-back"),
    change: (client) => client.post("/api/auth/way-back/codes", {}),
    shown: ({ body }) => body.wayBack.codesLeft,
    expected: 8,
  },
};

for (const [what, { read, change, shown, expected }] of Object.entries(CASES)) {
  describe(`${what} that another request changes between the row and the log`, () => {
    test("is shown as changed, and no edited row is reported", async () => {
      const lying = await openLyingDatabase();
      const app = await createTestApp({ db: lying.db });
      const client = app.client();
      const { key } = (await signUp(client, "ada@example.com")).body;
      let changes = 0;
      // Twice, because only a second change leaves an older entry to compare with.
      const first = await change(client, key.id, 1);
      assert.ok(first.status < 300, first.text);
      lying.lie = async ({ act, table }) => {
        if (act !== "select" || table !== "audit_event") return undefined;
        lying.lie = undefined;
        changes += 1;
        const { status, text } = await change(client, key.id, 2);
        assert.ok(status < 300, text);
        return undefined;
      };
      const answer = await read(client, key.id);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(changes, 1);
      assert.deepEqual(shown(answer), expected);
      assert.deepEqual(app.logged.filter((line) => line.includes("row_rejected")), []);
    });
  });
}

test("concurrent changes of two recovery settings are both kept", async () => {
  let between: (() => Promise<Answer>) | undefined;
  const db = await openTestDatabase((engine) => ({
    ...engine,
    transaction: async <T>(job: Job<T>, scope?: Scope): Promise<T> => {
      const first = between;
      between = undefined;
      await first?.();
      return await engine.transaction(job, scope);
    },
  }));
  await using app = await createTestApp({ db });
  const client = app.client();
  await signUp(client, "ada@example.com");
  const choose = (body: object): Promise<Answer> => client.request("PATCH", "/api/auth/way-back", { body });
  between = () => choose({ delayHours: 168 });
  const { delayHours, emailAlone } = (await choose({ emailAlone: true })).body.wayBack;
  assert.deepEqual([delayHours, emailAlone], [168, true]);
  between = () => choose({ emailAlone: false });
  assert.equal((await choose({ emailAlone: false })).body.wayBack.emailAlone, false);
  const entries = await db.selectFrom("audit_event").select("event").where("event", "=", "recovery_changed")
    .execute();
  assert.equal(entries.length, 3, "a change to the current value writes no entry");
  await db.destroy();
});

for (const [what, asks] of [["signs in", false], ["signs in and asks for it again", true]] as const) {
  test(`a deletion whose owner ${what} between the row and the log is cancelled, not reported`, async () => {
    const lying = await openLyingDatabase();
    const app = await createTestApp({ db: lying.db });
    const client = app.client();
    const confirm = "ada@example.com";
    await signUp(client, confirm);
    const ask = async () => (await client.post("/api/auth/account/deletion", { confirm })).status;
    assert.equal(await ask(), 200);
    app.now += 7 * 24 * 60 * 60_000;
    const answers: number[] = [];
    lying.lie = async ({ act, table, query }) => {
      // Not the transaction that deletes the expired use of the code.
      const isOfAccount = query.parameters.some((value) => String(value).startsWith("account_"));
      if (act !== "select" || table !== "audit_event" || !isOfAccount) return undefined;
      lying.lie = undefined;
      answers.push((await signIn(client)).status);
      if (asks) answers.push(await ask());
      return undefined;
    };
    await app.maintain();
    assert.deepEqual(answers, asks ? [200, 200] : [200]);
    assert.equal((await signIn(client)).status, 200);
    assert.deepEqual(app.logged.filter((line) => line.includes("row_rejected")), []);
    await lying.db.destroy();
  });
}
