import fc from "fast-check";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBase64url, toBase64url } from "../../src/lib/bytes.ts";
import { verifyAuthentication } from "../../src/webauthn/authentication.ts";
import { verifyRegistration } from "../../src/webauthn/registration.ts";
import {
  presentedChallenge,
  readAuthenticationResponse,
  readRegistrationResponse,
} from "../../src/webauthn/response.ts";
import {
  createAuthenticator,
  type RegisterTamper,
  signWith,
  type SoftwareAuthenticator,
} from "../support/authenticator.ts";
import type { Cbor } from "../support/cbor.ts";
import { CREATION, EXPECTED, ORIGIN, outcome, register, REQUEST, USER_HANDLE } from "./ceremony.ts";
import { mutate, pick, type Random, seeded } from "./mutation.ts";
import { runs, runsOf, seedOf } from "../support/share.ts";

const ALGORITHMS = [-7, -8, -257] as const;
/** In `npm run fuzz`, for each of two ceremonies and three algorithms: 10,200; the gate does a tenth. */
const ROUNDS = 1_700;

/** Every byte of the response is signed, so no mutated response may pass. */
const PACKED: RegisterTamper = {
  origin: ORIGIN,
  format: "packed",
  statement: (signed, credential) =>
    new Map<Cbor, Cbor>([["alg", credential.algorithm], ["sig", signWith(credential, signed)]]),
};

/** Returns the JSON with one of its byte strings mutated, as bytes or sometimes as text. */
function bend<Json extends { id: string; rawId: string; response: object }>(
  json: Json,
  members: readonly string[],
  random: Random,
): Json {
  const member = pick(random, members);
  const bendText = (text: string): string =>
    random(8) === 0
      ? new TextDecoder().decode(mutate(new TextEncoder().encode(text), random))
      : toBase64url(mutate(fromBase64url(text)!, random));
  if (member === "id") {
    const id = bendText(json.id);
    return { ...json, id, rawId: id };
  }
  const response = json.response as Record<string, string>;
  return { ...json, response: { ...response, [member]: bendText(response[member]!) } };
}

async function expectRefusals(ceremony: (random: Random) => unknown, seed: number): Promise<void> {
  const random = seeded(seedOf(seed));
  const codes = new Set<string>();
  for (let round = 0; round < runsOf(ROUNDS); round++) {
    const code = await outcome(() => ceremony(random));
    assert.notEqual(code, "accepted", `round ${round} of seed ${seedOf(seed)}`);
    codes.add(code);
  }
  assert.ok(codes.size >= 5, `only ${[...codes]}`); // the mutations reach most checks
}

function bentRegistration(authenticator: SoftwareAuthenticator): Promise<(random: Random) => unknown> {
  return authenticator.register(CREATION, PACKED).then((json) => (random) => {
    const bent = bend(json, ["id", "clientDataJSON", "attestationObject", "attestationObject"], random);
    presentedChallenge(bent);
    const response = readRegistrationResponse(bent);
    return verifyRegistration(response, EXPECTED);
  });
}

async function bentAuthentication(
  authenticator: SoftwareAuthenticator,
): Promise<(random: Random) => unknown> {
  const credential = { ...await register(authenticator), userHandle: USER_HANDLE };
  const json = await authenticator.authenticate(REQUEST, { origin: ORIGIN });
  return (random) => {
    const members = [
      "id",
      "clientDataJSON",
      "authenticatorData",
      "authenticatorData",
      "signature",
      "userHandle",
    ];
    const bent = bend(json, members, random);
    presentedChallenge(bent);
    const response = readAuthenticationResponse(bent);
    return verifyAuthentication(response, { ...EXPECTED, credential });
  };
}

describe("random mutations of signed answers", () => {
  for (const algorithm of ALGORITHMS) {
    test(`verifyRegistration() refuses ${ROUNDS} with ${algorithm}, and throws no other error`, {
      timeout: 60_000,
    }, async () => {
      const authenticator = createAuthenticator({ algorithm });
      await register(authenticator, PACKED); // the unchanged response passes
      await expectRefusals(await bentRegistration(authenticator), 1);
    });

    test(`verifyAuthentication() refuses ${ROUNDS} with ${algorithm}, and throws no other error`, {
      timeout: 60_000,
    }, async () => {
      await expectRefusals(await bentAuthentication(createAuthenticator({ algorithm })), 2);
    });
  }
});

describe("arbitrary input", () => {
  const envelope = fc.record({
    id: fc.constant("AQID"),
    rawId: fc.constant("AQID"),
    type: fc.constant("public-key"),
    response: fc.record({
      clientDataJSON: fc.anything(),
      attestationObject: fc.anything(),
      authenticatorData: fc.anything(),
      signature: fc.anything(),
      userHandle: fc.anything(),
      transports: fc.anything(),
    }, { requiredKeys: [] }),
  });

  test("readRegistrationResponse() and readAuthenticationResponse() throw only WebAuthnError", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), envelope), async (json) => {
        await outcome(() => readRegistrationResponse(json));
        await outcome(() => readAuthenticationResponse(json));
      }),
      runs(1_000, 5),
    );
  });

  test("verifyRegistration() and verifyAuthentication() throw only WebAuthnError on random bytes", async () => {
    const authenticator = createAuthenticator();
    const credential = { ...await register(authenticator), userHandle: USER_HANDLE };
    const registration = readRegistrationResponse(await authenticator.register(CREATION, { origin: ORIGIN }));
    const assertion = readAuthenticationResponse(
      await authenticator.authenticate(REQUEST, {
        origin: ORIGIN,
        credential: authenticator.credentials[0]!,
      }),
    );
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, async (value) => {
        for (const member of ["clientDataJSON", "attestationObject"]) {
          const bent = { ...registration, [member]: value };
          assert.notEqual(await outcome(() => verifyRegistration(bent, EXPECTED)), "accepted");
        }
        for (
          const member of ["clientDataJSON", "authenticatorData", "signature", "credentialId", "userHandle"]
        ) {
          const bent = { ...assertion, [member]: value };
          const ceremony = (): unknown => verifyAuthentication(bent, { ...EXPECTED, credential });
          assert.notEqual(await outcome(ceremony), "accepted");
        }
      }),
      runs(500, 6),
    );
    assert.equal(
      await outcome(() => verifyAuthentication(assertion, { ...EXPECTED, credential })),
      "accepted",
    );
  });
});
