import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { acknowledge } from "../../src/commands/acknowledge-rollback.ts";
import { deriveAddresses } from "../../src/commands/derive.ts";
import { diagnose } from "../../src/commands/diagnose.ts";
import { rotateKeys } from "../../src/commands/rotate-keys.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import { addConfiguredSlot } from "../../src/commands/seal-add.ts";
import { listSlots, testConfiguredSlots } from "../../src/commands/seal-list.ts";
import { removeConfiguredSlot } from "../../src/commands/seal-remove.ts";
import { inspectAudit } from "../../src/commands/verify-audit.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { recordStart } from "../../src/commands/open/slots.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { StartRefusal } from "../../src/commands/process/refusal.ts";
import { readConfig } from "../../src/config/config.ts";
import { repairAccount } from "../../src/recovery/repair-account.ts";
import { addAccount, configuredKey, makeKey, MEANS, started, useKey } from "../commands/fixture.ts";
import { builtPrograms, serviceOf, titleOf } from "../commands/run-command.ts";
import { createClient, signUp } from "../support/client.ts";
import { onServer, postgresAt, postgresUrlFor } from "../support/postgres.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 60_000 };

/** Runs a job with a sealing key in a folder, and a sealed database with two accounts on the tests' server. */
async function withSealed(job: (places: StorageConfig, database: string) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const url = await postgresUrlFor(folder.path);
  const places = readConfig({ DATA_DIR: folder.path, TEE: "simulated", DATABASE_URL: url });
  await started(places, async (openedVault) => {
    await addAccount(openedVault, "acct_1", 2);
    await addAccount(openedVault, "acct_2", 1);
  });
  await job(places, places.postgres!.database);
}

