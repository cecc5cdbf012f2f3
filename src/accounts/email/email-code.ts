import type { Db } from "../../db/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { widen } from "../../limits/network.ts";
import { codeMail } from "../../mail/code-mail.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { enqueueMail, sealMail, withdrawMail } from "../../mail/outbox.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { putRow, removeRow, replaceRow } from "../../store/write.ts";
import type { Vault } from "../../vault/vault.ts";
import { findAccountByEmail } from "../account.ts";
import { normaliseEmail } from "./email.ts";
import type { RelyingParty } from "../relying-party.ts";
import type { AccountServices } from "../services.ts";
import { issueTicket } from "../sign-up-ticket.ts";

/** How long a code can be redeemed. */
export const CODE_LIFETIME = 5 * MINUTE;

/** Tries a code allows; the last wrong one kills it. */
export const CODE_ATTEMPTS = 3;

// What a code proves is part of its row and of its hash: one made for another purpose is no code here.
const PURPOSE = "sign_up";

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
  vault: Vault,
  row: { id: string; purpose: string; email: string },
  code: string,
): Uint8Array {
  return vault.keyedHash("email-code", utf8(row.id), utf8(row.purpose), utf8(row.email), utf8(code));
}

/**
 * Sends a 6-digit code to an address. It lives five minutes, in this browser only, and replaces the browser's earlier
 * code for the address. Never looks whether the address has an account, so answer, time and mail are the same for all.
 * Throws `invalid_request` for what is no address and `rate_limited`, with nothing written.
 */
export async function issueEmailCode(
  db: Db,
  { vault, authority, limits, mailer }: AccountServices & { readonly mailer: Mailer },
  value: {
    email: string;
    browserHash: string;
    network: string;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<void> {
  const { browserHash, network, now, random } = value;
  const email = normaliseEmail(value.email);
  const code = drawCode(random);
  const { name: service, origin: baseUrl } = value.relyingParty;
  const mail = codeMail({ to: email, baseUrl, code, service });
  const facts = { id: newId("code", random), email, purpose: PURPOSE, browser_hash: browserHash };
  const sealedMail = await sealMail(vault, mail, { now, random, lifetime: CODE_LIFETIME, of: facts.id });
  const row = {
    ...facts,
    code_mac: hashCode(vault, facts, code),
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

/** What a proven address may do next. The ticket is a token: a cookie carries it. */
export type EmailCodeOutcome =
  | { readonly next: "register_passkey"; readonly ticket: string }
  | { readonly next: "sign_in" };

/**
 * Redeems a code in the browser that asked for it. The right one is used up and gives a sign-up ticket, or the advice
 * to sign in when the address has an account: it never signs anybody in. Every try is counted before it is compared,
 * for the code, whose third wrong one kills it, and for the address. Throws `invalid_code` for every failure alike and `rate_limited`. `db` must be
 * the outer handle: the count is committed before the refusal is thrown.
 */
export async function redeemEmailCode(
  db: Db,
  services: AccountServices,
  value: {
    email: string;
    code: string;
    browserHash: string;
    network: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<EmailCodeOutcome> {
  const email = normaliseEmail(value.email);
  const outcome = await transaction(db, async (tx) => {
    await services.limits.take(tx, "email_code_guess", value.network, value.now);
    const row = await countTry(tx, services, { ...value, email });
    if (row === undefined) return undefined;
    await takeTry(tx, services, { ...value, email });
    if (!isRightCode(services, row, value)) return undefined;
    await removeRow(tx, services.authority, "email_code", row);
    return await nextStep(tx, services, { ...value, email });
  });
  if (outcome === undefined) {
    throw new ProtocolError("invalid_code", "Cannot redeem code: wrong, expired or already used");
  }
  return outcome;
}

/**
 * Counts a try for the address over all browsers and networks: whoever asks for a code after the other gets three tries
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

/** Counts a try at the browser's code for the address and answers its row; undefined when no try is left. */
async function countTry(
  tx: Db,
  { authority }: AccountServices,
  { email, browserHash, now }: { email: string; browserHash: string; now: Instant },
): Promise<Authentic<"email_code"> | undefined> {
  const asked = { email, purpose: PURPOSE, browser_hash: browserHash };
  const row = await findRow(tx, authority, "email_code", "byBrowser", asked);
  if (row === undefined || row.attempts >= CODE_ATTEMPTS || row.expires_at <= now) return undefined;
  return await replaceRow(tx, authority, "email_code", row, { attempts: row.attempts + 1 });
}

function isRightCode(
  { vault }: AccountServices,
  row: Authentic<"email_code">,
  { code }: { code: string },
): boolean {
  return constantTimeEqual(hashCode(vault, row, code), row.code_mac);
}

async function nextStep(
  tx: Db,
  { authority }: AccountServices,
  value: { email: string; now: Instant; random: RandomBytes },
): Promise<EmailCodeOutcome> {
  const account = await findAccountByEmail(tx, authority, value.email);
  if (account !== undefined) return { next: "sign_in" };
  return { next: "register_passkey", ticket: await issueTicket(tx, authority, value) };
}
