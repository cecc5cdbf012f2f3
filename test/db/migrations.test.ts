import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { MIGRATION_NAMES } from "../../src/db/migrations/migrations.ts";

const FOLDER = new URL("../../src/db/migrations/", import.meta.url);

describe("the migrations", () => {
  test("are numbered from 1 in order, without a gap and each number once", () => {
    const numbers = MIGRATION_NAMES.map((name) => /^(\d{4})_[a-z]\w*$/.exec(name)?.[1]);
    assert.deepEqual(numbers, MIGRATION_NAMES.map((_, index) => String(index + 1).padStart(4, "0")));
  });

  test("include each file of the folder", () => {
    const names = readdirSync(FOLDER).filter((name) => name !== "migrations.ts").map((name) =>
      name.slice(0, -3)
    );
    assert.ok(names.includes("0001_init"));
    assert.deepEqual(names.filter((name) => !MIGRATION_NAMES.includes(name)), []);
  });
});
