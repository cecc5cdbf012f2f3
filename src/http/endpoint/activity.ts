import { listApiTokens } from "../../accounts/token/api-token.ts";
import type { AuditEventName } from "../../audit/event.ts";
import { SIGNATURE_EVENTS } from "../../audit/event.ts";
import type { Trail } from "../../audit/account-log.ts";
import { findLabel } from "../../keys/key.ts";
import { toIso } from "../../lib/time.ts";
import { findClient } from "../../oauth/client/client.ts";
import type { ActivityKind } from "../../ui/page/audit-page.ts";
import type { ActivityView, AuditEventView } from "../../ui/section/activity-list.ts";
import type { Services } from "../services.ts";

/** Which events belong to what a person looks for. */
export const EVENTS_OF: Readonly<Record<Exclude<ActivityKind, "all">, readonly AuditEventName[]>> = {
  signing: [...SIGNATURE_EVENTS, "signature_asked", "signing_request_ended", "approval_refused"],
  "sign-ins": [
    "account_created",
    "identity_linked",
    "passkey_added",
    "passkey_renamed",
    "passkey_removed",
    "signed_in",
    "sign_in_refused",
    "signed_out",
    "stepped_up",
    "step_up_refused",
    "session_ended",
    "sessions_ended",
  ],
  applications: [
    "consent_given",
    "consent_withdrawn",
    "authorization_denied",
    "grant_started",
    "code_redeemed",
    "grant_refreshed",
    "grant_ended",
  ],
  tokens: ["token_created", "token_changed", "token_revoked"],
};

/** Shapes an event for its owner. */
export function toEventJson({ seq, at, event, subject, detail }: Trail["entries"][number]): AuditEventView {
  return { seq, at: toIso(at), event, subject, detail };
}

/** Every id in an event that may have a name for people. */
function idsIn({ subject, detail }: Trail["entries"][number]): readonly string[] {
  return [subject, detail["clientId"], detail["client"], detail["by"]].filter((id) => typeof id === "string");
}

/** Events with what their owner calls the keys, tokens and applications in them, as far as they are still there. */
export async function toActivity(
  { db, authority }: Pick<Services, "db" | "authority">,
  accountId: string,
  entries: Trail["entries"],
): Promise<ActivityView> {
  const ids = new Set(entries.flatMap(idsIn));
  const names = new Map<string, string>();
  for (const { id, name } of await listApiTokens(db, authority, accountId)) names.set(id, name);
  for (const id of ids) {
    if (names.has(id)) continue;
    const name = id.startsWith("key_")
      ? await findLabel(db, authority, { accountId, keyId: id })
      : id.includes("_")
      ? undefined
      : (await findClient(db, authority, id))?.name;
    if (name !== undefined) names.set(id, name);
  }
  return { events: entries.map(toEventJson), names };
}
