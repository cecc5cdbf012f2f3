import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newOrderedId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { widen } from "../../lib/ip-address.ts";
import type { Mail, Mailer } from "../../mail/mailer.ts";
import { enqueueMail, sealMail, withdrawMail } from "../../mail/outbox.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { putRow, removeRow, replaceRow } from "../../store/write.ts";
import type { AccountServices } from "../services.ts";

/** How long a code can be redeemed. */
export const CODE_LIFETIME = 5 * MINUTE;

/** Tries a code allows; the last wrong one kills it. */
export const CODE_ATTEMPTS = 3;

/** What a code proves an address for: part of its row and of its hash, so that one made for another purpose is no code. */
export type CodePurpose = "sign_up" | "change_email" | "recovery";

/** Which code: one lives for an address, a purpose and a holder. */
export interface CodePlace {
  /** As `normaliseEmail` reads it. */
  readonly email: string;
  readonly purpose: CodePurpose;
  /** Who alone can redeem it, such as the hash of a browser's secret. */
  readonly holderHash: string;
}

// The largest multiple of 10^6 in 32 bits: draws from here up would make the low codes likelier.
const FAIR_DRAWS = 4_294_000_000;

/** A code of 6 uniform digits, leading zeros included. */
export function drawCode(random: RandomBytes): string {
  for (;;) {
    const bytes = random(4);
    const draw = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
    if (draw < FAIR_DRAWS) return String(draw % 1_000_000).padStart(6, "0");
  }
}

/** The code under a vault key, tied to its row: without the key, a million codes would be searched in a second. */
function hashCode(
  { vault }: AccountServices,
  row: { id: string; purpose: string; email: string },
  code: string,
): Uint8Array {
  return vault.keyedHash("email-code", utf8(row.id), utf8(row.purpose), utf8(row.email), utf8(code));
}

/**
 * Sends a code that was just drawn to an address, in the mail that says it. It lives five minutes, for this holder only,
 * and replaces the holder's earlier one for the address. Never looks whether the address has an account, so answer, time
 * and mail are the same for all. Throws `rate_limited`, with nothing written.
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
  const facts = { id: newOrderedId("code", { now, random }), email, purpose, browser_hash: holderHash };
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
    const { replaced } = await putRow(tx, authority, "email_code", "byBrowser", row);
    // A mail that waited for its server would come after the new one, with a code that is dead.
    if (replaced !== undefined) await withdrawMail(tx, replaced.id);
    await enqueueMail(tx, sealedMail);
  });
  mailer.queued(mail);
}

/**
 * Whether this is the holder's code for the address, which is then used up. Every try is counted before it is compared,
 * for the code, whose third wrong one kills it, and for the address. The caller must commit the count whatever the
 * answer. Throws `rate_limited`.
 */
export async function takeCode(
  tx: Db,
  services: AccountServices,
  value: CodePlace & { readonly code: string; readonly network: string; readonly now: Instant },
): Promise<boolean> {
  const row = await countTry(tx, services, value);
  if (row === undefined) return false;
  await takeTry(tx, services, value);
  if (!isCode(services, row, value.code)) return false;
  await removeRow(tx, services.authority, "email_code", row);
  return true;
}

/** The one refusal of a code. */
export function wrongCode(): ProtocolError {
  return new ProtocolError("invalid_code", "Cannot redeem code: wrong, expired or already used");
}

/**
 * Counts a try for the address over all holders and networks: whoever asks for a code after the other gets three tries
 * at each. Right ones count too, or the count would tell. Nobody is locked out of an account by it: signing in takes
 * no code.
 */
async function takeTry(
  tx: Db,
  { limits }: AccountServices,
  { email, network, now }: { email: string; network: string; now: Instant },
): Promise<void> {
  await limits.take(tx, "email_address_site", `${email} ${widen(network, "site")}`, now);
  await limits.take(tx, "email_address_region", `${email} ${widen(network, "region")}`, now);
  await limits.take(tx, "email_address_tries", email, now);
}

/**
 * Counts a try at the holder's code for the address, for the network and for the code, and answers the code's row;
 * undefined when no try is left. The caller must commit the count whatever he answers. Throws `rate_limited`.
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
  const asked = { email, purpose, browser_hash: holderHash };
  const row = await findRow(tx, authority, "email_code", "byBrowser", asked);
  if (row === undefined || row.attempts >= CODE_ATTEMPTS || row.expires_at <= now) return undefined;
  return await replaceRow(tx, authority, "email_code", row, { attempts: row.attempts + 1 });
}

/** Whether the row is of this code. Says nothing of its time and its tries, which `countTry` looks at. */
export function isCode(services: AccountServices, row: Authentic<"email_code">, code: string): boolean {
  return constantTimeEqual(hashCode(services, row, code), row.code_mac);
}
