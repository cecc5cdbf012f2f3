import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { verifyAudit } from "../../src/audit/verify.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { refusalsOf, StartRefusal } from "../../src/commands/process/refusal.ts";
import { CHANGE_STEPS } from "../../src/commands/open/slot-changes.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import type { ResealResult } from "../../src/commands/reseal.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { readSealKeyIds } from "../../src/runtime/sqlite/open.ts";
import { addMigration } from "../support/later-migration.ts";
import { bundled, runProgram, runtimes } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  addAccount,
  addressesAfterStart,
  configuredKey,
  contents,
  makeKey,
  makeSealed,
  MEANS,
  started,
  useKey,
} from "./fixture.ts";

const DYING = new URL("./program/reseal-dying.ts", import.meta.url);
const TIMEOUT = { timeout: 120_000 };

/** A sealed database, a copy of its key and another key, in one folder each. */
interface Stage {
  readonly places: StorageConfig;
  readonly oldKey: string;
  readonly newKey: string;
  readonly addresses: readonly string[];
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using data = temporaryFolder();
  using keys = temporaryFolder();
  const places = await makeSealed(data.path);
  const oldKey = join(keys.path, "old");
  copyFileSync(configuredKey(places), oldKey);
  const newKey = makeKey(join(keys.path, "new"));
  await job({ places, oldKey, newKey, addresses: await addressesAfterStart(places) });
}

async function reseal(
  { places, oldKey, newKey }: Stage,
  mode: "dry-run" | "write" = "write",
): Promise<ResealResult> {
  return await resealDatabase(places, { from: `file:${oldKey}`, to: `file:${newKey}`, mode }, MEANS);
}

/** Asserts that a reseal and a dry run are refused with this message and change no byte. */
async function assertRefuses(stage: Stage, message: RegExp): Promise<void> {
  const before = contents(stage.places.dataDir);
  for (const mode of ["write", "dry-run"] as const) {
    await assert.rejects(reseal(stage, mode), (error) => {
      assert.match(refusalsOf(error)?.join() ?? `no refusal: ${error}`, message);
      return true;
    });
  }
  assert.deepEqual(contents(stage.places.dataDir), before);
}

async function assertRefusesStart({ places, newKey, oldKey }: Stage, key: "old" | "new"): Promise<void> {
  useKey(places, key === "old" ? oldKey : newKey);
  const before = contents(places.dataDir);
  await assert.rejects(openConfiguredVault(places, MEANS), /is not the one that sealed/);
  assert.deepEqual(contents(places.dataDir), before);
}

async function assertStarts({ places, newKey, oldKey, addresses }: Stage, key: "old" | "new"): Promise<void> {
  useKey(places, key === "old" ? oldKey : newKey);
  assert.deepEqual(await addressesAfterStart(places), addresses);
}

