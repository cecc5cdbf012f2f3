import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { asObject } from "../lib/object.ts";
import { HOUR, type Instant, SECOND } from "../lib/time.ts";
import { check, IdentityError } from "./error.ts";
import { fetchJson, type ProviderConnection } from "./provider-request.ts";

const LIFETIME = HOUR;

/** The minimum time between requests for an unknown or missing key id, so that not every token causes one. */
const REFRESH_INTERVAL = 10 * SECOND;

const MOST_KEYS = 100;

interface CachedKeySet {
  readonly getKey: JWTVerifyGetKey;
  readonly since: Instant;
}

/** The cached keys of one provider, requested again after an hour, or if a token names an unknown key or none. */
export type KeySet = (connection: ProviderConnection, jwksUri: string) => JWTVerifyGetKey;

export function createKeySet(): KeySet {
  let cached: CachedKeySet | undefined;

  async function ask(connection: ProviderConnection, jwksUri: string): Promise<CachedKeySet> {
    cached = { getKey: readKeys(await fetchJson(connection, jwksUri)), since: connection.now };
    return cached;
  }

  return (connection, jwksUri) => async (header, token) => {
    // A token without a key id may be signed by a new key, and no error would reveal it.
    const lifetime = header?.kid === undefined ? REFRESH_INTERVAL : LIFETIME;
    const isFresh = cached !== undefined && Math.abs(connection.now - cached.since) < lifetime;
    const { getKey, since } = isFresh ? cached! : await ask(connection, jwksUri);
    try {
      return await getKey(header, token);
    } catch (error) {
      const mayHaveRotated = error instanceof errors.JWKSNoMatchingKey &&
        Math.abs(connection.now - since) >= REFRESH_INTERVAL;
      if (!mayHaveRotated) throw error;
      return await (await ask(connection, jwksUri)).getKey(header, token);
    }
  };
}

/**
 * Parses a JWK Set. Symmetric keys in it are harmless: jose uses a key only for its own algorithm type, and
 * `ALGORITHMS` has no symmetric one.
 */
function readKeys(value: unknown): JWTVerifyGetKey {
  const keys = asObject(value)?.["keys"];
  check(Array.isArray(keys) && keys.length <= MOST_KEYS, "key_set");
  try {
    return createLocalJWKSet({ keys } as JSONWebKeySet);
  } catch {
    throw new IdentityError("key_set");
  }
}
