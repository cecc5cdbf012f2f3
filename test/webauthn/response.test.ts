import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBase64url, toBase64url, utf8 } from "../../src/lib/bytes.ts";
import {
  presentedChallenge,
  readAuthenticationResponse,
  readRegistrationResponse,
} from "../../src/webauthn/response.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { CREATION, ORIGIN, outcome, REQUEST, USER_HANDLE } from "./ceremony.ts";

const authenticator = createAuthenticator();
const REGISTRATION = await authenticator.register(CREATION, { origin: ORIGIN });
const AUTHENTICATION = await authenticator.authenticate(REQUEST, { origin: ORIGIN });

type Change = (json: { [member: string]: unknown; response: { [member: string]: unknown } }) => unknown;

/** Returns a copy of the JSON after the change, or the return value of the change. */
function changed(json: object, change: Change): unknown {
  const copy = structuredClone(json);
  return change(copy as Parameters<Change>[0]) ?? copy;
}

/** Strings that are not unpadded, canonical base64url of at least one byte. */
const NOT_BASE64URL: readonly (readonly [string, unknown])[] = [
  ["missing", undefined],
  ["null", null],
  ["a number", 5],
  ["an array", ["AQID"]],
  ["an object", { length: 4 }],
  ["empty", ""],
  ["padded", "AQ=="],
  ["of the standard alphabet", "+/+/"],
  ["with a space", "AQ ID"],
  ["with a line break", "AQID\n"],
  ["of an impossible length", "AQIDB"],
  ["not canonical", "AR"],
  ["not ASCII", "AQIÐ"],
  ["of 8193 bytes", toBase64url(new Uint8Array(8193))],
];

const SHARED: readonly (readonly [string, Change, string])[] = [
  ["is a text", () => "credential", "malformed_response"],
  ["is a number", () => 1, "malformed_response"],
  ["is an array", () => [], "malformed_response"],
  ["is empty", () => ({}), "credential_type"],
  ["has no type (A.2 13)", (json) => void delete json.type, "credential_type"],
  ["has a type that is not a text (A.2 13)", (json) => void (json.type = ["public-key"]), "credential_type"],
  ["has another type (A.2 13)", (json) => void (json.type = "Public-Key"), "credential_type"],
  ["has no rawId (A.2 11)", (json) => void delete json.rawId, "raw_id"],
  ["has another rawId (A.2 11, T159)", (json) => void (json.rawId = "AQID"), "raw_id"],
  ["has another encoding of id as rawId (A.2 11)", (json) => void (json.rawId += "="), "raw_id"],
  [
    "has no response (A.2 14)",
    (json) => void delete (json as Partial<typeof json>).response,
    "malformed_response",
  ],
  [
    "has null as response (A.2 14)",
    (json) => void Object.assign(json, { response: null }),
    "malformed_response",
  ],
  [
    "has a text as response (A.2 14)",
    (json) => void Object.assign(json, { response: "x" }),
    "malformed_response",
  ],
  [
    "has an array as response (A.2 14)",
    (json) => void Object.assign(json, { response: [] }),
    "malformed_response",
  ],
  [
    "has an id of 1024 bytes (A.2 37)",
    (json) => void (json.id = json.rawId = toBase64url(new Uint8Array(1024))),
    "credential_id",
  ],
  ...NOT_BASE64URL.map(([what, value]): [string, Change, string] => [
    `has an id that is ${what} (A.2 10)`,
    (json) => void (json.id = json.rawId = value),
    "credential_id",
  ]),
];

function inResponse(member: string, code: string): (readonly [string, Change, string])[] {
  return NOT_BASE64URL.map(([what, value]) => [
    `has a ${member} that is ${what}`,
    (json) => void (json.response[member] = value),
    code,
  ]);
}

const REGISTRATION_FAULTS = [
  ...SHARED,
  ...inResponse("clientDataJSON", "client_data"),
  ...inResponse("attestationObject", "attestation_object"),
  ...([
    ["null", null],
    ["a text", "internal"],
    ["an object", {}],
    ["numbers", [1]],
    ["with an upper-case name", ["USB"]],
    ["with an empty name", [""]],
    ["with a name of 33 letters", ["a".repeat(33)]],
    ["with markup", ["<b>"]],
    ["17 names", Array.from({ length: 17 }, (_, index) => `t${index}`)],
  ] as const).map(([what, value]) =>
    [
      `has transports that are ${what}`,
      (json: Parameters<Change>[0]) => void (json.response.transports = value),
      "transports",
    ] as const
  ),
];

const AUTHENTICATION_FAULTS = [
  ...SHARED,
  ...inResponse("clientDataJSON", "client_data"),
  ...inResponse("authenticatorData", "authenticator_data"),
  ...inResponse("signature", "signature"),
  ...inResponse("userHandle", "user_handle").filter(([what]) => !/missing|null|empty/.test(what)),
  [
    "has a user handle of 65 bytes",
    (json: Parameters<Change>[0]) => void (json.response.userHandle = toBase64url(new Uint8Array(65))),
    "user_handle",
  ],
] as const;

