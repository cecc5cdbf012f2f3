import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { admin } from "../../http/guard/admin-guard.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import { createAdminApplicationPages } from "./pages.ts";
import { createAdminClientEndpoints } from "./clients.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";

export function createApplicationsRoutes(services: Services): readonly Route[] {
  const clients = createAdminClientEndpoints(services);
  const applications = createAdminApplicationPages(services);
  return [
    legacyRoute("POST", "/api/admin/oauth/clients", admin, clients.register),
    legacyRoute("GET", "/api/admin/oauth/clients", admin, clients.list),
    legacyRoute("GET", "/api/admin/oauth/clients/:clientId", admin, clients.get),
    legacyRoute("PATCH", "/api/admin/oauth/clients/:clientId", admin, clients.change),
    legacyRoute("POST", "/api/admin/oauth/clients/:clientId/secret", admin, clients.rotateSecret),
    legacyRoute("DELETE", "/api/admin/oauth/clients/:clientId/secret/previous", admin, clients.endSecret),
    legacyRoute("DELETE", "/api/admin/oauth/clients/:clientId", admin, clients.remove),
    legacyPageRoute("GET", "/admin/applications", administrator, applications.list),
    legacyPageRoute("POST", "/admin/applications", administrator, applications.register),
    legacyPageRoute("GET", "/admin/applications/new", administrator, applications.newPage),
    legacyPageRoute("GET", "/admin/applications/:clientId", administrator, applications.page),
    legacyPageRoute("POST", "/admin/applications/:clientId", administrator, applications.change),
    legacyPageRoute("POST", "/admin/applications/:clientId/disable", administrator, applications.disable),
    legacyPageRoute("POST", "/admin/applications/:clientId/enable", administrator, applications.enable),
    legacyPageRoute("POST", "/admin/applications/:clientId/secret", administrator, applications.rotate),
    legacyPageRoute(
      "POST",
      "/admin/applications/:clientId/secret/end",
      administrator,
      applications.endSecret,
    ),
    legacyPageRoute("POST", "/admin/applications/:clientId/delete", administrator, applications.remove),
  ];
}
