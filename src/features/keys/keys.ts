import { requireSettled } from "../../accounts/recovery/recovery-state.ts";
import { consumeFreshness } from "../../accounts/session/fresh-session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { toKeyJson } from "../../api/key.ts";
import type { KeyAnswer, KeyList } from "../../api/key.ts";
import type { KeyView } from "../../api/view.ts";
import { transaction } from "../../db/transaction.ts";
import { keyOf, visibleTo } from "../../http/guard/key-requester.ts";
import type { KeyUser } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { decodeCursor, encodeCursor, nextPageLink } from "../../http/request/paging.ts";
import { readQuery } from "../../http/request/query.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { changeKey, createKey, findKeyByAddress, getKey, isLoosening, listKeys } from "../../keys/key.ts";
import type { EthereumKey, KeyChange } from "../../keys/key.ts";
import { holderOf } from "../../keys/requester.ts";
import { nextTurn } from "../../lib/cooperative.ts";
import { foreignCursor } from "../../lib/error.ts";
import { answerOnce } from "../../limits/idempotency.ts";
import { ChangeBody, FindQuery, GenerateBody } from "./schema.ts";

type KeyServices = Pick<Services, "db" | "groupCommit" | "vault" | "authority" | "limits" | "random">;

/** The endpoints that make, list and change keys. */
export interface KeyEndpoints {
  readonly list: LegacyEndpoint<KeyUser>;
  readonly generate: LegacyEndpoint<KeyUser>;
  readonly get: LegacyEndpoint<KeyUser>;
  readonly change: LegacyEndpoint<SignedIn>;
  readonly archive: LegacyEndpoint<SignedIn>;
  readonly unarchive: LegacyEndpoint<SignedIn>;
}

/** The index at which a page of keys begins. Throws `invalid_request` for a cursor of another list. */
export function readFromIndex(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const position = decodeCursor(cursor);
  if (/^\d{1,10}$/.test(position)) return Number(position);
  throw foreignCursor();
}

/** The path parameter, of a request of the owner's, and whose it must be. */
export function ownKeyOf(
  { params }: RequestContext,
  { account }: SignedIn,
): { accountId: string; keyId: string } {
  return { accountId: account.id, keyId: params.keyId! };
}

/** Keys whose rows take a millisecond to check, and whose list to write. */
const MANY = 100;

/** Makes the endpoints of keys over the given services. */
export function createKeyEndpoints(services: KeyServices): KeyEndpoints {
  const { db, groupCommit, vault, authority, random } = services;
  const maker = { vault, authority };

  /** Many of them in the slow lane, and in parts, between which others have their turns. */
  async function listInParts(
    context: RequestContext,
    value: Parameters<typeof listKeys>[2],
  ): ReturnType<typeof listKeys> {
    const keys: EthereumKey[] = [];
    for (let { fromIndex } = value;;) {
      const limit = Math.min(MANY, value.limit - keys.length);
      const part = await listKeys(db, authority, { ...value, fromIndex, limit });
      keys.push(...part.keys);
      const { nextIndex } = part;
      if (nextIndex === undefined || keys.length === value.limit) return { keys, nextIndex };
      await context.slowly();
      await nextTurn();
      fromIndex = nextIndex;
    }
  }

  const list: LegacyEndpoint<KeyUser> = async (context, user) => {
    const { archived, limit, cursor, address } = readQuery(context, FindQuery);
    if (address !== undefined) {
      const found = await findKeyByAddress(db, authority, { accountId: user.account.id, address });
      const isShown = found !== undefined && (found.archivedAt === null || archived === "true");
      const keys = isShown ? visibleTo(user, [found]) : [];
      return json<typeof KeyList>(200, { keys: keys.map(toKeyJson), nextCursor: null });
    }
    const { keys, nextIndex } = await listInParts(context, {
      accountId: user.account.id,
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
  };

  const generate: LegacyEndpoint<KeyUser> = async (context, user) => {
    const body = await readJson(context, GenerateBody, { content: "empty-allowed" });
    const { now } = context;
    const idempotencyKey = readIdempotencyKey(context);
    // Each token and application has keys of its own, and is not told what others made.
    const holder = holderOf(user.asker) ?? user.account.id;
    const accountId = user.account.id;
    const { limits } = counted(context, services);
    const answer = await groupCommit.run((tx) => {
      const make = async (): Promise<string> => {
        await limits.take(tx, "key_generate", accountId, now);
        const key = await createKey(tx, maker, { accountId, label: body.label, now, random });
        return JSON.stringify(toKeyJson(key));
      };
      if (idempotencyKey === undefined) return make();
      const request = JSON.stringify(["keys/generate", body.label ?? null]);
      return answerOnce(tx, authority, { holder, accountId, idempotencyKey, request, now }, make);
    });
    const key = JSON.parse(answer) as KeyView;
    return json<typeof KeyAnswer>(201, { key }, [["location", `/api/keys/${key.id}`]]);
  };

  const get: LegacyEndpoint<KeyUser> = async (context, user) =>
    json<typeof KeyAnswer>(200, { key: toKeyJson(await getKey(db, services, keyOf(context, user))) });

  async function apply(context: RequestContext, signedIn: SignedIn, change: KeyChange): Promise<Response> {
    const { now } = context;
    const which = { ...ownKeyOf(context, signedIn), now };
    const key = await transaction(db, async (tx) => {
      const before = await getKey(tx, maker, which);
      if (isLoosening(before, change)) {
        const action = `loosen_key:${which.keyId}` as const;
        await consumeFreshness(tx, authority, { session: signedIn.session, action, now });
      }
      if (isLoosening(before, change) || change.archived === false) await requireSettled(tx, maker, which);
      return await changeKey(tx, maker, which, change);
    });
    return json<typeof KeyAnswer>(200, { key: toKeyJson(key) });
  }

  const change: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { label, blindSigning } = await readJson(context, ChangeBody);
    return await apply(context, signedIn, {
      ...(label === undefined ? {} : { label }),
      ...(blindSigning === undefined ? {} : { blindSigning }),
    });
  };

  const setArchived = (archived: boolean): LegacyEndpoint<SignedIn> => async (context, signedIn) => {
    await readNoBody(context);
    return await apply(context, signedIn, { archived });
  };

  return { list, generate, get, change, archive: setArchived(true), unarchive: setArchived(false) };
}