describe("resealDatabase()", () => {
  test(
    "moves the seed: the new key opens the same addresses, and the old one does not",
    TIMEOUT,
    async () => {
      await onStage(async (stage) => {
        const result = await reseal(stage);
        assert.equal(result.outcome, "resealed");
        assert.deepEqual(await readSealKeyIds(stage.places.databasePath), {
          sealKeyIds: [result.toSealKeyId],
        });
        assert.equal(
          readFileSync(join(stage.places.dataDir, "seal-key-id"), "utf8"),
          `${result.toSealKeyId}\n`,
        );
        await assertRefusesStart(stage, "old");
        await assertStarts(stage, "new");
      });
    },
  );

  test("records it in the audit log, whose chain stays valid", TIMEOUT, async () => {
    await onStage(async (stage) => {
      await reseal(stage);
      useKey(stage.places, stage.newKey);
      await started(stage.places, async ({ db, vault }) => {
        const [removed, added] = await db.selectFrom("audit_event").selectAll().orderBy("seq", "desc")
          .limit(2).execute();
        const [slot] = await db.selectFrom("seal_slot").select("id").execute();
        assert.deepEqual([added!.event, JSON.parse(added!.detail)], [
          "seal_slot_added",
          { slot: slot!.id, source: "file" },
        ]);
        assert.deepEqual([removed!.event, JSON.parse(removed!.detail)], [
          "seal_slot_removed",
          { slot: "slot_first", source: "simulated" },
        ]);
        assert.equal((await verifyAudit(db, vault)).fault, undefined);
      });
    });
  });

  test(
    "does not affect a running service, whose later writes are valid after the next start",
    TIMEOUT,
    async () => {
      await onStage(async (stage) => {
        const running = await openConfiguredVault(stage.places, MEANS);
        await reseal(stage);
        await addAccount(running, "acct_2", 1);
        const made = running.vault.ethereumPublicKey("acct_2", 0).address.toHex();
        await closeDatabase(running.db);
        useKey(stage.places, stage.newKey);
        const addresses = await addressesAfterStart(stage.places);
        assert.deepEqual(addresses.slice(0, 2), stage.addresses);
        assert.equal(addresses[2]?.toLowerCase(), `0x${made}`);
        await started(stage.places, async ({ db, vault }) => {
          assert.equal((await verifyAudit(db, vault)).fault, undefined);
        });
      });
    },
  );

  test("changes no byte in a dry run, which prints what would change", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const before = contents(stage.places.dataDir);
      const result = await reseal(stage, "dry-run");
      assert.equal(result.outcome, "would_reseal");
      assert.notEqual(result.fromSealKeyId, result.toSealKeyId);
      assert.deepEqual(contents(stage.places.dataDir), before);
      await assertStarts(stage, "old");
    });
  });

  test(
    "changes no byte of a database with the log of a killed process, if refused or in a dry run",
    TIMEOUT,
    async () => {
      await onStage(async (stage) => {
        const ended = await runProgram(
          command(),
          new URL("./program/die-open.ts", import.meta.url),
          stage.places.dataDir,
        );
        assert.equal(ended.signal, "SIGKILL", ended.stderr);
        const before = contents(stage.places.dataDir);
        assert.ok("holdfast.db-wal" in before, "no log was left");
        await reseal(stage, "dry-run");
        await assert.rejects(reseal({ ...stage, oldKey: makeKey(`${stage.oldKey}-not`) }), StartRefusal);
        assert.deepEqual(contents(stage.places.dataDir), before);
        await reseal(stage);
        useKey(stage.places, stage.newKey);
        assert.equal((await addressesAfterStart(stage.places)).length, 3);
      });
    },
  );

  test("changes nothing when repeated, except a missing marker", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { toSealKeyId } = await reseal(stage);
      const marker = join(stage.places.dataDir, "seal-key-id");
      rmSync(marker);
      const database = contents(stage.places.dataDir)["holdfast.db"];
      assert.equal((await reseal(stage)).outcome, "resealed_before");
      assert.equal(contents(stage.places.dataDir)["holdfast.db"], database);
      assert.equal(readFileSync(marker, "utf8"), `${toSealKeyId}\n`);
      assert.equal((await reseal(stage, "dry-run")).outcome, "resealed_before");
    });
  });

  test("accepts a key of hexadecimal digits, as the tdx provider does", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const digits = `${stage.newKey}-hex`;
      writeFileSync(digits, readFileSync(stage.newKey, "hex") + "\n", { mode: 0o600 });
      const { toSealKeyId } = await reseal({ ...stage, newKey: digits });
      assert.equal((await reseal(stage)).toSealKeyId, toSealKeyId);
      await assertStarts(stage, "new");
    });
  });

  test("moves the seed there and back", TIMEOUT, async () => {
    await onStage(async (stage) => {
      await reseal(stage);
      await reseal({ ...stage, oldKey: stage.newKey, newKey: stage.oldKey });
      await assertRefusesStart(stage, "new");
      await assertStarts(stage, "old");
    });
  });

  test("accepts the configured key as source and as target", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, oldKey, newKey } = stage;
      await resealDatabase(places, { from: "configured", to: `file:${newKey}`, mode: "write" }, MEANS);
      useKey(places, oldKey);
      const { outcome } = await resealDatabase(
        places,
        { from: `file:${newKey}`, to: "configured", mode: "write" },
        MEANS,
      );
      assert.equal(outcome, "resealed");
      await assertStarts(stage, "old");
    });
  });
});

