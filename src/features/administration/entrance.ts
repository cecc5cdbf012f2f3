import { nameOf } from "../../accounts/account.ts";
import { closeAdminSession, isAdministrator, openAdminSession } from "../../accounts/admin-session.ts";
import type { AdminEntrance } from "../../accounts/admin-session.ts";
import { isFreshFor } from "../../accounts/session/fresh-session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { clearServiceCookie, setServiceCookie } from "../../http/cookie/cookies.ts";
import { toFrame } from "../../http/frame-view.ts";
import { formSession, pageVisitor } from "../../http/guard/account-guards.ts";
import { isAdminKey } from "../../http/guard/admin-guard.ts";
import {
  ADMIN_ENTRANCE,
  ADMIN_START,
  administrator,
  findAdministrator,
} from "../../http/guard/administrator-guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { htmlPage, isLocalPath, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { adminEnterPage } from "./entrance-page.ts";
import { KeyForm, PasskeyForm } from "./schema.ts";

/** Returns `next` if it is an administration page, otherwise the start page. */
function pathAfter(next: string): string {
  return isLocalPath(next) && next.startsWith("/admin/") ? next : ADMIN_START;
}

function entrancePage(
  context: RequestContext,
  services: Services,
  { signedIn, next, isWrong }: {
    readonly signedIn: SignedIn | undefined;
    readonly next: string;
    readonly isWrong: boolean;
  },
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
  services: Services,
  entrance: AdminEntrance,
  next: string,
): Promise<Response> {
  const { db, baseUrl, random } = services;
  const token = await openAdminSession(db, services, { entrance, administration: services, now, random });
  return redirect(pathAfter(next), setServiceCookie("administration", token, baseUrl));
}

export const redirectToStart = defineEndpoint(
  administrator,
  {},
  () => Promise.resolve(redirect(ADMIN_START)),
);

export const showEntrance = defineEndpoint(pageVisitor, {}, async (context, signedIn, _input, services) => {
  const next = pathAfter(context.url.searchParams.get("next") ?? "");
  if (await findAdministrator(context, services) !== undefined) return redirect(next);
  return entrancePage(context, services, { signedIn, next, isWrong: false });
});

export const enterByKey = defineEndpoint(
  pageVisitor,
  { form: KeyForm },
  async (context, signedIn, { body: { key, next } }, services) => {
    if (await isAdminKey(context, services, key.trim())) {
      return await enter(context, services, { by: "admin_key" }, next);
    }
    return entrancePage(context, services, { signedIn, next: pathAfter(next), isWrong: true });
  },
);

export const enterByPasskey = defineEndpoint(
  formSession(ADMIN_ENTRANCE),
  { form: PasskeyForm },
  async (context, signedIn, { body: { next } }, services) => {
    if (!isAdministrator(signedIn.account, services)) {
      throw new ProtocolError("not_found", "This account has no such page");
    }
    return await enter(context, services, { by: "account", signedIn }, next);
  },
);

export const leaveAdministration = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async (_context, session, _input, services) => {
    await closeAdminSession(services.db, services, session);
    return redirect(ADMIN_ENTRANCE, clearServiceCookie("administration", services.baseUrl));
  },
);
