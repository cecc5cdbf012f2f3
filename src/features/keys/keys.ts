import { requireNoCooldown } from "../../accounts/recovery/recovery-state.ts";
import { consumeFreshness } from "../../accounts/session/fresh-session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { type KeyAnswer, type KeyList, KeySettings, type KeyView, toKeyJson } from "../../api/key.ts";
import { transaction } from "../../db/transaction.ts";
import { session } from "../../http/guard/account-guards.ts";
import { sessionOrTokenToCreate, sessionOrTokenToRead } from "../../http/guard/key-guards.ts";
import { keyOf, visibleTo } from "../../http/guard/key-requester.ts";
import { listCooperatively } from "../../http/key-list.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { decodeCursor, encodeCursor, nextPageLink } from "../../http/request/paging.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { changeKey, createKey, findKeyByAddress, getKey, isLoosening } from "../../keys/key.ts";
import type { KeyChange } from "../../keys/key.ts";
import { holderOf } from "../../keys/requester.ts";
import { foreignCursor } from "../../lib/error.ts";
import { runIdempotent } from "../../limits/idempotency.ts";
import { GenerateBody, ListQuery } from "./schema.ts";

/** Returns the index at which a page of keys begins. Throws `invalid_request` for a cursor of another list. */
function readFromIndex(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const position = decodeCursor(cursor);
  if (/^\d{1,10}$/.test(position)) return Number(position);
  throw foreignCursor();
}

/** Returns the key id of the path and the account that must own the key. */
export function ownKeyOf(
  { params }: RequestContext,
  { account }: SignedIn,
): { accountId: string; keyId: string } {
  return { accountId: account.id, keyId: params.keyId! };
}

export const listVisibleKeys = defineEndpoint(
  sessionOrTokenToRead,
  { query: ListQuery },
  async (context, user, { query: { archived, limit, cursor, address } }, services) => {
    const accountId = user.account.id;
    if (address !== undefined) {
      const { db, authority } = services;
      const found = await findKeyByAddress(db, authority, { accountId, address });
      const isShown = found !== undefined && (found.archivedAt === null || archived === "true");
      const keys = isShown ? visibleTo(user, [found]) : [];
      return json<typeof KeyList>(200, { keys: keys.map(toKeyJson), nextCursor: null });
    }
    const { keys, nextIndex } = await listCooperatively(context, services, {
      accountId,
      archived: archived === "true" ? "include" : "exclude",
      fromIndex: readFromIndex(cursor),
      limit,
    });
    const nextCursor = nextIndex === undefined ? null : encodeCursor(String(nextIndex));
    return json<typeof KeyList>(
      200,
      { keys: visibleTo(user, keys).map(toKeyJson), nextCursor },
      nextPageLink(context.url, nextCursor),
    );
  },
);

export const generateKey = defineEndpoint(
  sessionOrTokenToCreate,
  { optionalBody: GenerateBody },
  async (context, user, { body: { label } }, services) => {
    const { groupCommit, authority, random } = services;
    const { now } = context;
    const idempotencyKey = readIdempotencyKey(context);
    const accountId = user.account.id;
    // Idempotency keys of tokens and applications are separate, so that none learns what another has made.
    const program = holderOf(user.requester);
    const holder = program ?? accountId;
    const { limits } = withRateLimitHeaders(context, services);
    const answer = await groupCommit.run((tx) => {
      const make = async (): Promise<string> => {
        await limits.take(tx, "key_generate", accountId, now, program);
        return JSON.stringify(toKeyJson(await createKey(tx, services, { accountId, label, now, random })));
      };
      if (idempotencyKey === undefined) return make();
      const request = JSON.stringify(["keys/generate", label ?? null]);
      return runIdempotent(tx, authority, { holder, accountId, idempotencyKey, request, now }, make);
    });
    const key = JSON.parse(answer) as KeyView;
    return json<typeof KeyAnswer>(201, { key }, [["location", `/api/keys/${key.id}`]]);
  },
);

export const getVisibleKey = defineEndpoint(
  sessionOrTokenToRead,
  {},
  async (context, user, _input, services) => {
    const key = await getKey(services.db, services, keyOf(context, user));
    return json<typeof KeyAnswer>(200, { key: toKeyJson(key) });
  },
);

async function apply(
  context: RequestContext,
  signedIn: SignedIn,
  services: Services,
  change: KeyChange,
): Promise<Response> {
  const { now } = context;
  const which = { ...ownKeyOf(context, signedIn), now };
  const key = await transaction(services.db, async (tx) => {
    const before = await getKey(tx, services, which);
    if (isLoosening(before, change)) {
      const action = `loosen_key:${which.keyId}` as const;
      await consumeFreshness(tx, services.authority, { session: signedIn.session, action, now });
    }
    if (isLoosening(before, change) || change.archived === false) {
      await requireNoCooldown(tx, services, which);
    }
    return await changeKey(tx, services, which, change);
  });
  return json<typeof KeyAnswer>(200, { key: toKeyJson(key) });
}

export const updateKey = defineEndpoint(
  session,
  { body: KeySettings },
  (context, signedIn, { body }, services) => apply(context, signedIn, services, body),
);

export const archiveKey = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  (context, signedIn, _input, services) => apply(context, signedIn, services, { archived: true }),
);

export const unarchiveKey = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  (context, signedIn, _input, services) => apply(context, signedIn, services, { archived: false }),
);
