import * as v from "valibot";
import { changeLanguage } from "../../accounts/account.ts";
import { listSessions } from "../../accounts/session/end-sessions.ts";
import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { listTrail } from "../../audit/account-log.ts";
import { LANGUAGES } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { hasNul } from "../../lib/text.ts";
import { toIso } from "../../lib/time.ts";
import { listApplications, withdrawConsent } from "../../oauth/authorize/consent.ts";
import type { ConnectedApplication } from "../../oauth/authorize/consent.ts";
import { findClient } from "../../oauth/client/client.ts";
import { accountPage } from "./account-page.ts";
import type { ApplicationsData } from "./applications-section.ts";
import type { ApplicationView } from "../../api/view.ts";
import { toAccountJson } from "../../api/account.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { readForm } from "../../http/request/body.ts";
import { toPasskeyJson } from "../../api/passkey.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toActivity } from "../../http/activity-view.ts";
import { sharedWith } from "../../ui/section/shared-access.ts";
import { toKeyGrantJson } from "../../api/application.ts";
import { toSessionJson } from "../../api/session.ts";

/** The page of a person's own account, and what its forms do. */
export interface AccountPageEndpoints {
  readonly page: LegacyEndpoint<SignedIn>;
  /** Ends what an application was let in for; again is no error. */
  readonly withdraw: LegacyEndpoint<SignedIn>;
  /** Changes the language of the account's pages and mails. */
  readonly changeLanguage: LegacyEndpoint<SignedIn>;
}

/** Whose page a form stands on: it does nothing for somebody else who signed in since, in another tab. */
const MeantFor = { account: v.optional(v.string()) };

export const LanguageForm = v.strictObject({ ...MeantFor, language: v.picklist(LANGUAGES) });
export const WithdrawForm = v.strictObject({ ...MeantFor, clientId: v.string() });

/**
 * The page as it is shown to whoever had to sign in first: what they wanted to withdraw is withdrawn no more than
 * before.
 */
export const WITHDRAWAL_UNFINISHED = "/account?unfinished=withdrawal";

/** How many of the latest events the page shows. */
const LATEST = 5;

function toApplicationView(
  { client, consentedAt, keyGrants }: ConnectedApplication,
  language: Language,
): ApplicationView {
  const { clientId, name, uri } = client;
  const grants = keyGrants.map((granted) => toKeyGrantJson(granted, language));
  return { clientId, name, uri, consentedAt: toIso(consentedAt), keyGrants: grants };
}

/** Makes the endpoints of the account page over the given services. */
export function createAccountPageEndpoints(
  services: Pick<Services, "db" | "vault" | "authority" | "groupCommit" | "mailDelivery" | "tee">,
): AccountPageEndpoints {
  const { db, vault, authority, groupCommit, mailDelivery } = services;

  /** The name of the application that a withdrawal led back from. The query is anybody's word: it must be true. */
  async function withdrawnFrom(
    { searchParams }: URL,
    applications: readonly ConnectedApplication[],
  ): Promise<Pick<ApplicationsData, "withdrawn">> {
    const clientId = searchParams.get("withdrawn");
    if (
      clientId === null || hasNul(clientId) || applications.some(({ client }) => client.clientId === clientId)
    ) return {};
    const client = await findClient(db, authority, clientId);
    return client === undefined ? {} : { withdrawn: client.name };
  }

  const page: LegacyEndpoint<SignedIn> = async (context, { session, account }) => {
    const { url, now } = context;
    const accountId = account.id;
    const passkeys = await listPasskeys(db, authority, accountId);
    const sessions = await listSessions(db, services, { accountId, now });
    const applications = await listApplications(db, authority, { accountId, now });
    const trail = await listTrail(db, vault, { accountId, before: undefined, limit: LATEST });
    return htmlPage(
      200,
      accountPage({
        account: toAccountView(account, services, context),
        person: toAccountJson(account),
        notices: account.email === null || mailDelivery === "none" ? "none" : "mailed",
        passkeys: passkeys.map((passkey) => toPasskeyJson(passkey, session)),
        sessions: sessions.map((listed) => toSessionJson(listed, session)),
        applications: applications.map((one) => toApplicationView(one, account.language)),
        shared: sharedWith(account),
        ...await withdrawnFrom(url, applications),
        ...(url.searchParams.get("unfinished") === "withdrawal" ? { unfinished: "withdrawal" } : {}),
        activity: { ...await toActivity(services, accountId, trail.entries), unproven: trail.unproven },
      }),
    );
  };

  const withdraw: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { clientId, account: meantFor = account.id } = await readForm(context, WithdrawForm);
    if (meantFor !== account.id) return redirect(WITHDRAWAL_UNFINISHED);
    const value = { accountId: account.id, clientId, now: context.now };
    await groupCommit.run((tx) => withdrawConsent(tx, services, value));
    return redirect(`/account?${new URLSearchParams({ withdrawn: clientId })}#applications`);
  };

  const takeLanguage: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { language, account: meantFor = account.id } = await readForm(context, LanguageForm);
    if (meantFor === account.id) {
      await groupCommit.run((tx) => changeLanguage(tx, authority, { accountId: account.id, language }));
    }
    return redirect("/account");
  };

  return { page, withdraw, changeLanguage: takeLanguage };
}
