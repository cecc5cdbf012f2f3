import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ADMIN_ENTRANCE, administrator } from "../../http/guard/administrator-guard.ts";
import { admin } from "../../http/guard/admin-guard.ts";
import { createAdminAccountEndpoints } from "./accounts.ts";
import { createAdminEntranceEndpoints } from "./entrance.ts";
import { createAdminInvitationEndpoints } from "./invitations.ts";
import { createAdminPeoplePages } from "./pages.ts";
import { formSession, pageVisitor } from "../../http/guard/account-guards.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";

export function createAdministrationRoutes(services: Services): readonly Route[] {
  const invitations = createAdminInvitationEndpoints(services);
  const people = createAdminAccountEndpoints(services);
  const entrance = createAdminEntranceEndpoints(services);
  const peoplePages = createAdminPeoplePages(services);
  return [
    legacyRoute("POST", "/api/admin/invitations", admin, invitations.make),
    legacyRoute("GET", "/api/admin/invitations", admin, invitations.list),
    legacyRoute("DELETE", "/api/admin/invitations/:invitationId", admin, invitations.withdraw),
    legacyRoute("GET", "/api/admin/accounts", admin, people.list),
    legacyRoute("GET", "/api/admin/accounts/:accountId", admin, people.get),
    legacyRoute("POST", "/api/admin/accounts/:accountId/disable", admin, people.disable),
    legacyRoute("POST", "/api/admin/accounts/:accountId/enable", admin, people.enable),
    legacyRoute("POST", "/api/admin/accounts/:accountId/sessions/revoke-all", admin, people.endSessions),
    legacyPageRoute("GET", "/admin", administrator, entrance.start),
    legacyPageRoute("GET", "/admin/enter", pageVisitor, entrance.page),
    legacyPageRoute("POST", "/admin/enter", pageVisitor, entrance.byKey),
    legacyPageRoute("POST", "/admin/enter/passkey", formSession(ADMIN_ENTRANCE), entrance.byPasskey),
    legacyPageRoute("POST", "/admin/leave", administrator, entrance.leave),
    legacyPageRoute("GET", "/admin/accounts", administrator, peoplePages.accounts),
    legacyPageRoute("POST", "/admin/accounts/:accountId/disable", administrator, peoplePages.disable),
    legacyPageRoute("POST", "/admin/accounts/:accountId/enable", administrator, peoplePages.enable),
    legacyPageRoute(
      "POST",
      "/admin/accounts/:accountId/end-sessions",
      administrator,
      peoplePages.endSessions,
    ),
    legacyPageRoute("GET", "/admin/invitations", administrator, peoplePages.invitations),
    legacyPageRoute("POST", "/admin/invitations", administrator, peoplePages.invite),
    legacyPageRoute("POST", "/admin/invitations/:invitationId/withdraw", administrator, peoplePages.withdraw),
  ];
}
