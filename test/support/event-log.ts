import { createHash } from "node:crypto";

// dstack's event log, and the registers that it replays to.

export interface LogEvent {
  readonly imr: number;
  readonly event_type: number;
  readonly digest: string;
  readonly event: string;
  readonly event_payload: string;
  readonly version?: number;
}

const DSTACK = 0x08000001;

function sha384(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha384");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

/** Creates an event that the firmware measured into an RTMR. */
export function firmwareEvent(imr: number, text: string): LogEvent {
  return { imr, event_type: 4, digest: sha384(text), event: "", event_payload: "00000000" };
}

/**
 * Creates an event that dstack's boot measured into RTMR3. Its payload is in hex; digests of version 2 are of
 * canonical JSON.
 */
export function dstackEvent(event: string, payload: string, version?: 2): LogEvent {
  const type = Uint8Array.of(1, 0, 0, 8);
  const digest = version === 2
    ? sha384(`{"name":${JSON.stringify(event)},"payload":"${payload}","type":134217729}`)
    : sha384(type, ":", event, ":", Uint8Array.fromHex(payload));
  const named = { imr: 3, event_type: DSTACK, digest, event, event_payload: payload };
  return version === undefined ? named : { ...named, version };
}

function replay(log: readonly LogEvent[], imr: number): string {
  return log.filter((event) => event.imr === imr)
    .reduce(
      (value, { digest }) => sha384(Uint8Array.fromHex(value), Uint8Array.fromHex(digest)),
      "00".repeat(48),
    );
}

/** Returns the four RTMRs after these events, in hex. */
export function replayOf(
  log: readonly LogEvent[],
): Readonly<Record<"rtmr0" | "rtmr1" | "rtmr2" | "rtmr3", string>> {
  return { rtmr0: replay(log, 0), rtmr1: replay(log, 1), rtmr2: replay(log, 2), rtmr3: replay(log, 3) };
}
