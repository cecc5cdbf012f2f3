import { groupsOf } from "../../accounts/group.ts";
import { administratorOf, BY_ADMIN_KEY, getAnyAccount } from "../../accounts/manage-account.ts";
import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import { removePasskeyFor } from "../../accounts/remove-passkey-for.ts";
import type { Done, Of } from "../../api/value.ts";
import { toFrame } from "../../http/frame-view.ts";
import { admin } from "../../http/guard/admin-guard.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { htmlPage, json, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { type Instant, toIso } from "../../lib/time.ts";
import { listApplications } from "../../oauth/authorize/consent.ts";
import { endAccessFor } from "../../oauth/end-access-for.ts";
import { adminAccountPage } from "./account-page.ts";
import { toKeptAccountJson } from "./accounts.ts";
import { toGroupJson } from "./groups.ts";
import type { AdminAccess, AdminAccessList, AdminPasskey, AdminPasskeyList, GroupList } from "./schema.ts";

async function passkeysOf(
  { db, authority }: Services,
  accountId: string,
): Promise<Of<typeof AdminPasskey>[]> {
  const passkeys = await listPasskeys(db, authority, accountId);
  return passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    createdAt: toIso(createdAt),
    lastUsedAt: lastUsedAt === null ? null : toIso(lastUsedAt),
  }));
}

async function accessOf(
  { db, authority }: Services,
  value: { readonly accountId: string; readonly now: Instant },
): Promise<Of<typeof AdminAccess>[]> {
  const applications = await listApplications(db, authority, value);
  return applications.map(({ client: { clientId, name }, scope, consentedAt }) => ({
    clientId,
    name,
    scope,
    consentedAt: toIso(consentedAt),
  }));
}

async function groupsJson({ db, authority }: Services, accountId: string): Promise<Of<typeof GroupList>> {
  return { groups: (await groupsOf(db, authority, accountId)).map(toGroupJson) };
}

export const listPasskeysOfAccount = defineEndpoint(
  admin,
  {},
  async ({ params }, _principal, _input, services) => {
    const { id } = await getAnyAccount(services.db, services.authority, params.accountId!);
    return json<typeof AdminPasskeyList>(200, { passkeys: await passkeysOf(services, id) });
  },
);

export const listGroupsOfAccount = defineEndpoint(
  admin,
  {},
  async ({ params }, _principal, _input, services) => {
    const { id } = await getAnyAccount(services.db, services.authority, params.accountId!);
    return json<typeof GroupList>(200, await groupsJson(services, id));
  },
);

export const listApplicationsOfAccount = defineEndpoint(
  admin,
  {},
  async ({ params, now }, _principal, _input, services) => {
    const { id } = await getAnyAccount(services.db, services.authority, params.accountId!);
    const applications = await accessOf(services, { accountId: id, now });
    return json<typeof AdminAccessList>(200, { applications });
  },
);

export const removePasskeyOfAccount = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async (context, _principal, _input, services) => {
    const { accountId, passkeyId } = context.params;
    await removePasskeyFor(services.db, services, {
      ...operationContextOf(context, services),
      accountId: accountId!,
      passkeyId: passkeyId!,
      done: BY_ADMIN_KEY,
    });
    return json<typeof Done>(200, { success: true });
  },
);

export const endAccessOfApplication = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async (context, _principal, _input, services) => {
    const { accountId, clientId } = context.params;
    await endAccessFor(services.db, services, {
      ...operationContextOf(context, services),
      accountId: accountId!,
      clientId: clientId!,
      done: BY_ADMIN_KEY,
    });
    return json<typeof Done>(200, { success: true });
  },
);

export const showAccount = defineEndpoint(
  administrator,
  {},
  async (context, _principal, _input, services) => {
    const { params, now } = context;
    const account = await getAnyAccount(services.db, services.authority, params.accountId!);
    return htmlPage(
      200,
      adminAccountPage({
        frame: toFrame(services, context),
        account: toKeptAccountJson(account),
        passkeys: await passkeysOf(services, account.id),
        applications: await accessOf(services, { accountId: account.id, now }),
        ...await groupsJson(services, account.id),
      }),
    );
  },
);

export const removePasskeyByForm = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async (context, session, _input, services) => {
    const { accountId, passkeyId } = context.params;
    await removePasskeyFor(services.db, services, {
      ...operationContextOf(context, services),
      accountId: accountId!,
      passkeyId: passkeyId!,
      done: administratorOf(session),
    });
    return redirect(`/admin/accounts/${accountId!}`);
  },
);

export const endAccessByForm = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async (context, session, _input, services) => {
    const { accountId, clientId } = context.params;
    await endAccessFor(services.db, services, {
      ...operationContextOf(context, services),
      accountId: accountId!,
      clientId: clientId!,
      done: administratorOf(session),
    });
    return redirect(`/admin/accounts/${accountId!}`);
  },
);
