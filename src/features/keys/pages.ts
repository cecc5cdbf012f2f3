import * as v from "valibot";
import type { Account } from "../../accounts/account.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import { listApiTokens } from "../../accounts/token/api-token.ts";
import { SIGNATURE_EVENTS } from "../../audit/event.ts";
import { findLatest, listTrail } from "../../audit/account-log.ts";
import type { KeySearch } from "../../keys/key-search.ts";
import { KEY_ORDERS, searchKeys } from "../../keys/key-search.ts";
import { getKey, listAllKeys } from "../../keys/key.ts";
import { toIso } from "../../lib/time.ts";
import { keyPage } from "./key-page.ts";
import { keysPage } from "./keys-page.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { toKeyJson } from "../../api/key.ts";
import { toKeyPolicyJson } from "../../api/policy.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { readPageQuery } from "../../http/request/query.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { ActivityView } from "../../ui/section/activity-list.ts";
import { toActivity } from "../../http/activity-view.ts";
import { ownKeyOf } from "./keys.ts";

/** The pages of an account's keys. */
export interface KeyPages {
  readonly keys: LegacyEndpoint<SignedIn>;
  readonly key: LegacyEndpoint<SignedIn>;
}

/** Keys on one page of the list. */
const PAGE_LENGTH = 50;
/** Signatures that a key's page shows. */
const LATEST = 5;
/** Longest text that is looked for: a label's. */
const LONGEST_SEARCH = 100;

/** The query of the list: its labels are for people. */
export const ListQuery = v.strictObject({
  archived: v.optional(v.picklist(["true", "false"]), "false"),
  q: v.optional(v.pipe(v.string(), v.maxLength(LONGEST_SEARCH, "Expected at most 100 characters")), ""),
  order: v.optional(v.picklist(KEY_ORDERS), "newest"),
  page: v.optional(
    v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, "Expected the number of a page"), v.transform(Number)),
  ),
});

/** Makes the pages of keys over the given services. */
export function createKeyPages(services: Pick<Services, "db" | "vault" | "authority" | "tee">): KeyPages {
  const { db, vault, authority } = services;

  const keys: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { archived: choice, q: words, order, page = 1 } = readPageQuery(context, ListQuery);
    const archived: KeySearch["archived"] = choice === "true" ? "include" : "exclude";
    const all = await listAllKeys(db, authority, account.id);
    const lastUses = await findLatest(db, vault, {
      accountId: account.id,
      events: SIGNATURE_EVENTS,
      subjects: all.map(({ id }) => id),
    });
    const found = searchKeys(all, { words, archived, order, lastUses });
    const pages = Math.max(1, Math.ceil(found.length / PAGE_LENGTH));
    const shown = found.slice((Math.min(page, pages) - 1) * PAGE_LENGTH).slice(0, PAGE_LENGTH);
    const listed = shown.map((key) => {
      const usedAt = lastUses.get(key.id);
      return { ...toKeyJson(key), lastUsedAt: usedAt === undefined ? null : toIso(usedAt) };
    });
    const search = {
      words,
      archived,
      order,
      page: Math.min(page, pages),
      pages,
      found: found.length,
    } as const;
    return htmlPage(
      200,
      keysPage({
        account: toAccountView(account, services, context),
        keys: listed,
        search,
        owned: all.length,
        steps: {
          hasSecondPasskey: (await listPasskeys(db, authority, account.id)).length > 1,
          hasSigned: lastUses.size > 0,
          hasToken: (await listApiTokens(db, authority, account.id)).length > 0,
        },
        firstKeyId: all.find(({ archivedAt }) => archivedAt === null)?.id,
      }),
    );
  };

  /** The latest signatures of a key. */
  async function signaturesOf({ id: accountId }: Account, keyId: string): Promise<ActivityView> {
    const only = { events: SIGNATURE_EVENTS, subject: keyId };
    const { entries } = await listTrail(db, vault, { accountId, before: undefined, limit: LATEST, only });
    return await toActivity(services, accountId, entries);
  }

  const key: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { account } = signedIn;
    const key = await getKey(db, services, ownKeyOf(context, signedIn));
    const signatures = await signaturesOf(account, key.id);
    const policy = toKeyPolicyJson(key, context.now, account.language);
    return htmlPage(
      200,
      keyPage({
        account: toAccountView(account, services, context),
        key: toKeyJson(key),
        signatures,
        policy,
        tee: services.tee,
      }),
    );
  };

  return { keys, key };
}
