import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { runRegistryTests } from "./registry-tests.ts";

/** A copy of the ERC-7730 registry beside the project, if there is one. */
const FOLDER = new URL("../../../shared/vectors/erc7730/", import.meta.url);

describe(
  "the ERC-7730 registry",
  { skip: existsSync(FOLDER) ? false : "vectors not here" },
  () => {
    test("its formats are honoured, and its own tests show what they expect", () => {
      const { formats, cases } = runRegistryTests(FOLDER.pathname);
      const count = (verdict: string): number => cases.filter((one) => one.verdict === verdict).length;
      assert.ok(formats >= 1_300, String(formats));
      assert.ok(count("right") >= 500, String(count("right")));
      assert.equal(count("wrong"), 0);
    });
  },
);
