import { utf8 } from "../lib/bytes.ts";
import { memoize } from "../lib/memoize.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Policy } from "./policy.ts";

/** Plain JSON. Its numbers are safe integers. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Writes canonical JSON (RFC 8785): members sorted by UTF-16 code units, no whitespace. */
function write(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(write).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(",")}}`;
}

/** Returns the canonical JSON of a policy (RFC 8785). It reads back as the same policy. */
export function canonicalPolicy(policy: Policy): string {
  return write(policy as unknown as Json);
}

/** A cache of policies by text. Each signature needs the same few. */
const parsed = new Map<string, Policy>();

const KEPT = 256;

/** Parses the output of `canonicalPolicy`. Checks nothing: use it only for texts that the service wrote. */
export function parsePolicy<P extends Policy = Policy>(canonical: string): P {
  return memoize(parsed, canonical, KEPT, (text) => JSON.parse(text) as Policy) as P;
}

export function policyHash(policy: Policy): Uint8Array {
  return sha256(utf8(canonicalPolicy(policy)));
}
