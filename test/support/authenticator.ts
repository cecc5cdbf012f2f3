import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { concat, fromBase64url, toBase64url, utf8 } from "../../src/lib/bytes.ts";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "../../src/webauthn/options.ts";
import { bytesOf, type Cbor, encodeCbor } from "./cbor.ts";

export type AuthenticatorAlgorithm = -7 | -8 | -257;

/** Section 5.1.6, as `PublicKeyCredential.toJSON()` returns it. */
export interface RegistrationResponseJSON {
  id: string;
  rawId: string;
  type: "public-key";
  authenticatorAttachment: string;
  clientExtensionResults: Record<string, never>;
  response: { clientDataJSON: string; attestationObject: string; transports: string[] };
}

/** Section 5.1.7, as `PublicKeyCredential.toJSON()` returns it. */
export interface AuthenticationResponseJSON {
  id: string;
  rawId: string;
  type: "public-key";
  authenticatorAttachment: string;
  clientExtensionResults: Record<string, never>;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

/** A credential of the software authenticator. */
export interface SoftwareCredential {
  readonly id: Uint8Array;
  readonly rpId: string;
  readonly userHandle: Uint8Array;
  readonly algorithm: AuthenticatorAlgorithm;
  readonly privateKey: KeyObject;
  /** The COSE_Key. */
  readonly publicKey: Uint8Array;
  signCount: number;
}

/**
 * The members that a test may change. They are changed before signing, so that only the check of the changed member
 * can fail.
 */
export interface Tamper {
  /** The page's origin. The only required member. */
  readonly origin: string;
  /** Replaces single members of the client data; `undefined` removes a member. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** Replaces the whole client data, byte for byte. */
  readonly clientDataJSON?: Uint8Array;
  readonly challenge?: string;
  readonly crossOrigin?: unknown;
  readonly topOrigin?: unknown;
  readonly type?: unknown;
  /** The RP ID that is hashed, instead of that of the options. */
  readonly rpId?: string;
  readonly rpIdHash?: Uint8Array;
  /** The flag byte before AT and ED are added; 0x05 is UP and UV. */
  readonly flags?: number;
  /** Bits of the flag byte that are flipped at the end. */
  readonly flipFlags?: number;
  readonly counter?: number;
  /** Extension data with its flag. */
  readonly extensions?: Uint8Array;
  /** Bytes after the authenticator data. */
  readonly trailing?: Uint8Array;
  /** Replaces the whole authenticator data. */
  readonly authenticatorData?: (honest: Uint8Array) => Uint8Array;
  /** The id in the envelope. */
  readonly id?: string;
  readonly rawId?: string;
}

export interface RegisterTamper extends Tamper {
  readonly algorithm?: AuthenticatorAlgorithm;
  /** The key pair to use instead of a new one. */
  readonly privateKey?: KeyObject;
  readonly credentialId?: Uint8Array;
  readonly aaguid?: Uint8Array;
  /** Replaces the COSE_Key in the attested credential data. */
  readonly publicKey?: (honest: Uint8Array) => Uint8Array;
  readonly format?: Cbor;
  /** Creates the attestation statement from the bytes that an attestation signs. */
  readonly statement?: (signed: Uint8Array, credential: SoftwareCredential) => Cbor;
  /** Replaces the whole attestation object. */
  readonly attestationObject?: (honest: Uint8Array) => Uint8Array;
  readonly transports?: string[];
}

export interface AuthenticateTamper extends Tamper {
  /** The credential that responds; the newest of the RP ID by default. */
  readonly credential?: SoftwareCredential;
  /** Base64url, or null to leave it out. */
  readonly userHandle?: string | null;
  readonly signWith?: { readonly algorithm: AuthenticatorAlgorithm; readonly privateKey: KeyObject };
  /** Replaces the signed message, which is authenticatorData and the hash of the client data. */
  readonly signedMessage?: (honest: Uint8Array) => Uint8Array;
  readonly signature?: (honest: Uint8Array) => Uint8Array;
}

/** A client with its authenticator, in memory. */
export interface SoftwareAuthenticator {
  readonly credentials: readonly SoftwareCredential[];
  register(
    options: PublicKeyCredentialCreationOptionsJSON,
    tamper: RegisterTamper,
  ): Promise<RegistrationResponseJSON>;
  authenticate(
    options: PublicKeyCredentialRequestOptionsJSON,
    tamper: AuthenticateTamper,
  ): Promise<AuthenticationResponseJSON>;
}

export const FLAG = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 } as const;

