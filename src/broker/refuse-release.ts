import { appendAudit } from "../audit/log.ts";
import type { AuditEvent } from "../audit/event.ts";
import type { ReleaseRefusalReason } from "../audit/service-events.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import type { CheckName } from "../tee/quote/evidence.ts";
import type { BrokerServices } from "./services.ts";

const MESSAGES: Readonly<Record<ReleaseRefusalReason, string>> = {
  unknown_workload: "the allow-list has no such workload",
  too_many_challenges: "too many nonces are pending",
  malformed_claims: "the claims are malformed",
  other_broker: "the claims name another broker",
  challenge_absent: "the nonce is unknown or was used",
  challenge_expired: "the nonce has expired",
  challenge_of_other_workload: "the nonce was given to another workload",
  malformed_quote: "the quote is malformed",
  weak_key: "the ephemeral key is of low order",
  not_allowed: "the allow-list does not have these measurements",
  verification_failed: "the quote is not verified",
  key_lost: "the workload's key was lost: restore a backup of the broker's database",
};

/** The cause of a refusal, for the request's log line. */
class ReleaseRefusal extends Error {
  readonly code: ReleaseRefusalReason;

  constructor(code: ReleaseRefusalReason) {
    super(MESSAGES[code]);
    this.name = "ReleaseRefusal";
    this.code = code;
  }
}

export interface Refused {
  /** The name of a workload in the allow-list; null for any other text. */
  readonly workload: string | null;
  readonly now: Instant;
  readonly check?: CheckName;
}

async function record(services: BrokerServices, now: Instant, event: AuditEvent): Promise<void> {
  await services.groupCommit.run((tx) => appendAudit(tx, services.vault, now, event));
}

function refusal(reason: ReleaseRefusalReason, check?: CheckName): ProtocolError {
  const where = check === undefined ? "" : ` (${check})`;
  const message = `Cannot release key: ${MESSAGES[reason]}${where}`;
  const cause = new ReleaseRefusal(reason);
  if (reason !== "too_many_challenges") return new ProtocolError("release_refused", message, { cause });
  return new ProtocolError("unavailable", message, { cause, headers: { "Retry-After": "10" } });
}

export async function refuseChallenge(
  services: BrokerServices,
  reason: ReleaseRefusalReason,
  { workload, now }: Refused,
): Promise<never> {
  const event = { event: "release_challenge_refused", accountId: null, subject: workload } as const;
  await record(services, now, { ...event, detail: { reason } });
  throw refusal(reason);
}

export async function refuseRelease(
  services: BrokerServices,
  reason: ReleaseRefusalReason,
  { workload, now, check }: Refused,
): Promise<never> {
  const event = { event: "release_refused", accountId: null, subject: workload } as const;
  await record(services, now, { ...event, detail: { reason, check: check ?? null } });
  throw refusal(reason, check);
}
