import { Done } from "../../api/value.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import {
  endAccessByForm,
  endAccessOfApplication,
  listApplicationsOfAccount,
  listGroupsOfAccount,
  listPasskeysOfAccount,
  removePasskeyByForm,
  removePasskeyOfAccount,
  showAccount,
} from "./account-access.ts";
import { AdminAccessList, AdminPasskeyList, GroupList } from "./schema.ts";

const tag = "Admin";
const ACCOUNT = "/api/admin/accounts/:accountId";

/** Routes about the passkeys, applications and groups of an account. */
export const ACCOUNT_ACCESS_ROUTES: readonly Route[] = [
  route("GET", `${ACCOUNT}/passkeys`, listPasskeysOfAccount, {
    id: "listPasskeysOfAccount",
    tag,
    summary: "List the passkeys of an account",
    returns: { 200: AdminPasskeyList },
  }),
  route("DELETE", `${ACCOUNT}/passkeys/:passkeyId`, removePasskeyOfAccount, {
    id: "removePasskeyOfAccount",
    tag,
    summary: "Remove a passkey of an account that has another",
    description: "Ends the sessions that it opened. The owner is notified by mail.",
    returns: { 200: Done },
    codes: ["last_passkey"],
  }),
  route("GET", `${ACCOUNT}/applications`, listApplicationsOfAccount, {
    id: "listApplicationsOfAccount",
    tag,
    summary: "List the applications that have access to an account",
    returns: { 200: AdminAccessList },
  }),
  route("DELETE", `${ACCOUNT}/applications/:clientId`, endAccessOfApplication, {
    id: "endAccessOfApplication",
    tag,
    summary: "End the access of an application to an account",
    description: "Ends its consents, grants, codes and tokens. The owner is notified by mail.",
    returns: { 200: Done },
  }),
  route("GET", `${ACCOUNT}/groups`, listGroupsOfAccount, {
    id: "listGroupsOfAccount",
    tag,
    summary: "List the groups of an account, by name",
    returns: { 200: GroupList },
  }),
  pageRoute("GET", "/admin/accounts/:accountId", showAccount, {
    id: "adminAccountPage",
    summary: "An account, with its passkeys, applications and groups",
  }),
  pageRoute("POST", "/admin/accounts/:accountId/passkeys/:passkeyId/remove", removePasskeyByForm, {
    id: "adminRemovePasskeyForm",
    summary: "Remove a passkey of an account",
    codes: ["authentication_required", "last_passkey"],
  }),
  pageRoute("POST", "/admin/accounts/:accountId/applications/:clientId/end", endAccessByForm, {
    id: "adminEndAccessForm",
    summary: "End the access of an application to an account",
    codes: ["authentication_required"],
  }),
];
