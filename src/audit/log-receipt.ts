import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual, fromBase64url, toBase64url, utf8 } from "../lib/bytes.ts";
import { type Instant, MINUTE, SECOND } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { stop, watchOf } from "./log-head.ts";
import { hashAt } from "./entry-hash.ts";
import { catchUp } from "./read-tail.ts";
import type { AuditHead } from "./stored-entry.ts";

/** The age at which a browser's receipt is renewed. */
const RENEWAL = 5 * MINUTE;

/** The minimum number of verified receipts in the cache. It holds at most twice as many. */
const CACHE_SIZE = 5000;

export interface LogReceiptService {
  /** Returns undefined for an empty log, and while recording is stopped, so that clients keep older receipts. */
  issue(now: Instant): string | undefined;
  /** Returns a new receipt if the held one is due for renewal. */
  renew(presented: string | undefined, now: Instant): string | undefined;
  /**
   * Verifies that the log contains a receipt's entry. Otherwise stops all recording, unless an operator acknowledged a
   * loss after the receipt was issued. Ignores a text that the vault did not issue.
   */
  verify(text: string): Promise<void>;
}

export function createLogReceiptService(db: Db, vault: Vault): LogReceiptService {
  const watch = watchOf(db);
  // Two generations: deleting the oldest entry of a Set takes longer the more were deleted before.
  let verified = new Set<string>();
  let verifiedBefore = new Set<string>();
  let latest: { readonly head: AuditHead; readonly at: Instant; readonly text: string } | undefined;

  function cacheVerified(text: string): void {
    if (verified.size >= CACHE_SIZE) {
      verifiedBefore = verified;
      verified = new Set();
    }
    verified.add(text);
  }

  function issue(now: Instant): string | undefined {
    const { known: head, fault } = watch;
    if (head === undefined || head.seq === 0 || fault !== undefined) return undefined;
    // Rounded to the second, so that concurrent responses share one. Always after the last acknowledgement.
    const at = Math.max(Math.floor(now / SECOND) * SECOND, watch.coveredUntil + 1);
    if (latest?.head !== head || latest.at !== at) {
      latest = { head, at, text: formatLogReceipt(vault, { ...head, at }) };
      cacheVerified(latest.text);
    }
    return latest.text;
  }

  function renew(presented: string | undefined, now: Instant): string | undefined {
    const issuedAt = presented === undefined ? undefined : readIssueTime(presented);
    // A receipt from the future was issued before the clock was set back, or is not authentic.
    if (issuedAt !== undefined && Math.abs(now - issuedAt) < RENEWAL) return undefined;
    return issue(now);
  }

  async function verify(text: string): Promise<void> {
    if (verified.has(text) || verifiedBefore.has(text)) return;
    const receipt = parseLogReceipt(vault, text);
    if (receipt === undefined) return;
    const hash = await hashAt(db, receipt.seq);
    if (hash !== undefined && constantTimeEqual(hash, receipt.hash)) return cacheVerified(text);
    // Another process may have recorded an acknowledgement.
    await catchUp(db, vault);
    if (receipt.at > watch.coveredUntil) stop(watch, "receipt", receipt.seq, receipt.at);
  }

  return { issue, renew, verify };
}

/** A signed statement that the log had an entry. It proves to its holder that the log lost the entry. */
export interface LogReceipt extends AuditHead {
  readonly at: Instant;
}

const RECEIPT = /^([1-9]\d{0,15})\.(\d{1,16})\.([\w-]{43})\.([\w-]{43})$/;

function receiptMac(vault: Vault, { seq, at, hash }: LogReceipt): Uint8Array {
  return vault.keyedHash("witness", utf8(`${seq}.${at}`), hash);
}

/** Formats a receipt for a cookie or header: `entry.instant.hash.mac`. */
export function formatLogReceipt(vault: Vault, receipt: LogReceipt): string {
  const { seq, at, hash } = receipt;
  return `${seq}.${at}.${toBase64url(hash)}.${toBase64url(receiptMac(vault, receipt))}`;
}

/** Returns the issue time of a text in a receipt's format. Does not verify it. */
function readIssueTime(text: string): Instant | undefined {
  const at = RECEIPT.exec(text)?.[2];
  return at === undefined ? undefined : Number(at);
}

/** Returns a receipt that this vault issued, or undefined. */
export function parseLogReceipt(vault: Vault, text: string): LogReceipt | undefined {
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
