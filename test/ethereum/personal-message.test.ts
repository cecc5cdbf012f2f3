import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashMessage as ethersHash } from "ethers";
import fc from "fast-check";
import { hashMessage as viemHash } from "viem";
import {
  personalBytesDigest,
  personalMessageDigest,
  PersonalMessageError,
} from "../../src/ethereum/personal-message.ts";
import { toHex, utf8 } from "../../src/lib/bytes.ts";
import { runs } from "../support/share.ts";

describe("personalMessageDigest()", () => {
  const known: readonly (readonly [text: string, digest: string])[] = [
    ["", "0x5f35dce98ba4fba25530a026ed80b2cecdaa31091ba4958b99b52ea1d068adad"],
    ["hello", "0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750"],
    ["Hello World", "0xa1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2"],
  ];
  for (const [text, digest] of known) {
    test(`personalMessageDigest() returns the known digest when given ${JSON.stringify(text)}`, () => {
      assert.equal(toHex(personalMessageDigest(text)), digest);
    });
  }

  test("personalMessageDigest() hashes a text that looks like hex as text", () => {
    for (const text of ["0x", "0x68656c6c6f", "0x123", "0xZZ", "deadbeef"]) {
      assert.equal(toHex(personalMessageDigest(text)), ethersHash(text), text);
    }
    assert.notDeepEqual(personalMessageDigest("0x68656c6c6f"), personalMessageDigest("hello"));
  });

  test("personalMessageDigest() counts bytes, not characters, when the text is not ASCII", () => {
    for (const text of ["é", "e\u0301", "名前", "😀", "\u0000", "\ufeffx"]) {
      assert.equal(toHex(personalMessageDigest(text)), ethersHash(text), text);
    }
  });

  test("personalMessageDigest() agrees with viem and ethers when the text is any well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const digest = toHex(personalMessageDigest(text));
        assert.equal(digest, viemHash(text));
        assert.equal(digest, ethersHash(text));
      }),
      runs(300, 190),
    );
  });

  test("personalMessageDigest() throws its coded error for a lone surrogate", () => {
    for (const text of ["\ud800", "a\udc00b", "\udc00\ud800"]) {
      assert.throws(
        () => personalMessageDigest(text),
        (error) => error instanceof PersonalMessageError && error.code === "ill_formed_text",
      );
    }
  });
});

describe("personalBytesDigest()", () => {
  test("personalBytesDigest() agrees with viem's raw messages and ethers' bytes when the bytes are random", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
        const digest = toHex(personalBytesDigest(message));
        assert.equal(digest, viemHash({ raw: message }));
        assert.equal(digest, ethersHash(message));
      }),
      runs(300, 191),
    );
  });

  test("personalBytesDigest() returns the digest of a text for its bytes", () => {
    assert.deepEqual(personalBytesDigest(utf8("grüße")), personalMessageDigest("grüße"));
  });
});
