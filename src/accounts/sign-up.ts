import { defaultPasskeyName } from "./passkey/aaguid.ts";
import type { SignInOrigin } from "./session/known-browser.ts";
import { type Account, insertAccount, isAddressTaken, nameOf } from "./account.ts";
import { insertIdentity } from "./identity/identity.ts";
import { insertPasskey, type Passkey } from "./passkey/passkey.ts";
import { beginRegistration, registrationRefused, verifyNewPasskey } from "./passkey/registration.ts";
import { consumeInvitation } from "./invitation.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { issueSession, type SignedIn } from "./session/session.ts";
import type { SignUpRule } from "./sign-up-rule.ts";
import { consumeTicket, type SignUpTicket } from "./sign-up-ticket.ts";
import { appendAudit } from "../audit/log.ts";
import type { EmailProof } from "../db/schema/account.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "../webauthn/options.ts";
import type { RegisteredCredential } from "../webauthn/registration.ts";

/** Begins the registration of the first passkey of a new account. Throws `rate_limited`. */
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
    userName: nameOf({ ...ticket, id: ticket.accountId }),
    existing: [],
  });
}

export interface SignedUp<K> extends SignedIn {
  readonly passkey: Passkey;
  readonly key: K;
  readonly token: string;
}

/**
 * Creates an account with its passkey, first Ethereum key and session in one transaction. The challenge is used even
 * on failure. The ticket is used only on success, so that the user can try again. `createFirstKey` runs in the
 * transaction. Does not validate the passkey's name: `readPasskeyName` does. `db` must be the outer handle.
 *
 * Throws `invalid_passkey_registration` for every fault of response, challenge or ticket. Throws `account_exists` if
 * the address or identity got an account in the meantime. Throws the errors of `consumeInvitation` if the account is no
 * longer permitted.
 */
export async function finishSignUp<K>(
  db: Db,
  services: AccountServices,
  value: {
    ticket: SignUpTicket;
    signUp: SignUpRule;
    response: unknown;
    name: string | undefined;
    language: Language;
    from: SignInOrigin;
    isShared?: boolean;
    relyingParty: RelyingParty;
    createFirstKey: (tx: Db, accountId: string) => Promise<K>;
    now: Instant;
    random: RandomBytes;
  },
): Promise<SignedUp<K>> {
  const holder = `ticket:${value.ticket.id}` as const;
  const credential = await verifyNewPasskey(db, services.authority, { ...value, holder });
  return await transaction(db, (tx) => completeSignUp(tx, services, { ...value, credential }));
}

async function completeSignUp<K>(
  tx: Db,
  services: AccountServices,
  value: {
    ticket: SignUpTicket;
    signUp: SignUpRule;
    credential: RegisteredCredential;
    name: string | undefined;
    language: Language;
    from: SignInOrigin;
    isShared?: boolean;
    createFirstKey: (tx: Db, accountId: string) => Promise<K>;
    now: Instant;
    random: RandomBytes;
  },
): Promise<SignedUp<K>> {
  const { authority } = services;
  const { from, language, now, random } = value;
  const ticket = await consumeTicket(tx, authority, { id: value.ticket.id, now });
  if (ticket === undefined) {
    throw registrationRefused(new Error("The sign-up ticket was used or has expired"));
  }
  const account = await createAccount(tx, services, { ticket, language, now, random });
  const accountId = account.id;
  const { email, invitationId } = ticket;
  await consumeInvitation(tx, services, { rule: value.signUp, invitationId, email, accountId, now });
  const name = value.name ?? defaultPasskeyName(value.credential.aaguid, []);
  const passkey = await insertPasskey(tx, authority, { ...value, accountId, name });
  if (passkey === undefined) throw registrationRefused(new Error("This passkey is already registered"));
  await appendAudit(tx, services.vault, now, {
    event: "passkey_added",
    accountId,
    subject: passkey.id,
    detail: {},
  });
  const key = await value.createFirstKey(tx, accountId);
  const { token, session } = await issueSession(tx, authority, {
    accountId,
    passkeyId: passkey.id,
    from,
    lifetimes: services.sessionLifetimes,
    isShared: value.isShared,
    now,
    random,
  });
  await appendAudit(tx, services.vault, now, {
    event: "signed_in",
    accountId,
    subject: session.id,
    detail: { passkeyId: passkey.id },
  });
  return { token, session, account, passkey, key };
}

/** Creates the account. Of several tickets for one verified identity, only one succeeds. */
async function createAccount(
  tx: Db,
  { vault, authority }: AccountServices,
  { ticket, language, now, random }: {
    ticket: SignUpTicket;
    language: Language;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Account> {
  const { accountId, email, name, identity } = ticket;
  if (email !== null && await isAddressTaken(tx, authority, { email, now })) {
    throw accountExists("the address");
  }
  const account = await insertAccount(tx, authority, {
    id: accountId,
    email,
    emailProvedBy: emailProofOf(ticket),
    name,
    language,
    now,
  });
  if (account === undefined) throw accountExists("the address");
  await appendAudit(tx, vault, now, { event: "account_created", accountId, subject: accountId, detail: {} });
  if (identity === undefined) return account;
  const subject = await insertIdentity(tx, authority, { ...identity, accountId, now, random });
  if (subject === undefined) throw accountExists("the identity");
  const { issuer } = identity;
  await appendAudit(tx, vault, now, { event: "identity_linked", accountId, subject, detail: { issuer } });
  return account;
}

function emailProofOf({ email, identity }: SignUpTicket): EmailProof | null {
  if (email === null) return null;
  return identity === undefined ? "code" : "provider";
}

function accountExists(what: "the address" | "the identity"): ProtocolError {
  return new ProtocolError(
    "account_exists",
    `Cannot create account: ${what} already has one; sign in instead`,
  );
}
