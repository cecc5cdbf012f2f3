import { Done } from "../../api/value.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import {
  addMemberByForm,
  createGroupByForm,
  deleteGroupByForm,
  removeMemberByForm,
  showGroup,
  showGroups,
} from "./group-forms.ts";
import {
  addGroupMember,
  createAnyGroup,
  deleteAnyGroup,
  listAllGroups,
  removeGroupMember,
} from "./groups.ts";
import { GroupAnswer, GroupList } from "./schema.ts";

const tag = "Admin";

const API_ROUTES: readonly Route[] = [
  route("POST", "/api/admin/groups", createAnyGroup, {
    id: "createGroup",
    tag,
    summary: "Create a group",
    description: "Names are unique and have no comma.",
    returns: { 201: GroupAnswer },
    codes: ["group_exists"],
  }),
  route("GET", "/api/admin/groups", listAllGroups, {
    id: "listGroups",
    tag,
    summary: "List the groups, by name",
    returns: { 200: GroupList },
  }),
  route("DELETE", "/api/admin/groups/:groupId", deleteAnyGroup, {
    id: "deleteGroup",
    tag,
    summary: "Delete a group",
    description: "An application that is for this group only is then for no account.",
    returns: { 200: Done },
  }),
  route("PUT", "/api/admin/groups/:groupId/members/:accountId", addGroupMember, {
    id: "addGroupMember",
    tag,
    summary: "Add an account to a group",
    returns: { 200: Done },
  }),
  route("DELETE", "/api/admin/groups/:groupId/members/:accountId", removeGroupMember, {
    id: "removeGroupMember",
    tag,
    summary: "Remove an account from a group",
    returns: { 200: Done },
  }),
];

const PAGE_ROUTES: readonly Route[] = [
  pageRoute("GET", "/admin/groups", showGroups, { id: "adminGroupsPage", summary: "The list of groups" }),
  pageRoute("POST", "/admin/groups", createGroupByForm, {
    id: "adminCreateGroupForm",
    summary: "Create a group",
  }),
  pageRoute("GET", "/admin/groups/:groupId", showGroup, { id: "adminGroupPage", summary: "A group" }),
  pageRoute("POST", "/admin/groups/:groupId/delete", deleteGroupByForm, {
    id: "adminDeleteGroupForm",
    summary: "Delete a group",
  }),
  pageRoute("POST", "/admin/groups/:groupId/members", addMemberByForm, {
    id: "adminAddMemberForm",
    summary: "Add an account to a group",
  }),
  pageRoute("POST", "/admin/groups/:groupId/members/:accountId/remove", removeMemberByForm, {
    id: "adminRemoveMemberForm",
    summary: "Remove an account from a group",
  }),
];

export const GROUP_ROUTES: readonly Route[] = [...API_ROUTES, ...PAGE_ROUTES];
