import type { Db } from "../db/schema/schema.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import { type Instant, MINUTE } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { consumeRow, insertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { IdentityName } from "./identity/identity.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "./session/bearer-secret.ts";

export const TICKET_LIFETIME = 15 * MINUTE;

/** A permission to create one account for a verified address or identity. */
export interface SignUpTicket {
  readonly id: string;
  /** The id of the future account. The passkey's user handle needs it in advance. */
  readonly accountId: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly identity: IdentityName | undefined;
  readonly invitationId: string | null;
}

/** Creates a ticket and returns its token, of which only a hash is stored. */
export async function issueTicket(
  tx: Db,
  authority: RowAuthority,
  value: {
    email: string | null;
    name?: string | null;
    identity?: IdentityName;
    invitationId?: string | undefined;
    now: Instant;
    random: RandomBytes;
  },
): Promise<string> {
  const token = newToken("ticket", value.random);
  await insertRow(tx, authority, "sign_up_ticket", {
    id: token.id,
    secret_hash: hashSecret(token.secret),
    account_id: newId("account", value.random),
    email: value.email,
    name: value.name ?? null,
    issuer: value.identity?.issuer ?? null,
    subject: value.identity?.subject ?? null,
    created_at: value.now,
    expires_at: value.now + TICKET_LIFETIME,
    invitation_id: value.invitationId ?? null,
  });
  return formatToken(token);
}

/** Returns the ticket of this token. Returns undefined if not found, expired or not authentic. */
export async function findTicket(
  db: Db,
  authority: RowAuthority,
  { token, now }: { token: string; now: Instant },
): Promise<SignUpTicket | undefined> {
  const read = readToken(token, "ticket");
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "sign_up_ticket", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash)) return undefined;
  return usable(row, now);
}

/** Returns undefined if not found, expired or not authentic. Does not check the token: `findTicket` did. */
export async function consumeTicket(
  tx: Db,
  authority: RowAuthority,
  { id, now }: { id: string; now: Instant },
): Promise<SignUpTicket | undefined> {
  const row = await consumeRow(tx, authority, "sign_up_ticket", "byId", { id });
  return row === undefined ? undefined : usable(row, now);
}

function usable(row: Authentic<"sign_up_ticket">, now: Instant): SignUpTicket | undefined {
  if (row.expires_at <= now) return undefined;
  const { issuer, subject } = row;
  const identity = issuer === null || subject === null ? undefined : { issuer, subject };
  const { id, account_id: accountId, email, name, invitation_id: invitationId } = row;
  return { id, accountId, email, name, identity, invitationId };
}
