import { normaliseEmail } from "../accounts/email/email.ts";
import type { Db } from "../db/schema.ts";
import { transaction } from "../db/transaction.ts";
import { constantTimeEqual, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId } from "../lib/id.ts";
import type { Language } from "../lib/language.ts";
import { MINUTE } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { enqueueMail, sealMail, withdrawMail } from "../mail/outbox.ts";
import { recoveryCodeMail } from "../mail/recovery-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { putRow, replaceRow, takeRow } from "../store/write.ts";
import type { Vault } from "../vault/vault.ts";
import { drawSymbols, EMAIL_CODE_LENGTH, formatCode, readCodeText } from "./code-text.ts";
import type { Moment, RecoveryServices } from "./services.ts";

/** How long a code can be redeemed. */
export const PROOF_LIFETIME = 5 * MINUTE;

/** Tries a code allows; the last wrong one kills it. */
export const PROOF_ATTEMPTS = 3;

/** Part of the row and of its hash: a code that was made for something else is none here, and the other way round. */
const PURPOSE = "recovery";

function hashCode(vault: Vault, { id, email }: { id: string; email: string }, code: string): Uint8Array {
  return vault.keyedHash("email-code", utf8(id), utf8(PURPOSE), utf8(email), utf8(code));
}

/**
 * Sends a code to an address that proves it for a recovery. It lives five minutes, in this browser only, and replaces the
 * browser's earlier one. Never looks whether the address has an account, so answer, time and mail are the same for all.
 * Throws `invalid_request` for what is no address and `rate_limited`, with nothing written.
 */
export async function sendProof(
  db: Db,
  { vault, authority, limits, mailer }: RecoveryServices,
  value: Moment & {
    readonly language: Language;
    readonly email: string;
    readonly browserHash: string;
    readonly network: string;
  },
): Promise<void> {
  const { browserHash, network, now, random } = value;
  const email = normaliseEmail(value.email);
  const code = drawSymbols(EMAIL_CODE_LENGTH, random);
  const { name: service, origin: baseUrl } = value.relyingParty;
  const mail = recoveryCodeMail({
    to: email,
    language: value.language,
    baseUrl,
    code: formatCode(code),
    service,
  });
  const facts = { id: newId("code", random), email, purpose: PURPOSE, browser_hash: browserHash };
  const sealed = await sealMail(vault, mail, { now, random, lifetime: PROOF_LIFETIME, of: facts.id });
  const row = {
    ...facts,
    code_mac: hashCode(vault, facts, code),
    created_at: now,
    expires_at: now + PROOF_LIFETIME,
    attempts: 0,
  };
  await transaction(db, async (tx) => {
    await limits.take(tx, "email_code_global", "", now);
    await limits.take(tx, "email_code_network", network, now);
    await limits.take(tx, "email_code_address", `${network} ${email}`, now);
    const { replaced } = await putRow(tx, authority, "email_code", "byBrowser", row);
    if (replaced !== undefined) await withdrawMail(tx, replaced.id);
    await enqueueMail(tx, sealed);
  });
  mailer.queued(mail);
}

/** A code that somebody typed, for which address and in which browser. */
export interface ProofAttempt {
  readonly email: string;
  readonly code: string;
  readonly browserHash: string;
  readonly network: string;
  readonly now: Instant;
}

/**
 * The browser's code for the address, if this is it. It is not used up yet (`takeProof`), so that a recovery code that
 * was mistyped beside it can be typed again; every try is counted before it is compared, and the third kills the code.
 * Throws `invalid_code` for every failure alike and `rate_limited`. `db` must be the outer handle: the count is
 * committed before the refusal is thrown. Has no count over all codes of an address, with which strangers could keep its
 * owner out: a code has 40 bits.
 */
export async function checkProof(
  db: Db,
  services: RecoveryServices,
  { code, browserHash, network, now, ...attempt }: ProofAttempt,
): Promise<Authentic<"email_code">> {
  const { vault, authority, limits } = services;
  const email = normaliseEmail(attempt.email);
  const row = await transaction(db, async (tx) => {
    await limits.take(tx, "email_code_guess", network, now);
    const asked = { email, purpose: PURPOSE, browser_hash: browserHash };
    const found = await findRow(tx, authority, "email_code", "byBrowser", asked);
    if (found === undefined || found.attempts >= PROOF_ATTEMPTS || found.expires_at <= now) return undefined;
    return await replaceRow(tx, authority, "email_code", found, { attempts: found.attempts + 1 });
  });
  const symbols = readCodeText(code, EMAIL_CODE_LENGTH);
  if (row === undefined || symbols === undefined) throw wrongCode();
  if (!constantTimeEqual(hashCode(vault, row, symbols), row.code_mac)) throw wrongCode();
  return row;
}

/** Uses a code up that `checkProof` found, in the transaction of what it proves. Throws `invalid_code` where it is gone. */
export async function takeProof(
  tx: Db,
  { authority }: RecoveryServices,
  { id }: Authentic<"email_code">,
): Promise<void> {
  if (await takeRow(tx, authority, "email_code", "byId", { id }) === undefined) throw wrongCode();
}

/** The one refusal of a code. */
export function wrongCode(): ProtocolError {
  return new ProtocolError("invalid_code", "Cannot use code: wrong, expired or already used");
}
