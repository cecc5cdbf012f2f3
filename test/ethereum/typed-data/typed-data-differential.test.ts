import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LIBRARIES, ourDigest } from "../libraries.ts";
import { documents } from "./typed-data-documents.ts";
import { runs } from "../../support/share.ts";

const SIZES = Array.from({ length: 32 }, (_, index) => index + 1);

/** A value of each atomic type of EIP-712. */
const EVERY_TYPE: Readonly<Record<string, unknown>> = {
  address: "0x" + "11".repeat(20),
  bool: true,
  string: "text",
  bytes: "0x0102",
  ...Object.fromEntries(SIZES.flatMap((size) => [
    [`bytes${size}`, "0x" + "fe".repeat(size)],
    [`uint${8 * size}`, "255"],
    [`int${8 * size}`, "-128"],
  ])),
};

describe("hashTypedData() compared with other libraries", () => {
  test("hashTypedData() agrees with viem, ethers and eth-sig-util on a document with each atomic type", () => {
    const members = Object.keys(EVERY_TYPE).map((type) => ({ name: `of_${type}`, type }));
    const document = {
      types: { EIP712Domain: [{ name: "name", type: "string" }], Every: members },
      primaryType: "Every",
      domain: { name: "Each atomic type" },
      message: Object.fromEntries(members.map(({ name, type }) => [name, EVERY_TYPE[type]])),
    };
    assert.equal(members.length, 100);
    const digest = ourDigest(document as never);
    for (const [name, hash] of Object.entries(LIBRARIES)) assert.equal(hash(document as never), digest, name);
  });

  test("hashTypedData() agrees with viem, ethers and eth-sig-util when 2,000 ordinary documents are random", {
    timeout: 240_000,
  }, () => {
    fc.assert(
      fc.property(documents("without-recursion"), (document) => {
        const digest = ourDigest(document);
        for (const [name, hash] of Object.entries(LIBRARIES)) {
          assert.equal(hash(document as never), digest, name);
        }
      }),
      runs(2_000, 712),
    );
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
