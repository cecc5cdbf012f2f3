import { toBase64url } from "../lib/bytes.ts";
import { ALGORITHMS, type CoseAlgorithm } from "./credential-key.ts";

/** A credential in ceremony options (WebAuthn Level 3 section 5.8.3). */
export interface PublicKeyCredentialDescriptorJSON {
  readonly type: "public-key";
  readonly id: string;
  readonly transports: readonly string[];
}

/** Options for `navigator.credentials.create` (section 5.1.9). Byte strings are base64url. */
export interface PublicKeyCredentialCreationOptionsJSON {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: readonly { readonly type: "public-key"; readonly alg: CoseAlgorithm }[];
  readonly timeout: number;
  readonly excludeCredentials: readonly PublicKeyCredentialDescriptorJSON[];
  readonly authenticatorSelection: {
    readonly residentKey: "required";
    readonly requireResidentKey: true;
    readonly userVerification: "required";
  };
  readonly attestation: "none";
}

/** Options for `navigator.credentials.get` (section 5.1.10). Empty `allowCredentials`: any discoverable one. */
export interface PublicKeyCredentialRequestOptionsJSON {
  readonly challenge: string;
  readonly timeout: number;
  readonly rpId: string;
  readonly allowCredentials: readonly PublicKeyCredentialDescriptorJSON[];
  readonly userVerification: "required";
}

export interface NamedCredential {
  readonly id: Uint8Array;
  readonly transports: readonly string[];
}

function descriptor({ id, transports }: NamedCredential): PublicKeyCredentialDescriptorJSON {
  return { type: "public-key", id: toBase64url(id), transports };
}

/**
 * Returns options that require a discoverable credential, user verification and no attestation. `timeout` is in
 * milliseconds. Does not check that the challenge is random and at least 16 bytes long (section 13.4.3). Does not check
 * that the user handle reveals nothing about the user (section 14.6.1).
 */
export function creationOptions(values: {
  readonly rpId: string;
  readonly rpName: string;
  readonly challenge: Uint8Array;
  readonly userHandle: Uint8Array;
  readonly userName: string;
  readonly displayName: string;
  readonly excludeCredentials: readonly NamedCredential[];
  readonly timeout: number;
}): PublicKeyCredentialCreationOptionsJSON {
  return {
    rp: { id: values.rpId, name: values.rpName },
    user: { id: toBase64url(values.userHandle), name: values.userName, displayName: values.displayName },
    challenge: toBase64url(values.challenge),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: values.timeout,
    excludeCredentials: values.excludeCredentials.map(descriptor),
    // `requireResidentKey` is for Level 1 clients, which ignore `residentKey`.
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    attestation: "none",
  };
}

/** Requires user verification and one of `allowCredentials`; an empty list allows any discoverable credential. */
export function requestOptions(values: {
  readonly rpId: string;
  readonly challenge: Uint8Array;
  readonly allowCredentials: readonly NamedCredential[];
  readonly timeout: number;
}): PublicKeyCredentialRequestOptionsJSON {
  return {
    challenge: toBase64url(values.challenge),
    timeout: values.timeout,
    rpId: values.rpId,
    allowCredentials: values.allowCredentials.map(descriptor),
    userVerification: "required",
  };
}
