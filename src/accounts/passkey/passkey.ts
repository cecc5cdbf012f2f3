import type { Db, PasskeyTable, RemovedPasskeyTable } from "../../db/schema.ts";
import { utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId } from "../../lib/id.ts";
import { readName } from "../../lib/text.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { StoredCredential, VerifiedAssertion } from "../../webauthn/authentication.ts";
import type { CoseAlgorithm } from "../../webauthn/credential-key.ts";
import { WebAuthnError } from "../../webauthn/error.ts";
import type { RegisteredCredential } from "../../webauthn/registration.ts";

/** Most passkeys an account may have. */
export const PASSKEY_LIMIT = 50;

const NAME_LIMIT = 100;

/** A passkey as its owner sees it. */
export interface Passkey {
  readonly id: string;
  readonly accountId: string;
  readonly credentialId: Uint8Array;
  readonly name: string;
  readonly transports: readonly string[];
  /** The authenticator's model as UUID text: a hint nobody vouches for. */
  readonly aaguid: string;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

function toPasskey(row: Omit<PasskeyTable, "mac">): Passkey {
  return {
    id: row.id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    name: row.name,
    transports: readTransports(row.transports),
    aaguid: row.aaguid,
    backupEligible: row.backup_eligible === 1,
    backedUp: row.backed_up === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

/** The column lies outside the row's MAC: whatever stands there may cost a hint but no error. */
function readTransports(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** The name as it is stored, by the rules of `readName`; undefined for what is none. */
export function readPasskeyName(text: string): string | undefined {
  return readName(text, NAME_LIMIT);
}

/** The user handle of an account (WebAuthn Level 3 section 14.6.1): its id, random, stable and not the address. */
export function userHandleOf(accountId: string): Uint8Array {
  return utf8(accountId);
}

/** The row of a credential id; undefined when there is none or it is not authentic. */
export async function findPasskeyRow(
  db: Db,
  authority: RowAuthority,
  credentialId: Uint8Array,
): Promise<PasskeyTable | undefined> {
  const row = await db.selectFrom("passkey").selectAll().where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row !== undefined && authority.isAuthentic("passkey", row) ? row : undefined;
}

/** The row of a passkey of the account; undefined when there is none or it is not authentic. */
export async function findPasskeyRowById(
  db: Db,
  authority: RowAuthority,
  { accountId, passkeyId }: { accountId: string; passkeyId: string },
): Promise<PasskeyTable | undefined> {
  const row = await db.selectFrom("passkey").selectAll().where("id", "=", passkeyId)
    .where("account_id", "=", accountId).executeTakeFirst();
  return row !== undefined && authority.isAuthentic("passkey", row) ? row : undefined;
}

/** The passkey of that id. Throws `not_found` when the account has none of it. */
export async function getPasskey(
  db: Db,
  authority: RowAuthority,
  which: { accountId: string; passkeyId: string },
): Promise<Passkey> {
  const row = await findPasskeyRowById(db, authority, which);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such passkey");
  return toPasskey(row);
}

/** What an assertion of a passkey, kept or removed, is verified against. The row must be authentic. */
export function storedCredential(row: PasskeyTable | RemovedPasskeyTable): StoredCredential {
  return {
    credentialId: row.credential_id,
    publicKey: row.public_key,
    // Written by `insertPasskey` under the row's MAC, so one of those offered.
    algorithm: row.algorithm as CoseAlgorithm,
    signCount: row.sign_count,
    backupEligible: row.backup_eligible === 1,
    userHandle: userHandleOf(row.account_id),
  };
}

/** The account's passkeys, oldest first. */
export async function listPasskeys(db: Db, authority: RowAuthority, accountId: string): Promise<Passkey[]> {
  const rows = await db.selectFrom("passkey").selectAll().where("account_id", "=", accountId)
    .orderBy("created_at").orderBy("id").execute();
  return rows.filter((row) => authority.isAuthentic("passkey", row)).map(toPasskey);
}

/**
 * Stores a verified credential for an account (WebAuthn Level 3 section 7.1 step 27); undefined, and nothing done,
 * when anybody has its id (step 26): whoever could replace a stored key would take its owner's account over.
 */
export async function insertPasskey(
  tx: Db,
  authority: RowAuthority,
  value: {
    accountId: string;
    credential: RegisteredCredential;
    name: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Passkey | undefined> {
  const { credential } = value;
  const covered = {
    id: newId("passkey", value.random),
    account_id: value.accountId,
    credential_id: credential.credentialId,
    public_key: credential.publicKey,
    algorithm: credential.algorithm,
    aaguid: credential.aaguid,
    backup_eligible: credential.backupEligible ? 1 : 0,
    created_at: value.now,
  };
  const row = {
    ...covered,
    backed_up: credential.backedUp ? 1 : 0,
    sign_count: credential.signCount,
    name: value.name,
    transports: JSON.stringify(credential.transports),
    last_used_at: null,
    mac: authority.mac("passkey", covered),
  };
  const { numInsertedOrUpdatedRows } = await tx.insertInto("passkey").values(row)
    .onConflict((conflict) => conflict.column("credential_id").doNothing()).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n ? toPasskey(row) : undefined;
}

/**
 * Stores what an assertion says of its passkey (WebAuthn Level 3 section 7.2 step 24). Throws `WebAuthnError`, and does
 * nothing, when the passkey is gone since the row was read (`unknown_credential`), or another assertion has raised the
 * counter as far (`sign_count`): it never falls.
 */
export async function recordUse(
  tx: Db,
  row: PasskeyTable,
  { signCount, backedUp }: VerifiedAssertion,
  now: Instant,
): Promise<void> {
  const { numUpdatedRows } = await tx.updateTable("passkey")
    .set({ sign_count: signCount, backed_up: backedUp ? 1 : 0, last_used_at: now })
    .where("id", "=", row.id).where("mac", "=", row.mac)
    // An authenticator without a counter always says 0.
    .where("sign_count", signCount === 0 ? "=" : "<", signCount).executeTakeFirst();
  if (numUpdatedRows === 1n) return;
  const left = await tx.selectFrom("passkey").select("id").where("id", "=", row.id).where("mac", "=", row.mac)
    .executeTakeFirst();
  throw new WebAuthnError(left === undefined ? "unknown_credential" : "sign_count");
}
