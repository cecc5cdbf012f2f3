import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { verifyLogFromCheckpoint } from "../../src/audit/log-scrubber.ts";
import { createLogReceiptService, formatLogReceipt, parseLogReceipt } from "../../src/audit/log-receipt.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import { backupDatabase } from "../../src/commands/backup.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { lockDatabase } from "../../src/commands/open/database-lock.ts";
import { refusalsOf } from "../../src/commands/process/refusal.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import { RESTORE_STEPS, restoreDatabase } from "../../src/commands/restore.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema/schema.ts";
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
  placesIn,
  putSnapshot,
  snapshotOf,
  started,
  useKey,
} from "./fixture.ts";
import type { Snapshot } from "./fixture.ts";

const DYING = new URL("./program/restore-dying.ts", import.meta.url);
const DIE_OPEN = new URL("./program/die-open.ts", import.meta.url);
const TIMEOUT = { timeout: 120_000 };
const KEPT = "holdfast.db.replaced-2026-01-31T09-30-00.000Z";

/** A database and an older backup of it, from before an account and three keys were added. */
interface Stage {
  readonly places: StorageConfig;
  /** A folder outside the data folder. */
  readonly aside: string;
  readonly file: string;
  readonly atBackup: readonly string[];
  readonly now: readonly string[];
}

interface MadeStage extends Pick<Stage, "atBackup" | "now"> {
  readonly data: Snapshot;
  readonly target: Snapshot;
}

/** Both folders of a stage, created once. */
let made: MadeStage | undefined;

async function makeStage(data: string, target: string): Promise<MadeStage> {
  const places = await makeSealed(data);
  await backupDatabase(places, join(target, "backup"), MEANS);
  const atBackup = await addressesAfterStart(places);
  await started(places, (openedVault) => addAccount(openedVault, "acct_2", 3));
  const now = await addressesAfterStart(places);
  return { data: snapshotOf(data), target: snapshotOf(target), atBackup, now };
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using data = temporaryFolder();
  using target = temporaryFolder();
  made ??= await makeStage(data.path, target.path);
  putSnapshot(data.path, made.data);
  putSnapshot(target.path, made.target);
  const { atBackup, now } = made;
  const file = join(target.path, "backup");
  await job({ places: placesIn(data.path), aside: target.path, file, atBackup, now });
}

/** Lists the files beside the database that are neither data nor left on purpose. */
function litter(places: StorageConfig): string[] {
  const known = ["holdfast.db", "holdfast.db.lock", "seal-key-id", "simulated-sealing-key"];
  return readdirSync(places.dataDir).filter((name) => !known.includes(name) && !name.startsWith(KEPT));
}

