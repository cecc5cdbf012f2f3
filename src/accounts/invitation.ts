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

/** An invitation to create up to `uses` accounts, for one address or for every bearer of the link. */
export interface Invitation {
  readonly id: string;
  /** Normalised. Null for every bearer of the link. */
  readonly email: string | null;
  readonly uses: number;
  readonly used: number;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export function toInvitation(row: Authentic<"invitation">): Invitation {
  const { id, email, uses, used } = row;
  return { id, email, uses, used, createdAt: row.created_at, expiresAt: row.expires_at };
}

export function isUsable({ uses, used, expiresAt }: Invitation, now: Instant): boolean {
  return used < uses && expiresAt > now;
}

/** The sign-up rule and the invitation presented, if any. */
export interface SignUpAdmission {
  readonly rule: SignUpRule;
  /** A usable invitation. Undefined if none was presented or the rule needs none. */
  readonly invitation: Invitation | undefined;
}

/** Resolves an invitation token under the sign-up rule. */
export async function findAdmission(
  db: Db,
  authority: RowAuthority,
  { rule, token, now }: { rule: SignUpRule; token: string | undefined; now: Instant },
): Promise<SignUpAdmission> {
  if (rule !== "invite" || token === undefined) return { rule, invitation: undefined };
  return { rule, invitation: await findInvitation(db, authority, { token, now }) };
}

/** Returns the invitation of this token. Returns undefined if not found, used up, expired or not authentic. */
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

export type AdmissionFault = "closed" | "uninvited" | "other_address";

/**
 * Returns undefined if the admission permits an account for the address. Null stands for a user without an address and
 * undefined for an address that is not known yet.
 */
export function admissionFault(
  { rule, invitation }: SignUpAdmission,
  email?: string | null,
): AdmissionFault | undefined {
  if (rule === "open") return undefined;
  if (rule === "closed") return "closed";
  if (invitation === undefined) return "uninvited";
  const isForIt = invitation.email === null || email === undefined || invitation.email === email;
  return isForIt ? undefined : "other_address";
}

/**
 * Throws `sign_up_closed` or `invitation_required` by the rule and the invitation alone, independent of existing
 * accounts.
 */
export function requireAdmission(admission: SignUpAdmission, email?: string | null): void {
  const fault = admissionFault(admission, email);
  if (fault !== undefined) throw admissionRefused(fault);
}

const REFUSALS = {
  closed: "Cannot create account: this service does not accept new accounts",
  uninvited: "Cannot create account: first open the link of a valid invitation",
  other_address: "Cannot create account: the invitation is for another address",
} as const satisfies Record<AdmissionFault, string>;

function admissionRefused(fault: AdmissionFault): ProtocolError {
  return new ProtocolError(fault === "closed" ? "sign_up_closed" : "invitation_required", REFUSALS[fault]);
}

/**
 * Uses an invitation once, in the transaction that creates the account. Of several concurrent sign-ups, one gets the
 * last use. Does nothing under the rule `open`. Throws the errors of `requireAdmission` for the invitation's current
 * state. Throws `DatabaseError` `not_written` if the row changed after it was read.
 */
export async function consumeInvitation(
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
  requireAdmission({ rule, invitation: isGood ? invitation : undefined }, email);
  await replaceRow(tx, authority, "invitation", row!, { used: row!.used + 1 });
  const event = { event: "invitation_used", accountId, subject: invitationId, detail: {} } as const;
  await appendAudit(tx, vault, now, event);
}