describe("resealDatabase() refuses, and changes nothing,", () => {
  type Edit = (stage: Stage) => Promise<Stage> | Stage;
  const CASES: readonly (readonly [title: string, edit: Edit, message: RegExp])[] = [
    [
      "a wrong old key",
      (stage) => ({ ...stage, oldKey: makeKey(`${stage.oldKey}-not`) }),
      /--from .* is not the one/,
    ],
    ["a missing old key", (stage) => ({ ...stage, oldKey: `${stage.oldKey}-not` }), /no such file/],
    ["a missing new key", (stage) => ({ ...stage, newKey: `${stage.newKey}-not` }), /no such file/],
    ["one key on both sides", (stage) => ({ ...stage, newKey: stage.oldKey }), /are the same/],
    ["a new key open to others", (stage) => (chmodSync(stage.newKey, 0o644), stage), /chmod 600/],
    ["a new key that was never filled in", (stage) => {
      writeFileSync(stage.newKey, new Uint8Array(32));
      return stage;
    }, /all its bytes are the same/],
    ["a new key that is a link", (stage) => {
      symlinkSync(stage.newKey, `${stage.newKey}-link`);
      return { ...stage, newKey: `${stage.newKey}-link` };
    }, /symbolic link/],
    ["a missing database", (stage) => (rmSync(stage.places.databasePath), stage), /empty or missing/],
    ["another program's file", (stage) => {
      writeFileSync(stage.places.databasePath, "This is a letter. ".repeat(500));
      return stage;
    }, /is not a Holdfast database/],
    [
      "a database in memory",
      (stage) => ({ ...stage, places: { ...stage.places, databasePath: ":memory:" } }),
      /memory/,
    ],
    ["a damaged seed", async (stage) => {
      await started(
        stage.places,
        ({ db }) => db.updateTable("seal_slot").set({ sealed: new Uint8Array(81) }).execute(),
      );
      return stage;
    }, /the sealed seed was changed/],
    ["a database of a newer version", async (stage) => {
      await started(
        stage.places,
        ({ db }) =>
          db.insertInto("kysely_migration" as never).values({ name: "9999_x", timestamp: "" } as never)
            .execute(),
      );
      return stage;
    }, /a newer version wrote the database/],
  ];
  for (const [title, edit, message] of CASES) {
    test(title, TIMEOUT, async () => {
      await onStage(async (given) => {
        await assertRefuses(await edit(given), message);
      });
    });
  }

  test("a database of an older version", TIMEOUT, async () => {
    await onStage(async (stage) => {
      using _ = addMigration();
      await assertRefuses(stage, /start the service of this version once/);
    });
  });

  test("a source that it does not know", TIMEOUT, async () => {
    await onStage(async ({ places, oldKey }) => {
      for (const to of ["", "file", "file:", "toString", "configured:x", "FILE:/x", "http://x"]) {
        const request = { from: `file:${oldKey}`, to, mode: "write" } as const;
        await assert.rejects(resealDatabase(places, request, MEANS), { name: "UsageError" }, to);
      }
    });
  });
});

function command(): readonly string[] {
  return Object.values(runtimes())[0]!;
}

describe("after SIGKILL during a reseal", () => {
  const committed = CHANGE_STEPS.indexOf("committed");
  for (const [index, step] of CHANGE_STEPS.entries()) {
    const key = index < committed ? "old" : "new";
    test(
      `at "${step}" the ${key} key alone opens the same addresses, and a second try ends well`,
      TIMEOUT,
      async () => {
        await onStage(async (stage) => {
          const { dataDir } = stage.places;
          const sources = [`file:${stage.oldKey}`, `file:${stage.newKey}`];
          const ended = await runProgram(command(), bundled(DYING), dataDir, ...sources, step);
          assert.equal(ended.signal, "SIGKILL", ended.stderr);
          await assertRefusesStart(stage, key === "old" ? "new" : "old");
          await assertStarts(stage, key);
          assert.equal((await reseal(stage)).outcome, key === "old" ? "resealed" : "resealed_before");
          await assertRefusesStart(stage, "old");
          await assertStarts(stage, "new");
          await started(stage.places, async ({ db, vault }) => {
            assert.equal((await verifyAudit(db, vault)).fault, undefined);
            const entries = await db.selectFrom("audit_event").select("seq").where(
              "event",
              "=",
              "seal_slot_removed",
            ).execute();
            assert.equal(entries.length, 1);
          });
        });
      },
    );
  }
});
