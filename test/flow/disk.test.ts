import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "../support/app.ts";
import { createClient, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { OWN_RUNTIME } from "../support/program.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 60_000 };
const ENVIRONMENT = { RATE_LIMITS: "off", LOG_LEVEL: "info" };

function start(dataDir: string, command?: string): Promise<Service> {
  const options = { dataDir, env: ENVIRONMENT };
  if (command === undefined) return startService({ ...options, runtime: builtRuntime() });
  return startService({ ...options, runtime: OWN_RUNTIME, command });
}

function clientOf(service: Service): Client {
  return createClient(service.baseUrl, (request) => fetch(request));
}

function logged(lines: readonly string[], event: string): readonly Record<string, unknown>[] {
  const events = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  return events.filter((line) => line.event === event);
}

/** Signs up, and records the address of each key that the service acknowledged. */
async function enrol(service: Service): Promise<{ readonly client: Client; readonly addresses: string[] }> {
  const client = clientOf(service);
  const { body } = await signUp(client, "alice@example.com");
  return { client, addresses: [body.key.address] };
}

/** Creates keys until one is refused. Returns that answer. */
async function makeKeys(client: Client, addresses: string[], most: number): Promise<Answer> {
  for (let count = 0; count < most; count++) {
    const made = await client.post("/api/keys/generate");
    if (made.status !== 201) return made;
    addresses.push(made.body.key.address);
  }
  assert.fail(`${most} keys were made`);
}

async function assertAllThere(dataDir: string, { client, addresses }: Awaited<ReturnType<typeof enrol>>) {
  await using again = await start(dataDir);
  const later = clientOf(again);
  for (const [name, value] of client.cookies) later.cookies.set(name, value);
  const found = new Set<string>();
  let path: string | undefined = "/api/keys?limit=100";
  while (path !== undefined) {
    const { status, body }: Answer = await later.get(path);
    assert.equal(status, 200, "the session is there");
    for (const key of body.keys) found.add(key.address);
    path = body.nextCursor == null ? undefined : `/api/keys?limit=100&cursor=${body.nextCursor}`;
  }
  for (const address of addresses) assert.ok(found.has(address), "an acknowledged key is there");
  await again.stop();
}

function assertRefused(answer: Answer, detail: RegExp): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.body.code, "unavailable");
  assert.match(answer.body.detail, detail);
  assert.equal(answer.headers.get("retry-after"), "10");
}

/** Verifies exit code 3 and one logged database fault, and that no request failed with an internal error. */
async function assertEnded(service: Service, code: string): Promise<void> {
  const [exitCode] = service.process.exitCode === null
    ? await once(service.process, "exit")
    : [service.process.exitCode];
  assert.equal(exitCode, 3, [...service.stdout, ...service.stderr].join("\n"));
  assert.equal(logged(service.stdout, "request_failed").length, 0);
  assert.deepEqual(logged(service.stdout, "database_fault").map((line) => line["code"]), [code]);
}

describe("a service whose disk fails", () => {
  test(
    "answers 503 with the reason, exits with 3, and keeps all it acknowledged",
    TIMEOUT,
    async () => {
      using folder = temporaryFolder();
      await (await start(folder.path)).stop();
      // A write beyond so many blocks fails with SQLITE_IOERR_WRITE, as on a broken disk.
      const shipped =
        JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).scripts;
      const command = shipped[OWN_RUNTIME === "bun" ? "start" : "start:deno"];
      const service = await start(folder.path, `trap '' XFSZ; ulimit -f 1500; ${command}`);
      const person = await enrol(service);
      assertRefused(await makeKeys(person.client, person.addresses, 1000), /the disk failed$/);
      const ready = await person.client.get("/readyz");
      assert.equal(ready.status, 503);
      assert.deepEqual(ready.body.reasons, ["Cannot use database: the disk failed"]);
      await assertEnded(service, "disk_failed");
      assert.ok(person.addresses.length > 10);
      await assertAllThere(folder.path, person);
    },
  );
});

describe("a service whose files are deleted or replaced", () => {
  test(
    "acknowledges nothing after its write-ahead log is deleted, and recovers the log's pages",
    TIMEOUT,
    async () => {
      using folder = temporaryFolder();
      const service = await start(folder.path);
      const person = await enrol(service);
      rmSync(join(folder.path, "holdfast.db-wal"));
      assertRefused(await makeKeys(person.client, person.addresses, 1), /write-ahead log was deleted$/);
      await assertEnded(service, "files_replaced");
      await assertAllThere(folder.path, person);
    },
  );

  test(
    "acknowledges nothing after its files are replaced, and does not touch the new ones",
    TIMEOUT,
    async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "holdfast.db");
      const first = await start(folder.path);
      const person = await enrol(first);
      await first.stop();
      copyFileSync(path, join(folder.path, "copy"));
      const service = await start(folder.path);
      const client = clientOf(service);
      for (const [name, value] of person.client.cookies) client.cookies.set(name, value);
      // Waits until the start's own work is done, which would meet the other files first.
      while (logged(service.stdout, "request").length < 3) await client.post("/api/keys/generate");
      for (const name of ["holdfast.db", "holdfast.db-wal", "holdfast.db-shm"]) {
        renameSync(join(folder.path, name), join(folder.path, `${name}.aside`));
      }
      renameSync(join(folder.path, "copy"), path);
      const other = new DatabaseSync(path);
      other.exec("pragma journal_mode = wal; create table here (x)");
      assertRefused(await makeKeys(client, [], 1), /files were replaced$/);
      await assertEnded(service, "files_replaced");
      assert.ok(existsSync(`${path}-wal`), "the log of the other database stays");
      other.exec("drop table here");
      other.close();
      await assertAllThere(folder.path, person);
    },
  );
});

describe("a start", () => {
  test("writes the seed into the database file itself, and its marker once", TIMEOUT, async () => {
    using folder = temporaryFolder();
    using copies = temporaryFolder();
    const marker = join(folder.path, "seal-key-id");
    const service = await start(folder.path);
    copyFileSync(join(folder.path, "holdfast.db"), join(copies.path, "a.db"));
    const copy = new DatabaseSync(join(copies.path, "a.db"));
    assert.equal(copy.prepare("select count(*) as n from seal_slot").get()?.["n"], 1);
    copy.close();
    const { ino } = statSync(marker);
    await service.kill();
    await using again = await start(folder.path);
    assert.equal(statSync(marker).ino, ino, "a start needs no space on the disk");
    await again.stop();
  });
});

describe("a service whose disk is full", () => {
  test("answers 503 with the reason and logs no stack, still reads, and writes again once there is space", async () => {
    using folder = temporaryFolder();
    const db = await openDatabase(await openSqlite(join(folder.path, "a.db")));
    await using app = await createTestApp({ db });
    const client = app.client();
    await signUp(client, "alice@example.com");
    await sql`pragma max_page_count = 1`.execute(db);
    const addresses: string[] = [];
    assertRefused(await makeKeys(client, addresses, 1000), /the disk is full$/);
    assert.equal((await client.get("/api/keys")).status, 200);
    assert.deepEqual(app.logged.filter((line) => line.includes("stack")), []);
    const line = app.logged.find((line) => line.includes('"status":503'))!;
    assert.equal(JSON.parse(line).reason, "disk_full");
    await sql`pragma max_page_count = 100000`.execute(db);
    assert.equal((await client.post("/api/keys/generate")).status, 201);
    await db.destroy();
  });
});
