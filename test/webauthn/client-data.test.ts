import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat, utf8 } from "../../src/lib/bytes.ts";
import { createAuthenticator, type Tamper } from "../support/authenticator.ts";
import { authenticate, CREATION, EXPECTED, ORIGIN, outcome, register } from "./ceremony.ts";

const CHALLENGE = CREATION.challenge;
const authenticator = createAuthenticator();
const credential = await register(authenticator);

/** Each row runs in both ceremonies. */
interface Row {
  readonly what: string;
  readonly tamper: Partial<Tamper>;
  readonly code: string;
}

function rows(code: string, list: readonly (readonly [string, Partial<Tamper>])[]): readonly Row[] {
  return list.map(([what, tamper]) => ({ what, tamper, code }));
}

function member(name: string, values: readonly (readonly [string, unknown])[]): [string, Partial<Tamper>][] {
  return values.map(([what, value]) => [`${name} is ${what}`, { clientData: { [name]: value } }]);
}

/** Returns client data with the given members appended to the valid ones. */
function text(type: string, tail: string): Uint8Array {
  const start = JSON.stringify({ type, challenge: CHALLENGE, origin: ORIGIN, crossOrigin: false });
  return utf8(start.slice(0, -1) + tail + "}");
}

const REFUSED: readonly Row[] = [
  ...rows(
    "type",
    member("type", [ // A.2 17
      ["missing", undefined],
      ["empty", ""],
      ["a number", 0],
      ["null", null],
      ["payment.get (A.3 63)", "payment.get"],
      ["in another case", "WebAuthn.Create"],
      ["followed by a space", "webauthn.create "],
      ["an array", ["webauthn.create"]],
    ]),
  ),
  ...rows(
    "challenge",
    member("challenge", [ // A.2 18
      ["missing", undefined],
      ["a number", 5],
      ["empty", ""],
      ["another one", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
      ["a prefix", CHALLENGE.slice(0, -1)],
      ["continued", CHALLENGE + "A"],
      ["with one letter in the other case", CHALLENGE.replace("z", "Z")],
      ["padded", CHALLENGE + "="],
      ["of the standard alphabet", CHALLENGE.replaceAll("-", "+").replaceAll("_", "/")],
      ["of equal bytes with other unused bits", CHALLENGE.slice(0, -1) + "1"],
      ["an array", [CHALLENGE]],
    ]),
  ),
  ...rows(
    "origin",
    member("origin", [ // A.2 19, T157
      ["missing", undefined],
      ["null", null],
      ["the text null", "null"],
      ["empty", ""],
      ["an array", [ORIGIN]],
      ["plain http", "http://example.org"],
      ["on another port", "https://example.org:8443"],
      ["with the default port spelt out", "https://example.org:443"],
      ["with a slash behind it", "https://example.org/"],
      ["with a path", "https://example.org/login"],
      ["in upper case", "https://EXAMPLE.org"],
      ["a sub-domain", "https://login.example.org"],
      ["the parent domain", "https://org"],
      ["a look-alike with a suffix", "https://example.org.evil.com"],
      ["a look-alike with a prefix", "https://notexample.org"],
      ["behind user information", "https://example.org@evil.com"],
      ["followed by NUL", "https://example.org\0"],
      ["followed by a dot", "https://example.org."],
      ["a homograph", "https://ex\u0430mple.org"],
      ["an Android app", "android:apk-key-hash:AAAA"],
      ["a browser extension", "chrome-extension://abcdefghijklmnop"],
    ]),
  ),
  ...rows(
    "cross_origin",
    member("crossOrigin", [ // A.2 20
      ["true", true],
      ["a text", "false"],
      ["null", null],
      ["zero", 0],
    ]),
  ),
  ...rows("top_origin", [ // A.2 21
    ["topOrigin is another origin", { crossOrigin: true, topOrigin: "https://example.com" }],
    ["topOrigin stands without crossOrigin", { crossOrigin: undefined, topOrigin: "https://example.com" }],
    ["topOrigin is the own origin", { topOrigin: ORIGIN }],
    ["topOrigin is null", { topOrigin: null }],
    ["topOrigin is empty", { topOrigin: "" }],
  ]).map((row) => row.tamper.crossOrigin === true ? { ...row, code: "cross_origin" } : row),
  ...rows("client_data", [ // A.2 22
    ["it is not JSON", { clientDataJSON: utf8("webauthn") }],
    ["it is an array", { clientDataJSON: utf8("[]") }],
    ["it is null", { clientDataJSON: utf8("null") }],
    ["it is a text", { clientDataJSON: utf8('"webauthn.create"') }],
    ["it is truncated", { clientDataJSON: text("webauthn.create", "").slice(0, -1) }],
    ["something follows it", { clientDataJSON: concat(text("webauthn.create", ""), utf8("{}")) }],
    ["it is UTF-16", { clientDataJSON: Uint8Array.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]) }],
    ["it is 8 000 arrays deep and open", { clientDataJSON: utf8("[".repeat(8_000)) }],
  ]),
];

