import {
  verifyAuthenticationResponse,
  type VerifyAuthenticationResponseOpts,
  verifyRegistrationResponse,
  type VerifyRegistrationResponseOpts,
} from "@simplewebauthn/server";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toBase64url } from "../../src/lib/bytes.ts";
import { verifyAuthentication } from "../../src/webauthn/authentication.ts";
import { verifyRegistration } from "../../src/webauthn/registration.ts";
import { readAuthenticationResponse, readRegistrationResponse } from "../../src/webauthn/response.ts";
import {
  type AuthenticateTamper,
  type AuthenticationResponseJSON,
  createAuthenticator,
  FLAG,
  type RegisterTamper,
  type RegistrationResponseJSON,
  signWith,
} from "../support/authenticator.ts";
import { type Cbor, encodeCbor } from "../support/cbor.ts";
import { CREATION, EXPECTED, ORIGIN, outcome, register, REQUEST, USER_HANDLE } from "./ceremony.ts";
import { mutate, mutateClientData, pick, type Random, seeded } from "./mutation.ts";
import { runsOf, seedOf } from "../support/share.ts";

/** In `npm run fuzz`; the gate tries a tenth. */
const ROUNDS = 600;
const RUNS = runsOf(ROUNDS);

const PEER = { expectedChallenge: EXPECTED.challenge, expectedOrigin: ORIGIN, expectedRPID: EXPECTED.rpId };

async function peerRegisters(response: RegistrationResponseJSON): Promise<string> {
  try {
    const options = { response, ...PEER, supportedAlgorithmIDs: [-7, -8, -257] };
    const { verified } = await verifyRegistrationResponse(options as VerifyRegistrationResponseOpts);
    return verified ? "accepted" : "not verified";
  } catch (error) {
    return String(error);
  }
}

type PeerCredential = VerifyAuthenticationResponseOpts["credential"];

async function peerAuthenticates(
  response: AuthenticationResponseJSON,
  credential: PeerCredential,
): Promise<string> {
  try {
    const options = { response, ...PEER, credential };
    const { verified } = await verifyAuthenticationResponse(options as VerifyAuthenticationResponseOpts);
    return verified ? "accepted" : "not verified";
  } catch (error) {
    return String(error);
  }
}

/** A change applied before signing, so that often both implementations must accept the response. */
function bentCommon(type: string, random: Random): Partial<RegisterTamper & AuthenticateTamper> {
  const members = { type, challenge: EXPECTED.challenge, origin: ORIGIN, crossOrigin: false };
  const extensions = encodeCbor(pick<Cbor>(random, [new Map(), new Map([["credProtect", 2]]), [], 1, "x"]));
  return pick(random, [
    { clientDataJSON: mutateClientData(members, random) },
    { clientDataJSON: mutateClientData(members, random) },
    { authenticatorData: (honest: Uint8Array) => mutate(honest, random) },
    { authenticatorData: (honest: Uint8Array) => mutate(honest, random) },
    { flags: random(64) },
    { flags: FLAG.UP | FLAG.UV | random(64) },
    { counter: pick(random, [0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff]) },
    { extensions },
    { extensions: mutate(extensions, random) },
    { trailing: Uint8Array.of(random(256)) },
  ]);
}

function bentRegistration(random: Random): Partial<RegisterTamper> {
  return pick<() => Partial<RegisterTamper>>(random, [
    () => bentCommon("webauthn.create", random),
    () => bentCommon("webauthn.create", random),
    () => ({ attestationObject: (honest) => mutate(honest, random) }),
    () => ({ publicKey: (honest) => mutate(honest, random) }),
    () => ({ aaguid: Uint8Array.from({ length: 16 }, () => random(256)) }),
    () => ({ credentialId: Uint8Array.from({ length: 1 + random(1023) }, () => random(256)) }),
    () => ({ format: pick(random, ["none", "None", "packed", "apple", ""]) }),
    () => ({
      format: "packed",
      statement: (signed, key) =>
        new Map<Cbor, Cbor>([["alg", key.algorithm], ["sig", signWith(key, signed)]]),
      authenticatorData: (honest) => random(2) === 0 ? honest : mutate(honest, random),
    }),
  ])();
}

interface Tally {
  both: number;
  onlyPeer: number;
}

/** Errors of the reference implementation for responses that this one accepts on purpose. */
const EXPLAINED: readonly RegExp[] = [
  /token ?binding/i, // a Level 2 member that Level 3 section 5.8.1 only reserves, so it is ignored
];

/** This implementation may be stricter than the reference one, never laxer. */
function compare(ours: string, peer: string, context: string, tally: Tally): void {
  if (EXPLAINED.some((refusal) => refusal.test(peer))) return;
  if (ours === "accepted") assert.equal(peer, "accepted", `accepted by us alone: ${context}`);
  if (peer !== "accepted") return;
  if (ours === "accepted") tally.both++;
  else tally.onlyPeer++;
}

describe("the same results as @simplewebauthn/server", () => {
  for (const algorithm of [-7, -8, -257] as const) {
    test(`verifyRegistration() accepts none of ${ROUNDS} that the peer refuses, with ${algorithm}`, {
      timeout: 120_000,
    }, async () => {
      const authenticator = createAuthenticator({ algorithm });
      await register(authenticator);
      const { privateKey } = authenticator.credentials[0]!;
      const random = seeded(seedOf(3));
      const tally = { both: 0, onlyPeer: 0 };
      for (let round = 0; round < RUNS; round++) {
        const tamper = { origin: ORIGIN, privateKey, ...bentRegistration(random) };
        const json = await authenticator.register(CREATION, tamper);
        const ours = await outcome(() => verifyRegistration(readRegistrationResponse(json), EXPECTED));
        compare(ours, await peerRegisters(json), `round ${round}, ${JSON.stringify(json)}`, tally);
      }
      assert.ok(tally.both > RUNS / 20, `both accepted only ${tally.both}`);
    });

    test(`verifyAuthentication() accepts none of ${ROUNDS} that the peer refuses, with ${algorithm}`, {
      timeout: 120_000,
    }, async () => {
      const authenticator = createAuthenticator({ algorithm });
      const record = await register(authenticator, { counter: 2 });
      const random = seeded(seedOf(4));
      const tally = { both: 0, onlyPeer: 0 };
      const expected = { ...EXPECTED, credential: { ...record, userHandle: USER_HANDLE } };
      const credential = {
        id: toBase64url(record.credentialId),
        publicKey: record.publicKey,
        counter: record.signCount,
      } as PeerCredential;
      for (let round = 0; round < RUNS; round++) {
        const tamper = {
          origin: ORIGIN,
          ...bentCommon("webauthn.get", random),
          ...(random(6) === 0 ? { signature: (honest: Uint8Array) => mutate(honest, random) } : {}),
        };
        const json = await authenticator.authenticate(REQUEST, tamper);
        const ours = await outcome(() => verifyAuthentication(readAuthenticationResponse(json), expected));
        compare(
          ours,
          await peerAuthenticates(json, credential),
          `round ${round}, ${JSON.stringify(json)}`,
          tally,
        );
      }
      assert.ok(tally.both > RUNS / 20, `both accepted only ${tally.both}`);
    });
  }
});
