import { findAnyAccount, nameOf } from "../../accounts/account.ts";
import { listGroups } from "../../accounts/group.ts";
import { administratorOf, searchAccounts } from "../../accounts/manage-account.ts";
import { transaction } from "../../db/transaction.ts";
import { toFrame } from "../../http/frame-view.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import {
  addMember,
  createGroup,
  deleteGroup,
  getGroup,
  listMembers,
  removeMember,
} from "../../oauth/group-administration.ts";
import { adminGroupPage, adminGroupsPage } from "./groups-page.ts";
import { toGroupJson } from "./groups.ts";
import { GroupForm, MemberForm } from "./schema.ts";

const GROUPS = "/admin/groups";

async function groupsPage(
  context: RequestContext,
  services: Services,
  sent: { readonly name: string; readonly fault: string | undefined },
): Promise<Response> {
  const groups = (await listGroups(services.db, services.authority)).map(toGroupJson);
  const page = adminGroupsPage({ frame: toFrame(services, context), groups, ...sent });
  return htmlPage(sent.fault === undefined ? 200 : 400, page);
}

export const showGroups = defineEndpoint(
  administrator,
  {},
  (context, _principal, _input, services) => groupsPage(context, services, { name: "", fault: undefined }),
);

export const createGroupByForm = defineEndpoint(
  administrator,
  { form: GroupForm },
  async (context, _principal, { body: { name } }, services) => {
    const { db, random } = services;
    const { now } = context;
    try {
      const { id } = await transaction(db, (tx) => createGroup(tx, services, { name, now, random }));
      return redirect(`${GROUPS}/${id}`);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const [fault] = error.errors ?? [error];
      return await groupsPage(context, services, { name, fault: fault!.message });
    }
  },
);

async function groupPage(
  context: RequestContext,
  services: Services,
  sent: { readonly account: string; readonly fault: string | undefined },
): Promise<Response> {
  const { db, authority } = services;
  const group = await getGroup(db, services, context.params.groupId!);
  const members: { readonly id: string; readonly name: string }[] = [];
  for (const id of await listMembers(db, services, group.id)) {
    const account = await findAnyAccount(db, authority, id);
    members.push({ id, name: account === undefined ? id : nameOf(account) });
  }
  const frame = toFrame(services, context);
  const page = adminGroupPage({ frame, group: toGroupJson(group), members, ...sent });
  return htmlPage(sent.fault === undefined ? 200 : 400, page);
}

export const showGroup = defineEndpoint(
  administrator,
  {},
  (context, _principal, _input, services) => groupPage(context, services, { account: "", fault: undefined }),
);

/** Adds the account with this id or exactly this address. */
export const addMemberByForm = defineEndpoint(
  administrator,
  { form: MemberForm },
  async (context, session, { body: { account: text } }, services) => {
    const { db, authority } = services;
    const sought = text.trim().toLowerCase();
    const { accounts: [found] } = await searchAccounts(db, authority, {
      text: sought,
      after: undefined,
      limit: 1,
    });
    if (found === undefined || (found.email !== sought && found.id !== sought)) {
      return await groupPage(context, services, { account: text, fault: "There is no such account" });
    }
    const groupId = context.params.groupId!;
    const value = { groupId, accountId: found.id, done: administratorOf(session) };
    await addMember(db, services, { ...operationContextOf(context, services), ...value });
    return redirect(`${GROUPS}/${groupId}`);
  },
);

export const deleteGroupByForm = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async (context, session, _input, services) => {
    const value = { groupId: context.params.groupId!, done: administratorOf(session) };
    await deleteGroup(services.db, services, { ...operationContextOf(context, services), ...value });
    return redirect(GROUPS);
  },
);

export const removeMemberByForm = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async (context, session, _input, services) => {
    const { groupId, accountId } = context.params;
    const value = { groupId: groupId!, accountId: accountId!, done: administratorOf(session) };
    await removeMember(services.db, services, { ...operationContextOf(context, services), ...value });
    return redirect(`${GROUPS}/${groupId!}`);
  },
);
