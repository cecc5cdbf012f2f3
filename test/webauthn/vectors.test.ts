import { sha256 } from "@noble/hashes/sha2.js";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { concat, toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { type StoredCredential, verifyAuthentication } from "../../src/webauthn/authentication.ts";
import { ALGORITHMS } from "../../src/webauthn/credential-key.ts";
import { type RegisteredCredential, verifyRegistration } from "../../src/webauthn/registration.ts";
import { readAuthenticationResponse, readRegistrationResponse } from "../../src/webauthn/response.ts";
import { importNewCredentialKey } from "../../src/webauthn/signature.ts";
import { FLAG } from "../support/authenticator.ts";
import { outcome } from "./ceremony.ts";

interface Flags {
  readonly UV: boolean;
  readonly BE: boolean;
  readonly BS: boolean;
}

interface Vector {
  readonly name: string;
  readonly rpId: string;
  readonly origin: string;
  readonly coseAlg: number;
  readonly registration:
    & Readonly<Record<"challenge" | "credential_id" | "clientDataJSON" | "attestationObject", string>>
    & {
      readonly aaguid: string;
      readonly flags: Flags;
      readonly signCount: number;
    };
  readonly authentication:
    & Readonly<Record<"challenge" | "clientDataJSON" | "authenticatorData" | "signature", string>>
    & {
      readonly flags: Flags;
      readonly signCount: number;
    };
  readonly derived: { readonly coseKeyHex: string };
}

/**
 * The result for each test vector of WebAuthn Level 3 section 16: registration, then authentication. The vectors cover
 * all flags and formats; the service requires user verification, no frames and no certificates.
 */
const POLICY: Readonly<Record<string, readonly [string, string]>> = {
  "none-es256": ["user_verification", "user_verification"],
  "packed-self-es256": ["accepted", "user_verification"],
  "none-es256-crossOrigin": ["cross_origin", "cross_origin"],
  "none-es256-topOrigin": ["cross_origin", "cross_origin"],
  "none-es256-long-credential-id": ["user_verification", "accepted"],
  "packed-es256": ["attestation_statement", "accepted"],
  "packed-es384": ["user_verification", "not offered"],
  "packed-es512": ["algorithm", "not offered"],
  "packed-rs256": ["attestation_statement", "user_verification"],
  "packed-eddsa": ["user_verification", "user_verification"],
  "packed-ed448": ["user_verification", "not offered"],
  "tpm-es256": ["attestation_format", "accepted"],
  "android-key-es256": ["attestation_format", "user_verification"],
  "apple-es256": ["user_verification", "user_verification"],
  "fido-u2f-es256": ["user_verification", "user_verification"],
};

/** The registrations without UV again, with the flag set by hand, and their next failing check, if any. */
const VERIFIED: Readonly<Record<string, string>> = {
  "none-es256": "accepted",
  "none-es256-long-credential-id": "accepted",
  "packed-es384": "algorithm",
  "packed-ed448": "algorithm",
  "packed-eddsa": "attestation_statement",
  "apple-es256": "attestation_format",
  "fido-u2f-es256": "attestation_format",
};

const FILE = new URL("../../../shared/vectors/webauthn/w3c-l3.json", import.meta.url);
const VECTORS: readonly Vector[] = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")).vectors : [];

const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex);
const text = (hex: string): string => toBase64url(bytes(hex));
const USER_HANDLE = bytes("0011");

function runRegistration(
  { registration, origin, rpId }: Vector,
  bend = (hex: string): string => hex,
): RegisteredCredential {
  const id = text(registration.credential_id);
  const response = readRegistrationResponse({
    id,
    rawId: id,
    type: "public-key",
    response: {
      clientDataJSON: text(registration.clientDataJSON),
      attestationObject: text(bend(registration.attestationObject)),
    },
  });
  return verifyRegistration(response, {
    challenge: text(registration.challenge),
    origin,
    rpId,
    importVerifier,
  });
}

