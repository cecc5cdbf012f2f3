import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat, utf8 } from "../../src/lib/bytes.ts";
import { verifyAuthentication } from "../../src/webauthn/authentication.ts";
import { readAuthenticationResponse } from "../../src/webauthn/response.ts";
import { type AuthenticateTamper, createAuthenticator, newPrivateKey } from "../support/authenticator.ts";
import { authenticate, EXPECTED, ORIGIN, outcome, register, REQUEST, USER_HANDLE } from "./ceremony.ts";
import { derOf, P256_ORDER, scalarsOf } from "./der.ts";

const authenticator = createAuthenticator();
const credential = await register(authenticator);
const ed25519 = createAuthenticator({ algorithm: -8 });
const ed25519Credential = await register(ed25519);

type Row = readonly [what: string, tamper: Partial<AuthenticateTamper>, code: string];

function refuses(list: readonly Row[], by = authenticator, stored = credential): void {
  for (const [what, tamper, code] of list) {
    test(`verifyAuthentication() refuses ${what}`, async () => {
      assert.equal(await outcome(() => authenticate(by, stored, tamper)), code);
    });
  }
}

describe("verifyAuthentication(), ES256 signature (step 21, A.3 73, 74, T160)", () => {
  const n = P256_ORDER;
  const bent = (
    change: (r: bigint, s: bigint) => readonly [bigint, bigint],
  ): Partial<AuthenticateTamper> => ({
    signature: (honest) => derOf(...change(...scalarsOf(honest))),
  });
  const raw = (signature: Uint8Array): Uint8Array =>
    concat(
      ...scalarsOf(signature).map((scalar) => Uint8Array.fromHex(scalar.toString(16).padStart(64, "0"))),
    );
  const stranger = { algorithm: -7, privateKey: newPrivateKey(-7) } as const;
  refuses([
    ["a bit changed", { signature: (honest) => honest.with(20, honest[20]! ^ 1) }, "signature"],
    ["r and s side by side", { signature: raw }, "signature"],
    ["a byte behind the DER", { signature: (honest) => concat(honest, Uint8Array.of(0)) }, "signature"],
    ["a length in its long form", {
      signature: (honest) => concat(Uint8Array.of(0x30, 0x81, honest[1]!), honest.slice(2)),
    }, "signature"],
    ["an indefinite length", {
      signature: (honest) => concat(Uint8Array.of(0x30, 0x80), honest.slice(2), Uint8Array.of(0, 0)),
    }, "signature"],
    ["an integer with a needless zero", {
      signature: (honest) => {
        const length = honest[3]!;
        return concat(
          Uint8Array.of(0x30, honest[1]! + 1, 0x02, length + 1, 0),
          honest.slice(4),
        );
      },
    }, "signature"],
    ["r + n", bent((r, s) => [r + n, s]), "signature"],
    ["s + n", bent((r, s) => [r, s + n]), "signature"],
    ["r = 0", bent((_, s) => [0n, s]), "signature"],
    ["s = 0", bent((r) => [r, 0n]), "signature"],
    ["r = s = 0 (CVE-2022-21449)", bent(() => [0n, 0n]), "signature"],
    ["r = n", bent((_, s) => [n, s]), "signature"],
    ["s = n", bent((r) => [r, n]), "signature"],
    ["r = s = n", bent(() => [n, n]), "signature"],
    ["r = s = 1", bent(() => [1n, 1n]), "signature"],
    ["a negative s", bent((r, s) => [r, s - n]), "signature"],
    ["r and s swapped", bent((r, s) => [s, r]), "signature"],
    ["the signature of another key", { signWith: stranger }, "signature"],
    ["an Ed25519 signature", { signWith: { algorithm: -8, privateKey: newPrivateKey(-8) } }, "signature"],
    [
      "a signature over the authenticator data alone",
      { signedMessage: (honest) => honest.slice(0, 37) },
      "signature",
    ],
    [
      "a signature over the client data's hash alone",
      { signedMessage: (honest) => honest.slice(37) },
      "signature",
    ],
    ["a signature over nothing", { signedMessage: () => new Uint8Array() }, "signature"],
    [
      "a signature over the message and more",
      { signedMessage: (honest) => concat(honest, utf8("x")) },
      "signature",
    ],
    ["zeros", { signature: (honest) => honest.map(() => 0) }, "signature"],
  ]);

  test("accepts s in its high and its low form (A.3 74)", async () => {
    for (const low of [true, false]) {
      const tamper = bent((r, s) => [r, s * 2n < n === low ? s : n - s]);
      assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "accepted");
    }
  });

  test("refuses a signature over the client data instead of its hash", async () => {
    const clientDataJSON = utf8(
      JSON.stringify({ type: "webauthn.get", challenge: REQUEST.challenge, origin: ORIGIN }),
    );
    const tamper: Partial<AuthenticateTamper> = {
      clientDataJSON,
      signedMessage: (honest) => concat(honest.slice(0, 37), clientDataJSON),
    };
    assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "signature");
    const { signedMessage: _, ...honest } = tamper;
    assert.equal(await outcome(() => authenticate(authenticator, credential, honest)), "accepted");
  });

  test("refuses the signed bytes with anything changed after the signature", async () => {
    const json = await authenticator.authenticate(REQUEST, {
      origin: ORIGIN,
      credential: authenticator.credentials[0]!,
    });
    const response = readAuthenticationResponse(json);
    const expected = { ...EXPECTED, credential: { ...credential, userHandle: USER_HANDLE } };
    const { authenticatorData, clientDataJSON } = response;
    const data = { ...response, authenticatorData: authenticatorData.with(33, 1) };
    assert.equal(await outcome(() => verifyAuthentication(data, expected)), "signature");
    const client = { ...response, clientDataJSON: concat(clientDataJSON, utf8(" ")) };
    assert.equal(await outcome(() => verifyAuthentication(client, expected)), "signature");
    assert.equal(await outcome(() => verifyAuthentication(response, expected)), "accepted");
  });
});

describe("verifyAuthentication(), Ed25519 signature (A.3 76)", () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const little = (bytes: Uint8Array): bigint => BigInt("0x" + bytes.toReversed().toHex());
  const plusOrder = (signature: Uint8Array): Uint8Array => {
    const s = little(signature.slice(32)) + order;
    return concat(signature.slice(0, 32), Uint8Array.fromHex(s.toString(16).padStart(64, "0")).toReversed());
  };
  refuses(
    [
      ["S + L", { signature: plusOrder }, "signature"],
      ["63 bytes", { signature: (honest) => honest.slice(0, 63) }, "signature"],
      ["65 bytes", { signature: (honest) => concat(honest, Uint8Array.of(0)) }, "signature"],
      ["a bit of R changed", { signature: (honest) => honest.with(0, honest[0]! ^ 1) }, "signature"],
      ["a bit of S changed", { signature: (honest) => honest.with(40, honest[40]! ^ 1) }, "signature"],
      ["zeros", { signature: () => new Uint8Array(64) }, "signature"],
      ["an ES256 signature", { signWith: { algorithm: -7, privateKey: newPrivateKey(-7) } }, "signature"],
    ],
    ed25519,
    ed25519Credential,
  );
});
