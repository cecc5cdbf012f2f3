import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newOrderedId, type RandomBytes } from "../../lib/id.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import { widen } from "../../lib/ip-address.ts";
import type { Mail, Mailer } from "../../mail/mailer.ts";
import { enqueueMail, sealMail, withdrawMail } from "../../mail/outbox.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { removeRow, replaceRow, upsertRow } from "../../store/write.ts";
import type { AccountServices } from "../services.ts";
import { findCodeUse, isUsedUp, recordUse, recordWrongTry, requireTriesLeft } from "./code-use.ts";

export const CODE_LIFETIME = 5 * MINUTE;

/** The number of attempts for each code. The last wrong attempt invalidates it. */
export const CODE_ATTEMPTS = 3;

/** The purpose of a code. It is part of the row and of the hash, so that a code is valid for one purpose only. */
export type CodePurpose = "sign_up" | "change_email" | "recovery";

/** The key of a code. Each address, purpose and holder has at most one. */
export interface CodePlace {
  /** Normalised by `normaliseEmail`. */
  readonly email: string;
  readonly purpose: CodePurpose;
  /** Identifies the only holder that can redeem the code, for example by the hash of a browser's secret. */
  readonly holderHash: string;
}

// The largest multiple of 10^6 below 2^32. Draws above it are rejected: they would favour low codes.
const FAIR_DRAWS = 4_294_000_000;

/** Returns a code of 6 uniformly random digits, leading zeros included. */
export function drawCode(random: RandomBytes): string {
  for (;;) {
    const bytes = random(4);
    const draw = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
    if (draw < FAIR_DRAWS) return String(draw % 1_000_000).padStart(6, "0");
  }
}

/** Keyed, because an attacker with the database could otherwise try all million codes in a second. */
function hashCode(
  { vault }: AccountServices,
  row: { id: string; purpose: string; email: string },
  code: string,
): Uint8Array {
  return vault.keyedHash("email-code", utf8(row.id), utf8(row.purpose), utf8(row.email), utf8(code));
}

/**
 * Mails a code to an address. The code expires after five minutes and replaces the holder's earlier one for the
 * address. Does not check whether the address has an account, so response, time and mail reveal nothing. Throws
 * `rate_limited` without writing anything.
 */
export async function sendCode(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  { email, purpose, holderHash, network, code, mail, now, random }: CodePlace & {
    readonly network: string;
    readonly code: string;
    readonly mail: Mail;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
): Promise<void> {
  const { vault, authority, limits, mailer } = services;
  const facts = {
    id: newOrderedId("code", { now, random }),
    email,
    purpose,
    browser_hash: holderHash,
    network,
  };
  const sealedMail = sealMail(vault, mail, { now, random, lifetime: CODE_LIFETIME, of: facts.id });
  const row = {
    ...facts,
    code_mac: hashCode(services, facts, code),
    created_at: now,
    expires_at: now + CODE_LIFETIME,
    attempts: 0,
  };
  await transaction(db, async (tx) => {
    await limits.take(tx, "email_code_global", "", now);
    await limits.take(tx, "email_code_network", network, now);
    await limits.take(tx, "email_code_address", `${network} ${email}`, now);
    const { replaced } = await upsertRow(tx, authority, "email_code", "byBrowser", row);
    // A queued mail with the replaced code could arrive after the new one.
    if (replaced !== undefined) await withdrawMail(tx, replaced.id);
    await enqueueMail(tx, sealedMail);
  });
  mailer.queued(mail);
}

/**
 * Redeems the holder's code for the address and returns true if it is correct. Counts each attempt for network, code
 * and address before it compares. The third wrong attempt invalidates the code, and a use all codes of the address from
 * before. The caller must commit the count in any case. Throws `rate_limited`.
 */
export async function consumeCode(
  tx: Db,
  services: AccountServices,
  value: CodePlace & { readonly code: string; readonly network: string; readonly now: Instant },
): Promise<boolean> {
  const row = await countTry(tx, services, value);
  if (row === undefined) return false;
  await countAddressTry(tx, services, { ...value, isRequestingNetwork: row.network === value.network });
  const { email, now } = value;
  const use = await findCodeUse(tx, services, email);
  if (isUsedUp(use, row)) return false;
  requireTriesLeft(use, now);
  if (!isCode(services, row, value.code)) {
    await recordWrongTry(tx, services, { email, use, now });
    return false;
  }
  await removeRow(tx, services.authority, "email_code", row);
  await recordUse(tx, services, { email, use, id: row.id, now });
  return true;
}

export function wrongCode(): ProtocolError {
  return new ProtocolError("invalid_code", "Cannot redeem code: wrong, expired or already used");
}

interface AddressTry {
  readonly email: string;
  readonly network: string;
  /** True in the network that requested the code. */
  readonly isRequestingNetwork: boolean;
  readonly now: Instant;
}

/**
 * Counts an attempt for the address across all holders and networks, because each new code allows three more. Counts
 * correct codes too, so that the count reveals nothing. In the network that requested the code, an attempt past these
 * limits has a second count, so that attempts elsewhere do not lock an owner out. Both together bound the guesses.
 * Throws `rate_limited`.
 */
async function countAddressTry(
  tx: Db,
  { limits }: AccountServices,
  { email, network, isRequestingNetwork, now }: AddressTry,
): Promise<void> {
  try {
    await limits.take(tx, "email_address_site", `${email} ${widen(network, "site")}`, now);
    await limits.take(tx, "email_address_region", `${email} ${widen(network, "region")}`, now);
    await limits.take(tx, "email_address_tries", email, now);
  } catch (error) {
    if (!isRequestingNetwork || !(error instanceof ProtocolError && error.code === "rate_limited")) {
      throw error;
    }
    await limits.take(tx, "email_address_customer", `${email} ${widen(network, "customer")}`, now);
    await limits.take(tx, "email_address_reserve", email, now);
  }
}

/**
 * Counts an attempt for the network and the holder's code, and returns the code's row. Returns undefined if not
 * found, expired or without attempts left. The caller must commit the count in any case. Throws `rate_limited`.
 */
export async function countTry(
  tx: Db,
  { authority, limits }: AccountServices,
  { email, purpose, holderHash, network, now }: CodePlace & {
    readonly network: string;
    readonly now: Instant;
  },
): Promise<Authentic<"email_code"> | undefined> {
  await limits.take(tx, "email_code_guess", network, now);
  const where = { email, purpose, browser_hash: holderHash };
  const row = await findRow(tx, authority, "email_code", "byBrowser", where);
  if (row === undefined || row.attempts >= CODE_ATTEMPTS || row.expires_at <= now) return undefined;
  return await replaceRow(tx, authority, "email_code", row, { attempts: row.attempts + 1 });
}

/** Returns true if the row's hash matches the code. Does not check expiry and attempts: `countTry` does. */
export function isCode(services: AccountServices, row: Authentic<"email_code">, code: string): boolean {
  return constantTimeEqual(hashCode(services, row, code), row.code_mac);
}
