import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual, fromBase64url, toBase64url, utf8 } from "../lib/bytes.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { stop, watchOf } from "./log-head.ts";
import { catchUp, hashAt } from "./read-tail.ts";
import type { AuditHead } from "./stored-entry.ts";

/** How old a browser's receipt grows before it gets another. */
const RENEWAL = 5 * MINUTE;

/** Receipts of which this process remembers that the log has their entries: as many at least, and at most twice. */
const REMEMBERED = 5000;

/** Gives out receipts for the end of the log, and looks at those that come back. */
export interface Witness {
  /**
   * A receipt for the last entry that this process knows; undefined for an empty log, and while recording is stopped:
   * whoever has an older one then shall keep it.
   */
  issue(now: Instant): string | undefined;
  /** The same for somebody who has one already, if it is time for another. */
  renew(held: string | undefined, now: Instant): string | undefined;
  /**
   * Looks whether the log has the entry of a receipt, and stops all recording where it has not, unless a person has
   * acknowledged since it was issued that entries were lost. A text that the vault did not make counts for nothing.
   */
  inspect(text: string): Promise<void>;
}

/** What a process does with receipts over its database. */
export function createWitness(db: Db, vault: Vault): Witness {
  const watch = watchOf(db);
  // Two of them, because to take the oldest out of one takes longer the more of them were.
  let proven = new Set<string>();
  let provenBefore = new Set<string>();
  let latest: { readonly head: AuditHead; readonly at: Instant; readonly text: string } | undefined;

  function remember(text: string): void {
    if (proven.size >= REMEMBERED) {
      provenBefore = proven;
      proven = new Set();
    }
    proven.add(text);
  }

  function issue(now: Instant): string | undefined {
    const { known: head, fault } = watch;
    if (head === undefined || head.seq === 0 || fault !== undefined) return undefined;
    // To the second, so that those who are answered together share one; never covered by what was acknowledged before.
    const at = Math.max(Math.floor(now / SECOND) * SECOND, watch.coveredUntil + 1);
    if (latest?.head !== head || latest.at !== at) {
      latest = { head, at, text: formatReceipt(vault, { ...head, at }) };
      remember(latest.text);
    }
    return latest.text;
  }

  function renew(held: string | undefined, now: Instant): string | undefined {
    const issuedAt = held === undefined ? undefined : readIssueTime(held);
    // One from the future was issued before the clock was set back, or is not ours.
    if (issuedAt !== undefined && Math.abs(now - issuedAt) < RENEWAL) return undefined;
    return issue(now);
  }

  async function inspect(text: string): Promise<void> {
    if (proven.has(text) || provenBefore.has(text)) return;
    const receipt = readReceipt(vault, text);
    if (receipt === undefined) return;
    const hash = await hashAt(db, receipt.seq);
    if (hash !== undefined && constantTimeEqual(hash, receipt.hash)) return remember(text);
    // Another process may have written that somebody knows.
    await catchUp(db, vault);
    if (receipt.at > watch.coveredUntil) stop(watch, "receipt", receipt.seq, receipt.at);
  }

  return { issue, renew, inspect };
}

/** The service's word that its log had an entry: whoever has one can tell that the log lost it. */
export interface Receipt extends AuditHead {
  /** When it was issued. */
  readonly at: Instant;
}

const RECEIPT = /^([1-9]\d{0,15})\.(\d{1,16})\.([\w-]{43})\.([\w-]{43})$/;

function receiptMac(vault: Vault, { seq, at, hash }: Receipt): Uint8Array {
  return vault.keyedHash("witness", utf8(`${seq}.${at}`), hash);
}

/** `entry.instant.hash.mac`, as a cookie and a header carry it. */
export function formatReceipt(vault: Vault, receipt: Receipt): string {
  const { seq, at, hash } = receipt;
  return `${seq}.${at}.${toBase64url(hash)}.${toBase64url(receiptMac(vault, receipt))}`;
}

/** When a text says that it was issued, if it has the form of a receipt. Proves nothing. */
export function readIssueTime(text: string): Instant | undefined {
  const at = RECEIPT.exec(text)?.[2];
  return at === undefined ? undefined : Number(at);
}

/** Reads a receipt that this vault issued; undefined for anything else. */
export function readReceipt(vault: Vault, text: string): Receipt | undefined {
  const [, seq, at, hash, mac] = RECEIPT.exec(text) ?? [];
  const read = {
    seq: Number(seq),
    at: Number(at),
    hash: fromBase64url(hash ?? ""),
    mac: fromBase64url(mac ?? ""),
  };
  if (read.hash === undefined || read.mac === undefined || !Number.isSafeInteger(read.seq)) return undefined;
  const receipt = { seq: read.seq, at: read.at, hash: read.hash };
  return constantTimeEqual(receiptMac(vault, receipt), read.mac) ? receipt : undefined;
}
