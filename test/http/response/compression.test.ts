import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { acceptedCoding, createCompressor } from "../../../src/http/response/compression.ts";
import { STYLE_SHEET } from "../../../src/ui/assets.ts";
import { createTestApp } from "../../support/app.ts";
import { assertLinear } from "../../support/growth.ts";

describe("acceptedCoding()", () => {
  const cases = [
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br; q=0.000", undefined],
    ["br;q=0.001", "br"],
    ["identity", undefined],
    ["*", undefined],
    ["", undefined],
    [null, undefined],
  ] as const;
  for (const [header, coding] of cases) {
    test(`returns ${coding} for ${header} (RFC 9110 section 12.5.3)`, () => {
      assert.equal(acceptedCoding(header)?.[0], coding);
    });
  }

  test("takes linear time for spaces within a coding", () => {
    assertLinear((count) => void acceptedCoding(`a${" ".repeat(count)}b`), 4_000);
  });
});

test("createCompressor() compresses a text once, in a standard format", async () => {
  const compressed = createCompressor();
  const body = "a text, a text, a text é\n".repeat(100);
  const text = { path: "/a", body };
  const { body: packed, headers } = await compressed(text, "br");
  assert.deepEqual(headers, { vary: "Accept-Encoding", "content-encoding": "br" });
  assert.equal(brotliDecompressSync(new Uint8Array(packed as ArrayBuffer)).toString(), body);
  assert.equal((await compressed(text, "br")).body, packed);
  const zipped = (await compressed(text, "gzip")).body as ArrayBuffer;
  assert.equal(gunzipSync(new Uint8Array(zipped)).toString(), body);
  assert.deepEqual(await compressed(text, null), { body, headers: { vary: "Accept-Encoding" } });
});

describe("GET /assets/:hash/:name", () => {
  test("is compressed for clients that accept it, and decompresses to the same text", async () => {
    await using app = await createTestApp();
    const { path, body } = STYLE_SHEET.get();
    const ask = (headers: Record<string, string>) =>
      app.app(
        new Request(`http://localhost:3000${path}`, { headers: { host: "localhost:3000", ...headers } }),
        {
          clientAddress: "127.0.0.1",
        },
      );
    const plain = await ask({});
    assert.deepEqual([plain.headers.get("content-encoding"), plain.headers.get("vary")], [
      null,
      "Accept-Encoding",
    ]);
    assert.equal(await plain.text(), body);
    const packed = await ask({ "accept-encoding": "gzip, br" });
    assert.equal(packed.headers.get("content-encoding"), "br");
    assert.match(packed.headers.get("cache-control")!, /immutable/);
    const bytes = new Uint8Array(await packed.arrayBuffer());
    assert.equal(brotliDecompressSync(bytes).toString(), body);
    assert.ok(bytes.length < body.length / 4, `${bytes.length} of ${body.length}`);
  });

  test("pages are not compressed, because their length would reveal repeated content", async () => {
    await using app = await createTestApp();
    const answer = await app.client().get("/sign-in", { headers: { "accept-encoding": "gzip, br" } });
    assert.equal(answer.headers.get("content-encoding"), null);
  });
});
