import { countTry, isCode, sendCode } from "../accounts/email/code.ts";
import { normaliseEmail } from "../accounts/email/email-address.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { recoveryCodeMail } from "../mail/recovery-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { takeRow } from "../store/write.ts";
import { drawSymbols, EMAIL_CODE_LENGTH, formatCode, readCodeText } from "./recovery-code.ts";
import type { Moment, RecoveryServices } from "./services.ts";

/** Part of the row and of its hash: a code that was made for something else is none here, and the other way round. */
const PURPOSE = "recovery";

/**
 * Sends a code to an address that proves it for a recovery. It lives five minutes, in this browser only, and replaces the
 * browser's earlier one. Never looks whether the address has an account, so answer, time and mail are the same for all.
 * Throws `invalid_request` for what is no address and `rate_limited`, with nothing written.
 */
export async function sendProof(
  db: Db,
  services: RecoveryServices,
  value: Moment & {
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
  { code, browserHash: holderHash, network, now, ...attempt }: ProofAttempt,
): Promise<Authentic<"email_code">> {
  const place = { email: normaliseEmail(attempt.email), purpose: PURPOSE, holderHash } as const;
  const row = await transaction(db, (tx) => countTry(tx, services, { ...place, network, now }));
  const symbols = readCodeText(code, EMAIL_CODE_LENGTH);
  if (row === undefined || symbols === undefined) throw wrongCode();
  if (!isCode(services, row, symbols)) throw wrongCode();
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
