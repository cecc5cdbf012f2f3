import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import { restoreDatabase } from "../../src/commands/restore.ts";
import { createClient } from "../support/client.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { editFile } from "../support/hostile-file.ts";
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
import { programs, rowsFor, runCommand, serviceOf, skipReason, titleOf } from "./run-command.ts";

const RUNTIME = builtRuntime();
const TIMEOUT = { timeout: 60_000 };

/** A sealed database and keys in a folder beside it. `old` is the key in use. */
interface Stage {
  readonly places: StorageConfig;
  readonly old: string;
  readonly other: string;
  /** A backup from before the second account. */
  readonly backup: string;
}

/** Both folders of a stage, created once. */
let made: { readonly data: Snapshot; readonly target: Snapshot } | undefined;

async function makeStage(data: string, target: string): Promise<NonNullable<typeof made>> {
  const places = await makeSealed(data);
  copyFileSync(configuredKey(places), join(target, "old"));
  await backupDatabase(places, join(target, "backup"), MEANS);
  await started(places, (openedVault) => addAccount(openedVault, "acct_2", 1));
  return { data: snapshotOf(data), target: snapshotOf(target) };
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using data = temporaryFolder();
  using target = temporaryFolder();
  const at = (name: string): string => join(target.path, name);
  made ??= await makeStage(data.path, target.path);
  putSnapshot(data.path, made.data);
  putSnapshot(target.path, made.target);
  const places = placesIn(data.path);
  await job({ places, old: at("old"), other: makeKey(at("other")), backup: at("backup") });
}

async function reseal({ places, old, other }: Stage): Promise<void> {
  await resealDatabase(places, { from: `file:${old}`, to: `file:${other}`, mode: "write" }, MEANS);
}

type Row = readonly [state: string, arrange: (stage: Stage) => unknown];

/** Cases that a start must accept with unchanged addresses. `count` of the three keys exist. */
const ACCEPTED: readonly (readonly [...Row, count: number])[] = [
  ["the right key", () => {}, 3],
  ["the right key put back from a copy", ({ places, old }) => useKey(places, old), 3],
  ["no marker", ({ places }) => rmSync(join(places.dataDir, "seal-key-id")), 3],
  ["an empty marker", ({ places }) => truncateSync(join(places.dataDir, "seal-key-id")), 3],
  [
    "a marker of another seal",
    ({ places }) => writeFileSync(join(places.dataDir, "seal-key-id"), "0".repeat(64)),
    3,
  ],
  ["an older database restored", ({ places, backup }) => restoreDatabase(places, backup, "write", MEANS), 2],
  ["an older database copied over it", ({ places, backup }) => copyFileSync(backup, places.databasePath), 2],
  ["resealed, with the new key", async (stage) => {
    await reseal(stage);
    useKey(stage.places, stage.other);
  }, 3],
  ["resealed and back, with the old key", async (stage) => {
    await reseal(stage);
    await reseal({ ...stage, old: stage.other, other: stage.old });
  }, 3],
  ["resealed, and an older database with the old key", async (stage) => {
    await reseal(stage);
    copyFileSync(stage.backup, stage.places.databasePath);
  }, 2],
];

