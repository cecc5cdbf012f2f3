import * as v from "valibot";
import { nameOf } from "../../accounts/account.ts";
import { isAdministrator } from "../../accounts/admin-session.ts";
import { findEmailChange } from "../../accounts/email/email-change.ts";
import { listIdentities } from "../../accounts/identity/identity.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { takeBackEmail } from "../../accounts/revert-email-change.ts";
import { listAllKeys } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { settingsPage, takeBackPage, takenBackPage } from "./settings-page.ts";
import type { SettingsPageData } from "./settings-page.ts";
import { toAccountView, toFrame } from "../../http/frame-view.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { readForm } from "../../http/request/body.ts";
import { placeOf } from "../../http/request/client-info.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toIdentityJson } from "./account.ts";

/** The page of an account's settings, and where the link of an old address leads. */
export interface SettingsPages {
  readonly settings: LegacyEndpoint<SignedIn>;
  /** Asks; only the form changes anything, so that a scanner that follows the link does not. */
  readonly takeBack: LegacyEndpoint<SignedIn | undefined>;
  readonly takeBackForm: LegacyEndpoint<SignedIn | undefined>;
  readonly takenBack: LegacyEndpoint<SignedIn | undefined>;
}

export const TakeBackForm = v.strictObject({ token: v.string() });

const OUTCOMES = ["linked", "already", "taken"] as const;

/** Makes the pages over the given services. */
export function createSettingsPages(services: Services): SettingsPages {
  const { db, authority, identityProviders, relyingParty, random } = services;

  /** What came of a link that led back here. The query is anybody's word, and says nothing of the account. */
  function linkedOf({ searchParams }: URL): Pick<SettingsPageData, "linked"> {
    const outcome = OUTCOMES.find((one) => one === searchParams.get("link"));
    const provider = identityProviders.get(searchParams.get("with") ?? "");
    return outcome === undefined || provider === undefined
      ? {}
      : { linked: { provider: provider.name, outcome } };
  }

  const settings: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const identities = await listIdentities(db, authority, account.id);
    const keys = await listAllKeys(db, authority, account.id);
    return htmlPage(
      200,
      settingsPage({
        account: toAccountView(account, services, context),
        name: account.name,
        email: account.email,
        mail: services.mailDelivery === "none" ? "none" : "sent",
        identities: identities.map((one) => toIdentityJson(one, identityProviders)),
        providers: [...identityProviders.values()].map(({ id, name }) => ({ id, name })),
        ...linkedOf(context.url),
        isAdministrator: isAdministrator(account, services),
        keys: keys.length,
        called: nameOf(account),
      }),
    );
  };

  const takeBack: LegacyEndpoint<SignedIn | undefined> = async (context) => {
    const text = context.url.searchParams.get("token") ?? "";
    if (await findEmailChange(db, authority, { text, now: context.now }) === undefined) {
      throw new ProtocolError("not_found", "This link was used, has expired or is not whole");
    }
    return htmlPage(200, takeBackPage(toFrame(services, context), text));
  };

  const takeBackForm: LegacyEndpoint<SignedIn | undefined> = async (context) => {
    const { token: text } = await readForm(context, TakeBackForm);
    const { now } = context;
    await takeBackEmail(db, services, { ...placeOf(context), text, relyingParty, now, random });
    return redirect("/taken-back");
  };

  const takenBack: LegacyEndpoint<SignedIn | undefined> = (context) =>
    Promise.resolve(htmlPage(200, takenBackPage(toFrame(services, context))));

  return { settings, takeBack, takeBackForm, takenBack };
}
