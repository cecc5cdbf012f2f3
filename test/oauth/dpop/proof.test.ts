import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { ProofError } from "../../../src/oauth/dpop/proof-key.ts";
import { PROOF_WINDOW, verifyProof } from "../../../src/oauth/dpop/proof.ts";
import type { KnownProofHeaders, Proof, ProofExpectations } from "../../../src/oauth/dpop/proof.ts";
import { importVerifier } from "../../../src/runtime/crypto.ts";
import { createProver, hashOf } from "../../support/dpop.ts";
import type { ProofClaims, Prover } from "../../support/dpop.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const TARGET = new URL("https://keys.example.org/api/keys/key_1/sign?a=b");
const TOKEN = "a-token";
const NONCE_END = NOW + 60_000;

const RIGHT = {
  htm: "POST",
  htu: "https://keys.example.org/api/keys/key_1/sign",
  iat: NOW / 1000,
  ath: hashOf(TOKEN),
  nonce: "present",
};

function questionOf(header: string | null, change: Partial<ProofExpectations> = {}): ProofExpectations {
  return {
    header,
    method: "POST",
    target: TARGET,
    accessToken: TOKEN,
    boundTo: undefined,
    importVerifier,
    endOfNonce: (nonce) => nonce === "present" ? NONCE_END : undefined,
    now: NOW,
    ...change,
  };
}

function verify(proof: string | null, change: Partial<ProofExpectations> = {}): Proof {
  return verifyProof(new Map(), questionOf(proof, change));
}

/** Returns the fault of a proof. Fails if there is none. */
function faultOf(proof: string | null, change: Partial<ProofExpectations> = {}): ProofError {
  try {
    verify(proof, change);
  } catch (error) {
    assert.ok(error instanceof ProofError, String(error));
    return error;
  }
  assert.fail("The proof was taken");
}

function refused(proof: string | null, message: RegExp, change?: Partial<ProofExpectations>): void {
  const fault = faultOf(proof, change);
  assert.equal(fault.code, "invalid_dpop_proof");
  assert.match(fault.message, message);
}

const prover = await createProver();

/** Creates a proof with one wrong claim. */
function wrong(claims: ProofClaims): Promise<string> {
  return prover.prove({ ...RIGHT, ...claims });
}

describe("verifyProof() accepts", () => {
  for (const algorithm of ["ES256", "EdDSA", "Ed25519"] as const) {
    test(`a proof by ${algorithm}, and returns its thumbprint`, async () => {
      const other = await createProver(algorithm);
      const proof = verify(await other.prove({ ...RIGHT, jti: "one" }), { boundTo: other.jkt });
      assert.deepEqual(proof, { jkt: other.jkt, id: "one", endsAt: NONCE_END });
    });
  }

  test("a proof by oauth4webapi, with either kind of key", async () => {
    for (const algorithm of ["ES256", "Ed25519"]) {
      const keys = await oauth.generateKeyPair(algorithm);
      const handle = oauth.DPoP({}, keys);
      let sent: string | null = null;
      await oauth.protectedResourceRequest(TOKEN, "POST", TARGET, undefined, undefined, {
        DPoP: handle,
        [oauth.customFetch]: (_url: string, { headers }: { headers: Record<string, string> }) => {
          sent = headers["dpop"]!;
          return Promise.resolve(new Response(null));
        },
      });
      const fault = faultOf(sent, { now: Date.now() });
      assert.equal(fault.code, "use_dpop_nonce");
    }
  });

  test("an htu in another spelling (RFC 3986 sections 6.2.2 and 6.2.3)", async () => {
    for (
      const htu of [
        "HTTPS://Keys.Example.ORG/api/keys/key_1/sign",
        "https://keys.example.org:443/api/keys/key_1/sign",
        "https://keys.example.org/api/./keys/x/../key_1/sign",
        "https://keys.example.org/api/keys/key_1/sign?x=y#z",
      ]
    ) verify(await wrong({ htu }));
  });

  test("an iat at both ends of its window", async () => {
    for (const offset of [-PROOF_WINDOW, PROOF_WINDOW]) {
      verify(await wrong({ iat: (NOW + offset) / 1000 }));
    }
  });

  test("a proof without ath without a token", async () => {
    verify(await wrong({ ath: undefined }), { accessToken: undefined });
  });

  test("the same header again, whose key is cached", async () => {
    const known: KnownProofHeaders = new Map();
    for (let count = 0; count < 3; count++) verifyProof(known, questionOf(await wrong({})));
    assert.equal(known.size, 1);
  });
});

