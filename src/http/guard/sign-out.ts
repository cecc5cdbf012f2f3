import { revokeSession, type SignedIn } from "../../accounts/session/session.ts";
import { clearServiceCookie } from "../cookie/cookies.ts";
import type { RequestContext } from "../request-context.ts";
import type { ExtraHeaders } from "../response/respond.ts";
import type { Services } from "../services.ts";

export function forgetSession(baseUrl: string): ExtraHeaders {
  return [...clearServiceCookie("session", baseUrl), ["clear-site-data", '"cache", "storage"']];
}

/** Revokes the session and returns the headers that remove it from the browser. */
export async function endSession(
  { db, vault, authority, baseUrl, random }: Pick<
    Services,
    "db" | "vault" | "authority" | "baseUrl" | "random"
  >,
  { now }: RequestContext,
  signedIn: SignedIn | undefined,
): Promise<ExtraHeaders> {
  if (signedIn !== undefined) {
    await revokeSession(db, { vault, authority }, { session: signedIn.session, now, random });
  }
  return forgetSession(baseUrl);
}
