import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createAuditEndpoints } from "./activity.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";

export function createActivityRoutes(services: Services): readonly Route[] {
  const audit = createAuditEndpoints(services);
  return [
    legacyRoute("GET", "/api/audit", session, audit.list),
    legacyPageRoute("GET", "/account/audit", pageSession, audit.page),
    legacyPageRoute("GET", "/account/audit.csv", pageSession, audit.file),
  ];
}
