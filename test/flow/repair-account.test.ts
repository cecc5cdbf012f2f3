import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { acknowledgeRollback } from "../../src/audit/rollback.ts";
import type { Tables } from "../../src/db/schema/schema.ts";
import { ADMIN_KEY } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, signIn } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { dropLogTriggers } from "../support/audit.ts";
import { assertInconsistent } from "../support/inconsistent.ts";
import { ALICE, begin, DAY, makeCodes, pass } from "../support/recovery.ts";
import { browserAt, put, repair, rowsOf, setStage, start, undo } from "../support/repair.ts";
import type { Stage } from "../support/repair.ts";
import { openSecondHandle } from "../support/state.ts";
import { createTestAuthority } from "../support/vault.ts";

const ADMIN = { headers: { authorization: `Bearer ${ADMIN_KEY}` } };
const HELLO = { message: "hello" };
const POLICY = { version: 1, messages: "any", perDay: 1 };

interface Attack {
  /** The request that is refused before the repair; a sign-in by default. */
  readonly refuses?: "export" | "key";
  readonly faulty: readonly string[];
  readonly attack: (stage: Stage) => Promise<void>;
  /** Checks that the attacker gained nothing, at a process that began after the repair. */
  readonly check: (stage: Stage, after: TestApp, client: Client) => Promise<void>;
  /** The expected status of a sign-in with the second passkey; 200 by default. */
  readonly signsIn?: number;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  "a session is hidden": {
    faulty: ["session"],
    attack: async ({ db, owner, keyPath }) => {
      const body = { policy: { ...POLICY, perDay: 2 } };
      assert.equal((await owner.request("PUT", `${keyPath}/policy`, { body })).status, 200);
      assert.equal((await owner.post(`${keyPath}/sign`, HELLO)).status, 200);
      await db.deleteFrom("session").execute();
    },
    check: async ({ keyPath }, _after, client) => {
      assert.equal((await client.get("/api/auth/session")).body.account.email, ALICE);
      const statuses = [
        await client.post(`${keyPath}/sign`, HELLO),
        await client.post(`${keyPath}/sign`, HELLO),
      ]
        .map(({ status }) => status);
      assert.deepEqual(statuses, [200, 403], "the counts go on");
    },
  },
  "a key with a policy is deleted": {
    refuses: "key",
    faulty: ["ethereum_key"],
    attack: async ({ db, owner, keyPath }) => {
      const body = { policy: POLICY };
      assert.equal((await owner.request("PUT", `${keyPath}/policy`, { body })).status, 200);
      await db.deleteFrom("ethereum_key").execute();
    },
    check: async ({ app, accountId, keyPath }, _after, client) => {
      const { key } = (await client.get(keyPath)).body;
      const { address } = app.vault.ethereumPublicKey(accountId, 0);
      assert.equal(key.address.toLowerCase(), `0x${address.toHex()}`);
      assert.equal(key.blindSigning, "deny");
      const { policy } = (await client.get(`${keyPath}/policy`)).body;
      assert.equal(policy.perDay, 1);
      const made = await client.post("/api/keys/generate");
      assert.equal(made.body.key.keyIndex, 1);
    },
  },
  "the counts of a key's policy are restored to before": {
    refuses: "key",
    faulty: ["policy_use"],
    attack: async (stage) => {
      const { db, owner, keyPath } = stage;
      const body = { policy: POLICY };
      assert.equal((await owner.request("PUT", `${keyPath}/policy`, { body })).status, 200);
      const [use] = await rowsOf(stage, "policy_use");
      assert.equal((await owner.post(`${keyPath}/sign`, HELLO)).status, 200);
      await db.updateTable("policy_use").set(use!).execute();
    },
    check: async ({ owner, keyPath }, after, client) => {
      assert.equal((await client.post(`${keyPath}/sign`, HELLO)).body.code, "policy_denied");
      after.now += DAY;
      const next = browserAt(after, owner);
      assert.equal((await signIn(next)).status, 200);
      assert.equal((await next.post(`${keyPath}/sign`, HELLO)).status, 200);
      after.now -= DAY;
    },
  },
  "an archived key is restored to before": {
    refuses: "key",
    faulty: ["ethereum_key"],
    attack: (stage) => undo(stage, "ethereum_key", () => stage.owner.post(`${stage.keyPath}/archive`)),
    check: async ({ keyPath }, _after, client) => {
      assert.equal((await client.post(`${keyPath}/sign`, HELLO)).body.code, "key_archived");
    },
  },
  "a disabled account is restored to before": {
    faulty: ["account"],
    signsIn: 403,
    attack: async (stage) => {
      const path = `/api/admin/accounts/${stage.accountId}/disable`;
      await undo(stage, "account", () => stage.app.client().request("POST", path, ADMIN));
    },
    check: async ({ second, accountId }, after) => {
      const path = `/api/admin/accounts/${accountId}/enable`;
      assert.equal((await after.client().request("POST", path, ADMIN)).status, 200);
      assert.equal((await signIn(browserAt(after, second))).body.account.email, null);
    },
  },
  "a changed address is restored to before": {
    faulty: ["account"],
    attack: async (stage) => {
      await makeCodes(stage.owner);
      await undo(stage, "account", async () => {
        const email = "new@example.com";
        await stage.owner.post("/api/auth/account/email/code", { email });
        const body = { email, code: await readCode(stage.owner, email) };
        return await stage.owner.post("/api/auth/account/email", body);
      });
    },
    check: async (_stage, after, client) => {
      assert.equal((await client.get("/api/auth/session")).body.account.email, null);
      assert.equal((await begin(after.client("127.0.0.9"), ALICE)).body.code, "recovery_refused");
    },
  },
  "a change of address is hidden, so that it cannot be reverted": {
    refuses: "export",
    faulty: ["email_change"],
    attack: async ({ db, owner }) => {
      const email = "thief@example.com";
      await owner.post("/api/auth/account/email/code", { email });
      const body = { email, code: await readCode(owner, email) };
      assert.equal((await owner.post("/api/auth/account/email", body)).status, 200);
      await db.deleteFrom("email_change").execute();
    },
    check: async (_stage, _after, client) => {
      assert.equal((await client.get("/api/auth/session")).body.account.email, null);
    },
  },
  "the account's row is edited": {
    faulty: ["account"],
    attack: async ({ db }) => void await db.updateTable("account").set({ email: "t@example.com" }).execute(),
    check: async (_stage, _after, client) => {
      assert.equal((await client.get("/api/auth/session")).body.account.email, null);
    },
  },
  "a removed passkey is put back": {
    faulty: ["passkey"],
    attack: async (stage) => {
      const path = `/api/auth/passkeys/${stage.firstPasskeyId}`;
      await undo(stage, "passkey", () => stage.second.request("DELETE", path));
    },
    check: async ({ owner }, after) => {
      assert.equal((await signIn(browserAt(after, owner))).status, 401);
    },
  },
  "a passkey of another copy of the service is added": {
    faulty: ["passkey"],
    attack: async (stage) => {
      const [{ mac: _, ...row }] = await rowsOf(stage, "passkey") as [Tables["passkey"]];
      const foreign = { ...row, id: "passkey_foreign", credential_id: new Uint8Array(32).fill(1) };
      const mac = createTestAuthority(stage.app.vault).mac("passkey", foreign);
      await put(stage, "passkey", [{ ...foreign, mac }]);
    },
    check: async (stage) => {
      assert.equal((await rowsOf(stage, "passkey")).length, 2);
    },
  },
  "the state is hidden": {
    faulty: ["account", "session", "passkey", "ethereum_key", "api_token"],
    attack: async ({ db, accountId }) =>
      void await db.deleteFrom("owner_state").where("owner", "=", accountId).execute(),
    check: async (_stage, _after, client) => {
      assert.equal((await client.get("/api/auth/session")).body.account.email, null);
    },
  },
};

