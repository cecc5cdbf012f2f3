import { type AdminSession, findAdminSession } from "../../accounts/admin-session.ts";
import { readServiceCookie } from "../cookie/cookies.ts";
import { redirect } from "../response/respond.ts";
import type { Services } from "../services.ts";
import type { RequestContext } from "../request-context.ts";
import type { Guard } from "./guard.ts";

/** The page that opens the administrator's pages, and the first page behind it. */
export const ADMIN_ENTRANCE = "/admin/enter";
export const ADMIN_START = "/admin/applications";

export async function findAdministrator(
  context: RequestContext,
  services: Services,
): Promise<AdminSession | undefined> {
  const token = readServiceCookie(context, "administration", services.baseUrl);
  if (token === undefined) return undefined;
  return await findAdminSession(services.db, services, {
    token,
    administration: services,
    now: context.now,
  });
}

async function check(context: RequestContext, services: Services): Promise<AdminSession | Response> {
  const administrator = await findAdministrator(context, services);
  if (administrator !== undefined) return administrator;
  const { request, url } = context;
  const next = request.method === "GET" ? url.pathname + url.search : ADMIN_START;
  return redirect(`${ADMIN_ENTRANCE}?${new URLSearchParams({ next })}`);
}

/** Admits an administrator's session; redirects to the entrance, and back to the page after a GET. */
export const administrator: Guard<AdminSession> = {
  name: "administrator",
  unsafe: "cross-site-form",
  check,
};
