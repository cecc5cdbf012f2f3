import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import { diagnose } from "../../src/commands/diagnose.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { sqliteLocation } from "../../src/commands/open/database.ts";
import { StartRefusal } from "../../src/commands/process/refusal.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import { restoreDatabase } from "../../src/commands/restore.ts";
import { inspectAudit, readHead } from "../../src/commands/verify-audit.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  addressesAfterStart,
  configuredKey,
  makeKey,
  makeSealed,
  MEANS,
  placesIn,
  useKey,
} from "./fixture.ts";

// The steps of docs/how-to/move-to-another-machine.md.

/** The old service, stopped and backed up, and the folder of a new machine. */
interface Move {
  readonly from: StorageConfig;
  readonly to: StorageConfig;
  readonly backup: string;
  readonly head: string;
  readonly addresses: readonly string[];
  /** A folder for keys and copies in transit. */
  readonly folder: string;
}

async function onMove(job: (move: Move) => Promise<void>): Promise<void> {
  using old = temporaryFolder();
  using fresh = temporaryFolder();
  using folder = temporaryFolder();
  const from = await makeSealed(old.path);
  const addresses = await addressesAfterStart(from);
  const backup = join(folder.path, "move.db");
  const { auditHead: head } = await backupDatabase(from, backup, MEANS);
  await job({ from, to: placesIn(fresh.path), backup, head, addresses, folder: folder.path });
}

/** Restores a file on the new machine, and checks what the page tells the operator to check. */
async function arrive({ to, head, addresses }: Move, file: string): Promise<void> {
  await restoreDatabase(to, file, "dry-run", MEANS);
  await restoreDatabase(to, file, "write", MEANS);
  assert.deepEqual((await diagnose(to, MEANS)).faults, []);
  assert.deepEqual((await inspectAudit(to, { expectedHead: readHead(head) })).faults, []);
  assert.deepEqual(await addressesAfterStart(to), addresses);
}

describe("a move to another machine", () => {
  test("keeps addresses and log if the key file is moved too", async () => {
    await onMove(async (move) => {
      useKey(move.to, configuredKey(move.from));
      await arrive(move, move.backup);
    });
  });

  test("keeps them through a transport key, without a change of the old machine and the backup", async () => {
    await onMove(async (move) => {
      const { from, to, backup, addresses, folder } = move;
      const transit = { ...from, ...sqliteLocation(join(folder, "transit.db")) };
      copyFileSync(backup, transit.databasePath);
      const key = `file:${makeKey(join(folder, "move-key"))}`;
      await resealDatabase(transit, { from: "configured", to: key, mode: "write" }, MEANS);
      useKey(to, makeKey(join(folder, "new-key")));
      const arrived = { ...to, ...sqliteLocation(transit.databasePath) };
      await resealDatabase(arrived, { from: key, to: "configured", mode: "write" }, MEANS);
      await arrive(move, transit.databasePath);
      await restoreDatabase(from, backup, "dry-run", MEANS);
      assert.deepEqual(await addressesAfterStart(from), addresses);
    });
  });

  test("is refused with another key, and leaves no database", async () => {
    await onMove(async ({ to, backup, folder }) => {
      useKey(to, makeKey(join(folder, "new-key")));
      await assert.rejects(
        restoreDatabase(to, backup, "write", MEANS),
        (error) =>
          error instanceof StartRefusal && error.message.includes("sealed under another key than that"),
      );
      assert.match((await diagnose(to, MEANS)).faults.join(), /There is no database/);
    });
  });
});
