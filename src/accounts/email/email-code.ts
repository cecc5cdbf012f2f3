import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Language } from "../../lib/language.ts";
import type { Instant } from "../../lib/time.ts";
import { codeMail } from "../../mail/code-mail.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { requireAdmission, type SignUpAdmission } from "../invitation.ts";
import type { AccountServices, RelyingParty } from "../services.ts";
import { issueTicket } from "../sign-up-ticket.ts";
import { isAddressTaken } from "../account.ts";
import { consumeCode, drawCode, sendCode, wrongCode } from "./code.ts";
import { normaliseEmail } from "./email-address.ts";

/**
 * Sends a code that verifies an address for a new account. Throws `invalid_request`, `rate_limited` and the errors of
 * `requireAdmission`, without writing anything.
 */
export async function issueEmailCode(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  value: {
    email: string;
    browserHash: string;
    network: string;
    admission: SignUpAdmission;
    relyingParty: RelyingParty;
    language: Language;
    now: Instant;
    random: RandomBytes;
  },
): Promise<void> {
  const { browserHash, network, language, now, random } = value;
  const email = normaliseEmail(value.email);
  requireAdmission(value.admission, email);
  const { name: service, origin: baseUrl } = value.relyingParty;
  const code = drawCode(random);
  await sendCode(db, services, {
    email,
    purpose: "sign_up",
    holderHash: browserHash,
    network,
    code,
    mail: codeMail({ to: email, language, baseUrl, code, service }),
    now,
    random,
  });
}

/** The next step for a verified address. The client carries `ticket`, a token, in a cookie. */
export type EmailCodeOutcome =
  | { readonly next: "register_passkey"; readonly ticket: string }
  | { readonly next: "sign_in" };

/**
 * Redeems a code in the browser that requested it. Returns a sign-up ticket, or the advice to sign in if the address
 * has an account; never signs in. Throws `invalid_code` for every fault of the code, `rate_limited`, and the errors
 * of `requireAdmission` before any attempt is counted. `db` must be the outer handle: the count is committed before the
 * error is thrown.
 */
export async function redeemEmailCode(
  db: Db,
  services: AccountServices,
  value: {
    email: string;
    code: string;
    browserHash: string;
    network: string;
    admission: SignUpAdmission;
    now: Instant;
    random: RandomBytes;
  },
): Promise<EmailCodeOutcome> {
  const { browserHash: holderHash, code, network, now } = value;
  const email = normaliseEmail(value.email);
  requireAdmission(value.admission, email);
  const outcome = await transaction(db, async (tx) => {
    const place = { email, purpose: "sign_up", holderHash } as const;
    const isRight = await consumeCode(tx, services, { ...place, code, network, now });
    return isRight ? await nextStep(tx, services, { ...value, email }) : undefined;
  });
  if (outcome === undefined) throw wrongCode();
  return outcome;
}

async function nextStep(
  tx: Db,
  { authority }: AccountServices,
  { email, admission, now, random }: {
    email: string;
    admission: SignUpAdmission;
    now: Instant;
    random: RandomBytes;
  },
): Promise<EmailCodeOutcome> {
  if (await isAddressTaken(tx, authority, { email, now })) return { next: "sign_in" };
  const ticket = await issueTicket(tx, authority, {
    email,
    invitationId: admission.invitation?.id,
    now,
    random,
  });
  return { next: "register_passkey", ticket };
}
