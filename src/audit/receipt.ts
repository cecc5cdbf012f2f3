import { constantTimeEqual, fromBase64url, toBase64url, utf8 } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditHead } from "./stored-entry.ts";

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
