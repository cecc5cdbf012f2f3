import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashAuthorization as ethersHash } from "ethers";
import fc from "fast-check";
import { hashAuthorization as viemHash } from "viem/utils";
import {
  authorizationDigest,
  readAuthorization,
  showAuthorization,
} from "../../../src/ethereum/transaction/authorization-tuple.ts";
import { toHex } from "../../../src/lib/bytes.ts";
import { type Refusal, refusesAuthorizations, TO, without } from "./refusing.ts";
import { runs } from "../../support/share.ts";

const GOOD = { chainId: 1, address: TO, nonce: 0 };
const SIGNED = /^Already signed: send the authorization without its signature$/;

refusesAuthorizations("what is no unsigned authorization for one chain", [
  ["it is null", null, "", /^Expected an object$/],
  ["it is the tuple as a list", [1, TO, 0], "", /^Expected an object$/],
  ["the chain id is 0, which is every chain", { ...GOOD, chainId: 0 }, "/chainId", /^Too small: at least 1$/],
  ["the chain id is 0x0", { ...GOOD, chainId: "0x0" }, "/chainId", /^Too small: at least 1$/],
  [
    "the chain id is missing",
    without(GOOD, "chainId"),
    "/chainId",
    /would be valid on every chain \(EIP-7702\)$/,
  ],
  ["the address is missing", without(GOOD, "address"), "/address", /^Missing member "address"$/],
  [
    "the nonce is missing",
    without(GOOD, "nonce"),
    "/nonce",
    /^Missing member "nonce": the service does not query a chain/,
  ],
  ["the address is null", { ...GOOD, address: null }, "/address", /^Expected an address/],
  [
    "the address has a wrong checksum",
    { ...GOOD, address: TO.replace("A", "a") },
    "/address",
    /^Wrong checksum/,
  ],
  ["the nonce is 2^64 - 1", { ...GOOD, nonce: "0xffffffffffffffff" }, "/nonce", /^Too large/],
  ["the nonce is beyond 2^53", { ...GOOD, nonce: 2 ** 53 }, "/nonce", /^Number beyond 2\^53/],
  [
    "a member is unknown",
    { ...GOOD, contractAddress: TO },
    "/contractAddress",
    /^Unknown member "contractAddress"/,
  ],
  ...["r", "s", "v", "yParity", "signature"].map((name): Refusal => [
    `it is signed: ${name}`,
    { ...GOOD, [name]: "0x1" },
    `/${name}`,
    SIGNED,
  ]),
]);

describe("authorizationDigest()", () => {
  test("authorizationDigest() agrees with viem and ethers when 5,000 authorizations are random", () => {
    const authorizations = fc.record({
      chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      address: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes) as `0x${string}`),
      nonce: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    });
    fc.assert(
      fc.property(authorizations, (authorization) => {
        const ours = readAuthorization(authorization);
        const digest = toHex(authorizationDigest(ours));
        assert.equal(digest, viemHash(authorization));
        assert.equal(digest, ethersHash(authorization));
        assert.deepEqual(readAuthorization(showAuthorization(ours)), ours);
      }),
      runs(5_000, 7702),
    );
  });

  test("authorizationDigest() accepts the address that ends a delegation, and integers beyond 2^53", () => {
    const zeroAddress = "0x" + "00".repeat(20);
    const authorization = readAuthorization({
      chainId: "9007199254740993",
      address: zeroAddress,
      nonce: "0x20000000000001",
    });
    assert.equal(authorization.chainId, 9_007_199_254_740_993n);
    const digest = ethersHash({
      chainId: 9_007_199_254_740_993n,
      address: zeroAddress,
      nonce: 0x20000000000001n,
    });
    assert.equal(toHex(authorizationDigest(authorization)), digest);
  });
});
