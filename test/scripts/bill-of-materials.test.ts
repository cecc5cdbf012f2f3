import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { writeBillOfMaterials } from "../../scripts/bill-of-materials.ts";
import type { Lock } from "../../scripts/bill-of-materials.ts";

const integrity = `sha512-${Buffer.alloc(64, 7).toString("base64")}`;
/** Two packages that depend on a third, each on its own version. */
const LOCK: Lock = {
  packages: {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.0.0", integrity, license: "MIT", dependencies: { shared: "^1" } },
    "node_modules/@scope/b": { version: "2.0.0", integrity, dependencies: { shared: "^2", absent: "*" } },
    "node_modules/shared": { version: "1.1.0", integrity, license: "(MIT OR Apache-2.0)" },
    "node_modules/@scope/b/node_modules/shared": { version: "2.2.0", integrity },
    "node_modules/unused": { version: "1.0.0", integrity },
    "node_modules/runtime": { version: "9.0.0", integrity },
    "node_modules/unlocked": { version: "1.0.0" },
  },
};
const BUNDLED = [
  "node_modules/shared",
  "node_modules/a",
  "node_modules/@scope/b",
  "node_modules/@scope/b/node_modules/shared",
];

function write(bundled: readonly string[] = BUNDLED, runtimes = ["node_modules/runtime"]): string {
  return writeBillOfMaterials(LOCK, { name: "it", version: "1.0.0", bundled, runtimes });
}

describe("writeBillOfMaterials()", () => {
  test("lists the bundled packages and the runtime, each with its version, license and hash, and nothing else", () => {
    const { bomFormat, specVersion, components } = JSON.parse(write());
    assert.deepEqual([bomFormat, specVersion], ["CycloneDX", "1.6"]);
    assert.deepEqual(components.map(({ purl, type }: { purl: string; type: string }) => [purl, type]), [
      ["pkg:npm/%40scope/b@2.0.0", "library"],
      ["pkg:npm/shared@2.2.0", "library"],
      ["pkg:npm/a@1.0.0", "library"],
      ["pkg:npm/shared@1.1.0", "library"],
      ["pkg:npm/runtime@9.0.0", "platform"],
    ]);
    assert.deepEqual(components[2].licenses, [{ license: { id: "MIT" } }]);
    assert.deepEqual(components[3].licenses, [{ expression: "(MIT OR Apache-2.0)" }]);
    assert.deepEqual(components[0].hashes, [{ alg: "SHA-512", content: "07".repeat(64) }]);
  });

  test("states the version that each package depends on", () => {
    const { dependencies } = JSON.parse(write());
    const of = (ref: string): readonly string[] =>
      dependencies.find((one: { ref: string }) => one.ref === ref).dependsOn;
    assert.deepEqual(of("pkg:npm/a@1.0.0"), ["pkg:npm/shared@1.1.0"]);
    assert.deepEqual(of("pkg:npm/%40scope/b@2.0.0"), ["pkg:npm/shared@2.2.0"]);
    assert.equal(of("pkg:generic/it@1.0.0").length, 5);
  });

  test("is the same text for the same packages in any order, and has another serial number for others", () => {
    assert.equal(write(), write(BUNDLED.toReversed()));
    const numberOf = (text: string): string => JSON.parse(text).serialNumber;
    assert.match(
      numberOf(write()),
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.notEqual(numberOf(write()), numberOf(write(BUNDLED.slice(1))));
  });

  test("refuses a package that the lock file lacks, or has no SHA-512 for", () => {
    assert.throws(() => write(["node_modules/nowhere"]), /the lock does not have it/);
    assert.throws(() => write(["node_modules/unlocked"]), /no SHA-512/);
  });

  test("covers every package of the project's lock file for a release", () => {
    const lock = JSON.parse(
      readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"),
    ) as Lock;
    const runtimes = ["node_modules/@oven/bun-linux-x64", "node_modules/@oven/bun-linux-aarch64"];
    const manifest = lock.packages[""]!.dependencies!;
    const bundled = Object.keys(manifest).filter((name) => name !== "bun").map((name) =>
      `node_modules/${name}`
    );
    const { components } = JSON.parse(
      writeBillOfMaterials(lock, { name: "holdfast", version: "0", bundled, runtimes }),
    );
    assert.equal(components.length, bundled.length + 2);
  });
});
