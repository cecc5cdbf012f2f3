import * as v from "valibot";
import { requireSettled } from "../../accounts/recovery/state.ts";
import { consumeFreshness } from "../../accounts/session/fresh-session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { transaction } from "../../db/transaction.ts";
import { nextTurn } from "../../db/turn.ts";
import { holderOf } from "../../keys/asker.ts";
import { changeKey, createKey, findKeyByAddress, getKey, isLoosening, listKeys } from "../../keys/key.ts";
import type { EthereumKey, KeyChange } from "../../keys/key.ts";
import { readAddress } from "../../ethereum/address.ts";
import { LABEL_LIMIT, readLabel } from "../../keys/label.ts";
import { foreignCursor } from "../../lib/error.ts";
import { answerOnce } from "../../limits/idempotency.ts";
import { isAllowed, requireKey } from "../guard/key-asker.ts";
import type { KeyUser } from "../guard/key-asker.ts";
import { readJson, readNoBody } from "../request/body.ts";
import { toKeyJson } from "../answer/key-json.ts";
import type { KeyView } from "../../ui/view.ts";
import { decodeCursor, encodeCursor, nextPageLink, pageParameters } from "../request/paging.ts";
import { readIdempotencyKey } from "../request/idempotency-key.ts";
import { readQuery } from "../request/query.ts";
import type { RequestContext } from "../request-context.ts";
import type { KeyAnswer, KeyList } from "../answer/schema/key.ts";
import { json } from "../answer/respond.ts";
import { counted } from "../answer/rate-limit.ts";
import type { Endpoint } from "../route.ts";
import { textOf } from "../request/schema.ts";
import type { Services } from "../services.ts";

type KeyServices = Pick<Services, "db" | "groupCommit" | "vault" | "authority" | "limits" | "random">;

/** The endpoints that make, list and change keys. */
export interface KeyEndpoints {
  readonly list: Endpoint<KeyUser>;
  readonly generate: Endpoint<KeyUser>;
  readonly get: Endpoint<KeyUser>;
  readonly change: Endpoint<SignedIn>;
  readonly archive: Endpoint<SignedIn>;
  readonly unarchive: Endpoint<SignedIn>;
}

/** The label of a key, as bodies carry it; names of tokens go by the same rules. */
export const Label = textOf(readLabel, `Expected 1 to ${LABEL_LIMIT} characters without control characters`);

export const GenerateBody = v.strictObject({ label: v.optional(Label) });
export const ChangeBody = v.strictObject({
  label: v.optional(Label),
  blindSigning: v.optional(v.picklist(["allow", "guard", "deny"])),
});
/** The query of a list of keys, as the API and the page take it. */
export const ListQuery = v.strictObject({
  archived: v.optional(v.picklist(["true", "false"]), "false"),
  ...pageParameters,
});
const address = v.pipe(
  v.string(),
  v.check((text) => readAddress(text) !== undefined, "Expected an address: 0x and 40 hex digits"),
  v.transform((text) => readAddress(text)!),
);
/** The query of the API's list, which also finds the one key of an address. */
export const FindQuery = v.strictObject({ ...ListQuery.entries, address: v.optional(address) });

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

/** The path parameter and whose it must be. Throws `not_found` for a key that a token does not name. */
export function keyOf(context: RequestContext, user: KeyUser): { accountId: string; keyId: string } {
  const keyId = context.params.keyId!;
  requireKey(user, keyId);
  return { accountId: user.account.id, keyId };
}

/** Of these keys those that the user may use: a token that names some sees no others. */
export function visibleTo({ asker }: KeyUser, keys: readonly EthereumKey[]): readonly EthereumKey[] {
  return keys.filter(({ id }) => isAllowed(asker, "read", id));
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

  const list: Endpoint<KeyUser> = async (context, user) => {
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

  const generate: Endpoint<KeyUser> = async (context, user) => {
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

  const get: Endpoint<KeyUser> = async (context, user) =>
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

  const change: Endpoint<SignedIn> = async (context, signedIn) => {
    const { label, blindSigning } = await readJson(context, ChangeBody);
    return await apply(context, signedIn, {
      ...(label === undefined ? {} : { label }),
      ...(blindSigning === undefined ? {} : { blindSigning }),
    });
  };

  const setArchived = (archived: boolean): Endpoint<SignedIn> => async (context, signedIn) => {
    await readNoBody(context);
    return await apply(context, signedIn, { archived });
  };

  return { list, generate, get, change, archive: setArchived(true), unarchive: setArchived(false) };
}
