import { onLogoutNotification } from "../accounts/session/logout-notification.ts";
import type { Db } from "../db/schema/schema.ts";
import { type DeliveryWorker, startDeliveryWorker } from "../lib/delivery-worker.ts";
import { nextAttempt, postDelivery } from "../lib/delivery.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Outgoing } from "../lib/outgoing.ts";
import { type Clock, type Instant, MINUTE } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { claimDue } from "../store/claim-due.ts";
import { consumeRow, replaceIfUnchanged } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { type Client, findClient } from "./client/client.ts";
import { findLogoutUriFault } from "./client/logout-uri.ts";
import type { OAuthServices } from "./services.ts";
import { numericDate } from "./token/access-token.ts";
import { getSigningKey, type SigningKey } from "./token/signing-key.ts";

export interface LogoutDeliveryServices
  extends Pick<OAuthServices, "vault" | "authority" | "groupCommit" | "issuer" | "logoutHosts"> {
  readonly outgoing: Outgoing;
  readonly random: RandomBytes;
  readonly now: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export type LogoutNotification = Authentic<"logout_notice">;

/** Maximum concurrent deliveries to one client, so that a slow client does not block others. */
const MOST_OF_CLIENT = 2;

/** Maximum concurrent deliveries. They are mostly waiting, and 32 clients that do not respond fill them. */
const CONCURRENCY = 32 * MOST_OF_CLIENT;

/** The result of a delivery attempt. The reason is for the log. */
interface DeliveryOutcome {
  readonly kind: "delivered" | "refused" | "failed";
  readonly reason: string;
}

/** Section 2.8: 200, and 204 from frameworks that convert an empty 200. 400 means rejected for good. */
const KINDS: Readonly<Record<number, DeliveryOutcome["kind"]>> = {
  200: "delivered",
  204: "delivered",
  400: "refused",
};

/** Claims due notifications, at most two in flight for each client. */
export function claimLogoutNotifications(
  db: Db,
  authority: RowAuthority,
  claim: { limit: number; inFlight: readonly LogoutNotification[]; now: Instant },
): Promise<readonly LogoutNotification[]> {
  const receivers = {
    receiverOf: ({ client_id }: LogoutNotification) => client_id,
    mostOfReceiver: MOST_OF_CLIENT,
  };
  return claimDue(db, authority, "logout_notice", { ...claim, ...receivers });
}

/**
 * Delivers a claimed notification to the client's current logout URI (OpenID Connect Back-Channel Logout 1.0 section
 * 2.5) and deletes it. Retries later, or gives up, if the client does not accept it. Drops it if the client is
 * disabled or has no URI. `broken` aborts the attempt. Logs the client and the result. Throws only on a database
 * failure.
 */
export async function deliverLogoutToken(
  db: Db,
  services: LogoutDeliveryServices,
  notification: LogoutNotification,
  broken: AbortSignal,
): Promise<void> {
  const { authority, log, metrics, now, random } = services;
  const { client_id: clientId, attempts } = notification;
  const client = await findClient(db, authority, clientId);
  const uri = client?.disabled === false ? client.backchannelLogoutUri : undefined;
  if (client === undefined || uri === undefined) {
    await remove(db, authority, notification);
    return log("info", "logout_notice_dropped", { client: clientId, attempts });
  }
  const outcome = await deliver(db, services, { notification, client, uri, broken });
  if (outcome.kind !== "delivered") metrics.count("holdfast_delivery_failures_total", "logout");
  const next = outcome.kind === "failed" ? nextAttempt(notification, now(), random) : undefined;
  if (next !== undefined) {
    await replaceIfUnchanged(db, authority, "logout_notice", notification, { next_attempt_at: next });
    return log("warn", "logout_notice_deferred", { client: clientId, attempts, reason: outcome.reason });
  }
  await remove(db, authority, notification);
  if (outcome.kind === "delivered") return log("info", "logout_notice_taken", { client: clientId, attempts });
  log("warn", "logout_notice_given_up", { client: clientId, attempts, reason: outcome.reason });
}

async function remove(db: Db, authority: RowAuthority, { id }: LogoutNotification): Promise<void> {
  await consumeRow(db, authority, "logout_notice", "byId", { id });
}

async function deliver(
  db: Db,
  services: LogoutDeliveryServices,
  { notification, client, uri, broken }: {
    readonly notification: LogoutNotification;
    readonly client: Client;
    readonly uri: string;
    readonly broken: AbortSignal;
  },
): Promise<DeliveryOutcome> {
  const { outgoing, logoutHosts, random } = services;
  const now = services.now();
  const key = await getSigningKey(db, services, { algorithm: client.idTokenSignedResponseAlg, now });
  const token = await issueLogoutToken(services, { notification, key, now, random });
  const status = await postDelivery(uri, outgoing, {
    isAllowed: findLogoutUriFault(uri, logoutHosts) === undefined,
    hosts: logoutHosts === "public" ? "public" : "any",
    broken,
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "holdfast" },
    body: new URLSearchParams({ logout_token: token }).toString(),
  });
  if (typeof status === "string") return { kind: "failed", reason: status };
  return { kind: KINDS[status] ?? "failed", reason: `status ${status}` };
}

/** Delivers notifications of this process at once, others within seconds. Several processes may share a database. */
export function startLogoutDelivery(db: Db, services: LogoutDeliveryServices): DeliveryWorker {
  const { authority, log, now } = services;
  const broken = new AbortController();
  const worker = startDeliveryWorker<LogoutNotification>({
    concurrency: CONCURRENCY,
    claim: (limit, inFlight) => claimLogoutNotifications(db, authority, { limit, inFlight, now: now() }),
    deliver: (notification) => deliverLogoutToken(db, services, notification, broken.signal),
    failed: (error) => log("error", "logout_notice_failed", { error: String(error) }),
    abort: () => broken.abort(),
  });
  const forget = onLogoutNotification(db, worker.wake);
  return {
    wake: worker.wake,
    stop: async () => {
      forget();
      await worker.stop();
    },
  };
}

/** The maximum lifetime that section 2.4 recommends. */
const LOGOUT_TOKEN_LIFETIME = 2 * MINUTE;

/** The event that identifies a logout token. */
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Issues a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4), a new one for each attempt. A client
 * that stores each `jti` therefore accepts a retry after a lost response. `toe` (RFC 8417 section 2.2) is the time of
 * the logout. Without `nonce`, so that it cannot pass as an ID token.
 */
async function issueLogoutToken(
  services: Pick<OAuthServices, "vault" | "issuer">,
  { notification, key, now, random }: {
    notification: Authentic<"logout_notice">;
    key: SigningKey;
    now: Instant;
    random: RandomBytes;
  },
): Promise<string> {
  return await services.vault.signJwt(key, "logout+jwt", {
    iss: services.issuer,
    sub: notification.subject,
    aud: notification.client_id,
    iat: numericDate(now),
    exp: numericDate(now + LOGOUT_TOKEN_LIFETIME),
    jti: newId("jti", random),
    toe: numericDate(notification.created_at),
    events: { [EVENT]: {} },
    ...(notification.sid === null ? {} : { sid: notification.sid }),
  });
}
