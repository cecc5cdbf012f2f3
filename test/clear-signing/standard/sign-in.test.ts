import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSiweMessage } from "viem/siwe";
import { readSignIn } from "../../../src/clear-signing/standard/sign-in.ts";
import { SIGNER } from "../documents.ts";

const BASE = {
  address: SIGNER,
  chainId: 1,
  domain: "example.com:8080",
  nonce: "32891756abcdef",
  uri: "https://example.com:8080/login",
  version: "1",
  issuedAt: new Date("2021-09-30T16:25:24.000Z"),
} as const;

/** Returns a message of viem with these members. */
function write(more: object = {}): string {
  return createSiweMessage({ ...BASE, ...more } as never);
}

describe("readSignIn()", () => {
  test("readSignIn() reads what viem writes, with every optional member", () => {
    const message = readSignIn(write({
      scheme: "https",
      statement: "I accept the Terms of Service: https://example.com/tos",
      expirationTime: new Date("2021-10-01T16:25:24.000Z"),
      notBefore: new Date("2021-09-30T16:25:24.000Z"),
      requestId: "some-id",
      resources: [
        "ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/",
        "https://example.com/my-web2-claim.json",
      ],
    }));
    assert.deepEqual(message, {
      scheme: "https",
      domain: "example.com:8080",
      address: SIGNER,
      statement: "I accept the Terms of Service: https://example.com/tos",
      uri: "https://example.com:8080/login",
      chainId: "1",
      nonce: "32891756abcdef",
      issuedAt: Date.parse("2021-09-30T16:25:24.000Z"),
      expirationTime: Date.parse("2021-10-01T16:25:24.000Z"),
      notBefore: Date.parse("2021-09-30T16:25:24.000Z"),
      requestId: "some-id",
      resources: [
        "ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/",
        "https://example.com/my-web2-claim.json",
      ],
    });
  });

  test("readSignIn() reads a message without optional members", () => {
    const message = readSignIn(write());
    assert.equal(message?.statement, undefined);
    assert.equal(message?.resources, undefined);
    assert.deepEqual(readSignIn(write() + "\nResources:")?.resources, []);
  });

  const times: readonly (readonly [written: string, instant: string | undefined])[] = [
    ["2021-09-30T18:25:24+02:00", "2021-09-30T16:25:24Z"],
    ["2021-09-30T16:25:24.123456Z", "2021-09-30T16:25:24Z"],
    ["2021-02-30T16:25:24Z", undefined],
    ["2021-09-30T16:25:24", undefined],
    ["2021-09-30 16:25:24Z", undefined],
    ["2021-09-30T16:25:24+24:00", undefined],
    ["2021-09-30", undefined],
  ];
  for (const [written, instant] of times) {
    test(`readSignIn() reads ${written} as ${instant ?? "no time"}`, () => {
      const message = readSignIn(write().replace("2021-09-30T16:25:24.000Z", written));
      assert.equal(message?.issuedAt, instant === undefined ? undefined : Date.parse(instant));
    });
  }

  const broken: readonly (readonly [what: string, from: string | RegExp, to: string])[] = [
    ["another phrase", "wants you to", "wants You to"],
    ["a user in the domain", "example.com:8080 wants", "login@example.com wants"],
    ["a path in the domain", "example.com:8080 wants", "example.com/login wants"],
    ["a domain that is not ASCII", "example.com:8080 wants", "exаmple.com wants"],
    ["an address without its checksum", SIGNER, SIGNER.toLowerCase()],
    ["no blank line", "\n\n\n", "\n\n"],
    ["two statements", "\n\n\n", "\n\nOne\nTwo\n\n"],
    ["a statement that is not ASCII", "\n\n\n", "\n\nCafé\n\n"],
    ["a statement with a tab", "\n\n\n", "\n\nA\tB\n\n"],
    ["another version", "Version: 1", "Version: 2"],
    ["a chain in hex", "Chain ID: 1", "Chain ID: 0x1"],
    ["a chain with a leading zero", "Chain ID: 1", "Chain ID: 01"],
    ["a short nonce", "32891756abcdef", "1234567"],
    ["a nonce with a mark", "32891756abcdef", "32891756-bcdef"],
    ["no URI", "URI: https://example.com:8080/login\n", ""],
    ["a URI with a blank", "8080/login\n", "8080/lo gin\n"],
    ["another order", "Version: 1\nChain ID: 1", "Chain ID: 1\nVersion: 1"],
    ["a carriage return", "Version: 1\n", "Version: 1\r\n"],
    ["a line more", /$/, "\n"],
    ["an unknown line", /$/, "\nExtra: 1"],
    ["a resource that is no URI", /$/, "\nResources:\n- nothing"],
    ["a resource without its dash", /$/, "\nResources:\nhttps://example.com"],
    ["a request id with a blank", /$/, "\nRequest ID: a b"],
    [
      "times in another order",
      /$/,
      "\nNot Before: 2021-09-30T16:25:24Z\nExpiration Time: 2021-09-30T16:25:24Z",
    ],
  ];
  for (const [what, from, to] of broken) {
    test(`readSignIn() does not accept a message with ${what}`, () => {
      const text = write();
      const changed = text.replace(from, to);
      assert.notEqual(changed, text);
      assert.equal(readSignIn(changed), undefined);
    });
  }
});
