import { type EndingContext, notifyApplication } from "../../accounts/session/logout-notification.ts";
import type { Db } from "../../db/schema/schema.ts";
import { listRows } from "../../store/read.ts";
import { endGrant, listGrants } from "../grant.ts";
import type { OAuthServices } from "../services.ts";
import type { Client } from "./client.ts";
import { mayUseClient } from "./client-access.ts";

type AccessServices = Pick<OAuthServices, "vault" | "authority">;

/**
 * Ends the grants and codes of an account at a client that it may no longer use, and notifies the client that the user
 * is signed out. Keeps the account's own sessions. Does nothing if the account may use it. Call it after the change,
 * in its transaction.
 */
export async function endLostAccess(
  tx: Db,
  services: AccessServices,
  { client, accountId, ending }: {
    readonly client: Client;
    readonly accountId: string;
    readonly ending: EndingContext;
  },
): Promise<void> {
  const { authority } = services;
  if (await mayUseClient(tx, authority, client, accountId)) return;
  const { clientId } = client;
  const grants = await listGrants(tx, authority, { accountId, clientId });
  // First, because a grant may be all that names a sign-in.
  await notifyApplication(tx, authority, { accountId, clientId, isKnown: grants.length > 0 }, ending);
  for (const grant of grants) {
    await endGrant(tx, services, { grant, reason: "access_lost", now: ending.now });
  }
}

/** Like `endLostAccess`, for every account that has signed in to the client. */
export async function endLostAccesses(
  tx: Db,
  services: AccessServices,
  client: Client,
  ending: EndingContext,
): Promise<void> {
  if (client.groups === null) return;
  const where = { client_id: client.clientId };
  const grants = await listRows(tx, services.authority, "authorization_grant", "ofClient", where);
  const signedIn = await listRows(tx, services.authority, "application_session", "ofClient", where);
  for (const accountId of new Set([...grants, ...signedIn].map((row) => row.account_id))) {
    await endLostAccess(tx, services, { client, accountId, ending });
  }
}
