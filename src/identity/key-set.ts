import { createLocalJWKSet, errors } from "jose";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { asObject } from "../lib/object.ts";
import { HOUR, SECOND } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { check, IdentityError } from "./error.ts";
import { askJson } from "./provider-request.ts";
import type { Line } from "./provider-request.ts";

/** How long keys are used before they are asked for again. */
const LIFETIME = HOUR;

/** How soon an unknown key id makes us ask again: a provider cannot have us ask it for ever. */
const PATIENCE = 10 * SECOND;

/** Most keys a set may have. */
const MOST_KEYS = 100;

interface Kept {
  readonly getKey: JWTVerifyGetKey;
  readonly since: Instant;
}

/** The keys of one provider: kept for an hour, asked for again when a token names one that is not among them, or none. */
export type KeySet = (line: Line, jwksUri: string) => JWTVerifyGetKey;

/** A key set that holds nothing yet. What it keeps is one set of a bounded size. */
export function createKeySet(): KeySet {
  let kept: Kept | undefined;

  async function ask(line: Line, jwksUri: string): Promise<Kept> {
    kept = { getKey: readKeys(await askJson(line, jwksUri)), since: line.now };
    return kept;
  }

  return (line, jwksUri) => async (header, token) => {
    // A token that names no key can be by a new one, and no error would tell.
    const lifetime = header?.kid === undefined ? PATIENCE : LIFETIME;
    const isFresh = kept !== undefined && Math.abs(line.now - kept.since) < lifetime;
    const { getKey, since } = isFresh ? kept! : await ask(line, jwksUri);
    try {
      return await getKey(header, token);
    } catch (error) {
      const mayHaveRotated = error instanceof errors.JWKSNoMatchingKey &&
        Math.abs(line.now - since) >= PATIENCE;
      if (!mayHaveRotated) throw error;
      return await (await ask(line, jwksUri)).getKey(header, token);
    }
  };
}

/**
 * Symmetric keys among them are of no use: jose takes a key only for the algorithm's own type, and none of ours is
 * symmetric.
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
