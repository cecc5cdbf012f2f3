import * as v from "valibot";
import { LONGEST_DELAY, SHORTEST_DELAY } from "../accounts/recovery/recovery-settings.ts";
import type { WaitingRecovery } from "../accounts/recovery/recovery-settings.ts";
import { type Instant, toIso } from "../lib/time.ts";
import type { WayBack } from "../recovery/recovery-settings.ts";
import { Count, list, type Of, Time } from "./value.ts";

const recovery = v.strictObject({
  begunAt: Time,
  readyAt: v.pipe(Time, v.description("From when a new passkey can be made")),
  endsAt: v.pipe(Time, v.description("Until when one can be made")),
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
    v.description("How long a recovery waits that is begun from now on"),
  ),
  emailAlone: v.pipe(
    v.boolean(),
    v.description("Whether an e-mail code begins a recovery without a recovery code"),
  ),
  codesLeft: v.pipe(Count, v.description("Recovery codes that were not used")),
  codesMadeAt: v.nullable(Time),
  recovery: v.pipe(
    v.nullable(v.strictObject({
      begunAt: Time,
      readyAt: Time,
      endsAt: Time,
      device: v.pipe(v.string(), v.description("As the browser claimed that began it")),
      network: v.string(),
    })),
    v.description("The one that waits"),
  ),
  settlingUntil: v.pipe(
    v.nullable(Time),
    v.description("Until when at least nothing is loosened, after a recovery"),
  ),
});

export type RecoverySettings = Of<typeof wayBack>;

export const WayBackAnswer = v.strictObject({ wayBack });

export const RecoveryCodesMade = v.strictObject({
  codes: v.pipe(list(v.string()), v.description("The codes themselves, this once")),
  wayBack,
});

/**
 * Returns the time from which a passkey can be registered. It can be later than first announced, because only the time
 * that the service was seen running counts.
 */
function readyAt({ readyAt, remaining }: WaitingRecovery, now: Instant): string {
  return toIso(remaining > 0 ? Math.max(readyAt, now + remaining) : readyAt);
}

export function toRecoveryJson(recovery: WaitingRecovery, now: Instant): OwnRecovery {
  return {
    begunAt: toIso(recovery.begunAt),
    readyAt: readyAt(recovery, now),
    endsAt: toIso(recovery.endsAt),
    ready: recovery.remaining === 0,
  };
}

export function toWayBackJson(wayBack: WayBack, now: Instant): RecoverySettings {
  const { waiting, codesMadeAt, settlingUntil } = wayBack;
  return {
    delayHours: wayBack.delayHours,
    emailAlone: wayBack.emailAlone,
    codesLeft: wayBack.codesLeft,
    codesMadeAt: codesMadeAt === undefined ? null : toIso(codesMadeAt),
    recovery: waiting === undefined ? null : {
      begunAt: toIso(waiting.begunAt),
      readyAt: readyAt(waiting, now),
      endsAt: toIso(waiting.endsAt),
      device: waiting.device,
      network: waiting.network,
    },
    settlingUntil: settlingUntil === undefined ? null : toIso(settlingUntil),
  };
}