describe("an account that does not add up is refused, and repaired to an attacker's disadvantage, if", () => {
  for (const [what, { faulty, attack, check, refuses, signsIn = 200 }] of Object.entries(ATTACKS)) {
    test(what, async () => {
      const stage = await setStage();
      const thief = browserAt(stage.app, stage.owner, "with cookies");
      await attack(stage);
      const before = await start(stage);
      const refused = browserAt(before, stage.second, refuses && "with cookies");
      assertInconsistent(
        await {
          export: () => refused.post("/api/auth/account/export"),
          key: () => refused.post(`${stage.keyPath}/sign`, HELLO),
          "sign-in": () => signIn(refused),
        }[refuses ?? "sign-in"](),
      );
      const found = await repair(stage, { isDry: true });
      if (typeof found === "string") assert.fail(found);
      const notAddingUp = found.kinds.filter(({ addsUp }) => !addsUp).map(({ kind }) => kind);
      for (const kind of faulty) assert.ok(notAddingUp.some((name) => name === kind), kind);
      assert.deepEqual(await repair(stage), found, "the dry run changed nothing");
      const after = await start(stage);
      assert.equal((await browserAt(after, thief, "with cookies").get("/api/keys")).status, 401);
      assert.equal((await after.client().get("/api/keys", { headers: stage.headers })).status, 401);
      const client = browserAt(after, stage.second);
      assert.equal((await signIn(client)).status, signsIn);
      await check(stage, after, client);
      const events = (await client.get("/api/audit")).body.events ?? [];
      if (signsIn === 200) {
        assert.ok(events.some(({ event }: { event: string }) => event === "account_repaired"));
      }
      assert.equal(await repair(stage), "sound");
    });
  }
});

