import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import { StartRefusal } from "../../src/commands/process/refusal.ts";
import { restoreDatabase } from "../../src/commands/restore.ts";
import { examineDatabase } from "../../src/commands/open/examine-database.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Config } from "../../src/config/config.ts";
import { openDatabase } from "../../src/db/database.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { createClient, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  onServer,
  postgresAt,
  postgresUrl,
} from "../support/postgres.ts";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const RUNTIME = builtRuntime();
const NOW = Date.UTC(2026, 0, 31);

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Returns the configuration of a service over a database of the tests' server, or over a file in its folder. */
function configOf(dataDir: string, database?: string): Config {
  const url = database === undefined ? "" : postgresUrl(database);
  return readConfig({ DATA_DIR: dataDir, DATABASE_URL: url });
}

async function serveAt(dataDir: string, database?: string) {
  const DATABASE_URL = database === undefined
    ? `sqlite:${join(dataDir, "holdfast.db")}`
    : postgresUrl(database);
  return await startService({ runtime: RUNTIME, dataDir, env: { RATE_LIMITS: "off", DATABASE_URL } });
}

async function keysOf(person: Client): Promise<readonly { id: string; address: string }[]> {
  const { status, body, text } = await person.get("/api/keys");
  assert.equal(status, 200, text);
  return body.keys;
}

/** Returns the client at another service, with the same cookies and passkey. */
function comeTo(baseUrl: string, person: Client): Client {
  const client = createClient(baseUrl, (request) => fetch(request));
  return { ...client, authenticator: person.authenticator };
}

async function refusal(job: Promise<unknown>): Promise<string> {
  const error = await job.then(() => assert.fail("it was not refused"), (error: unknown) => error);
  assert.ok(error instanceof StartRefusal, String(error));
  return error.message;
}