describe("over a PostgreSQL database", () => {
  test("doctor finds no fault, and then the operator's edits of a row and of the log", TIMEOUT, async () => {
    await withSealed(async (places, database) => {
      const found = await diagnose(places, MEANS);
      assert.deepEqual([found.faults, found.sealMatches, found.schema?.pending], [[], true, []]);
      assert.match(found.databasePath, /^postgres:\/\/127\.0\.0\.1:\d+\/path_\w+$/);
      await onServer(database, "update holdfast.account set email = 'thief@example.com' where id = 'acct_2'");
      const edited = await diagnose(places, MEANS);
      assert.match(edited.faults.join(), /did not write 1 of 2 rows of account/);
    });
  });

  test("doctor finds a reference to a missing row", TIMEOUT, async () => {
    await withSealed(async (places, database) => {
      await onServer(
        database,
        "set session_replication_role = replica; delete from holdfast.account where id = 'acct_1'",
      );
      const { faults } = await diagnose(places, MEANS);
      assert.match(faults.join(), /a row of holdfast\.ethereum_key refers to no holdfast\.account/);
    });
  });

  test(
    "derive prints the addresses, verify-audit verifies the log and finds a forged entry",
    TIMEOUT,
    async () => {
      await withSealed(async (places, database) => {
        const derived = await deriveAddresses(places, { accountId: "acct_1", index: 0, count: 2 }, MEANS);
        assert.deepEqual([derived.isKnownAccount, derived.addresses.length], [true, 2]);
        assert.deepEqual((await inspectAudit(places, {})).faults, []);
        await onServer(
          database,
          "set session_replication_role = replica; update holdfast.audit_event set detail = '{}' where seq = 2",
        );
        const { faults, chain } = await inspectAudit(places, {});
        assert.deepEqual([faults.length, chain?.fault?.seq], [1, 2]);
        const { brokenAt } = await acknowledge(places, MEANS);
        assert.equal(brokenAt, 2);
        assert.deepEqual((await inspectAudit(places, {})).faults, []);
      });
    },
  );

  test(
    "repair-account repairs a lost key and a lost account, whose address is removed",
    TIMEOUT,
    async () => {
      await withSealed(async (places, database) => {
        const request = { isDry: false, now: MEANS.now, onPage: () => {} };
        const repair = (accountId: string) =>
          started(places, ({ db, vault }) => repairAccount(db, vault, { ...request, accountId }));
        assert.equal(await repair("acct_1"), "sound");
        await onServer(database, "delete from holdfast.ethereum_key where account_id = 'acct_1'");
        await onServer(
          database,
          "set session_replication_role = replica; delete from holdfast.account where id = 'acct_2'",
        );
        assert.match((await diagnose(places, MEANS)).faults.join(), /refers to no holdfast.account/);
        for (const accountId of ["acct_1", "acct_2"]) assert.equal(typeof await repair(accountId), "object");
        assert.deepEqual((await diagnose(places, MEANS)).faults, []);
        await started(places, async ({ db }) => {
          const accounts = await db.selectFrom("account").select(["id", "email"]).orderBy("id").execute();
          assert.deepEqual(accounts, [{ id: "acct_1", email: "acct_1@example.com" }, {
            id: "acct_2",
            email: null,
          }]);
          assert.equal((await db.selectFrom("ethereum_key").select("id").execute()).length, 3);
        });
      });
    },
  );

  test("reseal moves the seed to another key, and rotate-keys makes new ones", TIMEOUT, async () => {
    await withSealed(async (places) => {
      const other = makeKey(join(places.dataDir, "other"));
      const request = { from: `file:${configuredKey(places)}`, to: `file:${other}` } as const;
      assert.equal(
        (await resealDatabase(places, { ...request, mode: "dry-run" }, MEANS)).outcome,
        "would_reseal",
      );
      assert.equal((await resealDatabase(places, { ...request, mode: "write" }, MEANS)).outcome, "resealed");
      await assert.rejects(openConfiguredVault(places, MEANS), StartRefusal);
      useKey(places, other);
      assert.equal((await rotateKeys(places, ["ES256"], MEANS)).length, 1);
    });
  });

  test("seal adds, tests and removes a slot, and one that is put back does not open", TIMEOUT, async () => {
    await withSealed(async (places, database) => {
      const own = configuredKey(places);
      const file = makeKey(join(places.dataDir, "bridge"));
      const bridged = { ...places, sealSources: [{ name: "file", path: file }] as const };
      const { slot } = await addConfiguredSlot(places, { to: `file:${file}`, mode: "write" }, MEANS);
      const opens = async (config: StorageConfig): Promise<unknown> =>
        new Map(
          (await testConfiguredSlots(config, MEANS.random)).slots.map((one) => [one.source, one.opens]),
        );
      assert.deepEqual(await opens(places), new Map([["simulated", true], ["file", null]]));
      assert.deepEqual(await opens(bridged), new Map([["simulated", true], ["file", true]]));
      const kept = join(places.dataDir, "kept");
      copyFileSync(own, kept);
      // The key server gives another key now: the start adds a slot for it.
      useKey(places, makeKey(join(places.dataDir, "advanced")));
      await started(bridged, (opened) => recordStart(opened, { now: MEANS.now, log: () => {} }));
      await started(places, async () => await Promise.resolve());
      assert.equal((await listSlots(places)).length, 3);
      await onServer(database, "create table public.kept as select * from holdfast.seal_slot");
      const removed = { id: slot!, mode: "write" } as const;
      assert.equal((await removeConfiguredSlot(places, removed, MEANS)).length, 2);
      await removeConfiguredSlot(places, { id: "slot_first", mode: "write" }, MEANS);
      await assert.rejects(
        removeConfiguredSlot(places, { id: (await listSlots(places))[0]!.id, mode: "write" }, MEANS),
        /it is the last one/,
      );
      await onServer(
        database,
        "insert into holdfast.seal_slot select * from public.kept where id in ('slot_first', '" + slot +
          "');" +
          " drop table public.kept",
      );
      assert.match((await diagnose(places, MEANS)).faults.join(), /was removed and is back/);
      for (const key of [kept, file]) {
        useKey(places, key);
        await assert.rejects(openConfiguredVault(places, MEANS), /the slot of this key was removed/);
      }
    });
  });

  test("a start with an empty database and a folder that has a seal is refused", TIMEOUT, async () => {
    await withSealed(async (places, database) => {
      await onServer(database, "drop schema holdfast cascade");
      await assert.rejects(openConfiguredVault(places, MEANS), /is empty or missing, but its data folder/);
    });
  });

  test("a start over a changed schema is refused", TIMEOUT, async () => {
    await withSealed(async (places, database) => {
      await onServer(database, "create table holdfast.more (x text)");
      await assert.rejects(openConfiguredVault(places, MEANS), /is not sound: unknown in the schema: .*more/);
    });
  });

  test("a start over a database of a build before the first release is refused", TIMEOUT, async () => {
    await withSealed(async (places, database) => {
      await onServer(database, "insert into holdfast.kysely_migration values ('0002_oauth', '')");
      await assert.rejects(
        openConfiguredVault(places, MEANS),
        /a build before the first release made the database/,
      );
    });
  });

  for (const name of Object.keys(builtPrograms())) {
    test(
      `serve, on ${titleOf(name)}, makes accounts, is killed, and has them when it comes back`,
      TIMEOUT,
      async () => {
        using folder = temporaryFolder();
        const options = {
          runtime: serviceOf(name),
          dataDir: folder.path,
          env: { DATABASE_URL: await postgresUrlFor(folder.path, "empty") },
        };
        await using first = await startService(options);
        const client = createClient(first.baseUrl, fetch);
        const enrolled = await signUp(client, "ada@example.com");
        assert.equal(enrolled.status, 201, enrolled.text);
        await first.kill();
        await using second = await startService(options);
        assert.equal((await fetch(`${second.baseUrl}/readyz`)).status, 200);
        const { rowCount } = await onServer(
          postgresAt(new URL(options.env.DATABASE_URL).pathname.slice(1)).database,
          "select from holdfast.account",
        );
        assert.equal(rowCount, 1);
        assert.equal((await second.stop()).code, 0);
        assert.ok(![...second.stdout, ...second.stderr].join().includes(":none@"));
      },
    );
  }
});
