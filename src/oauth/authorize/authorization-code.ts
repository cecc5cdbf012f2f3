import { sidFor } from "../../accounts/session/application-session.ts";
import type { Session } from "../../accounts/session/session.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import { insertRow } from "../../store/write.ts";
import { insertGrant, type KeyGrant } from "../grant.ts";
import { newOpaqueToken } from "../token/opaque-token.ts";
import type { OAuthServices } from "../services.ts";

export const CODE_LIFETIME = 60 * SECOND;

export interface CodeSubject {
  readonly clientId: string;
  readonly scope: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly nonce: string | undefined;
  /** The thumbprint of the key that must redeem the code, if any. */
  readonly dpopJkt: string | undefined;
  readonly keyGrant: KeyGrant | undefined;
  readonly resource: string | null;
  readonly claims: string | null;
  readonly wallets: readonly string[] | undefined;
  readonly session: Pick<Session, "id" | "accountId" | "authenticatedAt">;
}

/** Issues a code and its grant in the caller's transaction. Does not check consent. */
export async function issueCode(
  tx: Db,
  services: Pick<OAuthServices, "vault" | "authority">,
  { subject, now, random }: { subject: CodeSubject; now: Instant; random: RandomBytes },
): Promise<string> {
  const { session, clientId, scope } = subject;
  const expiresAt = now + CODE_LIFETIME;
  const sid = await sidFor(tx, services.authority, { session, clientId, now, random });
  const grant = await insertGrant(tx, services, {
    accountId: session.accountId,
    clientId,
    scope,
    jkt: subject.dpopJkt,
    keyGrant: subject.keyGrant,
    resource: subject.resource,
    claims: subject.claims,
    wallets: subject.wallets,
    authenticatedAt: session.authenticatedAt,
    sid,
    expiresAt,
    now,
    random,
  });
  const code = newOpaqueToken("code", { accountId: session.accountId, now, random });
  await insertRow(tx, services.authority, "authorization_code", {
    id: code.id,
    secret_hash: code.secretHash,
    grant_id: grant.id,
    redirect_uri: subject.redirectUri,
    code_challenge: subject.codeChallenge,
    nonce: subject.nonce ?? null,
    created_at: now,
    expires_at: expiresAt,
    used_at: null,
  });
  return code.text;
}
