import { sql } from "kysely";
import { findAccount } from "../accounts/account.ts";
import { type NotificationContext, prepareNotification } from "../accounts/notification.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import type { Throttle } from "../db/sweep.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError, type RefusalError } from "../lib/error.ts";
import { HOUR, type Instant, toIso } from "../lib/time.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import { refusalsMail } from "../mail/key-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { holderOf, type Requester } from "./requester.ts";

/** The rules of one program in one hour that have a record each. Refusals by further rules share one. */
const MOST_RULES = 50;

/** The refusals of an account in an hour from which the owner gets a mail. */
const MAILED_REFUSALS = 100;

const PAGE = 50;

type Row = Tables["signing_refusal"];

/** The owner of the policy that denied an attempt, and the JSON pointer of its rule, empty without one. */
export type Denial = Pick<Row, "policy" | "rule">;

/** The denials by rules without a record of their own. */
const FURTHER: Denial = { policy: "", rule: "" };

/** Returns the denial of a policy, or undefined for another refusal. */
export function denialOf({ problem, members }: RefusalError): Denial | undefined {
  if (problem !== "policy_denied") return undefined;
  return { policy: members?.["policy"] ?? "", rule: members?.["rule"] ?? "" };
}

/**
 * Counts a refusal of a program by a rule, in the current hour. Records the first of an hour in the owner's activity;
 * `reportRefusals` records the number at the end of the hour. The counts grant nothing and are not authenticated.
 */
export async function recordRefusal(
  tx: Db,
  vault: Vault,
  { accountId, requester, denial, now }: {
    readonly accountId: string;
    readonly requester: Exclude<Requester, { readonly kind: "owner" }>;
    readonly denial: Denial;
    readonly now: Instant;
  },
): Promise<void> {
  const row: Row = {
    holder_id: holderOf(requester),
    ...denial,
    hour: now - now % HOUR,
    account_id: accountId,
    client_id: requester.kind === "application" ? requester.clientId : null,
    count: 1,
    first_at: now,
    last_at: now,
  };
  if (await increment(tx, row)) return;
  const first = await isFull(tx, row) ? { ...row, ...FURTHER } : row;
  if (first !== row && await increment(tx, first)) return;
  await tx.insertInto("signing_refusal").values(first).execute();
  await appendAudit(tx, vault, now, refusedEvent(first));
}

/** Returns false if there is no such row. */
async function increment(tx: Db, { holder_id, policy, rule, hour, last_at }: Row): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("signing_refusal")
    .set({ count: sql<number>`count + 1`, last_at })
    .where("holder_id", "=", holder_id).where("hour", "=", hour)
    .where("policy", "=", policy).where("rule", "=", rule)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function isFull(tx: Db, { holder_id, hour }: Row): Promise<boolean> {
  const rows = await tx.selectFrom("signing_refusal").select("rule")
    .where("holder_id", "=", holder_id).where("hour", "=", hour).limit(MOST_RULES).execute();
  return rows.length >= MOST_RULES;
}

function refusedEvent({ account_id, holder_id, client_id, policy, rule, count, first_at, last_at }: Row) {
  const client = client_id === null ? {} : { clientId: client_id };
  const detail = { ...client, policy, rule, count, first: toIso(first_at), last: toIso(last_at) };
  return { event: "signing_refused", accountId: account_id, subject: holder_id, detail } as const;
}

export interface RefusalServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly mailer: Mailer;
}

/**
 * Notifies the owners with many refusals in an hour, at most once a day, and records the number of refusals of hours
 * that have ended. Uses a throttled transaction for each.
 */
export async function reportRefusals(
  db: Db,
  services: RefusalServices,
  context: NotificationContext,
  throttle: Throttle,
): Promise<void> {
  const many = await db.selectFrom("signing_refusal").select("account_id")
    .groupBy(["account_id", "hour"])
    .having(sql<number>`sum(count)`, ">=", MAILED_REFUSALS).execute();
  for (const accountId of new Set(many.map(({ account_id }) => account_id))) {
    await throttle(() => notifyOwner(db, services, context, accountId));
  }
  while (await throttle(() => closeHours(db, services, context.now)) === PAGE);
}

async function notifyOwner(
  db: Db,
  services: RefusalServices,
  context: NotificationContext,
  accountId: string,
): Promise<void> {
  const { authority, limits } = services;
  const account = await findAccount(db, authority, accountId);
  if (account === undefined) return;
  const notification = prepareNotification(services, account, context, refusalsMail);
  try {
    await transaction(db, async (tx) => {
      await limits.take(tx, "signing_refusal_mail", accountId, context.now);
      await notification.enqueue(tx);
    });
  } catch (error) {
    if (error instanceof ProtocolError && error.code === "rate_limited") return;
    throw error;
  }
  notification.queued();
}

/** Closes the records of ended hours. Returns their number. */
async function closeHours(db: Db, { vault }: RefusalServices, now: Instant): Promise<number> {
  return await transaction(db, async (tx) => {
    const ended = await tx.selectFrom("signing_refusal").selectAll()
      .where("hour", "<=", now - HOUR).orderBy("hour").limit(PAGE).execute();
    for (const row of ended) {
      const { holder_id, policy, rule, hour } = row;
      await tx.deleteFrom("signing_refusal")
        .where("holder_id", "=", holder_id).where("hour", "=", hour)
        .where("policy", "=", policy).where("rule", "=", rule).execute();
      // The record of a single refusal says all.
      if (row.count > 1) await appendAudit(tx, vault, now, refusedEvent(row));
    }
    return ended.length;
  });
}
