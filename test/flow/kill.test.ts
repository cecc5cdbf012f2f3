import assert from "node:assert/strict";
import { test } from "node:test";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { verifyAudit } from "../../src/audit/verify.ts";
import { verifyStates } from "../../src/audit/verify-states.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { readConfig } from "../../src/config/config.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { createClient, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { runsOf, seedOf } from "../support/share.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** `KILLS=1000` repeats the kills. */
const KILLS = Number(process.env["KILLS"] ?? runsOf(30));
/** The maximum of kills of one database. Each is followed by a look at all its accounts. */
const MAX_ROUNDS = 20;
const RUNTIME = builtRuntime();

/** The acknowledged keys by id, each with its address and the client of its owner. */
type Journal = Map<string, { readonly address: string; readonly owner: Client }>;

/** Signs up and creates keys until the service is killed, and records every acknowledgement. */
async function keepBusy(service: Service, worker: string, journal: Journal): Promise<void> {
  try {
    for (let person = 0;; person++) {
      const client = createClient(service.baseUrl, (request) => fetch(request));
      const enrolled = await signUp(client, `${worker}-${person}@example.com`);
      journal.set(enrolled.body.key.id, { address: enrolled.body.key.address, owner: client });
      for (let index = 0; index < 8; index++) {
        const made = await client.post("/api/keys/generate");
        assert.equal(made.status, 201);
        journal.set(made.body.key.id, { address: made.body.key.address, owner: client });
      }
    }
  } catch (error) {
    // The connection breaks when the process is killed. Any other error is a failure.
    if (error instanceof assert.AssertionError) throw error;
  }
}

/**
 * Verifies that each account has its passkey and keys with indexes from 0 without a gap, that all rows add up to the
 * state of their owner, and that the log verifies.
 */
async function assertNothingHalf(dataDir: string): Promise<number> {
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const { db, vault } = await openConfiguredVault(readConfig({ DATA_DIR: dataDir }), {
    now: Date.now(),
    random,
  });
  try {
    const accounts = await db.selectFrom("account").select("id").execute();
    for (const { id } of accounts) {
      const passkeys = await db.selectFrom("passkey").select("id").where("account_id", "=", id).execute();
      assert.equal(passkeys.length, 1, "an account has its passkey");
      const keys = await db.selectFrom("ethereum_key").select("key_index").where("account_id", "=", id)
        .orderBy("key_index").execute();
      assert.ok(keys.length >= 1, "an account has its first key");
      assert.deepEqual(keys.map((key) => key.key_index), keys.map((_, index) => index));
    }
    const { faults, missing, sound } = await verifyStates(db, vault);
    assert.deepEqual({ faults, missing }, { faults: [], missing: 0 });
    assert.ok(sound >= accounts.length, "each account has a state");
    assert.equal((await verifyAudit(db, vault)).fault, undefined);
    return accounts.length;
  } finally {
    await closeDatabase(db);
  }
}

/** Milliseconds of work before a kill, at most. */
const LONGEST = 600;

async function killAgain(rounds: number, seed: number): Promise<void> {
  using folder = temporaryFolder();
  const options = {
    runtime: RUNTIME,
    dataDir: folder.path,
    env: { RATE_LIMITS: "off", LOG_LEVEL: "error" },
  } as const;
  const journal: Journal = new Map();
  let accounts = 0;
  let drawn = seedOf(seed) >>> 0;
  for (let round = 0; round < rounds; round++) {
    const service = await startService(options);
    const known = journal.size;
    const workers = [0, 1, 2, 3].map((worker) => keepBusy(service, `r${round}w${worker}`, journal));
    // More keys than the workers' accounts, however slow the machine is.
    while (journal.size < known + 2 * workers.length) await delay(10);
    drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
    await delay((drawn >>> 8) % LONGEST);
    await service.kill();
    await Promise.all(workers);
    accounts = await assertNothingHalf(folder.path);
  }
  assert.ok(accounts >= rounds && journal.size > accounts, "the service was busy when it was killed");

  await using service = await startService(options);
  const owners = new Set([...journal.values()].map(({ owner }) => owner));
  const found = new Map<string, string>();
  for (const owner of owners) {
    const again = createClient(service.baseUrl, (request) => fetch(request));
    for (const [name, value] of owner.cookies) again.cookies.set(name, value);
    const listed = await again.get("/api/keys");
    assert.equal(listed.status, 200, "an acknowledged session is there");
    for (const key of listed.body.keys) found.set(key.id, key.address);
  }
  for (const [id, { address }] of journal) {
    assert.equal(found.get(id), address, "an acknowledged key is there");
  }
}

for (let done = 0; done < KILLS; done += MAX_ROUNDS) {
  const rounds = Math.min(MAX_ROUNDS, KILLS - done);
  const title =
    `after SIGKILL at ${rounds} random moments every acknowledged key is there and no account is incomplete`;
  test(title, { timeout: 120_000 + 5000 * rounds }, () => killAgain(rounds, done));
}
