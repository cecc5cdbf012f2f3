import { nameOf } from "../../accounts/account.ts";
import { isAdministrator } from "../../accounts/admin-session.ts";
import { findEmailChange } from "../../accounts/email/email-change.ts";
import { listIdentities } from "../../accounts/identity/identity.ts";
import { revertEmailChange } from "../../accounts/revert-email-change.ts";
import { toAccountView, toFrame } from "../../http/frame-view.ts";
import { pageSession, pageVisitor } from "../../http/guard/account-guards.ts";
import { deviceAndNetworkOf } from "../../http/request/client-info.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { IdentityProviders } from "../../identity/providers.ts";
import { countKeys } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { toIdentityJson } from "./account.ts";
import { RevertEmailForm } from "./schema.ts";
import { emailRevertedPage, revertEmailPage, settingsPage, type SettingsPageData } from "./settings-page.ts";

const OUTCOMES = ["linked", "already", "taken"] as const;

/** Returns the outcome of a link that led back here. The query is not trusted and does not describe the account. */
function linkedOf(
  { searchParams }: URL,
  identityProviders: IdentityProviders,
): Pick<SettingsPageData, "linked"> {
  const outcome = OUTCOMES.find((one) => one === searchParams.get("link"));
  const provider = identityProviders.get(searchParams.get("with") ?? "");
  return outcome === undefined || provider === undefined
    ? {}
    : { linked: { provider: provider.name, outcome } };
}

export const showSettings = defineEndpoint(
  pageSession,
  {},
  async (context, { account }, _input, services) => {
    const { db, authority, identityProviders, mailDelivery } = services;
    const identities = await listIdentities(db, authority, account.id);
    const keys = await countKeys(db, authority, account.id);
    return htmlPage(
      200,
      settingsPage({
        account: toAccountView(account, services, context),
        name: account.name,
        email: account.email,
        mail: mailDelivery === "none" ? "none" : "sent",
        identities: identities.map((one) => toIdentityJson(one, identityProviders)),
        providers: [...identityProviders.values()].map(({ id, name }) => ({ id, name })),
        ...linkedOf(context.url, identityProviders),
        isAdministrator: isAdministrator(account, services),
        keys,
        called: nameOf(account),
      }),
    );
  },
);

/** Asks for a confirmation. Only the form changes anything, so that a scanner that follows the link does not. */
export const showRevertEmail = defineEndpoint(
  pageVisitor,
  {},
  async (context, _signedIn, _input, services) => {
    const text = context.url.searchParams.get("token") ?? "";
    const change = await findEmailChange(services.db, services.authority, { text, now: context.now });
    if (change === undefined) {
      throw new ProtocolError("not_found", "This link was used, has expired or is incomplete");
    }
    return htmlPage(200, revertEmailPage(toFrame(services, context), text));
  },
);

export const submitRevertEmail = defineEndpoint(
  pageVisitor,
  { form: RevertEmailForm },
  async (context, _signedIn, { body: { token: text } }, services) => {
    const { db, relyingParty, random } = services;
    const value = { ...deviceAndNetworkOf(context), text, relyingParty, now: context.now, random };
    await revertEmailChange(db, services, value);
    return redirect("/taken-back");
  },
);

export const showEmailReverted = defineEndpoint(
  pageVisitor,
  {},
  (context, _signedIn, _input, services) =>
    Promise.resolve(htmlPage(200, emailRevertedPage(toFrame(services, context)))),
);
