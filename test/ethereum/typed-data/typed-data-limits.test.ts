import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  hashTask,
  hashTypedData,
  parseTask,
  parseTypedData,
  TYPED_DATA_LIMITS,
} from "../../../src/ethereum/typed-data/typed-data.ts";
import type { CooperativeTask } from "../../../src/lib/cooperative.ts";
import { MAIL } from "../mail.ts";
import { type Json, refuses, single } from "../refusing.ts";

const LIMITS = TYPED_DATA_LIMITS;
const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

function document(types: Json, primaryType: string, message: unknown): Json {
  return { types, primaryType, domain: {}, message };
}

function times<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

/** Returns a chain of structs, each with a field of the next. The last has no field. */
function chain(count: number): Json {
  return Object.fromEntries(
    times(
      count,
      (index) => [`S${index}`, index + 1 < count ? [{ name: "next", type: `S${index + 1}` }] : []],
    ),
  );
}

/** Returns nested objects of that many levels. The innermost contains null. */
function nested(levels: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level++) value = { next: value };
  return value;
}

/** Returns nested arrays of that many levels. The innermost is empty. */
function nestedArrays(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

const RECURSIVE = { T: [{ name: "next", type: "T" }] };
const fields = (count: number) => times(count, (index) => ({ name: `f${index}`, type: "bool" }));
const nulls = (count: number) => Object.fromEntries(times(count, (index) => [`f${index}`, false]));

/** Documents exactly at a limit. A struct counts as one value in addition to its members. */
const AT_THE_LIMIT: Readonly<Record<string, unknown>> = {
  types: document(chain(LIMITS.types), "S0", { next: null }),
  fields: document({ T: fields(LIMITS.fields) }, "T", nulls(LIMITS.fields)),
  name: document({ ["T".repeat(LIMITS.name)]: [] }, "T".repeat(LIMITS.name), {}),
  type: single("bool" + "[]".repeat((LIMITS.type - 4) / 2), []),
  "depth of structs": document(RECURSIVE, "T", nested(LIMITS.depth)),
  "depth of arrays": single("bool" + "[]".repeat(LIMITS.depth - 1), nestedArrays(LIMITS.depth - 1)),
  "values, as integers": single("uint256[]", times(LIMITS.values - 1, String)),
  "values, as strings": single("string[]", times(LIMITS.values - 1, String)),
  "values, as addresses": single("address[]", times(LIMITS.values - 1, () => ADDRESS)),
  "bytes, as hex": single("bytes", "0x" + "ab".repeat(LIMITS.bytes)),
  "bytes, as text": single("string", "é".repeat(LIMITS.bytes / 2)),
};

describe("parseTypedData() at the limits", () => {
  for (const [limit, input] of Object.entries(AT_THE_LIMIT)) {
    test(`parseTypedData() accepts a document at the limit of ${limit}, within its steps`, () => {
      const checked = parseTypedData(input);
      assert.ok(checked.steps <= LIMITS.steps, String(checked.steps));
      assert.equal(hashTypedData(checked).digest.length, 32);
    });
  }
});

const manyFields = Object.fromEntries(
  times(5, (index) => [`T${index}`, fields(index < 4 ? LIMITS.fields / 4 : 1)]),
);

refuses("what goes beyond a limit", [
  [
    "there are too many types",
    document(chain(LIMITS.types + 1), "S0", { next: null }),
    "/types",
    /^Too many types: at most 256$/,
  ],
  [
    "a struct has too many fields",
    document({ T: fields(LIMITS.fields + 1) }, "T", {}),
    "/types/T",
    /^Too many fields: at most 1024 in all/,
  ],
  [
    "the structs have too many fields together",
    document(manyFields, "T0", {}),
    "/types/T4",
    /^Too many fields/,
  ],
  [
    "structs are too deep",
    document(RECURSIVE, "T", nested(LIMITS.depth + 1)),
    "/message" + "/next".repeat(LIMITS.depth),
    /^Too deep: at most 64 levels$/,
  ],
  [
    "structs are 20,000 deep",
    document(RECURSIVE, "T", nested(20_000)),
    "/message" + "/next".repeat(LIMITS.depth),
    /^Too deep/,
  ],
  [
    "arrays are too deep",
    single("bool" + "[]".repeat(LIMITS.depth), nestedArrays(LIMITS.depth)),
    "/message/x" + "/0".repeat(LIMITS.depth - 1),
    /^Too deep/,
  ],
  [
    "an array has too many items",
    single("uint256[]", times(LIMITS.values, () => 0)),
    "/message/x",
    /^Too many values: at most 4096$/,
  ],
  [
    "an array has 200,000 items",
    single("uint256[]", times(200_000, () => 0)),
    "/message/x",
    /^Too many values/,
  ],
  [
    "arrays have too many items together",
    single("uint256[][]", times(5, () => times(900, () => 0))),
    "/message/x/4",
    /^Too many values/,
  ],
  [
    "the bytes are too many",
    single("bytes", "0x" + "ab".repeat(LIMITS.bytes + 1)),
    "/message/x",
    /^Too many bytes: at most 524288$/,
  ],
  [
    "the text's bytes are too many",
    single("string", "é".repeat(LIMITS.bytes / 2) + "a"),
    "/message/x",
    /^Too many bytes/,
  ],
  [
    "bytes and texts are too many together",
    single("string[]", ["a".repeat(LIMITS.bytes), "a"]),
    "/message/x/1",
    /^Too many bytes/,
  ],
  [
    "the canonical types are too long together",
    document(wide(200), "Root", Object.fromEntries(times(200, (index) => [`f${index}`, { root: null }]))),
    "/message/f11",
    /^Too much work: more than 10240 steps up to here$/,
  ],
]);

/** Returns a root with that many structs, each of which refers to the root, and so to all of them, by long names. */
function wide(count: number): Json {
  const name = (index: number) => `S${index}`.padEnd(200, "_");
  const structs = times(count, (index) => [name(index), [{ name: "root", type: "Root" }]]);
  const root = times(count, (index) => ({ name: `f${index}`, type: name(index) }));
  return Object.fromEntries([["Root", root], ...structs]);
}

describe("parseTypedData() counts its steps", () => {
  // Values, then blocks of 136 bytes: canonical types (and a step per struct in them), structs, contents, digest.
  const domain = 0 + (1 + 1) + 1;
  const counted: readonly (readonly [what: string, input: unknown, steps: number])[] = [
    ["a bool", single("bool", true), domain + (1 + 1) + 1 + 1 + 1],
    ["a short string", single("string", "a"), domain + (1 + 1) + 1 + (1 + 1) + 1],
    ["a string of a block less one", single("string", "a".repeat(135)), domain + (1 + 1) + 1 + (1 + 1) + 1],
    ["a string of a block", single("string", "a".repeat(136)), domain + (1 + 1) + 1 + (1 + 2) + 1],
    ["an address", single("address", ADDRESS), domain + (1 + 1) + 1 + (1 + 1) + 1],
    ["an empty array", single("bool[]", []), domain + (1 + 1) + 1 + (1 + 1) + 1],
    ["an array of 5", single("bool[]", times(5, () => true)), domain + (1 + 1) + 1 + (1 + 2 + 5) + 1],
    ["a struct of null", document(RECURSIVE, "T", { next: null }), domain + (1 + 1) + 1 + 1 + 1],
  ];
  for (const [what, input, steps] of counted) {
    test(`parseTypedData() spends ${steps} steps when the message holds ${what}`, () => {
      assert.equal(parseTypedData(input).steps, steps);
    });
  }
});

/** Counts the parts of the work. */
function runAndCount<T>(work: CooperativeTask<T>): { readonly result: T; readonly parts: number } {
  for (let parts = 1;; parts++) {
    const { done, value } = work.next();
    if (done) return { result: value, parts };
  }
}

describe("parseTask() and hashTask()", () => {
  const LETTERS = {
    Letter: [{ name: "seal", type: "bytes" }],
    Post: [{ name: "letters", type: "Letter[]" }],
  };
  const letters = (count: number) => times(count, () => ({ seal: "0x" + "5e".repeat(300) }));

  test("yield every few hundred steps of a long document, and return the result of one run", () => {
    const input = document(LETTERS, "Post", { letters: letters(1500) });
    const parsed = runAndCount(parseTask(input));
    assert.deepEqual(parsed.result, parseTypedData(input));
    assert.ok(parsed.parts > 15, `${parsed.parts} parts`);
    const hashed = runAndCount(hashTask(parsed.result));
    assert.deepEqual(hashed.result, hashTypedData(parseTypedData(input)));
    assert.ok(hashed.parts > 10, `${hashed.parts} parts`);
  });

  test("yield between empty items of an array too", () => {
    const parsed = runAndCount(parseTask(AT_THE_LIMIT["values, as addresses"]));
    assert.ok(parsed.parts > 10, `${parsed.parts} parts`);
    const { parts } = runAndCount(hashTask(parseTypedData(AT_THE_LIMIT["values, as strings"])));
    assert.ok(parts > 7, `${parts} parts`);
  });

  test("yield between the texts of types that each refer to all others", () => {
    const name = (index: number) => `S${index % 60}${"s".repeat(100)}`;
    const ring = times(60, (index) => [name(index), [{ name: "next", type: name(index + 1) }]] as const);
    const input = document(Object.fromEntries(ring), name(0), nested(60));
    const { parts } = runAndCount(hashTask(parseTypedData(input)));
    assert.ok(parts > 8, `${parts} parts`);
  });

  test("process a short document in one part", () => {
    const { result, parts } = runAndCount(parseTask(MAIL));
    assert.deepEqual([parts, runAndCount(hashTask(result)).parts], [1, 1]);
  });

  test("point to the root's member and the item of a fault in a later part", () => {
    const input = document(LETTERS, "Post", { letters: [...letters(1000), { seal: "0x5" }] });
    assert.throws(() => runAndCount(parseTask(input)), { path: "/message/letters/1000/seal" });
  });
});
