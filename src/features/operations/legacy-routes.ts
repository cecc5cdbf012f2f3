import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createOperationsEndpoints } from "./health.ts";
import { createOutboxEndpoint } from "./outbox.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";

export function createOperationsRoutes(services: Services): readonly Route[] {
  const operations = createOperationsEndpoints(services);
  return [
    legacyPageRoute("GET", "/dev/outbox", publicAccess, createOutboxEndpoint(services)),
    legacyRoute("GET", "/livez", publicAccess, operations.live),
    legacyRoute("GET", "/readyz", publicAccess, operations.ready),
  ];
}
