import * as v from "valibot";
import { readAccountName } from "../../accounts/account.ts";
import { beginEmailChange, finishEmailChange } from "../../accounts/change-email.ts";
import { askDeletion } from "../../accounts/request-deletion.ts";
import { CODE_LIFETIME } from "../../accounts/email/code.ts";
import { listIdentities } from "../../accounts/identity/identity.ts";
import type { LinkedIdentity } from "../../accounts/identity/identity.ts";
import { beginLink, unlinkIdentity } from "../../accounts/link-identity.ts";
import { renameAccount } from "../../accounts/rename-account.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { IdentityError } from "../../identity/error.ts";
import { openLine } from "../../identity/provider-request.ts";
import type { IdentityProviders } from "../../identity/providers.ts";
import { listAllKeys } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { SECOND, toIso } from "../../lib/time.ts";
import { toAccountJson } from "../../api/account.ts";
import { identityProblem } from "../../http/response/identity-problem.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json, noContent } from "../../http/response/respond.ts";
import type { AccountAnswer, CodeSent } from "../../api/account.ts";
import type { DeletionAsked, IdentityList, LinkBegun } from "./schema.ts";
import type { Of } from "../../api/value.ts";
import { forgetSession } from "../../http/guard/sign-out.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { textOf } from "../../api/value.ts";
import { placeOf } from "../../http/request/client-info.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints through which people change what their account is, and end it. */
export interface OwnAccountEndpoints {
  readonly rename: LegacyEndpoint<SignedIn>;
  readonly sendCode: LegacyEndpoint<SignedIn>;
  readonly changeEmail: LegacyEndpoint<SignedIn>;
  readonly identities: LegacyEndpoint<SignedIn>;
  readonly link: LegacyEndpoint<SignedIn>;
  readonly unlink: LegacyEndpoint<SignedIn>;
  readonly askDeletion: LegacyEndpoint<SignedIn>;
}

const AccountName = textOf(readAccountName, "Expected 1 to 100 characters without control characters");
export const RenameBody = v.strictObject({ name: v.nullable(AccountName) });
export const EmailBody = v.strictObject({ email: v.string() });
export const ChangeEmailBody = v.strictObject({
  email: v.string(),
  code: v.pipe(v.string(), v.regex(/^\d{6}$/, "Expected 6 digits")),
});
export const LinkBody = v.strictObject({ provider: v.string() });
export const DeletionBody = v.strictObject({ confirm: v.string() });

/** A link as answers and pages show it; the subject is the other provider's business. */
export function toIdentityJson(
  { id, issuer, createdAt }: LinkedIdentity,
  providers: IdentityProviders,
): Of<typeof IdentityList>["identities"][number] {
  const provider = [...providers.values()].find((one) => one.issuer === issuer);
  return { id, issuer, provider: provider?.name ?? null, createdAt: toIso(createdAt) };
}

/** Makes the endpoints of one's own account over the given services. */
export function createOwnAccountEndpoints(services: Services): OwnAccountEndpoints {
  const { db, authority, random, relyingParty, baseUrl, identityProviders, outgoing } = services;

  /** What each act is told of the request. */
  const act = (context: RequestContext, signedIn: SignedIn) => ({
    ...placeOf(context),
    signedIn,
    relyingParty,
    now: context.now,
    random,
  });

  const rename: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { name } = await readJson(context, RenameBody);
    const account = await renameAccount(db, counted(context, services), { signedIn, name, now: context.now });
    return json<typeof AccountAnswer>(200, { account: toAccountJson(account) });
  };

  const sendCode: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { email } = await readJson(context, EmailBody);
    if (services.mailDelivery === "none") {
      throw new ProtocolError("not_found", "This service sends no mails, and so has no codes");
    }
    await beginEmailChange(db, services, { ...act(context, signedIn), email });
    return json<typeof CodeSent>(200, { expiresIn: CODE_LIFETIME / SECOND });
  };

  const changeEmail: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const body = await readJson(context, ChangeEmailBody);
    const account = await finishEmailChange(db, services, { ...act(context, signedIn), ...body });
    return json<typeof AccountAnswer>(200, { account: toAccountJson(account) });
  };

  const identities: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    readNoQuery(context);
    const linked = await listIdentities(db, authority, account.id);
    return json<typeof IdentityList>(200, {
      identities: linked.map((one) => toIdentityJson(one, identityProviders)),
    });
  };

  const link: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { provider: id } = await readJson(context, LinkBody);
    const provider = identityProviders.get(id);
    if (provider === undefined) throw new ProtocolError("not_found", "There is no such provider");
    const redirectUri = `${baseUrl}/api/auth/identity/${provider.id}/callback`;
    const line = openLine(outgoing, context.now);
    const value = { ...act(context, signedIn), provider, redirectUri, line };
    try {
      return json<typeof LinkBegun>(200, { location: (await beginLink(db, services, value)).href });
    } catch (error) {
      throw error instanceof IdentityError ? identityProblem(error, provider) : error;
    }
  };

  const unlink: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    const { params, now } = context;
    await unlinkIdentity(db, services, { signedIn, identityId: params.identityId!, now });
    return noContent();
  };

  const ask: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { confirm } = await readJson(context, DeletionBody);
    const keys = await listAllKeys(db, authority, signedIn.account.id);
    const value = { ...act(context, signedIn), confirm, keys: keys.length };
    const dueAt = await askDeletion(db, services, value);
    return json<typeof DeletionAsked>(200, { dueAt: toIso(dueAt) }, forgetSession(baseUrl));
  };

  return { rename, sendCode, changeEmail, identities, link, unlink, askDeletion: ask };
}
