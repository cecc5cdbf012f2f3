import { beginEmailChange, finishEmailChange } from "../../accounts/change-email.ts";
import { CODE_LIFETIME } from "../../accounts/email/code.ts";
import { type LinkedIdentity, listIdentities as findIdentities } from "../../accounts/identity/identity.ts";
import { beginLink, unlinkIdentity as unlink } from "../../accounts/link-identity.ts";
import { renameAccount as rename } from "../../accounts/manage-account.ts";
import { scheduleDeletion } from "../../accounts/request-deletion.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { type AccountAnswer, type CodeSent, toAccountJson } from "../../api/account.ts";
import { session } from "../../http/guard/account-guards.ts";
import { forgetSession } from "../../http/guard/sign-out.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { deviceAndNetworkOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { identityProblem } from "../../http/response/identity-problem.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { IdentityError } from "../../identity/error.ts";
import { openProviderConnection } from "../../identity/provider-request.ts";
import type { IdentityProviders } from "../../identity/providers.ts";
import { countKeys } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { SECOND, toIso } from "../../lib/time.ts";
import { ChangeEmailBody, DeletionBody, EmailBody, LinkBody, RenameBody } from "./schema.ts";
import type { DeletionAsked, IdentityList, IdentityView, LinkBegun } from "./schema.ts";

/** Formats a link for the account's owner, without the subject. */
export function toIdentityJson(
  { id, issuer, createdAt }: LinkedIdentity,
  providers: IdentityProviders,
): IdentityView {
  const provider = [...providers.values()].find((one) => one.issuer === issuer);
  return { id, issuer, provider: provider?.name ?? null, createdAt: toIso(createdAt) };
}

function changeOf(
  context: RequestContext,
  signedIn: SignedIn,
  { relyingParty, random }: Pick<Services, "relyingParty" | "random">,
) {
  return { ...deviceAndNetworkOf(context), signedIn, relyingParty, now: context.now, random };
}

export const renameAccount = defineEndpoint(
  session,
  { body: RenameBody },
  async (context, signedIn, { body: { name } }, services) => {
    const value = { signedIn, name, now: context.now };
    const account = await rename(services.db, withRateLimitHeaders(context, services), value);
    return json<typeof AccountAnswer>(200, { account: toAccountJson(account) });
  },
);

export const sendAddressCode = defineEndpoint(
  session,
  { body: EmailBody },
  async (context, signedIn, { body: { email } }, services) => {
    if (services.mailDelivery === "none") {
      throw new ProtocolError("not_found", "This service sends no mails, so it cannot send a code");
    }
    await beginEmailChange(services.db, services, { ...changeOf(context, signedIn, services), email });
    return json<typeof CodeSent>(200, { expiresIn: CODE_LIFETIME / SECOND });
  },
);

export const changeEmail = defineEndpoint(
  session,
  { body: ChangeEmailBody },
  async (context, signedIn, { body }, services) => {
    const value = { ...changeOf(context, signedIn, services), ...body };
    const account = await finishEmailChange(services.db, services, value);
    return json<typeof AccountAnswer>(200, { account: toAccountJson(account) });
  },
);

export const listIdentities = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async (_context, { account }, _input, { db, authority, identityProviders }) => {
    const linked = await findIdentities(db, authority, account.id);
    return json<typeof IdentityList>(200, {
      identities: linked.map((one) => toIdentityJson(one, identityProviders)),
    });
  },
);

export const linkIdentity = defineEndpoint(
  session,
  { body: LinkBody },
  async (context, signedIn, { body: { provider: id } }, services) => {
    const { db, baseUrl, identityProviders, outgoing } = services;
    const provider = identityProviders.get(id);
    if (provider === undefined) throw new ProtocolError("not_found", "There is no such provider");
    const redirectUri = `${baseUrl}/api/auth/identity/${provider.id}/callback`;
    const connection = openProviderConnection(outgoing, context);
    const value = { ...changeOf(context, signedIn, services), provider, redirectUri, connection };
    try {
      return json<typeof LinkBegun>(200, { location: (await beginLink(db, services, value)).href });
    } catch (error) {
      throw error instanceof IdentityError ? identityProblem(error, provider) : error;
    }
  },
);

export const unlinkIdentity = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, signedIn, _input, services) => {
    await unlink(services.db, services, { signedIn, identityId: params.identityId!, now });
    return noContent();
  },
);

export const requestDeletion = defineEndpoint(
  session,
  { body: DeletionBody },
  async (context, signedIn, { body: { confirm } }, services) => {
    const { db, authority, baseUrl } = services;
    const keys = await countKeys(db, authority, signedIn.account.id);
    const value = { ...changeOf(context, signedIn, services), confirm, keys };
    const dueAt = await scheduleDeletion(db, services, value);
    return json<typeof DeletionAsked>(200, { dueAt: toIso(dueAt) }, forgetSession(baseUrl));
  },
);