describe("restoreDatabase()", () => {
  test(
    "replaces the database with the backup, and keeps the database under a dated name",
    TIMEOUT,
    async () => {
      await onStage(async (stage) => {
        const { previousAt, summary, replacedEntries } = await restoreDatabase(
          stage.places,
          stage.file,
          "write",
          MEANS,
        );
        assert.equal(previousAt, join(stage.places.dataDir, KEPT));
        assert.deepEqual([summary.accounts, summary.keys, summary.auditEntries, replacedEntries], [
          1,
          2,
          3,
          6,
        ]);
        assert.deepEqual(litter(stage.places), []);
        assert.equal(statSync(stage.places.databasePath).mode & 0o777, 0o600);
        assert.deepEqual(await addressesAfterStart(stage.places), stage.atBackup);
        const kept = { ...stage.places, databasePath: previousAt! };
        assert.deepEqual(await addressesAfterStart(kept), stage.now);
      });
    },
  );

  test("recreates a key that is newer than the backup with the same address", TIMEOUT, async () => {
    await onStage(async ({ places, file }) => {
      const lost = await started(
        places,
        ({ vault }) => Promise.resolve(vault.ethereumPublicKey("acct_1", 2).address.toHex()),
      );
      await restoreDatabase(places, file, "write", MEANS);
      const back = await started(
        places,
        ({ vault }) => Promise.resolve(vault.ethereumPublicKey("acct_1", 2).address.toHex()),
      );
      assert.equal(back, lost);
    });
  });

  test(
    "records the restore for all accounts, so that no receipt of the replaced log is a fault",
    TIMEOUT,
    async () => {
      await onStage(async ({ places, file }) => {
        const receipt = await started(places, async ({ db, vault }) => {
          await verifyLogFromCheckpoint(db, vault);
          return createLogReceiptService(db, vault).issue(MEANS.now)!;
        });
        await restoreDatabase(places, file, "write", MEANS);
        await started(places, async ({ db, vault }) => {
          await verifyLogFromCheckpoint(db, vault);
          const { event, detail } = await db.selectFrom("audit_event").select(["event", "detail"])
            .orderBy("seq", "desc").limit(1).executeTakeFirstOrThrow();
          assert.equal(event, "rollback_acknowledged");
          assert.deepEqual(JSON.parse(detail), {
            broken: null,
            brokenAt: null,
            cause: "restore",
            faults: "",
            until: MEANS.now,
          });
          await createLogReceiptService(db, vault).verify(receipt);
          assert.equal(watchOf(db).fault, undefined);
          // The same receipt as if issued later.
          const read = parseLogReceipt(vault, receipt)!;
          await createLogReceiptService(db, vault).verify(
            formatLogReceipt(vault, { ...read, at: MEANS.now + 1 }),
          );
          assert.equal(watchOf(db).fault?.reason, "receipt");
        });
      });
    },
  );

  test("restores into a fresh folder with only the sealing key", TIMEOUT, async () => {
    await onStage(async (stage) => {
      using fresh = temporaryFolder();
      const places = placesIn(join(fresh.path, "deeper"));
      mkdirSync(places.dataDir);
      useKey(places, configuredKey(stage.places));
      const { previousAt } = await restoreDatabase(places, stage.file, "write", MEANS);
      assert.equal(previousAt, undefined);
      assert.deepEqual(await addressesAfterStart(places), stage.atBackup);
      assert.deepEqual(litter(places), []);
    });
  });

  test("replaces a database with the log of a killed process, and keeps all of it", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const ended = await runProgram(command(), bundled(DIE_OPEN), stage.places.dataDir);
      assert.equal(ended.signal, "SIGKILL", ended.stderr);
      assert.ok(existsSync(`${stage.places.databasePath}-wal`));
      const { previousAt } = await restoreDatabase(stage.places, stage.file, "write", MEANS);
      assert.deepEqual(litter(stage.places), []);
      assert.deepEqual(await addressesAfterStart(stage.places), stage.atBackup);
      const kept = await addressesAfterStart({ ...stage.places, databasePath: previousAt! });
      assert.equal(kept.length, stage.now.length + 1);
    });
  });

  const RUINS: readonly (readonly [what: string, ruin: (path: string) => void])[] = [
    ["a text", (path) => writeFileSync(path, "This is a letter. ".repeat(500))],
    ["half a database", (path) => truncateSync(path, 100_000)],
    ["an empty file", (path) => truncateSync(path, 0)],
    ["nothing", (path) => rmSync(path)],
    ["a log without its database", (path) => {
      rmSync(path);
      writeFileSync(`${path}-wal`, "log");
    }],
  ];
  for (const [what, ruin] of RUINS) {
    test(`replaces ${what}, and keeps the old files`, TIMEOUT, async () => {
      await onStage(async (stage) => {
        ruin(stage.places.databasePath);
        const ruins = ["", "-wal"].map((sibling) => stage.places.databasePath + sibling)
          .filter((path) => existsSync(path) && statSync(path).size > 0).map((path) =>
            readFileSync(path, "hex")
          );
        await restoreDatabase(stage.places, stage.file, "write", MEANS);
        const kept = readdirSync(stage.places.dataDir).filter((name) => name.startsWith(KEPT)).sort()
          .map((name) => join(stage.places.dataDir, name)).filter((path) => statSync(path).size > 0);
        assert.equal(kept.length, ruins.length);
        if (what !== "half a database") {
          assert.deepEqual(kept.map((path) => readFileSync(path, "hex")), ruins);
        }
        assert.deepEqual(await addressesAfterStart(stage.places), stage.atBackup);
      });
    });
  }

  test("keeps each database that it replaces within the same second", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const first = await restoreDatabase(stage.places, stage.file, "write", MEANS);
      const second = await restoreDatabase(stage.places, stage.file, "write", MEANS);
      assert.notEqual(first.previousAt, second.previousAt);
      assert.deepEqual(
        await addressesAfterStart({ ...stage.places, databasePath: first.previousAt! }),
        stage.now,
      );
    });
  });

  test("verifies and changes nothing in a dry run, also while a service runs", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const lock = lockDatabase(stage.places, "use");
      const running = await openConfiguredVault(stage.places, MEANS);
      const before = contents(stage.places.dataDir);
      const { previousAt, summary } = await restoreDatabase(stage.places, stage.file, "dry-run", MEANS);
      assert.deepEqual([previousAt, summary.keys], [undefined, 2]);
      assert.deepEqual(contents(stage.places.dataDir), before);
      await closeDatabase(running.db);
      lock.release();
    });
  });
});

