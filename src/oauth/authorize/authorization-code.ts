import type { Session } from "../../accounts/session/session.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
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
  const { session, clientId, scope, redirectUri, codeChallenge, nonce } = subject;
  const { text, id, secretHash } = newOpaqueToken("grant", { accountId: session.accountId, now, random });
  await insertGrant(tx, services, {
    id,
    session,
    clientId,
    scope,
    jkt: subject.dpopJkt,
    keyGrant: subject.keyGrant,
    resource: subject.resource,
    claims: subject.claims,
    wallets: subject.wallets,
    authenticatedAt: session.authenticatedAt,
    code: { secretHash, redirectUri, codeChallenge, nonce },
    expiresAt: now + CODE_LIFETIME,
    now,
    random,
  });
  return text;
}
