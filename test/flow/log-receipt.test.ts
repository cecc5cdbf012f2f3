import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { formatLogReceipt, parseLogReceipt } from "../../src/audit/log-receipt.ts";
import { acknowledgeRollback } from "../../src/audit/rollback.ts";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { createClient, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createTestVault } from "../support/vault.ts";

const RECEIPT_COOKIE = "service.witness";
const MINUTE = 60_000;
const vault = createTestVault();

/** A service on a file. An operator can stop it, restore an older copy and start it again; browsers do not notice. */
interface Stage {
  /** The running processes. */
  readonly apps: TestApp[];
  now: number;
  /** Creates a client, a browser or a program with cookies, of one of the processes. */
  browser(process?: number): Client;
  start(): Promise<void>;
  /** Stops the service, copies the file to a name or back, and starts the service again. */
  keep(name: string): Promise<void>;
  restoreCopy(name: string): Promise<void>;
  acknowledge(): Promise<void>;
}

async function onStage(processes: number, job: (stage: Stage) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const path = join(folder.path, "a.db");
  const apps: TestApp[] = [];
  const stop = async (): Promise<void> => {
    for (const { db } of apps.splice(0)) await closeDatabase(db);
  };
  const stage: Stage = {
    apps,
    now: Date.UTC(2026, 0, 31, 9, 30),
    browser: (process = 0) =>
      createClient(ORIGIN, (request) => {
        const app = apps[process]!;
        app.now = stage.now;
        return app.app(request, { clientAddress: "127.0.0.1" });
      }),
    start: async () => {
      while (apps.length < processes) {
        apps.push(await createTestApp({ db: await openDatabase(await openSqlite(path)) }));
      }
    },
    keep: async (name) => {
      await stop();
      copyFileSync(path, join(folder.path, name));
      await stage.start();
    },
    restoreCopy: async (name) => {
      await stop();
      for (const sibling of ["-wal", "-shm"]) rmSync(path + sibling, { force: true });
      copyFileSync(join(folder.path, name), path);
      await stage.start();
    },
    acknowledge: async () => {
      const db = await openDatabase(await openSqlite(path));
      await acknowledgeRollback(db, vault, { cause: "person", brokenAt: null, now: stage.now });
      await closeDatabase(db);
    },
  };
  await stage.start();
  await job(stage);
  await stop();
}

async function firstKey(client: Client): Promise<string> {
  return (await client.get("/api/keys")).body.keys[0].id;
}

async function sign(client: Client, keyId: string): Promise<Answer> {
  return await client.post(`/api/keys/${keyId}/sign`, { message: "hello" });
}

function assertStopped({ status, body }: Answer): void {
  assert.deepEqual([status, body.code], [503, "log_cut"]);
}

async function eventsOf(client: Client): Promise<string[]> {
  return (await client.get("/api/audit")).body.events.map(({ event }: { event: string }) => event);
}

