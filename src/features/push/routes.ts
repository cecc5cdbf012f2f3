import { REGISTERS_WORKER } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { getManifest, getServiceWorker } from "./installation.ts";
import { NOTIFICATIONS_SCRIPT } from "./notifications-page.ts";
import { showNotifications } from "./pages.ts";
import { SubscriptionAnswer, SubscriptionList } from "./schema.ts";
import { addSubscription, listSubscriptions, removeSubscription } from "./subscriptions.ts";

export const PUSH_ROUTES: readonly Route[] = [
  route("GET", "/api/auth/push-subscriptions", listSubscriptions, {
    id: "listPushSubscriptions",
    tag: "Notifications",
    summary: "List the browsers that are notified of your account's events",
    returns: { 200: SubscriptionList },
  }),
  route("POST", "/api/auth/push-subscriptions", addSubscription, {
    id: "addPushSubscription",
    tag: "Notifications",
    summary: "Notify the browser of this session, until the session ends",
    description:
      "The body is what `PushSubscription.toJSON()` returns, without `expirationTime`. A session has one subscription.",
    returns: { 201: SubscriptionAnswer },
    limits: ["webhook"],
    codes: ["not_found"],
  }),
  route("DELETE", "/api/auth/push-subscriptions/:subscriptionId", removeSubscription, {
    id: "deletePushSubscription",
    tag: "Notifications",
    summary: "Notify a browser no longer",
    returns: { 204: null },
  }),
  pageRoute("GET", "/account/notifications", showNotifications, {
    id: "notificationsPage",
    summary: "The browsers that are notified",
  }, REGISTERS_WORKER),
  route("GET", "/manifest.webmanifest", getManifest, {
    id: "getManifest",
    tag: "Pages",
    summary: "The description by which a browser installs the pages",
    returns: { 200: "file" },
  }),
  route("GET", "/service-worker.js", getServiceWorker, {
    id: "getServiceWorker",
    tag: "Pages",
    summary: "The script that shows notifications",
    returns: { 200: "file" },
  }),
];

export const PUSH_SCRIPTS: readonly Script[] = [NOTIFICATIONS_SCRIPT];
