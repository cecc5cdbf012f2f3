import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { connectDatabase, openDatabase } from "../../src/db/database.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { checkSchema } from "../../src/db/schema-check.ts";
import type { Engine } from "../../src/db/engine.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { openPostgres, openPostgresScratch } from "../../src/runtime/postgres/open.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { createPostgresDatabase, dropPostgresDatabase, onServer, postgresAt } from "../support/postgres.ts";

/** Changes that the server's owner can make, and the fault that the schema check then reports. */
const CHANGES: Readonly<Record<string, readonly [found: RegExp, ...statements: readonly string[]]>> = {
  "a trigger that keeps rows": [
    /unknown trigger session\.keep/,
    `create function public.keep() returns trigger language plpgsql as $$begin return null; end$$`,
    "create trigger keep before delete on holdfast.session for each row execute function public.keep()",
  ],
  "a trigger less": [
    /missing trigger audit_event\.audit_event_no_delete/,
    "drop trigger audit_event_no_delete on holdfast.audit_event",
  ],
  "a trigger that sleeps": [
    /altered trigger audit_event\.audit_event_no_delete/,
    "alter table holdfast.audit_event disable trigger audit_event_no_delete",
  ],
  "references that sleep": [
    /altered trigger ethereum_key\.ethereum_key_account_id_fkey/,
    "alter table holdfast.ethereum_key disable trigger all",
  ],
  "a trigger's function with another body": [
    /altered function audit_event_no_delete\(\)/,
    `create or replace function holdfast.audit_event_no_delete() returns trigger language plpgsql
      set search_path to pg_catalog as $$begin return old; end$$`,
  ],
  "a rule that does something else": [
    /unknown rule session\.keep/,
    "create rule keep as on delete to holdfast.session do instead nothing",
  ],
  "a view in the place of a table": [
    /unknown view session/,
    "alter table holdfast.session rename to hidden",
    "create view holdfast.session as select * from holdfast.hidden",
  ],
  "a policy that hides rows": [
    /altered table session/,
    "alter table holdfast.session enable row level security",
    "create policy few on holdfast.session using (id < 'm')",
  ],
  "a default in a column": [
    /altered column account\.4/,
    "alter table holdfast.account alter name set default 'thief'",
  ],
  "a column that follows from others": [
    /unknown column account\./,
    "alter table holdfast.account add column more text generated always as (id) stored",
  ],
  "another type of a column": [
    /altered column session\./,
    "alter table holdfast.session alter expires_at type numeric",
  ],
  "another order of texts": [
    /altered column account\./,
    `alter table holdfast.account alter email type text collate "en-x-icu"`,
  ],
  "another order of texts of the same name": [
    /altered column account\./,
    `create collation public."C" (provider = icu, locale = 'und')`,
    `alter table holdfast.account alter email type text collate public."C"`,
  ],
  "a table that a crash empties": [
    /altered table seal_slot/,
    "alter table holdfast.seal_slot set unlogged",
  ],
  "a column that may be null": [
    /altered column account\./,
    "alter table holdfast.account alter mac drop not null",
  ],
  "a rule on rows less": [
    /missing constraint ethereum_key\.ethereum_key_account_id_key_index_key/,
    "alter table holdfast.ethereum_key drop constraint ethereum_key_account_id_key_index_key",
  ],
  "an index that counts no more": [
    /altered index ethereum_key_address/,
    "update pg_index set indisvalid = false where indexrelid = 'holdfast.ethereum_key_address'::regclass",
  ],
  "a part of a table elsewhere": [
    /altered table session/,
    "create table public.more () inherits (holdfast.session)",
  ],
  "a table": [/unknown table more/, "create table holdfast.more (x text)"],
  "a function of a name that queries call": [
    /unknown function convert_to/,
    "create function holdfast.convert_to(text, text) returns bytea language sql as $$select '\\x00'::bytea$$",
  ],
  "a function where names are looked up": [
    /unknown function pg_catalog\.max/,
    "create function pg_catalog.max(text, text) returns text language sql as $$select $1$$",
  ],
  "an operator where names are looked up": [
    /unknown operator =/,
    "create function public.same(text, bigint) returns boolean language sql as $$select true$$",
    "create operator pg_catalog.= (leftarg = text, rightarg = bigint, function = public.same)",
  ],
  "a cast": [/unknown cast text as bigint/, "create cast (text as bigint) with inout as implicit"],
  "a type": [/unknown type more/, "create domain holdfast.more as text"],
};

async function withDatabase(job: (db: Db, name: string) => Promise<void>): Promise<void> {
  const name = await createPostgresDatabase();
  const db = await openDatabase(await openPostgres(postgresAt(name), { schemaPause: 0 }));
  try {
    await job(db, name);
  } finally {
    await db.destroy();
    await dropPostgresDatabase(name);
  }
}

