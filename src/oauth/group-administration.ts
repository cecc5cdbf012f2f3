import { type Group, readGroupName, toGroup } from "../accounts/group.ts";
import { findAnyAccount } from "../accounts/account.ts";
import {
  type AdministratorAct,
  getAnyAccount,
  runAndNotify,
  runAsAdministrator,
} from "../accounts/manage-account.ts";
import type { Notification, NotificationContext, NotifyingServices } from "../accounts/notification.ts";
import { prepareAdministratorMail } from "../accounts/notify-owner.ts";
import type { EndingContext } from "../accounts/session/logout-notification.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows } from "../store/read.ts";
import { insertIfAbsent, insertRow, removeRow } from "../store/write.ts";
import { endLostAccess } from "./client/lost-access.ts";
import { listAllClients } from "./client/client.ts";
import type { OAuthServices } from "./services.ts";

type GroupServices = Pick<OAuthServices, "vault" | "authority">;

/** Creates a group. Throws `invalid_request` for an invalid name, and `group_exists`. */
export async function createGroup(
  tx: Db,
  { vault, authority }: GroupServices,
  { name: given, now, random }: { name: string; now: Instant; random: RandomBytes },
): Promise<Group> {
  const name = readGroupName(given);
  if (name === undefined) {
    throw new ProtocolError("invalid_request", "Cannot create group: correct its name", {
      errors: [{
        path: "/name",
        message: "Expected 1 to 100 characters without commas and control characters",
      }],
    });
  }
  const row = await insertIfAbsent(tx, authority, "user_group", "byName", {
    id: newId("group", random),
    name,
    created_at: now,
  });
  if (row === undefined) throw new ProtocolError("group_exists", "Cannot create group: its name is taken");
  await appendAudit(tx, vault, now, { event: "group_created", accountId: null, subject: row.id, detail: {} });
  return toGroup(row);
}

async function getRow(
  tx: Db,
  authority: GroupServices["authority"],
  id: string,
): Promise<Authentic<"user_group">> {
  const row = /^group_[0-9a-v]{26}$/.test(id)
    ? await findRow(tx, authority, "user_group", "byId", { id })
    : undefined;
  if (row === undefined) throw new ProtocolError("not_found", "There is no such group");
  return row;
}

/** Throws `not_found`. */
export async function getGroup(db: Db, { authority }: GroupServices, groupId: string): Promise<Group> {
  return toGroup(await getRow(db, authority, groupId));
}

/** Lists the ids of a group's members. Throws `not_found`. */
export async function listMembers(
  db: Db,
  { authority }: GroupServices,
  groupId: string,
): Promise<readonly string[]> {
  await getRow(db, authority, groupId);
  const rows = await listRows(db, authority, "group_member", "ofGroup", { group_id: groupId });
  return [...new Set(rows.map(({ account_id: id }) => id))];
}

type GroupAct = NotificationContext & Pick<AdministratorAct, "done">;

/**
 * Deletes a group, ends what its members lose by that, and notifies each of them by mail and in the account's log.
 * Applications keep its id in their lists, so that none becomes open to every account. An account that joins during the
 * call gets no mail. Throws `not_found` and `authentication_required`. `db` must be the outer handle.
 */
export async function deleteGroup(
  db: Db,
  services: GroupServices & NotifyingServices,
  act: GroupAct & { readonly groupId: string },
): Promise<void> {
  const { vault, authority } = services;
  const { groupId, now } = act;
  const { name } = await getRow(db, authority, groupId);
  const mails = new Map<string, Notification>();
  for (const id of await listMembers(db, services, groupId)) {
    const account = await findAnyAccount(db, authority, id);
    if (account === undefined) continue;
    const told = { account, context: act, act: "group_left", name } as const;
    mails.set(id, await prepareAdministratorMail(db, services, told));
  }
  const accounts = await runAsAdministrator(db, services, act, async (tx) => {
    const group = await getRow(tx, authority, groupId);
    const members = await listRows(tx, authority, "group_member", "ofGroup", { group_id: groupId });
    for (const member of members) await removeRow(tx, authority, "group_member", member);
    await removeRow(tx, authority, "user_group", group);
    const accounts = [...new Set(members.map((row) => row.account_id))];
    await endAccessBy(tx, services, { groupId, accounts, ending: act });
    for (const accountId of accounts) {
      await appendAudit(tx, vault, now, {
        event: "group_left",
        accountId,
        subject: groupId,
        detail: { group: group.name },
      });
      await mails.get(accountId)?.enqueue(tx);
    }
    const detail = { members: accounts.length };
    await appendAudit(tx, vault, now, { event: "group_deleted", accountId: null, subject: groupId, detail });
    return accounts;
  });
  for (const id of accounts) mails.get(id)?.queued();
}