/** Cases that a start must refuse, and its message. */
const REFUSED: readonly (readonly [...Row, message: RegExp])[] = [
  ["another key", ({ places, other }) => useKey(places, other), /is not the one that sealed/],
  ["no key", ({ places }) => useKey(places, undefined), /simulated-sealing-key is missing: restore it/],
  ["a key open to others", ({ places }) => chmodSync(configuredKey(places), 0o640), /chmod 600/],
  ["a key cut short", ({ places }) => truncateSync(configuredKey(places), 31), /neither 32 bytes nor/],
  [
    "a key of zeros",
    ({ places }) => writeFileSync(configuredKey(places), new Uint8Array(32)),
    /all its bytes are the same/,
  ],
  ["resealed, with the old key", reseal, /is not the one that sealed/],
  ["resealed, and an older database with the new key", async (stage) => {
    await reseal(stage);
    copyFileSync(stage.backup, stage.places.databasePath);
    useKey(stage.places, stage.other);
  }, /is not the one that sealed/],
  [
    "an empty database beside a known seal",
    ({ places }) => truncateSync(places.databasePath),
    /is empty or missing/,
  ],
  ["no database beside a known seal", ({ places }) => rmSync(places.databasePath), /is empty or missing/],
  ["a marker alone", ({ places }) => {
    rmSync(places.databasePath);
    useKey(places, undefined);
  }, /is empty or missing/],
  [
    "another program's file",
    ({ places }) => writeFileSync(places.databasePath, "This is a letter. ".repeat(500)),
    /is not a Holdfast database/,
  ],
  [
    "half a database",
    ({ places }) => truncateSync(places.databasePath, 100_000),
    /damaged .*: restore a backup/,
  ],
  [
    "a newer schema",
    ({ places }) =>
      started(
        places,
        ({ db }) =>
          db.insertInto("kysely_migration" as never).values({ name: "9999_x", timestamp: "" } as never)
            .execute(),
      ),
    /newer version/,
  ],
  [
    "a database of a build before the first release",
    ({ places }) => editFile(places.databasePath, "insert into kysely_migration values ('0002_oauth', '')"),
    /a build before the first release made the database.* start with an empty DATA_DIR and an empty database/,
  ],
];

for (const [name, program] of Object.entries(programs())) {
  const runtime = serviceOf(name);
  const options = { ...TIMEOUT, skip: skipReason(program) };
  describe(`a start on ${titleOf(name)}`, () => {
    for (const [state, arrange, count] of rowsFor(name, ACCEPTED)) {
      test(`accepts ${state}: the addresses stay`, options, async () => {
        await onStage(async (stage) => {
          const { dataDir } = stage.places;
          const before = await addressesAfterStart(stage.places);
          await arrange(stage);
          {
            await using service = await startService({ runtime, dataDir, env: { LOG_LEVEL: "error" } });
            const ready = await createClient(service.baseUrl, (request) => fetch(request)).get("/readyz");
            assert.equal(ready.status, 200);
            const derived = await runCommand(
              program,
              dataDir,
              "derive",
              "--account",
              "acct_1",
              "--index=0",
              "--count=2",
            );
            assert.equal(derived.stdout, `0 ${before[0]}\n1 ${before[1]}\n`, derived.stderr);
            assert.deepEqual(await service.stop(), { code: 0, signal: null });
          }
          assert.deepEqual(await addressesAfterStart(stage.places), before.slice(0, count));
          const marker = readFileSync(join(dataDir, "seal-key-id"), "utf8");
          assert.match(marker, /^[0-9a-f]{64}\n$/);
          assert.notEqual(marker.trim(), "0".repeat(64));
        });
      });
    }

    for (const [state, arrange, message] of rowsFor(name, REFUSED)) {
      test(`refuses ${state}, exits 2 with one line and changes nothing`, options, async () => {
        await onStage(async (stage) => {
          await arrange(stage);
          const before = contents(stage.places.dataDir);
          const start = startService({ runtime, dataDir: stage.places.dataDir });
          await assert.rejects(start, (error) => {
            assert.ok(error instanceof ServiceStartError);
            assert.deepEqual(error.exit, { code: 2, signal: null }, error.message);
            assert.equal(error.stderr.length, 1, error.message);
            assert.match(error.stderr[0]!, message);
            return true;
          });
          assert.deepEqual(contents(stage.places.dataDir), before);
        });
      });
    }
  });
}

test(
  "a first start makes key, database and marker, all its owner's only and all told of",
  TIMEOUT,
  async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    await using service = await startService({ runtime: RUNTIME, dataDir });
    await service.stop();
    const names = readdirSync(dataDir);
    for (const name of ["holdfast.db", "seal-key-id", "simulated-sealing-key"]) {
      assert.ok(names.includes(name), name);
    }
    const page = readFileSync(new URL("../../docs/reference/data-folder.md", import.meta.url), "utf8");
    for (const name of names) {
      assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name);
      assert.ok(page.includes(`| \`${name}\``), `docs/reference/data-folder.md has ${name}`);
    }
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    assert.deepEqual(await addressesAfterStart(placesIn(dataDir)), []);
  },
);
