import { Done } from "../../api/value.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import {
  changeApplication,
  deleteApplication,
  disableApplication,
  enableApplication,
  endPreviousApplicationSecret,
  registerApplication,
  rotateApplicationSecret,
} from "./change-application.ts";
import {
  changeOAuthClient,
  deleteOAuthClient,
  endPreviousOAuthClientSecret,
  getOAuthClient,
  listOAuthClients,
  registerOAuthClient,
  rotateOAuthClientSecret,
} from "./clients.ts";
import { showApplication, showApplications, showNewApplication } from "./pages.ts";
import { ClientAnswer, ClientDone, ClientList, SearchQuery } from "./schema.ts";

const tag = "Admin";

const DECLARABLE = ["client_declared"] as const;

export const APPLICATION_ROUTES: readonly Route[] = [
  route("POST", "/api/admin/oauth/clients", registerOAuthClient, {
    id: "registerClient",
    tag,
    summary: "Register an application",
    headers: ["Idempotency-Key"],
    returns: { 201: ClientDone },
    responseHeaders: { 201: ["Location"] },
    codes: ["already_made"],
  }),
  route("GET", "/api/admin/oauth/clients", listOAuthClients, {
    id: "listClients",
    tag,
    summary: "List applications, oldest first",
    returns: { 200: ClientList },
    responseHeaders: { 200: ["Link"] },
  }),
  route("GET", "/api/admin/oauth/clients/:clientId", getOAuthClient, {
    id: "getClient",
    tag,
    summary: "Get an application",
    returns: { 200: ClientAnswer },
  }),
  route("PATCH", "/api/admin/oauth/clients/:clientId", changeOAuthClient, {
    id: "changeClient",
    tag,
    summary: "Change an application",
    returns: { 200: ClientDone },
    codes: DECLARABLE,
  }),
  route("POST", "/api/admin/oauth/clients/:clientId/secret", rotateOAuthClientSecret, {
    id: "rotateClientSecret",
    tag,
    summary: "Create a new secret",
    description:
      "The previous secret stays valid for `previousExpiresIn` seconds, at most 30 days. By default it stops at once. Older secrets are invalid.",
    headers: ["Idempotency-Key"],
    returns: { 200: ClientDone },
    codes: ["public_client", "client_declared", "already_made"],
  }),
  route("DELETE", "/api/admin/oauth/clients/:clientId/secret/previous", endPreviousOAuthClientSecret, {
    id: "endPreviousClientSecret",
    tag,
    summary: "Revoke the previous secret",
    returns: { 200: ClientDone },
    codes: DECLARABLE,
  }),
  route("DELETE", "/api/admin/oauth/clients/:clientId", deleteOAuthClient, {
    id: "deleteClient",
    tag,
    summary: "Delete an application and revoke its grants, codes and tokens",
    returns: { 200: Done },
    codes: DECLARABLE,
  }),
  // The page uses the first of repeated parameters. Its query schema is only described here, not read with.
  pageRoute("GET", "/admin/applications", showApplications, {
    id: "adminApplicationsPage",
    summary: "The list of applications",
    query: SearchQuery,
  }),
  pageRoute("POST", "/admin/applications", registerApplication, {
    id: "adminRegisterForm",
    summary: "Register an application",
  }),
  pageRoute("GET", "/admin/applications/new", showNewApplication, {
    id: "adminNewApplicationPage",
    summary: "The form for a new application",
  }),
  pageRoute("GET", "/admin/applications/:clientId", showApplication, {
    id: "adminApplicationPage",
    summary: "An application",
  }),
  pageRoute("POST", "/admin/applications/:clientId", changeApplication, {
    id: "adminChangeForm",
    summary: "Change an application",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/disable", disableApplication, {
    id: "adminDisableApplicationForm",
    summary: "Disable an application",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/enable", enableApplication, {
    id: "adminEnableApplicationForm",
    summary: "Enable a disabled application",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/secret", rotateApplicationSecret, {
    id: "adminRotateForm",
    summary: "Create a new secret",
    codes: ["public_client", "client_declared"],
  }),
  pageRoute("POST", "/admin/applications/:clientId/secret/end", endPreviousApplicationSecret, {
    id: "adminEndSecretForm",
    summary: "Revoke the previous secret",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/delete", deleteApplication, {
    id: "adminDeleteForm",
    summary: "Delete an application",
    codes: DECLARABLE,
  }),
];
