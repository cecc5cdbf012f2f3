import { CBORMap, decodeCBOR } from "@oslojs/cbor";
import { type COSEPublicKey, parseAuthenticatorData } from "@oslojs/webauthn";
import { check, WebAuthnError } from "./error.ts";

/** Attested credential data (section 6.5.1). */
export interface AttestedCredential {
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** The COSE_Key byte for byte. */
  readonly publicKey: Uint8Array;
  readonly decodedKey: COSEPublicKey;
}

/** Authenticator data (section 6.1), every byte of it accounted for. */
export interface AuthenticatorData {
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly signCount: number;
  readonly attested: AttestedCredential | undefined;
  readonly isForRelyingParty: (rpId: string) => boolean;
}

const HEADER_LENGTH = 37;
const FLAGS_OFFSET = 32;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const EXTENSION_DATA = 0x80;
const MAX_CBOR_DEPTH = 4; // of CTAP2 canonical CBOR

/**
 * Reads authenticator data. @oslojs/webauthn reads header and credential; the backup flags, the bytes of the key,
 * the extension data and the bytes behind them are read here, because it looks at none of them. Extension outputs
 * are ignored, asked for or not (7.1 step 28, 7.2 step 23), but they have to be one map.
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  const parsed = parse(bytes);
  const flags = bytes[FLAGS_OFFSET]!;
  let end = HEADER_LENGTH;
  let attested: AttestedCredential | undefined;
  if (parsed.credential !== null) {
    const { authenticatorAAGUID: aaguid, id: credentialId, publicKey: decodedKey } = parsed.credential;
    const start = end + aaguid.length + 2 + credentialId.length;
    end = start + decode(bytes.subarray(start)).size;
    attested = { aaguid, credentialId, publicKey: bytes.slice(start, end), decodedKey };
  }
  if ((flags & EXTENSION_DATA) !== 0) {
    const extensions = decode(bytes.subarray(end));
    check(extensions.value instanceof CBORMap, "extensions");
    end += extensions.size;
  }
  check(end === bytes.length, "trailing_bytes");
  return {
    userPresent: parsed.userPresent,
    userVerified: parsed.userVerified,
    backupEligible: (flags & BACKUP_ELIGIBLE) !== 0,
    backedUp: (flags & BACKED_UP) !== 0,
    signCount: parsed.signatureCounter,
    attested,
    isForRelyingParty: (rpId) => parsed.verifyRelyingPartyIdHash(rpId),
  };
}

function parse(bytes: Uint8Array): ReturnType<typeof parseAuthenticatorData> {
  try {
    return parseAuthenticatorData(bytes);
  } catch (cause) {
    throw new WebAuthnError("authenticator_data", cause);
  }
}

function decode(bytes: Uint8Array): { readonly value: unknown; readonly size: number } {
  try {
    const [value, size] = decodeCBOR(bytes, MAX_CBOR_DEPTH);
    return { value, size };
  } catch (cause) {
    // The key was decoded before, so it can only be the extension data.
    throw new WebAuthnError("extensions", cause);
  }
}
