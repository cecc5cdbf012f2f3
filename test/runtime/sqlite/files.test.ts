import assert from "node:assert/strict";
import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { snapshotFiles } from "../../../src/runtime/sqlite/files.ts";
import type { FilesLook } from "../../../src/runtime/sqlite/files.ts";
import { inFolder } from "../../support/folder.ts";

/** Changes to the files of a folder, and the expected state. */
const CHANGES: readonly (readonly [what: string, found: FilesLook, change: (path: string) => void])[] = [
  ["nothing", "same", () => {}],
  ["something written", "same", (path) => writeFileSync(`${path}-wal`, "more")],
  ["the log deleted", "log_missing", (path) => rmSync(`${path}-wal`)],
  ["the log put aside", "log_missing", (path) => renameSync(`${path}-wal`, `${path}-old`)],
  ["another log in its place", "replaced", (path) => {
    copyFileSync(`${path}-wal`, `${path}-new`);
    renameSync(`${path}-new`, `${path}-wal`);
  }],
  ["the database deleted", "replaced", (path) => rmSync(path)],
  ["another database in its place, byte for byte the same", "replaced", (path) => {
    copyFileSync(path, `${path}-new`);
    renameSync(`${path}-new`, path);
  }],
];

describe("snapshotFiles()", () => {
  for (const [what, found, change] of CHANGES) {
    test(`${what}: ${found}`, async () => {
      await inFolder((folder) => {
        const path = join(folder, "a.db");
        writeFileSync(path, "database");
        writeFileSync(`${path}-wal`, "log");
        const look = snapshotFiles(path);
        assert.equal(look(), "same");
        change(path);
        assert.equal(look(), found);
        return Promise.resolve();
      });
    });
  }

  test("a database in memory is the same", () => {
    assert.equal(snapshotFiles(":memory:")(), "same");
  });

  test("the folder renamed, and a file in its place: replaced", async () => {
    await inFolder(async (folder) => {
      await inFolder((aside) => {
        const path = join(folder, "data", "a.db");
        const data = join(folder, "data");
        renameSync(aside, data);
        writeFileSync(path, "database");
        const look = snapshotFiles(path);
        renameSync(data, aside);
        writeFileSync(data, "a file");
        assert.equal(look(), "replaced");
        return Promise.resolve();
      });
    });
  });
});
