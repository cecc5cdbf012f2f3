import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addressesAfterStart, configuredKey, placesIn, started, useKey } from "./fixture.ts";
import { builtPrograms, runCommand, titleOf } from "./run-command.ts";

const RUNTIME = builtRuntime();
const WORKERS = 3;
const BACKUPS = 3;
const MOST_BACKUPS = 30;

/** Each acknowledged key by its address, with the client that owns it. */
type Journal = Map<string, Client>;

/** Signs up and creates keys until it is stopped, recording every acknowledgement. */
async function keepBusy(
  baseUrl: string,
  { name, journal, isOver }: { name: string; journal: Journal; isOver: () => boolean },
): Promise<void> {
  for (let person = 0; !isOver(); person++) {
    const client = createClient(baseUrl, (request) => fetch(request));
    const enrolled = await signUp(client, `${name}-${person}@example.com`);
    journal.set(enrolled.body.key.address, client);
    for (let count = 0; count < 6 && !isOver(); count++) {
      const made = await client.post("/api/keys/generate");
      assert.equal(made.status, 201, made.text);
      journal.set(made.body.key.address, client);
    }
  }
}

/** Restores into its own folder, and verifies that the database and a service list every key. */
async function assertRestores(
  program: readonly string[],
  { file, folder, dataDir, acknowledged }: {
    readonly file: string;
    readonly folder: string;
    readonly dataDir: string;
    readonly acknowledged: ReadonlyMap<string, Client>;
  },
): Promise<void> {
  mkdirSync(folder);
  const places = placesIn(folder);
  useKey(places, configuredKey(placesIn(dataDir)));
  const restored = await runCommand(program, folder, "restore", file);
  assert.deepEqual([restored.code, restored.stderr], [0, ""]);
  const addresses = new Set(await addressesAfterStart(places));
  for (const address of acknowledged.keys()) assert.ok(addresses.has(address), `${address} is missing`);
  await started(places, async ({ db }) => {
    const accounts = await db.selectFrom("account").select("id").execute();
    const passkeys = await db.selectFrom("passkey").select("account_id").execute();
    assert.equal(new Set(passkeys.map((passkey) => passkey.account_id)).size, accounts.length);
  });
  await using service = await startService({
    runtime: RUNTIME,
    dataDir: folder,
    env: { LOG_LEVEL: "error" },
  });
  const listed = new Set<string>();
  for (const owner of new Set(acknowledged.values())) {
    const again = createClient(service.baseUrl, (request) => fetch(request));
    for (const [name, value] of owner.cookies) again.cookies.set(name, value);
    for (const key of (await again.get("/api/keys")).body.keys) listed.add(key.address);
  }
  for (const address of acknowledged.keys()) assert.ok(listed.has(address), `${address} is not listed`);
}

for (const [name, program] of Object.entries(builtPrograms())) {
  test(
    `backups by ${titleOf(name)} while a service creates keys contain every key acknowledged before them`,
    {
      timeout: 120_000,
    },
    async () => {
      using data = temporaryFolder();
      using target = temporaryFolder();
      const journal: Journal = new Map();
      const taken: { readonly file: string; readonly acknowledged: ReadonlyMap<string, Client> }[] = [];
      {
        const env = { RATE_LIMITS: "off", LOG_LEVEL: "error" };
        await using service = await startService({ runtime: RUNTIME, dataDir: data.path, env });
        let over = false;
        const workers = Array.from(
          { length: WORKERS },
          (_, index) => keepBusy(service.baseUrl, { name: `w${index}`, journal, isOver: () => over }),
        );
        // A backup counts only if something was created meanwhile. A fast one may fall between two keys.
        for (let count = 0; taken.length < BACKUPS; count++) {
          assert.ok(count < MOST_BACKUPS, "nothing is made while a backup runs");
          const size = journal.size;
          while (journal.size < size + WORKERS) await Promise.race([delay(20), ...workers]);
          const acknowledged = new Map(journal);
          const file = join(target.path, `backup-${count}`);
          const ended = await runCommand(program, data.path, "backup", file);
          assert.deepEqual([ended.code, ended.stderr], [0, ""]);
          assert.match(
            ended.stdout,
            /^backup .* bytes\)\nsealing key {2}[0-9a-f]{64}\naudit log {4}\d+ entries\nhead {9}\d+:[0-9a-f]{64}\n/,
          );
          if (journal.size > acknowledged.size) taken.push({ file, acknowledged });
        }
        over = true;
        await Promise.all(workers);
        const refused = await runCommand(program, data.path, "restore", taken[0]!.file);
        assert.equal(refused.code, 2);
        assert.match(refused.stderr, /is in use: stop the service/);
        assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
      }
      for (const [count, { file, acknowledged }] of taken.entries()) {
        const folder = join(target.path, `restored-${count}`);
        await assertRestores(program, { file, folder, dataDir: data.path, acknowledged });
      }
    },
  );
}
