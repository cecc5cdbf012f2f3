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
    answers: { 201: ClientDone },
    answerHeaders: ["Location"],
    codes: ["already_made"],
  }),
  route("GET", "/api/admin/oauth/clients", listOAuthClients, {
    id: "listClients",
    tag,
    summary: "List applications, oldest first",
    answers: { 200: ClientList },
    answerHeaders: ["Link"],
  }),
  route("GET", "/api/admin/oauth/clients/:clientId", getOAuthClient, {
    id: "getClient",
    tag,
    summary: "Look at an application",
    answers: { 200: ClientAnswer },
  }),
  route("PATCH", "/api/admin/oauth/clients/:clientId", changeOAuthClient, {
    id: "changeClient",
    tag,
    summary: "Change an application",
    answers: { 200: ClientDone },
    codes: DECLARABLE,
  }),
  route("POST", "/api/admin/oauth/clients/:clientId/secret", rotateOAuthClientSecret, {
    id: "rotateClientSecret",
    tag,
    summary: "Make a new secret",
    description:
      "The one before counts for `previousExpiresIn` seconds more, 30 days at most; without that it stops at once. Of the ones before it none does.",
    headers: ["Idempotency-Key"],
    answers: { 200: ClientDone },
    codes: ["public_client", "client_declared", "already_made"],
  }),
  route("DELETE", "/api/admin/oauth/clients/:clientId/secret/previous", endPreviousOAuthClientSecret, {
    id: "endPreviousClientSecret",
    tag,
    summary: "End the secret before the present one",
    answers: { 200: ClientDone },
    codes: DECLARABLE,
  }),
  route("DELETE", "/api/admin/oauth/clients/:clientId", deleteOAuthClient, {
    id: "deleteClient",
    tag,
    summary: "Delete an application: its grants, codes and tokens end",
    answers: { 200: Done },
    codes: DECLARABLE,
  }),
  // The page uses the first of repeated parameters. Its query schema is only described here, not read with.
  pageRoute("GET", "/admin/applications", showApplications, {
    id: "adminApplicationsPage",
    summary: "The applications",
    query: SearchQuery,
  }),
  pageRoute("POST", "/admin/applications", registerApplication, {
    id: "adminRegisterForm",
    summary: "Registers one",
  }),
  pageRoute("GET", "/admin/applications/new", showNewApplication, {
    id: "adminNewApplicationPage",
    summary: "The form for one",
  }),
  pageRoute("GET", "/admin/applications/:clientId", showApplication, {
    id: "adminApplicationPage",
    summary: "One of them",
  }),
  pageRoute("POST", "/admin/applications/:clientId", changeApplication, {
    id: "adminChangeForm",
    summary: "Changes it",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/disable", disableApplication, {
    id: "adminDisableApplicationForm",
    summary: "Disables it",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/enable", enableApplication, {
    id: "adminEnableApplicationForm",
    summary: "Enables it again",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/secret", rotateApplicationSecret, {
    id: "adminRotateForm",
    summary: "Makes a new secret",
    codes: ["public_client", "client_declared"],
  }),
  pageRoute("POST", "/admin/applications/:clientId/secret/end", endPreviousApplicationSecret, {
    id: "adminEndSecretForm",
    summary: "Ends the secret before",
    codes: DECLARABLE,
  }),
  pageRoute("POST", "/admin/applications/:clientId/delete", deleteApplication, {
    id: "adminDeleteForm",
    summary: "Deletes it",
    codes: DECLARABLE,
  }),
];
