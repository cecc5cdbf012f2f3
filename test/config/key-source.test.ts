import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import { readKeySource } from "../../src/config/key-source.ts";
import { toBase64url } from "../../src/lib/bytes.ts";

const KEY = toBase64url(Uint8Array.from({ length: 32 }, (_, index) => index));

test("readKeySource() reads each source with and without its detail", () => {
  assert.deepEqual(readKeySource("configured"), { name: "configured" });
  assert.deepEqual(readKeySource("simulated"), { name: "simulated" });
  assert.deepEqual(readKeySource("file:/a:b"), { name: "file", path: "/a:b" });
  assert.deepEqual(readKeySource("dstack"), { name: "dstack", socket: undefined });
  assert.deepEqual(readKeySource(`broker:https://b.example#${KEY}`), {
    name: "broker",
    broker: { url: "https://b.example", publicKey: Uint8Array.from({ length: 32 }, (_, index) => index) },
  });
});

test("readKeySource() refuses any other text", () => {
  const wrong = [
    "",
    "file:",
    "FILE:/x",
    "toString",
    "recovery",
    "configured:x",
    "simulated:x",
    "broker:https://b.example",
    `broker:https://b.example/path#${KEY}`,
    `broker:ftp://b.example#${KEY}`,
    `broker:https://b.example#${toBase64url(new Uint8Array(32))}`,
  ];
  for (const text of wrong) assert.equal(readKeySource(text), undefined, text);
});

test("SEAL_SOURCES is refused with a source that no start can use", () => {
  for (const text of ["configured", "recovery", "file:/a,,file:/b", "file:/a,nowhere"]) {
    assert.throws(() => readConfig({ SEAL_SOURCES: text }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.faults.join(), /SEAL_SOURCES must be sources separated by commas/);
      return true;
    });
  }
});
