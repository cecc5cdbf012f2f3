import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompiledQuery } from "kysely";
import type { Engine } from "../../src/db/engine.ts";
import { DatabaseError, hasNotBegun } from "../../src/db/error.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  onServer,
  openPostgresSession,
  postgresAt,
  untilOneWaits,
} from "../support/postgres.ts";

const TABLE = 'create table public.thing (id text collate "C" primary key, number bigint, bytes bytea)';

async function withEngines(
  count: number,
  job: (engines: readonly Engine[], name: string) => Promise<void>,
): Promise<void> {
  const name = await createPostgresDatabase("empty");
  await onServer(name, TABLE);
  const engines = await Promise.all(Array.from({ length: count }, () => openPostgres(postgresAt(name))));
  try {
    await job(engines, name);
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await dropPostgresDatabase(name);
  }
}

const query = (sql: string, ...parameters: readonly unknown[]): CompiledQuery =>
  CompiledQuery.raw(sql, [...parameters]);
const INSERT = "insert into public.thing (id, number, bytes) values ($1, $2, $3)";

function hasCode(code: DatabaseError["code"]): (error: unknown) => boolean {
  return (error) => error instanceof DatabaseError && error.code === code;
}

describe("the PostgreSQL engine", () => {
  test("returns texts, safe integers and bytes unchanged", async () => {
    await withEngines(1, async ([engine]) => {
      const rows = [
        { id: "é☃\u{1f511}", number: Number.MAX_SAFE_INTEGER, bytes: new Uint8Array([0, 255]) },
        { id: "", number: Number.MIN_SAFE_INTEGER, bytes: new Uint8Array() },
        { id: "b", number: null, bytes: null },
      ];
      for (const { id, number, bytes } of rows) await engine!.run(query(INSERT, id, number, bytes));
      const found = await engine!.run<{ id: string }>(query("select * from public.thing"));
      assert.deepEqual(found.rows, rows);
      const deleted = await engine!.run(query("delete from public.thing where number is not null"));
      assert.equal(deleted.numAffectedRows, 2n);
    });
  });

  test("throws `damaged` for a number that JavaScript cannot represent", async () => {
    await withEngines(1, async ([engine], name) => {
      await onServer(name, "insert into public.thing values ('a', 9007199254740992, null)");
      await assert.rejects(engine!.run(query("select number from public.thing")), hasCode("damaged"));
      assert.equal((await engine!.run(query("select id from public.thing"))).rows.length, 1);
    });
  });

  test("refuses parameters that engines would read differently", async () => {
    await withEngines(1, async ([engine]) => {
      for (const value of ["a\0b", new Date(0), [1], {}]) {
        await assert.rejects(engine!.run(query(INSERT, value, 1, null)), TypeError);
      }
    });
  });

  test("runs one transaction at a time among four engines, and each reads what the earlier ones wrote", async () => {
    await withEngines(4, async (engines) => {
      await engines[0]!.run(query(INSERT, "count", 0, null));
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          engines[index % 4]!.transaction(async (run) => {
            const { rows: [row] } = await run<{ number: number }>(query("select number from public.thing"));
            await run(query("update public.thing set number = $1", row!.number + 1));
          })),
      );
      const { rows } = await engines[3]!.run(query("select number from public.thing"));
      assert.deepEqual(rows, [{ number: 40 }]);
    });
  });

  test("rolls back a job that rejects, and refuses later statements of it", async () => {
    await withEngines(1, async ([engine]) => {
      let kept: Parameters<Parameters<Engine["transaction"]>[0]>[0] | undefined;
      await assert.rejects(
        engine!.transaction(async (run) => {
          kept = run;
          await run(query(INSERT, "a", 1, null));
          throw new Error("No");
        }),
        /^Error: No$/,
      );
      await assert.rejects(kept!(query(INSERT, "b", 1, null)), TypeError);
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, []);
    });
  });

  test("replaces a table in a migration, with its rows and the references to it", async () => {
    await withEngines(1, async ([engine], name) => {
      const migrate = (...statements: readonly string[]): Promise<void> =>
        engine!.migration(async (run) => {
          for (const statement of statements) await run(query(statement));
        });
      await migrate(
        "create table parent (id text primary key) strict",
        "create table child (parent_id text not null references parent (id) on delete cascade) strict",
      );
      await onServer(
        name,
        "insert into holdfast.parent values ('a'), ('b')",
        "insert into holdfast.child values ('a'), ('b')",
      );
      await migrate(
        "create table parent_new (id text primary key, note text) strict",
        "insert into parent_new (id) select id from parent",
        "drop table parent",
        "alter table parent_new rename to parent",
      );
      await onServer(name, "delete from holdfast.parent where id = 'a' and note is null");
      const { rows } = await engine!.run(query("select parent_id from holdfast.child"));
      assert.deepEqual(rows, [{ parent_id: "b" }]);
    });
  });

  test("does not report a commit if a statement failed", async () => {
    await withEngines(1, async ([engine]) => {
      await assert.rejects(
        engine!.transaction(async (run) => {
          await run(query(INSERT, "a", 1, null));
          await run(query(INSERT, "a", 1, null)).catch(() => {});
        }),
        hasCode("not_written"),
      );
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, []);
    });
  });

  test("commits nothing if a statement fails that the job did not wait for, and stays usable", async () => {
    await withEngines(1, async ([engine]) => {
      for (const last of [query(INSERT, "a", 1, null), query("select 1 / 0")]) {
        let pending: Promise<unknown> | undefined;
        await assert.rejects(
          engine!.transaction(async (run) => {
            await run(query(INSERT, "a", 1, null));
            pending = Promise.allSettled([run(query("select 1")), run(last), run(query("select 2"))]);
            void pending;
          }),
          hasCode("not_written"),
        );
        const outcomes = await pending as readonly { readonly status: string }[];
        assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "rejected"]);
        assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, []);
      }
      await engine!.transaction(async (run) => {
        await run(query("select 1"));
        void run(query(INSERT, "b", 1, null));
      });
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, [{ id: "b" }]);
    });
  });

  test("repeats a transaction that deadlocks with a client that does not take the lock", async () => {
    await withEngines(1, async ([engine], name) => {
      for (const id of ["a", "b"]) await engine!.run(query(INSERT, id, 0, null));
      const other = await openPostgresSession(
        name,
        "begin; set deadlock_timeout = '10s'; update public.thing set number = 2 where id = 'b'",
      );
      let runs = 0;
      let committed: Promise<void> | undefined;
      await engine!.transaction(async (run) => {
        runs++;
        await run(query("update public.thing set number = 1 where id = 'a'"));
        committed ??= other.query("update public.thing set number = 2 where id = 'a'; commit");
        if (runs === 1) await untilOneWaits(name);
        await run(query("update public.thing set number = 1 where id = 'b'"));
      });
      await committed;
      await other.end();
      // More runs if the other client is slower to take the released lock.
      assert.ok(runs >= 2, `${runs}`);
      const { rows } = await engine!.run(query("select number from public.thing"));
      assert.deepEqual(rows, [{ number: 1 }, { number: 1 }]);
    });
  });

  test("runs a transaction again after a conflict in a statement that was sent with the commit", async () => {
    await withEngines(1, async ([engine], name) => {
      await onServer(name, "create sequence public.turn");
      const conflict = query(`do $$ begin if nextval('public.turn') = 1 then
        raise exception using errcode = 'serialization_failure'; end if; end $$`);
      let runs = 0;
      await engine!.transaction((run) => {
        runs++;
        for (const each of [query(INSERT, `${runs}`, 1, null), conflict]) run(each).catch(() => {});
        return Promise.resolve();
      });
      assert.equal(runs, 2);
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, [{ id: "2" }]);
    });
  });

  test("has a write outside of a transaction refused by the server", async () => {
    await withEngines(1, async ([engine]) => {
      // A statement that counts as reading runs without a transaction.
      const write = query(`explain analyze ${INSERT}`, "a", 1, null);
      await assert.rejects(engine!.run(write), hasCode("read_only"));
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, []);
    });
  });

  test("commits nothing if a value of a statement that the job did not wait for cannot be sent", async () => {
    await withEngines(1, async ([engine]) => {
      await assert.rejects(
        engine!.transaction((run) => {
          run(query(INSERT, "a", 1, null)).catch(() => {});
          run(query(INSERT, "b", [], null)).catch(() => {});
          return Promise.resolve();
        }),
        /not sent/,
      );
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, []);
    });
  });

  test("throws `unreachable` if its connection ends within a transaction, writes nothing and reconnects", async () => {
    await withEngines(1, async ([engine], name) => {
      const end = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${name}' and pid <> pg_backend_pid()`;
      await assert.rejects(
        engine!.transaction(async (run) => {
          await run(query(INSERT, "a", 1, null));
          await onServer(name, end);
          await run(query(INSERT, "b", 1, null));
        }),
        hasCode("unreachable"),
      );
      assert.equal(engine!.health.fault()?.code, "unreachable");
      await engine!.run(query(INSERT, "c", 1, null));
      assert.deepEqual((await engine!.run(query("select id from public.thing"))).rows, [{ id: "c" }]);
      assert.equal(engine!.health.fault(), undefined);
    });
  });

  test("throws `commit_unknown` if a commit gets no answer after a failed statement that was undone", async () => {
    await withEngines(1, async ([direct], name) => {
      await using proxy = await startPostgresProxy(postgresAt(name).port);
      const engine = await openPostgres({ ...postgresAt(name), port: proxy.port });
      await engine.transaction((run) => run(query("select 1")));
      // The begin, the five statements and the commit.
      proxy.strike({ when: "after", how: "cut" }, 6);
      const outcome = engine.transaction(async (run) => {
        await run(query("select 1"));
        await run(query("savepoint job"));
        await assert.rejects(run(query("select 1 / 0")), /division by zero/);
        await run(query("rollback to job"));
        await run(query(INSERT, "a", 1, null));
      });
      await assert.rejects(outcome, hasCode("commit_unknown"));
      assert.deepEqual((await direct!.run(query("select id from public.thing"))).rows, [{ id: "a" }]);
      await engine.close();
    });
  });

  test("gives a job no rows and sends no write of it if its transaction cannot begin", async () => {
    await withEngines(2, async ([first, second]) => {
      const seen: unknown[] = [];
      let refused: unknown;
      await first!.transaction(async (run) => {
        await run(query("select 1"));
        const outcome = second!.transaction(async (run) => {
          const statements = [query("select 1"), query(INSERT, "a", 1, null), query("select 2")];
          await Promise.allSettled(statements.map(async (statement) => seen.push(await run(statement))));
        });
        refused = await outcome.catch((error: unknown) => error);
      });
      assert.ok(hasCode("busy")(refused), String(refused));
      assert.ok(hasNotBegun(refused));
      assert.deepEqual(seen, []);
      assert.deepEqual((await second!.run(query("select id from public.thing"))).rows, []);
    });
  });

  test("rejects with the job's own error if that comes before the answer to the begin", async () => {
    await withEngines(1, async ([engine]) => {
      await assert.rejects(engine!.transaction(() => Promise.reject(new RangeError("No"))), RangeError);
      await assert.rejects(
        engine!.transaction((run) => {
          void run(query("select pg_sleep(0.05)"));
          throw new RangeError("No");
        }),
        RangeError,
      );
      await engine!.transaction((run) => run(query(INSERT, "a", 1, null)));
      assert.equal((await engine!.run(query("select id from public.thing"))).rows.length, 1);
    });
  });

  test("stops waiting for a lock that another engine holds too long", async () => {
    await withEngines(2, async ([first, second]) => {
      await first!.transaction(async (run) => {
        await run(query("select 1"));
        // Not because of the statement timeout, which is longer.
        const message = "Cannot use database: another client held a lock too long";
        await assert.rejects(second!.transaction(() => Promise.resolve()), { code: "busy", message });
      });
      await second!.transaction(() => Promise.resolve());
    });
  });
});
