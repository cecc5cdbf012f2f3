import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import { utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { type Instant, SECOND } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";

/**
 * The subject of a limit. A client can invent any number of `stranger` subjects, but not accounts. `target`: an address
 * that strangers can name, per day. `recipient`: an account that is notified. `service`: all requests together.
 */
type CountedPer = "stranger" | "target" | "account" | "recipient" | "service";

/** Subjects that may see a limit's state. For the others, it would reveal the activity of third parties. */
const VISIBLE: ReadonlySet<CountedPer> = new Set(["stranger", "account"]);
const DAY_SECONDS = 24 * 60 * 60;

interface RateLimit {
  /** The maximum burst after a pause, and the average per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly per: CountedPer;
}

/** Every limit. A window divides by its limit to whole milliseconds. */
export const RATE_LIMITS = {
  email_code_address: { limit: 5, windowSeconds: 60, per: "stranger" },
  email_code_network: { limit: 20, windowSeconds: 60, per: "stranger" },
  email_code_global: { limit: 10_000, windowSeconds: 60, per: "service" },
  email_code_guess: { limit: 10, windowSeconds: 60, per: "stranger" },
  email_address_site: { limit: 6, windowSeconds: DAY_SECONDS, per: "target" }, // See docs/why/limits.md.
  email_address_region: { limit: 12, windowSeconds: DAY_SECONDS, per: "target" },
  email_address_tries: { limit: 72, windowSeconds: DAY_SECONDS, per: "target" },
  email_address_customer: { limit: 6, windowSeconds: DAY_SECONDS, per: "target" },
  email_address_reserve: { limit: 72, windowSeconds: DAY_SECONDS, per: "target" },
  identity_request: { limit: 30, windowSeconds: 60, per: "stranger" },
  passkey_ceremony: { limit: 30, windowSeconds: 60, per: "stranger" },
  authorization_request: { limit: 300, windowSeconds: 60, per: "stranger" },
  authorization_request_site: { limit: 1200, windowSeconds: 60, per: "stranger" },
  device_user_code: { limit: 60, windowSeconds: 60, per: "stranger" },
  authorization_code: { limit: 300, windowSeconds: 60, per: "account" },
  client_authentication: { limit: 20, windowSeconds: 60, per: "stranger" },
  client_metadata: { limit: 60, windowSeconds: 60, per: "stranger" },
  token_request: { limit: 600, windowSeconds: 60, per: "stranger" },
  admin_authentication: { limit: 10, windowSeconds: 60, per: "stranger" },
  key_generate: { limit: 60, windowSeconds: 60, per: "account" },
  account_rename: { limit: 20, windowSeconds: 600, per: "account" },
  account_export: { limit: 5, windowSeconds: 600, per: "account" },
  recovery_begin: { limit: 10, windowSeconds: 60, per: "stranger" },
  recovery_cancel: { limit: 30, windowSeconds: 60, per: "stranger" },
  recovery_account: { limit: 10, windowSeconds: 600, per: "recipient" },
  recovery_choices: { limit: 10, windowSeconds: 600, per: "account" },
  webhook: { limit: 20, windowSeconds: 600, per: "account" },
  key_policy: { limit: 30, windowSeconds: 60, per: "account" },
  release_challenge: { limit: 30, windowSeconds: 60, per: "stranger" },
  release_challenge_global: { limit: 600, windowSeconds: 60, per: "service" },
  release_request: { limit: 30, windowSeconds: 60, per: "stranger" },
  release_request_global: { limit: 600, windowSeconds: 60, per: "service" },
  sign: { limit: 6000, windowSeconds: 60, per: "account" },
  dpop_proof: { limit: 12_000, windowSeconds: 60, per: "account" }, // Bounds the number of stored proofs.
  signing_request: { limit: 60, windowSeconds: 600, per: "account" }, // Requests of programs to the owner.
  signing_request_mail: { limit: 2, windowSeconds: 600, per: "recipient" },
  signing_refusal_mail: { limit: 1, windowSeconds: DAY_SECONDS, per: "recipient" },
  explain: { limit: 300, windowSeconds: 60, per: "account" },
  key_quote: { limit: 10, windowSeconds: 60, per: "account" },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

export interface RateLimiter {
  /**
   * Takes one request from a subject's limit. Throws `rate_limited`; the caller must then roll back. Returns undefined
   * if the client must not see the limit's state.
   *
   * `holder` is the id of a token or grant of the account. It gets at most half of the account's limit. All holders
   * together leave the owner a quarter, so that no program can lock its owner out.
   */
  take(
    tx: Db,
    name: RateLimitName,
    subject: string,
    now: Instant,
    holder?: string,
  ): Promise<RateLimitState | undefined>;
  /**
   * Takes `count` for work that was done, also beyond the limit: the next requests wait longer. Charges of a `holder`
   * go beyond its own share only. The owner keeps a quarter.
   */
  charge(
    tx: Db,
    name: RateLimitName,
    subject: string,
    now: Instant,
    charged: { readonly count: number; readonly holder: string | undefined },
  ): Promise<void>;
}

export interface RequestRateLimiter extends RateLimiter {
  /** Throws `rate_limited` if `take` would. Call it before work that `take` counts only later. */
  check(db: Db, name: RateLimitName, subject: string, now: Instant, holder?: string): Promise<void>;
}

/** A part of a limit: of its rate, and of its burst that is left for others. */
interface Share {
  readonly rate: number;
  readonly reserved: number;
}

const WHOLE: Share = { rate: 1, reserved: 0 };
const OF_HOLDER: Share = { rate: 1 / 2, reserved: 0 };
const OF_ALL_HOLDERS: Share = { rate: 1, reserved: 1 / 4 };

/** Creates a limiter whose state is in the database. It survives restarts and is shared between processes. */
export function createRateLimiter(vault: Vault): RequestRateLimiter {
  const takesOf = (name: RateLimitName, subject: string, now: Instant, holder: string | undefined) =>
    holder === undefined ? [toTake(vault, name, subject, now, WHOLE)] : [
      toTake(vault, name, holder, now, OF_HOLDER),
      toTake(vault, name, subject, now, OF_ALL_HOLDERS),
    ];
  return {
    take: async (tx, name, subject, now, holder) => {
      const states: (RateLimitState | undefined)[] = [];
      for (const take of takesOf(name, subject, now, holder)) states.push(await takeRateLimit(tx, take));
      return states.reduce((a, b) =>
        a === undefined || b === undefined || a.remaining <= b.remaining ? a : b
      );
    },
    check: async (db, name, subject, now, holder) => {
      for (const take of takesOf(name, subject, now, holder)) await checkRateLimit(db, take);
    },
    charge: async (tx, name, subject, now, { count, holder }) => {
      for (const take of takesOf(name, subject, now, holder)) await chargeRateLimit(tx, take, count);
    },
  };
}

/** Returns the name of the subject's row, for a job's write set. The row is written by one statement. */
export function rateLimitRowKey(vault: Vault, name: RateLimitName, subject: string): string {
  return `${name} ${subjectKey(vault, name, RATE_LIMITS[name].per, subject)}`;
}

/** A limiter without limits, for load tests in development. */
export const UNLIMITED: RequestRateLimiter = {
  take: () => Promise.resolve(undefined),
  check: () => Promise.resolve(),
  charge: () => Promise.resolve(),
};

/** The values of the statement. `limit` and `windowSeconds` describe the share. */
interface Take {
  readonly name: RateLimitName;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly subject: string;
  readonly now: Instant;
  readonly interval: number;
  readonly fresh: Instant;
  readonly latest: Instant;
  readonly impossible: Instant;
  /** The latest time that a charge sets. */
  readonly ceiling: Instant;
}

const upsert = prepared((db, slot: Slot<Take>) =>
  db.insertInto("rate_limit")
    .values({ name: slot("name"), subject: slot("subject"), full_at: slot("fresh") })
    .onConflict((conflict) =>
      conflict.columns(["name", "subject"])
        .doUpdateSet({
          full_at: sql<number>`case when rate_limit.full_at > ${slot("now")} and rate_limit.full_at <= ${
            slot("latest")
          } then rate_limit.full_at else ${slot("now")} end + ${slot("interval")}`,
        })
        .where((where) =>
          where.or([
            where("rate_limit.full_at", "<=", slot("latest")),
            where("rate_limit.full_at", ">", slot("impossible")),
          ])
        )
    )
    .returning("full_at")
);

type Charge = Take & { readonly added: number };

const addCharge = prepared((db, slot: Slot<Charge>) =>
  db.insertInto("rate_limit")
    .values({ name: slot("name"), subject: slot("subject"), full_at: slot("fresh") })
    .onConflict((conflict) =>
      conflict.columns(["name", "subject"]).doUpdateSet({
        full_at: sql<number>`case
          when rate_limit.full_at <= ${slot("now")} or rate_limit.full_at > ${slot("impossible")}
            then ${slot("fresh")}
          when rate_limit.full_at >= ${slot("ceiling")} then rate_limit.full_at
          when rate_limit.full_at + ${slot("added")} > ${slot("ceiling")} then ${slot("ceiling")}
          else rate_limit.full_at + ${slot("added")} end`,
      })
    )
);

/** Charges at most two windows ahead (`takeRateLimit` resets a later time), or what a share leaves for others. */
async function chargeRateLimit(tx: Db, take: Take, count: number): Promise<void> {
  const added = count * take.interval;
  await addCharge(tx, { ...take, added, fresh: Math.min(take.now + added, take.ceiling) });
}

const selectFullAt = prepared((db, slot: Slot<Pick<Take, "name" | "subject">>) =>
  db.selectFrom("rate_limit").select("full_at").where("name", "=", slot("name"))
    .where("subject", "=", slot("subject"))
);

function toTake(vault: Vault, name: RateLimitName, subject: string, now: Instant, share: Share): Take {
  const { limit: whole, windowSeconds, per } = RATE_LIMITS[name];
  const limit = whole * share.rate;
  const window = windowSeconds * SECOND;
  const interval = window / limit;
  const full = now + window * (1 - share.reserved);
  const impossible = now + 2 * window;
  return {
    name,
    limit,
    windowSeconds,
    subject: subjectKey(vault, name, per, subject),
    now,
    interval,
    fresh: now + interval,
    latest: full - interval,
    impossible,
    ceiling: share.reserved === 0 ? impossible : full,
  };
}

function stateOf({ name, limit, windowSeconds, interval, latest }: Take, fullAt: Instant): RateLimitState {
  const room = latest + interval - fullAt;
  const remaining = Math.max(0, Math.floor(room / interval));
  const resetSeconds = Math.max(1, Math.ceil(((remaining + 1) * interval - room) / SECOND));
  return { name, limit, windowSeconds, remaining, resetSeconds };
}

/**
 * Takes one request from a share of a subject's limit, or throws `rate_limited` without writing. Implements the generic
 * cell rate algorithm in one statement, so that parallel requests count one by one. The row holds the time at which the
 * bucket is full again. A time more than two windows ahead was written before the clock was set back, and is reset.
 */
async function takeRateLimit(tx: Db, take: Take): Promise<RateLimitState | undefined> {
  const [taken] = await upsert(tx, take);
  const [row] = taken === undefined ? await selectFullAt(tx, take) : [taken];
  const state = stateOf(take, row?.full_at ?? take.now);
  if (taken === undefined) throw rateLimited(state);
  return VISIBLE.has(RATE_LIMITS[take.name].per) ? state : undefined;
}

async function checkRateLimit(db: Db, take: Take): Promise<void> {
  const [row] = await selectFullAt(db, take);
  if (row === undefined || row.full_at <= take.latest || row.full_at > take.impossible) return;
  throw rateLimited(stateOf(take, row.full_at));
}

/** Bytes of a bucket's name: 65,536 buckets per limit, or 16 million for a window long enough to fill them. */
const BUCKET_BYTES = { stranger: 2, target: 3 } as const;

/**
 * Returns the row key of a subject. Strangers share buckets, so that an attacker cannot fill the table. The vault's
 * key selects the bucket, so that an attacker cannot aim at another subject's.
 */
function subjectKey(vault: Vault, name: RateLimitName, per: CountedPer, subject: string): string {
  if (per === "account" || per === "recipient") return subject;
  if (per === "service") return "";
  return vault.keyedHash("rate-limit-subject", utf8(name), utf8(subject)).slice(0, BUCKET_BYTES[per]).toHex();
}

export interface RateLimitState {
  /** Lower case and underscores. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that may follow at once. */
  readonly remaining: number;
  /** Whole seconds until one more is available, at least 1. */
  readonly resetSeconds: number;
}

/** Formats `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10 sections 3 and 4). */
export function rateLimitFields(
  { name, limit, windowSeconds, remaining, resetSeconds }: RateLimitState,
): { readonly "RateLimit-Policy": string; readonly "RateLimit": string } {
  return {
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    "RateLimit": `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** Creates the error with the time of the next attempt, also in `Retry-After` (RFC 9110 section 10.2.3). */
export function rateLimited(met: Omit<RateLimitState, "remaining">): ProtocolError {
  const seconds = String(met.resetSeconds);
  return new ProtocolError("rate_limited", `Too many requests: try again in ${seconds} s`, {
    headers: { "Retry-After": seconds, ...rateLimitFields({ ...met, remaining: 0 }) },
  });
}
