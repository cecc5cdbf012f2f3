import type { Db } from "../../db/schema/schema.ts";
import { utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newTimedId, type RandomBytes } from "../../lib/id.ts";
import { readName } from "../../lib/text.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { insertIfAbsent, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { StoredCredential, VerifiedAssertion } from "../../webauthn/authentication.ts";
import type { CoseAlgorithm } from "../../webauthn/credential-key.ts";
import { check } from "../../webauthn/error.ts";
import type { RegisteredCredential } from "../../webauthn/registration.ts";
import { type AnsweredChallenge, withAnswered } from "./answered-challenges.ts";

export const PASSKEY_LIMIT = 50;

const NAME_LIMIT = 100;

export interface Passkey {
  readonly id: string;
  readonly accountId: string;
  readonly credentialId: Uint8Array;
  readonly name: string;
  readonly transports: readonly string[];
  /** The authenticator's model as UUID text. Not verified. */
  readonly aaguid: string;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

export function toPasskey(row: Authentic<"passkey">): Passkey {
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

/** The column is outside the row's MAC: forged text may lose the hint but must not throw. */
function readTransports(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

export function readPasskeyName(text: string): string | undefined {
  return readName(text, NAME_LIMIT);
}

/** Returns the user handle (WebAuthn Level 3 section 14.6.1): the random, stable id, never the address. */
export function userHandleOf(accountId: string): Uint8Array {
  return utf8(accountId);
}

/** Returns undefined if not found or not authentic. */
export async function findPasskeyRow(
  db: Db,
  authority: RowAuthority,
  credentialId: Uint8Array,
): Promise<Authentic<"passkey"> | undefined> {
  return await findRow(db, authority, "passkey", "byCredential", { credential_id: credentialId });
}

/** Throws `not_found` if the account has no such passkey. */
export async function getPasskeyRow(
  db: Db,
  authority: RowAuthority,
  { accountId, passkeyId }: { accountId: string; passkeyId: string },
): Promise<Authentic<"passkey">> {
  const where = { account_id: accountId, id: passkeyId };
  const row = await findRow(db, authority, "passkey", "ofAccountById", where);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such passkey");
  return row;
}

export async function getPasskey(
  db: Db,
  authority: RowAuthority,
  which: { accountId: string; passkeyId: string },
): Promise<Passkey> {
  return toPasskey(await getPasskeyRow(db, authority, which));
}

export function storedCredential(
  row: Authentic<"passkey"> | Authentic<"removed_passkey">,
): StoredCredential {
  return {
    credentialId: row.credential_id,
    publicKey: row.public_key,
    // `insertPasskey` wrote it under the row's MAC, so it is a supported algorithm.
    algorithm: row.algorithm as CoseAlgorithm,
    signCount: row.sign_count,
    backupEligible: row.backup_eligible === 1,
    userHandle: userHandleOf(row.account_id),
  };
}

export interface PasskeyRecord {
  readonly passkey: Passkey;
  /** The COSE key exactly as the authenticator sent it. */
  readonly publicKey: Uint8Array;
  readonly algorithm: number;
  readonly signCount: number;
}

export async function listPasskeyRecords(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly PasskeyRecord[]> {
  const rows = await listRows(db, authority, "passkey", "ofAccount", { account_id: accountId });
  return rows.map((row) => ({
    passkey: toPasskey(row),
    publicKey: row.public_key,
    algorithm: row.algorithm,
    signCount: row.sign_count,
  }));
}

/** Lists the account's passkeys, oldest first. */
export async function listPasskeys(db: Db, authority: RowAuthority, accountId: string): Promise<Passkey[]> {
  const rows = await listRows(db, authority, "passkey", "ofAccount", { account_id: accountId });
  return rows.map(toPasskey);
}

/**
 * Stores a verified credential for an account (WebAuthn Level 3 section 7.1 step 27). Returns undefined, without
 * writing, if any account has its id (step 26): an attacker who could replace a stored key would take over its
 * account.
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
  const row = await insertIfAbsent(tx, authority, "passkey", "byCredential", {
    id: newTimedId("passkey", value),
    account_id: value.accountId,
    credential_id: credential.credentialId,
    public_key: credential.publicKey,
    algorithm: credential.algorithm,
    aaguid: credential.aaguid,
    backup_eligible: credential.backupEligible ? 1 : 0,
    created_at: value.now,
    backed_up: credential.backedUp ? 1 : 0,
    sign_count: credential.signCount,
    name: value.name,
    transports: JSON.stringify(credential.transports),
    last_used_at: null,
    answered: null,
  });
  return row === undefined ? undefined : toPasskey(row);
}

/**
 * Stores the counter and backup state of an assertion (WebAuthn Level 3 section 7.2 step 24), and that its challenge
 * was answered. Throws `WebAuthnError` `unknown_credential` if the passkey was deleted after the row was read. Throws
 * `challenge` if the passkey answered it before, and `sign_count` if the counter does not increase.
 */
export async function recordUse(
  tx: Db,
  authority: RowAuthority,
  { account_id, id }: Authentic<"passkey">,
  { assertion: { signCount, backedUp }, challenge, now }: {
    assertion: VerifiedAssertion;
    challenge: AnsweredChallenge;
    now: Instant;
  },
): Promise<void> {
  const row = await findRow(tx, authority, "passkey", "ofAccountById", { account_id, id });
  check(row !== undefined, "unknown_credential");
  // An authenticator without a counter always sends 0.
  check(signCount === 0 ? row.sign_count === 0 : row.sign_count < signCount, "sign_count");
  const answered = withAnswered(row.answered, challenge);
  check(answered !== undefined, "challenge");
  await replaceRow(tx, authority, "passkey", row, {
    answered,
    sign_count: signCount,
    backed_up: backedUp ? 1 : 0,
    last_used_at: now,
  });
}