describe("RFC 9449 section 4.3: verifyProof() refuses", () => {
  test("no proof (point 1)", () => {
    refused(null, /Send a DPoP proof/);
    refused("", /Send a DPoP proof/);
  });

  test("two headers (point 1)", async () => {
    refused(`${await wrong({})}, ${await wrong({})}`, /one DPoP header/);
  });

  test("anything but a JWT (point 2)", async () => {
    for (const text of ["a", "a.b", "a.b.c", "a.b.c.d", ".."]) refused(text, /not a JWT/);
    const [, payload, signature] = (await wrong({})).split(".");
    refused(`${btoa("[]").replaceAll("=", "")}.${payload}.${signature}`, /not a JWT/);
    refused("a".repeat(5000), /not a JWT/);
  });

  test("missing claims (point 3)", async () => {
    for (const claim of ["htm", "htu", "iat", "jti"]) {
      refused(await wrong({ [claim]: undefined }), new RegExp(`proof's ${claim} must`));
    }
  });

  test("another typ (point 4)", async () => {
    for (const typ of ["JWT", "at+jwt", undefined]) {
      refused(await prover.prove(RIGHT, { typ }), /typ must be dpop\+jwt/);
    }
  });

  test("no or another algorithm, also symmetric ones (point 5)", async () => {
    const secret = new Uint8Array(32);
    const header = { typ: "dpop+jwt", alg: "HS256", jwk: prover.jwk };
    refused(
      await new SignJWT(RIGHT).setProtectedHeader(header).sign(secret),
      /alg must be one of ES256/,
    );
    const [, payload] = (await wrong({})).split(".");
    const none = toPart({ typ: "dpop+jwt", alg: "none", jwk: prover.jwk });
    refused(`${none}.${payload}.`, /alg must be one of/);
  });

  test("an algorithm that is not the key's", async () => {
    const other = await createProver("EdDSA");
    refused(await prover.prove(RIGHT, { jwk: other.jwk }), /alg must be of its key/);
  });

  test("an extension that it must understand (RFC 7515 section 4.1.11)", async () => {
    const [, payload, signature] = (await wrong({})).split(".");
    const header = toPart({ typ: "dpop+jwt", alg: "ES256", jwk: prover.jwk, crit: ["exp"], exp: 1 });
    refused(`${header}.${payload}.${signature}`, /no crit/);
  });

  test("a signature by another key, of another text, or none (point 6)", async () => {
    const other = await createProver();
    refused(await prover.prove(RIGHT, { jwk: other.jwk }), /signature is wrong/);
    const [header, payload, signature] = (await wrong({})).split(".");
    const [, another] = (await wrong({})).split(".");
    refused(`${header}.${another}.${signature}`, /signature is wrong/);
    refused(`${header}.${payload}.`, /signature is wrong/);
    refused(`${header}.${payload}.${"A".repeat(86)}`, /signature is wrong/);
  });

  test("a key with its private half (point 7)", async () => {
    const jwk = { ...prover.jwk, d: "A".repeat(43) };
    refused(await prover.prove(RIGHT, { jwk }), /public key alone/);
  });

  test("no key, one of another curve, one that is off its curve, and a symmetric one", async () => {
    for (
      const jwk of [undefined, null, [], "key", { kty: "EC", crv: "P-384", x: "a", y: "b" }, { kty: "EC" }]
    ) {
      refused(await prover.prove(RIGHT, { jwk }), /public key on P-256 or Ed25519/);
    }
    const off = { ...prover.jwk, y: prover.jwk.x };
    refused(await prover.prove(RIGHT, { jwk: off }), /point of its curve|signature is wrong/);
    refused(await prover.prove(RIGHT, { jwk: { kty: "oct", k: "AAAA" } }), /public key alone/);
  });

  test("a proof for another method (point 8)", async () => {
    for (const htm of ["GET", "post", ["POST"]]) refused(await wrong({ htm }), /htm must/);
  });

  test("a proof for another address (point 9)", async () => {
    for (
      const htu of [
        "https://keys.example.org/api/keys/key_2/sign",
        "https://keys.example.org/api/keys/key_1/sign/",
        "https://keys.example.net/api/keys/key_1/sign",
        "http://keys.example.org/api/keys/key_1/sign",
        "https://keys.example.org:8443/api/keys/key_1/sign",
        "https://me@keys.example.org/api/keys/key_1/sign",
        "/api/keys/key_1/sign",
        ["https://keys.example.org/api/keys/key_1/sign"],
      ]
    ) refused(await wrong({ htu }), /htu must/);
  });

  test("an old proof, one from the future, and an invalid time (point 11)", async () => {
    const just = PROOF_WINDOW + 1;
    for (const iat of [(NOW - just) / 1000, (NOW + just) / 1000, NOW, `${NOW / 1000}`, null]) {
      refused(await wrong({ iat }), /iat must/);
    }
  });

  test("a proof for another token, and one for none (point 12)", async () => {
    for (const ath of [hashOf("another-token"), undefined, TOKEN]) {
      refused(await wrong({ ath }), /ath must/);
    }
  });

  test("a proof by another key than the token's (point 12)", async () => {
    const other = await createProver();
    refused(await wrong({}), /the one that the token is bound to/, { boundTo: other.jkt });
  });

  test("a jti that is empty, not a string, or too long", async () => {
    for (const jti of ["", 1, "a".repeat(257)]) refused(await wrong({ jti }), /jti must/);
  });

  test("no nonce or an old one: it is requested if the proof is otherwise valid (point 10)", async () => {
    for (const nonce of [undefined, "old", 7]) {
      assert.equal((faultOf(await wrong({ nonce }))).code, "use_dpop_nonce");
      refused(await wrong({ nonce, htm: "GET" }), /htm must/);
    }
  });
});

test("a fault's message fits into a quoted string of a header, and contains nothing of the proof", async () => {
  const marked: Prover = prover;
  for (
    const claims of [{ htm: "<marked>" }, { htu: "<marked>" }, { jti: "<marked>".repeat(40) }, {
      ath: "<marked>",
    }]
  ) {
    const { message } = faultOf(await marked.prove({ ...RIGHT, ...claims }));
    assert.match(message, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
    assert.doesNotMatch(message, /marked/);
  }
});

function toPart(value: object): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
