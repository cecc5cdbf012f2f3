import { toAccountView } from "../../http/frame-view.ts";
import { pageSession } from "../../http/guard/account-guards.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { listSubscriptions } from "../../push/subscription.ts";
import { notificationsPage } from "./notifications-page.ts";
import { toSubscriptionJson } from "./subscriptions.ts";

export const showNotifications = defineEndpoint(
  pageSession,
  {},
  async (context, { session, account }, _input, services) => {
    const which = { accountId: account.id, now: context.now };
    const browsers = await listSubscriptions(services.db, services, which);
    return htmlPage(
      200,
      notificationsPage({
        account: toAccountView(account, services, context),
        publicKey: services.pushKey,
        subscriptions: browsers.map((browser) => toSubscriptionJson(browser, session)),
      }),
    );
  },
);
