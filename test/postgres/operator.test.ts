import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
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

/** An operator's settings of a database, in which `ROLE` is the service's, and the error of a start. */
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

describe("a start is refused in one sentence if the role", () => {
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

test("an operator's session limits do not end the service's sessions", LIMIT, async () => {
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
