import assert from "node:assert/strict";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import pg from "pg";
import type { PostgresServer } from "../../scripts/postgres.ts";
import { startPostgres } from "../../scripts/postgres.ts";
import type { Engine } from "../../src/db/engine.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { readPostgresAddress } from "../../src/lib/postgres-address.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";

// A separate server. Deno cannot start it as another user if that user may not enter Deno's folder.

const LIMIT = { timeout: 120_000 };
const say = (sql: string): CompiledQuery => CompiledQuery.raw(sql);

/** Stops the server as its supervisor does, and starts it over the same files as a replica. */
async function restartAsReplica(server: PostgresServer): Promise<void> {
  const pid = server.pid();
  process.kill(pid, "SIGINT");
  for (;; await sleep(20)) {
    try {
      process.kill(pid, 0);
    } catch {
      break;
    }
  }
  // It reports that it is ready only when it accepts writes.
  server.start().catch(() => {});
  while (await ask(server, "select 1").catch(() => undefined) === undefined) await sleep(50);
}

async function ask(server: PostgresServer, statement: string): Promise<Readonly<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(statement)).rows[0];
  } finally {
    await client.end();
  }
}

/** Returns the outcomes of a read, a write and the check of `/readyz`: `done` or an error code. */
async function tryAll(engine: Engine): Promise<readonly string[]> {
  const jobs = [
    () => engine.run(say("select 1")),
    () => engine.transaction((run) => run(say("create temporary table thing () on commit drop"))),
    () => engine.check(),
  ];
  const codes: string[] = [];
  for (const job of jobs) {
    codes.push(
      await job().then(
        () => "done",
        (error: unknown) => error instanceof DatabaseError ? error.code : String(error),
      ),
    );
  }
  return codes;
}

test(
  "a server that restarts as a replica is not read or written until it is promoted",
  LIMIT,
  async () => {
    const server = await startPostgres();
    try {
      const engine = await openPostgres(
        readPostgresAddress(server.url, { password: undefined, passwordFile: undefined }),
      );
      assert.deepEqual(await tryAll(engine), ["done", "done", "done"]);
      const folder = String((await ask(server, "show data_directory"))["data_directory"]);
      const { uid, gid } = statSync(folder);
      writeFileSync(join(folder, "standby.signal"), "");
      chownSync(join(folder, "standby.signal"), uid, gid);
      await restartAsReplica(server);
      // The first statement on each connection fails because the connection has ended.
      await tryAll(engine);
      assert.deepEqual(await tryAll(engine), ["read_only", "read_only", "read_only"]);
      assert.match(engine.health.fault()!.message, /its server is a standby of another one/);
      await ask(server, "select pg_promote()");
      assert.deepEqual(await tryAll(engine), ["done", "done", "done"]);
      assert.equal(engine.health.fault(), undefined);
      await engine.close();
    } finally {
      await server.stop();
    }
  },
);