describe("a receipt", () => {
  test("for the last entry is set at each sign-in, and otherwise at most every five minutes", async () => {
    await onStage(1, async (stage) => {
      const browser = stage.browser();
      await signUp(browser, "a@example.com");
      const first = browser.cookies.get(RECEIPT_COOKIE)!;
      assert.ok(parseLogReceipt(vault, first)!.seq >= 4);
      const keyId = await firstKey(browser);
      await sign(browser, keyId);
      stage.now += 5 * MINUTE - 1000;
      await browser.get("/api/auth/session");
      assert.equal(browser.cookies.get(RECEIPT_COOKIE), first);
      stage.now += 1000;
      await browser.get("/keys");
      const second = browser.cookies.get(RECEIPT_COOKIE)!;
      assert.equal(parseLogReceipt(vault, second)!.seq, parseLogReceipt(vault, first)!.seq + 1);
      await signIn(browser);
      assert.equal(parseLogReceipt(vault, browser.cookies.get(RECEIPT_COOKIE)!)!.at, stage.now);
      assert.ok(
        parseLogReceipt(vault, browser.cookies.get(RECEIPT_COOKIE)!)!.seq >
          parseLogReceipt(vault, second)!.seq,
      );
    });
  });

  test("is a cookie that scripts cannot read and that stays after signing out", async () => {
    await onStage(1, async (stage) => {
      const browser = stage.browser();
      const { headers } = await signUp(browser, "a@example.com");
      const [cookie, ...others] = headers.getSetCookie().filter((header) =>
        header.startsWith(RECEIPT_COOKIE)
      );
      assert.match(cookie!, /; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
      assert.deepEqual(others, []);
      await browser.post("/api/auth/sign-out");
      assert.ok(browser.cookies.has(RECEIPT_COOKIE));
    });
  });

  test("is not set for a visitor who is not signed in", async () => {
    await onStage(1, async (stage) => {
      await signUp(stage.browser(), "a@example.com");
      const stranger = stage.browser();
      for (const path of ["/", "/sign-in", "/api/auth/session", "/api/keys", "/readyz"]) {
        await stranger.get(path);
      }
      await stranger.post("/api/auth/passkey/authentication/options", {});
      assert.equal(stranger.cookies.has(RECEIPT_COOKIE), false);
    });
  });

  test("is returned with each signature, for its own entry or a later one", async () => {
    await onStage(1, async (stage) => {
      const browser = stage.browser();
      await signUp(browser, "a@example.com");
      const keyId = await firstKey(browser);
      for (const seq of [6, 7, 8]) {
        const receipt = (await sign(browser, keyId)).headers.get("holdfast-witness")!;
        assert.equal(parseLogReceipt(vault, receipt)!.seq, seq);
      }
      const answers = await Promise.all([1, 2, 3].map(() => sign(browser, keyId)));
      for (const { headers } of answers) {
        assert.ok(parseLogReceipt(vault, headers.get("holdfast-witness")!)!.seq >= 9);
      }
      assert.equal((await browser.get(`/api/keys/${keyId}`)).headers.get("holdfast-witness"), null);
    });
  });

  test("is returned by each route that signs, and not with a refusal", async () => {
    await onStage(1, async (stage) => {
      const browser = stage.browser();
      await signUp(browser, "a@example.com");
      const { body: { keys: [key] } } = await browser.get("/api/keys");
      const given = async (path: string, body: unknown, headers = {}): Promise<readonly unknown[]> => {
        const answer = await browser.post(path, body, { headers });
        const receipt = answer.headers.get("holdfast-witness");
        return [answer.status, receipt !== null && parseLogReceipt(vault, receipt) !== undefined];
      };
      const { body: { text } } = await browser.post("/api/auth/tokens", {
        name: "Bot",
        keys: "all",
        actions: ["sign"],
      });
      const headers = { authorization: `Bearer ${text}` };
      const call = { jsonrpc: "2.0", method: "personal_sign", params: ["0x68", key.address] };
      assert.deepEqual(await given("/api/rpc", { ...call, id: 1 }, headers), [200, true]);
      assert.deepEqual(await given("/api/rpc", [], headers), [200, true]);
      assert.deepEqual(await given("/api/rpc", call, headers), [204, false]);
      const web3signer = `/api/v1/eth1/sign/${key.address}`;
      assert.deepEqual(await given(web3signer, { data: "0x1234" }, headers), [200, true]);
      assert.deepEqual(await given(web3signer, { data: "1234" }, headers), [400, false]);
      assert.deepEqual(await given(`/api/keys/${key.id}/sign`, {}), [400, false]);
    });
  });
});

describe("an older database that was restored", () => {
  /** Signs up two people, the second after the copy. */
  async function enrol(stage: Stage): Promise<{ early: Client; late: Client; keyId: string }> {
    const early = stage.browser();
    await signUp(early, "early@example.com");
    const keyId = await firstKey(early);
    await stage.keep("old");
    const late = stage.browser();
    await signUp(late, "late@example.com");
    return { early, late, keyId };
  }

  test("is detected from the first newer receipt that a browser sends, also of another account", async () => {
    await onStage(1, async (stage) => {
      const { early, late, keyId } = await enrol(stage);
      await stage.restoreCopy("old");
      assert.equal((await sign(early, keyId)).status, 200);
      assert.equal((await late.get("/")).status, 200);
      assertStopped(await sign(early, keyId));
      assertStopped(await signIn(early));
      assert.equal((await early.get("/api/keys")).status, 200);
      assert.deepEqual((await early.get("/readyz")).body.reasons.length, 1);
      assert.match((await early.get("/readyz")).body.reasons[0], /acknowledge-rollback/);
      assert.equal(stage.apps[0]!.logged.filter((line) => line.includes("audit_log_fault")).length, 1);
    });
  });

  test("stops signing in every process, also after a start, until the operator acknowledges it", async () => {
    await onStage(2, async (stage) => {
      const { early, late, keyId } = await enrol(stage);
      const [one, two] = [early, stage.browser(1)];
      for (const [name, value] of early.cookies) two.cookies.set(name, value);
      await stage.restoreCopy("old");
      assert.equal((await sign(two, keyId)).status, 200);
      await late.get("/sign-in");
      assertStopped(await sign(one, keyId));
      assertStopped(await sign(two, keyId));
      await stage.keep("again");
      assertStopped(await sign(two, keyId));
      assertStopped(await sign(one, keyId));
      await stage.acknowledge();
      assert.equal((await sign(two, keyId)).status, 200);
      assert.equal((await sign(one, keyId)).status, 200);
      assert.equal((await one.get("/readyz")).status, 200);
    });
  });

  test("once acknowledged is shown to every account, and older receipts do not stop signing again", async () => {
    await onStage(1, async (stage) => {
      const { early, late, keyId } = await enrol(stage);
      const stale = late.cookies.get(RECEIPT_COOKIE)!;
      await stage.restoreCopy("old");
      await late.get("/");
      await sign(early, keyId);
      await stage.acknowledge();
      await late.get("/");
      assert.equal((await sign(early, keyId)).status, 200);
      assert.ok((await eventsOf(early)).includes("rollback_acknowledged"));
      assert.match((await early.get("/account/audit")).text, /lost part of its records/);
      // Accounts created later do not see it.
      await signUp(late, "late@example.com");
      assert.equal((await eventsOf(late)).includes("rollback_acknowledged"), false);
      assert.notEqual(late.cookies.get(RECEIPT_COOKIE), stale);
      assert.equal((await sign(early, keyId)).status, 200);
    });
  });

  test("is detected again when it is restored again", async () => {
    await onStage(1, async (stage) => {
      const { early, late, keyId } = await enrol(stage);
      await stage.restoreCopy("old");
      await late.get("/");
      await sign(early, keyId);
      await stage.acknowledge();
      await sign(early, keyId);
      await stage.keep("acknowledged");
      await sign(early, keyId);
      stage.now += 6 * MINUTE;
      await early.get("/api/auth/session");
      await stage.restoreCopy("acknowledged");
      await early.get("/api/auth/session");
      assertStopped(await sign(early, keyId));
    });
  });

  test("is detected from a receipt that a program sends with a later request", async () => {
    await onStage(1, async (stage) => {
      const program = stage.browser();
      await signUp(program, "a@example.com");
      const keyId = await firstKey(program);
      await stage.keep("old");
      const receipt = (await sign(program, keyId)).headers.get("holdfast-witness")!;
      const headers = { "holdfast-witness": receipt };
      assert.equal((await program.get(`/api/keys/${keyId}`, { headers })).status, 200);
      await stage.restoreCopy("old");
      // In the same millisecond the same signature would write an equal entry, and no entry would be lost.
      stage.now += 1000;
      assert.equal((await sign(program, keyId)).status, 200);
      assert.equal((await program.get(`/api/keys/${keyId}`, { headers })).status, 200);
      assertStopped(await sign(program, keyId));
    });
  });
});

describe("a receipt that the vault did not make", () => {
  test("is ignored, whatever is wrong with it", async () => {
    await onStage(1, async (stage) => {
      const browser = stage.browser();
      await signUp(browser, "a@example.com");
      const keyId = await firstKey(browser);
      const [seq, at, hash, mac] = browser.cookies.get(RECEIPT_COOKIE)!.split(".") as [
        string,
        string,
        string,
        string,
      ];
      const other = "A".repeat(43);
      const row = await stage.apps[0]!.db.selectFrom("audit_event").selectAll().where("seq", "=", Number(seq))
        .executeTakeFirstOrThrow();
      const forged = [
        [Number(seq) + 1, at, hash, mac],
        [seq, Number(at) + 1, hash, mac],
        [seq, at, other, mac],
        [seq, at, hash, other],
        [seq, at, hash],
        [seq, at, hash, mac, ""],
        [`0${seq}`, at, hash, mac],
        [-1, at, hash, mac],
        ["9".repeat(16), at, hash, mac],
        // The MAC of the log entry, which the operator can read.
        [Number(seq) + 1, at, hash, row.mac.toBase64({ alphabet: "base64url", omitPadding: true })],
        ["".padEnd(5000, "1")],
        [""],
      ].map((parts) => parts.join("."));
      forged.push(
        formatLogReceipt(createTestVault(8), { seq: 999, at: stage.now, hash: new Uint8Array(32) }),
      );
      for (const receipt of forged) {
        const forger = stage.browser();
        forger.cookies.set(RECEIPT_COOKIE, receipt);
        for (const path of ["/", "/api/auth/session"]) {
          assert.equal((await forger.get(path, { headers: { "holdfast-witness": receipt } })).status, 200);
        }
        assert.equal((await sign(browser, keyId)).status, 200, receipt);
      }
      assert.equal((await browser.get("/readyz")).status, 200);
    });
  });

  test("is replaced when its browser signs in", async () => {
    await onStage(1, async (stage) => {
      const browser = stage.browser();
      browser.cookies.set(RECEIPT_COOKIE, "nonsense");
      await signUp(browser, "a@example.com");
      assert.ok(parseLogReceipt(vault, browser.cookies.get(RECEIPT_COOKIE)!) !== undefined);
      browser.cookies.set(RECEIPT_COOKIE, "nonsense");
      await browser.get("/api/auth/session");
      assert.ok(parseLogReceipt(vault, browser.cookies.get(RECEIPT_COOKIE)!) !== undefined);
    });
  });
});
