import { findAdminSession } from "../../accounts/admin-session.ts";
import type { AdminSession } from "../../accounts/admin-session.ts";
import { readOurCookie } from "../cookie/cookies.ts";
import { redirect } from "../response/respond.ts";
import type { Services } from "../services.ts";
import type { RequestContext } from "../request-context.ts";
import type { Guard } from "./guard.ts";

/** Where the administrator's pages are entered, and which page comes first. */
export const ADMIN_ENTRANCE = "/admin/enter";
export const ADMIN_START = "/admin/applications";

/** Who has opened the administrator's pages in this browser; undefined for nobody. */
export async function findAdministrator(
  context: RequestContext,
  services: Services,
): Promise<AdminSession | undefined> {
  const token = readOurCookie(context, "administration", services.baseUrl);
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

/**
 * Admits an administrator who entered the administrator's pages in this browser; redirects to the entrance, and back to
 * a page that was only looked at.
 */
export const administrator: Guard<AdminSession> = {
  name: "administrator",
  unsafe: "cross-site-form",
  check,
};