function command(): readonly string[] {
  return Object.values(runtimes())[0]!;
}

/** Changes the backup as an attacker with write access does. */
async function edited(stage: Stage, edit: (db: Db) => Promise<unknown>): Promise<Stage> {
  const file = join(stage.aside, "edited");
  copyFileSync(stage.file, file);
  await started({ ...stage.places, databasePath: file }, ({ db }) => edit(db));
  rmSync(`${file}.lock`, { force: true });
  return { ...stage, file };
}

describe("restoreDatabase() refuses, and changes nothing,", () => {
  type Edit = (stage: Stage) => Promise<Stage> | Stage;
  const CASES: readonly (readonly [title: string, edit: Edit, message: RegExp])[] = [
    ["a missing file", (stage) => ({ ...stage, file: join(stage.aside, "none") }), /There is no file/],
    ["a folder", (stage) => ({ ...stage, file: stage.aside }), /There is no file/],
    [
      "the database itself",
      (stage) => ({ ...stage, file: stage.places.databasePath }),
      /is the database itself/,
    ],
    ["the database by another name", (stage) => {
      const file = join(stage.aside, "alias");
      linkSync(stage.places.databasePath, file);
      return { ...stage, file };
    }, /is the database itself/],
    [
      "a database in memory",
      (stage) => ({ ...stage, places: { ...stage.places, databasePath: ":memory:" } }),
      /memory/,
    ],
    ["an empty file", (stage) => (truncateSync(stage.file, 0), stage), /is no database of this service/],
    [
      "another program's file",
      (stage) => (writeFileSync(stage.file, "A letter. ".repeat(500)), stage),
      /no database/,
    ],
    ["half a file", (stage) => (truncateSync(stage.file, 100_000), stage), /damaged/],
    [
      "a file with its log beside it",
      (stage) => (writeFileSync(`${stage.file}-wal`, "log"), stage),
      /has a log/,
    ],
    ["a backup under another key", (stage) => {
      useKey(stage.places, makeKey(join(stage.aside, "other")));
      return stage;
    }, /sealed under another key/],
    ["a missing sealing key", (stage) => (useKey(stage.places, undefined), stage), /sealing-key is missing/],
    [
      "a damaged seed",
      (stage) =>
        edited(stage, (db) => db.updateTable("seal_slot").set({ sealed: new Uint8Array(81) }).execute()),
      /was changed/,
    ],
    [
      "a newer schema",
      (stage) =>
        edited(
          stage,
          (db) =>
            db.insertInto("kysely_migration" as never).values({ name: "9999_x", timestamp: "" } as never)
              .execute(),
        ),
      /newer version/,
    ],
    [
      "an edited row",
      (stage) =>
        edited(stage, (db) => db.updateTable("account").set({ email: "thief@example.com" }).execute()),
      /did not write 1 of 1 rows of account/,
    ],
    ["a broken audit log", (stage) =>
      edited(stage, async (db) => {
        const entry = await db.selectFrom("audit_event").selectAll().orderBy("seq").executeTakeFirstOrThrow();
        await db.insertInto("audit_event").values({ ...entry, seq: 9 }).execute();
      }), /audit log is broken: entry 4 is missing/],
  ];
  for (const [title, edit, message] of CASES) {
    test(title, TIMEOUT, async () => {
      await onStage(async (given) => {
        const stage = await edit(given);
        const [before, aside] = [contents(stage.places.dataDir), contents(stage.aside)];
        for (const mode of ["write", "dry-run"] as const) {
          await assert.rejects(restoreDatabase(stage.places, stage.file, mode, MEANS), (error) => {
            assert.match(refusalsOf(error)?.join() ?? `no refusal: ${error}`, message);
            return true;
          });
        }
        assert.deepEqual([contents(stage.places.dataDir), contents(stage.aside)], [before, aside]);
      });
    });
  }

  test("while a service runs, and a start during a restore", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const lock = lockDatabase(stage.places, "use");
      const before = contents(stage.places.dataDir);
      await assert.rejects(
        restoreDatabase(stage.places, stage.file, "write", MEANS),
        /is in use: stop the service/,
      );
      assert.deepEqual(contents(stage.places.dataDir), before);
      lock.release();
      await restoreDatabase(stage.places, stage.file, "write", {
        ...MEANS,
        onStep: () => assert.throws(() => lockDatabase(stage.places, "use"), /is being restored/),
      });
    });
  });

  test("while another program has the database open, of any kind", TIMEOUT, async () => {
    await onStage(async (stage) => {
      // Only `openConfiguredVault`, without the lock that `serve` takes.
      const running = await openConfiguredVault(stage.places, MEANS);
      await assert.rejects(
        restoreDatabase(stage.places, stage.file, "write", MEANS),
        /open in another program/,
      );
      await addAccount(running, "acct_3", 1);
      await closeDatabase(running.db);
      assert.equal((await addressesAfterStart(stage.places)).length, stage.now.length + 1);
    });
  });

  test("a backup from before a reseal, until the old key is configured", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const oldKey = join(stage.aside, "old");
      const newKey = makeKey(join(stage.aside, "new"));
      copyFileSync(configuredKey(stage.places), oldKey);
      const request = { from: `file:${oldKey}`, to: `file:${newKey}`, mode: "write" } as const;
      await resealDatabase(stage.places, request, MEANS);
      useKey(stage.places, newKey);
      await assert.rejects(
        restoreDatabase(stage.places, stage.file, "write", MEANS),
        /sealed under another key/,
      );
      useKey(stage.places, oldKey);
      await restoreDatabase(stage.places, stage.file, "write", MEANS);
      await resealDatabase(stage.places, request, MEANS);
      useKey(stage.places, newKey);
      assert.deepEqual(await addressesAfterStart(stage.places), stage.atBackup);
    });
  });
});

