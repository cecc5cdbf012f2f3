import assert from "node:assert/strict";
import { test } from "node:test";
import { joinScript } from "../../src/ui/join-scripts.ts";

/** Runs a joined script, whose modules push to `serverSays`. */
function run(script: string): readonly string[] {
  const serverSays: string[] = [];
  new Function("said", `"use strict";\n${script}`)(serverSays);
  return serverSays;
}

test("a script runs each of its modules once, in the order of their imports", () => {
  const { parts, text } = joinScript("page.client.js", [
    [
      "page.client.js",
      `import { hello } from "./sign-form/hello.client.js";\nimport { NAME } from "../../ui/my-name.client.js";\nsaid.push(hello(NAME));\n`,
    ],
    [
      "hello.client.js",
      `import { NAME } from "./my-name.client.js";\nconst own = "Hello";\nexport function hello(name) {\n  return own + name + NAME;\n}\nsaid.push("hello");\n`,
    ],
    [
      "my-name.client.js",
      `const own = "Ada";\nexport const NAME = own;\nexport class Unused {}\nexport async function unused() {}\nsaid.push("name");\n`,
    ],
    ["other.client.js", `said.push("other");\n`],
  ]);
  assert.deepEqual(parts, ["my-name.client.js", "hello.client.js", "page.client.js"]);
  assert.deepEqual(run(text), ["name", "hello", "HelloAdaAda"]);
});

test("what a module does not export is visible to no other module", () => {
  const { text: script } = joinScript("a.client.js", [
    [
      "a.client.js",
      `import { b } from "./b.client.js";\nconst secret = 1;\nsaid.push(String(secret + b));\n`,
    ],
    ["b.client.js", `const secret = 2;\nexport const b = secret;\n`],
  ]);
  assert.deepEqual(run(script), ["3"]);
});

test("only lines of comments are removed", () => {
  const { text: script } = joinScript("a.client.js", [[
    "a.client.js",
    `// @ts-check\n/**\n * A word. \`export\`\n */\nconst word = "/* no */ // comment"; // stays\n  /** @type {any} */ (said).push(word);\n` +
    `// b\nsaid.push(/** one */ "b" /* two */);\n/* over\n*/\nsaid.push(\`c\`, \`//\${word.length}\`);\n`,
  ]]);
  assert.deepEqual(run(script), ["/* no */ // comment", "b", "c", "//19"]);
  assert.doesNotMatch(script, /ts-check|A word|over/);
  assert.match(script, /\/\/ stays\n {2}\/\*\* @type/);
});

test("joinScript() refuses a template of several lines, in which a comment may be text", () => {
  const module = ["a.client.js", "said.push(`a\n// b\nc`);\n"] as const;
  assert.throws(() => joinScript("a.client.js", [module]), SyntaxError);
});

for (
  const form of [
    `import * as b from "./b.client.js";`,
    `import b from "./b.client.js";`,
    `import { b } from "b.client.js";`,
    `import "./b.client.js";`,
    `export default 1;`,
    `export { b };`,
    `export let b = 1;`,
    `export * from "./b.client.js";`,
  ]
) {
  test(`joinScript() refuses ${form}`, () => {
    assert.throws(
      () => joinScript("a.client.js", [["a.client.js", `${form}\n`], ["b.client.js", ""]]),
      SyntaxError,
    );
  });
}

test("joinScript() refuses missing modules, circles, and two modules of one name", () => {
  const a = ["a.client.js", `import { b } from "./b.client.js";\n`] as const;
  assert.throws(() => joinScript("a.client.js", [a]), RangeError);
  const b = ["b.client.js", `import { a } from "./a.client.js";\nexport const b = 1;\n`] as const;
  const c = ["c.client.js", `import { a } from "./a.client.js";\n`] as const;
  assert.throws(() => joinScript("c.client.js", [a, b, c]), RangeError);
  assert.throws(() => joinScript("b.client.js", [["b.client.js", ""], ["b.client.js", ""]]), RangeError);
});
