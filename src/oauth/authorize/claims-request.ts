import { ProtocolError } from "../../lib/error.ts";
import { parseJson } from "../../lib/json.ts";
import { asObject } from "../../lib/object.ts";
import { hasNul } from "../../lib/text.ts";
import { CLAIMS, type ClaimsRequest, registeredClaims } from "../claims.ts";
import type { Client } from "../client/client.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { AUTHENTICATION_CONTEXT } from "../token/id-token.ts";

/** Maximum length of the parameter. An unauthenticated client can send one. */
const LONGEST = 8192;

type Members = Readonly<Record<string, unknown>>;

/** The parts of a `claims` parameter that this service obeys. */
export interface ReadClaims {
  /** JSON of the registered claims that are requested by name. Null if the client gets the usual ones. */
  readonly claims: string | null;
  /** The required value of `sub` in the ID token, if any. */
  readonly subject: string | undefined;
  /** True if `acr` must have a value that no sign-in of this service has. */
  readonly isUnmet: boolean;
}

class ClaimsError extends Error {}

/** Returns the members of a claim's request: null, or an object (OpenID Connect Core section 5.5.1). */
function readClaim(value: unknown): Members {
  if (value === null) return {};
  const claim = asObject(value);
  const { essential, values } = claim ?? {};
  const isRight = claim !== undefined && (essential === undefined || typeof essential === "boolean") &&
    (values === undefined || Array.isArray(values));
  if (!isRight) throw new ClaimsError();
  return claim;
}

function readPlace(value: unknown): Readonly<Record<string, Members>> {
  if (value === undefined) return {};
  const place = asObject(value);
  if (place === undefined) throw new ClaimsError();
  return Object.fromEntries(Object.entries(place).map(([name, claim]) => [name, readClaim(claim)]));
}

function parse(text: string): Members {
  if (text.length > LONGEST) throw new ClaimsError();
  try {
    const parsed = asObject(parseJson(text));
    if (parsed !== undefined) return parsed;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
  throw new ClaimsError();
}

/** Returns true if a value is required of a claim and `actual` is none of those. */
function isOther({ value, values }: Members, actual: string): boolean {
  if (value !== undefined && value !== actual) return true;
  return Array.isArray(values) && !values.includes(actual);
}

/**
 * Parses the `claims` parameter (OpenID Connect Core section 5.5). Returns undefined if it is malformed. Ignores claims
 * that are unknown or not registered for the client, and members that are unknown.
 */
export function readClaimsRequest(client: Client, parameters: OAuthParameters): ReadClaims | undefined {
  try {
    const text = findParameter(parameters, "claims");
    const { userinfo, id_token } = text === undefined ? {} : parse(text);
    const requested = { userinfo: readPlace(userinfo), id_token: readPlace(id_token) };
    const { sub, acr } = requested.id_token;
    const subject = sub?.["value"];
    if (subject !== undefined && (typeof subject !== "string" || hasNul(subject))) return undefined;
    const registered = registeredClaims(client);
    const named = (place: keyof ClaimsRequest) =>
      CLAIMS.filter((claim) => registered.includes(claim) && Object.hasOwn(requested[place], claim));
    const claims: ClaimsRequest = { userinfo: named("userinfo"), id_token: named("id_token") };
    return {
      claims: client.claimScopes.length === 0 ? null : JSON.stringify(claims),
      subject,
      isUnmet: acr?.["essential"] === true && isOther(acr, AUTHENTICATION_CONTEXT),
    };
  } catch (error) {
    if (error instanceof ClaimsError) return undefined;
    throw error;
  }
}