/** A database with the schema of the migrations, created once. */
let scratch: Promise<Engine> | undefined;

async function faultsOf(db: Db): Promise<readonly string[]> {
  const golden = await (scratch ??= openPostgresScratch(postgresAt("postgres")));
  const { faults } = await checkSchema(
    db,
    () => Promise.resolve({ ...golden, close: () => Promise.resolve() }),
  );
  return faults.map(({ kind, type, name }) => `${kind} ${type} ${name}`);
}

function isSchemaChanged(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "schema_changed";
}

describe("a host that changes the schema of a database on its server", () => {
  after(async () => await (await scratch)?.close());

  test("is not reported for the schema of the migrations", async () => {
    await withDatabase(async (db) => assert.deepEqual(await faultsOf(db), []));
  });

  test("is compared with a stored hash, or else with a schema that is created once per server", async () => {
    await withDatabase(async (_, name) => {
      const address = postgresAt(name);
      let made = 0;
      const counted = async (): Promise<Engine> => {
        const engine = await openPostgresScratch(address);
        return { ...engine, migration: (job) => (made++, engine.migration(job)) };
      };
      const check = async (): Promise<boolean> => {
        const db = connectDatabase(await openPostgres(address));
        const { faults } = await checkSchema(db, counted);
        await db.destroy();
        return faults.length === 0;
      };
      assert.deepEqual([await check(), made], [true, 0], "Run npm run schema");
      await onServer(name, "create view holdfast.more as select 1 as one");
      for (let look = 0; look < 2; look++) assert.deepEqual([await check(), made], [false, 1]);
    });
  });

  for (const [what, [found, ...statements]] of Object.entries(CHANGES)) {
    test(`${what}: nothing is written from the next transaction on, and a start is refused`, async () => {
      await withDatabase(async (db, name) => {
        const { run } = createGroupCommit(db);
        await run(() => Promise.resolve());
        await onServer(name, ...statements);
        await assert.rejects(run(() => Promise.resolve()), isSchemaChanged);
        await assert.rejects(run(() => Promise.resolve()), isSchemaChanged);
        const faults = await faultsOf(db);
        assert.ok(faults.some((fault) => found.test(fault)), faults.join("\n"));
      });
    });
  }

  test("a session in which triggers and references are disabled writes nothing", async () => {
    await withDatabase(async (db, name) => {
      const { run } = createGroupCommit(db);
      await run(() => Promise.resolve());
      await onServer("postgres", `alter database ${name} set session_replication_role = replica`);
      await onServer(
        name,
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      // The first statement may still use the connection that ended.
      await run(() => Promise.resolve()).catch(() => {});
      await assert.rejects(run(() => Promise.resolve()), isSchemaChanged);
    });
  });

  test("its own table earlier in the search path is not read", async () => {
    const name = await createPostgresDatabase();
    await onServer(
      name,
      "create table public.account (like holdfast.account)",
      `alter database ${name} set search_path = public, holdfast`,
      `alter database ${name} set row_security = on`,
      `alter database ${name} set transform_null_equals = on`,
      `alter database ${name} set synchronous_commit = off`,
    );
    const db = connectDatabase(await openPostgres(postgresAt(name)));
    await using app = await createTestApp({ db });
    const enrolled = await signUp(app.client(), "ada@example.com");
    assert.equal(enrolled.status, 201, enrolled.text);
    assert.equal((await onServer(name, "select from public.account")).rowCount, 0);
    assert.equal((await onServer(name, "select from holdfast.account")).rowCount, 1);
    await db.destroy();
    await dropPostgresDatabase(name);
  });

  test("rows that a policy hides are an error for a role that is not the owner, and not omitted", async () => {
    const name = await createPostgresDatabase();
    const role = `role_${name}`;
    await onServer(
      name,
      `create role ${role} login password 'none'`,
      `grant usage on schema holdfast to ${role}`,
      `grant select, insert, update, delete on all tables in schema holdfast to ${role}`,
    );
    const db = connectDatabase(await openPostgres({ ...postgresAt(name), user: role }));
    await using app = await createTestApp({ db });
    const client = app.client();
    assert.equal((await signUp(client, "ada@example.com")).status, 201);
    await onServer(
      name,
      "alter table holdfast.session enable row level security",
      "create policy none on holdfast.session using (false)",
    );
    const { status, headers } = await client.get("/api/keys");
    assert.deepEqual([status, headers.has("retry-after")], [503, true]);
    await db.destroy();
    await dropPostgresDatabase(name);
    await onServer("postgres", `drop role ${role}`);
  });
});
