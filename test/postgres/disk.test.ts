import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../../scripts/postgres.ts";
import type { PostgresServer } from "../../scripts/postgres.ts";
import { builtPrograms, runConfigured, serviceOf } from "../commands/run-command.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { createClient, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { exchange, getCode, registerClient, userinfo } from "../support/oauth.ts";
import type { Provider } from "../support/oauth.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

/**
 * A folder of a small disk for all files of the server, to fill it up for real, by hand and as root:
 * `mount -t tmpfs -o size=120m,mode=777 none /mnt/small`, `DISK=/mnt/small npm test -- test/postgres/disk.test.ts`.
 */
const DISK = process.env["DISK"];
const LIMIT = { timeout: 240_000 };
/** The size of a segment of the write-ahead log: no file of the server needs to be larger than the disk allows. */
const SEGMENT = 1 << 20;

/** Runs a shell command as the server's user, because only that user may change the limits of its processes. */
async function onHost(server: PostgresServer, line: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  // The server may end before it answers.
  client.on("error", () => {});
  await client.connect();
  await client.query(`copy (select 1) to program 'cat > /dev/null; ${line}'`).catch(() => {});
  await client.end().catch(() => {});
}

/** Returns the process ids of the server and its children. */
function processesOf(server: PostgresServer): readonly number[] {
  const isOurs = (name: string): boolean => {
    try {
      return /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1] ===
        String(server.pid());
    } catch {
      return false;
    }
  };
  return [
    server.pid(),
    ...readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name)).map(Number),
  ];
}

/** Limits the size of each file of the server in bytes, like a quota. */
async function limitFiles(server: PostgresServer, bytes: number | "unlimited"): Promise<void> {
  const words = `prlimit --fsize=${bytes}:unlimited --pid`;
  await onHost(server, `for pid in ${processesOf(server).join(" ")}; do ${words} $pid; done`);
}

/**
 * Fills most of a segment's size of the log's table with rows of a transaction that is rolled back, so that it takes a
 * hundred signatures to fill the rest, not thousands.
 */
async function growLogTable(server: PostgresServer): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("begin");
  for (let round = 1, size = 0; size < 0.9 * SEGMENT; round++) {
    await client.query(`insert into holdfast.audit_event
      select (jsonb_populate_record(entry, jsonb_build_object('seq', seq + ${round} * 1000000))).*
      from holdfast.audit_event as entry where seq < 1000000`);
    size = (await client.query("select pg_relation_size('holdfast.audit_event')::int as size")).rows[0].size;
  }
  await client.query("rollback");
  await client.end();
}

/** Fills the disk except for half a megabyte. */
async function fill(server: PostgresServer): Promise<void> {
  if (DISK === undefined) {
    await growLogTable(server);
    return await limitFiles(server, SEGMENT);
  }
  const { bavail, bsize } = statfsSync(DISK);
  writeFileSync(join(DISK, "filler"), new Uint8Array(Math.max(0, bavail * bsize - SEGMENT / 2)));
}

/**
 * Leaves no room for the write-ahead log, so that the server ends by itself. Tables run out of room first: on a real
 * disk, only a client that writes nothing but log fills it, such as one of another database.
 */
async function fillLog(server: PostgresServer): Promise<void> {
  if (DISK === undefined) return await limitFiles(server, SEGMENT / 16);
  await fill(server);
  const other = new pg.Client({ connectionString: server.url });
  other.on("error", () => {});
  await other.connect();
  const write = () =>
    other.query(`select pg_logical_emit_message(false, 'other', repeat('-', ${SEGMENT / 4}))`);
  while (await write().then(() => true, () => false));
  await other.end().catch(() => {});
  await until(() => !isAlive(server), "the server does not end");
}

async function freeDiskSpace(server: PostgresServer): Promise<void> {
  if (DISK !== undefined) rmSync(join(DISK, "filler"), { force: true });
  if (!isAlive(server)) await server.start();
  else if (DISK === undefined) await limitFiles(server, "unlimited");
}

function isAlive(server: PostgresServer): boolean {
  try {
    process.kill(server.pid(), 0);
    return true;
  } catch {
    return false;
  }
}

/** The acts that the service confirmed. */
interface Journal {
  readonly keys: string[];
  readonly newcomers: Client[];
  readonly tokens: string[];
  signatures: number;
}

/** Users who create keys, sign, sign up and redeem codes until they are stopped. */
interface Crowd {
  readonly person: Client;
  readonly provider: Provider;
  readonly journal: Journal;
  readonly refused: () => number;
  /** Starts the users. The returned function stops them and rejects if there was a wrong response. */
  begin(): () => Promise<void>;
}

