import { constantTimeEqual } from "../../lib/bytes.ts";
import { type Instant, parseInstant, toIso } from "../../lib/time.ts";
import type { QuoteEvidence } from "./evidence.ts";
import { hexOf } from "./encoding.ts";
import { CheckFault, NotChecked } from "./fault.ts";
import { readHex, readJson, readObject, readSmall, readText } from "./json.ts";
import type { ParsedEvidence } from "./parsed-evidence.ts";

export interface ClaimedPolicy {
  /** SHA-256 of its canonical JSON. */
  readonly hash: Uint8Array;
  /** True if the policy can only become stricter. */
  readonly locked: boolean;
  readonly delayHours: number;
  readonly changesAt: Instant | undefined;
}

const HASH = /^0x[0-9a-f]{64}$/;

function readHash(value: unknown, at: string): Uint8Array {
  const text = readText(value, at);
  if (!HASH.test(text)) throw new TypeError(`${at} is not 0x and 32 bytes in hex`);
  return readHex(text.slice(2), at);
}

function readFlag(value: unknown, at: string): boolean {
  if (typeof value !== "boolean") throw new TypeError(`${at} is not true or false`);
  return value;
}

function readChange(value: unknown): Instant | undefined {
  if (value === null) return undefined;
  const at = "policy.change.takesEffectAt";
  const instant = parseInstant(readText(readObject(value, "policy.change")["takesEffectAt"], at));
  if (instant === undefined) throw new TypeError(`${at} is not an instant in UTC`);
  return instant;
}

function readPolicyClaim(value: unknown): ClaimedPolicy | undefined {
  if (value === null) return undefined;
  const { hash, locked, delayHours, change } = readObject(value, "policy");
  return {
    hash: readHash(hash, "policy.hash"),
    locked: readFlag(locked, "policy.locked"),
    delayHours: readSmall(delayHours, "policy.delayHours"),
    changesAt: readChange(change),
  };
}

/** Returns the key's policy in the claims, or undefined if the key has none. Throws if the claims do not state it. */
export function readClaimedPolicy({ claims }: Pick<QuoteEvidence, "claims">): ClaimedPolicy | undefined {
  if (claims === undefined) throw new NotChecked("There are no claims");
  return readJson(
    new TextDecoder().decode(claims),
    (value) => {
      const { purpose, policy } = readObject(value, "the text");
      if (purpose !== "holdfast/key-quote/v2") {
        throw new CheckFault("The claims are of a version without policies");
      }
      return readPolicyClaim(policy);
    },
    (message) => new CheckFault(`The claims cannot be read: ${message}`),
  );
}

/** Fails while a change is pending. */
export function checkKeyPolicy(_: ParsedEvidence, evidence: QuoteEvidence): string {
  const found = readClaimedPolicy(evidence);
  if (found === undefined) {
    throw new CheckFault("The key has no policy: it signs anything that its owner asks for");
  }
  const { hash, locked, delayHours, changesAt } = found;
  if (!constantTimeEqual(hash, evidence.expectations.policyHash!)) {
    throw new CheckFault(`The key has another policy: ${hexOf(hash)}`);
  }
  if (changesAt !== undefined) {
    throw new CheckFault(`As expected, but another policy replaces it at ${toIso(changesAt)}`);
  }
  if (locked) return "As expected, and LOCKED: it can only become tighter";
  return `As expected; it may be loosened after ${delayHours} hours`;
}