describe("repairAccount()", () => {
  test("ends codes, pending recovery and looser policies, and begins the cooldown", async () => {
    const stage = await setStage();
    const { app, db, owner, second, accountId } = stage;
    for (const perDay of [1, 2]) {
      const body = { policy: { ...POLICY, perDay, delayHours: 24 } };
      assert.ok((await owner.request("PUT", `${stage.keyPath}/policy`, { body })).status < 300);
    }
    assert.equal(
      (await db.selectFrom("ethereum_key").select("id").where("policy_change", "is not", null)
        .execute()).length,
      1,
    );
    const [code] = await makeCodes(owner);
    assert.equal((await begin(app.client("127.0.0.9"), ALICE, code)).status, 201);
    await db.deleteFrom("session").execute();
    assert.notEqual(typeof await repair(stage), "string");
    const row = await db.selectFrom("account_recovery").selectAll().where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    assert.deepEqual([row.recovery_id, row.unused_mask, row.cooldown_ends_at], [null, 0, app.now + 7 * DAY]);
    const key = await db.selectFrom("ethereum_key").select(["policy", "policy_change"])
      .executeTakeFirstOrThrow();
    assert.deepEqual([JSON.parse(key.policy!).perDay, key.policy_change], [1, null]);
    const after = await start(stage);
    assert.equal((await begin(after.client("127.0.0.9"), ALICE, code)).body.code, "recovery_refused");
    const client = browserAt(after, second);
    assert.equal((await signIn(client)).status, 200);
    const body = { email: "new@example.com" };
    assert.equal((await client.post("/api/auth/account/email/code", body)).body.code, "recently_recovered");
    await pass(after, 8 * DAY);
    assert.equal((await signIn(client)).status, 200);
    assert.equal((await client.post("/api/auth/account/email/code", body)).status, 200);
  });

  test("a row from before the repair is refused again", async () => {
    const stage = await setStage();
    const sessions = await rowsOf(stage, "session");
    await stage.db.deleteFrom("session").execute();
    await repair(stage);
    await put(stage, "session", sessions);
    assertInconsistent(await signIn(browserAt(await start(stage), stage.second)));
  });

  test("refuses an unknown account, one that adds up, the service, and a log with a fault", async () => {
    const stage = await setStage();
    assert.equal(await repair(stage, { id: "acct_unknown" }), "unknown");
    assert.equal(await repair(stage, { id: "service" }), "unknown");
    assert.equal(await repair(stage), "sound");
    const { db } = stage;
    await db.deleteFrom("session").execute();
    await db.deleteFrom("audit_checkpoint").execute();
    await dropLogTriggers(db);
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", 2).execute();
    assert.equal(await repair(stage), "log_fault");
    const accepted = { cause: "person", brokenAt: 2, now: stage.app.now } as const;
    await acknowledgeRollback(openSecondHandle(db), stage.app.vault, accepted);
    assert.equal(await repair(stage), "log_fault", "the entries of an accepted part are not known");
  });
});
