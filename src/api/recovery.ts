import * as v from "valibot";
import { LONGEST_DELAY, SHORTEST_DELAY } from "../accounts/recovery/recovery-settings.ts";
import type { PendingRecovery } from "../accounts/recovery/recovery-settings.ts";
import { type Instant, toIso } from "../lib/time.ts";
import type { RecoverySettings } from "../recovery/recovery-settings.ts";
import { Count, list, type Of, Time } from "./value.ts";

const recovery = v.strictObject({
  begunAt: Time,
  readyAt: v.pipe(Time, v.description("The time from which a new passkey can be created")),
  endsAt: v.pipe(Time, v.description("The time until which a new passkey can be created")),
  ready: v.boolean(),
});

export type OwnRecovery = Of<typeof recovery>;

export const RecoveryAnswer = v.strictObject({ recovery });

const wayBack = v.strictObject({
  delayHours: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(SHORTEST_DELAY),
    v.maxValue(LONGEST_DELAY),
    v.description("The delay of recoveries that begin later, in hours"),
  ),
  emailAlone: v.pipe(
    v.boolean(),
    v.description("True if an e-mail code begins a recovery without a recovery code"),
  ),
  codesLeft: v.pipe(Count, v.description("The number of unused recovery codes")),
  codesMadeAt: v.nullable(Time),
  recovery: v.pipe(
    v.nullable(v.strictObject({
      begunAt: Time,
      readyAt: Time,
      endsAt: Time,
      device: v.pipe(v.string(), v.description("The device that began it, as its browser claimed")),
      network: v.string(),
    })),
    v.description("The pending recovery"),
  ),
  settlingUntil: v.pipe(
    v.nullable(Time),
    v.description("After a recovery, the earliest time at which protection can be loosened"),
  ),
});

export type RecoverySettingsJson = Of<typeof wayBack>;

export const WayBackAnswer = v.strictObject({ wayBack });

export const RecoveryCodesMade = v.strictObject({
  codes: v.pipe(list(v.string()), v.description("The codes, shown only in this response")),
  wayBack,
});

/**
 * Returns the time from which a passkey can be registered. It can be later than first announced, because only the time
 * that the service was seen running counts.
 */
function readyAt({ readyAt, remaining }: PendingRecovery, now: Instant): string {
  return toIso(remaining > 0 ? Math.max(readyAt, now + remaining) : readyAt);
}

export function toRecoveryJson(recovery: PendingRecovery, now: Instant): OwnRecovery {
  return {
    begunAt: toIso(recovery.begunAt),
    readyAt: readyAt(recovery, now),
    endsAt: toIso(recovery.endsAt),
    ready: recovery.remaining === 0,
  };
}

export function toRecoverySettingsJson(wayBack: RecoverySettings, now: Instant): RecoverySettingsJson {
  const { pending, codesMadeAt, settlingUntil } = wayBack;
  return {
    delayHours: wayBack.delayHours,
    emailAlone: wayBack.emailAlone,
    codesLeft: wayBack.codesLeft,
    codesMadeAt: codesMadeAt === undefined ? null : toIso(codesMadeAt),
    recovery: pending === undefined ? null : {
      begunAt: toIso(pending.begunAt),
      readyAt: readyAt(pending, now),
      endsAt: toIso(pending.endsAt),
      device: pending.device,
      network: pending.network,
    },
    settlingUntil: settlingUntil === undefined ? null : toIso(settlingUntil),
  };
}
