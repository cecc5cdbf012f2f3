import { findSession, revokeSession, type Session } from "../../accounts/session/session.ts";
import { clearServiceCookie, readServiceCookie, setSessionCookie } from "../../http/cookie/cookies.ts";
import { setLogReceipt } from "../../http/cookie/log-receipt.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { ExtraHeaders } from "../../http/response/respond.ts";
import type { Services } from "../../http/services.ts";

async function endReplacedSession(
  context: RequestContext,
  services: Services,
  successor: Session,
): Promise<void> {
  const { now } = context;
  const { db, authority, baseUrl, random } = services;
  const token = readServiceCookie(context, "session", baseUrl);
  const replaced = token === undefined ? undefined : await findSession(db, authority, { token, now });
  if (replaced === undefined) return;
  const ending = { session: replaced.session, successor, now, random };
  await services.groupCommit.run((tx) => revokeSession(tx, services, ending));
}

/**
 * Moves the browser to a new session. Returns its cookie, and deletes the cookies of sign-up and sign-in. The response
 * carries a new log receipt.
 */
export async function startSession(
  context: RequestContext,
  services: Services,
  { session, token }: { readonly session: Session; readonly token: string },
): Promise<ExtraHeaders> {
  const { baseUrl } = services;
  await endReplacedSession(context, services, session);
  setLogReceipt(context, services);
  return [
    ...setSessionCookie(token, session, services),
    ...clearServiceCookie("ticket", baseUrl),
    ...clearServiceCookie("invitation", baseUrl),
    ...clearServiceCookie("signIn", baseUrl),
    ...clearServiceCookie("browser", baseUrl),
  ];
}
