import { findAdmission, type SignUpAdmission } from "../../accounts/invitation.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { Services } from "../../http/services.ts";
import { readServiceCookie } from "../../http/cookie/cookies.ts";

/** Returns the invitation whose link the browser opened, with the sign-up rule. */
export async function findPresentedAdmission(
  context: RequestContext,
  { db, authority, baseUrl, signUp }: Pick<Services, "db" | "authority" | "baseUrl" | "signUp">,
): Promise<SignUpAdmission> {
  const token = readServiceCookie(context, "invitation", baseUrl);
  return await findAdmission(db, authority, { rule: signUp, token, now: context.now });
}
