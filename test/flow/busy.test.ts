import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { inFolder } from "../support/folder.ts";
import { runtimes } from "../support/program.ts";

const LOCK = fileURLToPath(new URL("../runtime/program/lock.ts", import.meta.url));

/** Starts a process that takes the database's write lock; `release()` ends it and waits for its exit. */
async function lockElsewhere(path: string): Promise<{ readonly release: () => Promise<void> }> {
  const [command, ...values] = Object.values(runtimes())[0]!;
  const child = spawn(command!, [...values, LOCK, path], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const [printed] = await Promise.race([once(child.stdout, "data"), closed]);
  assert.equal(String(printed), "locked\n");
  return {
    release: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

describe("the service while another process has the database's write lock", () => {
  test("makes writes wait and answers everything else at once", { timeout: 60_000 }, async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const db = await openDatabase(await openSqlite(path));
      const app = await createTestApp({ db });
      const client = app.client();
      const { key } = (await signUp(client, "ada@example.com")).body;
      const lock = await lockElsewhere(path);

      const done: string[] = [];
      const ask = async (name: string, sent: Promise<{ readonly status: number }>) => {
        const { status } = await sent;
        done.push(`${name} ${status}`);
      };
      const writes = [
        ask("generate", client.post("/api/keys/generate")),
        ask("code", app.client().post("/api/auth/email-code", { email: "eve@example.com" })),
        ask("sign", client.post(`/api/keys/${key.id}/sign`, { message: "hello" })),
      ];
      // Gives the writes time to meet the lock: if it blocked the service, they would answer first.
      await delay(50);
      await ask("live", client.get("/livez"));
      await ask("list", client.get("/api/keys"));
      assert.deepEqual(done, ["live 200", "list 200"]);

      await lock.release();
      await Promise.all(writes);
      assert.deepEqual(done.slice(2).sort(), ["code 200", "generate 201", "sign 200"]);
      await closeDatabase(db);
    });
  });
});
