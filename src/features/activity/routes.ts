import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { downloadActivity, listEvents, showActivity } from "./activity.ts";
import { ACTIVITY_SCRIPT } from "./page.ts";
import { EventList } from "./schema.ts";

export const ACTIVITY_ROUTES: readonly Route[] = [
  route("GET", "/api/audit", listEvents, {
    id: "listEvents",
    tag: "Audit",
    summary: "List the events of your account",
    description: "Newest first.",
    returns: { 200: EventList },
    responseHeaders: { 200: ["Link"] },
  }),
  pageRoute("GET", "/account/audit", showActivity, {
    id: "auditPage",
    summary: "The activity of your account",
  }),
  pageRoute("GET", "/account/audit.csv", downloadActivity, {
    id: "auditFile",
    summary: "The activity as a CSV file (RFC 4180)",
    returns: { 200: "file", 303: null },
  }),
];

export const ACTIVITY_SCRIPTS: readonly Script[] = [ACTIVITY_SCRIPT];
