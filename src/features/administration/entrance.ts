import * as v from "valibot";
import { closeAdminSession, isAdministrator, openAdminSession } from "../../accounts/admin-session.ts";
import type { AdminEntrance, AdminSession } from "../../accounts/admin-session.ts";
import { nameOf } from "../../accounts/account.ts";
import { isFreshFor } from "../../accounts/session/fresh-session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { ProtocolError } from "../../lib/error.ts";
import { adminEnterPage } from "./entrance-page.ts";
import { toFrame } from "../../http/frame-view.ts";
import { htmlPage, isLocalPath, redirect } from "../../http/response/respond.ts";
import { giveCookie, takeCookie } from "../../http/cookie/cookies.ts";
import { isAdminKey } from "../../http/guard/admin-guard.ts";
import { ADMIN_ENTRANCE, ADMIN_START, findAdministrator } from "../../http/guard/administrator-guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readForm } from "../../http/request/body.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The way into the administrator's pages, and out. */
export interface AdminEntranceEndpoints {
  readonly start: LegacyEndpoint<AdminSession>;
  readonly page: LegacyEndpoint<SignedIn | undefined>;
  readonly byKey: LegacyEndpoint<SignedIn | undefined>;
  readonly byPasskey: LegacyEndpoint<SignedIn>;
  readonly leave: LegacyEndpoint<AdminSession>;
}

export const KeyForm = v.strictObject({ key: v.string(), next: v.string() });
export const PasskeyForm = v.strictObject({ next: v.string() });
export const EntranceQuery = v.strictObject({ next: v.optional(v.string()) });

/** Where to go on: one of the administrator's pages. */
function pathAfter(next: string): string {
  return isLocalPath(next) && next.startsWith("/admin/") ? next : ADMIN_START;
}

/** Makes the endpoints over the given services. */
export function createAdminEntranceEndpoints(services: Services): AdminEntranceEndpoints {
  const { db, baseUrl, random } = services;

  function show(
    context: RequestContext,
    signedIn: SignedIn | undefined,
    { next, isWrong }: { readonly next: string; readonly isWrong: boolean },
  ): Response {
    const isNamed = signedIn !== undefined && isAdministrator(signedIn.account, services);
    const isFresh = isNamed &&
      isFreshFor({ session: signedIn.session, action: "administer", now: context.now });
    const named = isNamed &&
      { named: { name: nameOf(signedIn.account), sign: isFresh ? "fresh" as const : "stale" as const } };
    const page = adminEnterPage({ frame: toFrame(services, context), next, isWrong, ...named });
    return htmlPage(isWrong ? 401 : 200, page);
  }

  async function enter(
    { now }: RequestContext,
    entrance: AdminEntrance,
    next: string,
  ): Promise<Response> {
    const token = await openAdminSession(db, services, { entrance, administration: services, now, random });
    return redirect(pathAfter(next), giveCookie("administration", token, baseUrl));
  }

  const page: LegacyEndpoint<SignedIn | undefined> = async (context, signedIn) => {
    const next = pathAfter(context.url.searchParams.get("next") ?? "");
    if (await findAdministrator(context, services) !== undefined) return redirect(next);
    return show(context, signedIn, { next, isWrong: false });
  };

  const byKey: LegacyEndpoint<SignedIn | undefined> = async (context, signedIn) => {
    const { key, next } = await readForm(context, KeyForm);
    if (await isAdminKey(context, services, key.trim())) {
      return await enter(context, { by: "admin_key" }, next);
    }
    return show(context, signedIn, { next: pathAfter(next), isWrong: true });
  };

  const byPasskey: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { next } = await readForm(context, PasskeyForm);
    if (!isAdministrator(signedIn.account, services)) {
      throw new ProtocolError("not_found", "There is no such page for this account");
    }
    return await enter(context, { by: "account", signedIn }, next);
  };

  const leave: LegacyEndpoint<AdminSession> = async (context, administrator) => {
    await readForm(context, v.strictObject({}));
    await closeAdminSession(db, services, administrator);
    return redirect(ADMIN_ENTRANCE, takeCookie("administration", baseUrl));
  };

  return { start: () => Promise.resolve(redirect(ADMIN_START)), page, byKey, byPasskey, leave };
}
