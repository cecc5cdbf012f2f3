import type { Session } from "../../accounts/session/session.ts";
import { session } from "../../http/guard/account-guards.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { ProtocolError } from "../../lib/error.ts";
import { toIso } from "../../lib/time.ts";
import {
  addSubscription as add,
  listSubscriptions as find,
  type NotifiedBrowser,
  removeSubscription as remove,
  requireBrowserSubscription,
} from "../../push/subscription.ts";
import {
  type SubscriptionAnswer,
  SubscriptionBody,
  type SubscriptionList,
  type SubscriptionView,
} from "./schema.ts";

export function toSubscriptionJson(
  { id, device, createdAt, sessionId }: NotifiedBrowser,
  present: Session,
): SubscriptionView {
  return { id, device, createdAt: toIso(createdAt), current: sessionId === present.id };
}

export const listSubscriptions = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async ({ now }, { session, account }, _input, services) => {
    const browsers = await find(services.db, services, { accountId: account.id, now });
    return json<typeof SubscriptionList>(200, {
      publicKey: services.pushKey ?? null,
      subscriptions: browsers.map((browser) => toSubscriptionJson(browser, session)),
    });
  },
);

/** Notifies the browser of this session. Looks up a host that the user chooses. */
export const addSubscription = defineEndpoint(
  session,
  { body: SubscriptionBody },
  async (context, { session, account }, { body }, services) => {
    const { db, outgoing, webhookHosts, groupCommit, random, pushKey } = services;
    const { now } = context;
    if (pushKey === undefined) throw new ProtocolError("not_found", "This service sends no push messages");
    const { limits } = withRateLimitHeaders(context, services);
    const accountId = account.id;
    await groupCommit.run((tx) => limits.take(tx, "webhook", accountId, now), { accountId });
    await requireBrowserSubscription(body, webhookHosts, outgoing);
    const browser = await add(db, services, { ...body, session, now, random });
    return json<typeof SubscriptionAnswer>(201, { subscription: toSubscriptionJson(browser, session) });
  },
);

export const removeSubscription = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, { account }, _input, services) => {
    const which = { accountId: account.id, id: params.subscriptionId!, now };
    await remove(services.db, services, which);
    return noContent();
  },
);
