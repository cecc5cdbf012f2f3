import { countTry, isCode, sendCode } from "../accounts/email/code.ts";
import { findCodeUse, isUsedUp, recordUse } from "../accounts/email/code-use.ts";
import { normaliseEmail } from "../accounts/email/email-address.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { recoveryCodeMail } from "../mail/recovery-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { consumeRow } from "../store/write.ts";
import { drawSymbols, EMAIL_CODE_LENGTH, formatCode, readCodeText } from "./recovery-code.ts";
import type { OperationContext, RecoveryServices } from "./services.ts";

/** Part of the row and of its hash, so that a code for another purpose is not valid here. */
const PURPOSE = "recovery";

/**
 * Mails a code that verifies an address for a recovery. It expires after five minutes, works in this browser only and
 * replaces its earlier one. Does not check whether the address has an account, so response, time and mail reveal
 * nothing. Throws `invalid_request` and `rate_limited`, without writing anything.
 */
export async function sendProof(
  db: Db,
  services: RecoveryServices,
  value: OperationContext & {
    readonly language: Language;
    readonly email: string;
    readonly browserHash: string;
    readonly network: string;
  },
): Promise<void> {
  const email = normaliseEmail(value.email);
  const code = drawSymbols(EMAIL_CODE_LENGTH, value.random);
  const { name: service, origin: baseUrl } = value.relyingParty;
  const mail = recoveryCodeMail({
    to: email,
    language: value.language,
    baseUrl,
    code: formatCode(code),
    service,
  });
  await sendCode(db, services, {
    ...value,
    email,
    purpose: PURPOSE,
    holderHash: value.browserHash,
    code,
    mail,
  });
}

export interface ProofAttempt {
  readonly email: string;
  readonly code: string;
  readonly browserHash: string;
  readonly network: string;
  readonly now: Instant;
}

/**
 * Returns the browser's code for the address if it is correct. Does not use it (`consumeProof` does), so that the user
 * can correct a mistyped recovery code. Counts each attempt before it compares; the third wrong one invalidates the
 * code.
 *
 * Does not count attempts across all codes of an address, because an attacker could lock the owner out; a code has 40
 * bits. Throws `invalid_code` for every failure, and `rate_limited`. `db` must be the outer handle: the count is
 * committed before the error is thrown.
 */
export async function checkProof(
  db: Db,
  services: RecoveryServices,
  { code, browserHash: holderHash, network, now, ...attempt }: ProofAttempt,
): Promise<Authentic<"email_code">> {
  const place = { email: normaliseEmail(attempt.email), purpose: PURPOSE, holderHash } as const;
  const row = await transaction(db, (tx) => countTry(tx, services, { ...place, network, now }));
  const symbols = readCodeText(code, EMAIL_CODE_LENGTH);
  if (row === undefined || symbols === undefined) throw wrongCode();
  if (!isCode(services, row, symbols)) throw wrongCode();
  return row;
}

/** Uses a code of `checkProof`, in the transaction that relies on it. Throws `invalid_code` if it is gone. */
export async function consumeProof(
  tx: Db,
  services: RecoveryServices,
  row: Authentic<"email_code">,
  now: Instant,
): Promise<void> {
  const { id, email } = row;
  const use = await findCodeUse(tx, services, email);
  const isUsed = isUsedUp(use, row) ||
    await consumeRow(tx, services.authority, "email_code", "byId", { id }) === undefined;
  if (isUsed) throw wrongCode();
  await recordUse(tx, services, { email, use, id, now });
}

export function wrongCode(): ProtocolError {
  return new ProtocolError("invalid_code", "Cannot use code: wrong, expired or already used");
}
