import { asObject } from "../../lib/object.ts";
import { SECRET_MEMBERS } from "../dpop/proof-key.ts";
import { findUriFault } from "./redirect-uri.ts";

/** The signature algorithms of client assertions (RFC 7518 section 3.1, RFC 8037 section 3.1). */
export const ASSERTION_ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;

/** A public key of a client (RFC 7517). */
export type ClientKey = Readonly<Record<string, string>>;

/** The keys that a client authenticates with: a key set, or its address. */
export type ClientKeys =
  | { readonly jwks: readonly ClientKey[]; readonly jwksUri?: never }
  | { readonly jwksUri: string; readonly jwks?: never };

const KEY_LIMIT = 20;

/** Returns the supported public members of a key; undefined for a private, symmetric or unsupported one. */
function readKey(value: unknown): ClientKey | undefined {
  const key = asObject(value);
  if (key === undefined || SECRET_MEMBERS.some((name) => Object.hasOwn(key, name))) return undefined;
  const { kty, crv, x, y, n, e, kid, alg, use } = key;
  const texts = Object.entries({ kty, crv, x, y, n, e, kid, alg, use }).filter(([, each]) =>
    each !== undefined
  );
  if (!texts.every((entry): entry is [string, string] => typeof entry[1] === "string")) return undefined;
  const isKnown = (kty === "EC" && crv === "P-256" && x !== undefined && y !== undefined) ||
    (kty === "OKP" && crv === "Ed25519" && x !== undefined) ||
    // At least 2048 bits (RFC 7518 section 3.3).
    (kty === "RSA" && e !== undefined && typeof n === "string" && n.length >= 342);
  return isKnown ? Object.fromEntries(texts) : undefined;
}

/**
 * Parses a key set (RFC 7517 section 5). Leaves out keys of unsupported types, as section 5 requires. Returns undefined
 * if there is none left, or if it has a private key or more than 20 keys.
 */
export function readKeySet(value: unknown): readonly ClientKey[] | undefined {
  const list = asObject(value)?.["keys"];
  if (!Array.isArray(list) || list.length > KEY_LIMIT) return undefined;
  const isPrivate = (key: unknown): boolean =>
    SECRET_MEMBERS.some((name) => Object.hasOwn(asObject(key) ?? {}, name));
  if (list.some(isPrivate)) return undefined;
  const keys = list.map(readKey).filter((key) => key !== undefined);
  return keys.length > 0 ? keys : undefined;
}

/** Returns the keys of a client that authenticates by them, or the member that is wrong. Exactly one must be given. */
export function readClientKeys(
  { jwks, jwksUri }: { readonly jwks?: unknown; readonly jwksUri?: unknown },
  { local }: { readonly local: boolean },
): ClientKeys | { readonly fault: "jwks" | "jwksUri" } {
  if ((jwks == null) === (jwksUri == null)) return { fault: "jwks" };
  if (jwks != null) {
    const keys = readKeySet(jwks);
    return keys === undefined ? { fault: "jwks" } : { jwks: keys };
  }
  const isAddress = typeof jwksUri === "string" && findUriFault(jwksUri, "web") === undefined &&
    (local || jwksUri.startsWith("https:"));
  return isAddress ? { jwksUri } : { fault: "jwksUri" };
}
