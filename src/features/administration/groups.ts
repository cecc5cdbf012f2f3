import { type Group, listGroups } from "../../accounts/group.ts";
import type { Done, Of } from "../../api/value.ts";
import { transaction } from "../../db/transaction.ts";
import { admin } from "../../http/guard/admin-guard.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
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
  async ({ params, now }, _principal, _input, services) => {
    const { db, random } = services;
    const value = { groupId: params.groupId!, ending: { now, random } };
    await transaction(db, (tx) => deleteGroup(tx, services, value));
    return json<typeof Done>(200, { success: true });
  },
);

export const addGroupMember = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, _principal, _input, services) => {
    const { random } = services;
    const value = { groupId: params.groupId!, accountId: params.accountId!, now, random };
    await transaction(services.db, (tx) => addMember(tx, services, value));
    return json<typeof Done>(200, { success: true });
  },
);

export const removeGroupMember = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, _principal, _input, services) => {
    const { db, random } = services;
    const value = { groupId: params.groupId!, accountId: params.accountId!, ending: { now, random } };
    await transaction(db, (tx) => removeMember(tx, services, value));
    return json<typeof Done>(200, { success: true });
  },
);
