import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as v from "valibot";
import { BODY_LIMIT, KIB, readForm, readJson } from "../../../src/http/request/body.ts";
import { publicAccess } from "../../../src/http/guard/guard.ts";
import { json } from "../../../src/http/response/respond.ts";
import { apiRow } from "../../support/rows.ts";
import { createCoreApp } from "../../support/core-app.ts";

const note = v.strictObject({
  label: v.optional(v.pipe(v.string(), v.maxLength(5))),
  count: v.optional(v.pipe(v.number(), v.integer("Expected a whole number"))),
  kind: v.optional(v.picklist(["one", "two"])),
  nested: v.optional(v.array(v.strictObject({ deep: v.string() }))),
});
const text = v.strictObject({ text: v.string() });
const form = v.strictObject({ request: v.string(), decision: v.picklist(["approve", "deny"]) });

const { request } = createCoreApp([
  apiRow("POST", "/note", publicAccess, async (context) => json(200, await readJson(context, note))),
  apiRow(
    "POST",
    "/optional",
    publicAccess,
    async (context) => json(200, await readJson(context, note, { content: "empty-allowed" })),
  ),
  apiRow(
    "POST",
    "/text",
    publicAccess,
    async (context) => json(200, (await readJson(context, text)).text.length),
  ),
  apiRow(
    "POST",
    "/large",
    publicAccess,
    async (context) => json(200, (await readJson(context, text, { limit: 1024 * KIB })).text.length),
  ),
  apiRow("POST", "/form", publicAccess, async (context) => json(200, await readForm(context, form))),
]);

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly {
    readonly path?: string;
    readonly parameter?: string;
    readonly message: string;
  }[];
  readonly whole: string;
}

async function post(path: string, body: BodyInit | null, headers: Record<string, string> = JSON_TYPE) {
  const init: RequestInit & { duplex: "half" } = { method: "POST", body, headers, duplex: "half" };
  return await request(path, init);
}

async function problemOf(response: Response): Promise<Problem> {
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const whole = await response.text();
  return { ...JSON.parse(whole), whole };
}

/** Creates a body of several chunks, which counts the chunks read and records a cancellation. */
function countedBody(pieces: number, size: number) {
  const seen = { pulled: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.pulled++ === pieces) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(0x20));
    },
    cancel() {
      seen.isCancelled = true;
    },
  }, { highWaterMark: 0 });
  return { seen, stream };
}

describe("readJson() requires JSON", () => {
  const refused: readonly (readonly [name: string, headers: Record<string, string>])[] = [
    ["text/plain", { "content-type": "text/plain" }],
    ["a form", FORM_TYPE],
    ["multipart", { "content-type": "multipart/form-data; boundary=x" }],
    ["another charset", { "content-type": "application/json; charset=latin1" }],
    ["another suffix", { "content-type": "application/jsonp" }],
    ["a structured suffix", { "content-type": "application/ld+json" }],
    ["two types", { "content-type": "application/json, text/plain" }],
    ["a type behind a parameter", { "content-type": "text/plain; a=application/json" }],
    ["gzip", { ...JSON_TYPE, "content-encoding": "gzip" }],
  ];
  for (const [name, headers] of refused) {
    test(`readJson() answers 415 to ${name}`, async () => {
      const problem = await problemOf(await post("/note", "{}", headers));
      assert.deepEqual([problem.status, problem.code], [415, "unsupported_media_type"]);
    });
  }

  test("readJson() answers 415 to a body without Content-Type", async () => {
    for (const path of ["/note", "/optional"]) {
      assert.equal((await post(path, new TextEncoder().encode("{}"), {})).status, 415);
    }
  });

  for (
    const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/json ; x=y",
    ]
  ) {
    test(`readJson() accepts Content-Type ${type}`, async () => {
      assert.equal((await post("/note", "{}", { "content-type": type })).status, 200);
    });
  }

  test("readJson() accepts Content-Encoding identity", async () => {
    assert.equal((await post("/note", "{}", { ...JSON_TYPE, "content-encoding": "identity" })).status, 200);
  });

  test("readJson() accepts an empty body, with or without a type, only if the endpoint does", async () => {
    assert.equal(await (await post("/optional", null, {})).text(), "{}");
    assert.equal(await (await post("/optional", null, { "content-length": "0" })).text(), "{}");
    assert.equal(await (await post("/optional", "", JSON_TYPE)).text(), "{}");
    assert.equal((await post("/optional", null, FORM_TYPE)).status, 415);
    const { code, detail } = await problemOf(await post("/note", null));
    assert.deepEqual([code, detail], ["invalid_json", "Cannot read JSON: the body is empty"]);
  });
});

