import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompiledQuery } from "kysely";
import { connectDatabase } from "../../src/db/database.ts";
import type { Engine, Scope } from "../../src/db/engine.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { beginWriting } from "../../src/runtime/postgres/locks.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  openPostgresSession,
  postgresAt,
} from "../support/postgres.ts";
import type { PostgresSession } from "../support/postgres.ts";

const LIMIT = { timeout: 60_000 };

/** Opens a session that holds an advisory lock. */
function hold(database: string, lock: string): Promise<PostgresSession> {
  return openPostgresSession(database, `select pg_advisory_lock(${lock})`);
}

async function onEngine(job: (engine: Engine, database: string) => Promise<void>): Promise<void> {
  const name = await createPostgresDatabase();
  const engine = await openPostgres(postgresAt(name));
  try {
    await job(engine, name);
  } finally {
    await engine.close();
    await dropPostgresDatabase(name);
  }
}

async function pidOf(engine: Engine, scope?: Scope): Promise<unknown> {
  const { rows: [row] } = await engine.transaction(
    (run) => run<{ pid: number }>(CompiledQuery.raw("select pg_backend_pid() as pid")),
    scope,
  );
  return row!.pid;
}

/** Returns the locks of a transaction in order: the lock of all writers, then those of its subjects. */
function locksOf(scope: Scope): readonly string[] {
  const asked = /array\[null,(?<keys>[-\d,]+)\].* then pg_advisory_xact_lock_shared\((?<write>\d+)\)/s;
  const subject = /pg_advisory_xact_lock\((?<all>\d+), key\)/;
  const text = beginWriting(scope);
  const [{ keys, write }, { all }] = [asked.exec(text)!.groups!, subject.exec(text)!.groups!];
  return [write!, ...keys!.split(",").map((key) => `${all}, ${key}`)];
}

test(
  "a transaction without a scope takes the lock of all writers, shared",
  LIMIT,
  () =>
    onEngine(async (engine) => {
      assert.equal(await pidOf(engine, { subjects: [] }), await pidOf(engine));
    }),
);

describe("locks of another session", () => {
  test(
    "end the wait before the driver closes the connection, which stays usable",
    LIMIT,
    () =>
      onEngine(async (engine, database) => {
        const scope = { subjects: ["ada", "bob"] };
        const pid = await pidOf(engine, scope);
        // No single lock is held long enough to end the wait.
        const sessions = await Promise.all(locksOf(scope).map((lock) => hold(database, lock)));
        const held = sessions.map(async (session, index) => {
          await session.query(`select pg_sleep(${4.2 * (index + 1)})`);
          await session.end();
        });
        const refused = await engine.transaction(() => Promise.resolve(), scope).catch((error: unknown) =>
          error
        );
        assert.ok(refused instanceof DatabaseError, String(refused));
        assert.deepEqual([refused.code, engine.health.fault()], ["busy", undefined]);
        await Promise.all(held);
        assert.equal(await pidOf(engine, scope), pid);
      }),
  );

  test(
    "reject the jobs that came while a transaction could not begin together with its own",
    LIMIT,
    () =>
      onEngine(async (engine, database) => {
        for (const writeSet of [undefined, { accountId: "ada" }]) {
          const { run } = createGroupCommit(connectDatabase(engine));
          const held = await hold(database, locksOf({ subjects: ["ada"] })[0]!);
          const begun = performance.now();
          const first = run((tx) => tx.selectFrom("account").select("id").execute(), writeSet);
          await new Promise((resolve) => setTimeout(resolve, 500));
          const second = run((tx) => tx.selectFrom("account").select("id").execute(), writeSet);
          const [one, other] = await Promise.all([first, second].map((job) => job.catch((error) => error)));
          assert.equal(one.code, "busy");
          assert.equal(other, one);
          // Each alone would wait five seconds.
          assert.ok(performance.now() - begun < 9000);
          await held.end();
          assert.deepEqual(await run((tx) => tx.selectFrom("account").select("id").execute(), writeSet), []);
        }
      }),
  );

  test(
    "give 503 with Retry-After to requests that sign, but not to requests that read",
    LIMIT,
    () =>
      onEngine(async (engine, database) => {
        await using app = await createTestApp({ db: connectDatabase(engine) });
        const person = app.client();
        const keyId = (await signUp(person, "ada@example.com")).body.key.id;
        const pid = await pidOf(engine);
        const held = await hold(database, locksOf({ subjects: ["ada"] })[0]!);
        const sign = () => person.post(`/api/keys/${keyId}/sign`, { message: "hello" });
        const [first, second, looked] = await Promise.all([sign(), sign(), person.get("/api/keys")]);
        for (const { status, headers, text } of [first, second]) {
          assert.equal(status, 503, text);
          assert.match(headers.get("retry-after") ?? "", /^\d+$/);
        }
        assert.equal(looked.status, 200);
        assert.equal(engine.health.fault(), undefined);
        await held.end();
        assert.equal((await sign()).status, 200);
        assert.equal(await pidOf(engine), pid);
      }),
  );
});
