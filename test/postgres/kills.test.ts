import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../../scripts/postgres.ts";
import { createClient, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { pidsOf } from "../support/several-processes.ts";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** The number of kills of each. By hand: `KILLS=200 TEST_POSTGRES_URL=… bun test test/postgres/kills.test.ts`. */
const KILLS = Number(process.env["KILLS"] ?? 1);
const WRITERS = 4;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The acts that the service confirmed: ids of keys, and the number of signatures. */
interface Journal {
  readonly keys: string[];
  signatures: number;
}

/** Creates keys and signs with each, one after another, and records the confirmed acts. */
async function write(person: Client, journal: Journal, until: { isOver: boolean }): Promise<number> {
  let refused = 0;
  let last: string | undefined;
  while (!until.isOver) {
    try {
      const answer = last === undefined
        ? await person.post("/api/keys/generate", {})
        : await person.post(`/api/keys/${last}/sign`, { message: last });
      if (answer.status === 201) journal.keys.push(last = answer.body.key.id);
      else if (answer.status === 200) {
        journal.signatures++;
        last = undefined;
      } else {
        assert.ok(answer.status === 503, `${answer.status} ${answer.text}`);
        refused++;
        await sleep(50);
      }
    } catch (error) {
      // The connection ended with its process.
      if (error instanceof assert.AssertionError) throw error;
      refused++;
      await sleep(50);
    }
  }
  return refused;
}

async function listKeys(person: Client): Promise<readonly { id: string; keyIndex: number }[]> {
  const keys: { id: string; keyIndex: number }[] = [];
  for (let cursor = "";;) {
    const { body, status, text } = await person.get(`/api/keys?limit=100${cursor}`);
    assert.equal(status, 200, text);
    keys.push(...body.keys);
    if (body.nextCursor === null) return keys;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

async function countSignatures(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: [row] } = await client.query(
      "select count(*) as count from holdfast.audit_event where event = 'message_signed'",
    );
    return Number(row.count);
  } finally {
    await client.end();
  }
}

test(`${KILLS} kills of the server and ${KILLS} of a process: nothing that was confirmed is lost`, {
  timeout: 60_000 + KILLS * 60_000,
}, async () => {
  using folder = temporaryFolder();
  const server = await startPostgres();
  try {
    const env = { DATABASE_URL: server.url, RATE_LIMITS: "off", PROCESSES: "2" };
    const options = { runtime: builtRuntime(), dataDir: folder.path, env };
    const service = await startService(options);
    const person = createClient(service.baseUrl, (request) => fetch(request));
    await signUp(person, "ada@example.com");
    const journal: Journal = { keys: [], signatures: 0 };
    const until = { isOver: false };
    const writers = Array.from({ length: WRITERS }, () => write(person, journal, until));
    /** Resolves when writes succeed again after a kill. */
    const recovered = async (): Promise<void> => {
      const [keys, signatures] = [journal.keys.length, journal.signatures];
      const isWriting = () =>
        journal.keys.length > keys + WRITERS && journal.signatures > signatures + WRITERS;
      for (let waited = 0; !isWriting(); waited += 50) {
        assert.ok(waited < 40_000, service.stdout.slice(-5).join("\n"));
        await sleep(50);
      }
    };
    await recovered();
    for (let kill = 0; kill < KILLS; kill++) {
      // Like `pg_ctl restart -m immediate`.
      const postmaster = server.pid();
      process.kill(postmaster, "SIGQUIT");
      while (isAlive(postmaster)) await sleep(50);
      await server.start();
      await recovered();
      const [pid] = [...pidsOf(service).values()].slice(kill % 2);
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      await recovered();
    }
    until.isOver = true;
    const refused = (await Promise.all(writers)).reduce((one, other) => one + other, 0);
    assert.equal((await signIn(person)).status, 200);
    const keys = await listKeys(person);
    const there = new Set(keys.map(({ id }) => id));
    assert.deepEqual(journal.keys.filter((id) => !there.has(id)), [], "acknowledged and lost");
    assert.deepEqual(keys.map(({ keyIndex }) => keyIndex), keys.map((_, index) => index), "contiguous");
    const signed = await countSignatures(server.url);
    assert.ok(signed >= journal.signatures, `${signed} entries for ${journal.signatures} signatures`);
    const ready = await fetch(`${service.baseUrl}/readyz`);
    assert.equal(ready.status, 200, await ready.text());
    assert.equal((await service.stop()).code, 0);
    const whole = await startService(options);
    assert.ok(whole.stdout.some((line) => line.includes("audit_log_proven")));
    assert.equal(whole.stdout.some((line) => line.includes("audit_log_fault")), false);
    await whole.stop();
    console.log(
      `${KILLS} kills each: ${journal.keys.length} keys and ${journal.signatures} signatures acknowledged, ${refused} refused, ` +
        `${keys.length} keys and ${signed} entries of signatures there`,
    );
  } finally {
    await server.stop();
  }
});
