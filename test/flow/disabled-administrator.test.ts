import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, Scope } from "../../src/db/engine.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { openTestDatabase } from "../support/database.ts";
import { postForm } from "../support/oauth.ts";

const headers = { authorization: `Bearer ${ADMIN_KEY}` };

/** The acts of an administrator whose account is disabled at the same time. */
const ACTS = [
  ["enable", "her own account"],
  ["end-sessions", "another account"],
  ["disable", "another account"],
] as const;

for (const [act, whose] of ACTS) {
  test(`an administrator whose account is disabled meanwhile cannot ${act} ${whose}`, async () => {
    let between: (() => Promise<void>) | undefined;
    const db = await openTestDatabase((engine) => ({
      ...engine,
      transaction: async <T>(job: Job<T>, scope?: Scope): Promise<T> => {
        const first = between;
        between = undefined;
        await first?.();
        return await engine.transaction(job, scope);
      },
    }));
    const app = await createTestApp({ db, environment: { ADMIN_ACCOUNTS: "ada@example.com" } });
    const [ada, bob] = [app.client(), app.client()];
    const hers = (await signUp(ada, "ada@example.com")).body.account.id;
    const his = (await signUp(bob, "bob@example.com")).body.account.id;
    const entered = await postForm(ada, "/admin/enter/passkey", { next: "/admin/accounts" });
    assert.equal(entered.status, 303, entered.text);

    between = async () => {
      const path = `/api/admin/accounts/${hers}/disable`;
      assert.equal((await app.client().request("POST", path, { headers })).status, 200);
    };
    const id = whose === "her own account" ? hers : his;
    const answer = await postForm(ada, `/admin/accounts/${id}/${act}`, {});
    assert.equal(between, undefined);
    assert.equal(answer.status, 401, answer.text);
    const disabledAt = async (account: string) =>
      (await app.client().get(`/api/admin/accounts/${account}`, { headers })).body.account.disabledAt;
    assert.deepEqual([await disabledAt(hers), await disabledAt(his)], [
      new Date(app.now).toISOString(),
      null,
    ]);
    assert.equal((await bob.get("/api/keys")).status, 200);
    await db.destroy();
  });
}
