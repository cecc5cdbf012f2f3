import type { Db } from "../db/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { catchUp, hashAt } from "./catch-up.ts";
import { formatReceipt, readIssueTime, readReceipt } from "./receipt.ts";
import type { AuditHead } from "./stored-entry.ts";
import { stop, watchOf } from "./watch.ts";

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