describe("client data", () => {
  for (const { what, tamper, code } of REFUSED) {
    test(`verifyRegistration() refuses when ${what} (A.2 17 to 26)`, async () => {
      assert.equal(await outcome(() => register(authenticator, tamper)), code);
    });
    test(`verifyAuthentication() refuses when ${what} (A.3 63)`, async () => {
      assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), code);
    });
  }

  test("verifyRegistration() refuses the client data of an authentication (A.2 17)", async () => {
    assert.equal(await outcome(() => register(authenticator, { type: "webauthn.get" })), "type");
  });

  test("verifyAuthentication() refuses the client data of a registration (A.3 63)", async () => {
    const tamper = { type: "webauthn.create" };
    assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "type");
  });
});

describe("client data as both ceremonies accept it", () => {
  const accepted: readonly (readonly [string, (type: string) => Partial<Tamper>])[] = [
    ["no crossOrigin (A.2 20)", () => ({ crossOrigin: undefined })],
    ["a leading byte order mark (A.2 23)", (type) => ({
      clientDataJSON: concat(Uint8Array.of(0xef, 0xbb, 0xbf), text(type, "")),
    })],
    [
      "unknown members (A.2 24)",
      () => ({ clientData: { extraData: "…", nested: { origin: "https://evil.com" } } }),
    ],
    ["another order and white space (A.3 75)", (type) => ({
      clientDataJSON: utf8(` {\n"origin":"${ORIGIN}",\t"challenge":"${CHALLENGE}","type":"${type}" } `),
    })],
    ["escaped letters (A.3 75)", (type) => ({
      clientDataJSON: utf8(
        `{"type":"${type}","challenge":"${CHALLENGE}","origin":"https:\\/\\/ex\\u0061mple.org"}`,
      ),
    })],
    ["a repeated member whose last value is right", (type) => ({
      clientDataJSON: text("x", `,"type":"${type}"`),
    })],
    [
      "the token bindings of Level 2 (A.2 27)",
      () => ({ clientData: { tokenBinding: { status: "supported" } } }),
    ],
  ];

  for (const [what, tamper] of accepted) {
    test(`verifyRegistration() and verifyAuthentication() accept ${what}`, async () => {
      const fresh = await register(authenticator, tamper("webauthn.create"));
      assert.equal(fresh.algorithm, -7);
      assert.equal(
        await outcome(() => authenticate(authenticator, fresh, tamper("webauthn.get"))),
        "accepted",
      );
    });
  }
});

describe("client data with unusual member names", () => {
  for (
    const [name, wrong, code] of [
      ["type", '"webauthn.other"', "type"],
      ["challenge", '"AAAA"', "challenge"],
      ["origin", '"https://evil.com"', "origin"],
      ["crossOrigin", "true", "cross_origin"],
    ] as const
  ) {
    test(`verifyRegistration() reads the last of two members ${name}, which is wrong (A.2 25)`, async () => {
      const clientDataJSON = text("webauthn.create", `,"${name}":${wrong}`);
      assert.equal(await outcome(() => register(authenticator, { clientDataJSON })), code);
    });
  }

  test("verifyRegistration() accepts a member __proto__ and nothing is inherited from it (A.2 26)", async () => {
    const clientDataJSON = text("webauthn.create", ',"__proto__":{"admin":true,"topOrigin":"x"}');
    assert.equal(await outcome(() => register(authenticator, { clientDataJSON })), "accepted");
    assert.equal(Reflect.get({}, "admin"), undefined);
  });

  test("verifyRegistration() finds no member inside __proto__ (A.2 26)", async () => {
    const inner = JSON.stringify({ type: "webauthn.create", challenge: EXPECTED.challenge, origin: ORIGIN });
    const clientDataJSON = utf8(`{"__proto__":${inner}}`);
    assert.equal(await outcome(() => register(authenticator, { clientDataJSON })), "type");
  });
});
