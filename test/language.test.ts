import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findBeginnings, findLongSentences, findVagueActors } from "./support/language.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The files that contain the words of the rules. */
const OWN = ["test/language.test.ts", "test/support/language.ts"];

const FOLDERS = ["src", "test", "scripts", "bench", "docs", "deploy"];

function readTree(): readonly (readonly [path: string, text: string])[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path))
  );
  const atRoot = readdirSync(ROOT).filter((path) => path.endsWith(".md"));
  return [...inFolders, ...atRoot]
    .filter((path) =>
      /\.(?:ts|js|md)$/.test(path) && !/(?:messages\.de|token-list)\.ts$/.test(path) && !OWN.includes(path)
    )
    .map((path) => [path, readFileSync(join(ROOT, path), "utf8")] as const);
}

const TREE = readTree();

function listFaults(find: typeof findBeginnings, tree = TREE): readonly string[] {
  return tree.flatMap(([path, text]) => find(text).map(({ line, text }) => `${path}:${line}: ${text}`));
}

describe("the language of the project", () => {
  test("is read in every file", () => assert.ok(TREE.length > 1_200, `${TREE.length} files`));

  test("has no docstring that begins with What, Whether, Who, Of, Has, As or The same", () => {
    assert.deepEqual(listFaults(findBeginnings), []);
  });

  test("names the actor: nowhere whoever, somebody, nobody, anybody, everybody or he", () => {
    assert.deepEqual(listFaults(findVagueActors), []);
  });

  test("has no sentence of more than 40 words in a document", () => {
    const documents = TREE.filter(([path]) => path.endsWith(".md"));
    const faults = listFaults(findLongSentences, documents);
    assert.ok(documents.length > 15, `${documents.length} documents`);
    assert.deepEqual(faults, []);
  });
});

describe("the rules on language", () => {
  for (const text of ["/** What a key may sign. */", "/**\n * Whether it is. */", "/** The same again. */"]) {
    test(`find ${JSON.stringify(text)}`, () => assert.equal(findBeginnings(text).length, 1));
  }
  for (const text of ["// Whoever comes", "for nobody else", "as he likes", "one who reads"]) {
    test(`find ${JSON.stringify(text)}`, () => assert.equal(findVagueActors(text).length, 1));
  }
  const long = Array.from({ length: 41 }, (_, index) => `word${index}`).join(" ");
  const hides = [
    long,
    `Short. ${long}. Short.`,
    `- ${long}`,
    `> ${long}`,
    `| a | ${long} |`,
    `# ${long}`,
    `${long.replace(" word9 ", "\nword9 ")}`,
    `${long.replace("word9", "[word9](page.md)")}`,
    "```\ncode\n```\n" + long,
  ];
  for (const text of hides) {
    test(`find the sentence of 41 words in ${JSON.stringify(text.slice(0, 30))}`, () =>
      assert.equal(findLongSentences(text).length, 1));
  }
  test("find no long sentence in code, and none of 40 words", () => {
    const shorter = long.slice("word0 ".length);
    const texts = [
      shorter,
      `- ${shorter}\n- ${shorter}`,
      `| ${shorter} | ${shorter} |`,
      `${shorter}\n\n${shorter}`,
    ];
    for (const text of [...texts, "```sh\n" + long + "\n```", "Run `" + long + "` now."]) {
      assert.deepEqual(findLongSentences(text), [], text);
    }
  });
  test("find nothing in plain words", () => {
    assert.deepEqual(findBeginnings("/** Returns what a key may sign. */ /** A key. */ const as = 1;"), []);
    assert.deepEqual(findVagueActors("The user, the client; she; the whole; when; a header"), []);
  });
});
