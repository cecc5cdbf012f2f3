import { providerOf } from "../../accounts/passkey/aaguid.ts";
import type { Passkey } from "../../accounts/passkey/passkey.ts";
import type { Session } from "../../accounts/session/session.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { toIso } from "../../lib/time.ts";
import type { PasskeyView } from "../../ui/view.ts";

/** A passkey as the API answers it. */
export interface PasskeyJson extends PasskeyView {
  readonly transports: readonly string[];
}

/** A passkey as answers and pages show it to its owner's session. */
export function toPasskeyJson(passkey: Passkey, session: Session): PasskeyJson {
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
