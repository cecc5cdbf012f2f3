import { insertAccount } from "../../src/accounts/account.ts";
import type { Account } from "../../src/accounts/account.ts";
import type { SignUpAdmission } from "../../src/accounts/invitation.ts";
import { insertPasskey } from "../../src/accounts/passkey/passkey.ts";
import type { Passkey } from "../../src/accounts/passkey/passkey.ts";
import { beginSignIn, signIn } from "../../src/accounts/sign-in.ts";
import { findTicket, issueTicket } from "../../src/accounts/sign-up-ticket.ts";
import type { SignUpTicket } from "../../src/accounts/sign-up-ticket.ts";
import { beginSignUp, finishSignUp } from "../../src/accounts/sign-up.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { createKey } from "../../src/keys/key.ts";
import type { EthereumKey } from "../../src/keys/key.ts";
import type { SignedUp } from "../../src/accounts/sign-up.ts";
import { newId } from "../../src/lib/id.ts";
import type { RegisteredCredential } from "../../src/webauthn/registration.ts";
import type { SoftwareAuthenticator } from "../support/authenticator.ts";
import { FROM, NETWORK, NOW, random, RELYING_PARTY } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";

export const OPEN: SignUpAdmission = { rule: "open", invitation: undefined };
export const BROWSER = "browser-hash";
export const AT = {
  from: FROM,
  device: FROM.device,
  network: NETWORK,
  relyingParty: RELYING_PARTY,
  language: "en",
  now: NOW,
  random,
  signUp: "open",
  admission: OPEN,
} as const;

/** Returns a credential that cannot sign in, for rows that only need to exist. */
export function someCredential(change: Partial<RegisteredCredential> = {}): RegisteredCredential {
  return {
    credentialId: random(32),
    publicKey: random(77),
    algorithm: -7,
    signCount: 0,
    backupEligible: true,
    backedUp: false,
    aaguid: "00000000-0000-0000-0000-000000000000",
    transports: ["internal"],
    ...change,
  };
}

/** Inserts an account with a credential of `someCredential`. */
export async function insertPerson(
  { db, services: { authority } }: Fixture,
  email: string,
  credential: RegisteredCredential = someCredential(),
): Promise<{ account: Account; passkey: Passkey }> {
  const account = await insertAccount(db, authority, {
    id: newId("account", random),
    email,
    emailProvedBy: "code",
    language: "en",
    now: NOW,
  });
  const value = { accountId: account!.id, credential, name: "Passkey 1", now: NOW, random };
  const passkey = await insertPasskey(db, authority, value);
  return { account: account!, passkey: passkey! };
}

export async function ticketFor({ db, services }: Fixture, email: string): Promise<SignUpTicket> {
  const token = await issueTicket(db, services.authority, { email, now: NOW, random });
  const ticket = await findTicket(db, services.authority, { token, now: NOW });
  return ticket!;
}

/** Returns a function that creates the first key of a new account, as the sign-up endpoint does. */
export function firstKey(services: Pick<Fixture["services"], "vault" | "authority">) {
  return (tx: Db, accountId: string): Promise<EthereumKey> =>
    createKey(tx, services, { accountId, label: undefined, now: NOW, random });
}

/** Signs up with the authenticator's new passkey. */
export async function enrolPerson(
  fixture: Fixture,
  email: string,
  authenticator: SoftwareAuthenticator,
): Promise<SignedUp<EthereumKey>> {
  const { db, services } = fixture;
  const ticket = await ticketFor(fixture, email);
  const options = await beginSignUp(db, services, { ...AT, ticket });
  const response = await authenticator.register(options, { origin: RELYING_PARTY.origin });
  return await finishSignUp(db, services, {
    ...AT,
    ticket,
    response,
    name: undefined,
    createFirstKey: firstKey(services),
  });
}

/** Signs in with the authenticator's newest passkey. */
export async function signInAgain(
  { db, services }: Fixture,
  authenticator: SoftwareAuthenticator,
  now = NOW,
): ReturnType<typeof signIn> {
  const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER, now });
  const response = await authenticator.authenticate(options, { origin: RELYING_PARTY.origin });
  return await signIn(db, services, { ...AT, browserHash: BROWSER, response, now });
}

/** Lists the events of the audit log, oldest first, without those that only name a new state. */
export async function auditOf(
  { db }: Fixture,
): Promise<{ event: string; account_id: string | null; detail: string }[]> {
  return await db.selectFrom("audit_event").select(["event", "account_id", "detail"])
    .where("event", "!=", "state_changed").orderBy("seq").execute();
}
