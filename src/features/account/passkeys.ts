import * as v from "valibot";
import { nameOf } from "../../accounts/account.ts";
import { removePasskey, renamePasskey } from "../../accounts/manage-passkey.ts";
import { listPasskeys, userHandleOf } from "../../accounts/passkey/passkey.ts";
import type { Passkey } from "../../accounts/passkey/passkey.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { PasskeyName, toPasskeyJson } from "../../api/passkey.ts";
import type { PasskeyAnswer, PasskeyList } from "../../api/passkey.ts";
import type { Of } from "../../api/value.ts";
import { takeCookie } from "../../http/cookie/cookies.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { placeOf } from "../../http/request/client-info.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { json, noContent } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { PasskeyPages, RelatedOrigins } from "./schema.ts";

/** The endpoints through which people keep their passkeys. */
export interface PasskeyEndpoints {
  readonly list: LegacyEndpoint<SignedIn>;
  readonly rename: LegacyEndpoint<SignedIn>;
  readonly remove: LegacyEndpoint<SignedIn>;
  /** Tells password managers where passkeys are made and kept. */
  readonly wellKnown: LegacyEndpoint<undefined>;
  /** Tells browsers which other origins may use the passkeys (WebAuthn Level 3 section 5.11.1). */
  readonly relatedOrigins: LegacyEndpoint<undefined>;
}

type PasskeyServices = Pick<
  Services,
  | "db"
  | "vault"
  | "authority"
  | "limits"
  | "mailer"
  | "random"
  | "relyingParty"
  | "relatedOrigins"
  | "baseUrl"
>;

export const RenameBody = v.strictObject({ name: PasskeyName });

/** Makes the endpoints of passkeys over the given services. */
export function createPasskeyEndpoints(services: PasskeyServices): PasskeyEndpoints {
  const { db, authority, random, relyingParty, baseUrl } = services;

  const list: LegacyEndpoint<SignedIn> = async (context, { session, account }) => {
    readNoQuery(context);
    const passkeys = await listPasskeys(db, authority, account.id);
    return json<typeof PasskeyList>(200, {
      passkeys: passkeys.map((passkey) => toPasskeyJson(passkey, session)),
      signal: signalData({ id: account.id, name: nameOf(account) }, passkeys),
    });
  };

  /** What the WebAuthn Signal API takes (WebAuthn Level 3 section 5.1.10), in the names of its members. */
  function signalData(
    account: { readonly id: string; readonly name: string },
    passkeys: readonly Passkey[],
  ): Of<typeof PasskeyList>["signal"] {
    return {
      rpId: relyingParty.id,
      userId: toBase64url(userHandleOf(account.id)),
      name: account.name,
      displayName: account.name,
      allAcceptedCredentialIds: passkeys.map(({ credentialId }) => toBase64url(credentialId)),
    };
  }

  const rename: LegacyEndpoint<SignedIn> = async (context, { session, account }) => {
    const { name } = await readJson(context, RenameBody);
    const { params, now } = context;
    const value = { accountId: account.id, passkeyId: params.passkeyId!, name, now };
    return json<typeof PasskeyAnswer>(200, {
      passkey: toPasskeyJson(await renamePasskey(db, services, value), session),
    });
  };

  const remove: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    const { params, now } = context;
    const { endedThisSession } = await removePasskey(db, services, {
      ...placeOf(context),
      signedIn,
      passkeyId: params.passkeyId!,
      relyingParty,
      now,
      random,
    });
    return noContent(endedThisSession ? takeCookie("session", baseUrl) : []);
  };

  // Where they are made is where they are kept.
  const page = `${baseUrl}/account#passkeys`;
  const wellKnown: LegacyEndpoint<undefined> = () =>
    Promise.resolve(json<typeof PasskeyPages>(200, { enroll: page, manage: page }));

  const relatedOrigins: LegacyEndpoint<undefined> = () => {
    const { relatedOrigins: origins } = services;
    if (origins.length === 0) throw new ProtocolError("not_found", "No other origin may use these passkeys");
    return Promise.resolve(json<typeof RelatedOrigins>(200, { origins }));
  };

  return { list, rename, remove, wellKnown, relatedOrigins };
}
