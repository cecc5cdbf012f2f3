import { followEntries } from "../audit/follow-entries.ts";
import type { StoredEntry } from "../audit/stored-entry.ts";
import { passInconsistent } from "../db/error.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import { HOUR, type Instant } from "../lib/time.ts";
import { countUnverifiedRows, findRow, listRows } from "../store/read.ts";
import { insertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { PUSH_KINDS, type PushKind, type PushMessage } from "./message.ts";

// Like those of webhooks, messages are made from the audit log: no act waits for one, and none is lost.

/** The time for which a message is tried, unless what it tells of ends sooner. */
const MESSAGE_LIFETIME = 12 * HOUR;

/** The most messages that wait for one browser. Further ones are dropped. */
export const MOST_WAITING = 20;

export interface PushFanOutServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly groupCommit: GroupCommit;
  readonly random: RandomBytes;
}

/** Creates the messages of the next entries of the audit log. Returns true if there may be more entries. */
export async function createMessages(db: Db, services: PushFanOutServices, now: Instant): Promise<boolean> {
  return await followEntries(db, services, "push_subscription", isPushKind, async (tx, entries) => {
    for (const entry of entries) {
      if (entry.account_id === null) continue;
      try {
        await createFor(tx, services, { entry, accountId: entry.account_id, now });
      } catch (error) {
        // The rows of this account do not add up. Others are notified all the same.
        passInconsistent(error);
      }
    }
  });
}

function isPushKind(event: string): boolean {
  return PUSH_KINDS.some((kind) => kind === event);
}

/** A message that is worth sending until it expires. */
interface TimedMessage {
  readonly message: PushMessage;
  readonly expiresAt: Instant;
}

async function createFor(
  tx: Db,
  { authority, random }: PushFanOutServices,
  { entry, accountId, now }: {
    readonly entry: StoredEntry;
    readonly accountId: string;
    readonly now: Instant;
  },
): Promise<void> {
  const where = { account_id: accountId };
  const all = await listRows(tx, authority, "push_subscription", "ofAccount", where);
  // A browser is not told of its own sign-in.
  const told = all.filter((row) => row.created_at <= Number(entry.at) && row.session_id !== entry.subject);
  const made = told.length === 0 ? undefined : await CREATE[entry.event as PushKind](tx, authority, entry);
  if (made === undefined || made.expiresAt <= now) return;
  for (const { id } of told) {
    const waiting = { subscription_id: id };
    if (await countUnverifiedRows(tx, "push_delivery", "ofSubscription", waiting) >= MOST_WAITING) continue;
    await insertRow(tx, authority, "push_delivery", {
      id: newId("push", random),
      subscription_id: id,
      body: JSON.stringify(made.message),
      created_at: now,
      expires_at: made.expiresAt,
      attempts: 0,
      next_attempt_at: now,
    });
  }
}

type CreateMessage = (
  tx: Db,
  authority: RowAuthority,
  entry: StoredEntry,
) => Promise<TimedMessage | undefined>;

/** Returns a message about an entry without an end of its own. */
function lasting({ at }: StoredEntry, kind: PushKind, program: string | null): TimedMessage {
  return { message: { kind, program, requestId: null }, expiresAt: Number(at) + MESSAGE_LIFETIME };
}

const CREATE: Readonly<Record<PushKind, CreateMessage>> = {
  signature_asked: async (tx, authority, { account_id, detail }) => {
    const { request: id } = JSON.parse(detail) as { readonly request: string };
    const where = { account_id: account_id!, id };
    const row = await findRow(tx, authority, "signing_request", "ofAccountById", where);
    // The owner needs no message of a request of their own.
    if (row === undefined || row.requester_name === null) return undefined;
    const message = { kind: "signature_asked", program: row.requester_name, requestId: id } as const;
    return { message, expiresAt: row.expires_at };
  },
  signed_in: (_tx, _authority, entry) => Promise.resolve(lasting(entry, "signed_in", null)),
  signing_refused: async (tx, authority, entry) => {
    const { account_id, subject, detail } = entry;
    const { count, clientId } = JSON.parse(detail) as { readonly count: number; readonly clientId?: string };
    // The record at the end of an hour repeats the first one.
    if (count > 1) return undefined;
    const program = clientId === undefined
      ? await findRow(tx, authority, "api_token", "ofAccountById", { account_id: account_id!, id: subject! })
      : await findRow(tx, authority, "client", "byId", { id: clientId });
    return lasting(entry, "signing_refused", program?.name ?? null);
  },
};
