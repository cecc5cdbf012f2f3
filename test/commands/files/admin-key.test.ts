import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadAdminKey } from "../../../src/commands/files/admin-key.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

test("loadAdminKey() creates one key for concurrent starts, stores it, and lets only its owner read it", async () => {
  using folder = temporaryFolder();
  const places = { dataDir: folder.path, databasePath: join(folder.path, "holdfast.db") };
  const load = () => loadAdminKey(places, { adminApiKey: undefined }, random);
  const keys = await Promise.all(Array.from({ length: 20 }, load));
  assert.match(keys[0]!, /^[A-Za-z0-9]{43}$/);
  assert.equal(new Set([...keys, await load()]).size, 1);
  assert.deepEqual(readdirSync(folder.path), ["admin-api-key"]);
  assert.equal(statSync(join(folder.path, "admin-api-key")).mode & 0o777, 0o600);
});

test("loadAdminKey() uses the configured key and writes nothing", async () => {
  using folder = temporaryFolder();
  const places = { dataDir: folder.path, databasePath: ":memory:" };
  assert.equal(await loadAdminKey(places, { adminApiKey: "k".repeat(32) }, random), "k".repeat(32));
  assert.match(await loadAdminKey(places, { adminApiKey: undefined }, random), /^[A-Za-z0-9]{43}$/);
  assert.deepEqual(readdirSync(folder.path), []);
});