/**
 * Creates a software authenticator with the given algorithm, flags and model. `step` is added to its counter before
 * each signature; 0 keeps it at zero. It returns what a browser's `toJSON()` returns for the given options.
 */
export function createAuthenticator(
  { algorithm = -7, flags = FLAG.UP | FLAG.UV | FLAG.BE | FLAG.BS, step = 1, aaguid = new Uint8Array(16) }: {
    readonly algorithm?: AuthenticatorAlgorithm;
    readonly flags?: number;
    readonly step?: number;
    readonly aaguid?: Uint8Array;
  } = {},
): SoftwareAuthenticator {
  const credentials: SoftwareCredential[] = [];
  return {
    credentials,
    // deno-lint-ignore require-await -- as in a browser
    async register(options, tamper) {
      const credential = newCredential(options, { algorithm, ...tamper });
      if (options.excludeCredentials.some(({ id }) => holds(credentials, id))) {
        throw new DOMException("The authenticator was previously registered", "InvalidStateError");
      }
      credential.signCount = tamper.counter ?? step;
      credentials.push(credential);
      const clientDataJSON = clientData("webauthn.create", options.challenge, tamper);
      const publicKey = tamper.publicKey?.(credential.publicKey) ?? credential.publicKey;
      const authData = authenticatorData({ flags, ...tamper }, options.rp.id, credential.signCount, {
        aaguid: tamper.aaguid ?? aaguid,
        id: credential.id,
        publicKey,
      });
      const signed = concat(authData, sha256(clientDataJSON));
      const honest = encodeCbor(
        new Map<Cbor, Cbor>([
          ["fmt", tamper.format ?? "none"],
          ["attStmt", tamper.statement?.(signed, credential) ?? new Map()],
          ["authData", authData],
        ]),
      );
      return {
        ...envelope(credential.id, tamper),
        response: {
          clientDataJSON: toBase64url(clientDataJSON),
          attestationObject: toBase64url(tamper.attestationObject?.(honest) ?? honest),
          transports: tamper.transports ?? ["hybrid", "internal"],
        },
      };
    },
    // deno-lint-ignore require-await -- as in a browser
    async authenticate(options, tamper) {
      const credential = tamper.credential ?? credentials.findLast(({ rpId }) => rpId === options.rpId);
      if (credential === undefined) throw new DOMException("No such credential", "NotAllowedError");
      credential.signCount += step;
      const clientDataJSON = clientData("webauthn.get", options.challenge, tamper);
      const counter = tamper.counter ?? credential.signCount;
      const authData = authenticatorData({ flags, ...tamper }, options.rpId, counter);
      const honest = concat(authData, sha256(clientDataJSON));
      const signature = signWith(tamper.signWith ?? credential, tamper.signedMessage?.(honest) ?? honest);
      const userHandle = tamper.userHandle === undefined
        ? toBase64url(credential.userHandle)
        : tamper.userHandle;
      return {
        ...envelope(credential.id, tamper),
        response: {
          clientDataJSON: toBase64url(clientDataJSON),
          authenticatorData: toBase64url(authData),
          signature: toBase64url(tamper.signature?.(signature) ?? signature),
          ...(userHandle === null ? {} : { userHandle }),
        },
      };
    },
  };
}

/** Signs with a credential, in the format of section 6.5.5. */
export function signWith(
  key: { readonly algorithm: AuthenticatorAlgorithm; readonly privateKey: KeyObject },
  message: Uint8Array,
): Uint8Array {
  return bytesOf(sign(key.algorithm === -8 ? null : "sha256", message, key.privateKey));
}

/** Returns the COSE_Key of a private key's public half, in CTAP2 canonical CBOR. */
export function coseKey(privateKey: KeyObject, algorithm: AuthenticatorAlgorithm): Uint8Array {
  return encodeCbor(coseMembers(privateKey, algorithm));
}

