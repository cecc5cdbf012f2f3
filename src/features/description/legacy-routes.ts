import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { PUBLIC_API } from "../../http/response/security-headers.ts";
import { createDescriptionEndpoints } from "./description.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";

export function createDescriptionRoutes(services: Services): readonly Route[] {
  const description = createDescriptionEndpoints(services);
  return [
    legacyRoute("GET", "/openapi.json", publicAccess, description.document, PUBLIC_API),
    legacyPageRoute("GET", "/docs/api", publicAccess, description.page),
  ];
}
