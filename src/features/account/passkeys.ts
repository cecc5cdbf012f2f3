import { nameOf } from "../../accounts/account.ts";
import { removePasskey, renamePasskey as rename } from "../../accounts/manage-passkey.ts";
import { listPasskeys as findPasskeys, type Passkey, userHandleOf } from "../../accounts/passkey/passkey.ts";
import { type PasskeyAnswer, type PasskeyList, toPasskeyJson } from "../../api/passkey.ts";
import type { Of } from "../../api/value.ts";
import { clearServiceCookie } from "../../http/cookie/cookies.ts";
import { session } from "../../http/guard/account-guards.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { deviceAndNetworkOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { type PasskeyPages, type RelatedOrigins, RenameBody } from "./schema.ts";

/** Returns the arguments of the WebAuthn Signal API (WebAuthn Level 3 section 5.1.10), by its member names. */
function signalData(
  rpId: string,
  account: { readonly id: string; readonly name: string },
  passkeys: readonly Passkey[],
): Of<typeof PasskeyList>["signal"] {
  return {
    rpId,
    userId: toBase64url(userHandleOf(account.id)),
    name: account.name,
    displayName: account.name,
    allAcceptedCredentialIds: passkeys.map(({ credentialId }) => toBase64url(credentialId)),
  };
}

export const listPasskeys = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async (_context, { session, account }, _input, { db, authority, relyingParty }) => {
    const passkeys = await findPasskeys(db, authority, account.id);
    return json<typeof PasskeyList>(200, {
      passkeys: passkeys.map((passkey) => toPasskeyJson(passkey, session)),
      signal: signalData(relyingParty.id, { id: account.id, name: nameOf(account) }, passkeys),
    });
  },
);

export const renamePasskey = defineEndpoint(
  session,
  { body: RenameBody },
  async ({ params, now }, { session, account }, { body: { name } }, services) => {
    const value = { accountId: account.id, passkeyId: params.passkeyId!, name, now };
    return json<typeof PasskeyAnswer>(200, {
      passkey: toPasskeyJson(await rename(services.db, services, value), session),
    });
  },
);

export const deletePasskey = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    const { db, random, relyingParty, baseUrl } = services;
    const { params, now } = context;
    const { endedThisSession } = await removePasskey(db, services, {
      ...deviceAndNetworkOf(context),
      signedIn,
      passkeyId: params.passkeyId!,
      relyingParty,
      now,
      random,
    });
    return noContent(endedThisSession ? clearServiceCookie("session", baseUrl) : []);
  },
);

/** Returns the pages on which password managers find passkeys made and deleted. */
export const getPasskeyPages = defineEndpoint(
  publicAccess,
  {},
  (_context, _principal, _input, { baseUrl }) => {
    const page = `${baseUrl}/account#passkeys`;
    return Promise.resolve(json<typeof PasskeyPages>(200, { enroll: page, manage: page }));
  },
);

/** Returns the related origins that may use the passkeys (WebAuthn Level 3 section 5.11.1). */
export const getRelatedOrigins = defineEndpoint(
  publicAccess,
  {},
  (_context, _principal, _input, { relatedOrigins: origins }) => {
    if (origins.length === 0) throw new ProtocolError("not_found", "No other origin may use these passkeys");
    return Promise.resolve(json<typeof RelatedOrigins>(200, { origins }));
  },
);
