import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { passkeyAddedMail } from "../mail/account-mail.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "../webauthn/options.ts";
import type { RegisteredCredential } from "../webauthn/registration.ts";
import { defaultPasskeyName } from "./passkey/aaguid.ts";
import { nameOf } from "./account.ts";
import { consumeFreshness, requireFreshSession } from "./session/fresh-session.ts";
import { prepareNotification } from "./notification.ts";
import { insertPasskey, listPasskeys, type Passkey, PASSKEY_LIMIT } from "./passkey/passkey.ts";
import { beginRegistration, registrationRefused, verifyNewPasskey } from "./passkey/registration.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import type { SignedIn } from "./session/session.ts";

/** Begins to add a passkey. Throws `fresh_session_required`, `too_many_passkeys` and `rate_limited`. */
export async function beginAddPasskey(
  db: Db,
  services: AccountServices,
  value: {
    signedIn: SignedIn;
    network: string;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { session, account } = value.signedIn;
  requireFreshSession({ session, action: "add_passkey", now: value.now });
  const existing = await listPasskeys(db, services.authority, account.id);
  requireRoom(existing);
  return await beginRegistration(db, services, {
    ...value,
    holder: `session:${session.id}`,
    accountId: account.id,
    userName: nameOf(account),
    existing,
  });
}

export interface PasskeyAddition {
  readonly signedIn: SignedIn;
  readonly response: unknown;
  /** A name from `readPasskeyName`. Defaults to the authenticator's name. */
  readonly name: string | undefined;
  readonly device: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * Adds the passkey of a registration response and notifies the owner by mail. Throws `fresh_session_required`,
 * `too_many_passkeys`, and `invalid_passkey_registration` for every fault of the response. `db` must be the outer
 * handle.
 */
export async function finishAddPasskey(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  value: PasskeyAddition,
): Promise<Passkey> {
  const { signedIn: { session, account }, now } = value;
  requireFreshSession({ session, action: "add_passkey", now });
  const holder = `session:${session.id}` as const;
  const credential = await verifyNewPasskey(db, services.authority, { ...value, holder });
  const existing = await listPasskeys(db, services.authority, account.id);
  const name = value.name ?? defaultPasskeyName(credential.aaguid, existing);
  const { device, network } = value;
  const notification = prepareNotification(
    services,
    account,
    value,
    (heading) => passkeyAddedMail({ ...heading, name, device, network }),
  );
  const passkey = await transaction(db, async (tx) => {
    await consumeFreshness(tx, services.authority, { session, action: "add_passkey", now });
    await notification.enqueue(tx);
    return await store(tx, services, { ...value, credential, name });
  });
  notification.queued();
  return passkey;
}

async function store(
  tx: Db,
  { vault, authority }: AccountServices,
  value: {
    signedIn: SignedIn;
    credential: RegisteredCredential;
    name: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Passkey> {
  const accountId = value.signedIn.account.id;
  const existing = await listPasskeys(tx, authority, accountId);
  requireRoom(existing);
  const passkey = await insertPasskey(tx, authority, { ...value, accountId });
  if (passkey === undefined) throw registrationRefused(new Error("This passkey is already registered"));
  await appendAudit(tx, vault, value.now, {
    event: "passkey_added",
    accountId,
    subject: passkey.id,
    detail: {},
  });
  return passkey;
}

function requireRoom(existing: readonly Passkey[]): void {
  if (existing.length < PASSKEY_LIMIT) return;
  throw new ProtocolError(
    "too_many_passkeys",
    `Cannot add passkey: the account already has ${PASSKEY_LIMIT}; delete one first`,
  );
}
