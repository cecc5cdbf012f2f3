import * as v from "valibot";
import type { SignedIn } from "../../accounts/session.ts";
import { toIso } from "../../lib/time.ts";
import { listApplications, withdrawConsent } from "../../oauth/consent.ts";
import { accountPage } from "../../ui/account-page.ts";
import { toAccountView } from "../account-view.ts";
import { readForm } from "../body.ts";
import { htmlPage, redirect } from "../respond.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";

/** The page of a person's own account, and what its forms do. */
export interface AccountPageEndpoints {
  readonly page: Endpoint<SignedIn>;
  /** Ends what an application was let in for; again is no error. */
  readonly withdraw: Endpoint<SignedIn>;
}

const WithdrawForm = v.strictObject({ clientId: v.string() });

/** Makes the endpoints of the account page over the given services. */
export function createAccountPageEndpoints(
  services: Pick<Services, "db" | "vault" | "authority" | "groupCommit">,
): AccountPageEndpoints {
  const { db, authority, groupCommit } = services;

  const page: Endpoint<SignedIn> = async (_context, { account }) => {
    const applications = await listApplications(db, authority, account.id);
    return htmlPage(
      200,
      accountPage({
        account: toAccountView(account),
        applications: applications.map(({ client: { clientId, name, uri }, consentedAt }) => ({
          clientId,
          name,
          uri,
          consentedAt: toIso(consentedAt),
        })),
      }),
    );
  };

  const withdraw: Endpoint<SignedIn> = async (context, { account }) => {
    const { clientId } = await readForm(context, WithdrawForm);
    const value = { accountId: account.id, clientId, now: context.now };
    await groupCommit.run((tx) => withdrawConsent(tx, services, value));
    return redirect("/account");
  };

  return { page, withdraw };
}
