import { listApiTokens } from "../accounts/token/api-token.ts";
import { revokeApiToken } from "../accounts/token/manage-token.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import { endSigningRequest } from "../keys/signing-requests/close.ts";
import { listPendingRequests, ownerOf } from "../keys/signing-requests/signing-request.ts";
import { endGrant } from "../oauth/grant.ts";
import { includesScope } from "../oauth/scope.ts";
import { listRows } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** The number of tokens, grants and pending signing requests that were ended. */
export interface StoppedSigning {
  readonly tokens: number;
  readonly grants: number;
  readonly requests: number;
}

/**
 * Ends the signing of every program: revokes tokens with the action `sign`, ends grants with `keys:sign`, and withdraws
 * pending signing requests. Keeps tokens and grants that only read. Call it in a transaction. A row that an editor has
 * hidden throws `inconsistent_store`, so that nothing is reported as ended that was not.
 */
export async function stopSigning(
  tx: Db,
  services: { readonly vault: Vault; readonly authority: RowAuthority },
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<StoppedSigning> {
  const { vault, authority } = services;
  const tokens = (await listApiTokens(tx, authority, accountId)).filter(({ actions }) =>
    actions.includes("sign")
  );
  for (const { id } of tokens) await revokeApiToken(tx, services, { accountId, tokenId: id, now });
  const grants =
    (await listRows(tx, authority, "authorization_grant", "ofAccount", { account_id: accountId }))
      .filter(({ scope }) => includesScope(scope, "keys:sign"));
  for (const grant of grants) await endGrant(tx, services, { grant, reason: "stopped", now });
  const owner = ownerOf({ id: accountId });
  const requests = await listPendingRequests(tx, authority, owner, now);
  for (const { id } of requests) {
    const change = { state: "withdrawn", code: null, word: null } as const;
    await endSigningRequest(tx, services, { which: { ...owner, requestId: id }, change, now });
  }
  const stopped = { tokens: tokens.length, grants: grants.length, requests: requests.length };
  await appendAudit(tx, vault, now, {
    event: "signing_stopped",
    accountId,
    subject: null,
    detail: { ...stopped },
  });
  return stopped;
}