describe("a backup is the same file whichever engine serves", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let dataDir: string;
  const databases: string[] = [];
  let people: readonly Client[];
  let addresses: readonly (readonly string[])[];
  /** A backup that all these tests use. */
  let file: string;

  async function newDatabase(): Promise<string> {
    const name = await createPostgresDatabase("empty");
    databases.push(name);
    return name;
  }

  before(async () => {
    folder = temporaryFolder();
    dataDir = join(folder.path, "data");
    const service = await serveAt(dataDir, await newDatabase());
    people = ["ada", "bob"].map(() => createClient(service.baseUrl, (request) => fetch(request)));
    for (const [index, person] of people.entries()) {
      await signUp(person, `person${index}@example.com`);
      await person.post("/api/keys/generate", {});
      const terms = { name: "Bot", keys: "all", actions: ["read", "sign"] };
      assert.equal((await person.post("/api/auth/tokens", terms)).status, 201);
    }
    addresses = await Promise.all(
      people.map(async (person) => (await keysOf(person)).map(({ address }) => address)),
    );
    // The backup is consistent although the user signs meanwhile.
    const { id } = (await keysOf(people[0]!))[0]!;
    let isDone = false;
    const signing = (async () => {
      while (!isDone) await people[0]!.post(`/api/keys/${id}/sign`, { message: "meanwhile" });
    })();
    file = join(folder.path, "one.backup");
    await backupDatabase(configOf(dataDir, databases[0]), file, { random });
    isDone = true;
    await signing;
    await service.stop();
  }, { timeout: 120_000 });
  after(async () => {
    for (const name of databases) await dropPostgresDatabase(name);
    folder[Symbol.dispose]();
  });

  test(
    "from a server into a file and back, with the same addresses, rows and log",
    { timeout: 120_000 },
    async () => {
      const onFile = configOf(dataDir);
      const { summary } = await restoreDatabase(onFile, file, "write", { now: NOW, random });
      assert.deepEqual([summary.accounts, summary.keys], [2, 4]);
      {
        await using service = await serveAt(dataDir);
        for (const [index, person] of people.entries()) {
          const client = comeTo(service.baseUrl, person);
          assert.equal((await signIn(client)).status, 200);
          assert.deepEqual((await keysOf(client)).map(({ address }) => address), addresses[index]);
        }
        await service.stop();
      }
      const second = join(folder.path, "two.backup");
      const made = await backupDatabase(onFile, second, { random });
      const database = await newDatabase();
      const config = configOf(dataDir, database);
      const restored = await restoreDatabase(config, second, "write", { now: NOW, random });
      assert.equal(restored.summary.auditHead, made.auditHead);
      assert.equal(
        readdirSync(dataDir).some((name) => name.includes("restore-")),
        false,
        "nothing is left over",
      );
      await using service = await serveAt(dataDir, database);
      const client = comeTo(service.baseUrl, people[1]!);
      assert.equal((await signIn(client)).status, 200);
      const keys = await keysOf(client);
      assert.deepEqual(keys.map(({ address }) => address), addresses[1]);
      assert.equal((await client.post(`/api/keys/${keys[0]!.id}/sign`, { message: "here" })).status, 200);
      assert.equal((await client.post("/api/keys/generate", {})).body.key.keyIndex, 2);
      await service.stop();
      const { schema, faults } = await examineDatabase(config, { parts: ["pages"] });
      assert.deepEqual([faults, schema?.pending], [[], []]);
    },
  );

  test(
    "is refused if the target is not empty, and changes nothing there",
    { timeout: 60_000 },
    async () => {
      const config = configOf(dataDir, databases[0]);
      for (const mode of ["write", "dry-run"] as const) {
        assert.match(
          await refusal(restoreDatabase(config, file, mode, { now: NOW, random })),
          /is not empty/,
        );
      }
    },
  );

  test("is verified in a dry run, which leaves nothing behind", { timeout: 60_000 }, async () => {
    const database = await newDatabase();
    const { summary } = await restoreDatabase(configOf(dataDir, database), file, "dry-run", {
      now: NOW,
      random,
    });
    assert.equal(summary.keys, 4);
    const { rows } = await onServer(database, "select 1 from pg_namespace where nspname = 'holdfast'");
    assert.equal(rows.length, 0);
  });

  test(
    "is refused while another restore runs in its folder, which completes",
    { timeout: 60_000 },
    async () => {
      const config = configOf(dataDir, await newDatabase());
      const others: Promise<string>[] = [];
      const onStep = (step: string): void => {
        if (step !== "copied") return;
        for (const mode of ["write", "dry-run"] as const) {
          others.push(refusal(restoreDatabase(config, file, mode, { now: NOW, random })));
        }
      };
      const { summary } = await restoreDatabase(config, file, "write", { now: NOW, random, onStep });
      assert.equal(summary.keys, 4);
      const [written, proven] = await Promise.all(others);
      assert.match(written!, /is in use: stop the service, and every other command on it, first$/);
      assert.match(proven!, /is being restored: wait until that has finished$/);
    },
  );

  test(
    "is refused with another sealing key, and with an edited row",
    { timeout: 60_000 },
    async () => {
      const database = await newDatabase();
      using other = temporaryFolder();
      assert.match(
        await refusal(restoreDatabase(configOf(other.path, database), file, "write", { now: NOW, random })),
        /sealing key .* is missing/,
      );
      await onServer(databases[0]!, "update holdfast.ethereum_key set label = 'edited' where key_index = 0");
      const edited = join(folder.path, "edited.backup");
      await backupDatabase(configOf(dataDir, databases[0]), edited, { random });
      assert.match(
        await refusal(restoreDatabase(configOf(dataDir, database), edited, "write", { now: NOW, random })),
        /The backup is not sound: the service did not write 2 of 4 rows of ethereum_key/,
      );
      const { rows } = await onServer(database, "select 1 from pg_namespace where nspname = 'holdfast'");
      assert.equal(rows.length, 0);
    },
  );

  test(
    "is not made of a changed schema, or restored into one",
    { timeout: 60_000 },
    async () => {
      const database = await newDatabase();
      await (await openDatabase(await openPostgres(postgresAt(database)))).destroy();
      await onServer(database, "create view holdfast.trap as select 1");
      const config = configOf(dataDir, database);
      assert.match(
        await refusal(restoreDatabase(config, file, "write", { now: NOW, random })),
        /unknown in the schema: view "trap"/,
      );
      const { rows } = await onServer(database, "select 1 from holdfast.account");
      assert.equal(rows.length, 0);
      const source = databases[0]!;
      await onServer(source, "create view holdfast.trap as select 1");
      const never = join(folder.path, "never.backup");
      assert.match(
        await refusal(backupDatabase(configOf(dataDir, source), never, { random })),
        /view "trap"/,
      );
      await onServer(source, "drop view holdfast.trap");
      assert.equal(existsSync(never), false);
      assert.deepEqual(readdirSync(folder.path).filter((name) => name.includes(".tmp")), []);
    },
  );

  test(
    "leaves an empty database when the connection breaks at any moment",
    { timeout: 120_000 },
    async () => {
      const database = await newDatabase();
      const direct = postgresAt(database);
      await using proxy = await startPostgresProxy(direct.port);
      const config: Config = { ...configOf(dataDir, database), postgres: { ...direct, port: proxy.port } };
      for (const statement of [20, 60, 75]) {
        proxy.strike({ when: "before", how: "reset" }, statement);
        await assert.rejects(restoreDatabase(config, file, "write", { now: NOW, random }), DatabaseError);
        assert.ok(proxy.hasStruck());
        proxy.heal();
      }
      const { summary } = await restoreDatabase(config, file, "write", { now: NOW, random });
      assert.equal(summary.keys, 4);
    },
  );
});
