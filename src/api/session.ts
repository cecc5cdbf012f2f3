import * as v from "valibot";
import type { ListedSession } from "../accounts/session/end-sessions.ts";
import type { Session as StoredSession } from "../accounts/session/session.ts";
import { toIso } from "../lib/time.ts";
import { Count, list, type Of, Time } from "./value.ts";

export const Session = v.strictObject({
  id: v.string(),
  device: v.pipe(v.string(), v.description("The device, as the browser claimed at sign-in")),
  network: v.string(),
  passkeyId: v.string(),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  current: v.boolean(),
});

export type SessionView = Of<typeof Session>;

export const SessionList = v.strictObject({ sessions: list(Session) });

export const SessionsEnded = v.strictObject({ ended: Count });

export function toSessionJson(session: ListedSession, asking: StoredSession): SessionView {
  return {
    id: session.id,
    device: session.device,
    network: session.network,
    passkeyId: session.passkeyId,
    createdAt: toIso(session.createdAt),
    lastSeenAt: toIso(session.lastSeenAt),
    expiresAt: toIso(session.expiresAt),
    current: session.id === asking.id,
  };
}
