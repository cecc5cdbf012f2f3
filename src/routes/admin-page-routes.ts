import { createAdminApplicationPages } from "../features/applications/pages.ts";
import { createAdminEntranceEndpoints } from "../features/administration/entrance.ts";
import { createAdminPeoplePages } from "../features/administration/pages.ts";
import type { AccountGuards } from "../http/guard/account-guards.ts";
import { ADMIN_ENTRANCE, createAdministratorGuard } from "../http/guard/administrator-guard.ts";
import { pageRoute } from "../http/route.ts";
import type { Route } from "../http/route.ts";
import type { Services } from "../http/services.ts";

/** The administrator's pages. */
export function createAdminPageRoutes(
  services: Services,
  { pageVisitor, formSession }: Pick<AccountGuards, "pageVisitor" | "formSession">,
): readonly Route[] {
  const administrator = createAdministratorGuard(services);
  const entrance = createAdminEntranceEndpoints(services);
  const applications = createAdminApplicationPages(services);
  const people = createAdminPeoplePages(services);
  return [
    pageRoute("GET", "/admin", administrator, entrance.start),
    pageRoute("GET", "/admin/enter", pageVisitor, entrance.page),
    pageRoute("POST", "/admin/enter", pageVisitor, entrance.byKey),
    pageRoute("POST", "/admin/enter/passkey", formSession(ADMIN_ENTRANCE), entrance.byPasskey),
    pageRoute("POST", "/admin/leave", administrator, entrance.leave),
    pageRoute("GET", "/admin/applications", administrator, applications.list),
    pageRoute("POST", "/admin/applications", administrator, applications.register),
    pageRoute("GET", "/admin/applications/new", administrator, applications.newPage),
    pageRoute("GET", "/admin/applications/:clientId", administrator, applications.page),
    pageRoute("POST", "/admin/applications/:clientId", administrator, applications.change),
    pageRoute("POST", "/admin/applications/:clientId/disable", administrator, applications.disable),
    pageRoute("POST", "/admin/applications/:clientId/enable", administrator, applications.enable),
    pageRoute("POST", "/admin/applications/:clientId/secret", administrator, applications.rotate),
    pageRoute("POST", "/admin/applications/:clientId/secret/end", administrator, applications.endSecret),
    pageRoute("POST", "/admin/applications/:clientId/delete", administrator, applications.remove),
    pageRoute("GET", "/admin/accounts", administrator, people.accounts),
    pageRoute("POST", "/admin/accounts/:accountId/disable", administrator, people.disable),
    pageRoute("POST", "/admin/accounts/:accountId/enable", administrator, people.enable),
    pageRoute("POST", "/admin/accounts/:accountId/end-sessions", administrator, people.endSessions),
    pageRoute("GET", "/admin/invitations", administrator, people.invitations),
    pageRoute("POST", "/admin/invitations", administrator, people.invite),
    pageRoute("POST", "/admin/invitations/:invitationId/withdraw", administrator, people.withdraw),
  ];
}
