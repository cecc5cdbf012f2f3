import { asObject } from "../lib/object.ts";
import { ProtocolError } from "../lib/error.ts";
import { canonicalPolicy, parsePolicy } from "../policy/canonical.ts";
import type { Policy } from "../policy/policy.ts";
import { readPolicy } from "../policy/read-policy.ts";
import { isWithin } from "../policy/is-stricter-or-equal.ts";

/** The one type of authorization details (RFC 9396 section 2) that there is: signatures with Ethereum keys. */
export const SIGNING_TYPE = "ethereum_sign";

/** Longest `authorization_details` that are read. A request with them waits in a row that anybody can have made. */
const LONGEST = 8192;

/** What an application may sign, and with which keys: by their ids. */
export interface SigningDetail {
  readonly type: typeof SIGNING_TYPE;
  readonly policy: Policy;
  readonly keys: readonly string[];
}

/** Details as they were granted, of a grant's columns; undefined where nothing may be signed. */
export function grantedDetail(
  { policy, keys }: { readonly policy: string | null; readonly keys: string | null },
): SigningDetail | undefined {
  if (policy === null || keys === null) return undefined;
  return { type: SIGNING_TYPE, policy: parsePolicy(policy), keys: JSON.parse(keys) as string[] };
}

/**
 * What is wrong with details that were sent: a sentence for developers, of characters that any error description may
 * have.
 */
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
    return JSON.parse(text);
  } catch {
    fail("Send authorization_details as JSON");
  }
}

/** Names of members, as far as they can be told without giving back what somebody sent. */
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

/** The one element of a list of details, with its type known and no members but these. */
function readDetail(text: string, members: readonly string[]): Readonly<Record<string, unknown>> {
  const list = parse(text);
  const detail = Array.isArray(list) && list.length === 1 ? asObject(list[0]) : undefined;
  if (detail === undefined) fail("Send as authorization_details a JSON array of one object");
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
 * What an application asks to sign (RFC 9396 section 2), as canonical text: one element of the type `ethereum_sign`, with
 * a `policy` and nothing else. The person picks the keys. Throws a DetailsError for everything else.
 */
export function readRequestedPolicy(text: string): string {
  return canonicalPolicy(readDetailPolicy(readDetail(text, ["policy"])["policy"]));
}

/**
 * Details that were granted and are asked for again, perhaps narrower (RFC 9396 sections 6 and 7): `policy` and `keys`
 * may be left out, and stay as they are then. Throws a DetailsError for what was not granted.
 */
export function narrowDetail(granted: SigningDetail, text: string): SigningDetail {
  const { policy: sent, keys = granted.keys } = readDetail(text, ["policy", "keys"]);
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((id) => granted.keys.includes(id))) {
    fail("Send in authorization_details keys that were granted");
  }
  const policy = sent === undefined ? granted.policy : readDetailPolicy(sent);
  if (!isWithin(policy, granted.policy)) {
    fail("Send in authorization_details a policy that allows nothing but what was granted");
  }
  // Counted for the grant under their names: were others let in, an application could have any number counted.
  if (!Object.keys(policy.budgets).every((name) => Object.hasOwn(granted.policy.budgets, name))) {
    fail("Send in authorization_details no budgets but those that were granted");
  }
  return { type: SIGNING_TYPE, policy, keys: [...new Set(keys as string[])] };
}
