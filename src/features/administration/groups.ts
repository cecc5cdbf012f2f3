import { type Group, listGroups } from "../../accounts/group.ts";
import { BY_ADMIN_KEY } from "../../accounts/manage-account.ts";
import type { Done, Of } from "../../api/value.ts";
import { transaction } from "../../db/transaction.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { admin } from "../../http/guard/admin-guard.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import { toIso } from "../../lib/time.ts";
import { addMember, createGroup, deleteGroup, removeMember } from "../../oauth/group-administration.ts";
import { type AdminGroup, type GroupAnswer, GroupBody, type GroupList } from "./schema.ts";

export function toGroupJson({ id, name, createdAt }: Group): Of<typeof AdminGroup> {
  return { id, name, createdAt: toIso(createdAt) };
}

export const createAnyGroup = defineEndpoint(
  admin,
  { body: GroupBody },
  async ({ now }, _principal, { body: { name } }, services) => {
    const { db, random } = services;
    const group = await transaction(db, (tx) => createGroup(tx, services, { name, now, random }));
    return json<typeof GroupAnswer>(201, { group: toGroupJson(group) });
  },
);

export const listAllGroups = defineEndpoint(
  admin,
  {},
  async (_context, _principal, _input, { db, authority }) => {
    const groups = await listGroups(db, authority);
    return json<typeof GroupList>(200, { groups: groups.map(toGroupJson) });
  },
);

export const deleteAnyGroup = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async (context, _principal, _input, services) => {
    const groupId = context.params.groupId!;
    const act = { ...operationContextOf(context, services), groupId, done: BY_ADMIN_KEY };
    await deleteGroup(services.db, services, act);
    return json<typeof Done>(200, { success: true });
  },
);

function actOnMember(act: typeof addMember): Endpoint {
  return defineEndpoint(
    admin,
    { optionalBody: NO_MEMBERS },
    async (context, _principal, _input, services) => {
      const { groupId, accountId } = context.params;
      const value = { groupId: groupId!, accountId: accountId!, done: BY_ADMIN_KEY };
      await act(services.db, services, { ...operationContextOf(context, services), ...value });
      return json<typeof Done>(200, { success: true });
    },
  );
}

export const addGroupMember = actOnMember(addMember);
export const removeGroupMember = actOnMember(removeMember);
