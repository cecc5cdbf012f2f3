import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { creationOptions, requestOptions } from "../../src/webauthn/options.ts";

const CHALLENGE = Uint8Array.fromHex("fbff00112233445566778899aabbccddeeff00112233445566778899aabbccdd");
const VALUES = {
  rpId: "example.org",
  rpName: "Example",
  challenge: CHALLENGE,
  userHandle: utf8("0123456789abcdef"),
  userName: "ada@example.org",
  displayName: "Ada",
  excludeCredentials: [],
  timeout: 300_000,
};

describe("options", () => {
  test("creationOptions() requests a verified, discoverable credential without attestation (A.2 48)", () => {
    assert.deepEqual(creationOptions(VALUES), {
      rp: { id: "example.org", name: "Example" },
      user: { id: "MDEyMzQ1Njc4OWFiY2RlZg", name: "ada@example.org", displayName: "Ada" },
      challenge: "-_8AESIzRFVmd4iZqrvM3e7_ABEiM0RVZneImaq7zN0",
      pubKeyCredParams: [
        { type: "public-key", alg: -7 },
        { type: "public-key", alg: -8 },
        { type: "public-key", alg: -257 },
      ],
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
      attestation: "none",
    });
  });

  test("creationOptions() excludes every given credential with its transports (A.2 57)", () => {
    const excludeCredentials = [
      { id: Uint8Array.of(0xfb, 0xff), transports: ["internal", "hybrid"] },
      { id: Uint8Array.of(1), transports: [] },
    ];
    assert.deepEqual(creationOptions({ ...VALUES, excludeCredentials }).excludeCredentials, [
      { type: "public-key", id: "-_8", transports: ["internal", "hybrid"] },
      { type: "public-key", id: "AQ", transports: [] },
    ]);
  });

  test("requestOptions() requests any discoverable credential with user verification", () => {
    const values = { rpId: "example.org", challenge: CHALLENGE, allowCredentials: [], timeout: 60_000 };
    assert.deepEqual(requestOptions(values), {
      challenge: toBase64url(CHALLENGE),
      timeout: 60_000,
      rpId: "example.org",
      allowCredentials: [],
      userVerification: "required",
    });
  });

  test("requestOptions() requests one of the given credentials, with their transports", () => {
    const allowCredentials = [{ id: Uint8Array.of(1), transports: ["usb"] }];
    const values = { rpId: "example.org", challenge: CHALLENGE, allowCredentials, timeout: 60_000 };
    assert.deepEqual(requestOptions(values).allowCredentials, [
      { type: "public-key", id: "AQ", transports: ["usb"] },
    ]);
  });

  test("both can be serialised as JSON", () => {
    const creation = creationOptions(VALUES);
    assert.deepEqual(JSON.parse(JSON.stringify(creation)), creation);
    const values = { rpId: "example.org", challenge: CHALLENGE, allowCredentials: [], timeout: 60_000 };
    const request = requestOptions(values);
    assert.deepEqual(JSON.parse(JSON.stringify(request)), request);
  });
});
