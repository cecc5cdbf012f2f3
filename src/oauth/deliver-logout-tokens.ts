import { onLogoutNotice } from "../accounts/session/logout-notification.ts";
import type { Db } from "../db/schema/schema.ts";
import { nextTurn } from "../lib/cooperative.ts";
import { LEASE, MOST_ATTEMPTS, nextAttempt } from "../lib/delivery.ts";
import { startDeliveryWorker } from "../lib/delivery-worker.ts";
import type { DeliveryWorker } from "../lib/delivery-worker.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { Outgoing } from "../lib/outgoing.ts";
import type { Clock, Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { pageRows } from "../store/read.ts";
import { replaceIfUnchanged, takeRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { findClient } from "./client/client.ts";
import type { Client } from "./client/client.ts";
import { mayAskLogoutUri } from "./client/logout-uri.ts";
import type { OAuthServices } from "./services.ts";
import { issueLogoutToken } from "./token/logout-token.ts";
import { getSigningKey } from "./token/signing-key.ts";

/** What telling applications needs besides the database. */
export interface TellingServices
  extends Pick<OAuthServices, "vault" | "authority" | "groupCommit" | "issuer" | "logoutHosts"> {
  readonly outgoing: Outgoing;
  readonly random: RandomBytes;
  readonly now: Clock;
  readonly log: Log;
}

/** A word to an application. */
export type LogoutNotice = Authentic<"logout_notice">;

/** Words to one application in hand at once: one that answers slowly holds up no other. */
const MOST_OF_CLIENT = 2;

/** Words in hand at once: who waits for an answer does little else, and 32 applications that give none fill it. */
const CONCURRENCY = 32 * MOST_OF_CLIENT;

/** Due words that are looked at for those of other applications. */
const PAGE = 100;

/** What became of a try: told; refused for good; or failed for now. The reason is for the log. */
interface Outcome {
  readonly kind: "told" | "refused" | "failed";
  readonly reason: string;
}

/** Section 2.8: 200, and 204 of frameworks that make it of an empty 200; 400 is a word that was read and refused. */
const KINDS: Readonly<Record<number, Outcome["kind"]>> = { 200: "told", 204: "told", 400: "refused" };

/**
 * Takes up to `limit` words that are due, at most two of an application beside those in hand, and moves their next attempt
 * behind the lease: of several processes one gets each. One that dies with a word in hand has it told by another after
 * the lease; whether the dead one had told it, nobody knows.
 */
export async function claimNotices(
  db: Db,
  authority: RowAuthority,
  { limit, inHand, now }: { limit: number; inHand: readonly LogoutNotice[]; now: Instant },
): Promise<readonly LogoutNotice[]> {
  const claimed: LogoutNotice[] = [];
  let after: { readonly next_attempt_at: Instant; readonly id: string } | undefined;
  for (;;) {
    const page = await pageRows(db, authority, "logout_notice", "due", {}, { after, limit: PAGE });
    for (const row of page) {
      if (row.next_attempt_at > now || claimed.length === limit) return claimed;
      const isDead = row.expires_at <= now || row.attempts >= MOST_ATTEMPTS;
      const busy = [...inHand, ...claimed].filter((other) => other.client_id === row.client_id).length;
      if (isDead || busy >= MOST_OF_CLIENT) continue;
      const change = { attempts: row.attempts + 1, next_attempt_at: now + LEASE };
      const mine = await replaceIfUnchanged(db, authority, "logout_notice", row, change);
      if (mine !== undefined) claimed.push(mine);
    }
    if (page.length < PAGE) return claimed;
    after = page.at(-1);
    // What waits for an application that is slow can be tens of thousands of words.
    await nextTurn();
  }
}

/**
 * Tells an application (OpenID Connect Back-Channel Logout 1.0 section 2.5) what a claimed word says, and deletes the
 * word; puts it off, or gives it up, when it is not taken. It goes where the client is registered to hear of it now, and
 * nowhere if that is nowhere any more, or the client is disabled. `broken` breaks the try off. Logs the client and what
 * became of it. Throws only when the database fails.
 */
export async function tellLogout(
  db: Db,
  services: TellingServices,
  notice: LogoutNotice,
  broken: AbortSignal,
): Promise<void> {
  const { authority, log, now, random } = services;
  const { client_id: clientId, attempts } = notice;
  const client = await findClient(db, authority, clientId);
  const uri = client?.disabled === false ? client.backchannelLogoutUri : undefined;
  if (client === undefined || uri === undefined) {
    await remove(db, authority, notice);
    return log("info", "logout_notice_dropped", { client: clientId, attempts });
  }
  const outcome = await tell(db, services, { notice, client, uri, broken });
  const next = outcome.kind === "failed" ? nextAttempt(notice, now(), random) : undefined;
  if (next !== undefined) {
    await replaceIfUnchanged(db, authority, "logout_notice", notice, { next_attempt_at: next });
    return log("warn", "logout_notice_deferred", { client: clientId, attempts, reason: outcome.reason });
  }
  await remove(db, authority, notice);
  if (outcome.kind === "told") return log("info", "logout_notice_taken", { client: clientId, attempts });
  log("warn", "logout_notice_given_up", { client: clientId, attempts, reason: outcome.reason });
}

async function remove(db: Db, authority: RowAuthority, { id }: LogoutNotice): Promise<void> {
  await takeRow(db, authority, "logout_notice", "byId", { id });
}

async function tell(
  db: Db,
  services: TellingServices,
  { notice, client, uri, broken }: {
    readonly notice: LogoutNotice;
    readonly client: Client;
    readonly uri: string;
    readonly broken: AbortSignal;
  },
): Promise<Outcome> {
  const { outgoing, logoutHosts, random } = services;
  const now = services.now();
  const key = await getSigningKey(db, services, { algorithm: client.idTokenSignedResponseAlg, now });
  const token = await issueLogoutToken(services, { notice, key, now, random });
  const signal = AbortSignal.any([broken, AbortSignal.timeout(outgoing.timeLimit)]);
  try {
    if (!await mayAskLogoutUri(uri, logoutHosts, { lookup: outgoing.lookup, signal })) {
      return { kind: "failed", reason: "its host may not be asked" };
    }
    const { status } = await post(outgoing, uri, token, signal);
    return { kind: KINDS[status] ?? "failed", reason: `status ${status}` };
  } catch {
    // What it says may hold the address, and so whatever the query of it holds.
    return { kind: "failed", reason: signal.aborted ? "too slow" : "unreachable" };
  }
}

/** Sends the token. A redirect is an answer like any other, and nothing of a body is read. */
async function post(
  { fetch }: Outgoing,
  uri: string,
  token: string,
  signal: AbortSignal,
): Promise<{ readonly status: number }> {
  const { status, body } = await fetch(uri, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "holdfast" },
    body: new URLSearchParams({ logout_token: token }).toString(),
    redirect: "manual",
    signal,
  });
  void body?.cancel().catch(() => {});
  return { status };
}

/**
 * Starts telling applications what waits to be told: at once what is queued in this process, and what others left or is
 * due again within seconds. Any number of processes may do so over one database.
 */
export function startTelling(db: Db, services: TellingServices): DeliveryWorker {
  const { authority, log, now } = services;
  const broken = new AbortController();
  const worker = startDeliveryWorker<LogoutNotice>({
    concurrency: CONCURRENCY,
    claim: (limit, inHand) => claimNotices(db, authority, { limit, inHand, now: now() }),
    deliver: (notice) => tellLogout(db, services, notice, broken.signal),
    failed: (error) => log("error", "logout_notice_failed", { error: String(error) }),
    breakOff: () => broken.abort(),
  });
  const forget = onLogoutNotice(db, worker.wake);
  return {
    wake: worker.wake,
    stop: async () => {
      forget();
      await worker.stop();
    },
  };
}
