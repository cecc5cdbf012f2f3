import * as v from "valibot";
import type { AnyAccount } from "../../accounts/account.ts";
import {
  BY_ADMIN_KEY,
  disableAccount,
  enableAccount,
  endSessionsFor,
  getAnyAccount,
  listAccounts,
  LONGEST_SEARCH,
  searchAccounts,
} from "../../accounts/manage-account.ts";
import { toIso } from "../../lib/time.ts";
import { toAccountJson } from "../../api/account.ts";
import { json } from "../../http/response/respond.ts";
import type { SessionsEnded } from "../../api/session.ts";
import type { KeptAccount, KeptAccountAnswer, KeptAccountList } from "./schema.ts";
import type { Of } from "../../api/value.ts";
import type { Admin } from "../../http/guard/admin-guard.ts";
import { readNoBody } from "../../http/request/body.ts";
import { decodeCursor, encodeCursor, nextPageLink, pageParameters } from "../../http/request/paging.ts";
import { readQuery } from "../../http/request/query.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints through which an administrator keeps other people's accounts. */
export interface AdminAccountEndpoints {
  readonly list: LegacyEndpoint<Admin>;
  readonly get: LegacyEndpoint<Admin>;
  readonly disable: LegacyEndpoint<Admin>;
  readonly enable: LegacyEndpoint<Admin>;
  readonly endSessions: LegacyEndpoint<Admin>;
}

export const ListQuery = v.strictObject({
  ...pageParameters,
  search: v.optional(v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(LONGEST_SEARCH),
    v.description("An account's id, or how its address begins"),
  )),
});

/** An account as the administrator sees it. */
export function toKeptAccountJson(account: AnyAccount): Of<typeof KeptAccount> {
  const { disabledAt } = account;
  return { ...toAccountJson(account), disabledAt: disabledAt === null ? null : toIso(disabledAt) };
}

/** Makes the endpoints of accounts over the given services. */
export function createAdminAccountEndpoints(
  services: Pick<Services, "db" | "vault" | "authority" | "random">,
): AdminAccountEndpoints {
  const { db, authority, random } = services;

  const list: LegacyEndpoint<Admin> = async (context) => {
    const { limit, cursor, search } = readQuery(context, ListQuery);
    const part = { after: cursor === undefined ? undefined : decodeCursor(cursor), limit };
    const { accounts, next } = search === undefined
      ? await listAccounts(db, authority, part)
      : await searchAccounts(db, authority, { ...part, text: search });
    const nextCursor = next === undefined ? null : encodeCursor(next);
    const body = { accounts: accounts.map(toKeptAccountJson), nextCursor };
    return json<typeof KeptAccountList>(200, body, nextPageLink(context.url, nextCursor));
  };

  const get: LegacyEndpoint<Admin> = async ({ params }) => {
    const account = await getAnyAccount(db, authority, params.accountId!);
    return json<typeof KeptAccountAnswer>(200, { account: toKeptAccountJson(account) });
  };

  function change(act: typeof disableAccount): LegacyEndpoint<Admin> {
    return async (context) => {
      await readNoBody(context);
      const { params, now } = context;
      const value = { accountId: params.accountId!, done: BY_ADMIN_KEY, now, random };
      const account = await act(db, services, value);
      return json<typeof KeptAccountAnswer>(200, { account: toKeptAccountJson(account) });
    };
  }

  const endSessions: LegacyEndpoint<Admin> = async (context) => {
    await readNoBody(context);
    const { params, now } = context;
    const value = { accountId: params.accountId!, done: BY_ADMIN_KEY, now, random };
    const ended = await endSessionsFor(db, services, value);
    return json<typeof SessionsEnded>(200, { ended });
  };

  return { list, get, disable: change(disableAccount), enable: change(enableAccount), endSessions };
}
