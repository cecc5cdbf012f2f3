import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { toBase64url } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import { HOUR, type Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { consumeRow, insertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { Account } from "./account.ts";
import { bindAddress, hasOwnAddress } from "./administrator-address.ts";
import { requireNoCooldown } from "./recovery/recovery-state.ts";
import type { AccountServices } from "./services.ts";
import { consumeFreshness } from "./session/fresh-session.ts";
import { findAccountOfSession, type SignedIn } from "./session/session.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "./session/bearer-secret.ts";

const ADMIN_SESSION_LIFETIME = HOUR;

/** The credentials that open the administrator's pages. */
export interface Administration {
  readonly adminKeyHash: Uint8Array;
  /** Ids and normalised addresses of the accounts that may open the pages with a fresh passkey. */
  readonly adminAccounts: readonly string[];
}

export interface AdminSession {
  readonly id: string;
  /** The administrator's account. Undefined if the session was opened with the admin key. */
  readonly account: Account | undefined;
}

type AdminSessionServices = Pick<AccountServices, "vault" | "authority">;

/**
 * Returns true if the configuration lists the account by its id or by its address. An address counts only if a code of
 * this service verified it: another provider's word makes no administrator.
 */
export function isAdministrator(
  account: Account,
  { adminAccounts }: Pick<Administration, "adminAccounts">,
): boolean {
  return adminAccounts.includes(account.id) ||
    (hasOwnAddress(account) && adminAccounts.includes(account.email));
}

/** Returns a keyed hash of the admin key for the session row, so that changing the key ends the session. */
function keyMark(vault: Vault, { adminKeyHash }: Administration): string {
  return toBase64url(vault.keyedHash("admin-session", adminKeyHash));
}

/** The credential that opens the pages: the admin key, verified by the caller, or a signed-in account. */
export type AdminEntrance = { readonly by: "admin_key" } | {
  readonly by: "account";
  readonly signedIn: SignedIn;
};

/**
 * Opens an administrator's session for an hour and returns its token, of which only a hash is stored. An account
 * needs a sign-in of the last ten minutes or the step-up `administer`. Throws `fresh_session_required`,
 * `recently_recovered`, and `not_found` if its address is bound to another account. Does not check `isAdministrator`.
 * `db` must be the outer handle.
 */
export async function openAdminSession(
  db: Db,
  { vault, authority }: AdminSessionServices,
  { entrance, administration, now, random }: {
    entrance: AdminEntrance;
    administration: Administration;
    now: Instant;
    random: RandomBytes;
  },
): Promise<string> {
  const token = newToken("administration", random);
  const { by } = entrance;
  const signedIn = by === "account" ? entrance.signedIn : undefined;
  const session = signedIn?.session;
  await transaction(db, async (tx) => {
    if (signedIn !== undefined && session !== undefined) {
      await requireBound(tx, authority, signedIn.account, { administration, now });
      await consumeFreshness(tx, authority, { session, action: "administer", now });
      await requireNoCooldown(tx, { vault, authority }, { accountId: session.accountId, now });
    }
    await insertRow(tx, authority, "admin_session", {
      id: token.id,
      secret_hash: hashSecret(token.secret),
      account_id: session?.accountId ?? null,
      session_id: session?.id ?? null,
      admin_key_hash: session === undefined ? keyMark(vault, administration) : null,
      created_at: now,
      expires_at: now + ADMIN_SESSION_LIFETIME,
    });
    await appendAudit(tx, vault, now, {
      event: "administration_entered",
      accountId: session?.accountId ?? null,
      subject: token.id,
      detail: { by },
    });
  });
  return formatToken(token);
}

async function requireBound(
  tx: Db,
  authority: RowAuthority,
  { id, email }: Account,
  { administration: { adminAccounts }, now }: {
    readonly administration: Administration;
    readonly now: Instant;
  },
): Promise<void> {
  if (adminAccounts.includes(id) || email === null || !adminAccounts.includes(email)) return;
  if (!await bindAddress(tx, authority, { id, email, now })) {
    throw new ProtocolError("not_found", "This address belongs to another administrator's account");
  }
}

/** Returns undefined if it or its sign-in ended, the admin key changed, or its account is disabled or not listed. */
export async function findAdminSession(
  db: Db,
  { vault, authority }: AdminSessionServices,
  { token, administration, now }: { token: string; administration: Administration; now: Instant },
): Promise<AdminSession | undefined> {
  const read = readToken(token, "administration");
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "admin_session", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash) || row.expires_at <= now) {
    return undefined;
  }
  const { id, account_id: accountId } = row;
  if (accountId === null) {
    return row.admin_key_hash === keyMark(vault, administration) ? { id, account: undefined } : undefined;
  }
  const account = await findEntrant(db, authority, row, now);
  return account !== undefined && isAdministrator(account, administration) ? { id, account } : undefined;
}

/** Returns the account that opened the pages. Returns undefined if it is disabled or its session has ended. */
async function findEntrant(
  db: Db,
  authority: RowAuthority,
  { account_id: accountId, session_id: sessionId }: Authentic<"admin_session">,
  now: Instant,
): Promise<Account | undefined> {
  if (accountId === null || sessionId === null) return undefined;
  return await findAccountOfSession(db, authority, { account_id: accountId, id: sessionId }, now);
}

/**
 * Throws `authentication_required` if the session has ended. Call it in the transaction that acts, so that an
 * administrator disabled during the request cannot undo it.
 */
export async function requireStillOpen(
  tx: Db,
  authority: RowAuthority,
  { id, now }: { readonly id: string; readonly now: Instant },
): Promise<void> {
  const row = await findRow(tx, authority, "admin_session", "byId", { id });
  const isOpen = row !== undefined &&
    (row.account_id === null || await findEntrant(tx, authority, row, now) !== undefined);
  if (!isOpen) {
    throw new ProtocolError(
      "authentication_required",
      "This administration session has ended: enter the administration again",
    );
  }
}

/** Closes an administrator's session. Does nothing if it is already closed. */
export async function closeAdminSession(
  db: Db,
  { authority }: Pick<AdminSessionServices, "authority">,
  { id }: AdminSession,
): Promise<void> {
  await consumeRow(db, authority, "admin_session", "byId", { id });
}