describe("after SIGKILL during a restore", () => {
  const replaced = RESTORE_STEPS.indexOf("replaced");
  for (const [index, step] of RESTORE_STEPS.entries()) {
    const whole = index < replaced ? "the old" : "the restored";
    for (const state of ["closed", "with a log"]) {
      test(`at "${step}", over a database ${state}, ${whole} one is complete`, TIMEOUT, async () => {
        await onStage(async (stage) => {
          if (state === "with a log") await runProgram(command(), bundled(DIE_OPEN), stage.places.dataDir);
          const ended = await runProgram(command(), bundled(DYING), stage.places.dataDir, stage.file, step);
          assert.equal(ended.signal, "SIGKILL", ended.stderr);
          const expected = index < replaced
            ? stage.now.length + (state === "with a log" ? 1 : 0)
            : stage.atBackup.length;
          assert.equal((await addressesAfterStart(stage.places)).length, expected);
          await restoreDatabase(stage.places, stage.file, "write", MEANS);
          assert.deepEqual(await addressesAfterStart(stage.places), stage.atBackup);
          assert.deepEqual(litter(stage.places).filter((name) => name.includes("restore")), []);
        });
      });
    }

    test(
      `at "${step}", over a file that is no database, a start refuses or finds the restored one`,
      TIMEOUT,
      async () => {
        await onStage(async (stage) => {
          writeFileSync(stage.places.databasePath, "This is a letter. ".repeat(500));
          const ended = await runProgram(command(), bundled(DYING), stage.places.dataDir, stage.file, step);
          assert.equal(ended.signal, "SIGKILL", ended.stderr);
          if (index < replaced) {
            const before = contents(stage.places.dataDir);
            await assert.rejects(openConfiguredVault(stage.places, MEANS), { name: "StartRefusal" });
            assert.deepEqual(contents(stage.places.dataDir), before);
            await restoreDatabase(stage.places, stage.file, "write", MEANS);
          }
          assert.deepEqual(await addressesAfterStart(stage.places), stage.atBackup);
        });
      },
    );
  }
});