/** Returns the members of the COSE_Key, in canonical order. */
export function coseMembers(privateKey: KeyObject, algorithm: AuthenticatorAlgorithm): Map<Cbor, Cbor> {
  const jwk = privateKey.export({ format: "jwk" }) as Record<string, string>;
  const member = (name: string): Uint8Array => fromBase64url(jwk[name]!)!;
  switch (algorithm) {
    case -7:
      return new Map<Cbor, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, member("x")], [-3, member("y")]]);
    case -8:
      return new Map<Cbor, Cbor>([[1, 1], [3, -8], [-1, 6], [-2, member("x")]]);
    case -257:
      return new Map<Cbor, Cbor>([[1, 3], [3, -257], [-1, member("n")], [-2, member("e")]]);
  }
}

export function newPrivateKey(algorithm: AuthenticatorAlgorithm, modulusLength = 2048): KeyObject {
  switch (algorithm) {
    case -7:
      return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    case -8:
      return generateKeyPairSync("ed25519").privateKey;
    case -257:
      return generateKeyPairSync("rsa", { modulusLength }).privateKey;
  }
}

/** Imports the P-256 private key of a 32-byte scalar and its public coordinates. */
export function p256PrivateKey(d: Uint8Array, x: Uint8Array, y: Uint8Array): KeyObject {
  const [dText, xText, yText] = [d, x, y].map(toBase64url);
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", d: dText!, x: xText!, y: yText! },
  });
}

function sha256(bytes: Uint8Array): Uint8Array {
  return bytesOf(createHash("sha256").update(bytes).digest());
}

function holds(credentials: readonly SoftwareCredential[], id: string): boolean {
  return credentials.some((credential) => toBase64url(credential.id) === id);
}

function newCredential(
  options: PublicKeyCredentialCreationOptionsJSON,
  tamper: Omit<RegisterTamper, "algorithm"> & { readonly algorithm: AuthenticatorAlgorithm },
): SoftwareCredential {
  const privateKey = tamper.privateKey ?? newPrivateKey(tamper.algorithm);
  return {
    id: tamper.credentialId ?? bytesOf(randomBytes(32)),
    rpId: options.rp.id,
    userHandle: fromBase64url(options.user.id)!,
    algorithm: tamper.algorithm,
    privateKey,
    publicKey: coseKey(privateKey, tamper.algorithm),
    signCount: 0,
  };
}

function envelope(
  credentialId: Uint8Array,
  tamper: Tamper,
): Pick<
  RegistrationResponseJSON,
  "id" | "rawId" | "type" | "authenticatorAttachment" | "clientExtensionResults"
> {
  const id = tamper.id ?? toBase64url(credentialId);
  return {
    id,
    rawId: tamper.rawId ?? id,
    type: "public-key",
    authenticatorAttachment: "platform",
    clientExtensionResults: {},
  };
}

/** Serialises the client data in the order of clients (section 5.8.1.1). */
function clientData(type: string, challenge: string, tamper: Tamper): Uint8Array {
  if (tamper.clientDataJSON !== undefined) return tamper.clientDataJSON;
  const members: Record<string, unknown> = {
    type: "type" in tamper ? tamper.type : type,
    challenge: tamper.challenge ?? challenge,
    origin: tamper.origin,
    crossOrigin: "crossOrigin" in tamper ? tamper.crossOrigin : false,
    topOrigin: tamper.topOrigin,
    ...tamper.clientData,
  };
  return utf8(JSON.stringify(members));
}

function authenticatorData(
  tamper: Omit<Tamper, "origin" | "flags"> & { readonly flags: number },
  rpId: string,
  counter: number,
  attested?: { readonly aaguid: Uint8Array; readonly id: Uint8Array; readonly publicKey: Uint8Array },
): Uint8Array {
  let flags = tamper.flags;
  if (attested !== undefined) flags |= FLAG.AT;
  if (tamper.extensions !== undefined) flags |= FLAG.ED;
  flags ^= tamper.flipFlags ?? 0;
  const head = new Uint8Array(5);
  head[0] = flags;
  new DataView(head.buffer).setUint32(1, counter);
  const honest = concat(
    tamper.rpIdHash ?? sha256(utf8(tamper.rpId ?? rpId)),
    head,
    ...(attested === undefined ? [] : [
      attested.aaguid,
      Uint8Array.of(attested.id.length >> 8, attested.id.length & 0xff),
      attested.id,
      attested.publicKey,
    ]),
    tamper.extensions ?? new Uint8Array(),
    tamper.trailing ?? new Uint8Array(),
  );
  return tamper.authenticatorData?.(honest) ?? honest;
}
