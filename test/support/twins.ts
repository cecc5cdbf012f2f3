import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { connectDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import type { NewSigningKey, VaultPrimitives } from "../../src/lib/crypto.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { createTestApp, ORIGIN } from "./app.ts";
import type { TestApp, TestAppOptions } from "./app.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { openTestSqlite } from "./database.ts";
import { inSeveral } from "./lent-postgres.ts";
import { createTestVault } from "./vault.ts";

/**
 * Two services with the same clock and random source over different databases. The same requests must get the same
 * responses.
 */
export interface Twins {
  readonly both: readonly [TestApp, TestApp];
  /** Creates a browser of both. Throws if any byte of their responses differs. */
  client(): Client;
  /** Lets time pass at both, and runs the jobs of every minute. */
  pass(milliseconds: number): Promise<void>;
}

/** Returns a random source that gives the same bytes to each caller, in the order of calls. */
function sameChance(): RandomBytes {
  let count = 0;
  const draw = (): Uint8Array => createHash("sha256").update(String(count++)).digest();
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 32) bytes.set(draw().subarray(0, length - at), at);
    return bytes;
  };
}

/** Returns primitives for several vaults whose key pairs are the same, in the order in which each makes them. */
function sharingKeys(): () => VaultPrimitives {
  const pairs: Promise<NewSigningKey>[] = [];
  return () => {
    let made = 0;
    return {
      ...primitives,
      makeSigningKey: async (parameters) => {
        const { publicJwk, pkcs8 } = await (pairs[made++] ??= primitives.makeSigningKey(parameters));
        return { publicJwk, pkcs8: pkcs8.slice() };
      },
    };
  };
}

async function shown(response: Response): Promise<readonly unknown[]> {
  const headers = [...response.headers].map((header) => header.join(": ")).toSorted();
  return [response.status, headers, await response.text()];
}

function readable(row: object): string {
  const members = Object.entries(row)
    .map(([name, value]) => [name, value instanceof Uint8Array ? value.toHex() : value]);
  return JSON.stringify(members.toSorted());
}

async function rowsOf(
  db: Db,
  tables: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const all: Record<string, readonly string[]> = {};
  for (const table of tables) {
    const rows = await db.selectFrom(table as keyof Tables).selectAll().execute();
    all[table] = rows.map(readable).sort();
  }
  return all;
}

/**
 * Runs a story with services over PostgreSQL and over SQLite, and checks that all their rows are the same afterwards.
 * Sends one request at a time, because random bytes are drawn in its order. PostgreSQL's engine is not wrapped: a
 * wrapped one would accept an operator's SQL that the service's own must not rely on.
 */
export async function withTwins(
  story: (twins: Twins) => Promise<void>,
  options: Pick<TestAppOptions, "pushKeys" | "identity"> = {},
): Promise<void> {
  await inSeveral(1, async ([engine]) => {
    const file = await openTestSqlite();
    try {
      await tell(story, options, connectDatabase(engine!), file);
    } finally {
      await file.destroy();
    }
  });
}

async function tell(
  story: (twins: Twins) => Promise<void>,
  options: TestAppOptions,
  database: Db,
  file: Db,
): Promise<void> {
  const primitivesOfOne = sharingKeys();
  const open = (db: Db): Promise<TestApp> =>
    createTestApp({
      ...options,
      db,
      random: sameChance(),
      vault: createTestVault(7, primitivesOfOne(), sameChance()),
    });
  const [first, second] = [await open(database), await open(file)];
  const send = async (request: Request): Promise<Response> => {
    const copy = request.clone();
    const answer = await first.app(request, { clientAddress: "127.0.0.1" });
    const other = await second.app(copy, { clientAddress: "127.0.0.1" });
    assert.deepEqual(await shown(answer.clone()), await shown(other), `${request.method} ${request.url}`);
    return answer;
  };
  await story({
    both: [first, second],
    client: () => createClient(ORIGIN, send),
    pass: async (milliseconds) => {
      for (const app of [first, second]) {
        app.now += milliseconds;
        await app.maintain();
      }
    },
  });
  const tables = (await file.introspection.getTables()).map(({ name }) => name);
  assert.deepEqual(await rowsOf(database, tables), await rowsOf(file, tables));
}