async function gather(baseUrl: string): Promise<Crowd> {
  let refused = 0;
  const wrong: string[] = [];
  const send = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    if (response.status < 500) return response;
    refused++;
    const says = `${request.method} ${request.url}: ${response.status} ${await response.clone().text()}`;
    if (response.status !== 503 || !/^\d+$/.test(response.headers.get("retry-after") ?? "")) wrong.push(says);
    return response;
  };
  const provider: Provider = { origin: baseUrl, client: () => createClient(baseUrl, send) };
  const person = provider.client();
  const keyId = (await signUp(person, "ada@example.com")).body.key.id;
  const client = await registerClient(provider);
  const journal: Journal = { keys: [keyId], newcomers: [], tokens: [], signatures: 0 };
  let people = 0;
  const acts: readonly (() => Promise<void>)[] = [
    async () => {
      const { status, body } = await person.post("/api/keys/generate", {});
      if (status === 201) journal.keys.push(body.key.id);
    },
    ...Array.from({ length: 32 }, (_, index) => async () => {
      const { status } = await person.post(`/api/keys/${keyId}/sign`, { message: `message ${index}` });
      if (status === 200) journal.signatures++;
    }),
    async () => {
      const newcomer = provider.client();
      await signUp(newcomer, `person${people++}@example.com`);
      journal.newcomers.push(newcomer);
    },
    async () => {
      const { status, body } = await exchange(provider, client, await getCode(person, client));
      if (status === 200) journal.tokens.push(body.access_token);
    },
  ];
  const begin: Crowd["begin"] = () => {
    let isOver = false;
    const all = acts.map(async (act) => {
      while (!isOver) {
        const before = refused;
        await act().catch((error: unknown) => {
          // An act that ended because one of its requests was refused.
          if (refused === before) throw error;
        });
        if (refused > before) await sleep(20);
      }
    });
    return async () => {
      isOver = true;
      await Promise.all(all);
      assert.deepEqual(wrong, []);
    };
  };
  return { person, provider, journal, refused: () => refused, begin };
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; !await isSo(); waited += 50) {
    assert.ok(waited < 60_000, what);
    await sleep(50);
  }
}

/** Asserts that every confirmed act is stored. */
async function assertKept({ person, provider, journal }: Crowd, url: string): Promise<void> {
  const found: { id: string; keyIndex: number }[] = [];
  for (let cursor = ""; cursor !== "null";) {
    const { body } = await person.get(`/api/keys?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
    found.push(...body.keys);
    cursor = encodeURIComponent(body.nextCursor ?? "null");
  }
  assert.deepEqual(found.map(({ keyIndex }) => keyIndex), found.map((_, index) => index));
  const there = new Set(found.map(({ id }) => id));
  assert.deepEqual(journal.keys.filter((id) => !there.has(id)), [], "acknowledged and lost");
  for (const newcomer of journal.newcomers) {
    assert.equal((await newcomer.get("/api/keys")).body.keys.length, 1);
  }
  // The service keeps only the latest grants of one application.
  for (const token of journal.tokens.slice(-20)) assert.equal((await userinfo(provider, token)).status, 200);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(
    "select from holdfast.audit_event where event = 'message_signed'",
  );
  await client.end();
  assert.ok(rowCount! >= journal.signatures, `${rowCount} of ${journal.signatures} signatures`);
}

test(
  "a full disk gives 503 with the reason, loses nothing that was confirmed, and the service recovers",
  LIMIT,
  async () => {
    using folder = temporaryFolder();
    const server = await startPostgres(["min_wal_size=2MB", "max_wal_size=16MB", "autovacuum=off"], {
      initdb: ["--wal-segsize=1"],
      ...DISK === undefined ? {} : { parent: DISK },
    });
    try {
      const [[name, program]] = Object.entries(builtPrograms()) as [[string, readonly string[]]];
      const env = { DATABASE_URL: server.url, RATE_LIMITS: "off", ADMIN_API_KEY: ADMIN_KEY };
      await using service = await startService({ runtime: serviceOf(name), dataDir: folder.path, env });
      const crowd = await gather(service.baseUrl);
      const ready = async () => {
        const answer = await fetch(`${service.baseUrl}/readyz`);
        return { status: answer.status, text: await answer.text() };
      };
      let stop = crowd.begin();
      await until(() => crowd.journal.signatures > 50, "no signatures");
      await fill(server);
      const reasons: string[] = [];
      await until(async () => {
        const { status, text } = await ready();
        if (status === 503) reasons.push(text);
        return reasons.length > 5;
      }, "the disk is not full");
      if (DISK === undefined) { for (const reason of reasons) assert.match(reason, /the disk is full/); }
      await stop();
      assert.ok(crowd.refused() > 0);
      assert.equal((await fetch(`${service.baseUrl}/livez`)).status, 200);
      await freeDiskSpace(server);
      await until(async () => (await ready()).status === 200, "it does not recover");
      await assertKept(crowd, server.url);

      // Without room for the write-ahead log, the server ends by itself.
      const before = crowd.journal.signatures;
      stop = crowd.begin();
      await until(
        () => crowd.journal.signatures > before + 50,
        "no signatures after the disk had room again",
      );
      await fillLog(server);
      await until(async () => (await ready()).status === 503, "there is room");
      await sleep(1000);
      await stop();
      await freeDiskSpace(server);
      await until(async () => (await ready()).status === 200, "it does not recover from its server's end");
      stop = crowd.begin();
      const again = crowd.journal.signatures;
      await until(() => crowd.journal.signatures > again + 50, "no signatures after the restart");
      await stop();
      await assertKept(crowd, server.url);
      const { code, stdout } = await runConfigured(
        program,
        { ...env, DATA_DIR: folder.path },
        "verify-audit",
      );
      assert.equal(code, 0, stdout);
      const faults = service.stdout.filter((line) => line.includes("database_fault"));
      assert.ok(faults.length < 10, `${faults.length} lines, one for each fault`);
      assert.equal((await service.stop()).code, 0);
    } finally {
      await server.stop();
    }
  },
);
