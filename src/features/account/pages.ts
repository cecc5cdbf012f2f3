import { type Account, changeLanguage } from "../../accounts/account.ts";
import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import { listSessions } from "../../accounts/session/end-sessions.ts";
import { toAccountJson } from "../../api/account.ts";
import { toApplicationJson } from "../../api/application.ts";
import { toPasskeyJson } from "../../api/passkey.ts";
import { toSessionJson } from "../../api/session.ts";
import { listAccountLog } from "../../audit/account-log.ts";
import { toActivity } from "../../http/activity-view.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { formSession, pageSession } from "../../http/guard/account-guards.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { listUsedLimits } from "../../keys/used-limits.ts";
import { hasNul } from "../../lib/text.ts";
import type { Instant } from "../../lib/time.ts";
import { listApplications, withdrawConsent } from "../../oauth/authorize/consent.ts";
import type { ConnectedApplication } from "../../oauth/authorize/consent.ts";
import { findClient } from "../../oauth/client/client.ts";
import { sharedLines, sharedWith } from "../../ui/section/shared-access.ts";
import { accountPage } from "./account-page.ts";
import type { ApplicationsData, SeenApplication } from "./applications-section.ts";
import { LanguageForm, WithdrawForm } from "./schema.ts";

/** The account page's path after a sign-in that interrupted a withdrawal. The page says that nothing was withdrawn. */
export const WITHDRAWAL_UNFINISHED = "/account?unfinished=withdrawal";

const LATEST = 5;

/** Returns the withdrawn application's name. Does not trust the query: the client must exist without access now. */
async function withdrawnFrom(
  { db, authority }: Pick<Services, "db" | "authority">,
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

async function toSeenApplication(
  { db, authority }: Pick<Services, "db" | "authority">,
  account: Account,
  application: ConnectedApplication,
  now: Instant,
): Promise<SeenApplication> {
  const { language } = account;
  const { keyGrants, ...json } = toApplicationJson(application, language);
  const used = await Promise.all(
    application.keyGrants.map(({ grantId: holderId, policy }) =>
      listUsedLimits(db, authority, { holderId, policy, now, language })
    ),
  );
  return {
    ...json,
    sees: sharedLines(sharedWith(account, application.claims), language),
    keyGrants: keyGrants.map((grant, index) => ({ ...grant, used: used[index]! })),
  };
}

export const showAccount = defineEndpoint(
  pageSession,
  {},
  async (context, { session, account }, _input, services) => {
    const { db, vault, authority, mailDelivery } = services;
    const { url, now } = context;
    const accountId = account.id;
    const passkeys = await listPasskeys(db, authority, accountId);
    const sessions = await listSessions(db, services, { accountId, now });
    const applications = await listApplications(db, authority, { accountId, now });
    const accountLog = await listAccountLog(db, vault, { accountId, before: undefined, limit: LATEST });
    return htmlPage(
      200,
      accountPage({
        account: toAccountView(account, services, context),
        person: toAccountJson(account),
        notifications: account.email === null || mailDelivery === "none" ? "none" : "mailed",
        hasNotifications: services.pushKey !== undefined,
        passkeys: passkeys.map((passkey) => toPasskeyJson(passkey, session)),
        sessions: sessions.map((listed) => toSessionJson(listed, session)),
        applications: await Promise.all(
          applications.map((one) => toSeenApplication(services, account, one, now)),
        ),
        ...await withdrawnFrom(services, url, applications),
        ...(url.searchParams.get("unfinished") === "withdrawal" ? { unfinished: "withdrawal" } : {}),
        activity: {
          ...await toActivity(services, accountId, accountLog.entries),
          unverified: accountLog.unverified,
        },
      }),
    );
  },
);

/** Withdraws the consent for an application. Does nothing if it was withdrawn before. */
export const submitWithdrawal = defineEndpoint(
  formSession(WITHDRAWAL_UNFINISHED),
  { form: WithdrawForm },
  async ({ now }, { account }, { body: { clientId, account: meantFor = account.id } }, services) => {
    if (meantFor !== account.id) return redirect(WITHDRAWAL_UNFINISHED);
    const value = { accountId: account.id, clientId, now };
    await services.groupCommit.run((tx) => withdrawConsent(tx, services, value));
    return redirect(`/account?${new URLSearchParams({ withdrawn: clientId })}#applications`);
  },
);

export const submitLanguage = defineEndpoint(
  formSession("/account"),
  { form: LanguageForm },
  async ({ now }, { account }, { body: { language, account: meantFor = account.id } }, services) => {
    const { authority, groupCommit } = services;
    if (meantFor === account.id) {
      await groupCommit.run((tx) => changeLanguage(tx, authority, { accountId: account.id, language, now }));
    }
    return redirect("/account");
  },
);
