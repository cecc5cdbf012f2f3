import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const PAGES = ["SECURITY.md", ...readdirSync(join(ROOT, "docs/why")).map((name) => `docs/why/${name}`)];

/** The number of claims without a test. It may only fall. */
const NOT_TESTED = 8;

const COLUMN = "Held by";

/** Returns the text of a file, or undefined if there is no such file. */
type Read = (path: string) => string | undefined;

const readFile: Read = (path) =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : undefined;

function cellsOf(row: string): readonly string[] {
  return row.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
}

interface Claim {
  readonly text: string;
  readonly heldBy: string;
}

/** Returns the rows of every table with a last column "Held by". */
function listClaims(page: string): readonly Claim[] {
  const tables = page.match(/^\|.*\n\|[ :|-]+\|\n(?:\|.*(?:\n|$))*/gm) ?? [];
  return tables
    .map((table) => table.trim().split("\n"))
    .filter(([head]) => cellsOf(head!).at(-1) === COLUMN)
    .flatMap((rows) =>
      rows.slice(2).map((row) => ({ text: cellsOf(row)[0]!, heldBy: cellsOf(row).at(-1)! }))
    );
}

/** Returns the titles in a file: of tests, of groups, and of cases by their keys in a table. */
function titlesOf(code: string): readonly string[] {
  const texts = code.matchAll(/(?:\b(?:test|describe)\(\s*|^\s*)(["'`])((?:\\.|(?!\1)[^\\])*)\1/gm);
  return [...texts].map(([, , title]) => title!.replace(/\\(.)/g, "$1"));
}

const REFERENCE = /`(test\/[\w./-]+\.test\.ts)`(?:\s+"([^"]+)")?/g;

/** Returns the claims without a test, and the references to a test file or a part of a title that does not exist. */
function findFaults(page: string, read: Read): readonly string[] {
  const unheld = listClaims(page)
    .filter(({ heldBy }) => heldBy !== "not tested" && heldBy.match(REFERENCE) === null)
    .map(({ text }) => `held by nothing: ${text}`);
  const missing = [...page.matchAll(REFERENCE)].filter(([, path, title]) => {
    const code = read(path!);
    if (code === undefined) return true;
    return title !== undefined && !titlesOf(code).some((found) => found.includes(title));
  }).map(([reference]) => `does not exist: ${reference}`);
  return [...unheld, ...missing];
}

describe("the claims about security", () => {
  const pages = PAGES.map((path) => [path, readFile(path)!] as const);
  const claims = pages.flatMap(([, text]) => listClaims(text));

  for (const [path, text] of pages) {
    test(`of ${path} name tests that exist`, () => assert.deepEqual(findFaults(text, readFile), []));
  }

  test("are many, and few of them are not tested", () => {
    assert.ok(claims.length > 150, `${claims.length} claims`);
    const bare = claims.filter(({ heldBy }) => heldBy === "not tested");
    assert.ok(bare.length <= NOT_TESTED, bare.map(({ text }) => text).join("\n"));
  });
});

describe("the reader of claims", () => {
  const read: Read = (path) =>
    path === "test/a.test.ts"
      ? 'describe("a group", () => {\n  test("a title of it", () => {});\n  "a case": 1,'
      : undefined;
  const table = (heldBy: string): string => `| Claim | Held by |\n| --- | --- |\n| It holds. | ${heldBy} |\n`;

  for (
    const heldBy of [
      "",
      "a review",
      "`test/b.test.ts`",
      '`test/a.test.ts` "another title"',
      "`test/a.test.ts`, `test/b.test.ts`",
    ]
  ) {
    test(`finds the fault of ${JSON.stringify(heldBy)}`, () =>
      assert.equal(findFaults(table(heldBy), read).length, 1));
  }
  for (
    const heldBy of [
      "`test/a.test.ts`",
      '`test/a.test.ts` "a title"',
      '`test/a.test.ts` "a group"',
      '`test/a.test.ts` "a case"',
      "not tested",
    ]
  ) {
    test(`finds none in ${JSON.stringify(heldBy)}`, () =>
      assert.deepEqual(findFaults(table(heldBy), read), []));
  }

  test("finds a file in a text that does not exist", () =>
    assert.deepEqual(findFaults("A sentence (`test/b.test.ts`).", read), [
      "does not exist: `test/b.test.ts`",
    ]));

  test("ignores other tables", () =>
    assert.deepEqual(findFaults("| A | B |\n| --- | --- |\n| a | |\n", read), []));
});
