import { type COSEPublicKey, parseAuthenticatorData } from "@oslojs/webauthn";
import { readCbor } from "./cbor.ts";
import { check, WebAuthnError } from "./error.ts";

/** Attested credential data (section 6.5.1). */
export interface AttestedCredential {
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** The original bytes of the COSE_Key. */
  readonly publicKey: Uint8Array;
  readonly decodedKey: COSEPublicKey;
}

/** Parsed authenticator data (section 6.1). */
export interface AuthenticatorData {
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly signCount: number;
  readonly attested: AttestedCredential | undefined;
  readonly isForRelyingParty: (rpId: string) => boolean;
}

const FLAGS_OFFSET = 32;
const COUNTER_OFFSET = 33;
const HEADER_LENGTH = 37;
const ID_LENGTH_OFFSET = HEADER_LENGTH + 16; // after the AAGUID
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED_CREDENTIAL = 0x40;
const EXTENSION_DATA = 0x80;

/**
 * Parses authenticator data. Throws WebAuthnError. Ignores extension outputs, requested or not (7.1 step 28, 7.2 step
 * 23), but requires them to be a single map.
 *
 * Walks the whole layout before @oslojs/webauthn parses it. Its CBOR decoder loops forever on some inputs, and it
 * ignores the backup flags, extension data and trailing bytes. It also reads the counter as a signed number.
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  const key = checkLayout(bytes);
  const parsed = parse(bytes);
  const flags = bytes[FLAGS_OFFSET]!;
  return {
    userPresent: parsed.userPresent,
    userVerified: parsed.userVerified,
    backupEligible: (flags & BACKUP_ELIGIBLE) !== 0,
    backedUp: (flags & BACKED_UP) !== 0,
    signCount: viewOf(bytes).getUint32(COUNTER_OFFSET),
    attested: parsed.credential === null ? undefined : {
      aaguid: parsed.credential.authenticatorAAGUID,
      credentialId: parsed.credential.id,
      publicKey: bytes.slice(key.start, key.end),
      decodedKey: parsed.credential.publicKey,
    },
    isForRelyingParty: (rpId) => parsed.verifyRelyingPartyIdHash(rpId),
  };
}

/** Checks the layout up to the last byte. Returns the range of the public key, empty without attested data. */
function checkLayout(bytes: Uint8Array): { readonly start: number; readonly end: number } {
  check(bytes.length >= HEADER_LENGTH, "authenticator_data");
  const flags = bytes[FLAGS_OFFSET]!;
  let start = HEADER_LENGTH;
  let end = start;
  if ((flags & ATTESTED_CREDENTIAL) !== 0) {
    check(bytes.length >= ID_LENGTH_OFFSET + 2, "authenticator_data");
    start = ID_LENGTH_OFFSET + 2 + viewOf(bytes).getUint16(ID_LENGTH_OFFSET);
    end = readCbor(bytes, start, "authenticator_data").end;
  }
  const key = { start, end };
  if ((flags & EXTENSION_DATA) !== 0) {
    const extensions = readCbor(bytes, end, "extensions");
    check(extensions.value instanceof Map, "extensions");
    end = extensions.end;
  }
  check(end === bytes.length, "trailing_bytes");
  return key;
}

function parse(bytes: Uint8Array): ReturnType<typeof parseAuthenticatorData> {
  try {
    return parseAuthenticatorData(bytes);
  } catch (cause) {
    throw new WebAuthnError("authenticator_data", cause);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
