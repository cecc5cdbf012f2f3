import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LIBRARIES, ourDigest } from "../libraries.ts";
import { documents } from "./typed-data-documents.ts";
import { runs } from "../../support/share.ts";

describe("hashTypedData() beside other libraries", () => {
  test("hashTypedData() agrees with viem, ethers and eth-sig-util when 2,000 ordinary documents are random", {
    timeout: 240_000,
  }, () => {
    const atomic = new Set<string>();
    fc.assert(
      fc.property(documents("without-recursion"), (document) => {
        const digest = ourDigest(document);
        for (const { type } of Object.values(document.types).flat()) atomic.add(type.replace(/\[.*/, ""));
        for (const [name, hash] of Object.entries(LIBRARIES)) {
          assert.equal(hash(document as never), digest, name);
        }
      }),
      runs(2_000, 712),
    );
    for (const name of ["address", "bool", "string", "bytes"]) assert.ok(atomic.has(name), name);
    for (let size = 1; size <= 32; size++) {
      for (const name of [`bytes${size}`, `uint${8 * size}`, `int${8 * size}`]) {
        assert.ok(atomic.has(name), name);
      }
    }
  });

  test(
    "hashTypedData() agrees with itself and ethers when EIP712Domain is left out of 500 random documents",
    {
      timeout: 60_000,
    },
    () => {
      fc.assert(
        fc.property(documents("without-recursion"), (document) => {
          const { EIP712Domain: _, ...types } = document.types;
          assert.equal(ourDigest({ ...document, types }), ourDigest(document));
          assert.equal(LIBRARIES.ethers({ ...document, types } as never), ourDigest(document));
        }),
        runs(500, 191),
      );
    },
  );

  test(
    "hashTypedData() agrees with eth-sig-util when 500 random documents contain themselves and end with null",
    {
      timeout: 60_000,
    },
    () => {
      fc.assert(
        fc.property(documents("with-recursion"), (document) => {
          assert.equal(LIBRARIES["eth-sig-util"](document as never), ourDigest(document));
        }),
        runs(500, 55),
      );
    },
  );
});