interface Membership {
  readonly groupId: string;
  readonly accountId: string;
}

/** Returns the rows of a membership: two if two requests added the account at once. */
async function findMemberships(
  tx: Db,
  authority: GroupServices["authority"],
  { groupId, accountId }: Membership,
): Promise<readonly Authentic<"group_member">[]> {
  const rows = await listRows(tx, authority, "group_member", "ofAccount", { account_id: accountId });
  return rows.filter((row) => row.group_id === groupId);
}

/**
 * Adds an account to a group, and notifies the owner by mail and in the account's log. Does nothing if it is a member.
 * Throws `not_found` and `authentication_required`. `db` must be the outer handle.
 */
export async function addMember(
  db: Db,
  services: GroupServices & NotifyingServices,
  act: GroupAct & Membership,
): Promise<void> {
  const { vault, authority } = services;
  const { groupId, accountId, now, random } = act;
  const { name } = await getRow(db, authority, groupId);
  await runAndNotify(db, services, { ...act, act: "group_joined", name }, async (tx) => {
    const { name: group } = await getRow(tx, authority, groupId);
    await getAnyAccount(tx, authority, accountId);
    if ((await findMemberships(tx, authority, { groupId, accountId })).length > 0) return undefined;
    const id = newId("member", random);
    const row = { id, group_id: groupId, account_id: accountId, created_at: now };
    await insertRow(tx, authority, "group_member", row);
    const event = { event: "group_joined", accountId, subject: groupId, detail: { group } } as const;
    await appendAudit(tx, vault, now, event);
    return row;
  });
}

/**
 * Removes an account from a group, ends what it loses by that, and notifies the owner by mail and in the account's log.
 * Throws `not_found`, also for another account, and `authentication_required`. `db` must be the outer handle.
 */
export async function removeMember(
  db: Db,
  services: GroupServices & NotifyingServices,
  act: GroupAct & Membership,
): Promise<void> {
  const { vault, authority } = services;
  const { groupId, accountId, now } = act;
  const { name } = await getRow(db, authority, groupId);
  await runAndNotify(db, services, { ...act, act: "group_left", name }, async (tx) => {
    const { name: group } = await getRow(tx, authority, groupId);
    const rows = await findMemberships(tx, authority, { groupId, accountId });
    if (rows.length === 0) throw new ProtocolError("not_found", "The account is not in this group");
    for (const row of rows) await removeRow(tx, authority, "group_member", row);
    await endAccessBy(tx, services, { groupId, accounts: [accountId], ending: act });
    const event = { event: "group_left", accountId, subject: groupId, detail: { group } } as const;
    await appendAudit(tx, vault, now, event);
    return rows;
  });
}

/** Ends what accounts lose that have left a group. */
async function endAccessBy(
  tx: Db,
  services: GroupServices,
  { groupId, accounts, ending }: {
    readonly groupId: string;
    readonly accounts: readonly string[];
    readonly ending: EndingContext;
  },
): Promise<void> {
  // A client that is left out refuses these accounts itself once its row is back.
  for (const client of await listAllClients(tx, services.authority)) {
    if (client.groups?.includes(groupId) !== true) continue;
    for (const accountId of accounts) await endLostAccess(tx, services, { client, accountId, ending });
  }
}