describe("readJson() bounds what it reads", () => {
  const exactly = (size: number): string => JSON.stringify({ text: "a".repeat(size - 11) });

  test("readJson() accepts 64 KiB and refuses one byte more, announced or streamed", async () => {
    for (const isStreamed of [false, true]) {
      const body = (size: number): BodyInit =>
        isStreamed ? new Blob([exactly(size)]).stream() : new TextEncoder().encode(exactly(size));
      assert.equal(await (await post("/text", body(BODY_LIMIT))).json(), BODY_LIMIT - 11);
      const problem = await problemOf(await post("/text", body(BODY_LIMIT + 1)));
      assert.deepEqual([problem.status, problem.code], [413, "body_too_large"]);
    }
  });

  test("readJson() accepts 1 MiB if the endpoint does", async () => {
    const limit = 1024 * KIB;
    assert.equal(await (await post("/large", exactly(limit))).json(), limit - 11);
    assert.equal((await post("/large", exactly(limit + 1))).status, 413);
  });

  test("readJson() refuses an announced length without reading a byte", async () => {
    const { seen, stream } = countedBody(100, 1024);
    const response = await post("/note", stream, { ...JSON_TYPE, "content-length": String(BODY_LIMIT + 1) });
    assert.equal(response.status, 413);
    assert.equal(seen.pulled, 0);
  });

  test("readJson() aborts an endless stream right after the limit", async () => {
    const { seen, stream } = countedBody(Infinity, 16 * KIB);
    assert.equal((await post("/note", stream)).status, 413);
    assert.ok(seen.pulled <= 7, `${seen.pulled} pieces were taken`);
    assert.equal(seen.isCancelled, true);
  });

  test("readJson() aborts a stream of tiny chunks long before the limit", async () => {
    const { seen, stream } = countedBody(Infinity, 1);
    const problem = await problemOf(await post("/note", stream));
    assert.deepEqual(
      [problem.status, problem.code, problem.detail],
      [400, "invalid_request", "Cannot read body: sent in too many small pieces"],
    );
    assert.ok(seen.pulled < 300, `${seen.pulled} pieces were taken`);
    assert.equal(seen.isCancelled, true);
  });

  for (const [pieces, size] of [[256, 1], [500, 128]] as const) {
    test(`readJson() reads ${pieces} chunks of ${size} bytes, as streaming writers send`, async () => {
      const { seen, stream } = countedBody(pieces, size);
      const problem = await problemOf(await post("/note", stream));
      assert.equal(problem.code, "invalid_json", "they are spaces");
      assert.equal(seen.pulled, pieces + 1);
    });
  }

  test("readJson() answers 400 when the body is incomplete", async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.error(new TypeError("private words"));
      },
    });
    const problem = await problemOf(await post("/note", stream));
    assert.deepEqual([problem.status, problem.code], [400, "invalid_request"]);
    assert.doesNotMatch(problem.whole, /private words/);
  });
});

describe("readJson() reads strictly", () => {
  test("readJson() refuses bytes that are not UTF-8", async () => {
    for (const bytes of [[0x22, 0xff, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) {
      assert.equal((await post("/note", new Uint8Array(bytes))).status, 400);
    }
  });

  test("readJson() refuses a byte order mark (RFC 8259 section 8.1)", async () => {
    assert.equal((await problemOf(await post("/note", "\ufeff{}"))).code, "invalid_json");
  });

  test("readJson() refuses duplicate members, __proto__ and depth with 400", async () => {
    for (const body of [`{"label":"a","label":"b"}`, `{"__proto__":{}}`, "[".repeat(65) + "]".repeat(65)]) {
      const problem = await problemOf(await post("/note", body));
      assert.deepEqual([problem.status, problem.code], [400, "invalid_json"]);
    }
  });

  test("readJson() names an unknown member", async () => {
    const problem = await problemOf(await post("/note", `{"label":"a","owner":"mine"}`));
    assert.deepEqual([problem.status, problem.code], [400, "invalid_request"]);
    assert.deepEqual(problem.errors, [{ path: "/owner", message: "Unknown member" }]);
  });

  test("readJson() names every invalid member and echoes no value", async () => {
    const body = { label: "private", count: 1.5, kind: "private", nested: [{ deep: "x" }, { deep: 7 }, {}] };
    const problem = await problemOf(await post("/note", JSON.stringify(body)));
    assert.deepEqual(problem.errors, [
      { path: "/label", message: "Length must be at most 5" },
      { path: "/count", message: "Expected a whole number" },
      { path: "/kind", message: 'Expected "one" or "two"' },
      { path: "/nested/1/deep", message: "Expected a text" },
      { path: "/nested/2/deep", message: "Missing member" },
    ]);
    assert.doesNotMatch(problem.whole, /private|1\.5/);
  });

  test("readJson() lists at most 16 faults", async () => {
    const body = JSON.stringify({ nested: Array.from({ length: 100 }, () => ({ deep: 1 })) });
    assert.equal((await problemOf(await post("/note", body))).errors?.length, 16);
  });

  test("readJson() refuses anything but an object", async () => {
    for (const body of ["null", "1", `"a"`, "[]"]) {
      const problem = await problemOf(await post("/note", body));
      assert.deepEqual([problem.status, problem.code], [400, "invalid_request"], body);
    }
  });
});

describe("readForm()", () => {
  test("readForm() reads a form", async () => {
    const response = await post("/form", "request=a%20b+c&decision=deny", FORM_TYPE);
    assert.deepEqual(await response.json(), { request: "a b c", decision: "deny" });
  });

  test("readForm() answers 415 to JSON and to no type", async () => {
    assert.equal((await post("/form", "request=a&decision=deny")).status, 415);
    assert.equal((await post("/form", new TextEncoder().encode("request=a&decision=deny"), {})).status, 415);
  });

  test("readForm() refuses duplicates, unknown and malformed parameters", async () => {
    const refused: readonly (readonly [body: string, parameter: string | undefined])[] = [
      ["request=a&decision=deny&decision=approve", "decision"],
      ["request=a&decision=deny&%64ecision=approve", "decision"],
      ["request=a&decision=deny&other=1", "other"],
      ["request=%ff&decision=deny", undefined],
      ["request=%&decision=deny", undefined],
      ["request=%zz&decision=deny", undefined],
      ["__proto__=1", "__proto__"],
      ["decision=deny", "request"],
      ["", "request"],
    ];
    for (const [body, parameter] of refused) {
      const problem = await problemOf(await post("/form", body, FORM_TYPE));
      assert.deepEqual([problem.status, problem.errors?.[0]?.parameter], [400, parameter], body);
    }
  });

  test("readForm() bounds what it reads", async () => {
    assert.equal((await post("/form", "request=" + "a".repeat(BODY_LIMIT), FORM_TYPE)).status, 413);
  });
});
