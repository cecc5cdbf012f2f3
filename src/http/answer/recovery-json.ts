import type { WaitingRecovery } from "../../accounts/recovery/terms.ts";
import { toIso } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { WayBack } from "../../recovery/recovery-settings.ts";
import type { RecoveryAnswer, WayBackAnswer } from "./schema/recovery.ts";
import type { Of } from "./schema/value.ts";

/** From when a passkey can be made: by what the service was seen running it can be later than was said at first. */
function readyAt({ readyAt, remaining }: WaitingRecovery, now: Instant): string {
  return toIso(remaining > 0 ? Math.max(readyAt, now + remaining) : readyAt);
}

/** A recovery as the browser that began it gets it. */
export function toRecoveryJson(
  recovery: WaitingRecovery,
  now: Instant,
): Of<typeof RecoveryAnswer>["recovery"] {
  return {
    begunAt: toIso(recovery.begunAt),
    readyAt: readyAt(recovery, now),
    endsAt: toIso(recovery.endsAt),
    ready: recovery.remaining === 0,
  };
}

/** An account's way back as its owner gets it. */
export function toWayBackJson(wayBack: WayBack, now: Instant): Of<typeof WayBackAnswer>["wayBack"] {
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
