import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Language } from "../../lib/language.ts";
import type { Instant } from "../../lib/time.ts";
import { codeMail } from "../../mail/code-mail.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { requireEntry } from "../invitation.ts";
import type { Entry } from "../invitation.ts";
import type { AccountServices, RelyingParty } from "../services.ts";
import { issueTicket } from "../sign-up-ticket.ts";
import { isTakenAddress } from "../account.ts";
import { drawCode, sendCode, takeCode, wrongCode } from "./code.ts";
import { normaliseEmail } from "./email-address.ts";

/**
 * Sends a code that proves an address for a new account, as `sendCode` does. Throws `invalid_request` for what is no
 * address, as `requireEntry` for whoever may make no account with it, and `rate_limited`, with nothing written.
 */
export async function issueEmailCode(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  value: {
    email: string;
    browserHash: string;
    network: string;
    entry: Entry;
    relyingParty: RelyingParty;
    /** Of the mail. */
    language: Language;
    now: Instant;
    random: RandomBytes;
  },
): Promise<void> {
  const { browserHash, network, language, now, random } = value;
  const email = normaliseEmail(value.email);
  requireEntry(value.entry, email);
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

/** What a proven address may do next. The ticket is a token: a cookie carries it. */
export type EmailCodeOutcome =
  | { readonly next: "register_passkey"; readonly ticket: string }
  | { readonly next: "sign_in" };

/**
 * Redeems a code in the browser that asked for it. The right one is used up and gives a sign-up ticket, or the advice
 * to sign in when the address has an account: it never signs anybody in. Throws `invalid_code` for every failure alike,
 * `rate_limited`, and as `requireEntry`, with nothing tried. `db` must be the outer handle: the count is committed before
 * the refusal is thrown.
 */
export async function redeemEmailCode(
  db: Db,
  services: AccountServices,
  value: {
    email: string;
    code: string;
    browserHash: string;
    network: string;
    entry: Entry;
    now: Instant;
    random: RandomBytes;
  },
): Promise<EmailCodeOutcome> {
  const { browserHash: holderHash, code, network, now } = value;
  const email = normaliseEmail(value.email);
  requireEntry(value.entry, email);
  const outcome = await transaction(db, async (tx) => {
    const place = { email, purpose: "sign_up", holderHash } as const;
    const isRight = await takeCode(tx, services, { ...place, code, network, now });
    return isRight ? await nextStep(tx, services, { ...value, email }) : undefined;
  });
  if (outcome === undefined) throw wrongCode();
  return outcome;
}

async function nextStep(
  tx: Db,
  { authority }: AccountServices,
  { email, entry, now, random }: { email: string; entry: Entry; now: Instant; random: RandomBytes },
): Promise<EmailCodeOutcome> {
  if (await isTakenAddress(tx, authority, { email, now })) return { next: "sign_in" };
  const ticket = await issueTicket(tx, authority, { email, invitationId: entry.invitation?.id, now, random });
  return { next: "register_passkey", ticket };
}
