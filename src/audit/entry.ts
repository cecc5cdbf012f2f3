import type { Tables } from "../db/schema/schema.ts";
import { concat, lengthPrefixed, utf8 } from "../lib/bytes.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Vault } from "../vault/vault.ts";

/**
 * An entry without its hash and MAC. The numbers may be the decimal text that is hashed, because an attacker can store
 * one that is not a safe integer.
 */
export interface AuditEntry extends Omit<Tables["audit_event"], "hash" | "mac" | "seq" | "at"> {
  readonly seq: number | string;
  readonly at: number | string;
}

const DOMAIN = utf8("holdfast/audit/v1");

/** The hash before the first entry. */
export const NO_HASH: Uint8Array = new Uint8Array(32);

/** Returns SHA-256 over the previous hash and every column, length-prefixed. Needs no secret. */
export function entryHash(previous: Uint8Array, entry: AuditEntry): Uint8Array {
  return sha256(lengthPrefixed(
    DOMAIN,
    previous,
    utf8(String(entry.seq)),
    utf8(String(entry.at)),
    utf8(entry.event),
    nullable(entry.account_id),
    nullable(entry.subject),
    utf8(entry.detail),
    // An entry without a state has one part less.
    ...(entry.state === null ? [] : [entry.state]),
  ));
}

/** Returns the MAC of an entry, which proves that the service wrote it. */
export function entryMac(vault: Vault, seq: number, hash: Uint8Array): Uint8Array {
  return vault.keyedHash("audit", utf8(String(seq)), hash);
}

function nullable(text: string | null): Uint8Array {
  return text === null ? Uint8Array.of(0) : concat(Uint8Array.of(1), utf8(text));
}
