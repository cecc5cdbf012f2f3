import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import { listApiTokens } from "../../accounts/token/api-token.ts";
import { toKeyJson } from "../../api/key.ts";
import { toKeyPolicyJson } from "../../api/policy.ts";
import { findLatest, listAccountLog } from "../../audit/account-log.ts";
import { SIGNATURE_EVENTS } from "../../audit/event.ts";
import { toActivity } from "../../http/activity-view.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { pageSession } from "../../http/guard/account-guards.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { searchKeys } from "../../keys/key-search.ts";
import { getKey, listAllKeys } from "../../keys/key.ts";
import { toIso } from "../../lib/time.ts";
import type { ActivityView } from "../../ui/section/activity-list.ts";
import { keyPage } from "./key-page.ts";
import { keysPage } from "./keys-page.ts";
import { ownKeyOf } from "./keys.ts";
import { KeysPageQuery } from "./schema.ts";

const PAGE_LENGTH = 50;
const LATEST = 5;

export const showKeys = defineEndpoint(
  pageSession,
  { pageQuery: KeysPageQuery },
  async (context, { account }, { query }, services) => {
    const { db, vault, authority } = services;
    const { q: text, order, page = 1 } = query;
    const archived = query.archived === "true" ? "include" : "exclude";
    const all = await listAllKeys(db, authority, account.id);
    const lastUses = await findLatest(db, vault, {
      accountId: account.id,
      events: SIGNATURE_EVENTS,
      subjects: all.map(({ id }) => id),
    });
    const found = searchKeys(all, { text, archived, order, lastUses });
    const pages = Math.max(1, Math.ceil(found.length / PAGE_LENGTH));
    const shownPage = Math.min(page, pages);
    const shown = found.slice((shownPage - 1) * PAGE_LENGTH).slice(0, PAGE_LENGTH);
    const listed = shown.map((key) => {
      const usedAt = lastUses.get(key.id);
      return { ...toKeyJson(key), lastUsedAt: usedAt === undefined ? null : toIso(usedAt) };
    });
    return htmlPage(
      200,
      keysPage({
        account: toAccountView(account, services, context),
        keys: listed,
        search: { text, archived, order, page: shownPage, pages, found: found.length },
        owned: all.length,
        steps: {
          hasSecondPasskey: (await listPasskeys(db, authority, account.id)).length > 1,
          hasSigned: lastUses.size > 0,
          hasToken: (await listApiTokens(db, authority, account.id)).length > 0,
        },
        firstKeyId: all.find(({ archivedAt }) => archivedAt === null)?.id,
      }),
    );
  },
);

async function latestSignaturesOf(
  services: Services,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<ActivityView> {
  const { entries } = await listAccountLog(services.db, services.vault, {
    accountId,
    before: undefined,
    limit: LATEST,
    only: { events: SIGNATURE_EVENTS, subject: keyId },
  });
  return await toActivity(services, accountId, entries);
}

export const showKey = defineEndpoint(pageSession, {}, async (context, signedIn, _input, services) => {
  const { account } = signedIn;
  const which = ownKeyOf(context, signedIn);
  const key = await getKey(services.db, services, which);
  return htmlPage(
    200,
    keyPage({
      account: toAccountView(account, services, context),
      key: toKeyJson(key),
      signatures: await latestSignaturesOf(services, which),
      policy: toKeyPolicyJson(key, context.now, account.language),
      tee: services.tee,
    }),
  );
});
