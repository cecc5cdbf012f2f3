import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWK } from "jose";
import type { Answer, Client } from "./client.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { sha256 } from "../../src/lib/sha256.ts";

/** Somebody who holds a key, and makes proofs with it. */
export interface Prover {
  readonly jwk: JWK;
  /** Its thumbprint. */
  readonly jkt: string;
  readonly keys: CryptoKeyPair;
  /** A proof (RFC 9449 section 4.2) of these claims, each with a `jti` of its own unless given. */
  prove(claims: ProofClaims, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The claims of a proof, in any form: also wrong ones. */
export interface ProofClaims {
  readonly htm?: unknown;
  readonly htu?: unknown;
  readonly iat?: unknown;
  readonly jti?: unknown;
  readonly ath?: unknown;
  readonly nonce?: unknown;
}

/** `ath` of a token. */
export function hashOf(token: string): string {
  return toBase64url(sha256(utf8(token)));
}

/** A fresh key and who makes proofs with it, as another library than ours does. */
export async function createProver(algorithm: "ES256" | "EdDSA" | "Ed25519" = "ES256"): Promise<Prover> {
  const keys = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(keys.publicKey);
  return {
    jwk,
    jkt: await calculateJwkThumbprint(jwk),
    keys: keys as CryptoKeyPair,
    prove: (claims, header = {}) =>
      new SignJWT({ jti: crypto.randomUUID(), ...claims } as Record<string, unknown>)
        .setProtectedHeader({ typ: "dpop+jwt", alg: algorithm, jwk, ...header }).sign(keys.privateKey),
  };
}

/** A program that holds a key, and a token that is bound to it or not. */
export interface ProvingProgram {
  /** Sends a request with a proof that is right but for the changes; a nonce is got first where there is none. */
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
}

/** What is sent beside the token, and what is wrong with its proof. */
export interface Sending {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: ProofClaims;
  /** Sent in the place of the proof; null for none. */
  readonly proof?: string | null;
  readonly scheme?: string;
}

/** A program at an address, with a browser's origin in the place of the public one. */
export function provingProgram(
  client: Client,
  prover: Prover,
  { text, now }: { text: string; now: () => number },
): ProvingProgram {
  let nonce: string | undefined;
  async function once(method: string, path: string, sending: Sending): Promise<Answer> {
    const { body, headers = {}, claims = {}, scheme = "DPoP" } = sending;
    const right = {
      htm: method,
      htu: client.origin + path.split("?")[0],
      iat: now() / 1000,
      ath: hashOf(text),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const proof = sending.proof === undefined ? await prover.prove({ ...right, ...claims }) : sending.proof;
    const answer = await client.request(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `${scheme} ${text}`, ...(proof === null ? {} : { dpop: proof }), ...headers },
    });
    nonce = answer.headers.get("dpop-nonce") ?? nonce;
    return answer;
  }
  return {
    async send(method, path, sending = {}) {
      if (nonce === undefined) await once("GET", "/api/keys", {});
      return await once(method, path, sending);
    },
  };
}
