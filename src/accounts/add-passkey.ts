import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "../webauthn/options.ts";
import type { RegisteredCredential } from "../webauthn/registration.ts";
import { insertPasskey, listPasskeys, PASSKEY_LIMIT } from "./passkey.ts";
import type { Passkey } from "./passkey.ts";
import { beginRegistration, registrationRefused, verifyNewPasskey } from "./registration.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { AccountServices } from "./services.ts";
import { requireFreshSession } from "./session.ts";
import type { SignedIn } from "./session.ts";

/**
 * Starts making a further passkey for whoever is signed in. Throws `fresh_session_required`, `too_many_passkeys` and
 * `rate_limited`.
 */
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
  requireFreshSession(session, value.now);
  const existing = await listPasskeys(db, services.authority, account.id);
  requireRoom(existing);
  return await beginRegistration(db, services, {
    ...value,
    holder: `session:${session.id}`,
    accountId: account.id,
    userName: account.email ?? account.id,
    existing,
  });
}

/**
 * Adds the passkey of a registration response to the account. Throws `fresh_session_required`, `too_many_passkeys`
 * and, for every fault of the response alike, `invalid_passkey_registration`. `db` must be the outer handle. Does not
 * check the name: `readPasskeyName` does.
 */
export async function finishAddPasskey(
  db: Db,
  services: AccountServices,
  value: {
    signedIn: SignedIn;
    response: unknown;
    name: string | undefined;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Passkey> {
  const { session } = value.signedIn;
  requireFreshSession(session, value.now);
  const holder = `session:${session.id}` as const;
  const credential = await verifyNewPasskey(db, services.authority, { ...value, holder });
  return await transaction(db, (tx) => store(tx, services, { ...value, credential }));
}

async function store(
  tx: Db,
  { vault, authority }: AccountServices,
  value: {
    signedIn: SignedIn;
    credential: RegisteredCredential;
    name: string | undefined;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Passkey> {
  const accountId = value.signedIn.account.id;
  const existing = await listPasskeys(tx, authority, accountId);
  requireRoom(existing);
  const name = value.name ?? `Passkey ${existing.length + 1}`;
  const passkey = await insertPasskey(tx, authority, { ...value, accountId, name });
  if (passkey === undefined) throw registrationRefused(new Error("The credential id is registered already"));
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
    `Cannot add passkey: the account has ${PASSKEY_LIMIT} already`,
  );
}
