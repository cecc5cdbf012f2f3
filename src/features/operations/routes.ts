import { pageRoute, type Route } from "../../http/route.ts";
import { HEALTH_ROUTES } from "./health.ts";
import { showOutbox } from "./outbox.ts";
import { Outbox } from "./schema.ts";

export const OPERATIONS_ROUTES: readonly Route[] = [
  pageRoute("GET", "/dev/outbox", showOutbox, {
    id: "listOutbox",
    summary: "The mails of development mode, as a page, or as JSON with `Accept: application/json`",
    returns: { 200: [Outbox, "page"], 303: null },
    codes: ["not_found"],
  }),
  ...HEALTH_ROUTES,
];
