import { sql } from "kysely";
import { prepared } from "../db/prepared-statement.ts";
import type { Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import { utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { SECOND } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";

/**
 * What a limit is counted for. Whoever sends requests can name any number of `strangers`, but of accounts only real ones;
 * a `target` is an address that strangers aim at, counted over a day, a `recipient` an account that is told something.
 */
type CountedPer = "stranger" | "target" | "account" | "recipient" | "everybody";

/** Who hears how a limit stands before it is met: of the others' sum it would tell what somebody else does. */
const TOLD: ReadonlySet<CountedPer> = new Set(["stranger", "account"]);

interface RateLimit {
  /** Requests at once after a pause, and in each window on the average. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly per: CountedPer;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Every limit. A window divides by its limit to whole milliseconds. */
export const RATE_LIMITS = {
  email_code_address: { limit: 5, windowSeconds: 60, per: "stranger" },
  email_code_network: { limit: 20, windowSeconds: 60, per: "stranger" },
  email_code_global: { limit: 10_000, windowSeconds: 60, per: "everybody" },
  email_code_guess: { limit: 10, windowSeconds: 60, per: "stranger" },
  // Tries at all codes of one address: from one site, from one region, and from wherever. The last makes guessing one
  // of a million codes a matter of decades, the others leave room in it for whoever is not where the guesses come from.
  email_address_site: { limit: 6, windowSeconds: DAY_SECONDS, per: "target" },
  email_address_region: { limit: 12, windowSeconds: DAY_SECONDS, per: "target" },
  email_address_tries: { limit: 72, windowSeconds: DAY_SECONDS, per: "target" },
  identity_request: { limit: 30, windowSeconds: 60, per: "stranger" },
  passkey_ceremony: { limit: 30, windowSeconds: 60, per: "stranger" },
  authorization_request: { limit: 300, windowSeconds: 60, per: "stranger" },
  authorization_request_site: { limit: 1200, windowSeconds: 60, per: "stranger" },
  authorization_code: { limit: 300, windowSeconds: 60, per: "account" },
  client_authentication: { limit: 20, windowSeconds: 60, per: "stranger" },
  token_request: { limit: 600, windowSeconds: 60, per: "stranger" },
  admin_authentication: { limit: 10, windowSeconds: 60, per: "stranger" },
  key_generate: { limit: 60, windowSeconds: 60, per: "account" },
  account_rename: { limit: 20, windowSeconds: 600, per: "account" },
  account_export: { limit: 5, windowSeconds: 600, per: "account" },
  recovery_begin: { limit: 10, windowSeconds: 60, per: "stranger" },
  recovery_cancel: { limit: 30, windowSeconds: 60, per: "stranger" },
  recovery_account: { limit: 10, windowSeconds: 600, per: "recipient" },
  recovery_choices: { limit: 10, windowSeconds: 600, per: "account" },
  key_policy: { limit: 30, windowSeconds: 60, per: "account" },
  release_challenge: { limit: 30, windowSeconds: 60, per: "stranger" },
  release_challenge_global: { limit: 600, windowSeconds: 60, per: "everybody" },
  release_request: { limit: 30, windowSeconds: 60, per: "stranger" },
  release_request_global: { limit: 600, windowSeconds: 60, per: "everybody" },
  sign: { limit: 6000, windowSeconds: 60, per: "account" },
  // More than anybody signs: it bounds what is remembered of used proofs.
  dpop_proof: { limit: 12_000, windowSeconds: 60, per: "account" },
  // What a program may ask of a person, and how often that person is told: the mail says where all of it stands.
  signing_request: { limit: 60, windowSeconds: 600, per: "account" },
  signing_request_mail: { limit: 2, windowSeconds: 600, per: "recipient" },
  explain: { limit: 300, windowSeconds: 60, per: "account" },
  key_quote: { limit: 10, windowSeconds: 60, per: "account" },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/** What takes from a limit, or does not where limits are switched off. */
export interface RateLimiter {
  /**
   * Takes one, or throws `rate_limited` having written nothing. How the limit stands then; undefined where that is not
   * for whoever sent the request to know.
   */
  take(tx: Db, name: RateLimitName, subject: string, now: Instant): Promise<RateLimitState | undefined>;
}

/** A limiter whose state is in the database, so that restarts and further processes do not reset it. */
export function createRateLimiter(vault: Vault): RateLimiter {
  return { take: (tx, name, subject, now) => takeRateLimit(tx, vault, name, subject, now) };
}

/** The name of the row that a limit of this subject is counted in: one statement does. */
export function rateLimitPlace(vault: Vault, name: RateLimitName, subject: string): string {
  return `${name} ${subjectKey(vault, name, RATE_LIMITS[name].per, subject)}`;
}

/** For load tests in development: limits nothing. */
export const UNLIMITED: RateLimiter = { take: () => Promise.resolve(undefined) };

interface Take {
  readonly name: string;
  readonly subject: string;
  readonly now: Instant;
  readonly interval: number;
  readonly fresh: Instant;
  readonly latest: Instant;
  readonly impossible: Instant;
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

const selectFullAt = prepared((db, slot: Slot<Pick<Take, "name" | "subject">>) =>
  db.selectFrom("rate_limit").select("full_at").where("name", "=", slot("name"))
    .where("subject", "=", slot("subject"))
);

/**
 * Takes one from the limit of this subject, or throws `rate_limited` having written nothing. The generic cell rate
 * algorithm in one statement: the row holds the instant at which the bucket is full again, so that parallel requests
 * count one by one. A full-at further away than two windows was written before the clock was set back, and starts anew.
 */
async function takeRateLimit(
  tx: Db,
  vault: Vault,
  name: RateLimitName,
  subject: string,
  now: Instant,
): Promise<RateLimitState | undefined> {
  const { limit, windowSeconds, per } = RATE_LIMITS[name];
  const window = windowSeconds * SECOND;
  const interval = window / limit;
  const latest = now + window - interval;
  const key = { name, subject: subjectKey(vault, name, per, subject) };
  const values = { ...key, now, interval, fresh: now + interval, latest, impossible: now + 2 * window };
  const [taken] = await upsert(tx, values);
  const [row] = taken === undefined ? await selectFullAt(tx, key) : [taken];
  const room = now + window - (row?.full_at ?? now);
  const remaining = Math.max(0, Math.floor(room / interval));
  const resetSeconds = Math.max(1, Math.ceil(((remaining + 1) * interval - room) / SECOND));
  const state = { name, limit, windowSeconds, resetSeconds };
  if (taken === undefined) throw rateLimited(state);
  return TOLD.has(per) ? { ...state, remaining } : undefined;
}

/**
 * Bytes of a subject's bucket: 65,536 buckets for each limit, and 16 million where a window is long enough to fill
 * them.
 */
const BUCKET_BYTES = { stranger: 2, target: 3 } as const;

/**
 * Strangers share buckets, so that nobody fills the table; which ones share is known only to the vault's key, so that
 * nobody can aim at somebody else's.
 */
function subjectKey(vault: Vault, name: RateLimitName, per: CountedPer, subject: string): string {
  if (per === "account" || per === "recipient") return subject;
  if (per === "everybody") return "";
  return vault.keyedHash("rate-limit-subject", utf8(name), utf8(subject)).slice(0, BUCKET_BYTES[per]).toHex();
}

/** How a rate limit stands for whoever was counted. */
export interface RateLimitState {
  /** As in the policy: lower case and underscores. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that could follow at once. */
  readonly remaining: number;
  /** Whole seconds until there is one more, at least 1. */
  readonly resetSeconds: number;
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10 sections 3 and 4), one item each. */
export function rateLimitFields(
  { name, limit, windowSeconds, remaining, resetSeconds }: RateLimitState,
): { readonly "RateLimit-Policy": string; readonly "RateLimit": string } {
  return {
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    "RateLimit": `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** The refusal that says when to come back, also in `Retry-After` (RFC 9110 section 10.2.3). */
export function rateLimited(met: Omit<RateLimitState, "remaining">): ProtocolError {
  const seconds = String(met.resetSeconds);
  return new ProtocolError("rate_limited", `Too many requests: try again in ${seconds} s`, {
    headers: { "Retry-After": seconds, ...rateLimitFields({ ...met, remaining: 0 }) },
  });
}
