import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { TYPED_DATA_LIMITS, TypedDataError } from "../../../src/ethereum/typed-data/typed-data.ts";
import { type Disagreement, DISAGREEMENTS } from "../disagreements.ts";
import { LIBRARIES, ourDigest } from "../libraries.ts";

const REFUSES = "refuses";
const PAGE = readFileSync(new URL("../../../docs/reference/typed-data.md", import.meta.url), "utf8");
const LINES = PAGE.split("\n").map(plain);

/** Returns a row of a table without the spaces that align it. */
function plain(row: string): string {
  return row.split("|").map((cell) => cell.trim()).join("|");
}

/** Returns the first four bytes of a digest, or `REFUSES` if the library throws. */
function outcome(hash: () => string): string {
  try {
    return hash().slice(2, 10);
  } catch {
    return REFUSES;
  }
}

function ourOutcome(document: unknown): string {
  try {
    return ourDigest(document).slice(2, 10);
  } catch (error) {
    assert.ok(error instanceof TypedDataError, String(error));
    return REFUSES;
  }
}

function outcomes(document: unknown): readonly string[] {
  const theirs = Object.values(LIBRARIES).map((hash) => outcome(() => hash(document as never)));
  return [ourOutcome(document), ...theirs];
}

function row({ what, document, reason }: Disagreement): string {
  return plain(`|${[what, ...outcomes(document), reason].join("|")}|`);
}

describe("docs/reference/typed-data.md", () => {
  for (const disagreement of DISAGREEMENTS) {
    test(`docs/reference/typed-data.md says what each library does when given ${disagreement.what}`, () => {
      const expected = row(disagreement);
      const all = new Set(outcomes(disagreement.document));
      assert.ok(all.size > 1, `No disagreement any more: ${expected}`);
      assert.ok(LINES.includes(expected), `The page lacks this row:\n${expected}`);
    });
  }

  for (const [name, limit] of Object.entries(TYPED_DATA_LIMITS)) {
    test(`docs/reference/typed-data.md publishes the limit of ${name}`, () => {
      assert.ok(LINES.some((line) => line.startsWith(`|${name}|${limit}|`)));
    });
  }

  test("docs/reference/typed-data.md has no row that is not recomputed here", () => {
    const start = LINES.findIndex((line) => line.startsWith("|Input|Holdfast|"));
    const rows = LINES.slice(start + 2).filter((line) => line.startsWith("|"));
    assert.deepEqual(rows, DISAGREEMENTS.map(row));
  });
});
