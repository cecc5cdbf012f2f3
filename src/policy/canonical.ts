import { utf8 } from "../lib/bytes.ts";
import { recall } from "../lib/memoize.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Policy } from "./policy.ts";

/** Plain JSON whose numbers are whole and safe. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Canonical JSON (RFC 8785): members sorted by their UTF-16 code units, nothing between. */
function write(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(write).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(",")}}`;
}

/** The one text of a policy (RFC 8785), whichever way it was written. It reads back as the same policy. */
export function canonicalPolicy(policy: Policy): string {
  return write(policy as unknown as Json);
}

/** Policies that were read of late, by their texts: each signature asks for the same few again. */
const parsed = new Map<string, Policy>();

/** How many are kept; when there are more, all are read again. */
const KEPT = 256;

/** The policy of a canonical text that `canonicalPolicy` gave. Checks nothing: for texts that the service wrote itself. */
export function parsePolicy<P extends Policy = Policy>(canonical: string): P {
  return recall(parsed, canonical, KEPT, (text) => JSON.parse(text) as Policy) as P;
}

/** SHA-256 of the canonical text of a policy. */
export function policyHash(policy: Policy): Uint8Array {
  return sha256(utf8(canonicalPolicy(policy)));
}
