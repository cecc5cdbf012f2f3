import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { listAnchors, listLinks } from "../support/markdown.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const INDEX = "docs/README.md";
const FOLDERS = ["src", "test", "scripts", "bench", "deploy", "docs"];

const FILES = [
  ...readdirSync(ROOT).filter((path) => path.endsWith(".md") || path === "package.json"),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path))
  ),
].filter((path) => statSync(join(ROOT, path)).isFile());

const PAGES = FILES.filter((path) => path.endsWith(".md"));

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const IN_REPOSITORY = {
  exists: (path: string): boolean => existsSync(join(ROOT, path)),
  anchors: (path: string): ReadonlySet<string> => listAnchors(read(path)),
};

/** Returns the links of a page to a missing file or heading. */
function findDeadLinks(page: string, text: string, files = IN_REPOSITORY): readonly string[] {
  return listLinks(text).filter(({ target }) => {
    const [path, anchor] = target.split("#", 2);
    const file = path === "" ? page : normalize(join(dirname(page), path!));
    if (file !== page && !files.exists(file)) return true;
    if (anchor === undefined) return false;
    if (file === page) return !listAnchors(text).has(anchor);
    return !file.endsWith(".md") || !files.anchors(file).has(anchor);
  }).map(({ line, target }) => `${page}:${line}: ${target}`);
}

/** Returns the missing documents that a text names by their path from the root. */
function findUnknownDocuments(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w./-])(?:docs\/[\w/-]+|[A-Z]{5,})\.(?:md|png)\b/g)]
    .map(([path]) => path)
    .filter((path) => !IN_REPOSITORY.exists(path));
}

describe("the documents", () => {
  test("link to existing files and headings", () => {
    assert.ok(PAGES.length > 15, `${PAGES.length} pages`);
    assert.ok(PAGES.reduce((count, page) => count + listLinks(read(page)).length, 0) > 50);
    assert.deepEqual(PAGES.flatMap((page) => findDeadLinks(page, read(page))), []);
  });

  test("are named by paths that exist", () => {
    const texts = FILES.filter((path) => /\.(?:ts|js|json|sh|service)$/.test(path));
    assert.ok(texts.length > 1_000, `${texts.length} files`);
    const unknown = [...texts, ...PAGES].filter((path) => path !== "test/docs/links.test.ts")
      .flatMap((path) => findUnknownDocuments(read(path)).map((name) => `${path}: ${name}`));
    assert.deepEqual(unknown, []);
  });

  test("are all in the index", () => {
    const linked = new Set(listLinks(read(INDEX)).map(({ target }) => join("docs", target.split("#")[0]!)));
    const pages = PAGES.filter((path) => path.startsWith("docs/") && path !== INDEX);
    assert.deepEqual(pages.filter((path) => !linked.has(path)), []);
  });
});

test("no page of the documents is longer than 300 lines, except the HTTP API", () => {
  const long = PAGES.filter((path) => path.startsWith("docs/") && path !== "docs/reference/http-api.md")
    .filter((path) => read(path).split("\n").length > 300);
  assert.deepEqual(long, []);
});

describe("the reader of links", () => {
  const files = {
    exists: (path: string): boolean => ["docs/b.md", "src", "a.png"].includes(path),
    anchors: (): ReadonlySet<string> => new Set(["there"]),
  };
  const faults = [
    "[a](c.md)",
    "[a](../b.md)",
    "[a](b.md#nowhere)",
    "[a](#nowhere)",
    "[a](../src#there)",
    "![a](a.png)",
    "[a]: c.md",
    '<img src="c.png">',
    "[a\nb](c.md)",
    "# One\n\n[a](#one-1)",
  ];
  for (const text of faults) {
    test(`finds the dead link of ${JSON.stringify(text)}`, () =>
      assert.equal(findDeadLinks("docs/a.md", text, files).length, 1));
  }

  const sound = [
    "[a](b.md)",
    "[a](b.md#there)",
    "# A b, `c`: d\n\n[a](#a-b-c-d)",
    "# One\n\n# One\n\n[a](#one-1)",
    "[a](../src)",
    "![a](../a.png)",
    "[a](https://example.org/c.md)",
    "`[a](c.md)`",
    "```md\n[a](c.md)\n```",
  ];
  for (const text of sound) {
    test(`finds none in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(findDeadLinks("docs/a.md", text, files), []));
  }

  test("finds a path to no document, and none where it exists", () => {
    assert.deepEqual(findUnknownDocuments("see docs/nowhere.md and NOWHERE.md, README.md, docs/README.md"), [
      "docs/nowhere.md",
      "NOWHERE.md",
    ]);
  });
});
