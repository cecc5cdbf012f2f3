import { parseJson } from "../lib/json.ts";
import { asObject } from "../lib/object.ts";
import { ProtocolError } from "../lib/error.ts";
import { canonicalPolicy, parsePolicy } from "../policy/canonical.ts";
import type { Policy } from "../policy/policy.ts";
import { readPolicy } from "../policy/read-policy.ts";
import { isStricterOrEqual } from "../policy/is-stricter-or-equal.ts";

/** The only type of authorization details (RFC 9396 section 2): signatures with Ethereum keys. */
export const SIGNING_TYPE = "ethereum_sign";

/**
 * Maximum length of `authorization_details`: a policy of the greatest length, and what surrounds it. An unauthenticated
 * client can store a request of this size.
 */
const LONGEST = 40 * 1024;

/** The permission of a client to sign. `keys` are key ids. */
export interface SigningDetail {
  readonly type: typeof SIGNING_TYPE;
  readonly policy: Policy;
  readonly keys: readonly string[];
}

/** Returns undefined if the client may not sign. */
export function grantedDetail(
  { policy, keys }: { readonly policy: string | null; readonly keys: string | null },
): SigningDetail | undefined {
  if (policy === null || keys === null) return undefined;
  return { type: SIGNING_TYPE, policy: parsePolicy(policy), keys: JSON.parse(keys) as string[] };
}

/** A fault in the client's details. The message is for developers and valid as an OAuth error description. */
export class DetailsError extends Error {
  constructor(message: string) {
    super(message.replaceAll('"', "'").replaceAll(/[^\x20-\x7E]|\\/g, "?"));
    this.name = "DetailsError";
  }
}

function fail(message: string): never {
  throw new DetailsError(message);
}

function parse(text: string): unknown {
  if (text.length > LONGEST) fail(`Send authorization_details of at most ${LONGEST} characters`);
  try {
    return parseJson(text);
  } catch {
    fail("Send authorization_details as JSON, each member once");
  }
}

/** Returns a path that is safe to show, because it cannot repeat arbitrary input. */
function shownPath(path: string): string {
  return /^[A-Za-z0-9_/*-]{1,120}$/.test(path) ? path : "/0/policy";
}

function readDetailPolicy(value: unknown): Policy {
  try {
    return readPolicy(value, "/0/policy");
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const [fault] = error.errors ?? [];
    fail(
      `The authorization_details are wrong at ${shownPath(fault?.path ?? "")}: ${
        fault?.message ?? error.message
      }`,
    );
  }
}

/** Parses a list of one detail. Throws a DetailsError for an unknown type or further members. */
function readDetail(text: string, members: readonly string[]): Readonly<Record<string, unknown>> {
  const list = parse(text);
  const detail = Array.isArray(list) && list.length === 1 ? asObject(list[0]) : undefined;
  if (detail === undefined) fail("Send a JSON array of one object as authorization_details");
  if (detail["type"] !== SIGNING_TYPE) {
    fail(`Send authorization_details of the type ${SIGNING_TYPE}: there is no other`);
  }
  const known = ["type", ...members];
  if (Object.keys(detail).some((name) => !known.includes(name))) {
    fail(`Send authorization_details with the members ${known.join(", ")} and no others`);
  }
  return detail;
}

/**
 * Parses the details of an authorization request (RFC 9396 section 2) and returns their policy as canonical JSON.
 * They must be one `ethereum_sign` element with a `policy` only: the user selects the keys. Throws a DetailsError.
 */
export function readRequestedPolicy(text: string): string {
  return canonicalPolicy(readDetailPolicy(readDetail(text, ["policy"])["policy"]));
}

/**
 * Narrows granted details to those of a token request (RFC 9396 sections 6 and 7). Absent `policy` and `keys` do not
 * change. Throws a DetailsError for details that were not granted.
 */
export function narrowDetail(granted: SigningDetail, text: string): SigningDetail {
  const { policy: sent, keys = granted.keys } = readDetail(text, ["policy", "keys"]);
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((id) => granted.keys.includes(id))) {
    fail("Send in authorization_details keys that were granted");
  }
  const policy = sent === undefined ? granted.policy : readDetailPolicy(sent);
  if (!isStricterOrEqual(policy, granted.policy)) {
    fail("Send in authorization_details a policy that allows nothing but what was granted");
  }
  // The grant counts budgets by name. A client that adds names could create any number of counters.
  if (!Object.keys(policy.budgets).every((name) => Object.hasOwn(granted.policy.budgets, name))) {
    fail("Send in authorization_details no budgets but those that were granted");
  }
  return { type: SIGNING_TYPE, policy, keys: [...new Set(keys as string[])] };
}
