import { providerOf } from "../accounts/aaguid.ts";
import type { Passkey } from "../accounts/passkey.ts";
import type { Session } from "../accounts/session.ts";
import { toBase64url } from "../lib/bytes.ts";
import { toIso } from "../lib/time.ts";

/** A passkey as its owner gets it. */
export interface PasskeyView {
  readonly id: string;
  /** Base64url, as the WebAuthn Signal API takes it. */
  readonly credentialId: string;
  readonly name: string;
  /** What people call the authenticator; null where its model is not known. */
  readonly provider: string | null;
  readonly transports: readonly string[];
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Whether this session was opened with it. */
  readonly current: boolean;
}

/** Shapes a passkey for its owner's session. */
export function toPasskeyJson(passkey: Passkey, session: Session): PasskeyView {
  return {
    id: passkey.id,
    credentialId: toBase64url(passkey.credentialId),
    name: passkey.name,
    provider: providerOf(passkey.aaguid) ?? null,
    transports: passkey.transports,
    backupEligible: passkey.backupEligible,
    backedUp: passkey.backedUp,
    createdAt: toIso(passkey.createdAt),
    lastUsedAt: passkey.lastUsedAt === null ? null : toIso(passkey.lastUsedAt),
    current: passkey.id === session.passkeyId,
  };
}
