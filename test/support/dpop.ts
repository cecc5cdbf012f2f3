import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWK } from "jose";
import type { Answer, Client } from "./client.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { sha256 } from "../../src/lib/sha256.ts";

/** The holder of a key that makes proofs with it. */
export interface Prover {
  readonly jwk: JWK;
  /** Its thumbprint. */
  readonly jkt: string;
  readonly keys: CryptoKeyPair;
  /** Makes a proof (RFC 9449 section 4.2) of these claims, by default with a new `jti`. */
  prove(claims: ProofClaims, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The claims of a proof, also invalid ones. */
export interface ProofClaims {
  readonly htm?: unknown;
  readonly htu?: unknown;
  readonly iat?: unknown;
  readonly jti?: unknown;
  readonly ath?: unknown;
  readonly nonce?: unknown;
}

/** Returns the `ath` of a token. */
export function hashOf(token: string): string {
  return toBase64url(sha256(utf8(token)));
}

/** Creates a key and its prover, with another library than the service's. */
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

/** A program with a key, and a token that is bound to it or not. */
export interface ProvingProgram {
  /** Sends a request with a valid proof and the given changes. Requests a nonce first if it has none. */
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
}

/** The parts of a request beside the token, and the changes of its proof. */
export interface Sending {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: ProofClaims;
  /** Sent instead of the proof; null for none. */
  readonly proof?: string | null;
  readonly scheme?: string;
}

/** Creates a program at an address. `origin` replaces the public origin. */
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