describe("readRegistrationResponse()", () => {
  for (const [what, change, code] of REGISTRATION_FAULTS) {
    test(`refuses JSON that ${what}`, async () => {
      const json = changed(REGISTRATION, change);
      assert.equal(await outcome(() => readRegistrationResponse(json)), code);
    });
  }

  for (const json of [null, undefined, true, 0n, Symbol("x"), () => 1]) {
    test(`refuses ${typeof json} ${json === null ? "null" : ""} instead of JSON`, async () => {
      assert.equal(await outcome(() => readRegistrationResponse(json)), "malformed_response");
    });
  }

  test("decodes every member", () => {
    const response = readRegistrationResponse(REGISTRATION);
    assert.deepEqual(response, {
      credentialId: fromBase64url(REGISTRATION.id),
      clientDataJSON: fromBase64url(REGISTRATION.response.clientDataJSON),
      attestationObject: fromBase64url(REGISTRATION.response.attestationObject),
      transports: ["hybrid", "internal"],
    });
  });

  test("accepts members of 8192 bytes", () => {
    const json = changed(REGISTRATION, (copy) => {
      copy.response.attestationObject = toBase64url(new Uint8Array(8192));
    });
    assert.equal(readRegistrationResponse(json).attestationObject.length, 8192);
  });

  test("ignores unknown members (A.2 15)", () => {
    const json = changed(REGISTRATION, (copy) => {
      copy.extra = { deep: [1] };
      copy.response.publicKeyAlgorithm = "not looked at";
      copy.response.authenticatorData = 7;
    });
    assert.deepEqual(readRegistrationResponse(json), readRegistrationResponse(REGISTRATION));
  });

  test("keeps unknown transports, drops repeated ones and takes none for an empty list", () => {
    const read = (transports: unknown): readonly string[] =>
      readRegistrationResponse(changed(REGISTRATION, (json) => void (json.response.transports = transports)))
        .transports;
    assert.deepEqual(read(["usb", "smart-card", "x9-new", "usb"]), ["usb", "smart-card", "x9-new"]);
    assert.equal(read(Array.from({ length: 16 }, (_, index) => `t${index}`)).length, 16);
    assert.deepEqual(read([]), []);
    assert.deepEqual(read(undefined), []);
  });

  test("accepts an id of 1023 bytes (A.2 37)", () => {
    const id = toBase64url(new Uint8Array(1023));
    const json = changed(REGISTRATION, (copy) => void (copy.id = copy.rawId = id));
    assert.equal(readRegistrationResponse(json).credentialId.length, 1023);
  });
});

describe("readAuthenticationResponse()", () => {
  for (const [what, change, code] of AUTHENTICATION_FAULTS) {
    test(`refuses JSON that ${what} (A.3 62)`, async () => {
      const json = changed(AUTHENTICATION, change);
      assert.equal(await outcome(() => readAuthenticationResponse(json)), code);
    });
  }

  test("decodes every member", () => {
    assert.deepEqual(readAuthenticationResponse(AUTHENTICATION), {
      credentialId: fromBase64url(AUTHENTICATION.id),
      clientDataJSON: fromBase64url(AUTHENTICATION.response.clientDataJSON),
      authenticatorData: fromBase64url(AUTHENTICATION.response.authenticatorData),
      signature: fromBase64url(AUTHENTICATION.response.signature),
      userHandle: USER_HANDLE,
    });
  });

  test("accepts a user handle of 64 bytes", () => {
    const userHandle = toBase64url(new Uint8Array(64));
    const json = changed(AUTHENTICATION, (copy) => void (copy.response.userHandle = userHandle));
    assert.equal(readAuthenticationResponse(json).userHandle?.length, 64);
  });

  for (const left of [undefined, null, ""]) {
    test(`reads ${JSON.stringify(left)} as no user handle (section 5.2.2)`, () => {
      const json = changed(AUTHENTICATION, ({ response }) => void (response.userHandle = left));
      const whole = readAuthenticationResponse(AUTHENTICATION);
      assert.deepEqual(readAuthenticationResponse(json), { ...whole, userHandle: undefined });
    });
  }
});

describe("presentedChallenge()", () => {
  test("is the challenge that the client data names, for both kinds of response", () => {
    assert.equal(presentedChallenge(REGISTRATION), CREATION.challenge);
    assert.equal(presentedChallenge(AUTHENTICATION), REQUEST.challenge);
  });

  test("is named by a response that has every other fault", () => {
    const { clientDataJSON } = REGISTRATION.response;
    assert.equal(presentedChallenge({ type: 1, response: { clientDataJSON } }), CREATION.challenge);
  });

  for (
    const [what, clientData, code] of [
      ["is not JSON", "{", "client_data"],
      ["is null", "null", "client_data"],
      ["is an array", "[]", "client_data"],
      ["is a text", '"challenge"', "client_data"],
      ["names none", "{}", "challenge"],
      ["names an empty one", '{"challenge":""}', "challenge"],
      ["names a number", '{"challenge":5}', "challenge"],
      ["names an array", '{"challenge":["AQID"]}', "challenge"],
      ["names a padded one", '{"challenge":"AQ=="}', "challenge"],
      ["names one of the standard alphabet", '{"challenge":"+/+/"}', "challenge"],
      ["names one that is not canonical", '{"challenge":"AR"}', "challenge"],
    ] as const
  ) {
    test(`throws when the client data ${what}`, async () => {
      const response = { clientDataJSON: toBase64url(utf8(clientData)) };
      assert.equal(await outcome(() => presentedChallenge({ response })), code);
    });
  }
});