function runAuthentication(
  { authentication, registration, derived, coseAlg, origin, rpId }: Vector,
): unknown {
  const id = text(registration.credential_id);
  const response = readAuthenticationResponse({
    id,
    rawId: id,
    type: "public-key",
    response: {
      clientDataJSON: text(authentication.clientDataJSON),
      authenticatorData: text(authentication.authenticatorData),
      signature: text(authentication.signature),
      userHandle: toBase64url(USER_HANDLE),
    },
  });
  const credential: StoredCredential = {
    credentialId: bytes(registration.credential_id),
    publicKey: bytes(derived.coseKeyHex),
    algorithm: coseAlg as StoredCredential["algorithm"],
    signCount: registration.signCount,
    backupEligible: registration.flags.BE,
    userHandle: USER_HANDLE,
  };
  return verifyAuthentication(response, {
    challenge: text(authentication.challenge),
    origin,
    rpId,
    importVerifier,
    credential,
  });
}

const isOffered = ({ coseAlg }: Vector): boolean => (ALGORITHMS as readonly number[]).includes(coseAlg);

describe("test vectors of WebAuthn Level 3 section 16", {
  skip: VECTORS.length === 0 ? "vectors not here" : false,
}, () => {
  test("all fifteen exist", () => {
    assert.deepEqual(VECTORS.map(({ name }) => name), Object.keys(POLICY));
  });

  for (const vector of VECTORS) {
    const [registration, authentication] = POLICY[vector.name]!;

    test(`${vector.name}: registration ${registration}`, async () => {
      assert.equal(await outcome(() => runRegistration(vector)), registration);
    });

    if (isOffered(vector)) {
      test(`${vector.name}: authentication ${authentication}`, async () => {
        assert.equal(await outcome(() => runAuthentication(vector)), authentication);
      });

      test(`${vector.name}: the signature is valid, whatever the policy`, () => {
        const { authenticatorData, clientDataJSON, signature } = vector.authentication;
        const key = importNewCredentialKey(
          bytes(vector.derived.coseKeyHex),
          vector.coseAlg as -7 | -8 | -257,
          importVerifier,
        );
        const message = concat(bytes(authenticatorData), sha256(bytes(clientDataJSON)));
        assert.equal(key.verify(message, bytes(signature)), true);
        assert.equal(key.verify(message.with(0, message[0]! ^ 1), bytes(signature)), false);
      });
    }
  }

  for (const vector of VECTORS.filter(({ name }) => name in VERIFIED)) {
    test(`${vector.name}: registration ${VERIFIED[vector.name]} when the user is verified`, async () => {
      assert.equal(
        await outcome(() => runRegistration(vector, setUserVerified(vector))),
        VERIFIED[vector.name],
      );
    });
  }

  for (const vector of VECTORS.filter(({ name }) => VERIFIED[name] === "accepted")) {
    test(`${vector.name}: the record is the vector's`, () => {
      const record = runRegistration(vector, setUserVerified(vector));
      const { registration, derived } = vector;
      assert.equal(record.credentialId.toHex(), registration.credential_id);
      assert.equal(record.publicKey.toHex(), derived.coseKeyHex);
      assert.equal(record.aaguid.replaceAll("-", ""), registration.aaguid);
      const { backupEligible, backedUp, signCount } = record;
      const { BE, BS } = registration.flags;
      assert.deepEqual([backupEligible, backedUp, signCount], [BE, BS, registration.signCount]);
    });
  }
});

/** Sets UV in the authenticator data of an attestation object. */
function setUserVerified({ rpId }: Vector): (hex: string) => string {
  const rpIdHash = sha256(utf8(rpId)).toHex();
  return (hex) => {
    const at = hex.indexOf(rpIdHash) + rpIdHash.length;
    const flags = Number.parseInt(hex.slice(at, at + 2), 16) | FLAG.UV;
    return hex.slice(0, at) + flags.toString(16).padStart(2, "0") + hex.slice(at + 2);
  };
}
