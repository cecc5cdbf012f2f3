import assert from "node:assert/strict";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import pg from "pg";
import type { PostgresServer } from "../../scripts/postgres.ts";
import { startPostgres } from "../../scripts/postgres.ts";
import type { Engine } from "../../src/db/engine.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { readPostgresAddress } from "../../src/lib/postgres-address.ts";
import { openPostgres } from "../../src/runtime/postgres.ts";
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  onServer,
  postgresAt,
  postgresUrl,
} from "../support/postgres.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 120_000 };
const say = (sql: string): CompiledQuery => CompiledQuery.raw(sql);

/** What an operator set of a database, in which `ROLE` is the service's, and what a start says of it. */
const REFUSED: Readonly<Record<string, readonly [statements: readonly string[], said: RegExp]>> = {
  "may not make the schema": [
    [],
    /^holdfast: .*its role lacks a right that the service needs \(permission denied for database \w+\)$/,
  ],
  "may not use the schema": [
    ["create schema holdfast"],
    /its role lacks a right that the service needs \(permission denied for schema holdfast\)$/,
  ],
  "may make no temporary tables": [
    ["grant create on database DATABASE to ROLE", "revoke temporary on database DATABASE from public"],
    /its role lacks a right that the service needs \(permission denied to create temporary tables/,
  ],
  "may not use the database": [
    ["revoke connect on database DATABASE from public"],
    /its server refuses the login: \S+ \(permission denied for database "\w+"\)$/,
  ],
};

describe("a start is refused in one sentence where the role", () => {
  for (const [what, [statements, said]] of Object.entries(REFUSED)) {
    test(what, LIMIT, async () => {
      using folder = temporaryFolder();
      const name = await createPostgresDatabase("empty");
      const role = `role_${name}`;
      await onServer(
        name,
        `create role ${role} login password 'none'`,
        ...statements.map((one) => one.replaceAll("DATABASE", name).replaceAll("ROLE", role)),
      );
      const url = new URL(postgresUrl(name));
      url.username = role;
      const options = {
        runtime: builtRuntime(),
        dataDir: folder.path,
        env: { DATABASE_URL: url.href, LOG_LEVEL: "error" },
      };
      await assert.rejects(startService(options), (error) => {
        assert.ok(error instanceof ServiceStartError);
        const lines = error.stderr.filter((line) => line !== "");
        assert.deepEqual([error.exit.code, lines.length], [2, 1], error.message);
        assert.match(lines[0]!, said);
        return true;
      });
      await dropPostgresDatabase(name);
      await onServer("postgres", `drop role ${role}`);
    });
  }
});

test("what an operator limits of a session ends none of the service's", LIMIT, async () => {
  const name = await createPostgresDatabase("empty");
  await onServer(
    name,
    `alter database ${name} set idle_session_timeout = 100`,
    `alter database ${name} set transaction_timeout = 300`,
    `alter database ${name} set statement_timeout = 300`,
    `alter database ${name} set idle_in_transaction_session_timeout = 100`,
  );
  const engine = await openPostgres(postgresAt(name));
  const identify = () => engine.run<{ pid: number }>(say("select pg_backend_pid() as pid"));
  const { rows: [before] } = await identify();
  await engine.transaction(async (run) => {
    await run(say("select pg_sleep(0.5)"));
    await sleep(200);
    await run(say("select 1"));
  });
  await sleep(300);
  assert.deepEqual((await identify()).rows, [before]);
  await engine.close();
  await dropPostgresDatabase(name);
});

/** Ends the server as its supervisor does, and starts it over the same files, as a replica. */
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
  // It says that it is there only when it can be written to.
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

/** What comes of reading, of writing and of the look that `/readyz` takes. */
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
  "a server that comes back as a replica is neither read nor written, until it is promoted",
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
      // The first statement on each connection only finds that it has ended.
      await tryAll(engine);
      assert.deepEqual(await tryAll(engine), ["read_only", "read_only", "read_only"]);
      assert.match(engine.health.fault()!.message, /its server only follows another one/);
      await ask(server, "select pg_promote()");
      assert.deepEqual(await tryAll(engine), ["done", "done", "done"]);
      assert.equal(engine.health.fault(), undefined);
      await engine.close();
    } finally {
      await server.stop();
    }
  },
);
