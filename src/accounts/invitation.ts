import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { replaceRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { AccountServices } from "./services.ts";
import { readToken, secretMatches } from "./session/bearer-secret.ts";
import type { SignUpRule } from "./sign-up-rule.ts";

/** The right to make so many accounts, for one address or for anybody with the link. */
export interface Invitation {
  readonly id: string;
  /** Normalised; null where it is for anybody. */
  readonly email: string | null;
  readonly uses: number;
  readonly used: number;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** What a row says. */
export function toInvitation(row: Authentic<"invitation">): Invitation {
  const { id, email, uses, used } = row;
  return { id, email, uses, used, createdAt: row.created_at, expiresAt: row.expires_at };
}

/** Whether an account can be made by it now. */
export function isUsable({ uses, used, expiresAt }: Invitation, now: Instant): boolean {
  return used < uses && expiresAt > now;
}

/** What somebody comes with who would make an account. */
export interface Entry {
  readonly rule: SignUpRule;
  /** One that can be used; undefined where they have none, or it takes none. */
  readonly invitation: Invitation | undefined;
}

/** Looks what is worth what somebody brought: the token of an invitation, or none. */
export async function findEntry(
  db: Db,
  authority: RowAuthority,
  { rule, token, now }: { rule: SignUpRule; token: string | undefined; now: Instant },
): Promise<Entry> {
  if (rule !== "invite" || token === undefined) return { rule, invitation: undefined };
  return { rule, invitation: await findInvitation(db, authority, { token, now }) };
}

/** The invitation of this token; undefined when there is none, it is used up, expired or not authentic. */
async function findInvitation(
  db: Db,
  authority: RowAuthority,
  { token, now }: { token: string; now: Instant },
): Promise<Invitation | undefined> {
  const read = readToken(token, "invitation");
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "invitation", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash)) return undefined;
  const invitation = toInvitation(row);
  return isUsable(invitation, now) ? invitation : undefined;
}

/** Why nobody may make an account so; undefined where they may. */
export type EntryFault = "closed" | "uninvited" | "other_address";

/**
 * Why this entry is none for an address; null stands for somebody without one, undefined for whatever address it will
 * be.
 */
export function entryFault({ rule, invitation }: Entry, email?: string | null): EntryFault | undefined {
  if (rule === "open") return undefined;
  if (rule === "closed") return "closed";
  if (invitation === undefined) return "uninvited";
  const isForIt = invitation.email === null || email === undefined || invitation.email === email;
  return isForIt ? undefined : "other_address";
}

/**
 * Throws `sign_up_closed` or `invitation_required` unless an account may be made by this entry. It says the same for
 * every address, whether it has an account or not.
 */
export function requireEntry(entry: Entry, email?: string | null): void {
  const fault = entryFault(entry, email);
  if (fault !== undefined) throw entryRefused(fault);
}

const REFUSALS = {
  closed: "Cannot make account: this service takes no new ones",
  uninvited: "Cannot make account: open the link of an invitation that is still good first",
  other_address: "Cannot make account: the invitation is for another address",
} as const satisfies Record<EntryFault, string>;

function entryRefused(fault: EntryFault): ProtocolError {
  return new ProtocolError(fault === "closed" ? "sign_up_closed" : "invitation_required", REFUSALS[fault]);
}

/**
 * Uses an invitation once, in the transaction that makes the account: of several that want its last use one has it.
 * Where the rule takes none, nothing is used. Throws as `requireEntry`, for what the invitation is then, and
 * `DatabaseError` `not_written` where the row is not what was read in this transaction.
 */
export async function spendEntry(
  tx: Db,
  { vault, authority }: Pick<AccountServices, "vault" | "authority">,
  { rule, invitationId, email, accountId, now }: {
    rule: SignUpRule;
    invitationId: string | null;
    email: string | null;
    accountId: string;
    now: Instant;
  },
): Promise<void> {
  if (rule === "open") return;
  const row = invitationId === null || rule === "closed"
    ? undefined
    : await findRow(tx, authority, "invitation", "byId", { id: invitationId });
  const invitation = row === undefined ? undefined : toInvitation(row);
  const isGood = invitation !== undefined && isUsable(invitation, now);
  requireEntry({ rule, invitation: isGood ? invitation : undefined }, email);
  await replaceRow(tx, authority, "invitation", row!, { used: row!.used + 1 });
  const event = { event: "invitation_used", accountId, subject: invitationId, detail: {} } as const;
  await appendAudit(tx, vault, now, event);
}
