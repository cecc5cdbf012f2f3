import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { runModule } from "./module.ts";
import { MODULES } from "./modules.ts";
import { openOp } from "./op.ts";
import type { Op } from "./op.ts";
import { readTable } from "./table.ts";

const documented = readTable(
  readFileSync(new URL("../../docs/reference/conformance.md", import.meta.url), "utf8"),
);

describe("the conformance modules", () => {
  let op: Op;
  before(async () => void (op = await openOp()));
  after(async () => await op[Symbol.asyncDispose]());

  for (const module of MODULES) {
    test(`${module.name} has the verdict of docs/reference/conformance.md`, { timeout: 60_000 }, async () => {
      const result = await runModule(module, op);
      assert.notEqual(result.verdict, "failed", result.reason);
      assert.deepEqual(documented.find(({ name }) => name === module.name), result);
    });
  }

  test("are all in docs/reference/conformance.md, each once and in this order", () => {
    assert.deepEqual(documented.map(({ name }) => name), MODULES.map(({ name }) => name));
  });
});
