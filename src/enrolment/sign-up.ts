import { insertAccount } from "../accounts/account.ts";
import type { Account } from "../accounts/account.ts";
import { insertPasskey } from "../accounts/passkey.ts";
import type { Passkey } from "../accounts/passkey.ts";
import { beginRegistration, registrationRefused, verifyNewPasskey } from "../accounts/registration.ts";
import type { RelyingParty } from "../accounts/relying-party.ts";
import type { AccountServices } from "../accounts/services.ts";
import { issueSession } from "../accounts/session.ts";
import type { SignedIn } from "../accounts/session.ts";
import { consumeTicket } from "../accounts/sign-up-ticket.ts";
import type { SignUpTicket } from "../accounts/sign-up-ticket.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema.ts";
import { transaction } from "../db/transaction.ts";
import { createKey } from "../keys/key.ts";
import type { EthereumKey } from "../keys/key.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "../webauthn/options.ts";
import type { RegisteredCredential } from "../webauthn/registration.ts";

const FIRST_PASSKEY_NAME = "Passkey 1";

/** Starts making the first passkey of the account that the ticket allows. Throws `rate_limited`. */
export async function beginSignUp(
  db: Db,
  services: AccountServices,
  value: {
    ticket: SignUpTicket;
    network: string;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { ticket } = value;
  return await beginRegistration(db, services, {
    ...value,
    holder: `ticket:${ticket.id}`,
    accountId: ticket.accountId,
    userName: ticket.email,
    existing: [],
  });
}

/** A new account with all that belongs to it, signed in. */
export interface Enrolled extends SignedIn {
  readonly passkey: Passkey;
  readonly key: EthereumKey;
  /** The session's token. */
  readonly token: string;
}

/**
 * Makes the account a ticket allows, with its passkey, first Ethereum key and session, in one transaction: all of it
 * or nothing. The challenge is used up whatever comes of it; the ticket only with success, so that a failed try can be
 * repeated. Throws `invalid_passkey_registration` for every fault of response, challenge or ticket alike, and
 * `account_exists` when the address got an account meanwhile. `db` must be the outer handle. Does not check the
 * passkey's name: `readPasskeyName` does.
 */
export async function finishSignUp(
  db: Db,
  services: AccountServices,
  value: {
    ticket: SignUpTicket;
    response: unknown;
    name: string | undefined;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Enrolled> {
  const holder = `ticket:${value.ticket.id}` as const;
  const credential = await verifyNewPasskey(db, services.authority, { ...value, holder });
  return await transaction(db, (tx) => enrol(tx, services, { ...value, credential }));
}

async function enrol(
  tx: Db,
  services: AccountServices,
  value: {
    ticket: SignUpTicket;
    credential: RegisteredCredential;
    name: string | undefined;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Enrolled> {
  const { authority } = services;
  const { now, random } = value;
  const ticket = await consumeTicket(tx, authority, { id: value.ticket.id, now });
  if (ticket === undefined) throw registrationRefused(new Error("The sign-up ticket is used or expired"));
  const account = await insertAccount(tx, authority, { id: ticket.accountId, email: ticket.email, now });
  if (account === undefined) {
    throw new ProtocolError("account_exists", "Cannot make account: the address has one, sign in instead");
  }
  const accountId = account.id;
  const name = value.name ?? FIRST_PASSKEY_NAME;
  const passkey = await insertPasskey(tx, authority, { ...value, accountId, name });
  if (passkey === undefined) throw registrationRefused(new Error("The credential id is registered already"));
  await recordAccount(tx, services, { account, passkey, now });
  const key = await createKey(tx, services, { accountId, label: undefined, now, random });
  const issued = await issueSession(tx, authority, { accountId, passkeyId: passkey.id, now, random });
  await appendAudit(tx, services.vault, now, {
    event: "signed_in",
    accountId,
    subject: issued.session.id,
    detail: { passkeyId: passkey.id },
  });
  return { ...issued, account, passkey, key };
}

async function recordAccount(
  tx: Db,
  { vault }: AccountServices,
  { account, passkey, now }: { account: Account; passkey: Passkey; now: Instant },
): Promise<void> {
  const accountId = account.id;
  await appendAudit(tx, vault, now, { event: "account_created", accountId, subject: accountId, detail: {} });
  await appendAudit(tx, vault, now, { event: "passkey_added", accountId, subject: passkey.id, detail: {} });
}
