import type { AnyAccount } from "../../accounts/account.ts";
import {
  BY_ADMIN_KEY,
  disableAccount,
  enableAccount,
  endSessionsFor,
  getAnyAccount,
  listAccounts,
  searchAccounts,
} from "../../accounts/manage-account.ts";
import { toAccountJson } from "../../api/account.ts";
import type { SessionsEnded } from "../../api/session.ts";
import type { Of } from "../../api/value.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { admin } from "../../http/guard/admin-guard.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { decodeCursor, encodeCursor, nextPageLink } from "../../http/request/paging.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import { toIso } from "../../lib/time.ts";
import {
  AccountsQuery,
  type AdminAccount,
  type AdminAccountAnswer,
  type AdminAccountList,
} from "./schema.ts";

export function toKeptAccountJson(account: AnyAccount): Of<typeof AdminAccount> {
  const { disabledAt } = account;
  return { ...toAccountJson(account), disabledAt: disabledAt === null ? null : toIso(disabledAt) };
}

export const findAccounts = defineEndpoint(
  admin,
  { query: AccountsQuery },
  async ({ url }, _principal, { query: { limit, cursor, search } }, { db, authority }) => {
    const part = { after: cursor === undefined ? undefined : decodeCursor(cursor), limit };
    const { accounts, next } = search === undefined
      ? await listAccounts(db, authority, part)
      : await searchAccounts(db, authority, { ...part, text: search });
    const nextCursor = next === undefined ? null : encodeCursor(next);
    const body = { accounts: accounts.map(toKeptAccountJson), nextCursor };
    return json<typeof AdminAccountList>(200, body, nextPageLink(url, nextCursor));
  },
);

export const getAccount = defineEndpoint(
  admin,
  {},
  async ({ params }, _principal, _input, { db, authority }) => {
    const account = await getAnyAccount(db, authority, params.accountId!);
    return json<typeof AdminAccountAnswer>(200, { account: toKeptAccountJson(account) });
  },
);

function actOnAccount(act: typeof disableAccount): Endpoint {
  return defineEndpoint(
    admin,
    { optionalBody: NO_MEMBERS },
    async (context, _principal, _input, services) => {
      const accountId = context.params.accountId!;
      const value = { ...operationContextOf(context, services), accountId, done: BY_ADMIN_KEY };
      const account = await act(services.db, services, value);
      return json<typeof AdminAccountAnswer>(200, { account: toKeptAccountJson(account) });
    },
  );
}

export const disableAnyAccount = actOnAccount(disableAccount);
export const enableAnyAccount = actOnAccount(enableAccount);

export const endSessionsOfAccount = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async (context, _principal, _input, services) => {
    const accountId = context.params.accountId!;
    const value = { ...operationContextOf(context, services), accountId, done: BY_ADMIN_KEY };
    const ended = await endSessionsFor(services.db, services, value);
    return json<typeof SessionsEnded>(200, { ended });
  },
);
