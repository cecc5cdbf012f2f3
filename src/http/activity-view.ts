import { listApiTokens } from "../accounts/token/api-token.ts";
import type { AccountLogPage } from "../audit/account-log.ts";
import { findKey } from "../keys/key.ts";
import { toIso } from "../lib/time.ts";
import { findClient } from "../oauth/client/client.ts";
import type { ActivityView, AuditEventView } from "../ui/section/activity-list.ts";
import type { Services } from "./services.ts";

export function toEventJson(
  { seq, at, event, subject, detail }: AccountLogPage["entries"][number],
): AuditEventView {
  return { seq, at: toIso(at), event, subject, detail };
}

function idsIn({ subject, detail }: AccountLogPage["entries"][number]): readonly string[] {
  return [subject, detail["clientId"], detail["client"], detail["by"]].filter((id) => typeof id === "string");
}

/** Returns the owner's names of keys, tokens and applications by their ids. Deleted ones have no name. */
export async function findNames(
  { db, authority }: Pick<Services, "db" | "authority">,
  accountId: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const { id, name } of await listApiTokens(db, authority, accountId)) names.set(id, name);
  for (const id of ids) {
    if (names.has(id)) continue;
    const name = id.startsWith("key_")
      ? (await findKey(db, authority, { accountId, keyId: id }))?.label
      : id.includes("_")
      ? undefined
      : (await findClient(db, authority, id))?.name;
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

/** Returns events with the names of what is in them. */
export async function toActivity(
  services: Pick<Services, "db" | "authority">,
  accountId: string,
  entries: AccountLogPage["entries"],
): Promise<ActivityView> {
  const names = await findNames(services, accountId, new Set(entries.flatMap(idsIn)));
  return { events: entries.map(toEventJson), names };
}
