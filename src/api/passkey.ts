import * as v from "valibot";
import { providerOf } from "../accounts/passkey/aaguid.ts";
import { type Passkey as StoredPasskey, readPasskeyName } from "../accounts/passkey/passkey.ts";
import type { Session } from "../accounts/session/session.ts";
import { toBase64url } from "../lib/bytes.ts";
import { toIso } from "../lib/time.ts";
import { Base64url, list, type Of, textOf, Time } from "./value.ts";

export const Passkey = v.strictObject({
  id: v.string(),
  credentialId: Base64url,
  name: v.string(),
  provider: v.pipe(
    v.nullable(v.string()),
    v.description("The provider that the authenticator claims; not verified"),
  ),
  transports: list(v.string()),
  backupEligible: v.boolean(),
  backedUp: v.boolean(),
  createdAt: Time,
  lastUsedAt: v.nullable(Time),
  current: v.pipe(v.boolean(), v.description("True if this session was opened with it")),
});

export type PasskeyView = Of<typeof Passkey>;

export function toPasskeyJson(passkey: StoredPasskey, session: Session): PasskeyView {
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

export const PasskeyAnswer = v.strictObject({ passkey: Passkey });

export const PasskeyList = v.strictObject({
  passkeys: list(Passkey),
  signal: v.pipe(
    v.strictObject({
      rpId: v.string(),
      userId: Base64url,
      name: v.string(),
      displayName: v.string(),
      allAcceptedCredentialIds: list(Base64url),
    }),
    v.description("Input of the WebAuthn Signal API"),
  ),
});

export const PasskeyName = textOf(readPasskeyName, "Expected 1 to 100 characters without control characters");
